/* SPDX-License-Identifier: Apache-2.0
 *
 * bound/mirror.h - queues that can change places without anything changing: the circuits g -> h and h -> g of two
 * GPUs that do the same. Of two states that are each other's mirror image one is enough.
 */
#ifndef FLUX_BOUND_MIRROR_H
#define FLUX_BOUND_MIRROR_H

#include "bound/label_state.h"

/* Finds the exchanges of circuits that leave every duration, head, tail and lag as it is. No queue is in two. */
void flux_mirrors_find(const struct flux_queues *queues, struct flux_mirrors *mirrors);

/* Puts the state in place of its mirror images: the same for all of them where their counts and times tell them apart.
 * Ports are in order before and after. Sets `flips` to the exchanges made. */
void flux_mirror_state(const struct flux_queues *queues, const struct flux_mirrors *mirrors,
                       struct flux_label_state *state);

/* Where a position is after these exchanges. */
uint32_t flux_mirror_position(const struct flux_queues *queues, const struct flux_mirrors *mirrors, uint32_t flips,
                              uint32_t position);

#endif
