/* SPDX-License-Identifier: Apache-2.0
 *
 * io/goal/goal.h - GOAL, the schedules of LogGOPSim and ATLAHS: what its text and its binary form share.
 *
 * Hoefler, Siebert, Lumsdaine, "Group Operation Assembly Language", 2009. An operation is a send, a receive or a
 * calculation; it waits for others of its rank to finish (requires) or to start (irequires).
 */
#ifndef FLUX_IO_GOAL_GOAL_H
#define FLUX_IO_GOAL_GOAL_H

#include "io/workload/graph.h"

#define FLUX_IO_GOAL_ANY UINT32_C(0xffffffff) /* the peer or tag that a receive leaves open */
#define FLUX_IO_GOAL_CPUS 65535u              /* compute streams of a rank */
#define FLUX_IO_GOAL_NICS 256u

/* Operation `child` waits for `parent`: for its end, or with `start` for its start. */
struct flux_io_goal_edge {
    uint32_t child;
    uint32_t parent;
    uint32_t start;
};

/* One rank while it is read. The ids of its operations are not set yet. */
struct flux_io_goal_block {
    struct flux_io_node *ops;
    uint64_t op_count;
    uint64_t op_capacity;
    struct flux_io_goal_edge *edges;
    uint64_t edge_count;
    uint64_t edge_capacity;
};

struct flux_io_goal {
    struct flux_import *import;
    struct flux_io_source *source;
    const struct flux_import_options *options;
    struct flux_error *error;
    struct flux_io_expand_options expand;
    struct flux_io_workload workload;
    struct flux_io_goal_block block;
    uint64_t nodes; /* of all ranks so far */
    uint64_t edges;
    uint32_t nics; /* the highest interface, and one more */
    uint32_t seen; /* ranks */
};

/* Reads the options. */
int flux_io_goal_begin(struct flux_io_goal *goal, struct flux_import *import, struct flux_io_source *source,
                       const struct flux_import_options *options, struct flux_error *error);
/* How many ranks there are; none of them is there yet. */
int flux_io_goal_ranks(struct flux_io_goal *goal, uint64_t ranks);
int flux_io_goal_op(struct flux_io_goal *goal, const struct flux_io_node *op);
int flux_io_goal_edge(struct flux_io_goal *goal, uint32_t child, uint32_t parent, uint32_t start);
/* The block becomes rank `rank`, and is empty again. */
int flux_io_goal_rank(struct flux_io_goal *goal, uint32_t rank);
/* All ranks are there: pairs sends with receives and makes the graph. */
int flux_io_goal_finish(struct flux_io_goal *goal);
void flux_io_goal_end(struct flux_io_goal *goal);

#endif
