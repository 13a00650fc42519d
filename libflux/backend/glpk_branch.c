/* SPDX-License-Identifier: Apache-2.0
 *
 * backend/glpk_branch.c - branching by pseudocosts, inside GLPK's tree search.
 *
 * The pseudocost of a column is what the objective gained per unit of rounding whenever it was branched on (Benichou,
 * Gauthier, Girodet, Hentges, Ribiere, Vincent, Experiments in mixed-integer linear programming, Mathematical
 * Programming 1, 1971). Where there is no experience yet, a few dual simplex steps on a copy of the relaxation give a
 * first one. GLPK has such a rule as well, but its first evaluation of a thousand columns takes seconds without a word;
 * here each of them can be left, and there is a limit to what is spent on them in one node.
 * All limits are in steps and sizes, not in time: the same program takes the same way on every machine.
 */
#include "backend/glpk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DOWN 0
#define UP 1
#define INTEGRAL 1e-5
#define STEPS_MOST 30       /* of the dual simplex method, per evaluation */
#define EVALUATION_WORK 3e6 /* evaluations times entries, in one node */
#define LEAST_GAIN 1e-6     /* so that a side without gain does not hide the other one */

/* What a node that was branched on remembers for its children. */
struct branching {
    int column; /* 0: not branched here */
    int told;   /* this node's own gain was booked */
    double value;
    double objective;
};

_Static_assert(sizeof(struct branching) == FLUX_GLPK_NODE_BYTES, "GLPK is told this size");

static double part(double value, int way)
{
    return way == UP ? ceil(value) - value : value - floor(value);
}

static void book(struct flux_glpk_task *task, int column, int way, double gain, double rounding)
{
    struct flux_glpk_pseudocost *cost = &task->pseudocosts[column - 1];
    if (rounding < INTEGRAL)
        return;
    cost->sum[way] += fmax(gain, 0) / rounding;
    cost->count[way]++;
    task->average_sum[way] += fmax(gain, 0) / rounding;
    task->average_count[way]++;
}

void flux_glpk_branch_learn(struct flux_glpk_task *task, glp_tree *tree, glp_prob *lp)
{
    int node = glp_ios_curr_node(tree), above = node ? glp_ios_up_node(tree, node) : 0;
    if (!above)
        return;
    struct branching *own = glp_ios_node_data(tree, node);
    const struct branching *from = glp_ios_node_data(tree, above);
    if (own->told || !from->column)
        return;
    own->told = 1;
    int way = glp_get_col_ub(lp, from->column) < from->value ? DOWN : UP;
    book(task, from->column, way, glp_get_obj_val(lp) - from->objective, part(from->value, way));
}

static int by_distance(const void *left, const void *right)
{
    const struct flux_glpk_candidate *a = left, *b = right;
    if (a->away > b->away || a->away < b->away)
        return a->away > b->away ? -1 : 1;
    return a->column < b->column ? -1 : a->column > b->column;
}

/* Columns that can be branched on, the most fractional first. */
static uint32_t list_candidates(struct flux_glpk_task *task, glp_tree *tree, glp_prob *lp)
{
    uint32_t count = 0;
    for (uint32_t j = 0; j < task->milp->columns; j++) {
        int column = (int)j + 1;
        if (!glp_ios_can_branch(tree, column))
            continue;
        double value = glp_get_col_prim(lp, column);
        task->candidates[count++] =
            (struct flux_glpk_candidate){.value = value, .away = fabs(value - floor(value + 0.5)), .column = column};
    }
    qsort(task->candidates, count, sizeof *task->candidates, by_distance);
    return count;
}

/* The copy with one column at a rounded value, STEPS_MOST steps on. The gain so far, or INFINITY where nothing better
 * than the best point is left on that side. */
