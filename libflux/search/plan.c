/* SPDX-License-Identifier: Apache-2.0 */
#include "search/plan.h"

#include <libflux/error.h>
#include <string.h>

int flux_plan_alloc(struct flux_plan *plan, const struct flux_problem *problem, struct flux_arena *arena)
{
    plan->makespan = -1;
    plan->switch_of = flux_arena_alloc(arena, problem->nodes, sizeof *plan->switch_of);
    plan->start = flux_arena_alloc(arena, problem->nodes, sizeof *plan->start);
    return plan->switch_of && plan->start ? FLUX_OK : FLUX_E_MEMORY;
}

void flux_plan_copy(struct flux_plan *to, const struct flux_plan *from, const struct flux_problem *problem)
{
    to->makespan = from->makespan;
    memcpy(to->switch_of, from->switch_of, problem->nodes * sizeof *to->switch_of);
    memcpy(to->start, from->start, problem->nodes * sizeof *to->start);
}

void flux_plan_measure(struct flux_plan *plan, const struct flux_problem *problem)
{
    plan->makespan = problem->floor;
    for (uint32_t v = 0; v < problem->nodes; v++) {
        int64_t end = flux_plan_end(plan, problem, v) + problem->rest[v];
        plan->makespan = end > plan->makespan ? end : plan->makespan;
    }
}
