/* SPDX-License-Identifier: Apache-2.0
 *
 * convert.c - flux-ocs convert: any input in a format that others read.
 */
#include "cli.h"
#include <jansson.h>
#include <string.h>

/* The schedule in the input, checked. NULL in `*schedule` where there is none or nobody wants it. */
static int schedule_keep(const struct settings *settings, const struct input *input, struct flux_schedule **schedule)
{
    struct flux_error error = {0};

    *schedule = NULL;
    if (!input->slots || settings->no_schedule)
        return 0;
    if (!flux_schedule_from_slots(input->graph, input->fabric, input->slots, input->slot_count, schedule, &error))
        return 0;
    (void)report_failure(settings->operands[0], &error);
    if (error.code != FLUX_E_MISMATCH)
        return STATUS_INPUT;
    report_note("nothing was written; --no-schedule leaves the schedule out");
    return STATUS_FAILED;
}

static int convert_json(const struct input *input, const char *path, int with_fabric, int with_schedule)
{
    json_t *object = json_object();
    int failed = 0;
    uint64_t edges;

    (void)flux_graph_edges(input->graph, &edges);
    failed |= json_put(object, "output", json_string(path));
    failed |= json_put(object, "gpus", json_integer(flux_graph_gpus(input->graph)));
    failed |= json_put(object, "sends", json_integer(flux_graph_sends(input->graph)));
    failed |= json_put(object, "vertices", json_integer(flux_graph_vertices(input->graph)));
    failed |= json_put(object, "edges", json_integer((json_int_t)edges));
    failed |= json_put(object, "fabric", json_boolean(with_fabric));
    failed |= json_put(object, "schedule", json_boolean(with_schedule));
    return json_finish(object, failed);
}

static int convert_run(const struct settings *settings)
{
    struct settings changed;
    struct flux_schedule *schedule = NULL;
    struct flux_error error = {0};
    struct input input;
    int with_fabric, status;

    status = output_settle(settings, &changed);
    if (status)
        return status;
    status = input_load(settings, settings->operands[0], &input);
    with_fabric = !status && (input.document_fabric || fabric_changed(settings));
    if (!status)
        status = schedule_keep(settings, &input, &schedule);
    if (!status && !input.slots && flux_graph_check(input.graph, &error))
        status = report_failure(settings->operands[0], &error);
    if (!status)
        status = workload_write(settings->to, changed.output, input.graph, with_fabric ? input.fabric : NULL, schedule);
    if (!status && settings->json)
        status = convert_json(&input, changed.output, with_fabric, schedule != NULL);
    if (!status)
        status = output_finish(!settings->json);
    flux_schedule_free(schedule);
    input_free(&input);
    return status;
}

const struct command command_convert = {
    .name = "convert",
    .operands = "INPUT",
    .operands_min = 1,
    .operands_max = 1,
    .groups = GROUP_TRACE | GROUP_COLLECTIVES | GROUP_FABRIC | GROUP_CONVERT_FILES | GROUP_COMMON,
    .summary = "any input as our own YAML or JSON, Chakra traces, GOAL, DOT or NetworkX JSON",
    .description =
        "Writes the workload as a document that other programs can read (docs/formats.md), with the fabric where\n"
        "INPUT or the command line names one, and with the schedule where INPUT holds one that passes the check.\n"
        "Other formats follow from the end of FILE or from --to: Chakra traces of sends and receives, one for each\n"
        "GPU, GOAL, a picture for Graphviz, NetworkX's JSON. Notes tell what they leave out; where the workload would\n"
        "be another one, nothing is written.",
    .example = "  flux-ocs convert tests/data/stage-generated/llama3-8b_L8_tp4dp2/workload --size-scale 2 \\\n"
               "      -o build/llama.json\n"
               "  flux-ocs convert tests/data/msccl-tools-generated/allreduce_ring_4_1ch.xml -o build/ring.goal\n",
    .run = convert_run,
};
