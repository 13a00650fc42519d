/* SPDX-License-Identifier: Apache-2.0 */
#include "search/place.h"
#include "search/run.h"

#include <libflux/error.h>

static int place_send(struct flux_timelines *timelines, uint32_t node, int64_t ready, struct flux_plan *plan,
                      int64_t *end)
{
    struct flux_place place;
    flux_place_find(timelines, node, ready, &place);
    plan->switch_of[node] = place.k;
    plan->start[node] = place.fit.start;
    *end = place.end;
    return flux_timelines_place(timelines, node, place.k, &place.fit);
}

int flux_run_insertion(struct flux_run *run, const struct flux_direction *direction, const uint32_t *order,
                       struct flux_plan *plan)
{
    const struct flux_problem *problem = run->problem;
    const int64_t *after = direction->mirrored ? problem->head : problem->tail;
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
        if (!rc && flux_run_is_late(run, end[v], after[v]))
            rc = FLUX_RUN_LATE;
        if (!rc)
            rc = flux_run_step(run);
    }
    return rc;
}
