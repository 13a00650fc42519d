/* SPDX-License-Identifier: Apache-2.0
 *
 * compare/waiting.c - how many bytes sit in a GPU's memory for want of a circuit.
 */
#include "base/wide.h"
#include "compare/compare.h"
#include "schedule/radix.h"

/* Byte times: a send waits at its source from when it is ready to its start. The sum of 2^32 sends of 2^64 bytes over
 * 2^62 ps would not fit, so it saturates. */
static uint64_t find_mean(const struct flux_comparing *comparing, const struct flux_time *times, const int64_t *ready)
{
    const flux_uwide most = ~(flux_uwide)0;
    flux_uwide whole = (flux_uwide)comparing->comparison->summary.iteration * flux_graph_gpus(comparing->graph),
               sum = 0;
    struct flux_send send;
    for (uint32_t v = 0; v < flux_graph_vertices(comparing->graph); v++) {
        if (flux_graph_get_send(comparing->graph, v, &send) || times[v].start <= ready[v])
            continue;
        flux_uwide part = (flux_uwide)send.bytes * (flux_uwide)(times[v].start - ready[v]);
        sum = part > most - sum ? most : sum + part;
    }
    if (!whole)
        return 0;
    return sum / whole > UINT64_MAX ? UINT64_MAX : (uint64_t)(sum / whole);
}

/* Sends that start when they are ready do not wait. Starts stand before arrivals: where times are equal, they go
 * first. */
int flux_compare_waiting(struct flux_comparing *comparing)
{
    struct flux_comparison_summary *summary = &comparing->comparison->summary;
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
    for (uint64_t i = 0; i < count; i++) {
        struct flux_send send;
        flux_graph_get_send(graph, rows[i].item, &send);
        if (!rows[i].padding) {
            if (held[send.src] != UINT64_MAX)
                held[send.src] -= send.bytes;
        } else if (__builtin_add_overflow(held[send.src], send.bytes, &held[send.src])) {
            held[send.src] = UINT64_MAX;
        }
        summary->waiting = held[send.src] > summary->waiting ? held[send.src] : summary->waiting;
    }
    summary->waiting_mean = find_mean(comparing, times, ready);
    return FLUX_OK;
}
