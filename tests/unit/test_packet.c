/* SPDX-License-Identifier: Apache-2.0
 *
 * Packet fabrics by hand: shares, planes, and what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <libflux/flux.h>

#include <string.h>

struct case_ {
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_replay *replay;
    struct flux_packet_options options;
    struct flux_error error;
};

static void open_case(struct case_ *test, const struct flux_send *sends, uint32_t count, uint32_t switches)
{
    *test = (struct case_){.options = FLUX_PACKET_OPTIONS_INIT};
    assert_int_equal(flux_graph_new(NULL, 4, &test->graph), 0);
    assert_int_equal(flux_graph_add_sends(test->graph, sends, count, sizeof *sends, NULL, NULL), 0);
    assert_int_equal(flux_fabric_new(NULL, 4, switches, &test->fabric), 0);
}

static int make(struct case_ *test)
{
    flux_replay_free(test->replay);
    return flux_replay_new_packet(test->graph, test->fabric, &test->options, &test->replay, &test->error);
}

static const struct flux_time *run(struct case_ *test)
{
    assert_int_equal(make(test), 0);
    assert_int_equal(flux_replay_run(test->replay, NULL, &test->error), 0);
    return flux_replay_times(test->replay, NULL);
}

static void close_case(struct case_ *test)
{
    flux_replay_free(test->replay);
    flux_graph_free(test->graph);
    flux_fabric_free(test->fabric);
}

/* One send: as long as its circuit would carry it, over as many links as there are. */
static void test_alone(void **state)
{
    static const struct flux_send bytes[] = {{0, 1, 12345677, 0, 40}}, time[] = {{0, 1, 1, 3001, 0}};
    struct flux_replay_summary summary = FLUX_REPLAY_SUMMARY_INIT;
    struct case_ test;
    int64_t duration;
    (void)state;
    open_case(&test, bytes, 1, 1);
    assert_int_equal(flux_fabric_duration(test.fabric, 0, 0, 1, bytes[0].bytes, &duration), 0);
    assert_int_equal(run(&test)[0].start, 40);
    assert_int_equal(run(&test)[0].end, 40 + duration);
    assert_int_equal(flux_replay_summary(test.replay, &summary), 0);
    assert_int_equal(summary.delivered, bytes[0].bytes);
    assert_int_equal(summary.memory, bytes[0].bytes);
    assert_int_equal(summary.reconfigurations + summary.circuit_ppm, 0);
    assert_in_range(summary.port_ppm, 249000, 250000);
    close_case(&test);
    open_case(&test, time, 1, 2);
    assert_int_equal(run(&test)[0].end, 1501);
    close_case(&test);
}

/* 0 shares what it sends among three; 3 to 2 has the rest of what 2 hears, twice as much. */
static void test_shares(void **state)
{
    static const struct flux_send sends[] = {
        {0, 1, 1, 1000, 0}, {0, 2, 1, 1000, 0}, {0, 3, 1, 1000, 0}, {3, 2, 1, 1000, 0}};
    struct case_ test;
    (void)state;
    open_case(&test, sends, 4, 1);
    assert_int_equal(flux_fabric_set_rate(test.fabric, FLUX_ALL_GPUS, FLUX_ALL_SWITCHES, 3000000), 0);
    const struct flux_time *times = run(&test);
    assert_int_equal(times[3].end, 1500); /* at 2/3 */
    assert_int_equal(times[0].end, 3000);
    assert_int_equal(times[1].end, 3000);
    assert_int_equal(times[2].end, 3000);
    close_case(&test);
}

static void test_planes(void **state)
{
    static const struct flux_send sends[] = {{0, 1, 1, 1000, 0}, {2, 3, 1, 1000, 0}};
    struct case_ test;
    (void)state;
    open_case(&test, sends, 2, 1);
    test.options.planes = 4;
    assert_int_equal(run(&test)[0].end, 1000);
    test.options.failed = 1;
    assert_int_equal(run(&test)[0].end, 1334);
    test.options.failed = 0;
    test.options.spread = FLUX_PACKET_HASH;
    assert_int_equal(run(&test)[1].end, 4000); /* a plane each */
    close_case(&test);
}

