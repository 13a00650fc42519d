/* SPDX-License-Identifier: Apache-2.0 */
#include "io/workload/graph.h"

#include "io/fail.h"
#include "io/workload/collective.h"
#include "io/workload/joint.h"
#include "io/workload/label.h"

#include <inttypes.h>
#include <string.h>

#define VERTICES_MAX_DEFAULT UINT64_C(100000000)

struct build {
    struct flux_io_workload *workload;
    const struct flux_io_expand_options *options;
    struct flux_error *error;
    struct flux_io_joint joint;
    struct flux_graph *graph;
    uint32_t *end; /* by node: the vertex at whose end the node is done */
    struct flux_io_expansion expansion;
    /* Counted before anything is made. */
    uint64_t vertices;
    uint64_t edges;
    uint64_t rings; /* collectives for which halving-doubling became a ring */
    int too_many;
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

static const struct flux_io_group *group_of(const struct build *build, const struct flux_io_instance *instance)
{
    return &build->workload->groups.groups[instance->group];
}

static uint32_t algorithm_of(const struct build *build, const struct flux_io_instance *instance)
{
    return flux_io_collective_algorithm(instance->kind, build->options->algorithm[instance->kind],
                                        group_of(build, instance)->count);
}

/* Chunks with at least one byte. 0: the collective carries nothing and only joins its members. */
static uint32_t chunks_of(const struct build *build, const struct flux_io_instance *instance)
{
    uint32_t chunks = build->options->chunks;
    return instance->bytes < chunks ? (uint32_t)instance->bytes : chunks;
}

static uint64_t parents_of(const struct flux_io_rank *rank, uint32_t node)
{
    return rank->first[node + 1] - rank->first[node];
}

/* A join of its own where more than one dependency meets more than one first send: p + s edges and not p * s. */
static int needs_start(uint64_t parents, uint64_t starts)
{
    return parents > 1 && starts > 1;
}

static void count(struct build *build, uint64_t *sum, uint64_t more)
{
    if (__builtin_add_overflow(*sum, more, sum))
        build->too_many = 1;
}

static uint64_t times(struct build *build, uint64_t a, uint64_t b)
{
    uint64_t product;
    if (__builtin_mul_overflow(a, b, &product))
        build->too_many = 1;
    return product;
}

static void count_instance(struct build *build, const struct flux_io_instance *instance)
{
    const struct flux_io_workload *workload = build->workload;
    const struct flux_io_group *group = group_of(build, instance);
    uint32_t chunks = chunks_of(build, instance);
    struct flux_io_expansion_size size = {0, 0, 0, 0, 0};
    if (chunks) {
        uint32_t wanted = build->options->algorithm[instance->kind];
        uint32_t algorithm = algorithm_of(build, instance);
        build->rings += wanted == FLUX_ALGORITHM_HALVING_DOUBLING && algorithm != wanted;
        flux_io_collective_size(instance->kind, algorithm, group->count, &size);
        count(build, &build->vertices, times(build, size.steps, chunks));
        count(build, &build->vertices, group->count);
        count(build, &build->edges, times(build, size.after, chunks));
        count(build, &build->edges, times(build, size.ends * chunks, group->count));
    } else {
        count(build, &build->vertices, 1);
    }
    for (uint32_t m = 0; m < group->count; m++) {
        uint64_t parents = parents_of(workload->ranks[group->ranks[m]], workload->members[instance->members + m]);
        uint64_t starts = chunks ? size.starts * chunks : 1;
        int start = needs_start(parents, starts);
        count(build, &build->vertices, (uint64_t)start);
        count(build, &build->edges, start ? parents + starts : times(build, parents, starts));
    }
}

/* Bytes over all sends of an instance, at most. */
static void count_bytes(const struct build *build, const struct flux_io_instance *instance, uint64_t *sum, int *over)
{
    uint64_t n = group_of(build, instance)->count;
    uint64_t copies = instance->kind == FLUX_IO_ALL_REDUCE       ? 2 * (n - 1)
                      : instance->kind == FLUX_IO_REDUCE_SCATTER ? n - 1
                                                                 : n * (n - 1);
    uint64_t bytes;
    *over |= __builtin_mul_overflow(instance->bytes, copies, &bytes) || __builtin_add_overflow(*sum, bytes, sum);
}

static int check_amounts(struct build *build)
{
    const struct flux_io_workload *workload = build->workload;
    char room[FLUX_IO_NODE_TEXT];
    uint64_t sum = 0;
    int over = 0;
    for (uint64_t i = 0; i < workload->instance_count; i++)
        count_bytes(build, &workload->instances[i], &sum, &over);
    for (uint32_t r = 0; r < workload->rank_count; r++) {
        for (uint32_t i = 0; i < workload->ranks[r]->node_count; i++) {
            const struct flux_io_node *node = &workload->ranks[r]->nodes[i];
            if (node->kind == FLUX_IO_SEND)
                over |= __builtin_add_overflow(sum, node->amount, &sum);
            if (node->kind == FLUX_IO_COMPUTE && node->amount > (uint64_t)FLUX_TIME_MAX)
                return flux_io_fail_offset(build->error, FLUX_E_OVERFLOW, workload->ranks[r]->path, node->place,
                                           "%s takes longer than 2^62 ps, which is 53 days",
                                           flux_io_node_text(workload, r, i, room));
        }
    }
    if (over)
        return flux_io_fail_path(build->error, FLUX_E_OVERFLOW, workload->path,
                                 "the sends carry more than 2^64 bytes; is the size scale right?");
    return FLUX_OK;
}

static int check_size(struct build *build)
{
    const struct flux_io_workload *workload = build->workload;
    for (uint32_t r = 0; r < workload->rank_count; r++) {
        const struct flux_io_rank *rank = workload->ranks[r];
        for (uint32_t i = 0; i < rank->node_count; i++) {
            uint64_t v = build->joint.base[r] + i;
            if (rank->nodes[i].kind == FLUX_IO_COLLECTIVE && build->joint.partner[v] != FLUX_NONE)
                continue;
            count(build, &build->vertices, 1);
            count(build, &build->edges, parents_of(rank, i) + (rank->nodes[i].kind == FLUX_IO_RECV) +
                                            (build->joint.previous[v] != FLUX_NONE));
        }
    }
    for (uint64_t i = 0; i < workload->instance_count && !build->too_many; i++)
        count_instance(build, &workload->instances[i]);
    if (build->too_many || build->vertices > build->options->vertices_max)
        return flux_io_fail_path(build->error, FLUX_E_TOO_BIG, workload->path,
                                 "would expand to %s%" PRIu64 " vertices and the limit is %" PRIu64
                                 "; raise the limit, or take fewer chunks or ranks",
                                 build->too_many ? "more than " : "", build->vertices, build->options->vertices_max);
    return FLUX_OK;
}

static int graph_error(const struct build *build, int rc)
{
    if (rc == FLUX_E_MEMORY)
        return flux_io_fail_memory(build->error);
    return flux_io_fail_path(build->error, rc, build->workload->path, "makes no graph: %s", flux_error_name(rc));
}

static int add_compute(struct build *build, uint32_t gpu, int64_t duration, const char *label, uint32_t *vertex)
{
    int rc = flux_graph_add_compute(build->graph, gpu, duration, vertex);
    if (!rc)
        rc = flux_graph_set_label(build->graph, *vertex, label);
    return rc ? graph_error(build, rc) : FLUX_OK;
}

/* What carries no byte takes no circuit and no time. */
static int add_send(struct build *build, uint32_t src, uint32_t dst, uint64_t bytes, const char *label,
                    uint32_t *vertex)
{
    if (!bytes)
        return add_compute(build, src, 0, label, vertex);
    int rc = flux_graph_add_send(build->graph, src, dst, bytes, vertex);
    if (!rc)
        rc = flux_graph_set_label(build->graph, *vertex, label);
    build->workload->import->counts[FLUX_IO_COUNT_BYTES] += bytes;
    return rc ? graph_error(build, rc) : FLUX_OK;
}

static int add_edge(struct build *build, uint32_t from, uint32_t to)
{
    int rc = flux_graph_add_edge(build->graph, from, to, 0);
    return rc ? graph_error(build, rc) : FLUX_OK;
}

/* The vertices of a rank's nodes, in the order in which it issues them. */
static int add_nodes(struct build *build, uint32_t r)
{
    const struct flux_io_rank *rank = build->workload->ranks[r];
    char label[FLUX_IO_LABEL];
    for (uint64_t i = 0; i < rank->node_count; i++) {
        uint32_t at = rank->order[i];
        const struct flux_io_node *node = &rank->nodes[at];
        uint64_t v = build->joint.base[r] + at;
        int rc;
        if (node->kind == FLUX_IO_COLLECTIVE && build->joint.partner[v] != FLUX_NONE)
            continue;
        flux_io_label_node(build->workload, r, at, label);
        if (node->kind == FLUX_IO_SEND)
            rc = add_send(build, r, node->peer, node->amount, label, &build->end[v]);
        else
            rc = add_compute(build, r, node->kind == FLUX_IO_COMPUTE ? (int64_t)node->amount : 0, label,
                             &build->end[v]);
        if (rc)
            return rc;
    }
    return FLUX_OK;
}

static int add_members(struct build *build, const struct flux_io_instance *instance)
{
    const struct flux_io_workload *workload = build->workload;
    const struct flux_io_group *group = group_of(build, instance);
    char label[FLUX_IO_LABEL];
    uint32_t joined = FLUX_NONE;
    for (uint32_t m = 0; m < group->count; m++) {
        uint32_t *end = &build->end[build->joint.base[group->ranks[m]] + workload->members[instance->members + m]];
        if (joined != FLUX_NONE) {
            *end = joined;
            continue;
        }
        flux_io_label_member(workload, instance, m, label);
        int rc = add_compute(build, group->ranks[m], 0, label, end);
        if (rc)
            return rc;
        if (!chunks_of(build, instance))
            joined = *end;
    }
    return FLUX_OK;
}

/* Edges from everything that the node waits for inside its rank. */
static int wait_for_parents(struct build *build, uint32_t r, uint32_t node, uint32_t vertex)
{
    const struct flux_io_rank *rank = build->workload->ranks[r];
    for (uint64_t e = rank->first[node]; e < rank->first[node + 1]; e++) {
        int rc = add_edge(build, build->end[build->joint.base[r] + rank->parents[e]], vertex);
        if (rc)
            return rc;
    }
    return FLUX_OK;
}

static int is_parent(const struct flux_io_rank *rank, uint32_t node, uint32_t parent)
{
    for (uint64_t e = rank->first[node]; e < rank->first[node + 1]; e++)
        if (rank->parents[e] == parent)
            return 1;
    return 0;
}

static int connect_nodes(struct build *build, uint32_t r)
{
    const struct flux_io_rank *rank = build->workload->ranks[r];
    const struct flux_io_joint *joint = &build->joint;
    for (uint32_t i = 0; i < rank->node_count; i++) {
        uint64_t v = joint->base[r] + i;
        if (rank->nodes[i].kind == FLUX_IO_COLLECTIVE && joint->partner[v] != FLUX_NONE)
            continue;
        int rc = wait_for_parents(build, r, i, build->end[v]);
        if (!rc && rank->nodes[i].kind == FLUX_IO_RECV)
            rc = add_edge(build, build->end[joint->partner[v]], build->end[v]);
        if (!rc && joint->previous[v] != FLUX_NONE && !is_parent(rank, i, joint->previous[v]))
            rc = add_edge(build, build->end[joint->base[r] + joint->previous[v]], build->end[v]);
        if (rc)
            return rc;
    }
    return FLUX_OK;
}

/* One chunk's steps. `start` has for each member the join before its first steps, or FLUX_NONE. */
static int add_chunk(struct build *build, const struct flux_io_instance *instance, uint32_t chunk, uint32_t chunks,
                     const uint32_t *start)
{
    const struct flux_io_workload *workload = build->workload;
    const struct flux_io_group *group = group_of(build, instance);
    struct flux_io_expansion *expansion = &build->expansion;
    char label[FLUX_IO_LABEL];
    uint32_t first = flux_graph_vertices(build->graph);
    if (flux_io_collective_expand(expansion, instance->kind, algorithm_of(build, instance), group->count,
                                  flux_io_part(instance->bytes, chunks, chunk)))
        return flux_io_fail_memory(build->error);
    for (uint64_t i = 0; i < expansion->step_count; i++) {
        const struct flux_io_step *step = &expansion->steps[i];
        uint32_t src = group->ranks[step->src];
        uint32_t dst = step->dst == FLUX_NONE ? FLUX_NONE : group->ranks[step->dst];
        uint32_t node = workload->members[instance->members + step->src];
        uint32_t vertex;
        int rc;
        flux_io_label_step(label, flux_io_label_member(workload, instance, step->src, label),
                           build->options->chunks > 1 ? chunk : FLUX_NONE, step->step, dst);
        rc = dst == FLUX_NONE ? add_compute(build, src, 0, label, &vertex)
                              : add_send(build, src, dst, step->bytes, label, &vertex);
        if (!rc && step->flags & FLUX_IO_STEP_STARTS)
            rc = start[step->src] == FLUX_NONE ? wait_for_parents(build, src, node, vertex)
                                               : add_edge(build, start[step->src], vertex);
        if (!rc && step->flags & FLUX_IO_STEP_ENDS)
            rc = add_edge(build, vertex, build->end[build->joint.base[src] + node]);
        if (!rc && step->flags & FLUX_IO_STEP_ENDS)
            rc = add_edge(build, vertex, build->end[build->joint.base[dst] + workload->members[instance->members + step->dst]]);
        if (rc)
            return rc;
    }
    for (uint64_t i = 0; i < expansion->after_count; i++) {
        int rc = add_edge(build, first + expansion->after[i].before, first + expansion->after[i].after);
        if (rc)
            return rc;
    }
    return FLUX_OK;
}

static int connect_join(struct build *build, const struct flux_io_instance *instance)
{
    const struct flux_io_workload *workload = build->workload;
    const struct flux_io_group *group = group_of(build, instance);
    for (uint32_t m = 0; m < group->count; m++) {
        uint32_t node = workload->members[instance->members + m];
        int rc = wait_for_parents(build, group->ranks[m], node, build->end[build->joint.base[group->ranks[m]] + node]);
        if (rc)
            return rc;
    }
    return FLUX_OK;
}

static int add_start(struct build *build, const struct flux_io_instance *instance, uint32_t member, uint64_t starts,
                     uint32_t *start)
{
    const struct flux_io_workload *workload = build->workload;
    uint32_t rank = group_of(build, instance)->ranks[member];
    uint32_t node = workload->members[instance->members + member];
    char label[FLUX_IO_LABEL];
    *start = FLUX_NONE;
    if (!needs_start(parents_of(workload->ranks[rank], node), starts))
        return FLUX_OK;
    uint32_t length = flux_io_label_member(workload, instance, member, label);
    memcpy(label + length, "/start", sizeof "/start");
    int rc = add_compute(build, rank, 0, label, start);
    return rc ? rc : wait_for_parents(build, rank, node, *start);
}

static int expand_instance(struct build *build, const struct flux_io_instance *instance)
{
    const struct flux_io_group *group = group_of(build, instance);
    struct flux_io_expansion_size size;
    uint32_t chunks = chunks_of(build, instance);
    int rc = FLUX_OK;
    if (!chunks)
        return connect_join(build, instance);
    uint32_t *start = flux_io_alloc(build->workload->memory, group->count, sizeof *start);
    if (!start)
        return flux_io_fail_memory(build->error);
    flux_io_collective_size(instance->kind, algorithm_of(build, instance), group->count, &size);
    for (uint32_t m = 0; !rc && m < group->count; m++)
        rc = add_start(build, instance, m, size.starts * chunks, &start[m]);
    for (uint32_t c = 0; !rc && c < chunks; c++)
        rc = add_chunk(build, instance, c, chunks, start);
    flux_io_release(build->workload->memory, start, group->count, sizeof *start);
    return rc;
}

static int fill_graph(struct build *build)
{
    struct flux_io_workload *workload = build->workload;
    int rc = flux_graph_new(&workload->memory->env, workload->rank_count, &build->graph);
    if (!rc)
        rc = flux_graph_reserve(build->graph, build->vertices, build->edges);
    if (rc)
        return graph_error(build, rc);
    build->end = flux_io_alloc(workload->memory, build->joint.node_count, sizeof *build->end);
    if (!build->end)
        return flux_io_fail_memory(build->error);
    for (uint32_t r = 0; !rc && r < workload->rank_count; r++)
        rc = add_nodes(build, r);
    for (uint64_t i = 0; !rc && i < workload->instance_count; i++)
        rc = add_members(build, &workload->instances[i]);
    for (uint32_t r = 0; !rc && r < workload->rank_count; r++)
        rc = connect_nodes(build, r);
    for (uint64_t i = 0; !rc && i < workload->instance_count; i++)
        rc = expand_instance(build, &workload->instances[i]);
    return rc;
}

static int build_graph(struct build *build)
{
    struct flux_io_workload *workload = build->workload;
    struct flux_import *import = workload->import;
    int rc = check_amounts(build);
    if (rc || (rc = check_size(build)))
        return rc;
    if (build->rings) {
        rc = flux_io_warn(import, workload->path, build->error,
                          "halving-doubling needs 2^k members: %" PRIu64 " collectives of other groups are rings",
                          build->rings);
        if (rc)
            return rc;
    }
    import->counts[FLUX_IO_COUNT_BYTES] = 0;
    import->counts[FLUX_IO_COUNT_COLLECTIVES] = workload->instance_count;
    import->counts[FLUX_IO_COUNT_MESSAGES] = workload->message_count;
    return fill_graph(build);
}

int flux_io_workload_graph(struct flux_io_workload *workload, const struct flux_io_expand_options *options,
                           struct flux_error *error)
{
    struct build build = {workload, options, error, {0}, NULL, NULL, {0}, 0, 0, 0, 0};
    int rc = flux_io_joint_make(&build.joint, workload, !options->overlap_compute, error);
    if (rc)
        return rc;
    flux_io_expansion_init(&build.expansion, workload->memory);
    rc = build_graph(&build);
    if (rc)
        flux_graph_free(build.graph);
    else
        workload->import->graph = build.graph;
    flux_io_release(workload->memory, build.end, build.joint.node_count, sizeof *build.end);
    flux_io_expansion_free(&build.expansion);
    flux_io_joint_free(&build.joint);
    return rc;
}
