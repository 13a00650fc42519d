/* SPDX-License-Identifier: Apache-2.0 */
#include "search/plan.h"
#include "search/ports.h"
#include "search/run.h"

#include <libflux/error.h>

/* The left shift, mirrored: in falling order of the starts everything that a node must be before is placed already. */
int flux_plan_latest(const struct flux_plan *plan, const struct flux_problem *problem, struct flux_arena *scratch,
                     int64_t *latest)
{
    const struct flux_direction mirrored = flux_direction_of(problem, 1);
    struct flux_lanes lanes;
    struct flux_ports ports;
    uint32_t *order = flux_arena_alloc(scratch, problem->nodes, sizeof *order);
    int64_t *end = flux_arena_alloc(scratch, problem->nodes, sizeof *end); /* counted back from the makespan */
    if (!order || !end)
        return FLUX_E_MEMORY;
    for (uint32_t v = 0; v < problem->nodes; v++)
        order[v] = v;
    int rc = flux_sequence_sort(order, problem->nodes, plan->start, scratch);
    if (!rc)
        rc = flux_lanes_init(&lanes, problem, scratch);
    lanes.initials = 0;
    if (!rc)
        rc = flux_ports_init(&ports, &lanes, scratch);
    for (uint32_t i = problem->nodes; !rc && i-- > 0;) {
        uint32_t v = order[i], k = plan->switch_of[v];
        int64_t start = flux_run_ready(&mirrored, end, v);
        if (flux_problem_is_send(problem, v)) {
            start = flux_ports_earliest(&ports, flux_lane_on(&lanes, flux_lane_source(&lanes, v), k),
                                        flux_lane_on(&lanes, flux_lane_target(&lanes, v), k), problem->circuit[v],
                                        problem->delay[k], start);
            end[v] = start + flux_problem_duration(problem, v, k);
            flux_ports_append(&ports, v, &(struct flux_appended){start, end[v], k, 0});
        } else {
            end[v] = start + problem->duration[v];
        }
        latest[v] = plan->makespan - end[v];
    }
    return rc;
}
