/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIBFLUX_IO_GENERATE_H
#define LIBFLUX_IO_GENERATE_H
#include <libflux/io/import.h>
FLUX_BEGIN_DECLS
#define FLUX_PRECISION_BF16 0
#define FLUX_PRECISION_FP8 1
#define FLUX_PRECISION_TF32 2
#define FLUX_ROUTING_EXPECTED 0
#define FLUX_ROUTING_MULTINOMIAL 1
#define FLUX_ROUTING_LOGNORMAL 2
#define FLUX_ROUTING_ZIPF 3
#define FLUX_RECOMPUTE_NONE 0
#define FLUX_RECOMPUTE_FULL 1
struct flux_generate_options {
    uint64_t size;
    const char *model;
    const char *gpu;
    const char *models_path;
    const char *times_path;
    uint32_t tensor;
    uint32_t context;
    uint32_t data;
    uint32_t pipeline;
    uint32_t expert;
    uint32_t interleave;
    uint32_t layers;
    uint32_t sequence;
    uint32_t micro_batches;
    uint32_t batch;
    uint32_t sequence_parallel;
    uint32_t zero;
    uint32_t recompute;
    uint32_t precision;
    uint32_t routing;
    uint32_t repeat;
    double skew;
    uint64_t seed;
    uint64_t bucket;
    uint32_t gradient_bytes;
    uint32_t reserved;
    const struct flux_import_options *import;
    const char *routing_path;
};
#define FLUX_GENERATE_OPTIONS_INIT { sizeof(struct flux_generate_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
FLUX_API int flux_generate(const struct flux_env *env, const struct flux_generate_options *options,
                           struct flux_import **import, struct flux_error *error);
struct flux_operation {
    const char *name;
    uint32_t phase;
    uint32_t layers;
    uint64_t flops;
    uint64_t bytes;
    int64_t time;
};
FLUX_API int flux_generate_operation(const struct flux_generate_options *options, uint32_t index,
                                     struct flux_operation *operation, struct flux_error *error);
FLUX_END_DECLS
#endif
