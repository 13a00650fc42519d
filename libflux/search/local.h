/* SPDX-License-Identifier: Apache-2.0
 *
 * search/local.h - local search over the order in which classes of sends are placed: of the whole problem, or of the
 * smaller one in lockstep.
 */
#ifndef FLUX_SEARCH_LOCAL_H
#define FLUX_SEARCH_LOCAL_H

#include "search/crew.h"
#include "search/moves.h"

struct flux_local {
    /* Set by hand, before flux_local_init(). */
    const struct flux_problem *problem;
    struct flux_control *control;
    struct flux_plan *best; /* shorter ones take its place */
    uint64_t *constructions;
    int (*found)(void *user, const struct flux_plan *plan); /* the best plan is a new one. 0, or MEMORY */
    void *user;
    const int64_t *near; /* NULL; or a makespan: the search ends where its own stay far above it */
    const int64_t *head; /* by node: lower bounds that give orders to begin with */
    const int64_t *tail;
    const uint8_t *first; /* NULL; or by node: placed before all others */
    uint64_t end; /* of the control's work */
    uint64_t deadline_ns;
    struct flux_random random;

    struct flux_arena arena;
    struct flux_arena scratch; /* of one turn */
    struct flux_batches batches;
    struct flux_crew crew;
    struct flux_stand stand;
    struct flux_plan plan; /* where it stands */
    int64_t *key;
    int64_t *start; /* by node, to be filled by hand: an order to begin with */
    uint32_t size;  /* attempts of a turn: one where several would take much memory */
    uint32_t rounds;
    uint32_t idle; /* turns since the best one */
    uint32_t told; /* 1, to be set by hand: `start` is an order to go on from */
    uint64_t turns;
};

/* Errors: MEMORY; in any case to be freed. */
int flux_local_init(struct flux_local *local);
void flux_local_free(struct flux_local *local);

/* Until the control, the end of its work, the deadline or the bound says stop: FLUX_RUN_STOPPED or 0. With a later end
 * it goes on where it was. Errors: MEMORY, and those of found(). */
int flux_local_search(struct flux_local *local);

/* 1 where its plans stay far above `near`. */
int flux_local_is_far(const struct flux_local *local);

#endif
