/* SPDX-License-Identifier: Apache-2.0
 *
 * model/fold.c - folding of compute. A compute vertex with m arcs in and n arcs out would leave m * n arcs; it goes only
 * where that is no more than m + n, that is with at most one arc in or at most one out. So arcs never multiply, and the
 * places of the graph's own edges suffice for the links that are left.
 */
#include "model/fold.h"

#include "base/fail.h"

struct folding {
    const struct flux_graph *graph;
    const struct flux_fabric *fabric;
    struct flux_fold *fold;
    uint64_t *out_first;    /* edges by origin, from out_first[v] to out_first[v + 1] */
    uint32_t *out_edge;     /* which edge */
    uint32_t free_link;     /* links given back */
    uint32_t link_count;
    int overflow;
};

/* a + b, all within 0 .. FLUX_TIME_MAX; remembers where it is not. */
static int64_t add(struct folding *folding, int64_t a, int64_t b)
{
    int64_t sum = (int64_t)((uint64_t)a + (uint64_t)b); /* both at most 2^62: no wrap in 64 bits unsigned */
    if (sum < 0 || sum > FLUX_TIME_MAX) {
        folding->overflow = 1;
        return FLUX_TIME_MAX;
    }
    return sum;
}

static void raise_to(int64_t *value, int64_t at_least)
{
    if (*value < at_least)
        *value = at_least;
}

/* Lag of an edge with the light's way, which holds back everything but what happens at the sender. */
static int64_t full_lag(struct folding *folding, const struct flux_edge *edge)
{
    const struct flux_vertex *from = &folding->graph->vertices[edge->from];
    const struct flux_vertex *to = &folding->graph->vertices[edge->to];
    uint32_t place = to->src != FLUX_NONE ? to->src : to->dst;
    if (from->src == FLUX_NONE || place == from->src)
        return edge->lag;
    return add(folding, edge->lag, flux_fabric_propagation(folding->fabric, from->src, from->dst));
}

static void link_to(struct folding *folding, uint32_t from, uint32_t to, int64_t lag)
{
    struct flux_fold *fold = folding->fold;
    uint32_t link = folding->free_link;
    if (link != FLUX_NONE)
        folding->free_link = fold->links[link].next;
    else
        link = folding->link_count++;
    fold->links[link] = (struct flux_link){from, fold->first[to], lag};
    fold->first[to] = link;
}

/* Takes compute `v` out: its links lead on to what waits for it, or end as somebody's rest. */
static void fold_vertex(struct folding *folding, uint32_t v)
{
    struct flux_fold *fold = folding->fold;
    int64_t duration = folding->graph->vertices[v].duration;
    int64_t end = add(folding, fold->release[v], duration);
    uint64_t begin = folding->out_first[v], stop = folding->out_first[v + 1];
    uint32_t list = fold->first[v], last = FLUX_NONE;
    fold->first[v] = FLUX_NONE;
    if (begin == stop)
        raise_to(&fold->floor, end);
    for (uint32_t link = list; link != FLUX_NONE; link = fold->links[link].next) {
        fold->links[link].lag = add(folding, fold->links[link].lag, duration);
        if (begin == stop)
            raise_to(&fold->rest[fold->links[link].from], fold->links[link].lag);
        last = link;
    }
    if (last != FLUX_NONE) { /* give the list back first: what follows needs no more places than it frees */
        uint32_t spare = folding->free_link;
        folding->free_link = list;
        fold->links[last].next = spare;
    }
    for (uint64_t i = begin; i < stop; i++) {
        const struct flux_edge *edge = &folding->graph->edges[folding->out_edge[i]];
        raise_to(&fold->release[edge->to], add(folding, end, edge->lag));
    }
    if (last == FLUX_NONE || begin == stop)
        return;
    /* The given-back links are still readable in order, up to `last`, as long as link_to() takes from the front: it
     * overwrites a link only after it was read here. */
    uint32_t link = list;
    for (int more = 1; more;) {
        struct flux_link old = fold->links[link];
        more = link != last;
        for (uint64_t i = begin; i < stop; i++) {
            const struct flux_edge *edge = &folding->graph->edges[folding->out_edge[i]];
            link_to(folding, old.from, edge->to, add(folding, old.lag, edge->lag));
        }
        link = old.next;
    }
}

