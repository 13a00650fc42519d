/* SPDX-License-Identifier: Apache-2.0
 *
 * search/batch_run.c - one batch after another, each round by round: of the rounds that are left the one that is over
 * first; then the one that changes fewest circuits; then the one whose circuits are wanted again last. So a ring that
 * shares one link per GPU takes its even and its odd circuits in turn, the next step beginning with those that are up,
 * and an all-to-all begins with circuits that are up and ends with those that come next.
 */
#include "search/batches.h"
#include "search/place.h"
#include "search/run.h"

#include <libflux/error.h>

#define SIGHT 16 /* rounds looked at before one is chosen */

struct batch_run {
    struct flux_run *run;
    const struct flux_batches *batches;
    const int64_t *key;
    struct flux_plan *plan;
    struct flux_lanes lanes;
    struct flux_timelines timelines;
    struct flux_direction direction;
    int64_t *end;
    uint32_t *waiting; /* by node: nodes before it that are not placed */
    uint32_t *missing; /* by batch: sends that still wait */
    uint32_t *left;    /* rounds of the batch at work */
    uint32_t *heap;    /* batches whose sends all can go, smallest key first */
    uint32_t heaped;
    uint32_t *stack; /* joins whose predecessors are placed */
    uint32_t *round; /* by circuit: 1 and the round that it was placed in last */
    uint32_t *home;  /* by circuit: on which switch that was */
};

struct round_cost {
    int64_t end;
    int64_t again;
    uint64_t disturbance;
};

static int before(const struct batch_run *batch, uint32_t a, uint32_t b)
{
    int64_t left = batch->key[batch->batches->send[batch->batches->round_first[batch->batches->first[a]]]];
    int64_t right = batch->key[batch->batches->send[batch->batches->round_first[batch->batches->first[b]]]];
    return left != right ? left < right : a < b;
}

static void push(struct batch_run *batch, uint32_t b)
{
    uint32_t i = batch->heaped++;
    for (; i && before(batch, b, batch->heap[(i - 1) / 2]); i = (i - 1) / 2)
        batch->heap[i] = batch->heap[(i - 1) / 2];
    batch->heap[i] = b;
}

static uint32_t pop(struct batch_run *batch)
{
    uint32_t top = batch->heap[0], last = batch->heap[--batch->heaped], i = 0;
    for (uint32_t child = 1; child < batch->heaped; child = 2 * i + 1) {
        child += child + 1 < batch->heaped && before(batch, batch->heap[child + 1], batch->heap[child]);
        if (!before(batch, batch->heap[child], last))
            break;
        batch->heap[i] = batch->heap[child];
        i = child;
    }
    batch->heap[i] = last;
    return top;
}

/* What is placed lets others go; joins are placed at once. */
static int release(struct batch_run *batch, uint32_t placed)
{
    const struct flux_problem *problem = batch->run->problem;
    uint32_t depth = 0;
    int rc = FLUX_OK;
    batch->stack[depth++] = placed;
    while (depth && !rc) {
        uint32_t v = batch->stack[--depth];
        for (uint64_t i = problem->out_first[v]; i < problem->out_first[v + 1]; i++) {
            uint32_t w = problem->out[i].node;
            if (--batch->waiting[w])
                continue;
            if (flux_problem_is_send(problem, w)) {
                if (--batch->missing[batch->batches->of[w]] == 0)
                    push(batch, batch->batches->of[w]);
                continue;
            }
            batch->plan->switch_of[w] = FLUX_NONE;
            batch->plan->start[w] = flux_run_ready(&batch->direction, batch->end, w);
            batch->end[w] = batch->plan->start[w] + problem->duration[w];
            batch->stack[depth++] = w;
            rc = rc ? rc : flux_run_step(batch->run);
        }
    }
    return rc;
}

/* Looks at a round without placing it. 0 where it cannot be better than `best`. */
static int look(struct batch_run *batch, uint32_t round, const struct round_cost *best, struct round_cost *cost)
{
    const struct flux_batches *batches = batch->batches;
    *cost = (struct round_cost){0, FLUX_TIME_MAX, 0};
    for (uint32_t i = batches->round_first[round]; i < batches->round_first[round + 1]; i++) {
        struct flux_place place;
        uint32_t v = batches->send[i];
        flux_place_find(&batch->timelines, v, flux_run_ready(&batch->direction, batch->end, v), &place);
        cost->end = place.end > cost->end ? place.end : cost->end;
        if (best && cost->end > best->end)
            return 0;
        cost->disturbance += flux_place_disturbance(&batch->timelines, v, &place);
        cost->again = batches->again[v] < cost->again ? batches->again[v] : cost->again;
    }
    if (!best || cost->end != best->end)
        return 1;
    if (cost->disturbance != best->disturbance)
        return cost->disturbance < best->disturbance;
    return cost->again > best->again;
}

