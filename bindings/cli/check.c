/* SPDX-License-Identifier: Apache-2.0
 *
 * check.c - flux-ocs check: is this a schedule?
 */
#include "cli.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* What is checked, and what came out. `own_slots` is where the slots had to be numbered anew. */
struct verdict {
    const struct flux_slot *slots;
    struct flux_slot *own_slots;
    uint64_t slot_count;
    const struct flux_fabric *fabric;
    int64_t makespan; /* of a schedule that passes */
    int64_t bound;
    struct flux_error violation; /* code 0 where there is none */
};

static int check_json(const struct input *input, const struct verdict *verdict)
{
    int valid = verdict->violation.code == 0;
    json_t *object = json_object();
    int failed = json_put(object, "valid", json_boolean(valid));

    failed |= json_put(object, "sends", json_integer(flux_graph_sends(input->graph)));
    failed |= json_put(object, "gpus", json_integer(flux_graph_gpus(input->graph)));
    failed |= json_put(object, "switches", json_integer(flux_fabric_switches(verdict->fabric)));
    failed |= json_put(object, "makespan_ps", valid ? json_integer(verdict->makespan) : json_null());
    failed |= json_put(object, "bound_ps", json_integer(verdict->bound));
    failed |= json_put(object, "gap", valid ? json_real(gap_of(verdict->makespan, verdict->bound)) : json_null());
    failed |= json_put(object, "violation", valid ? json_null() : json_string(verdict->violation.text));
    return json_finish(object, failed);
}

static void check_table(const struct input *input, const struct verdict *verdict)
{
    int valid = verdict->violation.code == 0, coloured = report_colour(stdout);
    char text[256];

    table_row(stdout, "schedule", "%llu slots for %u sends on %u GPUs", (unsigned long long)verdict->slot_count,
              flux_graph_sends(input->graph), flux_graph_gpus(input->graph));
    table_row(stdout, "fabric", "%s", fabric_describe(verdict->fabric, text, sizeof(text)));
    table_row(stdout, "verdict", "%s%s%s", coloured ? (valid ? "\033[1;32m" : "\033[1;31m") : "",
              valid ? "valid" : "not valid", coloured ? "\033[0m" : "");
    if (valid)
        table_row(stdout, "makespan", "%s", flux_time_format(verdict->makespan, text, sizeof(text)));
    table_row(stdout, "bound", "%s", flux_time_format(verdict->bound, text, sizeof(text)));
    if (valid)
        table_row(stdout, "gap", "%.4g %%", 100.0 * gap_of(verdict->makespan, verdict->bound));
    else
        table_row(stdout, "violation", "%s", verdict->violation.text);
}

static int verdict_reach(const struct settings *settings, const struct input *input, struct verdict *verdict)
{
    struct flux_certificate *certificate;
    struct flux_error error = {0};
    int rc = flux_bound(input->graph, verdict->fabric, &certificate, &error);

    /* What is wrong with workload and fabric themselves is bad input, whatever the schedule says. */
    if (rc)
        return report_failure(settings->operands[0], &error);
    verdict->bound = flux_certificate_bound(certificate);
    flux_certificate_free(certificate);
    rc = flux_check(input->graph, verdict->fabric, verdict->slots, verdict->slot_count, &verdict->makespan, &error);
    if (rc == FLUX_E_MISMATCH)
        verdict->violation = error;
    else if (rc)
        return report_failure(settings->operands[0], &error);
    return 0;
}

/* The schedule file's fabric is the one that it was made for; the command line may change it. */
static int other_fabric(const struct settings *settings, const struct input *input, const char *path,
                        const struct flux_fabric *fabric, struct verdict *verdict, struct flux_fabric **own)
{
    if (!fabric || settings->fabric_path) {
        verdict->fabric = input->fabric;
        return 0;
    }
    if (flux_fabric_gpus(fabric) != flux_graph_gpus(input->graph)) {
        report_error("%s: its fabric has %u GPUs, the workload in %s has %u", path, flux_fabric_gpus(fabric),
                     settings->operands[0], flux_graph_gpus(input->graph));
        return STATUS_INPUT;
    }
    if (input->document_fabric)
        report_note("the fabric of %s, not the one of %s", path, settings->operands[0]);
    return fabric_settle(settings, input->graph, fabric, path, &verdict->fabric, own);
}

static int other_schedule(const struct settings *settings, const struct input *input, const char *path,
                          struct flux_import **import, struct verdict *verdict, struct flux_fabric **own)
{
    struct flux_import_options options = FLUX_IMPORT_OPTIONS_INIT;
    struct flux_error error = {0};
    int status;

    options.graph = input->graph;
    options.strict = settings->import.strict;
    if (flux_import(NULL, path, &options, import, &error))
        return report_failure(NULL, &error);
    input_remarks(*import);
    verdict->slots = flux_import_slots(*import, &verdict->slot_count);
    if (!verdict->slots) {
        report_error("%s: there is no schedule in it", path);
        return STATUS_INPUT;
    }
    status = other_fabric(settings, input, path, flux_import_fabric(*import), verdict, own);
    if (!status && flux_import_graph(*import))
        status = slots_renumber(input->graph, settings->operands[0], flux_import_graph(*import), path, verdict->slots,
                                verdict->slot_count, &verdict->own_slots);
    if (verdict->own_slots)
        verdict->slots = verdict->own_slots;
    return status;
}

static int own_schedule(const struct settings *settings, const struct input *input, struct verdict *verdict)
{
    if (!input->slots) {
        report_error("%s: there is no schedule in it; name the file that has one after it", settings->operands[0]);
        return STATUS_INPUT;
    }
    verdict->slots = input->slots;
    verdict->slot_count = input->slot_count;
    verdict->fabric = input->fabric;
    return 0;
}

static int check_run(const struct settings *settings)
{
    struct verdict verdict = {0};
    struct flux_import *import = NULL;
    struct flux_fabric *own = NULL;
    struct input input;
    int status = input_load(settings, settings->operands[0], &input);

    if (!status && settings->operand_count > 1)
        status = other_schedule(settings, &input, settings->operands[1], &import, &verdict, &own);
    else if (!status)
        status = own_schedule(settings, &input, &verdict);
    if (!status)
        status = verdict_reach(settings, &input, &verdict);
    if (!status && settings->json)
        status = check_json(&input, &verdict);
    else if (!status)
        check_table(&input, &verdict);
    if (!status)
        status = output_finish(0);
    if (!status && verdict.violation.code)
        status = STATUS_FAILED;
    free(verdict.own_slots);
    flux_fabric_free(own);
    flux_import_free(import);
    input_free(&input);
    return status;
}

const struct command command_check = {
    .name = "check",
    .operands = "INPUT [SCHEDULE]",
    .operands_min = 1,
    .operands_max = 2,
    .groups = GROUP_TRACE | GROUP_FABRIC | GROUP_COMMON,
    .summary = "is this a schedule?",
    .description =
        "Checks the schedule in the document INPUT, or the one in SCHEDULE against the workload in INPUT, whoever\n"
        "made it. Status 1 and the first violation where it breaks a rule: which two sends, which port, by how much.",
    .example = "  flux-ocs check tests/data/cli/pair.yaml\n",
    .run = check_run,
};
