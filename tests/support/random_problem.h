/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/support/random_problem.h - small random problems from a seed, kept as plain numbers so that a test can change,
 * relabel, scale and print them before it builds graph and fabric.
 */
#ifndef TESTS_RANDOM_PROBLEM_H
#define TESTS_RANDOM_PROBLEM_H

#include <libflux/flux.h>

#define RANDOM_VERTICES_MAX 16
#define RANDOM_EDGES_MAX 48
#define RANDOM_GPUS_MAX 7
#define RANDOM_SWITCHES_MAX 5
#define RANDOM_CIRCUITS_MAX 16

/* Which parameters of the fabric leave their defaults. Without any: one delay for all switches. */
#define RANDOM_DELAYS 0x01u /* each switch its own delay */
#define RANDOM_RATES 0x02u  /* each port its own rate, and sends with bytes */
#define RANDOM_DEAD 0x04u
#define RANDOM_FORBIDDEN 0x08u
#define RANDOM_INITIAL 0x10u
#define RANDOM_PROPAGATION 0x20u
#define RANDOM_BLOCKING 0x40u /* some switch stops as a whole */
#define RANDOM_DWELL 0x80u    /* some switch has a least time between changes */
#define RANDOM_ALL 0xffu

struct random_options {
    uint32_t rule;       /* FLUX_RULE_* */
    uint32_t parameters; /* RANDOM_* */
    uint32_t sends_min;  /* at least 1 */
    uint32_t sends_max;  /* at most 8 */
    uint32_t time_max;   /* durations are 1 .. time_max, other times of the same order; 0: mixed, up to 20 */
    uint32_t uncarriable; /* 1: there may be sends that no switch can carry */
};

struct random_vertex {
    uint32_t send;    /* 1, or 0 for compute */
    uint32_t src;     /* of compute: its GPU */
    uint32_t dst;
    uint32_t padding;
    uint64_t bytes;   /* 0 where a send has a duration */
    int64_t duration; /* 0 where a send has bytes */
    int64_t release;
};

struct random_problem {
    uint64_t seed;
    uint32_t rule;
    uint32_t gpus;
    uint32_t switches;
    uint32_t vertices;
    uint32_t edges;
    uint32_t forbiddens;
    uint32_t initials;
    uint32_t padding;
    struct random_vertex vertex[RANDOM_VERTICES_MAX];
    struct flux_edge edge[RANDOM_EDGES_MAX];
    int64_t delay[RANDOM_SWITCHES_MAX];
    int64_t dwell[RANDOM_SWITCHES_MAX];
    uint32_t blocking[RANDOM_SWITCHES_MAX];
    uint64_t rate[RANDOM_GPUS_MAX][RANDOM_SWITCHES_MAX];
    uint32_t dead[RANDOM_GPUS_MAX][RANDOM_SWITCHES_MAX];
    int64_t propagation[RANDOM_GPUS_MAX][RANDOM_GPUS_MAX];
    struct flux_circuit_name forbidden[RANDOM_CIRCUITS_MAX];
    struct flux_circuit_name initial[RANDOM_CIRCUITS_MAX];
};

/* The same problem for the same seed and options, on every machine. */
void random_problem(struct random_problem *problem, uint64_t seed, const struct random_options *options);

/* 0 or the library's error; on an error nothing is left. `env` may be NULL. */
int random_problem_build(const struct random_problem *problem, const struct flux_env *env, struct flux_graph **graph,
                         struct flux_fabric **fabric);

/* Makes two layers with a barrier between of a problem with 3 GPUs or more: `most` sends or one less, which all touch
 * GPU 0 or 1 so that they share ports. */
void random_problem_layers(struct random_problem *problem, uint32_t most);

/* Makes nearly all sends touch GPU 0, with the edges between them as they are: chains, and queues without order. */
void random_problem_crowd(struct random_problem *problem);

/* The same problem under other numbers for GPUs, switches and vertices. */
void random_problem_relabel(const struct random_problem *problem, uint64_t seed, struct random_problem *relabelled);

/* Every time times `factor`, rates divided by it: exact where sends have durations. */
void random_problem_scale(const struct random_problem *problem, int64_t factor, struct random_problem *scaled);

/* As a native document on standard error, to try by hand. */
void random_problem_print(const struct random_problem *problem);

/* How many problems a property test tries: `count`, or the share of it that FLUX_TEST_COUNT (percent) says; a tenth
 * under AddressSanitizer. At least 1. */
uint32_t random_problem_count(uint32_t count);

#endif
