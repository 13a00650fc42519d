/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/run.h"

#include "backend/milp.h"
#include "backend/registry.h"
#include "base/fail.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* One solve under way. Backends may call stop() and incumbent() on threads of their own, where neither the caller's
 * progress callback nor its clock may be touched: there stop() goes by the cancel token and a monotonic deadline, and a
 * point waits in `pending` until the caller's thread comes by. */
struct running {
    const struct flux_backend_request *request;
    pthread_t caller;
    uint64_t wall_deadline_ns; /* CLOCK_MONOTONIC; UINT64_MAX: none */
    atomic_int stopping;
    uint64_t stopped_ns; /* wall time when stop() first said so, under the lock; 0: not yet */
    pthread_mutex_t lock;
    int has_pending;
    double *pending;
};

static uint64_t wall_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t control_ns(const struct flux_control *control)
{
    return control->memory->env.now_ns(control->memory->env.user);
}

/* On the caller's thread only. */
static int must_stop(const struct flux_backend_request *request)
{
    return flux_control_poll(request->control, 0) ||
           (request->deadline_ns != UINT64_MAX && control_ns(request->control) >= request->deadline_ns);
}

static void deliver(struct running *running)
{
    const struct flux_backend_request *request = running->request;
    if (!running->pending)
        return;
    pthread_mutex_lock(&running->lock);
    double *values = running->has_pending ? running->pending : NULL;
    running->has_pending = 0;
    running->pending = values ? NULL : running->pending; /* taken out: the callback runs without the lock */
    pthread_mutex_unlock(&running->lock);
    if (!values)
        return;
    request->incumbent(request->user, values, flux_milp_cost(request->milp, values));
    pthread_mutex_lock(&running->lock);
    running->pending = values;
    pthread_mutex_unlock(&running->lock);
}

static int stop(void *user)
{
    struct running *running = user;
    int stopping;
    if (pthread_equal(pthread_self(), running->caller)) {
        deliver(running);
        stopping = must_stop(running->request);
    } else {
        stopping = flux_cancel_requested(running->request->control->options->cancel) ||
                   wall_ns() >= running->wall_deadline_ns;
    }
    if (stopping && !atomic_exchange(&running->stopping, 1)) {
        pthread_mutex_lock(&running->lock);
        running->stopped_ns = wall_ns();
        pthread_mutex_unlock(&running->lock);
    }
    return atomic_load(&running->stopping);
}

static void incumbent(void *user, const double *values, double objective)
{
    struct running *running = user;
    const struct flux_backend_request *request = running->request;
    (void)objective; /* recomputed */
    if (!values)
        return;
    for (uint32_t j = 0; j < request->milp->columns; j++)
        if (!isfinite(values[j]))
            return;
    if (pthread_equal(pthread_self(), running->caller)) {
        request->incumbent(request->user, values, flux_milp_cost(request->milp, values));
        return;
    }
    pthread_mutex_lock(&running->lock);
    if (running->pending) {
        memcpy(running->pending, values, sizeof *values * request->milp->columns);
        running->has_pending = 1;
    }
    pthread_mutex_unlock(&running->lock);
}

