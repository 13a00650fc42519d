/* SPDX-License-Identifier: Apache-2.0
 *
 * info.c - flux-ocs info: what is in a workload.
 */
#include "cli.h"
#include <jansson.h>
#include <string.h>

static int info_json(const struct input *input, const struct workload *workload)
{
    json_t *object = json_object();
    uint64_t bytes = workload->bytes;
    int failed = 0;

    failed |= json_put(object, "format", json_string(flux_import_format(input->import)));
    failed |= json_put(object, "gpus", json_integer(flux_graph_gpus(input->graph)));
    failed |= json_put(object, "sends", json_integer((json_int_t)workload->sends));
    failed |= json_put(object, "computes", json_integer((json_int_t)workload->computes));
    failed |= json_put(object, "edges", json_integer((json_int_t)workload->edges));
    failed |=
        json_put(object, "bytes", bytes <= INT64_MAX ? json_integer((json_int_t)bytes) : json_real((double)bytes));
    failed |= json_put(object, "circuits", json_integer((json_int_t)workload->circuits));
    failed |=
        json_put(object, "collectives", json_integer((json_int_t)flux_import_count(input->import, "collectives")));
    failed |= json_put(object, "critical_path_ps",
                       workload->critical_path >= 0 ? json_integer(workload->critical_path) : json_null());
    failed |= json_put(object, "ranks", json_integer((json_int_t)flux_import_count(input->import, "ranks")));
    failed |= json_put(object, "nodes", json_integer((json_int_t)flux_import_count(input->import, "nodes")));
    failed |= json_put(object, "seconds", json_real(input->seconds));
    return json_finish(object, failed);
}

static void info_table(const struct input *input, const struct workload *workload)
{
    char text[256], bytes[FLUX_UNITS_TEXT];
    uint64_t collectives = flux_import_count(input->import, "collectives");
    uint64_t nodes = flux_import_count(input->import, "nodes");

    table_row(stdout, "format", "%s", flux_import_format(input->import));
    if (nodes && strcmp(flux_import_format(input->import), "native") != 0)
        table_row(stdout, "trace", "%llu nodes of %llu ranks", (unsigned long long)nodes,
                  (unsigned long long)flux_import_count(input->import, "ranks"));
    table_row(stdout, "GPUs", "%u", flux_graph_gpus(input->graph));
    table_row(stdout, "sends", "%llu over %llu circuit%s, %s", (unsigned long long)workload->sends,
              (unsigned long long)workload->circuits, workload->circuits == 1 ? "" : "s",
              flux_bytes_format(workload->bytes, bytes, sizeof(bytes)));
    table_row(stdout, "collectives", "%llu", (unsigned long long)collectives);
    table_row(stdout, "graph", "%llu computes and joins, %llu edges", (unsigned long long)workload->computes,
              (unsigned long long)workload->edges);
    if (workload->critical_path >= 0)
        table_row(stdout, "critical path", "%s, as if every send had a circuit at once",
                  flux_time_format(workload->critical_path, text, sizeof(text)));
    else
        table_row(stdout, "critical path", "more than 2^62 ps");
    table_row(stdout, "fabric", "%s%s", fabric_describe(input->fabric, text, sizeof(text)),
              input->document_fabric || input->own_fabric == NULL ? "" : " (not in the input)");
    if (input->slots)
        table_row(stdout, "schedule", "%llu slots; 'flux-ocs check' verifies them",
                  (unsigned long long)input->slot_count);
    table_row(stdout, "read in", "%.3f s", input->seconds);
}

static int info_run(const struct settings *settings)
{
    struct workload workload;
    struct flux_error error = {0};
    struct input input;
    int status = input_load(settings, settings->operands[0], &input);

    if (!status && workload_measure(input.graph, input.fabric, &workload, &error))
        status = report_failure(settings->operands[0], &error);
    if (!status && settings->json)
        status = info_json(&input, &workload);
    else if (!status)
        info_table(&input, &workload);
    if (!status)
        status = output_finish(0);
    input_free(&input);
    return status;
}

const struct command command_info = {
    .name = "info",
    .operands = "INPUT",
    .operands_min = 1,
    .operands_max = 1,
    .groups = GROUP_TRACE | GROUP_COLLECTIVES | GROUP_FABRIC | GROUP_COMMON,
    .summary = "what is in a workload",
    .description =
        "Reads a workload and says how many sends, bytes, circuits and collectives it has, and how long its\n"
        "critical path is. INPUT is a document or the prefix of a trace set (see 'flux-ocs --help').",
    .example = "  flux-ocs info tests/data/stage-generated/llama3-8b_L8_tp4dp2/workload --size-scale 2\n",
    .run = info_run,
};
