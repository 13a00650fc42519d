/* SPDX-License-Identifier: Apache-2.0 */
#include "io/workload/size.h"

#include "io/fail.h"

#include <inttypes.h>

#define VERTICES_MAX_DEFAULT UINT64_C(100000000)

struct counting {
    const struct flux_io_workload *workload;
    const struct flux_io_joint *joint;
    const struct flux_io_expand_options *options;
    struct flux_error *error;
    struct flux_io_graph_size size;
    int too_many; /* 1: some number left 64 bits */
};

int flux_io_expand_options_init(struct flux_io_expand_options *expand, const struct flux_import_options *options,
                                struct flux_error *error)
{
    *expand = (struct flux_io_expand_options){
        options->vertices_max ? options->vertices_max : VERTICES_MAX_DEFAULT,
        {options->all_reduce, options->all_gather, options->reduce_scatter, options->all_to_all},
        options->chunks ? options->chunks : 1,
        options->overlap_compute,
    };
    if (options->overlap_compute > 1)
        return flux_io_fail(error, FLUX_E_ARGUMENT, "overlap_compute is 0 or 1");
    for (uint32_t kind = 0; kind < 4; kind++)
        if (!flux_io_collective_known(kind, expand->algorithm[kind]))
            return flux_io_fail(error, FLUX_E_ARGUMENT, "algorithm %" PRIu32 " is not one for %s",
                                expand->algorithm[kind], flux_io_collective_name(kind));
    return FLUX_OK;
}

static void count(struct counting *counting, uint64_t *sum, uint64_t more)
{
    if (__builtin_add_overflow(*sum, more, sum))
        counting->too_many = 1;
}

static uint64_t times(struct counting *counting, uint64_t a, uint64_t b)
{
    uint64_t product;
    if (__builtin_mul_overflow(a, b, &product))
        counting->too_many = 1;
    return product;
}

static void count_instance(struct counting *counting, const struct flux_io_instance *instance)
{
    const struct flux_io_workload *workload = counting->workload;
    const struct flux_io_group *group = flux_io_instance_group(counting->workload, instance);
    uint32_t chunks = flux_io_instance_chunks(counting->options, instance);
    struct flux_io_expansion_size size = {0, 0, 0, 0, 0};
    if (chunks) {
        uint32_t wanted = counting->options->algorithm[instance->kind];
        uint32_t algorithm = flux_io_instance_algorithm(counting->workload, counting->options, instance);
        counting->size.rings += wanted == FLUX_ALGORITHM_HALVING_DOUBLING && algorithm != wanted;
        flux_io_collective_size(instance->kind, algorithm, group->count, &size);
        count(counting, &counting->size.vertices, times(counting, size.steps, chunks));
        count(counting, &counting->size.vertices, group->count);
        count(counting, &counting->size.edges, times(counting, size.after, chunks));
        count(counting, &counting->size.edges, times(counting, size.ends * chunks, group->count));
    } else {
        count(counting, &counting->size.vertices, 1);
    }
    for (uint32_t m = 0; m < group->count; m++) {
        uint64_t parents =
            flux_io_parent_count(workload->ranks[group->ranks[m]], workload->members[instance->members + m]);
        uint64_t starts = chunks ? size.starts * chunks : 1;
        int start = flux_io_needs_start(parents, starts);
        count(counting, &counting->size.vertices, (uint64_t)start);
        count(counting, &counting->size.edges, start ? parents + starts : times(counting, parents, starts));
    }
}

/* Bytes over all sends of an instance, at most. */
static void count_bytes(const struct counting *counting, const struct flux_io_instance *instance, uint64_t *sum,
                        int *over)
{
    uint64_t n = flux_io_instance_group(counting->workload, instance)->count;
    uint64_t copies = instance->kind == FLUX_IO_ALL_REDUCE       ? 2 * (n - 1)
                      : instance->kind == FLUX_IO_REDUCE_SCATTER ? n - 1
                                                                 : n * (n - 1);
    uint64_t bytes;
    *over |= __builtin_mul_overflow(instance->bytes, copies, &bytes) || __builtin_add_overflow(*sum, bytes, sum);
}

static int check_amounts(struct counting *counting)
{
    const struct flux_io_workload *workload = counting->workload;
    char room[FLUX_IO_NODE_TEXT];
    uint64_t sum = 0;
    int over = 0;
    for (uint64_t i = 0; i < workload->instance_count; i++)
        count_bytes(counting, &workload->instances[i], &sum, &over);
    for (uint32_t r = 0; r < workload->rank_count; r++) {
        for (uint32_t i = 0; i < workload->ranks[r]->node_count; i++) {
            const struct flux_io_node *node = &workload->ranks[r]->nodes[i];
            if (node->kind == FLUX_IO_SEND)
                over |= __builtin_add_overflow(sum, node->amount, &sum);
            if (node->kind == FLUX_IO_COMPUTE && node->amount > (uint64_t)FLUX_TIME_MAX)
                return flux_io_fail_offset(counting->error, FLUX_E_OVERFLOW, workload->ranks[r]->path, node->place,
                                           "%s takes longer than 2^62 ps, which is 53 days",
                                           flux_io_node_text(workload, r, i, room));
        }
    }
    if (over)
        return flux_io_fail_path(counting->error, FLUX_E_OVERFLOW, workload->path,
                                 "the sends carry more than 2^64 bytes; is the size scale right?");
    return FLUX_OK;
}

static int check_size(struct counting *counting)
{
    const struct flux_io_workload *workload = counting->workload;
    for (uint32_t r = 0; r < workload->rank_count; r++) {
        const struct flux_io_rank *rank = workload->ranks[r];
        for (uint32_t i = 0; i < rank->node_count; i++) {
            uint64_t v = counting->joint->base[r] + i;
            if (rank->nodes[i].kind == FLUX_IO_COLLECTIVE && counting->joint->partner[v] != FLUX_NONE)
                continue;
            count(counting, &counting->size.vertices, 1);
            count(counting, &counting->size.edges,
                  flux_io_parent_count(rank, i) + (rank->nodes[i].kind == FLUX_IO_RECV) +
                      (counting->joint->previous[v] != FLUX_NONE));
        }
    }
    for (uint64_t i = 0; i < workload->instance_count && !counting->too_many; i++)
        count_instance(counting, &workload->instances[i]);
    if (counting->too_many || counting->size.vertices > counting->options->vertices_max)
        return flux_io_fail_path(counting->error, FLUX_E_TOO_BIG, workload->path,
                                 "would expand to %s%" PRIu64 " vertices and the limit is %" PRIu64
                                 "; raise the limit, or take fewer chunks or ranks",
                                 counting->too_many ? "more than " : "", counting->size.vertices,
                                 counting->options->vertices_max);
    return FLUX_OK;
}

int flux_io_graph_size(const struct flux_io_workload *workload, const struct flux_io_joint *joint,
                       const struct flux_io_expand_options *options, struct flux_io_graph_size *size,
                       struct flux_error *error)
{
    struct counting counting = {workload, joint, options, error, {0, 0, 0}, 0};
    int rc = check_amounts(&counting);
    if (!rc)
        rc = check_size(&counting);
    *size = counting.size;
    return rc;
}
