/* SPDX-License-Identifier: Apache-2.0
 *
 * io/generate/routing.h - which tokens go to which experts' GPUs.
 *
 * The k experts of a token are drawn independently. Arithmetic is that of IEEE 754 without library functions, so that
 * the same seed gives the same tokens on every machine.
 */
#ifndef FLUX_IO_GENERATE_ROUTING_H
#define FLUX_IO_GENERATE_ROUTING_H

#include "io/generate/plan.h"

/* What one layer's router does in one micro-batch, for one group of expert-parallel GPUs. */
struct flux_io_route {
    uint32_t iteration;
    uint32_t micro_batch;
    uint32_t layer;
    uint32_t group;
};

/* With a matrix of routing that layer's, else drawn. counts[i * ep + j]: how often a token of GPU i goes to an expert
 * on GPU j. Each row of a draw adds up to `assignments`. Weights of experts depend on seed and layer alone; draws on
 * all of `route`. 0 or MEMORY. */
int flux_io_route_draw(const struct flux_io_plan *plan, const struct flux_io_route *route, uint64_t assignments,
                       uint64_t *counts);

/* The weights of the experts, which add up to 1. */
void flux_io_route_weights(const struct flux_io_plan *plan, uint32_t layer, double *weights);

#endif
