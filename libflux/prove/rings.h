/* SPDX-License-Identifier: Apache-2.0
 *
 * prove/rings.h - a lower bound from the last collectives of a few GPUs, searched to the end.
 *
 * A GPU of a ring sends and receives on two circuits, and where it has one link to spare for them, so have its
 * neighbours: they must agree on which circuits are up, which no bound of a single GPU sees. Here the last collectives
 * of a ring are searched with what else its GPUs carry at that time, cut down to the first and the last send of each
 * circuit.
 */
#ifndef FLUX_PROVE_RINGS_H
#define FLUX_PROVE_RINGS_H

#include "bound/bound.h"
#include "search/plan.h"

#define FLUX_RINGS_STEPS (UINT64_C(1) << 28) /* where they raise the bound; a part of it where they do not */

/* Raises `value` towards the makespan of `plan`, with more collectives each time, in at most `steps`, with a limit on
 * time as many as there is time for, and at most a quarter of what is left of the limits. What `value` then points to
 * lives in `arena`. For any rule and fabric. Errors: MEMORY. */
int flux_rings_improve(const struct flux_problem *problem, struct flux_control *control, uint64_t steps,
                       struct flux_arena *arena, const struct flux_plan *plan, struct flux_bound_value *value);

#endif
