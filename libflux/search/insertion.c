/* SPDX-License-Identifier: Apache-2.0 */
#include "search/run.h"
#include "search/timeline.h"

#include <libflux/error.h>
#include <string.h>

struct candidate {
    struct flux_fit fit;
    int64_t end;
    uint32_t k;
    uint32_t disturbance; /* FLUX_NONE: not looked at yet */
};

static uint32_t disturbance(const struct flux_timelines *timelines, uint32_t node, struct candidate *candidate)
{
    if (candidate->disturbance == FLUX_NONE)
        candidate->disturbance = flux_timelines_disturbance(timelines, node, &candidate->fit);
    return candidate->disturbance;
}

static int better(const struct flux_timelines *timelines, uint32_t node, struct candidate *a, struct candidate *b)
{
    if (a->end != b->end)
        return a->end < b->end;
    return disturbance(timelines, node, a) < disturbance(timelines, node, b);
}

static int place_send(struct flux_timelines *timelines, uint32_t node, int64_t ready, struct flux_plan *plan,
                      int64_t *end)
{
    const struct flux_problem *problem = timelines->lanes->problem;
    struct candidate both[2];
    struct candidate *best = NULL;
    for (uint32_t k = 0; k < problem->switches; k++) {
        struct candidate *next = best == &both[0] ? &both[1] : &both[0];
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
    plan->switch_of[node] = best->k;
    plan->start[node] = best->fit.start;
    *end = best->end;
    return flux_timelines_place(timelines, node, best->k, &best->fit);
}

int flux_run_insertion(struct flux_run *run, const struct flux_direction *direction, const uint32_t *order,
                       struct flux_plan *plan)
{
    const struct flux_problem *problem = run->problem;
    struct flux_lanes lanes;
    struct flux_timelines timelines;
    int64_t *end = flux_arena_alloc(run->arena, problem->nodes, sizeof *end);
    if (!end)
        return FLUX_E_MEMORY;
    int rc = flux_lanes_init(&lanes, problem, run->arena);
    if (direction->mirrored)
        lanes.initials = 0;
    if (!rc)
        rc = flux_timelines_init(&timelines, &lanes, run->arena);
    for (uint32_t i = 0; !rc && i < problem->nodes; i++) {
        uint32_t v = order[i];
        int64_t ready = flux_run_ready(direction, end, v);
        if (flux_problem_is_send(problem, v)) {
            rc = place_send(&timelines, v, ready, plan, &end[v]);
        } else {
            plan->switch_of[v] = FLUX_NONE;
            plan->start[v] = ready;
            end[v] = ready + problem->duration[v];
        }
        if (!rc)
            rc = flux_run_step(run);
    }
    return rc;
}
