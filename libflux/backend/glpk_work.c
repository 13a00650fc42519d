/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/glpk.h"

#include "backend/milp.h"

#include <float.h>
#include <glpk.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define OUTPUT_EVERY_MS 10       /* GLPK prints at most this often, and each print can be left from */
#define BOUND_EVERY_NS 20000000u /* finding the best node costs a walk over all of them */
#define CUTOFF_SLACK 1e-6        /* relative: a point this close below the cutoff is not below it */
#define LEFT 1

/* --- leaving ------------------------------------------------------------------------------------------------------ */

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A point in hand is worth more than the news that the search after it went wrong. */
static void fail(struct flux_glpk_task *task, int rc)
{
    if (!task->has_values)
        task->rc = rc;
}

/* Keeps one line of GLPK's last words. */
static void keep_words(struct flux_glpk_task *task, const char *text)
{
    size_t used = task->failing ? strlen(task->text) : 0;
    task->failing = 1;
    for (; *text && used + 1 < sizeof task->text; text++)
        task->text[used++] = *text == '\n' ? ' ' : *text;
    task->text[used] = '\0';
}

/* GLPK's terminal: nothing is shown. Every line is a chance to leave, but not from a tree over a preprocessed program,
 * whose points GLPK hands over only when it ends by itself; there the callback stops it. */
static int swallow(void *info, const char *text)
{
    struct flux_glpk_task *task = info;
    if (glp_at_error())
        keep_words(task, text);
    else if (atomic_load(&task->stopping) && !(task->phase == FLUX_GLPK_TREE && task->settings->presolve))
        longjmp(task->leave, LEFT);
    return 1;
}

/* GLPK is about to abort the process. */
static void fall(void *info)
{
    struct flux_glpk_task *task = info;
    int memory = strstr(task->text, "no memory available") || strstr(task->text, "memory allocation limit");
    fail(task, memory ? FLUX_E_MEMORY : FLUX_E_BACKEND);
    longjmp(task->leave, LEFT);
}

/* --- the program -------------------------------------------------------------------------------------------------- */

static int bounds_type(double lower, double upper)
{
    if (isinf(lower))
        return isinf(upper) ? GLP_FR : GLP_UP;
    if (isinf(upper))
        return GLP_LO;
    return lower < upper ? GLP_DB : GLP_FX;
}

/* The one continuous column with a cost, or `columns`. */
static uint32_t only_cost(const struct flux_milp *milp)
{
    uint32_t found = milp->columns;
    for (uint32_t j = 0; j < milp->columns; j++) {
        if (milp->cost[j] == 0)
            continue;
        if (found < milp->columns || milp->column_kind[j] == FLUX_COLUMN_BINARY)
            return milp->columns;
        found = j;
    }
    return found;
}

/* Columns, with the cutoff as a bound of the only one that costs. 0 where the cutoff leaves that no value. */
static int add_columns(glp_prob *lp, const struct flux_milp *milp, uint32_t cost_column)
{
    glp_add_cols(lp, (int)milp->columns);
    for (uint32_t j = 0; j < milp->columns; j++) {
        double lower = milp->column_lower[j], upper = milp->column_upper[j], cost = milp->cost[j];
        if (j == cost_column && !isinf(milp->cutoff) && cost > 0)
            upper = fmin(upper, milp->cutoff / cost);
        if (j == cost_column && !isinf(milp->cutoff) && cost < 0)
            lower = fmax(lower, milp->cutoff / cost);
        if (lower > upper)
            return 0;
        glp_set_col_bnds(lp, (int)j + 1, bounds_type(lower, upper), lower, upper);
        if (milp->column_kind[j] == FLUX_COLUMN_BINARY)
            glp_set_col_kind(lp, (int)j + 1, GLP_IV);
        glp_set_obj_coef(lp, (int)j + 1, cost);
    }
    return 1;
}

