/* SPDX-License-Identifier: Apache-2.0
 *
 * formulation/frame.h - what both formulations stand on: times in units, windows, distances, and rows that hold only
 * where some binary columns have some values.
 */
#ifndef FLUX_FORMULATION_FRAME_H
#define FLUX_FORMULATION_FRAME_H

#include "formulation/builder.h"

struct flux_frame {
    const struct flux_problem *problem;
    const struct flux_formulation_options *options;
    struct flux_arena *arena; /* of everything below */
    struct flux_builder builder;
    uint32_t nodes;
    uint32_t switches;
    int tight;
    int empty; /* some window is: there is no schedule within the limit */
    int64_t unit;
    uint32_t shift;
    double scale; /* of one unit: 2^-shift */

    /* All in units from here on. By node and switch: */
    int64_t *time;  /* duration, -1 where the switch cannot carry it, or windows or symmetry rule it out */
    int64_t *wait;  /* for initial circuits; 0: none */
    uint8_t *stale; /* 1: another circuit is up there at time 0, on a port that the node uses */
    /* By node: */
    int64_t *least;    /* shortest duration */
    int64_t *most;     /* longest duration */
    int64_t *earliest; /* start; PAPER: 0 */
    int64_t *latest;   /* start; PAPER: the horizon */
    int64_t *tail;
    uint32_t *copy;    /* the next larger node that is alike in everything; FLUX_NONE */
    /* By pair of nodes: */
    int64_t *gap; /* longest time from the end of u to the start of v along arcs; -1: v does not wait for u */

    /* By switch: */
    int64_t *delay;
    int64_t *dwell;
    uint32_t *alike;    /* TIGHT: the switch before it that is the same in everything; FLUX_NONE */
    uint32_t *position; /* how many of those there are */

    uint32_t *sequence; /* TIGHT: sends that take alike switches in turn; formulation/symmetry.c */
    uint32_t sequence_count;
    uint32_t padding;
    uint8_t *marked;    /* by pair of nodes; TIGHT */
    uint32_t *family;   /* room for one column a node; TIGHT */
    int64_t limit;   /* on the makespan */
    int64_t horizon; /* everything in sequence, with a change before each: the paper's M */

    uint32_t *start_column;
    uint32_t *switch_column;
    uint32_t *moment_column;
    uint32_t *change_column;
    uint32_t makespan_column;
};

/* Needs problem, options and arena. Errors: MEMORY, TOO_BIG. */
int flux_frame_open(struct flux_frame *frame, struct flux_error *error);

/* Columns of starts, makespan and switches, and rows of equations 1 to 3 and of initial circuits. */
void flux_frame_common(struct flux_frame *frame);

/* Everything of one formulation, once the frame stands. */
void flux_paper_emit(struct flux_frame *frame);
void flux_tight_emit(struct flux_frame *frame);

/* Do u and v compete, and can neither go before the other on any switch that both may use? */
int flux_frame_exclude(const struct flux_frame *frame, uint32_t u, uint32_t v);
/* Do circuits of switch k change at moments of the whole switch? */
int flux_frame_staged(const struct flux_frame *frame, uint32_t k);

/* Columns and rows of changes; nothing where no switch stops as a whole or has a dwell. formulation/stages.c */
void flux_stages_columns(struct flux_frame *frame);
void flux_stages_emit(struct flux_frame *frame);
/* u before v, where `order` (with that value) says so; FLUX_NONE: always. For each pair with other circuits. */
void flux_stages_pair(struct flux_frame *frame, uint32_t u, uint32_t v, uint32_t k, uint32_t order, uint32_t value);

/* Removes switches from `time` where alike ones make that harmless, and the rows that say the rest. */
int flux_symmetry_open(struct flux_frame *frame);
void flux_symmetry_emit(struct flux_frame *frame);
/* Rows from the load of GPUs. formulation/loads.c */
void flux_loads_emit(struct flux_frame *frame);
/* Rows of sends of which no two can share a switch. formulation/cliques.c */
int flux_cliques_open(struct flux_frame *frame);
void flux_cliques_emit(struct flux_frame *frame);

static inline uint64_t flux_frame_at(const struct flux_frame *frame, uint32_t node, uint32_t k)
{
    return (uint64_t)node * frame->switches + k;
}

static inline int64_t flux_frame_gap(const struct flux_frame *frame, uint32_t u, uint32_t v)
{
    return frame->gap[(uint64_t)u * frame->nodes + v];
}

/* -1: not on switch k, for whatever reason. */
static inline int64_t flux_frame_time(const struct flux_frame *frame, uint32_t node, uint32_t k)
{
    return frame->time[flux_frame_at(frame, node, k)];
}

static inline double flux_frame_value(const struct flux_frame *frame, int64_t units)
{
    return (double)units * frame->scale;
}

/* -1: u and v do not compete; else what they keep apart on switch k, in units. */
static inline int64_t flux_frame_separation(const struct flux_frame *frame, uint32_t u, uint32_t v, uint32_t k)
{
    const struct flux_problem *problem = frame->problem;
    return flux_separation(problem->rule, problem->src[u], problem->dst[u], problem->src[v], problem->dst[v],
                           frame->delay[k]);
}

/* The latest start of `node` on switch k. */
static inline int64_t flux_frame_latest(const struct flux_frame *frame, uint32_t node, uint32_t k)
{
    return frame->latest[node] - (frame->tight ? flux_frame_time(frame, node, k) - frame->least[node] : 0);
}

/* Can u go before v on switch k, where they keep `separation`? */
int flux_frame_possible(const struct flux_frame *frame, uint32_t u, uint32_t v, uint32_t k, int64_t separation);

struct flux_condition {
    uint32_t column;
    uint32_t value;
};

/* later - sooner >= units where all conditions hold; `need` is the largest (units + sooner - later) that can be. Left
 * out where that is not above 0, unless the formulation is PAPER, whose M is the horizon. */
void flux_frame_when(struct flux_frame *frame, uint32_t later, uint32_t sooner, int64_t units, int64_t need,
                     const struct flux_condition *conditions, uint32_t count, struct flux_meaning meaning);

/* Adds factor * (duration of node) to the row under way, except for the entry of switch `skip` (FLUX_NONE: none).
 * Returns what is constant in it, in units. */
int64_t flux_frame_duration(struct flux_frame *frame, uint32_t node, int64_t factor, uint32_t skip);

#endif
