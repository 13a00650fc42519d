/* SPDX-License-Identifier: Apache-2.0
 *
 * Facts that contradict each other or the graph are refused with a sentence; and the figures of a case that can be
 * worked out by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <libflux/flux.h>
#include <string.h>

#define GPUS 4u
#define VERTICES 5u

/* Two sends of 10 us on two switches, one after each of them, and a compute of 5 us at the end. */
struct world {
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_slot slots[4];
    struct flux_time times[VERTICES];
    struct flux_replan_options options;
    struct flux_error error;
};

static void begin(struct world *world)
{
    static const uint32_t ends[4][2] = {{0, 1}, {2, 3}, {1, 2}, {3, 0}};
    const struct flux_replan_options options = FLUX_REPLAN_OPTIONS_INIT;
    memset(world, 0, sizeof *world);
    assert_int_equal(flux_graph_new(NULL, GPUS, &world->graph), 0);
    assert_int_equal(flux_fabric_new(NULL, GPUS, 2, &world->fabric), 0);
    assert_int_equal(flux_fabric_set_delay(world->fabric, FLUX_ALL_SWITCHES, 2 * FLUX_US), 0);
    for (uint32_t v = 0; v < 4; v++) {
        assert_int_equal(flux_graph_add_send(world->graph, ends[v][0], ends[v][1], 1, NULL), 0);
        assert_int_equal(flux_graph_set_duration(world->graph, v, 10 * FLUX_US), 0);
        world->slots[v] = (struct flux_slot){v, v % 2, v < 2 ? 0 : 12 * FLUX_US, v < 2 ? 10 * FLUX_US : 22 * FLUX_US};
        world->times[v] = v < 2 ? (struct flux_time){0, 10 * FLUX_US} : (struct flux_time){-1, -1};
    }
    assert_int_equal(flux_graph_add_compute(world->graph, 2, 5 * FLUX_US, NULL), 0);
    world->times[4] = (struct flux_time){-1, -1};
    flux_graph_set_label(world->graph, 2, "third");
    assert_int_equal(flux_graph_add_edge(world->graph, 0, 2, 0), 0);
    assert_int_equal(flux_graph_add_edge(world->graph, 1, 3, 0), 0);
    assert_int_equal(flux_graph_add_edge(world->graph, 2, 4, 0), 0);
    world->options = options;
    world->options.now = 5 * FLUX_US;
    world->options.times = world->times;
    world->options.time_count = VERTICES;
}

static void end(struct world *world)
{
    flux_graph_free(world->graph);
    flux_fabric_free(world->fabric);
}

static struct flux_replan_summary plan(struct world *world)
{
    struct flux_replan_summary summary = FLUX_REPLAN_SUMMARY_INIT;
    struct flux_replan *replan;
    int rc = flux_replan(world->graph, world->fabric, world->slots, 4, &world->options, &replan, &world->error);
    if (rc)
        fail_msg("%s", world->error.text);
    assert_int_equal(flux_replan_summary(replan, &summary), 0);
    flux_replan_free(replan);
    return summary;
}

/* The call fails with this code and a sentence that has `text`; the world ends. */
static void refuse(struct world *world, int code, const char *text)
{
    struct flux_replan *replan = (struct flux_replan *)(void *)world;
    int rc = flux_replan(world->graph, world->fabric, world->slots, 4, &world->options, &replan, &world->error);
    assert_int_equal(rc, code);
    assert_null(replan);
    assert_int_equal(world->error.code, code);
    if (!strstr(world->error.text, text))
        fail_msg("'%s' has no '%s'", world->error.text, text);
    end(world);
}

static void test_by_hand(void **state)
{
    struct world world;
    (void)state;
    begin(&world);
    struct flux_replan_summary summary = plan(&world);
    assert_int_equal(summary.under_way, 2);
    assert_int_equal(summary.left, 2);
    assert_int_equal(summary.shifted, 27 * FLUX_US);
    assert_int_equal(summary.makespan, 27 * FLUX_US);
    assert_int_equal(summary.bound, 25 * FLUX_US); /* without changes of circuits */
    assert_int_equal(summary.begin, 5 * FLUX_US);
    assert_int_equal(summary.stopped, FLUX_STOPPED_DONE);
    /* GPU 2 takes three times as long. */
    const uint32_t factors[GPUS] = {FLUX_PPM, FLUX_PPM, 3 * FLUX_PPM, FLUX_PPM};
    world.options.factors_ppm = factors;
    world.options.factor_count = GPUS;
    assert_int_equal(plan(&world).makespan, 37 * FLUX_US);
    /* GPU 2 loses switch 0, where it would have heard from GPU 1: the circuit there is free already, the other is not. */
    world.options.factors_ppm = NULL;
    assert_int_equal(flux_fabric_set_dead(world.fabric, 2, 0, 1), 0);
    assert_int_equal(plan(&world).makespan, 27 * FLUX_US);
    /* A send that is overdue ends as soon as it can. */
    world.times[1] = (struct flux_time){0, -1};
    assert_int_equal(plan(&world).makespan, 27 * FLUX_US);
    world.options.now = 15 * FLUX_US;
    world.times[0] = (struct flux_time){0, 10 * FLUX_US};
    summary = plan(&world);
    assert_int_equal(summary.under_way, 1);
    assert_int_equal(summary.done, 1);
    assert_int_equal(summary.makespan, 15 * FLUX_US + 1 + 2 * FLUX_US + 15 * FLUX_US);
    end(&world);
}

