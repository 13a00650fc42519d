/* SPDX-License-Identifier: Apache-2.0
 *
 * model/index.h - what of a problem follows from its nodes and the arcs into them. For those who build problems.
 */
#ifndef FLUX_MODEL_INDEX_H
#define FLUX_MODEL_INDEX_H

#include "model/problem.h"

/* Arcs by origin from those by target. Errors: MEMORY. */
int flux_problem_arcs_out(struct flux_problem *problem);

/* Numbers the circuits of all sends. Errors: MEMORY. */
int flux_problem_number_circuits(struct flux_problem *problem, struct flux_arena *scratch);

/* Sends by GPU. Errors: MEMORY. */
int flux_problem_find_touching(struct flux_problem *problem);

/* The arcs of both ends must be there. */
void flux_problem_set_heads_and_tails(struct flux_problem *problem);

#endif
