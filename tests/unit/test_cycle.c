/* SPDX-License-Identifier: Apache-2.0
 *
 * Cycles of switch states by hand: where sends are cut, what is counted, and what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <libflux/flux.h>

/* Send 0 of 25 ps and send 1 of 5 ps from GPU 0 to 1, send 2 of 10 ps from GPU 1 to 2 after send 1. One switch, delay
 * 3 ps: 0 to 1 for 10 ps, then 1 to 2 for 6 ps. */
struct case_ {
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_replay *replay;
    struct flux_cycle_state states[2];
    struct flux_circuit_name circuits[3];
    struct flux_error error;
};

static void open_case(struct case_ *test)
{
    static const struct flux_send sends[] = {{0, 1, 1000, 25, 0}, {0, 1, 10, 5, 0}, {1, 2, 100, 10, 0}};
    *test = (struct case_){.states = {{0, 1, 10}, {0, 1, 6}}, .circuits = {{0, 0, 1}, {0, 1, 2}, {0, 2, 0}}};
    assert_int_equal(flux_graph_new(NULL, 4, &test->graph), 0);
    assert_int_equal(flux_graph_add_sends(test->graph, sends, 3, sizeof *sends, NULL, NULL), 0);
    assert_int_equal(flux_graph_add_edge(test->graph, 1, 2, 0), 0);
    assert_int_equal(flux_fabric_new(NULL, 4, 1, &test->fabric), 0);
    assert_int_equal(flux_fabric_set_delay(test->fabric, 0, 3), 0);
}

static int make(struct case_ *test, uint64_t states, uint64_t circuits)
{
    flux_replay_free(test->replay);
    return flux_replay_new_cycle(test->graph, test->fabric, test->states, states, test->circuits, circuits,
                                 &test->replay, &test->error);
}

static void close_case(struct case_ *test)
{
    flux_replay_free(test->replay);
    flux_graph_free(test->graph);
    flux_fabric_free(test->fabric);
}

static void test_cut(void **state)
{
    struct case_ test;
    struct flux_replay_summary summary = FLUX_REPLAY_SUMMARY_INIT;
    (void)state;
    open_case(&test);
    assert_int_equal(make(&test, 2, 2), 0);
    assert_int_equal(flux_replay_run(test.replay, NULL, NULL), 0);
    const struct flux_time *times = flux_replay_times(test.replay, NULL);
    /* Slots of 0 to 1: 0, 22, 44 to 54; of 1 to 2: 13 to 19, 35, 57 to 63. */
    assert_int_equal(times[0].start, 0);
    assert_int_equal(times[0].end, 49);
    assert_int_equal(times[1].start, 49);
    assert_int_equal(times[1].end, 54);
    assert_int_equal(times[2].start, 57);
    assert_int_equal(times[2].end, 83);
    assert_int_equal(flux_replay_summary(test.replay, &summary), 0);
    assert_int_equal(summary.iteration, 83);
    assert_int_equal(summary.planned, 0);
    assert_int_equal(summary.reconfigurations, 7); /* at 13, 22, 35, 44, 57, 66, 79 */
    assert_int_equal(summary.memory, 1010);
    /* 40 ps of sends; up for 10, 6, 10, 6, 10, 6, 10 and 4. */
    assert_int_equal(summary.circuit_ppm, 40 * 1000000 / 62);
    assert_int_equal(summary.port_ppm, 80 * 1000000 / (4 * 83));
    struct flux_replay_options options = FLUX_REPLAY_OPTIONS_INIT;
    options.mode = FLUX_REPLAY_ORDER;
    assert_int_equal(flux_replay_run(test.replay, &options, &test.error), FLUX_E_ARGUMENT);
    close_case(&test);
}

/* Of two circuits the faster is taken; what is cut there goes on over the other one, at half the rate. */
static void test_rates(void **state)
{
    static const struct flux_cycle_state states[] = {{0, 1, 10000}, {0, 1, 990000}, {1, 1, 500000}};
    static const struct flux_circuit_name circuits[] = {{0, 0, 1}, {0, 1, 0}, {1, 0, 1}};
    struct case_ test = {0};
    (void)state;
    assert_int_equal(flux_graph_new(NULL, 2, &test.graph), 0);
    assert_int_equal(flux_graph_add_send(test.graph, 0, 1, 2001, NULL), 0); /* 20,010 ps, or 40,020 */
    assert_int_equal(flux_fabric_new(NULL, 2, 2, &test.fabric), 0);
    assert_int_equal(flux_fabric_set_rate(test.fabric, FLUX_ALL_GPUS, 1, FLUX_RATE_DEFAULT / 2), 0);
    assert_int_equal(flux_replay_new_cycle(test.graph, test.fabric, states, 3, circuits, 3, &test.replay, NULL), 0);
    assert_int_equal(flux_replay_run(test.replay, NULL, NULL), 0);
    assert_int_equal(flux_replay_times(test.replay, NULL)[0].end, 10000 + 2 * 10010);
    close_case(&test);
}

