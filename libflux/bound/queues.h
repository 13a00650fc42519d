/* SPDX-License-Identifier: Apache-2.0
 *
 * bound/queues.h - the sends of one GPU side as queues, one or more per circuit, with the lags between their positions.
 *
 * Sends of one circuit that the graph orders are a chain. Others are split by duration; of equal ones nobody needs to
 * know which starts when: the i-th to start has at least the i-th smallest head, and of the j-th and those after it one
 * has at least the j-th largest tail. Lags from and to positions are relaxed likewise. docs/certificates.md has the
 * proof.
 */
#ifndef FLUX_BOUND_QUEUES_H
#define FLUX_BOUND_QUEUES_H

#include "base/memory.h"
#include "model/problem.h"

#define FLUX_QUEUES_MAX 16u
#define FLUX_QUEUES_LINKS 8u
#define FLUX_QUEUES_SENDS 4096u

struct flux_queue {
    uint32_t circuit; /* 0 .. circuits - 1 */
    uint32_t first;   /* its positions: first .. first + count - 1 */
    uint32_t count;
    uint32_t chain; /* 1: the graph orders its sends */
};

struct flux_queues {
    uint32_t count;
    uint32_t circuits;
    uint32_t links;
    uint32_t sends; /* positions in all */
    int64_t delay;
    struct flux_queue queue[FLUX_QUEUES_MAX];

    /* By position. */
    uint32_t *node; /* of a chain: the send; of others: some order */
    int64_t *head;
    int64_t *tail;
    int64_t *duration;
    int64_t *work; /* durations from here to the end of the queue */

    /* From start to start: lag[from * sends + to]; -1 where nothing orders them. */
    int64_t *lag;
};

#define FLUX_QUEUES_UNFIT 1 /* too many queues, circuits or sends for a search */

/* Which sends stay. Fewer positions make a smaller search and a weaker bound. */
#define FLUX_QUEUES_ALL 0
#define FLUX_QUEUES_THIN 1 /* of those that follow each other without a pause in a chain, the first and the last */
#define FLUX_QUEUES_SPINE                                                                                              \
    2 /* THIN, and of those of one circuit and duration only what nearly all later ones wait for */

/* Queues of `nodes`, sends of one side in topological order, with the heads and tails of `problem`. `steps` is raised
 * by the arcs looked at. Everything lives in `arena`. FLUX_QUEUES_UNFIT; errors: MEMORY. */
int flux_queues_make(const struct flux_problem *problem, const uint32_t *nodes, uint32_t count, uint32_t which,
                     struct flux_arena *arena, struct flux_queues *queues, uint64_t *steps);

static inline int64_t flux_queues_lag(const struct flux_queues *queues, uint32_t from, uint32_t to)
{
    return queues->lag[(uint64_t)from * queues->sends + to];
}

#endif
