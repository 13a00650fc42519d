/* SPDX-License-Identifier: Apache-2.0
 *
 * symmetry/quotient.h - the small problem that a cover leaves, and its plans unfolded.
 */
#ifndef FLUX_SYMMETRY_QUOTIENT_H
#define FLUX_SYMMETRY_QUOTIENT_H

#include "search/plan.h"
#include "symmetry/cover.h"

/* A node for every class of nodes, in the same order, a GPU for every class of GPUs; `vertex` says the class. It shares
 * what it knows of switches with `problem`, which must outlive it. Not for problems with initial circuits: they belong
 * to single GPUs. Free with flux_problem_free(). Errors: MEMORY. */
int flux_quotient_build(const struct flux_problem *problem, const struct flux_cover *cover,
                        struct flux_problem **quotient);

/* Every node gets switch and start of its class, and then all are shifted to the left as far as they go. `folded` is a
 * plan of the quotient. Errors: MEMORY. */
int flux_quotient_unfold(const struct flux_problem *problem, const struct flux_cover *cover,
                         const struct flux_plan *folded, struct flux_plan *plan);

#endif
