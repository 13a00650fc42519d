/* SPDX-License-Identifier: Apache-2.0
 *
 * prove/loads.h - what ports must carry between two moments, under what the search has decided.
 *
 * A place holds `slots` circuits at a time: a GPU side one per switch, one of its ports just one, and the ports of an
 * odd set of GPUs, rounded down, half as many as GPUs for circuits inside the set. Sends that cannot start before a and
 * must end by limit - b need (durations + delay * (circuits - slots)) / slots in between; docs/certificates.md proves it for
 * one side. And one port carries circuits / slots of them, rounded up, or more: at least the shortest, and a delay
 * between any two. In an odd set a circuit that is set up keeps both its ports idle on that switch, so a setup takes a slot; the
 * circuits of a switch that are first at both ports share none, so at most `slots` go without.
 */
#ifndef FLUX_PROVE_LOADS_H
#define FLUX_PROVE_LOADS_H

#include "model/problem.h"
#include "prove/paths.h"

struct flux_place {
    uint32_t first; /* of `member` */
    uint32_t count;
    uint32_t slots;
    uint32_t switch_index; /* FLUX_NONE: all of them */
    uint32_t ports;        /* 1: a slot is a port */
};

struct flux_loads {
    const struct flux_problem *problem;
    struct flux_paths *paths;
    const uint32_t *literal_on; /* by node * switches + k */
    struct flux_place *places;
    uint32_t place_count;
    uint32_t *member; /* nodes, by place; in any order */
    uint32_t *sorted; /* scratch: members by head, descending */
    int64_t *tails;   /* scratch: of these, ascending, each once */
    uint32_t *inside; /* scratch: by circuit, when it was counted */
    uint32_t *at;     /* scratch: by circuit, its place in `shortest` */
    int64_t *shortest;
    int64_t *direction[2]; /* scratch under DUPLEX: by circuit, what each direction carries */
    uint32_t round;
    int64_t delay; /* the least */
};

/* Errors: MEMORY. */
int flux_loads_init(struct flux_loads *loads, const struct flux_problem *problem, struct flux_paths *paths,
                    const uint32_t *literal_on, struct flux_arena *arena);

/* 0, or 1 with clauses->conflict. */
int flux_loads_check(struct flux_loads *loads);

#endif
