/* SPDX-License-Identifier: Apache-2.0
 *
 * simulate/vlb.h - inside of Valiant load balancing on a rotor: sends in parts, straight or over a third GPU.
 *
 * A part is measured by the time that it takes on the fastest circuit of the cycle, or by its own time where the send
 * has one. Pairs are numbered src * GPUs + dst.
 */
#ifndef FLUX_SIMULATE_VLB_H
#define FLUX_SIMULATE_VLB_H

#include "simulate/cycle.h"

struct flux_vlb_part {
    uint32_t send;
    uint32_t next; /* in the list in which it is */
    int64_t amount;
    int64_t need;   /* its time on the circuit that it was given to */
    int64_t usable; /* where it is stored: no earlier */
    uint64_t bytes;
};

struct flux_vlb {
    uint32_t gpus;
    uint32_t words;     /* of `bits`, by GPU */
    uint64_t rate_most; /* of all circuits */
    struct flux_vlb_part *part;
    uint64_t part_count;
    uint64_t part_capacity;
    uint32_t spare; /* first of the parts that are not in use; FLUX_NONE */
    uint32_t padding;
    /* By circuit: parts that it was given and has not begun. */
    uint32_t *plan_head;
    uint32_t *plan_tail;
    int64_t *left; /* and what is left of its slot then */
    /* By pair: parts of other GPUs' sends to dst that are stored at src; and how much is stored there or on its way. */
    uint32_t *stored_head;
    uint32_t *stored_tail;
    flux_wide *stored;
    flux_wide *local; /* by pair: how much of src's own sends is ready and was not given to a circuit */
    uint64_t *bits;   /* by GPU: to whom that is more than 0 */
    uint32_t *queues; /* by GPU: to how many */
    int64_t *due;     /* by vertex: what has not arrived */
    int64_t *light;   /* by pair: propagation */
    uint8_t *again;   /* by pair: 1 where a circuit of it comes up again and again */
    /* Of one offer: to whom, how much there is, how much of that. */
    uint32_t *to;
    int64_t *want;
    int64_t *share;
};

/* After the circuits were read. Errors: MEMORY. */
int flux_vlb_make(struct flux_replay *replay, const struct flux_fabric *fabric, struct flux_error *error);
void flux_vlb_reset(struct flux_replay *replay);

/* Send v is ready. Errors: OVERFLOW, MEMORY. */
int flux_vlb_offer(struct flux_replay *replay, struct flux_replay_result *result, uint32_t v, int64_t time,
                   struct flux_error *error);

/* The circuits of a state come up; the part on circuit c has ended. Errors: OVERFLOW, MEMORY. */
int flux_vlb_begin(struct flux_replay *replay, struct flux_replay_result *result, const struct flux_cycle_row *row,
                   int64_t time, struct flux_error *error);
int flux_vlb_end(struct flux_replay *replay, struct flux_replay_result *result, uint32_t c, int64_t time,
                 struct flux_error *error);

/* Takes up to `most` of the first of src's own sends of `pair`, for circuit c, which has `left` of its time, and puts
 * it behind what c was given. `*amount` and `*need` tell what that was. Errors: MEMORY. */
int flux_vlb_give_local(struct flux_replay *replay, uint32_t c, uint32_t pair, int64_t most, int64_t left,
                        int64_t *amount, int64_t *need, struct flux_error *error);

/* How much of send v the circuit can carry in a time; FLUX_NONE: of a send with bytes. At least 1, for times above 0.
 */
int64_t flux_vlb_fit(const struct flux_replay *replay, uint32_t v, uint32_t c, int64_t time);

/* Gives circuit c, for what is left of its slot, what its source has for others. Errors: MEMORY. */
int flux_vlb_give_others(struct flux_replay *replay, uint32_t c, struct flux_error *error);

#endif
