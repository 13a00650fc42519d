/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance_bench.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LATE_NS UINT64_C(10000000000) /* loose: machines that run tests are busy */

static int table(struct bench *bench)
{
    const struct flux_backend *backend = bench->backend;
    if (backend->abi != FLUX_BACKEND_ABI)
        return bench_fails(bench, "abi is %u, not %u", (unsigned)backend->abi, (unsigned)FLUX_BACKEND_ABI);
    if (backend->size != sizeof *backend)
        return bench_fails(bench, "size is not its sizeof");
    if (!backend->name || backend->name[0] < 'a' || backend->name[0] > 'z' ||
        backend->name[strspn(backend->name, "abcdefghijklmnopqrstuvwxyz0123456789_")])
        return bench_fails(bench, "its name is not [a-z][a-z0-9_]*");
    if (!backend->open || !backend->solve || !backend->close)
        return bench_fails(bench, "open, solve or close is not there");
    if (backend->version && !backend->version())
        return bench_fails(bench, "version() gives NULL");
    for (uint32_t i = 0; backend->describe && backend->describe(i); i++) {
        const struct flux_backend_parameter *parameter = backend->describe(i);
        if (!parameter->key || !parameter->values || !parameter->preset || !parameter->about)
            return bench_fails(bench, "parameter %u lacks a text", (unsigned)i);
        if (i > 1000)
            return bench_fails(bench, "describe() does not end");
    }
    return CONFORMANCE_PASSED;
}

static int parameters(struct bench *bench)
{
    const struct flux_backend *backend = bench->backend;
    void *instance = NULL;
    int verdict = CONFORMANCE_PASSED;
    if (!backend->set)
        return backend->describe && backend->describe(0) ? bench_fails(bench, "it describes parameters without set()")
                                                         : CONFORMANCE_SKIPPED;
    if (backend->open(&bench->env, &instance, &bench->error))
        return bench_fails(bench, "it does not open: %s", bench->error.text);
    bench->error.text[0] = '\0';
    if (backend->set(instance, "no_such_parameter", "1", &bench->error) != FLUX_E_ARGUMENT || !bench->error.text[0])
        verdict = bench_fails(bench, "an unknown parameter is not refused with a sentence");
    for (uint32_t i = 0; backend->describe && backend->describe(i) && !verdict; i++) {
        const struct flux_backend_parameter *parameter = backend->describe(i);
        static const char *const wrong[] = {"", "perhaps", "-1e999", "1 ", "nan", "0x1p3"};
        if (backend->set(instance, parameter->key, parameter->preset, &bench->error))
            verdict = bench_fails(bench, "%s does not take its own default: %.100s", parameter->key, bench->error.text);
        for (size_t w = 0; w < sizeof wrong / sizeof *wrong && !verdict; w++)
            if (backend->set(instance, parameter->key, wrong[w], &bench->error) != FLUX_E_ARGUMENT)
                verdict = bench_fails(bench, "%s takes the value \"%s\"", parameter->key, wrong[w]);
    }
    backend->close(instance);
    return verdict;
}

static int thousand_opens(struct bench *bench)
{
    for (int i = 0; i < 1000; i++) {
        void *instance = NULL;
        if (bench->backend->open(&bench->env, &instance, &bench->error))
            return bench_fails(bench, "open %d: %s", i, bench->error.text);
        bench->backend->close(instance);
    }
    return CONFORMANCE_PASSED;
}

static int many_solves_on_one_instance(struct bench *bench)
{
    void *instance = NULL;
    int verdict = CONFORMANCE_PASSED;
    if (bench->backend->open(&bench->env, &instance, &bench->error))
        return bench_fails(bench, "it does not open: %s", bench->error.text);
    for (uint32_t jobs = 2; jobs < 5 && !verdict; jobs++) {
        struct program program;
        program_machine(&program, jobs, 50, 1);
        bench_solve_on(bench, instance, &program.milp);
        verdict = bench_judge(bench, &program.milp, FLUX_MILP_OPTIMAL, jobs * (jobs + 5) / 2);
        program_free(&program);
    }
    bench->backend->close(instance);
    return verdict;
}

