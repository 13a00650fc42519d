/* SPDX-License-Identifier: Apache-2.0
 *
 * bound/port_sequence.h - what the ports of one GPU side can do at best, every other port being free.
 */
#ifndef FLUX_BOUND_PORT_SEQUENCE_H
#define FLUX_BOUND_PORT_SEQUENCE_H

#include "bound/bound.h"

/* When the sends of one GPU side start in the best sequence found for it. */
struct flux_port_sequence {
    uint32_t count;
    uint32_t spent; /* 1: it ended for want of steps, so that another look with as many ends like it */
    uint32_t *node;
    int64_t *start;
};

/* Raises `value` to the best end that the sends of a side can have by themselves, for one side of each kind, the most
 * loaded first, until it meets `makespan`, that of a schedule. It takes at most a quarter of what is left of the limits
 * on time and work, and without limits 2^20 steps and 3 * 2^16 for every send of the fullest side, at most 2^27. At
 * most `width` states go on after each send: few find a sequence quickly, and prove little. `found` gets the first
 * sequence that is shorter than `makespan`, in `arena`, and the search ends there, as a schedule made of it may meet
 * the bound; count 0 where there is none. Where `found` is NULL it goes on to the end. Under DUPLEX it looks at one
 * direction of each pair of GPUs. Errors: MEMORY. */
int flux_bound_port_sequence(const struct flux_problem *problem, struct flux_control *control, int64_t makespan,
                             uint32_t width, struct flux_arena *arena, struct flux_bound_value *value,
                             struct flux_port_sequence *found);

#define FLUX_PORT_SEQUENCE_GUESS 256u       /* width for a sequence that is good, soon */
#define FLUX_PORT_SEQUENCE_PROVE (1u << 17) /* width for a proof */

#endif
