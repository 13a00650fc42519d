/* SPDX-License-Identifier: Apache-2.0 */
#include "search/ports.h"
#include "search/run.h"

#include <libflux/error.h>

int flux_run_append(struct flux_run *run, const uint32_t *order, struct flux_plan *plan)
{
    const struct flux_problem *problem = run->problem;
    const struct flux_direction forward = flux_direction_of(problem, 0);
    struct flux_lanes lanes;
    struct flux_ports ports;
    int64_t *end = flux_arena_alloc(run->arena, problem->nodes, sizeof *end);
    if (!end)
        return FLUX_E_MEMORY;
    int rc = flux_lanes_init(&lanes, problem, run->arena);
    if (!rc)
        rc = flux_ports_init(&ports, &lanes, run->arena);
    for (uint32_t i = 0; !rc && i < problem->nodes; i++) {
        uint32_t v = order[i];
        int64_t ready = flux_run_ready(&forward, end, v);
        if (!flux_problem_is_send(problem, v)) {
            plan->switch_of[v] = FLUX_NONE;
            plan->start[v] = ready;
            end[v] = ready + problem->duration[v];
        } else {
            struct flux_appended best;
            flux_ports_choose(&ports, v, ready, FLUX_APPEND_ENDS_FIRST, &best);
            flux_ports_append(&ports, v, &best);
            plan->switch_of[v] = best.k;
            plan->start[v] = best.start;
            end[v] = best.end;
        }
        rc = flux_run_is_late(run, end[v], problem->tail[v]) ? FLUX_RUN_LATE : flux_run_step(run);
    }
    return rc;
}
