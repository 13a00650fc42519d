/* SPDX-License-Identifier: Apache-2.0
 *
 * io/workload/size.h - how large the graph of a workload becomes, before any of it is made.
 */
#ifndef FLUX_IO_WORKLOAD_SIZE_H
#define FLUX_IO_WORKLOAD_SIZE_H

#include "io/workload/collective.h"
#include "io/workload/graph.h"
#include "io/workload/joint.h"

struct flux_io_graph_size {
    uint64_t vertices;
    uint64_t edges; /* at most; two dependencies may turn out to be one edge */
    uint64_t rings; /* collectives for which halving-doubling became a ring */
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

/* Of an instance with bytes. */
static inline uint32_t flux_io_instance_algorithm(const struct flux_io_workload *workload,
                                                  const struct flux_io_expand_options *options,
                                                  const struct flux_io_instance *instance)
{
    return flux_io_collective_algorithm(instance->kind, options->algorithm[instance->kind],
                                        flux_io_instance_group(workload, instance)->count);
}

/* Chunks with at least one byte. 0: the collective carries nothing and only joins its members. */
static inline uint32_t flux_io_instance_chunks(const struct flux_io_expand_options *options,
                                               const struct flux_io_instance *instance)
{
    return instance->bytes < options->chunks ? (uint32_t)instance->bytes : options->chunks;
}

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
