/* SPDX-License-Identifier: Apache-2.0 */
#include <libflux/graph.h>
#include <stdio.h>

int main(void)
{
    struct flux_graph *graph;
    struct flux_error error;
    uint32_t first, think, second;

    if (flux_graph_new(NULL, 4, &graph))
        return 1;
    flux_graph_add_send(graph, 0, 1, 64 << 20, &first);
    flux_graph_add_compute(graph, 1, 385 * FLUX_US, &think);
    flux_graph_add_send(graph, 1, 2, 64 << 20, &second);
    flux_graph_set_label(graph, think, "layer 0, forward");
    flux_graph_add_edge(graph, first, think, 0);
    flux_graph_add_edge(graph, think, second, 0);
    if (flux_graph_check(graph, &error))
        fprintf(stderr, "%s\n", error.text);
    printf("%u vertices\n", flux_graph_vertices(graph));
    flux_graph_free(graph);
    return 0;
}
