/* SPDX-License-Identifier: Apache-2.0 */
#include "io/fail.h"
#include "io/workload/dag.h"
#include "io/workload/workload.h"

#include <inttypes.h>
#include <string.h>

/* What became of the parents that were asked for. */
struct tally {
    uint64_t soft_kept;
    uint64_t soft_missing;
    uint64_t soft_self;
    uint64_t hard_missing;
};

struct seal {
    struct flux_io_workload *workload;
    struct flux_io_rank *rank;
    struct flux_error *error;
    uint32_t number; /* of the rank */
    uint32_t deps;
    uint32_t missing;
    uint32_t use_soft;
};

static int fail_missing(const struct seal *seal, const struct flux_io_parent *parent)
{
    char room[FLUX_IO_NODE_TEXT];
    const struct flux_io_node *child = &seal->rank->nodes[parent->child];
    return flux_io_workload_fail(seal->workload, seal->number, child->place, seal->error, FLUX_E_FORMAT,
                                 "%s waits for node %" PRIu64 " (%s dependency), which is not there",
                                 flux_io_node_text(seal->workload, seal->number, parent->child, room), parent->id,
                                 parent->soft ? "control" : "data");
}

static int fail_self(const struct seal *seal, const struct flux_io_parent *parent)
{
    char room[FLUX_IO_NODE_TEXT];
    const struct flux_io_node *child = &seal->rank->nodes[parent->child];
    return flux_io_workload_fail(
        seal->workload, seal->number, child->place, seal->error, FLUX_E_FORMAT, "%s waits for itself (%s dependency)",
        flux_io_node_text(seal->workload, seal->number, parent->child, room), parent->soft ? "control" : "data");
}

/* The parent's index in `*found`; FLUX_NONE where it is left out. */
static int resolve_one(const struct seal *seal, const struct flux_io_parent *parent, struct tally *tally,
                       uint32_t *found)
{
    *found = FLUX_NONE;
    if (parent->soft && !seal->use_soft)
        return FLUX_OK;
    uint32_t index = flux_io_numbers_find(&seal->rank->ids, parent->id);
    int lenient = parent->soft && seal->deps == FLUX_DEPS_AUTO;
    if (index == FLUX_NONE && lenient) {
        tally->soft_missing++;
    } else if (index == FLUX_NONE) {
        if (seal->missing != FLUX_MISSING_WARN)
            return fail_missing(seal, parent);
        tally->hard_missing++;
    } else if (index == parent->child && lenient) {
        tally->soft_self++;
    } else if (index == parent->child) {
        return fail_self(seal, parent);
    } else {
        tally->soft_kept += parent->soft;
        *found = index;
    }
    return FLUX_OK;
}

/* rank->first and rank->parents; a parent that is named twice counts once. `last[p]` is the child that had p last. */
static int resolve(const struct seal *seal, uint32_t *last, uint32_t *room, struct tally *tally)
{
    struct flux_io_rank *rank = seal->rank;
    uint64_t used = 0;
    uint32_t child = 0;
    memset(tally, 0, sizeof *tally);
    memset(last, 0xff, (size_t)rank->node_count * sizeof *last);
    rank->first[0] = 0;
    for (uint64_t i = 0; i < rank->unresolved_count; i++) {
        const struct flux_io_parent *parent = &rank->unresolved[i];
        uint32_t found;
        int rc = resolve_one(seal, parent, tally, &found);
        if (rc)
            return rc;
        while (child < parent->child)
            rank->first[++child] = used;
        if (found == FLUX_NONE || last[found] == parent->child)
            continue;
        last[found] = parent->child;
        room[used++] = found;
    }
    while (child < rank->node_count)
        rank->first[++child] = used;
    return FLUX_OK;
}

static int warn_left_out(const struct seal *seal, const struct tally *tally)
{
    struct flux_io_workload *workload = seal->workload;
    if (tally->hard_missing) {
        int rc = flux_io_warn(workload->import, seal->rank->path, seal->error,
                              "rank %" PRIu32 ": %" PRIu64 " dependencies on nodes that are not there are left out",
                              seal->number, tally->hard_missing);
        if (rc)
            return rc;
    }
    if (!tally->soft_missing && !tally->soft_self)
        return FLUX_OK;
    return flux_io_warn(workload->import, seal->rank->path, seal->error,
                        "rank %" PRIu32 ": %" PRIu64 " control dependencies are left out: %" PRIu64
                        " on nodes that are not there, %" PRIu64 " of a node on itself",
                        seal->number, tally->soft_missing + tally->soft_self, tally->soft_missing, tally->soft_self);
}

struct cycle_names {
    const struct flux_io_workload *workload;
    uint32_t rank;
};

static char *name_node(const void *context, uint32_t vertex, char *room)
{
    const struct cycle_names *names = context;
    return flux_io_node_text(names->workload, names->rank, vertex, room);
}

