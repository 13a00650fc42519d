/* SPDX-License-Identifier: Apache-2.0
 *
 * Schedulers to compare with, each on a case that can be reckoned by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <libflux/flux.h>
#include <string.h>

/* There and back between two GPUs: 100 ps of 1000 bytes, then 50 ps of 500 bytes. Delay 10 ps, rule PAPER. */
struct case_ {
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_comparison *comparison;
    struct flux_comparison_summary summary;
    struct flux_error error;
};

static void make_case(struct case_ *test, uint32_t gpus, uint32_t switches)
{
    static const struct flux_send sends[] = {{0, 1, 1000, 100, 0}, {1, 0, 500, 50, 0}};
    memset(test, 0, sizeof *test);
    assert_int_equal(flux_graph_new(NULL, gpus, &test->graph), 0);
    assert_int_equal(flux_graph_add_sends(test->graph, sends, 2, sizeof *sends, NULL, NULL), 0);
    assert_int_equal(flux_graph_add_edge(test->graph, 0, 1, 0), 0);
    assert_int_equal(flux_fabric_new(NULL, gpus, switches, &test->fabric), 0);
    assert_int_equal(flux_fabric_set_delay(test->fabric, FLUX_ALL_SWITCHES, 10), 0);
}

static void free_case(struct case_ *test)
{
    flux_comparison_free(test->comparison);
    flux_graph_free(test->graph);
    flux_fabric_free(test->fabric);
}

static int run(struct case_ *test, const char *name, const struct flux_compare_options *options)
{
    flux_comparison_free(test->comparison);
    int rc =
        flux_compare(test->graph, test->fabric, flux_scheduler_find(name), options, &test->comparison, &test->error);
    if (rc) {
        assert_null(test->comparison);
        return rc;
    }
    test->summary = (struct flux_comparison_summary)FLUX_COMPARISON_SUMMARY_INIT;
    assert_int_equal(flux_comparison_summary(test->comparison, &test->summary), 0);
    assert_int_equal(test->summary.scheduler, flux_scheduler_find(name));
    return 0;
}

static void expect(struct case_ *test, const char *name, int64_t iteration, uint64_t reconfigurations)
{
    assert_int_equal(run(test, name, NULL), 0);
    assert_int_equal(test->summary.applies, 1);
    assert_int_equal(test->summary.iteration, iteration);
    assert_int_equal(test->summary.reconfigurations, reconfigurations);
    assert_non_null(flux_comparison_replay(test->comparison));
}

static void expect_refused(struct case_ *test, const char *name, const char *reason)
{
    assert_int_equal(run(test, name, NULL), 0);
    assert_int_equal(test->summary.applies, 0);
    assert_int_equal(test->summary.iteration, 0);
    assert_null(flux_comparison_replay(test->comparison));
    assert_non_null(strstr(flux_comparison_note(test->comparison), reason));
}

static void test_names(void **state)
{
    (void)state;
    uint32_t known = 0;
    for (uint32_t i = 1; i <= flux_scheduler_count(); i++) {
        const char *name = flux_scheduler_name(i);
        if (!*name)
            continue;
        known++;
        assert_int_equal(flux_scheduler_find(name), i);
        assert_true(strlen(flux_scheduler_source(i)) > 10);
        assert_true(flux_scheduler_kind(i) >= FLUX_SCHEDULER_KIND_SCHEDULE);
        assert_true(flux_scheduler_kind(i) <= FLUX_SCHEDULER_KIND_PACKET);
    }
    assert_true(known >= 8);
    assert_int_equal(flux_scheduler_find("flux"), FLUX_SCHEDULER_FLUX);
    assert_int_equal(flux_scheduler_find("nobody"), 0);
    assert_int_equal(flux_scheduler_find(""), 0);
    assert_int_equal(flux_scheduler_find(NULL), 0);
    assert_string_equal(flux_scheduler_name(0), "");
    assert_string_equal(flux_scheduler_name(flux_scheduler_count() + 1), "");
    assert_string_equal(flux_scheduler_source(UINT32_MAX), "");
    assert_int_equal(flux_scheduler_kind(UINT32_MAX), 0);
}

/* One switch: 0 - 100, ten to change, 110 - 160. */
static void test_flux_and_random(void **state)
{
    struct case_ test;
    (void)state;
    make_case(&test, 2, 1);
    expect(&test, "flux", 160, 1);
    assert_int_equal(test.summary.bound, 160);
    assert_int_equal(test.summary.memory, 1000);
    assert_int_equal(test.summary.waiting, 500);     /* from 100 to 110 */
    assert_int_equal(test.summary.waiting_mean, 15); /* 500 bytes for 10 of 160 ps, at one of two GPUs */
    assert_non_null(flux_comparison_schedule(test.comparison));
    expect(&test, "random", 160, 1);
    assert_int_equal(test.summary.best, 160);
    assert_int_equal(test.summary.constructions, 1);
    assert_non_null(flux_comparison_schedule(test.comparison));
    free_case(&test);
}

