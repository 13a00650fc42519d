/* SPDX-License-Identifier: Apache-2.0 */
#include <libflux/io/import.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    struct flux_import_options options = FLUX_IMPORT_OPTIONS_INIT;
    struct flux_import *import;
    struct flux_error error;

    options.scale_num = 2; /* the trace counts elements of two bytes */
    options.scale_den = 1;
    if (argc < 2 || flux_import(NULL, argv[1], &options, &import, &error)) {
        fprintf(stderr, "%s\n", argc < 2 ? "which file?" : error.text);
        return 1;
    }
    for (uint64_t i = 0; i < flux_import_warnings(import); i++)
        fprintf(stderr, "%s\n", flux_import_warning(import, i));
    const struct flux_graph *graph = flux_import_graph(import);
    if (graph)
        printf("%u sends among %u GPUs\n", flux_graph_sends(graph),
               flux_graph_gpus(graph));
    flux_import_free(import);
    return 0;
}
