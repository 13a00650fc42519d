/* SPDX-License-Identifier: Apache-2.0
 *
 * io/generate/table.h - models and GPUs by name, from the table that is compiled in and from a user's file.
 */
#ifndef FLUX_IO_GENERATE_TABLE_H
#define FLUX_IO_GENERATE_TABLE_H

#include "io/memory.h"

#define FLUX_IO_NAME 48 /* bytes of a name, with its end */
#define FLUX_IO_LEVELS_MAX 4u
#define FLUX_IO_STEPS_MAX 8u
#define FLUX_IO_MODEL_MOST (UINT32_C(1) << 20) /* any one number of a shape, so that weights stay below 2^58 */
#define FLUX_IO_LAYERS_MOST 4096u
#define FLUX_IO_EXPERTS_MOST 65536u

#define FLUX_IO_BF16 0u
#define FLUX_IO_FP8 1u
#define FLUX_IO_TF32 2u
#define FLUX_IO_PRECISIONS 3u

#define FLUX_IO_EMBEDDING_OWN 0u  /* one table at the input and one at the output, rows split over tensor ranks */
#define FLUX_IO_EMBEDDING_TIED 1u /* one table for both */
#define FLUX_IO_EMBEDDING_REPLICATED                                                                                   \
    2u /* two tables, whole on every tensor rank, each with its part of the sequence                                   \
        */

/* Attention through latents (DeepSeek-V2, arXiv:2405.04434, section 2.1); all 0: plain heads. */
struct flux_io_latent {
    uint32_t query; /* width of the compressed query; 0: it is not compressed */
    uint32_t key_value;
    uint32_t head; /* part of a head's key without position */
    uint32_t rotary;
    uint32_t value;
};

struct flux_io_model {
    char name[FLUX_IO_NAME];
    uint32_t layers;
    uint32_t hidden;
    uint32_t heads;
    uint32_t kv_heads;
    uint32_t head; /* width of a head */
    uint32_t ffn;
    uint32_t gated; /* 1: three matrices, 0: two */
    uint32_t vocabulary;
    uint32_t embedding;
    uint32_t experts; /* 0: dense */
    uint32_t top_k;
    uint32_t expert_ffn;
    uint32_t shared_ffn;   /* of all shared experts together */
    uint32_t dense_layers; /* how many of the first layers have no experts */
    struct flux_io_latent latent;
};

/* A level of memory: traffic of matrix products through a cache goes by tiles of that edge; tile 0: every operand once.
 */
struct flux_io_level {
    uint64_t rate; /* bytes a second */
    uint32_t tile;
    uint32_t reach; /* percent of the rate that is reached */
};

/* Operations of at least so many FLOP reach so many percent of the peak. */
struct flux_io_reach {
    uint64_t above;
    uint32_t percent;
    uint32_t reserved;
};

struct flux_io_gpu {
    char name[FLUX_IO_NAME];
    uint64_t peak[FLUX_IO_PRECISIONS]; /* FLOP a second; 0: it has not got that */
    uint32_t level_count;
    uint32_t reach_count;
    struct flux_io_level level[FLUX_IO_LEVELS_MAX];
    struct flux_io_reach reach[FLUX_IO_STEPS_MAX]; /* in ascending order */
};

struct flux_io_table {
    const struct flux_io_memory *memory;
    struct flux_io_model *models;
    uint64_t model_count;
    uint64_t model_capacity;
    struct flux_io_gpu *gpus;
    uint64_t gpu_count;
    uint64_t gpu_capacity;
};

/* The table compiled in, and then the file (NULL: none). Free it also after an error. Errors: FORMAT with line and
 * column, IO, MEMORY. */
int flux_io_table_load(struct flux_io_table *table, const struct flux_io_memory *memory, const char *path,
                       struct flux_error *error);
void flux_io_table_free(struct flux_io_table *table);

/* By name, or ARGUMENT with those that there are. */
int flux_io_table_model(const struct flux_io_table *table, const char *name, const struct flux_io_model **model,
                        struct flux_error *error);
int flux_io_table_gpu(const struct flux_io_table *table, const char *name, const struct flux_io_gpu **gpu,
                      struct flux_error *error);

/* Weights of the whole model. */
uint64_t flux_io_model_parameters(const struct flux_io_model *model);

/* What is compiled in. */
const unsigned char *flux_io_table_text(uint64_t *size);

#endif
