/* SPDX-License-Identifier: Apache-2.0 */
#include "io/fail.h"
#include "io/workload/workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The collectives of each member of each group, in the order in which the member issues them: slot[g] + position is a
 * member's place in `begin`, and calls[begin[place]] .. calls[begin[place + 1] - 1] are its nodes. Groups of one and
 * other spellings of a group have no slots. */
struct calls {
    struct flux_io_workload *workload;
    struct flux_error *error;
    uint64_t *slot;
    uint64_t slot_count; /* places in all */
    uint64_t *begin;
    uint64_t *cursor;
    uint32_t *calls;
    uint64_t call_count;
};

static const struct flux_io_node *node_of(const struct calls *calls, uint32_t rank, uint32_t node)
{
    return &calls->workload->ranks[rank]->nodes[node];
}

static int fail_member(const struct calls *calls, uint32_t rank, uint32_t node)
{
    char room[FLUX_IO_NODE_TEXT];
    char name[FLUX_IO_QUOTE];
    const struct flux_io_node *at = node_of(calls, rank, node);
    flux_io_quote(flux_io_group_name(&calls->workload->groups, at->key), name, sizeof name);
    return flux_io_fail_offset(calls->error, FLUX_E_FORMAT, calls->workload->ranks[rank]->path, at->place,
                               "%s runs a collective of group \"%s\", of which the rank is no member",
                               flux_io_node_text(calls->workload, rank, node, room), name);
}

/* Where a node's member has its place; UINT64_MAX for a group of one. Fails where the rank is no member. */
static int find_place(const struct calls *calls, uint32_t rank, uint32_t node, uint64_t *place)
{
    const struct flux_io_groups *groups = &calls->workload->groups;
    uint32_t number = groups->groups[node_of(calls, rank, node)->key].same_as;
    const struct flux_io_group *group = &groups->groups[number];
    uint32_t position = flux_io_group_position(group, rank);
    if (position == FLUX_NONE)
        return fail_member(calls, rank, node);
    *place = group->count > 1 ? calls->slot[number] + position : UINT64_MAX;
    return FLUX_OK;
}

/* Counts calls per place (store NULL), or stores them. */
static int sweep(struct calls *calls, int store)
{
    const struct flux_io_workload *workload = calls->workload;
    for (uint32_t r = 0; r < workload->rank_count; r++) {
        const struct flux_io_rank *rank = workload->ranks[r];
        for (uint64_t i = 0; i < rank->node_count; i++) {
            uint64_t place = UINT64_MAX;
            if (rank->nodes[rank->order[i]].kind != FLUX_IO_COLLECTIVE)
                continue;
            int rc = find_place(calls, r, rank->order[i], &place);
            if (rc)
                return rc;
            if (place == UINT64_MAX)
                continue;
            if (store)
                calls->calls[calls->cursor[place]++] = rank->order[i];
            else
                calls->begin[place + 1]++;
        }
    }
    return FLUX_OK;
}

static int collect(struct calls *calls)
{
    const struct flux_io_memory *memory = calls->workload->memory;
    const struct flux_io_groups *groups = &calls->workload->groups;
    calls->slot = flux_io_alloc(memory, groups->group_count, sizeof *calls->slot);
    if (!calls->slot)
        return flux_io_fail_memory(calls->error);
    for (uint32_t g = 0; g < groups->group_count; g++) {
        calls->slot[g] = calls->slot_count;
        if (groups->groups[g].same_as == g && groups->groups[g].count > 1)
            calls->slot_count += groups->groups[g].count;
    }
    calls->begin = flux_io_alloc_zero(memory, calls->slot_count + 1, sizeof *calls->begin);
    calls->cursor = flux_io_alloc(memory, calls->slot_count, sizeof *calls->cursor);
    if (!calls->begin || !calls->cursor)
        return flux_io_fail_memory(calls->error);
    int rc = sweep(calls, 0);
    if (rc)
        return rc;
    for (uint64_t place = 0; place < calls->slot_count; place++) {
        calls->begin[place + 1] += calls->begin[place];
        calls->cursor[place] = calls->begin[place];
    }
    calls->call_count = calls->begin[calls->slot_count];
    calls->calls = flux_io_alloc(memory, calls->call_count, sizeof *calls->calls);
    return calls->calls ? sweep(calls, 1) : flux_io_fail_memory(calls->error);
}

static uint64_t calls_of(const struct calls *calls, uint64_t place)
{
    return calls->begin[place + 1] - calls->begin[place];
}

/* "all_gather of 4096 bytes" */
static char *collective_text(const struct flux_io_node *node, char *room, size_t size)
{
    if (node->peer == FLUX_IO_BARRIER)
        snprintf(room, size, "barrier");
    else
        snprintf(room, size, "%s of %" PRIu64 " bytes", flux_io_collective_name(node->peer), node->amount);
    return room;
}

/* Barriers carry no size that must agree. */
static int agree(const struct flux_io_node *a, const struct flux_io_node *b)
{
    return a->peer == b->peer && (a->amount == b->amount || a->peer == FLUX_IO_BARRIER);
}

static int fail_disagree(const struct calls *calls, uint32_t group, uint64_t k, uint32_t first, uint32_t node_first,
                         uint32_t second, uint32_t node_second)
{
    char room[2][FLUX_IO_NODE_TEXT];
    char what[2][64];
    char name[32];
    flux_io_quote(flux_io_group_name(&calls->workload->groups, group), name, sizeof name);
    return flux_io_fail_path(calls->error, FLUX_E_FORMAT, calls->workload->path,
                             "collective %" PRIu64 " of group \"%s\" differs between its members: %s is %s, %s is %s",
                             k, name, flux_io_node_text(calls->workload, first, node_first, room[0]),
                             collective_text(node_of(calls, first, node_first), what[0], sizeof what[0]),
                             flux_io_node_text(calls->workload, second, node_second, room[1]),
                             collective_text(node_of(calls, second, node_second), what[1], sizeof what[1]));
}

