/* SPDX-License-Identifier: Apache-2.0
 *
 * io/workload/rounds.h - what collective algorithms are written in: rounds of sends between members.
 *
 * A send waits for all that its source sent and received in earlier rounds of the same lane since it last sent. What
 * starts with the source's own data, and what nobody waits for any more, follows from that. A send carries blocks, from
 * which its bytes follow. The first failure stays in `failed`; after it everything does nothing.
 */
#ifndef FLUX_IO_WORKLOAD_ROUNDS_H
#define FLUX_IO_WORKLOAD_ROUNDS_H

#include "io/workload/collective.h"

/* A step that a member's next send waits for, and the next such; `own` where the member sent it. */
struct flux_io_wait {
    uint32_t step;
    uint32_t own;
    uint32_t next;
};

/* Of a member. */
struct flux_io_pending {
    uint32_t ready; /* from earlier rounds; into `waits`, FLUX_NONE: none */
    uint32_t fresh; /* from this round */
    uint32_t sent;  /* 1: it sent in this round */
    uint32_t touched;
};

struct flux_io_rounds {
    struct flux_io_expansion *to;
    uint32_t kind;
    uint32_t n;
    uint32_t per_node;
    uint64_t bytes;

    uint64_t part; /* bytes of the channel, or of all-gather: of a block in it */
    uint32_t base; /* first block of the channel */
    uint32_t round;

    struct flux_io_pending *pending;
    uint32_t *touched;
    uint32_t touched_count;
    struct flux_io_wait *waits;
    uint64_t wait_count;
    uint64_t wait_capacity;
    int failed;
};

/* `channels` parts of `row` blocks each. */
int flux_io_rounds_begin(struct flux_io_rounds *rounds, uint32_t channels, uint32_t row);
/* 0 or MEMORY. */
int flux_io_rounds_end(struct flux_io_rounds *rounds);

/* What follows belongs to this channel. */
void flux_io_rounds_channel(struct flux_io_rounds *rounds, uint32_t channel);
/* What follows waits for nothing that came before. */
void flux_io_rounds_lane(struct flux_io_rounds *rounds);

void flux_io_rounds_send(struct flux_io_rounds *rounds, uint32_t src, uint32_t dst);
/* A point in time at which `member` has all that came; one edge each in place of many. A round of its own. */
void flux_io_rounds_point(struct flux_io_rounds *rounds, uint32_t member);
/* The send made last carries blocks first, first + stride, .. of `origin` (0 but in an all-to-all); `first` < row. */
void flux_io_rounds_carry(struct flux_io_rounds *rounds, uint32_t origin, uint32_t first, uint32_t count,
                          uint32_t stride);
void flux_io_rounds_next(struct flux_io_rounds *rounds);

/* (a - b) mod n, of a below n and any b. */
static inline uint32_t flux_io_minus(uint32_t a, uint32_t b, uint32_t n)
{
    return (a + n - b % n) % n;
}

/* The algorithms; each calls begin and leaves end to the caller. */
int flux_io_bidirectional_ring(struct flux_io_rounds *rounds);
int flux_io_chain(struct flux_io_rounds *rounds);
int flux_io_star(struct flux_io_rounds *rounds);
int flux_io_recursive_doubling(struct flux_io_rounds *rounds);
int flux_io_binomial_tree(struct flux_io_rounds *rounds);
int flux_io_double_binary_tree(struct flux_io_rounds *rounds);
int flux_io_hierarchical(struct flux_io_rounds *rounds);

#endif
