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
        {options->all_reduce, options->all_gather, options->reduce_scatter, options->all_to_all, FLUX_ALGORITHM_DEFAULT,
         options->broadcast, FLUX_ALGORITHM_DEFAULT},
        options->chunks ? options->chunks : 1,
        options->node,
        options->overlap_compute,
    };
    if (options->overlap_compute > 1)
        return flux_io_fail(error, FLUX_E_ARGUMENT, "overlap_compute is 0 or 1");
    for (uint32_t kind = 0; kind < FLUX_IO_COLLECTIVE_KINDS; kind++) {
        const char *name = flux_io_algorithm_name(expand->algorithm[kind]);
        if (kind == FLUX_IO_BARRIER)
            continue;
        if (!name)
            return flux_io_fail(error, FLUX_E_ARGUMENT, "algorithm %" PRIu32 " is not one for %s",
                                expand->algorithm[kind], flux_io_collective_name(kind));
        if (!flux_io_collective_known(kind, expand->algorithm[kind]))
            return flux_io_fail(error, FLUX_E_ARGUMENT, "%s is no algorithm for %s", name,
                                flux_io_collective_name(kind));
        if (expand->algorithm[kind] == FLUX_ALGORITHM_HIERARCHICAL && !options->node)
            return flux_io_fail(error, FLUX_E_ARGUMENT, "hierarchical needs to know how many GPUs a node has");
    }
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

/* Members on each node where the group lists them node by node, equally many on each; else 0. */
static uint32_t members_per_node(const struct flux_io_group *group, uint32_t node)
{
    uint32_t run = 0, length = 0;
    if (!node)
        return 0;
    for (uint32_t m = 0; m < group->count; m++, length++) {
        uint32_t here = group->ranks[m] / node;
        uint32_t last = m ? group->ranks[m - 1] / node : here;
        if (here == last)
            continue;
        if (here < last || (run && run != length))
            return 0;
        run = length;
        length = 0;
    }
    return !run || run == length ? length : 0;
}

struct flux_io_choice flux_io_instance_choice(const struct flux_io_workload *workload,
                                              const struct flux_io_expand_options *options,
                                              const struct flux_io_instance *instance)
{
    const struct flux_io_group *group = flux_io_instance_group(workload, instance);
    struct flux_io_choice choice = {0, options->algorithm[instance->kind], 0, options->chunks, NULL, 0};
    const struct flux_io_rule *rule =
        flux_io_rules_find(&workload->import->rules, instance->kind, instance->bytes, group->count);
    uint32_t node = rule && rule->node ? rule->node : options->node;
    if (rule && rule->algorithm != FLUX_IO_NOT_GIVEN)
        choice.wanted = rule->algorithm;
    if (rule && rule->chunks)
        choice.pieces = rule->chunks;
    if (choice.wanted == FLUX_ALGORITHM_HIERARCHICAL)
        choice.per_node = members_per_node(group, node);
    choice.algorithm = flux_io_collective_algorithm(instance->kind, choice.wanted, group->count, choice.per_node);
    choice.program = flux_io_programs_find(&workload->import->programs, instance->kind, instance->bytes, group->count);
    choice.chunks = instance->bytes < choice.pieces ? (uint32_t)instance->bytes : choice.pieces;
    return choice;
}

void flux_io_choice_size(const struct flux_io_choice *choice, uint32_t kind, uint32_t n,
                         struct flux_io_expansion_size *size)
{
    if (choice->program)
        *size = choice->program->size;
    else
        flux_io_collective_size(kind, choice->algorithm, n, choice->per_node, size);
}

int flux_io_choice_expand(const struct flux_io_choice *choice, struct flux_io_expansion *expansion, uint32_t kind,
                          uint32_t n, uint64_t bytes)
{
    if (choice->program)
        return flux_io_program_expand(choice->program, expansion, bytes);
    return flux_io_collective_expand(expansion, kind, choice->algorithm, n, choice->per_node, bytes);
}

static void count_instance(struct counting *counting, const struct flux_io_instance *instance)
{
    const struct flux_io_workload *workload = counting->workload;
    const struct flux_io_group *group = flux_io_instance_group(workload, instance);
    struct flux_io_choice choice = flux_io_instance_choice(workload, counting->options, instance);
    struct flux_io_expansion_size size = {0, 0, 0, 0, 0};
    if (choice.chunks) {
        int ring = !choice.program && choice.algorithm == FLUX_ALGORITHM_RING;
        counting->size.rings += ring && choice.wanted == FLUX_ALGORITHM_HALVING_DOUBLING;
        counting->size.uneven += ring && choice.wanted == FLUX_ALGORITHM_HIERARCHICAL && !choice.per_node;
        flux_io_choice_size(&choice, instance->kind, group->count, &size);
        count(counting, &counting->size.vertices, times(counting, size.steps, choice.chunks));
        count(counting, &counting->size.vertices, group->count);
        count(counting, &counting->size.edges, times(counting, size.after, choice.chunks));
        count(counting, &counting->size.edges, times(counting, size.ends * choice.chunks, group->count));
    } else {
        count(counting, &counting->size.vertices, 1);
    }
    for (uint32_t m = 0; m < group->count; m++) {
        uint64_t parents =
            flux_io_parent_count(workload->ranks[group->ranks[m]], workload->members[instance->members + m]);
        uint64_t starts = choice.chunks ? size.starts * choice.chunks : 1;
        int start = flux_io_needs_start(parents, starts);
        count(counting, &counting->size.vertices, (uint64_t)start);
        count(counting, &counting->size.edges, start ? parents + starts : times(counting, parents, starts));
    }
}

/* Bytes over all sends of an instance, at most. */
static void count_bytes(const struct counting *counting, const struct flux_io_instance *instance, uint64_t *sum,
                        int *over)
{
    uint32_t n = flux_io_instance_group(counting->workload, instance)->count;
    struct flux_io_choice choice = flux_io_instance_choice(counting->workload, counting->options, instance);
    uint64_t bytes = 0;
    if (choice.chunks && choice.program)
        *over |= flux_io_program_bytes(choice.program, instance->bytes, &bytes);
    else if (choice.chunks)
        *over |=
            flux_io_collective_bytes(instance->kind, choice.algorithm, n, choice.per_node, instance->bytes, &bytes);
    *over |= __builtin_add_overflow(*sum, bytes, sum);
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
                return flux_io_workload_fail(workload, r, node->place, counting->error, FLUX_E_OVERFLOW,
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
    struct counting counting = {workload, joint, options, error, {0, 0, 0, 0}, 0};
    int rc = check_amounts(&counting);
    if (!rc)
        rc = check_size(&counting);
    *size = counting.size;
    return rc;
}
