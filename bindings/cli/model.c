/* SPDX-License-Identifier: Apache-2.0
 *
 * model.c - flux-ocs model: a workload as a mixed-integer program in a file that solvers read.
 */
#include "cli.h"
#include <jansson.h>
#include <libflux/io/write.h>
#include <string.h>

static int model_json(const struct settings *settings, const char *path, const struct flux_formulation_summary *summary)
{
    json_t *object = json_object();
    int failed = 0;

    failed |= json_put(object, "output", json_string(path));
    failed |= json_put(object, "formulation",
                       json_string(settings->formulation == FLUX_FORMULATION_PAPER ? "paper" : "tight"));
    failed |= json_put(object, "columns", json_integer((json_int_t)summary->columns));
    failed |= json_put(object, "rows", json_integer((json_int_t)summary->rows));
    failed |= json_put(object, "entries", json_integer((json_int_t)summary->entries));
    failed |= json_put(object, "step_ps", json_integer(summary->step));
    return json_finish(object, failed);
}

static int model_run(const struct settings *settings)
{
    struct flux_formulation_summary summary = FLUX_FORMULATION_SUMMARY_INIT;
    struct settings changed;
    struct flux_error error = {0};
    struct input input;
    int status;

    status = output_settle(settings, &changed);
    if (status)
        return status;
    status = input_load(settings, settings->operands[0], &input);
    if (!status && flux_write_model(changed.output, input.graph, input.fabric, settings->formulation, settings->format,
                                    &summary, &error))
        status = report_failure(error.code == FLUX_E_IO ? NULL : settings->operands[0], &error);
    if (!status && settings->json)
        status = model_json(settings, changed.output, &summary);
    if (!status)
        report_note("%llu columns, %llu rows; the makespan is the objective times %lld ps",
                    (unsigned long long)summary.columns, (unsigned long long)summary.rows, (long long)summary.step);
    if (!status)
        status = output_finish(strcmp(changed.output, "-") != 0 && !settings->json);
    input_free(&input);
    return status;
}

const struct command command_model = {
    .name = "model",
    .operands = "INPUT",
    .operands_min = 1,
    .operands_max = 1,
    .groups = GROUP_TRACE | GROUP_COLLECTIVES | GROUP_FABRIC | GROUP_MODEL | GROUP_COMMON,
    .summary = "the mixed-integer program of a workload, in a file that solvers read",
    .description =
        "Writes the program whose best points are the shortest schedules (docs/formulation.md), for GLPK, CBC, HiGHS\n"
        "and others. Columns and rows are called after the sends: x_a12_k0 is 1 where a12 goes over switch 0.",
    .example = "  flux-ocs model tests/data/cli/pair.yaml --formulation paper --format lp -o build/pair.lp\n",
    .run = model_run,
};
