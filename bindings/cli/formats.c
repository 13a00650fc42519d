/* SPDX-License-Identifier: Apache-2.0
 *
 * formats.c - flux-ocs formats: what INPUT may be, and how a file is told from others.
 */
#include "cli.h"
#include <jansson.h>
#include <libflux/io/import.h>

static int formats_json(void)
{
    const struct flux_format *format;
    json_t *object = json_object(), *list = json_array();
    int failed = 0;

    for (uint32_t i = 0; (format = flux_import_formats(i)) != NULL; i++) {
        json_t *row = json_object();

        failed |= json_put(row, "name", json_string(format->name));
        failed |= json_put(row, "about", json_string(format->about));
        failed |= json_put(row, "recognised", json_string(format->recognised));
        failed |= json_put(row, "options", json_string(format->options));
        failed |= json_array_append_new(list, row);
    }
    failed |= json_put(object, "formats", list);
    return json_finish(object, failed);
}

static int formats_run(const struct settings *settings)
{
    const struct flux_format *format;

    if (settings->json) {
        int status = formats_json();

        return status ? status : output_finish(0);
    }
    for (uint32_t i = 0; (format = flux_import_formats(i)) != NULL; i++)
        printf("%s\n  what        %s\n  recognised  %s\n  options     %s\n", format->name, format->about,
               format->recognised, format->options);
    return output_finish(0);
}

const struct command command_formats = {
    .name = "formats",
    .operands = "",
    .operands_min = 0,
    .operands_max = 0,
    .groups = GROUP_COMMON,
    .summary = "what INPUT may be: formats, how they are recognised, their options",
    .description = "Lists the formats that are read, in the order in which a file is tried for them. Any of\n"
                   "them may be compressed with gzip. docs/formats.md describes them.",
    .example = "  flux-ocs formats\n",
    .run = formats_run,
};
