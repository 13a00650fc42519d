/* SPDX-License-Identifier: Apache-2.0
 *
 * prove/skeleton.h - the sends that hold the circuits of a problem up, by themselves few enough for an exact search.
 *
 * Of the sends of one circuit, those whose window from head to tail holds that of no other one; they follow one
 * another. And of a run of them too short to change to another circuit and back, the first and the last: what lies
 * between would not leave the port to others anyway.
 */
#ifndef FLUX_PROVE_SKELETON_H
#define FLUX_PROVE_SKELETON_H

#include "base/memory.h"
#include "model/problem.h"

/* Sets inside[v], by node, to 1 for these and to 0 for all others. Errors: MEMORY. */
int flux_skeleton_mark(const struct flux_problem *problem, struct flux_arena *scratch, uint8_t *inside);

#endif
