/* SPDX-License-Identifier: Apache-2.0
 *
 * replan/circuits.c - which circuit has each port, and when the clock of the rest begins.
 */
#include "base/fail.h"
#include "model/graph.h"
#include "replan/standing.h"
#include "schedule/radix.h"
#include "search/lanes.h"

#include <inttypes.h>

#define NAME 80

static int fail_rivals(const struct flux_standing *standing, uint32_t k, uint32_t src, uint32_t dst,
                       const struct flux_holder *rival)
{
    return flux_fail(standing->error, FLUX_E_MISMATCH,
                     "the circuits (%" PRIu32 ", %" PRIu32 ") and (%" PRIu32 ", %" PRIu32 ") of switch %" PRIu32
                     " are said to be there together, and share a port",
                     rival->src, rival->dst, src, dst, k);
}

/* Sends that are under way hold their circuits; `taken` marks by place those that a send goes through, so that no two
 * share one: the two directions of a DUPLEX circuit are apart. */
static int hold_under_way(struct flux_standing *standing)
{
    struct flux_holders *holders = &standing->holders;
    uint64_t places = (uint64_t)holders->gpus * holders->switches;
    uint8_t *out = flux_arena_zero(&standing->arena, places, 2);
    if (!out)
        return flux_fail_memory(standing->error);
    for (uint32_t v = 0; v < standing->vertices; v++) {
        const struct flux_vertex *send = &standing->graph->vertices[v];
        uint32_t k = standing->slots[v].switch_index;
        char name[NAME];
        if (send->src == FLUX_NONE || standing->times[v].start < 0 || standing->times[v].end <= standing->options.now)
            continue;
        if (!flux_standing_carries(standing, k, send->src, send->dst))
            return flux_fail_vertex(standing->error, FLUX_E_MISMATCH, v,
                                    "%s is said to be under way on switch %" PRIu32 ", where a port of it is dead or its "
                                    "circuit forbidden: say that it has not begun, so that it is sent again",
                                    flux_graph_name(standing->graph, v, name, sizeof name), k);
        const struct flux_holder *rival = flux_holders_rival(holders, k, send->src, send->dst);
        if (rival)
            return fail_rivals(standing, k, send->src, send->dst, rival);
        uint64_t source = ((uint64_t)k * holders->gpus + send->src) * 2;
        uint64_t target = ((uint64_t)k * holders->gpus + send->dst) * 2 + 1;
        if (out[source] || out[target])
            return flux_fail_vertex(standing->error, FLUX_E_MISMATCH, v,
                                    "%s is said to be under way on switch %" PRIu32
                                    " together with another send on the same circuit",
                                    flux_graph_name(standing->graph, v, name, sizeof name), k);
        out[source] = out[target] = 1;
        flux_holders_set(holders, k, send->src, send->dst);
    }
    return FLUX_OK;
}

static int check_row(const struct flux_standing *standing, uint64_t i)
{
    const struct flux_circuit_state *row = &standing->options.circuits[i];
    uint32_t gpus = standing->graph->gpus;
    if (row->switch_index < flux_fabric_switches(standing->fabric) && row->src < gpus && row->dst < gpus &&
        row->src != row->dst && row->changed <= 1 && row->begin >= 0 && row->begin <= standing->options.now && row->up >= row->begin &&
        row->up <= FLUX_TIME_MAX)
        return FLUX_OK;
    return flux_fail(standing->error, FLUX_E_ARGUMENT,
                     "row %" PRIu64 " of the circuits, (%" PRIu32 ", %" PRIu32 ") on switch %" PRIu32
                     " from %" PRId64 " ps, up at %" PRId64 " ps, cannot be: GPUs, switch or times are out of range",
                     i, row->src, row->dst, row->switch_index, row->begin, row->up);
}

/* On a switch that stops as a whole the rest waits for what changes, where there is a dwell for that. */
static void wait_for(struct flux_standing *standing, uint32_t k, int64_t begin, int64_t up)
{
    int64_t dwell = flux_fabric_dwell(standing->fabric, k);
    int blocking = flux_fabric_blocking(standing->fabric, k) == FLUX_BLOCKING_SWITCH;
    if ((blocking || dwell) && up > standing->begin)
        standing->begin = up;
    if (dwell && flux_time_after(begin, dwell) > standing->begin)
        standing->begin = flux_time_after(begin, dwell);
}

