/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIBFLUX_BACKEND_H
#define LIBFLUX_BACKEND_H
#include <libflux/env.h>
#include <libflux/error.h>
FLUX_BEGIN_DECLS
#define FLUX_BACKEND_ABI 1
#define FLUX_COLUMN_CONTINUOUS 0
#define FLUX_COLUMN_BINARY 1
#define FLUX_MILP_LARGEST 1e15
struct flux_milp {
    uint64_t size;
    uint32_t columns;
    uint32_t rows;
    uint64_t entries;
    const double *column_lower;
    const double *column_upper;
    const double *cost;
    const uint8_t *column_kind;
    const double *row_lower;
    const double *row_upper;
    const uint64_t *row_first;
    const uint32_t *entry_column;
    const double *entry_value;
    const double *start;
    double cutoff;
};
#define FLUX_MILP_UNKNOWN 0
#define FLUX_MILP_FEASIBLE 1
#define FLUX_MILP_OPTIMAL 2
#define FLUX_MILP_INFEASIBLE 3
#define FLUX_MILP_UNBOUNDED 4
struct flux_milp_result {
    uint64_t size;
    uint32_t status;
    uint32_t reserved;
    double objective;
    double bound;
    uint64_t nodes;
    double *values;
};
struct flux_milp_run {
    uint64_t size;
    int (*stop)(void *user);
    void (*incumbent)(void *user, const double *values, double objective);
    void *user;
    uint64_t remaining_ns;
};
#define FLUX_BACKEND_OPTIMAL (UINT64_C(1) << 0)
#define FLUX_BACKEND_BOUND (UINT64_C(1) << 1)
#define FLUX_BACKEND_START (UINT64_C(1) << 2)
#define FLUX_BACKEND_CANCEL (UINT64_C(1) << 3)
#define FLUX_BACKEND_DETERMINISTIC (UINT64_C(1) << 4)
#define FLUX_BACKEND_SOLVES (UINT64_C(1) << 5)
struct flux_backend_parameter {
    const char *key;
    const char *values;
    const char *preset;
    const char *about;
};
struct flux_backend {
    uint32_t abi;
    uint32_t reserved;
    uint64_t size;
    const char *name;
    uint64_t capabilities;
    const char *(*version)(void);
    const struct flux_backend_parameter *(*describe)(uint32_t index);
    int (*open)(const struct flux_env *env, void **instance, struct flux_error *error);
    int (*set)(void *instance, const char *key, const char *value, struct flux_error *error);
    int (*solve)(void *instance, const struct flux_milp *milp, const struct flux_milp_run *run,
                 struct flux_milp_result *result, struct flux_error *error);
    void (*close)(void *instance);
};
FLUX_API const struct flux_backend *flux_backend_builtin(uint32_t index);
FLUX_API const struct flux_backend *flux_backend_find(const char *name);
FLUX_END_DECLS
#endif
