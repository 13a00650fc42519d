/* SPDX-License-Identifier: Apache-2.0
 *
 * given.c - a schedule that was made before: that of the input itself, or of a second file.
 */
#include "cli.h"
#include <stdlib.h>

/* The schedule file's fabric is the one that it was made for; the command line may change it. */
static int other_fabric(const struct settings *settings, const struct input *input, const char *path,
                        const struct flux_fabric *fabric, struct given *given)
{
    if (!fabric || settings->fabric_path) {
        given->fabric = input->fabric;
        return 0;
    }
    if (flux_fabric_gpus(fabric) != flux_graph_gpus(input->graph)) {
        report_error("%s: its fabric has %u GPUs, the workload in %s has %u", path, flux_fabric_gpus(fabric),
                     settings->operands[0], flux_graph_gpus(input->graph));
        return STATUS_INPUT;
    }
    if (input->document_fabric)
        report_note("the fabric of %s, not the one of %s", path, settings->operands[0]);
    return fabric_settle(settings, input->graph, fabric, path, &given->fabric, &given->own_fabric);
}

static int other_schedule(const struct settings *settings, const struct input *input, const char *path,
                          struct given *given)
{
    struct flux_import_options options = FLUX_IMPORT_OPTIONS_INIT;
    struct flux_error error = {0};
    int status;

    options.graph = input->graph;
    options.strict = settings->import.strict;
    if (flux_import(NULL, path, &options, &given->import, &error))
        return report_failure(NULL, &error);
    input_remarks(given->import);
    given->slots = flux_import_slots(given->import, &given->slot_count);
    if (!given->slots) {
        report_error("%s: there is no schedule in it", path);
        return STATUS_INPUT;
    }
    status = other_fabric(settings, input, path, flux_import_fabric(given->import), given);
    if (!status && flux_import_graph(given->import))
        status = slots_renumber(input->graph, settings->operands[0], flux_import_graph(given->import), path,
                                given->slots, given->slot_count, &given->own_slots);
    if (given->own_slots)
        given->slots = given->own_slots;
    given->certificate = flux_import_certificate(given->import);
    if (!status && given->certificate && flux_import_graph(given->import)) {
        status = certificate_renumber(input->graph, flux_import_graph(given->import), given->certificate,
                                      &given->own_certificate);
        given->certificate = given->own_certificate;
    }
    return status;
}

int given_load(const struct settings *settings, const struct input *input, struct given *given)
{
    *given = (struct given){0};
    if (settings->operand_count > 1)
        return other_schedule(settings, input, settings->operands[1], given);
    given->slots = input->slots;
    given->certificate = flux_import_certificate(input->import);
    given->slot_count = input->slot_count;
    given->fabric = input->fabric;
    return 0;
}

void given_free(struct given *given)
{
    free(given->own_slots);
    flux_certificate_free(given->own_certificate);
    flux_fabric_free(given->own_fabric);
    flux_import_free(given->import);
}