static int hold_given(struct flux_standing *standing)
{
    const struct flux_replan_options *options = &standing->options;
    for (uint64_t i = 0; i < options->circuit_count; i++) {
        const struct flux_circuit_state *row = &options->circuits[i];
        int rc = check_row(standing, i);
        if (rc)
            return rc;
        if (row->changed)
            wait_for(standing, row->switch_index, row->begin, row->up);
        if (!flux_standing_carries(standing, row->switch_index, row->src, row->dst))
            continue;
        const struct flux_holder *rival =
            flux_holders_rival(&standing->holders, row->switch_index, row->src, row->dst);
        if (rival)
            return fail_rivals(standing, row->switch_index, row->src, row->dst, rival);
        if (row->up > options->now && flux_holders_up(&standing->holders, row->switch_index, row->src, row->dst))
            return flux_fail(standing->error, FLUX_E_MISMATCH,
                             "the circuit (%" PRIu32 ", %" PRIu32 ") of switch %" PRIu32
                             " is said to be changing, but a send is under way on it, or it is told twice",
                             row->src, row->dst, row->switch_index);
        flux_holders_set(&standing->holders, row->switch_index, row->src, row->dst);
    }
    /* A circuit at a dead port leaves the other one pointing to it. */
    for (uint64_t i = 0; i < options->circuit_count; i++) {
        const struct flux_circuit_state *row = &options->circuits[i];
        if (!flux_standing_carries(standing, row->switch_index, row->src, row->dst))
            flux_holders_fill(&standing->holders, row->switch_index, row->src, row->dst, 1);
    }
    return FLUX_OK;
}

/* A circuit that was there and is not told, or that the switch can carry no longer. */
static int gone(const struct flux_standing *standing, uint32_t k, uint32_t src, uint32_t dst)
{
    return standing->options.circuits || !flux_standing_carries(standing, k, src, dst);
}

/* What was used last at a port is still there; where the circuits are told, it only shows that the port was used. */
static int hold_used(struct flux_standing *standing)
{
    uint64_t n = standing->vertices;
    struct flux_keyed *rows = flux_arena_alloc(&standing->arena, n, sizeof *rows);
    struct flux_keyed *spare = flux_arena_alloc(&standing->arena, n, sizeof *spare);
    uint64_t count = 0;
    if (!rows || !spare)
        return flux_fail_memory(standing->error);
    for (uint32_t v = 0; v < standing->vertices; v++)
        if (standing->slots[v].send != FLUX_NONE && standing->times[v].start >= 0)
            rows[count++] = (struct flux_keyed){(uint64_t)standing->times[v].end, v, 0};
    flux_radix_sort(rows, spare, count);
    while (count-- > 0) {
        uint32_t v = rows[count].item, k = standing->slots[v].switch_index;
        const struct flux_vertex *send = &standing->graph->vertices[v];
        flux_holders_fill(&standing->holders, k, send->src, send->dst, gone(standing, k, send->src, send->dst));
        if (!standing->options.circuits)
            wait_for(standing, k, standing->times[v].start, standing->times[v].start);
    }
    return FLUX_OK;
}

static void hold_initial(struct flux_standing *standing)
{
    uint64_t count;
    const struct flux_circuit_name *initial = flux_fabric_initial(standing->fabric, &count);
    for (uint64_t i = 0; i < count; i++)
        flux_holders_fill(&standing->holders, initial[i].switch_index, initial[i].src, initial[i].dst,
                          gone(standing, initial[i].switch_index, initial[i].src, initial[i].dst));
}

/* Circuits that come up after the clock of the rest begins; those that carry both directions, once for each. */
static int find_coming(struct flux_standing *standing)
{
    const struct flux_replan_options *options = &standing->options;
    standing->coming = flux_arena_alloc(&standing->arena, options->circuit_count, 2 * sizeof *standing->coming);
    if (!standing->coming)
        return flux_fail_memory(standing->error);
    for (uint64_t i = 0; i < options->circuit_count; i++) {
        const struct flux_circuit_state *row = &options->circuits[i];
        if (row->up <= standing->begin || !flux_standing_carries(standing, row->switch_index, row->src, row->dst))
            continue;
        standing->coming[standing->coming_count++] = *row;
        if (standing->holders.rule == FLUX_RULE_DUPLEX) {
            struct flux_circuit_state *back = &standing->coming[standing->coming_count++];
            *back = *row;
            back->src = row->dst;
            back->dst = row->src;
        }
    }
    return FLUX_OK;
}

int flux_standing_circuits(struct flux_standing *standing)
{
    int rc = flux_holders_init(&standing->holders, standing->fabric, &standing->arena);
    if (rc)
        return flux_fail_memory(standing->error);
    rc = hold_under_way(standing);
    if (!rc)
        rc = hold_given(standing);
    if (!rc)
        rc = hold_used(standing);
    if (rc)
        return rc;
    hold_initial(standing);
    for (uint32_t v = 0; v < standing->vertices; v++) {
        const struct flux_time *time = &standing->times[v];
        standing->state[v] = time->start < 0              ? FLUX_STANDING_WAITS
                             : time->end > standing->begin ? FLUX_STANDING_RUNS
                                                           : FLUX_STANDING_DONE;
    }
    return find_coming(standing);
}
