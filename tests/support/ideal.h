/* SPDX-License-Identifier: Apache-2.0
 *
 * support/ideal.h - a graph on links that never wait: every vertex starts as soon as what it waits for has ended.
 * Shares no code with the library.
 */
#ifndef FLUX_TESTS_IDEAL_H
#define FLUX_TESTS_IDEAL_H

#include <libflux/graph.h>

struct ideal {
    const struct flux_graph *graph;
    uint32_t count;
    uint32_t *order; /* every vertex after those that it waits for */
    uint64_t *first; /* children of v: child[first[v]] .. child[first[v + 1] - 1] */
    uint32_t *child;
    int64_t *lag; /* of the edge to that child */
    int64_t *start;
    int64_t *end;
    uint8_t *after_send; /* 1 where some send comes before the vertex */
    int64_t makespan;
};

/* 0, or -1 for a graph with a cycle. Sends take ceil(bytes * 8 * 10^12 / rate). Free it either way. */
int ideal_run(struct ideal *ideal, const struct flux_graph *graph, uint64_t rate);
void ideal_free(struct ideal *ideal);

/* The latest start of a send that no send comes before; -1: there is none. */
int64_t ideal_release(const struct ideal *ideal);

/* Distinct pairs of sends (u, v) with a way from u to v that meets no other send. */
uint64_t ideal_contracted_edges(const struct ideal *ideal);

/* Distinct (src, dst) of sends. */
uint64_t ideal_circuits(const struct ideal *ideal);

/* Compute time per GPU, on average. */
int64_t ideal_mean_compute(const struct ideal *ideal);

#endif
