/* SPDX-License-Identifier: Apache-2.0
 *
 * compare.c - flux-ocs compare: what an iteration takes under other schedulers.
 */
#include "compare.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

const struct compare_job *compare_done(const struct compare *compare, uint32_t delay, uint32_t scheduler)
{
    for (uint32_t s = 0; s < compare->scheduler_count; s++) {
        const struct compare_job *job = &compare->jobs[delay * compare->scheduler_count + s];

        if (job->scheduler == scheduler)
            return job->comparison ? job : NULL;
    }
    return NULL;
}

/* The next word of a list with commas between. NULL: it is too long. */
static const char *word_next(const char **text, char *word, size_t size)
{
    size_t length = strcspn(*text, ",");

    if (length >= size)
        return NULL;
    snprintf(word, size, "%.*s", (int)length, *text);
    *text += length + ((*text)[length] == ',' && (*text)[length + 1]);
    return word;
}

static int scheduler_unknown(const struct settings *settings, const char *word)
{
    char known[1024] = "all";
    size_t used = strlen(known);

    for (uint32_t i = 1; i <= flux_scheduler_count(); i++) {
        const char *name = flux_scheduler_name(i);

        if (*name)
            used += (size_t)snprintf(known + used, sizeof(known) - used, ", %s", name);
    }
    return report_usage(settings->command, "--schedulers: there is no '%s'; there are %s", word, known);
}

static int schedulers_read(struct compare *compare)
{
    const struct settings *settings = compare->settings;
    const char *text = settings->schedulers ? settings->schedulers : "all";
    char word[64];

    if (strcmp(text, "all") == 0) {
        for (uint32_t i = 1; i <= flux_scheduler_count(); i++) {
            if (*flux_scheduler_name(i))
                compare->schedulers[compare->scheduler_count++] = i;
        }
        return 0;
    }
    for (;;) {
        const char *name = word_next(&text, word, sizeof(word));
        uint32_t scheduler = flux_scheduler_find(name ? name : "");

        if (!scheduler)
            return scheduler_unknown(settings, name ? name : text);
        for (uint32_t s = 0; s < compare->scheduler_count; s++) {
            if (compare->schedulers[s] == scheduler)
                return report_usage(settings->command, "--schedulers names %s twice", name);
        }
        compare->schedulers[compare->scheduler_count++] = scheduler;
        if (!*text)
            return 0;
        if (*text == ',')
            return scheduler_unknown(settings, "");
    }
}

/* The times were read once already: each of them is good. */
static int delays_read(struct compare *compare)
{
    const struct settings *settings = compare->settings;
    const char *text = settings->delay_list;
    char word[64];
    int64_t time;

    if (settings->delays && text)
        return report_usage(settings->command, "--delay is one delay and --delays are several; give one of the two");
    while (text && *text) {
        if (!word_next(&text, word, sizeof(word)) || flux_time_parse(word, &time, NULL))
            return report_usage(settings->command, "--delays ends in a comma");
        for (uint32_t d = 0; d < compare->delay_count; d++) {
            if (compare->delays[d] == time)
                return report_usage(settings->command, "--delays names %s twice", word);
        }
        if (compare->delay_count == COMPARE_DELAYS_MAX)
            return report_usage(settings->command, "--delays: no more than %d of them", COMPARE_DELAYS_MAX);
        compare->delays[compare->delay_count++] = time;
    }
    return 0;
}

/* A fabric for every delay; that of the input where none is asked for. */
static int fabrics_make(struct compare *compare)
{
    const struct flux_fabric *base = compare->input.fabric;

    if (!compare->delay_count) {
        compare->delay_count = 1;
        compare->fabrics[0] = base;
        for (uint32_t k = 0; k < flux_fabric_switches(base); k++) {
            if (flux_fabric_delay(base, k) > compare->delays[0])
                compare->delays[0] = flux_fabric_delay(base, k);
        }
        return 0;
    }
    for (uint32_t d = 0; d < compare->delay_count; d++) {
        int status = fabric_with_delay(base, compare->delays[d], &compare->own_fabrics[d]);

        if (status)
            return status;
        compare->fabrics[d] = compare->own_fabrics[d];
    }
    return 0;
}

