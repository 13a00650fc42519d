/* SPDX-License-Identifier: Apache-2.0
 *
 * compare/phase.h - dimensions of parallelism, a configuration of the switches for each, and a controller that changes
 * from one to the next.
 */
#ifndef FLUX_COMPARE_PHASE_H
#define FLUX_COMPARE_PHASE_H

#include "compare/course.h"

struct flux_dimensions {
    uint32_t count;
    uint32_t *of; /* by vertex: 0 .. count - 1; FLUX_NONE for compute */
};

/* By vertex, which collective a send belongs to: its first send's number. Sends that an edge without lag joins directly
 * are of one collective. FLUX_NONE for compute. Errors: MEMORY. */
int flux_collectives_find(const struct flux_precedence *precedence, struct flux_arena *arena, uint32_t **collective);

/* Which sends belong to one dimension. The GPUs of a collective are a group; groups of the same size that have no GPU
 * in common are of one dimension: the tensor-parallel groups of a training job, its data-parallel ones, and so on.
 * Errors: MEMORY. */
int flux_dimensions_find(const struct flux_comparing *comparing, const struct flux_precedence *precedence,
                         struct flux_dimensions *dimensions);

/* The sends of one dimension from one GPU to another, and the circuits that they have. */
struct flux_phase_lane {
    uint32_t dimension;
    uint32_t src;
    uint32_t dst;
    uint32_t configuration;
    uint32_t first; /* its circuits: first .. first + count - 1 */
    uint32_t count;
};

struct flux_phase_lanes {
    uint32_t count;
    uint32_t configurations;
    uint32_t circuits;
    uint32_t *of;                 /* by vertex; FLUX_NONE for compute */
    struct flux_phase_lane *lane; /* by configuration */
    uint32_t *switch_of;          /* by circuit */
};

/* A configuration for each dimension: a circuit for every pair of it, as many times as all of them fit on the switches;
 * where they do not fit at once, several configurations. Puts FLUX_NONE into `first` of lanes that have no circuit.
 * Errors: MEMORY. */
int flux_phase_lanes_make(const struct flux_comparing *comparing, const struct flux_dimensions *dimensions,
                          struct flux_phase_lanes *lanes);

/* The controller at work. */
struct flux_phase_run {
    struct flux_course course;
    struct flux_phase_lanes lanes;
    uint32_t *lane_first; /* by configuration */
    uint32_t *by_head;    /* sends in the order in which they would be ready without any switch */
    int64_t delay;        /* the longest of all switches */
    int64_t dwell;

    /* In a run. */
    uint32_t *next;       /* by vertex: the one behind it in its lane's queue */
    uint32_t *queue_head; /* by lane */
    uint32_t *queue_tail;
    uint32_t *active; /* by circuit: its send; FLUX_NONE */
    uint32_t *waited; /* sends in the order in which they became ready */
    uint32_t waited_count;
    uint32_t waited_first;
    uint32_t head_first;
    uint32_t configuration;
    uint32_t up;          /* 0: it is being set up */
    uint32_t under_way;   /* sends */
    uint32_t *waiting_of; /* by configuration: sends in its queues */
    int64_t begin;        /* of the last change; -1: none yet */
};

/* One run, from nothing: fills the slots of all sends. `ahead`: circuits are changed ahead of time. Errors: OVERFLOW.
 */
int flux_phase_go(struct flux_phase_run *running, int ahead);

#endif
