/* SPDX-License-Identifier: Apache-2.0
 *
 * search/lockstep.h - the problem in which all copies go in lockstep: much smaller, and any schedule of it is one of
 * the whole.
 *
 * The sends of one round of a class, in all its batches, do not compete and are alike. In lockstep they start together
 * on the same switch, so that they are one send of a smaller problem. All of its sends share one GPU: it has a port to
 * each switch, and two rounds follow each other there without a delay only if their circuits are the same.
 */
#ifndef FLUX_SEARCH_LOCKSTEP_H
#define FLUX_SEARCH_LOCKSTEP_H

#include "search/batches.h"
#include "search/plan.h"

struct flux_lockstep {
    struct flux_problem problem; /* 0 nodes: going in lockstep makes nothing smaller, or the fabric forbids it */
    uint32_t *node;              /* by node of the whole: the one that it goes with */
    uint32_t *first;             /* by node of the problem: one that goes with it */
};

/* Everything lives in the problem's arena. Heads, tails and lags are those of the whole. Initial circuits are left out;
 * problems with stages or with durations that depend on the switch are none for lockstep. Near-linear. Errors:
 * MEMORY. */
int flux_lockstep_make(const struct flux_problem *whole, const struct flux_batches *batches,
                       struct flux_lockstep *lockstep);
void flux_lockstep_free(struct flux_lockstep *lockstep);

/* A plan of the whole from one of the problem, shifted to the left. Errors: MEMORY. */
int flux_lockstep_unfold(const struct flux_lockstep *lockstep, const struct flux_problem *whole,
                         const struct flux_plan *plan, struct flux_plan *unfolded);

#endif
