/* SPDX-License-Identifier: Apache-2.0
 *
 * schedule/port_sum.h - what a list of sends of one GPU side puts on its links, as docs/certificates.md counts it.
 */
#ifndef FLUX_SCHEDULE_PORT_SUM_H
#define FLUX_SCHEDULE_PORT_SUM_H

#include "base/wide.h"
#include "schedule/lengths.h"

#include <libflux/certificate.h>

struct flux_port_sum {
    flux_wide load;    /* P of docs/certificates.md */
    uint64_t circuits; /* f */
    uint32_t links;    /* s */
    int64_t delay;     /* the least of those links */
};

/* Is `side` one that the fabric's rule knows? */
int flux_port_side_exists(const struct flux_lengths *lengths, uint32_t side);

/* Is `v` a send that uses a port of this side of `gpu`? */
int flux_port_has(const struct flux_lengths *lengths, uint32_t gpu, uint32_t side, uint32_t v);

/* Sums up `count` sends that touch `gpu`. 0 or MEMORY (told). */
int flux_port_sum_find(const struct flux_lengths *lengths, uint32_t gpu, const uint32_t *vertices, uint64_t count,
                       const struct flux_memory *memory, struct flux_port_sum *sum);

/* P + delay * max(0, f - s). */
flux_wide flux_port_sum_setups(const struct flux_port_sum *sum);

#endif
