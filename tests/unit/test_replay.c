/* SPDX-License-Identifier: Apache-2.0
 *
 * Replays by hand: what late compute does by the clock and in order, what is measured, and what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <libflux/flux.h>
#include <string.h>

/* Compute 0 of 100 ps on GPU 0, then send 1 from GPU 0 to 1 of 50 ps. Send 2 from GPU 2 to 1 of 10 ps is free to go,
 * send 3 from GPU 0 to 1 too. One switch, delay 20 ps: 3 at 0 .. 30, 1 at 100 .. 150, 2 at 200 .. 210. */
struct case_ {
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_slot slots[3];
    struct flux_replay *replay;
};

static void open_case(struct case_ *test)
{
    static const struct flux_send sends[] = {{0, 1, 500, 50, 0}, {2, 1, 100, 10, 0}, {0, 1, 300, 30, 0}};
    static const struct flux_slot slots[] = {{1, 0, 100, 150}, {2, 0, 200, 210}, {3, 0, 0, 30}};
    assert_int_equal(flux_graph_new(NULL, 3, &test->graph), 0);
    assert_int_equal(flux_graph_add_compute(test->graph, 0, 100, NULL), 0);
    assert_int_equal(flux_graph_add_sends(test->graph, sends, 3, sizeof *sends, NULL, NULL), 0);
    assert_int_equal(flux_graph_add_edge(test->graph, 0, 1, 0), 0);
    assert_int_equal(flux_fabric_new(NULL, 3, 1, &test->fabric), 0);
    assert_int_equal(flux_fabric_set_delay(test->fabric, 0, 20), 0);
    memcpy(test->slots, slots, sizeof slots);
    test->replay = NULL;
}

static void make_replay(struct case_ *test)
{
    struct flux_error error = {0};
    int rc = flux_replay_new(test->graph, test->fabric, test->slots, 3, &test->replay, &error);
    if (rc)
        fail_msg("%s", error.text);
}

static void close_case(struct case_ *test)
{
    flux_replay_free(test->replay);
    flux_graph_free(test->graph);
    flux_fabric_free(test->fabric);
}

/* One run with compute of GPU 0 by a factor. */
static struct flux_replay_summary run(struct case_ *test, uint32_t mode, uint32_t ppm)
{
    uint32_t factors[3] = {ppm, FLUX_PPM, FLUX_PPM};
    struct flux_replay_options options = FLUX_REPLAY_OPTIONS_INIT;
    struct flux_replay_summary summary = FLUX_REPLAY_SUMMARY_INIT;
    struct flux_error error = {0};
    options.mode = mode;
    options.factors_ppm = factors;
    options.factor_count = 3;
    if (flux_replay_run(test->replay, &options, &error))
        fail_msg("%s", error.text);
    assert_int_equal(flux_replay_summary(test->replay, &summary), 0);
    return summary;
}

static void expect_time(const struct case_ *test, uint32_t vertex, int64_t start, int64_t end)
{
    const struct flux_time *times = flux_replay_times(test->replay, NULL);
    assert_int_equal(times[vertex].start, start);
    assert_int_equal(times[vertex].end, end);
}

static void test_as_planned(void **state)
{
    struct case_ test;
    (void)state;
    open_case(&test);
    make_replay(&test);
    assert_int_equal(flux_replay_run(test.replay, NULL, NULL), 0);
    struct flux_replay_summary summary = FLUX_REPLAY_SUMMARY_INIT;
    assert_int_equal(flux_replay_summary(test.replay, &summary), 0);
    assert_int_equal(summary.iteration, 210);
    assert_int_equal(summary.planned, 210);
    assert_int_equal(summary.reconfigurations, 1);
    /* 300 bytes until 30, 500 from 100 to 150, and 100 all the time. */
    assert_int_equal(summary.memory, 600);
    assert_int_equal(summary.memory_of_gpu, 500);
    const struct flux_replay_gpu *gpus = flux_replay_gpus(test.replay, NULL);
    assert_int_equal(gpus[0].memory, 500);
    assert_int_equal(gpus[1].memory, 0);
    assert_int_equal(gpus[2].memory, 100);
    assert_int_equal(gpus[0].computing, 100);
    assert_int_equal(gpus[0].waiting, 110);
    assert_int_equal(summary.waiting, (110 + 210 + 210) / 3);
    /* 90 of sends in stays of 150 and 10; 3 ports of 210, two of them for 90. */
    assert_int_equal(summary.circuit_ppm, 90 * 1000000 / 160);
    assert_int_equal(summary.port_ppm, 180 * 1000000 / 630);
    run(&test, FLUX_REPLAY_ORDER, FLUX_PPM);
    expect_time(&test, 1, 100, 150);
    expect_time(&test, 2, 170, 180); /* nothing keeps it until 200 */
    close_case(&test);
}

