/* SPDX-License-Identifier: Apache-2.0 */
#include "io/workload/workload.h"

#include "io/fail.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int flux_io_workload_init_empty(struct flux_io_workload *workload, const struct flux_io_memory *memory,
                                struct flux_import *import, const char *path, uint32_t ranks, struct flux_error *error)
{
    memset(workload, 0, sizeof *workload);
    workload->memory = memory;
    workload->import = import;
    workload->path = path;
    workload->nics = 1;
    if (ranks < 1 || ranks > FLUX_GPUS_MAX)
        return flux_io_fail_path(error, FLUX_E_TOO_BIG, path, "has %" PRIu32 " ranks; 1 .. %" PRIu32 " are possible",
                                 ranks, FLUX_GPUS_MAX);
    flux_io_strings_init(&workload->names, memory);
    flux_io_groups_init(&workload->groups, memory, ranks);
    workload->ranks = flux_io_alloc_zero(memory, ranks, sizeof *workload->ranks);
    if (!workload->ranks)
        return flux_io_fail_memory(error);
    workload->rank_count = ranks;
    return FLUX_OK;
}

int flux_io_workload_add_rank(struct flux_io_workload *workload, uint32_t rank, struct flux_error *error)
{
    struct flux_io_rank *fresh = flux_io_alloc_zero(workload->memory, 1, sizeof *fresh);
    if (!fresh)
        return flux_io_fail_memory(error);
    fresh->path = workload->path;
    flux_io_numbers_init(&fresh->ids, workload->memory);
    workload->ranks[rank] = fresh;
    return FLUX_OK;
}

int flux_io_workload_init(struct flux_io_workload *workload, const struct flux_io_memory *memory,
                          struct flux_import *import, const char *path, uint32_t ranks, struct flux_error *error)
{
    int rc = flux_io_workload_init_empty(workload, memory, import, path, ranks, error);
    for (uint32_t r = 0; !rc && r < ranks; r++)
        rc = flux_io_workload_add_rank(workload, r, error);
    return rc;
}

static void free_rank(const struct flux_io_memory *memory, struct flux_io_rank *rank)
{
    if (!rank)
        return;
    if (rank->first) {
        flux_io_release(memory, rank->parents, rank->first[rank->node_count], sizeof *rank->parents);
        flux_io_release(memory, rank->first, rank->node_count + 1, sizeof *rank->first);
    }
    flux_io_release(memory, rank->order, rank->node_count, sizeof *rank->order);
    flux_io_release(memory, rank->nodes, rank->node_capacity, sizeof *rank->nodes);
    flux_io_release(memory, rank->unresolved, rank->unresolved_capacity, sizeof *rank->unresolved);
    flux_io_numbers_free(&rank->ids);
    flux_io_release(memory, rank, 1, sizeof *rank);
}

void flux_io_workload_free(struct flux_io_workload *workload)
{
    const struct flux_io_memory *memory = workload->memory;
    for (uint32_t r = 0; workload->ranks && r < (workload->replicated ? 1 : workload->rank_count); r++)
        free_rank(memory, workload->ranks[r]);
    flux_io_release(memory, workload->ranks, workload->rank_count, sizeof *workload->ranks);
    flux_io_release(memory, workload->instances, workload->instance_count, sizeof *workload->instances);
    flux_io_release(memory, workload->members, workload->member_count, sizeof *workload->members);
    flux_io_release(memory, workload->messages, workload->message_count, sizeof *workload->messages);
    if (workload->names.memory)
        flux_io_strings_free(&workload->names);
    if (workload->groups.memory)
        flux_io_groups_free(&workload->groups);
}

void flux_io_workload_replicate(struct flux_io_workload *workload)
{
    for (uint32_t r = 1; r < workload->rank_count; r++) {
        free_rank(workload->memory, workload->ranks[r]);
        workload->ranks[r] = workload->ranks[0];
    }
    workload->replicated = 1;
}

int flux_io_workload_fail(const struct flux_io_workload *workload, uint32_t rank, uint64_t place,
                          struct flux_error *error, int code, const char *format, ...)
{
    const char *path = workload->ranks[rank]->path;
    struct flux_error what;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what.text, sizeof what.text, format, arguments);
    va_end(arguments);
    if (workload->lines)
        return flux_io_fail_line(error, code, path, place >> 20, place & 0xfffff, "%s", what.text);
    return flux_io_fail_offset(error, code, path, place, "%s", what.text);
}

char *flux_io_node_text(const struct flux_io_workload *workload, uint32_t rank, uint32_t node, char *room)
{
    char name[40] = "";
    const struct flux_io_node *at = &workload->ranks[rank]->nodes[node];
    if (at->name != FLUX_NONE)
        flux_io_quote(flux_io_strings_text(&workload->names, at->name, NULL), name, sizeof name);
    snprintf(room, FLUX_IO_NODE_TEXT, "rank %" PRIu32 " node %" PRIu64 "%s%s%s", rank, at->id, *name ? " (" : "", name,
             *name ? ")" : "");
    return room;
}

const char *flux_io_collective_name(uint32_t kind)
{
    static const char *const names[FLUX_IO_COLLECTIVE_KINDS] = {"all_reduce", "all_gather", "reduce_scatter", "all_to_all",
                                                                "barrier",    "broadcast",  "reduce"};
    return kind < FLUX_IO_COLLECTIVE_KINDS ? names[kind] : "collective";
}

int flux_io_rank_add(struct flux_io_workload *workload, uint32_t rank, const struct flux_io_node *node,
                     struct flux_error *error)
{
    struct flux_io_rank *to = workload->ranks[rank];
    char room[FLUX_IO_NODE_TEXT];
    uint32_t index;
    int fresh;
    int rc = flux_io_numbers_add(&to->ids, node->id, &index, &fresh);
    if (rc == FLUX_E_TOO_BIG)
        return flux_io_fail_path(error, rc, to->path, "rank %" PRIu32 " has more than 2^32 - 2 nodes", rank);
    if (rc)
        return flux_io_fail_memory(error);
    if (!fresh)
        return flux_io_workload_fail(workload, rank, node->place, error, FLUX_E_FORMAT,
                                     "%s has the id of an earlier node, at byte %" PRIu64,
                                     flux_io_node_text(workload, rank, index, room), to->nodes[index].place);
    if (flux_io_grow(workload->memory, &to->nodes, &to->node_capacity, to->node_count + 1, sizeof *to->nodes))
        return flux_io_fail_memory(error);
    to->nodes[to->node_count++] = *node;
    return FLUX_OK;
}

int flux_io_rank_wait(struct flux_io_workload *workload, uint32_t rank, uint64_t id, uint32_t soft,
                      struct flux_error *error)
{
    struct flux_io_rank *to = workload->ranks[rank];
    if (flux_io_grow(workload->memory, &to->unresolved, &to->unresolved_capacity, to->unresolved_count + 1,
                     sizeof *to->unresolved))
        return flux_io_fail_memory(error);
    to->unresolved[to->unresolved_count++] = (struct flux_io_parent){id, (uint32_t)to->node_count - 1, soft};
    return FLUX_OK;
}

int flux_io_workload_match(struct flux_io_workload *workload, struct flux_error *error)
{
    int rc = flux_io_groups_resolve(&workload->groups, workload->import, workload->path, error);
    if (!rc)
        rc = flux_io_match_collectives(workload, error);
    return rc ? rc : flux_io_match_messages(workload, error);
}
