/* SPDX-License-Identifier: Apache-2.0
 *
 * names.c - the sends of one document, and the vertices of its certificate, found in another, by id.
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

static uint32_t vertex_find(struct flux_names *here, const struct flux_names *there, uint32_t vertex)
{
    const char *id = flux_names_of(there, vertex);

    return id ? flux_names_find(here, id) : FLUX_NONE;
}

static int certificate_build(const struct flux_certificate *certificate, struct flux_names *here, const struct flux_names *there,
                             uint32_t *vertices, struct flux_lift *lifts, struct flux_certificate **renumbered)
{
    struct flux_certificate_parts parts = FLUX_CERTIFICATE_PARTS_INIT;
    const uint32_t *old = flux_certificate_vertices(certificate, &parts.vertex_count);
    const struct flux_lift *lift = flux_certificate_lifts(certificate, &parts.lift_count);

    for (uint64_t i = 0; i < parts.vertex_count; i++)
        vertices[i] = vertex_find(here, there, old[i]);
    for (uint64_t i = 0; i < parts.lift_count; i++) {
        lifts[i] = lift[i];
        lifts[i].vertex = vertex_find(here, there, lift[i].vertex);
    }
    parts.kind = flux_certificate_kind(certificate);
    parts.gpu = flux_certificate_gpu(certificate);
    parts.side = flux_certificate_side(certificate);
    parts.bound = flux_certificate_bound(certificate);
    parts.head = flux_certificate_head(certificate);
    parts.tail = flux_certificate_tail(certificate);
    parts.vertices = vertices;
    parts.lifts = lifts;
    return flux_certificate_new(NULL, &parts, renumbered, NULL);
}

int certificate_renumber(const struct flux_graph *graph, const struct flux_graph *other,
                         const struct flux_certificate *certificate, struct flux_certificate **renumbered)
{
    struct flux_names *here = NULL, *there = NULL;
    uint64_t vertex_count, lift_count;
    int status = 0;

    flux_certificate_vertices(certificate, &vertex_count);
    flux_certificate_lifts(certificate, &lift_count);
    uint32_t *vertices = calloc(vertex_count + 1, sizeof(*vertices));
    struct flux_lift *lifts = calloc(lift_count + 1, sizeof(*lifts));
    if (!vertices || !lifts || flux_names_new(NULL, graph, &here) || flux_names_new(NULL, other, &there) ||
        certificate_build(certificate, here, there, vertices, lifts, renumbered)) {
        report_error("out of memory");
        status = STATUS_INPUT;
    }
    flux_names_free(there);
    flux_names_free(here);
    free(lifts);
    free(vertices);
    return status;
}
