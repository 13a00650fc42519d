/* SPDX-License-Identifier: Apache-2.0
 *
 * search/crew.h - several constructions at once, each in its own memory, so that only the caller's thread asks the
 * caller's allocator, clock and callback. What comes out does not depend on how many threads take part.
 */
#ifndef FLUX_SEARCH_CREW_H
#define FLUX_SEARCH_CREW_H

#include "base/control.h"
#include "search/batches.h"
#include "search/plan.h"

#define FLUX_CREW_SIZE 4 /* constructions of one turn */

/* One construction: sends by key, smallest first, none before those that it waits for. */
struct flux_attempt {
    int64_t *key;          /* by node */
    uint32_t rounds;       /* 1: batch by batch in rounds; 0: send by send */
    int rc;                /* out: 0, FLUX_RUN_LATE or FLUX_RUN_STOPPED */
    struct flux_plan plan; /* out */
    uint64_t work;         /* out: nodes placed */
};

struct flux_pool {
    char *block;
    uint64_t size;
    uint64_t used;
};

struct flux_crew {
    const struct flux_problem *problem;
    const struct flux_batches *batches;
    struct flux_control *control;
    uint32_t threads;
    uint32_t count; /* attempts of this turn */
    int64_t limit;  /* longer makespans are given up */
    struct flux_pool pool[FLUX_CREW_SIZE];
    struct flux_attempt attempt[FLUX_CREW_SIZE];
};

/* Keys and plans live in `arena`. Errors: MEMORY. */
int flux_crew_init(struct flux_crew *crew, const struct flux_problem *problem, const struct flux_batches *batches,
                   struct flux_control *control, struct flux_arena *arena);
void flux_crew_free(struct flux_crew *crew);

/* Makes all attempts. 0; FLUX_RUN_STOPPED where control ended it, and then what was made means nothing. Adds the work
 * to control. Errors: MEMORY. */
int flux_crew_turn(struct flux_crew *crew);

#endif
