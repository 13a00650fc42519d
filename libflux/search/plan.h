/* SPDX-License-Identifier: Apache-2.0
 *
 * search/plan.h - what every engine returns: for each node of a problem a switch and a start.
 */
#ifndef FLUX_SEARCH_PLAN_H
#define FLUX_SEARCH_PLAN_H

#include "model/problem.h"

/* No time in a plan overflows, nor does a sum of two and a delay: flux_problem_build() has seen to it that all nodes
 * one after another fit. */
struct flux_plan {
    int64_t makespan;    /* max(end + rest) over nodes, and the problem's floor */
    uint32_t *switch_of; /* by node; FLUX_NONE for a join */
    int64_t *start;      /* by node */
};

/* Room for a plan of `problem` in `arena`. 0 or FLUX_E_MEMORY. */
int flux_plan_alloc(struct flux_plan *plan, const struct flux_problem *problem, struct flux_arena *arena);
void flux_plan_copy(struct flux_plan *to, const struct flux_plan *from, const struct flux_problem *problem);

/* End of a node, given its switch and start. */
static inline int64_t flux_plan_end(const struct flux_plan *plan, const struct flux_problem *problem, uint32_t node)
{
    uint32_t k = plan->switch_of[node];
    return plan->start[node] + (k == FLUX_NONE ? problem->duration[node] : flux_problem_duration(problem, node, k));
}

/* Sets the makespan from switches and starts. */
void flux_plan_measure(struct flux_plan *plan, const struct flux_problem *problem);

/* Left shift: keeps every switch and, on every port, the order of the starts; makes every start the earliest one that
 * these allow, and measures. The starts may come from a plan that breaks separations, as long as the order of competing
 * sends agrees with the arcs. Changes that stop a whole switch and dwell are not looked at: see search/staged.h.
 * Linear but for one radix sort. `scratch` is freed by its owner. Errors: MEMORY. */
int flux_plan_shift(struct flux_plan *plan, const struct flux_problem *problem, struct flux_arena *scratch);

/* Right shift: how late each node could start with the switches and the order on every port kept and the makespan no
 * longer. Times of a plan without stages; the same cost. search/slack.c. Errors: MEMORY. */
int flux_plan_latest(const struct flux_plan *plan, const struct flux_problem *problem, struct flux_arena *scratch,
                     int64_t *latest);

#endif
