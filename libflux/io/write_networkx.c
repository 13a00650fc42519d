/* SPDX-License-Identifier: Apache-2.0
 *
 * A graph as NetworkX's node-link JSON, with the attributes that Graph.to_networkx() of the Python package has.
 */
#include "io/fail.h"
#include "io/memory.h"
#include "io/output.h"

#include <libflux/io/write.h>
#include <stdlib.h>
#include <string.h>

static void put_number(struct flux_io_output *out, const char *key, uint64_t number)
{
    flux_io_put(out, ", \"");
    flux_io_put(out, key);
    flux_io_put(out, "\": ");
    flux_io_put_u64(out, number);
}

static void put_vertex(struct flux_io_output *out, const struct flux_graph *graph, uint32_t v)
{
    const char *label = flux_graph_label(graph, v);
    struct flux_compute compute;
    struct flux_send send;
    flux_io_put(out, v ? ",\n  {\"id\": " : "\n  {\"id\": ");
    flux_io_put_u64(out, v);
    if (flux_graph_get_send(graph, v, &send) == FLUX_OK) {
        flux_io_put(out, ", \"kind\": \"send\"");
        put_number(out, "src", send.src);
        put_number(out, "dst", send.dst);
        put_number(out, "bytes", send.bytes);
        put_number(out, "duration", (uint64_t)send.duration);
        put_number(out, "release", (uint64_t)send.release);
    } else {
        flux_graph_get_compute(graph, v, &compute);
        flux_io_put(out, ", \"kind\": \"compute\"");
        put_number(out, "gpu", compute.gpu);
        put_number(out, "duration", (uint64_t)compute.duration);
        put_number(out, "release", (uint64_t)compute.release);
    }
    if (*label) {
        flux_io_put(out, ", \"label\": ");
        flux_io_put_json(out, label);
    }
    flux_io_put_char(out, '}');
}

/* Of repeated edges the longest comes first. */
static int compare_edges(const void *left, const void *right)
{
    const struct flux_edge *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return a->lag > b->lag ? -1 : a->lag < b->lag;
}

static void put_edges(struct flux_io_output *out, const struct flux_edge *edges, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        if (i && edges[i].from == edges[i - 1].from && edges[i].to == edges[i - 1].to)
            continue;
        flux_io_put(out, i ? ",\n  {\"source\": " : "\n  {\"source\": ");
        flux_io_put_u64(out, edges[i].from);
        put_number(out, "target", edges[i].to);
        put_number(out, "lag", (uint64_t)edges[i].lag);
        flux_io_put_char(out, '}');
    }
}

int flux_write_networkx(const char *path, const struct flux_graph *graph, struct flux_error *error)
{
    struct flux_io_output out;
    struct flux_io_memory memory;
    uint64_t count;
    if (!path || !graph)
        return flux_io_fail(error, FLUX_E_ARGUMENT, "flux_write_networkx: %s is NULL", path ? "graph" : "path");
    flux_io_memory_init(&memory, NULL);
    const struct flux_edge *edges = flux_graph_edges(graph, &count);
    struct flux_edge *sorted = flux_io_alloc(&memory, count, sizeof *sorted);
    if (!sorted)
        return flux_io_fail_memory(error);
    if (count) {
        memcpy(sorted, edges, count * sizeof *sorted);
        qsort(sorted, count, sizeof *sorted, compare_edges);
    }
    int rc = flux_io_output_open(&out, path, error);
    if (!rc) {
        flux_io_put_format(&out,
                           "{\"directed\": true, \"multigraph\": false, \"graph\": {\"gpus\": %u},\n \"nodes\": [",
                           (unsigned)flux_graph_gpus(graph));
        for (uint32_t v = 0; v < flux_graph_vertices(graph); v++)
            put_vertex(&out, graph, v);
        flux_io_put(&out, "],\n \"edges\": [");
        put_edges(&out, sorted, count);
        flux_io_put(&out, "]}\n");
        rc = flux_io_output_close(&out, error);
    }
    flux_io_release(&memory, sorted, count, sizeof *sorted);
    return rc;
}
