/* SPDX-License-Identifier: Apache-2.0
 *
 * backend/cbc.c - CBC as a backend, through its C interface. What that interface cannot do this backend does not
 * claim: a solve obeys its deadline, and cannot be cancelled before it. CBC is C++ inside: where its memory ends it
 * ends the process, and the environment's allocator does not reach it. It reads its arguments through global
 * variables, so one solve at a time runs in a process; others wait, and come back when told to stop.
 */
#include "backend/milp.h"
#include "backend/registry.h"
#include "backend/value.h"
#include "base/fail.h"

#include <coin/Cbc_C_Interface.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define ROWS_MOST 1000000u
#define ENTRIES_MOST (20u * ROWS_MOST)
#define WAIT_NS 5000000
#define CUTOFF_SLACK 1e-6 /* relative: a point this close below the cutoff is not below it */

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

struct cbc {
    struct flux_memory memory;
    uint32_t preprocess;
    uint32_t cuts;
    uint32_t heuristics;
    uint32_t padding;
    double mip_gap;
};

/* The program column by column, as CBC wants it, with one more row for the cutoff and one more column. */
struct columns {
    CoinBigIndex *first;
    int *row;
    double *value;
    double *lower, *upper, *cost;
    double *row_lower, *row_upper;
};

static const struct flux_backend_parameter described[] = {
    {"preprocess", "on | off", "on", "CBC's integer preprocessing"},
    {"cuts", "on | off", "on", "cutting planes"},
    {"heuristics", "on | off", "on", "primal heuristics"},
    {"mip_gap", "0 .. 1", "0", "relative gap that is good enough"},
};

static const char *cbc_version(void)
{
    return Cbc_getVersion();
}

static const struct flux_backend_parameter *cbc_describe(uint32_t index)
{
    return index < sizeof described / sizeof *described ? &described[index] : NULL;
}

static int cbc_open(const struct flux_env *env, void **instance, struct flux_error *error)
{
    struct flux_memory memory;
    *instance = NULL;
    int rc = flux_memory_init(&memory, env);
    if (rc)
        return flux_fail(error, rc, "the environment is not a valid one");
    struct cbc *cbc = flux_alloc_zero(&memory, 1, sizeof *cbc);
    if (!cbc)
        return flux_fail_memory(error);
    cbc->memory = memory;
    cbc->preprocess = cbc->cuts = cbc->heuristics = 1;
    *instance = cbc;
    return FLUX_OK;
}

static int cbc_set(void *instance, const char *key, const char *value, struct flux_error *error)
{
    static const char *const on_off[] = {"off", "on"};
    struct cbc *cbc = instance;
    if (!strcmp(key, "preprocess"))
        return flux_value_word(key, value, on_off, 2, &cbc->preprocess, error);
    if (!strcmp(key, "cuts"))
        return flux_value_word(key, value, on_off, 2, &cbc->cuts, error);
    if (!strcmp(key, "heuristics"))
        return flux_value_word(key, value, on_off, 2, &cbc->heuristics, error);
    if (!strcmp(key, "mip_gap"))
        return flux_value_real(key, value, 0, 1, &cbc->mip_gap, error);
    return flux_fail(error, FLUX_E_ARGUMENT, "there is no parameter \"%.60s\"", key);
}

static void cbc_close(void *instance)
{
    struct cbc *cbc = instance;
    struct flux_memory memory = cbc->memory;
    flux_release(&memory, cbc, 1, sizeof *cbc);
}

static double limit(double bound)
{
    return isinf(bound) ? copysign(DBL_MAX, bound) : bound;
}

static int get_columns(struct flux_arena *arena, const struct flux_milp *milp, struct columns *columns)
{
    uint64_t entries = milp->entries + milp->columns;
    columns->first = flux_arena_zero(arena, (uint64_t)milp->columns + 3, sizeof *columns->first);
    columns->row = flux_arena_alloc(arena, entries, sizeof *columns->row);
    columns->value = flux_arena_alloc(arena, entries, sizeof *columns->value);
    columns->lower = flux_arena_alloc(arena, (uint64_t)milp->columns + 1, sizeof *columns->lower);
    columns->upper = flux_arena_alloc(arena, (uint64_t)milp->columns + 1, sizeof *columns->upper);
    columns->cost = flux_arena_alloc(arena, (uint64_t)milp->columns + 1, sizeof *columns->cost);
    columns->row_lower = flux_arena_alloc(arena, (uint64_t)milp->rows + 1, sizeof *columns->row_lower);
    columns->row_upper = flux_arena_alloc(arena, (uint64_t)milp->rows + 1, sizeof *columns->row_upper);
    return columns->first && columns->row && columns->value && columns->lower && columns->upper && columns->cost &&
           columns->row_lower && columns->row_upper;
}

