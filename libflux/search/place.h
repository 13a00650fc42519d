/* SPDX-License-Identifier: Apache-2.0
 *
 * search/place.h - where one send would go, given what is on the ports.
 */
#ifndef FLUX_SEARCH_PLACE_H
#define FLUX_SEARCH_PLACE_H

#include "search/timeline.h"

struct flux_place {
    struct flux_fit fit;
    int64_t end;
    uint32_t k;
    uint32_t disturbance; /* FLUX_NONE: not looked at yet */
};

/* The place of `node` on the switch where it ends first, from `ready` on; of several, where it changes fewest circuits,
 * then on the first one. */
void flux_place_find(struct flux_timelines *timelines, uint32_t node, int64_t ready, struct flux_place *place);

/* The same on switch k alone, and no later than `limit`. 0 where there is no such place; else 1. */
int flux_place_on(struct flux_timelines *timelines, uint32_t node, uint32_t k, int64_t ready, int64_t limit,
                  struct flux_place *place);

/* How much it disturbs: flux_timelines_disturbance(), looked at once. */
uint32_t flux_place_disturbance(const struct flux_timelines *timelines, uint32_t node, struct flux_place *place);

#endif
