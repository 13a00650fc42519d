/* SPDX-License-Identifier: Apache-2.0
 *
 * compare/waiting.c - how many bytes sit in a GPU's memory for want of a circuit.
 */
#include "compare/compare.h"
#include "schedule/radix.h"

/* Sends that start when they are ready do not wait. Starts stand before arrivals: where times are equal, they go
 * first. */
int flux_compare_waiting(struct flux_comparing *comparing, uint64_t *waiting)
{
    const struct flux_graph *graph = comparing->graph;
    const struct flux_replay *replay = comparing->comparison->replay;
    const struct flux_time *times = flux_replay_times(replay, NULL);
    const int64_t *ready = flux_replay_ready(replay, NULL);
    uint64_t n = flux_graph_vertices(graph), count = 0;
    struct flux_keyed *rows = flux_arena_alloc(comparing->arena, 2 * n, sizeof *rows);
    struct flux_keyed *spare = flux_arena_alloc(comparing->arena, 2 * n, sizeof *spare);
    uint64_t *held = flux_arena_zero(comparing->arena, flux_graph_gpus(graph), sizeof *held);
    if (!rows || !spare || !held)
        return FLUX_E_MEMORY;
    for (uint32_t arrival = 0; arrival < 2; arrival++)
        for (uint32_t v = 0; v < n; v++)
            if (flux_graph_is_send(graph, v) && times[v].start > ready[v])
                rows[count++] = (struct flux_keyed){(uint64_t)(arrival ? ready[v] : times[v].start), v, arrival};
    flux_radix_sort(rows, spare, count);
    *waiting = 0;
    for (uint64_t i = 0; i < count; i++) {
        struct flux_send send;
        flux_graph_get_send(graph, rows[i].item, &send);
        if (!rows[i].padding) {
            if (held[send.src] != UINT64_MAX)
                held[send.src] -= send.bytes;
        } else if (__builtin_add_overflow(held[send.src], send.bytes, &held[send.src])) {
            held[send.src] = UINT64_MAX;
        }
        *waiting = held[send.src] > *waiting ? held[send.src] : *waiting;
    }
    return FLUX_OK;
}
