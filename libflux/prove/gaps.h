/* SPDX-License-Identifier: Apache-2.0
 *
 * prove/gaps.h - all other sends into the gaps that a schedule of some of them leaves.
 */
#ifndef FLUX_PROVE_GAPS_H
#define FLUX_PROVE_GAPS_H

#include "search/plan.h"

struct flux_gaps {
    uint32_t *node; /* sends that found no room, those that had to start first first */
    uint32_t count;
    struct flux_plan plan; /* of the whole, where all found room */
};

/* `relaxed` says when and where the sends `inside` run. Each other one is put where it ends first, in order of how late
 * it could start at most for everything to end by `limit`. Errors: MEMORY. */
int flux_gaps_fill(const struct flux_problem *problem, const uint8_t *inside, const struct flux_plan *relaxed,
                   int64_t limit, struct flux_arena *arena, struct flux_gaps *gaps);

#endif
