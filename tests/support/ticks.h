/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/support/ticks.h - what slow simulations that go from picosecond to picosecond share: when vertices become
 * ready, and compute that follows.
 */
#ifndef TESTS_TICKS_H
#define TESTS_TICKS_H

#include "random_problem.h"

struct ticks {
    const struct random_problem *problem;
    const struct flux_graph *graph;
    const struct flux_fabric *fabric;
    uint32_t order[RANDOM_VERTICES_MAX]; /* Kahn's: ties of readiness go by it */
    int64_t ready[RANDOM_VERTICES_MAX];
    struct flux_time times[RANDOM_VERTICES_MAX]; /* of sends: by whoever simulates */
    int64_t rest[RANDOM_VERTICES_MAX];           /* of sends: at first all of their duration */
    uint32_t queue[RANDOM_VERTICES_MAX];
    uint32_t queued;
    int in_queue[RANDOM_VERTICES_MAX];
};

/* After `problem`, `graph` and `fabric` were set, and nothing else: returns the number of sends. */
uint32_t ticks_begin(struct ticks *ticks);

/* Readiness as far as the ends of sends tell it, -1 where they do not, and compute that follows. */
void ticks_propagate(struct ticks *ticks);

#endif
