/* SPDX-License-Identifier: Apache-2.0
 *
 * io/workload/size.h - how large the graph of a workload becomes, before any of it is made.
 */
#ifndef FLUX_IO_WORKLOAD_SIZE_H
#define FLUX_IO_WORKLOAD_SIZE_H

#include "io/workload/collective.h"
#include "io/workload/graph.h"
#include "io/workload/joint.h"
#include "io/workload/program.h"

struct flux_io_graph_size {
    uint64_t vertices;
    uint64_t edges;  /* at most; two dependencies may turn out to be one edge */
    uint64_t rings;  /* collectives for which halving-doubling became a ring */
    uint64_t uneven; /* and those for which hierarchical did */
};

/* How an instance becomes sends. */
struct flux_io_choice {
    uint32_t algorithm;                    /* FLUX_ALGORITHM_*, resolved */
    uint32_t wanted;                       /* before that */
    uint32_t per_node;                     /* members on each node; 0 where it does not matter, or where nodes differ */
    uint32_t pieces;                       /* chunks that were asked for */
    const struct flux_io_program *program; /* NULL: the algorithm */
    uint32_t chunks; /* those with at least one byte; 0: the collective carries nothing and only joins its members */
};

/* Errors: TOO_BIG (more vertices than the options allow), OVERFLOW (a compute beyond 2^62 ps, sends of more than 2^64
 * bytes in all). */
int flux_io_graph_size(const struct flux_io_workload *workload, const struct flux_io_joint *joint,
                       const struct flux_io_expand_options *options, struct flux_io_graph_size *size,
                       struct flux_error *error);

/* What counting and making must agree about. */

static inline const struct flux_io_group *flux_io_instance_group(const struct flux_io_workload *workload,
                                                                 const struct flux_io_instance *instance)
{
    return &workload->groups.groups[instance->group];
}

/* By the rules of the import, and else by the options. */
struct flux_io_choice flux_io_instance_choice(const struct flux_io_workload *workload,
                                              const struct flux_io_expand_options *options,
                                              const struct flux_io_instance *instance);

/* What it comes to, by the program or the algorithm, for `n` members. */
void flux_io_choice_size(const struct flux_io_choice *choice, uint32_t kind, uint32_t n,
                         struct flux_io_expansion_size *size);
int flux_io_choice_expand(const struct flux_io_choice *choice, struct flux_io_expansion *expansion, uint32_t kind,
                          uint32_t n, uint64_t bytes);

static inline uint64_t flux_io_parent_count(const struct flux_io_rank *rank, uint32_t node)
{
    return rank->first[node + 1] - rank->first[node];
}

/* A join of its own where more than one dependency meets more than one first send: p + s edges and not p * s. */
static inline int flux_io_needs_start(uint64_t parents, uint64_t starts)
{
    return parents > 1 && starts > 1;
}

#endif
