/* SPDX-License-Identifier: Apache-2.0
 *
 * Arcs of the small problem lead from a smaller to a larger head, or, where joins take no time, to a greater depth: the
 * order of its nodes is by head, joins first, by depth.
 */
#include "search/lockstep.h"

#include <libflux/error.h>
#include <stdlib.h>
#include <string.h>

struct member {
    int64_t head;
    int64_t tail;     /* of a join */
    int64_t duration; /* of a join */
    uint32_t send;    /* 1, or 0: a join */
    uint32_t rank;    /* of a send its class, of a join its depth */
    uint32_t round;   /* in its batch */
    uint32_t turn;    /* among the sends of its circuit in that round */
    uint32_t circuit;
    uint32_t node;
};

struct folding {
    const struct flux_problem *whole;
    const struct flux_batches *batches;
    struct flux_lockstep *lockstep;
    struct flux_arena scratch;
    struct member *member;
    uint64_t *at; /* by node of the problem: its members, from at[i] to at[i + 1] */
};

#define BY(a, b, what)                                                                                                 \
    if ((a)->what != (b)->what)                                                                                        \
    return (a)->what < (b)->what ? -1 : 1

static int compare_kind(const struct member *a, const struct member *b)
{
    BY(a, b, head);
    BY(a, b, send);
    BY(a, b, rank);
    BY(a, b, round);
    BY(a, b, turn);
    BY(a, b, tail);
    BY(a, b, duration);
    return 0;
}

static int compare_member(const void *left, const void *right)
{
    const struct member *a = left, *b = right;
    int order = compare_kind(a, b);
    if (order)
        return order;
    BY(a, b, circuit);
    BY(a, b, node);
    return 0;
}

/* Sends by class, round, and turn of their circuit. */
static int list_sends(struct folding *folding, uint64_t *count)
{
    const struct flux_problem *whole = folding->whole;
    const struct flux_batches *batches = folding->batches;
    uint32_t *seen = flux_arena_zero(&folding->scratch, whole->circuits, sizeof *seen); /* in this round, plus 1 */
    uint32_t *turns = flux_arena_alloc(&folding->scratch, whole->circuits, sizeof *turns);
    if (!seen || !turns)
        return FLUX_E_MEMORY;
    for (uint32_t c = 0; c < batches->classes; c++)
        for (uint32_t b = batches->class_first[c]; b < batches->class_first[c + 1]; b++)
            for (uint32_t r = batches->first[b]; r < batches->first[b + 1]; r++)
                for (uint32_t i = batches->round_first[r]; i < batches->round_first[r + 1]; i++) {
                    uint32_t v = batches->send[i], circuit = whole->circuit[v];
                    turns[circuit] = seen[circuit] == r + 1 ? turns[circuit] + 1 : 0;
                    seen[circuit] = r + 1;
                    folding->member[(*count)++] =
                        (struct member){whole->head[v], 0, 0, 1, c, r - batches->first[b], turns[circuit], circuit, v};
                }
    return FLUX_OK;
}

static int list_joins(struct folding *folding, uint64_t *count)
{
    const struct flux_problem *whole = folding->whole;
    uint32_t *depth = flux_arena_alloc(&folding->scratch, whole->nodes, sizeof *depth);
    if (!depth)
        return FLUX_E_MEMORY;
    for (uint32_t v = 0; v < whole->nodes; v++) {
        depth[v] = 0;
        for (uint64_t i = whole->in_first[v]; i < whole->in_first[v + 1]; i++) {
            uint32_t before = depth[whole->in[i].node] + 1;
            depth[v] = before > depth[v] ? before : depth[v];
        }
        if (!flux_problem_is_send(whole, v))
            folding->member[(*count)++] =
                (struct member){whole->head[v], whole->tail[v], whole->duration[v], 0, depth[v], 0, 0, FLUX_NONE, v};
    }
    return FLUX_OK;
}

static uint32_t group(struct folding *folding)
{
    const struct flux_problem *whole = folding->whole;
    uint32_t nodes = 0;
    qsort(folding->member, whole->nodes, sizeof *folding->member, compare_member);
    for (uint64_t i = 0; i < whole->nodes; i++) {
        if (i == 0 || compare_kind(&folding->member[i - 1], &folding->member[i])) {
            folding->lockstep->first[nodes] = folding->member[i].node;
            folding->at[nodes++] = i;
        }
        folding->lockstep->node[folding->member[i].node] = nodes - 1;
    }
    folding->at[nodes] = whole->nodes;
    return nodes;
}

/* The circuits of one round, ascending. */
struct matching {
    const struct member *member;
    uint64_t count;
    uint32_t node;
};

static int compare_matching(const void *left, const void *right)
{
    const struct matching *a = left, *b = right;
    BY(a, b, count);
    for (uint64_t i = 0; i < a->count; i++)
        BY(&a->member[i], &b->member[i], circuit);
    return 0;
}