static void test_refused(void **state)
{
    struct case_ test;
    (void)state;
    open_case(&test);
    assert_int_equal(make(&test, 1, 1), FLUX_E_INFEASIBLE);
    assert_int_equal(test.error.vertex, 2);
    assert_null(test.replay);
    assert_int_equal(make(&test, 0, 0), FLUX_E_INFEASIBLE);
    assert_int_equal(make(&test, 2, 3), FLUX_E_ARGUMENT);
    test.states[1].duration = 0;
    assert_int_equal(make(&test, 2, 2), FLUX_E_ARGUMENT);
    test.states[1] = (struct flux_cycle_state){1, 1, 6};
    assert_int_equal(make(&test, 2, 2), FLUX_E_ARGUMENT);
    test.states[1] = (struct flux_cycle_state){0, 1, 6};
    test.circuits[1].switch_index = 1;
    assert_int_equal(make(&test, 2, 2), FLUX_E_ARGUMENT);
    test.circuits[1] = (struct flux_circuit_name){0, 1, 4};
    assert_int_equal(make(&test, 2, 2), FLUX_E_ARGUMENT);
    test.circuits[1] = (struct flux_circuit_name){0, 1, 1};
    assert_int_equal(make(&test, 2, 2), FLUX_E_ARGUMENT);
    test.circuits[1] = (struct flux_circuit_name){0, 1, 2};
    assert_int_equal(flux_fabric_set_dwell(test.fabric, 0, 10), 0);
    assert_int_equal(make(&test, 2, 2), FLUX_E_ARGUMENT); /* 6 + 3 apart */
    assert_int_equal(flux_fabric_set_dwell(test.fabric, 0, 9), 0);
    assert_int_equal(make(&test, 2, 2), 0);
    assert_int_equal(flux_fabric_set_dead(test.fabric, 2, 0, 1), 0);
    assert_int_equal(make(&test, 2, 2), FLUX_E_ARGUMENT);
    assert_int_equal(flux_fabric_set_dead(test.fabric, 2, 0, 0), 0);
    assert_int_equal(flux_fabric_set_forbidden(test.fabric, 0, 1, 2, 1), 0);
    assert_int_equal(make(&test, 2, 2), FLUX_E_ARGUMENT);
    close_case(&test);
}

/* Which circuits may be up together. */
static void test_states(void **state)
{
    static const struct {
        struct flux_circuit_name circuits[2];
        int paper, duplex, simplex;
    } rows[] = {
        {{{0, 0, 1}, {0, 2, 3}}, 1, 1, 1}, {{{0, 0, 1}, {0, 1, 0}}, 0, 1, 1}, {{{0, 0, 1}, {0, 1, 2}}, 0, 0, 1},
        {{{0, 1, 2}, {0, 0, 1}}, 0, 0, 1}, {{{0, 0, 1}, {0, 0, 1}}, 0, 0, 0}, {{{0, 0, 1}, {0, 0, 2}}, 0, 0, 0},
        {{{0, 0, 2}, {0, 1, 2}}, 0, 0, 0},
    };
    struct case_ test;
    struct flux_cycle_state one = {0, 2, 5};
    (void)state;
    open_case(&test);
    flux_graph_free(test.graph);
    assert_int_equal(flux_graph_new(NULL, 4, &test.graph), 0);
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (uint32_t rule = FLUX_RULE_PAPER; rule <= FLUX_RULE_SIMPLEX; rule++) {
            int fine = rule == FLUX_RULE_PAPER    ? rows[i].paper
                       : rule == FLUX_RULE_DUPLEX ? rows[i].duplex
                                                  : rows[i].simplex;
            assert_int_equal(flux_fabric_set_rule(test.fabric, rule), 0);
            assert_int_equal(
                flux_replay_new_cycle(test.graph, test.fabric, &one, 1, rows[i].circuits, 2, &test.replay, NULL),
                fine ? 0 : FLUX_E_ARGUMENT);
            flux_replay_free(test.replay);
            test.replay = NULL;
        }
    close_case(&test);
}

