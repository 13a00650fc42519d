/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/io/generate.h - the workload of training a model, from its name. Stable.
 *
 * docs/generate.md says what is computed and how. GPUs are numbered with tensor ranks next to each other, then context,
 * data and pipeline ranks.
 */
#ifndef LIBFLUX_IO_GENERATE_H
#define LIBFLUX_IO_GENERATE_H

#include <libflux/io/import.h>

FLUX_BEGIN_DECLS

/* Precision of matrix products. Everything that is sent has two bytes an element. */
#define FLUX_PRECISION_BF16 0
#define FLUX_PRECISION_FP8 1
#define FLUX_PRECISION_TF32 2

/* Which experts tokens go to. */
#define FLUX_ROUTING_EXPECTED 0    /* all experts the same share: one all-to-all of equal parts */
#define FLUX_ROUTING_MULTINOMIAL 1 /* every token draws its experts, all as likely */
#define FLUX_ROUTING_LOGNORMAL 2   /* the same with weights exp(skew * normal), drawn for each layer */
#define FLUX_ROUTING_ZIPF 3        /* the same with weights 1 / place^skew, places drawn for each layer */

#define FLUX_RECOMPUTE_NONE 0
#define FLUX_RECOMPUTE_FULL 1 /* the forward pass of every layer again before its backward pass, with what it sends */

/* What to generate. Zeros stand for the defaults. Grows at the end: start from FLUX_GENERATE_OPTIONS_INIT. */
struct flux_generate_options {
    uint64_t size;
    const char *model;       /* a name of the table */
    const char *gpu;         /* the same; NULL: "a100" */
    const char *models_path; /* a table of the user's (YAML), in addition; NULL: none */
    const char *times_path;  /* measured times of operations (YAML); NULL: none */
    uint32_t tensor;         /* parallelism, in GPUs; 0: 1 */
    uint32_t context;
    uint32_t data;
    uint32_t pipeline;
    uint32_t expert;         /* of tensor * context * data */
    uint32_t interleave;     /* parts of the model on every pipeline stage; 0: 1 */
    uint32_t layers;         /* 0: those of the model */
    uint32_t sequence;       /* tokens; 0: 2048 */
    uint32_t micro_batches;  /* of one iteration and data rank; 0: 1 */
    uint32_t batch;          /* sequences of a micro-batch; 0: 1 */
    uint32_t sequence_parallel; /* 1: between tensor-parallel products every rank has its part of the sequence */
    uint32_t zero;           /* what data ranks share out: 1 optimizer, 2 and gradients, 3 and weights (FSDP) */
    uint32_t recompute;      /* FLUX_RECOMPUTE_* */
    uint32_t precision;      /* FLUX_PRECISION_* */
    uint32_t routing;        /* FLUX_ROUTING_* */
    uint32_t repeat;         /* iterations, one after the other; 0: 1 */
    double skew;             /* of FLUX_ROUTING_LOGNORMAL and ZIPF, up to 16; 0: 1 */
    uint64_t seed;
    uint64_t bucket;         /* bytes of gradients that are reduced together, at least; 0: 25 MB */
    uint32_t gradient_bytes; /* of an element, 2 or 4; 0: 2 */
    uint32_t reserved;       /* 0 */
    /* Collective algorithms, chunks, node and the limit of vertices; NULL: the defaults. Its other members do nothing. */
    const struct flux_import_options *import;
    /* How many bytes each GPU of an expert group sends to each other one when tokens go to their experts, as a matrix that
     * flux_matrices_read() reads; they come back the other way. A sequence of them: one for each layer, in turn. It
     * replaces `routing`. NULL: none */
    const char *routing_path;
};

#define FLUX_GENERATE_OPTIONS_INIT { sizeof(struct flux_generate_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* The workload as an import of the format "generated": its graph, notes, and counts. Same options, same result, on every
 * machine. `env` may be NULL. Errors: ARGUMENT (options that do not go together; the text says which), ABI, FORMAT and IO
 * (of the files), OVERFLOW, TOO_BIG, MEMORY. Since 0.1. */
FLUX_API int flux_generate(const struct flux_env *env, const struct flux_generate_options *options,
                           struct flux_import **import, struct flux_error *error);

/* What one GPU does in one micro-batch, an operation a row: in the first layer, or where the operation comes once.
 * Frozen. */
struct flux_operation {
    const char *name;  /* "core" */
    uint32_t phase;    /* 0 forward, 1 backward to the input, 2 backward to the weights */
    uint32_t layers;   /* of all pipeline stages that do it; 1: once in the model */
    uint64_t flops;    /* floating-point operations, a multiply and an add being two */
    uint64_t bytes;    /* read and written in memory */
    int64_t time;      /* ps */
};

/* Row `index`, from 0. FLUX_E_ARGUMENT with no text beyond the last. Errors as those of flux_generate(). Since 0.1. */
FLUX_API int flux_generate_operation(const struct flux_generate_options *options, uint32_t index,
                                     struct flux_operation *operation, struct flux_error *error);

FLUX_END_DECLS
#endif
