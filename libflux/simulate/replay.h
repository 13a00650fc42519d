/* SPDX-License-Identifier: Apache-2.0
 *
 * simulate/replay.h - inside of a replay: the plan as it was read from a checked schedule, and the results of a run.
 *
 * A tenure is one circuit's stay on its two ports (schedule/audit.h); its lanes are its directions: one, or two under
 * DUPLEX. A group is a set of changes that were planned to begin together on a switch that blocks as a whole or has a
 * dwell; other switches have none.
 */
#ifndef FLUX_SIMULATE_REPLAY_H
#define FLUX_SIMULATE_REPLAY_H

#include "base/memory.h"
#include "schedule/audit.h"

#include <libflux/simulate.h>

struct flux_replay_tenure {
    uint32_t before[2]; /* tenures that had its ports before; FLUX_NONE where there was none */
    uint8_t other[2];   /* 1 where that was another circuit */
    uint16_t padding;
    uint32_t group;   /* of its change; FLUX_NONE where there is none */
    int64_t deadline; /* its sends end by then when circuits change by the clock; INT64_MAX: it stays */
};

struct flux_replay_group {
    uint32_t switch_index;
    uint32_t first; /* its tenures are by_group[first] .. by_group[first + count - 1] */
    uint32_t count;
    uint32_t last; /* 1: the last group of its switch */
    int64_t begin; /* as planned */
};

struct flux_replay_switch {
    int64_t delay;
    int64_t dwell;
    uint32_t dark;        /* 1: nothing is under way while a circuit changes */
    uint32_t group_first; /* its groups: group_first .. group_end - 1 */
    uint32_t group_end;
    uint32_t padding;
};

struct flux_replay_plan {
    uint32_t vertices;
    uint32_t sends;
    uint32_t gpus;
    uint32_t switches;
    uint32_t rule;
    uint32_t tenures;
    uint32_t groups;
    uint32_t padding;
    int64_t makespan;
    uint64_t reconfigurations;
    uint32_t *by_group; /* tenures that change, by group */
    struct flux_replay_tenure *tenure;
    struct flux_replay_group *group;
    struct flux_replay_switch *by_switch;

    /* By vertex. The audit has more: where it is, which switch, when as planned, what waits for it. */
    int64_t *release;
    uint64_t *bytes;        /* 0 for compute */
    int64_t *explicit_time; /* without a schedule: a send's own duration; 0: from bytes and rate */
    uint32_t *missing;      /* how many edges lead to it */
    uint32_t *tenure_of;    /* FLUX_NONE for compute */
    uint32_t *lane_before;  /* the send before it on its lane; FLUX_NONE */
    uint32_t *opens;        /* the last group that ends before it on a dark switch; FLUX_NONE */
    uint32_t *closes;       /* the first group that begins after it on a dark switch; FLUX_NONE */
    uint8_t *way;           /* which lane of its tenure */

    /* Groups (number of the vertices + number of the group) and vertices by planned begin or start: whatever must come
     * before something else in ORDER is before it here. */
    uint64_t items;
    uint32_t *order;
    uint32_t *rank; /* by vertex: where it is in `order` */
};

struct flux_replay_result {
    struct flux_time *times; /* by vertex */
    int64_t *ready;          /* by vertex */
    struct flux_replay_gpu *gpus;
    struct flux_replay_part *part; /* of a cycle */
    uint64_t part_count;
    uint64_t part_capacity;
    struct flux_replay_summary summary;
};

/* A send that may start, or a lane that becomes idle. */
struct flux_replay_event {
    int64_t time;
    uint64_t rank; /* of a send: its place in the order; of a lane: items + lane */
};

