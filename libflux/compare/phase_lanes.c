/* SPDX-License-Identifier: Apache-2.0
 *
 * compare/phase_lanes.c - the configurations of a phase scheduler, and which circuits each pair has in them.
 */
#include "compare/phase.h"
#include "schedule/radix.h"
#include "search/colour.h"

#include <string.h>

struct wiring {
    const struct flux_comparing *comparing;
    struct flux_phase_lanes *lanes;
    uint32_t switches;
};

/* Sends by dimension, then source, then destination: each such triple is a lane. */
static int list_lanes(const struct flux_comparing *comparing, const struct flux_dimensions *dimensions,
                      struct flux_phase_lanes *lanes)
{
    uint64_t sends = flux_graph_sends(comparing->graph), count = 0, n = flux_graph_vertices(comparing->graph);
    struct flux_keyed *rows = flux_arena_alloc(comparing->arena, sends, sizeof *rows);
    struct flux_keyed *spare = flux_arena_alloc(comparing->arena, sends, sizeof *spare);
    struct flux_send send;
    lanes->of = flux_arena_alloc(comparing->arena, n, sizeof *lanes->of);
    lanes->lane = flux_arena_alloc(comparing->arena, sends, sizeof *lanes->lane);
    if (!rows || !spare || !lanes->of || !lanes->lane)
        return FLUX_E_MEMORY;
    memset(lanes->of, 0xff, n * sizeof *lanes->of);
    for (uint32_t v = 0; v < n; v++)
        if (flux_graph_get_send(comparing->graph, v, &send) == FLUX_OK)
            rows[count++] = (struct flux_keyed){(uint64_t)send.src << 32 | send.dst, v, 0};
    flux_radix_sort(rows, spare, count);
    for (uint64_t i = 0; i < count; i++)
        rows[i].key = dimensions->of[rows[i].item];
    flux_radix_sort(rows, spare, count);
    for (uint64_t i = 0; i < count; i++) {
        const struct flux_phase_lane *last = lanes->count ? &lanes->lane[lanes->count - 1] : NULL;
        uint32_t dimension = (uint32_t)rows[i].key;
        flux_graph_get_send(comparing->graph, rows[i].item, &send);
        if (!last || last->dimension != dimension || last->src != send.src || last->dst != send.dst)
            lanes->lane[lanes->count++] = (struct flux_phase_lane){dimension, send.src, send.dst, 0, FLUX_NONE, 0};
        lanes->of[rows[i].item] = lanes->count - 1;
    }
    return FLUX_OK;
}

/* By circuit and state, whether the state's switch can set it up; NULL where all can. State q is on switch q modulo
 * their number. */
static int list_possible(const struct wiring *wiring, const struct flux_circuit_name *circuits, uint32_t count,
                         uint32_t limit, uint8_t **possible)
{
    uint8_t *rows = flux_arena_alloc(wiring->comparing->arena, (uint64_t)count * limit, 1);
    int all = 1;
    if (!rows)
        return FLUX_E_MEMORY;
    for (uint32_t c = 0; c < count; c++)
        for (uint32_t q = 0; q < limit; q++) {
            int can = flux_compare_possible(wiring->comparing->fabric, q % wiring->switches, circuits[c].src,
                                            circuits[c].dst);
            rows[(uint64_t)c * limit + q] = (uint8_t)can;
            all = all && can;
        }
    *possible = all ? NULL : rows;
    return FLUX_OK;
}

/* The circuits of a lane in state q: on its switch, and where the dimension fits more than once, on others. */
static void add_circuits(struct wiring *wiring, struct flux_phase_lane *lane, uint32_t q, uint32_t used)
{
    struct flux_phase_lanes *lanes = wiring->lanes;
    lane->configuration = lanes->configurations + q / wiring->switches;
    lane->first = lanes->circuits;
    for (uint32_t k = q % wiring->switches; k < wiring->switches; k += used) {
        if (k + (used - q % used) > wiring->switches && k >= used)
            break; /* the last copy would not be whole */
        if (lane->count == 0 || flux_compare_possible(wiring->comparing->fabric, k, lane->src, lane->dst)) {
            lanes->switch_of[lanes->circuits++] = k;
            lane->count++;
        }
    }
}

