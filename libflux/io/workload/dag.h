/* SPDX-License-Identifier: Apache-2.0
 *
 * io/workload/dag.h - what waits for what: an order, or a cycle that forbids one.
 *
 * Nothing here recurses: dependency chains of a trace are as long as the trace.
 */
#ifndef FLUX_IO_WORKLOAD_DAG_H
#define FLUX_IO_WORKLOAD_DAG_H

#include "io/memory.h"

/* Vertex v waits for parents[first[v]] .. parents[first[v + 1] - 1]. */
struct flux_io_dag {
    uint32_t count;
    uint32_t reserved;
    const uint64_t *first; /* count + 1 */
    const uint32_t *parents;
};

/* Orders the vertices: of those whose parents all stand before it, the one with the smallest id is next (Kahn, 1962,
 * with a heap). The id of vertex v is at `ids` + v * `stride` bytes. `order` has room for all; `*done` of them are set,
 * fewer than all where a cycle keeps the rest back. 0 or MEMORY. */
int flux_io_dag_order(const struct flux_io_memory *memory, const struct flux_io_dag *dag, const uint64_t *ids,
                      uint64_t stride, uint32_t *order, uint32_t *done);

/* A cycle among the vertices that `order` lacks: each of `cycle` waits for the next, the last for the first. It is the
 * shortest through one of its vertices. `cycle` has room for all vertices. 0 or MEMORY. */
int flux_io_dag_cycle(const struct flux_io_memory *memory, const struct flux_io_dag *dag, const uint32_t *order,
                      uint32_t done, uint32_t *cycle, uint32_t *length);

/* "A waits for B, which waits for C, which waits for A" of a cycle, the middle left out where it is long. `name` writes
 * that of a vertex into FLUX_IO_NODE_TEXT bytes. Returns `text`. */
#define FLUX_IO_NODE_TEXT 128
#define FLUX_IO_CYCLE_TEXT 400
char *flux_io_dag_cycle_text(const uint32_t *cycle, uint32_t length,
                             char *(*name)(const void *context, uint32_t vertex, char *room), const void *context,
                             char *text);

#endif