/* Two sends of one GPU go over one plane or over two, as the seed says; then both are as fast as a plane. */
static void test_hash(void **state)
{
    static const struct flux_send sends[] = {{0, 1, 1, 1000, 0}, {0, 2, 1, 1000, 0}};
    struct case_ test;
    uint32_t together = 0;
    (void)state;
    open_case(&test, sends, 2, 1);
    test.options.planes = 2;
    test.options.spread = FLUX_PACKET_HASH;
    for (test.options.seed = 0; test.options.seed < 200; test.options.seed++) {
        int64_t end = run(&test)[0].end, again = run(&test)[0].end;
        assert_true(end == 2000 || end == 4000);
        assert_int_equal(end, again);
        together += end == 4000;
    }
    assert_in_range(together, 70, 130);
    close_case(&test);
}

static void test_refused(void **state)
{
    static const struct flux_send sends[] = {{0, 1, 1000, 0, 0}, {2, 3, 1000, 0, 0}};
    struct flux_replay_options order = FLUX_REPLAY_OPTIONS_INIT;
    struct flux_fabric *other;
    struct case_ test;
    (void)state;
    open_case(&test, sends, 2, 1);
    order.mode = FLUX_REPLAY_ORDER;
    (void)run(&test);
    assert_int_equal(flux_replay_run(test.replay, &order, &test.error), FLUX_E_ARGUMENT);
    test.options.planes = 0;
    assert_int_equal(make(&test), FLUX_E_ARGUMENT);
    assert_null(test.replay);
    test.options.planes = test.options.failed = 2;
    assert_int_equal(make(&test), FLUX_E_ARGUMENT);
    test.options.failed = 1;
    test.options.spread = 2;
    assert_int_equal(make(&test), FLUX_E_ARGUMENT);
    test.options.spread = 0;
    test.options.size = 1;
    assert_int_equal(make(&test), FLUX_E_ABI);
    test.options = (struct flux_packet_options)FLUX_PACKET_OPTIONS_INIT;
    assert_int_equal(flux_fabric_set_dead(test.fabric, 3, 0, 1), 0);
    assert_int_equal(make(&test), FLUX_E_INFEASIBLE);
    assert_int_equal(test.error.vertex, 1);
    assert_int_equal(flux_fabric_new(NULL, 3, 1, &other), 0);
    assert_int_equal(flux_replay_new_packet(test.graph, other, NULL, &test.replay, &test.error), FLUX_E_MISMATCH);
    assert_int_equal(flux_replay_new_packet(NULL, other, NULL, &test.replay, &test.error), FLUX_E_ARGUMENT);
    flux_fabric_free(other);
    close_case(&test);
}

/* So slow that nothing can be counted any more. */
static void test_too_long(void **state)
{
    static const struct flux_send sends[] = {{0, 1, UINT64_MAX, 0, 0}};
    struct case_ test;
    (void)state;
    open_case(&test, sends, 1, 1);
    assert_int_equal(flux_fabric_set_rate(test.fabric, FLUX_ALL_GPUS, 0, 1), 0);
    assert_int_equal(make(&test), 0);
    assert_int_equal(flux_replay_run(test.replay, NULL, &test.error), FLUX_E_OVERFLOW);
    assert_int_equal(test.error.vertex, 0);
    assert_null(flux_replay_times(test.replay, NULL));
    close_case(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_alone),   cmocka_unit_test(test_shares),
                                       cmocka_unit_test(test_planes),  cmocka_unit_test(test_hash),
                                       cmocka_unit_test(test_refused), cmocka_unit_test(test_too_long)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
