/* SPDX-License-Identifier: Apache-2.0 */
#include "io/goal/goal.h"

#include "io/fail.h"

#include <inttypes.h>
#include <string.h>

int flux_io_goal_begin(struct flux_io_goal *goal, struct flux_import *import, struct flux_io_source *source,
                       const struct flux_import_options *options, struct flux_error *error)
{
    memset(goal, 0, sizeof *goal);
    goal->import = import;
    goal->source = source;
    goal->options = options;
    goal->error = error;
    goal->nics = 1;
    goal->workload.memory = &import->memory;
    if (options->endpoints > FLUX_ENDPOINTS_NIC)
        return flux_io_fail(error, FLUX_E_ARGUMENT, "endpoints is none of its values");
    return flux_io_expand_options_init(&goal->expand, options, error);
}

int flux_io_goal_ranks(struct flux_io_goal *goal, uint64_t ranks)
{
    const char *path = goal->source->path;
    if (goal->options->ranks && goal->options->ranks != ranks)
        return flux_io_fail_path(goal->error, FLUX_E_FORMAT, path,
                                 "has %" PRIu64 " ranks and %" PRIu32 " are asked for", ranks, goal->options->ranks);
    if (ranks > FLUX_GPUS_MAX)
        return flux_io_fail_path(goal->error, FLUX_E_TOO_BIG, path,
                                 "has %" PRIu64 " ranks; 1 .. %" PRIu32 " are possible", ranks, FLUX_GPUS_MAX);
    return flux_io_workload_init_empty(&goal->workload, &goal->import->memory, goal->import, path, (uint32_t)ranks,
                                       goal->error);
}

int flux_io_goal_op(struct flux_io_goal *goal, const struct flux_io_node *op)
{
    struct flux_io_goal_block *block = &goal->block;
    if (goal->nodes == goal->expand.vertices_max)
        return flux_io_fail_path(goal->error, FLUX_E_TOO_BIG, goal->source->path,
                                 "has more than %" PRIu64 " operations, which is the limit of vertices", goal->nodes);
    if (flux_io_grow(&goal->import->memory, &block->ops, &block->op_capacity, block->op_count + 1, sizeof *block->ops))
        return flux_io_fail_memory(goal->error);
    block->ops[block->op_count++] = *op;
    goal->nodes++;
    if (op->nic >= goal->nics)
        goal->nics = op->nic + 1u;
    return FLUX_OK;
}

int flux_io_goal_edge(struct flux_io_goal *goal, uint32_t child, uint32_t parent, uint32_t start)
{
    struct flux_io_goal_block *block = &goal->block;
    if (flux_io_grow(&goal->import->memory, &block->edges, &block->edge_capacity, block->edge_count + 1,
                     sizeof *block->edges))
        return flux_io_fail_memory(goal->error);
    block->edges[block->edge_count++] = (struct flux_io_goal_edge){child, parent, start};
    return FLUX_OK;
}

/* What a rank's operations become: edges by their child, and the id of each operation. */
struct settling {
    uint64_t *first; /* op_count + 1 */
    const struct flux_io_goal_edge **by_child;
    uint64_t *ids; /* an operation whose start others wait for has the point of its start one before it */
    unsigned char *started;
};

static int settling_init(struct settling *settling, const struct flux_io_memory *memory,
                         const struct flux_io_goal_block *block)
{
    uint64_t id = 0;
    settling->first = flux_io_alloc_zero(memory, block->op_count + 2, sizeof *settling->first);
    settling->by_child = flux_io_alloc(memory, block->edge_count, sizeof *settling->by_child);
    settling->ids = flux_io_alloc(memory, block->op_count, sizeof *settling->ids);
    settling->started = flux_io_alloc_zero(memory, block->op_count, 1);
    if (!settling->first || !settling->by_child || !settling->ids || !settling->started)
        return FLUX_E_MEMORY;
    for (uint64_t i = 0; i < block->edge_count; i++) {
        settling->first[block->edges[i].child + 2]++;
        settling->started[block->edges[i].parent] |= block->edges[i].start != 0;
    }
    for (uint64_t i = 0; i < block->op_count; i++) {
        settling->first[i + 2] += settling->first[i + 1];
        id += settling->started[i];
        settling->ids[i] = id++;
    }
    for (uint64_t i = 0; i < block->edge_count; i++)
        settling->by_child[settling->first[block->edges[i].child + 1]++] = &block->edges[i];
    return FLUX_OK;
}

static void settling_free(struct settling *settling, const struct flux_io_memory *memory,
                          const struct flux_io_goal_block *block)
{
    flux_io_release(memory, settling->first, block->op_count + 2, sizeof *settling->first);
    flux_io_release(memory, settling->by_child, block->edge_count, sizeof *settling->by_child);
    flux_io_release(memory, settling->ids, block->op_count, sizeof *settling->ids);
    flux_io_release(memory, settling->started, block->op_count, 1);
}

