/* SPDX-License-Identifier: Apache-2.0 */
#include "search/construct.h"

#include "base/wide.h"
#include "search/batches.h"
#include "search/run.h"
#include "search/staged.h"

#include <libflux/error.h>

/* Replays of a staged plan in the order of its starts. */
#define REPLAYS 4

static int order_by_latest_start(const struct flux_run *run, const struct flux_direction *direction, uint64_t seed,
                                 uint32_t *order)
{
    const struct flux_problem *problem = run->problem;
    const int64_t *after = direction->mirrored ? problem->head : problem->tail;
    int64_t *priority = flux_arena_alloc(run->arena, problem->nodes, sizeof *priority);
    if (!priority)
        return FLUX_E_MEMORY;
    for (uint32_t v = 0; v < problem->nodes; v++)
        priority[v] = -problem->duration[v] - after[v];
    return flux_sequence_make(problem, direction, priority, seed, order, run->arena);
}

/* Insertion from the end of time; then the order on every port and the switches are kept, and all is shifted to the
 * left. Only here do the initial circuits come in: they do not change the order. */
static int build_backward(struct flux_run *run, uint64_t seed, uint32_t *order, struct flux_plan *plan)
{
    const struct flux_problem *problem = run->problem;
    const struct flux_direction mirrored = flux_direction_of(problem, 1);
    int rc = order_by_latest_start(run, &mirrored, seed, order);
    if (!rc)
        rc = flux_run_insertion(run, &mirrored, order, plan);
    if (rc)
        return rc;
    /* Counted from the end an end is a start; that only its order counts, saves knowing when the end is. */
    for (uint32_t v = 0; v < problem->nodes; v++)
        plan->start[v] = -flux_plan_end(plan, problem, v);
    return flux_plan_shift(plan, problem, run->arena);
}

/* Batches in order of latest start. */
static int build_rounds(struct flux_run *run, struct flux_plan *plan)
{
    const struct flux_problem *problem = run->problem;
    struct flux_batches batches;
    int64_t *key = flux_arena_alloc(run->arena, problem->nodes, sizeof *key);
    int rc = key ? flux_batches_make(problem, run->arena, &batches) : FLUX_E_MEMORY;
    for (uint32_t v = 0; v < problem->nodes && !rc; v++)
        key[v] = -problem->duration[v] - problem->tail[v];
    return rc ? rc : flux_run_batches(run, &batches, key, plan);
}

/* A plan by `rule` that does not look at changes that stop a whole switch, nor at dwell. */
static int build_plain(struct flux_run *run, uint32_t rule, uint64_t seed, uint32_t *order, struct flux_plan *plan)
{
    const struct flux_problem *problem = run->problem;
    const struct flux_direction forward = flux_direction_of(problem, 0);
    int rc;
    if (rule == FLUX_SEARCH_BACKWARD)
        return build_backward(run, seed, order, plan);
    if (rule == FLUX_SEARCH_ROUNDS)
        return build_rounds(run, plan);
    if (rule == FLUX_SEARCH_EARLIEST_START)
        rc = flux_sequence_make(problem, &forward, problem->head, seed, order, run->arena);
    else
        rc = order_by_latest_start(run, &forward, seed, order);
    if (rc)
        return rc;
    if (rule == FLUX_SEARCH_APPEND)
        return flux_run_append(run, order, plan);
    if (rule == FLUX_SEARCH_NON_DELAY)
        return flux_run_dispatch(run, order, plan);
    return flux_run_insertion(run, &forward, order, plan);
}

static int order_by_start(struct flux_run *run, const struct flux_plan *plan, uint32_t *order)
{
    for (uint32_t v = 0; v < run->problem->nodes; v++)
        order[v] = v;
    return flux_sequence_sort(order, run->problem->nodes, plan->start, run->arena);
}

/* Is the replay no later anywhere that counts, and earlier somewhere? */
static int replay_is_better(const struct flux_problem *problem, const struct flux_plan *replay,
                            const struct flux_plan *plan)
{
    flux_wide earlier = 0;
    if (replay->makespan != plan->makespan)
        return replay->makespan < plan->makespan;
    for (uint32_t v = 0; v < problem->nodes; v++)
        earlier += plan->start[v] - replay->start[v];
    return earlier > 0;
}

