/* SPDX-License-Identifier: Apache-2.0
 *
 * search/lanes.h - what the users of a switch line up for.
 *
 * A lane holds sends that compete with each other, so that they follow one another in time. Under PAPER every (GPU,
 * switch) is one lane. Under SIMPLEX and DUPLEX it is two: what goes out of the GPU and what comes in. A send takes two
 * lanes of its switch, one at its source and one at its destination. Under DUPLEX it also looks at the two opposite
 * lanes: the reversed pair there does not disturb it, everything else keeps the delay.
 */
#ifndef FLUX_SEARCH_LANES_H
#define FLUX_SEARCH_LANES_H

#include "model/problem.h"

/* A circuit that is up on a lane at time 0. */
struct flux_lane_initial {
    uint64_t lane;
    uint32_t circuit; /* FLUX_NONE where no send uses it */
    uint32_t padding;
};

struct flux_lanes {
    const struct flux_problem *problem;
    uint32_t *row;  /* by GPU: only those with sends have lanes; FLUX_NONE */
    uint32_t sides; /* lanes of a (GPU, switch): 1 or 2 */
    uint32_t watch; /* 1 where opposite lanes count */
    uint64_t count;
    struct flux_lane_initial *initial;
    uint64_t initials;
};

/* The send's lane on switch 0 at its source and at its destination; on switch k it is `switch k` further on. */
static inline uint64_t flux_lane_source(const struct flux_lanes *lanes, uint32_t node)
{
    return (uint64_t)lanes->row[lanes->problem->src[node]] * lanes->problem->switches * lanes->sides;
}

static inline uint64_t flux_lane_target(const struct flux_lanes *lanes, uint32_t node)
{
    return (uint64_t)lanes->row[lanes->problem->dst[node]] * lanes->problem->switches * lanes->sides + lanes->sides - 1;
}

static inline uint64_t flux_lane_on(const struct flux_lanes *lanes, uint64_t lane, uint32_t k)
{
    return lane + (uint64_t)k * lanes->sides;
}

/* The other direction of the same port; only with two sides. */
static inline uint64_t flux_lane_opposite(uint64_t lane)
{
    return lane ^ 1;
}

/* The earliest time a separation after `end`, or FLUX_TIME_MAX where the sum is beyond it. For times that do not come
 * from constructing, and may be anything: sums of those cannot overflow. */
static inline int64_t flux_time_after(int64_t end, int64_t separation)
{
    return end > FLUX_TIME_MAX - separation ? FLUX_TIME_MAX : end + separation;
}

/* Errors: MEMORY. */
int flux_lanes_init(struct flux_lanes *lanes, const struct flux_problem *problem, struct flux_arena *arena);

#endif
