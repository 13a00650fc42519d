/* SPDX-License-Identifier: Apache-2.0
 *
 * Graph and fabric: what goes in can be read back, what is wrong is refused and changes nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <libflux/flux.h>
#include <string.h>

static void vertices_and_edges_read_back(void **state)
{
    struct flux_graph *graph;
    struct flux_send send;
    struct flux_compute compute;
    uint32_t a, b, c;
    uint64_t count;
    (void)state;
    assert_int_equal(flux_graph_new(NULL, 4, &graph), 0);
    assert_int_equal(flux_graph_add_send(graph, 0, 1, 64, &a), 0);
    assert_int_equal(flux_graph_add_compute(graph, 3, 17, &b), 0);
    assert_int_equal(flux_graph_add_send(graph, 2, 3, 128, &c), 0);
    assert_int_equal(flux_graph_set_duration(graph, c, 99), 0);
    assert_int_equal(flux_graph_set_release(graph, b, 5), 0);
    assert_int_equal(flux_graph_set_label(graph, c, "last"), 0);
    assert_int_equal(flux_graph_add_edge(graph, a, b, 3), 0);
    assert_int_equal(flux_graph_vertices(graph), 3);
    assert_int_equal(flux_graph_sends(graph), 2);
    assert_int_equal(flux_graph_gpus(graph), 4);
    assert_int_equal(flux_graph_get_send(graph, c, &send), 0);
    assert_int_equal(send.src, 2);
    assert_int_equal(send.dst, 3);
    assert_int_equal(send.bytes, 128);
    assert_int_equal(send.duration, 99);
    assert_int_equal(flux_graph_get_compute(graph, b, &compute), 0);
    assert_int_equal(compute.gpu, 3);
    assert_int_equal(compute.duration, 17);
    assert_int_equal(compute.release, 5);
    assert_int_equal(flux_graph_get_send(graph, b, &send), FLUX_E_ARGUMENT);
    assert_int_equal(flux_graph_get_compute(graph, a, &compute), FLUX_E_ARGUMENT);
    assert_int_equal(flux_graph_get_send(graph, 3, &send), FLUX_E_ARGUMENT);
    assert_string_equal(flux_graph_label(graph, c), "last");
    assert_string_equal(flux_graph_label(graph, a), "");
    assert_string_equal(flux_graph_label(graph, 99), "");
    assert_int_equal(flux_graph_set_label(graph, c, ""), 0);
    assert_string_equal(flux_graph_label(graph, c), "");
    const struct flux_edge *edges = flux_graph_edges(graph, &count);
    assert_int_equal(count, 1);
    assert_int_equal(edges[0].from, a);
    assert_int_equal(edges[0].to, b);
    assert_int_equal(edges[0].lag, 3);
    assert_int_equal(flux_graph_check(graph, NULL), 0);
    flux_graph_free(graph);
}

/* Rows inside records of the caller's, and one wrong row among them. */
static void bulk_takes_strides_and_is_all_or_nothing(void **state)
{
    struct record {
        uint64_t mine;
        struct flux_send send;
        uint64_t more;
    } records[3];
    struct flux_graph *graph;
    struct flux_error error;
    uint32_t first;
    (void)state;
    memset(records, 0, sizeof records);
    for (uint32_t i = 0; i < 3; i++)
        records[i].send = (struct flux_send){i, i + 1, 100 + i, 0, i};
    assert_int_equal(flux_graph_new(NULL, 4, &graph), 0);
    assert_int_equal(flux_graph_add_sends(graph, &records[0].send, 3, sizeof *records, &first, &error), 0);
    assert_int_equal(first, 0);
    struct flux_send send;
    assert_int_equal(flux_graph_get_send(graph, 2, &send), 0);
    assert_int_equal(send.bytes, 102);
    assert_int_equal(send.release, 2);
    records[1].send.dst = 1;
    assert_int_equal(flux_graph_add_sends(graph, &records[0].send, 3, sizeof *records, &first, &error),
                     FLUX_E_ARGUMENT);
    assert_string_equal(error.text, "row 1 leads from a GPU to itself");
    assert_int_equal(flux_graph_vertices(graph), 3);
    assert_int_equal(flux_graph_add_sends(graph, &records[0].send, 3, 12, &first, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_graph_add_sends(graph, NULL, 0, sizeof(struct flux_send), &first, &error), 0);
    struct flux_edge edges[2] = {{0, 1, 0}, {1, 7, 0}};
    assert_int_equal(flux_graph_add_edges(graph, edges, 2, sizeof *edges, &error), FLUX_E_ARGUMENT);
    assert_string_equal(error.text, "row 1 names a vertex that is not there");
    uint64_t count;
    flux_graph_edges(graph, &count);
    assert_int_equal(count, 0);
    struct flux_compute computes[2] = {{0, 0, 5, 0}, {0, 1, 5, 0}};
    assert_int_equal(flux_graph_add_computes(graph, computes, 2, sizeof *computes, &first, &error), FLUX_E_ARGUMENT);
    flux_graph_free(graph);
}

static void wrong_calls_change_nothing(void **state)
{
    struct flux_graph *graph = (struct flux_graph *)1;
    uint32_t v;
    (void)state;
    assert_int_equal(flux_graph_new(NULL, 0, &graph), FLUX_E_ARGUMENT);
    assert_null(graph);
    assert_int_equal(flux_graph_new(NULL, FLUX_GPUS_MAX + 1, &graph), FLUX_E_ARGUMENT);
    assert_int_equal(flux_graph_new(NULL, 2, NULL), FLUX_E_ARGUMENT);
    struct flux_env env = FLUX_ENV_INIT;
    env.size = 3;
    assert_int_equal(flux_graph_new(&env, 2, &graph), FLUX_E_ABI);
    assert_int_equal(flux_graph_new(NULL, 2, &graph), 0);
    assert_int_equal(flux_graph_add_send(graph, 0, 0, 1, &v), FLUX_E_ARGUMENT);
    assert_int_equal(flux_graph_add_send(graph, 0, 2, 1, &v), FLUX_E_ARGUMENT);
    assert_int_equal(flux_graph_add_send(graph, 0, 1, 0, &v), FLUX_E_ARGUMENT);
    assert_int_equal(flux_graph_add_send(NULL, 0, 1, 1, &v), FLUX_E_ARGUMENT);
    assert_int_equal(flux_graph_add_compute(graph, 0, -1, &v), FLUX_E_ARGUMENT);
    assert_int_equal(flux_graph_add_compute(graph, 0, FLUX_TIME_MAX + 1, &v), FLUX_E_ARGUMENT);
    assert_int_equal(flux_graph_vertices(graph), 0);
    assert_int_equal(flux_graph_add_send(graph, 0, 1, 1, &v), 0);
    assert_int_equal(flux_graph_add_edge(graph, v, v, 0), FLUX_E_ARGUMENT);
    assert_int_equal(flux_graph_add_edge(graph, v, v + 1, 0), FLUX_E_ARGUMENT);
    assert_int_equal(flux_graph_set_duration(graph, v, -1), FLUX_E_ARGUMENT);
    assert_int_equal(flux_graph_set_release(graph, v + 1, 0), FLUX_E_ARGUMENT);
    char long_label[FLUX_LABEL_MAX + 2];
    memset(long_label, 'x', sizeof long_label - 1);
    long_label[sizeof long_label - 1] = 0;
    assert_int_equal(flux_graph_set_label(graph, v, long_label), FLUX_E_ARGUMENT);
    assert_int_equal(flux_graph_set_label(graph, v, long_label + 1), 0);
    flux_graph_free(graph);
    flux_graph_free(NULL);
}

static void a_long_chain_needs_no_stack(void **state)
{
    struct flux_graph *graph;
    struct flux_error error;
    (void)state;
    assert_int_equal(flux_graph_new(NULL, 2, &graph), 0);
    for (uint32_t i = 0; i < 200000; i++) {
        assert_int_equal(flux_graph_add_compute(graph, 0, 1, NULL), 0);
        if (i)
            assert_int_equal(flux_graph_add_edge(graph, i - 1, i, 0), 0);
    }
    assert_int_equal(flux_graph_check(graph, &error), 0);
    assert_int_equal(flux_graph_add_edge(graph, 199999, 0, 0), 0);
    assert_int_equal(flux_graph_check(graph, &error), FLUX_E_CYCLE);
    assert_non_null(strstr(error.text, "more)"));
    flux_graph_free(graph);
}

static void a_fabric_reads_back(void **state)
{
    struct flux_fabric *fabric;
    uint64_t count;
    (void)state;
    assert_int_equal(flux_fabric_new(NULL, 4, 3, &fabric), 0);
    assert_int_equal(flux_fabric_rule(fabric), FLUX_RULE_PAPER);
    assert_true(flux_fabric_rate(fabric, 3, 2) == FLUX_RATE_DEFAULT);
    assert_int_equal(flux_fabric_set_delay(fabric, FLUX_ALL_SWITCHES, 7), 0);
    assert_int_equal(flux_fabric_set_delay(fabric, 1, 9), 0);
    assert_int_equal(flux_fabric_delay(fabric, 0), 7);
    assert_int_equal(flux_fabric_delay(fabric, 1), 9);
    assert_int_equal(flux_fabric_set_blocking(fabric, 2, FLUX_BLOCKING_SWITCH), 0);
    assert_int_equal(flux_fabric_blocking(fabric, 2), FLUX_BLOCKING_SWITCH);
    assert_int_equal(flux_fabric_blocking(fabric, 1), FLUX_BLOCKING_PORT);
    assert_int_equal(flux_fabric_set_dwell(fabric, 0, 11), 0);
    assert_int_equal(flux_fabric_dwell(fabric, 0), 11);
    assert_int_equal(flux_fabric_set_rate(fabric, 2, 1, 5), 0);
    assert_int_equal(flux_fabric_rate(fabric, 2, 1), 5);
    assert_true(flux_fabric_rate(fabric, 2, 0) == FLUX_RATE_DEFAULT);
    assert_int_equal(flux_fabric_set_rate(fabric, FLUX_ALL_GPUS, 2, 6), 0);
    assert_int_equal(flux_fabric_rate(fabric, 0, 2), 6);
    assert_int_equal(flux_fabric_rate(fabric, 2, 1), 5);
    assert_int_equal(flux_fabric_set_dead(fabric, 3, FLUX_ALL_SWITCHES, 1), 0);
    assert_int_equal(flux_fabric_set_dead(fabric, 3, 1, 0), 0);
    assert_int_equal(flux_fabric_dead(fabric, 3, 0), 1);
    assert_int_equal(flux_fabric_dead(fabric, 3, 1), 0);
    assert_int_equal(flux_fabric_add_initial(fabric, 2, 0, 1), 0);
    assert_int_equal(flux_fabric_initial(fabric, &count)[0].dst, 1);
    assert_int_equal(count, 1);
    flux_fabric_free(fabric);
}

static void forbidden_circuits_form_a_set(void **state)
{
    struct flux_fabric *fabric;
    uint64_t count;
    (void)state;
    assert_int_equal(flux_fabric_new(NULL, 4, 2, &fabric), 0);
    for (int round = 0; round < 2; round++)
        for (uint32_t a = 4; a-- > 0;)
            for (uint32_t b = 0; b < 4; b++)
                if (a != b)
                    assert_int_equal(flux_fabric_set_forbidden(fabric, 1, a, b, 1), 0);
    flux_fabric_forbidden(fabric, &count);
    assert_int_equal(count, 12);
    assert_int_equal(flux_fabric_set_forbidden(fabric, 1, 2, 0, 0), 0);
    assert_int_equal(flux_fabric_set_forbidden(fabric, 0, 2, 0, 0), 0);
    assert_int_equal(flux_fabric_is_forbidden(fabric, 1, 2, 0), 0);
    assert_int_equal(flux_fabric_is_forbidden(fabric, 1, 0, 2), 1);
    assert_int_equal(flux_fabric_is_forbidden(fabric, 0, 0, 2), 0);
    assert_int_equal(flux_fabric_set_rule(fabric, FLUX_RULE_DUPLEX), 0);
    assert_int_equal(flux_fabric_is_forbidden(fabric, 1, 2, 0), 1);
    flux_fabric_forbidden(fabric, &count);
    assert_int_equal(count, 11);
    flux_fabric_free(fabric);
}

static void the_last_word_on_propagation_wins(void **state)
{
    struct flux_fabric *fabric;
    (void)state;
    assert_int_equal(flux_fabric_new(NULL, 4, 1, &fabric), 0);
    assert_int_equal(flux_fabric_set_propagation(fabric, FLUX_ALL_GPUS, FLUX_ALL_GPUS, 1), 0);
    assert_int_equal(flux_fabric_set_propagation(fabric, 0, 1, 2), 0);
    assert_int_equal(flux_fabric_set_propagation(fabric, 0, 2, 3), 0);
    assert_int_equal(flux_fabric_propagation(fabric, 0, 1), 2);
    assert_int_equal(flux_fabric_propagation(fabric, 1, 0), 1);
    assert_int_equal(flux_fabric_set_propagation(fabric, FLUX_ALL_GPUS, 1, 4), 0);
    assert_int_equal(flux_fabric_propagation(fabric, 0, 1), 4);
    assert_int_equal(flux_fabric_propagation(fabric, 0, 2), 3);
    assert_int_equal(flux_fabric_set_propagation(fabric, 0, FLUX_ALL_GPUS, 5), 0);
    assert_int_equal(flux_fabric_propagation(fabric, 0, 1), 5);
    assert_int_equal(flux_fabric_propagation(fabric, 3, 1), 4);
    assert_int_equal(flux_fabric_set_propagation(fabric, 3, 1, 6), 0);
    assert_int_equal(flux_fabric_propagation(fabric, 3, 1), 6);
    assert_int_equal(flux_fabric_set_propagation(fabric, FLUX_ALL_GPUS, FLUX_ALL_GPUS, 0), 0);
    assert_int_equal(flux_fabric_propagation(fabric, 3, 1), 0);
    flux_fabric_free(fabric);
}

static void durations_are_exact(void **state)
{
    struct flux_fabric *fabric;
    int64_t duration;
    (void)state;
    assert_int_equal(flux_fabric_new(NULL, 2, 2, &fabric), 0);
    assert_int_equal(flux_fabric_duration(fabric, 0, 0, 1, UINT64_C(64) << 20, &duration), 0);
    assert_int_equal(duration, 671088640);
    assert_int_equal(flux_fabric_duration(fabric, 0, 0, 1, 1, &duration), 0);
    assert_int_equal(duration, 10);
    assert_int_equal(flux_fabric_set_rate(fabric, 1, 0, 7), 0);
    assert_int_equal(flux_fabric_duration(fabric, 0, 0, 1, 1, &duration), 0);
    assert_true(duration == INT64_C(1142857142858)); /* ceil(8e12 / 7) */
    assert_int_equal(flux_fabric_duration(fabric, 1, 0, 1, 1, &duration), 0);
    assert_int_equal(duration, 10);
    assert_int_equal(flux_fabric_duration(fabric, 0, 0, 1, UINT64_MAX, &duration), FLUX_E_OVERFLOW);
    assert_int_equal(flux_fabric_set_rate(fabric, FLUX_ALL_GPUS, FLUX_ALL_SWITCHES, UINT64_MAX), 0);
    assert_int_equal(flux_fabric_duration(fabric, 0, 0, 1, 1, &duration), 0);
    assert_int_equal(duration, 1);
    flux_fabric_free(fabric);
}

static void wrong_fabric_calls_are_refused(void **state)
{
    struct flux_fabric *fabric;
    (void)state;
    assert_int_equal(flux_fabric_new(NULL, 4, 0, &fabric), FLUX_E_ARGUMENT);
    assert_int_equal(flux_fabric_new(NULL, 4, FLUX_SWITCHES_MAX + 1, &fabric), FLUX_E_ARGUMENT);
    assert_int_equal(flux_fabric_new(NULL, 4, 2, &fabric), 0);
    assert_int_equal(flux_fabric_set_rule(fabric, 3), FLUX_E_ARGUMENT);
    assert_int_equal(flux_fabric_set_delay(fabric, 2, 1), FLUX_E_ARGUMENT);
    assert_int_equal(flux_fabric_set_delay(fabric, 0, -1), FLUX_E_ARGUMENT);
    assert_int_equal(flux_fabric_set_rate(fabric, 0, 0, 0), FLUX_E_ARGUMENT);
    assert_int_equal(flux_fabric_set_rate(fabric, 4, 0, 1), FLUX_E_ARGUMENT);
    assert_int_equal(flux_fabric_set_dead(fabric, 4, 0, 1), FLUX_E_ARGUMENT);
    assert_int_equal(flux_fabric_set_forbidden(fabric, 0, 1, 1, 1), FLUX_E_ARGUMENT);
    assert_int_equal(flux_fabric_add_initial(fabric, 2, 0, 1), FLUX_E_ARGUMENT);
    assert_int_equal(flux_fabric_set_propagation(fabric, 1, 1, 1), FLUX_E_ARGUMENT);
    assert_int_equal(flux_fabric_set_blocking(fabric, 0, 2), FLUX_E_ARGUMENT);
    flux_fabric_free(fabric);
    flux_fabric_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertices_and_edges_read_back),
        cmocka_unit_test(bulk_takes_strides_and_is_all_or_nothing),
        cmocka_unit_test(wrong_calls_change_nothing),
        cmocka_unit_test(a_long_chain_needs_no_stack),
        cmocka_unit_test(a_fabric_reads_back),
        cmocka_unit_test(forbidden_circuits_form_a_set),
        cmocka_unit_test(the_last_word_on_propagation_wins),
        cmocka_unit_test(durations_are_exact),
        cmocka_unit_test(wrong_fabric_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
