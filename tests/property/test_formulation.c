/* SPDX-License-Identifier: Apache-2.0
 *
 * test_formulation.c - random problems of every rule and fabric parameter, on which looking at everything, both
 * formulations on every backend that is compiled in, and flux_schedule() agree to the picosecond.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backend/milp.h"
#include "backend/run.h"
#include "base/random.h"
#include "formulation/formulation.h"
#include "search/construct.h"

#include "../support/brute_force.h"
#include "../support/random_problem.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define STEPS_MAX 2000000u
#define PAPER_BINARIES_MAX 34u /* with more, GLPK may take a minute for the paper's program */

struct trial {
    struct random_problem random;
    struct flux_memory memory;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_problem *problem;
    struct flux_arena arena;
    int64_t optimum;
};

static void stop_with(const struct trial *trial, const char *what, const char *who, int64_t found)
{
    random_problem_print(&trial->random);
    fail_msg("seed %" PRIu64 ", %s on %s: %" PRId64 ", and the optimum is %" PRId64, trial->random.seed, what, who,
             found, trial->optimum);
}

/* 0 where looking at everything takes too long. */
static int open_trial(struct trial *trial, uint64_t seed, const struct random_options *options)
{
    struct flux_error error;
    random_problem(&trial->random, seed, options);
    assert_int_equal(flux_memory_init(&trial->memory, NULL), 0);
    assert_int_equal(random_problem_build(&trial->random, NULL, &trial->graph, &trial->fabric), 0);
    int rc = brute_force(trial->graph, trial->fabric, STEPS_MAX, &trial->optimum, NULL);
    if (!rc) {
        assert_int_equal(flux_problem_build(trial->graph, trial->fabric, &trial->memory, &trial->problem, &error), 0);
        flux_arena_init(&trial->arena, &trial->memory);
        return 1;
    }
    assert_int_equal(rc, BRUTE_FORCE_TOO_LARGE);
    flux_graph_free(trial->graph);
    flux_fabric_free(trial->fabric);
    return 0;
}

/* How many binary columns the paper's program has. */
static uint32_t paper_binaries(const struct trial *trial)
{
    const struct flux_formulation_options options = {FLUX_FORMULATION_PAPER, 0, -1, 0};
    struct flux_formulation_size size;
    struct flux_error error;
    assert_int_equal(flux_formulation_count(trial->problem, &options, &size, &error), 0);
    return (uint32_t)size.columns - trial->problem->nodes - 1;
}

static void close_trial(struct trial *trial)
{
    flux_arena_free(&trial->arena);
    flux_problem_free(trial->problem);
    flux_graph_free(trial->graph);
    flux_fabric_free(trial->fabric);
}

/* Through the front door. */
static void schedule(struct trial *trial, const struct flux_backend *backend, uint32_t exact, uint32_t formulation)
{
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_schedule *schedule = NULL;
    struct flux_statistics statistics = FLUX_STATISTICS_INIT;
    struct flux_error error = {0};
    options.exact = exact;
    options.formulation = formulation;
    options.backend = backend;
    int rc = flux_schedule(trial->graph, trial->fabric, &options, &schedule, &error);
    if (rc) {
        random_problem_print(&trial->random);
        fail_msg("seed %" PRIu64 " on %s: %s", trial->random.seed, backend->name, error.text);
    }
    assert_int_equal(flux_schedule_statistics(schedule, &statistics), 0);
    if (flux_schedule_makespan(schedule) != trial->optimum || statistics.backend_disbelieved)
        stop_with(trial, formulation == FLUX_FORMULATION_PAPER ? "paper" : "tight", backend->name,
                  flux_schedule_makespan(schedule));
    if (flux_schedule_status(schedule) != FLUX_OPTIMAL || flux_schedule_bound(schedule) != trial->optimum)
        stop_with(trial, "the bound of flux_schedule()", backend->name, flux_schedule_bound(schedule));
    assert_true(exact != FLUX_EXACT_ONLY || statistics.backend_used == 1);
    flux_schedule_free(schedule);
}

