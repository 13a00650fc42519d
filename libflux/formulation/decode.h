/* SPDX-License-Identifier: Apache-2.0
 *
 * formulation/decode.h - between the two files that turn values into plans.
 */
#ifndef FLUX_FORMULATION_DECODE_H
#define FLUX_FORMULATION_DECODE_H

#include "formulation/formulation.h"

/* Starts of `plan`, whose switches are set, on a staged fabric: nodes in `order`, and the changes that this order needs
 * among them by their `moment` against `start` (both in units of `unit` ps). Once the order of all these events is
 * fixed, every rule is a difference of two times bounded from below, so that the earliest times are a longest path.
 * Moments nearer than half a dwell are one moment. What comes out breaks no rule.
 * Errors: MEMORY, OVERFLOW. formulation/moments.c */
int flux_moments_place(const struct flux_problem *problem, const uint32_t *order, const int64_t *start,
                       const int64_t *moment, int64_t unit, struct flux_plan *plan, struct flux_arena *arena);

#endif