static int jobs_make(struct compare *compare)
{
    compare->job_count = compare->delay_count * compare->scheduler_count;
    compare->jobs = calloc(compare->job_count, sizeof(*compare->jobs));
    if (!compare->jobs || flux_cancel_new(NULL, &compare->cancel)) {
        report_error("out of memory");
        return STATUS_INPUT;
    }
    for (uint32_t i = 0; i < compare->job_count; i++) {
        compare->jobs[i].delay = i / compare->scheduler_count;
        compare->jobs[i].scheduler = compare->schedulers[i % compare->scheduler_count];
    }
    return 0;
}

/* The best bound at each delay, and the one without any. */
static int bounds_find(struct compare *compare)
{
    struct flux_certificate *certificate = NULL;
    struct flux_fabric *fabric = NULL;
    struct flux_error error = {0};
    int status = fabric_with_delay(compare->input.fabric, 0, &fabric);

    for (uint32_t i = 0; i < compare->job_count; i++) {
        const struct compare_job *job = &compare->jobs[i];

        if (job->comparison && job->summary.bound > compare->bounds[job->delay])
            compare->bounds[job->delay] = job->summary.bound;
    }
    if (!status && flux_bound(compare->input.graph, fabric, &certificate, &error))
        status = report_failure(compare->settings->operands[0], &error);
    if (!status)
        compare->floor = flux_certificate_bound(certificate);
    flux_certificate_free(certificate);
    flux_fabric_free(fabric);
    return status;
}

static int csv_write(const struct compare *compare)
{
    struct flux_compared *rows = calloc(compare->job_count, sizeof(*rows));
    struct flux_error error = {0};
    uint64_t count = 0;
    int rc;

    if (!rows) {
        report_error("out of memory");
        return STATUS_INPUT;
    }
    for (uint32_t i = 0; i < compare->job_count; i++) {
        const struct compare_job *job = &compare->jobs[i];

        if (job->comparison)
            rows[count++] =
                (struct flux_compared){job->comparison, compare->delays[job->delay], compare->bounds[job->delay]};
    }
    rc = flux_write_comparisons(compare->settings->csv, rows, count, &error);
    free(rows);
    return rc ? report_failure(NULL, &error) : 0;
}

