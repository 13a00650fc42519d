/* SPDX-License-Identifier: Apache-2.0
 *
 * schedule.c - flux-ocs schedule: when every send goes, over which switch, and how good that is.
 */
#include "cli.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *status_name(const struct flux_schedule *schedule)
{
    return flux_schedule_status(schedule) == FLUX_OPTIMAL ? "optimal" : "feasible";
}

/* --second: the objectives that it names. */
static int second_read(const struct settings *settings, uint32_t *objectives)
{
    static const struct {
        const char *name;
        uint32_t bits;
    } words[] = {{"reconfigurations", FLUX_OBJECTIVE_RECONFIGURATIONS},
                 {"memory", FLUX_OBJECTIVE_MEMORY},
                 {"slack", FLUX_OBJECTIVE_SLACK},
                 {"all", FLUX_OBJECTIVE_RECONFIGURATIONS | FLUX_OBJECTIVE_MEMORY | FLUX_OBJECTIVE_SLACK}};

    *objectives = 0;
    for (const char *text = settings->second; text;) {
        size_t length = strcspn(text, ","), i = 0;

        while (i < sizeof(words) / sizeof(*words) &&
               (strlen(words[i].name) != length || strncmp(words[i].name, text, length)))
            i++;
        if (i == sizeof(words) / sizeof(*words))
            return report_usage(settings->command,
                                "--second %.*s: there are reconfigurations, memory, slack, and all of them: all",
                                (int)length, text);
        *objectives |= words[i].bits;
        text = text[length] ? text + length + 1 : NULL;
    }
    return 0;
}

/* Runs the scheduler with what the command line says. The caller has caught Ctrl-C with `cancel`. */
static int schedule_make(const struct settings *settings, const struct input *input, struct flux_cancel *cancel,
                         struct flux_schedule **schedule, double *seconds)
{
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_error error = {0};
    struct flux_parameter parameters[PARAMETERS_MAX];
    char keys[PARAMETERS_MAX][96];
    struct progress_line line;
    int rc;

    for (uint32_t i = 0; i < settings->parameter_count; i++) {
        const char *pair = settings->parameters[i];
        size_t length = strcspn(pair, "=");

        if (length >= sizeof(keys[i]))
            return report_usage(settings->command, "--parameter %s: no key is as long", pair);
        snprintf(keys[i], sizeof(keys[i]), "%.*s", (int)length, pair);
        parameters[i] = (struct flux_parameter){keys[i], pair + length + 1};
    }
    rc = second_read(settings, &options.objectives);
    if (rc)
        return rc;
    options.exact = settings->exact;
    options.formulation = settings->formulation;
    options.backend_name = settings->backend;
    options.parameters = parameters;
    options.parameter_count = settings->parameter_count;
    options.time_limit_ns = ((uint64_t)settings->time_limit + FLUX_NS - 1) / FLUX_NS;
    options.seed = settings->seed;
    options.threads = settings->threads;
    options.progress = progress_show;
    options.progress_user = &line;
    options.cancel = cancel;
    progress_init(&line, settings);
    *seconds = clock_seconds();
    rc = flux_schedule(input->graph, input->fabric, &options, schedule, &error);
    *seconds = clock_seconds() - *seconds;
    progress_end(&line);
    return rc ? report_failure(settings->operands[0], &error) : 0;
}

/* A search that did not come to its end is worth a word. */
static void cut_say(const struct flux_schedule *schedule)
{
    struct flux_statistics statistics = FLUX_STATISTICS_INIT;

    if (!flux_schedule_statistics(schedule, &statistics) && statistics.stopped == FLUX_STOPPED_CANCEL)
        report_note("interrupted; this is the best so far");
}

static int files_write(const struct settings *settings, const struct input *input, const struct flux_schedule *schedule)
{
    struct flux_svg_options svg = FLUX_SVG_OPTIONS_INIT;
    struct flux_error error = {0};
    int rc = 0;

    svg.from = settings->svg_from;
    svg.to = settings->svg_to;
    svg.width = settings->svg_width;
    if (settings->output) {
        int status = workload_write(WRITE_AUTO_SCHEDULE, settings->output, input->graph, input->fabric, schedule);

        if (status)
            return status;
    }
    if (settings->csv)
        rc = flux_write_csv(settings->csv, input->graph, schedule, &error);
    if (!rc && settings->perfetto)
        rc = flux_write_perfetto(settings->perfetto, input->graph, input->fabric, schedule, &error);
    if (!rc && settings->svg)
        rc = flux_write_svg(settings->svg, input->graph, input->fabric, schedule, &svg, &error);
    return rc ? report_failure(NULL, &error) : 0;
}