static void add_rows(glp_prob *lp, struct flux_glpk_task *task)
{
    const struct flux_milp *milp = task->milp;
    if (milp->rows)
        glp_add_rows(lp, (int)milp->rows);
    for (uint32_t r = 0; r < milp->rows; r++) {
        int length = 0;
        if (atomic_load(&task->stopping))
            longjmp(task->leave, LEFT);
        for (uint64_t e = milp->row_first[r]; e < milp->row_first[r + 1]; e++) {
            length++;
            task->index[length] = (int)milp->entry_column[e] + 1;
            task->number[length] = milp->entry_value[e];
        }
        glp_set_mat_row(lp, (int)r + 1, length, task->index, task->number);
        glp_set_row_bnds(lp, (int)r + 1, bounds_type(milp->row_lower[r], milp->row_upper[r]), milp->row_lower[r],
                         milp->row_upper[r]);
    }
}

/* cost * x <= cutoff. */
static void add_cutoff_row(glp_prob *lp, struct flux_glpk_task *task)
{
    const struct flux_milp *milp = task->milp;
    int length = 0;
    for (uint32_t j = 0; j < milp->columns; j++)
        if (milp->cost[j] != 0) {
            length++;
            task->index[length] = (int)j + 1;
            task->number[length] = milp->cost[j];
        }
    int row = glp_add_rows(lp, 1);
    glp_set_mat_row(lp, row, length, task->index, task->number);
    glp_set_row_bnds(lp, row, GLP_UP, 0, milp->cutoff);
}

/* NULL where the cutoff leaves nothing. */
static glp_prob *build(struct flux_glpk_task *task)
{
    const struct flux_milp *milp = task->milp;
    glp_prob *lp = glp_create_prob();
    glp_set_obj_dir(lp, GLP_MIN);
    uint32_t cost_column = only_cost(milp);
    if (!add_columns(lp, milp, cost_column))
        return NULL;
    add_rows(lp, task);
    if (!isinf(milp->cutoff) && cost_column == milp->columns)
        add_cutoff_row(lp, task);
    return lp;
}

/* --- points and bounds -------------------------------------------------------------------------------------------- */

static double clamp(double value, double lower, double upper)
{
    return value < lower ? lower : value > upper ? upper : value;
}

/* Keeps column values that `value` reads; those outside their bounds by rounding are moved onto them. */
static void keep_point(struct flux_glpk_task *task, glp_prob *lp, double (*value)(glp_prob *, int))
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
    pthread_mutex_unlock(&task->lock);
}

static void look_at_bound(struct flux_glpk_task *task, glp_tree *tree)
{
    glp_prob *lp = glp_ios_get_prob(tree);
    int node = glp_ios_best_node(tree);
    double bound = node ? glp_ios_node_bound(tree, node) : -DBL_MAX;
    if (glp_mip_status(lp) == GLP_FEAS)
        bound = fmin(bound, glp_mip_obj_val(lp));
    if (bound > -DBL_MAX && bound < DBL_MAX)
        task->bound = fmax(task->bound, bound);
    task->bound_ns = now_ns();
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
    if (!glp_ios_heur_sol(tree, task->number))
        keep_point(task, glp_ios_get_prob(tree), glp_mip_col_val);
}

static void on_node(glp_tree *tree, void *info)
{
    struct flux_glpk_task *task = info;
    int nodes;
    task->phase = FLUX_GLPK_TREE;
    glp_ios_tree_size(tree, NULL, NULL, &nodes);
    task->nodes = (uint64_t)nodes;
    if (!task->settings->presolve && glp_ios_reason(tree) == GLP_IBINGO) {
        keep_point(task, glp_ios_get_prob(tree), glp_mip_col_val);
        tell_point(task);
    }
    if (!task->settings->presolve && glp_ios_reason(tree) == GLP_IHEUR && task->milp->start && !task->start_tried)
        try_start(task, tree);
    int stopping = atomic_load(&task->stopping);
    if (stopping || now_ns() - task->bound_ns > BOUND_EVERY_NS)
        look_at_bound(task, tree);
    if (stopping)
        glp_ios_terminate(tree);
}

