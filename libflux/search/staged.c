/* SPDX-License-Identifier: Apache-2.0 */
#include "search/staged.h"

#include "search/changes.h"
#include "search/ports.h"

#include <libflux/error.h>

struct staged {
    const struct flux_problem *problem;
    struct flux_lanes lanes;
    struct flux_ports ports;
    struct flux_changes *changes; /* by switch */
    int64_t *up;                  /* by port: since when its circuit is up */
    int64_t *end;                 /* by node */
};

struct option {
    struct flux_appended place;
    int64_t change; /* when the change begins that it needs; -1: none */
    uint32_t fresh; /* 1: that change is not committed yet */
    uint32_t disturbance;
};

/* What a send finds at its two ports of a switch. */
struct state {
    int64_t start;     /* the earliest that the ports allow */
    int64_t idle_from; /* end of the last user with another circuit; -1: the circuit needs no change */
    uint32_t disturbance;
};

static uint64_t port_of(const struct staged *staged, uint64_t lane)
{
    return lane / staged->lanes.sides;
}

static struct state look(const struct staged *staged, uint32_t node, uint32_t k, int64_t ready)
{
    const struct flux_lanes *lanes = &staged->lanes;
    uint32_t circuit = staged->problem->circuit[node];
    const uint64_t lane[2] = {flux_lane_on(lanes, flux_lane_source(lanes, node), k),
                              flux_lane_on(lanes, flux_lane_target(lanes, node), k)};
    struct state state = {
        flux_ports_earliest(&staged->ports, lane[0], lane[1], circuit, staged->problem->delay[k], ready), -1, 0};
    uint32_t up = 0;
    for (int i = 0; i < 2; i++) {
        const struct flux_port *last = flux_ports_last(&staged->ports, lane[i]);
        if (last->end == FLUX_PORT_FRESH)
            continue;
        if (last->circuit == circuit) {
            int64_t since = staged->up[port_of(staged, lane[i])];
            state.start = since > state.start ? since : state.start;
            up++;
        } else {
            state.idle_from = last->end > state.idle_from ? last->end : state.idle_from;
            state.disturbance += 2;
        }
    }
    state.disturbance += up < 2;
    return state;
}

/* 0: switch k cannot carry it. */
static int consider(const struct staged *staged, uint32_t node, uint32_t k, int64_t ready, struct option *option)
{
    const struct flux_changes *changes = &staged->changes[k];
    int64_t duration = flux_problem_duration(staged->problem, node, k);
    if (duration < 0)
        return 0;
    struct state state = look(staged, node, k, ready);
    int64_t start = state.start;
    *option = (struct option){.change = -1, .disturbance = state.disturbance};
    if (state.idle_from >= 0) {
        option->change = flux_changes_earliest(changes, state.idle_from);
        int64_t up = option->change + changes->delay;
        start = up > start ? up : start;
    }
    start = flux_changes_clear(changes, start, duration);
    if (state.idle_from >= 0) {
        int64_t committed = flux_changes_next(changes, state.idle_from);
        option->fresh = committed > start - changes->delay;
        option->change = option->fresh ? option->change : committed;
    }
    option->place = (struct flux_appended){start, start + duration, k, 0};
    return 1;
}

static int better(const struct option *a, const struct option *b)
{
    if (a->place.end != b->place.end)
        return a->place.end < b->place.end;
    if (a->fresh != b->fresh)
        return a->fresh < b->fresh;
    return a->disturbance < b->disturbance;
}

static int commit(struct staged *staged, uint32_t node, const struct option *option)
{
    const struct flux_lanes *lanes = &staged->lanes;
    uint32_t k = option->place.k;
    struct flux_changes *changes = &staged->changes[k];
    int rc = flux_changes_send(changes, option->place.start, option->place.end);
    if (!rc && option->change >= 0) {
        int64_t up = option->change + changes->delay;
        staged->up[port_of(staged, flux_lane_on(lanes, flux_lane_source(lanes, node), k))] = up;
        staged->up[port_of(staged, flux_lane_on(lanes, flux_lane_target(lanes, node), k))] = up;
        rc = flux_changes_add(changes, option->change);
    }
    flux_ports_append(&staged->ports, node, &option->place);
    staged->end[node] = option->place.end;
    return rc;
}

static int place_send(struct staged *staged, uint32_t node, int64_t ready, int fixed, struct flux_plan *plan)
{
    struct option best;
    int found = 0;
    uint32_t first = fixed ? plan->switch_of[node] : 0;
    uint32_t stop = fixed ? first + 1 : staged->problem->switches;
    for (uint32_t k = first; k < stop; k++) {
        struct option next;
        if (consider(staged, node, k, ready, &next) && (!found || better(&next, &best))) {
            best = next;
            found = 1;
        }
    }
    plan->switch_of[node] = best.place.k;
    plan->start[node] = best.place.start;
    return commit(staged, node, &best);
}

static int prepare(struct staged *staged, struct flux_arena *arena)
{
    const struct flux_problem *problem = staged->problem;
    int rc = flux_lanes_init(&staged->lanes, problem, arena);
    if (!rc)
        rc = flux_ports_init(&staged->ports, &staged->lanes, arena);
    if (rc)
        return rc;
    staged->up = flux_arena_zero(arena, staged->lanes.count / staged->lanes.sides, sizeof *staged->up);
    staged->end = flux_arena_alloc(arena, problem->nodes, sizeof *staged->end);
    staged->changes = flux_arena_alloc(arena, problem->switches, sizeof *staged->changes);
    if (!staged->up || !staged->end || !staged->changes)
        return FLUX_E_MEMORY;
    for (uint32_t k = 0; k < problem->switches; k++)
        flux_changes_init(&staged->changes[k], arena->memory, problem->delay[k], problem->dwell[k],
                          problem->blocking[k] == FLUX_BLOCKING_SWITCH);
    return FLUX_OK;
}

int flux_run_staged(struct flux_run *run, const uint32_t *order, int fixed, struct flux_plan *plan)
{
    const struct flux_problem *problem = run->problem;
    const struct flux_direction forward = flux_direction_of(problem, 0);
    struct staged staged = {.problem = problem};
    int rc = prepare(&staged, run->arena);
    if (rc)
        return rc;
    for (uint32_t i = 0; !rc && i < problem->nodes; i++) {
        uint32_t v = order[i];
        int64_t ready = flux_run_ready(&forward, staged.end, v);
        if (flux_problem_is_send(problem, v)) {
            rc = place_send(&staged, v, ready, fixed, plan);
        } else {
            plan->switch_of[v] = FLUX_NONE;
            plan->start[v] = ready;
            staged.end[v] = ready + problem->duration[v];
        }
        if (!rc)
            rc = flux_run_step(run);
    }
    for (uint32_t k = 0; k < problem->switches; k++)
        flux_changes_free(&staged.changes[k]);
    return rc;
}
