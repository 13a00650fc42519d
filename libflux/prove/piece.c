/* SPDX-License-Identifier: Apache-2.0 */
#include "prove/piece.h"

#include <libflux/error.h>
#include <string.h>

/* The longest path between the starts of every two sends of the piece, by place; -1: none. */
static int64_t *spans(const struct flux_problem *whole, const uint32_t *nodes, uint32_t count, struct flux_arena *arena)
{
    int64_t *span = flux_arena_alloc(arena, (uint64_t)count * count, sizeof *span);
    int64_t *from = flux_arena_alloc(arena, whole->nodes, sizeof *from);
    if (!span || !from)
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t last = nodes[count - 1];
        memset(from + nodes[i], 0xff, (last + 1 - nodes[i]) * sizeof *from);
        from[nodes[i]] = 0;
        for (uint32_t u = nodes[i]; u < last; u++)
            for (uint64_t a = whole->out_first[u]; from[u] >= 0 && a < whole->out_first[u + 1]; a++) {
                uint32_t v = whole->out[a].node;
                int64_t length = from[u] + whole->duration[u] + whole->out[a].lag;
                if (v <= last && length > from[v])
                    from[v] = length;
            }
        for (uint32_t j = 0; j < count; j++)
            span[(uint64_t)i * count + j] = j > i ? from[nodes[j]] : -1;
    }
    return span;
}

/* Is the path from i to j no longer than one through a send between? Then it needs no arc. */
static int is_implied(const int64_t *span, uint32_t count, uint32_t i, uint32_t j)
{
    int64_t length = span[(uint64_t)i * count + j];
    for (uint32_t x = i + 1; x < j; x++) {
        int64_t first = span[(uint64_t)i * count + x], second = span[(uint64_t)x * count + j];
        if (first >= 0 && second >= 0 && first + second >= length)
            return 1;
    }
    return 0;
}

static int make_arcs(const struct flux_problem *whole, const uint32_t *nodes, const int64_t *span,
                     struct flux_arena *arena, struct flux_problem *piece)
{
    uint32_t count = piece->nodes;
    struct flux_arc *all = flux_arena_alloc(arena, (uint64_t)count * count, sizeof *all);
    piece->out_first = flux_arena_zero(arena, (uint64_t)count + 1, sizeof *piece->out_first);
    piece->in_first = flux_arena_zero(arena, (uint64_t)count + 1, sizeof *piece->in_first);
    if (!all || !piece->out_first || !piece->in_first)
        return FLUX_E_MEMORY;
    piece->out = all;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = i + 1; j < count; j++)
            if (span[(uint64_t)i * count + j] >= 0 && !is_implied(span, count, i, j)) {
                int64_t lag = span[(uint64_t)i * count + j] - whole->duration[nodes[i]];
                all[piece->arcs++] = (struct flux_arc){j, 0, lag};
                piece->in_first[j + 1]++;
            }
        piece->out_first[i + 1] = piece->arcs;
    }
    piece->in = flux_arena_alloc(arena, piece->arcs, sizeof *piece->in);
    uint64_t *at = flux_arena_alloc(arena, (uint64_t)count + 1, sizeof *at);
    if (!piece->in || !at)
        return FLUX_E_MEMORY;
    for (uint32_t j = 0; j < count; j++) {
        piece->in_first[j + 1] += piece->in_first[j];
        at[j] = piece->in_first[j];
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint64_t a = piece->out_first[i]; a < piece->out_first[i + 1]; a++)
            piece->in[at[all[a].node]++] = (struct flux_arc){i, 0, all[a].lag};
    return FLUX_OK;
}

/* Room for what is told by node. */
static int make_room(const struct flux_problem *whole, struct flux_arena *arena, struct flux_problem *piece)
{
    uint64_t count = piece->nodes;
    piece->vertex = flux_arena_alloc(arena, count, sizeof *piece->vertex);
    piece->src = flux_arena_alloc(arena, count, sizeof *piece->src);
    piece->dst = flux_arena_alloc(arena, count, sizeof *piece->dst);
    piece->circuit = flux_arena_alloc(arena, count, sizeof *piece->circuit);
    piece->duration = flux_arena_alloc(arena, count, sizeof *piece->duration);
    piece->head = flux_arena_alloc(arena, count, sizeof *piece->head);
    piece->tail = flux_arena_alloc(arena, count, sizeof *piece->tail);
    piece->durations =
        whole->durations ? flux_arena_alloc(arena, count * whole->switches, sizeof *piece->durations) : NULL;
    piece->touch_first = flux_arena_zero(arena, (uint64_t)whole->gpus + 2, sizeof *piece->touch_first);
    piece->touch = flux_arena_alloc(arena, count, 2 * sizeof *piece->touch);
    if (!piece->vertex || !piece->src || !piece->dst || !piece->circuit || !piece->duration || !piece->head ||
        !piece->tail || (whole->durations && !piece->durations) || !piece->touch_first || !piece->touch)
        return FLUX_E_MEMORY;
    piece->release = piece->head;
    piece->rest = piece->tail;
    return FLUX_OK;
}

static void copy_nodes(const struct flux_problem *whole, const uint32_t *nodes, struct flux_problem *piece)
{
    uint64_t switches = whole->switches;
    for (uint32_t i = 0; i < piece->nodes; i++) {
        uint32_t v = nodes[i];
        piece->vertex[i] = whole->vertex[v];
        piece->src[i] = whole->src[v];
        piece->dst[i] = whole->dst[v];
        piece->circuit[i] = whole->circuit[v];
        piece->duration[i] = whole->duration[v];
        piece->head[i] = whole->head[v];
        piece->tail[i] = whole->tail[v];
        if (whole->durations)
            memcpy(piece->durations + i * switches, whole->durations + v * switches,
                   switches * sizeof *whole->durations);
        piece->touch_first[piece->src[i] + 2]++;
        piece->touch_first[piece->dst[i] + 2]++;
    }
    for (uint32_t gpu = 0; gpu < whole->gpus; gpu++)
        piece->touch_first[gpu + 2] += piece->touch_first[gpu + 1];
    for (uint32_t i = 0; i < piece->nodes; i++) {
        piece->touch[piece->touch_first[piece->src[i] + 1]++] = i;
        piece->touch[piece->touch_first[piece->dst[i] + 1]++] = i;
    }
}

int flux_piece_make(const struct flux_problem *whole, const uint32_t *nodes, uint32_t count, struct flux_arena *arena,
                    struct flux_problem *piece)
{
    *piece = *whole;
    piece->nodes = piece->sends = count;
    piece->arcs = 0;
    piece->staged = 0;
    if (make_room(whole, arena, piece))
        return FLUX_E_MEMORY;
    copy_nodes(whole, nodes, piece);
    int64_t *span = spans(whole, nodes, count, arena);
    return span ? make_arcs(whole, nodes, span, arena, piece) : FLUX_E_MEMORY;
}
