/* SPDX-License-Identifier: Apache-2.0 */
#include "search/place.h"

uint32_t flux_place_disturbance(const struct flux_timelines *timelines, uint32_t node, struct flux_place *place)
{
    if (place->disturbance == FLUX_NONE)
        place->disturbance = flux_timelines_disturbance(timelines, node, &place->fit);
    return place->disturbance;
}

static int better(const struct flux_timelines *timelines, uint32_t node, struct flux_place *a, struct flux_place *b)
{
    if (a->end != b->end)
        return a->end < b->end;
    return flux_place_disturbance(timelines, node, a) < flux_place_disturbance(timelines, node, b);
}

int flux_place_on(struct flux_timelines *timelines, uint32_t node, uint32_t k, int64_t ready, int64_t limit,
                  struct flux_place *place)
{
    int64_t duration = flux_problem_duration(timelines->lanes->problem, node, k), last = limit - duration;
    if (duration < 0 || last < ready)
        return 0;
    int64_t start = flux_timelines_fit(timelines, node, k, ready, last, &place->fit);
    place->end = start + duration;
    place->k = k;
    place->disturbance = FLUX_NONE;
    return start <= last;
}

void flux_place_find(struct flux_timelines *timelines, uint32_t node, int64_t ready, struct flux_place *place)
{
    const struct flux_problem *problem = timelines->lanes->problem;
    struct flux_place other;
    struct flux_place *best = NULL;
    for (uint32_t k = 0; k < problem->switches; k++) {
        struct flux_place *next = best == place ? &other : place;
        int64_t duration = flux_problem_duration(problem, node, k);
        int64_t limit = (best ? best->end : FLUX_TIME_MAX) - duration;
        if (duration < 0 || limit < ready)
            continue;
        int64_t start = flux_timelines_fit(timelines, node, k, ready, limit, &next->fit);
        if (start > limit)
            continue;
        next->end = start + duration;
        next->k = k;
        next->disturbance = FLUX_NONE;
        if (!best || better(timelines, node, next, best))
            best = next;
    }
    if (best == &other)
        *place = other;
}
