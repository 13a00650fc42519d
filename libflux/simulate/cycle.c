/* SPDX-License-Identifier: Apache-2.0
 *
 * simulate/cycle.c - a cycle of switch states, read and checked.
 */
#include "simulate/cycle.h"

#include "base/fail.h"
#include "simulate/vlb.h"

#include <inttypes.h>

struct reading {
    struct flux_replay *replay;
    const struct flux_graph *graph;
    const struct flux_fabric *fabric;
    const struct flux_cycle_recipe *recipe;
    struct flux_error *error;
    uint64_t *place;         /* by state: its first circuit in the recipe */
    struct flux_keyed *pair; /* the pairs of sends, ascending, each once; item: a send of it */
    struct flux_keyed *spare;
    uint8_t *offered; /* by pair */
    /* By GPU, where the number of the state is in `sends` or `hears`: whom it sends to, and whom it hears. */
    uint32_t *sends;
    uint32_t *hears;
    uint32_t *sends_to;
    uint32_t *hears_from;
};

static void *get(struct flux_replay *replay, uint64_t count, uint64_t size)
{
    return flux_arena_zero(&replay->audit.arena, count, size);
}

static uint64_t pair_key(uint32_t src, uint32_t dst)
{
    return (uint64_t)src << 32 | dst;
}

static int make_arrays(struct reading *reading)
{
    struct flux_replay *replay = reading->replay;
    struct flux_replay_plan *plan = &replay->plan;
    uint64_t n = plan->vertices, s = plan->switches, gpus = plan->gpus, c = reading->recipe->circuit_count;
    uint64_t pairs = reading->recipe->vlb ? gpus * gpus : plan->sends;
    struct flux_cycle *cycle = replay->cycle = get(replay, 1, sizeof *cycle);
    if (!cycle)
        return FLUX_E_MEMORY;
    cycle->row = get(replay, reading->recipe->state_count, sizeof *cycle->row);
    cycle->row_first = get(replay, s + 2, sizeof *cycle->row_first);
    cycle->circuit = get(replay, c, sizeof *cycle->circuit);
    cycle->pair_of = get(replay, n, sizeof *cycle->pair_of);
    cycle->delay = get(replay, s, sizeof *cycle->delay);
    cycle->extra = get(replay, s, sizeof *cycle->extra);
    cycle->gone = get(replay, n, sizeof *cycle->gone);
    cycle->active = get(replay, c, sizeof *cycle->active);
    cycle->idle_next = get(replay, c, sizeof *cycle->idle_next);
    cycle->since = get(replay, c, sizeof *cycle->since);
    cycle->need = get(replay, c, sizeof *cycle->need);
    cycle->queue_head = get(replay, pairs, sizeof *cycle->queue_head);
    cycle->queue_tail = get(replay, pairs, sizeof *cycle->queue_tail);
    cycle->idle_head = get(replay, pairs, sizeof *cycle->idle_head);
    cycle->rest = get(replay, n, sizeof *cycle->rest);
    cycle->whole = get(replay, n, sizeof *cycle->whole);
    cycle->state = get(replay, s, sizeof *cycle->state);
    cycle->until = get(replay, s, sizeof *cycle->until);
    cycle->from = get(replay, s, sizeof *cycle->from);
    reading->place = get(replay, reading->recipe->state_count, sizeof *reading->place);
    reading->pair = get(replay, plan->sends, sizeof *reading->pair);
    reading->spare = get(replay, plan->sends, sizeof *reading->spare);
    reading->offered = get(replay, plan->sends, sizeof *reading->offered);
    reading->sends = get(replay, gpus, sizeof *reading->sends);
    reading->hears = get(replay, gpus, sizeof *reading->hears);
    reading->sends_to = get(replay, gpus, sizeof *reading->sends_to);
    reading->hears_from = get(replay, gpus, sizeof *reading->hears_from);
    return cycle->row && cycle->row_first && cycle->circuit && cycle->pair_of && cycle->delay && cycle->extra &&
                   cycle->gone && cycle->active && cycle->idle_next && cycle->since && cycle->need &&
                   cycle->queue_head && cycle->queue_tail && cycle->idle_head && cycle->rest && cycle->whole &&
                   cycle->state && cycle->until && cycle->from && reading->place && reading->pair && reading->spare &&
                   reading->offered && reading->sends && reading->hears && reading->sends_to && reading->hears_from
               ? FLUX_OK
               : FLUX_E_MEMORY;
}

