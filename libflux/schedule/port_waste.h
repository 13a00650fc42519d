/* SPDX-License-Identifier: Apache-2.0
 *
 * schedule/port_waste.h - the time that the links of a GPU must leave unused between rounds of its queues, as
 * docs/certificates.md defines it. For what checks certificates; the search for bounds has its own.
 */
#ifndef FLUX_SCHEDULE_PORT_WASTE_H
#define FLUX_SCHEDULE_PORT_WASTE_H

#include "schedule/port_queue.h"

#define FLUX_PORT_WASTE_LINKS 4u
#define FLUX_PORT_WASTE_MISSING 3u

struct flux_port_waste {
    uint32_t queues;   /* a set; empty: nothing is known to be wasted */
    uint32_t circuits; /* theirs, a set */
    uint32_t rounds;
    uint32_t padding;
    uint32_t *place; /* by round: position in each queue of the set */
    int64_t *least;  /* by round to come, links that have one of the circuits, other circuits that are missing */
};

/* The queues whose rounds waste most, in `arena`. Errors: MEMORY. */
int flux_port_waste_find(const struct flux_port_queues *queues, struct flux_arena *arena,
                         struct flux_port_waste *waste);

/* From the round of which nothing has begun, `gone` being how many of each queue have. `circuit` is by link, `fresh`
 * where it has had none. */
int64_t flux_port_waste_left(const struct flux_port_queues *queues, const struct flux_port_waste *waste,
                             const uint16_t *gone, const uint8_t *circuit, uint8_t fresh);

#endif
