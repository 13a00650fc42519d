/* SPDX-License-Identifier: Apache-2.0
 *
 * generate.c - flux-ocs generate: the workload of training a model, from its name.
 */
#include "cli.h"
#include <jansson.h>
#include <string.h>

static struct flux_generate_options options_of(const struct settings *settings)
{
    struct flux_generate_options options = settings->training;

    options.model = settings->operands[0];
    options.import = &settings->import;
    if (settings->skew_num)
        options.skew = (double)settings->skew_num / (double)settings->skew_den;
    return options;
}

/* operation,phase,layers,flops,bytes,time_ps: one row per operation. */
static int operations_print(const struct flux_generate_options *options)
{
    static const char *const phases[] = {"forward", "input", "weight"};
    struct flux_operation row;
    struct flux_error error = {0};

    for (uint32_t i = 0; flux_generate_operation(options, i, &row, &error) == FLUX_OK; i++) {
        if (i == 0)
            printf("operation,phase,layers,flops,bytes,time_ps\n");
        printf("%s,%s,%u,%llu,%llu,%lld\n", row.name, phases[row.phase], row.layers, (unsigned long long)row.flops,
               (unsigned long long)row.bytes, (long long)row.time);
    }
    return error.code ? report_failure(NULL, &error) : output_finish(0);
}

static int generate_json(const struct flux_import *import, const char *path, double seconds)
{
    const struct flux_graph *graph = flux_import_graph(import);
    json_t *object = json_object();
    int failed = 0;
    uint64_t edges;

    (void)flux_graph_edges(graph, &edges);
    failed |= json_put(object, "output", json_string(path));
    failed |= json_put(object, "gpus", json_integer(flux_graph_gpus(graph)));
    failed |= json_put(object, "sends", json_integer(flux_graph_sends(graph)));
    failed |= json_put(object, "vertices", json_integer(flux_graph_vertices(graph)));
    failed |= json_put(object, "edges", json_integer((json_int_t)edges));
    failed |= json_put(object, "bytes", json_integer((json_int_t)flux_import_count(import, "bytes")));
    failed |= json_put(object, "collectives", json_integer((json_int_t)flux_import_count(import, "collectives")));
    failed |= json_put(object, "messages", json_integer((json_int_t)flux_import_count(import, "messages")));
    failed |= json_put(object, "seconds", json_real(seconds));
    return json_finish(object, failed);
}

static int generate_run(const struct settings *settings)
{
    struct flux_generate_options options = options_of(settings);
    struct settings changed;
    struct flux_import *import = NULL;
    struct flux_error error = {0};
    double begin = clock_seconds();
    int status;

    if (settings->operations)
        return operations_print(&options);
    status = output_settle(settings, &changed);
    if (status)
        return status;
    if (flux_generate(NULL, &options, &import, &error))
        return report_failure(NULL, &error);
    input_remarks(import);
    report_note("%u sends on %u GPUs, generated in %.2f s", flux_graph_sends(flux_import_graph(import)),
                flux_graph_gpus(flux_import_graph(import)), clock_seconds() - begin);
    status = workload_write(WRITE_AUTO, changed.output, flux_import_graph(import), NULL, NULL);
    if (!status && settings->json)
        status = generate_json(import, changed.output, clock_seconds() - begin);
    if (!status)
        status = output_finish(!settings->json);
    flux_import_free(import);
    return status;
}

const struct command command_generate = {
    .name = "generate",
    .operands = "MODEL",
    .operands_min = 1,
    .operands_max = 1,
    .groups = GROUP_GENERATE | GROUP_COLLECTIVES | GROUP_COMMON,
    .summary = "the workload of training a model, from its name",
    .description =
        "Writes the sends and computes of training iterations as a document that all other subcommands read, also\n"
        "from a pipe. MODEL is one of the table: llama3-8b, llama3-70b, llama3-405b, gpt3-175b, mixtral-8x7b,\n"
        "qwen3-30b-a3b, qwen1.5-moe-a2.7b, deepseek-v3, or one of your own. docs/generate.md tells what is computed.",
    .example =
        "  flux-ocs generate llama3-8b --tp 4 --dp 2 --layers 4 --seq 2048 -o build/llama.yaml\n"
        "  flux-ocs generate mixtral-8x7b --dp 8 --ep 8 --layers 2 --routing zipf --quiet | flux-ocs schedule -\n",
    .run = generate_run,
};
