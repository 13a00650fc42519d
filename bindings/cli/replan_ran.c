/* SPDX-License-Identifier: Apache-2.0
 *
 * replan_ran.c - the table of what really happened: a row per vertex that did not go as planned.
 */
#include "cli.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 32

/* The table under the reader's finger. */
struct ran {
    const char *path;
    unsigned line;
    uint32_t vertex_column;
    uint32_t start_column;
    uint32_t end_column;
    struct flux_names *names;
    const struct flux_graph *graph;
    int64_t now;
};

static int ran_fail(const struct ran *ran, const char *what, const char *word)
{
    report_error("%s:%u: %s%s%s%s", ran->path, ran->line, what, word ? " '" : "", word ? word : "", word ? "'" : "");
    return STATUS_INPUT;
}

/* Cuts `line` at its commas; a field in quotation marks may hold some, and a doubled mark stands for one. */
static uint32_t fields_cut(char *line, char **fields)
{
    uint32_t count = 0;

    while (count < COLUMNS_MAX) {
        char *to = line;
        int quoted = *line == '"';

        fields[count++] = line;
        line += quoted;
        for (; *line && (quoted || *line != ','); line++) {
            if (quoted && *line == '"') {
                if (line[1] != '"') {
                    quoted = 0;
                    continue;
                }
                line++;
            }
            *to++ = *line;
        }
        if (!*line) {
            *to = '\0';
            return count;
        }
        *to = '\0';
        line++;
    }
    return count;
}

static int head_read(struct ran *ran, char **fields, uint32_t count)
{
    ran->vertex_column = ran->start_column = ran->end_column = COLUMNS_MAX;
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(fields[i], "vertex") == 0 || strcmp(fields[i], "send") == 0)
            ran->vertex_column = i;
        else if (strcmp(fields[i], "start_ps") == 0)
            ran->start_column = i;
        else if (strcmp(fields[i], "end_ps") == 0)
            ran->end_column = i;
    }
    if (ran->vertex_column < count && ran->start_column < count && ran->end_column < count)
        return 0;
    return ran_fail(ran, "the first line names the columns, and vertex, start_ps and end_ps are among them", NULL);
}

/* Picoseconds, or -1 where nothing is said. */
static int time_read(const struct ran *ran, const char *text, int64_t *time)
{
    uint64_t value;

    *time = -1;
    if (!*text)
        return 0;
    if (count_parse(text, FLUX_TIME_MAX, &value))
        return ran_fail(ran, "no whole number of picoseconds:", text);
    *time = (int64_t)value;
    return 0;
}

static int row_read(const struct ran *ran, char **fields, uint32_t count, struct flux_time *times)
{
    struct flux_time time;
    uint32_t vertex;

    if (ran->vertex_column >= count || ran->start_column >= count || ran->end_column >= count)
        return ran_fail(ran, "this row has fewer fields than the first line", NULL);
    vertex = flux_names_find(ran->names, fields[ran->vertex_column]);
    if (vertex == FLUX_NONE)
        return ran_fail(ran, "the workload has no", fields[ran->vertex_column]);
    if (time_read(ran, fields[ran->start_column], &time.start) || time_read(ran, fields[ran->end_column], &time.end))
        return STATUS_INPUT;
    if (time.start < 0 && time.end >= 0)
        return ran_fail(ran, "an end without a start, of", fields[ran->vertex_column]);
    /* A table of the whole iteration says more than is known by now. */
    times[vertex] = time.start >= ran->now ? (struct flux_time){-1, -1} : time;
    return 0;
}

static int rows_read(struct ran *ran, FILE *file, struct flux_time *times)
{
    char *fields[COLUMNS_MAX], *line = NULL;
    size_t room = 0;
    ssize_t length;
    int status = 0;

    while (!status && (length = getline(&line, &room, file)) >= 0) {
        uint32_t count;

        ran->line++;
        while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
            line[--length] = '\0';
        if (length == 0 && ran->line > 1)
            continue;
        count = fields_cut(line, fields);
        status = ran->line == 1 ? head_read(ran, fields, count) : row_read(ran, fields, count, times);
    }
    free(line);
    if (!status && ferror(file)) {
        report_error("%s: %s", ran->path, strerror(errno));
        status = STATUS_INPUT;
    }
    if (!status && ran->line == 0)
        status = ran_fail(ran, "the file is empty; it is a table with vertex,start_ps,end_ps", NULL);
    return status;
}

int ran_read(const struct settings *settings, const struct flux_graph *graph, int64_t now, struct flux_time *times)
{
    struct ran ran = {.path = settings->ran, .graph = graph, .now = now};
    FILE *file = strcmp(ran.path, "-") == 0 ? stdin : fopen(ran.path, "r");
    int status;

    if (!file) {
        report_error("%s: %s", ran.path, strerror(errno));
        return STATUS_INPUT;
    }
    if (flux_names_new(NULL, graph, &ran.names)) {
        report_error("out of memory");
        status = STATUS_INPUT;
    } else {
        status = rows_read(&ran, file, times);
    }
    flux_names_free(ran.names);
    if (file != stdin)
        fclose(file);
    return status;
}
