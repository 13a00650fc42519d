/* SPDX-License-Identifier: Apache-2.0 */
#include "search/plan.h"
#include "search/ports.h"
#include "search/run.h"

#include <libflux/error.h>

struct shift {
    const struct flux_problem *problem;
    struct flux_plan *plan;
    struct flux_lanes lanes;
    struct flux_ports ports;
    int64_t *end;
};

static void shift_send(struct shift *shift, uint32_t node, int64_t ready)
{
    const struct flux_problem *problem = shift->problem;
    const struct flux_lanes *lanes = &shift->lanes;
    uint32_t k = shift->plan->switch_of[node];
    int64_t start = flux_ports_earliest(&shift->ports, flux_lane_on(lanes, flux_lane_source(lanes, node), k),
                                        flux_lane_on(lanes, flux_lane_target(lanes, node), k), problem->circuit[node],
                                        problem->delay[k], ready);
    int64_t end = start + flux_problem_duration(problem, node, k);
    flux_ports_append(&shift->ports, node, &(struct flux_appended){start, end, k, 0});
    shift->plan->start[node] = start;
    shift->end[node] = end;
}

/* In the order of the old starts the constraints of a node are all behind it: arcs and ports lead forward. Longest
 * path over arcs and consecutive users of each port. */
int flux_plan_shift(struct flux_plan *plan, const struct flux_problem *problem, struct flux_arena *scratch)
{
    struct shift shift = {.problem = problem, .plan = plan};
    const struct flux_direction forward = flux_direction_of(problem, 0);
    uint32_t *order = flux_arena_alloc(scratch, problem->nodes, sizeof *order);
    shift.end = flux_arena_alloc(scratch, problem->nodes, sizeof *shift.end);
    if (!order || !shift.end)
        return FLUX_E_MEMORY;
    for (uint32_t v = 0; v < problem->nodes; v++)
        order[v] = v;
    int rc = flux_sequence_sort(order, problem->nodes, plan->start, scratch);
    if (!rc)
        rc = flux_lanes_init(&shift.lanes, problem, scratch);
    if (!rc)
        rc = flux_ports_init(&shift.ports, &shift.lanes, scratch);
    for (uint32_t i = 0; !rc && i < problem->nodes; i++) {
        uint32_t v = order[i];
        int64_t ready = flux_run_ready(&forward, shift.end, v);
        if (flux_problem_is_send(problem, v)) {
            shift_send(&shift, v, ready);
        } else {
            plan->start[v] = ready;
            shift.end[v] = ready + problem->duration[v];
        }
    }
    if (!rc)
        flux_plan_measure(plan, problem);
    return rc;
}
