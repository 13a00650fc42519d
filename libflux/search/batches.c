/* SPDX-License-Identifier: Apache-2.0 */
#include "search/batches.h"

#include "search/rounds.h"

#include <libflux/error.h>
#include <stdlib.h>

struct member {
    int64_t late; /* latest start, counted from the end: what sorts classes */
    int64_t head;
    int64_t duration;
    uint32_t node;
    uint32_t key; /* batch, circuit or round, while its class is taken apart */
};

struct making {
    const struct flux_problem *problem;
    struct flux_arena *arena; /* of what is made */
    struct flux_arena scratch;
    struct flux_batches *batches;
    struct member *member;
    uint32_t *parent; /* by GPU: a forest of those that hang together */
    uint32_t *batch;  /* by GPU at a root: the class's batch there; FLUX_NONE */
};

static int compare_class(const struct member *a, const struct member *b)
{
    if (a->late != b->late)
        return a->late < b->late ? -1 : 1;
    if (a->head != b->head)
        return a->head < b->head ? -1 : 1;
    return a->duration < b->duration ? -1 : a->duration > b->duration;
}

static int compare_member(const void *left, const void *right)
{
    const struct member *a = left, *b = right;
    int order = compare_class(a, b);
    return order ? order : a->node < b->node ? -1 : a->node > b->node;
}

static int compare_key(const void *left, const void *right)
{
    const struct member *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

static uint32_t root(uint32_t *parent, uint32_t gpu)
{
    while (parent[gpu] != gpu) {
        parent[gpu] = parent[parent[gpu]];
        gpu = parent[gpu];
    }
    return gpu;
}

static void part_batches(struct making *making, struct member *member, uint32_t count)
{
    const struct flux_problem *problem = making->problem;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t ends[2] = {problem->src[member[i].node], problem->dst[member[i].node]};
        for (int e = 0; e < 2; e++) {
            making->parent[ends[e]] = ends[e];
            making->batch[ends[e]] = FLUX_NONE;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t a = root(making->parent, problem->src[member[i].node]);
        making->parent[root(making->parent, problem->dst[member[i].node])] = a;
    }
    uint32_t parts = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *batch = &making->batch[root(making->parent, problem->src[member[i].node])];
        if (*batch == FLUX_NONE)
            *batch = parts++;
        member[i].key = *batch;
    }
    if (parts > 1)
        qsort(member, count, sizeof *member, compare_key);
}

static void put_round(struct making *making, const struct member *member, uint32_t count, uint32_t *sends)
{
    struct flux_batches *batches = making->batches;
    batches->round_first[batches->rounds++] = *sends;
    for (uint32_t i = 0; i < count; i++) {
        batches->send[(*sends)++] = member[i].node;
        batches->of[member[i].node] = batches->count;
    }
}

/* Sorts the members of one batch by round, which becomes their key. */
static int part_rounds(struct making *making, struct member *member, uint32_t count)
{
    const struct flux_problem *problem = making->problem;
    struct flux_circuit_name *name = flux_arena_alloc(&making->scratch, count, sizeof *name);
    uint32_t *round = flux_arena_alloc(&making->scratch, count, sizeof *round);
    uint32_t circuits = 0, used;
    if (!name || !round)
        return FLUX_E_MEMORY;
    for (uint32_t i = 0; i < count; i++)
        member[i].key = problem->circuit[member[i].node];
    qsort(member, count, sizeof *member, compare_key);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || member[i].key != member[i - 1].key)
            name[circuits++] =
                (struct flux_circuit_name){0, problem->src[member[i].node], problem->dst[member[i].node]};
    if (flux_rounds_find(problem->rule, name, circuits, round, &used, &making->scratch))
        return FLUX_E_MEMORY;
    for (uint32_t i = 0, c = 0, before = member->key; i < count; i++) {
        c += member[i].key != before;
        before = member[i].key;
        member[i].key = round[c];
    }
    qsort(member, count, sizeof *member, compare_key);
    return FLUX_OK;
}

/* The members of one batch become its rounds. */
static int put_batch(struct making *making, struct member *member, uint32_t count, uint32_t *sends)
{
    struct flux_batches *batches = making->batches;
    batches->first[batches->count] = batches->rounds;
    member->key = 0;
    int rc = count > 1 ? part_rounds(making, member, count) : FLUX_OK;
    if (rc)
        return rc;
    for (uint32_t i = 0, j; i < count; i = j) {
        for (j = i + 1; j < count && member[j].key == member[i].key; j++)
            ;
        put_round(making, &member[i], j - i, sends);
    }
    batches->count++;
    return FLUX_OK;
}

