/* SPDX-License-Identifier: Apache-2.0
 *
 * write.c - a workload, with what belongs to it, to the file that --output names: what it is follows from its end.
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
    size_t length = strlen(path) - strlen(".et");
    char *prefix = malloc(length + 1), text[FLUX_UNITS_TEXT];
    int64_t rounded;
    int rc;

    if (!prefix) {
        report_error("no memory for the name of %s", path);
        return STATUS_INPUT;
    }
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

int workload_write(const char *path, const struct flux_graph *graph, const struct flux_fabric *fabric,
                   const struct flux_schedule *schedule)
{
    struct flux_error error = {0};

    if (ends_in(path, strlen(path), ".et"))
        return traces_write(path, graph, schedule);
    return flux_write_document(path, graph, fabric, schedule, &error) ? report_failure(NULL, &error) : 0;
}
