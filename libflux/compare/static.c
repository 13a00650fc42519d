/* SPDX-License-Identifier: Apache-2.0
 *
 * compare/static.c - one configuration that is never changed: a circuit for every pair, and as many more for the
 * busiest pairs as there is room for. No dark time, no choice of when: where every pair has a circuit, only the load
 * counts.
 */
#include "compare/pairs.h"
#include "model/problem.h"
#include "search/colour.h"

#include <inttypes.h>

struct wiring {
    struct flux_comparing *comparing;
    struct flux_pairs pairs;
    uint32_t *circuits_of; /* by pair */
    struct flux_circuit_name *circuits;
    uint64_t count;
    uint64_t capacity;
};

static int fits(const struct wiring *wiring, uint32_t k, uint32_t src, uint32_t dst)
{
    uint32_t rule = flux_fabric_rule(wiring->comparing->fabric);
    if (!flux_compare_possible(wiring->comparing->fabric, k, src, dst))
        return 0;
    for (uint64_t i = 0; i < wiring->count; i++) {
        const struct flux_circuit_name *other = &wiring->circuits[i];
        if (other->switch_index == k && flux_separation(rule, src, dst, other->src, other->dst, 1) >= 0)
            return 0;
    }
    return 1;
}

/* The first switch on which there is room for one more circuit of pair p; FLUX_NONE: none. */
static uint32_t find_room(const struct wiring *wiring, uint32_t p)
{
    const struct flux_circuit_name *pair = &wiring->pairs.circuit[p];
    for (uint32_t k = 0; k < flux_fabric_switches(wiring->comparing->fabric); k++)
        if (fits(wiring, k, pair->src, pair->dst))
            return k;
    return FLUX_NONE;
}

static void add(struct wiring *wiring, uint32_t p, uint32_t k)
{
    wiring->circuits[wiring->count] = wiring->pairs.circuit[p];
    wiring->circuits[wiring->count++].switch_index = k;
    wiring->circuits_of[p]++;
}

/* One more circuit for the pair with most time per circuit that has room, until none has. */
static void fill(struct wiring *wiring)
{
    while (wiring->count < wiring->capacity) {
        uint32_t best = FLUX_NONE, room = FLUX_NONE;
        for (uint32_t p = 0; p < wiring->pairs.count; p++) {
            int64_t time = wiring->pairs.time[p] / wiring->circuits_of[p];
            if (best != FLUX_NONE && time <= wiring->pairs.time[best] / wiring->circuits_of[best])
                continue;
            uint32_t k = find_room(wiring, p);
            if (k == FLUX_NONE)
                continue;
            best = p;
            room = k;
        }
        if (best == FLUX_NONE)
            return;
        add(wiring, best, room);
    }
}

/* States with the circuits of each switch together. */
static int make_replay(struct wiring *wiring)
{
    struct flux_comparing *comparing = wiring->comparing;
    uint32_t switches = flux_fabric_switches(comparing->fabric);
    struct flux_cycle_state *states = flux_arena_alloc(comparing->arena, switches, sizeof *states);
    struct flux_circuit_name *circuits = flux_arena_alloc(comparing->arena, wiring->count, sizeof *circuits);
    uint64_t count = 0;
    if (!states || !circuits)
        return FLUX_E_MEMORY;
    for (uint32_t k = 0; k < switches; k++) {
        states[k] = (struct flux_cycle_state){k, 0, 1};
        for (uint64_t i = 0; i < wiring->count; i++)
            if (wiring->circuits[i].switch_index == k) {
                circuits[count++] = wiring->circuits[i];
                states[k].circuits++;
            }
    }
    int rc = flux_replay_new_cycle(comparing->graph, comparing->fabric, states, switches, circuits, count,
                                   &comparing->comparison->replay, comparing->error);
    return flux_compare_refuse_or_fail(comparing, rc);
}

