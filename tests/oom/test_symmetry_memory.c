/* SPDX-License-Identifier: Apache-2.0
 *
 * Folding with memory that runs out at every place where some is asked for: an error that says so, nothing kept, and
 * the plan that there was still stands.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "search/construct.h"
#include "solve/solving.h"

#include "../support/failing_memory.h"
#include "../support/replicas.h"
#include "../support/rings.h"

#include <stdio.h>
#include <string.h>

static int fold(struct flux_solving *solving, struct failing_memory *failing, int64_t n)
{
    const struct flux_options options = FLUX_OPTIONS_INIT;
    flux_arena_init(&solving->arena, &solving->memory);
    solving->options = options;
    solving->options.work_limit = 4 * (uint64_t)solving->problem->nodes;
    flux_control_begin(&solving->control, &solving->memory, &solving->options);
    assert_int_equal(flux_bound_find(solving->problem, &solving->bound), 0);
    assert_int_equal(flux_plan_alloc(&solving->plan, solving->problem, &solving->arena), 0);
    assert_int_equal(flux_construct(solving->problem, FLUX_SEARCH_APPEND, 0, &solving->plan), 0);
    int64_t before = solving->control.makespan = solving->plan.makespan;
    solving->control.bound = -1;
    failing_memory_arm(failing, n, 0);
    int rc = flux_folded_improve(solving);
    failing_memory_arm(failing, 0, 0);
    assert_true(solving->plan.makespan <= before);
    flux_arena_free(&solving->arena);
    return rc;
}

/* Returns how many calls there were to fail. */
static int64_t starve(struct flux_graph *graph, struct flux_fabric *fabric)
{
    struct failing_memory failing;
    struct flux_solving solving;
    struct flux_error error;
    int64_t n = 0;
    memset(&solving, 0, sizeof solving);
    failing_memory_init(&failing);
    assert_int_equal(flux_memory_init(&solving.memory, &failing.env), 0);
    assert_int_equal(flux_problem_build(graph, fabric, &solving.memory, &solving.problem, &error), 0);
    long long before = failing.live;
    for (int rc = FLUX_E_MEMORY; rc;) {
        rc = fold(&solving, &failing, ++n);
        assert_true(rc == 0 || rc == FLUX_E_MEMORY);
        assert_int_equal(failing.live, before);
    }
    flux_problem_free(solving.problem);
    assert_int_equal(failing.live, 0);
    assert_int_equal(failing.wrong, 0);
    flux_graph_free(graph);
    flux_fabric_free(fabric);
    return n;
}

static void small_problems(void **state)
{
    int64_t calls = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 24; seed++) {
        struct replicas shape;
        struct flux_graph *graph;
        struct flux_fabric *fabric;
        replicas_make(&shape, seed, (uint32_t)(seed % 3), &graph, &fabric);
        calls += starve(graph, fabric);
    }
    assert_true(calls > 100);
}

/* Large enough for most arrays to have a block of their own. */
static void rings(void **state)
{
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    (void)state;
    assert_int_equal(flux_graph_new(NULL, 64, &graph), 0);
    assert_int_equal(flux_fabric_new(NULL, 64, 2, &fabric), 0);
    assert_int_equal(flux_fabric_set_delay(fabric, FLUX_ALL_SWITCHES, FLUX_MS), 0);
    assert_true(rings_generate(graph, 8, 5000) > 2500);
    int64_t calls = starve(graph, fabric);
    printf("%lld calls failed in turn\n", (long long)calls);
    assert_true(calls > 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_problems),
        cmocka_unit_test(rings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
