/* SPDX-License-Identifier: Apache-2.0
 *
 * write.c - a workload, with what belongs to it, to the file that --output names: what it is, that or its end says.
 */
#include "cli.h"
#include <stdlib.h>
#include <string.h>

static int ends_in(const char *path, size_t length, const char *end)
{
    return length >= strlen(end) && memcmp(path + length - strlen(end), end, strlen(end)) == 0;
}

/* PREFIX.et, or PREFIX.%d.et as the reader has it, stands for PREFIX.0.et, PREFIX.1.et, ... */
static int traces_write(const char *path, const struct flux_graph *graph, const struct flux_schedule *schedule)
{
    struct flux_error error = {0};
    size_t length = strlen(path);
    char *prefix = malloc(length + 1), text[FLUX_UNITS_TEXT];
    int64_t rounded;
    int rc;

    if (strcmp(path, "-") == 0) {
        free(prefix);
        report_error("Chakra traces are several files: name them with --output PREFIX.et");
        return STATUS_USAGE;
    }
    if (!prefix) {
        report_error("no memory for the name of %s", path);
        return STATUS_INPUT;
    }
    length -= ends_in(path, length, ".et") ? 3 : 0;
    length -= ends_in(path, length, ".%d") ? 3 : 0;
    memcpy(prefix, path, length);
    prefix[length] = '\0';
    rc = flux_write_chakra(prefix, graph, schedule, &rounded, &error);
    free(prefix);
    if (rc)
        return report_failure(NULL, &error);
    report_note("a Chakra trace holds neither fabric nor switches%s", schedule ? "; the order of sends is in it" : "");
    if (rounded)
        report_note("its times are whole microseconds: in sum they are off by %s",
                    flux_time_format(rounded, text, sizeof(text)));
    return 0;
}

/* Sends whose time is given beside their size, which these formats cannot say. */
static void times_warn(const struct flux_graph *graph, const char *format)
{
    struct flux_send send;
    uint32_t count = 0;

    for (uint32_t v = 0; v < flux_graph_vertices(graph); v++)
        count += !flux_graph_get_send(graph, v, &send) && send.bytes && send.duration;
    if (count)
        report_warning("%u sends have a time beside their size: %s holds the size alone", count, format);
}

static int goal_write(const char *path, const struct flux_graph *graph)
{
    struct flux_error error = {0};
    char text[FLUX_UNITS_TEXT];
    int64_t rounded;

    times_warn(graph, "GOAL");
    if (flux_write_goal(path, graph, &rounded, &error))
        return report_failure(NULL, &error);
    report_note("GOAL holds neither fabric nor schedule, and of names those that are letters, digits and underscores");
    if (rounded)
        report_note("its times are whole nanoseconds: in sum they are off by %s",
                    flux_time_format(rounded, text, sizeof(text)));
    return 0;
}

static uint32_t format_of(const char *path, int with_schedule)
{
    static const struct {
        const char *end;
        uint32_t format;
    } ends[] = {{".et", WRITE_CHAKRA},
                {".goal", WRITE_GOAL},
                {".dot", WRITE_DOT},
                {".gv", WRITE_DOT},
                {".networkx.json", WRITE_NETWORKX}};

    for (size_t i = 0; i < (with_schedule ? 1 : sizeof(ends) / sizeof(ends[0])); i++) {
        if (ends_in(path, strlen(path), ends[i].end))
            return ends[i].format;
    }
    return WRITE_DOCUMENT;
}

int workload_write(uint32_t format, const char *path, const struct flux_graph *graph, const struct flux_fabric *fabric,
                   const struct flux_schedule *schedule)
{
    struct flux_error error = {0};

    if (format == WRITE_AUTO || format == WRITE_AUTO_SCHEDULE)
        format = format_of(path, format == WRITE_AUTO_SCHEDULE);
    if (format == WRITE_CHAKRA) {
        times_warn(graph, "a Chakra trace");
        return traces_write(path, graph, schedule);
    }
    if (format == WRITE_GOAL)
        return goal_write(path, graph);
    if (format == WRITE_DOCUMENT)
        return flux_write_document(path, graph, fabric, schedule, &error) ? report_failure(NULL, &error) : 0;
    if (format == WRITE_DOT ? flux_write_dot(path, graph, &error) : flux_write_networkx(path, graph, &error))
        return report_failure(NULL, &error);
    if (fabric || schedule)
        report_note("%s holds neither fabric nor schedule", format == WRITE_DOT ? "DOT" : "NetworkX's JSON");
    return 0;
}