/* Two pairs at each port: one switch is not enough, but under DUPLEX, where a circuit goes both ways. */
static void test_static(void **state)
{
    struct case_ test;
    (void)state;
    make_case(&test, 2, 1);
    expect_refused(&test, "static", "would need 2 circuits at once, and there are 1");
    assert_int_equal(flux_fabric_set_rule(test.fabric, FLUX_RULE_DUPLEX), 0);
    expect(&test, "static", 150, 0);
    free_case(&test);
    make_case(&test, 2, 2);
    expect(&test, "static", 150, 0);
    assert_int_equal(test.summary.waiting, 0);
    assert_null(flux_comparison_schedule(test.comparison));
    free_case(&test);
}

/* Two sends of one pair at once and room for a second circuit: both go. */
static void test_static_fills(void **state)
{
    struct case_ test;
    (void)state;
    make_case(&test, 4, 3);
    assert_int_equal(flux_graph_add_send(test.graph, 0, 1, 1000, NULL), 0);
    assert_int_equal(flux_graph_set_duration(test.graph, 2, 100), 0);
    expect(&test, "static", 150, 0);
    free_case(&test);
}

/* One permutation, split into 0 to 1 for 100 ps and 1 to 0 for 50: the second comes up at 110. Four repeats would be
 * 25 ps every 58 and take longer. */
static void test_bvn(void **state)
{
    struct case_ test;
    (void)state;
    make_case(&test, 2, 1);
    expect(&test, "bvn", 160, 1);
    assert_int_equal(test.summary.repeats, 1);
    assert_int_equal(flux_fabric_set_rule(test.fabric, FLUX_RULE_DUPLEX), 0);
    expect(&test, "bvn", 150, 0);
    free_case(&test);
}

/* Solstice and Spectra make the same plan. Eclipse holds the permutation for 50 ps, which serves most per time, and 0
 * to 1 for 50 more: 0 - 50, 60 - 110 back, 120 - 170, and again from 180 on. */
static void test_other_matrices(void **state)
{
    struct case_ test;
    (void)state;
    make_case(&test, 2, 1);
    expect(&test, "solstice", 160, 1);
    expect(&test, "spectra", 160, 1);
    expect(&test, "eclipse", 290, 3);
    free_case(&test);
}

/* A permutation with a ring of three: three states of 30 ps, delay 10. What is sent round the ring one after the other
 * goes at 0, 40 and 80, in either direction of the states. */
static void test_odd_ring(void **state)
{
    struct case_ test;
    struct flux_send sends[] = {{0, 1, 300, 30, 0}, {1, 2, 300, 30, 0}, {2, 0, 300, 30, 0}};
    (void)state;
    memset(&test, 0, sizeof test);
    assert_int_equal(flux_graph_new(NULL, 3, &test.graph), 0);
    assert_int_equal(flux_graph_add_sends(test.graph, sends, 3, sizeof *sends, NULL, NULL), 0);
    assert_int_equal(flux_fabric_new(NULL, 3, 1, &test.fabric), 0);
    assert_int_equal(flux_fabric_set_delay(test.fabric, 0, 10), 0);
    expect(&test, "bvn", 110, 2);
    assert_int_equal(flux_fabric_set_rule(test.fabric, FLUX_RULE_SIMPLEX), 0);
    expect(&test, "bvn", 30, 0);
    free_case(&test);
}

/* Two GPUs send to one another, and two others do later: they are in one dimension of pairs. A ring of four is in
 * another. Under PAPER both need two switches; the change between them starts at once (100) where nothing waits. */