/* Keeps a foreign sentence to one line of printable text. */
static const char *one_line(struct flux_error *error)
{
    error->text[sizeof error->text - 1] = '\0';
    for (char *c = error->text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = ' ';
    return error->text[0] ? error->text : "it gave no reason";
}

/* What a backend's own failure becomes. */
static int foreign_failure(const struct flux_backend *backend, int rc, const char *doing, struct flux_error *foreign,
                           struct flux_error *error)
{
    if (rc == FLUX_E_MEMORY)
        return flux_fail(error, rc, "backend %s, %s: out of memory%s%s", backend->name, doing,
                         foreign->text[0] ? ": " : "", foreign->text[0] ? one_line(foreign) : "");
    if (rc != FLUX_E_ARGUMENT && rc != FLUX_E_TOO_BIG)
        rc = FLUX_E_BACKEND;
    return flux_fail(error, rc, "backend %s, %s: %s", backend->name, doing, one_line(foreign));
}

static int open_instance(const struct flux_backend *backend, const struct flux_memory *memory, void **instance,
                         struct flux_error *error)
{
    struct flux_error foreign = {0};
    *instance = NULL;
    int rc = backend->open(&memory->env, instance, &foreign);
    return rc ? foreign_failure(backend, rc, "opening", &foreign, error) : FLUX_OK;
}

/* The part of a key after "NAME.", or NULL where the key is not for `name`. */
static const char *own_key(const char *key, const char *name)
{
    size_t length = strlen(name);
    return !strncmp(key, name, length) && key[length] == '.' ? key + length + 1 : NULL;
}

static int is_builtin_key(const char *key)
{
    const struct flux_backend *other;
    for (uint32_t i = 0; (other = flux_backend_builtin(i)) != NULL; i++)
        if (own_key(key, other->name))
            return 1;
    return 0;
}

static int set_parameters(const struct flux_backend *backend, void *instance, const struct flux_parameter *parameters,
                          uint64_t count, struct flux_error *error)
{
    for (uint64_t i = 0; i < count; i++) {
        const char *key = parameters[i].key, *value = parameters[i].value;
        if (!key || !value)
            return flux_fail(error, FLUX_E_ARGUMENT, "parameter %" PRIu64 " has a key or value that is NULL", i);
        const char *own = own_key(key, backend->name);
        if (!own && !is_builtin_key(key))
            return flux_fail(error, FLUX_E_ARGUMENT, "parameter %s: no such backend; a key is like \"%s.key\"", key,
                             backend->name);
        if (!own)
            continue;
        if (!backend->set)
            return flux_fail(error, FLUX_E_ARGUMENT, "parameter %s: backend %s has no parameters", key, backend->name);
        struct flux_error foreign = {0};
        int rc = backend->set(instance, own, value, &foreign);
        if (rc)
            return foreign_failure(backend, rc == FLUX_E_MEMORY ? rc : FLUX_E_ARGUMENT, key, &foreign, error);
    }
    return FLUX_OK;
}

int flux_backend_probe(const struct flux_backend *backend, const struct flux_parameter *parameters, uint64_t count,
                       const struct flux_memory *memory, struct flux_error *error)
{
    void *instance;
    int rc = flux_backend_check(backend, error);
    if (rc)
        return rc;
    rc = open_instance(backend, memory, &instance, error);
    if (rc)
        return rc;
    rc = set_parameters(backend, instance, parameters, count, error);
    backend->close(instance);
    return rc;
}

static int disbelieve(struct flux_backend_answer *answer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static int disbelieve(struct flux_backend_answer *answer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(answer->why, sizeof answer->why, format, arguments);
    va_end(arguments);
    answer->status = FLUX_MILP_UNKNOWN;
    answer->disbelieved = 1;
    answer->objective = 0;
    answer->bound = -INFINITY;
    answer->values = NULL;
    return 0;
}

static double slack(double cost)
{
    return 1e-5 * (1 + fabs(cost));
}

/* Is `values` a point, is its objective its cost, and its bound not above it? */
static int believe_point(const struct flux_milp *milp, double objective, struct flux_backend_answer *answer)
{
    double violation = flux_milp_violation(milp, answer->values);
    if (!(violation <= FLUX_MILP_TOLERANCE))
        return disbelieve(answer, "its point breaks a bound or row by %.3g of the numbers in it", violation);
    answer->objective = flux_milp_cost(milp, answer->values);
    if (!(fabs(objective - answer->objective) <= slack(answer->objective)))
        return disbelieve(answer, "it says that its point costs %.9g; it costs %.9g", objective, answer->objective);
    if (answer->bound > answer->objective + slack(answer->objective))
        return disbelieve(answer, "its bound %.9g is above the cost %.9g of its own point", answer->bound,
                          answer->objective);
    if (answer->status == FLUX_MILP_OPTIMAL) {
        if (isinf(answer->bound))
            answer->bound = answer->objective;
        else if (answer->bound < answer->objective - slack(answer->objective))
            answer->status = FLUX_MILP_FEASIBLE;
    }
    return 1;
}

/* No word may go against a point that is known to be feasible. */
static int believe_against_start(const struct flux_milp *milp, struct flux_backend_answer *answer)
{
    if (!milp->start || flux_milp_violation(milp, milp->start) > 1e-9)
        return 1;
    double cost = flux_milp_cost(milp, milp->start);
    if (cost >= milp->cutoff - slack(cost))
        return 1;
    if (answer->status == FLUX_MILP_INFEASIBLE)
        return disbelieve(answer, "it says \"infeasible\", and the start is feasible");
    if (answer->bound > cost + slack(cost))
        return disbelieve(answer, "its bound %.9g is above the cost %.9g of the start", answer->bound, cost);
    return 1;
}

static int cost_is_bounded(const struct flux_milp *milp)
{
    for (uint32_t j = 0; j < milp->columns; j++)
        if ((milp->cost[j] > 0 && isinf(milp->column_lower[j])) || (milp->cost[j] < 0 && isinf(milp->column_upper[j])))
            return 0;
    return 1;
}

/* Turns what came back into the answer. 1 where it is believed. */
static int believe(const struct flux_milp *milp, const struct flux_milp_result *result,
                   struct flux_backend_answer *answer)
{
    answer->status = result->status;
    answer->nodes = result->nodes;
    answer->bound = result->bound;
    if (result->status > FLUX_MILP_UNBOUNDED)
        return disbelieve(answer, "its status %" PRIu32 " is none that we know", result->status);
    int point = result->status == FLUX_MILP_FEASIBLE || result->status == FLUX_MILP_OPTIMAL;
    if (result->status == FLUX_MILP_INFEASIBLE || result->status == FLUX_MILP_UNBOUNDED)
        answer->bound = -INFINITY; /* without meaning there */
    if (isnan(answer->bound) || (isinf(answer->bound) && answer->bound > 0))
        return disbelieve(answer, "its bound is not a number");
    if (result->status == FLUX_MILP_UNBOUNDED && cost_is_bounded(milp))
        return disbelieve(answer, "it says \"unbounded\", and the columns' bounds say otherwise");
    if (point && !believe_point(milp, result->objective, answer))
        return 0;
    if (!point)
        answer->values = NULL;
    return believe_against_start(milp, answer);
}

static int running_begin(struct running *running, const struct flux_backend_request *request,
                         struct flux_arena *arena, struct flux_error *error)
{
    memset(running, 0, sizeof *running);
    running->request = request;
    running->caller = pthread_self();
    running->wall_deadline_ns = UINT64_MAX;
    atomic_init(&running->stopping, 0);
    if (request->incumbent) {
        running->pending = flux_arena_alloc(arena, request->milp->columns, sizeof *running->pending);
        if (!running->pending)
            return flux_fail_memory(error);
    }
    if (pthread_mutex_init(&running->lock, NULL))
        return flux_fail_memory(error);
    return FLUX_OK;
}

static uint64_t remaining_ns(const struct flux_backend_request *request)
{
    uint64_t deadline = request->control->deadline_ns < request->deadline_ns ? request->control->deadline_ns
                                                                            : request->deadline_ns;
    uint64_t now = control_ns(request->control);
    if (deadline == UINT64_MAX)
        return UINT64_MAX;
    return deadline > now ? deadline - now : 0;
}

static int solve(struct running *running, void *instance, struct flux_backend_answer *answer,
                 struct flux_error *error)
{
    const struct flux_backend_request *request = running->request;
    const struct flux_backend *backend = request->backend;
    struct flux_error foreign = {0};
    struct flux_milp_result result = {.size = sizeof result, .bound = -INFINITY, .values = answer->values};
    struct flux_milp_run run = {
        .size = sizeof run,
        .stop = stop,
        .incumbent = request->incumbent ? incumbent : NULL,
        .user = running,
        .remaining_ns = remaining_ns(request),
    };
    if (run.remaining_ns < UINT64_MAX - wall_ns())
        running->wall_deadline_ns = wall_ns() + run.remaining_ns;
    int rc = backend->solve(instance, request->milp, &run, &result, &foreign);
    if (running->stopped_ns)
        answer->late_ns = wall_ns() - running->stopped_ns;
    (void)must_stop(request); /* what a foreign thread saw first, the control knows as well */
    if (rc) {
        answer->values = NULL;
        return foreign_failure(backend, rc == FLUX_E_ARGUMENT ? FLUX_E_BACKEND : rc, "solving", &foreign, error);
    }
    deliver(running);
    believe(request->milp, &result, answer);
    return FLUX_OK;
}

static int open_and_solve(const struct flux_backend_request *request, struct flux_arena *arena,
                          struct flux_backend_answer *answer, struct flux_error *error)
{
    const struct flux_backend *backend = request->backend;
    struct running running;
    void *instance;
    int rc = running_begin(&running, request, arena, error);
    if (rc)
        return rc;
    rc = open_instance(backend, request->control->memory, &instance, error);
    if (!rc) {
        rc = set_parameters(backend, instance, request->parameters, request->parameter_count, error);
        if (!rc)
            rc = solve(&running, instance, answer, error);
        backend->close(instance);
    }
    pthread_mutex_destroy(&running.lock);
    return rc;
}

int flux_backend_run(const struct flux_backend_request *request, struct flux_arena *arena,
                     struct flux_backend_answer *answer, struct flux_error *error)
{
    memset(answer, 0, sizeof *answer);
    answer->status = FLUX_MILP_UNKNOWN;
    answer->bound = -INFINITY;
    int rc = flux_backend_check(request->backend, error);
    if (!rc)
        rc = flux_milp_check(request->milp, request->control->memory, error);
    if (rc || must_stop(request))
        return rc;
    answer->values = flux_arena_zero(arena, request->milp->columns, sizeof *answer->values);
    if (!answer->values)
        return flux_fail_memory(error);
    uint64_t begin = control_ns(request->control);
    rc = open_and_solve(request, arena, answer, error);
    answer->spent_ns = control_ns(request->control) - begin;
    if (rc)
        answer->values = NULL;
    return rc;
}
