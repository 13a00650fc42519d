/* SPDX-License-Identifier: Apache-2.0
 *
 * The exact search where memory, work or patience runs out: nothing kept, the plan still one, the same result twice.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "prove/prove.h"
#include "prove/rings.h"
#include "prove/subset.h"
#include "search/construct.h"

#include "../support/failing_memory.h"

#include <libflux/schedule.h>

struct bench {
    struct failing_memory failing;
    struct flux_memory memory;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_problem *problem;
    struct flux_arena arena;
    struct flux_plan plan;
};

/* Each GPU to each other, and again after it: nothing that is soon over. */
static void begin(struct bench *bench, uint32_t gpus)
{
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_control control;
    struct flux_error error;
    uint32_t rule, v, before = FLUX_NONE;
    uint64_t tried;
    failing_memory_init(&bench->failing);
    assert_int_equal(flux_memory_init(&bench->memory, &bench->failing.env), 0);
    assert_int_equal(flux_graph_new(&bench->failing.env, gpus, &bench->graph), 0);
    assert_int_equal(flux_fabric_new(NULL, gpus, 2, &bench->fabric), 0);
    assert_int_equal(flux_fabric_set_delay(bench->fabric, FLUX_ALL_SWITCHES, 70), 0);
    for (uint32_t i = 0; i < gpus * gpus; i++) {
        if (i / gpus == i % gpus)
            continue;
        assert_int_equal(flux_graph_add_send(bench->graph, i / gpus, i % gpus, 1, &v), 0);
        assert_int_equal(flux_graph_set_duration(bench->graph, v, 100 + (int64_t)(i * 37 % 50)), 0);
        if (before != FLUX_NONE && i % 3 == 0)
            assert_int_equal(flux_graph_add_edge(bench->graph, before, v, i % 7), 0);
        before = v;
    }
    assert_int_equal(flux_problem_build(bench->graph, bench->fabric, &bench->memory, &bench->problem, &error), 0);
    flux_arena_init(&bench->arena, &bench->memory);
    flux_control_begin(&control, &bench->memory, &options);
    assert_int_equal(flux_plan_alloc(&bench->plan, bench->problem, &bench->arena), 0);
    assert_int_equal(flux_construct_best(bench->problem, &control, &bench->plan, &rule, &tried), 0);
}

static void end(struct bench *bench)
{
    flux_arena_free(&bench->arena);
    flux_problem_free(bench->problem);
    flux_graph_free(bench->graph);
    flux_fabric_free(bench->fabric);
    assert_int_equal(bench->failing.live, 0);
    assert_int_equal(bench->failing.wrong, 0);
}

static int prove(struct bench *bench, const struct flux_options *options, uint64_t steps, struct flux_plan *plan,
                 struct flux_prove_answer *answer, struct flux_control *control)
{
    flux_control_begin(control, &bench->memory, options);
    assert_int_equal(flux_plan_alloc(plan, bench->problem, &bench->arena), 0);
    flux_plan_copy(plan, &bench->plan, bench->problem);
    const struct flux_prove_limits limits = {steps, UINT64_MAX, 8};
    return flux_prove(bench->problem, control, &limits, 0, plan, answer);
}

static void every_call_may_fail(void **state)
{
    const struct flux_options options = FLUX_OPTIONS_INIT;
    struct bench bench;
    long long n = 0;
    int rc = FLUX_E_MEMORY;
    (void)state;
    begin(&bench, 5);
    while (rc) {
        struct flux_control control;
        struct flux_prove_answer answer;
        struct flux_plan plan;
        flux_control_begin(&control, &bench.memory, &options);
        assert_int_equal(flux_plan_alloc(&plan, bench.problem, &bench.arena), 0);
        flux_plan_copy(&plan, &bench.plan, bench.problem);
        long long before = bench.failing.live;
        failing_memory_arm(&bench.failing, ++n, 0);
        rc =
            flux_prove(bench.problem, &control, &(struct flux_prove_limits){1 << 20, UINT64_MAX, 8}, 0, &plan, &answer);
        failing_memory_arm(&bench.failing, 0, 0);
        assert_int_equal(bench.failing.live, before);
        if (rc) {
            assert_int_equal(rc, FLUX_E_MEMORY);
            assert_true(plan.makespan <= bench.plan.makespan && answer.bound == 0);
        }
    }
    assert_true(n > 3);
    end(&bench);
}

/* A few thousand steps more than allowed at most, and what a run did up to a limit is the same each time. */
static void limits_hold_and_repeat(void **state)
{
    struct bench bench;
    (void)state;
    begin(&bench, 8);
    for (uint64_t steps = 1 << 14; steps <= 1 << 22; steps *= 16) {
        struct flux_options options = FLUX_OPTIONS_INIT;
        struct flux_prove_answer first, again;
        struct flux_control control;
        struct flux_plan plan, other;
        assert_int_equal(prove(&bench, &options, steps, &plan, &first, &control), 0);
        assert_true(first.steps < steps + (1 << 16));
        assert_int_equal(prove(&bench, &options, steps, &other, &again, &control), 0);
        assert_true(first.steps == again.steps && first.conflicts == again.conflicts && first.bound == again.bound);
        assert_true(plan.makespan == other.makespan);
        for (uint32_t v = 0; v < bench.problem->nodes; v++)
            assert_true(plan.start[v] == other.start[v] && plan.switch_of[v] == other.switch_of[v]);
    }
    end(&bench);
}

