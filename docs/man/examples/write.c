/* SPDX-License-Identifier: Apache-2.0 */
#include <libflux/io/write.h>
#include <stdio.h>

int main(void)
{
    struct flux_svg_options options = FLUX_SVG_OPTIONS_INIT;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_schedule *schedule;
    struct flux_error error;

    flux_graph_new(NULL, 3, &graph);
    flux_graph_add_send(graph, 0, 1, 1 << 20, NULL);
    flux_graph_add_send(graph, 0, 2, 1 << 20, NULL);
    flux_fabric_new(NULL, 3, 1, &fabric);
    if (flux_schedule(graph, fabric, NULL, &schedule, &error))
        return 1;
    options.width = 1000;
    if (flux_write_csv("-", graph, schedule, &error) ||
        flux_write_svg("timeline.svg", graph, fabric, schedule, &options,
                       &error))
        fprintf(stderr, "%s\n", error.text);
    flux_schedule_free(schedule);
    flux_fabric_free(fabric);
    flux_graph_free(graph);
    return 0;
}
