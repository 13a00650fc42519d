/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_replay SENDS [GPUS SWITCHES DELAY_PS RUNS] - replays of one schedule, planned once: a JSON line with the seconds
 * to read and check it, of a run by the clock as planned, and of the mean run of each mode with 5 % of jitter.
 */
#include <inttypes.h>
#include <libflux/flux.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "../support/rings.h"

#define RING 8u

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static uint64_t argument(int argc, char **argv, int at, uint64_t otherwise)
{
    return argc > at ? strtoull(argv[at], NULL, 10) : otherwise;
}

static void need(int rc, const struct flux_error *error)
{
    if (rc) {
        fprintf(stderr, "bench_replay: %s: %s\n", flux_error_name(rc), error->text);
        exit(1);
    }
}

/* The same workload with every lag as compute where the next vertex is, so that there is something to vary. */
static struct flux_graph *with_computes(const struct flux_graph *lags)
{
    struct flux_graph *graph;
    struct flux_send send;
    struct flux_error error = {.code = 0};
    uint64_t edges;
    const struct flux_edge *edge = flux_graph_edges(lags, &edges);
    need(flux_graph_new(NULL, flux_graph_gpus(lags), &graph), &error);
    for (uint32_t v = 0; v < flux_graph_vertices(lags); v++) {
        need(flux_graph_get_send(lags, v, &send), &error);
        need(flux_graph_add_sends(graph, &send, 1, sizeof send, NULL, &error), &error);
    }
    for (uint64_t i = 0; i < edges; i++) {
        uint32_t compute;
        if (edge[i].lag == 0) {
            need(flux_graph_add_edge(graph, edge[i].from, edge[i].to, 0), &error);
            continue;
        }
        need(flux_graph_get_send(lags, edge[i].to, &send), &error);
        need(flux_graph_add_compute(graph, send.src, edge[i].lag, &compute), &error);
        need(flux_graph_add_edge(graph, edge[i].from, compute, 0), &error);
        need(flux_graph_add_edge(graph, compute, edge[i].to, 0), &error);
    }
    return graph;
}

static double time_runs(struct flux_replay *replay, uint32_t mode, uint32_t jitter, uint64_t runs,
                        struct flux_replay_summary *summary)
{
    struct flux_replay_options options = FLUX_REPLAY_OPTIONS_INIT;
    struct flux_error error = {.code = 0};
    double begin = seconds();
    options.mode = mode;
    options.jitter_ppm = jitter;
    for (options.seed = 1; options.seed <= runs; options.seed++)
        need(flux_replay_run(replay, &options, &error), &error);
    double end = seconds();
    need(flux_replay_summary(replay, summary), &error);
    return (end - begin) / (double)runs;
}

int main(int argc, char **argv)
{
    uint64_t wanted = argument(argc, argv, 1, 1000000), gpus = argument(argc, argv, 2, 1024), count;
    uint64_t switches = argument(argc, argv, 3, 2), delay = argument(argc, argv, 4, 10 * FLUX_US);
    uint64_t runs = argument(argc, argv, 5, 3);
    struct flux_error error = {.code = 0};
    struct flux_graph *lags, *graph;
    struct flux_fabric *fabric;
    struct flux_schedule *schedule;
    struct flux_replay *replay;
    struct flux_replay_summary plan = FLUX_REPLAY_SUMMARY_INIT, clock = FLUX_REPLAY_SUMMARY_INIT;
    struct flux_replay_summary order = FLUX_REPLAY_SUMMARY_INIT;
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct rusage before, after;

    need(flux_graph_new(NULL, (uint32_t)gpus, &lags), &error);
    uint64_t sends = rings_generate(lags, RING, wanted);
    need(sends && runs ? 0 : FLUX_E_ARGUMENT, &error);
    graph = with_computes(lags);
    flux_graph_free(lags);
    need(flux_fabric_new(NULL, (uint32_t)gpus, (uint32_t)switches, &fabric), &error);
    need(flux_fabric_set_delay(fabric, FLUX_ALL_SWITCHES, (int64_t)delay), &error);
    options.time_limit_ns = 1;
    options.exact = FLUX_EXACT_NEVER;
    need(flux_schedule(graph, fabric, &options, &schedule, &error), &error);
    const struct flux_slot *slots = flux_schedule_slots(schedule, &count);
    getrusage(RUSAGE_SELF, &before);
    double begin = seconds();
    need(flux_replay_new(graph, fabric, slots, count, &replay, &error), &error);
    double made = seconds() - begin;
    double by_plan = time_runs(replay, FLUX_REPLAY_CLOCK, 0, 1, &plan);
    double by_clock = time_runs(replay, FLUX_REPLAY_CLOCK, 50000, runs, &clock);
    double in_order = time_runs(replay, FLUX_REPLAY_ORDER, 50000, runs, &order);
    getrusage(RUSAGE_SELF, &after);
    printf("{\"bench\": \"replay\", \"sends\": %" PRIu64 ", \"vertices\": %" PRIu32 ", \"gpus\": %" PRIu64
           ", \"switches\": %" PRIu64 ", \"delay_ps\": %" PRIu64
           ", \"new_s\": %.4f, \"plan_s\": %.4f, \"clock_s\": %.4f, \"order_s\": %.4f, \"peak_mib_before\": %ld"
           ", \"peak_mib\": %ld, \"planned_ps\": %" PRId64 ", \"plan_ps\": %" PRId64 ", \"order_ps\": %" PRId64
           ", \"clock_missed\": %" PRIu64 "}\n",
           sends, flux_graph_vertices(graph), gpus, switches, delay, made, by_plan, by_clock, in_order,
           before.ru_maxrss / 1024, after.ru_maxrss / 1024, plan.planned, plan.iteration, order.iteration,
           clock.missed);
    flux_replay_free(replay);
    flux_schedule_free(schedule);
    flux_graph_free(graph);
    flux_fabric_free(fabric);
    return 0;
}
