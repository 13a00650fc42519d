/* SPDX-License-Identifier: Apache-2.0
 *
 * search/improve.h - better schedules from good ones: local search over the order in which classes of sends are placed.
 */
#ifndef FLUX_SEARCH_IMPROVE_H
#define FLUX_SEARCH_IMPROVE_H

#include "base/control.h"
#include "search/plan.h"

/* Tries to make `plan` shorter, until it meets the bound, control says stop, or the limits are spent: `work` nodes
 * placed (UINT64_MAX: as many as control lets it) and the time up to `deadline_ns`. It never gets longer. `head` and
 * `tail` (by node, NULL: the problem's) are lower bounds that give other orders to begin with. Nodes that are `first`
 * (by node, NULL: none) wait for nothing and are placed before all others. The result is the same for any number of
 * threads. `parts` (NULL: nobody) makes a plan of a smaller problem shorter part by part, with so much work at most; it
 * is not told to the caller of the library. For fabrics without stages; on others nothing is done. `constructions`
 * counts on. Errors: MEMORY. */
struct flux_improve_limits {
    uint64_t work;
    uint64_t deadline_ns;
    const int64_t *head;
    const int64_t *tail;
    const uint8_t *first;
    int (*parts)(void *user, const struct flux_problem *problem, uint64_t work, uint64_t deadline_ns,
                 struct flux_plan *plan);
    void *user; /* of parts */
};
int flux_improve(const struct flux_problem *problem, struct flux_control *control,
                 const struct flux_improve_limits *limits, struct flux_plan *plan, uint64_t *constructions);

#endif
