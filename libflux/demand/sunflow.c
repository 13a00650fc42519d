/* SPDX-License-Identifier: Apache-2.0
 *
 * demand/sunflow.c - Sunflow (Huang, Sun and Ng, CoNEXT 2016): one circuit per pair, held from its setup until all of
 * the pair's demand is served. Only the two ports of a circuit are dark while it is set up; the others go on.
 *
 * Pairs are tried by falling demand, at time 0 and whenever circuits end; the first switch with both ports free is
 * taken. At such a moment only pairs with a port that has just become free can start, so only these are looked at.
 */
#include "demand/demand.h"

#include <stdlib.h>
#include <string.h>

struct pair {
    int64_t time;
    uint32_t src;
    uint32_t dst;
};

struct sunflow {
    const struct flux_demand_matrix *matrix;
    uint32_t switches;
    struct pair *pairs; /* by falling demand */
    uint64_t count;
    uint32_t *rank;   /* by cell: its pair, FLUX_NONE once it has started or where there is none */
    uint8_t *sending; /* by switch and port */
    uint8_t *receiving;
    uint32_t *heap; /* circuits that are up, the one that ends first on top */
    uint64_t up;
    struct flux_demand_circuit *circuits;
    uint64_t started;
    uint32_t *tried; /* pairs to try at a moment */
};

static int compare_pairs(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;
    if (a->time != b->time)
        return a->time > b->time ? -1 : 1;
    if (a->src != b->src)
        return a->src < b->src ? -1 : 1;
    return a->dst < b->dst ? -1 : a->dst > b->dst;
}

static int compare_ranks(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

static int64_t end_of(const struct sunflow *s, uint32_t circuit)
{
    return s->circuits[circuit].start + s->matrix->delay + s->circuits[circuit].time;
}

/* Ends first; equal ones by number, so that the heap's shape does not matter. */
static int before(const struct sunflow *s, uint32_t a, uint32_t b)
{
    int64_t x = end_of(s, a), y = end_of(s, b);
    return x != y ? x < y : a < b;
}

static void push(struct sunflow *s, uint32_t circuit)
{
    uint64_t at = s->up++;
    for (; at && before(s, circuit, s->heap[(at - 1) / 2]); at = (at - 1) / 2)
        s->heap[at] = s->heap[(at - 1) / 2];
    s->heap[at] = circuit;
}

static uint32_t pop(struct sunflow *s)
{
    uint32_t top = s->heap[0], last = s->heap[--s->up];
    uint64_t at = 0;
    for (uint64_t child; (child = 2 * at + 1) < s->up; at = child) {
        if (child + 1 < s->up && before(s, s->heap[child + 1], s->heap[child]))
            child++;
        if (!before(s, s->heap[child], last))
            break;
        s->heap[at] = s->heap[child];
    }
    s->heap[at] = last;
    return top;
}

static void try_pair(struct sunflow *s, uint32_t number, int64_t now)
{
    uint64_t n = s->matrix->ports;
    const struct pair *pair = &s->pairs[number];
    uint32_t *rank = &s->rank[pair->src * n + pair->dst];
    for (uint64_t k = 0; k < s->switches && *rank != FLUX_NONE; k++) {
        if (s->sending[k * n + pair->src] || s->receiving[k * n + pair->dst])
            continue;
        s->sending[k * n + pair->src] = s->receiving[k * n + pair->dst] = 1;
        s->circuits[s->started] = (struct flux_demand_circuit){(uint32_t)k, pair->src, pair->dst, 0, now, pair->time};
        push(s, (uint32_t)s->started++);
        *rank = FLUX_NONE;
    }
}

/* Takes down what ends at the earliest moment and starts what can start then; returns that moment. */
static int64_t next_moment(struct sunflow *s)
{
    uint64_t n = s->matrix->ports, count = 0;
    int64_t now = end_of(s, s->heap[0]);
    while (s->up && end_of(s, s->heap[0]) == now) {
        const struct flux_demand_circuit *c = &s->circuits[pop(s)];
        s->sending[c->switch_index * n + c->src] = s->receiving[c->switch_index * n + c->dst] = 0;
        for (uint64_t i = 0; i < n && count < s->count; i++) {
            uint32_t out = s->rank[c->src * n + i], in = s->rank[i * n + c->dst];
            if (out != FLUX_NONE && !s->receiving[c->switch_index * n + i])
                s->tried[count++] = out;
            if (in != FLUX_NONE && in != out && count < s->count && !s->sending[c->switch_index * n + i])
                s->tried[count++] = in;
        }
    }
    if (count >= s->count) { /* many ports at once: simply all */
        for (uint32_t p = 0; p < s->count; p++)
            try_pair(s, p, now);
        return now;
    }
    qsort(s->tried, (size_t)count, sizeof *s->tried, compare_ranks);
    for (uint64_t t = 0; t < count; t++)
        try_pair(s, s->tried[t], now);
    return now;
}

static int begin(struct sunflow *s)
{
    struct flux_arena *arena = s->matrix->arena;
    uint64_t n = s->matrix->ports;
    s->rank = flux_arena_alloc(arena, n * n, sizeof *s->rank);
    if (!s->rank)
        return FLUX_E_MEMORY;
    for (uint64_t i = 0; i < n * n; i++)
        s->count += s->matrix->demand[i] > 0;
    s->pairs = flux_arena_alloc(arena, s->count, sizeof *s->pairs);
    s->sending = flux_arena_zero(arena, s->switches * n, 1);
    s->receiving = flux_arena_zero(arena, s->switches * n, 1);
    s->heap = flux_arena_alloc(arena, s->count, sizeof *s->heap);
    s->tried = flux_arena_alloc(arena, s->count, sizeof *s->tried);
    s->circuits = flux_arena_alloc(arena, s->count, sizeof *s->circuits);
    if (!s->pairs || !s->sending || !s->receiving || !s->heap || !s->tried || !s->circuits)
        return FLUX_E_MEMORY;
    memset(s->rank, 0xff, n * n * sizeof *s->rank);
    s->count = 0;
    for (uint64_t i = 0; i < n * n; i++)
        if (s->matrix->demand[i])
            s->pairs[s->count++] = (struct pair){s->matrix->demand[i], (uint32_t)(i / n), (uint32_t)(i % n)};
    qsort(s->pairs, (size_t)s->count, sizeof *s->pairs, compare_pairs);
    for (uint32_t p = 0; p < s->count; p++)
        s->rank[s->pairs[p].src * n + s->pairs[p].dst] = p;
    return FLUX_OK;
}

static int compare_circuits(const void *left, const void *right)
{
    const struct flux_demand_circuit *a = left, *b = right;
    if (a->switch_index != b->switch_index)
        return a->switch_index < b->switch_index ? -1 : 1;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->src < b->src ? -1 : a->src > b->src;
}

int flux_demand_sunflow(const struct flux_demand_matrix *matrix, uint32_t switches,
                        struct flux_demand_circuit **circuits, uint64_t *count, int64_t *makespan)
{
    struct sunflow s = {.matrix = matrix, .switches = switches};
    int64_t now = 0;
    if (begin(&s))
        return FLUX_E_MEMORY;
    for (uint32_t p = 0; p < s.count; p++)
        try_pair(&s, p, 0);
    while (s.up)
        now = next_moment(&s);
    qsort(s.circuits, (size_t)s.started, sizeof *s.circuits, compare_circuits);
    *circuits = s.circuits;
    *count = s.started;
    *makespan = now;
    return FLUX_OK;
}
