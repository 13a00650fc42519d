/* SPDX-License-Identifier: Apache-2.0
 *
 * search/batches.h - sends that are alike, and in how many rounds they can go.
 *
 * A class is the sends with equal head, tail and duration: in training, one step of a collective in all its copies. No
 * arc leads from one to another. A batch is the sends of a class that hang together through their GPUs: one copy. Its
 * circuits are coloured into rounds, in which none compete: matchings.
 */
#ifndef FLUX_SEARCH_BATCHES_H
#define FLUX_SEARCH_BATCHES_H

#include "model/problem.h"

struct flux_batches {
    uint32_t classes;
    uint32_t count; /* of batches */
    uint32_t rounds;
    uint32_t padding;
    uint32_t *of;          /* by node: its batch; FLUX_NONE for a join */
    uint32_t *class_first; /* by class: its batches, from class_first[c] to class_first[c + 1] */
    uint32_t *first;       /* by batch: its rounds */
    uint32_t *round_first; /* by round: its sends in `send` */
    uint32_t *send;
    int64_t *again; /* by node: the latest start, counted from the end, of the next class in order of latest start that
                       has a send of its circuit; FLUX_TIME_MAX: none */
};

/* Everything lives in `arena`. Near-linear but for colouring. Errors: MEMORY. */
int flux_batches_make(const struct flux_problem *problem, struct flux_arena *arena, struct flux_batches *batches);

#endif
