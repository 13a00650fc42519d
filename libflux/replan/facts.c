/* SPDX-License-Identifier: Apache-2.0
 *
 * replan/facts.c - what the caller says about the iteration, held against the graph and against itself.
 */
#include "base/fail.h"
#include "base/wide.h"
#include "model/graph.h"
#include "replan/standing.h"

#include <inttypes.h>
#include <libflux/units.h>

#define NAME 80

static int read_slots(struct flux_standing *standing, const struct flux_slot *slots, uint64_t count)
{
    uint32_t switches = flux_fabric_switches(standing->fabric);
    if (count != standing->graph->sends)
        return flux_fail(standing->error, FLUX_E_MISMATCH,
                         "%" PRIu64 " slots for a graph of %" PRIu32 " sends: the old plan has one for each", count,
                         standing->graph->sends);
    for (uint32_t v = 0; v < standing->vertices; v++)
        standing->slots[v].send = FLUX_NONE;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t v = slots[i].send;
        if (!flux_graph_is_send(standing->graph, v) || standing->slots[v].send != FLUX_NONE)
            return flux_fail(standing->error, FLUX_E_MISMATCH,
                             "row %" PRIu64 " of the slots is of vertex %" PRIu32 ", which %s: is it the plan of "
                             "another graph?",
                             i, v, flux_graph_is_send(standing->graph, v) ? "has a row already" : "is no send here");
        if (slots[i].switch_index >= switches || slots[i].start < 0 || slots[i].start > FLUX_TIME_MAX)
            return flux_fail_vertex(standing->error, FLUX_E_MISMATCH, v,
                                    "the slot of vertex %" PRIu32 " is on switch %" PRIu32 " of %" PRIu32
                                    " at %" PRId64 " ps, which cannot be",
                                    v, slots[i].switch_index, switches, slots[i].start);
        standing->slots[v] = slots[i];
    }
    return FLUX_OK;
}

int flux_standing_carries(const struct flux_standing *standing, uint32_t k, uint32_t src, uint32_t dst)
{
    const struct flux_fabric *fabric = standing->fabric;
    return !flux_fabric_dead(fabric, src, k) && !flux_fabric_dead(fabric, dst, k) &&
           !flux_fabric_is_forbidden(fabric, k, src, dst);
}

int64_t flux_standing_duration(const struct flux_standing *standing, uint32_t vertex, uint32_t k)
{
    const struct flux_vertex *v = &standing->graph->vertices[vertex];
    int64_t duration = v->duration;
    if (v->src != FLUX_NONE) {
        if (!duration && flux_fabric_duration(standing->fabric, k, v->src, v->dst, v->bytes, &duration))
            return -1;
        return duration;
    }
    if (!standing->options.factors_ppm)
        return duration;
    flux_wide time = ((flux_wide)duration * standing->options.factors_ppm[v->dst] + FLUX_PPM / 2) / FLUX_PPM;
    return time > FLUX_TIME_MAX ? -1 : (int64_t)time;
}

static int fail_time(const struct flux_standing *standing, uint32_t v, const char *what)
{
    const struct flux_time *time = &standing->options.times[v];
    char name[NAME];
    return flux_fail_vertex(standing->error, FLUX_E_MISMATCH, v,
                            "%s is said to run from %" PRId64 " to %" PRId64 " ps, %s",
                            flux_graph_name(standing->graph, v, name, sizeof name), time->start, time->end, what);
}

/* The end that is expected of a vertex that is under way without one. */
static int expect_end(struct flux_standing *standing, uint32_t v)
{
    struct flux_time *time = &standing->times[v];
    int64_t duration = flux_standing_duration(standing, v, standing->slots[v].switch_index);
    if (duration < 0 || time->start > FLUX_TIME_MAX - duration || standing->options.now == FLUX_TIME_MAX)
        return flux_fail_vertex(standing->error, FLUX_E_OVERFLOW, v, "the times add up beyond 2^62 ps");
    time->end = time->start + duration;
    if (time->end <= standing->options.now)
        time->end = standing->options.now + 1;
    return FLUX_OK;
}

