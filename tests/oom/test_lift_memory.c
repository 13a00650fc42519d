/* SPDX-License-Identifier: Apache-2.0
 *
 * Lifted bounds and their certificates with memory that runs out at every place where some is asked for: an error that
 * says so, the bound as it was, nothing kept.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bound/bound.h"

#include "../support/failing_memory.h"

#define GROUP 600u /* sends before and after the compute: most arrays get a block of their own */

struct bench {
    struct failing_memory failing;
    struct flux_memory memory;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_problem *problem;
};

/* All sends of GPU 0, then compute, then all sends of GPU 5: the compute's head can be lifted. */
static void begin(struct bench *bench, uint32_t rule)
{
    struct flux_error error;
    uint32_t join, v;
    failing_memory_init(&bench->failing);
    assert_int_equal(flux_memory_init(&bench->memory, &bench->failing.env), 0);
    assert_int_equal(flux_graph_new(&bench->failing.env, 6, &bench->graph), 0);
    assert_int_equal(flux_fabric_new(NULL, 6, 2, &bench->fabric), 0);
    assert_int_equal(flux_fabric_set_rule(bench->fabric, rule), 0);
    assert_int_equal(flux_fabric_set_delay(bench->fabric, FLUX_ALL_SWITCHES, 10), 0);
    assert_int_equal(flux_graph_add_compute(bench->graph, 5, 1000, &join), 0);
    for (uint32_t i = 0; i < 2 * GROUP; i++) {
        assert_int_equal(flux_graph_add_send(bench->graph, i < GROUP ? 0 : 5, 1 + i % 4, 1, &v), 0);
        assert_int_equal(flux_graph_set_duration(bench->graph, v, 100), 0);
        assert_int_equal(flux_graph_add_edge(bench->graph, i < GROUP ? v : join, i < GROUP ? join : v, 0), 0);
    }
    assert_int_equal(flux_problem_build(bench->graph, bench->fabric, &bench->memory, &bench->problem, &error), 0);
}

/* One whole round. */
static int lift(struct bench *bench, struct flux_bound_value *value)
{
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_certificate *certificate = NULL;
    struct flux_control control;
    struct flux_arena arena;
    int64_t again;
    flux_control_begin(&control, &bench->memory, &options);
    flux_arena_init(&arena, &bench->memory);
    int rc = flux_bound_improve(bench->problem, &control, FLUX_TIME_MAX, &arena, value);
    if (!rc) {
        assert_non_null(value->lifted);
        rc = flux_certificate_make(bench->problem, value, &bench->memory, &certificate);
    } else {
        assert_null(value->lifted);
    }
    if (!rc)
        rc = flux_certificate_check(bench->graph, bench->fabric, certificate, &again, NULL);
    if (!rc)
        assert_true(again >= value->bound);
    flux_certificate_free(certificate);
    flux_arena_free(&arena);
    return rc;
}

static void every_call_may_fail(void **state)
{
    (void)state;
    for (uint32_t rule = 0; rule < 3; rule++) {
        struct bench bench;
        struct flux_bound_value cheap;
        int rc = FLUX_E_MEMORY;
        long long n = 0;
        begin(&bench, rule);
        assert_int_equal(flux_bound_find(bench.problem, &cheap), 0);
        long long before = bench.failing.live;
        while (rc) {
            struct flux_bound_value value = cheap;
            failing_memory_arm(&bench.failing, ++n, 0);
            rc = lift(&bench, &value);
            if (rc)
                assert_int_equal(rc, FLUX_E_MEMORY);
            assert_int_equal(bench.failing.live, before);
        }
        assert_true(n > 20); /* many calls did fail */
        flux_problem_free(bench.problem);
        flux_graph_free(bench.graph);
        flux_fabric_free(bench.fabric);
        assert_int_equal(bench.failing.live, 0);
        assert_int_equal(bench.failing.wrong, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
