/* SPDX-License-Identifier: Apache-2.0
 *
 * backend/glpk_tree.c - what happens at the events of GLPK's tree search: points and bounds on their way out, stopping,
 * and relaxations of nodes, where GLPK would otherwise be deaf for long.
 *
 * The relaxation of a node prints a line every 5 s at most, and there is no setting for that. In large programs one may
 * last longer than a stop may take, so a copy is solved first, whose output is as dense as we like, and its basis
 * handed over: GLPK's own solve then ends where it starts.
 * That goes by size, not by a clock: the same program takes the same way on every machine.
 */
#include "backend/glpk.h"

#include "backend/milp.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define BOUND_EVERY_NS 20000000u /* finding the best node costs a walk over all of them */
#define WATCH_ENTRIES 8000       /* relaxations of nodes of smaller programs are over in milliseconds */

static double clamp(double value, double lower, double upper)
{
    return value < lower ? lower : value > upper ? upper : value;
}

void flux_glpk_keep_point(struct flux_glpk_task *task, glp_prob *lp, double (*value)(glp_prob *, int))
{
    const struct flux_milp *milp = task->milp;
    for (uint32_t j = 0; j < milp->columns; j++)
        task->values[j] = clamp(value(lp, (int)j + 1), milp->column_lower[j], milp->column_upper[j]);
    task->objective = flux_milp_cost(milp, task->values);
    task->has_values = 1;
}

static void tell_point(struct flux_glpk_task *task)
{
    if (!task->wants_points)
        return;
    pthread_mutex_lock(&task->lock);
    memcpy(task->fresh, task->values, task->milp->columns * sizeof *task->fresh);
    task->has_fresh = 1;
    pthread_cond_signal(&task->wake);
    pthread_mutex_unlock(&task->lock);
}

/* A point better than the last one seen, whoever found it: GLPK tells of those of the tree, not of its heuristics. */
static int has_better(const struct flux_glpk_task *task, glp_prob *lp)
{
    return glp_mip_status(lp) == GLP_FEAS && glp_mip_obj_val(lp) < task->seen;
}

static void look_at_point(struct flux_glpk_task *task, glp_prob *lp)
{
    if (!has_better(task, lp))
        return;
    task->seen = glp_mip_obj_val(lp);
    flux_glpk_keep_point(task, lp, glp_mip_col_val);
    tell_point(task);
}

void flux_glpk_salvage(struct flux_glpk_task *task)
{
    if (has_better(task, task->lp))
        flux_glpk_keep_point(task, task->lp, glp_mip_col_val);
}

static void look_at_bound(struct flux_glpk_task *task, glp_tree *tree)
{
    glp_prob *lp = glp_ios_get_prob(tree);
    int node = glp_ios_best_node(tree);
    double bound = node ? glp_ios_node_bound(tree, node) : -DBL_MAX;
    if (glp_mip_status(lp) == GLP_FEAS)
        bound = fmin(bound, glp_mip_obj_val(lp));
    if (bound > -DBL_MAX && bound < DBL_MAX && !task->costless)
        task->bound = fmax(task->bound, bound);
    task->bound_ns = flux_glpk_now_ns();
}

/* Gives GLPK the caller's point, once; GLPK itself does not look whether it is feasible. */
static void try_start(struct flux_glpk_task *task, glp_tree *tree)
{
    const struct flux_milp *milp = task->milp;
    task->start_tried = 1;
    if (flux_milp_violation(milp, milp->start) > 1e-9 || flux_milp_cost(milp, milp->start) >= milp->cutoff)
        return;
    for (uint32_t j = 0; j < milp->columns; j++)
        task->number[j + 1] = milp->column_kind[j] == FLUX_COLUMN_BINARY ? floor(milp->start[j] + 0.5) : milp->start[j];
    if (!glp_ios_heur_sol(tree, task->number)) {
        task->seen = glp_mip_obj_val(glp_ios_get_prob(tree));
        flux_glpk_keep_point(task, glp_ios_get_prob(tree), glp_mip_col_val);
    }
}

void flux_glpk_hand_over_basis(glp_prob *from, glp_prob *to)
{
    int rows = glp_get_num_rows(from), columns = glp_get_num_cols(from);
    for (int i = 1; i <= rows; i++)
        glp_set_row_stat(to, i, glp_get_row_stat(from, i));
    for (int j = 1; j <= columns; j++)
        glp_set_col_stat(to, j, glp_get_col_stat(from, j));
}

/* Solves a copy of the node's relaxation the way GLPK is about to. */
static void solve_copy(struct flux_glpk_task *task, glp_prob *lp)
{
    glp_smcp parameters;
    glp_copy_prob(task->copy, lp, GLP_OFF);
    glp_init_smcp(&parameters);
    parameters.msg_lev = GLP_MSG_ALL;
    parameters.out_frq = 1;
    parameters.out_dly = 0;
    parameters.meth = GLP_DUALP;
    parameters.r_test = GLP_RT_FLIP;
    parameters.tm_lim = flux_glpk_left_ms(task);
    if (glp_mip_status(lp) == GLP_FEAS)
        parameters.obj_ul = glp_mip_obj_val(lp);
    int rc = glp_simplex(task->copy, &parameters);
    if (!rc || rc == GLP_EOBJUL)
        flux_glpk_hand_over_basis(task->copy, lp);
}

void flux_glpk_on_event(glp_tree *tree, void *info)
{
    struct flux_glpk_task *task = info;
    glp_prob *lp = glp_ios_get_prob(tree);
    int reason = glp_ios_reason(tree), nodes, own = !task->presolved;
    task->phase = FLUX_GLPK_TREE;
    glp_ios_tree_size(tree, NULL, NULL, &nodes);
    task->nodes = (uint64_t)nodes;
    if (own)
        look_at_point(task, lp);
    if (own && reason == GLP_IHEUR && task->milp->start && !task->start_tried)
        try_start(task, tree);
    int stopping = atomic_load(&task->stopping);
    if (stopping || flux_glpk_now_ns() - task->bound_ns > BOUND_EVERY_NS)
        look_at_bound(task, tree);
    if (stopping)
        glp_ios_terminate(tree);
    else if (reason == GLP_IPREPRO && glp_get_num_nz(lp) > WATCH_ENTRIES)
        solve_copy(task, lp);
    else if (reason == GLP_IROWGEN && own)
        flux_glpk_branch_learn(task, tree, lp);
    else if (reason == GLP_IBRANCH && own && task->settings->branching == 0)
        flux_glpk_branch(task, tree, lp);
}
