/* SPDX-License-Identifier: Apache-2.0
 *
 * check.c - flux-ocs check: is this a schedule?
 */
#include "cli.h"
#include <jansson.h>

/* What is checked, and what came out. */
struct verdict {
    struct given given;
    int64_t makespan; /* of a schedule that passes */
    int64_t bound;
    struct flux_error violation; /* code 0 where there is none */
    struct flux_error doubt;     /* why the certificate that comes with it does not hold; code 0 where it does */
};

static int certificate_is_given(const struct verdict *verdict)
{
    return flux_certificate_kind(verdict->given.certificate) != FLUX_CERTIFICATE_NONE;
}

/* The word of a search or of a solver cannot be recomputed from the certificate, nor a kind that is newer than this
 * library. */
static int certificate_is_checked(const struct verdict *verdict)
{
    return certificate_is_given(verdict) && flux_certificate_kind(verdict->given.certificate) < FLUX_CERTIFICATE_SEARCH;
}

static json_t *certificate_json(const struct verdict *verdict, int *failed)
{
    const struct flux_certificate *certificate = verdict->given.certificate;
    json_t *object = json_object();

    *failed |= json_put(object, "kind", json_string(flux_certificate_kind_name(flux_certificate_kind(certificate))));
    *failed |= json_put(object, "bound_ps", json_integer(flux_certificate_bound(certificate)));
    *failed |= json_put(object, "confirmed",
                        certificate_is_checked(verdict) ? json_boolean(verdict->doubt.code == 0) : json_null());
    *failed |= json_put(object, "doubt", verdict->doubt.code ? json_string(verdict->doubt.text) : json_null());
    return object;
}

static void certificate_row(const struct verdict *verdict)
{
    const struct flux_certificate *certificate = verdict->given.certificate;
    const char *kind = flux_certificate_kind_name(flux_certificate_kind(certificate));
    char text[FLUX_UNITS_TEXT];

    flux_time_format(flux_certificate_bound(certificate), text, sizeof(text));
    if (!certificate_is_checked(verdict))
        table_row(stdout, "certificate", "%s, %s: that cannot be recomputed", kind, text);
    else if (verdict->doubt.code)
        table_row(stdout, "certificate", "%s, not confirmed: %s", kind, verdict->doubt.text);
    else
        table_row(stdout, "certificate", "%s, %s confirmed", kind, text);
}

static int check_json(const struct input *input, const struct verdict *verdict)
{
    int valid = verdict->violation.code == 0;
    json_t *object = json_object();
    int failed = json_put(object, "valid", json_boolean(valid));

    failed |= json_put(object, "sends", json_integer(flux_graph_sends(input->graph)));
    failed |= json_put(object, "gpus", json_integer(flux_graph_gpus(input->graph)));
    failed |= json_put(object, "switches", json_integer(flux_fabric_switches(verdict->given.fabric)));
    failed |= json_put(object, "makespan_ps", valid ? json_integer(verdict->makespan) : json_null());
    failed |= json_put(object, "bound_ps", json_integer(verdict->bound));
    failed |= json_put(object, "gap", valid ? json_real(gap_of(verdict->makespan, verdict->bound)) : json_null());
    failed |= json_put(object, "violation", valid ? json_null() : json_string(verdict->violation.text));
    failed |= json_put(object, "certificate",
                       certificate_is_given(verdict) ? certificate_json(verdict, &failed) : json_null());
    return json_finish(object, failed);
}

static void check_table(const struct input *input, const struct verdict *verdict)
{
    int valid = verdict->violation.code == 0, coloured = report_colour(stdout);
    char text[256];

    table_row(stdout, "schedule", "%llu slots for %u sends on %u GPUs", (unsigned long long)verdict->given.slot_count,
              flux_graph_sends(input->graph), flux_graph_gpus(input->graph));
    table_row(stdout, "fabric", "%s", fabric_describe(verdict->given.fabric, text, sizeof(text)));
    table_row(stdout, "verdict", "%s%s%s", coloured ? (valid ? "\033[1;32m" : "\033[1;31m") : "",
              valid ? "valid" : "not valid", coloured ? "\033[0m" : "");
    if (valid)
        table_row(stdout, "makespan", "%s", flux_time_format(verdict->makespan, text, sizeof(text)));
    table_row(stdout, "bound", "%s", flux_time_format(verdict->bound, text, sizeof(text)));
    if (valid)
        table_row(stdout, "gap", "%.4g %%", 100.0 * gap_of(verdict->makespan, verdict->bound));
    else
        table_row(stdout, "violation", "%s", verdict->violation.text);
    if (certificate_is_given(verdict))
        certificate_row(verdict);
}

static int verdict_reach(const struct settings *settings, const struct input *input, struct verdict *verdict)
{
    struct flux_certificate *certificate;
    struct flux_error error = {0};
    int rc = flux_bound(input->graph, verdict->given.fabric, &certificate, &error);

    /* What is wrong with workload and fabric themselves is bad input, whatever the schedule says. */
    if (rc)
        return report_failure(settings->operands[0], &error);
    verdict->bound = flux_certificate_bound(certificate);
    flux_certificate_free(certificate);
    rc = flux_check(input->graph, verdict->given.fabric, verdict->given.slots, verdict->given.slot_count,
                    &verdict->makespan, &error);
    if (rc == FLUX_E_MISMATCH)
        verdict->violation = error;
    else if (rc)
        return report_failure(settings->operands[0], &error);
    if (!certificate_is_checked(verdict))
        return 0;
    rc = flux_certificate_check(input->graph, verdict->given.fabric, verdict->given.certificate, NULL, &error);
    if (rc == FLUX_E_MISMATCH || rc == FLUX_E_OVERFLOW)
        verdict->doubt = error;
    else if (rc)
        return report_failure(settings->operands[0], &error);
    return 0;
}

static int check_run(const struct settings *settings)
{
    struct verdict verdict = {0};
    struct input input;
    int status = input_load(settings, settings->operands[0], &input);

    if (!status)
        status = given_load(settings, &input, &verdict.given);
    if (!status && !verdict.given.slots) {
        report_error("%s: there is no schedule in it; name the file that has one after it", settings->operands[0]);
        status = STATUS_INPUT;
    }
    if (!status)
        status = verdict_reach(settings, &input, &verdict);
    if (!status && settings->json)
        status = check_json(&input, &verdict);
    else if (!status)
        check_table(&input, &verdict);
    if (!status)
        status = output_finish(0);
    if (!status && (verdict.violation.code || verdict.doubt.code))
        status = STATUS_FAILED;
    given_free(&verdict.given);
    input_free(&input);
    return status;
}

const struct command command_check = {
    .name = "check",
    .operands = "INPUT [SCHEDULE]",
    .operands_min = 1,
    .operands_max = 2,
    .groups = GROUP_TRACE | GROUP_COLLECTIVES | GROUP_FABRIC | GROUP_COMMON,
    .summary = "is this a schedule?",
    .description =
        "Checks the schedule in the document INPUT, or the one in SCHEDULE against the workload in INPUT, whoever\n"
        "made it. Status 1 and the first violation where it breaks a rule: which two sends, which port, by how much. "
        "A\n"
        "certificate that comes with it is recomputed; where it does not show the bound that is claimed, status 1 as "
        "well.",
    .example = "  flux-ocs check tests/data/cli/pair.yaml\n",
    .run = check_run,
};