/* The circuit goes at 180 for the send at 200: until then a late send may use it. */
static void test_late(void **state)
{
    struct case_ test;
    (void)state;
    open_case(&test);
    make_replay(&test);
    struct flux_replay_summary summary = run(&test, FLUX_REPLAY_CLOCK, 1300000);
    expect_time(&test, 1, 130, 180);
    expect_time(&test, 2, 200, 210);
    assert_int_equal(summary.late, 1);
    assert_int_equal(summary.latest, 30);
    assert_int_equal(summary.missed, 0);
    summary = run(&test, FLUX_REPLAY_CLOCK, 1310000);
    expect_time(&test, 1, -1, -1);
    expect_time(&test, 2, 200, 210);
    assert_int_equal(summary.late, 0);
    assert_int_equal(summary.missed, 1);
    assert_int_equal(summary.stranded, 1);
    assert_int_equal(flux_replay_ready(test.replay, NULL)[1], 131);
    assert_int_equal(summary.memory, 600); /* it stays until the end, and send 2 goes at 200 */
    summary = run(&test, FLUX_REPLAY_ORDER, 3000000);
    expect_time(&test, 1, 300, 350);
    expect_time(&test, 2, 370, 380);
    assert_int_equal(summary.iteration, 380);
    assert_int_equal(summary.late, 2);
    assert_int_equal(summary.latest, 200);
    assert_int_equal(summary.missed, 0);
    close_case(&test);
}

/* What waits for a missed send never runs, and is not ready. */
static void test_stranded(void **state)
{
    struct case_ test;
    (void)state;
    open_case(&test);
    assert_int_equal(flux_graph_add_compute(test.graph, 1, 5, NULL), 0);
    assert_int_equal(flux_graph_add_edge(test.graph, 1, 4, 0), 0);
    make_replay(&test);
    struct flux_replay_summary summary = run(&test, FLUX_REPLAY_CLOCK, 2000000);
    assert_int_equal(summary.missed, 1);
    assert_int_equal(summary.stranded, 2);
    assert_int_equal(flux_replay_ready(test.replay, NULL)[4], -1);
    expect_time(&test, 4, -1, -1);
    close_case(&test);
}

/* A late send passes nobody who is under way, and the first to be ready goes first. */
static void test_queue(void **state)
{
    static const struct flux_send sends[] = {{0, 1, 1, 10, 0}, {0, 1, 1, 30, 0}, {0, 1, 1, 10, 0}};
    static const struct flux_slot slots[] = {{2, 0, 10, 20}, {3, 0, 20, 50}, {4, 0, 50, 60}};
    struct case_ test;
    (void)state;
    assert_int_equal(flux_graph_new(NULL, 3, &test.graph), 0);
    assert_int_equal(flux_graph_add_compute(test.graph, 0, 10, NULL), 0);
    assert_int_equal(flux_graph_add_compute(test.graph, 0, 10, NULL), 0);
    assert_int_equal(flux_graph_add_sends(test.graph, sends, 3, sizeof *sends, NULL, NULL), 0);
    assert_int_equal(flux_graph_add_edge(test.graph, 0, 2, 0), 0);
    assert_int_equal(flux_graph_add_edge(test.graph, 1, 4, 0), 0);
    assert_int_equal(flux_fabric_new(NULL, 3, 1, &test.fabric), 0);
    memcpy(test.slots, slots, sizeof slots);
    make_replay(&test);
    run(&test, FLUX_REPLAY_CLOCK, 4500000);
    expect_time(&test, 3, 20, 50); /* send 2 is ready at 45 */
    expect_time(&test, 2, 50, 60); /* and came before send 4, which may go from 50 on */
    expect_time(&test, 4, 60, 70);
    run(&test, FLUX_REPLAY_ORDER, 4500000);
    expect_time(&test, 2, 45, 55);
    expect_time(&test, 3, 55, 85);
    expect_time(&test, 4, 85, 95);
    close_case(&test);
}

