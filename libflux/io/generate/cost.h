/* SPDX-License-Identifier: Apache-2.0
 *
 * io/generate/cost.h - what an operation does, in closed formulas, and how long a GPU takes.
 */
#ifndef FLUX_IO_GENERATE_COST_H
#define FLUX_IO_GENERATE_COST_H

#include "io/generate/plan.h"

/* Numbers beyond 64 bits read UINT64_MAX. */
struct flux_io_cost {
    uint64_t flops;
    uint64_t bytes;  /* every operand and result once */
    uint64_t volume; /* of matrix products: rows * inner * columns */
    uint64_t parts;  /* equal products that run one by one, each as efficient as its size allows; at least 1 */
};

/* Of one GPU. `rows` are tokens: of a micro-batch, of its part where the sequence is split (norm, router, and shared
 * experts beside expert parallelism), or those that came to its experts, each as often as it came. */
void flux_io_cost_of(const struct flux_io_plan *plan, uint32_t operation, uint32_t phase, uint64_t rows,
                     struct flux_io_cost *cost);
/* Of the optimizer (Adam in mixed precision) on so many weights. */
void flux_io_cost_optimizer(uint64_t weights, struct flux_io_cost *cost);

/* Hierarchical roofline (Yang, Kurth, Williams, 2019): the longest of the products at the peak that their size reaches,
 * and of the traffic on each level of memory. UINT64_MAX: too long to say. */
uint64_t flux_io_cost_time(const struct flux_io_gpu *gpu, uint32_t precision, const struct flux_io_cost *cost);

/* The time of an operation, measured or computed; `cost` may be NULL. */
uint64_t flux_io_operation_time(const struct flux_io_plan *plan, uint32_t operation, uint32_t phase, uint64_t rows,
                                struct flux_io_cost *cost);

/* Weights on one GPU. The gains of norms and all biases are left out: less than 0.1 % of a model. */
uint64_t flux_io_weights_layer(const struct flux_io_plan *plan, uint32_t layer);   /* without what experts hold */
uint64_t flux_io_weights_experts(const struct flux_io_plan *plan, uint32_t layer); /* apart from others where ep > 1 */
uint64_t flux_io_weights_table(const struct flux_io_plan *plan);                   /* of one embedding */

/* Bytes of keys and values of a micro-batch on one GPU. */
uint64_t flux_io_key_value_bytes(const struct flux_io_plan *plan);

static inline uint64_t flux_io_times(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static inline uint64_t flux_io_plus(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static inline uint64_t flux_io_share(uint64_t whole, uint64_t parts)
{
    return whole / parts + (whole % parts != 0);
}

#endif
