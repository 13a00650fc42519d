/* SPDX-License-Identifier: Apache-2.0
 *
 * search/colour.c - edge colouring by alternating paths. An edge is a circuit, under DUPLEX both directions of one;
 * its ends are ports: that of a GPU, under SIMPLEX its transmit and its receive side.
 */
#include "search/colour.h"

#include <libflux/error.h>
#include <string.h>

struct edge {
    uint32_t end[2];
    uint32_t circuit[2]; /* the second one is FLUX_NONE but under DUPLEX */
    uint32_t state;
};

struct painting {
    struct flux_colouring *colouring;
    struct edge *edge;
    uint32_t edges;
    uint32_t open;  /* states that may be used by now */
    uint32_t *at;   /* by end and state: the edge that is there, or FLUX_NONE */
    uint32_t *path; /* edges of an alternating path */
};

static uint32_t *place(struct painting *painting, uint32_t end, uint32_t state)
{
    return &painting->at[(uint64_t)end * painting->colouring->limit + state];
}

static int may_be(const struct painting *painting, const struct edge *edge, uint32_t state)
{
    const struct flux_colouring *colouring = painting->colouring;
    for (int i = 0; colouring->possible && i < 2; i++)
        if (edge->circuit[i] != FLUX_NONE &&
            !colouring->possible[(uint64_t)edge->circuit[i] * colouring->limit + state])
            return 0;
    return 1;
}

static void put(struct painting *painting, uint32_t e, uint32_t state)
{
    struct edge *edge = &painting->edge[e];
    edge->state = state;
    *place(painting, edge->end[0], state) = *place(painting, edge->end[1], state) = e;
}

static int put_where_free(struct painting *painting, uint32_t e)
{
    const struct edge *edge = &painting->edge[e];
    for (uint32_t state = 0; state < painting->open; state++)
        if (*place(painting, edge->end[0], state) == FLUX_NONE && *place(painting, edge->end[1], state) == FLUX_NONE &&
            may_be(painting, edge, state)) {
            put(painting, e, state);
            return 1;
        }
    return 0;
}

/* The path from `end` whose edges are in the states a, b, a, ...: 0 where it leads to `to`, or an edge of it cannot
 * change its state. Its length in `length`. */
static int follow(struct painting *painting, uint32_t end, uint32_t to, uint32_t a, uint32_t b, uint32_t *length)
{
    uint32_t state = a;
    *length = 0;
    for (;;) {
        uint32_t e = *place(painting, end, state);
        if (e == FLUX_NONE)
            return end != to;
        const struct edge *edge = &painting->edge[e];
        if (!may_be(painting, edge, state == a ? b : a))
            return 0;
        painting->path[(*length)++] = e;
        end = edge->end[edge->end[0] == end];
        state = state == a ? b : a;
    }
}

static void swap_states(struct painting *painting, uint32_t length, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < length; i++) {
        const struct edge *edge = &painting->edge[painting->path[i]];
        *place(painting, edge->end[0], edge->state) = *place(painting, edge->end[1], edge->state) = FLUX_NONE;
    }
    for (uint32_t i = 0; i < length; i++)
        put(painting, painting->path[i], painting->edge[painting->path[i]].state == a ? b : a);
}

/* State a is free at one end and b at the other: swapping them along the path from there frees a at both. */
static int put_after_swap(struct painting *painting, uint32_t e)
{
    const struct edge *edge = &painting->edge[e];
    uint32_t length;
    for (uint32_t a = 0; a < painting->open; a++) {
        if (*place(painting, edge->end[0], a) != FLUX_NONE || !may_be(painting, edge, a))
            continue;
        for (uint32_t b = 0; b < painting->open; b++) {
            if (b == a || *place(painting, edge->end[1], b) != FLUX_NONE)
                continue;
            if (!follow(painting, edge->end[1], edge->end[0], a, b, &length))
                continue;
            swap_states(painting, length, a, b);
            put(painting, e, a);
            return 1;
        }
    }
    return 0;
}

/* Edges from circuits. The number of edges at the fullest end in `degree`. */
static int make_edges(struct painting *painting, const struct flux_circuit_name *circuits, uint64_t count,
                      uint32_t *degree, struct flux_arena *arena)
{
    const struct flux_colouring *colouring = painting->colouring;
    uint32_t ends = colouring->rule == FLUX_RULE_SIMPLEX ? 2 * colouring->gpus : colouring->gpus;
    uint32_t *first = flux_arena_alloc(arena, ends, sizeof *first); /* by smaller end: edges, in a list */
    uint32_t *next = flux_arena_alloc(arena, count, sizeof *next);
    uint32_t *degrees = flux_arena_zero(arena, ends, sizeof *degrees);
    if (!first || !next || !degrees)
        return FLUX_E_MEMORY;
    memset(first, 0xff, ends * sizeof *first);
    *degree = 1;
    for (uint32_t c = 0; c < count; c++) {
        uint32_t a = circuits[c].src, b = circuits[c].dst, e = FLUX_NONE, low = a < b ? a : b;
        if (colouring->rule == FLUX_RULE_SIMPLEX)
            b += colouring->gpus;
        for (e = colouring->rule == FLUX_RULE_DUPLEX ? first[low] : FLUX_NONE; e != FLUX_NONE; e = next[e])
            if (painting->edge[e].end[0] == b && painting->edge[e].end[1] == a)
                break;
        if (e != FLUX_NONE) {
            painting->edge[e].circuit[1] = c;
            continue;
        }
        e = painting->edges++;
        painting->edge[e] = (struct edge){{a, b}, {c, FLUX_NONE}, FLUX_NONE};
        next[e] = first[low];
        first[low] = e;
        *degree = ++degrees[a] > *degree ? degrees[a] : *degree;
        *degree = ++degrees[b] > *degree ? degrees[b] : *degree;
    }
    painting->at = flux_arena_alloc(arena, (uint64_t)ends * colouring->limit, sizeof *painting->at);
    if (!painting->at)
        return FLUX_E_MEMORY;
    memset(painting->at, 0xff, (uint64_t)ends * colouring->limit * sizeof *painting->at);
    return FLUX_OK;
}

int flux_colour(struct flux_colouring *colouring, const struct flux_circuit_name *circuits, uint64_t count,
                struct flux_arena *arena)
{
    struct painting painting = {.colouring = colouring};
    uint32_t degree;
    painting.edge = flux_arena_alloc(arena, count, sizeof *painting.edge);
    painting.path = flux_arena_alloc(arena, count, sizeof *painting.path);
    if (!painting.edge || !painting.path || make_edges(&painting, circuits, count, &degree, arena))
        return FLUX_E_MEMORY;
    painting.open = colouring->possible || degree > colouring->limit ? colouring->limit : degree;
    colouring->used = 0;
    for (uint32_t e = 0; e < painting.edges; e++) {
        while (!put_where_free(&painting, e) && !put_after_swap(&painting, e)) {
            if (painting.open == colouring->limit)
                break;
            painting.open++;
        }
    }
    for (uint32_t e = 0; e < painting.edges; e++) {
        const struct edge *edge = &painting.edge[e];
        for (int i = 0; i < 2; i++)
            if (edge->circuit[i] != FLUX_NONE)
                colouring->state[edge->circuit[i]] = edge->state;
        if (edge->state != FLUX_NONE && edge->state >= colouring->used)
            colouring->used = edge->state + 1;
    }
    return FLUX_OK;
}
