/* SPDX-License-Identifier: Apache-2.0
 *
 * Comparisons with memory that runs out at every place where some is asked for: an error that says so, nothing kept.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <libflux/flux.h>

#include "../support/failing_memory.h"

#define ROUNDS 60u

/* A ring of four round and round, then pairs, then the ring again; and compute between. */
static void make(const struct flux_env *env, struct flux_graph **graph, struct flux_fabric **fabric)
{
    uint32_t last = 0, vertex;
    assert_int_equal(flux_graph_new(env, 4, graph), 0);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t src = i % 4, dst = i / 20 == 1 ? src ^ 1 : (src + 1) % 4;
        assert_int_equal(flux_graph_add_send(*graph, src, dst, 1000, &vertex), 0);
        if (i > 3)
            assert_int_equal(flux_graph_add_edge(*graph, last, vertex, 0), 0);
        last = vertex;
        if (i % 20 == 19)
            assert_int_equal(flux_graph_add_compute(*graph, 0, 50, &last), 0);
        if (i % 20 == 19)
            assert_int_equal(flux_graph_add_edge(*graph, vertex, last, 0), 0);
    }
    assert_int_equal(flux_fabric_new(NULL, 4, 2, fabric), 0);
    assert_int_equal(flux_fabric_set_delay(*fabric, FLUX_ALL_SWITCHES, 100), 0);
}

static void fail_everywhere(uint32_t scheduler)
{
    struct failing_memory failing;
    struct flux_comparison *comparison;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_error error;
    failing_memory_init(&failing);
    make(&failing.env, &graph, &fabric);
    long long before = failing.live;
    for (int sticky = 0; sticky < 2; sticky++)
        for (long long at = 1;; at++) {
            assert_true(at < 20000);
            failing_memory_arm(&failing, at, sticky);
            int rc = flux_compare(graph, fabric, scheduler, NULL, &comparison, &error);
            long long calls = failing.calls;
            failing_memory_arm(&failing, 0, 0);
            if (rc == 0) {
                struct flux_comparison_summary summary = FLUX_COMPARISON_SUMMARY_INIT;
                assert_int_equal(flux_comparison_summary(comparison, &summary), 0);
                assert_true(summary.applies || scheduler == FLUX_SCHEDULER_STATIC);
                flux_comparison_free(comparison);
            } else {
                assert_int_equal(rc, FLUX_E_MEMORY);
                assert_int_equal(error.code, FLUX_E_MEMORY);
                assert_null(comparison);
            }
            assert_int_equal(failing.live, before);
            assert_int_equal(failing.wrong, 0);
            if (calls < at) { /* nothing failed */
                assert_int_equal(rc, 0);
                assert_true(at > 5);
                break;
            }
        }
    flux_graph_free(graph);
    flux_fabric_free(fabric);
    assert_int_equal(failing.live, 0);
}

static void test_all(void **state)
{
    (void)state;
    for (uint32_t i = 1; i <= flux_scheduler_count(); i++)
        if (*flux_scheduler_name(i))
            fail_everywhere(i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
