/* SPDX-License-Identifier: Apache-2.0
 *
 * bound.c - flux-ocs bound: what no schedule can beat.
 */
#include "cli.h"
#include <jansson.h>

static int bound_json(const struct input *input, const struct flux_certificate *certificate, double seconds)
{
    json_t *object = json_object();
    int failed = 0;

    failed |= json_put(object, "bound_ps", json_integer(flux_certificate_bound(certificate)));
    failed |= json_put(object, "sends", json_integer(flux_graph_sends(input->graph)));
    failed |= json_put(object, "gpus", json_integer(flux_graph_gpus(input->graph)));
    failed |= json_put(object, "switches", json_integer(flux_fabric_switches(input->fabric)));
    failed |= json_put(object, "seconds", json_real(seconds));
    failed |= json_put(object, "certificate", json_certificate(input->graph, certificate));
    return json_finish(object, failed);
}

static void bound_table(const struct input *input, const struct flux_certificate *certificate, double seconds)
{
    char text[256], head[FLUX_UNITS_TEXT], tail[FLUX_UNITS_TEXT];

    table_row(stdout, "workload", "%u sends on %u GPUs", flux_graph_sends(input->graph), flux_graph_gpus(input->graph));
    table_row(stdout, "fabric", "%s", fabric_describe(input->fabric, text, sizeof(text)));
    table_row(stdout, "bound", "%s", flux_time_format(flux_certificate_bound(certificate), text, sizeof(text)));
    table_row(stdout, "because of", "%s", certificate_describe(certificate, text, sizeof(text)));
    if (flux_certificate_gpu(certificate) != FLUX_NONE)
        table_row(stdout, "window", "nothing before %s, at least %s after",
                  flux_time_format(flux_certificate_head(certificate), head, sizeof(head)),
                  flux_time_format(flux_certificate_tail(certificate), tail, sizeof(tail)));
    table_row(stdout, "found in", "%.4f s", seconds);
}

static int bound_run(const struct settings *settings)
{
    struct flux_certificate *certificate = NULL;
    struct flux_error error = {0};
    struct input input;
    double seconds;
    int status = input_load(settings, settings->operands[0], &input);

    seconds = clock_seconds();
    if (!status && flux_bound(input.graph, input.fabric, &certificate, &error))
        status = report_failure(settings->operands[0], &error);
    seconds = clock_seconds() - seconds;
    if (!status && settings->json)
        status = bound_json(&input, certificate, seconds);
    else if (!status)
        bound_table(&input, certificate, seconds);
    if (!status)
        status = output_finish(0);
    flux_certificate_free(certificate);
    input_free(&input);
    return status;
}

const struct command command_bound = {
    .name = "bound",
    .operands = "INPUT",
    .operands_min = 1,
    .operands_max = 1,
    .groups = GROUP_TRACE | GROUP_COLLECTIVES | GROUP_FABRIC | GROUP_COMMON,
    .summary = "a time that no schedule can beat, and why",
    .description = "Prints a lower bound on the time of one iteration, with its certificate: what is needed to\n"
                   "recompute the number (docs/certificates.md). It does not schedule.",
    .example = "  flux-ocs bound tests/data/stage-generated/llama3-8b_L8_tp4dp2/workload --size-scale 2 \\\n"
               "      --switches 2 --delay 100us\n",
    .run = bound_run,
};
