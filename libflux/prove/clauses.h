/* SPDX-License-Identifier: Apache-2.0
 *
 * prove/clauses.h - a search over truth values that learns a clause from every dead end.
 *
 * Conflict-driven clause learning (Marques-Silva and Sakallah, GRASP, IEEE ToC 48, 1999; two watched literals and
 * activities as in Chaff, DAC 2001), for problems so small that everything has a fixed capacity. A literal is twice its
 * variable, plus one where it is negated. The watchers of a literal are a list through the clauses themselves, so that
 * nothing grows. What times forbid is not known here: prove/paths.h adds it, with reasons.
 */
#ifndef FLUX_PROVE_CLAUSES_H
#define FLUX_PROVE_CLAUSES_H

#include "base/memory.h"

#define FLUX_LITERAL_TRUE 0u /* of variable 0, which holds always */
#define FLUX_LITERAL_FALSE 1u
#define FLUX_NO_REASON UINT32_MAX

static inline uint32_t flux_literal_not(uint32_t literal)
{
    return literal ^ 1u;
}

/* Where a level began. */
struct flux_level {
    uint32_t trail;
    uint32_t reasons;
};

struct flux_clauses {
    uint32_t variables; /* used so far */
    uint32_t capacity;
    int8_t *value;         /* by literal: 1 true, -1 false, 0 open */
    int8_t *phase;         /* by variable: 1 where it is tried as true first */
    uint32_t *level_of;    /* by variable */
    uint32_t *reason;      /* by variable: a clause, or REASON_GIVEN and a place in `given`, or FLUX_NO_REASON */
    uint32_t *trail;       /* literals in the order in which they became true */
    uint32_t trail_count;
    uint32_t looked_at;    /* of the trail, by flux_clauses_propagate() */
    struct flux_level *levels;
    uint32_t level;
    uint32_t hidden;       /* the variables 1 .. hidden are for assumptions: never decided */
    uint32_t base;         /* 1: level 1 is an assumption, `assumed`, which lessons name in place of all its literals */
    uint32_t assumed;

    uint32_t *pool; /* clauses: size, rank, two links, literals */
    uint32_t pool_count;
    uint32_t pool_capacity;
    uint32_t original; /* end of the clauses that were not learned */
    uint32_t learned;  /* how many */
    uint32_t *watch;   /* by literal: the first clause that watches it */

    uint32_t *given; /* reasons that are no clauses: count, literals; as a stack */
    uint32_t given_count;
    uint32_t given_capacity;

    uint64_t *activity; /* by variable */
    uint64_t bump;
    uint32_t *heap; /* variables, the most active first */
    uint32_t *heap_at;
    uint32_t heap_count;

    uint32_t *conflict; /* literals, all false */
    uint32_t conflict_count;
    uint8_t *seen; /* by variable; all 0 between calls */
    uint32_t *lesson;
    uint32_t lesson_count;
    int full;     /* 1: no room for a clause: restart */
    int hopeless; /* 1: no values at all satisfy the clauses */
};

/* Room for `capacity` variables (one is taken by the constant), clauses of `words` words besides learned ones, and
 * `given` words of reasons. Errors: MEMORY. */
int flux_clauses_init(struct flux_clauses *clauses, uint32_t capacity, uint32_t words, uint32_t given,
                      struct flux_arena *arena);

/* A new variable's positive literal. */
uint32_t flux_clauses_variable(struct flux_clauses *clauses);

/* The first variables after the constant, for assumptions. */
void flux_clauses_hide(struct flux_clauses *clauses, uint32_t count);

/* Only at level 0, before the search. Constants are simplified away. */
void flux_clauses_add(struct flux_clauses *clauses, const uint32_t *literals, uint32_t count);

/* Makes an open literal true. */
void flux_clauses_enqueue(struct flux_clauses *clauses, uint32_t literal, uint32_t reason);

/* Makes an open literal true because all of these are false. 0 where there is no room to note it. */
int flux_clauses_imply(struct flux_clauses *clauses, uint32_t literal, const uint32_t *because, uint32_t count);

/* What follows from the clauses. 0, or 1 with `conflict`. */
int flux_clauses_propagate(struct flux_clauses *clauses);

/* At level 0: opens level 1 with an open literal; until the search is back at level 0 it is an assumption. */
void flux_clauses_assume(struct flux_clauses *clauses, uint32_t literal);

/* Opens a level with the most active open variable. 0 where none is open. */
int flux_clauses_decide(struct flux_clauses *clauses);

/* The highest level among the literals of `conflict`. */
uint32_t flux_clauses_conflict_level(const struct flux_clauses *clauses);

/* Makes a lesson of `conflict`, whose literals are all false and one of them of the present level; returns the level to
 * go back to, where the lesson then makes its first literal true. Sets `hopeless` at level 0. */
uint32_t flux_clauses_learn(struct flux_clauses *clauses);
void flux_clauses_back(struct flux_clauses *clauses, uint32_t level);
void flux_clauses_assert_lesson(struct flux_clauses *clauses);

/* At level 0, after propagation: forgets satisfied clauses and much of what was learned; all of it where there was no
 * room left. */
void flux_clauses_reduce(struct flux_clauses *clauses);

#endif
