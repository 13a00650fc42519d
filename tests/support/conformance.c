/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance_bench.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

uint64_t bench_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int bench_claims(const struct bench *bench, uint64_t capability)
{
    return (bench->backend->capabilities & capability) == capability;
}

int bench_fails(struct bench *bench, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(bench->why, CONFORMANCE_WHY, format, arguments);
    va_end(arguments);
    return CONFORMANCE_FAILED;
}

static void *give(void *user, uint64_t size)
{
    struct bench *bench = user;
    if (atomic_fetch_sub(&bench->left, 1) <= 0)
        return NULL;
    atomic_fetch_add(&bench->blocks, 1);
    return malloc(size);
}

static void *regive(void *user, void *block, uint64_t old_size, uint64_t new_size)
{
    struct bench *bench = user;
    (void)old_size;
    return atomic_fetch_sub(&bench->left, 1) <= 0 ? NULL : realloc(block, new_size);
}

static void take(void *user, void *block, uint64_t size)
{
    struct bench *bench = user;
    (void)size;
    if (block)
        atomic_fetch_sub(&bench->blocks, 1);
    free(block);
}

static int stop(void *user)
{
    struct bench *bench = user;
    uint64_t now = bench_now();
    bench->stop_calls++;
    if (bench->stop_after_ns == UINT64_MAX || now - bench->begin_ns < bench->stop_after_ns)
        return 0;
    if (!bench->told_ns)
        bench->told_ns = now;
    return 1;
}

static void incumbent(void *user, const double *values, double objective)
{
    struct bench *bench = user;
    double cost = program_cost(bench->milp, values);
    bench->points++;
    bench->worst_point = fmax(bench->worst_point, program_violation(bench->milp, values));
    bench->worst_point = fmax(bench->worst_point, fabs(cost - objective) / (1 + fabs(cost)));
}

int bench_solve_on(struct bench *bench, void *instance, const struct flux_milp *milp)
{
    free(bench->values);
    bench->values = malloc((milp->columns + 1) * sizeof *bench->values);
    for (uint32_t j = 0; j <= milp->columns; j++)
        bench->values[j] = NAN;
    bench->result = (struct flux_milp_result){.size = sizeof bench->result, .bound = -INFINITY};
    bench->result.values = bench->values;
    bench->milp = milp;
    bench->begin_ns = bench_now();
    bench->told_ns = 0;
    memset(&bench->error, 0, sizeof bench->error);
    bench->rc = bench->backend->solve(instance, milp, &bench->run, &bench->result, &bench->error);
    return bench->rc == 0;
}

int bench_solve(struct bench *bench, const struct flux_milp *milp)
{
    void *instance = NULL;
    memset(&bench->error, 0, sizeof bench->error);
    bench->rc = bench->backend->open(&bench->env, &instance, &bench->error);
    if (bench->rc)
        return 0;
    int solved = bench_solve_on(bench, instance, milp);
    bench->backend->close(instance);
    return solved;
}

static int judge_point(struct bench *bench, const struct flux_milp *milp)
{
    const struct flux_milp_result *result = &bench->result;
    double violation = program_violation(milp, result->values), cost = program_cost(milp, result->values);
    if (!(violation <= 1e-5))
        return bench_fails(bench, "its point is off by %g", violation);
    if (!(fabs(cost - result->objective) <= 1e-5 * (1 + fabs(cost))))
        return bench_fails(bench, "it says %g for a point that costs %g", result->objective, cost);
    if (!(result->bound <= cost + 1e-5 * (1 + fabs(cost))))
        return bench_fails(bench, "its bound %g is above its point's %g", result->bound, cost);
    return CONFORMANCE_PASSED;
}

int bench_judge(struct bench *bench, const struct flux_milp *milp, uint32_t status, double cost)
{
    const struct flux_milp_result *result = &bench->result;
    int has_point = result->status == FLUX_MILP_OPTIMAL || result->status == FLUX_MILP_FEASIBLE;
    if (bench->rc)
        return bench_fails(bench, "error %d: %s", bench->rc, bench->error.text);
    if (has_point && judge_point(bench, milp))
        return CONFORMANCE_FAILED;
    if (isnan(result->bound))
        return bench_fails(bench, "its bound is not a number");
    if (result->status == FLUX_MILP_UNKNOWN &&
        (!bench_claims(bench, FLUX_BACKEND_SOLVES | FLUX_BACKEND_OPTIMAL) || status == FLUX_MILP_UNBOUNDED))
        return CONFORMANCE_PASSED;
    if (status == FLUX_MILP_OPTIMAL && has_point) {
        double slack = 1e-5 * (1 + fabs(cost));
        int proven = result->status == FLUX_MILP_OPTIMAL;
        if (bench_claims(bench, FLUX_BACKEND_OPTIMAL) && !proven)
            return bench_fails(bench, "it claims to prove, and does not prove %g", cost);
        if (result->objective < cost - slack || (proven && result->objective > cost + slack))
            return bench_fails(bench, "the optimum is %g, it says %g", cost, result->objective);
        return result->bound > cost + slack
                   ? bench_fails(bench, "its bound %g is above the optimum %g", result->bound, cost)
                   : CONFORMANCE_PASSED;
    }
    if (status == FLUX_MILP_UNBOUNDED && has_point && !bench_claims(bench, FLUX_BACKEND_OPTIMAL) &&
        result->status == FLUX_MILP_FEASIBLE && isinf(result->bound))
        return CONFORMANCE_PASSED;
    if (result->status == status)
        return CONFORMANCE_PASSED;
    return bench_fails(bench, "its status is %u, the truth is %u", (unsigned)result->status, (unsigned)status);
}

int bench_expect(struct bench *bench, const struct flux_milp *milp, uint32_t status, double cost)
{
    bench_solve(bench, milp);
    return bench_judge(bench, milp, status, cost);
}

extern const struct conformance_entry conformance_models[];
extern const uint32_t conformance_model_count;

static const struct conformance_entry *entry(uint32_t index)
{
    return index < conformance_model_count ? &conformance_models[index]
                                           : &conformance_faults[index - conformance_model_count];
}

uint32_t conformance_count(void)
{
    return conformance_model_count + conformance_fault_count;
}

const char *conformance_name(uint32_t index)
{
    return entry(index)->name;
}

int conformance_case(uint32_t index, const struct flux_backend *backend, char why[CONFORMANCE_WHY])
{
    struct bench *bench = calloc(1, sizeof *bench);
    why[0] = '\0';
    bench->backend = backend;
    bench->why = why;
    bench->env = (struct flux_env)FLUX_ENV_INIT;
    bench->env.alloc = give;
    bench->env.resize = regive;
    bench->env.release = take;
    bench->env.user = bench;
    atomic_init(&bench->left, INT64_MAX);
    atomic_init(&bench->blocks, 0);
    bench->stop_after_ns = UINT64_MAX;
    bench->run = (struct flux_milp_run){
        .size = sizeof bench->run, .stop = stop, .incumbent = incumbent, .user = bench, .remaining_ns = UINT64_MAX};
    int verdict = entry(index)->run(bench);
    if (verdict == CONFORMANCE_PASSED && bench->worst_point > 1e-5)
        verdict = bench_fails(bench, "a point told on the way is off by %g", bench->worst_point);
    if (verdict == CONFORMANCE_PASSED && atomic_load(&bench->blocks))
        verdict =
            bench_fails(bench, "%lld blocks of memory were not given back", (long long)atomic_load(&bench->blocks));
    free(bench->values);
    free(bench);
    return verdict;
}
