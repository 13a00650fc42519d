/* SPDX-License-Identifier: Apache-2.0
 *
 * names.c - the sends of one document found in another, by id.
 */
#include "cli.h"
#include <stdlib.h>

static int slots_find(struct flux_names *here, const char *path, const struct flux_names *there, const char *other_path,
                      const struct flux_graph *graph, struct flux_slot *slots, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        const char *id = flux_names_of(there, slots[i].send);
        uint32_t vertex = flux_names_find(here, id);

        if (vertex == FLUX_NONE || !flux_graph_is_send(graph, vertex)) {
            report_error("%s: its send '%s' is no send of %s; check it against the workload that it was made for",
                         other_path, id, path);
            return STATUS_INPUT;
        }
        slots[i].send = vertex;
    }
    return 0;
}

int slots_renumber(const struct flux_graph *graph, const char *path, const struct flux_graph *other,
                   const char *other_path, const struct flux_slot *slots, uint64_t count, struct flux_slot **renumbered)
{
    struct flux_names *here = NULL, *there = NULL;
    int status = 0;

    *renumbered = calloc(count + 1, sizeof(**renumbered));
    if (!*renumbered || flux_names_new(NULL, graph, &here) || flux_names_new(NULL, other, &there)) {
        report_error("out of memory");
        status = STATUS_INPUT;
    } else {
        for (uint64_t i = 0; i < count; i++)
            (*renumbered)[i] = slots[i];
        status = slots_find(here, path, there, other_path, graph, *renumbered, count);
    }
    flux_names_free(there);
    flux_names_free(here);
    return status;
}