static void test_all_done(void **state)
{
    struct world world;
    (void)state;
    begin(&world);
    world.options.now = 30 * FLUX_US;
    world.times[2] = world.times[3] = (struct flux_time){12 * FLUX_US, 22 * FLUX_US};
    world.times[4] = (struct flux_time){22 * FLUX_US, 27 * FLUX_US};
    struct flux_replan_summary summary = plan(&world);
    assert_int_equal(summary.makespan, 27 * FLUX_US);
    assert_int_equal(summary.shifted, 27 * FLUX_US);
    assert_int_equal(summary.bound, 27 * FLUX_US);
    assert_int_equal(summary.done, 4);
    end(&world);
}

static void test_facts_that_contradict(void **state)
{
    struct world world;
    (void)state;
    begin(&world);
    world.times[2] = (struct flux_time){3 * FLUX_US, -1};
    refuse(&world, FLUX_E_MISMATCH, "waits for");
    begin(&world);
    world.times[2] = (struct flux_time){3 * FLUX_US, 4 * FLUX_US};
    world.times[0] = (struct flux_time){-1, -1};
    refuse(&world, FLUX_E_MISMATCH, "third is said to have begun at 3000000 ps, but it waits for vertex 0");
    begin(&world);
    world.times[0] = (struct flux_time){6 * FLUX_US, 10 * FLUX_US};
    refuse(&world, FLUX_E_MISMATCH, "in the future");
    begin(&world);
    world.times[0] = (struct flux_time){3 * FLUX_US, 2 * FLUX_US};
    refuse(&world, FLUX_E_MISMATCH, "ends before it begins");
    begin(&world);
    world.times[3] = (struct flux_time){-1, 2 * FLUX_US};
    refuse(&world, FLUX_E_MISMATCH, "both are -1");
    begin(&world);
    world.slots[1].switch_index = 0; /* fine: other ports */
    world.times[1] = (struct flux_time){0, 9 * FLUX_US};
    (void)plan(&world);
    end(&world);
    begin(&world);
    assert_int_equal(flux_fabric_set_dead(world.fabric, 0, 0, 1), 0);
    refuse(&world, FLUX_E_MISMATCH, "say that it has not begun");
    begin(&world);
    assert_int_equal(flux_fabric_set_dead(world.fabric, 3, FLUX_ALL_SWITCHES, 1), 0);
    world.times[1] = (struct flux_time){-1, -1};
    refuse(&world, FLUX_E_INFEASIBLE, "no switch can carry");
}

static void test_sends_at_once(void **state)
{
    struct world world;
    uint32_t twin;
    (void)state;
    for (int same = 0; same < 2; same++) {
        struct flux_slot slots[5];
        struct flux_time times[VERTICES + 1];
        struct flux_replan *replan;
        begin(&world);
        assert_int_equal(flux_graph_add_send(world.graph, 0, same ? 1 : 2, 1000, &twin), 0);
        memcpy(slots, world.slots, sizeof world.slots);
        memcpy(times, world.times, sizeof world.times);
        slots[4] = (struct flux_slot){twin, 0, 0, 10 * FLUX_US};
        times[VERTICES] = (struct flux_time){0, 10 * FLUX_US};
        world.options.times = times;
        world.options.time_count = VERTICES + 1;
        assert_int_equal(flux_replan(world.graph, world.fabric, slots, 5, &world.options, &replan, &world.error),
                         FLUX_E_MISMATCH);
        assert_non_null(strstr(world.error.text, same ? "another send on the same circuit" : "share a port"));
        end(&world);
    }
}

static void test_circuits(void **state)
{
    struct world world;
    struct flux_circuit_state circuits[2] = {{0, 0, 1, 0, 0, 0}, {0, 1, 3, 0, 0, 0}};
    (void)state;
    begin(&world);
    world.options.circuits = circuits;
    world.options.circuit_count = 2;
    refuse(&world, FLUX_E_MISMATCH, "share a port");
    begin(&world);
    world.options.circuits = circuits;
    world.options.circuit_count = 1;
    circuits[0] = (struct flux_circuit_state){0, 0, 1, 1, 4 * FLUX_US, 6 * FLUX_US};
    refuse(&world, FLUX_E_MISMATCH, "is said to be changing");
    const struct flux_circuit_state bad[] = {
        {2, 0, 1, 0, 0, 0},           {0, 4, 1, 0, 0, 0},  {0, 0, 4, 0, 0, 0},
        {0, 1, 1, 0, 0, 0},           {0, 0, 1, 0, -1, 0}, {0, 0, 1, 1, 6 * FLUX_US, 8 * FLUX_US},
        {0, 0, 1, 1, 4 * FLUX_US, 3}, {0, 0, 1, 2, 0, 0},  {0, 0, 1, 1, 0, FLUX_TIME_MAX + 1},
    };
    for (uint32_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        begin(&world);
        world.options.circuits = &bad[i];
        world.options.circuit_count = 1;
        refuse(&world, FLUX_E_ARGUMENT, "row 0 of the circuits");
    }
    begin(&world);
    world.options.circuit_count = 1;
    refuse(&world, FLUX_E_ARGUMENT, "NULL with a count");
}