static void cancelled_soon(void **state)
{
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_prove_answer answer;
    struct flux_control control;
    struct flux_cancel *cancel;
    struct flux_plan plan;
    struct bench bench;
    (void)state;
    begin(&bench, 8);
    assert_int_equal(flux_cancel_new(NULL, &cancel), 0);
    flux_cancel_request(cancel);
    options.cancel = cancel;
    assert_int_equal(prove(&bench, &options, UINT64_MAX, &plan, &answer, &control), 0);
    assert_int_equal(control.stopped, FLUX_STOPPED_CANCEL);
    assert_true(answer.steps < 1 << 16);
    options = (struct flux_options)FLUX_OPTIONS_INIT;
    options.work_limit = 1000;
    assert_int_equal(prove(&bench, &options, UINT64_MAX, &plan, &answer, &control), 0);
    assert_int_equal(control.stopped, FLUX_STOPPED_WORK);
    assert_true(answer.steps < 1000 * FLUX_PROVE_STEPS_PER_WORK + (1 << 16));
    flux_cancel_free(cancel);
    end(&bench);
}

/* The same for a few sends of the problem: whatever fails, the bound and the plan are what they were, or better. */
static void a_few(uint64_t steps)
{
    struct bench bench;
    uint64_t n;
    int rc = FLUX_E_MEMORY;
    begin(&bench, 5);
    const struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_lift *paths = flux_arena_alloc(&bench.arena, bench.problem->nodes, sizeof *paths);
    assert_non_null(paths);
    for (uint32_t v = 0; v < bench.problem->nodes; v++)
        paths[v].vertex = FLUX_NONE;
    const struct flux_lifted lifted = {bench.problem->head, bench.problem->tail, NULL, 0, {paths, paths}};
    for (n = 1; rc == FLUX_E_MEMORY && n < 10000; n++) {
        struct flux_bound_value value = {.kind = FLUX_CERTIFICATE_NONE};
        struct flux_subset_answer answer;
        struct flux_control control;
        struct flux_arena arena;
        struct flux_plan plan;
        flux_arena_init(&arena, &bench.memory);
        flux_control_begin(&control, &bench.memory, &options);
        assert_int_equal(flux_plan_alloc(&plan, bench.problem, &bench.arena), 0);
        flux_plan_copy(&plan, &bench.plan, bench.problem);
        failing_memory_arm(&bench.failing, (long long)n, 0);
        rc = flux_subset_improve(bench.problem, &lifted, &control, steps, &arena, &plan, &value, &answer);
        failing_memory_arm(&bench.failing, 0, 0);
        assert_true(rc == FLUX_OK || rc == FLUX_E_MEMORY);
        assert_true(plan.makespan <= bench.plan.makespan && value.bound <= plan.makespan);
        assert_true(answer.steps < 2 * steps);
        assert_true(rc || value.kind == FLUX_CERTIFICATE_NONE || value.lifted);
        flux_arena_free(&arena);
    }
    assert_int_equal(rc, FLUX_OK);
    assert_true(n > 3);
    end(&bench);
}

static void a_few_sends(void **state)
{
    (void)state;
    a_few(FLUX_SUBSET_QUICK); /* from a path */
    a_few(FLUX_SUBSET_PROVE); /* from a skeleton */
}

/* And for those of rings. */
static void the_last_collectives(void **state)
{
    struct bench bench;
    uint64_t n;
    int rc = FLUX_E_MEMORY;
    (void)state;
    begin(&bench, 5);
    for (n = 1; rc == FLUX_E_MEMORY && n < 10000; n++) {
        const struct flux_options options = FLUX_OPTIONS_INIT;
        struct flux_bound_value value = {.kind = FLUX_CERTIFICATE_NONE};
        struct flux_control control;
        struct flux_arena arena;
        flux_arena_init(&arena, &bench.memory);
        flux_control_begin(&control, &bench.memory, &options);
        failing_memory_arm(&bench.failing, (long long)n, 0);
        rc = flux_rings_improve(bench.problem, &control, FLUX_SUBSET_QUICK, &arena, &bench.plan, &value);
        failing_memory_arm(&bench.failing, 0, 0);
        assert_true(rc == FLUX_OK || rc == FLUX_E_MEMORY);
        assert_true(value.bound <= bench.plan.makespan);
        flux_arena_free(&arena);
    }
    assert_int_equal(rc, FLUX_OK);
    assert_true(n > 8);
    end(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_may_fail),
        cmocka_unit_test(limits_hold_and_repeat),
        cmocka_unit_test(cancelled_soon),
        cmocka_unit_test(a_few_sends),
        cmocka_unit_test(the_last_collectives),
    };
    return cmocka_run_group_tests_name("prove_memory", tests, NULL, NULL);
}