/* On a switch that goes dark as a whole a late send waits for the light, and others' sides of a change are kept. */
static void test_dark(void **state)
{
    static const struct flux_send sends[] = {{0, 1, 1, 10, 0}, {2, 3, 1, 10, 0}, {2, 4, 1, 10, 0}};
    static const struct flux_slot slots[] = {{1, 0, 5, 15}, {2, 0, 0, 10}, {3, 0, 40, 50}};
    uint32_t factors[5] = {3000000, FLUX_PPM, FLUX_PPM, FLUX_PPM, FLUX_PPM};
    struct flux_replay_options options = FLUX_REPLAY_OPTIONS_INIT;
    struct case_ test;
    (void)state;
    assert_int_equal(flux_graph_new(NULL, 5, &test.graph), 0);
    assert_int_equal(flux_graph_add_compute(test.graph, 0, 5, NULL), 0);
    assert_int_equal(flux_graph_add_sends(test.graph, sends, 3, sizeof *sends, NULL, NULL), 0);
    assert_int_equal(flux_graph_add_edge(test.graph, 0, 1, 0), 0);
    assert_int_equal(flux_fabric_new(NULL, 5, 1, &test.fabric), 0);
    assert_int_equal(flux_fabric_set_delay(test.fabric, 0, 20), 0);
    assert_int_equal(flux_fabric_set_blocking(test.fabric, 0, FLUX_BLOCKING_SWITCH), 0);
    memcpy(test.slots, slots, sizeof slots);
    make_replay(&test);
    options.factors_ppm = factors;
    options.factor_count = 5;
    assert_int_equal(flux_replay_run(test.replay, &options, NULL), 0);
    expect_time(&test, 1, 35, 45); /* ready at 15; dark from 15, when send 1 should have ended, to 35 */
    expect_time(&test, 3, 40, 50);
    options.mode = FLUX_REPLAY_ORDER;
    assert_int_equal(flux_replay_run(test.replay, &options, NULL), 0);
    expect_time(&test, 1, 15, 25);
    expect_time(&test, 3, 45, 55); /* the change waits for send 1 */
    close_case(&test);
}

static void test_jitter(void **state)
{
    struct case_ test;
    struct flux_replay_options options = FLUX_REPLAY_OPTIONS_INIT;
    int64_t least = INT64_MAX, most = 0;
    uint32_t differ = 0;
    (void)state;
    open_case(&test);
    assert_int_equal(flux_graph_set_duration(test.graph, 0, 100 * FLUX_US), 0);
    for (int i = 0; i < 2; i++) {
        test.slots[i].start += 100 * FLUX_US - 100;
        test.slots[i].end += 100 * FLUX_US - 100;
    }
    make_replay(&test);
    options.mode = FLUX_REPLAY_ORDER;
    options.jitter_ppm = 50000;
    for (options.seed = 0; options.seed < 1000; options.seed++) {
        assert_int_equal(flux_replay_run(test.replay, &options, NULL), 0);
        int64_t end = flux_replay_times(test.replay, NULL)[0].end;
        least = end < least ? end : least;
        most = end > most ? end : most;
        assert_int_equal(flux_replay_run(test.replay, &options, NULL), 0);
        assert_int_equal(flux_replay_times(test.replay, NULL)[0].end, end);
        differ += end != 100 * FLUX_US;
    }
    /* Even between 95 and 105 us: 1,000 draws come within 0.1 us of both with all but certainty. */
    assert_in_range(least, 95 * FLUX_US, 95 * FLUX_US + FLUX_US / 10);
    assert_in_range(most, 105 * FLUX_US - FLUX_US / 10, 105 * FLUX_US);
    assert_true(differ > 990);
    close_case(&test);
}

