/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIBFLUX_IO_IMPORT_H
#define LIBFLUX_IO_IMPORT_H
#include <libflux/flux.h>
FLUX_BEGIN_DECLS
#define FLUX_DEPS_AUTO 0
#define FLUX_DEPS_DATA 1
#define FLUX_DEPS_DATA_CTRL 2
#define FLUX_MISSING_ERROR 0
#define FLUX_MISSING_WARN 1
#define FLUX_ENDPOINTS_RANK 0
#define FLUX_ENDPOINTS_NIC 1
#define FLUX_ALGORITHM_DEFAULT 0
#define FLUX_ALGORITHM_RING 1
#define FLUX_ALGORITHM_DIRECT 2
#define FLUX_ALGORITHM_HALVING_DOUBLING 3
#define FLUX_ALGORITHM_BIDIRECTIONAL_RING 4
#define FLUX_ALGORITHM_RECURSIVE_DOUBLING 5
#define FLUX_ALGORITHM_BINOMIAL_TREE 6
#define FLUX_ALGORITHM_DOUBLE_BINARY_TREE 7
#define FLUX_ALGORITHM_HIERARCHICAL 8
struct flux_import_options {
    uint64_t size;
    uint32_t deps;
    uint32_t missing_parent;
    uint32_t strict;
    uint32_t ranks;
    uint64_t scale_num;
    uint64_t scale_den;
    const char *groups_path;
    double peak_flops;
    double memory_rate;
    uint32_t overlap_compute;
    uint32_t chunks;
    uint32_t all_reduce;
    uint32_t all_gather;
    uint32_t reduce_scatter;
    uint32_t all_to_all;
    uint64_t vertices_max;
    const struct flux_graph *graph;
    const char *collectives_path;
    uint32_t broadcast;
    uint32_t node;
    uint32_t endpoints;
    uint32_t fold;
    int64_t compute_unit;
    const char **algorithms;
    uint32_t algorithm_count;
    uint32_t reserved;
    uint64_t collective_bytes;
    const char *unit;
    int64_t step_compute;
};
#define FLUX_IMPORT_OPTIONS_INIT { sizeof(struct flux_import_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
struct flux_import;
FLUX_API int flux_import(const struct flux_env *env, const char *path, const struct flux_import_options *options,
                         struct flux_import **import, struct flux_error *error);
FLUX_API void flux_import_free(struct flux_import *import);
FLUX_API const char *flux_import_format(const struct flux_import *import);
FLUX_API const struct flux_graph *flux_import_graph(const struct flux_import *import);
FLUX_API const struct flux_fabric *flux_import_fabric(const struct flux_import *import);
FLUX_API const struct flux_slot *flux_import_slots(const struct flux_import *import, uint64_t *count);
FLUX_API const struct flux_certificate *flux_import_certificate(const struct flux_import *import);
struct flux_format {
    const char *name;
    const char *about;
    const char *recognised;
    const char *options;
};
FLUX_API const struct flux_format *flux_import_formats(uint32_t index);
FLUX_API struct flux_graph *flux_import_take_graph(struct flux_import *import);
FLUX_API uint64_t flux_import_warnings(const struct flux_import *import);
FLUX_API const char *flux_import_warning(const struct flux_import *import, uint64_t index);
FLUX_API uint64_t flux_import_notes(const struct flux_import *import);
FLUX_API const char *flux_import_note(const struct flux_import *import, uint64_t index);
FLUX_API uint64_t flux_import_count(const struct flux_import *import, const char *name);
FLUX_END_DECLS
#endif
