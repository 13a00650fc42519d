/* SPDX-License-Identifier: Apache-2.0 */
#include "io/workload/joint.h"

#include "io/fail.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Vertices of the graph that is checked: all nodes, then all instances. */
struct check {
    const struct flux_io_joint *joint;
    uint64_t count;
    uint64_t edge_count;
    uint64_t *first;
    uint32_t *parents;
    uint64_t *ids;
    uint32_t *order;
};

void flux_io_joint_free(struct flux_io_joint *joint)
{
    const struct flux_io_memory *memory = joint->workload->memory;
    flux_io_release(memory, joint->base, (uint64_t)joint->workload->rank_count + 1, sizeof *joint->base);
    flux_io_release(memory, joint->partner, joint->node_count, sizeof *joint->partner);
    flux_io_release(memory, joint->previous, joint->node_count, sizeof *joint->previous);
}

static void find_partners(struct flux_io_joint *joint)
{
    const struct flux_io_workload *workload = joint->workload;
    memset(joint->partner, 0xff, (size_t)joint->node_count * sizeof *joint->partner);
    for (uint64_t i = 0; i < workload->instance_count; i++) {
        const struct flux_io_instance *instance = &workload->instances[i];
        const struct flux_io_group *group = &workload->groups.groups[instance->group];
        for (uint32_t m = 0; m < group->count; m++)
            joint->partner[joint->base[group->ranks[m]] + workload->members[instance->members + m]] = (uint32_t)i;
    }
    for (uint64_t i = 0; i < workload->message_count; i++) {
        const struct flux_io_message *message = &workload->messages[i];
        joint->partner[joint->base[message->dst] + message->recv] =
            (uint32_t)(joint->base[message->src] + message->send);
    }
}

/* The last compute so far of each rank's streams. */
struct streams {
    struct flux_io_numbers numbers; /* rank and stream in one number */
    uint32_t *last;
    uint64_t capacity;
};

/* Puts a compute at the end of its stream. */
static int put_compute(struct flux_io_joint *joint, struct streams *streams, uint32_t rank, uint32_t at)
{
    const struct flux_io_node *node = &joint->workload->ranks[rank]->nodes[at];
    uint32_t index;
    int fresh;
    if (node->kind != FLUX_IO_COMPUTE || !node->stream)
        return FLUX_OK;
    int rc = flux_io_numbers_add(&streams->numbers, (uint64_t)rank << 16 | node->stream, &index, &fresh);
    if (!rc && fresh)
        rc = flux_io_grow(joint->workload->memory, &streams->last, &streams->capacity, streams->numbers.count,
                          sizeof *streams->last);
    if (rc)
        return FLUX_E_MEMORY;
    joint->previous[joint->base[rank] + at] = fresh ? FLUX_NONE : streams->last[index];
    streams->last[index] = at;
    return FLUX_OK;
}

static void streams_init(struct streams *streams, const struct flux_io_memory *memory)
{
    memset(streams, 0, sizeof *streams);
    flux_io_numbers_init(&streams->numbers, memory);
}

static void streams_free(struct streams *streams)
{
    flux_io_release(streams->numbers.memory, streams->last, streams->capacity, sizeof *streams->last);
    flux_io_numbers_free(&streams->numbers);
}

/* The order of each rank is the order of its computes. */
static int chain_by_rank(struct flux_io_joint *joint)
{
    struct streams streams;
    int rc = FLUX_OK;
    streams_init(&streams, joint->workload->memory);
    for (uint32_t r = 0; !rc && r < joint->workload->rank_count; r++) {
        const struct flux_io_rank *rank = joint->workload->ranks[r];
        for (uint64_t i = 0; !rc && i < rank->node_count; i++)
            rc = put_compute(joint, &streams, r, rank->order[i]);
    }
    streams_free(&streams);
    return rc;
}

