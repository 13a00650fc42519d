/* SPDX-License-Identifier: Apache-2.0 */
#include "search/ports.h"

#include <libflux/error.h>

int flux_ports_init(struct flux_ports *ports, const struct flux_lanes *lanes, struct flux_arena *arena)
{
    ports->lanes = lanes;
    ports->port = flux_arena_alloc(arena, lanes->count, sizeof *ports->port);
    if (!ports->port)
        return FLUX_E_MEMORY;
    flux_ports_reset(ports);
    return FLUX_OK;
}

void flux_ports_reset(struct flux_ports *ports)
{
    const struct flux_lanes *lanes = ports->lanes;
    for (uint64_t i = 0; i < lanes->count; i++)
        ports->port[i] = (struct flux_port){FLUX_PORT_FRESH, FLUX_PORT_FRESH, FLUX_PORT_NO_CIRCUIT, 0};
    for (uint64_t i = 0; i < lanes->initials; i++) {
        struct flux_port *port = &ports->port[lanes->initial[i].lane];
        port->end = 0;
        port->circuit = lanes->initial[i].circuit;
    }
}

/* Twice the ports that change their circuit, and one more where the circuit is not up at both. */
static uint32_t disturbance(const struct flux_ports *ports, uint64_t source, uint64_t target, uint32_t circuit)
{
    const struct flux_port *a = flux_ports_last(ports, source);
    const struct flux_port *b = flux_ports_last(ports, target);
    uint32_t up = (uint32_t)(a->circuit == circuit) + (uint32_t)(b->circuit == circuit);
    uint32_t fresh = (uint32_t)(a->end == FLUX_PORT_FRESH) + (uint32_t)(b->end == FLUX_PORT_FRESH);
    return 2 * (2 - up - fresh) + (up < 2);
}

void flux_ports_choose(const struct flux_ports *ports, uint32_t node, int64_t ready, int by, struct flux_appended *best)
{
    const struct flux_lanes *lanes = ports->lanes;
    const struct flux_problem *problem = lanes->problem;
    uint64_t source = flux_lane_source(lanes, node);
    uint64_t target = flux_lane_target(lanes, node);
    uint32_t circuit = problem->circuit[node];
    uint32_t least = FLUX_NONE;
    best->k = FLUX_NONE;
    for (uint32_t k = 0; k < problem->switches; k++, source += lanes->sides, target += lanes->sides) {
        int64_t duration = flux_problem_duration(problem, node, k);
        if (duration < 0)
            continue;
        int64_t start = flux_ports_earliest(ports, source, target, circuit, problem->delay[k], ready);
        struct flux_appended next = {start, start + duration, k, 0};
        uint32_t disturbed = disturbance(ports, source, target, circuit);
        if (best->k != FLUX_NONE) {
            int64_t ahead = by == FLUX_APPEND_STARTS_FIRST ? start - best->start : 0;
            ahead = ahead ? ahead : next.end - best->end;
            if (ahead > 0 || (ahead == 0 && disturbed >= least))
                continue;
        }
        *best = next;
        least = disturbed;
    }
}

void flux_ports_append(struct flux_ports *ports, uint32_t node, const struct flux_appended *place)
{
    const struct flux_lanes *lanes = ports->lanes;
    uint32_t circuit = lanes->problem->circuit[node];
    flux_ports_take(ports, flux_lane_on(lanes, flux_lane_source(lanes, node), place->k), circuit, place->end);
    flux_ports_take(ports, flux_lane_on(lanes, flux_lane_target(lanes, node), place->k), circuit, place->end);
}
