/* SPDX-License-Identifier: Apache-2.0
 *
 * schedule/port_share.h - do sends fit on the links of one GPU, counted as docs/certificates.md does for `port-share`?
 */
#ifndef FLUX_SCHEDULE_PORT_SHARE_H
#define FLUX_SCHEDULE_PORT_SHARE_H

#include "base/wide.h"
#include "schedule/lengths.h"

/* 1 where counting does not rule out that each link is done with its share of `count` sends, which all touch `gpu`,
 * after `time`; 0 where it does. Errors (told): MEMORY; MISMATCH where both directions of a pair are among the sends
 * under DUPLEX, or they are too many to count. */
int flux_port_share_fits(const struct flux_lengths *lengths, uint32_t gpu, const uint32_t *vertices, uint64_t count,
                         flux_wide time, const struct flux_memory *memory);

#endif
