/* SPDX-License-Identifier: Apache-2.0
 *
 * prove/subset.h - a lower bound from a few sends: searched to the end with all others off the ports.
 *
 * Is there a schedule of these sends, by themselves, that is shorter than the best one known of all? If not, that one
 * is the best. If there is, the others are put where it leaves room for them, and those that find none join the few
 * (relaxed problems that grow by what they overlook: Dantzig, Fulkerson and Johnson, Operations Research 2, 1954).
 * Where all of them find room, that is a better schedule.
 */
#ifndef FLUX_PROVE_SUBSET_H
#define FLUX_PROVE_SUBSET_H

#include "bound/bound.h"
#include "search/plan.h"

struct flux_subset_answer {
    int improved; /* the plan is a better one */
    uint32_t rounds;
    uint64_t steps;
};

#define FLUX_SUBSET_GLANCE (UINT64_C(3) << 21) /* steps: for the makespan itself, and only while they are very few */
#define FLUX_SUBSET_QUICK (UINT64_C(1) << 23)  /* for the makespan itself alone */
#define FLUX_SUBSET_PROVE (UINT64_C(1) << 27)  /* about a second: then for what lies between */

/* Raises `value`, and may improve `plan`, until they meet. It takes at most `steps`, with a limit on time as many as
 * there is time for, and at most a quarter of what is left of the limits on time and work. What `value` then points to
 * lives in `arena`. Heads and tails are those of `lifted`; NULL: the problem's. For any rule and fabric. Errors:
 * MEMORY. */
int flux_subset_improve(const struct flux_problem *problem, const struct flux_lifted *lifted,
                        struct flux_control *control, uint64_t steps, struct flux_arena *arena, struct flux_plan *plan,
                        struct flux_bound_value *value, struct flux_subset_answer *answer);

#endif