/* Every pair meets under every rule, for as many switches as there are and more than there are matchings. */
static void test_rotor_meets(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 8; n += 2)
        for (uint32_t s = 1; s <= 17; s += 4)
            for (uint32_t rule = FLUX_RULE_PAPER; rule <= FLUX_RULE_SIMPLEX; rule++) {
                struct case_ test = {0};
                assert_int_equal(flux_graph_new(NULL, n, &test.graph), 0);
                for (uint32_t a = 0; a < n; a++)
                    for (uint32_t b = 0; b < n; b++)
                        assert_int_equal(flux_graph_add_send(test.graph, a, a == b ? (a + 1) % n : b, 1, NULL), 0);
                assert_int_equal(flux_fabric_new(NULL, n, s, &test.fabric), 0);
                assert_int_equal(flux_fabric_set_rule(test.fabric, rule), 0);
                assert_int_equal(flux_fabric_set_delay(test.fabric, FLUX_ALL_SWITCHES, 10), 0);
                if (flux_replay_new_rotor(test.graph, test.fabric, NULL, &test.replay, &test.error))
                    fail_msg("%u GPUs, %u switches, rule %u: %s", n, s, rule, test.error.text);
                assert_int_equal(flux_replay_run(test.replay, NULL, NULL), 0);
                close_case(&test);
            }
}

static void assert_rotor_refused(struct case_ *test, struct flux_rotor_options options)
{
    assert_int_equal(flux_replay_new_rotor(test->graph, test->fabric, &options, &test->replay, &test->error),
                     FLUX_E_ARGUMENT);
    assert_null(test->replay);
}

static void test_rotor(void **state)
{
    static const struct flux_send sends[] = {{0, 1, 1, 100, 0}, {0, 3, 1, 5, 0}};
    struct case_ test = {0};
    (void)state;
    assert_int_equal(flux_graph_new(NULL, 4, &test.graph), 0);
    assert_int_equal(flux_graph_add_sends(test.graph, sends, 2, sizeof *sends, NULL, NULL), 0);
    assert_int_equal(flux_fabric_new(NULL, 4, 1, &test.fabric), 0);
    assert_int_equal(flux_fabric_set_rule(test.fabric, FLUX_RULE_SIMPLEX), 0);
    assert_int_equal(flux_replay_new_rotor(test.graph, test.fabric, NULL, &test.replay, NULL), FLUX_E_ARGUMENT);
    assert_int_equal(flux_fabric_set_delay(test.fabric, 0, 10), 0);
    assert_rotor_refused(&test, (struct flux_rotor_options){sizeof(struct flux_rotor_options), 0, 0, 0, 0});
    assert_rotor_refused(&test, (struct flux_rotor_options){sizeof(struct flux_rotor_options), FLUX_PPM, 0, 0, 0});
    assert_rotor_refused(&test, (struct flux_rotor_options){sizeof(struct flux_rotor_options), 900000, 2, 0, 0});
    assert_rotor_refused(&test, (struct flux_rotor_options){sizeof(struct flux_rotor_options), 900000, 0, 2, 0});
    assert_int_equal(flux_replay_new_rotor(test.graph, test.fabric, NULL, &test.replay, &test.error), 0);
    assert_int_equal(flux_replay_run(test.replay, NULL, NULL), 0);
    const struct flux_time *times = flux_replay_times(test.replay, NULL);
    assert_int_equal(times[0].start, 0); /* slots of 90, a period of 300 */
    assert_int_equal(times[0].end, 310);
    assert_int_equal(times[1].start, 200);
    assert_int_equal(times[1].end, 205);
    close_case(&test);
    assert_int_equal(flux_graph_new(NULL, 3, &test.graph), 0);
    assert_int_equal(flux_fabric_new(NULL, 3, 1, &test.fabric), 0);
    test.replay = NULL;
    assert_int_equal(flux_replay_new_rotor(test.graph, test.fabric, NULL, &test.replay, NULL), FLUX_E_ARGUMENT);
    close_case(&test);
}