/* A switch for every pair. The first pair without one in `left_out`, else FLUX_NONE. */
static int wire(struct wiring *wiring, uint32_t *left_out)
{
    struct flux_comparing *comparing = wiring->comparing;
    uint32_t switches = flux_fabric_switches(comparing->fabric), pairs = wiring->pairs.count;
    uint8_t *possible = flux_arena_alloc(comparing->arena, (uint64_t)pairs * switches, 1);
    uint32_t *state = flux_arena_alloc(comparing->arena, pairs, sizeof *state);
    if (!possible || !state)
        return FLUX_E_MEMORY;
    for (uint32_t p = 0; p < pairs; p++)
        for (uint32_t k = 0; k < switches; k++)
            possible[(uint64_t)p * switches + k] = (uint8_t)flux_compare_possible(
                comparing->fabric, k, wiring->pairs.circuit[p].src, wiring->pairs.circuit[p].dst);
    struct flux_colouring colouring = {
        flux_fabric_rule(comparing->fabric), flux_graph_gpus(comparing->graph), switches, possible, state, 0};
    if (flux_colour(&colouring, wiring->pairs.circuit, pairs, comparing->arena))
        return FLUX_E_MEMORY;
    *left_out = FLUX_NONE;
    for (uint32_t p = pairs; p-- > 0;) {
        if (state[p] == FLUX_NONE)
            *left_out = p;
        else
            add(wiring, p, state[p]);
    }
    return FLUX_OK;
}

/* The GPU end with the most pairs: no configuration exists where it has more than there are switches. Under DUPLEX both
 * directions of a pair are one. Its pairs in `most`, its GPU in `gpu`. Errors: MEMORY. */
static int find_fullest(const struct wiring *wiring, uint32_t *most, uint32_t *gpu)
{
    const struct flux_comparing *comparing = wiring->comparing;
    uint32_t rule = flux_fabric_rule(comparing->fabric), gpus = flux_graph_gpus(comparing->graph);
    uint32_t *count = flux_arena_zero(comparing->arena, UINT64_C(2) * gpus, sizeof *count);
    if (!count)
        return FLUX_E_MEMORY;
    *most = 0;
    for (uint32_t p = 0; p < wiring->pairs.count; p++) {
        const struct flux_circuit_name *pair = &wiring->pairs.circuit[p];
        if (rule == FLUX_RULE_DUPLEX && pair->src > pair->dst && flux_pairs_has(&wiring->pairs, pair->dst, pair->src))
            continue;
        uint32_t ends[2] = {pair->src, rule == FLUX_RULE_SIMPLEX ? gpus + pair->dst : pair->dst};
        for (int i = 0; i < 2; i++)
            if (++count[ends[i]] > *most) {
                *most = count[ends[i]];
                *gpu = ends[i] % gpus;
            }
    }
    return FLUX_OK;
}

int flux_compare_static(struct flux_comparing *comparing)
{
    struct wiring wiring = {.comparing = comparing};
    uint32_t switches = flux_fabric_switches(comparing->fabric), left_out, most, gpu = 0;
    int rc = flux_pairs_find(comparing, &wiring.pairs);
    if (!rc)
        rc = find_fullest(&wiring, &most, &gpu);
    if (rc)
        return rc;
    if (most > switches)
        return flux_compare_refuse(
            comparing, "GPU %" PRIu32 " would need %" PRIu32 " circuits at once, and there are %" PRIu32 " switches",
            gpu, most, switches);
    /* No more circuits than ports, whatever the rule. */
    wiring.capacity = (uint64_t)flux_graph_gpus(comparing->graph) * switches;
    wiring.capacity = wiring.capacity > wiring.pairs.count ? wiring.capacity : wiring.pairs.count;
    wiring.circuits_of = flux_arena_zero(comparing->arena, wiring.pairs.count, sizeof *wiring.circuits_of);
    wiring.circuits = flux_arena_alloc(comparing->arena, wiring.capacity, sizeof *wiring.circuits);
    if (!wiring.circuits_of || !wiring.circuits || wire(&wiring, &left_out))
        return FLUX_E_MEMORY;
    if (left_out != FLUX_NONE)
        return flux_compare_refuse(comparing,
                                   "no configuration of %" PRIu32 " switches with a circuit for every one of %" PRIu32
                                   " pairs was found: %" PRIu32 " to %" PRIu32 " has none",
                                   switches, wiring.pairs.count, wiring.pairs.circuit[left_out].src,
                                   wiring.pairs.circuit[left_out].dst);
    fill(&wiring);
    return make_replay(&wiring);
}