/* Places in `order`, then again in the order of the starts that this gave, on the same switches, as long as it gets
 * better: sends then find the changes of all earlier ones. This is the left shift of staged plans. */
static int build_staged_in(struct flux_run *run, uint32_t *order, struct flux_plan *plan)
{
    struct flux_plan replay;
    int rc = flux_run_staged(run, order, 0, plan);
    if (!rc)
        rc = flux_plan_alloc(&replay, run->problem, run->arena);
    if (!rc)
        flux_plan_measure(plan, run->problem);
    for (int i = 0; !rc && i < REPLAYS; i++) {
        if (run->control && run->control->stopped)
            break;
        rc = order_by_start(run, plan, order);
        if (rc)
            break;
        flux_plan_copy(&replay, plan, run->problem);
        rc = flux_run_staged(run, order, 1, &replay);
        if (rc == FLUX_RUN_STOPPED)
            return FLUX_OK; /* the plan as it was is good */
        flux_plan_measure(&replay, run->problem);
        if (rc || !replay_is_better(run->problem, &replay, plan))
            break;
        flux_plan_copy(plan, &replay, run->problem);
    }
    return rc;
}

/* Stages come in second: sends in the order in which they start on the same fabric without its stages. Only appending
 * takes its order as it is. */
static int build_staged(struct flux_run *run, uint32_t rule, uint64_t seed, uint32_t *order, struct flux_plan *plan)
{
    const struct flux_direction forward = flux_direction_of(run->problem, 0);
    int rc;
    if (rule == FLUX_SEARCH_APPEND) {
        rc = order_by_latest_start(run, &forward, seed, order);
    } else {
        rc = build_plain(run, rule, seed, order, plan);
        if (!rc)
            rc = order_by_start(run, plan, order);
    }
    return rc ? rc : build_staged_in(run, order, plan);
}

int flux_construct_watched(const struct flux_problem *problem, uint32_t rule, uint64_t seed,
                           struct flux_control *control, int64_t beat, struct flux_plan *plan)
{
    struct flux_arena arena;
    flux_arena_init(&arena, problem->arena.memory);
    struct flux_run run = {.problem = problem, .arena = &arena, .control = control, .finish = beat == 0};
    if (beat && !problem->staged && rule != FLUX_SEARCH_BACKWARD) /* that one gets shorter when it is shifted */
        run.limit = beat - 1;
    uint32_t *order = flux_arena_alloc(&arena, problem->nodes, sizeof *order);
    int rc = FLUX_E_MEMORY;
    if (order && problem->staged)
        rc = build_staged(&run, rule, seed, order, plan);
    else if (order)
        rc = build_plain(&run, rule, seed, order, plan);
    if (!rc)
        flux_plan_measure(plan, problem);
    flux_run_look(&run);
    flux_arena_free(&arena);
    return rc;
}

int flux_construct(const struct flux_problem *problem, uint32_t rule, uint64_t seed, struct flux_plan *plan)
{
    return flux_construct_watched(problem, rule, seed, NULL, 0, plan);
}

int flux_construct_by_priority(const struct flux_problem *problem, const int64_t *priority, struct flux_plan *plan)
{
    const struct flux_direction forward = flux_direction_of(problem, 0);
    struct flux_arena arena;
    flux_arena_init(&arena, problem->arena.memory);
    struct flux_run run = {.problem = problem, .arena = &arena, .finish = 1};
    uint32_t *order = flux_arena_alloc(&arena, problem->nodes, sizeof *order);
    int rc = order ? flux_sequence_make(problem, &forward, priority, 0, order, &arena) : FLUX_E_MEMORY;
    if (!rc)
        rc = flux_run_insertion(&run, &forward, order, plan);
    if (!rc && problem->staged) {
        rc = order_by_start(&run, plan, order);
        if (!rc)
            rc = build_staged_in(&run, order, plan);
    }
    if (!rc)
        flux_plan_measure(plan, problem);
    flux_arena_free(&arena);
    return rc;
}
