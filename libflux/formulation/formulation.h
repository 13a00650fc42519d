/* SPDX-License-Identifier: Apache-2.0
 *
 * formulation/formulation.h - a problem as a mixed-integer program, with the meaning of every column and row.
 *
 * docs/formulation.md has the programs in full. Both minimise the makespan; PAPER is equations 1 to 5 as printed, TIGHT
 * the same set of best schedules with everything known beforehand put in.
 */
#ifndef FLUX_FORMULATION_FORMULATION_H
#define FLUX_FORMULATION_FORMULATION_H

#include "model/problem.h"
#include "search/plan.h"

#include <libflux/backend.h>
#include <libflux/schedule.h>

/* Columns: a and b are nodes, k is a switch. */
#define FLUX_MEANS_START 1    /* a's start */
#define FLUX_MEANS_MAKESPAN 2
#define FLUX_MEANS_SWITCH 3   /* 1: a is on switch k */
#define FLUX_MEANS_ORDER 4    /* 1: a goes before b where they share a switch */
#define FLUX_MEANS_FAMILY 5   /* 1: a's circuit is used on k by a send of load window b */
#define FLUX_MEANS_MOMENT 6   /* when the change begins that a needs; staged fabrics */
#define FLUX_MEANS_CHANGES 7  /* 1: a needs a change */
#define FLUX_MEANS_ENDED 8    /* 1: b is over when the change of a begins; 0: it starts after that change */
#define FLUX_MEANS_SOONER 9   /* 1: the change of a begins a dwell or more before that of b */

/* Rows. */
#define FLUX_MEANS_END 20      /* the makespan covers a (equation 1) */
#define FLUX_MEANS_ASSIGN 21   /* a is on one switch (equation 2) */
#define FLUX_MEANS_PRECEDE 22  /* arc a -> b (equation 3) */
#define FLUX_MEANS_APART 23    /* a before b on switch k (equations 4 and 5) */
#define FLUX_MEANS_INITIAL 24  /* a waits on k for a circuit that was up at time 0 */
#define FLUX_MEANS_EITHER 25   /* a, b and maybe more are not together on k */
#define FLUX_MEANS_SYMMETRY 26 /* of switches that are alike, a takes k only after the one before was taken */
#define FLUX_MEANS_COPIES 27   /* a and b are alike: a starts first */
#define FLUX_MEANS_LOAD 28     /* load window a on switch k */
#define FLUX_MEANS_MEMBER 29   /* a send a counts for its family in window b on k */
#define FLUX_MEANS_NEEDS 30    /* b needs a change on k after a (a: FLUX_NONE: after an initial circuit) */
#define FLUX_MEANS_AFTER 31    /* the change of b begins after a's end on k */
#define FLUX_MEANS_READY 32    /* the change of a is over before a starts on k */
#define FLUX_MEANS_IDLE 33     /* b is not under way on k while a's change is */
#define FLUX_MEANS_DWELL 34    /* changes of a and b on k begin together or a dwell apart */

struct flux_meaning {
    uint32_t kind; /* FLUX_MEANS_* */
    uint32_t a;
    uint32_t b;
    uint32_t k;
};

/* Times in the program are time / unit / 2^shift. `unit` is the greatest common divisor of all times, so that every
 * makespan is a whole number of units; the shift keeps the numbers small, and being a power of two keeps them exact. */
struct flux_formulation {
    struct flux_arena arena; /* owns everything */
    struct flux_milp milp;
    struct flux_meaning *column_meaning;
    struct flux_meaning *row_meaning;
    uint32_t *start_column;  /* by node */
    uint32_t *switch_column; /* by node and switch (node * switches + k); FLUX_NONE where it cannot be there */
    uint32_t *moment_column; /* by node; FLUX_NONE where it needs no change */
    uint32_t *change_column; /* by node, as moment_column */
    uint32_t makespan_column;
    uint32_t shift;
    int64_t unit;
    int empty; /* 1: no schedule is within the limit, which the windows alone show; the arrays are not filled */
};

/* What is known beforehand; only TIGHT makes use of it. */
struct flux_formulation_options {
    uint32_t kind; /* FLUX_FORMULATION_* of libflux/schedule.h */
    int below;     /* 1: only makespans below `limit`; 0: up to it */
    int64_t limit; /* the makespan of a schedule; negative: unknown */
    int64_t bound; /* a proved lower bound; 0: unknown */
};

/* 64-bit, so that a program that cannot fit is refused before anything is built. */
struct flux_formulation_size {
    uint64_t columns;
    uint64_t rows;
    uint64_t entries;
};

#define FLUX_FORMULATION_NODES_MAX 4096u
#define FLUX_FORMULATION_ROWS_MAX UINT64_C(4000000)

/* Exactly what flux_formulation_build() would make. Errors: MEMORY; TOO_BIG beyond the two limits above, or where times
 * span more than a double holds exactly, with the numbers. */
int flux_formulation_count(const struct flux_problem *problem, const struct flux_formulation_options *options,
                           struct flux_formulation_size *size, struct flux_error *error);

/* Builds into `formulation`, to be freed with flux_formulation_free(), which is also fine after an error.
 * Errors: as flux_formulation_count(). */
int flux_formulation_build(const struct flux_problem *problem, const struct flux_formulation_options *options,
                           struct flux_formulation *formulation, struct flux_error *error);
void flux_formulation_free(struct flux_formulation *formulation);

/* A plan as values of all columns, in `values`: a feasible point of PAPER on a fabric that is not staged. */
void flux_formulation_point(const struct flux_formulation *formulation, const struct flux_plan *plan, double *values);

/* The other way: only the switches and the order of sends and changes are read from `values`, which may be anything at
 * all; starts are the earliest that these allow, in integers. 0 and a plan that keeps every rule as far as this room
 * can see; FLUX_E_MISMATCH where the values name no switch for a send. Errors: also MEMORY, OVERFLOW. */
int flux_formulation_decode(const struct flux_formulation *formulation, const struct flux_problem *problem,
                            const double *values, struct flux_plan *plan);

/* Values in the program as time and back. Of a bound: rounded up to whole units, after taking off what floating-point
 * solvers leave open (a millionth of it, at least a millionth of a unit). -1: it says nothing. */
double flux_formulation_value(const struct flux_formulation *formulation, int64_t time);
int64_t flux_formulation_bound(const struct flux_formulation *formulation, double bound);

#endif
