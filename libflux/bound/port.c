/* SPDX-License-Identifier: Apache-2.0 */
#include "bound/port.h"

#include <string.h>

int flux_port_alloc(const struct flux_problem *problem, const struct flux_sides *sides, struct flux_arena *arena,
                    struct flux_port *port)
{
    uint64_t most = sides->most;
    memset(port, 0, sizeof *port);
    port->node = flux_arena_alloc(arena, most, sizeof *port->node);
    port->head = flux_arena_alloc(arena, most, sizeof *port->head);
    port->tail = flux_arena_alloc(arena, most, sizeof *port->tail);
    port->duration = flux_arena_alloc(arena, most, sizeof *port->duration);
    port->circuit = flux_arena_alloc(arena, most, sizeof *port->circuit);
    port->inward = flux_arena_alloc(arena, most, sizeof *port->inward);
    port->by_tail = flux_arena_alloc(arena, most, sizeof *port->by_tail);
    port->sets = flux_arena_alloc(arena, FLUX_PORT_SETS, sides->words * sizeof *port->sets);
    port->position = flux_arena_alloc(arena, problem->nodes, sizeof *port->position);
    port->number = flux_arena_alloc(arena, problem->circuits, sizeof *port->number);
    port->met = flux_arena_zero(arena, sides->sets, sizeof *port->met);
    port->either = flux_arena_alloc(arena, sides->words, sizeof *port->either);
    port->shape = flux_arena_alloc(arena, most, sizeof *port->shape);
    port->way[0] = flux_arena_alloc(arena, most, sizeof *port->way[0]);
    port->way[1] = flux_arena_alloc(arena, most, sizeof *port->way[1]);
    if (!port->node || !port->head || !port->tail || !port->duration || !port->circuit || !port->inward ||
        !port->by_tail || !port->sets || !port->position || !port->number || !port->met || !port->either ||
        !port->shape || !port->way[0] || !port->way[1])
        return FLUX_E_MEMORY;
    memset(port->number, 0xff, problem->circuits * sizeof *port->number);
    memset(port->position, 0xff, problem->nodes * sizeof *port->position);
    return FLUX_OK;
}

static int same_set(const uint64_t *a, const uint64_t *b, uint32_t words)
{
    return memcmp(a, b, words * sizeof *a) == 0;
}

static int within(const uint64_t *a, const uint64_t *b, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++)
        if (a[i] & ~b[i])
            return 0;
    return 1;
}

/* Appends port->either to the sets unless it is among them. */
static uint32_t append_set(struct flux_port *port, uint32_t count, uint32_t words)
{
    for (uint32_t i = 0; i < count; i++)
        if (same_set(port->sets + i * words, port->either, words))
            return count;
    memcpy(port->sets + count * words, port->either, words * sizeof *port->sets);
    return count + 1;
}

uint32_t flux_port_sets(const struct flux_sides *sides, uint32_t side, uint32_t limit, struct flux_port *port)
{
    uint32_t words = sides->words, count = 1;
    if (!sides->set_of) {
        memcpy(port->sets, sides->set, words * sizeof *port->sets);
        return 1;
    }
    port->visit++;
    memset(port->sets, 0, words * sizeof *port->sets);
    for (uint64_t i = sides->first[side]; i < sides->first[side + 1]; i++) {
        const uint64_t *set = flux_side_set(sides, sides->by_head[i]);
        for (uint32_t w = 0; w < words; w++)
            port->sets[w] |= set[w];
    }
    for (uint64_t i = sides->first[side]; i < sides->first[side + 1] && count < limit; i++) {
        uint32_t set = sides->set_of[sides->by_head[i]];
        if (port->met[set] == port->visit)
            continue;
        port->met[set] = port->visit;
        memcpy(port->either, flux_side_set(sides, sides->by_head[i]), words * sizeof *port->either);
        count = append_set(port, count, words);
    }
    for (uint32_t a = 1; a < count; a++) /* unions with what came before, also of unions: `count` grows */
        for (uint32_t b = 1; b < a && count < limit; b++) {
            for (uint32_t w = 0; w < words; w++)
                port->either[w] = port->sets[a * words + w] | port->sets[b * words + w];
            count = append_set(port, count, words);
        }
    return count;
}

static void take_send(const struct flux_problem *problem, struct flux_port *port, uint32_t node)
{
    uint32_t at = port->count++, *number = &port->number[problem->circuit[node]];
    if (*number == FLUX_NONE) {
        *number = port->circuits++;
        port->way[0][*number] = port->way[1][*number] = 0;
    }
    port->position[node] = at;
    port->node[at] = node;
    port->head[at] = problem->head[node];
    port->tail[at] = problem->tail[node];
    port->duration[at] = problem->duration[node];
    port->circuit[at] = *number;
    port->inward[at] = problem->rule == FLUX_RULE_DUPLEX && problem->dst[node] == port->gpu;
    port->way[port->inward[at]][*number] = 1;
    if (port->head[at] + port->tail[at] > port->longest)
        port->longest = port->head[at] + port->tail[at];
    port->busy += port->duration[at];
}

