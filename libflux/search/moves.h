/* SPDX-License-Identifier: Apache-2.0
 *
 * search/moves.h - small changes of an order of sends: what the search tries next.
 */
#ifndef FLUX_SEARCH_MOVES_H
#define FLUX_SEARCH_MOVES_H

#include "base/random.h"
#include "search/batches.h"
#include "search/plan.h"

/* Where the search stands. */
struct flux_stand {
    const struct flux_problem *problem;
    const struct flux_batches *batches;
    const struct flux_plan *plan;
    const int64_t *key; /* by node: what `plan` was made from */
    int64_t *latest;    /* by node: how late it could start */
    uint32_t *order;    /* nodes by start */
    uint32_t *place;    /* by node: where it is in `order` */
    uint32_t *critical; /* sends that cannot start later */
    uint32_t criticals;
    uint32_t *class_of; /* by batch */
};

/* Room in `arena`; everything but `plan` and `key`, which are set by hand. Errors: MEMORY. */
int flux_stand_init(struct flux_stand *stand, const struct flux_problem *problem, const struct flux_batches *batches,
                    struct flux_arena *arena);

/* To be called where the plan has changed. Errors: MEMORY. */
int flux_stand_look(struct flux_stand *stand, struct flux_arena *scratch);

/* One change at random into `key`. `*rounds` is changed too where other ways to place are worth a try. */
void flux_move(const struct flux_stand *stand, struct flux_random *random, int64_t *key, uint32_t *rounds);

#endif
