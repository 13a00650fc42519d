/* SPDX-License-Identifier: Apache-2.0 */
#include <libflux/flux.h>
#include <stdio.h>

int main(void)
{
    struct flux_replay_options options = FLUX_REPLAY_OPTIONS_INIT;
    struct flux_replay_summary summary = FLUX_REPLAY_SUMMARY_INIT;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_schedule *schedule;
    struct flux_replay *replay;
    struct flux_error error;
    uint32_t think, send;
    uint64_t count;

    flux_graph_new(NULL, 2, &graph);
    flux_graph_add_compute(graph, 0, 100 * FLUX_US, &think);
    flux_graph_add_send(graph, 0, 1, 1 << 20, &send);
    flux_graph_add_edge(graph, think, send, 0);
    flux_fabric_new(NULL, 2, 1, &fabric);
    if (flux_schedule(graph, fabric, NULL, &schedule, &error))
        return 1;
    const struct flux_slot *slots = flux_schedule_slots(schedule, &count);
    if (flux_replay_new(graph, fabric, slots, count, &replay, &error))
        return 1;
    options.mode = FLUX_REPLAY_ORDER;
    options.jitter_ppm = 50000; /* 5 % */
    for (options.seed = 1; options.seed <= 3; options.seed++) {
        flux_replay_run(replay, &options, &error);
        flux_replay_summary(replay, &summary);
        printf("%lld ps\n", (long long)summary.iteration);
    }
    flux_replay_free(replay);
    flux_schedule_free(schedule);
    flux_fabric_free(fabric);
    flux_graph_free(graph);
    return 0;
}
