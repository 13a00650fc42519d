/* SPDX-License-Identifier: Apache-2.0
 *
 * io/lanes.h - intervals that may overlap onto lanes where they do not: each takes the lowest lane that is free.
 *
 * Interval partitioning: as many lanes as intervals overlap at the worst time, in O(log lanes) per interval.
 */
#ifndef FLUX_IO_LANES_H
#define FLUX_IO_LANES_H

#include "io/memory.h"

struct flux_io_lanes {
    const struct flux_io_memory *memory;
    struct flux_io_lane_end *busy; /* heap by end, then lane */
    uint32_t *idle;                /* heap by number: lanes that were used and are free again */
    uint64_t busy_capacity;
    uint64_t idle_capacity;
    uint32_t busy_count;
    uint32_t idle_count;
};

/* `memory` must outlive the lanes. */
void flux_io_lanes_init(struct flux_io_lanes *lanes, const struct flux_io_memory *memory);
void flux_io_lanes_free(struct flux_io_lanes *lanes);

/* All lanes are free again, for the next set of intervals. */
void flux_io_lanes_clear(struct flux_io_lanes *lanes);

/* The lane of [start, end), `start` no less than that of the interval before. 0 or FLUX_E_MEMORY. */
int flux_io_lanes_take(struct flux_io_lanes *lanes, int64_t start, int64_t end, uint32_t *lane);

/* How many lanes were needed since the last clear. */
uint32_t flux_io_lanes_count(const struct flux_io_lanes *lanes);

#endif
