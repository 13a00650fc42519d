/* SPDX-License-Identifier: Apache-2.0
 *
 * compare_table.c - a comparison as people read it: a table per figure, schedulers down and delays across.
 */
#include "compare.h"
#include <string.h>

enum figure { ITERATION, MEMORY, WAITING, RECONFIGURATIONS };

/* "220.55ms", in as few figures as tell them apart. */
static char *time_short(int64_t time, char *text, size_t size)
{
    static const struct {
        int64_t unit;
        const char *name;
    } units[] = {{FLUX_S, "s"}, {FLUX_MS, "ms"}, {FLUX_US, "us"}, {FLUX_NS, "ns"}};

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (time >= units[i].unit) {
            double number = (double)time / (double)units[i].unit;

            snprintf(text, size, "%.*f%s", number < 10 ? 3 : number < 100 ? 2 : 1, number, units[i].name);
            return text;
        }
    }
    snprintf(text, size, "%lldps", (long long)time);
    return text;
}

static char *bytes_short(uint64_t bytes, char *text, size_t size)
{
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double number = (double)bytes;
    size_t unit = 0;

    for (; number >= 1024 && unit + 1 < sizeof(names) / sizeof(names[0]); unit++)
        number /= 1024;
    snprintf(text, size, unit ? "%.1f%s" : "%.0f%s", number, names[unit]);
    return text;
}

/* What one scheduler did, beside what flux did where that is there. */
static char *cell(const struct compare_job *job, const struct compare_job *flux, enum figure figure, char *text,
                  size_t size)
{
    if (!job)
        snprintf(text, size, "not done");
    else if (!job->summary.applies)
        snprintf(text, size, "-");
    else if (figure == MEMORY)
        bytes_short(job->summary.memory, text, size);
    else if (figure == WAITING)
        bytes_short(job->summary.waiting_mean, text, size);
    else if (figure == RECONFIGURATIONS)
        snprintf(text, size, "%llu", (unsigned long long)job->summary.reconfigurations);
    else if (!flux || !flux->summary.applies || job == flux || flux->summary.iteration == 0)
        time_short(job->summary.iteration, text, size);
    else
        snprintf(text, size, "x %.4f", (double)job->summary.iteration / (double)flux->summary.iteration);
    return text;
}

static void figure_print(FILE *out, const struct compare *compare, const char *heading, enum figure figure)
{
    char text[64];

    fprintf(out, "\n%-24s", heading);
    for (uint32_t d = 0; d < compare->delay_count; d++)
        fprintf(out, " %11s", flux_time_format(compare->delays[d], text, sizeof(text)));
    fputc('\n', out);
    for (uint32_t s = 0; s < compare->scheduler_count; s++) {
        fprintf(out, "%-24s", flux_scheduler_name(compare->schedulers[s]));
        for (uint32_t d = 0; d < compare->delay_count; d++)
            fprintf(out, " %11s",
                    cell(compare_done(compare, d, compare->schedulers[s]),
                         compare_done(compare, d, FLUX_SCHEDULER_FLUX), figure, text, sizeof(text)));
        fputc('\n', out);
    }
    if (figure != ITERATION)
        return;
    fprintf(out, "%-24s", "lower bound");
    for (uint32_t d = 0; d < compare->delay_count; d++)
        fprintf(out, " %11s", time_short(compare->bounds[d], text, sizeof(text)));
    fprintf(out, "\n%-24s %11s\n", "the same without delay", time_short(compare->floor, text, sizeof(text)));
}

/* Why some do not apply: each reason once. */
static void reasons_print(FILE *out, const struct compare *compare)
{
    for (uint32_t s = 0; s < compare->scheduler_count; s++) {
        const char *before = "";

        for (uint32_t d = 0; d < compare->delay_count; d++) {
            const struct compare_job *job = compare_done(compare, d, compare->schedulers[s]);
            const char *note = job ? flux_comparison_note(job->comparison) : "";

            if (!job || job->summary.applies || strcmp(note, before) == 0)
                continue;
            fprintf(out, "%s does not apply: %s\n", flux_scheduler_name(compare->schedulers[s]), note);
            before = note;
        }
    }
}

void compare_table(FILE *out, const struct compare *compare)
{
    char text[256];

    table_row(out, "workload", "%u sends on %u GPUs", flux_graph_sends(compare->input.graph),
              flux_graph_gpus(compare->input.graph));
    table_row(out, "fabric", "%s", fabric_describe(compare->fabrics[0], text, sizeof(text)));
    figure_print(out, compare, "iteration", ITERATION);
    figure_print(out, compare, "NIC memory, peak", MEMORY);
    figure_print(out, compare, "of it waiting, mean", WAITING);
    figure_print(out, compare, "reconfigurations", RECONFIGURATIONS);
    fputc('\n', out);
    reasons_print(out, compare);
    table_row(out, "time", "%.3f s on %u thread%s", compare->seconds, compare->settings->threads,
              compare->settings->threads == 1 ? "" : "s");
    if (compare->settings->csv && strcmp(compare->settings->csv, "-") != 0)
        table_row(out, "written", "%s", compare->settings->csv);
}
