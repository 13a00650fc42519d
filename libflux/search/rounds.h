/* SPDX-License-Identifier: Apache-2.0
 *
 * search/rounds.h - the circuits of one batch in rounds: sets of circuits that do not compete.
 */
#ifndef FLUX_SEARCH_ROUNDS_H
#define FLUX_SEARCH_ROUNDS_H

#include "base/memory.h"

#include <libflux/fabric.h>

/* `circuits` are different; `round[c]` becomes 0 .. *used - 1. All pairs of a group (all-to-all) fall into the
 * matchings of a one-factorisation, each in two orientations (the circle method; see Wallis, One-Factorizations, 1997),
 * such that the circuits of the ring through the GPUs in order of their numbers are two of them; under SIMPLEX, into
 * rotations. Everything else is coloured as flux_colour() does. Errors: MEMORY. */
int flux_rounds_find(uint32_t rule, const struct flux_circuit_name *circuits, uint32_t count, uint32_t *round,
                     uint32_t *used, struct flux_arena *arena);

#endif
