/* SPDX-License-Identifier: Apache-2.0
 *
 * replan/holders.h - which circuit has each port: the last one that was set there.
 *
 * Under SIMPLEX what goes out of a port and what comes in are two places, else a port is one. A circuit is up where it
 * has both of its places; a place that it has alone points to nothing.
 */
#ifndef FLUX_REPLAN_HOLDERS_H
#define FLUX_REPLAN_HOLDERS_H

#include "base/memory.h"

#include <libflux/fabric.h>

struct flux_holder {
    uint32_t src; /* FLUX_NONE: no circuit yet */
    uint32_t dst;
};

struct flux_holders {
    uint32_t rule;
    uint32_t gpus;
    uint32_t switches;
    uint32_t sides;
    struct flux_holder *at; /* by place */
};

/* No circuit anywhere. Errors: MEMORY. */
int flux_holders_init(struct flux_holders *holders, const struct flux_fabric *fabric, struct flux_arena *arena);

static inline uint64_t flux_holders_source(const struct flux_holders *holders, uint32_t k, uint32_t src)
{
    return ((uint64_t)k * holders->gpus + src) * holders->sides;
}

static inline uint64_t flux_holders_target(const struct flux_holders *holders, uint32_t k, uint32_t dst)
{
    return ((uint64_t)k * holders->gpus + dst) * holders->sides + holders->sides - 1;
}

static inline int flux_holders_same(const struct flux_holders *holders, const struct flux_holder *a,
                                    const struct flux_holder *b)
{
    if (a->src == b->src && a->dst == b->dst)
        return 1;
    return holders->rule == FLUX_RULE_DUPLEX && a->src == b->dst && a->dst == b->src;
}

/* The circuit takes both of its places from whatever had them. */
void flux_holders_set(struct flux_holders *holders, uint32_t k, uint32_t src, uint32_t dst);

/* It takes those of its places that no circuit has yet; where it is `gone`, these places point to nothing. */
void flux_holders_fill(struct flux_holders *holders, uint32_t k, uint32_t src, uint32_t dst, int gone);

/* Another circuit that has one of the places; NULL: none. */
const struct flux_holder *flux_holders_rival(const struct flux_holders *holders, uint32_t k, uint32_t src,
                                             uint32_t dst);

/* 1 where the circuit has both of its places. */
int flux_holders_up(const struct flux_holders *holders, uint32_t k, uint32_t src, uint32_t dst);

#endif
