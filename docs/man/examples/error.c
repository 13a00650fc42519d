/* SPDX-License-Identifier: Apache-2.0 */
#include <libflux/flux.h>
#include <stdio.h>

int main(void)
{
    struct flux_graph *graph;
    struct flux_error error;

    flux_graph_new(NULL, 2, &graph);
    flux_graph_add_send(graph, 0, 1, 1, NULL);
    flux_graph_add_send(graph, 1, 0, 1, NULL);
    flux_graph_add_edge(graph, 0, 1, 0);
    flux_graph_add_edge(graph, 1, 0, 0);
    int rc = flux_graph_check(graph, &error);
    if (rc == FLUX_E_CYCLE)
        printf("%s: %s\n", flux_error_name(rc), error.text);
    flux_graph_free(graph);
    return 0;
}