static void test_slots_of_another_graph(void **state)
{
    struct world world;
    struct flux_replan *replan;
    (void)state;
    begin(&world);
    world.slots[0].send = 4;
    refuse(&world, FLUX_E_MISMATCH, "another graph");
    begin(&world);
    world.slots[0].send = 1;
    refuse(&world, FLUX_E_MISMATCH, "has a row already");
    begin(&world);
    world.slots[0].send = 900;
    refuse(&world, FLUX_E_MISMATCH, "another graph");
    begin(&world);
    world.slots[3].switch_index = 2;
    refuse(&world, FLUX_E_MISMATCH, "cannot be");
    begin(&world);
    world.slots[3].start = -5;
    refuse(&world, FLUX_E_MISMATCH, "cannot be");
    begin(&world);
    assert_int_equal(flux_replan(world.graph, world.fabric, world.slots, 3, &world.options, &replan, &world.error),
                     FLUX_E_MISMATCH);
    assert_non_null(strstr(world.error.text, "3 slots for a graph of 4 sends"));
    end(&world);
}

static void test_arguments(void **state)
{
    struct world world;
    const uint32_t factors[GPUS] = {0};
    int64_t releases[VERTICES] = {0, 0, -1, 0, 0};
    struct flux_replan *replan;
    (void)state;
    begin(&world);
    world.options.now = -1;
    refuse(&world, FLUX_E_ARGUMENT, "now is -1 ps");
    begin(&world);
    world.options.time_count = 4;
    refuse(&world, FLUX_E_ARGUMENT, "4 times for 5 vertices");
    begin(&world);
    world.options.factors_ppm = factors;
    world.options.factor_count = 3;
    refuse(&world, FLUX_E_ARGUMENT, "3 factors for 4 GPUs");
    begin(&world);
    world.options.releases = releases;
    world.options.release_count = 2;
    refuse(&world, FLUX_E_ARGUMENT, "2 releases for 5 vertices");
    begin(&world);
    world.options.releases = releases;
    world.options.release_count = VERTICES;
    refuse(&world, FLUX_E_ARGUMENT, "release of vertex 2");
    begin(&world);
    world.options.size = 3;
    refuse(&world, FLUX_E_ABI, "size");
    begin(&world);
    world.options.now = world.times[0].end = FLUX_TIME_MAX;
    refuse(&world, FLUX_E_OVERFLOW, "2^62");
    begin(&world);
    assert_int_equal(flux_graph_add_edge(world.graph, 4, 0, 0), 0);
    refuse(&world, FLUX_E_CYCLE, "");
    begin(&world);
    assert_int_equal(flux_replan(NULL, world.fabric, world.slots, 4, NULL, &replan, NULL), FLUX_E_ARGUMENT);
    assert_int_equal(flux_replan(world.graph, NULL, world.slots, 4, NULL, &replan, NULL), FLUX_E_ARGUMENT);
    assert_int_equal(flux_replan(world.graph, world.fabric, NULL, 4, NULL, &replan, NULL), FLUX_E_ARGUMENT);
    assert_int_equal(flux_replan(world.graph, world.fabric, world.slots, 4, NULL, NULL, NULL), FLUX_E_ARGUMENT);
    struct flux_fabric *small;
    assert_int_equal(flux_fabric_new(NULL, 3, 2, &small), 0);
    assert_int_equal(flux_replan(world.graph, small, world.slots, 4, NULL, &replan, NULL), FLUX_E_MISMATCH);
    flux_fabric_free(small);
    end(&world);
    flux_replan_free(NULL);
    assert_null(flux_replan_slots(NULL, NULL));
    assert_null(flux_replan_times(NULL, NULL));
    assert_null(flux_replan_graph(NULL));
    assert_null(flux_replan_fabric(NULL));
    assert_null(flux_replan_schedule(NULL));
    assert_int_equal(flux_replan_summary(NULL, NULL), FLUX_E_ARGUMENT);
    assert_int_equal(flux_schedule_state(NULL, NULL, 0, NULL, NULL, NULL), FLUX_E_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_all_done),
        cmocka_unit_test(test_facts_that_contradict),
        cmocka_unit_test(test_sends_at_once),
        cmocka_unit_test(test_circuits),
        cmocka_unit_test(test_slots_of_another_graph),
        cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