/* TIGHT around the optimum: up to it there is a schedule, below it there is none. */
static void tight_limit(struct trial *trial, const struct flux_backend *backend, int below)
{
    const struct flux_options none = FLUX_OPTIONS_INIT;
    struct flux_formulation_options known = {FLUX_FORMULATION_TIGHT, below, trial->optimum, 0};
    struct flux_formulation formulation;
    struct flux_backend_answer answer;
    struct flux_control control;
    struct flux_plan plan;
    struct flux_error error = {0};
    flux_control_begin(&control, &trial->memory, &none);
    assert_int_equal(flux_formulation_build(trial->problem, &known, &formulation, &error), 0);
    if (formulation.empty && below) {
        flux_formulation_free(&formulation);
        return;
    }
    if (formulation.empty)
        stop_with(trial, "windows are empty", backend->name, 0);
    const struct flux_backend_request request = {
        .backend = backend, .milp = &formulation.milp, .control = &control, .deadline_ns = UINT64_MAX};
    if (flux_backend_run(&request, &trial->arena, &answer, &error))
        fail_msg("seed %" PRIu64 ": %s", trial->random.seed, error.text);
    if (below) {
        if (answer.status != FLUX_MILP_INFEASIBLE)
            stop_with(trial, "tight below the optimum", backend->name, (int64_t)answer.status);
    } else {
        if (answer.status != FLUX_MILP_OPTIMAL)
            stop_with(trial, "tight up to the optimum", backend->name, -(int64_t)answer.status);
        assert_int_equal(flux_plan_alloc(&plan, trial->problem, &trial->arena), 0);
        assert_int_equal(flux_formulation_decode(&formulation, trial->problem, answer.values, &plan), 0);
        if (plan.makespan != trial->optimum)
            stop_with(trial, "tight, decoded", backend->name, plan.makespan);
    }
    flux_formulation_free(&formulation);
}

/* A construction is a point of the paper's program. */
static void plan_is_a_point(struct trial *trial)
{
    struct flux_formulation_options known = {FLUX_FORMULATION_PAPER, 0, -1, 0};
    struct flux_formulation formulation;
    struct flux_plan plan, again;
    struct flux_error error = {0};
    if (trial->problem->staged)
        return;
    assert_int_equal(flux_formulation_build(trial->problem, &known, &formulation, &error), 0);
    assert_int_equal(flux_plan_alloc(&plan, trial->problem, &trial->arena), 0);
    assert_int_equal(flux_plan_alloc(&again, trial->problem, &trial->arena), 0);
    assert_int_equal(flux_construct(trial->problem, FLUX_SEARCH_LATEST_START, 0, &plan), 0);
    double *values = flux_arena_alloc(&trial->arena, formulation.milp.columns, sizeof *values);
    flux_formulation_point(&formulation, &plan, values);
    assert_true(flux_milp_violation(&formulation.milp, values) <= 1e-12);
    assert_int_equal(flux_formulation_decode(&formulation, trial->problem, values, &again), 0);
    assert_int_equal(again.makespan, plan.makespan);
    flux_formulation_free(&formulation);
}

