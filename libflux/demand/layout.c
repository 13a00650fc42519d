/* SPDX-License-Identifier: Apache-2.0
 *
 * demand/layout.c - weighted matchings on parallel switches, and what no layout can beat.
 */
#include "base/wide.h"
#include "demand/demand.h"

#include <stdlib.h>
#include <string.h>

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

/* Moves half of the difference between the fullest and the emptiest switch, as part of the longest piece. Where the other
 * switch holds the same matching already, the piece there grows and no further delay is paid. 0 when nothing is gained. */
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
                       uint32_t switches, struct flux_demand_state **states, uint64_t *count, int64_t *makespan)
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
    while (equalize_once(&layout)) {
    }
    uint32_t most, least;
    find_ends(&layout, &most, &least);
    *makespan = layout.load[most];
    *count = layout.count;
    return make_states(&layout, states);
}

int64_t flux_demand_bound(const struct flux_demand_matrix *matrix, uint32_t switches)
{
    uint64_t n = matrix->ports;
    flux_wide best = 0;
    for (uint64_t line = 0; line < 2 * n; line++) {
        flux_wide sum = 0, least = -1;
        uint32_t entries = 0;
        for (uint64_t i = 0; i < n; i++) {
            int64_t time = line < n ? matrix->demand[line * n + i] : matrix->demand[i * n + line - n];
            sum += time;
            entries += time > 0;
        }
        for (uint32_t m = 1; entries && m <= switches; m++) {
            flux_wide load = sum + (flux_wide)(entries > m ? entries : m) * matrix->delay;
            flux_wide time = flux_ceil_div(load, m);
            least = least < 0 || time < least ? time : least;
        }
        best = least > best ? least : best;
    }
    return (int64_t)best;
}
