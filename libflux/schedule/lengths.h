/* SPDX-License-Identifier: Apache-2.0
 *
 * schedule/lengths.h - durations, heads and tails of the user's graph on the user's fabric, as docs/certificates.md
 * defines them. For what checks certificates; bounds have their own, on the problem.
 */
#ifndef FLUX_SCHEDULE_LENGTHS_H
#define FLUX_SCHEDULE_LENGTHS_H

#include "schedule/precedence.h"
#include "schedule/radix.h"

struct flux_lengths {
    const struct flux_graph *graph;
    const struct flux_fabric *fabric;
    struct flux_error *error;
    struct flux_arena *arena; /* has everything below */
    struct flux_precedence precedence;
    uint32_t rule;
    uint32_t switches;
    int64_t *duration; /* by vertex: its own; of a send without one, the least over the switches that can carry it */
    int64_t *head;     /* by vertex: no schedule starts it earlier */
    int64_t *tail;     /* by vertex: no schedule ends earlier than this after its end */
    struct flux_keyed *initial_ends; /* of initial circuits, by switch and GPU */
    uint64_t initial_end_count;
};

/* Linear in vertices times switches, and edges. Errors: CYCLE, MEMORY, MISMATCH (numbers of GPUs differ; a send that no
 * switch can carry), OVERFLOW. */
int flux_lengths_compute(const struct flux_graph *graph, const struct flux_fabric *fabric, struct flux_arena *arena,
                         struct flux_lengths *lengths, struct flux_error *error);

/* 1 where switch k can carry a send from `src` to `dst`. */
int flux_lengths_carry(const struct flux_lengths *lengths, uint32_t k, uint32_t src, uint32_t dst);

#endif