static void everybody_agrees(void **state)
{
    uint32_t count = random_problem_count(2400), seen = 0;
    (void)state;
    if (!flux_backend_builtin(1)) /* `none` alone */
        skip();
    for (uint64_t seed = 0; seen < count; seed++) {
        uint32_t staged = seed % 4 == 3;
        struct random_options options = {(uint32_t)(seed % 3), RANDOM_ALL & ~(RANDOM_BLOCKING | RANDOM_DWELL), 1, 7, 0, 0};
        struct trial trial = {0};
        if (staged) {
            options.parameters = RANDOM_ALL;
            options.sends_max = 4;
        } else if (seed % 8 < 4) {
            options.parameters = 1u << seed / 8 % 6;
        }
        if (!open_trial(&trial, seed, &options))
            continue;
        if (!staged && paper_binaries(&trial) > PAPER_BINARIES_MAX) {
            close_trial(&trial);
            continue;
        }
        seen++;
        plan_is_a_point(&trial);
        const struct flux_backend *backend;
        for (uint32_t i = 0; (backend = flux_backend_builtin(i)) != NULL; i++) {
            if (!(backend->capabilities & FLUX_BACKEND_SOLVES))
                continue;
            schedule(&trial, backend, FLUX_EXACT_ONLY, FLUX_FORMULATION_PAPER);
            if (seed % 8 == 0) /* with a start and a cutoff */
                schedule(&trial, backend, FLUX_EXACT_ALWAYS, FLUX_FORMULATION_PAPER);
            if (seed % 2 == 1) /* with nothing known */
                schedule(&trial, backend, FLUX_EXACT_ONLY, FLUX_FORMULATION_TIGHT);
            schedule(&trial, backend, FLUX_EXACT_ALWAYS, FLUX_FORMULATION_TIGHT);
            tight_limit(&trial, backend, 0);
            tight_limit(&trial, backend, 1);
        }
        close_trial(&trial);
    }
}

/* Whatever the values are, what is read from them is a schedule. */
static void any_values_decode(void **state)
{
    uint32_t count = random_problem_count(3000);
    struct flux_random dice = {77};
    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        static const double odd[] = {0, 1, -1, 0.5, 1e300, -1e300, 1e-300};
        struct random_options options = {i % 3, RANDOM_ALL, 1, 8, 0, 0};
        struct flux_formulation_options known = {i & 1 ? FLUX_FORMULATION_TIGHT : FLUX_FORMULATION_PAPER, 0, -1, 0};
        struct flux_formulation formulation;
        struct flux_plan plan;
        struct trial trial = {0};
        struct flux_error error = {0};
        random_problem(&trial.random, i, &options);
        assert_int_equal(flux_memory_init(&trial.memory, NULL), 0);
        assert_int_equal(random_problem_build(&trial.random, NULL, &trial.graph, &trial.fabric), 0);
        assert_int_equal(flux_problem_build(trial.graph, trial.fabric, &trial.memory, &trial.problem, &error), 0);
        flux_arena_init(&trial.arena, &trial.memory);
        assert_int_equal(flux_formulation_build(trial.problem, &known, &formulation, &error), 0);
        assert_int_equal(flux_plan_alloc(&plan, trial.problem, &trial.arena), 0);
        double *values = flux_arena_alloc(&trial.arena, formulation.milp.columns, sizeof *values);
        for (uint32_t j = 0; j < formulation.milp.columns; j++) {
            uint32_t how = flux_random_below(&dice, 12);
            values[j] = how < 7 ? odd[how] : how == 7 ? NAN : how == 8 ? (double)INFINITY : flux_random_below(&dice, 60);
        }
        int rc = flux_formulation_decode(&formulation, trial.problem, values, &plan);
        assert_true(rc == 0 || rc == FLUX_E_MISMATCH);
        if (!rc) {
            struct flux_slot slots[8];
            uint32_t sends = 0;
            int64_t makespan;
            for (uint32_t v = 0; v < trial.problem->nodes; v++)
                if (flux_problem_is_send(trial.problem, v))
                    slots[sends++] = (struct flux_slot){trial.problem->vertex[v], plan.switch_of[v], plan.start[v],
                                                        flux_plan_end(&plan, trial.problem, v)};
            if (flux_check(trial.graph, trial.fabric, slots, sends, &makespan, &error)) {
                random_problem_print(&trial.random);
                fail_msg("problem %" PRIu32 ": %s", i, error.text);
            }
            assert_int_equal(makespan, plan.makespan);
        }
        flux_formulation_free(&formulation);
        flux_arena_free(&trial.arena);
        flux_problem_free(trial.problem);
        flux_graph_free(trial.graph);
        flux_fabric_free(trial.fabric);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everybody_agrees),
        cmocka_unit_test(any_values_decode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
