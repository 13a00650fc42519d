/* SPDX-License-Identifier: Apache-2.0 */
#include "io/workload/graph.h"

#include "io/fail.h"
#include "io/workload/collective.h"
#include "io/workload/joint.h"
#include "io/workload/label.h"
#include "io/workload/size.h"

#include <inttypes.h>
#include <string.h>

struct build {
    struct flux_io_workload *workload;
    const struct flux_io_expand_options *options;
    struct flux_error *error;
    struct flux_io_joint joint;
    struct flux_graph *graph;
    uint32_t *end; /* by node: the vertex at whose end the node is done */
    uint8_t *far;  /* by node, of a send: the interface of its receive; NULL where a rank is one GPU */
    struct flux_io_expansion expansion;
    struct flux_io_graph_size size;
};

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
        uint32_t gpu = flux_io_node_gpu(build->workload, r, node->nic);
        if (node->kind == FLUX_IO_SEND)
            rc = add_send(build, gpu, flux_io_node_gpu(build->workload, node->peer, build->far ? build->far[v] : 0),
                          node->amount, label, &build->end[v]);
        else
            rc = add_compute(build, gpu, node->kind == FLUX_IO_COMPUTE ? (int64_t)node->amount : 0, label,
                             &build->end[v]);
        if (rc)
            return rc;
    }
    return FLUX_OK;
}