/* 90 of the send go straight in the slot from 0 to 90, the rest over GPU 2: there at 110, on from 200. */
static void test_forward(void **state)
{
    static const struct flux_send sends[] = {{0, 1, 1000, 100, 0}};
    static const struct flux_replay_part expected[] = {
        {0, 90, 900, 0, 0, 0, 1}, {100, 110, 100, 0, 0, 0, 2}, {200, 210, 100, 0, 0, 2, 1}};
    static const struct flux_replay_held series[] = {
        {0, 1000, 0, 0}, {90, 100, 0, 0}, {110, 0, 0, 0}, {110, 100, 2, 0}, {210, 0, 2, 0}};
    struct flux_rotor_options options = FLUX_ROTOR_OPTIONS_INIT;
    struct flux_replay_summary summary = FLUX_REPLAY_SUMMARY_INIT;
    struct case_ test = {0};
    const struct flux_replay_held *rows;
    uint64_t count;
    (void)state;
    assert_int_equal(flux_graph_new(NULL, 4, &test.graph), 0);
    assert_int_equal(flux_graph_add_sends(test.graph, sends, 1, sizeof *sends, NULL, NULL), 0);
    assert_int_equal(flux_fabric_new(NULL, 4, 1, &test.fabric), 0);
    assert_int_equal(flux_fabric_set_rule(test.fabric, FLUX_RULE_SIMPLEX), 0);
    assert_int_equal(flux_fabric_set_delay(test.fabric, 0, 10), 0);
    options.routing = FLUX_ROTOR_VLB;
    assert_int_equal(flux_replay_new_rotor(test.graph, test.fabric, &options, &test.replay, &test.error), 0);
    assert_null(flux_replay_parts(test.replay, &count));
    assert_int_equal(count, 0);
    assert_int_equal(flux_replay_memory(test.replay, &rows, &count, &test.error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_replay_run(test.replay, NULL, NULL), 0);
    assert_int_equal(flux_replay_times(test.replay, NULL)[0].start, 0);
    assert_int_equal(flux_replay_times(test.replay, NULL)[0].end, 210);
    assert_memory_equal(flux_replay_parts(test.replay, &count), expected, sizeof expected);
    assert_int_equal(count, 3);
    assert_int_equal(flux_replay_memory(test.replay, &rows, &count, NULL), 0);
    assert_int_equal(count, 5);
    assert_memory_equal(rows, series, sizeof series);
    assert_int_equal(flux_replay_memory(NULL, &rows, &count, NULL), FLUX_E_ARGUMENT);
    assert_int_equal(flux_replay_memory(test.replay, NULL, &count, NULL), FLUX_E_ARGUMENT);
    assert_int_equal(flux_replay_summary(test.replay, &summary), 0);
    assert_int_equal(summary.delivered, 1000);
    assert_int_equal(summary.forwarded, 100);
    assert_int_equal(summary.memory, 1000);
    close_case(&test);
}

/* Of two switches the second changes half a slot after the first. */
static void test_staggered(void **state)
{
    static const struct flux_send sends[] = {{0, 4, 1, 5, 0}, {0, 3, 1, 5, 0}};
    struct flux_rotor_options options = FLUX_ROTOR_OPTIONS_INIT;
    struct case_ test = {0};
    (void)state;
    assert_int_equal(flux_graph_new(NULL, 6, &test.graph), 0);
    assert_int_equal(flux_graph_add_sends(test.graph, sends, 2, sizeof *sends, NULL, NULL), 0);
    assert_int_equal(flux_fabric_new(NULL, 6, 2, &test.fabric), 0);
    assert_int_equal(flux_fabric_set_rule(test.fabric, FLUX_RULE_SIMPLEX), 0);
    assert_int_equal(flux_fabric_set_delay(test.fabric, FLUX_ALL_SWITCHES, 10), 0);
    for (options.phase = FLUX_ROTOR_ALIGNED; options.phase <= FLUX_ROTOR_STAGGERED; options.phase++) {
        assert_int_equal(flux_replay_new_rotor(test.graph, test.fabric, &options, &test.replay, &test.error), 0);
        assert_int_equal(flux_replay_run(test.replay, NULL, NULL), 0);
        assert_int_equal(flux_replay_times(test.replay, NULL)[0].start, options.phase ? 150 : 100);
        assert_int_equal(flux_replay_times(test.replay, NULL)[1].start, 100); /* on the first switch */
        flux_replay_free(test.replay);
        test.replay = NULL;
    }
    close_case(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cut),     cmocka_unit_test(test_rates),
                                       cmocka_unit_test(test_refused), cmocka_unit_test(test_states),
                                       cmocka_unit_test(test_rotor),   cmocka_unit_test(test_rotor_meets),
                                       cmocka_unit_test(test_forward), cmocka_unit_test(test_staggered)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