/* The pairs between which there are sends, and the places of sends in the order of events. */
static void read_pairs(struct reading *reading)
{
    struct flux_replay *replay = reading->replay;
    struct flux_replay_plan *plan = &replay->plan;
    struct flux_cycle *cycle = replay->cycle;
    const struct flux_precedence *precedence = &replay->audit.precedence;
    uint64_t count = 0;
    for (uint32_t v = 0; v < plan->vertices; v++) {
        cycle->pair_of[v] = FLUX_NONE;
        if (precedence->to[v] != FLUX_NONE)
            reading->pair[count++] = (struct flux_keyed){pair_key(precedence->at[v], precedence->to[v]), v, 0};
    }
    flux_radix_sort(reading->pair, reading->spare, count);
    for (uint64_t i = 0; i < count; i++) {
        if (cycle->pairs == 0 || reading->pair[cycle->pairs - 1].key != reading->pair[i].key)
            reading->pair[cycle->pairs++] = reading->pair[i];
        cycle->pair_of[reading->pair[i].item] = cycle->pairs - 1;
    }
    /* With forwarding every pair has its queues. */
    for (uint32_t v = 0; v < plan->vertices && reading->recipe->vlb; v++)
        if (cycle->pair_of[v] != FLUX_NONE)
            cycle->pair_of[v] = replay->audit.precedence.at[v] * plan->gpus + replay->audit.precedence.to[v];
    for (uint32_t i = 0; i < plan->vertices; i++)
        plan->rank[replay->audit.precedence.order[i]] = cycle->rank_ready + i;
}