static int group_edges(struct folding *folding, struct flux_arena *arena)
{
    const struct flux_graph *graph = folding->graph;
    uint64_t n = graph->vertex_count;
    folding->out_first = flux_arena_zero(arena, n + 2, sizeof *folding->out_first);
    folding->out_edge = flux_arena_alloc(arena, graph->edge_count, sizeof *folding->out_edge);
    if (!folding->out_first || !folding->out_edge)
        return FLUX_E_MEMORY;
    for (uint64_t e = 0; e < graph->edge_count; e++)
        folding->out_first[graph->edges[e].from + 2]++;
    for (uint64_t v = 0; v < n; v++)
        folding->out_first[v + 2] += folding->out_first[v + 1];
    for (uint64_t e = 0; e < graph->edge_count; e++)
        folding->out_edge[folding->out_first[graph->edges[e].from + 1]++] = (uint32_t)e;
    return FLUX_OK;
}

/* May compute `v` go? */
static int foldable(const struct folding *folding, uint32_t v)
{
    const struct flux_fold *fold = folding->fold;
    if (folding->graph->vertices[v].src != FLUX_NONE)
        return 0;
    uint32_t link = fold->first[v];
    return folding->out_first[v + 1] - folding->out_first[v] <= 1 || link == FLUX_NONE ||
           fold->links[link].next == FLUX_NONE;
}

int flux_fold_graph(const struct flux_graph *graph, const struct flux_fabric *fabric, struct flux_arena *arena,
                    struct flux_fold *fold, struct flux_error *error)
{
    uint64_t n = graph->vertex_count;
    struct folding folding = {.graph = graph, .fabric = fabric, .fold = fold, .free_link = FLUX_NONE};
    if (graph->edge_count >= FLUX_NONE)
        return flux_fail(error, FLUX_E_TOO_BIG, "more than 2^32 - 2 edges");
    fold->order = flux_arena_alloc(arena, n, sizeof *fold->order);
    fold->kept = flux_arena_zero(arena, n, sizeof *fold->kept);
    fold->release = flux_arena_alloc(arena, n, sizeof *fold->release);
    fold->rest = flux_arena_zero(arena, n, sizeof *fold->rest);
    fold->first = flux_arena_alloc(arena, n, sizeof *fold->first);
    fold->links = flux_arena_alloc(arena, graph->edge_count, sizeof *fold->links);
    fold->floor = 0;
    if (!fold->order || !fold->kept || !fold->release || !fold->rest || !fold->first || !fold->links ||
        group_edges(&folding, arena))
        return flux_fail_memory(error);
    int rc = flux_graph_order(graph, arena->memory, fold->order, error);
    if (rc)
        return rc;
    for (uint64_t v = 0; v < n; v++) {
        fold->release[v] = graph->vertices[v].release;
        fold->first[v] = FLUX_NONE;
    }
    for (uint64_t i = 0; i < n; i++) {
        uint32_t v = fold->order[i];
        if (foldable(&folding, v)) {
            fold_vertex(&folding, v);
            continue;
        }
        fold->kept[v] = 1;
        for (uint64_t j = folding.out_first[v]; j < folding.out_first[v + 1]; j++) {
            const struct flux_edge *edge = &graph->edges[folding.out_edge[j]];
            link_to(&folding, v, edge->to, full_lag(&folding, edge));
        }
    }
    if (folding.overflow)
        return flux_fail(error, FLUX_E_OVERFLOW, "compute and lags add up beyond 2^62 ps; use smaller times");
    return FLUX_OK;
}
