/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/support/conformance_bench.h - what the conformance cases share: memory that is counted and can run out, one
 * solve from open to close, and the comparison of an answer with the truth.
 */
#ifndef TESTS_CONFORMANCE_BENCH_H
#define TESTS_CONFORMANCE_BENCH_H

#include "conformance.h"
#include "program.h"

#include <stdatomic.h>

struct bench {
    const struct flux_backend *backend;
    char *why;
    struct flux_env env; /* counts; fails once `left` blocks were given */
    atomic_llong left;
    atomic_llong blocks;
    struct flux_milp_run run;
    uint64_t stop_after_ns; /* stop() says so that long after the start; UINT64_MAX: never */
    uint64_t begin_ns;
    uint64_t told_ns; /* when stop() first said so; 0: never */
    uint64_t stop_calls;
    uint64_t points; /* incumbents told */
    double worst_point;
    const struct flux_milp *milp;
    /* The last answer. */
    int rc;
    struct flux_error error;
    struct flux_milp_result result;
    double *values;
};

typedef int conformance_function(struct bench *bench);

struct conformance_entry {
    const char *name;
    conformance_function *run;
};

extern const struct conformance_entry conformance_faults[];
extern const uint32_t conformance_fault_count;

uint64_t bench_now(void);
int bench_claims(const struct bench *bench, uint64_t capability);

/* Opens, solves, closes. 1 where the call succeeded; bench->values are freed by the next one or bench_end(). */
int bench_solve(struct bench *bench, const struct flux_milp *milp);
/* The same on an open instance. */
int bench_solve_on(struct bench *bench, void *instance, const struct flux_milp *milp);

/* Sets `why` and returns CONFORMANCE_FAILED. */
int bench_fails(struct bench *bench, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* CONFORMANCE_PASSED where the last answer agrees with this truth; `cost` matters with OPTIMAL. UNKNOWN and
 * FEASIBLE are right only for backends that do not claim FLUX_BACKEND_OPTIMAL, and UNKNOWN for what is unbounded. */
int bench_judge(struct bench *bench, const struct flux_milp *milp, uint32_t status, double cost);

/* Solve, judge. */
int bench_expect(struct bench *bench, const struct flux_milp *milp, uint32_t status, double cost);

#endif
