/* SPDX-License-Identifier: Apache-2.0
 *
 * schedule/port_share.h - do sends fit on the links of one GPU, counted as docs/certificates.md does for `port-share`?
 */
#ifndef FLUX_SCHEDULE_PORT_SHARE_H
#define FLUX_SCHEDULE_PORT_SHARE_H

#include "base/wide.h"
#include "schedule/port_sum.h"

/* Is only one direction of each pair among `count` sends of `gpu`? It need not be but under DUPLEX. Errors (told):
 * MEMORY; MISMATCH where it is not. */
int flux_port_one_way(const struct flux_lengths *lengths, uint32_t gpu, const uint32_t *vertices, uint64_t count,
                      struct flux_arena *scratch);

/* 1 where counting does not rule out that each link is done with its share of `count` sends, which all touch `gpu`,
 * after `time`; 0 where it does. Errors (told): MEMORY; MISMATCH where both directions of a pair are among the sends
 * under DUPLEX, or they are too many to count. */
int flux_port_share_fits(const struct flux_lengths *lengths, uint32_t gpu, const uint32_t *vertices, uint64_t count,
                         flux_wide time, const struct flux_memory *memory);

/* Raises `time` to what the sends of a lift, with the sums `port`, need by counting, where that is more: of all
 * durations d among them, the most that is needed by those of at least d, each as if it took d. Not under DUPLEX.
 * Errors (told): MEMORY; MISMATCH where they are too many. */
int flux_port_share_raise(const struct flux_lengths *lengths, uint32_t gpu, const uint32_t *vertices, uint64_t count,
                          const struct flux_port_sum *port, const struct flux_memory *memory, flux_wide *time);

#endif