/* --- solving ------------------------------------------------------------------------------------------------------ */

static int left_ms(uint64_t deadline_ns)
{
    uint64_t now = now_ns();
    if (deadline_ns == UINT64_MAX)
        return INT_MAX;
    uint64_t left = deadline_ns > now ? (deadline_ns - now) / 1000000u + 1 : 1;
    return left < INT_MAX ? (int)left : INT_MAX;
}

static int is_verdict(int status)
{
    return status == GLP_OPT || status == GLP_NOFEAS || status == GLP_UNBND;
}

/* The relaxation. The method that was asked for from a good basis, then the other, more patient ways. A verdict, or
 * GLP_UNDEF with rc set or time up. */
static int solve_root(struct flux_glpk_task *task, glp_prob *lp, uint64_t deadline_ns)
{
    glp_smcp parameters;
    int rc = 0;
    task->phase = FLUX_GLPK_ROOT;
    glp_scale_prob(lp, GLP_SF_AUTO);
    for (int attempt = 0; attempt < 3; attempt++) {
        glp_init_smcp(&parameters);
        parameters.msg_lev = GLP_MSG_ALL;
        parameters.out_frq = OUTPUT_EVERY_MS;
        parameters.tm_lim = left_ms(deadline_ns);
        parameters.meth = attempt == 0 && task->settings->simplex == 1 ? GLP_DUALP : GLP_PRIMAL;
        if (attempt == 2)
            glp_unscale_prob(lp);
        if (attempt)
            glp_std_basis(lp);
        else
            glp_adv_basis(lp, 0);
        rc = glp_simplex(lp, &parameters);
        if (rc == GLP_ETMLIM)
            return GLP_UNDEF;
        if (rc == 0 && is_verdict(glp_get_status(lp)))
            return glp_get_status(lp);
    }
    snprintf(task->text, sizeof task->text, "GLPK's simplex method failed with code %d", rc);
    fail(task, FLUX_E_BACKEND);
    return GLP_UNDEF;
}

static void set_tree_parameters(struct flux_glpk_task *task, glp_iocp *parameters, uint64_t deadline_ns)
{
    static const int branchings[] = {GLP_BR_FFV, GLP_BR_LFV, GLP_BR_MFV, GLP_BR_DTH, GLP_BR_PCH};
    static const int selections[] = {GLP_BT_DFS, GLP_BT_BFS, GLP_BT_BLB, GLP_BT_BPH};
    const struct flux_glpk_settings *settings = task->settings;
    glp_init_iocp(parameters);
    parameters->msg_lev = GLP_MSG_ALL;
    parameters->out_frq = OUTPUT_EVERY_MS;
    parameters->out_dly = 0;
    parameters->tm_lim = left_ms(deadline_ns);
    parameters->cb_func = on_node;
    parameters->cb_info = task;
    parameters->br_tech = branchings[settings->branching];
    parameters->bt_tech = selections[settings->selection];
    parameters->presolve = settings->presolve ? GLP_ON : GLP_OFF;
    parameters->mir_cuts = settings->mir_cuts ? GLP_ON : GLP_OFF;
    parameters->gmi_cuts = settings->gmi_cuts ? GLP_ON : GLP_OFF;
    parameters->cov_cuts = settings->cover_cuts ? GLP_ON : GLP_OFF;
    parameters->clq_cuts = settings->clique_cuts ? GLP_ON : GLP_OFF;
    parameters->fp_heur = settings->feasibility_pump ? GLP_ON : GLP_OFF;
    parameters->mip_gap = settings->mip_gap;
    parameters->tol_int = settings->tol_int;
    parameters->tol_obj = settings->tol_obj;
}

