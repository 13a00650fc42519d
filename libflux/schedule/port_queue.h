/* SPDX-License-Identifier: Apache-2.0
 *
 * schedule/port_queue.h - the queues of a port-sequence certificate, as docs/certificates.md defines them, from the
 * user's graph and fabric. For what checks certificates; the search for bounds has its own.
 */
#ifndef FLUX_SCHEDULE_PORT_QUEUE_H
#define FLUX_SCHEDULE_PORT_QUEUE_H

#include "schedule/lengths.h"
#include "schedule/port_sum.h"

#define FLUX_PORT_QUEUES 24u
#define FLUX_PORT_LINKS 16u

/* Positions of all queues stand one after another: queue q has first[q] .. first[q + 1] - 1. */
struct flux_port_queues {
    uint32_t count;
    uint32_t circuits;
    uint32_t links;
    uint32_t positions;
    int64_t delay;
    uint32_t first[FLUX_PORT_QUEUES + 1];
    uint32_t circuit[FLUX_PORT_QUEUES]; /* 0 .. circuits - 1 */
    int64_t *duration;                  /* by position */
    int64_t *head;
    int64_t *tail;
    int64_t *lag; /* lag[a * positions + b] from the start of position a to that of b; -1: none */
};

/* Everything lives in `arena`. Errors: MEMORY, MISMATCH (more queues, circuits or links than can be searched). */
int flux_port_queues_make(const struct flux_lengths *lengths, uint32_t gpu, const uint32_t *vertices, uint64_t count,
                          struct flux_arena *arena, struct flux_port_queues *queues);

/* Does some sequence of the queues end by `limit`? 1, 0, or an error: MEMORY, MISMATCH (the search is too large to
 * say). schedule/port_turns.c */
int flux_port_turns_end_by(const struct flux_port_queues *queues, int64_t limit, const struct flux_memory *memory,
                           struct flux_error *error);

#endif