/* Room for a run, so that running asks for no memory. */
struct flux_replay_room {
    int64_t *duration; /* by vertex: in this run */
    uint32_t *missing; /* by vertex */
    uint32_t *stack;   /* vertices whose end is known, and whose successors do not know it yet */
    uint64_t stack_count;
    uint32_t *wait_next; /* by vertex: the one behind it in the queue of its lane */
    int64_t *lane_idle;  /* by lane (2 * tenure + way): when its last send ends */
    uint32_t *lane_head; /* its queue */
    uint32_t *lane_tail;
    int64_t *tenure_up;  /* by tenure: its sends start no earlier; -1: not known yet */
    int64_t *tenure_end; /* the last end of its sends so far */
    int64_t *group_begin;
    struct flux_replay_event *heap;
    uint64_t heap_count;
    struct flux_keyed *rows; /* for two events of every vertex */
    struct flux_keyed *spare;
    int64_t *from;  /* by lane: first start; by GPU: end of its compute so far; whichever is more */
    uint64_t *held; /* by GPU: bytes */
};

struct flux_cycle;
struct flux_packet;

struct flux_replay {
    struct flux_memory memory;
    struct flux_audit audit; /* its graph and fabric are not looked at after reading; its arena owns everything */
    struct flux_replay_plan plan;
    struct flux_replay_room room;
    struct flux_cycle *cycle;   /* NULL where it is none */
    struct flux_packet *packet; /* NULL where it is none */
    struct flux_cancel *cancel; /* of the run under way; may be NULL */
    struct flux_replay_result result[2];
    uint32_t current; /* which of them is of the last run */
    uint32_t ran;
    struct flux_keyed *row[2]; /* room for more rows than vertices have, in a cycle */
    uint64_t row_capacity[2];
    struct flux_replay_held *held; /* the series, where it was asked for after the last run */
    uint64_t held_count;
    uint64_t held_capacity;
};

/* Reads what a run needs, after the audit. Errors: MEMORY. */
int flux_replay_plan_read(struct flux_replay *replay, const struct flux_graph *graph, const struct flux_fabric *fabric,
                          struct flux_error *error);

/* A new replay without a schedule, and in it what the graph has; ranks are not set. Errors: MISMATCH, CYCLE, OVERFLOW,
 * MEMORY. */
int flux_replay_open(const struct flux_graph *graph, const struct flux_fabric *fabric, struct flux_replay **replay,
                     struct flux_error *error);

/* How long every vertex takes in a run. Errors: OVERFLOW. */
int flux_replay_durations(struct flux_replay *replay, const struct flux_replay_options *options,
                          struct flux_error *error);

/* One run: fills times and ready. Errors: OVERFLOW. */
int flux_replay_run_order(struct flux_replay *replay, struct flux_replay_result *result, struct flux_error *error);
int flux_replay_run_clock(struct flux_replay *replay, struct flux_replay_result *result, struct flux_error *error);

/* Tells those that wait for `v` when it ends; those for which nothing is missing any more are put on the stack. Errors:
 * OVERFLOW. */
int flux_replay_tell(struct flux_replay *replay, struct flux_replay_result *result, uint32_t v,
                     struct flux_error *error);

/* The events of a run by the clock, earliest first, then by rank. */
void flux_replay_push(struct flux_replay_room *room, int64_t time, uint64_t rank);
struct flux_replay_event flux_replay_pop(struct flux_replay_room *room);

/* Puts what waits for nothing on the stack. */
void flux_replay_begin(struct flux_replay *replay);

/* Empties the stack: compute runs, and those that wait for it hear of it; a send becomes an event at its planned start,
 * or when it is ready, if that is later. Errors: OVERFLOW. */
int flux_replay_settle(struct flux_replay *replay, struct flux_replay_result *result, struct flux_error *error);

/* Results and room, after the plan. Errors: MEMORY. */
int flux_replay_make_room(struct flux_replay *replay);

/* Everything else in the result. Errors: MEMORY, in a cycle. */
int flux_replay_measure(struct flux_replay *replay, struct flux_replay_result *result, struct flux_error *error);
int flux_replay_measure_memory(struct flux_replay *replay, struct flux_replay_result *result, struct flux_error *error);

/* A part of a send was carried. Errors: MEMORY. */
int flux_replay_add_part(struct flux_replay *replay, struct flux_replay_result *result,
                         const struct flux_replay_part *part, struct flux_error *error);

int flux_replay_fail_overflow(uint32_t v, struct flux_error *error);

#endif
