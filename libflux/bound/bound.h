/* SPDX-License-Identifier: Apache-2.0
 *
 * bound/bound.h - lower bounds on the makespan of a problem, and the certificates that explain them.
 *
 * docs/certificates.md defines every bound and proves it; the files of this room say how each is found fast.
 */
#ifndef FLUX_BOUND_BOUND_H
#define FLUX_BOUND_BOUND_H

#include "base/control.h"
#include "model/problem.h"

#include <libflux/certificate.h>

#define FLUX_SWITCH_WORDS (FLUX_SWITCHES_MAX / 64)

/* Heads and tails raised by what ports must carry, and the lifts that a bound needs of them: docs/certificates.md. */
struct flux_lifted {
    int64_t *head; /* by node */
    int64_t *tail;
    struct flux_lift *lifts;
    uint64_t count;
    struct flux_lift *last[2]; /* by node: what raised its head, its tail last; vertex FLUX_NONE: a path */
};

/* A bound and which window gives it; the nodes in it follow from these: the sends of the GPU's side with at least this
 * head and at least this tail that no switch outside `switches` can carry. */
struct flux_bound_value {
    int64_t bound;
    uint32_t kind; /* FLUX_CERTIFICATE_* */
    uint32_t gpu;  /* FLUX_NONE for a critical path */
    uint32_t side; /* FLUX_SIDE_* */
    uint32_t padding;
    int64_t head;
    int64_t tail;
    uint64_t switches[FLUX_SWITCH_WORDS]; /* bit k % 64 of word k / 64; all ones where it does not matter */
    const struct flux_lifted *lifted;     /* NULL: heads and tails are the problem's */
    uint32_t *nodes; /* PORT_SEQUENCE, shares, SUBSET: the sends that count, `count` of them; else NULL */
    uint64_t count;
};

/* The best of critical path, port edges and port load, for any rule and fabric. Exact over all windows, except where
 * sends of both directions share a circuit (DUPLEX) and the problem is large; see bound/walk.c. Near-linear in the
 * sends. Errors: MEMORY, OVERFLOW. */
int flux_bound_find(const struct flux_problem *problem, struct flux_bound_value *value);

/* Tries to raise `value` towards `makespan`, that of a schedule, by the dearer bounds: cheapest first, only while a gap
 * is left. It takes at most a quarter of what is left of the time and work limits, and without limits 2^24 steps and
 * 128 more for every node and arc; so it is near-linear, and the same result without a time limit everywhere. What
 * `value` then points to lives in `arena`. For any rule and fabric. Errors: MEMORY, OVERFLOW. */
int flux_bound_improve(const struct flux_problem *problem, struct flux_control *control, int64_t makespan,
                       struct flux_arena *arena, struct flux_bound_value *value);

/* The times of `all` again, with the lifts that those of `nodes` need. Lives in `arena`. Errors: MEMORY. */
int flux_bound_lifts_of(const struct flux_problem *problem, struct flux_control *control, const struct flux_lifted *all,
                        const uint32_t *nodes, uint64_t count, struct flux_arena *arena,
                        const struct flux_lifted **some);

/* The cheap part of flux_bound_improve(): at most 2^20 steps. */
int flux_bound_improve_soon(const struct flux_problem *problem, struct flux_control *control, int64_t makespan,
                            struct flux_arena *arena, struct flux_bound_value *value);

struct flux_certificate {
    struct flux_memory memory;
    uint32_t kind;
    uint32_t gpu;
    uint32_t side;
    int64_t bound;
    int64_t head;
    int64_t tail;
    uint32_t *vertices;
    uint64_t vertex_count;
    struct flux_lift *lifts;
    uint64_t lift_count;
};

/* The certificate of `value`, with the graph's vertices. A value of kind SOLVER or NONE gets none. Free with
 * flux_certificate_free(). Errors: MEMORY. */
int flux_certificate_make(const struct flux_problem *problem, const struct flux_bound_value *value,
                          const struct flux_memory *memory, struct flux_certificate **certificate);

#endif
