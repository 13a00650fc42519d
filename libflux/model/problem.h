/* SPDX-License-Identifier: Apache-2.0
 *
 * model/problem.h - graph and fabric together, normalised: the only thing that bounds, search and formulation read.
 *
 * A node is a send or a join (compute that could not be folded away without multiplying edges). Nodes are numbered in
 * topological order: every arc leads from a smaller to a larger number. Compute with at most one predecessor or at most
 * one successor is folded into lags, releases and rests. Immutable once built; any number of threads may read it.
 */
#ifndef FLUX_MODEL_PROBLEM_H
#define FLUX_MODEL_PROBLEM_H

#include "base/memory.h"

#include <libflux/fabric.h>
#include <libflux/graph.h>

/* The other end of an arc and the time between: start(to) >= end(from) + lag. */
struct flux_arc {
    uint32_t node;
    uint32_t padding;
    int64_t lag;
};

struct flux_problem {
    struct flux_arena arena; /* owns every array below */

    uint32_t gpus;
    uint32_t switches;
    uint32_t rule;     /* FLUX_RULE_* */
    uint32_t nodes;
    uint32_t sends;    /* how many nodes are sends */
    uint32_t circuits; /* distinct circuits: ordered pairs, or unordered ones under DUPLEX */
    uint32_t vertices; /* of the graph it was built from */
    int64_t floor;     /* end of the longest path that meets no node: compute alone */

    /* By node. */
    uint32_t *vertex;  /* of the graph */
    uint32_t *src;     /* FLUX_NONE for a join */
    uint32_t *dst;     /* FLUX_NONE for a join */
    uint32_t *circuit; /* 0 .. circuits - 1; FLUX_NONE for a join */
    int64_t *duration; /* the least over the switches that can carry it; a join's own (0 or more) */
    int64_t *release;  /* with folded compute, and the wait for initial circuits where every switch has one */
    int64_t *eligible; /* the release without that wait: from then on its bytes wait at the GPU */
    uint64_t *bytes;   /* 0 for a join, and where only a duration is known */
    int64_t *rest;     /* compute after its end that no node stands for: the makespan is max(end + rest) */
    int64_t *head;     /* earliest start by release and precedence */
    int64_t *tail;     /* longest time from its end to the end of everything, at least rest */

    /* Arcs, by node: from first[v] to first[v + 1]. */
    uint64_t arcs;
    uint64_t *out_first;
    struct flux_arc *out;
    uint64_t *in_first;
    struct flux_arc *in;

    /* By node and switch (node * switches + k): how long it takes there, -1 where that switch cannot carry it. NULL
     * where every switch carries every send in duration[node]. */
    int64_t *durations;

    /* By switch. */
    int64_t *delay;
    int64_t *dwell;
    uint8_t *blocking; /* FLUX_BLOCKING_*; PORT where the delay is 0 */
    int staged;        /* 1 where some switch blocks as a whole or has a dwell */

    /* Circuits that are up at time 0. */
    uint32_t initials;
    struct flux_circuit_name *initial;

    /* Sends by GPU: nodes that start or end at g, ascending, from touch_first[g] to touch_first[g + 1]. */
    uint64_t *touch_first;
    uint32_t *touch;
};

/* How long `node` takes on switch k; -1 where it cannot be carried there. */
static inline int64_t flux_problem_duration(const struct flux_problem *problem, uint32_t node, uint32_t k)
{
    if (!problem->durations)
        return problem->duration[node];
    return problem->durations[(uint64_t)node * problem->switches + k];
}

static inline int flux_problem_is_send(const struct flux_problem *problem, uint32_t node)
{
    return problem->src[node] != FLUX_NONE;
}

/* Both are sends or neither is, and they take the same times, on every switch. */
static inline int flux_problem_alike(const struct flux_problem *problem, uint32_t v, uint32_t w)
{
    if (flux_problem_is_send(problem, v) != flux_problem_is_send(problem, w) ||
        problem->duration[v] != problem->duration[w] || problem->release[v] != problem->release[w] ||
        problem->rest[v] != problem->rest[w])
        return 0;
    for (uint32_t k = 0; problem->durations && k < problem->switches; k++)
        if (flux_problem_duration(problem, v, k) != flux_problem_duration(problem, w, k))
            return 0;
    return 1;
}

/* Do a circuit (a, b) and a circuit (c, d) of one switch compete, and how far apart must their users then be? -1: they
 * do not compete; else 0 or `delay`. The one place in the engines that knows the circuit rules. */
static inline int64_t flux_separation(uint32_t rule, uint32_t a, uint32_t b, uint32_t c, uint32_t d, int64_t delay)
{
    if (rule == FLUX_RULE_SIMPLEX) {
        if (a != c && b != d)
            return -1;
        return a == c && b == d ? 0 : delay;
    }
    if (a != c && a != d && b != c && b != d)
        return -1;
    if (a == c && b == d)
        return 0;
    if (rule == FLUX_RULE_DUPLEX && a == d && b == c)
        return -1;
    return delay;
}

/* Errors: CYCLE, INFEASIBLE, OVERFLOW, MISMATCH, MEMORY. `memory` must outlive the problem. */
int flux_problem_build(const struct flux_graph *graph, const struct flux_fabric *fabric,
                       const struct flux_memory *memory, struct flux_problem **problem, struct flux_error *error);
void flux_problem_free(struct flux_problem *problem); /* NULL is fine */

#endif
