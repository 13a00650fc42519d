/* SPDX-License-Identifier: Apache-2.0 */
#include "prove/ring_sends.h"

#include <libflux/error.h>
#include <stdlib.h>

#define OTHERS 4u /* collectives of other kinds, of each GPU */

struct finding {
    const struct flux_problem *problem;
    struct flux_arena *arena; /* for what stays */
    struct flux_arena scratch;
    uint64_t *kind;   /* by circuit */
    uint32_t *joined; /* by node: towards one that stands for its collective */
    int64_t *head;    /* by node: of the collective that it stands for */
    uint8_t *inside;  /* by GPU */
    uint64_t steps;
};

/* ---- kinds and collectives ---- */

static uint64_t mix(int64_t duration)
{
    uint64_t x = ((uint64_t)duration + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    return x ^ x >> 27;
}

static uint32_t root(uint32_t *joined, uint32_t node)
{
    while (joined[node] != node) {
        joined[node] = joined[joined[node]];
        node = joined[node];
    }
    return node;
}

static uint64_t kind_of(const struct finding *finding, uint32_t node)
{
    return finding->kind[finding->problem->circuit[node]];
}

static void find_kinds(struct finding *finding)
{
    const struct flux_problem *problem = finding->problem;
    for (uint32_t v = 0; v < problem->nodes; v++)
        if (flux_problem_is_send(problem, v))
            finding->kind[problem->circuit[v]] += mix(problem->duration[v]);
}

static void find_collectives(struct finding *finding)
{
    const struct flux_problem *problem = finding->problem;
    for (uint32_t v = 0; v < problem->nodes; v++)
        finding->joined[v] = v;
    for (uint32_t u = 0; u < problem->nodes; u++)
        for (uint64_t i = problem->out_first[u]; i < problem->out_first[u + 1] && flux_problem_is_send(problem, u);
             i++) {
            uint32_t v = problem->out[i].node;
            if (problem->out[i].lag || !flux_problem_is_send(problem, v) || kind_of(finding, u) != kind_of(finding, v))
                continue;
            uint32_t a = root(finding->joined, u), b = root(finding->joined, v);
            finding->joined[a > b ? a : b] = a > b ? b : a;
        }
    for (uint32_t v = 0; v < problem->nodes; v++)
        finding->head[v] = INT64_MAX;
    for (uint32_t v = 0; v < problem->nodes; v++) {
        int64_t *head = &finding->head[root(finding->joined, v)];
        *head = problem->head[v] < *head ? problem->head[v] : *head;
    }
    finding->steps += 2 * (uint64_t)problem->nodes + problem->arcs;
}

static uint32_t fullest(const struct flux_problem *problem)
{
    uint32_t best = 0;
    int64_t most = -1;
    for (uint32_t gpu = 0; gpu < problem->gpus; gpu++) {
        int64_t load = 0;
        for (uint64_t i = problem->touch_first[gpu]; i < problem->touch_first[gpu + 1]; i++)
            load += problem->duration[problem->touch[i]] >> 20; /* no overflow */
        best = load > most ? gpu : best;
        most = load > most ? load : most;
    }
    return best;
}

/* ---- rings ---- */

/* GPUs that circuits of a kind join with those inside; 0 where they are too many. */
static uint32_t spread(struct finding *finding, uint64_t kind, uint32_t *gpus)
{
    const struct flux_problem *problem = finding->problem;
    uint32_t count = 1;
    finding->inside[gpus[0]] = 1;
    for (uint32_t at = 0; at < count; at++)
        for (uint64_t i = problem->touch_first[gpus[at]]; i < problem->touch_first[gpus[at] + 1]; i++) {
            uint32_t node = problem->touch[i];
            uint32_t other = problem->src[node] == gpus[at] ? problem->dst[node] : problem->src[node];
            if (kind_of(finding, node) != kind || finding->inside[other])
                continue;
            if (count == FLUX_RING_GPUS_MAX)
                return 0;
            finding->inside[other] = 1;
            gpus[count++] = other;
        }
    return count;
}

/* The ring itself first, then GPU by GPU; of each what starts last first. */
static int compare(const void *left, const void *right)
{
    const struct flux_ring_row *a = left, *b = right;
    if (a->gpu != b->gpu)
        return a->gpu + 1 < b->gpu + 1 ? -1 : 1; /* FLUX_NONE + 1 is 0 */
    if (a->head != b->head)
        return a->head > b->head ? -1 : 1;
    if (a->collective != b->collective)
        return a->collective < b->collective ? -1 : 1;
    if (a->circuit != b->circuit)
        return a->circuit < b->circuit ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

static int make_rows(struct finding *finding, uint64_t kind, const uint32_t *gpus, uint32_t count,
                     struct flux_ring *ring)
{
    const struct flux_problem *problem = finding->problem;
    uint64_t rows = 0;
    for (uint32_t at = 0; at < count; at++)
        rows += problem->touch_first[gpus[at] + 1] - problem->touch_first[gpus[at]];
    ring->rows = flux_arena_alloc(finding->arena, rows, sizeof *ring->rows);
    if (!ring->rows)
        return FLUX_E_MEMORY;
    for (uint32_t at = 0; at < count; at++)
        for (uint64_t i = problem->touch_first[gpus[at]]; i < problem->touch_first[gpus[at] + 1]; i++) {
            uint32_t node = problem->touch[i], collective = root(finding->joined, node);
            int own = kind_of(finding, node) == kind;
            if (own && problem->src[node] != gpus[at])
                continue; /* once */
            ring->rows[ring->count++] = (struct flux_ring_row){finding->head[collective], own ? FLUX_NONE : gpus[at],
                                                               collective, problem->circuit[node], node};
        }
    qsort(ring->rows, ring->count, sizeof *ring->rows, compare);
    for (uint32_t i = 0; i < ring->count && ring->rows[i].gpu == FLUX_NONE; i++)
        ring->collectives += i == 0 || ring->rows[i].collective != ring->rows[i - 1].collective;
    finding->steps += 4 * rows;
    return FLUX_OK;
}

static int find_rings(struct finding *finding, struct flux_ring_list *list)
{
    const struct flux_problem *problem = finding->problem;
    uint32_t gpu = fullest(problem), kinds = 0;
    uint64_t kind[FLUX_RINGS_MAX];
    for (uint64_t i = problem->touch_first[gpu]; i < problem->touch_first[gpu + 1] && kinds < FLUX_RINGS_MAX; i++) {
        uint32_t known = 0, gpus[FLUX_RING_GPUS_MAX] = {gpu};
        while (known < kinds && kind[known] != kind_of(finding, problem->touch[i]))
            known++;
        if (known < kinds)
            continue;
        kind[kinds++] = kind_of(finding, problem->touch[i]);
        uint32_t count = spread(finding, kind[known], gpus);
        for (uint32_t g = 0; g < problem->gpus; g++)
            finding->inside[g] = 0;
        if (count && make_rows(finding, kind[known], gpus, count, &list->ring[list->count++]))
            return FLUX_E_MEMORY;
    }
    return FLUX_OK;
}

int flux_rings_find(const struct flux_problem *problem, struct flux_arena *arena, struct flux_ring_list *list,
                    uint64_t *steps)
{
    struct finding finding = {.problem = problem, .arena = arena};
    *list = (struct flux_ring_list){0};
    flux_arena_init(&finding.scratch, arena->memory);
    finding.kind = flux_arena_zero(&finding.scratch, problem->circuits, sizeof *finding.kind);
    finding.joined = flux_arena_alloc(&finding.scratch, problem->nodes, sizeof *finding.joined);
    finding.head = flux_arena_alloc(&finding.scratch, problem->nodes, sizeof *finding.head);
    finding.inside = flux_arena_zero(&finding.scratch, problem->gpus, 1);
    int rc = FLUX_E_MEMORY;
    if (finding.kind && finding.joined && finding.head && finding.inside) {
        find_kinds(&finding);
        find_collectives(&finding);
        rc = find_rings(&finding, list);
    }
    *steps += finding.steps;
    flux_arena_free(&finding.scratch);
    return rc;
}

/* ---- sends ---- */

uint32_t flux_ring_choose(const struct flux_problem *problem, const struct flux_ring *ring, uint32_t collectives,
                          uint32_t most, uint8_t *chosen, uint32_t *nodes)
{
    uint32_t seen = 0, count = 0;
    for (uint32_t i = 0; i < ring->count; i++) {
        const struct flux_ring_row *row = &ring->rows[i], *before = i ? row - 1 : NULL;
        const struct flux_ring_row *after = i + 1 < ring->count ? row + 1 : NULL;
        int new_gpu = !before || before->gpu != row->gpu;
        int first = new_gpu || before->collective != row->collective || before->circuit != row->circuit;
        int last =
            !after || after->gpu != row->gpu || after->collective != row->collective || after->circuit != row->circuit;
        seen = (new_gpu ? 0 : seen) + (new_gpu || before->collective != row->collective);
        if (row->gpu == FLUX_NONE ? seen <= collectives : seen <= OTHERS && (first || last))
            chosen[row->node] = 1;
    }
    for (uint32_t v = 0; v < problem->nodes; v++) {
        if (chosen[v] && count++ < most)
            nodes[count - 1] = v;
        chosen[v] = 0;
    }
    return count <= most ? count : 0;
}
