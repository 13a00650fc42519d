/* SPDX-License-Identifier: Apache-2.0
 *
 * backend/milp.h - mixed-integer programs held against what <libflux/backend.h> promises: before a backend sees one,
 * and when its point comes back.
 */
#ifndef FLUX_BACKEND_MILP_H
#define FLUX_BACKEND_MILP_H

#include "base/memory.h"

#include <libflux/backend.h>

/* Every promise of struct flux_milp, in O(columns + rows + entries). 0, FLUX_E_ARGUMENT with the first broken promise,
 * FLUX_E_ABI for a size that is not ours, FLUX_E_MEMORY. */
int flux_milp_check(const struct flux_milp *milp, const struct flux_memory *memory, struct flux_error *error);

/* cost * values. */
double flux_milp_cost(const struct flux_milp *milp, const double *values);

/* How far a point is from feasible: the largest of its violations, each relative to the numbers in it. A column counts
 * against 1 + |bound|, a binary its distance from 0 or 1, a row against 1 + its largest |entry * value|, where binaries
 * count as 1: what a solver's tolerances are relative to. INFINITY where a value is not finite. Solvers stay below
 * FLUX_MILP_TOLERANCE. */
double flux_milp_violation(const struct flux_milp *milp, const double *values);

#define FLUX_MILP_TOLERANCE 1e-4

#endif
