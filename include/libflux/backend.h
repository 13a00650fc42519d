/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/backend.h - a solver for mixed-integer programs, plugged in. Extension tier: guarded by FLUX_BACKEND_ABI,
 * which changes when anything here does in a way that old backends would notice.
 *
 * A backend sees columns and rows, never the graph. It returns a value per column, a status and a bound; libflux takes
 * nothing of it on trust: only the switches and the order of sends are read from the values, starts are recomputed in
 * integers, and the result goes through the checker. docs/backends.md walks through one.
 */
#ifndef LIBFLUX_BACKEND_H
#define LIBFLUX_BACKEND_H

#include <libflux/env.h>
#include <libflux/error.h>

FLUX_BEGIN_DECLS

#define FLUX_BACKEND_ABI 1

#define FLUX_COLUMN_CONTINUOUS 0
#define FLUX_COLUMN_BINARY 1

/* No number in a program is larger than this, bounds at infinity aside. Solvers take 1e20 and more for infinity, and
 * doubles stop telling whole numbers apart at 9e15. */
#define FLUX_MILP_LARGEST 1e15

/* Minimise cost * x subject to row_lower <= A x <= row_upper, column_lower <= x <= column_upper. libflux has checked
 * before any backend sees it: numbers are finite and at most FLUX_MILP_LARGEST, except that a lower bound may be
 * -INFINITY and an upper bound INFINITY; no lower bound is above its upper one; bounds of binary columns are 0 or 1.
 * Rows are sparse: entries of row r are row_first[r] .. row_first[r + 1] - 1, with no column twice; an entry may be 0.
 * There may be no rows, no columns, or neither. Arrays belong to libflux and do not change during a solve. Grows at
 * the end. */
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
    const double *start; /* a point, feasible up to rounding, or NULL: a hint that a backend may ignore */
    double cutoff;       /* only points with cost below this are of interest, a hint as well; INFINITY: any */
};

#define FLUX_MILP_UNKNOWN 0    /* stopped, or failed, with nothing to say */
#define FLUX_MILP_FEASIBLE 1   /* a point, not proven best */
#define FLUX_MILP_OPTIMAL 2    /* a point, proven best */
#define FLUX_MILP_INFEASIBLE 3 /* there is no point below the cutoff */
#define FLUX_MILP_UNBOUNDED 4  /* there are points of ever lower cost */

/* Filled by solve(); comes with status UNKNOWN and bound -INFINITY. `values` is room for `columns` doubles, libflux's
 * own. Grows at the end. */
struct flux_milp_result {
    uint64_t size;
    uint32_t status;
    uint32_t reserved;
    double objective; /* of the point, with FEASIBLE or OPTIMAL */
    double bound;     /* no point below the cutoff is better; -INFINITY where unknown */
    uint64_t nodes;   /* branch-and-bound nodes, for the statistics; 0 where unknown */
    double *values;
};

/* What a running solve asks. Call stop() often (every few milliseconds where it can be): non-zero means come back soon
 * with what there is; the deadline passed or the caller cancelled. incumbent() may be NULL; else tell it better points
 * as they are found; `values` is copied. Both may be called from any one thread at a time, until solve() returns; only
 * on the thread that called solve() do they reach the caller of libflux at once (progress, log, its clock), so prefer
 * that one. They never take long. Grows at the end. */
struct flux_milp_run {
    uint64_t size;
    int (*stop)(void *user);
    void (*incumbent)(void *user, const double *values, double objective);
    void *user;
    uint64_t remaining_ns; /* until the deadline, at the call; UINT64_MAX: none */
};

#define FLUX_BACKEND_OPTIMAL (UINT64_C(1) << 0)       /* can prove optimality */
#define FLUX_BACKEND_BOUND (UINT64_C(1) << 1)         /* returns a bound when stopped */
#define FLUX_BACKEND_START (UINT64_C(1) << 2)         /* makes use of milp.start */
#define FLUX_BACKEND_CANCEL (UINT64_C(1) << 3)        /* asks run.stop within 50 ms, wherever it is */
#define FLUX_BACKEND_DETERMINISTIC (UINT64_C(1) << 4) /* the same input gives the same values */
#define FLUX_BACKEND_SOLVES (UINT64_C(1) << 5)        /* it is a solver at all: `none` has not even this */

/* Frozen. */
struct flux_backend_parameter {
    const char *key; /* without the backend's name: "mip_gap" */
    const char *values; /* what it takes, for people: "0 .. 1", "on | off" */
    const char *preset; /* the default */
    const char *about;
};

/* A backend. Constant data; name is [a-z][a-z0-9_]*, at most 32 bytes. open(), solve() and close() must be there.
 * An instance serves one solve after another. The functions never print, exit, or touch the process (signals, locale,
 * environment), return with every lock released, and leave the instance good for close() whatever happened. `error` is
 * never NULL here: `code` is filled in by libflux, `text` is one line. Grows at the end. */
struct flux_backend {
    uint32_t abi; /* FLUX_BACKEND_ABI */
    uint32_t reserved;
    uint64_t size;
    const char *name;
    uint64_t capabilities;
    /* The solver's own version, a static string. May be NULL. */
    const char *(*version)(void);
    /* Parameter `index`, or NULL past the last. May be NULL. */
    const struct flux_backend_parameter *(*describe)(uint32_t index);
    /* Makes an instance; one instance is used by one thread. `env` has every function in place and lives as long as
     * the instance. Errors: MEMORY, BACKEND. close() is called only where it succeeded. */
    int (*open)(const struct flux_env *env, void **instance, struct flux_error *error);
    /* Errors: ARGUMENT for a key or value it does not know, with a sentence. May be NULL. */
    int (*set)(void *instance, const char *key, const char *value, struct flux_error *error);
    /* 0 where `result` was filled, whatever its status. Errors: MEMORY, BACKEND, TOO_BIG. */
    int (*solve)(void *instance, const struct flux_milp *milp, const struct flux_milp_run *run,
                 struct flux_milp_result *result, struct flux_error *error);
    void (*close)(void *instance);
};

/* Backends that were compiled in, the default first, `none` last; NULL past the last. Since 0.1. */
FLUX_API const struct flux_backend *flux_backend_builtin(uint32_t index);

/* One of them by name, or NULL. Since 0.1. */
FLUX_API const struct flux_backend *flux_backend_find(const char *name);

FLUX_END_DECLS
#endif
