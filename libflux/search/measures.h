/* SPDX-License-Identifier: Apache-2.0
 *
 * search/measures.h - what tells plans of one makespan apart.
 */
#ifndef FLUX_SEARCH_MEASURES_H
#define FLUX_SEARCH_MEASURES_H

#include "search/users.h"

/* NIC memory is measured as a replay by the clock does (docs/simulate.md). The slack of a send is how much later it
 * could start with the switches and the order on every port kept and the makespan no longer, but no more than one in
 * FLUX_SLACK_PART of the makespan; of a plan, the mean over its sends, rounded down. */
#define FLUX_SLACK_PART 100

struct flux_measures {
    uint64_t reconfigurations;
    uint64_t memory; /* the largest peak of a GPU */
    int64_t slack;
};

/* Room to measure. */
struct flux_gauge {
    const struct flux_problem *problem;
    struct flux_arena *arena; /* of what it keeps */
    int64_t *time;            /* ends by node, then when each is ready */
    uint32_t *order;          /* of these, by time, after measuring memory */
    uint64_t rows;
    uint64_t *held; /* by GPU: bytes */
    uint64_t *peak; /* by GPU, of the last plan */
};

/* Errors: MEMORY. */
int flux_gauge_init(struct flux_gauge *gauge, const struct flux_problem *problem, struct flux_arena *arena);

/* The largest peak with the sends at `start` (by node; joins run as early as they can). Errors: MEMORY. */
int flux_gauge_memory(struct flux_gauge *gauge, const uint32_t *switch_of, const int64_t *start, uint64_t *peak);

/* The mean slack of `start`, given the latest starts. */
int64_t flux_gauge_slack(const struct flux_problem *problem, const int64_t *start, const int64_t *late,
                         int64_t makespan);

/* Selected ones in the order of their bits (FLUX_OBJECTIVE_*): negative where a is better, 0 where they are equal. */
int flux_measures_compare(const struct flux_measures *a, const struct flux_measures *b, uint32_t objectives);

#endif
