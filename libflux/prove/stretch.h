/* SPDX-License-Identifier: Apache-2.0
 *
 * prove/stretch.h - a stretch of a schedule as a problem of its own: its sends may move, those before and after stay.
 */
#ifndef FLUX_PROVE_STRETCH_H
#define FLUX_PROVE_STRETCH_H

#include "prove/encode.h"

struct flux_stretch {
    struct flux_problem piece; /* its node i is nodes[i] of the whole */
    struct flux_frame frame;
    struct flux_plan plan; /* of the piece */
    uint32_t *nodes;
    uint32_t count;
    int64_t *tail;  /* by node of the whole: from its start to the end of everything, where it is after */
    uint8_t *where; /* by node of the whole: FLUX_BEFORE, FLUX_INSIDE or FLUX_AFTER */
    int hopeless;   /* outside it is as long as the plan is */
};

#define FLUX_BEFORE 0u
#define FLUX_INSIDE 1u
#define FLUX_AFTER 2u

/* `order` has all nodes by start; those from `first` on and before `end` are inside. `latest` is flux_plan_latest().
 * frame.fixed is all 0, for the caller to set. Errors: MEMORY. */
int flux_stretch_make(const struct flux_problem *whole, const struct flux_plan *plan, const int64_t *latest,
                      const uint32_t *order, uint32_t first, uint32_t end, struct flux_arena *arena,
                      struct flux_stretch *stretch);

/* Makes `plan`, of which the stretch was made, the one with the stretch as `piece` has it. Errors: MEMORY. */
int flux_stretch_put(const struct flux_stretch *stretch, const struct flux_problem *whole,
                     const struct flux_plan *piece, struct flux_plan *plan, struct flux_arena *scratch);

#endif