static void put_entry(struct columns *columns, uint32_t column, uint32_t row, double value)
{
    CoinBigIndex at = columns->first[column + 1]++;
    columns->row[at] = (int)row;
    columns->value[at] = value;
}

/* Row-wise to column-wise by counting; the last row is cost * x <= cutoff. The last column is a binary that means
 * nothing: programs without any go another way through CBC, one without a time limit. */
static void turn(const struct flux_milp *milp, struct columns *columns)
{
    CoinBigIndex *first = columns->first;
    int has_cutoff = !isinf(milp->cutoff);
    for (uint64_t e = 0; e < milp->entries; e++)
        first[milp->entry_column[e] + 2]++;
    for (uint32_t j = 0; j < milp->columns; j++)
        first[j + 2] += first[j + 1] + (has_cutoff && milp->cost[j] != 0);
    for (uint32_t r = 0; r < milp->rows; r++)
        for (uint64_t e = milp->row_first[r]; e < milp->row_first[r + 1]; e++)
            put_entry(columns, milp->entry_column[e], r, milp->entry_value[e]);
    for (uint32_t j = 0; j < milp->columns; j++)
        if (has_cutoff && milp->cost[j] != 0)
            put_entry(columns, j, milp->rows, milp->cost[j]);
    for (uint32_t j = 0; j < milp->columns; j++) {
        columns->lower[j] = limit(milp->column_lower[j]);
        columns->upper[j] = limit(milp->column_upper[j]);
        columns->cost[j] = milp->cost[j];
    }
    columns->lower[milp->columns] = columns->cost[milp->columns] = 0;
    columns->upper[milp->columns] = 1;
    first[milp->columns + 1] = first[milp->columns];
    for (uint32_t r = 0; r < milp->rows; r++) {
        columns->row_lower[r] = limit(milp->row_lower[r]);
        columns->row_upper[r] = limit(milp->row_upper[r]);
    }
    columns->row_lower[milp->rows] = -DBL_MAX;
    columns->row_upper[milp->rows] = limit(milp->cutoff);
}

static Cbc_Model *new_model(const struct cbc *cbc, const struct flux_milp *milp, const struct columns *columns,
                            uint64_t left_ns)
{
    Cbc_Model *model = Cbc_newModel();
    Cbc_setLogLevel(model, 0);
    Cbc_setParameter(model, "log", "0");
    Cbc_setParameter(model, "slog", "0");
    Cbc_setParameter(model, "timeMode", "elapsed");
    Cbc_setParameter(model, "preprocess", cbc->preprocess ? "on" : "off");
    Cbc_setParameter(model, "cuts", cbc->cuts ? "on" : "off");
    Cbc_setParameter(model, "heuristics", cbc->heuristics ? "on" : "off");
    Cbc_loadProblem(model, (int)milp->columns + 1, (int)milp->rows + 1, columns->first, columns->row, columns->value,
                    columns->lower, columns->upper, columns->cost, columns->row_lower, columns->row_upper);
    for (uint32_t j = 0; j < milp->columns; j++)
        if (milp->column_kind[j] == FLUX_COLUMN_BINARY)
            Cbc_setInteger(model, (int)j);
    Cbc_setInteger(model, (int)milp->columns);
    Cbc_setObjSense(model, 1);
    Cbc_setAllowableFractionGap(model, cbc->mip_gap);
    if (left_ns != UINT64_MAX)
        Cbc_setMaximumSeconds(model, (double)left_ns / 1e9);
    return model;
}

static int has_binaries(const struct flux_milp *milp)
{
    for (uint32_t j = 0; j < milp->columns; j++)
        if (milp->column_kind[j] == FLUX_COLUMN_BINARY)
            return 1;
    return 0;
}

