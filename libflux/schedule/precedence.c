/* SPDX-License-Identifier: Apache-2.0 */
#include "schedule/precedence.h"

#include "base/fail.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LABEL_SHOWN 64u /* bytes */

char *flux_precedence_name(const struct flux_graph *graph, uint32_t vertex, char text[FLUX_PRECEDENCE_NAME])
{
    const char *kind = flux_graph_is_send(graph, vertex) ? "send" : "compute";
    const char *label = flux_graph_label(graph, vertex);
    char shown[LABEL_SHOWN + 4];
    size_t length = strlen(label);
    if (length == 0) {
        snprintf(text, FLUX_PRECEDENCE_NAME, "%s %" PRIu32, kind, vertex);
        return text;
    }
    const char *end = "";
    if (length > LABEL_SHOWN) {
        end = "...";
        length = LABEL_SHOWN;
        while (length > 0 && ((unsigned char)label[length] & 0xc0) == 0x80)
            length--; /* never cut a character in two */
    }
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)label[i];
        shown[i] = byte < 0x20 || byte == 0x7f ? '?' : label[i];
    }
    shown[length] = '\0';
    snprintf(text, FLUX_PRECEDENCE_NAME, "%s \"%s%s\"", kind, shown, end);
    return text;
}

/* Where every vertex is. */
static void read_vertices(const struct flux_graph *graph, struct flux_precedence *precedence)
{
    struct flux_send send;
    struct flux_compute compute;
    for (uint32_t v = 0; v < precedence->vertices; v++) {
        if (flux_graph_get_send(graph, v, &send) == FLUX_OK) {
            precedence->at[v] = send.src;
            precedence->to[v] = send.dst;
        } else if (flux_graph_get_compute(graph, v, &compute) == FLUX_OK) {
            precedence->at[v] = compute.gpu;
            precedence->to[v] = FLUX_NONE;
        }
    }
}

/* Edges by the vertex they leave, in the order in which they were added (counting sort). `first` has two more members
 * than there are vertices, all 0: while rows are placed, first[v + 1] is where the next one of v goes. */
static void read_edges(const struct flux_edge *edges, uint64_t count, struct flux_precedence *precedence)
{
    uint64_t *first = precedence->first;
    for (uint64_t e = 0; e < count; e++)
        first[edges[e].from + UINT64_C(2)]++;
    for (uint64_t v = 0; v < precedence->vertices; v++)
        first[v + 2] += first[v + 1];
    for (uint64_t e = 0; e < count; e++)
        precedence->successors[first[edges[e].from + UINT64_C(1)]++] =
            (struct flux_successor){edges[e].to, 0, edges[e].lag};
}

/* Kahn's order. How many vertices it reaches: fewer than all where the edges close a cycle. */
static uint32_t set_order(struct flux_precedence *precedence, uint64_t *missing)
{
    uint32_t done = 0, filled = 0, *order = precedence->order;
    const struct flux_successor *successors = precedence->successors;
    for (uint64_t i = 0; i < precedence->first[precedence->vertices]; i++)
        missing[successors[i].vertex]++;
    for (uint32_t v = 0; v < precedence->vertices; v++)
        if (missing[v] == 0)
            order[filled++] = v;
    while (done < filled) {
        uint32_t v = order[done++];
        for (uint64_t i = precedence->first[v]; i < precedence->first[v + 1]; i++)
            if (--missing[successors[i].vertex] == 0)
                order[filled++] = successors[i].vertex;
    }
    return filled;
}

int flux_precedence_read(const struct flux_graph *graph, struct flux_arena *arena, struct flux_precedence *precedence,
                         struct flux_error *error)
{
    uint64_t edge_count;
    const struct flux_edge *edges = flux_graph_edges(graph, &edge_count);
    uint64_t n = precedence->vertices = flux_graph_vertices(graph);
    precedence->at = flux_arena_alloc(arena, n, sizeof *precedence->at);
    precedence->to = flux_arena_alloc(arena, n, sizeof *precedence->to);
    precedence->order = flux_arena_alloc(arena, n, sizeof *precedence->order);
    precedence->first = flux_arena_zero(arena, n + 2, sizeof *precedence->first);
    precedence->successors = flux_arena_alloc(arena, edge_count, sizeof *precedence->successors);
    uint64_t *missing = flux_arena_zero(arena, n, sizeof *missing);
    if (!precedence->at || !precedence->to || !precedence->order || !precedence->first || !precedence->successors ||
        !missing)
        return flux_fail_memory(error);
    read_vertices(graph, precedence);
    read_edges(edges, edge_count, precedence);
    if (set_order(precedence, missing) == precedence->vertices)
        return FLUX_OK;
    int rc = flux_graph_check(graph, error);
    return rc ? rc : flux_fail(error, FLUX_E_CYCLE, "the edges close a cycle");
}

int64_t flux_precedence_propagation(const struct flux_precedence *precedence, const struct flux_fabric *fabric,
                                    uint32_t from, uint32_t to)
{
    if (precedence->to[from] == FLUX_NONE || precedence->at[to] == precedence->at[from])
        return 0;
    return flux_fabric_propagation(fabric, precedence->at[from], precedence->to[from]);
}
