/* SPDX-License-Identifier: Apache-2.0
 *
 * symmetry/generators.h - automorphisms of a problem that move a GPU of the largest kind: along its circuits to GPUs
 * that look alike, and from one part of the problem to the next.
 */
#ifndef FLUX_SYMMETRY_GENERATORS_H
#define FLUX_SYMMETRY_GENERATORS_H

#include "symmetry/automorphism.h"

#define FLUX_GENERATORS_MOST 8u

struct flux_generators {
    uint32_t count;
    struct flux_automorphism map[FLUX_GENERATORS_MOST];
};

/* Tries 16 images at most, so it is linear; not all automorphisms are found, but what is found is one. Everything lives
 * in `arena`. Errors: MEMORY. */
int flux_generators_find(const struct flux_problem *problem, struct flux_arena *arena,
                         struct flux_generators *generators);

#endif
