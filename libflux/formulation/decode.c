/* SPDX-License-Identifier: Apache-2.0
 *
 * formulation/decode.c - a solver's values as a plan: the switch with the largest value, the order of the starts.
 */
#include "formulation/decode.h"

#include "search/sequence.h"
#include "search/staged.h"

#include <libflux/error.h>
#include <math.h>

/* Any double as a time in units that cannot overflow anything; what is no number comes last. */
static int64_t time_of(const struct flux_formulation *formulation, double value)
{
    double units = ldexp(value, (int)formulation->shift);
    if (!(units < 9e15))
        return INT64_C(9000000000000000);
    return units > 0 ? llround(units) : 0;
}

static int read_switches(const struct flux_formulation *formulation, const struct flux_problem *problem,
                         const double *values, struct flux_plan *plan)
{
    for (uint32_t v = 0; v < problem->nodes; v++) {
        double best = -(double)INFINITY;
        plan->switch_of[v] = FLUX_NONE;
        if (!flux_problem_is_send(problem, v))
            continue;
        for (uint32_t k = 0; k < problem->switches; k++) {
            uint32_t column = formulation->switch_column[(uint64_t)v * problem->switches + k];
            if (column != FLUX_NONE && values[column] > best) {
                best = values[column];
                plan->switch_of[v] = k;
            }
        }
        if (plan->switch_of[v] == FLUX_NONE)
            return FLUX_E_MISMATCH;
    }
    return FLUX_OK;
}

/* The nodes by their starts, but never against an arc. */
static int read_order(const struct flux_formulation *formulation, const struct flux_problem *problem,
                      const double *values, uint32_t *order, struct flux_arena *arena)
{
    const struct flux_direction forward = flux_direction_of(problem, 0);
    int64_t *start = flux_arena_alloc(arena, problem->nodes, sizeof *start);
    if (!start)
        return FLUX_E_MEMORY;
    for (uint32_t v = 0; v < problem->nodes; v++)
        start[v] = time_of(formulation, values[formulation->start_column[v]]);
    return flux_sequence_make(problem, &forward, start, 0, order, arena);
}

/* The better of two ways to place the moments of change: those of the solver, and the constructor's own. */
static int place_staged(const struct flux_formulation *formulation, const struct flux_problem *problem,
                        const double *values, const uint32_t *order, struct flux_plan *plan, struct flux_arena *arena)
{
    struct flux_run run = {.problem = problem, .arena = arena, .finish = 1};
    struct flux_plan other;
    int64_t *moment = flux_arena_alloc(arena, problem->nodes, sizeof *moment);
    if (!moment || flux_plan_alloc(&other, problem, arena))
        return FLUX_E_MEMORY;
    for (uint32_t v = 0; v < problem->nodes; v++)
        moment[v] = formulation->moment_column[v] == FLUX_NONE
                        ? -1
                        : time_of(formulation, values[formulation->moment_column[v]]);
    int64_t *start = flux_arena_alloc(arena, problem->nodes, sizeof *start);
    if (!start)
        return FLUX_E_MEMORY;
    for (uint32_t v = 0; v < problem->nodes; v++)
        start[v] = time_of(formulation, values[formulation->start_column[v]]);
    plan->makespan = other.makespan = 0;
    flux_plan_copy(&other, plan, problem);
    int rc = flux_run_staged(&run, order, 1, plan);
    if (rc)
        return rc;
    flux_plan_measure(plan, problem);
    rc = flux_moments_place(problem, order, start, moment, formulation->unit, &other, arena);
    if (!rc)
        flux_plan_measure(&other, problem);
    if (!rc && other.makespan < plan->makespan)
        flux_plan_copy(plan, &other, problem);
    return rc == FLUX_E_MEMORY ? rc : FLUX_OK;
}

int flux_formulation_decode(const struct flux_formulation *formulation, const struct flux_problem *problem,
                            const double *values, struct flux_plan *plan)
{
    struct flux_arena arena;
    flux_arena_init(&arena, problem->arena.memory);
    uint32_t *order = flux_arena_alloc(&arena, problem->nodes, sizeof *order);
    int rc = order ? read_switches(formulation, problem, values, plan) : FLUX_E_MEMORY;
    if (!rc)
        rc = read_order(formulation, problem, values, order, &arena);
    if (!rc && problem->staged) {
        for (uint32_t v = 0; v < problem->nodes; v++)
            plan->start[v] = 0;
        rc = place_staged(formulation, problem, values, order, plan, &arena);
    } else if (!rc) {
        for (uint32_t i = 0; i < problem->nodes; i++)
            plan->start[order[i]] = i;
        rc = flux_plan_shift(plan, problem, &arena);
    }
    flux_arena_free(&arena);
    return rc;
}
