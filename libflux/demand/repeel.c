/* SPDX-License-Identifier: Apache-2.0
 *
 * demand/repeel.c - the same pairs over better matchings, several of them at a time: what a group of matchings serves
 * is peeled anew, each time the perfect matching whose largest part is least (Gross, 1959), and of these one that takes
 * most with it. The large parts are left for the last matching, where they meet.
 *
 * For decompositions that serve each pair in one piece. Matchings are filled up with empty parts, so that a group is
 * regular and a perfect matching is always left (Koenig, 1916).
 */
#include "demand/demand.h"

#include <stdlib.h>
#include <string.h>

#define WORK_MAX (UINT64_C(1) << 27)
#define GROUP_MAX 64u
#define VALUE_BITS 30

struct repeel {
    const struct flux_demand_matrix *matrix;
    struct flux_demand_terms *terms;
    uint32_t *order; /* terms by falling weight */
    uint32_t group[GROUP_MAX];
    uint32_t size;
    uint8_t *member;  /* cells of the group */
    int64_t *value;   /* of cells, for the matchings */
    int64_t *sorted;  /* parts of the group's cells */
    uint32_t *fresh;  /* the new matchings, size * ports */
    int64_t *longest; /* of each */
    uint32_t *in;
    uint32_t *scratch;
    int64_t *room;
    uint64_t work;
};

/* Every term gets an output for every input; the added pairs serve nothing. */
static void fill_up(struct repeel *r)
{
    uint64_t n = r->matrix->ports;
    for (uint64_t t = 0; t < r->terms->count; t++) {
        uint32_t *out = r->terms->out + t * n;
        uint32_t next = 0;
        memset(r->in, 0xff, n * sizeof *r->in);
        for (uint32_t i = 0; i < n; i++)
            if (out[i] != FLUX_NONE)
                r->in[out[i]] = i;
        for (uint32_t i = 0; i < n; i++) {
            if (out[i] != FLUX_NONE)
                continue;
            while (r->in[next] != FLUX_NONE)
                next++;
            out[i] = next;
            r->in[next] = i;
        }
    }
}

static int compare_values(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

/* Marks the group's cells. 0 where a cell is in two of its matchings. */
static int mark(struct repeel *r)
{
    uint64_t n = r->matrix->ports;
    memset(r->member, 0, n * n);
    for (uint32_t g = 0; g < r->size; g++)
        for (uint64_t i = 0; i < n; i++) {
            uint64_t cell = i * n + r->terms->out[r->group[g] * n + i];
            if (r->member[cell])
                return 0;
            r->member[cell] = 1;
            r->sorted[g * n + i] = r->matrix->demand[cell];
        }
    qsort(r->sorted, (size_t)(r->size * n), sizeof *r->sorted, compare_values);
    return 1;
}

/* Is there a perfect matching of member cells up to `most`? */
static int perfect(struct repeel *r, int64_t most, uint32_t *out)
{
    uint64_t n = r->matrix->ports;
    for (uint64_t c = 0; c < n * n; c++)
        r->value[c] = r->member[c] && r->matrix->demand[c] <= most;
    memset(out, 0xff, n * sizeof *out);
    r->work += n * n;
    return flux_demand_match(r->matrix->ports, r->value, 1, out, r->in, r->scratch) == n;
}

static void peel(struct repeel *r, uint32_t g)
{
    uint64_t n = r->matrix->ports, low = 0, high = r->size * n - 1;
    uint32_t *out = r->fresh + g * n;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (perfect(r, r->sorted[middle], out))
            high = middle;
        else
            low = middle + 1;
    }
    int64_t most = r->sorted[low], longest = 0;
    int shift = 0;
    while (most >> shift >> VALUE_BITS)
        shift++;
    int64_t must = ((int64_t)n + 1) << VALUE_BITS; /* more than all parts of a matching */
    for (uint64_t c = 0; c < n * n; c++)
        r->value[c] = r->member[c] && r->matrix->demand[c] <= most ? must + (r->matrix->demand[c] >> shift) : 0;
    flux_demand_assign(r->matrix->ports, r->value, out, r->room);
    r->work += n * n * 8;
    for (uint64_t i = 0; i < n; i++) {
        int64_t part = r->matrix->demand[i * n + out[i]];
        longest = part > longest ? part : longest;
        r->member[i * n + out[i]] = 0;
    }
    r->longest[g] = longest;
}

