/* SPDX-License-Identifier: Apache-2.0
 *
 * Cycles of switch states on random workloads: on one switch, the same times as going through the picoseconds one by
 * one; on several, everything runs, nothing before it is ready, and no send faster than it can.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/pairwise.h"
#include "../support/parts.h"
#include "../support/random_problem.h"
#include "../support/ticks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define STATES_MAX 40
#define CIRCUITS_MAX 120

struct cycle {
    struct flux_cycle_state states[STATES_MAX];
    struct flux_circuit_name circuits[CIRCUITS_MAX];
    uint32_t state_count;
    uint32_t circuit_count;
};

static uint32_t roll(uint64_t *dice, uint32_t below)
{
    *dice = *dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*dice >> 33) % below;
}

/* On every switch a state for each send, with circuits of others that share no GPU with those before. */
static void make_cycle(const struct random_problem *problem, uint64_t *dice, struct cycle *cycle)
{
    memset(cycle, 0, sizeof *cycle);
    for (uint32_t v = 0; v < problem->vertices; v++) {
        if (!problem->vertex[v].send)
            continue;
        uint32_t k = roll(dice, problem->switches), used = 0, at = v;
        struct flux_cycle_state *state = &cycle->states[cycle->state_count++];
        *state = (struct flux_cycle_state){k, 0, 1 + roll(dice, 12)};
        for (uint32_t i = 0; i < problem->vertices && state->circuits < 3; i++, at = (at + 1) % problem->vertices) {
            const struct random_vertex *send = &problem->vertex[at];
            if (!send->send || (used >> send->src & 1) || (used >> send->dst & 1))
                continue;
            used |= 1u << send->src | 1u << send->dst;
            cycle->circuits[cycle->circuit_count++] = (struct flux_circuit_name){k, send->src, send->dst};
            state->circuits++;
        }
    }
}

static void join_queue(struct ticks *ticks, int64_t at)
{
    for (uint32_t n = 0; n < ticks->problem->vertices; n++) {
        uint32_t v = ticks->order[n];
        if (ticks->problem->vertex[v].send && ticks->ready[v] == at && !ticks->in_queue[v]) {
            ticks->in_queue[v] = 1;
            ticks->queue[ticks->queued++] = v;
        }
    }
}

/* The first that waits for the circuit carries on for a picosecond. A cut send stays where it is: first of its pair. */
static void carry(struct ticks *ticks, const struct flux_circuit_name *circuit, int64_t at)
{
    for (uint32_t i = 0; i < ticks->queued; i++) {
        uint32_t v = ticks->queue[i];
        if (ticks->problem->vertex[v].src != circuit->src || ticks->problem->vertex[v].dst != circuit->dst)
            continue;
        if (ticks->times[v].start < 0)
            ticks->times[v].start = at;
        if (--ticks->rest[v] == 0) {
            ticks->times[v].end = at + 1;
            memmove(&ticks->queue[i], &ticks->queue[i + 1], (ticks->queued - i - 1) * sizeof *ticks->queue);
            ticks->queued--;
        }
        return;
    }
}

static void tick_through(struct ticks *ticks, const struct cycle *cycle, int64_t delay)
{
    uint32_t left = ticks_begin(ticks), state = 0, first = 0;
    int64_t slot = 0;
    for (int64_t at = 0; left; at++) {
        ticks_propagate(ticks);
        join_queue(ticks, at);
        if (cycle->state_count > 1 && at == slot + cycle->states[state].duration) {
            slot = at + delay;
            first += cycle->states[state].circuits;
            if (++state == cycle->state_count)
                state = first = 0;
        }
        for (uint32_t c = first; at >= slot && c < first + cycle->states[state].circuits; c++)
            carry(ticks, &cycle->circuits[c], at);
        left = 0;
        for (uint32_t v = 0; v < ticks->problem->vertices; v++)
            left += ticks->problem->vertex[v].send && ticks->times[v].end < 0;
        assert_true(at < 1000000);
    }
    ticks_propagate(ticks);
}

