/* SPDX-License-Identifier: Apache-2.0 */
#include <libflux/io/generate.h>
#include <stdio.h>

int main(void)
{
    struct flux_generate_options options = FLUX_GENERATE_OPTIONS_INIT;
    struct flux_import *import;
    struct flux_error error;

    options.model = "llama3-8b";
    options.tensor = 4;
    options.data = 2;
    options.layers = 4;
    if (flux_generate(NULL, &options, &import, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    printf("%u sends among %u GPUs\n",
           flux_graph_sends(flux_import_graph(import)),
           flux_graph_gpus(flux_import_graph(import)));
    flux_import_free(import);
    return 0;
}