static void test_refused(void **state)
{
    struct case_ test;
    struct flux_error error;
    struct flux_replay_options options = FLUX_REPLAY_OPTIONS_INIT;
    struct flux_replay_summary summary = FLUX_REPLAY_SUMMARY_INIT;
    uint32_t factors[3] = {UINT32_MAX, 0, 0};
    uint64_t count = 7;
    (void)state;
    open_case(&test);
    assert_int_equal(flux_replay_new(NULL, test.fabric, test.slots, 3, &test.replay, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_replay_new(test.graph, test.fabric, NULL, 3, &test.replay, NULL), FLUX_E_ARGUMENT);
    assert_int_equal(flux_replay_new(test.graph, test.fabric, test.slots, 3, NULL, NULL), FLUX_E_ARGUMENT);
    assert_int_equal(flux_replay_new(test.graph, test.fabric, test.slots, 2, &test.replay, &error), FLUX_E_MISMATCH);
    assert_null(test.replay);
    test.slots[0].start--;
    assert_int_equal(flux_replay_new(test.graph, test.fabric, test.slots, 3, &test.replay, &error), FLUX_E_MISMATCH);
    test.slots[0].start++;
    make_replay(&test);
    flux_graph_free(test.graph);
    flux_fabric_free(test.fabric);
    test.graph = NULL;
    test.fabric = NULL;
    assert_null(flux_replay_times(test.replay, &count));
    assert_int_equal(count, 0);
    assert_null(flux_replay_gpus(NULL, NULL));
    assert_int_equal(flux_replay_summary(test.replay, &summary), FLUX_E_ARGUMENT);
    assert_int_equal(flux_replay_run(NULL, NULL, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_replay_run(test.replay, NULL, NULL), 0);
    options.mode = 2;
    assert_int_equal(flux_replay_run(test.replay, &options, &error), FLUX_E_ARGUMENT);
    options.mode = FLUX_REPLAY_ORDER;
    options.jitter_ppm = FLUX_PPM + 1;
    assert_int_equal(flux_replay_run(test.replay, &options, &error), FLUX_E_ARGUMENT);
    options.jitter_ppm = 0;
    options.factors_ppm = factors;
    options.factor_count = 2;
    assert_int_equal(flux_replay_run(test.replay, &options, &error), FLUX_E_ARGUMENT);
    options.size = 8;
    assert_int_equal(flux_replay_run(test.replay, &options, &error), FLUX_E_ABI);
    summary.size = 3;
    assert_int_equal(flux_replay_summary(test.replay, &summary), FLUX_E_ABI);
    expect_time(&test, 1, 100, 150); /* the results of the run that was one */
    close_case(&test);
}

/* Too much compute, in either mode, and the results before it stay. */
static void test_overflow(void **state)
{
    struct case_ test;
    struct flux_error error;
    struct flux_replay_options options = FLUX_REPLAY_OPTIONS_INIT;
    uint32_t factors[3] = {2000000, FLUX_PPM, FLUX_PPM};
    (void)state;
    open_case(&test);
    assert_int_equal(flux_graph_set_duration(test.graph, 0, FLUX_TIME_MAX / 2 - 10), 0);
    for (int i = 0; i < 2; i++) {
        test.slots[i].start += FLUX_TIME_MAX / 2;
        test.slots[i].end += FLUX_TIME_MAX / 2;
    }
    make_replay(&test);
    assert_int_equal(flux_replay_run(test.replay, NULL, NULL), 0);
    options.factors_ppm = factors;
    options.factor_count = 3;
    options.mode = FLUX_REPLAY_ORDER;
    assert_int_equal(flux_replay_run(test.replay, &options, &error), FLUX_E_OVERFLOW);
    assert_int_equal(error.vertex, 1);
    factors[0] = 3000000;
    assert_int_equal(flux_replay_run(test.replay, &options, &error), FLUX_E_OVERFLOW);
    assert_int_equal(error.vertex, 0);
    expect_time(&test, 1, FLUX_TIME_MAX / 2 + 100, FLUX_TIME_MAX / 2 + 150);
    close_case(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_planned), cmocka_unit_test(test_late),    cmocka_unit_test(test_stranded),
        cmocka_unit_test(test_queue),      cmocka_unit_test(test_dark),    cmocka_unit_test(test_jitter),
        cmocka_unit_test(test_refused),    cmocka_unit_test(test_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
