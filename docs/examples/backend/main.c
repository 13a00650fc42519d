/* SPDX-License-Identifier: Apache-2.0
 *
 * Schedules four sends on two switches with a solver that libflux has never heard of.
 *
 *     cc -std=c11 main.c tiny.c $(pkg-config --cflags --libs libflux) -lm -o tiny
 */
#include "tiny.h"

#include <libflux/flux.h>
#include <stdio.h>

static int fill(struct flux_graph *graph)
{
    uint32_t vertex[4];
    int rc = FLUX_OK;
    for (uint32_t i = 0; i < 4 && !rc; i++)
        rc = flux_graph_add_send(graph, i % 2, 2 + i / 2, UINT64_C(100000000) * (i + 1), &vertex[i]);
    return rc ? rc : flux_graph_add_edge(graph, vertex[0], vertex[3], 0);
}

int main(void)
{
    struct flux_graph *graph = NULL;
    struct flux_fabric *fabric = NULL;
    struct flux_schedule *schedule = NULL;
    struct flux_error error = {0};
    struct flux_options options = FLUX_OPTIONS_INIT;
    options.backend = &tiny_backend;
    options.exact = FLUX_EXACT_ALWAYS;
    int rc = flux_graph_new(NULL, 4, &graph);
    if (!rc)
        rc = flux_fabric_new(NULL, 4, 2, &fabric);
    if (!rc)
        rc = fill(graph);
    if (!rc)
        rc = flux_schedule(graph, fabric, &options, &schedule, &error);
    if (rc)
        printf("%s: %s\n", flux_error_name(rc), error.text);
    else
        printf("makespan %.3f ms, bound %.3f ms\n", (double)flux_schedule_makespan(schedule) / 1e9,
               (double)flux_schedule_bound(schedule) / 1e9);
    flux_schedule_free(schedule);
    flux_fabric_free(fabric);
    flux_graph_free(graph);
    return rc != 0;
}
