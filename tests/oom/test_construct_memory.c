/* SPDX-License-Identifier: Apache-2.0
 *
 * Construction with memory that runs out at every place where some is asked for: an error that says so, nothing kept.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "search/construct.h"
#include "search/improve.h"

#include "../support/failing_memory.h"

#define COPIES 1400u
#define ROUNDS 2100u /* enough for most arrays to have a block of their own */

struct bench {
    struct failing_memory failing;
    struct flux_memory memory;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_problem *problem;
    struct flux_arena arena;
    struct flux_plan plan;
};

/* GPU 0 sends in turn to the others, so that its lanes need many spans and its switches many changes. */
static void begin(struct bench *bench, uint32_t rule, int staged)
{
    struct flux_error error;
    failing_memory_init(&bench->failing);
    assert_int_equal(flux_memory_init(&bench->memory, &bench->failing.env), 0);
    assert_int_equal(flux_graph_new(NULL, 4, &bench->graph), 0);
    assert_int_equal(flux_fabric_new(NULL, 4, 2, &bench->fabric), 0);
    assert_int_equal(flux_fabric_set_rule(bench->fabric, rule), 0);
    assert_int_equal(flux_fabric_set_delay(bench->fabric, FLUX_ALL_SWITCHES, 10), 0);
    assert_int_equal(flux_fabric_set_blocking(bench->fabric, 0, staged ? FLUX_BLOCKING_SWITCH : 0), 0);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        struct flux_send row = {0, 1 + i % 3, 0, 5, 0};
        assert_int_equal(flux_graph_add_sends(bench->graph, &row, 1, sizeof row, NULL, NULL), 0);
        if (i > 3 && i % 7 == 0)
            assert_int_equal(flux_graph_add_edge(bench->graph, i, i - 3, 2), 0); /* a node of the order by number */
    }
    assert_int_equal(flux_problem_build(bench->graph, bench->fabric, &bench->memory, &bench->problem, &error), 0);
    flux_arena_init(&bench->arena, &bench->memory);
    assert_int_equal(flux_plan_alloc(&bench->plan, bench->problem, &bench->arena), 0);
}

static void end(struct bench *bench)
{
    flux_arena_free(&bench->arena);
    flux_problem_free(bench->problem);
    assert_int_equal(bench->failing.live, 0);
    assert_int_equal(bench->failing.wrong, 0);
    flux_graph_free(bench->graph);
    flux_fabric_free(bench->fabric);
}

static int construct_one(struct bench *bench, uint32_t rule)
{
    return flux_construct(bench->problem, rule, 0, &bench->plan);
}

static int construct_best(struct bench *bench, uint32_t unused)
{
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_control control;
    uint32_t won;
    uint64_t constructions = 0;
    (void)unused;
    flux_control_begin(&control, &bench->memory, &options);
    return flux_construct_best(bench->problem, &control, &bench->plan, &won, &constructions);
}

static int construct_by_priority(struct bench *bench, uint32_t unused)
{
    int64_t priority[ROUNDS];
    (void)unused;
    for (uint32_t v = 0; v < ROUNDS; v++)
        priority[v] = (int64_t)(v * 37 % ROUNDS); /* against the arcs */
    return flux_construct_by_priority(bench->problem, priority, &bench->plan);
}

static int improve(struct bench *bench, uint32_t threads)
{
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_control control;
    struct flux_improve_limits limits = {10 * ROUNDS, UINT64_MAX, NULL, NULL, NULL, NULL, NULL};
    uint64_t constructions = 0;
    options.threads = threads;
    flux_control_begin(&control, &bench->memory, &options);
    int rc = flux_construct(bench->problem, FLUX_SEARCH_APPEND, 0, &bench->plan);
    control.makespan = bench->plan.makespan;
    return rc ? rc : flux_improve(bench->problem, &control, &limits, &bench->plan, &constructions);
}

/* Sends in pairs of copies, which go in lockstep: the smaller problem, its beams, its search. */
static int improve_copies(struct bench *bench, uint32_t threads)
{
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_control control;
    struct flux_improve_limits limits = {1 << 18, UINT64_MAX, NULL, NULL, NULL, NULL, NULL};
    uint64_t constructions = 0;
    options.threads = threads;
    flux_control_begin(&control, &bench->memory, &options);
    int rc = flux_construct(bench->problem, FLUX_SEARCH_APPEND, 0, &bench->plan);
    control.makespan = bench->plan.makespan;
    return rc ? rc : flux_improve(bench->problem, &control, &limits, &bench->plan, &constructions);
}

static void begin_copies(struct bench *bench)
{
    struct flux_error error;
    failing_memory_init(&bench->failing);
    assert_int_equal(flux_memory_init(&bench->memory, &bench->failing.env), 0);
    assert_int_equal(flux_graph_new(NULL, 8, &bench->graph), 0);
    assert_int_equal(flux_fabric_new(NULL, 8, 2, &bench->fabric), 0);
    assert_int_equal(flux_fabric_set_delay(bench->fabric, FLUX_ALL_SWITCHES, 10), 0);
    for (uint32_t i = 0; i < COPIES; i++) {
        struct flux_send row = {i % 2 * 4, 1 + i / 2 % 3 + i % 2 * 4, 0, 5, 0};
        assert_int_equal(flux_graph_add_sends(bench->graph, &row, 1, sizeof row, NULL, NULL), 0);
        if (i > 5)
            assert_int_equal(flux_graph_add_edge(bench->graph, i - 6, i, 2), 0);
        if (i > 7)
            assert_int_equal(flux_graph_add_edge(bench->graph, i - 8, i, 30), 0);
    }
    assert_int_equal(flux_problem_build(bench->graph, bench->fabric, &bench->memory, &bench->problem, &error), 0);
    flux_arena_init(&bench->arena, &bench->memory);
    assert_int_equal(flux_plan_alloc(&bench->plan, bench->problem, &bench->arena), 0);
}

/* Fails every call in turn until there is none left to fail. */
static void starve(struct bench *bench, int (*construct)(struct bench *, uint32_t), uint32_t rule)
{
    long long before = bench->failing.live;
    int rc = FLUX_E_MEMORY;
    long long n = 0;
    while (rc) {
        failing_memory_arm(&bench->failing, ++n, 0);
        rc = construct(bench, rule);
        if (rc)
            assert_int_equal(rc, FLUX_E_MEMORY);
        assert_int_equal(bench->failing.live, before);
    }
    assert_true(n > 2); /* some call did fail */
}

static void every_call_may_fail(void **state)
{
    (void)state;
    for (uint32_t rule = 0; rule < 3; rule++)
        for (int staged = 0; staged < 2; staged++) {
            struct bench bench;
            begin(&bench, rule, staged);
            for (uint32_t search = FLUX_SEARCH_LATEST_START; search <= FLUX_SEARCH_ROUNDS; search++)
                starve(&bench, construct_one, search);
            starve(&bench, construct_best, 0);
            starve(&bench, construct_by_priority, 0);
            starve(&bench, improve, 1 + rule);
            end(&bench);
        }
}

static void every_call_in_lockstep_may_fail(void **state)
{
    (void)state;
    struct bench bench;
    begin_copies(&bench);
    starve(&bench, improve_copies, 1);
    end(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_may_fail),
        cmocka_unit_test(every_call_in_lockstep_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
