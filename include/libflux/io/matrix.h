/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/io/matrix.h - files of demand matrices: how much goes from each port to each other one. Stable.
 *
 * Two formats, recognised by content: Matrix Market (array or coordinate; real or integer; general or symmetric), and
 * tables with commas, semicolons or spaces between the entries. A file holds one matrix or a sequence of them. All are
 * square and of one size; an entry is a decimal number of the file's unit. docs/formats.md has the details.
 */
#ifndef LIBFLUX_IO_MATRIX_H
#define LIBFLUX_IO_MATRIX_H

#include <libflux/flux.h>

FLUX_BEGIN_DECLS

/* How to read. Grows at the end: start from FLUX_MATRIX_OPTIONS_INIT. */
struct flux_matrix_options {
    uint64_t size;
    /* What an entry of 1 is: a unit of libflux/units.h such as "B", "MiB" (the matrix holds sizes), "ps" or "us" (it
     * holds times). NULL: what a comment "unit: us" in the file says, else "B". */
    const char *unit;
};

#define FLUX_MATRIX_OPTIONS_INIT                                                                                       \
    {                                                                                                                  \
        sizeof(struct flux_matrix_options), 0                                                                          \
    }

/* An entry above 0. Frozen. */
struct flux_matrix_entry {
    uint32_t src;
    uint32_t dst;
    int64_t value; /* bytes or ps, 1 .. 2^62 */
};

struct flux_matrices;

/* Reads `path` ("-": standard input; gzip is fine). Values that are not whole in bytes or ps are rounded to the
 * nearest, and never to 0. Entries that are negative, not finite or on the diagonal, matrices that are not square, of
 * zeros alone or cut off, and files without one are errors with line and column. Memory goes with the number of entries
 * above 0. `env` and `options` may be NULL. Free with flux_matrices_free(). Errors: ARGUMENT, ABI, IO, FORMAT,
 * OVERFLOW, TOO_BIG (more than FLUX_DEMAND_PORTS_MAX ports), MEMORY. Since 0.1. */
FLUX_API int flux_matrices_read(const struct flux_env *env, const char *path, const struct flux_matrix_options *options,
                                struct flux_matrices **matrices, struct flux_error *error);
FLUX_API void flux_matrices_free(struct flux_matrices *matrices); /* NULL is fine */

FLUX_API uint32_t flux_matrices_ports(const struct flux_matrices *matrices);
FLUX_API uint64_t flux_matrices_count(const struct flux_matrices *matrices);
FLUX_API int flux_matrices_are_times(const struct flux_matrices *matrices); /* 1: ps, 0: bytes */

/* Those of matrix `index`, by row, then column. NULL and 0 out of range. They live as long as the matrices. */
FLUX_API const struct flux_matrix_entry *flux_matrices_entries(const struct flux_matrices *matrices, uint64_t index,
                                                               uint64_t *count);

/* Writes `demand` (ports * ports, row-major, picoseconds), as Matrix Market where `path` ends in ".mtx", else as a
 * table with commas; a comment names the unit. `path` "-" is standard output. Errors: ARGUMENT, IO, MEMORY. Since 0.1.
 */
FLUX_API int flux_write_matrix(const char *path, uint32_t ports, const int64_t *demand, struct flux_error *error);

/* The results of several plans: matrix,algorithm,found_by,makespan_ps,bound_ps,ratio,configurations,matchings, a row
 * per plan; each `per_matrix` of them belong to one matrix, counted from 0. Errors: ARGUMENT, IO, MEMORY. Since 0.1. */
FLUX_API int flux_write_demand(const char *path, struct flux_demand_plan **plans, uint64_t count,
                               uint64_t per_matrix, struct flux_error *error);

FLUX_END_DECLS
#endif
