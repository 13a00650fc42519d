/* SPDX-License-Identifier: Apache-2.0
 *
 * solve/solving.h - one call of flux_schedule() under way; what its stages hand on.
 */
#ifndef FLUX_SOLVE_SOLVING_H
#define FLUX_SOLVE_SOLVING_H

#include "base/control.h"
#include "bound/bound.h"
#include "search/plan.h"

struct flux_solving {
    const struct flux_graph *graph;
    const struct flux_fabric *fabric;
    struct flux_options options;
    struct flux_memory memory;
    struct flux_control control;
    struct flux_problem *problem;
    struct flux_bound_value bound;
    const struct flux_lifted *lifted; /* the best heads and tails known; NULL: those of the problem */
    struct flux_arena arena;
    struct flux_plan plan; /* the best so far; makespan negative: none */
    struct flux_statistics statistics;
    struct flux_error *error;
    uint32_t folded; /* 1: a folded problem, whose bounds are nobody's */
    uint32_t padding;
};

/* Construct, bounds that help the search, local search; no check. Errors: MEMORY, OVERFLOW. solve/solve.c */
int flux_solving_search(struct flux_solving *solving);

/* The best plan of the problem folded by its symmetry, unfolded; `solving` keeps the better one. Nothing happens where
 * no symmetry is found, on staged fabrics and with initial circuits. At most half of what is left of the limits.
 * Errors: MEMORY, OVERFLOW. solve/folded.c */
int flux_folded_improve(struct flux_solving *solving);

/* A plan's nodes as slots of the user's sends, in order of their numbers, in the arena. Errors: MEMORY.
 * solve/slots.c */
int flux_solving_slots(struct flux_solving *solving, const struct flux_plan *plan, struct flux_slot **slots);

/* Is the backend that the options ask for there, and are its parameters good? Nothing is asked where they ask for
 * none. Errors: ARGUMENT, ABI, MEMORY, BACKEND. solve/exact.c */
int flux_exact_probe(struct flux_solving *solving);

/* Our own search to the end, for small problems; improves plan and bound. Errors: MEMORY. solve/proof.c */
int flux_proof_improve(struct flux_solving *solving);

/* Will flux_exact_improve() ask a backend where a gap is left? solve/exact.c */
int flux_exact_wanted(const struct flux_solving *solving);

/* Solves the problem as a mixed-integer program where the options and its size say so; improves plan and bound. Of a
 * backend only switches and order are taken, and only after the schedule passed the check.
 * Errors: MEMORY; with ALWAYS and ONLY also TOO_BIG; with ONLY also BACKEND and CANCELLED. solve/exact.c */
int flux_exact_improve(struct flux_solving *solving);

/* Second objectives that the options ask for: of plans as long as the best one a better one. Errors: MEMORY.
 * solve/second.c */
int flux_second_improve(struct flux_solving *solving);

/* Sets a quarter of the limits aside for it, before anything is searched. */
void flux_second_reserve(struct flux_solving *solving);

#endif
