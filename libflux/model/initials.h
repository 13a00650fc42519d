/* SPDX-License-Identifier: Apache-2.0
 *
 * model/initials.h - circuits that are up at time 0: do they form a state, and which sends must wait for them.
 */
#ifndef FLUX_MODEL_INITIALS_H
#define FLUX_MODEL_INITIALS_H

#include "model/fabric.h"
#include "model/problem.h"

/* Copies the fabric's initial circuits into `problem`, and raises the release of every send that competes with another
 * initial circuit on each switch that can carry it. Errors: MISMATCH (two of one switch compete), MEMORY. */
int flux_initials_apply(const struct flux_fabric *fabric, struct flux_problem *problem, struct flux_arena *scratch,
                        struct flux_error *error);

#endif
