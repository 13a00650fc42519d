/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/support/failing_memory.h - an allocator that counts what lives, checks sizes on release, and fails on demand.
 */
#ifndef TESTS_FAILING_MEMORY_H
#define TESTS_FAILING_MEMORY_H

#include <libflux/env.h>
#include <stdatomic.h>

struct failing_memory {
    struct flux_env env; /* hand this to the library */
    atomic_llong live;   /* blocks */
    atomic_llong calls;  /* of alloc and resize since failing_memory_arm() */
    atomic_llong wrong;  /* blocks given back with another size than they were taken with */
    long long fail_at;   /* which of these fails, from 1; 0: none */
    int sticky;          /* 1: every later one fails too */
};

/* `memory` must not move while an object made with its env lives. */
void failing_memory_init(struct failing_memory *memory);

/* From now on the `fail_at`-th call fails. */
void failing_memory_arm(struct failing_memory *memory, long long fail_at, int sticky);

#endif