static int read_time(struct flux_standing *standing, uint32_t v)
{
    const struct flux_time *said = &standing->options.times[v];
    int is_send = standing->slots[v].send != FLUX_NONE;
    standing->times[v] = *said;
    if (said->start < 0)
        return said->start == -1 && said->end == -1
                   ? FLUX_OK
                   : fail_time(standing, v, "and times are not negative; both are -1 where it has not begun");
    if (said->start > standing->options.now)
        return fail_time(standing, v, "and begins after now: a start in the future is for the plan to find");
    if (said->end == -1)
        return expect_end(standing, v);
    if (said->end < said->start || (is_send && said->end == said->start))
        return fail_time(standing, v, "and ends before it begins");
    if (said->end > FLUX_TIME_MAX)
        return flux_fail_vertex(standing->error, FLUX_E_OVERFLOW, v, "the times add up beyond 2^62 ps");
    return FLUX_OK;
}

/* What has begun waited for nothing that was not done. How long a lag really was, is a fact like any other. */
static int check_edges(const struct flux_standing *standing)
{
    const struct flux_graph *graph = standing->graph;
    char before[NAME], after[NAME];
    for (uint64_t i = 0; i < graph->edge_count; i++) {
        const struct flux_edge *edge = &graph->edges[i];
        const struct flux_time *from = &standing->times[edge->from], *to = &standing->times[edge->to];
        if (to->start < 0 || (from->start >= 0 && from->end <= to->start))
            continue;
        return flux_fail_vertex(standing->error, FLUX_E_MISMATCH, edge->to,
                                "%s is said to have begun at %" PRId64 " ps, but it waits for %s, which %s by then",
                                flux_graph_name(graph, edge->to, after, sizeof after), to->start,
                                flux_graph_name(graph, edge->from, before, sizeof before),
                                from->start < 0 ? "has not begun" : "was not done");
    }
    return FLUX_OK;
}

static int check_counts(const struct flux_standing *standing)
{
    const struct flux_replan_options *options = &standing->options;
    struct flux_error *error = standing->error;
    uint32_t gpus = standing->graph->gpus;
    if (gpus != flux_fabric_gpus(standing->fabric))
        return flux_fail(error, FLUX_E_MISMATCH,
                         "the graph has %" PRIu32 " GPUs and the fabric %" PRIu32 ": make both with the same number", gpus,
                         flux_fabric_gpus(standing->fabric));
    if (options->now < 0 || options->now > FLUX_TIME_MAX)
        return flux_fail(error, FLUX_E_ARGUMENT, "now is %" PRId64 " ps: it is 0 to 2^62", options->now);
    if (options->times && options->time_count != standing->vertices)
        return flux_fail(error, FLUX_E_ARGUMENT, "%" PRIu64 " times for %" PRIu32 " vertices", options->time_count,
                         standing->vertices);
    if (options->releases && options->release_count != standing->vertices)
        return flux_fail(error, FLUX_E_ARGUMENT, "%" PRIu64 " releases for %" PRIu32 " vertices",
                         options->release_count, standing->vertices);
    if (options->factors_ppm && options->factor_count != gpus)
        return flux_fail(error, FLUX_E_ARGUMENT, "%" PRIu64 " factors for %" PRIu32 " GPUs", options->factor_count,
                         gpus);
    if (options->circuit_count && !options->circuits)
        return flux_fail(error, FLUX_E_ARGUMENT, "option circuits is NULL with a count");
    for (uint32_t v = 0; options->releases && v < standing->vertices; v++)
        if (options->releases[v] < 0 || options->releases[v] > FLUX_TIME_MAX)
            return flux_fail_vertex(error, FLUX_E_ARGUMENT, v,
                                    "the release of vertex %" PRIu32 " is %" PRId64 " ps: it is 0 to 2^62", v,
                                    options->releases[v]);
    return FLUX_OK;
}

int flux_standing_read(struct flux_standing *standing, const struct flux_slot *slots, uint64_t count)
{
    standing->vertices = (uint32_t)standing->graph->vertex_count;
    uint64_t n = standing->vertices;
    standing->begin = standing->options.now;
    int rc = check_counts(standing);
    if (rc)
        return rc;
    standing->slots = flux_arena_alloc(&standing->arena, n, sizeof *standing->slots);
    standing->times = flux_arena_alloc(&standing->arena, n, sizeof *standing->times);
    standing->state = flux_arena_alloc(&standing->arena, n, sizeof *standing->state);
    if (!standing->slots || !standing->times || !standing->state)
        return flux_fail_memory(standing->error);
    rc = read_slots(standing, slots, count);
    for (uint32_t v = 0; !rc && v < standing->vertices; v++) {
        standing->times[v] = (struct flux_time){-1, -1};
        if (standing->options.times)
            rc = read_time(standing, v);
    }
    if (!rc)
        rc = check_edges(standing);
    return rc ? rc : flux_standing_circuits(standing);
}