static json_t *job_json(const struct compare *compare, const struct compare_job *job)
{
    const struct flux_comparison_summary *summary = &job->summary;
    json_t *object = json_object();
    int failed = json_put(object, "scheduler", json_string(flux_scheduler_name(job->scheduler)));

    failed |= json_put(object, "delay_ps", json_integer(compare->delays[job->delay]));
    failed |= json_put(object, "applies", json_boolean(summary->applies));
    failed |= json_put(object, "bound_ps", json_integer(compare->bounds[job->delay]));
    if (summary->applies) {
        failed |= json_put(object, "iteration_ps", json_integer(summary->iteration));
        failed |= json_put(object, "best_ps", json_integer(summary->best));
        failed |= json_put(object, "nic_memory_bytes", json_integer((json_int_t)summary->memory));
        failed |= json_put(object, "nic_memory_of_all_bytes", json_integer((json_int_t)summary->memory_of_all));
        failed |= json_put(object, "nic_waiting_bytes", json_integer((json_int_t)summary->waiting));
        failed |= json_put(object, "nic_waiting_mean_bytes", json_integer((json_int_t)summary->waiting_mean));
        failed |= json_put(object, "reconfigurations", json_integer((json_int_t)summary->reconfigurations));
        failed |= json_put(object, "repeats", json_integer(summary->repeats));
        failed |= json_put(object, "constructions", json_integer(summary->constructions));
    }
    failed |= json_put(object, "note", json_string(flux_comparison_note(job->comparison)));
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

static int compare_json(const struct compare *compare)
{
    json_t *object = json_object(), *list = json_array();
    int failed = json_put(object, "sends", json_integer(flux_graph_sends(compare->input.graph)));

    failed |= json_put(object, "gpus", json_integer(flux_graph_gpus(compare->input.graph)));
    failed |= json_put(object, "switches", json_integer(flux_fabric_switches(compare->fabrics[0])));
    failed |= json_put(object, "bound_without_delay_ps", json_integer(compare->floor));
    failed |= json_put(object, "complete", json_boolean(compare->done == compare->job_count));
    failed |= json_put(object, "seconds", json_real(compare->seconds));
    for (uint32_t i = 0; i < compare->job_count; i++) {
        if (compare->jobs[i].comparison)
            failed |= json_array_append_new(list, job_json(compare, &compare->jobs[i]));
    }
    failed |= json_put(object, "results", list);
    return json_finish(object, failed);
}

static int compare_report(struct compare *compare)
{
    const struct settings *settings = compare->settings;
    int status = settings->csv ? csv_write(compare) : 0;

    if (status)
        return status;
    if (settings->json)
        status = compare_json(compare);
    else
        compare_table(output_table(settings), compare);
    return status ? status : output_finish(settings->csv && !settings->json);
}

static void compare_free(struct compare *compare)
{
    for (uint32_t i = 0; compare->jobs && i < compare->job_count; i++)
        flux_comparison_free(compare->jobs[i].comparison);
    for (uint32_t d = 0; d < compare->delay_count; d++)
        flux_fabric_free(compare->own_fabrics[d]);
    flux_cancel_free(compare->cancel);
    input_free(&compare->input);
    free(compare->jobs);
    free(compare);
}

static int compare_run(const struct settings *settings)
{
    struct compare *compare = calloc(1, sizeof(*compare));
    int status = output_check(settings);

    if (!compare) {
        report_error("out of memory");
        return STATUS_INPUT;
    }
    compare->settings = settings;
    if (!status && (settings->duty_ppm == 0 || settings->duty_ppm >= FLUX_PPM))
        status = report_usage(settings->command, "--duty is above 0%% and below 100%%");
    if (!status)
        status = schedulers_read(compare);
    if (!status)
        status = delays_read(compare);
    if (!status)
        status = input_load(settings, settings->operands[0], &compare->input);
    if (!status)
        status = fabrics_make(compare);
    if (!status)
        status = jobs_make(compare);
    if (!status) {
        interrupt_catch(compare->cancel);
        compare->seconds = clock_seconds();
        status = compare_run_jobs(compare);
        compare->seconds = clock_seconds() - compare->seconds;
        interrupt_release();
    }
    if (!status)
        status = bounds_find(compare);
    if (!status)
        status = compare_report(compare);
    compare_free(compare);
    return status;
}

const struct command command_compare = {
    .name = "compare",
    .operands = "INPUT",
    .operands_min = 1,
    .operands_max = 1,
    .groups = GROUP_TRACE | GROUP_COLLECTIVES | GROUP_FABRIC | GROUP_COMPARE | GROUP_SEARCH | GROUP_COMMON,
    .summary = "what an iteration takes under other schedulers",
    .description =
        "Runs the workload under every scheduler at every delay and says how many times as long as under flux each\n"
        "of them takes, how much memory network cards need, and how often circuits change. docs/results.md tells what\n"
        "the schedulers are. Ctrl-C ends it with what is done.",
    .example = "  flux-ocs compare tests/data/cli/pair.yaml --delays 1us,10us,100us\n"
               "  flux-ocs compare tests/data/stage-generated/llama3-8b_L8_tp4dp2/workload --size-scale 2 \\\n"
               "      --delays 1us,1ms --schedulers flux,random,rotor-direct,bvn --csv build/compare.csv --threads 2\n",
    .run = compare_run,
};
