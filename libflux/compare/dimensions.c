/* SPDX-License-Identifier: Apache-2.0
 *
 * compare/dimensions.c - dimensions of parallelism from nothing but the graph: see compare/phase.h.
 */
#include "base/random.h"
#include "compare/phase.h"
#include "schedule/radix.h"

#include <string.h>

struct finding {
    const struct flux_precedence *precedence;
    struct flux_arena *arena;
    uint32_t *collective; /* by vertex: its first send; FLUX_NONE for compute */
    struct flux_keyed *rows;
    struct flux_keyed *spare;
    /* By vertex, for the first one of each collective: its group by size and a sum over its GPUs, and what
     * was found. */
    uint32_t *size;
    uint64_t *sum;
    uint32_t *dimension;
    uint8_t **taken;   /* by dimension: which GPUs are in a group of it */
    uint32_t *size_of; /* by dimension */
    uint32_t capacity;
};

/* (collective, GPU) for both ends of every send, each once; by collective, then GPU. Returns how many. */
static uint64_t list_members(struct finding *finding)
{
    const struct flux_precedence *precedence = finding->precedence;
    uint64_t count = 0, kept = 0;
    for (uint32_t v = 0; v < precedence->vertices; v++) {
        if (precedence->to[v] == FLUX_NONE)
            continue;
        uint64_t collective = (uint64_t)finding->collective[v] << 32;
        finding->rows[count++] = (struct flux_keyed){collective | precedence->at[v], 0, 0};
        finding->rows[count++] = (struct flux_keyed){collective | precedence->to[v], 0, 0};
    }
    flux_radix_sort(finding->rows, finding->spare, count);
    for (uint64_t i = 0; i < count; i++)
        if (kept == 0 || finding->rows[kept - 1].key != finding->rows[i].key)
            finding->rows[kept++] = finding->rows[i];
    return kept;
}

static void measure_groups(struct finding *finding, uint64_t members)
{
    for (uint64_t i = 0; i < members; i++) {
        uint32_t collective = (uint32_t)(finding->rows[i].key >> 32);
        struct flux_random random = {finding->rows[i].key & UINT32_MAX};
        finding->size[collective]++;
        finding->sum[collective] += flux_random_next(&random);
    }
}

/* The first dimension of groups of that size in which all GPUs of the group are free; a new one where there is none. */
static int find_dimension(struct finding *finding, struct flux_dimensions *dimensions, const struct flux_keyed *member,
                          uint32_t size, uint32_t gpus, uint32_t *found)
{
    for (uint32_t d = 0; d <= dimensions->count; d++) {
        if (d == finding->capacity) {
            uint32_t capacity = d ? 2 * d : 8;
            uint8_t **taken = flux_arena_alloc(finding->arena, capacity, sizeof *taken);
            uint32_t *size_of = flux_arena_alloc(finding->arena, capacity, sizeof *size_of);
            if (!taken || !size_of)
                return FLUX_E_MEMORY;
            if (d) {
                memcpy(taken, finding->taken, d * sizeof *taken);
                memcpy(size_of, finding->size_of, d * sizeof *size_of);
            }
            finding->taken = taken;
            finding->size_of = size_of;
            finding->capacity = capacity;
        }
        if (d == dimensions->count) {
            finding->size_of[d] = size;
            finding->taken[d] = flux_arena_zero(finding->arena, gpus, 1);
            if (!finding->taken[d])
                return FLUX_E_MEMORY;
            dimensions->count++;
        }
        uint32_t i = 0;
        if (finding->size_of[d] != size)
            continue;
        while (i < size && !finding->taken[d][member[i].key & UINT32_MAX])
            i++;
        if (i < size)
            continue;
        for (i = 0; i < size; i++)
            finding->taken[d][member[i].key & UINT32_MAX] = 1;
        *found = d;
        return FLUX_OK;
    }
    return FLUX_OK; /* not reached: a new dimension has room */
}

/* Groups by size and sum, so that equal ones stand together; in the order of their first collective where they differ.
 * Each gets a dimension, and so do its collectives. */
static int assign(struct finding *finding, struct flux_dimensions *dimensions, uint64_t members, uint32_t gpus)
{
    struct flux_keyed *rows = flux_arena_alloc(finding->arena, members, sizeof *rows);
    uint64_t *place = flux_arena_alloc(finding->arena, members, sizeof *place); /* of a collective's members */
    uint64_t count = 0;
    if (!rows || !place)
        return FLUX_E_MEMORY;
    for (uint64_t i = 0; i < members; i += finding->size[finding->rows[i].key >> 32]) {
        place[count] = i;
        rows[count] = (struct flux_keyed){finding->sum[finding->rows[i].key >> 32], (uint32_t)count, 0};
        count++;
    }
    flux_radix_sort(rows, finding->spare, count);
    uint32_t *same = flux_arena_alloc(finding->arena, count, sizeof *same); /* by collective: the first of its group */
    uint32_t *dimension = flux_arena_alloc(finding->arena, count, sizeof *dimension);
    if (!same || !dimension)
        return FLUX_E_MEMORY;
    for (uint64_t i = 0; i < count; i++)
        same[rows[i].item] = i && rows[i].key == rows[i - 1].key ? same[rows[i - 1].item] : rows[i].item;
    for (uint32_t c = 0; c < count; c++) {
        const struct flux_keyed *member = &finding->rows[place[c]];
        uint32_t collective = (uint32_t)(member->key >> 32);
        if (same[c] == c) {
            int rc = find_dimension(finding, dimensions, member, finding->size[collective], gpus, &dimension[c]);
            if (rc)
                return rc;
        }
        dimension[c] = dimension[same[c]];
        finding->dimension[collective] = dimension[c];
    }
    return FLUX_OK;
}

int flux_dimensions_find(const struct flux_comparing *comparing, const struct flux_precedence *precedence,
                         struct flux_dimensions *dimensions)
{
    struct flux_arena *arena = comparing->arena;
    uint64_t n = precedence->vertices, sends = flux_graph_sends(comparing->graph);
    struct finding finding = {.precedence = precedence, .arena = arena};
    *dimensions = (struct flux_dimensions){0, flux_arena_alloc(arena, n, sizeof *dimensions->of)};
    finding.rows = flux_arena_alloc(arena, 2 * sends, sizeof *finding.rows);
    finding.spare = flux_arena_alloc(arena, 2 * sends, sizeof *finding.spare);
    finding.size = flux_arena_zero(arena, n, sizeof *finding.size);
    finding.sum = flux_arena_zero(arena, n, sizeof *finding.sum);
    finding.dimension = flux_arena_zero(arena, n, sizeof *finding.dimension);
    if (flux_collectives_find(precedence, arena, &finding.collective) || !dimensions->of || !finding.rows ||
        !finding.spare || !finding.size || !finding.sum || !finding.dimension)
        return FLUX_E_MEMORY;
    uint64_t members = list_members(&finding);
    measure_groups(&finding, members);
    int rc = assign(&finding, dimensions, members, flux_graph_gpus(comparing->graph));
    for (uint32_t v = 0; !rc && v < n; v++)
        dimensions->of[v] = precedence->to[v] == FLUX_NONE ? FLUX_NONE : finding.dimension[finding.collective[v]];
    return rc;
}