/* 1 where the group got shorter. */
static int try_group(struct repeel *r)
{
    uint64_t n = r->matrix->ports;
    int64_t before = 0, after = 0;
    if (!mark(r))
        return 0;
    for (uint32_t g = 0; g < r->size; g++) {
        peel(r, g);
        before += r->terms->weight[r->group[g]];
        after += r->longest[g];
    }
    if (after >= before)
        return 0;
    for (uint32_t g = 0; g < r->size; g++) { /* the longest first, as the group is ordered */
        uint32_t t = r->group[r->size - 1 - g];
        memcpy(r->terms->out + t * n, r->fresh + g * n, n * sizeof *r->fresh);
        r->terms->weight[t] = r->longest[g];
    }
    return 1;
}

static void sort_terms(struct repeel *r)
{
    for (uint32_t a = 0; a < r->terms->count; a++) {
        uint32_t b = a;
        for (; b && r->terms->weight[r->order[b - 1]] < r->terms->weight[a]; b--)
            r->order[b] = r->order[b - 1];
        r->order[b] = a;
    }
}

/* Groups of neighbours by weight, and of every stride-th one. */
static int try_all(struct repeel *r)
{
    static const uint32_t sizes[] = {GROUP_MAX, 16, 8, 5, 4, 3}, strides[] = {1, 2, 3, 5};
    int better = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t t = 0; t < sizeof strides / sizeof *strides; t++)
            for (uint64_t first = 0; first + 2 * strides[t] < r->terms->count && r->work < WORK_MAX; first++) {
                if (first == 0)
                    sort_terms(r);
                r->size = 0;
                for (uint64_t at = first; at < r->terms->count && r->size < sizes[s]; at += strides[t])
                    r->group[r->size++] = r->order[at];
                if (r->size == sizes[s] || first == 0)
                    better |= try_group(r);
            }
    return better;
}

static void darken(struct repeel *r)
{
    uint64_t n = r->matrix->ports;
    for (uint64_t t = 0; t < r->terms->count; t++)
        for (uint64_t i = 0; i < n; i++)
            if (!r->matrix->demand[i * n + r->terms->out[t * n + i]])
                r->terms->out[t * n + i] = FLUX_NONE;
}

int flux_demand_repeel(const struct flux_demand_matrix *matrix, struct flux_demand_terms *terms)
{
    struct flux_arena *arena = matrix->arena;
    uint64_t n = matrix->ports;
    struct repeel r = {.matrix = matrix, .terms = terms};
    r.order = flux_arena_alloc(arena, terms->count, sizeof *r.order);
    r.member = flux_arena_alloc(arena, n * n, 1);
    r.value = flux_arena_alloc(arena, n * n, sizeof *r.value);
    r.sorted = flux_arena_alloc(arena, GROUP_MAX * n, sizeof *r.sorted);
    r.fresh = flux_arena_alloc(arena, GROUP_MAX * n, sizeof *r.fresh);
    r.longest = flux_arena_alloc(arena, GROUP_MAX, sizeof *r.longest);
    r.in = flux_arena_alloc(arena, n, sizeof *r.in);
    r.scratch = flux_arena_alloc(arena, 4 * n, sizeof *r.scratch);
    r.room = flux_arena_alloc(arena, 6 * (n + 1), sizeof *r.room);
    if (!r.order || !r.member || !r.value || !r.sorted || !r.fresh || !r.longest || !r.in || !r.scratch || !r.room)
        return FLUX_E_MEMORY;
    fill_up(&r);
    while (r.work < WORK_MAX && try_all(&r)) {
    }
    darken(&r);
    return flux_demand_improve(matrix, terms);
}
