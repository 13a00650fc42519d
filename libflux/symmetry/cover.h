/* SPDX-License-Identifier: Apache-2.0
 *
 * symmetry/cover.h - a problem folded: GPUs and nodes in classes, such that whatever schedule the classes have, all
 * their members can have too.
 *
 * All nodes of a class are alike and wait for the same classes with the same lags; at no GPU two sends of one class
 * meet; and two sends of a GPU use the same circuit where their classes do. Then members start when their class does,
 * on its switch: their ports see what the ports of the class see. In the language of graphs the problem covers its
 * quotient.
 */
#ifndef FLUX_SYMMETRY_COVER_H
#define FLUX_SYMMETRY_COVER_H

#include "symmetry/generators.h"

struct flux_cover {
    uint32_t gpus;  /* classes of GPUs */
    uint32_t nodes; /* classes of nodes, numbered by their first members: an arc leads to a larger number */
    uint32_t *gpu;  /* by GPU: its class */
    uint32_t *node; /* by node */
};

/* The classes that powers of the generators give, the least power of each that keeps a cover. Where there is none,
 * every node is a class. Everything lives in `arena`; linear. Errors: MEMORY. */
int flux_cover_find(const struct flux_problem *problem, const struct flux_generators *generators,
                    struct flux_arena *arena, struct flux_cover *cover);

/* Is it one, whoever made it? Linear. Errors: MEMORY. */
int flux_cover_holds(const struct flux_problem *problem, const struct flux_cover *cover, struct flux_arena *scratch,
                     int *holds);

#endif