static int put_class(struct making *making, struct member *member, uint32_t count, uint32_t *sends)
{
    int rc = FLUX_OK;
    making->batches->class_first[making->batches->classes++] = making->batches->count;
    part_batches(making, member, count);
    for (uint32_t i = 0, j; i < count && !rc; i = j) {
        for (j = i + 1; j < count && member[j].key == member[i].key; j++)
            ;
        rc = put_batch(making, &member[i], j - i, sends);
        flux_arena_free(&making->scratch);
    }
    return rc;
}

static int find_again(struct making *making)
{
    const struct flux_problem *problem = making->problem;
    int64_t *next = flux_arena_alloc(&making->scratch, problem->circuits, sizeof *next);
    if (!next)
        return FLUX_E_MEMORY;
    for (uint32_t c = 0; c < problem->circuits; c++)
        next[c] = FLUX_TIME_MAX;
    for (uint32_t i = problem->sends, j; i > 0; i = j) {
        for (j = i; j > 0 && compare_class(&making->member[j - 1], &making->member[i - 1]) == 0; j--)
            making->batches->again[making->member[j - 1].node] = next[problem->circuit[making->member[j - 1].node]];
        for (uint32_t m = j; m < i; m++)
            next[problem->circuit[making->member[m].node]] = making->member[m].late;
    }
    return FLUX_OK;
}

static int alloc(struct making *making)
{
    const struct flux_problem *problem = making->problem;
    struct flux_batches *batches = making->batches;
    struct flux_arena *arena = making->arena;
    uint64_t room = (uint64_t)problem->sends + 1;
    batches->of = flux_arena_alloc(arena, problem->nodes, sizeof *batches->of);
    batches->class_first = flux_arena_alloc(arena, room, sizeof *batches->class_first);
    batches->first = flux_arena_alloc(arena, room, sizeof *batches->first);
    batches->round_first = flux_arena_alloc(arena, room, sizeof *batches->round_first);
    batches->send = flux_arena_alloc(arena, room, sizeof *batches->send);
    batches->again = flux_arena_alloc(arena, problem->nodes, sizeof *batches->again);
    making->member = flux_arena_alloc(&making->scratch, room, sizeof *making->member);
    making->parent = flux_arena_alloc(&making->scratch, problem->gpus, sizeof *making->parent);
    making->batch = flux_arena_alloc(&making->scratch, problem->gpus, sizeof *making->batch);
    return batches->of && batches->class_first && batches->first && batches->round_first && batches->send &&
                   batches->again && making->member && making->parent && making->batch
               ? FLUX_OK
               : FLUX_E_MEMORY;
}

static int make(struct making *making)
{
    const struct flux_problem *problem = making->problem;
    struct flux_batches *batches = making->batches;
    uint32_t count = 0, sends = 0;
    for (uint32_t v = 0; v < problem->nodes; v++) {
        batches->of[v] = FLUX_NONE;
        batches->again[v] = FLUX_TIME_MAX;
        if (flux_problem_is_send(problem, v))
            making->member[count++] =
                (struct member){-problem->duration[v] - problem->tail[v], problem->head[v], problem->duration[v], v, 0};
    }
    qsort(making->member, count, sizeof *making->member, compare_member);
    int rc = find_again(making);
    for (uint32_t i = 0, j; i < count && !rc; i = j) {
        for (j = i + 1; j < count && compare_class(&making->member[i], &making->member[j]) == 0; j++)
            ;
        rc = put_class(making, &making->member[i], j - i, &sends);
    }
    batches->class_first[batches->classes] = batches->count;
    batches->first[batches->count] = batches->rounds;
    batches->round_first[batches->rounds] = sends;
    return rc;
}

int flux_batches_make(const struct flux_problem *problem, struct flux_arena *arena, struct flux_batches *batches)
{
    struct making making = {.problem = problem, .arena = arena, .batches = batches};
    struct flux_arena kept;
    *batches = (struct flux_batches){0};
    flux_arena_init(&making.scratch, problem->arena.memory);
    int rc = alloc(&making);
    kept = making.scratch; /* members and GPUs; what batches take goes after each */
    flux_arena_init(&making.scratch, problem->arena.memory);
    if (!rc)
        rc = make(&making);
    flux_arena_free(&making.scratch);
    flux_arena_free(&kept);
    return rc;
}
