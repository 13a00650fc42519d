/* SPDX-License-Identifier: Apache-2.0
 *
 * prove/ring_sends.h - which sends of a ring's GPUs are worth a search.
 *
 * Circuits are of one kind where they carry sends of the same durations. A ring is what circuits of one kind join with
 * the fullest GPU; a collective is what arcs without a lag join, of one kind.
 */
#ifndef FLUX_PROVE_RING_SENDS_H
#define FLUX_PROVE_RING_SENDS_H

#include "base/memory.h"
#include "model/problem.h"

#define FLUX_RING_GPUS_MAX 16u
#define FLUX_RINGS_MAX 4u

/* A send of a ring's GPU, in the order in which they are chosen. */
struct flux_ring_row {
    int64_t head;        /* of its collective */
    uint32_t gpu;        /* FLUX_NONE: of the ring itself */
    uint32_t collective; /* some number */
    uint32_t circuit;
    uint32_t node;
};

struct flux_ring {
    struct flux_ring_row *rows;
    uint32_t count;
    uint32_t collectives; /* of the ring itself */
};

struct flux_ring_list {
    uint32_t count;
    struct flux_ring ring[FLUX_RINGS_MAX];
};

/* The rings of the fullest GPU, in `arena`; `steps` is raised by what was looked at. Errors: MEMORY. */
int flux_rings_find(const struct flux_problem *problem, struct flux_arena *arena, struct flux_ring_list *list,
                    uint64_t *steps);

/* The sends of the last `collectives` of the ring, and the first and last send on each circuit of the last few others
 * of each GPU, ascending; 0 where they are more than `most`. `chosen` is 0 for every node, before and after. */
uint32_t flux_ring_choose(const struct flux_problem *problem, const struct flux_ring *ring, uint32_t collectives,
                          uint32_t most, uint8_t *chosen, uint32_t *nodes);

#endif
