/* SPDX-License-Identifier: Apache-2.0
 *
 * model.c - flux-ocs model: a workload as a mixed-integer program in a file that solvers read.
 */
#include "cli.h"
#include <errno.h>
#include <jansson.h>
#include <libflux/formulation.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static int text_write(void *file, const char *text, uint64_t length)
{
    return fwrite(text, 1, (size_t)length, file) != length;
}

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

/* Beside its place, and moved there at the end, so that it appears whole or not at all. What is no plain file, such as a
 * pipe, is written to as it is. */
static FILE *model_open(const char *path, char *beside, size_t room)
{
    struct stat found;
    int length;

    *beside = '\0';
    if (strcmp(path, "-") == 0)
        return stdout;
    if (stat(path, &found) == 0 && !S_ISREG(found.st_mode))
        return fopen(path, "w");
    length = snprintf(beside, room, "%s.part", path);
    if (length < 0 || (size_t)length >= room) {
        *beside = '\0';
        errno = ENAMETOOLONG;
        return NULL;
    }
    return fopen(beside, "w");
}

static int model_write(const struct settings *settings, const struct input *input, const char *path,
                       struct flux_formulation_summary *summary)
{
    struct flux_error error = {0};
    char beside[4096];
    FILE *file = model_open(path, beside, sizeof(beside));
    int rc, lost;

    if (!file) {
        report_error("%s: cannot be written: %s", path, strerror(errno));
        return STATUS_INPUT;
    }
    rc = flux_formulation_write(input->graph, input->fabric, settings->formulation, settings->format, text_write, file,
                                summary, &error);
    lost = file == stdout ? 0 : fclose(file) != 0;
    if (!rc && !lost && *beside)
        lost = rename(beside, path) != 0;
    if ((rc || lost) && *beside)
        (void)remove(beside);
    if (rc)
        return report_failure(rc == FLUX_E_IO ? path : settings->operands[0], &error);
    if (lost) {
        report_error("%s: could not be written to its end: %s", path, strerror(errno));
        return STATUS_INPUT;
    }
    return 0;
}

static int model_run(const struct settings *settings)
{
    struct flux_formulation_summary summary = FLUX_FORMULATION_SUMMARY_INIT;
    struct settings changed = *settings;
    struct input input;
    int status;

    if (!changed.output)
        changed.output = "-";
    status = output_check(&changed);
    if (status)
        return status;
    status = input_load(settings, settings->operands[0], &input);
    if (!status)
        status = model_write(settings, &input, changed.output, &summary);
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
    .groups = GROUP_TRACE | GROUP_FABRIC | GROUP_MODEL | GROUP_COMMON,
    .summary = "the mixed-integer program of a workload, in a file that solvers read",
    .description =
        "Writes the program whose best points are the shortest schedules (docs/formulation.md), for GLPK, CBC, HiGHS\n"
        "and others. Columns and rows are called after the sends: x_a12_k0 is 1 where a12 goes over switch 0.",
    .example = "  flux-ocs model tests/data/cli/pair.yaml --formulation paper --format lp -o build/pair.lp\n",
    .run = model_run,
};
