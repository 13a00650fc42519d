/* SPDX-License-Identifier: Apache-2.0
 *
 * search/plan.h - what every engine returns: for each node of a problem a switch and a start.
 */
#ifndef FLUX_SEARCH_PLAN_H
#define FLUX_SEARCH_PLAN_H

#include "model/problem.h"

struct flux_plan {
    int64_t makespan;    /* max(end + rest) over nodes, and the problem's floor */
    uint32_t *switch_of; /* by node; FLUX_NONE for a join */
    int64_t *start;      /* by node */
};

/* Room for a plan of `problem` in `arena`. 0 or FLUX_E_MEMORY. */
int flux_plan_alloc(struct flux_plan *plan, const struct flux_problem *problem, struct flux_arena *arena);
void flux_plan_copy(struct flux_plan *to, const struct flux_plan *from, const struct flux_problem *problem);

#endif