static void read_point(Cbc_Model *model, const struct flux_milp *milp, struct flux_milp_result *result)
{
    const double *best = Cbc_bestSolution(model);
    double bound = Cbc_getBestPossibleObjValue(model), cutoff = milp->cutoff;
    int proven = Cbc_isProvenOptimal(model);
    if (fabs(bound) < 1e50)
        result->bound = bound;
    if (!best)
        return;
    for (uint32_t j = 0; j < milp->columns; j++)
        result->values[j] = fmin(fmax(best[j], milp->column_lower[j]), milp->column_upper[j]);
    result->objective = flux_milp_cost(milp, result->values);
    result->bound = proven ? result->objective : fmin(result->bound, result->objective);
    result->status = proven ? FLUX_MILP_OPTIMAL : FLUX_MILP_FEASIBLE;
    if (!isinf(cutoff) && result->objective >= cutoff - CUTOFF_SLACK * (1 + fabs(cutoff))) {
        result->status = proven ? FLUX_MILP_INFEASIBLE : FLUX_MILP_UNKNOWN;
        result->bound = -INFINITY;
    }
}

/* A relaxation without a bound says nothing where there are binaries; and CBC takes some of these for infeasible. */
static void read_result(Cbc_Model *model, const struct flux_milp *milp, struct flux_milp_result *result)
{
    if (Cbc_isContinuousUnbounded(model) || Cbc_secondaryStatus(model) == 7)
        result->status = has_binaries(milp) ? FLUX_MILP_UNKNOWN : FLUX_MILP_UNBOUNDED;
    else if (Cbc_isProvenInfeasible(model))
        result->status = FLUX_MILP_INFEASIBLE;
    else
        read_point(model, milp, result);
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int must_stop(const struct flux_milp_run *run)
{
    return run->stop && run->stop(run->user);
}

/* The turn to solve. 0 where the caller says stop before. */
static int wait_turn(const struct flux_milp_run *run)
{
    for (;;) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until); /* what pthread_mutex_timedlock() goes by */
        until.tv_nsec += WAIT_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (must_stop(run))
            return 0;
        if (!pthread_mutex_timedlock(&one_at_a_time, &until))
            return 1;
    }
}

static void solve_alone(const struct cbc *cbc, const struct flux_milp *milp, const struct columns *columns,
                        uint64_t deadline_ns, struct flux_milp_result *result)
{
    struct sigaction interrupt;
    uint64_t now = now_ns();
    uint64_t left = deadline_ns == UINT64_MAX ? UINT64_MAX : deadline_ns > now ? deadline_ns - now : 1;
    int known = !sigaction(SIGINT, NULL, &interrupt);
    Cbc_Model *model = new_model(cbc, milp, columns, left);
    Cbc_solve(model);
    read_result(model, milp, result);
    Cbc_deleteModel(model);
    if (known) /* CBC may have put a handler of its own there */
        sigaction(SIGINT, &interrupt, NULL);
}

static int cbc_solve(void *instance, const struct flux_milp *milp, const struct flux_milp_run *run,
                     struct flux_milp_result *result, struct flux_error *error)
{
    struct cbc *cbc = instance;
    struct flux_arena arena;
    struct columns columns;
    uint64_t begin = now_ns();
    uint64_t deadline = run->remaining_ns < UINT64_MAX - begin ? begin + run->remaining_ns : UINT64_MAX;
    result->status = FLUX_MILP_UNKNOWN;
    result->bound = -INFINITY;
    if (milp->rows > ROWS_MOST || milp->columns > ROWS_MOST || milp->entries > ENTRIES_MOST)
        return flux_fail(error, FLUX_E_TOO_BIG,
                         "%" PRIu32 " rows, %" PRIu32 " columns, %" PRIu64 " entries; CBC is given at most %u, %u, %u",
                         milp->rows, milp->columns, milp->entries, ROWS_MOST, ROWS_MOST, ENTRIES_MOST);
    if (run->remaining_ns == 0)
        return FLUX_OK;
    flux_arena_init(&arena, &cbc->memory);
    int rc = get_columns(&arena, milp, &columns) ? FLUX_OK : flux_fail_memory(error);
    if (!rc) {
        turn(milp, &columns);
        if (wait_turn(run)) {
            solve_alone(cbc, milp, &columns, deadline, result);
            pthread_mutex_unlock(&one_at_a_time);
        }
    }
    flux_arena_free(&arena);
    return rc;
}

const struct flux_backend flux_backend_cbc = {
    .abi = FLUX_BACKEND_ABI,
    .size = sizeof(struct flux_backend),
    .name = "cbc",
    .capabilities = FLUX_BACKEND_OPTIMAL | FLUX_BACKEND_BOUND | FLUX_BACKEND_SOLVES,
    .version = cbc_version,
    .describe = cbc_describe,
    .open = cbc_open,
    .set = cbc_set,
    .solve = cbc_solve,
    .close = cbc_close,
};