static double evaluate(struct flux_glpk_task *task, glp_prob *lp, const struct flux_glpk_candidate *candidate, int way)
{
    glp_smcp parameters;
    glp_prob *copy = task->copy;
    int column = candidate->column, type = glp_get_col_type(lp, column);
    double rounded = way == UP ? ceil(candidate->value) : floor(candidate->value), gain = 0;
    glp_set_col_bnds(copy, column, GLP_FX, rounded, rounded);
    glp_init_smcp(&parameters);
    parameters.msg_lev = GLP_MSG_ALL;
    parameters.out_frq = 1;
    parameters.out_dly = 0;
    parameters.meth = GLP_DUAL;
    parameters.it_lim = STEPS_MOST;
    if (glp_mip_status(lp) == GLP_FEAS)
        parameters.obj_ul = glp_mip_obj_val(lp);
    int rc = glp_simplex(copy, &parameters);
    if (rc == GLP_EOBJUL || (rc == 0 && glp_get_prim_stat(copy) == GLP_NOFEAS))
        gain = INFINITY;
    else if ((rc == 0 || rc == GLP_EITLIM) && glp_get_dual_stat(copy) == GLP_FEAS)
        gain = fmax(glp_get_obj_val(copy) - glp_get_obj_val(lp), 0);
    glp_set_col_bnds(copy, column, type, glp_get_col_lb(lp, column), glp_get_col_ub(lp, column));
    flux_glpk_hand_over_basis(lp, copy);
    return gain;
}

/* Evaluates sides without experience while there is work left. 1 where one side of a column has nothing to offer: that
 * column is then the one to branch on, which costs a node and decides it. */
static int gain_experience(struct flux_glpk_task *task, glp_prob *lp, const struct flux_glpk_candidate *candidate,
                           double *work, int *hopeless)
{
    const struct flux_glpk_pseudocost *cost = &task->pseudocosts[candidate->column - 1];
    for (int way = DOWN; way <= UP; way++) {
        if (cost->count[way] || *work <= 0)
            continue;
        if (*work >= EVALUATION_WORK)
            glp_copy_prob(task->copy, lp, GLP_OFF);
        *work -= fmin(glp_get_num_nz(lp), EVALUATION_WORK / 8);
        double gain = evaluate(task, lp, candidate, way);
        if (isinf(gain)) {
            *hopeless = way;
            return 1;
        }
        book(task, candidate->column, way, gain, part(candidate->value, way));
    }
    return 0;
}

static double expected(const struct flux_glpk_task *task, const struct flux_glpk_candidate *candidate, int way)
{
    const struct flux_glpk_pseudocost *cost = &task->pseudocosts[candidate->column - 1];
    double rate = 1;
    if (cost->count[way])
        rate = cost->sum[way] / cost->count[way];
    else if (task->average_count[way])
        rate = task->average_sum[way] / task->average_count[way];
    return rate * part(candidate->value, way);
}

static void branch_on(glp_tree *tree, glp_prob *lp, const struct flux_glpk_candidate *candidate, int way)
{
    struct branching *own = glp_ios_node_data(tree, glp_ios_curr_node(tree));
    own->column = candidate->column;
    own->value = candidate->value;
    own->objective = glp_get_obj_val(lp);
    glp_ios_branch_upon(tree, candidate->column, way == UP ? GLP_UP_BRNCH : GLP_DN_BRNCH);
}

void flux_glpk_branch(struct flux_glpk_task *task, glp_tree *tree, glp_prob *lp)
{
    uint32_t count = list_candidates(task, tree, lp), best = 0;
    double work = EVALUATION_WORK, most = 0;
    int way;
    for (uint32_t i = 0; i < count; i++) {
        const struct flux_glpk_candidate *candidate = &task->candidates[i];
        if (gain_experience(task, lp, candidate, &work, &way)) {
            branch_on(tree, lp, candidate, way);
            return;
        }
        double down = expected(task, candidate, DOWN), up = expected(task, candidate, UP);
        double score = fmax(down, LEAST_GAIN) * fmax(up, LEAST_GAIN);
        if (score > most) {
            most = score;
            best = i;
        }
    }
    if (!count)
        return;
    const struct flux_glpk_candidate *chosen = &task->candidates[best]; /* without any gain: the most fractional */
    way = expected(task, chosen, DOWN) <= expected(task, chosen, UP) ? DOWN : UP;
    branch_on(tree, lp, chosen, way);
}