static void check_several(const struct random_problem *problem, const struct flux_replay *replay)
{
    const struct flux_time *times = flux_replay_times(replay, NULL);
    const int64_t *ready = flux_replay_ready(replay, NULL);
    for (uint32_t v = 0; v < problem->vertices; v++) {
        assert_true(ready[v] >= problem->vertex[v].release && times[v].start >= ready[v]);
        assert_true(times[v].end - times[v].start >= problem->vertex[v].duration);
        for (uint32_t i = 0; i < problem->edges; i++)
            if (problem->edge[i].to == v)
                assert_true(ready[v] >= times[problem->edge[i].from].end + problem->edge[i].lag);
    }
}

static void try_seed(uint64_t seed, const struct random_options *options, uint32_t *cut)
{
    struct random_problem problem;
    struct cycle cycle;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_replay *replay;
    struct flux_error error = {0};
    struct flux_replay_summary summary = FLUX_REPLAY_SUMMARY_INIT;
    uint64_t dice = seed;
    random_problem(&problem, seed, options);
    if (seed % 2)
        problem.switches = 1;
    for (uint32_t k = 0; k < problem.switches; k++)
        problem.dwell[k] = 0;
    make_cycle(&problem, &dice, &cycle);
    assert_int_equal(random_problem_build(&problem, NULL, &graph, &fabric), 0);
    if (flux_replay_new_cycle(graph, fabric, cycle.states, cycle.state_count, cycle.circuits, cycle.circuit_count,
                              &replay, &error) ||
        flux_replay_run(replay, NULL, &error)) {
        random_problem_print(&problem);
        fail_msg("seed %" PRIu64 ": %s", seed, error.text);
    }
    assert_int_equal(flux_replay_summary(replay, &summary), 0);
    assert_int_equal(summary.stranded + summary.missed + summary.late, 0);
    assert_true(summary.circuit_ppm > 0 && summary.circuit_ppm <= FLUX_PPM && summary.port_ppm <= FLUX_PPM);
    check_several(&problem, replay);
    char why[PARTS_TEXT];
    if (!parts_check(graph, fabric, replay, why)) {
        random_problem_print(&problem);
        fail_msg("seed %" PRIu64 ": %s", seed, why);
    }
    const struct flux_time *times = flux_replay_times(replay, NULL);
    for (uint32_t v = 0; v < problem.vertices; v++)
        *cut += problem.vertex[v].send && times[v].end - times[v].start > problem.vertex[v].duration;
    if (problem.switches == 1) {
        struct ticks ticks = {.problem = &problem, .graph = graph, .fabric = fabric};
        tick_through(&ticks, &cycle, problem.delay[0]);
        if (memcmp(ticks.times, times, problem.vertices * sizeof *times) != 0) {
            random_problem_print(&problem);
            for (uint32_t v = 0; v < problem.vertices; v++)
                fprintf(stderr, "# v%" PRIu32 ": %" PRId64 " to %" PRId64 ", not %" PRId64 " to %" PRId64 "\n", v,
                        times[v].start, times[v].end, ticks.times[v].start, ticks.times[v].end);
            fail_msg("seed %" PRIu64 ": other times than picosecond by picosecond", seed);
        }
        assert_memory_equal(ticks.ready, flux_replay_ready(replay, NULL), problem.vertices * sizeof *ticks.ready);
    }
    flux_replay_free(replay);
    flux_graph_free(graph);
    flux_fabric_free(fabric);
}

static void test_random(void **state)
{
    (void)state;
    uint32_t count = random_problem_count(6000), cut = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct random_options options = {.rule = i % 3,
                                         .parameters = i / 3 % 2 ? RANDOM_DELAYS | RANDOM_PROPAGATION : 0,
                                         .sends_min = 1,
                                         .sends_max = 8,
                                         .time_max = 20};
        try_seed(i, &options, &cut);
    }
    printf("# %" PRIu32 " sends were cut\n", cut);
    assert_true(cut > count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
