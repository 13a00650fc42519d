/* SPDX-License-Identifier: Apache-2.0 */
#include <libflux/flux.h>
#include <stdio.h>

int main(void)
{
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_schedule *schedule;
    struct flux_program *program;
    struct flux_event event;
    struct flux_error error;
    uint32_t first, second;

    flux_graph_new(NULL, 3, &graph);
    flux_graph_add_send(graph, 0, 1, 1 << 20, &first);
    flux_graph_add_send(graph, 0, 2, 1 << 20, &second);
    flux_graph_add_edge(graph, first, second, 0);
    flux_fabric_new(NULL, 3, 1, &fabric);
    flux_fabric_set_delay(fabric, 0, 10 * FLUX_US);
    if (flux_schedule(graph, fabric, NULL, &schedule, &error) ||
        flux_program_new(graph, fabric, schedule, &program, &error))
        return 1;

    /* By the clock: when what changes, and what is up. */
    const struct flux_circuit *row = flux_program_circuits(program, NULL);
    while (flux_program_step(program, &event))
        if (event.kind == FLUX_EVENT_UP)
            printf("%lld ps: %u to %u is up\n", (long long)event.time,
                   row[event.item].src, row[event.item].dst);

    /* In order: everything here takes a microsecond more than planned. */
    while (flux_program_take(program, &event)) {
        int64_t end = event.time + event.duration + FLUX_US;
        printf("%u of %u ends at %lld ps\n", event.kind, event.item,
               (long long)end);
        flux_program_done(program, event.kind, event.item, end);
    }
    flux_program_free(program);
    flux_schedule_free(schedule);
    flux_fabric_free(fabric);
    flux_graph_free(graph);
    return 0;
}
