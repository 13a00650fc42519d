/* SPDX-License-Identifier: Apache-2.0
 *
 * backend/glpk.h - GLPK as a backend, in five files: glpk.c (what the world sees, parameters), glpk_solve.c (the
 * caller's thread: starts the private thread, waits, asks whether to stop), glpk_work.c, glpk_tree.c, glpk_branch.c (the
 * private thread, the only place that calls GLPK).
 *
 * GLPK prints, aborts the process on wrong calls and when memory ends, keeps one environment per thread, and cannot be
 * stopped inside the simplex method. So each solve has a thread of its own with its own environment: its terminal hook
 * swallows every byte, its error hook leaves by longjmp(), and both are good places to leave from when time is up.
 * Whatever way the work ends, glp_free_env() gives back all of GLPK's memory, and what is to be kept lies in memory
 * that was there before.
 */
#ifndef FLUX_BACKEND_GLPK_H
#define FLUX_BACKEND_GLPK_H

#include "base/memory.h"

#include <libflux/backend.h>

#include <glpk.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>

#define FLUX_GLPK_ROWS_MOST 1000000u /* also columns; entries 20 times that: far beyond what GLPK can solve */
#define FLUX_GLPK_ENTRIES_MOST (20u * FLUX_GLPK_ROWS_MOST)

/* Parameters; words by their index in the lists of glpk.c. */
struct flux_glpk_settings {
    uint32_t presolve;
    uint32_t simplex;
    uint32_t branching;
    uint32_t selection;
    uint32_t mir_cuts;
    uint32_t gmi_cuts;
    uint32_t cover_cuts;
    uint32_t clique_cuts;
    uint32_t feasibility_pump;
    uint32_t padding;
    uint64_t memory_mb; /* 0: no limit */
    double mip_gap;
    double tol_int;
    double tol_obj;
};

/* Where the private thread is; decides what leaving in the middle would lose. */
#define FLUX_GLPK_BUILD 0
#define FLUX_GLPK_ROOT 1
#define FLUX_GLPK_TREE 2

/* What branching on a column gained so far, down and up, per unit of rounding. */
struct flux_glpk_pseudocost {
    double sum[2];
    uint32_t count[2];
};

struct flux_glpk_candidate {
    double value;
    double away; /* from the nearest whole number */
    int column;
    int padding;
};

#define FLUX_GLPK_NODE_BYTES 24 /* that GLPK keeps with each node for glpk_branch.c */

/* One solve, shared by the two threads. Plain memory of the instance's environment; nothing in it is GLPK's. */
struct flux_glpk_task {
    const struct flux_glpk_settings *settings;
    const struct flux_milp *milp;
    uint64_t remaining_ns;
    int wants_points;

    /* The caller's thread sets it, the private one leaves. */
    atomic_int stopping;

    /* Under the lock. */
    pthread_mutex_t lock;
    pthread_cond_t wake;
    int done;
    int has_fresh; /* `fresh` is a point that nobody was told of */
    double *fresh;

    /* The private thread's own, read by the other one after the join. */
    jmp_buf leave;
    uint32_t phase;
    uint32_t failing; /* GLPK is telling its last words */
    int rc;           /* 0 or FLUX_E_* */
    uint32_t status;  /* FLUX_MILP_* */
    double objective;
    double bound;
    uint64_t nodes;
    uint64_t bound_ns; /* when `bound` was last looked at */
    double *values;    /* the best point, if has_values */
    uint32_t has_values;
    uint32_t start_tried;
    uint32_t presolved; /* GLPK works on another program: its points are known only at the end */
    uint32_t costless;  /* the objective was taken out: bounds mean nothing */
    double seen;        /* GLPK's objective of the best point that was looked at; INFINITY: none */
    uint64_t deadline_ns;
    glp_prob *lp;
    glp_prob *copy;
    struct flux_glpk_pseudocost *pseudocosts; /* by column */
    struct flux_glpk_candidate *candidates;
    double average_sum[2];
    uint32_t average_count[2];
    int *index; /* a row and a point with GLPK's numbering from 1: columns + 1 places each */
    double *number;
    char text[384]; /* why rc is not 0; what GLPK said last */
};

/* Runs on the private thread: struct flux_glpk_task in, NULL out. */
void *flux_glpk_work(void *task);

/* The private thread's own. What GLPK calls at every event of the tree; column values kept as the task's point (those
 * outside their bounds by rounding are moved onto them); a better point taken out of a search that was left; the time
 * left for GLPK's own limits, INT_MAX where there is no deadline; the monotonic clock. */
void flux_glpk_on_event(glp_tree *tree, void *task);
void flux_glpk_keep_point(struct flux_glpk_task *task, glp_prob *lp, double (*value)(glp_prob *, int));
void flux_glpk_salvage(struct flux_glpk_task *task);
void flux_glpk_hand_over_basis(glp_prob *from, glp_prob *to);
int flux_glpk_left_ms(const struct flux_glpk_task *task);
uint64_t flux_glpk_now_ns(void);

/* glpk_branch.c, at events of the tree search: books what the last branching gained, once the node's relaxation is
 * solved; chooses the column to branch on. */
void flux_glpk_branch_learn(struct flux_glpk_task *task, glp_tree *tree, glp_prob *lp);
void flux_glpk_branch(struct flux_glpk_task *task, glp_tree *tree, glp_prob *lp);

/* The solve() of the vtable, with the instance's parts. */
int flux_glpk_solve(const struct flux_memory *memory, const struct flux_glpk_settings *settings,
                    const struct flux_milp *milp, const struct flux_milp_run *run, struct flux_milp_result *result,
                    struct flux_error *error);

#endif