static void solve_tree(struct flux_glpk_task *task, glp_prob *lp, uint64_t deadline_ns)
{
    glp_iocp parameters;
    set_tree_parameters(task, &parameters, deadline_ns);
    int rc = glp_intopt(lp, &parameters);
    int status = glp_mip_status(lp);
    if (status == GLP_OPT || status == GLP_FEAS)
        keep_point(task, lp, glp_mip_col_val);
    if (rc == GLP_ENOPFS || (rc == 0 && status == GLP_NOFEAS)) {
        task->status = FLUX_MILP_INFEASIBLE;
    } else if (rc == 0 && status == GLP_OPT) {
        task->status = FLUX_MILP_OPTIMAL;
        task->bound = task->objective;
    } else if (rc != GLP_EMIPGAP && rc != GLP_ETMLIM && rc != GLP_ESTOP && rc != GLP_ENODFS) {
        snprintf(task->text, sizeof task->text, "GLPK's branch and bound failed with code %d", rc);
        fail(task, FLUX_E_BACKEND);
    }
}

static void work(struct flux_glpk_task *task)
{
    uint64_t begin = now_ns();
    uint64_t deadline_ns = task->remaining_ns < UINT64_MAX - begin ? begin + task->remaining_ns : UINT64_MAX;
    if (task->settings->memory_mb)
        glp_mem_limit((int)task->settings->memory_mb);
    glp_prob *lp = build(task);
    int verdict = lp ? GLP_UNDEF : GLP_NOFEAS;
    if (lp && task->settings->presolve && glp_get_num_int(lp)) {
        solve_tree(task, lp, deadline_ns); /* solves the relaxation itself */
        return;
    }
    if (lp)
        verdict = solve_root(task, lp, deadline_ns);
    if (verdict == GLP_NOFEAS)
        task->status = FLUX_MILP_INFEASIBLE;
    if (verdict == GLP_UNBND && !glp_get_num_int(lp))
        task->status = FLUX_MILP_UNBOUNDED;
    if (verdict != GLP_OPT)
        return;
    task->bound = glp_get_obj_val(lp);
    task->bound_ns = now_ns();
    if (glp_get_num_int(lp)) {
        solve_tree(task, lp, deadline_ns);
        return;
    }
    keep_point(task, lp, glp_get_col_prim);
    task->bound = task->objective;
    task->status = FLUX_MILP_OPTIMAL;
}

/* What there is to say, however the work ended. */
static void conclude(struct flux_glpk_task *task)
{
    double cutoff = task->milp->cutoff;
    if (task->status == FLUX_MILP_UNKNOWN && task->has_values)
        task->status = FLUX_MILP_FEASIBLE;
    if (task->status == FLUX_MILP_INFEASIBLE || task->status == FLUX_MILP_UNBOUNDED)
        task->bound = -INFINITY;
    if (!task->has_values)
        return;
    task->bound = fmin(task->bound, task->objective);
    if (!isinf(cutoff) && task->objective >= cutoff - CUTOFF_SLACK * (1 + fabs(cutoff)))
        task->status = task->status == FLUX_MILP_OPTIMAL ? FLUX_MILP_INFEASIBLE : FLUX_MILP_UNKNOWN;
}

void *flux_glpk_work(void *argument)
{
    struct flux_glpk_task *task = argument;
    int rc = glp_init_env();
    if (rc) {
        task->rc = rc == 2 ? FLUX_E_MEMORY : FLUX_E_BACKEND;
        snprintf(task->text, sizeof task->text, "GLPK's environment cannot be made (code %d)", rc);
    } else {
        glp_term_hook(swallow, task);
        glp_error_hook(fall, task);
        if (!setjmp(task->leave))
            work(task);
        glp_free_env();
        conclude(task);
    }
    pthread_mutex_lock(&task->lock);
    task->done = 1;
    pthread_cond_signal(&task->wake);
    pthread_mutex_unlock(&task->lock);
    return NULL;
}
