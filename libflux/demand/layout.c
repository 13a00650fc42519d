/* SPDX-License-Identifier: Apache-2.0
 *
 * demand/layout.c - weighted matchings on parallel switches.
 */
#include "demand/demand.h"

#include <stdlib.h>
#include <string.h>

#define BALANCE_MAX (UINT64_C(1) << 26) /* exchanges looked at */

struct piece {
    uint32_t switch_index;
    uint32_t term;
    int64_t time;
    uint32_t next; /* piece of the same switch; FLUX_NONE ends the list */
    uint32_t padding;
};

struct layout {
    const struct flux_demand_matrix *matrix;
    uint32_t switches;
    int64_t *load;
    uint32_t *first; /* piece, by switch */
    struct piece *pieces;
    uint64_t count;
    uint64_t capacity;
};

/* Order of terms: the longest first, equal ones by number. */
struct ranked {
    int64_t weight;
    uint64_t term;
};

static int compare_ranked(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return a->term < b->term ? -1 : a->term > b->term;
}

static void put(struct layout *layout, uint32_t k, uint32_t term, int64_t time)
{
    struct piece *piece = &layout->pieces[layout->count];
    *piece = (struct piece){k, term, time, layout->first[k], 0};
    layout->first[k] = (uint32_t)layout->count++;
    layout->load[k] += time + layout->matrix->delay;
}

static void find_ends(const struct layout *layout, uint32_t *most, uint32_t *least)
{
    *most = *least = 0;
    for (uint32_t k = 1; k < layout->switches; k++) {
        if (layout->load[k] > layout->load[*most])
            *most = k;
        if (layout->load[k] < layout->load[*least])
            *least = k;
    }
}

/* Takes `piece` off the list of switch k. */
static void unlink_piece(struct layout *layout, uint32_t k, uint32_t piece)
{
    uint32_t *at = &layout->first[k];
    while (*at != piece)
        at = &layout->pieces[*at].next;
    *at = layout->pieces[piece].next;
    layout->load[k] -= layout->pieces[piece].time + layout->matrix->delay;
}

static void link_piece(struct layout *layout, uint32_t k, uint32_t piece)
{
    layout->pieces[piece].switch_index = k;
    layout->pieces[piece].next = layout->first[k];
    layout->first[k] = piece;
    layout->load[k] += layout->pieces[piece].time + layout->matrix->delay;
}

/* The best change of one piece of the fullest switch for one, or none, of another. 0 where none makes it emptier. */
static int balance_once(struct layout *layout, uint64_t *work)
{
    uint32_t most, least, gives = FLUX_NONE, takes = FLUX_NONE, other = 0;
    find_ends(layout, &most, &least);
    int64_t best = layout->load[most];
    for (uint32_t k = 0; k < layout->switches; k++) {
        if (k == most || layout->load[k] >= best)
            continue;
        for (uint32_t a = layout->first[most]; a != FLUX_NONE; a = layout->pieces[a].next)
            for (uint32_t b = layout->first[k];; b = layout->pieces[b].next) {
                int64_t moved =
                    layout->pieces[a].time - (b == FLUX_NONE ? -layout->matrix->delay : layout->pieces[b].time);
                int64_t here = layout->load[most] - moved, there = layout->load[k] + moved;
                int64_t longer = here > there ? here : there;
                ++*work;
                if (longer < best) {
                    best = longer;
                    gives = a;
                    takes = b;
                    other = k;
                }
                if (b == FLUX_NONE)
                    break;
            }
    }
    if (gives == FLUX_NONE)
        return 0;
    unlink_piece(layout, most, gives);
    if (takes != FLUX_NONE) {
        unlink_piece(layout, other, takes);
        link_piece(layout, most, takes);
    }
    link_piece(layout, other, gives);
    return 1;
}

/* Moves half of the difference between the fullest and the emptiest switch, as part of the longest piece. Where the
 * other switch holds the same matching already, the piece there grows and no further delay is paid. 0 when nothing is
 * gained. */