/* The rank that a vertex belongs to. */
static uint32_t rank_of(const struct flux_io_joint *joint, uint64_t vertex)
{
    uint32_t low = 0;
    uint32_t high = joint->workload->rank_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (joint->base[middle] <= vertex)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The common order of all ranks is the order of computes: it cannot close a cycle. */
static int chain_by_all(struct flux_io_joint *joint, const struct check *check)
{
    struct streams streams;
    int rc = FLUX_OK;
    streams_init(&streams, joint->workload->memory);
    for (uint64_t i = 0; !rc && i < check->count; i++) {
        if (check->order[i] >= joint->node_count)
            continue;
        uint32_t r = rank_of(joint, check->order[i]);
        rc = put_compute(joint, &streams, r, (uint32_t)(check->order[i] - joint->base[r]));
    }
    streams_free(&streams);
    return rc;
}

static uint64_t count_edges(const struct flux_io_joint *joint)
{
    const struct flux_io_workload *workload = joint->workload;
    uint64_t edges = workload->member_count + workload->message_count;
    for (uint32_t r = 0; r < workload->rank_count; r++)
        edges += workload->ranks[r]->first[workload->ranks[r]->node_count] + workload->ranks[r]->node_count;
    return edges; /* a node has at most one compute before it */
}

static uint64_t put_parents(const struct check *check, uint32_t rank, uint32_t node, uint64_t used)
{
    const struct flux_io_rank *from = check->joint->workload->ranks[rank];
    for (uint64_t e = from->first[node]; e < from->first[node + 1]; e++)
        check->parents[used++] = (uint32_t)(check->joint->base[rank] + from->parents[e]);
    return used;
}

/* check->first and check->parents. */
static void fill(struct check *check)
{
    const struct flux_io_joint *joint = check->joint;
    const struct flux_io_workload *workload = joint->workload;
    uint64_t used = 0;
    for (uint32_t r = 0; r < workload->rank_count; r++) {
        for (uint32_t i = 0; i < workload->ranks[r]->node_count; i++) {
            uint64_t v = joint->base[r] + i;
            const struct flux_io_node *node = &workload->ranks[r]->nodes[i];
            check->first[v] = used;
            check->ids[v] = node->id;
            if (node->kind == FLUX_IO_COLLECTIVE && joint->partner[v] != FLUX_NONE) {
                check->parents[used++] = (uint32_t)(joint->node_count + joint->partner[v]);
                continue;
            }
            used = put_parents(check, r, i, used);
            if (node->kind == FLUX_IO_RECV)
                check->parents[used++] = joint->partner[v];
            if (joint->previous[v] != FLUX_NONE)
                check->parents[used++] = (uint32_t)(joint->base[r] + joint->previous[v]);
        }
    }
    for (uint64_t i = 0; i < workload->instance_count; i++) {
        const struct flux_io_instance *instance = &workload->instances[i];
        const struct flux_io_group *group = &workload->groups.groups[instance->group];
        check->first[joint->node_count + i] = used;
        check->ids[joint->node_count + i] =
            workload->ranks[group->ranks[0]]->nodes[workload->members[instance->members]].id;
        for (uint32_t m = 0; m < group->count; m++)
            used = put_parents(check, group->ranks[m], workload->members[instance->members + m], used);
    }
    check->first[check->count] = used;
}

static char *name_vertex(const void *context, uint32_t vertex, char *room)
{
    const struct flux_io_joint *joint = context;
    const struct flux_io_workload *workload = joint->workload;
    char name[24];
    if (vertex < joint->node_count) {
        uint32_t r = rank_of(joint, vertex);
        return flux_io_node_text(workload, r, (uint32_t)(vertex - joint->base[r]), room);
    }
    const struct flux_io_instance *instance = &workload->instances[vertex - joint->node_count];
    flux_io_quote(flux_io_group_name(&workload->groups, instance->group), name, sizeof name);
    snprintf(room, FLUX_IO_NODE_TEXT, "%s %" PRIu32 " of group \"%s\"", flux_io_collective_name(instance->kind),
             instance->occurrence, name);
    return room;
}

static int fail_cycle(const struct check *check, const struct flux_io_dag *dag, uint32_t done, struct flux_error *error)
{
    const struct flux_io_workload *workload = check->joint->workload;
    char text[FLUX_IO_CYCLE_TEXT];
    uint32_t length;
    uint64_t soft = 0;
    uint32_t *cycle = flux_io_alloc(workload->memory, check->count, sizeof *cycle);
    int rc = cycle ? flux_io_dag_cycle(workload->memory, dag, check->order, done, cycle, &length) : FLUX_E_MEMORY;
    for (uint32_t r = 0; r < workload->rank_count; r++)
        soft += workload->ranks[r]->soft_kept;
    if (rc)
        rc = flux_io_fail_memory(error);
    else
        rc = flux_io_fail_path(error, FLUX_E_CYCLE, workload->path, "the ranks wait for each other%s: %s",
                               soft ? " (try data dependencies alone)" : "",
                               flux_io_dag_cycle_text(cycle, length, name_vertex, check->joint, text));
    flux_io_release(workload->memory, cycle, check->count, sizeof *cycle);
    return rc;
}

static int order(struct check *check, struct flux_io_dag *dag, uint32_t *done, struct flux_error *error)
{
    fill(check);
    if (flux_io_dag_order(check->joint->workload->memory, dag, check->ids, sizeof *check->ids, check->order, done))
        return flux_io_fail_memory(error);
    return FLUX_OK;
}

/* Tries the computes in the order of each rank first. */
static int find_order(struct flux_io_joint *joint, struct check *check, int serialize, struct flux_error *error)
{
    const struct flux_io_workload *workload = joint->workload;
    struct flux_io_dag dag = {(uint32_t)check->count, 0, check->first, check->parents};
    uint32_t done;
    memset(joint->previous, 0xff, (size_t)joint->node_count * sizeof *joint->previous);
    if (serialize && chain_by_rank(joint))
        return flux_io_fail_memory(error);
    int rc = order(check, &dag, &done, error);
    if (rc || done == dag.count)
        return rc;
    if (!serialize)
        return fail_cycle(check, &dag, done, error);
    memset(joint->previous, 0xff, (size_t)joint->node_count * sizeof *joint->previous);
    if ((rc = order(check, &dag, &done, error)))
        return rc;
    if (done < dag.count)
        return fail_cycle(check, &dag, done, error);
    if (chain_by_all(joint, check))
        return flux_io_fail_memory(error);
    return flux_io_note(workload->import, error,
                        "the computes of each GPU are put one after another in an order common to all ranks, since "
                        "that of their ids would make the ranks wait for each other");
}

static int make(struct flux_io_joint *joint, int serialize, struct flux_error *error)
{
    const struct flux_io_workload *workload = joint->workload;
    const struct flux_io_memory *memory = workload->memory;
    struct check check = {joint, joint->node_count + workload->instance_count, count_edges(joint), NULL, NULL, NULL,
                          NULL};
    joint->partner = flux_io_alloc(memory, joint->node_count, sizeof *joint->partner);
    joint->previous = flux_io_alloc(memory, joint->node_count, sizeof *joint->previous);
    check.first = flux_io_alloc(memory, check.count + 1, sizeof *check.first);
    check.parents = flux_io_alloc(memory, check.edge_count, sizeof *check.parents);
    check.ids = flux_io_alloc(memory, check.count, sizeof *check.ids);
    check.order = flux_io_alloc(memory, check.count, sizeof *check.order);
    int rc = FLUX_OK;
    if (!joint->partner || !joint->previous || !check.first || !check.parents || !check.ids || !check.order)
        rc = flux_io_fail_memory(error);
    if (!rc) {
        find_partners(joint);
        rc = find_order(joint, &check, serialize, error);
    }
    flux_io_release(memory, check.first, check.count + 1, sizeof *check.first);
    flux_io_release(memory, check.parents, check.edge_count, sizeof *check.parents);
    flux_io_release(memory, check.ids, check.count, sizeof *check.ids);
    flux_io_release(memory, check.order, check.count, sizeof *check.order);
    return rc;
}

int flux_io_joint_make(struct flux_io_joint *joint, const struct flux_io_workload *workload, int serialize,
                       struct flux_error *error)
{
    memset(joint, 0, sizeof *joint);
    joint->workload = workload;
    joint->base = flux_io_alloc(workload->memory, (uint64_t)workload->rank_count + 1, sizeof *joint->base);
    if (!joint->base)
        return flux_io_fail_memory(error);
    for (uint32_t r = 0; r < workload->rank_count; r++) {
        joint->base[r] = joint->node_count;
        joint->node_count += workload->ranks[r]->node_count;
    }
    joint->base[workload->rank_count] = joint->node_count;
    int rc = FLUX_OK;
    if (joint->node_count + workload->instance_count >= FLUX_NONE)
        rc = flux_io_fail_path(error, FLUX_E_TOO_BIG, workload->path, "has %" PRIu64 " nodes; 2^32 - 2 are possible",
                               joint->node_count);
    if (!rc)
        rc = make(joint, serialize, error);
    if (rc)
        flux_io_joint_free(joint);
    return rc;
}
