/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/support/known_optimum.h - many small random problems, each with its optimum by brute force, for engines and
 * bounds to be judged against: what they say of the problem as it is normalised, and their certificates of it.
 */
#ifndef TESTS_KNOWN_OPTIMUM_H
#define TESTS_KNOWN_OPTIMUM_H

#include "base/control.h"
#include "base/memory.h"
#include "bound/bound.h"
#include "search/plan.h"

#include "random_problem.h"

/* One problem, in all its forms. */
struct known_optimum {
    const struct random_problem *random; /* random->seed tells which one it is */
    const struct flux_graph *graph;
    const struct flux_fabric *fabric;
    const struct flux_problem *problem;
    struct flux_arena arena;
    struct flux_control control;   /* without limits */
    struct flux_bound_value cheap; /* flux_bound_find() */
    int64_t optimum;
    uint32_t index; /* from 0 */
};

/* How many problems there were, and what became of their bounds. */
struct known_optimum_tally {
    uint32_t problems;
    uint32_t feasible; /* so many were judged */
    uint32_t raised;   /* above the cheap bound */
    uint32_t tight_before;
    uint32_t tight; /* the optimum itself */
};

struct known_optimum_series {
    uint32_t rule;       /* FLUX_RULE_* */
    uint32_t parameters; /* RANDOM_*; of RANDOM_ALL each problem has some */
    uint32_t problems;   /* before random_problem_count() */
    uint32_t sends_min;
    uint64_t seed;  /* of the first; the others follow */
    uint64_t steps; /* of brute force; a problem that takes more is not judged */
    /* What else is particular about a problem's options, and about the problem; NULL: nothing. */
    void (*choose)(uint32_t index, struct random_options *options);
    void (*change)(struct random_problem *random, uint32_t index, uint32_t sends_max);
    void (*judge)(struct known_optimum *it, void *user);
    void *user;
};

/* Makes them one after the other, four to seven sends in size (four where a switch stops as a whole or dwells), and has
 * those judged that have a schedule. */
void known_optimum_each(const struct known_optimum_series *series, struct known_optimum_tally *tally);

/* A bound that started from the cheap one: not above the optimum, not below the cheap one, and above it where and only
 * where it is of the kind of those that raise. Counts it. */
void known_optimum_judge(const struct known_optimum *it, const struct flux_bound_value *value, int kind_raises,
                         struct known_optimum_tally *tally);

/* The certificate of a bound: confirmed from graph and fabric alone, for at least the bound and never for more than the
 * optimum. `number` is what it is good for. Free with flux_certificate_free(). */
struct flux_certificate *known_optimum_certificate(const struct known_optimum *it, const struct flux_bound_value *value,
                                                   int64_t *number);

/* Whether a certificate would be confirmed if it said `bound`. */
int known_optimum_confirmed(const struct known_optimum *it, struct flux_certificate *certificate, int64_t bound);

/* A plan of the problem keeps every rule, by flux_check(); what its makespan really is. */
int64_t known_optimum_check(const struct known_optimum *it, const struct flux_plan *plan);

#endif
