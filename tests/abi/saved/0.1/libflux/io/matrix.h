/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIBFLUX_IO_MATRIX_H
#define LIBFLUX_IO_MATRIX_H
#include <libflux/flux.h>
FLUX_BEGIN_DECLS
struct flux_matrix_options {
    uint64_t size;
    const char *unit;
};
#define FLUX_MATRIX_OPTIONS_INIT { sizeof(struct flux_matrix_options), 0 }
struct flux_matrix_entry {
    uint32_t src;
    uint32_t dst;
    int64_t value;
};
struct flux_matrices;
FLUX_API int flux_matrices_read(const struct flux_env *env, const char *path, const struct flux_matrix_options *options,
                                struct flux_matrices **matrices, struct flux_error *error);
FLUX_API void flux_matrices_free(struct flux_matrices *matrices);
FLUX_API uint32_t flux_matrices_ports(const struct flux_matrices *matrices);
FLUX_API uint64_t flux_matrices_count(const struct flux_matrices *matrices);
FLUX_API int flux_matrices_are_times(const struct flux_matrices *matrices);
FLUX_API const struct flux_matrix_entry *flux_matrices_entries(const struct flux_matrices *matrices, uint64_t index,
                                                               uint64_t *count);
FLUX_API int flux_write_matrix(const char *path, uint32_t ports, const int64_t *demand, struct flux_error *error);
FLUX_API int flux_write_demand(const char *path, struct flux_demand_plan **plans, uint64_t count,
                               uint64_t per_matrix, struct flux_error *error);
FLUX_END_DECLS
#endif
