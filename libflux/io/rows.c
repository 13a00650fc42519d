/* SPDX-License-Identifier: Apache-2.0
 *
 * io/rows.c - vertices, what they wait for, and an order, as arrays.
 */
#include "io/rows.h"

#include "io/fail.h"
#include "io/workload/dag.h"

#include <string.h>

static int make_room(struct flux_io_rows *rows)
{
    const struct flux_io_memory *memory = &rows->memory;
    uint64_t n = rows->vertices, m = rows->edge_count;
    rows->sends = flux_io_alloc(memory, n, sizeof *rows->sends);
    rows->parent_first = flux_io_alloc_zero(memory, n + 2, sizeof *rows->parent_first);
    rows->order = flux_io_alloc(memory, n, sizeof *rows->order);
    rows->seen = flux_io_alloc(memory, n, sizeof *rows->seen);
    rows->parents = flux_io_alloc(memory, m, sizeof *rows->parents);
    rows->plain = flux_io_alloc(memory, m, sizeof *rows->plain);
    return rows->sends && rows->parent_first && rows->order && rows->seen && rows->parents && rows->plain;
}

static void read_vertices(struct flux_io_rows *rows)
{
    for (uint32_t v = 0; v < rows->vertices; v++) {
        struct flux_compute compute;
        rows->seen[v] = FLUX_NONE;
        if (flux_graph_get_send(rows->graph, v, &rows->sends[v])) {
            flux_graph_get_compute(rows->graph, v, &compute);
            rows->sends[v] = (struct flux_send){compute.gpu, FLUX_NONE, 0, compute.duration, compute.release};
        }
    }
}

static void read_edges(struct flux_io_rows *rows)
{
    const struct flux_edge *edge = flux_graph_edges(rows->graph, NULL);
    for (uint64_t i = 0; i < rows->edge_count; i++)
        rows->parent_first[edge[i].to + 2]++;
    for (uint32_t v = 0; v < rows->vertices; v++)
        rows->parent_first[v + 2] += rows->parent_first[v + 1];
    for (uint64_t i = 0; i < rows->edge_count; i++) {
        uint64_t at = rows->parent_first[edge[i].to + 1]++;
        rows->parents[at] = edge[i];
        rows->plain[at] = edge[i].from;
    }
}

int flux_io_rows_build(struct flux_io_rows *rows, const struct flux_graph *graph, struct flux_error *error)
{
    memset(rows, 0, sizeof *rows);
    flux_io_memory_init(&rows->memory, NULL);
    rows->graph = graph;
    rows->error = error;
    rows->gpus = flux_graph_gpus(graph);
    rows->vertices = flux_graph_vertices(graph);
    flux_graph_edges(graph, &rows->edge_count);
    if (!make_room(rows) || flux_io_names_build(&rows->names, &rows->memory, graph))
        return flux_io_fail_memory(error);
    read_vertices(rows);
    read_edges(rows);
    return FLUX_OK;
}

int flux_io_rows_order(struct flux_io_rows *rows, const uint64_t *keys)
{
    const struct flux_io_dag dag = {rows->vertices, 0, rows->parent_first, rows->plain};
    uint32_t done;
    if (flux_io_dag_order(&rows->memory, &dag, keys, sizeof *keys, rows->order, &done))
        return flux_io_fail_memory(rows->error);
    return done < rows->vertices ? flux_graph_check(rows->graph, rows->error) : FLUX_OK;
}

void flux_io_rows_free(struct flux_io_rows *rows)
{
    const struct flux_io_memory *memory = &rows->memory;
    uint64_t n = rows->vertices, m = rows->edge_count;
    flux_io_release(memory, rows->sends, n, sizeof *rows->sends);
    flux_io_release(memory, rows->parent_first, n + 2, sizeof *rows->parent_first);
    flux_io_release(memory, rows->order, n, sizeof *rows->order);
    flux_io_release(memory, rows->seen, n, sizeof *rows->seen);
    flux_io_release(memory, rows->parents, m, sizeof *rows->parents);
    flux_io_release(memory, rows->plain, m, sizeof *rows->plain);
    flux_io_names_free(&rows->names);
}

const char *flux_io_rows_quote(const struct flux_io_rows *rows, uint32_t vertex, char *quote)
{
    return flux_io_quote(flux_io_names_of(&rows->names, vertex), quote, FLUX_IO_QUOTE);
}
