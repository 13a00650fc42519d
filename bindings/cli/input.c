/* SPDX-License-Identifier: Apache-2.0
 *
 * input.c - the workload that a subcommand works on, and what came with it.
 */
#include "cli.h"
#include <string.h>

void input_remarks(const struct flux_import *import)
{
    for (uint64_t i = 0; i < flux_import_warnings(import); i++)
        report_warning("%s", flux_import_warning(import, i));
    for (uint64_t i = 0; i < flux_import_notes(import); i++)
        report_note("%s", flux_import_note(import, i));
}

static int workload_read(const struct settings *settings, const char *path, struct input *input)
{
    struct flux_error error = {0};

    if (flux_import(NULL, path, &settings->import, &input->import, &error))
        return report_failure(NULL, &error);
    input_remarks(input->import);
    input->graph = flux_import_graph(input->import);
    if (!input->graph) {
        report_error("%s: there is no workload in it; give the document that holds the sends", path);
        return STATUS_INPUT;
    }
    input->slots = flux_import_slots(input->import, &input->slot_count);
    input->document_fabric = flux_import_fabric(input->import);
    return 0;
}

static int fabric_read(const struct settings *settings, const char *path, struct input *input)
{
    struct flux_import_options options = FLUX_IMPORT_OPTIONS_INIT;
    struct flux_error error = {0};

    options.graph = input->graph;
    options.strict = settings->import.strict;
    if (flux_import(NULL, settings->fabric_path, &options, &input->fabric_import, &error))
        return report_failure(NULL, &error);
    input_remarks(input->fabric_import);
    if (!flux_import_fabric(input->fabric_import)) {
        report_error("%s: there is no fabric in it; --fabric takes a document that has one", settings->fabric_path);
        return STATUS_INPUT;
    }
    if (input->document_fabric)
        report_note("the fabric of %s replaces the one of %s", settings->fabric_path, path);
    input->document_fabric = flux_import_fabric(input->fabric_import);
    return 0;
}

int input_load(const struct settings *settings, const char *path, struct input *input)
{
    double begin = clock_seconds();
    int status;

    memset(input, 0, sizeof(*input));
    status = workload_read(settings, path, input);
    if (!status && settings->fabric_path)
        status = fabric_read(settings, path, input);
    if (!status)
        status =
            fabric_settle(settings, input->graph, input->document_fabric,
                          settings->fabric_path ? settings->fabric_path : path, &input->fabric, &input->own_fabric);
    input->seconds = clock_seconds() - begin;
    return status;
}

void input_free(struct input *input)
{
    flux_fabric_free(input->own_fabric);
    flux_import_free(input->fabric_import);
    flux_import_free(input->import);
}
