/* SPDX-License-Identifier: Apache-2.0
 *
 * symmetry/automorphism.h - a map of a problem on itself: GPUs on GPUs, nodes on nodes, that changes nothing but names.
 */
#ifndef FLUX_SYMMETRY_AUTOMORPHISM_H
#define FLUX_SYMMETRY_AUTOMORPHISM_H

#include "symmetry/colours.h"

struct flux_automorphism {
    uint32_t *gpu;  /* by GPU: where it goes */
    uint32_t *node; /* by node */
};

/* Room for a map, and the map of everything on nothing (FLUX_NONE). Errors: MEMORY. */
int flux_automorphism_alloc(const struct flux_problem *problem, struct flux_arena *arena,
                            struct flux_automorphism *map);
void flux_automorphism_clear(const struct flux_problem *problem, struct flux_automorphism *map);

/* Maps GPU `from` on `to`, and whatever follows from that: the sends of a GPU go on those of its image, in order of
 * their colours, and take the GPUs at their other ends along. 0 where that leads to a contradiction. `queue` has room
 * for every GPU. */
int flux_automorphism_follow(const struct flux_problem *problem, const struct flux_colours *colours, uint32_t from,
                             uint32_t to, uint32_t *queue, struct flux_automorphism *map);

/* Joins go where the sends around them go. What has no image yet stays where it is. */
void flux_automorphism_complete(const struct flux_problem *problem, const struct flux_colours *colours,
                                struct flux_automorphism *map);

/* Is it one? Looks at every GPU, node and arc, whatever was guessed before. Linear; on fabrics whose switches differ by
 * GPU only what that means for sends counts. Errors: MEMORY. */
int flux_automorphism_holds(const struct flux_problem *problem, const struct flux_automorphism *map,
                            struct flux_arena *scratch, int *holds);

#endif
