/* SPDX-License-Identifier: Apache-2.0
 *
 * io/generate/plan.h - options that have been checked, and the sizes that follow from them.
 */
#ifndef FLUX_IO_GENERATE_PLAN_H
#define FLUX_IO_GENERATE_PLAN_H

#include "io/generate/table.h"

#include <libflux/io/generate.h>
#include <libflux/io/matrix.h>

/* Operations, in the order of flux_generate_operation(). */
enum flux_io_operation {
    FLUX_IO_OP_NORM,
    FLUX_IO_OP_QKV,
    FLUX_IO_OP_CORE, /* attention itself */
    FLUX_IO_OP_PROJECTION,
    FLUX_IO_OP_UP, /* and gate */
    FLUX_IO_OP_ACTIVATION,
    FLUX_IO_OP_DOWN,
    FLUX_IO_OP_ROUTER,
    FLUX_IO_OP_EXPERTS,
    FLUX_IO_OP_SHARED,
    FLUX_IO_OP_EMBEDDING,
    FLUX_IO_OP_HEAD,
    FLUX_IO_OP_LOSS,
    FLUX_IO_OP_OPTIMIZER,
    FLUX_IO_OPERATIONS
};

#define FLUX_IO_FORWARD 0u
#define FLUX_IO_TO_INPUT 1u
#define FLUX_IO_TO_WEIGHT 2u
#define FLUX_IO_PHASES 3u

#define FLUX_IO_ELEMENT 2u /* bytes of an activation or weight that is sent */

struct flux_io_plan {
    const struct flux_io_memory *memory;
    struct flux_io_table table;
    const struct flux_io_model *model;
    const struct flux_io_gpu *gpu;
    uint32_t tp, cp, dp, pp, ep;
    uint32_t interleave;
    uint32_t layers;
    uint32_t chunk_layers; /* of one part on one stage */
    uint32_t seq;
    uint32_t micro_batches;
    uint32_t batch;
    uint32_t sp;
    uint32_t zero;
    uint32_t recompute;
    uint32_t precision;
    uint32_t routing;
    uint32_t repeat;
    uint32_t gradient_bytes;
    uint32_t gpus;
    uint32_t stage_gpus; /* tp * cp * dp */
    uint64_t tokens;     /* of a micro-batch, on one context rank */
    uint64_t split;      /* of them where the sequence is split over tensor ranks; else all */
    uint64_t seed;
    uint64_t bucket;
    double skew;
    struct flux_matrices *matrices;                       /* of the routing; NULL: none */
    int64_t measured[FLUX_IO_OPERATIONS][FLUX_IO_PHASES]; /* ps; -1: not measured */
};

/* Errors as those of flux_generate(). Free it also after an error. */
int flux_io_plan_make(struct flux_io_plan *plan, const struct flux_io_memory *memory,
                      const struct flux_generate_options *options, struct flux_error *error);
void flux_io_plan_free(struct flux_io_plan *plan);

const char *flux_io_operation_name(uint32_t operation);

/* Reads measured times into plan->measured. */
int flux_io_times_read(struct flux_io_plan *plan, const char *path, struct flux_error *error);

/* Do pairs of GPUs exchange different numbers of tokens? */
static inline int flux_io_plan_is_drawn(const struct flux_io_plan *plan)
{
    return plan->ep > 1 && (plan->matrices || plan->routing != FLUX_ROUTING_EXPECTED);
}

static inline int flux_io_plan_has_experts(const struct flux_io_plan *plan, uint32_t layer)
{
    return plan->model->experts && layer >= plan->model->dense_layers;
}

#endif
