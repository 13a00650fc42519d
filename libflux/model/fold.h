/* SPDX-License-Identifier: Apache-2.0
 *
 * model/fold.h - takes compute out of a graph where that does not multiply edges.
 */
#ifndef FLUX_MODEL_FOLD_H
#define FLUX_MODEL_FOLD_H

#include "model/fabric.h"
#include "model/graph.h"

/* An arc that ends in a vertex; a list per vertex. */
struct flux_link {
    uint32_t from; /* vertex */
    uint32_t next; /* link; FLUX_NONE ends the list */
    int64_t lag;
};

/* A graph whose remaining vertices are the sends and the compute that could not be folded. By vertex of the graph. */
struct flux_fold {
    uint32_t *order;     /* topological, all vertices */
    uint8_t *kept;       /* 1: still a vertex */
    int64_t *release;    /* with folded compute before it */
    int64_t *rest;       /* folded compute after it that nothing waits for */
    uint32_t *first;     /* its list of links; FLUX_NONE: empty */
    struct flux_link *links;
    int64_t floor;       /* end of the longest path of folded compute alone */
};

/* Everything lives in `arena`. Errors: CYCLE, OVERFLOW, MEMORY. */
int flux_fold_graph(const struct flux_graph *graph, const struct flux_fabric *fabric, struct flux_arena *arena,
                    struct flux_fold *fold, struct flux_error *error);

#endif
