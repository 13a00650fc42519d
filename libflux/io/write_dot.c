/* SPDX-License-Identifier: Apache-2.0
 *
 * A small graph for Graphviz: a column of boxes for each GPU, sends in the colour of their circuits, computes in grey.
 */
#include "io/fail.h"
#include "io/names.h"
#include "io/output.h"

#include <libflux/io/write.h>
#include <libflux/units.h>
#include <stdio.h>
#include <string.h>

#define NAME_MOST 48u /* characters of an id that are shown */

/* Within a string in quotes: Graphviz knows \" and, in labels, \n and \\ besides. */
static void put_escaped(struct flux_io_output *out, const char *text)
{
    unsigned shown = 0;
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if ((c & 0xc0) != 0x80 && shown++ == NAME_MOST) {
            flux_io_put(out, "...");
            return;
        }
        if (c == '"' || c == '\\')
            flux_io_put_char(out, '\\');
        flux_io_put_char(out, c < 0x20 || c == 0x7f ? ' ' : (char)c);
    }
}

static void put_line(struct flux_io_output *out, const char *before, const char *text)
{
    flux_io_put(out, "\\n");
    flux_io_put(out, before);
    flux_io_put(out, text);
}

static void put_vertex(struct flux_io_output *out, const struct flux_graph *graph, const struct flux_io_names *names,
                       uint32_t v)
{
    struct flux_compute compute;
    struct flux_send send;
    char text[FLUX_UNITS_TEXT];
    int64_t duration, release;
    flux_io_put_format(out, "  v%u [label=\"", (unsigned)v);
    put_escaped(out, flux_io_names_of(names, v));
    if (flux_graph_get_send(graph, v, &send) == FLUX_OK) {
        duration = send.duration;
        release = send.release;
        flux_io_put_format(out, "\\n%u -> %u", (unsigned)send.src, (unsigned)send.dst);
        if (send.bytes)
            put_line(out, "", flux_bytes_format(send.bytes, text, sizeof text));
    } else {
        flux_graph_get_compute(graph, v, &compute);
        duration = compute.duration;
        release = compute.release;
        flux_io_put_format(out, "\\nGPU %u", (unsigned)compute.gpu);
    }
    if (duration)
        put_line(out, "", flux_time_format(duration, text, sizeof text));
    if (release)
        put_line(out, "from ", flux_time_format(release, text, sizeof text));
    if (flux_graph_is_send(graph, v))
        flux_io_put_format(out, "\", group=g%u];\n", (unsigned)send.src);
    else
        flux_io_put_format(out, "\", group=g%u, shape=ellipse, fillcolor=\"#e4e4e4\"];\n", (unsigned)compute.gpu);
}

static void put_graph(struct flux_io_output *out, const struct flux_graph *graph, const struct flux_io_names *names)
{
    char text[FLUX_UNITS_TEXT];
    uint64_t count;
    const struct flux_edge *edges = flux_graph_edges(graph, &count);
    flux_io_put(out, "digraph workload {\n"
                     "  rankdir=LR;\n"
                     "  node [shape=box, style=filled, fillcolor=\"#cfe2f3\", fontname=\"sans-serif\", fontsize=10];\n"
                     "  edge [fontname=\"sans-serif\", fontsize=9];\n");
    for (uint32_t v = 0; v < flux_graph_vertices(graph); v++)
        put_vertex(out, graph, names, v);
    for (uint64_t i = 0; i < count; i++) {
        flux_io_put_format(out, "  v%u -> v%u", (unsigned)edges[i].from, (unsigned)edges[i].to);
        if (edges[i].lag)
            flux_io_put_format(out, " [label=\"%s\"]", flux_time_format(edges[i].lag, text, sizeof text));
        flux_io_put(out, ";\n");
    }
    flux_io_put(out, "}\n");
}

int flux_write_dot(const char *path, const struct flux_graph *graph, struct flux_error *error)
{
    struct flux_io_output out;
    struct flux_io_memory memory;
    struct flux_io_names names;
    uint64_t edges;
    if (!path || !graph)
        return flux_io_fail(error, FLUX_E_ARGUMENT, "flux_write_dot: %s is NULL", path ? "graph" : "path");
    flux_graph_edges(graph, &edges);
    if (flux_graph_vertices(graph) > FLUX_DOT_VERTICES_MAX || edges > FLUX_DOT_EDGES_MAX)
        return flux_io_fail(error, FLUX_E_TOO_BIG,
                            "%u vertices and %llu edges: nobody could read the picture, nor Graphviz draw it; up to %u "
                            "and %u are written. A schedule of any size is a picture as SVG",
                            (unsigned)flux_graph_vertices(graph), (unsigned long long)edges, FLUX_DOT_VERTICES_MAX,
                            FLUX_DOT_EDGES_MAX);
    flux_io_memory_init(&memory, NULL);
    int rc = flux_io_names_build(&names, &memory, graph) ? flux_io_fail_memory(error) : FLUX_OK;
    if (!rc)
        rc = flux_io_output_open(&out, path, error);
    if (!rc) {
        put_graph(&out, graph, &names);
        rc = flux_io_output_close(&out, error);
    }
    flux_io_names_free(&names);
    return rc;
}
