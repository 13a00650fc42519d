/* SPDX-License-Identifier: Apache-2.0
 *
 * prove/few.h - a question put to the exact search: can a few sends of a problem, by themselves, end sooner than some
 * time? And what follows from a no.
 */
#ifndef FLUX_PROVE_FEW_H
#define FLUX_PROVE_FEW_H

#include "bound/bound.h"
#include "prove/prove.h"

/* Is there a schedule of the `count` sends (ascending) that is shorter than part->makespan? What `guide`, by node of
 * the whole, does with them is tried first. `part`, by place in `nodes`, and all else lives in `round`; the answer is
 * that of flux_prove_piece(). Errors: MEMORY. */
int flux_few_ask(const struct flux_problem *whole, const uint32_t *nodes, uint32_t count, const struct flux_plan *guide,
                 struct flux_control *control, const struct flux_prove_limits *limits, struct flux_arena *round,
                 struct flux_plan *part, struct flux_prove_answer *found);

/* They need `bound`: the new bound, with a copy of them in `arena`. Errors: MEMORY. */
int flux_few_claim(const uint32_t *nodes, uint32_t count, int64_t bound, struct flux_arena *arena,
                   struct flux_control *control, struct flux_bound_value *value);

#endif