/* Whatever it says of a program that it could not finish must be true of it. */
static int judge_stopped(struct bench *bench, const struct flux_milp *milp)
{
    uint64_t late = bench_now() - (bench->told_ns ? bench->told_ns : bench->begin_ns);
    if (bench->rc)
        return bench_fails(bench, "error %d: %s", bench->rc, bench->error.text);
    if (bench->result.status == FLUX_MILP_INFEASIBLE || bench->result.status == FLUX_MILP_UNBOUNDED)
        return bench_fails(bench, "it says %u of a feasible program", (unsigned)bench->result.status);
    if (bench->result.status != FLUX_MILP_UNKNOWN && program_violation(milp, bench->values) > 1e-5)
        return bench_fails(bench, "its point is off by %g", program_violation(milp, bench->values));
    if (bench->told_ns && bench_claims(bench, FLUX_BACKEND_CANCEL) && late > LATE_NS)
        return bench_fails(bench, "it came back %.3f s after it was told to stop", (double)late / 1e9);
    return CONFORMANCE_PASSED;
}

static int stopped(struct bench *bench, uint64_t after_ns, uint64_t remaining_ns)
{
    struct program program;
    program_market_split(&program, 50, 6);
    bench->stop_after_ns = after_ns;
    bench->run.remaining_ns = remaining_ns;
    bench_solve(bench, &program.milp);
    int verdict = judge_stopped(bench, &program.milp);
    program_free(&program);
    return verdict;
}

static int cancel_before(struct bench *bench)
{
    return stopped(bench, 0, UINT64_MAX);
}

static int cancel_during(struct bench *bench)
{
    if (!bench_claims(bench, FLUX_BACKEND_CANCEL | FLUX_BACKEND_SOLVES))
        return CONFORMANCE_SKIPPED;
    int verdict = stopped(bench, 200000000, UINT64_MAX);
    if (!verdict && !bench->told_ns)
        return bench_fails(bench, "it came back without having been told to: %u", (unsigned)bench->result.status);
    return verdict;
}

static int deadline_zero(struct bench *bench)
{
    return stopped(bench, 0, 0);
}

static int deadline_during(struct bench *bench)
{
    int verdict = stopped(bench, 200000000, 200000000);
    uint64_t spent = bench_now() - bench->begin_ns;
    if (!verdict && spent > LATE_NS)
        return bench_fails(bench, "a deadline of 0.2 s took %.3f s", (double)spent / 1e9);
    return verdict;
}

static int bound_when_stopped(struct bench *bench)
{
    if (!bench_claims(bench, FLUX_BACKEND_BOUND | FLUX_BACKEND_SOLVES))
        return CONFORMANCE_SKIPPED;
    int verdict = stopped(bench, 200000000, 200000000);
    if (!verdict && isinf(bench->result.bound))
        return bench_fails(bench, "it claims a bound and has none");
    return verdict;
}

static int points_on_the_way(struct bench *bench)
{
    struct program program;
    program_machine(&program, 5, 60, 1);
    int verdict = bench_expect(bench, &program.milp, FLUX_MILP_OPTIMAL, 25);
    program_free(&program);
    if (!verdict && bench->worst_point > 1e-5)
        return bench_fails(bench, "a point told on the way is off by %g", bench->worst_point);
    return verdict;
}

static int without_callbacks(struct bench *bench)
{
    struct program program;
    program_machine(&program, 3, 40, 1);
    bench->run.stop = NULL;
    bench->run.incumbent = NULL;
    int verdict = bench_expect(bench, &program.milp, FLUX_MILP_OPTIMAL, 12);
    program_free(&program);
    return verdict;
}

static uint64_t digest(const void *block, uint64_t bytes, uint64_t sum)
{
    const unsigned char *byte = block;
    for (uint64_t i = 0; i < bytes; i++)
        sum = (sum ^ byte[i]) * UINT64_C(1099511628211);
    return sum;
}

static uint64_t digest_milp(const struct flux_milp *milp)
{
    uint64_t sum = digest(milp, sizeof *milp, 1);
    sum = digest(milp->column_lower, milp->columns * sizeof(double), sum);
    sum = digest(milp->column_upper, milp->columns * sizeof(double), sum);
    sum = digest(milp->cost, milp->columns * sizeof(double), sum);
    sum = digest(milp->column_kind, milp->columns, sum);
    sum = digest(milp->row_lower, milp->rows * sizeof(double), sum);
    sum = digest(milp->row_upper, milp->rows * sizeof(double), sum);
    sum = digest(milp->row_first, (milp->rows + 1) * sizeof(uint64_t), sum);
    sum = digest(milp->entry_column, milp->entries * sizeof(uint32_t), sum);
    return digest(milp->entry_value, milp->entries * sizeof(double), sum);
}

static int leaves_the_program_alone(struct bench *bench)
{
    struct program program;
    program_machine(&program, 4, 40, 1);
    program.milp.cutoff = 30;
    uint64_t before = digest_milp(&program.milp);
    int verdict = bench_expect(bench, &program.milp, FLUX_MILP_OPTIMAL, 18);
    if (!verdict && digest_milp(&program.milp) != before)
        verdict = bench_fails(bench, "it changed the program");
    program_free(&program);
    return verdict;
}