/* Number of switches in a set, and the least delay among them. */
static uint32_t count_links(const struct flux_problem *problem, const uint64_t *set, int64_t *delay)
{
    uint32_t links = 0;
    *delay = INT64_MAX;
    for (uint32_t k = 0; k < problem->switches; k++)
        if (set[k / 64] >> k % 64 & 1) {
            links++;
            *delay = problem->delay[k] < *delay ? problem->delay[k] : *delay;
        }
    return links;
}

void flux_port_fill(const struct flux_problem *problem, const struct flux_sides *sides, uint32_t side, uint32_t set,
                    struct flux_port *port)
{
    uint64_t begin = sides->first[side], end = sides->first[side + 1];
    port->switches = port->sets + (uint64_t)set * sides->words;
    port->gpu = flux_side_gpu(problem, side);
    port->side = flux_side_name(problem, side);
    port->count = port->circuits = 0;
    port->both_ways = 0;
    port->longest = 0;
    port->busy = 0;
    port->links = count_links(problem, port->switches, &port->delay);
    for (uint64_t i = begin; i < end; i++)
        if (set == 0 || within(flux_side_set(sides, sides->by_head[i]), port->switches, sides->words))
            take_send(problem, port, sides->by_head[i]);
    uint32_t filled = 0;
    for (uint64_t i = begin; i < end; i++)
        if (port->position[sides->by_tail[i]] != FLUX_NONE)
            port->by_tail[filled++] = port->position[sides->by_tail[i]];
    for (uint32_t circuit = 0; circuit < port->circuits; circuit++)
        port->both_ways |= port->way[0][circuit] && port->way[1][circuit];
    for (uint32_t i = 0; i < port->count; i++) {
        port->position[port->node[i]] = FLUX_NONE;
        port->number[problem->circuit[port->node[i]]] = FLUX_NONE;
    }
    flux_wide edges = filled ? (flux_wide)port->head[0] + port->tail[port->by_tail[0]] : 0;
    flux_wide setups = ((flux_wide)port->circuits + port->links) * port->delay;
    port->fits = edges * port->links + port->busy + setups < (INT64_C(1) << 60);
}

static uint64_t mix(uint64_t sum, uint64_t value)
{
    sum = (sum ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return sum ^ sum >> 32;
}

uint64_t flux_port_shape(const struct flux_sides *sides, const struct flux_port *port)
{
    uint64_t sum = port->count;
    memset(port->shape, 0, port->circuits * sizeof *port->shape);
    for (uint32_t i = 0; i < port->count; i++) {
        uint64_t one = mix(sides->set_of ? sides->set_of[port->node[i]] : 0, (uint64_t)port->head[i]);
        one = mix(mix(one, (uint64_t)port->tail[i]), (uint64_t)port->duration[i]);
        port->shape[port->circuit[i]] += mix(one, port->inward[i]);
    }
    for (uint32_t circuit = 0; circuit < port->circuits; circuit++)
        sum += mix(1, port->shape[circuit]);
    for (uint32_t w = 0; w < sides->words; w++)
        sum = mix(sum, port->switches[w]);
    return sum;
}

int flux_port_promising(const struct flux_port *port, int64_t bound)
{
    if (port->count == 0)
        return 0;
    flux_wide most = port->busy + flux_setup_time(port->circuits, port->links, port->delay);
    return port->longest + flux_ceil_div(most, port->links) > bound;
}

static int in_window(const struct flux_port *port, uint32_t i, int64_t head, int64_t tail)
{
    return port->head[i] >= head && port->tail[i] >= tail;
}

static void sum_edges(const struct flux_port *port, int64_t head, int64_t tail, struct flux_load *load)
{
    load->heads = load->tails = 0;
    if (load->sends < load->links)
        return;
    uint32_t heads = 0, tails = 0;
    for (uint32_t i = port->count; i-- > 0 && heads < load->links;)
        if (in_window(port, i, head, tail)) {
            load->heads += port->head[i];
            heads++;
        }
    for (uint32_t i = port->count; i-- > 0 && tails < load->links;)
        if (in_window(port, port->by_tail[i], head, tail)) {
            load->tails += port->tail[port->by_tail[i]];
            tails++;
        }
}

void flux_port_measure(const struct flux_problem *problem, const struct flux_sides *sides, const struct flux_port *port,
                       int64_t head, int64_t tail, struct flux_load *load)
{
    memset(load, 0, sizeof *load);
    memset(port->either, 0, sides->words * sizeof *port->either);
    for (uint32_t circuit = 0; circuit < port->circuits; circuit++)
        port->way[0][circuit] = port->way[1][circuit] = 0;
    for (uint32_t i = 0; i < port->count; i++) {
        if (!in_window(port, i, head, tail))
            continue;
        const uint64_t *set = flux_side_set(sides, port->node[i]);
        for (uint32_t w = 0; w < sides->words; w++)
            port->either[w] |= set[w];
        load->sends++;
        port->way[port->inward[i]][port->circuit[i]] += port->duration[i];
    }
    for (uint32_t circuit = 0; circuit < port->circuits; circuit++) {
        int64_t out = port->way[0][circuit], in = port->way[1][circuit];
        load->load += out > in ? out : in;
        load->circuits += out > 0 || in > 0;
    }
    load->links = count_links(problem, port->either, &load->delay);
    sum_edges(port, head, tail, load);
}
