/* SPDX-License-Identifier: Apache-2.0
 *
 * formulation/formulation.h - a problem as a mixed-integer program, with the meaning of every column and row.
 */
#ifndef FLUX_FORMULATION_FORMULATION_H
#define FLUX_FORMULATION_FORMULATION_H

#include "model/problem.h"
#include "search/plan.h"

#include <libflux/backend.h>

#define FLUX_MEANS_START 1    /* node a: its start */
#define FLUX_MEANS_MAKESPAN 2
#define FLUX_MEANS_SWITCH 3   /* node a is on switch k */
#define FLUX_MEANS_ORDER 4    /* node a goes before node b */
#define FLUX_MEANS_PRECEDE 5  /* row: arc a -> b (equation 3) */
#define FLUX_MEANS_ASSIGN 6   /* row: node a is on one switch (equation 2) */
#define FLUX_MEANS_APART 7    /* row: a before b on switch k (equations 4 and 5) */
#define FLUX_MEANS_END 8      /* row: the makespan covers node a (equation 1) */
#define FLUX_MEANS_EITHER 9   /* row: a and b are not both on switch k */
#define FLUX_MEANS_SYMMETRY 10
#define FLUX_MEANS_LOAD 11    /* row: load of a GPU (a), on switch k or on all (FLUX_NONE) */
#define FLUX_MEANS_CLIQUE 12
#define FLUX_MEANS_CHANGE 13  /* fabrics that stop as a whole: moments of change */

struct flux_meaning {
    uint32_t kind; /* FLUX_MEANS_* */
    uint32_t a;
    uint32_t b;
    uint32_t k;
};

/* Times in the program are in units of `unit` ps, counted from 0: the greatest common divisor of all times, so that the
 * numbers stay small and every optimum is a whole number. */
struct flux_formulation {
    struct flux_arena arena; /* owns everything */
    struct flux_milp milp;
    struct flux_meaning *column_meaning;
    struct flux_meaning *row_meaning;
    uint32_t *start_column;  /* by node */
    uint32_t *switch_column; /* by node and switch (node * switches + k); FLUX_NONE where it cannot be there */
    uint32_t makespan_column;
    uint32_t padding;
    int64_t unit;
};

/* What the counts would be, without building: 64-bit, so that a model that cannot fit is refused first. */
struct flux_formulation_size {
    uint64_t columns;
    uint64_t rows;
    uint64_t entries;
};

#endif
