/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/glpk.h"

#include "backend/milp.h"

#include <fenv.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define OUTPUT_EVERY_MS 2    /* GLPK prints at most this often, and each print can be left from */
#define PREPARED_MOST 100000 /* entries: scaling and a triangular basis go through them all without a word */
#define CUTOFF_SLACK 1e-6    /* relative: a point this close below the cutoff is not below it */
#define LEFT 1

/* --- leaving ------------------------------------------------------------------------------------------------------ */

uint64_t flux_glpk_now_ns(void)
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
    else if (atomic_load(&task->stopping) && !(task->phase == FLUX_GLPK_TREE && task->presolved))
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

/* --- solving ------------------------------------------------------------------------------------------------------ */

int flux_glpk_left_ms(const struct flux_glpk_task *task)
{
    uint64_t now = flux_glpk_now_ns();
    if (task->deadline_ns == UINT64_MAX)
        return INT_MAX;
    uint64_t left = task->deadline_ns > now ? (task->deadline_ns - now) / 1000000u + 1 : 1;
    return left < INT_MAX ? (int)left : INT_MAX;
}

static int is_verdict(int status)
{
    return status == GLP_OPT || status == GLP_NOFEAS || status == GLP_UNBND;
}

/* The relaxation. The method that was asked for from a good basis, then the other, more patient ways. A verdict, or
 * GLP_UNDEF with rc set or time up. */
