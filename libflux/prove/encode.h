/* SPDX-License-Identifier: Apache-2.0
 *
 * prove/encode.h - a problem as truth values: which switch carries a send, which two sends share one, and which of them
 * is first.
 *
 * Variables: on(v, k); same(u, v) for two sends that compete; before(u, v) and before(v, u), at most one of them, and
 * one exactly where same(u, v). Each is left out, or is another one, where that says as much. Of switches that nothing
 * tells apart, the first send gets the first, and a switch is used only after the one before it; of two sends that
 * nothing tells apart, the first starts first.
 */
#ifndef FLUX_PROVE_ENCODE_H
#define FLUX_PROVE_ENCODE_H

#include "prove/loads.h"
#include "search/plan.h"

struct flux_pair {
    uint32_t u; /* u < v */
    uint32_t v;
    uint32_t same; /* literals */
    uint32_t before;
    uint32_t after;
};

/* What surrounds a piece of a schedule that is to change while the rest of it stays as it is. */
struct flux_frame {
    int64_t *ready; /* by node * switches + k: no start before, there */
    int64_t *after; /* from a start there to the end of everything, at least */
    uint8_t *fixed; /* by node: keeps its switch, and its place among others that do */
};

struct flux_encoding {
    const struct flux_problem *problem;
    const struct flux_frame *frame; /* NULL: none */
    const struct flux_plan *plan;
    struct flux_clauses clauses;
    struct flux_paths paths;
    struct flux_loads loads;
    uint32_t *literal_on; /* by node * switches + k */
    struct flux_pair *pairs;
    uint32_t pair_count;
    uint32_t *pair_of; /* by node * nodes + node: 1 more than its number, 0: none */
};

/* More than these are too many for this way: of a whole problem, and of a piece of one, where most are far apart. */
#define FLUX_PROVE_SENDS_MAX 128u
#define FLUX_PIECE_SENDS_MAX 512u
#define FLUX_PAIRS_MAX 16384u

/* Deadlines that a search may assume, one after the other: the variables 1 and on. */
#define FLUX_DEADLINES_MAX 256u

/* For schedules of at most `limit`; `plan` tells what is tried first, and in a frame what is fixed. 1 where the problem is not for this way: too
 * large, or with rules that order and switch do not decide. Errors: MEMORY. */
int flux_encode(const struct flux_problem *problem, const struct flux_frame *frame, const struct flux_plan *plan,
                int64_t limit, struct flux_arena *arena, struct flux_encoding *encoding);

#endif