static int equalize_once(struct layout *layout)
{
    uint32_t most, least, longest = FLUX_NONE, twin = FLUX_NONE;
    find_ends(layout, &most, &least);
    int64_t gap = layout->load[most] - layout->load[least];
    for (uint32_t i = layout->first[most]; i != FLUX_NONE; i = layout->pieces[i].next)
        if (longest == FLUX_NONE || layout->pieces[i].time > layout->pieces[longest].time)
            longest = i;
    if (longest == FLUX_NONE)
        return 0;
    struct piece *from = &layout->pieces[longest];
    for (uint32_t i = layout->first[least]; i != FLUX_NONE; i = layout->pieces[i].next)
        if (layout->pieces[i].term == from->term)
            twin = i;
    int64_t move = (gap - (twin == FLUX_NONE ? layout->matrix->delay : 0)) / 2;
    if (move <= 0 || move >= from->time || layout->count == layout->capacity)
        return 0;
    from->time -= move;
    layout->load[most] -= move;
    if (twin != FLUX_NONE) {
        layout->pieces[twin].time += move;
        layout->load[least] += move;
    } else {
        put(layout, least, from->term, move);
    }
    return 1;
}

/* Pieces in the order in which they were put on their switch. */
static int make_states(const struct layout *layout, struct flux_demand_state **states)
{
    struct flux_demand_state *rows = flux_arena_alloc(layout->matrix->arena, layout->count, sizeof *rows);
    uint64_t count = 0;
    if (!rows)
        return FLUX_E_MEMORY;
    for (uint32_t k = 0; k < layout->switches; k++) {
        uint64_t begin = count;
        int64_t start = 0;
        for (uint32_t i = layout->first[k]; i != FLUX_NONE; i = layout->pieces[i].next)
            rows[count++] = (struct flux_demand_state){k, layout->pieces[i].term, 0, layout->pieces[i].time};
        for (uint64_t low = begin, high = count; low + 1 < high; low++) {
            struct flux_demand_state swap = rows[low];
            rows[low] = rows[--high];
            rows[high] = swap;
        }
        for (uint64_t i = begin; i < count; i++) {
            rows[i].start = start;
            start += layout->matrix->delay + rows[i].time;
        }
    }
    *states = rows;
    return FLUX_OK;
}

int flux_demand_layout(const struct flux_demand_matrix *matrix, const struct flux_demand_terms *terms,
                       uint32_t switches, int balance, struct flux_demand_state **states, uint64_t *count,
                       int64_t *makespan)
{
    struct layout layout = {.matrix = matrix, .switches = switches};
    layout.capacity = terms->count + 64 + 8 * (uint64_t)switches;
    layout.load = flux_arena_zero(matrix->arena, switches, sizeof *layout.load);
    layout.first = flux_arena_alloc(matrix->arena, switches, sizeof *layout.first);
    layout.pieces = flux_arena_alloc(matrix->arena, layout.capacity, sizeof *layout.pieces);
    struct ranked *ranked = flux_arena_alloc(matrix->arena, terms->count, sizeof *ranked);
    if (!layout.load || !layout.first || !layout.pieces || !ranked)
        return FLUX_E_MEMORY;
    memset(layout.first, 0xff, switches * sizeof *layout.first);
    for (uint64_t i = 0; i < terms->count; i++)
        ranked[i] = (struct ranked){terms->weight[i], i};
    qsort(ranked, (size_t)terms->count, sizeof *ranked, compare_ranked);
    for (uint64_t i = 0; i < terms->count; i++) {
        uint32_t most, least;
        find_ends(&layout, &most, &least);
        put(&layout, least, (uint32_t)ranked[i].term, ranked[i].weight);
    }
    for (uint64_t work = 0; balance && work < BALANCE_MAX && balance_once(&layout, &work);) {
    }
    while (equalize_once(&layout)) {
    }
    uint32_t most, least;
    find_ends(&layout, &most, &least);
    *makespan = layout.load[most];
    *count = layout.count;
    return make_states(&layout, states);
}