/* Rounds with the same circuits are one circuit, from GPU 0 to one of its own. */
static int number_circuits(struct folding *folding)
{
    struct flux_problem *problem = &folding->lockstep->problem;
    struct matching *matching = flux_arena_alloc(&folding->scratch, problem->sends, sizeof *matching);
    uint32_t count = 0;
    if (!matching)
        return FLUX_E_MEMORY;
    for (uint32_t v = 0; v < problem->nodes; v++)
        if (problem->src[v] != FLUX_NONE)
            matching[count++] =
                (struct matching){&folding->member[folding->at[v]], folding->at[v + 1] - folding->at[v], v};
    qsort(matching, count, sizeof *matching, compare_matching);
    for (uint32_t i = 0; i < count; i++) {
        problem->circuits += i == 0 || compare_matching(&matching[i - 1], &matching[i]);
        problem->circuit[matching[i].node] = problem->circuits - 1;
        problem->dst[matching[i].node] = problem->circuits;
    }
    problem->gpus = problem->circuits + 1;
    return FLUX_OK;
}

static int set_arcs(struct folding *folding)
{
    const struct flux_problem *whole = folding->whole;
    struct flux_problem *problem = &folding->lockstep->problem;
    const uint32_t *node = folding->lockstep->node;
    uint64_t *seen = flux_arena_zero(&folding->scratch, problem->nodes, sizeof *seen); /* arc from there, plus 1 */
    problem->in = flux_arena_alloc(&problem->arena, whole->arcs, sizeof *problem->in);
    problem->out = flux_arena_alloc(&problem->arena, whole->arcs, sizeof *problem->out);
    problem->in_first = flux_arena_alloc(&problem->arena, (uint64_t)problem->nodes + 1, sizeof *problem->in_first);
    problem->out_first = flux_arena_zero(&problem->arena, (uint64_t)problem->nodes + 2, sizeof *problem->out_first);
    if (!seen || !problem->in || !problem->out || !problem->in_first || !problem->out_first)
        return FLUX_E_MEMORY;
    for (uint32_t to = 0; to < problem->nodes; to++) {
        uint64_t begin = problem->in_first[to] = problem->arcs;
        for (uint64_t m = folding->at[to]; m < folding->at[to + 1]; m++) {
            uint32_t v = folding->member[m].node;
            for (uint64_t i = whole->in_first[v]; i < whole->in_first[v + 1]; i++) {
                struct flux_arc arc = {node[whole->in[i].node], 0, whole->in[i].lag};
                if (seen[arc.node] > begin) {
                    int64_t *lag = &problem->in[seen[arc.node] - 1].lag;
                    *lag = arc.lag > *lag ? arc.lag : *lag;
                    continue;
                }
                problem->in[problem->arcs++] = arc;
                problem->out_first[arc.node + 2]++;
                seen[arc.node] = problem->arcs;
            }
        }
    }
    problem->in_first[problem->nodes] = problem->arcs;
    for (uint64_t v = 0; v < problem->nodes; v++)
        problem->out_first[v + 2] += problem->out_first[v + 1];
    for (uint32_t to = 0; to < problem->nodes; to++)
        for (uint64_t i = problem->in_first[to]; i < problem->in_first[to + 1]; i++)
            problem->out[problem->out_first[problem->in[i].node + 1]++] = (struct flux_arc){to, 0, problem->in[i].lag};
    return FLUX_OK;
}

static int find_touching(struct flux_problem *problem)
{
    uint64_t *first = flux_arena_zero(&problem->arena, (uint64_t)problem->gpus + 2, sizeof *first);
    problem->touch_first = first;
    problem->touch = flux_arena_alloc(&problem->arena, 2 * (uint64_t)problem->sends, sizeof *problem->touch);
    if (!first || !problem->touch)
        return FLUX_E_MEMORY;
    for (uint32_t v = 0; v < problem->nodes; v++)
        if (flux_problem_is_send(problem, v)) {
            first[2]++;
            first[problem->dst[v] + 2]++;
        }
    for (uint32_t g = 0; g < problem->gpus; g++)
        first[g + 2] += first[g + 1];
    for (uint32_t v = 0; v < problem->nodes; v++)
        if (flux_problem_is_send(problem, v)) {
            problem->touch[first[1]++] = v;
            problem->touch[first[problem->dst[v] + 1]++] = v;
        }
    return FLUX_OK;
}

