/* SPDX-License-Identifier: Apache-2.0 */
#include <libflux/flux.h>
#include <stdio.h>

static int report(void *user, const struct flux_progress *progress)
{
    (void)user;
    printf("%s: %lld ps\n", flux_phase_name(progress->phase),
           (long long)progress->makespan);
    return 0; /* anything else would end the search */
}

int main(void)
{
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_schedule *schedule;
    struct flux_error error;
    uint64_t count;

    flux_graph_new(NULL, 4, &graph);
    for (uint32_t gpu = 0; gpu < 4; gpu++)
        flux_graph_add_send(graph, gpu, (gpu + 1) % 4, 1 << 20, NULL);
    flux_fabric_new(NULL, 4, 2, &fabric);
    flux_fabric_set_delay(fabric, FLUX_ALL_SWITCHES, 10 * FLUX_US);
    options.time_limit_ns = 1000000000; /* 1 s */
    options.progress = report;
    if (flux_schedule(graph, fabric, &options, &schedule, &error)) {
        fprintf(stderr, "%s: %s\n", flux_error_name(error.code), error.text);
        return 1;
    }
    const struct flux_circuit *circuit =
        flux_schedule_circuits(schedule, &count);
    for (uint64_t i = 0; i < count; i++)
        printf("switch %u: %u to %u, up at %lld ps\n",
               circuit[i].switch_index, circuit[i].src, circuit[i].dst,
               (long long)circuit[i].up);
    flux_schedule_free(schedule);
    flux_fabric_free(fabric);
    flux_graph_free(graph);
    return 0;
}
