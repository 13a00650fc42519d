/* SPDX-License-Identifier: Apache-2.0
 *
 * compare/pairs.h - the pairs of GPUs between which something is sent, and for how long altogether.
 */
#ifndef FLUX_COMPARE_PAIRS_H
#define FLUX_COMPARE_PAIRS_H

#include "compare/compare.h"

struct flux_pairs {
    uint32_t count;
    struct flux_circuit_name *circuit; /* by source, then destination; switch 0 */
    int64_t *time;                     /* of all sends of the pair, each on its fastest switch; at most FLUX_TIME_MAX */
};

/* The caller has seen to it that every send has a switch. In the comparing's arena. Errors: MEMORY. */
int flux_pairs_find(const struct flux_comparing *comparing, struct flux_pairs *pairs);

/* Is there a pair from src to dst? */
int flux_pairs_has(const struct flux_pairs *pairs, uint32_t src, uint32_t dst);

#endif
