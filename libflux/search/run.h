/* SPDX-License-Identifier: Apache-2.0
 *
 * search/run.h - one construction under way: where its memory comes from and whether it may be cut short.
 */
#ifndef FLUX_SEARCH_RUN_H
#define FLUX_SEARCH_RUN_H

#include "base/control.h"
#include "search/plan.h"
#include "search/sequence.h"

#include <stdatomic.h>

/* Engines return this, and leave their plan unfinished, where control said stop. */
#define FLUX_RUN_STOPPED 1
#define FLUX_RUN_LATE 2    /* the makespan is above the limit of the run; the plan is unfinished */
#define FLUX_RUN_POLL 1024 /* placements between two looks at the control */

struct flux_run {
    const struct flux_problem *problem;
    struct flux_arena *arena;     /* scratch of this construction */
    struct flux_control *control; /* NULL: nobody watches */
    uint32_t finish;              /* 1: go on to the end whatever control says */
    uint32_t placed;              /* since the last look */
    atomic_int *stop; /* NULL: none. Of several constructions at once, which only count their work: set when all
                         must end; only the one that has `control` asks it */
    uint64_t work;    /* with `stop`: placed so far */
    int64_t limit;    /* engines give up on longer makespans; 0: never */
};

/* Tells control what was placed since the last look. FLUX_RUN_STOPPED, or 0 to go on. */
static inline int flux_run_look(struct flux_run *run)
{
    uint32_t placed = run->placed;
    run->placed = 0;
    if (run->stop) {
        run->work += placed;
        if (run->control && flux_control_poll(run->control, 0))
            atomic_store(run->stop, 1);
        return atomic_load(run->stop) ? FLUX_RUN_STOPPED : 0;
    }
    if (!run->control)
        return 0;
    return flux_control_poll(run->control, placed) && !run->finish ? FLUX_RUN_STOPPED : 0;
}

/* To be called once for every node placed. */
static inline int flux_run_step(struct flux_run *run)
{
    return ++run->placed == FLUX_RUN_POLL ? flux_run_look(run) : 0;
}

/* Is it clear from a node that ends then, with so much to come after it, that the makespan is above the limit? */
static inline int flux_run_is_late(const struct flux_run *run, int64_t end, int64_t after)
{
    return run->limit && end + after > run->limit;
}

/* When the last of the nodes before `node` lets it start, given the ends of these. */
static inline int64_t flux_run_ready(const struct flux_direction *direction, const int64_t *end, uint32_t node)
{
    int64_t ready = direction->release[node];
    for (uint64_t i = direction->before_first[node]; i < direction->before_first[node + 1]; i++) {
        int64_t time = end[direction->before[i].node] + direction->before[i].lag;
        ready = time > ready ? time : ready;
    }
    return ready;
}

/* The engines. Each fills switches and starts of `plan`, not its makespan. `order` has every node once, none before
 * those that must be placed before it in that direction. Errors: MEMORY. */

/* Serial generation: every send in turn at the earliest time at which its ports have a gap for it, on the switch where
 * it ends first; then where it changes fewest circuits. In a mirrored direction the starts count backwards from the
 * end, and initial circuits are left out. search/insertion.c */
int flux_run_insertion(struct flux_run *run, const struct flux_direction *direction, const uint32_t *order,
                       struct flux_plan *plan);

/* The same after everything that is on its ports, never in a gap. search/append.c */
int flux_run_append(struct flux_run *run, const uint32_t *order, struct flux_plan *plan);

/* Batch after batch, smallest key of its first send first, none before those that it waits for, each round by round.
 * Forward, on fabrics without stages. search/batch_run.c */
struct flux_batches;
int flux_run_batches(struct flux_run *run, const struct flux_batches *batches, const int64_t *key,
                     struct flux_plan *plan);

/* In order of time: whatever can start earliest starts, of several the first in `order`. search/dispatch.c */
int flux_run_dispatch(struct flux_run *run, const uint32_t *order, struct flux_plan *plan);

#endif
