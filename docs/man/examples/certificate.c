/* SPDX-License-Identifier: Apache-2.0 */
#include <libflux/flux.h>
#include <stdio.h>

int main(void)
{
    struct flux_certificate *certificate;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_error error;
    int64_t bound;

    flux_graph_new(NULL, 4, &graph);
    for (uint32_t gpu = 1; gpu < 4; gpu++)
        flux_graph_add_send(graph, gpu, 0, 1 << 20, NULL);
    flux_fabric_new(NULL, 4, 2, &fabric);
    if (flux_bound(graph, fabric, &certificate, &error))
        return 1;
    printf("no schedule beats %lld ps: %s at GPU %u\n",
           (long long)flux_certificate_bound(certificate),
           flux_certificate_kind_name(flux_certificate_kind(certificate)),
           flux_certificate_gpu(certificate));
    if (flux_certificate_check(graph, fabric, certificate, &bound, &error))
        fprintf(stderr, "%s\n", error.text);
    flux_certificate_free(certificate);
    flux_fabric_free(fabric);
    flux_graph_free(graph);
    return 0;
}
