/* SPDX-License-Identifier: Apache-2.0
 *
 * bound/lift.h - heads and tails raised by what the ports of a GPU must carry before, or after, a node.
 *
 * A head counts the longest chain of ancestors. Ancestors that share ports also wait for one another: those that touch
 * one side are a problem of their own, which ends when the node starts, so port load bounds its start. In topological
 * order every lifted head builds on those before it. Tails are the same with all arcs turned round. Proof:
 * docs/certificates.md.
 */
#ifndef FLUX_BOUND_LIFT_H
#define FLUX_BOUND_LIFT_H

#include "base/control.h"
#include "bound/bound.h"
#include "bound/share.h"

/* A node near enough to be popped from the heap of a walk, with the key it was pushed under. */
struct flux_lift_entry {
    int64_t time;
    uint32_t node;
    uint32_t padding;
};

/* A send met by a walk, at one of its sides. */
struct flux_lift_member {
    uint32_t node;
    uint32_t next; /* of the same side, met later: its time is no larger; FLUX_NONE at the end */
};

/* A send of a window, where it is counted. */
struct flux_lift_counted {
    int64_t duration;
    uint32_t circuit;
    uint32_t padding;
};

/* Heads or tails, and which window raised each last. */
struct flux_lift_times {
    int64_t *time;          /* by node */
    struct flux_lift *lift; /* by node; vertex FLUX_NONE where the time is that of a path */
};

struct flux_lifter {
    const struct flux_problem *problem;
    struct flux_control *control;
    uint64_t steps;      /* taken so far */
    uint64_t steps_told; /* of these, told to the control */
    uint64_t steps_limit;
    uint64_t deadline_ns; /* UINT64_MAX: none */
    int spent;            /* no more lifting: steps, time or the caller said so */
    struct flux_lift_times heads;
    struct flux_lift_times tails;

    uint32_t *links; /* by side: switches that can carry some send of it */
    int64_t *delay;  /* by side: the least among them */

    /* Scratch of a walk. */
    struct flux_lift_entry *heap;
    uint32_t heap_count;
    uint32_t visit;
    uint32_t *met;   /* by node: the visit that met it last */
    int64_t *lag;    /* by node: the longest path found between its end and the walk's node */
    uint32_t *touch; /* sides met */
    uint32_t touch_count;
    uint32_t *side_visit; /* by side */
    uint32_t *side_first; /* by side: its first member */
    uint32_t *side_last;
    struct flux_lift_member *member;
    uint32_t member_count;

    /* Scratch of a window, by circuit. */
    uint32_t window;
    uint32_t *circuit_window;
    int64_t *way[2]; /* by circuit: durations in either direction; one direction but under DUPLEX */

    /* Scratch of a share. */
    struct flux_lift_counted *counted; /* a window's sends */
    int64_t *sum;
    struct flux_share share;
};

/* Everything lives in `arena`. Linear in nodes times switches. 0 or FLUX_E_MEMORY. */
int flux_lifter_make(const struct flux_problem *problem, struct flux_control *control, struct flux_arena *arena,
                     struct flux_lifter *lifter);

/* Raises all heads, or all tails, looking at the `reach` nearest nodes before, or after, each. Once the lifter is spent
 * it only goes on along paths. 1 where something rose. */
int flux_lift_all(struct flux_lifter *lifter, int tails, uint32_t reach);

/* Meets the ancestors (descendants) of `node`, the latest head (tail) first: at most `reach` of them, none with a time
 * below `least`. Members and lags are what it found. */
void flux_lift_walk(struct flux_lifter *lifter, int tails, uint32_t node, uint32_t reach, int64_t least);

#endif
