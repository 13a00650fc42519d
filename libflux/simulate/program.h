/* SPDX-License-Identifier: Apache-2.0
 *
 * simulate/program.h - inside of a program: what a replay knows of the plan, the events of the clock, and the gates of
 * the order.
 */
#ifndef FLUX_SIMULATE_PROGRAM_H
#define FLUX_SIMULATE_PROGRAM_H

#include "simulate/replay.h"

#include <libflux/program.h>

struct flux_program_clock {
    struct flux_event *events; /* by time, kind, switch, item */
    uint64_t count;
    uint64_t at;           /* events that have passed */
    uint64_t *next_change; /* by event, and behind the last: the first of a circuit from there on; `count`: none */
    uint64_t *by_switch;   /* events of circuits, by switch */
    uint64_t *first;       /* by switch: where its events begin */
    uint64_t *passed;      /* by switch: where its events go on */
    uint32_t *row_first;   /* by switch */
    uint32_t *up;          /* rows that are up: those of switch k are up[row_first[k]] .. */
    uint32_t *up_count;    /* by switch */
    uint32_t *place;       /* by row: where it is in `up` */
};

/* What holds something back: how many others must be done, and when the last of those that are was. */
struct flux_program_gate {
    uint32_t waits;
    uint32_t padding;
    int64_t time;
};

struct flux_program_gates {
    struct flux_program_gate *vertex;
    struct flux_program_gate *tenure; /* its sends: the change, and the same circuit's stay before at one port */
    struct flux_program_gate *change; /* by tenure: other circuits at its ports; not used where it has a group */
    struct flux_program_gate *group;
    uint32_t *sends_left;   /* by tenure */
    uint32_t *changes_left; /* by group */
};

struct flux_program_order {
    struct flux_program_gates begin; /* as they stand when nothing is done */
    struct flux_program_gates now;
    uint32_t *lane_head;      /* by lane: its first send */
    uint32_t *lane_next;      /* by vertex: the send behind it on its lane; FLUX_NONE */
    uint64_t *follower_first; /* by tenure: what takes its ports next, */
    uint64_t *followers;      /* as 2 * tenure + side */
    uint64_t *opened_first;   /* by group: sends that wait for its changes */
    uint32_t *opened;
    int64_t *tenure_end;
    int64_t *group_up;
    uint8_t *state;           /* by vertex, then row: FLUX_PROGRAM_* */
    int64_t *least;           /* by vertex, then row: when the action may begin */
    struct flux_event *queue; /* actions in the order in which they became possible */
    uint64_t queue_head;
    uint64_t queue_tail;
    uint64_t actions;
    uint64_t left;
    uint64_t steps; /* of work since the last restart, for tests */
};

#define FLUX_PROGRAM_WAITS 0
#define FLUX_PROGRAM_OFFERED 1
#define FLUX_PROGRAM_TAKEN 2
#define FLUX_PROGRAM_DONE 3

struct flux_program {
    struct flux_memory memory;
    struct flux_replay *replay;
    struct flux_arena arena;
    struct flux_circuit *rows;
    uint32_t row_count;
    uint32_t padding;
    uint32_t *row_of;    /* by tenure; FLUX_NONE where it serves no send */
    uint32_t *tenure_of; /* by row */
    struct flux_program_clock clock;
    struct flux_program_order order;
};

/* Both after the rows. Errors: MEMORY. */
int flux_program_make_clock(struct flux_program *program);
int flux_program_make_order(struct flux_program *program);

#endif
