/* SPDX-License-Identifier: Apache-2.0
 *
 * model/graph.h - inside of the user's graph.
 */
#ifndef FLUX_MODEL_GRAPH_H
#define FLUX_MODEL_GRAPH_H

#include "base/memory.h"

#include <libflux/graph.h>

/* One per vertex. A send has src != FLUX_NONE; compute has src = FLUX_NONE and its GPU in dst. */
struct flux_vertex {
    uint32_t src;
    uint32_t dst;
    uint64_t bytes;
    int64_t duration; /* 0 for a send: from the fabric */
    int64_t release;
    char *label; /* NULL: none */
};

struct flux_graph {
    struct flux_memory memory;
    uint32_t gpus;
    uint32_t sends;
    struct flux_vertex *vertices;
    uint64_t vertex_count;
    uint64_t vertex_capacity;
    struct flux_edge *edges;
    uint64_t edge_count;
    uint64_t edge_capacity;
};

/* Vertices in an order in which every edge leads forward: among those that are ready, the first to become so comes
 * first. `order` has room for all. FLUX_E_CYCLE with a cycle in `error`, or FLUX_E_MEMORY. */
int flux_graph_order(const struct flux_graph *graph, const struct flux_memory *memory, uint32_t *order,
                     struct flux_error *error);

/* "a12" or "vertex 12" into `text`; returns it. */
char *flux_graph_name(const struct flux_graph *graph, uint32_t vertex, char *text, uint64_t size);

#endif
