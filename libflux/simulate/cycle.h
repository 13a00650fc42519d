/* SPDX-License-Identifier: Apache-2.0
 *
 * simulate/cycle.h - inside of a cycle of switch states, and of a run of one.
 */
#ifndef FLUX_SIMULATE_CYCLE_H
#define FLUX_SIMULATE_CYCLE_H

#include "base/wide.h"
#include "simulate/replay.h"

/* One of the circuits of a state. */
struct flux_cycle_circuit {
    uint32_t pair; /* FLUX_NONE where no send goes that way */
    uint32_t switch_index;
    uint64_t rate; /* the smaller of its two ports' */
};

struct flux_cycle_row {
    uint32_t switch_index;
    uint32_t first; /* its circuits are circuit[first] .. circuit[first + count - 1] */
    uint32_t count;
    uint32_t fresh; /* how many of them were not in the state before */
    int64_t duration;
};

struct flux_vlb;

struct flux_cycle {
    struct flux_cycle_row *row; /* by switch, in order */
    uint32_t *row_first;        /* by switch: row_first[k] .. row_first[k + 1] - 1 */
    struct flux_cycle_circuit *circuit;
    uint32_t circuits;
    uint32_t pairs;
    uint32_t rank_ready;  /* of the event that a send is ready: this and its place in the topological order */
    uint32_t rank_begin;  /* of the beginning of a slot: this and the number of the switch */
    uint32_t *pair_of;    /* by vertex; FLUX_NONE for compute */
    int64_t *delay;       /* by switch */
    int64_t *extra;       /* by switch: the first slot of a run is longer by this */
    struct flux_vlb *vlb; /* NULL: sends go straight */

    /* In a run. By circuit: */
    uint32_t *active;    /* the send under way; FLUX_NONE */
    uint32_t *idle_next; /* in the list of idle circuits that are up for a pair */
    int64_t *since;      /* when that send started here */
    int64_t *need;       /* and how long it would need */
    /* By pair: sends that wait, in the order in which they became ready, and circuits that are up and idle. */
    uint32_t *queue_head;
    uint32_t *queue_tail;
    uint32_t *idle_head;
    /* By vertex: `rest` of `whole` is still to be carried; whole 0: all of it. */
    int64_t *rest;
    int64_t *whole;
    uint64_t *gone; /* bytes of it that left its source */
    /* By switch: */
    uint32_t *state; /* which row */
    int64_t *until;  /* end of the slot; INT64_MAX where there is one state only */
    int64_t *from;   /* its beginning */
    flux_wide up;    /* time of circuits in slots */
    flux_wide busy;  /* and of sends on them */
    uint64_t reconfigurations;
    uint64_t delivered; /* bytes */
    uint64_t forwarded;
    uint32_t left; /* sends that have not ended */
};

/* What a replay of a cycle is made of. */
struct flux_cycle_recipe {
    const struct flux_cycle_state *states;
    uint64_t state_count;
    const struct flux_circuit_name *circuits;
    uint64_t circuit_count;
    const int64_t *extra; /* by switch, or NULL */
    int vlb;              /* every circuit is in the cycle */
};

/* As flux_replay_new_cycle(). */
int flux_cycle_new(const struct flux_graph *graph, const struct flux_fabric *fabric,
                   const struct flux_cycle_recipe *recipe, struct flux_replay **replay, struct flux_error *error);

/* What does not live in the replay's arena. */
void flux_cycle_end(struct flux_replay *replay);

/* Runs the cycle: fills times and ready. Errors: OVERFLOW. */
int flux_cycle_run(struct flux_replay *replay, struct flux_replay_result *result, struct flux_error *error);

/* The idle circuits of each pair. */
void flux_cycle_set_idle(struct flux_cycle *cycle, uint32_t c);
void flux_cycle_unset_idle(struct flux_cycle *cycle, uint32_t c);

/* Of the idle circuits of a pair whose slot does not end at `time`: the fastest, of these that of the first switch. */
uint32_t flux_cycle_best_idle(const struct flux_cycle *cycle, uint32_t pair, int64_t time);

#endif