/* One member calls more often than another: the first call without a partner. */
static int fail_count(const struct calls *calls, uint32_t number, uint32_t a, uint32_t b)
{
    const struct flux_io_group *group = &calls->workload->groups.groups[number];
    uint64_t slot = calls->slot[number];
    uint32_t more = calls_of(calls, slot + a) > calls_of(calls, slot + b) ? a : b;
    uint32_t fewer = more == a ? b : a;
    uint64_t k = calls_of(calls, slot + fewer);
    char room[FLUX_IO_NODE_TEXT];
    char what[64];
    char name[32];
    uint32_t node = calls->calls[calls->begin[slot + more] + k];
    uint32_t rank = group->ranks[more];
    flux_io_quote(flux_io_group_name(&calls->workload->groups, number), name, sizeof name);
    return flux_io_fail_path(calls->error, FLUX_E_FORMAT, calls->workload->path,
                             "rank %" PRIu32 " runs %" PRIu64 " collectives of group \"%s\" and rank %" PRIu32
                             " runs %" PRIu64 ": %s, an %s, has no partner",
                             rank, calls_of(calls, slot + more), name, group->ranks[fewer], k,
                             flux_io_node_text(calls->workload, rank, node, room),
                             collective_text(node_of(calls, rank, node), what, sizeof what));
}

/* All members issue the same collectives in the same order. The first difference is told. */
static int check_group(const struct calls *calls, uint32_t number)
{
    const struct flux_io_group *group = &calls->workload->groups.groups[number];
    uint64_t slot = calls->slot[number];
    for (uint32_t m = 1; m < group->count; m++) {
        uint64_t mine = calls_of(calls, slot + m);
        uint64_t first = calls_of(calls, slot);
        for (uint64_t k = 0; k < mine && k < first; k++) {
            uint32_t a = calls->calls[calls->begin[slot] + k];
            uint32_t b = calls->calls[calls->begin[slot + m] + k];
            if (!agree(node_of(calls, group->ranks[0], a), node_of(calls, group->ranks[m], b)))
                return fail_disagree(calls, number, k, group->ranks[0], a, group->ranks[m], b);
        }
        if (mine != first)
            return fail_count(calls, number, 0, m);
    }
    return FLUX_OK;
}

static void put_instances(struct calls *calls, uint32_t number, uint64_t *instances, uint64_t *members)
{
    struct flux_io_workload *workload = calls->workload;
    const struct flux_io_group *group = &workload->groups.groups[number];
    uint64_t slot = calls->slot[number];
    for (uint64_t k = 0; k < calls_of(calls, slot); k++) {
        struct flux_io_instance *instance = &workload->instances[(*instances)++];
        const struct flux_io_node *node = node_of(calls, group->ranks[0], calls->calls[calls->begin[slot] + k]);
        instance->members = *members;
        instance->bytes = node->peer == FLUX_IO_BARRIER ? 0 : node->amount;
        instance->group = number;
        instance->occurrence = (uint32_t)k;
        instance->kind = node->peer;
        instance->reserved = 0;
        for (uint32_t m = 0; m < group->count; m++)
            workload->members[(*members)++] = calls->calls[calls->begin[slot + m] + k];
    }
}

static int match(struct calls *calls)
{
    struct flux_io_workload *workload = calls->workload;
    const struct flux_io_groups *groups = &workload->groups;
    uint64_t instances = 0;
    uint64_t members = 0;
    int rc = collect(calls);
    for (uint32_t g = 0; !rc && g < groups->group_count; g++) {
        if (groups->groups[g].same_as != g || groups->groups[g].count < 2)
            continue;
        rc = check_group(calls, g);
        workload->instance_count += calls_of(calls, calls->slot[g]);
    }
    if (rc)
        return rc;
    workload->member_count = calls->call_count;
    workload->instances = flux_io_alloc(workload->memory, workload->instance_count, sizeof *workload->instances);
    workload->members = flux_io_alloc(workload->memory, workload->member_count, sizeof *workload->members);
    if (!workload->instances || !workload->members)
        return flux_io_fail_memory(calls->error);
    for (uint32_t g = 0; g < groups->group_count; g++)
        if (groups->groups[g].same_as == g && groups->groups[g].count > 1)
            put_instances(calls, g, &instances, &members);
    return FLUX_OK;
}

int flux_io_match_collectives(struct flux_io_workload *workload, struct flux_error *error)
{
    struct calls calls = {workload, error, NULL, 0, NULL, NULL, NULL, 0};
    int rc = match(&calls);
    if (rc && !workload->instances) /* what is released later has no size */
        workload->instance_count = 0;
    if (rc && !workload->members)
        workload->member_count = 0;
    flux_io_release(workload->memory, calls.slot, workload->groups.group_count, sizeof *calls.slot);
    flux_io_release(workload->memory, calls.begin, calls.slot_count + 1, sizeof *calls.begin);
    flux_io_release(workload->memory, calls.cursor, calls.slot_count, sizeof *calls.cursor);
    flux_io_release(workload->memory, calls.calls, calls.call_count, sizeof *calls.calls);
    return rc;
}
