/* SPDX-License-Identifier: Apache-2.0
 *
 * support/replicas.h - random problems with symmetry planted in them: copies of a small random DAG with rings through
 * the copies, and sometimes barriers that all copies wait for; GPUs and vertices in random order.
 */
#ifndef SUPPORT_REPLICAS_H
#define SUPPORT_REPLICAS_H

#include <libflux/flux.h>

struct replicas {
    uint32_t copies;
    uint32_t gpus;     /* of one copy */
    uint32_t vertices; /* of one copy */
    uint32_t rings;    /* 1: copies send to each other */
    uint32_t turn;     /* 1: the GPUs of a copy are a ring themselves and do all the same */
};

/* Fills an empty pair of pointers. The fabric has one to three switches. */
void replicas_make(struct replicas *shape, uint64_t seed, uint32_t rule, struct flux_graph **graph,
                   struct flux_fabric **fabric);

#endif