static uint32_t find_pair(const struct reading *reading, uint32_t src, uint32_t dst)
{
    uint64_t key = pair_key(src, dst);
    uint32_t low = 0, high = reading->replay->cycle->pairs;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (reading->pair[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < reading->replay->cycle->pairs && reading->pair[low].key == key ? low : FLUX_NONE;
}

/* States by switch, in the order given, and where the circuits of each are. */
static int read_states(struct reading *reading)
{
    struct flux_cycle *cycle = reading->replay->cycle;
    uint32_t *first = cycle->row_first, switches = reading->replay->plan.switches;
    uint64_t used = 0;
    for (uint64_t i = 0; i < reading->recipe->state_count; i++) {
        const struct flux_cycle_state *state = &reading->recipe->states[i];
        if (state->switch_index >= switches || state->duration < 1 || state->duration > FLUX_TIME_MAX)
            return flux_fail(reading->error, FLUX_E_ARGUMENT,
                             "state %" PRIu64 " has switch %" PRIu32 " of %" PRIu32 " and lasts %" PRId64 " ps", i,
                             state->switch_index, switches, state->duration);
        reading->place[i] = used;
        used += state->circuits;
        first[state->switch_index + 2]++;
    }
    if (used != reading->recipe->circuit_count)
        return flux_fail(reading->error, FLUX_E_ARGUMENT,
                         "the states have %" PRIu64 " circuits, and %" PRIu64 " are given", used,
                         reading->recipe->circuit_count);
    for (uint32_t k = 0; k < switches; k++)
        first[k + 2] += first[k + 1];
    for (uint64_t i = 0; i < reading->recipe->state_count; i++) {
        const struct flux_cycle_state *state = &reading->recipe->states[i];
        cycle->row[first[state->switch_index + 1]++] = (struct flux_cycle_row){.switch_index = state->switch_index,
                                                                               .first = (uint32_t)reading->place[i],
                                                                               .count = state->circuits,
                                                                               .duration = state->duration};
    }
    return FLUX_OK;
}

/* Can this circuit be up with those of its state that were looked at before? */
static int fits(const struct reading *reading, uint32_t stamp, uint32_t src, uint32_t dst)
{
    uint32_t rule = reading->replay->plan.rule;
    if (reading->sends[src] == stamp || reading->hears[dst] == stamp)
        return 0;
    if (rule == FLUX_RULE_SIMPLEX)
        return 1;
    int back = rule == FLUX_RULE_DUPLEX;
    if (reading->hears[src] == stamp && !(back && reading->hears_from[src] == dst))
        return 0;
    return reading->sends[dst] != stamp || (back && reading->sends_to[dst] == src);
}

static int read_circuit(struct reading *reading, uint32_t stamp, uint32_t k, uint32_t c)
{
    const struct flux_circuit_name *name = &reading->recipe->circuits[c];
    uint32_t gpus = reading->replay->plan.gpus, src = name->src, dst = name->dst;
    if (name->switch_index != k || src >= gpus || dst >= gpus || src == dst)
        return flux_fail(reading->error, FLUX_E_ARGUMENT,
                         "circuit %" PRIu32 " of the cycle, %" PRIu32 " to %" PRIu32 " on switch %" PRIu32
                         ", is none of switch %" PRIu32 " with %" PRIu32 " GPUs",
                         c, src, dst, name->switch_index, k, gpus);
    if (flux_fabric_dead(reading->fabric, src, k) || flux_fabric_dead(reading->fabric, dst, k) ||
        flux_fabric_is_forbidden(reading->fabric, k, src, dst))
        return flux_fail(reading->error, FLUX_E_ARGUMENT,
                         "switch %" PRIu32 " cannot set up the circuit %" PRIu32 " to %" PRIu32
                         " of the cycle: a port is dead, or the circuit forbidden",
                         k, src, dst);
    if (!fits(reading, stamp, src, dst))
        return flux_fail(reading->error, FLUX_E_ARGUMENT,
                         "the circuit %" PRIu32 " to %" PRIu32 " of the cycle competes with another one of its state "
                         "of switch %" PRIu32,
                         src, dst, k);
    reading->sends[src] = reading->hears[dst] = stamp;
    reading->sends_to[src] = dst;
    reading->hears_from[dst] = src;
    uint64_t rate = flux_fabric_rate(reading->fabric, src, k), other = flux_fabric_rate(reading->fabric, dst, k);
    uint32_t pair = find_pair(reading, src, dst);
    if (pair != FLUX_NONE)
        reading->offered[pair] = 1;
    if (reading->recipe->vlb)
        pair = src * gpus + dst;
    reading->replay->cycle->circuit[c] = (struct flux_cycle_circuit){pair, k, rate < other ? rate : other};
    return FLUX_OK;
}

/* All circuits of switch k, twice around, so that each state is held against the one before it. */
static int read_switch(struct reading *reading, uint32_t k, uint32_t *stamp)
{
    struct flux_cycle *cycle = reading->replay->cycle;
    uint32_t begin = cycle->row_first[k], end = cycle->row_first[k + 1];
    int64_t dwell = flux_fabric_dwell(reading->fabric, k);
    cycle->delay[k] = flux_fabric_delay(reading->fabric, k);
    for (uint32_t lap = 0; lap < 2; lap++)
        for (uint32_t r = begin; r < end; r++) {
            struct flux_cycle_row *row = &cycle->row[r];
            if (end - begin > 1 && (flux_wide)row->duration + cycle->delay[k] < dwell)
                return flux_fail(reading->error, FLUX_E_ARGUMENT,
                                 "the changes of switch %" PRIu32 " are %" PRId64 " ps apart, less than its dwell", k,
                                 row->duration + cycle->delay[k]);
            row->fresh = row->count;
            for (uint32_t c = row->first; c < row->first + row->count; c++) {
                const struct flux_circuit_name *name = &reading->recipe->circuits[c];
                if (lap == 1 && reading->sends[name->src] == *stamp && reading->sends_to[name->src] == name->dst)
                    row->fresh--;
            }
            ++*stamp;
            for (uint32_t c = row->first; c < row->first + row->count; c++) {
                int rc = read_circuit(reading, *stamp, k, c);
                if (rc)
                    return rc;
            }
        }
    return FLUX_OK;
}

static int read_cycle(struct reading *reading)
{
    struct flux_cycle *cycle = reading->replay->cycle;
    char name[FLUX_PRECEDENCE_NAME];
    uint32_t stamp = 0;
    uint32_t after = (uint32_t)reading->recipe->circuit_count + reading->replay->plan.switches;
    cycle->circuits = (uint32_t)reading->recipe->circuit_count;
    cycle->rank_ready = reading->recipe->vlb ? after : after + reading->replay->plan.switches;
    cycle->rank_begin = reading->recipe->vlb ? after + reading->replay->plan.vertices : after;
    int rc = read_states(reading);
    if (rc)
        return rc;
    read_pairs(reading);
    for (uint32_t k = 0; !rc && k < reading->replay->plan.switches; k++)
        rc = read_switch(reading, k, &stamp);
    for (uint32_t p = 0; !rc && p < cycle->pairs; p++) {
        uint32_t v = reading->pair[p].item;
        if (!reading->offered[p])
            rc = flux_fail_vertex(reading->error, FLUX_E_INFEASIBLE, v,
                                  "the cycle never sets up the circuit of %s, %" PRIu32 " to %" PRIu32,
                                  flux_precedence_name(reading->graph, v, name),
                                  reading->replay->audit.precedence.at[v], reading->replay->audit.precedence.to[v]);
    }
    if (!rc && reading->recipe->vlb) {
        cycle->pairs = reading->replay->plan.gpus * reading->replay->plan.gpus;
        rc = flux_vlb_make(reading->replay, reading->fabric, reading->error);
    }
    return rc;
}

static int make_cycle(struct reading *reading)
{
    struct flux_replay *replay = reading->replay;
    struct flux_replay_plan *plan = &replay->plan;
    uint64_t events = reading->recipe->circuit_count + UINT64_C(2) * plan->switches + plan->vertices;
    if (reading->recipe->circuit_count >= FLUX_NONE || reading->recipe->state_count >= FLUX_NONE / 2 ||
        events >= FLUX_NONE)
        return flux_fail(reading->error, FLUX_E_TOO_BIG, "more than 2^32 - 2 vertices and circuits, or 2^31 states");
    if (make_arrays(reading))
        return flux_fail_memory(reading->error);
    for (uint32_t k = 0; reading->recipe->extra && k < plan->switches; k++)
        replay->cycle->extra[k] = reading->recipe->extra[k];
    int rc = read_cycle(reading);
    if (rc)
        return rc;
    if (flux_replay_make_room(replay))
        return flux_fail_memory(reading->error);
    replay->room.heap = get(replay, events, sizeof *replay->room.heap);
    return replay->room.heap ? FLUX_OK : flux_fail_memory(reading->error);
}

int flux_cycle_new(const struct flux_graph *graph, const struct flux_fabric *fabric,
                   const struct flux_cycle_recipe *recipe, struct flux_replay **replay, struct flux_error *error)
{
    struct flux_replay *fresh;
    int rc = flux_replay_open(graph, fabric, &fresh, error);
    if (rc)
        return rc;
    struct reading reading = {.replay = fresh, .graph = graph, .fabric = fabric, .recipe = recipe, .error = error};
    rc = make_cycle(&reading);
    if (rc) {
        flux_replay_free(fresh);
        return rc;
    }
    *replay = fresh;
    return FLUX_OK;
}

int flux_replay_new_cycle(const struct flux_graph *graph, const struct flux_fabric *fabric,
                          const struct flux_cycle_state *states, uint64_t state_count,
                          const struct flux_circuit_name *circuits, uint64_t circuit_count, struct flux_replay **replay,
                          struct flux_error *error)
{
    const struct flux_cycle_recipe recipe = {
        .states = states, .state_count = state_count, .circuits = circuits, .circuit_count = circuit_count};
    if (replay)
        *replay = NULL;
    if (!graph || !fabric || (!states && state_count) || (!circuits && circuit_count) || !replay)
        return flux_fail(error, FLUX_E_ARGUMENT, "graph, fabric, states, circuits or the replay's place are NULL");
    return flux_cycle_new(graph, fabric, &recipe, replay, error);
}
