/* SPDX-License-Identifier: Apache-2.0 */
#include <libflux/io/names.h>
#include <stdio.h>

int main(void)
{
    struct flux_graph *graph;
    struct flux_names *names;

    flux_graph_new(NULL, 2, &graph);
    flux_graph_add_send(graph, 0, 1, 1, NULL);
    flux_graph_add_send(graph, 1, 0, 1, NULL);
    flux_graph_set_label(graph, 1, "back");
    if (flux_names_new(NULL, graph, &names))
        return 1;
    printf("%s %s\n", flux_names_of(names, 0), flux_names_of(names, 1));
    printf("%u\n", flux_names_find(names, "back"));
    flux_names_free(names);
    flux_graph_free(graph);
    return 0;
}
