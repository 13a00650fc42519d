/* SPDX-License-Identifier: Apache-2.0
 *
 * search/sequence.h - the order in which nodes are placed, and the direction in which time runs meanwhile.
 */
#ifndef FLUX_SEARCH_SEQUENCE_H
#define FLUX_SEARCH_SEQUENCE_H

#include "model/problem.h"

/* A problem read forward, or mirrored in time: successors become predecessors, releases and rests change places. */
struct flux_direction {
    const uint64_t *before_first; /* arcs to the nodes that must be placed before */
    const struct flux_arc *before;
    const uint64_t *after_first;
    const struct flux_arc *after;
    const int64_t *release;
    const int64_t *rest;
    int mirrored;
};

static inline struct flux_direction flux_direction_of(const struct flux_problem *problem, int mirrored)
{
    if (mirrored)
        return (struct flux_direction){
            problem->out_first, problem->out, problem->in_first, problem->in, problem->rest, problem->release, 1};
    return (struct flux_direction){
        problem->in_first, problem->in, problem->out_first, problem->out, problem->release, problem->rest, 0};
}

/* Sorts `order` (numbers of `key`) by ascending key; equal keys stay in their order. Radix sort, linear. Errors:
 * MEMORY. */
int flux_sequence_sort(uint32_t *order, uint32_t count, const int64_t *key, struct flux_arena *scratch);

/* All nodes by ascending priority, but none before those that must be placed before it: the order in which a queue of
 * eligible nodes, smallest priority first, is emptied. Ties go by number (mirrored: by falling number), or at random
 * where `seed` is not 0. Errors: MEMORY. */
int flux_sequence_make(const struct flux_problem *problem, const struct flux_direction *direction,
                       const int64_t *priority, uint64_t seed, uint32_t *order, struct flux_arena *scratch);

#endif
