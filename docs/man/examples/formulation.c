/* SPDX-License-Identifier: Apache-2.0 */
#include <libflux/flux.h>
#include <stdio.h>

static int write_text(void *user, const char *text, uint64_t length)
{
    return fwrite(text, 1, length, user) != length;
}

int main(void)
{
    struct flux_formulation_summary summary = FLUX_FORMULATION_SUMMARY_INIT;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_error error;

    flux_graph_new(NULL, 3, &graph);
    flux_graph_add_send(graph, 0, 1, 1 << 20, NULL);
    flux_graph_add_send(graph, 0, 2, 1 << 20, NULL);
    flux_fabric_new(NULL, 3, 1, &fabric);
    if (flux_formulation_write(graph, fabric, FLUX_FORMULATION_PAPER,
                               FLUX_FORMAT_LP, write_text, stdout, &summary,
                               &error))
        fprintf(stderr, "%s\n", error.text);
    flux_fabric_free(fabric);
    flux_graph_free(graph);
    return summary.columns == 0;
}