static int fail_cycle(const struct seal *seal, const struct flux_io_dag *dag, uint32_t done)
{
    const struct flux_io_memory *memory = seal->workload->memory;
    struct cycle_names names = {seal->workload, seal->number};
    char text[FLUX_IO_CYCLE_TEXT];
    uint32_t length;
    uint32_t *cycle = flux_io_alloc(memory, dag->count, sizeof *cycle);
    int rc = cycle ? flux_io_dag_cycle(memory, dag, seal->rank->order, done, cycle, &length) : FLUX_E_MEMORY;
    if (rc)
        rc = flux_io_fail_memory(seal->error);
    else
        rc = flux_io_fail_path(seal->error, FLUX_E_CYCLE, seal->rank->path, "%s",
                               flux_io_dag_cycle_text(cycle, length, name_node, &names, text));
    flux_io_release(memory, cycle, dag->count, sizeof *cycle);
    return rc;
}

/* Resolves and orders; a second time without the soft parents where these close a cycle and may be dropped. */
static int order_rank(struct seal *seal, uint32_t *last, uint32_t *room)
{
    struct flux_io_rank *rank = seal->rank;
    struct flux_io_dag dag = {(uint32_t)rank->node_count, 0, rank->first, room};
    struct tally tally;
    uint32_t done;
    int rc = resolve(seal, last, room, &tally);
    if (rc || (rc = warn_left_out(seal, &tally)))
        return rc;
    if (flux_io_dag_order(seal->workload->memory, &dag, &rank->nodes->id, sizeof *rank->nodes, rank->order, &done))
        return flux_io_fail_memory(seal->error);
    if (done < dag.count && seal->deps == FLUX_DEPS_AUTO && tally.soft_kept) {
        rc = flux_io_warn(seal->workload->import, rank->path, seal->error,
                          "rank %" PRIu32 ": the other %" PRIu64
                          " control dependencies close a cycle and are left out too",
                          seal->number, tally.soft_kept);
        seal->use_soft = 0;
        if (rc || (rc = resolve(seal, last, room, &tally)))
            return rc;
        if (flux_io_dag_order(seal->workload->memory, &dag, &rank->nodes->id, sizeof *rank->nodes, rank->order, &done))
            return flux_io_fail_memory(seal->error);
    }
    if (done < dag.count)
        return fail_cycle(seal, &dag, done);
    rank->soft_kept = tally.soft_kept;
    return FLUX_OK;
}

/* Keeps what is needed later, in as little memory as it takes. */
static int settle(struct flux_io_rank *rank, const uint32_t *room, struct flux_error *error)
{
    const struct flux_io_memory *memory = rank->ids.memory;
    uint64_t used = rank->first[rank->node_count];
    rank->parents = flux_io_alloc(memory, used, sizeof *rank->parents);
    if (!rank->parents)
        return flux_io_fail_memory(error);
    memcpy(rank->parents, room, (size_t)used * sizeof *room);
    for (uint64_t i = 0; i < rank->unresolved_count; i++)
        rank->soft_dropped += rank->unresolved[i].soft;
    rank->soft_dropped -= rank->soft_kept;
    flux_io_release(memory, rank->unresolved, rank->unresolved_capacity, sizeof *rank->unresolved);
    rank->unresolved = NULL;
    rank->unresolved_count = rank->unresolved_capacity = 0;
    flux_io_numbers_free(&rank->ids);
    flux_io_shrink(memory, &rank->nodes, &rank->node_capacity, rank->node_count, sizeof *rank->nodes);
    return FLUX_OK;
}

int flux_io_rank_seal(struct flux_io_workload *workload, uint32_t number, uint32_t deps, uint32_t missing,
                      struct flux_error *error)
{
    const struct flux_io_memory *memory = workload->memory;
    struct flux_io_rank *rank = workload->ranks[number];
    struct seal seal = {workload, rank, error, number, deps, missing, deps != FLUX_DEPS_DATA};
    uint64_t room_size = rank->unresolved_count;
    uint32_t *last = flux_io_alloc(memory, rank->node_count, sizeof *last);
    uint32_t *room = flux_io_alloc(memory, room_size, sizeof *room);
    rank->order = flux_io_alloc(memory, rank->node_count, sizeof *rank->order);
    rank->first = flux_io_alloc_zero(memory, rank->node_count + 1, sizeof *rank->first);
    int rc = last && room && rank->order && rank->first ? FLUX_OK : flux_io_fail_memory(error);
    if (!rc && rank->node_count)
        rc = order_rank(&seal, last, room);
    if (!rc)
        rc = settle(rank, room, error);
    flux_io_release(memory, last, rank->node_count, sizeof *last);
    flux_io_release(memory, room, room_size, sizeof *room);
    return rc;
}