static int the_same_twice(struct bench *bench)
{
    struct program program;
    double first[16];
    if (!bench_claims(bench, FLUX_BACKEND_DETERMINISTIC))
        return CONFORMANCE_SKIPPED;
    program_machine(&program, 4, 40, 1);
    int verdict = bench_expect(bench, &program.milp, FLUX_MILP_OPTIMAL, 18);
    memcpy(first, bench->values, program.milp.columns * sizeof *first);
    if (!verdict)
        verdict = bench_expect(bench, &program.milp, FLUX_MILP_OPTIMAL, 18);
    if (!verdict && bench->result.status != FLUX_MILP_UNKNOWN &&
        memcmp(first, bench->values, program.milp.columns * sizeof *first))
        verdict = bench_fails(bench, "the second time the values differ");
    program_free(&program);
    return verdict;
}

/* The n-th block that the environment is asked for is refused, for every n until all goes well. */
static int memory_ends(struct bench *bench)
{
    struct program program;
    int verdict = CONFORMANCE_PASSED;
    program_machine(&program, 3, 40, 1);
    for (int64_t left = 0; !verdict; left++) {
        atomic_store(&bench->left, left);
        if (bench_solve(bench, &program.milp)) {
            verdict = bench_judge(bench, &program.milp, FLUX_MILP_OPTIMAL, 12);
            break;
        }
        if (bench->rc != FLUX_E_MEMORY)
            verdict = bench_fails(bench, "without block %d it says %d: %s", (int)left, bench->rc, bench->error.text);
        else if (atomic_load(&bench->blocks))
            verdict = bench_fails(bench, "without block %d it keeps others", (int)left);
        else if (left > 100000)
            verdict = bench_fails(bench, "it never succeeds");
    }
    program_free(&program);
    return verdict;
}

struct other {
    const struct flux_backend *backend;
    int verdict;
    char why[CONFORMANCE_WHY];
};

static void *solve_beside(void *user)
{
    struct other *other = user;
    for (uint32_t i = 0; i < conformance_count() && !other->verdict; i++)
        if (!strcmp(conformance_name(i), "random binaries against enumeration")) {
            other->verdict = conformance_case(i, other->backend, other->why);
        }
    return NULL;
}

static int three_threads(struct bench *bench)
{
    struct other others[3];
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) {
        others[i] = (struct other){.backend = bench->backend};
        if (pthread_create(&threads[i], NULL, solve_beside, &others[i]))
            abort();
    }
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 3; i++)
        if (others[i].verdict)
            return bench_fails(bench, "thread %d: %.200s", i, others[i].why);
    return CONFORMANCE_PASSED;
}

/* Descriptors 1 and 2 go to a file while it works. */
static int prints_nothing(struct bench *bench)
{
    struct program program;
    struct stat status;
    FILE *file = tmpfile();
    fflush(stdout);
    fflush(stderr);
    int out = dup(1), err = dup(2);
    if (!file || out < 0 || err < 0 || dup2(fileno(file), 1) < 0 || dup2(fileno(file), 2) < 0)
        abort();
    program_machine(&program, 5, 60, 1);
    int verdict = bench_expect(bench, &program.milp, FLUX_MILP_OPTIMAL, 25);
    program_free(&program);
    if (!verdict)
        verdict = stopped(bench, 100000000, 100000000);
    fflush(stdout);
    fflush(stderr);
    dup2(out, 1);
    dup2(err, 2);
    close(out);
    close(err);
    if (fstat(fileno(file), &status))
        abort();
    fclose(file);
    if (!verdict && status.st_size)
        return bench_fails(bench, "%lld bytes on descriptors 1 and 2", (long long)status.st_size);
    return verdict;
}

const struct conformance_entry conformance_faults[] = {
    {"its table", table},
    {"parameters", parameters},
    {"a thousand opens", thousand_opens},
    {"many solves on one instance", many_solves_on_one_instance},
    {"cancelled before", cancel_before},
    {"cancelled during", cancel_during},
    {"deadline zero", deadline_zero},
    {"deadline during", deadline_during},
    {"a bound when stopped", bound_when_stopped},
    {"points on the way", points_on_the_way},
    {"without callbacks", without_callbacks},
    {"the program is left alone", leaves_the_program_alone},
    {"the same twice", the_same_twice},
    {"memory ends", memory_ends},
    {"three threads", three_threads},
    {"prints nothing", prints_nothing},
};
const uint32_t conformance_fault_count = sizeof conformance_faults / sizeof *conformance_faults;
