/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes native documents (docs/formats.md), and their workloads. What is at its default is left out where that loses
 * nothing.
 */
#include "io/write_document.h"
#include "io/belong.h"
#include "io/fail.h"

#include <libflux/io/write.h>
#include <string.h>

/* ---- workload ---- */

static void write_vertex(struct flux_io_written *document, uint32_t v)
{
    struct flux_io_emit *emit = &document->emit;
    struct flux_send send;
    struct flux_compute compute;
    int is_send = flux_graph_is_send(document->graph, v);
    flux_io_emit_item(emit);
    flux_io_emit_open_flow(emit, '{');
    flux_io_emit_key(emit, "id");
    flux_io_emit_name(emit, flux_io_names_of(&document->names, v));
    if (is_send) {
        flux_graph_get_send(document->graph, v, &send);
        flux_io_emit_key(emit, "send");
        flux_io_emit_open_flow(emit, '[');
        flux_io_emit_item(emit);
        flux_io_emit_whole(emit, send.src);
        flux_io_emit_item(emit);
        flux_io_emit_whole(emit, send.dst);
        flux_io_emit_close_flow(emit, ']');
        if (send.bytes) {
            flux_io_emit_key(emit, "size");
            flux_io_emit_bytes(emit, send.bytes);
        }
    } else {
        flux_graph_get_compute(document->graph, v, &compute);
        flux_io_emit_key(emit, "compute");
        flux_io_emit_whole(emit, compute.gpu);
    }
    if (!is_send || send.duration) {
        flux_io_emit_key(emit, "time");
        flux_io_emit_time(emit, is_send ? send.duration : compute.duration);
    }
    if (is_send ? send.release : compute.release) {
        flux_io_emit_key(emit, "release");
        flux_io_emit_time(emit, is_send ? send.release : compute.release);
    }
    flux_io_emit_close_flow(emit, '}');
}

static void write_edge(struct flux_io_written *document, const struct flux_edge *edge)
{
    struct flux_io_emit *emit = &document->emit;
    flux_io_emit_item(emit);
    flux_io_emit_open_flow(emit, '[');
    flux_io_emit_item(emit);
    flux_io_emit_name(emit, flux_io_names_of(&document->names, edge->from));
    flux_io_emit_item(emit);
    flux_io_emit_name(emit, flux_io_names_of(&document->names, edge->to));
    if (edge->lag) {
        flux_io_emit_item(emit);
        flux_io_emit_time(emit, edge->lag);
    }
    flux_io_emit_close_flow(emit, ']');
}

static void write_workload(struct flux_io_written *document)
{
    struct flux_io_emit *emit = &document->emit;
    uint64_t edge_count;
    const struct flux_edge *edges = flux_graph_edges(document->graph, &edge_count);
    flux_io_emit_key(emit, "workload");
    flux_io_emit_open_block(emit);
    flux_io_emit_key(emit, "gpus");
    flux_io_emit_whole(emit, flux_graph_gpus(document->graph));
    flux_io_emit_key(emit, "vertices");
    flux_io_emit_open_list(emit);
    for (uint32_t v = 0; v < flux_graph_vertices(document->graph); v++)
        write_vertex(document, v);
    flux_io_emit_close_list(emit);
    flux_io_emit_key(emit, "edges");
    flux_io_emit_open_list(emit);
    for (uint64_t i = 0; i < edge_count; i++)
        write_edge(document, &edges[i]);
    flux_io_emit_close_list(emit);
    flux_io_emit_close_block(emit);
}

/* ---- the document ---- */

static int check_parts(const struct flux_io_written *document, struct flux_error *error)
{
    if (!document->graph && !document->fabric && !document->schedule)
        return flux_io_fail(error, FLUX_E_ARGUMENT, "flux_write_document: give a graph, a fabric or a schedule");
    if (document->schedule && !document->graph)
        return flux_io_fail(error, FLUX_E_ARGUMENT,
                            "flux_write_document: a schedule needs its graph, which has the ids of its sends");
    if (document->graph && document->fabric && flux_graph_gpus(document->graph) != flux_fabric_gpus(document->fabric))
        return flux_io_fail(error, FLUX_E_MISMATCH, "the graph has %u GPUs, the fabric %u",
                            (unsigned)flux_graph_gpus(document->graph), (unsigned)flux_fabric_gpus(document->fabric));
    return document->schedule ? flux_io_check_schedule(document->graph, document->fabric, document->schedule, error)
                              : FLUX_OK;
}

static int ends_in(const char *path, const char *end)
{
    size_t length = strlen(path);
    size_t part = strlen(end);
    return length >= part && strcmp(path + length - part, end) == 0;
}

static int write_all(struct flux_io_written *document, const char *path, struct flux_error *error)
{
    struct flux_io_output out;
    int rc = flux_io_output_open(&out, path, error);
    if (rc)
        return rc;
    flux_io_emit_begin(&document->emit, &out, ends_in(path, ".json"));
    flux_io_emit_key(&document->emit, "flux");
    flux_io_emit_whole(&document->emit, 1);
    if (document->graph)
        write_workload(document);
    if (document->fabric)
        rc = flux_io_write_fabric(document);
    if (document->schedule)
        flux_io_write_schedule(document);
    flux_io_emit_end(&document->emit);
    if (rc) {
        flux_io_output_abandon(&out);
        return flux_io_fail_memory(error);
    }
    return flux_io_output_close(&out, error);
}

int flux_write_document(const char *path, const struct flux_graph *graph, const struct flux_fabric *fabric,
                        const struct flux_schedule *schedule, struct flux_error *error)
{
    struct flux_io_written document;
    memset(&document, 0, sizeof document);
    document.graph = graph;
    document.fabric = fabric;
    document.schedule = schedule;
    flux_io_memory_init(&document.memory, NULL);
    int rc = check_parts(&document, error);
    if (rc)
        return rc;
    if (graph && flux_io_names_build(&document.names, &document.memory, graph))
        rc = flux_io_fail_memory(error);
    if (!rc)
        rc = write_all(&document, path, error);
    if (graph)
        flux_io_names_free(&document.names);
    return rc;
}
