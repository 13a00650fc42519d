/* SPDX-License-Identifier: Apache-2.0
 *
 * compare/pairs.c - the pairs of GPUs between which something is sent, and for how long altogether.
 */
#include "compare/pairs.h"

#include "schedule/radix.h"

int flux_pairs_find(const struct flux_comparing *comparing, struct flux_pairs *pairs)
{
    const struct flux_graph *graph = comparing->graph;
    uint64_t sends = flux_graph_sends(graph), count = 0;
    struct flux_keyed *rows = flux_arena_alloc(comparing->arena, sends, sizeof *rows);
    struct flux_keyed *spare = flux_arena_alloc(comparing->arena, sends, sizeof *spare);
    struct flux_send send;
    *pairs = (struct flux_pairs){0, NULL, NULL};
    pairs->circuit = flux_arena_alloc(comparing->arena, sends, sizeof *pairs->circuit);
    pairs->time = flux_arena_alloc(comparing->arena, sends, sizeof *pairs->time);
    if (!rows || !spare || !pairs->circuit || !pairs->time)
        return FLUX_E_MEMORY;
    for (uint32_t v = 0; v < flux_graph_vertices(graph); v++)
        if (flux_graph_get_send(graph, v, &send) == FLUX_OK)
            rows[count++] = (struct flux_keyed){(uint64_t)send.src << 32 | send.dst, v, 0};
    flux_radix_sort(rows, spare, count);
    for (uint64_t i = 0; i < count; i++) {
        flux_graph_get_send(graph, rows[i].item, &send);
        int64_t time = flux_compare_duration(comparing, &send);
        if (i == 0 || rows[i].key != rows[i - 1].key) {
            pairs->circuit[pairs->count] = (struct flux_circuit_name){0, send.src, send.dst};
            pairs->time[pairs->count++] = time;
        } else {
            pairs->time[pairs->count - 1] = flux_compare_add(pairs->time[pairs->count - 1], time);
        }
    }
    return FLUX_OK;
}

int flux_pairs_has(const struct flux_pairs *pairs, uint32_t src, uint32_t dst)
{
    uint32_t low = 0, high = pairs->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct flux_circuit_name *pair = &pairs->circuit[middle];
        if (pair->src < src || (pair->src == src && pair->dst < dst))
            low = middle + 1;
        else
            high = middle;
    }
    return low < pairs->count && pairs->circuit[low].src == src && pairs->circuit[low].dst == dst;
}
