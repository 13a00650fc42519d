/* SPDX-License-Identifier: Apache-2.0
 *
 * Rotors that forward over third GPUs, on random workloads: the same times as RotorLB from picosecond to picosecond,
 * and every byte there once. Direct ones: the same bytes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/parts.h"
#include "../support/rotor_ticks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct counts {
    uint32_t forwarded;
    uint32_t parted;
};

static struct rotor_ticks rotor; /* large */

static void complain(const struct random_problem *problem, const struct flux_replay *replay, const char *what)
{
    const struct flux_time *times = flux_replay_times(replay, NULL);
    random_problem_print(problem);
    for (uint32_t v = 0; v < problem->vertices; v++)
        fprintf(stderr, "# v%" PRIu32 ": %" PRId64 " to %" PRId64 ", not %" PRId64 " to %" PRId64 "\n", v,
                times[v].start, times[v].end, rotor.ticks.times[v].start, rotor.ticks.times[v].end);
    fail_msg("seed %" PRIu64 ": %s", problem->seed, what);
}

static struct flux_replay_summary run(const struct random_problem *problem, struct flux_graph *graph,
                                      struct flux_fabric *fabric, const struct flux_rotor_options *options,
                                      struct flux_replay **replay)
{
    struct flux_replay_summary summary = FLUX_REPLAY_SUMMARY_INIT;
    struct flux_error error = {0};
    uint64_t bytes = 0;
    if (flux_replay_new_rotor(graph, fabric, options, replay, &error) || flux_replay_run(*replay, NULL, &error)) {
        random_problem_print(problem);
        fail_msg("seed %" PRIu64 ": %s", problem->seed, error.text);
    }
    assert_int_equal(flux_replay_summary(*replay, &summary), 0);
    for (uint32_t v = 0; v < problem->vertices; v++)
        bytes += problem->vertex[v].send ? problem->vertex[v].bytes : 0;
    if (summary.delivered != bytes || summary.stranded || summary.memory > bytes)
        complain(problem, *replay, "bytes were lost, or made");
    char why[PARTS_TEXT];
    if (!parts_check(graph, fabric, *replay, why))
        complain(problem, *replay, why);
    return summary;
}

static void try_seed(uint64_t seed, const struct random_options *options, struct counts *counts)
{
    struct random_problem problem;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_replay *replay;
    struct flux_rotor_options how = FLUX_ROTOR_OPTIONS_INIT;
    uint64_t all = 0;
    random_problem(&problem, seed, options);
    for (uint32_t k = 0; k < problem.switches; k++)
        problem.rate[problem.gpus][k] = problem.rate[0][k];
    problem.gpus += problem.gpus % 2;
    for (uint32_t v = 0; v < problem.vertices; v++) {
        problem.vertex[v].bytes = problem.vertex[v].send ? 1 + seed * (v + 7) % 1000 : 0;
        all += problem.vertex[v].send ? problem.vertex[v].bytes : 0;
    }
    for (uint32_t k = 0; k < problem.switches; k++)
        problem.delay[k] = 1 + (problem.delay[k] + (int64_t)k) % 4;
    assert_int_equal(random_problem_build(&problem, NULL, &graph, &fabric), 0);
    how.duty_ppm = seed % 5 ? 900000 : 500000 + (uint32_t)(seed % 400000);
    how.routing = FLUX_ROTOR_VLB;
    how.phase = seed % 2 ? FLUX_ROTOR_STAGGERED : FLUX_ROTOR_ALIGNED;
    struct flux_replay_summary summary = run(&problem, graph, fabric, &how, &replay);
    memset(&rotor, 0, sizeof rotor);
    rotor.ticks.problem = &problem;
    rotor.ticks.graph = graph;
    rotor.ticks.fabric = fabric;
    if (rotor_ticks_run(&rotor, how.duty_ppm, how.phase == FLUX_ROTOR_STAGGERED))
        complain(&problem, replay, "picosecond by picosecond it does not end");
    const struct flux_time *times = flux_replay_times(replay, NULL);
    if (memcmp(rotor.ticks.times, times, problem.vertices * sizeof *times) != 0)
        complain(&problem, replay, "other times than picosecond by picosecond");
    assert_memory_equal(rotor.ticks.ready, flux_replay_ready(replay, NULL), problem.vertices * sizeof(int64_t));
    if ((rotor.forwarded == 0 && summary.forwarded) || summary.forwarded > all)
        complain(&problem, replay, "bytes were forwarded that were not");
    counts->forwarded += rotor.forwarded > 0;
    counts->parted += rotor.parts > problem.vertices;
    flux_replay_free(replay);
    how.routing = FLUX_ROTOR_DIRECT;
    assert_int_equal(run(&problem, graph, fabric, &how, &replay).forwarded, 0);
    flux_replay_free(replay);
    flux_graph_free(graph);
    flux_fabric_free(fabric);
}

static void test_random(void **state)
{
    (void)state;
    uint32_t count = random_problem_count(4000);
    struct counts counts = {0, 0};
    for (uint32_t i = 0; i < count; i++) {
        struct random_options options = {.rule = i % 3,
                                         .parameters = i / 3 % 2 ? RANDOM_DELAYS | RANDOM_PROPAGATION : 0,
                                         .sends_min = 2,
                                         .sends_max = 8,
                                         .time_max = i / 6 % 2 ? 60 : 20};
        try_seed(i, &options, &counts);
    }
    printf("# of %" PRIu32 " runs %" PRIu32 " forwarded, %" PRIu32 " parted a send\n", count, counts.forwarded,
           counts.parted);
    assert_true(counts.forwarded > count / 4 && counts.parted > count / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
