/* SPDX-License-Identifier: Apache-2.0
 *
 * search/colour.h - circuits into as few switch states as possible, so that none of a state compete: edge colouring.
 */
#ifndef FLUX_SEARCH_COLOUR_H
#define FLUX_SEARCH_COLOUR_H

#include "base/memory.h"

#include <libflux/fabric.h>

struct flux_colouring {
    uint32_t rule; /* FLUX_RULE_* */
    uint32_t gpus;
    uint32_t limit; /* no more states than this, at least 1 */
    const uint8_t
        *possible;   /* by circuit and state (circuit * limit + state): 0 where it cannot be; NULL: everywhere */
    uint32_t *state; /* out, by circuit: 0 .. limit - 1, or FLUX_NONE where none was found */
    uint32_t used;   /* out: states that have a circuit, counted from 0 */
};

/* One circuit after another into a state that has room, or makes room along an alternating path (Koenig, 1916). No
 * circuit is given twice; their switches are not looked at. Finds the fewest states where the rule is SIMPLEX and
 * everything is possible, and for paths and rings of circuits under every rule; else sometimes one more. Errors:
 * MEMORY. */
int flux_colour(struct flux_colouring *colouring, const struct flux_circuit_name *circuits, uint64_t count,
                struct flux_arena *arena);

#endif
