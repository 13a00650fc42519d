/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/glpk.h"

#include "base/fail.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#define STACK_BYTES (4u << 20)
#define ASK_EVERY_NS 5000000 /* how often the caller is asked whether to stop */

static int check_size(const struct flux_milp *milp, struct flux_error *error)
{
    if (milp->rows <= FLUX_GLPK_ROWS_MOST && milp->columns <= FLUX_GLPK_ROWS_MOST &&
        milp->entries <= FLUX_GLPK_ENTRIES_MOST)
        return FLUX_OK;
    return flux_fail(error, FLUX_E_TOO_BIG,
                     "%" PRIu32 " rows, %" PRIu32 " columns, %" PRIu64 " entries; GLPK is given at most %u, %u, %u",
                     milp->rows, milp->columns, milp->entries, FLUX_GLPK_ROWS_MOST, FLUX_GLPK_ROWS_MOST,
                     FLUX_GLPK_ENTRIES_MOST);
}

/* Without columns every row is 0. */
static int solve_empty(const struct flux_milp *milp, struct flux_milp_result *result)
{
    result->status = FLUX_MILP_OPTIMAL;
    result->objective = 0;
    result->bound = 0;
    for (uint32_t r = 0; r < milp->rows; r++)
        if (milp->row_lower[r] > 0 || milp->row_upper[r] < 0)
            result->status = FLUX_MILP_INFEASIBLE;
    if (milp->cutoff <= 0)
        result->status = FLUX_MILP_INFEASIBLE;
    return FLUX_OK;
}

/* The private thread must not take signals that are meant for the host's threads; those that a fault of its own raises
 * cannot wait. */
static int start_thread(pthread_t *thread, struct flux_glpk_task *task)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
    pthread_attr_t attributes;
    sigset_t all, before;
    if (pthread_attr_init(&attributes))
        return 0;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&all, own[i]);
    int started = 0;
    if (!pthread_attr_setstacksize(&attributes, STACK_BYTES) && !pthread_sigmask(SIG_SETMASK, &all, &before)) {
        started = !pthread_create(thread, &attributes, flux_glpk_work, task);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    pthread_attr_destroy(&attributes);
    return started;
}

/* Hands a new point to the caller, without the lock. The task's lock is held on entry and exit. */
static void tell_fresh(struct flux_glpk_task *task, const struct flux_milp_run *run, double *room)
{
    if (!task->has_fresh || !room)
        return;
    double cost = 0;
    task->has_fresh = 0;
    memcpy(room, task->fresh, task->milp->columns * sizeof *room);
    pthread_mutex_unlock(&task->lock);
    for (uint32_t j = 0; j < task->milp->columns; j++)
        cost += task->milp->cost[j] * room[j];
    run->incumbent(run->user, room, cost);
    pthread_mutex_lock(&task->lock);
}

/* Asks stop() every few milliseconds, here on the caller's thread, until the work is done. */
static void wait_for(struct flux_glpk_task *task, const struct flux_milp_run *run, double *room)
{
    pthread_mutex_lock(&task->lock);
    while (!task->done) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += ASK_EVERY_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&task->wake, &task->lock, &until);
        tell_fresh(task, run, room);
        if (task->done)
            break;
        pthread_mutex_unlock(&task->lock);
        if (run->stop && run->stop(run->user))
            atomic_store(&task->stopping, 1);
        pthread_mutex_lock(&task->lock);
    }
    pthread_mutex_unlock(&task->lock);
}

static int begin_waiting(struct flux_glpk_task *task)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes))
        return 0;
    int good = !pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) && !pthread_cond_init(&task->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    if (good && pthread_mutex_init(&task->lock, NULL)) {
        pthread_cond_destroy(&task->wake);
        good = 0;
    }
    return good;
}

static int run_thread(struct flux_glpk_task *task, const struct flux_milp_run *run, double *room,
                      struct flux_error *error)
{
    pthread_t thread;
    int cancelling;
    if (!begin_waiting(task))
        return flux_fail(error, FLUX_E_BACKEND, "no lock for a thread of its own");
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling); /* the task must outlive its thread */
    int started = start_thread(&thread, task);
    if (started) {
        wait_for(task, run, room);
        pthread_join(thread, NULL);
    }
    pthread_setcancelstate(cancelling, NULL);
    pthread_mutex_destroy(&task->lock);
    pthread_cond_destroy(&task->wake);
    if (!started)
        return flux_fail(error, FLUX_E_BACKEND, "the system gives no thread");
    return FLUX_OK;
}

int flux_glpk_solve(const struct flux_memory *memory, const struct flux_glpk_settings *settings,
                    const struct flux_milp *milp, const struct flux_milp_run *run, struct flux_milp_result *result,
                    struct flux_error *error)
{
    struct flux_arena arena;
    double *room = NULL;
    result->status = FLUX_MILP_UNKNOWN;
    result->bound = -INFINITY;
    int rc = check_size(milp, error);
    if (rc || run->remaining_ns == 0 || (run->stop && run->stop(run->user)))
        return rc;
    if (milp->columns == 0)
        return solve_empty(milp, result);
    flux_arena_init(&arena, memory);
    struct flux_glpk_task *task = flux_arena_zero(&arena, 1, sizeof *task);
    int lacking = !task;
    if (task) {
        task->settings = settings;
        task->milp = milp;
        task->seen = INFINITY;
        task->remaining_ns = run->remaining_ns;
        task->bound = -INFINITY;
        task->values = result->values;
        task->wants_points = run->incumbent != NULL;
        task->index = flux_arena_alloc(&arena, (uint64_t)milp->columns + 1, sizeof *task->index);
        task->number = flux_arena_alloc(&arena, (uint64_t)milp->columns + 1, sizeof *task->number);
        task->pseudocosts = flux_arena_zero(&arena, milp->columns, sizeof *task->pseudocosts);
        task->candidates = flux_arena_alloc(&arena, milp->columns, sizeof *task->candidates);
        lacking = !task->index || !task->number || !task->pseudocosts || !task->candidates;
        if (run->incumbent) {
            task->fresh = flux_arena_alloc(&arena, milp->columns, sizeof *task->fresh);
            room = flux_arena_alloc(&arena, milp->columns, sizeof *room);
            lacking |= !task->fresh || !room;
        }
    }
    rc = lacking ? flux_fail_memory(error) : run_thread(task, run, room, error);
    if (!rc && task->rc)
        rc = flux_fail(error, task->rc, "%s", task->text);
    if (!rc) {
        result->status = task->status;
        result->objective = task->objective;
        result->bound = task->bound;
        result->nodes = task->nodes;
    }
    flux_arena_free(&arena);
    return rc;
}
