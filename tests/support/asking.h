/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/support/asking.h - the public functions that may ask for memory, each in a run that gives back what it made.
 */
#ifndef TESTS_ASKING_H
#define TESTS_ASKING_H

#include "failing_memory.h"

#include <libflux/flux.h>

/* Objects to work with, made while there is memory. */
struct bench {
    struct failing_memory memory;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_schedule *schedule;
    const struct flux_slot *slots;
    uint64_t count;
};

void bench_begin(struct bench *bench);
void bench_end(struct bench *bench);

#define ASKS_PROCESS 1
#define ASKS_JSON                                                                                                      \
    2 /* and jansson does, which takes a token that it has no room for to be wrong: FORMAT is then as good */

struct asking {
    const char *function;
    int (*run)(struct bench *bench); /* 0, or what the function said */
    int process;                     /* one of these, where it asks malloc() besides or instead of its environment */
};

extern const struct asking asking[];       /* the last has no function */
extern const struct asking asking_files[]; /* of libflux-io */

#endif