/* Several sends of one circuit go one after another on one switch, unless waiting takes longer than a change. */
static void find_place(struct batch_run *batch, uint32_t round, uint32_t v, struct flux_place *place)
{
    const struct flux_problem *problem = batch->run->problem;
    uint32_t circuit = problem->circuit[v], *home = &batch->home[circuit];
    int64_t ready = flux_run_ready(&batch->direction, batch->end, v);
    struct flux_place stay;
    flux_place_find(&batch->timelines, v, ready, place);
    if (batch->round[circuit] == round + 1 && place->k != *home &&
        flux_place_on(&batch->timelines, v, *home, ready, place->end + problem->delay[place->k], &stay))
        *place = stay;
    batch->round[circuit] = round + 1;
    *home = place->k;
}

static int place_round(struct batch_run *batch, uint32_t round)
{
    const struct flux_problem *problem = batch->run->problem;
    const struct flux_batches *batches = batch->batches;
    int rc = FLUX_OK;
    for (uint32_t i = batches->round_first[round]; i < batches->round_first[round + 1] && !rc; i++) {
        struct flux_place place;
        uint32_t v = batches->send[i];
        find_place(batch, round, v, &place);
        batch->plan->switch_of[v] = place.k;
        batch->plan->start[v] = place.fit.start;
        batch->end[v] = place.end;
        if (flux_run_is_late(batch->run, place.end, problem->tail[v]))
            return FLUX_RUN_LATE;
        rc = flux_timelines_place(&batch->timelines, v, place.k, &place.fit);
        if (!rc)
            rc = flux_run_step(batch->run);
    }
    return rc;
}

static int place_batch(struct batch_run *batch, uint32_t b)
{
    const struct flux_batches *batches = batch->batches;
    uint32_t count = 0;
    int rc = FLUX_OK;
    for (uint32_t r = batches->first[b]; r < batches->first[b + 1]; r++)
        batch->left[count++] = r;
    while (count && !rc) {
        struct round_cost best, cost;
        uint32_t chosen = 0;
        for (uint32_t i = 0; count > 1 && i < count && i < SIGHT; i++)
            if (look(batch, batch->left[i], i ? &best : NULL, &cost)) {
                best = cost;
                chosen = i;
            }
        rc = place_round(batch, batch->left[chosen]);
        count--;
        for (uint32_t i = chosen; i < count; i++)
            batch->left[i] = batch->left[i + 1];
    }
    for (uint32_t i = batches->round_first[batches->first[b]]; i < batches->round_first[batches->first[b + 1]] && !rc;
         i++)
        rc = release(batch, batches->send[i]);
    return rc;
}

static int alloc(struct batch_run *batch)
{
    const struct flux_problem *problem = batch->run->problem;
    struct flux_arena *arena = batch->run->arena;
    batch->end = flux_arena_alloc(arena, problem->nodes, sizeof *batch->end);
    batch->waiting = flux_arena_alloc(arena, problem->nodes, sizeof *batch->waiting);
    batch->stack = flux_arena_alloc(arena, (uint64_t)problem->nodes + 1, sizeof *batch->stack);
    batch->missing = flux_arena_zero(arena, batch->batches->count, sizeof *batch->missing);
    batch->left = flux_arena_alloc(arena, batch->batches->rounds, sizeof *batch->left);
    batch->heap = flux_arena_alloc(arena, batch->batches->count, sizeof *batch->heap);
    batch->round = flux_arena_zero(arena, problem->circuits, sizeof *batch->round);
    batch->home = flux_arena_alloc(arena, problem->circuits, sizeof *batch->home);
    if (!batch->round || !batch->home || !batch->end || !batch->waiting || !batch->stack || !batch->missing ||
        !batch->left || !batch->heap)
        return FLUX_E_MEMORY;
    int rc = flux_lanes_init(&batch->lanes, problem, arena);
    return rc ? rc : flux_timelines_init(&batch->timelines, &batch->lanes, arena);
}

static int start(struct batch_run *batch)
{
    const struct flux_problem *problem = batch->run->problem;
    const struct flux_batches *batches = batch->batches;
    for (uint32_t v = 0; v < problem->nodes; v++) {
        batch->waiting[v] = (uint32_t)(problem->in_first[v + 1] - problem->in_first[v]);
        if (flux_problem_is_send(problem, v) && batch->waiting[v])
            batch->missing[batches->of[v]]++;
    }
    for (uint32_t b = 0; b < batches->count; b++)
        if (batch->missing[b] == 0)
            push(batch, b);
    int rc = FLUX_OK;
    for (uint32_t v = 0; v < problem->nodes && !rc; v++) {
        if (flux_problem_is_send(problem, v) || problem->in_first[v + 1] != problem->in_first[v])
            continue;
        batch->plan->switch_of[v] = FLUX_NONE;
        batch->plan->start[v] = problem->release[v];
        batch->end[v] = problem->release[v] + problem->duration[v];
        rc = flux_run_step(batch->run);
        if (!rc)
            rc = release(batch, v);
    }
    return rc;
}

int flux_run_batches(struct flux_run *run, const struct flux_batches *batches, const int64_t *key,
                     struct flux_plan *plan)
{
    struct batch_run batch = {.run = run, .batches = batches, .key = key, .plan = plan};
    batch.direction = flux_direction_of(run->problem, 0);
    int rc = alloc(&batch);
    if (!rc)
        rc = start(&batch);
    while (batch.heaped && !rc)
        rc = place_batch(&batch, pop(&batch));
    return rc;
}