static int add_members(struct build *build, const struct flux_io_instance *instance)
{
    const struct flux_io_workload *workload = build->workload;
    const struct flux_io_group *group = flux_io_instance_group(build->workload, instance);
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
        if (!instance->bytes)
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

/* Whether an edge between the two is there already. */
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

static uint32_t member_end(const struct build *build, const struct flux_io_instance *instance, uint32_t member)
{
    const struct flux_io_workload *workload = build->workload;
    uint32_t rank = flux_io_instance_group(build->workload, instance)->ranks[member];
    return build->end[build->joint.base[rank] + workload->members[instance->members + member]];
}

/* One step of a chunk. `start` has for each member the join before its first steps, or FLUX_NONE. */
static int add_step(struct build *build, const struct flux_io_instance *instance, const struct flux_io_step *step,
                    uint32_t chunk, const uint32_t *start)
{
    const struct flux_io_workload *workload = build->workload;
    const struct flux_io_group *group = flux_io_instance_group(build->workload, instance);
    char label[FLUX_IO_LABEL];
    uint32_t src = group->ranks[step->src];
    uint32_t dst = step->dst == FLUX_NONE ? FLUX_NONE : group->ranks[step->dst];
    uint32_t vertex;
    int rc;
    flux_io_label_step(label, flux_io_label_member(workload, instance, step->src, label), chunk, step->step, dst);
    rc = dst == FLUX_NONE ? add_compute(build, src, 0, label, &vertex)
                          : add_send(build, src, dst, step->bytes, label, &vertex);
    if (!rc && step->flags & FLUX_IO_STEP_STARTS)
        rc = start[step->src] == FLUX_NONE
                 ? wait_for_parents(build, src, workload->members[instance->members + step->src], vertex)
                 : add_edge(build, start[step->src], vertex);
    if (!rc && step->flags & FLUX_IO_STEP_ENDS_SRC)
        rc = add_edge(build, vertex, member_end(build, instance, step->src));
    if (!rc && step->flags & FLUX_IO_STEP_ENDS_DST)
        rc = add_edge(build, vertex, member_end(build, instance, step->dst));
    return rc;
}

static int add_chunk(struct build *build, const struct flux_io_instance *instance, const struct flux_io_choice *choice,
                     uint32_t chunk, const uint32_t *start)
{
    struct flux_io_expansion *expansion = &build->expansion;
    uint32_t first = flux_graph_vertices(build->graph);
    if (flux_io_choice_expand(choice, expansion, instance->kind,
                              flux_io_instance_group(build->workload, instance)->count,
                              flux_io_part(instance->bytes, choice->chunks, chunk)))
        return flux_io_fail_memory(build->error);
    for (uint64_t i = 0; i < expansion->step_count; i++) {
        int rc = add_step(build, instance, &expansion->steps[i], choice->pieces > 1 ? chunk : FLUX_NONE, start);
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

/* A member that starts no send, such as a leaf of a broadcast, is done no earlier than what it waits for itself. */
static int connect_passive(struct build *build, const struct flux_io_instance *instance, uint8_t *starts)
{
    const struct flux_io_workload *workload = build->workload;
    const struct flux_io_group *group = flux_io_instance_group(build->workload, instance);
    for (uint64_t i = 0; i < build->expansion.step_count; i++)
        if (build->expansion.steps[i].flags & FLUX_IO_STEP_STARTS)
            starts[build->expansion.steps[i].src] = 1;
    for (uint32_t m = 0; m < group->count; m++) {
        int rc = starts[m] ? FLUX_OK
                           : wait_for_parents(build, group->ranks[m], workload->members[instance->members + m],
                                              member_end(build, instance, m));
        if (rc)
            return rc;
    }
    return FLUX_OK;
}

static int connect_join(struct build *build, const struct flux_io_instance *instance)
{
    const struct flux_io_workload *workload = build->workload;
    const struct flux_io_group *group = flux_io_instance_group(build->workload, instance);
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
    uint32_t rank = flux_io_instance_group(build->workload, instance)->ranks[member];
    uint32_t node = workload->members[instance->members + member];
    char label[FLUX_IO_LABEL];
    *start = FLUX_NONE;
    if (!flux_io_needs_start(flux_io_parent_count(workload->ranks[rank], node), starts))
        return FLUX_OK;
    uint32_t length = flux_io_label_member(workload, instance, member, label);
    memcpy(label + length, "/start", sizeof "/start");
    int rc = add_compute(build, rank, 0, label, start);
    return rc ? rc : wait_for_parents(build, rank, node, *start);
}

static int expand_instance(struct build *build, const struct flux_io_instance *instance)
{
    const struct flux_io_memory *memory = build->workload->memory;
    uint32_t count = flux_io_instance_group(build->workload, instance)->count;
    struct flux_io_choice choice = flux_io_instance_choice(build->workload, build->options, instance);
    struct flux_io_expansion_size size;
    int rc = FLUX_OK;
    if (!choice.chunks)
        return connect_join(build, instance);
    uint32_t *start = flux_io_alloc(memory, count, sizeof *start);
    uint8_t *starts = flux_io_alloc_zero(memory, count, sizeof *starts);
    if (!start || !starts)
        rc = flux_io_fail_memory(build->error);
    flux_io_choice_size(&choice, instance->kind, count, &size);
    for (uint32_t m = 0; !rc && m < count; m++)
        rc = add_start(build, instance, m, size.starts * choice.chunks, &start[m]);
    for (uint32_t c = 0; !rc && c < choice.chunks; c++)
        rc = add_chunk(build, instance, &choice, c, start);
    if (!rc)
        rc = connect_passive(build, instance, starts);
    flux_io_release(memory, start, count, sizeof *start);
    flux_io_release(memory, starts, count, sizeof *starts);
    return rc;
}

/* build->far, for a workload whose ranks have several interfaces. */
static int find_far(struct build *build)
{
    const struct flux_io_workload *workload = build->workload;
    if (workload->nics == 1)
        return FLUX_OK;
    build->far = flux_io_alloc_zero(workload->memory, build->joint.node_count, sizeof *build->far);
    if (!build->far)
        return flux_io_fail_memory(build->error);
    for (uint64_t i = 0; i < workload->message_count; i++) {
        const struct flux_io_message *message = &workload->messages[i];
        build->far[build->joint.base[message->src] + message->send] =
            workload->ranks[message->dst]->nodes[message->recv].nic;
    }
    return FLUX_OK;
}

static int fill_graph(struct build *build)
{
    struct flux_io_workload *workload = build->workload;
    int rc = find_far(build);
    if (rc)
        return rc;
    rc = flux_graph_new(&workload->memory->env, workload->rank_count * workload->nics, &build->graph);
    if (!rc)
        rc = flux_graph_reserve(build->graph, build->size.vertices, build->size.edges);
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
    int rc = flux_io_graph_size(workload, &build->joint, build->options, &build->size, build->error);
    if (rc)
        return rc;
    if (build->size.rings) {
        rc = flux_io_warn(import, workload->path, build->error,
                          "halving-doubling needs 2^k members: %" PRIu64 " collectives of other groups are rings",
                          build->size.rings);
        if (rc)
            return rc;
    }
    if (build->size.uneven) {
        rc = flux_io_warn(import, workload->path, build->error,
                          "hierarchical needs equally many members on each node, listed node by node: %" PRIu64
                          " collectives of other groups are rings",
                          build->size.uneven);
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
    struct build build = {workload, options, error, {0}, NULL, NULL, NULL, {0}, {0, 0, 0, 0}};
    int rc = flux_io_joint_make(&build.joint, workload, !options->overlap_compute, error);
    if (rc)
        return rc;
    flux_io_expansion_init(&build.expansion, workload->memory);
    rc = build_graph(&build);
    if (rc)
        flux_graph_free(build.graph);
    else
        workload->import->graph = build.graph;
    flux_io_release(workload->memory, build.far, build.joint.node_count, sizeof *build.far);
    flux_io_release(workload->memory, build.end, build.joint.node_count, sizeof *build.end);
    flux_io_expansion_free(&build.expansion);
    flux_io_joint_free(&build.joint);
    return rc;
}