static void test_phase(void **state)
{
    static const struct flux_send sends[] = {{0, 1, 1, 100, 0}, {1, 0, 1, 100, 0}, {2, 3, 1, 100, 0}, {0, 1, 1, 20, 0},
                                             {1, 2, 1, 20, 0},  {2, 3, 1, 20, 0},  {3, 0, 1, 20, 0}};
    static const struct flux_edge edges[] = {{0, 7, 0}, {1, 7, 0}, {2, 7, 0}, {7, 3, 0},
                                             {3, 4, 0}, {4, 5, 0}, {5, 6, 0}};
    struct case_ test;
    (void)state;
    memset(&test, 0, sizeof test);
    assert_int_equal(flux_graph_new(NULL, 4, &test.graph), 0);
    assert_int_equal(flux_graph_add_sends(test.graph, sends, 7, sizeof *sends, NULL, NULL), 0);
    assert_int_equal(flux_graph_add_compute(test.graph, 0, 5, NULL), 0);
    assert_int_equal(flux_graph_add_edges(test.graph, edges, 7, sizeof *edges, NULL), 0);
    assert_int_equal(flux_fabric_new(NULL, 4, 2, &test.fabric), 0);
    assert_int_equal(flux_fabric_set_delay(test.fabric, FLUX_ALL_SWITCHES, 10), 0);
    assert_int_equal(run(&test, "phase", NULL), 0);
    assert_int_equal(test.summary.applies, 1);
    assert_int_equal(test.summary.iteration, 190); /* 0 - 100; 110 - 190, with the compute inside the change */
    assert_non_null(strstr(flux_comparison_note(test.comparison), "2 dimensions, 2 configurations, changed ahead"));
    free_case(&test);
}

/* 20 ps of compute between there and back: flux changes meanwhile, Sunflow when the send is ready, at 120. Of
 * two sends that are collectives of their own and ready together, the first goes first. */
static void test_sunflow(void **state)
{
    static const struct flux_send sends[] = {{0, 1, 1, 10, 0}, {2, 1, 1, 30, 0}};
    struct case_ test;
    uint32_t compute;
    (void)state;
    make_case(&test, 2, 1);
    expect(&test, "sunflow", 160, 1);
    flux_graph_free(test.graph);
    assert_int_equal(flux_graph_new(NULL, 2, &test.graph), 0);
    assert_int_equal(flux_graph_add_sends(test.graph, (struct flux_send[]){{0, 1, 1, 100, 0}, {1, 0, 1, 50, 0}}, 2,
                                          sizeof *sends, NULL, NULL),
                     0);
    assert_int_equal(flux_graph_add_compute(test.graph, 1, 20, &compute), 0);
    assert_int_equal(flux_graph_add_edge(test.graph, 0, compute, 0), 0);
    assert_int_equal(flux_graph_add_edge(test.graph, compute, 1, 0), 0);
    expect(&test, "flux", 170, 1);
    expect(&test, "sunflow", 180, 1);
    assert_int_equal(flux_fabric_set_dwell(test.fabric, 0, 5), 0);
    expect_refused(&test, "sunflow", "one circuit at a time");
    free_case(&test);
    make_case(&test, 3, 1);
    flux_graph_free(test.graph);
    assert_int_equal(flux_graph_new(NULL, 3, &test.graph), 0);
    assert_int_equal(flux_graph_add_sends(test.graph, sends, 2, sizeof *sends, NULL, NULL), 0);
    expect(&test, "sunflow", 10 + 10 + 30, 1); /* two collectives: the first one's send first */
    free_case(&test);
}

/* Slots of 90 ps, 1 to 0 first: 100 to 190, 300 to 310; then 400 to 450. */
static void test_rotor(void **state)
{
    struct flux_compare_options options = FLUX_COMPARE_OPTIONS_INIT;
    struct case_ test;
    (void)state;
    make_case(&test, 2, 1);
    expect(&test, "rotor-direct", 450, 4);
    options.duty_ppm = 990000; /* 990: 1000 to 1100, 2000 to 2050 */
    assert_int_equal(run(&test, "rotor-direct", &options), 0);
    assert_int_equal(test.summary.iteration, 2050);
    /* Two GPUs have nobody to forward: VLB is direct but for what it does not cut. Staggering takes two switches. */
    expect(&test, "rotor-direct-staggered", 450, 4);
    assert_int_equal(run(&test, "rotor-vlb", NULL), 0);
    assert_int_equal(test.summary.iteration, 450);
    assert_int_equal(flux_fabric_set_delay(test.fabric, 0, 0), 0);
    expect_refused(&test, "rotor-direct", "delay");
    expect_refused(&test, "rotor-vlb-staggered", "delay");
    free_case(&test);
    make_case(&test, 3, 1);
    expect_refused(&test, "rotor-direct", "odd");
    free_case(&test);
}