/* The last node waits for all that operation `op` waits for. */
static int wait_for_parents(struct flux_io_goal *goal, uint32_t rank, const struct settling *settling, uint64_t op)
{
    int rc = FLUX_OK;
    for (uint64_t e = settling->first[op]; !rc && e < settling->first[op + 1]; e++) {
        const struct flux_io_goal_edge *edge = settling->by_child[e];
        rc = flux_io_rank_wait(&goal->workload, rank, settling->ids[edge->parent] - edge->start, 0, goal->error);
    }
    return rc;
}

/* An operation has started when what it waits for is done; a calculation, when its stream is free besides. So the
 * point of its start is a node of no length in the same stream, and the operation itself waits for that alone. */
static int add_op(struct flux_io_goal *goal, uint32_t rank, const struct settling *settling, uint64_t op)
{
    struct flux_io_node node = goal->block.ops[op];
    node.id = settling->ids[op];
    if (goal->options->endpoints == FLUX_ENDPOINTS_RANK)
        node.nic = 0;
    if (!settling->started[op]) {
        int rc = flux_io_rank_add(&goal->workload, rank, &node, goal->error);
        return rc ? rc : wait_for_parents(goal, rank, settling, op);
    }
    struct flux_io_node start = node;
    start.id--;
    start.amount = 0;
    if (node.kind != FLUX_IO_COMPUTE)
        start.kind = FLUX_IO_JOIN;
    int rc = flux_io_rank_add(&goal->workload, rank, &start, goal->error);
    if (!rc)
        rc = wait_for_parents(goal, rank, settling, op);
    if (!rc)
        rc = flux_io_rank_add(&goal->workload, rank, &node, goal->error);
    return rc ? rc : flux_io_rank_wait(&goal->workload, rank, start.id, 0, goal->error);
}

int flux_io_goal_rank(struct flux_io_goal *goal, uint32_t rank)
{
    const struct flux_io_memory *memory = &goal->import->memory;
    struct settling settling;
    int rc = flux_io_workload_add_rank(&goal->workload, rank, goal->error);
    if (rc)
        return rc;
    goal->seen++;
    if (settling_init(&settling, memory, &goal->block))
        rc = flux_io_fail_memory(goal->error);
    for (uint64_t i = 0; !rc && i < goal->block.op_count; i++)
        rc = add_op(goal, rank, &settling, i);
    settling_free(&settling, memory, &goal->block);
    goal->edges += goal->block.edge_count;
    goal->block.op_count = goal->block.edge_count = 0;
    return rc ? rc : flux_io_rank_seal(&goal->workload, rank, FLUX_DEPS_DATA, FLUX_MISSING_ERROR, goal->error);
}

/* Makes each interface a GPU, or says that there are several. */
static int settle_nics(struct flux_io_goal *goal)
{
    struct flux_io_workload *workload = &goal->workload;
    if (goal->nics == 1)
        return FLUX_OK;
    if (goal->options->endpoints == FLUX_ENDPOINTS_RANK)
        return flux_io_note(goal->import, goal->error,
                            "the network interfaces 0 .. %" PRIu32
                            " of a rank are taken as one; with the endpoints nic each is a GPU",
                            goal->nics - 1);
    if (workload->rank_count > FLUX_GPUS_MAX / goal->nics)
        return flux_io_fail_path(goal->error, FLUX_E_TOO_BIG, workload->path,
                                 "has %" PRIu32 " ranks with %" PRIu32 " interfaces each; %" PRIu32
                                 " GPUs are possible",
                                 workload->rank_count, goal->nics, FLUX_GPUS_MAX);
    workload->nics = goal->nics;
    return FLUX_OK;
}

int flux_io_goal_finish(struct flux_io_goal *goal)
{
    struct flux_io_workload *workload = &goal->workload;
    for (uint32_t r = 0; r < workload->rank_count; r++)
        if (!workload->ranks[r])
            return flux_io_fail_path(goal->error, FLUX_E_FORMAT, workload->path,
                                     "declares %" PRIu32 " ranks and has no block of rank %" PRIu32,
                                     workload->rank_count, r);
    int rc = settle_nics(goal);
    if (!rc)
        rc = flux_io_workload_match(workload, goal->error);
    if (!rc && !workload->message_count)
        rc = flux_io_note(goal->import, goal->error, "there is no communication in it");
    goal->import->counts[FLUX_IO_COUNT_RANKS] = workload->rank_count;
    goal->import->counts[FLUX_IO_COUNT_NODES] = goal->nodes;
    return rc ? rc : flux_io_workload_graph(workload, &goal->expand, goal->error);
}

void flux_io_goal_end(struct flux_io_goal *goal)
{
    const struct flux_io_memory *memory = &goal->import->memory;
    flux_io_release(memory, goal->block.ops, goal->block.op_capacity, sizeof *goal->block.ops);
    flux_io_release(memory, goal->block.edges, goal->block.edge_capacity, sizeof *goal->block.edges);
    flux_io_workload_free(&goal->workload);
}
