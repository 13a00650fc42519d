/* SPDX-License-Identifier: Apache-2.0
 *
 * A graph laid out for those who write it: what each vertex is, what it waits for, and an order.
 */
#ifndef FLUX_IO_ROWS_H
#define FLUX_IO_ROWS_H

#include "io/memory.h"
#include "io/names.h"

#include <libflux/graph.h>

struct flux_io_rows {
    struct flux_io_memory memory;
    struct flux_io_names names;
    const struct flux_graph *graph;
    struct flux_error *error;
    uint32_t gpus;
    uint32_t vertices;
    uint64_t edge_count;

    /* By vertex. */
    struct flux_send *sends; /* of compute: src is its GPU, dst is FLUX_NONE, duration its own */
    uint64_t *parent_first;  /* and one more */
    uint32_t *order;         /* everything after what it waits for */
    uint32_t *seen;          /* for the writer, FLUX_NONE to begin with: the last vertex that was said to wait for it */

    /* By edge, in order of what waits. */
    struct flux_edge *parents;
    uint32_t *plain; /* `from` alone */
};

/* Everything but the order. Whatever it returns, it is freed by flux_io_rows_free(). */
int flux_io_rows_build(struct flux_io_rows *rows, const struct flux_graph *graph, struct flux_error *error);

/* The order, of what is ready by least key; FLUX_E_CYCLE as flux_graph_check() tells it. */
int flux_io_rows_order(struct flux_io_rows *rows, const uint64_t *keys);

void flux_io_rows_free(struct flux_io_rows *rows);

/* The name of a vertex for an error text; `quote` has FLUX_IO_QUOTE bytes. */
const char *flux_io_rows_quote(const struct flux_io_rows *rows, uint32_t vertex, char *quote);

/* Does GPU `gpu` know when u is done? */
static inline int flux_io_rows_knows(const struct flux_io_rows *rows, uint32_t gpu, uint32_t u)
{
    return rows->sends[u].src == gpu || rows->sends[u].dst == gpu;
}

#endif
