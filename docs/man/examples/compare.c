/* SPDX-License-Identifier: Apache-2.0 */
#include <libflux/flux.h>
#include <stdio.h>

int main(void)
{
    struct flux_comparison_summary summary = FLUX_COMPARISON_SUMMARY_INIT;
    struct flux_comparison *comparison;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_error error;

    flux_graph_new(NULL, 4, &graph);
    for (uint32_t gpu = 0; gpu < 4; gpu++)
        flux_graph_add_send(graph, gpu, (gpu + 1) % 4, 1 << 20, NULL);
    flux_fabric_new(NULL, 4, 2, &fabric);
    flux_fabric_set_delay(fabric, FLUX_ALL_SWITCHES, 10 * FLUX_US);
    for (uint32_t i = 1; i <= flux_scheduler_count(); i++) {
        if (!*flux_scheduler_name(i))
            continue; /* there is none of that number */
        if (flux_compare(graph, fabric, i, NULL, &comparison, &error)) {
            fprintf(stderr, "%s\n", error.text);
            break;
        }
        flux_comparison_summary(comparison, &summary);
        if (summary.applies)
            printf("%s: %lld ps\n", flux_scheduler_name(i),
                   (long long)summary.iteration);
        else
            printf("%s: %s\n", flux_scheduler_name(i),
                   flux_comparison_note(comparison));
        flux_comparison_free(comparison);
    }
    flux_fabric_free(fabric);
    flux_graph_free(graph);
    return 0;
}
