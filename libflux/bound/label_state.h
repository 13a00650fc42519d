/* SPDX-License-Identifier: Apache-2.0
 *
 * bound/label_state.h - how far the queues of a GPU side are and what their ports do, and what starting a send changes.
 */
#ifndef FLUX_BOUND_LABEL_STATE_H
#define FLUX_BOUND_LABEL_STATE_H

#include "bound/queues.h"

#define FLUX_PORT_UNUSED 0xffu /* circuit of a port that has had none */

struct flux_label_state {
    int64_t start;                  /* of the last send; sends start in this order */
    int64_t end;                    /* max(start + duration + tail) so far */
    int64_t least;                  /* nothing that goes on from here ends sooner */
    uint32_t flips;                 /* mirrors it went through after its last send */
    uint32_t unlike;                /* how unevenly queues that mirror each other were served: breaks ties */
    uint32_t done[FLUX_QUEUES_MAX]; /* sends started, by queue */
    uint8_t up[FLUX_QUEUES_LINKS];  /* circuit by port; ports are alike and kept in this order, then by `free` */
    int64_t free[FLUX_QUEUES_LINKS];
    int64_t ready[FLUX_QUEUES_MAX]; /* the next send of each queue starts no sooner */
};

/* The ends of the queues, from some send of each on, and how long the ports need from the first start among them to the
 * end of everything, by their load. */
struct flux_window {
    uint32_t from[FLUX_QUEUES_MAX]; /* in the queue */
    int64_t head;                   /* the least head among them */
    int64_t length;
};

#define FLUX_WINDOWS_MAX 4u

#define FLUX_WASTE_LINKS 4u
#define FLUX_WASTE_MISSING 3u
#define FLUX_WASTE_CASES ((FLUX_WASTE_LINKS + 1) * (FLUX_WASTE_MISSING + 1))

/* Chains that go together, in rounds: the sends of one all wait for all of the one before. What ports waste between
 * rounds, idle or with setups. */
struct flux_waste {
    uint32_t set; /* of queues; 0: there are no such chains */
    uint32_t circuits;
    uint32_t rounds;
    uint32_t padding;
    uint32_t *place; /* by round: of its sends, in each of the queues */
    uint32_t *round; /* by sends started of one of the queues: the first that has not begun */
    int64_t *least;  /* by the rounds that have begun, the ports with circuits of rounds, other circuits to set up */
};

struct flux_windows {
    struct flux_waste waste;
    uint32_t count;
    struct flux_window window[FLUX_WINDOWS_MAX];
};

/* Circuits that change places, two and two; what stays is its own image. */
struct flux_mirror {
    uint8_t queue[FLUX_QUEUES_MAX];
    uint8_t circuit[FLUX_QUEUES_MAX];
};

#define FLUX_MIRRORS_MAX 8u

struct flux_mirrors {
    uint32_t count;
    struct flux_mirror mirror[FLUX_MIRRORS_MAX];
};

/* The windows, each of all sends from some head on, that end last. bound/window.c */
void flux_windows_find(const struct flux_queues *queues, struct flux_windows *windows);

/* Nothing started. */
void flux_label_begin(const struct flux_queues *queues, struct flux_label_state *state);

/* Does something of another queue, not yet started, have to start before the next send of `q`? */
int flux_label_must_wait(const struct flux_queues *queues, const struct flux_label_state *state, uint32_t q);

/* When the next send of `q` can start on port `x`. */
int64_t flux_label_soonest(const struct flux_queues *queues, const struct flux_label_state *state, uint32_t q,
                           uint32_t x);

/* Starts the next send of `q` on port `x`. 0 where the next sends of all queues cannot end by `limit`; the state then
 * means nothing. */
int flux_label_start(const struct flux_queues *queues, uint32_t q, uint32_t x, int64_t limit,
                     struct flux_label_state *state);

/* Raises `least` by all that is left. 1 where it is then within `limit`. */
int flux_label_can_end(const struct flux_queues *queues, const struct flux_windows *windows, int64_t limit,
                       struct flux_label_state *state);

/* Rounds of the chains that waste most, in `arena`. Errors: MEMORY. bound/waste.c */
int flux_waste_find(const struct flux_queues *queues, struct flux_arena *arena, struct flux_waste *waste);

/* What ports waste at least, all together, with the rounds of which nothing has begun and with all that is missing. */
int64_t flux_waste_from(const struct flux_queues *queues, const struct flux_waste *waste,
                        const struct flux_label_state *state);

/* Ports are alike: puts them in order of circuit, then of time. */
void flux_label_order_ports(const struct flux_queues *queues, struct flux_label_state *state);

/* The latest end of a window that no port has begun on, or state->least where that is later. bound/window.c */
int64_t flux_windows_end(const struct flux_queues *queues, const struct flux_windows *windows,
                         const struct flux_label_state *state);

static inline uint32_t flux_bits(uint32_t set)
{
    uint32_t count = 0;
    for (; set; set &= set - 1)
        count++;
    return count;
}

#endif
