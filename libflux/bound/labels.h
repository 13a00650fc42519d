/* SPDX-License-Identifier: Apache-2.0
 *
 * bound/labels.h - the best that the ports of one GPU side can do with their queues: a dynamic program over what has
 * started, sends placed in order of start, with dominated states left out.
 */
#ifndef FLUX_BOUND_LABELS_H
#define FLUX_BOUND_LABELS_H

#include "base/control.h"
#include "bound/label_state.h"

#define FLUX_LABELS_STEPS_PER_WORK 16u

#define FLUX_LABELS_DONE 0  /* looked at everything up to the limit */
#define FLUX_LABELS_SPENT 1 /* steps, time, memory or the caller ended it: nothing is proven */

struct flux_labels_limits {
    struct flux_control *control;
    uint64_t deadline_ns; /* UINT64_MAX: none */
    uint64_t steps;       /* what is left of them; each run takes its part */
    uint32_t width;       /* labels of one level that go on, at most; few once half of the steps are gone */
};

/* One send of the best sequence. */
struct flux_labels_step {
    int64_t start;
    uint32_t position; /* in the queues */
    uint32_t padding;
};

struct flux_labels_result {
    uint32_t outcome;               /* FLUX_LABELS_ */
    uint32_t reached;               /* 1: there is a sequence that ends by the limit */
    int64_t end;                    /* reached: when the best sequence seen ends */
    struct flux_labels_step *steps; /* reached: one per position, in the arena; else NULL */
};

/* Is there a sequence that ends by `limit`? Errors: MEMORY. */
int flux_labels_run(const struct flux_queues *queues, const struct flux_windows *windows, int64_t limit,
                    struct flux_labels_limits *limits, struct flux_arena *arena, struct flux_labels_result *result);

#endif
