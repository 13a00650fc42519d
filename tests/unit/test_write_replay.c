/* SPDX-License-Identifier: Apache-2.0
 *
 * Writers of a replay's last run: what they refuse. What they write is read by the tests of the command.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <libflux/io/write.h>
#include <string.h>

static void test_refused(void **state)
{
    struct flux_error error = {0};
    struct flux_graph *graph, *other;
    struct flux_fabric *fabric, *wider;
    struct flux_replay *replay;
    (void)state;
    assert_int_equal(flux_graph_new(NULL, 2, &graph), 0);
    assert_int_equal(flux_graph_new(NULL, 2, &other), 0);
    assert_int_equal(flux_graph_add_send(graph, 0, 1, 100, NULL), 0);
    assert_int_equal(flux_fabric_new(NULL, 2, 1, &fabric), 0);
    assert_int_equal(flux_fabric_new(NULL, 3, 1, &wider), 0);
    assert_int_equal(flux_replay_new_packet(graph, fabric, NULL, &replay, &error), 0);
    assert_int_equal(flux_write_replay("-", graph, replay, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_write_replay_memory("-", replay, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_write_replay_perfetto("-", graph, fabric, replay, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_replay_run(replay, NULL, &error), 0);
    assert_int_equal(flux_write_replay("-", NULL, replay, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_write_replay("-", graph, NULL, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_write_replay("-", other, replay, &error), FLUX_E_MISMATCH);
    assert_int_equal(flux_write_replay(NULL, graph, replay, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_write_replay("/none/of/these", graph, replay, &error), FLUX_E_IO);
    assert_non_null(strstr(error.text, "/none/of/these"));
    assert_int_equal(flux_write_replay_memory("-", NULL, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_write_replay_memory("/none/of/these", replay, &error), FLUX_E_IO);
    assert_int_equal(flux_write_replay_perfetto("-", other, fabric, replay, &error), FLUX_E_MISMATCH);
    assert_int_equal(flux_write_replay_perfetto("-", graph, wider, replay, &error), FLUX_E_MISMATCH);
    assert_int_equal(flux_write_replay_perfetto("-", graph, NULL, replay, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_write_replay_perfetto("/none/of/these", graph, fabric, replay, &error), FLUX_E_IO);
    flux_replay_free(replay);
    flux_graph_free(graph);
    flux_graph_free(other);
    flux_fabric_free(fabric);
    flux_fabric_free(wider);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