static json_t *timings_json(const struct flux_statistics *statistics, double load)
{
    json_t *object = json_object();
    int failed = json_put(object, "load", json_real(load));

    failed |= json_put(object, "build", json_real((double)statistics->build_ns * 1e-9));
    failed |= json_put(object, "bound", json_real((double)statistics->bound_ns * 1e-9));
    failed |= json_put(object, "construct", json_real((double)statistics->construct_ns * 1e-9));
    failed |= json_put(object, "improve", json_real((double)statistics->improve_ns * 1e-9));
    failed |= json_put(object, "exact", json_real((double)statistics->exact_ns * 1e-9));
    failed |= json_put(object, "check", json_real((double)statistics->check_ns * 1e-9));
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

/* What second objectives changed. */
static json_t *second_json(const struct flux_statistics *statistics)
{
    json_t *object = json_object();
    int failed =
        json_put(object, "reconfigurations_before", json_integer((json_int_t)statistics->reconfigurations_before));

    failed |= json_put(object, "reconfigurations", json_integer((json_int_t)statistics->reconfigurations));
    failed |= json_put(object, "memory_before", json_integer((json_int_t)statistics->memory_before));
    failed |= json_put(object, "memory", json_integer((json_int_t)statistics->memory));
    failed |= json_put(object, "slack_before_ps", json_integer(statistics->slack_before));
    failed |= json_put(object, "slack_ps", json_integer(statistics->slack));
    failed |= json_put(object, "seconds", json_real((double)statistics->second_ns * 1e-9));
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

static int schedule_json(const struct settings *settings, const struct input *input,
                         const struct flux_schedule *schedule, double seconds)
{
    struct flux_statistics statistics = FLUX_STATISTICS_INIT;
    int64_t makespan = flux_schedule_makespan(schedule), bound = flux_schedule_bound(schedule);
    json_t *object = json_object();
    int failed = flux_schedule_statistics(schedule, &statistics);

    failed |= json_put(object, "status", json_string(status_name(schedule)));
    failed |= json_put(object, "makespan_ps", json_integer(makespan));
    failed |= json_put(object, "bound_ps", json_integer(bound));
    failed |= json_put(object, "gap", json_real(gap_of(makespan, bound)));
    failed |= json_put(object, "sends", json_integer(flux_graph_sends(input->graph)));
    failed |= json_put(object, "gpus", json_integer(flux_graph_gpus(input->graph)));
    failed |= json_put(object, "switches", json_integer(flux_fabric_switches(input->fabric)));
    failed |= json_put(object, "reconfigurations", json_integer((json_int_t)flux_schedule_reconfigurations(schedule)));
    if (settings->second)
        failed |= json_put(object, "second", second_json(&statistics));
    failed |= json_put(object, "seconds", json_real(seconds));
    failed |= json_put(object, "search", json_string(flux_search_name(statistics.rule)));
    failed |= json_put(object, "stopped", json_string(flux_stopped_name(statistics.stopped)));
    failed |= json_put(object, "work", json_integer((json_int_t)statistics.work));
    failed |= json_put(object, "backend_used", json_boolean(statistics.backend_used));
    failed |= json_put(object, "backend_disbelieved", json_boolean(statistics.backend_disbelieved));
    failed |= json_put(object, "timings", timings_json(&statistics, input->seconds));
    failed |= json_put(object, "certificate", json_certificate(input->graph, flux_schedule_certificate(schedule)));
    return json_finish(object, failed);
}

static void second_rows(FILE *out, const struct flux_statistics *statistics)
{
    char now[64], before[64];

    table_row(out, "before", "%llu reconfigurations", (unsigned long long)statistics->reconfigurations_before);
    table_row(out, "NIC memory", "%s at the fullest GPU, before: %s",
              flux_bytes_format(statistics->memory, now, sizeof(now)),
              flux_bytes_format(statistics->memory_before, before, sizeof(before)));
    if (statistics->slack >= 0)
        table_row(out, "slack", "%s of a send on average, before: %s",
                  flux_time_format(statistics->slack, now, sizeof(now)),
                  flux_time_format(statistics->slack_before, before, sizeof(before)));
}

static void schedule_table(const struct settings *settings, const struct input *input,
                           const struct flux_schedule *schedule, double seconds)
{
    FILE *out = output_table(settings);
    struct flux_statistics statistics = FLUX_STATISTICS_INIT;
    int64_t makespan = flux_schedule_makespan(schedule), bound = flux_schedule_bound(schedule);
    int coloured = report_colour(out), optimal = flux_schedule_status(schedule) == FLUX_OPTIMAL;
    char text[256], certificate[128];

    (void)flux_schedule_statistics(schedule, &statistics);
    table_row(out, "workload", "%u sends on %u GPUs", flux_graph_sends(input->graph), flux_graph_gpus(input->graph));
    table_row(out, "fabric", "%s", fabric_describe(input->fabric, text, sizeof(text)));
    table_row(out, "status", "%s%s%s", coloured ? (optimal ? "\033[1;32m" : "\033[1;33m") : "", status_name(schedule),
              coloured ? "\033[0m" : "");
    table_row(out, "makespan", "%s", flux_time_format(makespan, text, sizeof(text)));
    table_row(out, "bound", "%s by %s", flux_time_format(bound, text, sizeof(text)),
              certificate_describe(flux_schedule_certificate(schedule), certificate, sizeof(certificate)));
    table_row(out, "gap", "%.4g %%", 100.0 * gap_of(makespan, bound));
    table_row(out, "reconfigurations", "%llu", (unsigned long long)flux_schedule_reconfigurations(schedule));
    if (settings->second)
        second_rows(out, &statistics);
    table_row(out, "found by", "%s, stopped: %s", flux_search_name(statistics.rule),
              flux_stopped_name(statistics.stopped));
    if (statistics.backend_disbelieved)
        table_row(out, "solver", "was not believed; what it said was thrown away");
    table_row(out, "time", "%.4f s (reading the input: %.3f s)", seconds, input->seconds);
    for (int i = 0; i < 4; i++) {
        const char *files[] = {settings->output, settings->csv, settings->perfetto, settings->svg};

        if (files[i] && !(files[i][0] == '-' && !files[i][1]))
            table_row(out, "written", "%s", files[i]);
    }
}

static int schedule_report(const struct settings *settings, const struct input *input,
                           const struct flux_schedule *schedule, double seconds)
{
    int elsewhere = settings->output || settings->csv || settings->perfetto || settings->svg, status = 0;

    if (settings->json)
        status = schedule_json(settings, input, schedule, seconds);
    else
        schedule_table(settings, input, schedule, seconds);
    return status ? status : output_finish(elsewhere && !settings->json);
}

static int schedule_run(const struct settings *settings)
{
    struct flux_schedule *schedule = NULL;
    struct flux_cancel *cancel = NULL;
    struct input input;
    double seconds = 0;
    int status = output_check(settings);

    if (status)
        return status;
    if (settings->svg_to && settings->svg_to <= settings->svg_from)
        return report_usage(settings->command, "--svg-to must be after --svg-from");
    status = input_load(settings, settings->operands[0], &input);
    if (!status && flux_cancel_new(NULL, &cancel)) {
        report_error("out of memory");
        status = STATUS_INPUT;
    }
    if (!status) {
        interrupt_catch(cancel);
        status = schedule_make(settings, &input, cancel, &schedule, &seconds);
        if (!status)
            cut_say(schedule);
        if (!status)
            status = files_write(settings, &input, schedule);
        interrupt_release();
    }
    if (!status)
        status = schedule_report(settings, &input, schedule, seconds);
    flux_schedule_free(schedule);
    flux_cancel_free(cancel);
    input_free(&input);
    return status;
}

const struct command command_schedule = {
    .name = "schedule",
    .operands = "INPUT",
    .operands_min = 1,
    .operands_max = 1,
    .groups = GROUP_TRACE | GROUP_COLLECTIVES | GROUP_FABRIC | GROUP_SEARCH | GROUP_SOLVER | GROUP_SCHEDULE_FILES |
              GROUP_COMMON,
    .summary = "when every send goes, over which switch, and how good that is",
    .description =
        "Schedules a workload on optical circuit switches. The schedule is checked before you see it, and comes\n"
        "with a lower bound: 'optimal' means that they are equal. Ctrl-C ends the search with the best so far.",
    .example = "  flux-ocs schedule tests/data/stage-generated/llama3-8b_L8_tp4dp2/workload --size-scale 2 \\\n"
               "      --switches 2 --delay 10us --rate 800Gbps -o build/llama.yaml \\\n"
               "      --svg build/llama.svg --svg-from 115ms --svg-to 123ms\n",
    .run = schedule_run,
};
