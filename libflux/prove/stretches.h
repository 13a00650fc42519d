/* SPDX-License-Identifier: Apache-2.0
 *
 * prove/stretches.h - a better plan by solving parts of it to the end, one after the other.
 *
 * Large neighbourhoods (Shaw, CP 1998): the sends of a stretch of time are put on other switches and in another order,
 * all or only those at a few GPUs, by the search that prove/prove.h describes; everything before and after stays. How
 * large a part is follows from whether the last ones were searched to the end.
 */
#ifndef FLUX_PROVE_STRETCHES_H
#define FLUX_PROVE_STRETCHES_H

#include "base/control.h"
#include "base/random.h"
#include "search/plan.h"

struct flux_stretches {
    struct flux_random random;
    uint32_t size[2];  /* sends that may move: of all GPUs, of some */
    uint64_t spent[2]; /* steps on each */
    uint64_t turns;
    uint64_t steps;
    uint64_t improved;
};

/* Improves `plan` in about `steps` steps, until it meets `bound`, by `deadline_ns` (UINT64_MAX: none) at the latest,
 * and until `control` says stop. Goes on with `stretches`, all 0 but for a seed at first. Does nothing where order and
 * switches do not decide a plan. Errors: MEMORY. */
int flux_stretches_improve(const struct flux_problem *problem, struct flux_control *control, uint64_t steps,
                           uint64_t deadline_ns, int64_t bound, struct flux_plan *plan,
                           struct flux_stretches *stretches);

#endif