static int solve_root(struct flux_glpk_task *task, glp_prob *lp)
{
    glp_smcp parameters;
    int rc = 0;
    int prepared = glp_get_num_nz(lp) <= PREPARED_MOST;
    task->phase = FLUX_GLPK_ROOT;
    if (prepared)
        glp_scale_prob(lp, GLP_SF_AUTO);
    for (int attempt = 0; attempt < 3; attempt++) {
        glp_init_smcp(&parameters);
        parameters.msg_lev = GLP_MSG_ALL;
        parameters.out_frq = OUTPUT_EVERY_MS;
        parameters.tm_lim = flux_glpk_left_ms(task);
        parameters.meth = attempt == 0 && task->settings->simplex == 1 ? GLP_DUALP : GLP_PRIMAL;
        if (attempt == 2)
            glp_unscale_prob(lp);
        if (attempt || !prepared)
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

static void set_tree_parameters(struct flux_glpk_task *task, glp_iocp *parameters)
{
    static const int branchings[] = {GLP_BR_PCH, GLP_BR_FFV, GLP_BR_LFV, GLP_BR_MFV, GLP_BR_DTH, GLP_BR_PCH};
    static const int selections[] = {GLP_BT_DFS, GLP_BT_BFS, GLP_BT_BLB, GLP_BT_BPH};
    const struct flux_glpk_settings *settings = task->settings;
    glp_init_iocp(parameters);
    parameters->msg_lev = GLP_MSG_DBG; /* below this, nodes say nothing */
    parameters->out_frq = OUTPUT_EVERY_MS;
    parameters->out_dly = 0;
    parameters->tm_lim = flux_glpk_left_ms(task);
    parameters->cb_func = flux_glpk_on_event;
    parameters->cb_info = task;
    parameters->cb_size = FLUX_GLPK_NODE_BYTES;
    parameters->br_tech = branchings[settings->branching];
    parameters->bt_tech = selections[settings->selection];
    parameters->presolve = task->presolved ? GLP_ON : GLP_OFF;
    parameters->mir_cuts = settings->mir_cuts ? GLP_ON : GLP_OFF;
    parameters->gmi_cuts = settings->gmi_cuts ? GLP_ON : GLP_OFF;
    parameters->cov_cuts = settings->cover_cuts ? GLP_ON : GLP_OFF;
    parameters->clq_cuts = settings->clique_cuts ? GLP_ON : GLP_OFF;
    parameters->fp_heur = settings->feasibility_pump ? GLP_ON : GLP_OFF;
    parameters->mip_gap = settings->mip_gap;
    parameters->tol_int = settings->tol_int;
    parameters->tol_obj = settings->tol_obj;
}

/* Branch and bound. GLPK's return code. */
static int solve_tree(struct flux_glpk_task *task, glp_prob *lp)
{
    glp_iocp parameters;
    set_tree_parameters(task, &parameters);
    task->copy = glp_create_prob();
    task->phase = FLUX_GLPK_TREE;
    int rc = glp_intopt(lp, &parameters);
    int status = glp_mip_status(lp);
    if (status == GLP_OPT || status == GLP_FEAS)
        flux_glpk_keep_point(task, lp, glp_mip_col_val);
    if (rc == GLP_ENOPFS || (rc == 0 && status == GLP_NOFEAS)) {
        task->status = FLUX_MILP_INFEASIBLE;
    } else if (rc == 0 && status == GLP_OPT) {
        task->status = FLUX_MILP_OPTIMAL;
        task->bound = task->objective;
    } else if (rc != GLP_EMIPGAP && rc != GLP_ETMLIM && rc != GLP_ESTOP && rc != GLP_ENODFS) {
        snprintf(task->text, sizeof task->text, "GLPK's branch and bound failed with code %d", rc);
        fail(task, FLUX_E_BACKEND);
    }
    return rc;
}

/* The relaxation has no least cost. Its numbers being rational, the program has none either, or it has no point at all
 * (Meyer, On the existence of optimal solutions to integer and mixed-integer programming problems, 1974): any point of
 * it tells which, so one is looked for without the costs. */
static void settle_unbounded(struct flux_glpk_task *task, glp_prob *lp)
{
    task->costless = 1;
    for (uint32_t j = 0; j < task->milp->columns; j++)
        glp_set_obj_coef(lp, (int)j + 1, 0);
    if (solve_root(task, lp) != GLP_OPT)
        return;
    solve_tree(task, lp);
    if (task->has_values)
        task->status = FLUX_MILP_UNBOUNDED;
}

/* A program without binaries is its own relaxation. */
static void settle_relaxed(struct flux_glpk_task *task, glp_prob *lp)
{
    flux_glpk_keep_point(task, lp, glp_get_col_prim);
    task->bound = task->objective;
    task->status = FLUX_MILP_OPTIMAL;
}

static void work(struct flux_glpk_task *task)
{
    uint64_t begin = flux_glpk_now_ns();
    task->deadline_ns = task->remaining_ns < UINT64_MAX - begin ? begin + task->remaining_ns : UINT64_MAX;
    if (task->settings->memory_mb)
        glp_mem_limit((int)task->settings->memory_mb);
    glp_prob *lp = task->lp = build(task);
    int verdict = lp ? GLP_UNDEF : GLP_NOFEAS, binaries = lp && glp_get_num_int(lp);
    if (binaries && task->settings->presolve) {
        task->presolved = 1; /* the tree solves the relaxation itself */
        if (solve_tree(task, lp) != GLP_ENODFS)
            return;
        task->presolved = 0; /* unbounded or infeasible: the presolver does not say which */
    }
    if (lp)
        verdict = solve_root(task, lp);
    if (verdict == GLP_NOFEAS)
        task->status = FLUX_MILP_INFEASIBLE;
    if (verdict == GLP_UNBND && binaries)
        settle_unbounded(task, lp);
    else if (verdict == GLP_UNBND)
        task->status = FLUX_MILP_UNBOUNDED;
    if (verdict != GLP_OPT)
        return;
    task->bound = glp_get_obj_val(lp);
    task->bound_ns = flux_glpk_now_ns();
    if (binaries)
        solve_tree(task, lp);
    else
        settle_relaxed(task, lp);
}

/* After a stop: the best point may not have been told of. Failures in here end it, and nothing more. */
static void salvage(struct flux_glpk_task *task)
{
    if (task->failing || task->phase != FLUX_GLPK_TREE || task->presolved)
        return;
    if (!setjmp(task->leave))
        flux_glpk_salvage(task);
}

/* What there is to say, however the work ended. */
static void conclude(struct flux_glpk_task *task)
{
    double cutoff = task->milp->cutoff;
    if (task->status == FLUX_MILP_UNKNOWN && task->has_values)
        task->status = FLUX_MILP_FEASIBLE;
    if (task->status == FLUX_MILP_INFEASIBLE || task->status == FLUX_MILP_UNBOUNDED || task->costless)
        task->bound = -INFINITY;
    if (!task->has_values)
        return;
    task->bound = fmin(task->bound, task->objective);
    if (task->status != FLUX_MILP_UNBOUNDED && !isinf(cutoff) &&
        task->objective >= cutoff - CUTOFF_SLACK * (1 + fabs(cutoff)))
        task->status = task->status == FLUX_MILP_OPTIMAL ? FLUX_MILP_INFEASIBLE : FLUX_MILP_UNKNOWN;
}

void *flux_glpk_work(void *argument)
{
    struct flux_glpk_task *task = argument;
    fesetenv(FE_DFL_ENV); /* the host may round otherwise, or trap; a thread starts with what its maker had */
    int rc = glp_init_env();
    if (rc) {
        task->rc = rc == 2 ? FLUX_E_MEMORY : FLUX_E_BACKEND;
        snprintf(task->text, sizeof task->text, "GLPK's environment cannot be made (code %d)", rc);
    } else {
        glp_term_hook(swallow, task);
        glp_error_hook(fall, task);
        if (!setjmp(task->leave))
            work(task);
        else
            salvage(task);
        glp_free_env();
        conclude(task);
    }
    pthread_mutex_lock(&task->lock);
    task->done = 1;
    pthread_cond_signal(&task->wake);
    pthread_mutex_unlock(&task->lock);
    return NULL;
}
