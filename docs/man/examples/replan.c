/* SPDX-License-Identifier: Apache-2.0 */
#include <libflux/flux.h>
#include <stdio.h>

int main(void)
{
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_schedule *plan;
    struct flux_replan *replan;
    struct flux_replan_options options = FLUX_REPLAN_OPTIONS_INIT;
    struct flux_replan_summary summary = FLUX_REPLAN_SUMMARY_INIT;
    struct flux_time times[6];
    struct flux_circuit_state circuits[6];
    struct flux_error error;
    uint64_t count;

    flux_graph_new(NULL, 4, &graph);
    flux_fabric_new(NULL, 4, 2, &fabric);
    flux_fabric_set_delay(fabric, FLUX_ALL_SWITCHES, 10 * FLUX_US);
    for (uint32_t i = 0; i < 6; i++)
        flux_graph_add_send(graph, i % 4, (i + 1 + i / 4) % 4, 4 << 20,
                            NULL);
    if (flux_schedule(graph, fabric, NULL, &plan, &error))
        return 1;

    /* 10 us after the begin, GPU 0 loses its port on switch 0: what was
     * under way there has to be sent again. */
    options.now = 10 * FLUX_US;
    flux_schedule_state(plan, fabric, options.now, times, circuits,
                        &options.circuit_count);
    options.circuits = circuits;
    options.times = times;
    options.time_count = 6;
    flux_fabric_set_dead(fabric, 0, 0, 1);
    const struct flux_slot *slots = flux_schedule_slots(plan, &count);
    for (uint64_t i = 0; i < count; i++) {
        struct flux_send send;
        flux_graph_get_send(graph, slots[i].send, &send);
        if (slots[i].switch_index == 0 && (send.src == 0 || send.dst == 0) &&
            times[slots[i].send].end > options.now)
            times[slots[i].send].start = times[slots[i].send].end = -1;
    }
    if (flux_replan(graph, fabric, slots, count, &options, &replan,
                    &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    flux_replan_summary(replan, &summary);
    printf("%lld ps; the old plan would have ended at %lld ps\n",
           (long long)summary.makespan, (long long)summary.shifted);
    slots = flux_replan_slots(replan, &count);
    for (uint64_t i = 0; i < count; i++)
        printf("send %u: switch %u at %lld ps\n", slots[i].send,
               slots[i].switch_index, (long long)slots[i].start);
    flux_replan_free(replan);
    flux_schedule_free(plan);
    flux_fabric_free(fabric);
    flux_graph_free(graph);
    return 0;
}
