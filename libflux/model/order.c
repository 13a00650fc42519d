/* SPDX-License-Identifier: Apache-2.0
 *
 * model/order.c - a topological order of the user's graph, or a cycle in words.
 */
#include "base/fail.h"
#include "model/graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define CYCLE_SHOWN 12u /* longer ones are cut in the middle of the sentence */
#define NAME_SHOWN 48

char *flux_graph_name(const struct flux_graph *graph, uint32_t vertex, char *text, uint64_t size)
{
    const char *label = flux_graph_label(graph, vertex);
    if (*label)
        snprintf(text, (size_t)size, "%.*s", NAME_SHOWN, label);
    else
        snprintf(text, (size_t)size, "vertex %" PRIu32, vertex);
    return text;
}

/* Every vertex that is left waits for another one that is left: walking back from any of them must come round. */
static void name_cycle(const struct flux_graph *graph, const uint32_t *waits_for, uint32_t *seen, uint32_t start,
                       struct flux_error *error)
{
    uint32_t step = 1, v = start, length = 0;
    memset(seen, 0, (size_t)graph->vertex_count * sizeof *seen);
    while (!seen[v]) {
        seen[v] = step++;
        v = waits_for[v];
    }
    /* v is on the cycle; the walk went against the edges, so collect and print in reverse. */
    uint32_t shown[CYCLE_SHOWN], w = v;
    do {
        if (length < CYCLE_SHOWN)
            shown[length] = w;
        length++;
        w = waits_for[w];
    } while (w != v);
    uint32_t count = length < CYCLE_SHOWN ? length : CYCLE_SHOWN;
    char path[400], name[64];
    size_t used = (size_t)snprintf(path, sizeof path, "%s", flux_graph_name(graph, v, name, sizeof name));
    if (count < length)
        used += (size_t)snprintf(path + used, sizeof path - used, " -> ... (%" PRIu32 " more)", length - count);
    for (uint32_t i = count; i-- > 0 && used < sizeof path;)
        used += (size_t)snprintf(path + used, sizeof path - used, " -> %s",
                                 flux_graph_name(graph, shown[i], name, sizeof name));
    flux_fail_vertex(error, FLUX_E_CYCLE, v, "the edges close a cycle: %s", path);
}

int flux_graph_order(const struct flux_graph *graph, const struct flux_memory *memory, uint32_t *order,
                     struct flux_error *error)
{
    uint64_t n = graph->vertex_count, done = 0, filled = 0;
    struct flux_arena arena;
    flux_arena_init(&arena, memory);
    uint64_t *first = flux_arena_zero(&arena, n + 2, sizeof *first);
    uint32_t *next = flux_arena_alloc(&arena, graph->edge_count, sizeof *next);
    uint32_t *missing = flux_arena_zero(&arena, n, sizeof *missing);
    if (!first || !next || !missing) {
        flux_arena_free(&arena);
        return flux_fail_memory(error);
    }
    for (uint64_t e = 0; e < graph->edge_count; e++) {
        first[graph->edges[e].from + 2]++;
        missing[graph->edges[e].to]++; /* at most the number of edges; 2^32 edges into one vertex do not fit memory */
    }
    for (uint64_t v = 0; v < n; v++)
        first[v + 2] += first[v + 1];
    for (uint64_t e = 0; e < graph->edge_count; e++)
        next[first[graph->edges[e].from + 1]++] = graph->edges[e].to;

    for (uint64_t v = 0; v < n; v++)
        if (!missing[v])
            order[filled++] = (uint32_t)v;
    while (done < filled) {
        uint32_t v = order[done++];
        for (uint64_t i = first[v]; i < first[v + 1]; i++)
            if (--missing[next[i]] == 0)
                order[filled++] = next[i];
    }
    int rc = FLUX_OK;
    if (filled < n) {
        uint32_t *waits_for = flux_arena_zero(&arena, n, sizeof *waits_for);
        uint32_t start = 0;
        rc = FLUX_E_CYCLE;
        if (waits_for && error) {
            for (uint64_t e = graph->edge_count; e-- > 0;)
                if (missing[graph->edges[e].from] && missing[graph->edges[e].to])
                    waits_for[graph->edges[e].to] = graph->edges[e].from;
            while (!missing[start])
                start++;
            name_cycle(graph, waits_for, order, start, error);
        } else {
            flux_fail(error, FLUX_E_CYCLE, "the edges close a cycle");
        }
    }
    flux_arena_free(&arena);
    return rc;
}

int flux_graph_check(const struct flux_graph *graph, struct flux_error *error)
{
    if (!graph)
        return flux_fail(error, FLUX_E_ARGUMENT, "the graph is NULL");
    uint32_t *order = flux_alloc(&graph->memory, graph->vertex_count, sizeof *order);
    if (!order)
        return flux_fail_memory(error);
    int rc = flux_graph_order(graph, &graph->memory, order, error);
    flux_release(&graph->memory, order, graph->vertex_count, sizeof *order);
    return rc;
}
