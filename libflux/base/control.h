/* SPDX-License-Identifier: Apache-2.0
 *
 * base/control.h - one run's limits: deadline, work, cancel token, progress. Engines poll it; solve/ owns it.
 */
#ifndef FLUX_BASE_CONTROL_H
#define FLUX_BASE_CONTROL_H

#include "base/memory.h"

#include <libflux/schedule.h>

struct flux_control {
    const struct flux_memory *memory;
    const struct flux_options *options;
    uint64_t begin_ns;
    uint64_t deadline_ns; /* UINT64_MAX: none */
    uint64_t work;
    uint64_t work_limit; /* UINT64_MAX: none */
    uint64_t last_progress_ns;
    uint32_t phase;
    uint32_t stopped; /* FLUX_STOPPED_*, once not DONE it stays */
    int64_t makespan; /* best so far, -1: none */
    int64_t bound;
};

void flux_control_begin(struct flux_control *control, const struct flux_memory *memory,
                        const struct flux_options *options);

/* Adds to the work done, looks at cancel token, deadline and work limit, and calls the progress callback where it is
 * due. Non-zero (FLUX_STOPPED_*) when the run must end. Cheap; call it about every 1,000 placements. */
uint32_t flux_control_poll(struct flux_control *control, uint64_t work);

/* Tells a new phase, or that makespan or bound improved: calls progress at once. The same return. */
uint32_t flux_control_tell(struct flux_control *control, uint32_t phase);

/* One in `share` of what is left of the limits: the steps that its work allows, at `per_work` steps a unit, but no more
 * than `steps`; and when its time is over, UINT64_MAX without a limit on time. */
uint64_t flux_control_share_steps(const struct flux_control *control, uint64_t share, uint64_t per_work,
                                  uint64_t steps);
uint64_t flux_control_share_deadline(const struct flux_control *control, uint64_t share);

/* 1 where makespan and bound are equal or within the wanted gap; sets `stopped`. */
int flux_control_good_enough(struct flux_control *control);

#endif
