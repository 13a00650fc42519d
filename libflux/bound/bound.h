/* SPDX-License-Identifier: Apache-2.0
 *
 * bound/bound.h - lower bounds on the makespan of a problem.
 */
#ifndef FLUX_BOUND_BOUND_H
#define FLUX_BOUND_BOUND_H

#include "model/problem.h"

#include <libflux/certificate.h>

/* A bound and which window gives it; the nodes in it follow from these. */
struct flux_bound_value {
    int64_t bound;
    uint32_t kind; /* FLUX_CERTIFICATE_* */
    uint32_t gpu;  /* FLUX_NONE for a critical path */
    uint32_t side; /* FLUX_SIDE_* */
    uint32_t padding;
    int64_t head;
    int64_t tail;
};

/* The best of critical path, port edges and port load. Errors: MEMORY, OVERFLOW. */
int flux_bound_find(const struct flux_problem *problem, struct flux_bound_value *value);

struct flux_certificate {
    struct flux_memory memory;
    uint32_t kind;
    uint32_t gpu;
    uint32_t side;
    int64_t bound;
    int64_t head;
    int64_t tail;
    uint32_t *vertices;
    uint64_t vertex_count;
};

/* The certificate of `value`, with the graph's vertices. Errors: MEMORY. */
int flux_certificate_make(const struct flux_problem *problem, const struct flux_bound_value *value,
                          const struct flux_memory *memory, struct flux_certificate **certificate);

#endif
