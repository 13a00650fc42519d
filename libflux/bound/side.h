/* SPDX-License-Identifier: Apache-2.0
 *
 * bound/side.h - the sends of each side of each GPU in order of head and of tail, and which switches can carry them.
 *
 * A side is what its sends compete for: all ports of one GPU, or, under SIMPLEX, its transmitters or its receivers.
 */
#ifndef FLUX_BOUND_SIDE_H
#define FLUX_BOUND_SIDE_H

#include "model/problem.h"

#include <libflux/certificate.h>

struct flux_sides {
    uint32_t count;    /* one per GPU; under SIMPLEX transmit and receive of GPU g are sides 2 * g and 2 * g + 1 */
    uint32_t most;     /* sends of the fullest side */
    uint64_t *first;   /* by side, count + 1 of them: where its sends are in the two below */
    uint32_t *by_head; /* nodes, largest head first; equal ones by number */
    uint32_t *by_tail; /* nodes, largest tail first; equal ones by number */

    /* Sets of switches: bit k % 64 of word k / 64, `words` words each. */
    uint32_t words;
    uint32_t sets;    /* how many distinct ones there are among the sends */
    uint64_t *set;    /* by set */
    uint32_t *set_of; /* by node: the switches that can carry it; NULL: set 0 for every send, all switches */
};

/* Everything lives in `arena`; O(nodes * switches) where switches differ, else O(nodes). 0 or FLUX_E_MEMORY. */
int flux_sides_find(const struct flux_problem *problem, struct flux_arena *arena, struct flux_sides *sides);

static inline uint32_t flux_side_gpu(const struct flux_problem *problem, uint32_t side)
{
    return problem->rule == FLUX_RULE_SIMPLEX ? side / 2 : side;
}

static inline uint32_t flux_side_name(const struct flux_problem *problem, uint32_t side)
{
    if (problem->rule != FLUX_RULE_SIMPLEX)
        return FLUX_SIDE_BOTH;
    return side % 2 ? FLUX_SIDE_RECEIVE : FLUX_SIDE_TRANSMIT;
}

static inline const uint64_t *flux_side_set(const struct flux_sides *sides, uint32_t node)
{
    return sides->set + (uint64_t)(sides->set_of ? sides->set_of[node] : 0) * sides->words;
}

#endif
