/* SPDX-License-Identifier: Apache-2.0
 *
 * io/workload/graph.h - a matched workload to a flux_graph.
 */
#ifndef FLUX_IO_WORKLOAD_GRAPH_H
#define FLUX_IO_WORKLOAD_GRAPH_H

#include "io/workload/workload.h"

/* How collectives become sends, and how large the graph may get. */
struct flux_io_expand_options {
    uint64_t vertices_max;
    uint32_t algorithm[FLUX_IO_COLLECTIVE_KINDS]; /* FLUX_ALGORITHM_*, by kind */
    uint32_t chunks;                              /* at least 1 */
    uint32_t node;                                /* GPUs of a node; 0: not known */
    uint32_t overlap_compute;
};

/* Fills from the options of an import, zeros replaced by what they stand for. ARGUMENT for unknown values. */
int flux_io_expand_options_init(struct flux_io_expand_options *expand, const struct flux_import_options *options,
                                struct flux_error *error);

/* The graph of a matched workload, into import->graph, and the counts "collectives", "messages" and "bytes".
 *
 * A compute is a vertex; so is a send of a message, and so is its receive, a join after the transfer and what the
 * receive itself waits for (receives do not hold back sends). Every member of a collective gets the sends of its steps
 * and a join at the end; a collective without bytes is one join for all members. Nothing is contracted.
 * Errors: CYCLE (ranks wait for each other), OVERFLOW, TOO_BIG (told before anything is expanded), MEMORY. */
int flux_io_workload_graph(struct flux_io_workload *workload, const struct flux_io_expand_options *options,
                           struct flux_error *error);

#endif
