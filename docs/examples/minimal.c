/* SPDX-License-Identifier: Apache-2.0 */
#include <libflux/flux.h>
#include <stdio.h>

int main(void)
{
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_schedule *schedule;
    struct flux_error error;
    uint32_t a, b;
    uint64_t count;

    flux_graph_new(NULL, 4, &graph);                  /* 4 GPUs */
    flux_graph_add_send(graph, 0, 1, 64 << 20, &a);   /* 64 MiB from GPU 0 to GPU 1 */
    flux_graph_add_send(graph, 1, 2, 64 << 20, &b);   /* then from GPU 1 to GPU 2, */
    flux_graph_add_edge(graph, a, b, 150 * FLUX_US);  /* after 150 us of compute */
    flux_graph_add_send(graph, 3, 0, 96 << 20, NULL); /* this one waits for nothing */
    flux_fabric_new(NULL, 4, 2, &fabric);             /* 2 switches, 800 Gbps per port */
    flux_fabric_set_delay(fabric, FLUX_ALL_SWITCHES, 10 * FLUX_US);
    if (flux_schedule(graph, fabric, NULL, &schedule, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    const struct flux_slot *slot = flux_schedule_slots(schedule, &count);
    for (uint64_t i = 0; i < count; i++)
        printf("send %u: switch %u, %lld to %lld ps\n", slot[i].send, slot[i].switch_index, (long long)slot[i].start,
               (long long)slot[i].end);
    printf("makespan %lld ps; no schedule beats %lld ps\n", (long long)flux_schedule_makespan(schedule),
           (long long)flux_schedule_bound(schedule));
    flux_schedule_free(schedule);
    flux_fabric_free(fabric);
    flux_graph_free(graph);
    return 0;
}