/* Nothing to send: compute takes its time under all of them. */
static void test_no_sends(void **state)
{
    struct case_ test;
    (void)state;
    memset(&test, 0, sizeof test);
    assert_int_equal(flux_graph_new(NULL, 2, &test.graph), 0);
    assert_int_equal(flux_graph_add_compute(test.graph, 0, 70, NULL), 0);
    assert_int_equal(flux_fabric_new(NULL, 2, 2, &test.fabric), 0);
    assert_int_equal(flux_fabric_set_delay(test.fabric, FLUX_ALL_SWITCHES, 10), 0);
    for (uint32_t i = 1; i <= flux_scheduler_count(); i++)
        if (*flux_scheduler_name(i)) {
            expect(&test, flux_scheduler_name(i), 70, 0);
            assert_int_equal(test.summary.memory, 0);
        }
    free_case(&test);
}

static void test_errors(void **state)
{
    struct flux_compare_options options = FLUX_COMPARE_OPTIONS_INIT;
    struct flux_options schedule = FLUX_OPTIONS_INIT;
    struct flux_comparison *comparison;
    struct flux_fabric *other;
    struct case_ test;
    (void)state;
    make_case(&test, 2, 1);
    assert_int_equal(run(&test, "nobody", NULL), FLUX_E_ARGUMENT);
    assert_int_equal(flux_compare(NULL, test.fabric, 1, NULL, &comparison, NULL), FLUX_E_ARGUMENT);
    assert_int_equal(flux_compare(test.graph, NULL, 1, NULL, &comparison, NULL), FLUX_E_ARGUMENT);
    assert_int_equal(flux_compare(test.graph, test.fabric, 1, NULL, NULL, NULL), FLUX_E_ARGUMENT);
    options.duty_ppm = FLUX_PPM;
    assert_int_equal(run(&test, "flux", &options), FLUX_E_ARGUMENT);
    options.duty_ppm = 0;
    options.size = 4;
    assert_int_equal(run(&test, "flux", &options), FLUX_E_ABI);
    options.size = sizeof options;
    options.schedule = &schedule;
    assert_int_equal(flux_cancel_new(NULL, &schedule.cancel), 0);
    flux_cancel_request(schedule.cancel);
    assert_int_equal(run(&test, "bvn", &options), FLUX_E_CANCELLED);
    flux_cancel_free(schedule.cancel);
    assert_int_equal(flux_fabric_new(NULL, 3, 1, &other), 0);
    assert_int_equal(flux_compare(test.graph, other, FLUX_SCHEDULER_BVN, NULL, &comparison, &test.error),
                     FLUX_E_MISMATCH);
    flux_fabric_free(other);
    assert_int_equal(flux_graph_add_edge(test.graph, 1, 0, 0), 0);
    for (uint32_t i = 1; i <= flux_scheduler_count(); i++)
        if (*flux_scheduler_name(i))
            assert_int_equal(run(&test, flux_scheduler_name(i), NULL), FLUX_E_CYCLE);
    assert_int_equal(flux_comparison_summary(NULL, &test.summary), FLUX_E_ARGUMENT);
    assert_string_equal(flux_comparison_note(NULL), "");
    assert_null(flux_comparison_schedule(NULL));
    assert_null(flux_comparison_replay(NULL));
    flux_comparison_free(NULL);
    free_case(&test);
}

/* A rotor that turns 10^10 times while a GPU computes. */
static void test_cancelled_replay(void **state)
{
    struct flux_replay_options options = FLUX_REPLAY_OPTIONS_INIT;
    struct flux_replay *replay;
    struct case_ test;
    (void)state;
    make_case(&test, 2, 1);
    assert_int_equal(flux_graph_add_compute(test.graph, 0, FLUX_S, NULL), 0);
    assert_int_equal(flux_graph_add_send(test.graph, 0, 1, 1, NULL), 0);
    assert_int_equal(flux_graph_add_edge(test.graph, 2, 3, 0), 0);
    assert_int_equal(flux_replay_new_rotor(test.graph, test.fabric, NULL, &replay, NULL), 0);
    assert_int_equal(flux_cancel_new(NULL, &options.cancel), 0);
    flux_cancel_request(options.cancel);
    assert_int_equal(flux_replay_run(replay, &options, &test.error), FLUX_E_CANCELLED);
    assert_null(flux_replay_times(replay, NULL));
    flux_cancel_free(options.cancel);
    flux_replay_free(replay);
    free_case(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_flux_and_random),
        cmocka_unit_test(test_static),
        cmocka_unit_test(test_static_fills),
        cmocka_unit_test(test_bvn),
        cmocka_unit_test(test_other_matrices),
        cmocka_unit_test(test_odd_ring),
        cmocka_unit_test(test_rotor),
        cmocka_unit_test(test_phase),
        cmocka_unit_test(test_sunflow),
        cmocka_unit_test(test_no_sends),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_cancelled_replay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
