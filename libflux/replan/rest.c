/* SPDX-License-Identifier: Apache-2.0
 *
 * replan/rest.c - what is left of an iteration as a graph and a fabric of their own, on a clock that begins now.
 */
#include "base/fail.h"
#include "base/wide.h"
#include "model/graph.h"
#include "replan/standing.h"

#include <inttypes.h>

static int too_long(const struct flux_standing *standing, uint32_t v)
{
    return flux_fail_vertex(standing->error, FLUX_E_OVERFLOW, v, "the times add up beyond 2^62 ps; use smaller times");
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* When what has been done, and the caller, let each vertex begin, on the old clock. */
static int find_releases(const struct flux_standing *standing, int64_t *release)
{
    const struct flux_graph *graph = standing->graph;
    for (uint32_t v = 0; v < standing->vertices; v++) {
        release[v] = later(graph->vertices[v].release, standing->begin);
        if (standing->options.releases)
            release[v] = later(release[v], standing->options.releases[v]);
    }
    for (uint64_t i = 0; i < graph->edge_count; i++) {
        const struct flux_edge *edge = &graph->edges[i];
        const struct flux_vertex *from = &graph->vertices[edge->from], *to = &graph->vertices[edge->to];
        flux_wide time = (flux_wide)standing->times[edge->from].end + edge->lag;
        if (standing->state[edge->from] != FLUX_STANDING_DONE)
            continue;
        uint32_t at = to->src == FLUX_NONE ? to->dst : to->src;
        if (from->src != FLUX_NONE && at != from->src)
            time += flux_fabric_propagation(standing->fabric, from->src, from->dst);
        if (time > FLUX_TIME_MAX)
            return too_long(standing, edge->to);
        release[edge->to] = later(release[edge->to], (int64_t)time);
    }
    return FLUX_OK;
}

static int add_vertex(const struct flux_standing *standing, uint32_t v, int64_t release)
{
    const struct flux_vertex *vertex = &standing->graph->vertices[v];
    struct flux_graph *rest = standing->rest;
    int is_send = vertex->src != FLUX_NONE, rc;
    int64_t duration = vertex->duration;
    if (standing->state[v] == FLUX_STANDING_DONE)
        return flux_graph_add_compute(rest, is_send ? vertex->src : vertex->dst, 0, NULL);
    if (standing->state[v] == FLUX_STANDING_RUNS)
        duration = standing->times[v].end - standing->begin;
    else if (!is_send)
        duration = flux_standing_duration(standing, v, 0);
    if (duration < 0)
        return too_long(standing, v);
    rc = is_send ? flux_graph_add_send(rest, vertex->src, vertex->dst, vertex->bytes ? vertex->bytes : 1, NULL)
                 : flux_graph_add_compute(rest, vertex->dst, duration, NULL);
    if (!rc && is_send && duration)
        rc = flux_graph_set_duration(rest, v, duration);
    if (!rc && standing->state[v] == FLUX_STANDING_WAITS)
        rc = flux_graph_set_release(rest, v, release - standing->begin);
    return rc;
}

static int fill_graph(struct flux_standing *standing, const int64_t *release)
{
    const struct flux_graph *graph = standing->graph;
    int rc = flux_graph_reserve(standing->rest, graph->vertex_count + standing->coming_count, graph->edge_count);
    for (uint32_t v = 0; !rc && v < standing->vertices; v++) {
        rc = add_vertex(standing, v, release[v]);
        if (!rc && graph->vertices[v].label)
            rc = flux_graph_set_label(standing->rest, v, graph->vertices[v].label);
    }
    for (uint32_t i = 0; !rc && i < standing->coming_count; i++) {
        const struct flux_circuit_state *row = &standing->coming[i];
        rc = flux_graph_add_send(standing->rest, row->src, row->dst, 1, NULL);
        if (!rc)
            rc = flux_graph_set_duration(standing->rest, standing->vertices + i, row->up - standing->begin);
    }
    for (uint64_t i = 0; !rc && i < graph->edge_count; i++) {
        const struct flux_edge *edge = &graph->edges[i];
        if (standing->state[edge->from] != FLUX_STANDING_DONE && standing->state[edge->to] == FLUX_STANDING_WAITS)
            rc = flux_graph_add_edge(standing->rest, edge->from, edge->to, edge->lag);
    }
    return rc;
}

static int copy_ports(const struct flux_fabric *fabric, struct flux_fabric *rest)
{
    uint64_t rate = flux_fabric_rate(fabric, 0, 0);
    int rc = flux_fabric_set_rate(rest, FLUX_ALL_GPUS, FLUX_ALL_SWITCHES, rate);
    for (uint32_t g = 0; g < flux_fabric_gpus(fabric); g++)
        for (uint32_t k = 0; !rc && k < flux_fabric_switches(fabric); k++) {
            if (flux_fabric_rate(fabric, g, k) != rate)
                rc = flux_fabric_set_rate(rest, g, k, flux_fabric_rate(fabric, g, k));
            if (!rc && flux_fabric_dead(fabric, g, k))
                rc = flux_fabric_set_dead(rest, g, k, 1);
        }
    return rc;
}

static int copy_switches(const struct flux_fabric *fabric, struct flux_fabric *rest)
{
    int rc = flux_fabric_set_rule(rest, flux_fabric_rule(fabric));
    for (uint32_t k = 0; !rc && k < flux_fabric_switches(fabric); k++) {
        rc = flux_fabric_set_delay(rest, k, flux_fabric_delay(fabric, k));
        rc = rc ? rc : flux_fabric_set_dwell(rest, k, flux_fabric_dwell(fabric, k));
        rc = rc ? rc : flux_fabric_set_blocking(rest, k, flux_fabric_blocking(fabric, k));
    }
    return rc;
}

static int copy_pairs(const struct flux_fabric *fabric, struct flux_fabric *rest)
{
    uint64_t count, rules = flux_fabric_propagation_rules(fabric);
    const struct flux_circuit_name *forbidden = flux_fabric_forbidden(fabric, &count);
    struct flux_propagation rule;
    int rc = FLUX_OK;
    for (uint64_t i = 0; !rc && i < rules; i++) {
        rc = flux_fabric_propagation_rule(fabric, i, &rule);
        if (!rc)
            rc = flux_fabric_set_propagation(rest, rule.src, rule.dst, rule.time);
    }
    for (uint64_t i = 0; !rc && i < count; i++)
        rc = flux_fabric_set_forbidden(rest, forbidden[i].switch_index, forbidden[i].src, forbidden[i].dst, 1);
    return rc;
}

/* What this port's place points to, as initial circuits of the rest. A place without the other end of its circuit gets
 * a GPU of its own for one: its next circuit takes the delay. Counts these where `rest` is NULL. */
static int add_initial(const struct flux_standing *standing, uint32_t k, uint32_t g, uint32_t side,
                       struct flux_fabric *rest, uint32_t *alone)
{
    const struct flux_holders *holders = &standing->holders;
    const struct flux_holder *holder = &holders->at[((uint64_t)k * holders->gpus + g) * holders->sides + side];
    uint32_t outward = holders->sides == 1 || side == 0;
    if (holder->src == FLUX_NONE || flux_fabric_dead(standing->fabric, g, k))
        return FLUX_OK;
    if (holder->src != holder->dst && flux_standing_carries(standing, k, holder->src, holder->dst) &&
        flux_holders_up(holders, k, holder->src, holder->dst)) {
        int first = holders->sides == 2 ? side == 0 : holder->src == g;
        return rest && first ? flux_fabric_add_initial(rest, k, holder->src, holder->dst) : FLUX_OK;
    }
    ++*alone;
    if (!rest)
        return FLUX_OK;
    return outward ? flux_fabric_add_initial(rest, k, g, holders->gpus + g)
                   : flux_fabric_add_initial(rest, k, holders->gpus + g, g);
}

static int add_initials(const struct flux_standing *standing, struct flux_fabric *rest, uint32_t *alone)
{
    const struct flux_holders *holders = &standing->holders;
    int rc = FLUX_OK;
    for (uint32_t k = 0; k < holders->switches; k++)
        for (uint32_t g = 0; g < holders->gpus; g++)
            for (uint32_t side = 0; !rc && side < holders->sides; side++)
                rc = add_initial(standing, k, g, side, rest, alone);
    return rc;
}

int flux_standing_rest(struct flux_standing *standing)
{
    const struct flux_env *env = &standing->graph->memory.env;
    uint32_t gpus = standing->graph->gpus, alone = 0;
    int64_t *release = flux_arena_alloc(&standing->arena, standing->vertices, sizeof *release);
    if (!release)
        return flux_fail_memory(standing->error);
    int rc = find_releases(standing, release);
    if (rc)
        return rc;
    add_initials(standing, NULL, &alone);
    if (alone && gpus > FLUX_GPUS_MAX / 2)
        return flux_fail(standing->error, FLUX_E_TOO_BIG,
                         "%" PRIu32 " GPUs: a plan from a given state is for at most %" PRIu32, gpus, FLUX_GPUS_MAX / 2);
    gpus = alone ? 2 * gpus : gpus;
    rc = flux_graph_new(env, gpus, &standing->rest);
    if (!rc)
        rc = fill_graph(standing, release);
    if (rc == FLUX_E_OVERFLOW)
        return rc;
    if (!rc)
        rc = flux_fabric_new(env, gpus, flux_fabric_switches(standing->fabric), &standing->rest_fabric);
    if (!rc)
        rc = copy_ports(standing->fabric, standing->rest_fabric);
    if (!rc)
        rc = copy_switches(standing->fabric, standing->rest_fabric);
    if (!rc)
        rc = copy_pairs(standing->fabric, standing->rest_fabric);
    if (!rc)
        rc = add_initials(standing, standing->rest_fabric, &alone);
    return rc ? flux_fail(standing->error, rc, "what is left of the iteration cannot be made: %s", flux_error_name(rc))
              : FLUX_OK;
}