/* Configurations for the lanes of one dimension. */
static int wire(struct wiring *wiring, struct flux_phase_lane *lane, uint32_t count)
{
    const struct flux_comparing *comparing = wiring->comparing;
    struct flux_arena *arena = comparing->arena;
    uint32_t gpus = flux_graph_gpus(comparing->graph), degree = 1;
    struct flux_circuit_name *circuits = flux_arena_alloc(arena, count, sizeof *circuits);
    uint32_t *state = flux_arena_alloc(arena, count, sizeof *state);
    uint32_t *touch = flux_arena_zero(arena, gpus, sizeof *touch);
    uint8_t *possible = NULL;
    if (!circuits || !state || !touch)
        return FLUX_E_MEMORY;
    for (uint32_t c = 0; c < count; c++) {
        circuits[c] = (struct flux_circuit_name){0, lane[c].src, lane[c].dst};
        degree = ++touch[lane[c].src] > degree ? touch[lane[c].src] : degree;
        degree = ++touch[lane[c].dst] > degree ? touch[lane[c].dst] : degree;
    }
    /* Twice the degree always suffices where everything is possible. */
    uint32_t limit = (2 * degree / wiring->switches + 1) * wiring->switches;
    if (list_possible(wiring, circuits, count, limit, &possible))
        return FLUX_E_MEMORY;
    struct flux_colouring colouring = {flux_fabric_rule(comparing->fabric), gpus, limit, possible, state, 0};
    if (flux_colour(&colouring, circuits, count, arena))
        return FLUX_E_MEMORY;
    uint32_t used = colouring.used < wiring->switches ? colouring.used : wiring->switches;
    for (uint32_t c = 0; c < count; c++)
        if (state[c] != FLUX_NONE)
            add_circuits(wiring, &lane[c], state[c], used);
    wiring->lanes->configurations += colouring.used / wiring->switches + (colouring.used % wiring->switches > 0);
    return FLUX_OK;
}

/* Lanes of one configuration stand together, in the order that they had. */
static int sort_lanes(const struct flux_comparing *comparing, struct flux_phase_lanes *lanes)
{
    struct flux_arena *arena = comparing->arena;
    struct flux_keyed *rows = flux_arena_alloc(arena, lanes->count, sizeof *rows);
    struct flux_keyed *spare = flux_arena_alloc(arena, lanes->count, sizeof *spare);
    struct flux_phase_lane *sorted = flux_arena_alloc(arena, lanes->count, sizeof *sorted);
    uint32_t *place = flux_arena_alloc(arena, lanes->count, sizeof *place);
    if (!rows || !spare || !sorted || !place)
        return FLUX_E_MEMORY;
    for (uint32_t l = 0; l < lanes->count; l++)
        rows[l] = (struct flux_keyed){lanes->lane[l].configuration, l, 0};
    flux_radix_sort(rows, spare, lanes->count);
    for (uint32_t l = 0; l < lanes->count; l++) {
        sorted[l] = lanes->lane[rows[l].item];
        place[rows[l].item] = l;
    }
    lanes->lane = sorted;
    for (uint32_t v = 0; v < flux_graph_vertices(comparing->graph); v++)
        if (lanes->of[v] != FLUX_NONE)
            lanes->of[v] = place[lanes->of[v]];
    return FLUX_OK;
}

int flux_phase_lanes_make(const struct flux_comparing *comparing, const struct flux_dimensions *dimensions,
                          struct flux_phase_lanes *lanes)
{
    struct wiring wiring = {comparing, lanes, flux_fabric_switches(comparing->fabric)};
    *lanes = (struct flux_phase_lanes){0, 0, 0, NULL, NULL, NULL};
    int rc = list_lanes(comparing, dimensions, lanes);
    if (!rc) {
        lanes->switch_of =
            flux_arena_alloc(comparing->arena, (uint64_t)lanes->count * wiring.switches, sizeof *lanes->switch_of);
        rc = lanes->switch_of ? FLUX_OK : FLUX_E_MEMORY;
    }
    for (uint32_t l = 0, end; !rc && l < lanes->count; l = end) {
        for (end = l; end < lanes->count && lanes->lane[end].dimension == lanes->lane[l].dimension; end++) {
        }
        rc = wire(&wiring, &lanes->lane[l], end - l);
    }
    return rc ? rc : sort_lanes(comparing, lanes);
}
