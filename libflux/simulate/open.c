/* SPDX-License-Identifier: Apache-2.0
 *
 * simulate/open.c - a replay without a schedule: what it takes from the graph.
 */
#include "base/fail.h"
#include "schedule/allocator.h"
#include "simulate/replay.h"

#include <inttypes.h>

static void *get(struct flux_replay *replay, uint64_t count, uint64_t size)
{
    return flux_arena_zero(&replay->audit.arena, count, size);
}

static int read_edges(struct flux_replay *replay, const struct flux_fabric *fabric, struct flux_error *error)
{
    const struct flux_precedence *precedence = &replay->audit.precedence;
    for (uint32_t v = 0; v < replay->plan.vertices; v++)
        for (uint64_t i = precedence->first[v]; i < precedence->first[v + 1]; i++) {
            struct flux_successor *edge = &precedence->successors[i];
            int64_t light = flux_precedence_propagation(precedence, fabric, v, edge->vertex);
            if (edge->lag > FLUX_TIME_MAX - light)
                return flux_replay_fail_overflow(edge->vertex, error);
            edge->lag += light;
            replay->plan.missing[edge->vertex]++;
        }
    return FLUX_OK;
}

static void read_vertices(struct flux_replay *replay, const struct flux_graph *graph)
{
    struct flux_replay_plan *plan = &replay->plan;
    struct flux_send send;
    struct flux_compute compute;
    for (uint32_t v = 0; v < plan->vertices; v++) {
        if (flux_graph_get_compute(graph, v, &compute) == FLUX_OK) {
            plan->release[v] = compute.release;
            plan->tenure_of[v] = replay->audit.switch_of[v] = FLUX_NONE;
            replay->audit.times[v].end = compute.duration;
            continue;
        }
        flux_graph_get_send(graph, v, &send);
        plan->release[v] = send.release;
        plan->bytes[v] = send.bytes;
        plan->explicit_time[v] = send.duration;
    }
}

static int read_graph(struct flux_replay *replay, const struct flux_graph *graph, const struct flux_fabric *fabric,
                      struct flux_error *error)
{
    struct flux_replay_plan *plan = &replay->plan;
    int rc = flux_precedence_read(graph, &replay->audit.arena, &replay->audit.precedence, error);
    if (rc)
        return rc;
    plan->vertices = flux_graph_vertices(graph);
    plan->sends = flux_graph_sends(graph);
    plan->gpus = flux_graph_gpus(graph);
    plan->switches = flux_fabric_switches(fabric);
    plan->rule = flux_fabric_rule(fabric);
    uint64_t n = plan->vertices;
    replay->audit.times = get(replay, n, sizeof *replay->audit.times);
    replay->audit.switch_of = get(replay, n, sizeof *replay->audit.switch_of);
    plan->release = get(replay, n, sizeof *plan->release);
    plan->bytes = get(replay, n, sizeof *plan->bytes);
    plan->explicit_time = get(replay, n, sizeof *plan->explicit_time);
    plan->missing = get(replay, n, sizeof *plan->missing);
    plan->tenure_of = get(replay, n, sizeof *plan->tenure_of);
    plan->rank = get(replay, n, sizeof *plan->rank);
    if (!replay->audit.times || !replay->audit.switch_of || !plan->release || !plan->bytes || !plan->explicit_time ||
        !plan->missing || !plan->tenure_of || !plan->rank)
        return flux_fail_memory(error);
    read_vertices(replay, graph);
    return read_edges(replay, fabric, error);
}

int flux_replay_open(const struct flux_graph *graph, const struct flux_fabric *fabric, struct flux_replay **replay,
                     struct flux_error *error)
{
    if (flux_graph_gpus(graph) != flux_fabric_gpus(fabric))
        return flux_fail(error, FLUX_E_MISMATCH,
                         "the graph has %" PRIu32 " GPUs and the fabric %" PRIu32 ": make both with the same number",
                         flux_graph_gpus(graph), flux_fabric_gpus(fabric));
    struct flux_replay *fresh = flux_alloc_zero(flux_allocator_of(graph), 1, sizeof *fresh);
    if (!fresh)
        return flux_fail_memory(error);
    fresh->memory = *flux_allocator_of(graph);
    flux_arena_init(&fresh->audit.arena, &fresh->memory);
    int rc = read_graph(fresh, graph, fabric, error);
    if (rc) {
        flux_replay_free(fresh);
        return rc;
    }
    *replay = fresh;
    return FLUX_OK;
}
