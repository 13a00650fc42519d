/* SPDX-License-Identifier: Apache-2.0
 *
 * symmetry/colours.h - what looks alike: nodes and GPUs that no automorphism can map on each other get different
 * colours. Colour refinement with hashes in place of sets: equal colours are a guess that others verify.
 */
#ifndef FLUX_SYMMETRY_COLOURS_H
#define FLUX_SYMMETRY_COLOURS_H

#include "model/problem.h"

struct flux_colours {
    uint32_t *node; /* by node: its colour, 0 and up */
    uint64_t *gpu;  /* by GPU */
    /* Sends by GPU and direction: those that GPU g sends from first[2 * g], those that it receives from
     * first[2 * g + 1], each by colour, then by number; 2 * gpus + 1 of them. */
    uint64_t *first;
    uint32_t *send;
};

/* Everything lives in `arena`. A few passes over nodes and arcs, and one radix sort. Errors: MEMORY. */
int flux_colours_find(const struct flux_problem *problem, struct flux_arena *arena, struct flux_colours *colours);

#endif