static int alloc_nodes(struct flux_problem *problem)
{
    struct flux_arena *arena = &problem->arena;
    uint64_t nodes = problem->nodes;
    problem->vertex = flux_arena_alloc(arena, nodes, sizeof *problem->vertex);
    problem->src = flux_arena_alloc(arena, nodes, sizeof *problem->src);
    problem->dst = flux_arena_alloc(arena, nodes, sizeof *problem->dst);
    problem->circuit = flux_arena_alloc(arena, nodes, sizeof *problem->circuit);
    problem->duration = flux_arena_alloc(arena, nodes, sizeof *problem->duration);
    problem->release = flux_arena_alloc(arena, nodes, sizeof *problem->release);
    problem->rest = flux_arena_alloc(arena, nodes, sizeof *problem->rest);
    problem->head = flux_arena_alloc(arena, nodes, sizeof *problem->head);
    problem->tail = flux_arena_alloc(arena, nodes, sizeof *problem->tail);
    return problem->vertex && problem->src && problem->dst && problem->circuit && problem->duration &&
                   problem->release && problem->rest && problem->head && problem->tail
               ? FLUX_OK
               : FLUX_E_MEMORY;
}

static void set_node(struct folding *folding, uint32_t v)
{
    const struct flux_problem *whole = folding->whole;
    struct flux_problem *problem = &folding->lockstep->problem;
    uint32_t w = folding->lockstep->first[v];
    problem->vertex[v] = whole->vertex[w];
    problem->src[v] = flux_problem_is_send(whole, w) ? 0 : FLUX_NONE;
    problem->dst[v] = problem->circuit[v] = FLUX_NONE;
    problem->duration[v] = whole->duration[w];
    problem->head[v] = whole->head[w];
    problem->tail[v] = whole->tail[w];
    problem->release[v] = problem->rest[v] = 0;
    for (uint64_t m = folding->at[v]; m < folding->at[v + 1]; m++) {
        uint32_t u = folding->member[m].node;
        problem->release[v] = whole->release[u] > problem->release[v] ? whole->release[u] : problem->release[v];
        problem->rest[v] = whole->rest[u] > problem->rest[v] ? whole->rest[u] : problem->rest[v];
    }
    problem->sends += problem->src[v] == 0;
}

static int fold(struct folding *folding)
{
    const struct flux_problem *whole = folding->whole;
    struct flux_lockstep *lockstep = folding->lockstep;
    struct flux_problem *problem = &lockstep->problem;
    uint64_t count = 0;
    lockstep->node = flux_arena_alloc(&problem->arena, whole->nodes, sizeof *lockstep->node);
    lockstep->first = flux_arena_alloc(&problem->arena, whole->nodes, sizeof *lockstep->first);
    folding->member = flux_arena_alloc(&folding->scratch, whole->nodes, sizeof *folding->member);
    folding->at = flux_arena_alloc(&folding->scratch, (uint64_t)whole->nodes + 1, sizeof *folding->at);
    if (!lockstep->node || !lockstep->first || !folding->member || !folding->at)
        return FLUX_E_MEMORY;
    int rc = list_sends(folding, &count);
    if (!rc)
        rc = list_joins(folding, &count);
    if (rc)
        return rc;
    problem->nodes = group(folding);
    rc = alloc_nodes(problem);
    for (uint32_t v = 0; v < problem->nodes && !rc; v++)
        set_node(folding, v);
    if (!rc)
        rc = number_circuits(folding);
    if (!rc)
        rc = set_arcs(folding);
    return rc ? rc : find_touching(problem);
}

int flux_lockstep_make(const struct flux_problem *whole, const struct flux_batches *batches,
                       struct flux_lockstep *lockstep)
{
    struct folding folding = {.whole = whole, .batches = batches, .lockstep = lockstep};
    struct flux_problem *problem = &lockstep->problem;
    memset(lockstep, 0, sizeof *lockstep);
    flux_arena_init(&problem->arena, whole->arena.memory);
    if (whole->durations || whole->staged)
        return FLUX_OK;
    problem->switches = whole->switches;
    problem->rule = FLUX_RULE_PAPER;
    problem->vertices = whole->vertices;
    problem->floor = whole->floor;
    problem->delay = whole->delay;
    problem->dwell = whole->dwell;
    problem->blocking = whole->blocking;
    flux_arena_init(&folding.scratch, whole->arena.memory);
    int rc = fold(&folding);
    flux_arena_free(&folding.scratch);
    if (problem->sends + problem->sends / 2 > whole->sends)
        problem->nodes = 0;
    return rc;
}

void flux_lockstep_free(struct flux_lockstep *lockstep)
{
    flux_arena_free(&lockstep->problem.arena);
}

int flux_lockstep_unfold(const struct flux_lockstep *lockstep, const struct flux_problem *whole,
                         const struct flux_plan *plan, struct flux_plan *unfolded)
{
    struct flux_arena scratch;
    for (uint32_t v = 0; v < whole->nodes; v++) {
        unfolded->switch_of[v] = plan->switch_of[lockstep->node[v]];
        unfolded->start[v] = plan->start[lockstep->node[v]];
    }
    flux_arena_init(&scratch, whole->arena.memory);
    int rc = flux_plan_shift(unfolded, whole, &scratch);
    flux_arena_free(&scratch);
    return rc;
}
