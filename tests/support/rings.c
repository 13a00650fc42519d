/* SPDX-License-Identifier: Apache-2.0 */
#include "rings.h"

#include <stdlib.h>

#define LAYER_BYTES (UINT64_C(16) << 20)
#define GRADIENT_BYTES (UINT64_C(100) << 20)

struct rings {
    struct flux_graph *graph;
    uint32_t ring;
    uint32_t *last; /* by GPU: what its next operation waits for */
    uint64_t sends;
    int failed;
};

/* One all-reduce among `size` GPUs from `first`, `stride` apart: 2 (size - 1) rounds in which everybody passes a piece
 * on. Later operations wait for it where it `blocks`. */
static void all_reduce(struct rings *rings, uint32_t first, uint32_t stride, uint32_t size, uint64_t bytes,
                       int64_t compute, int blocks)
{
    struct flux_send sends[RINGS_MOST];
    struct flux_edge edges[2 * RINGS_MOST];
    uint32_t before[RINGS_MOST], number;
    for (uint32_t i = 0; i < size; i++)
        before[i] = rings->last[first + i * stride];
    for (uint32_t round = 0; round < 2 * (size - 1) && !rings->failed; round++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < size; i++)
            sends[i] = (struct flux_send){first + i * stride, first + (i + 1) % size * stride, bytes / size, 0, 0};
        rings->failed |= flux_graph_add_sends(rings->graph, sends, size, sizeof *sends, &number, NULL);
        for (uint32_t i = 0; i < size; i++) {
            if (before[i] != FLUX_NONE)
                edges[count++] = (struct flux_edge){before[i], number + i, round ? 0 : compute};
            if (round && size > 2)
                edges[count++] = (struct flux_edge){before[(i + 1) % size], number + i, 0};
        }
        rings->failed |= flux_graph_add_edges(rings->graph, edges, count, sizeof *edges, NULL);
        for (uint32_t i = 0; i < size; i++)
            before[(i + 1) % size] = number + i;
        rings->sends += size;
    }
    for (uint32_t i = 0; blocks && i < size; i++)
        rings->last[first + i * stride] = before[i];
}

uint64_t rings_generate(struct flux_graph *graph, uint32_t ring, uint64_t sends)
{
    uint32_t gpus = flux_graph_gpus(graph), groups = gpus / ring;
    struct rings rings = {graph, ring, malloc(gpus * sizeof *rings.last), 0, 0};
    if (!rings.last || ring < 2 || ring > RINGS_MOST || gpus % ring) {
        free(rings.last);
        return 0;
    }
    for (uint32_t g = 0; g < gpus; g++)
        rings.last[g] = FLUX_NONE;
    for (uint32_t layer = 0; rings.sends < sends && !rings.failed; layer++) {
        if (layer % 4 < 3 || groups < 2) {
            for (uint32_t group = 0; group < groups && rings.sends < sends; group++)
                all_reduce(&rings, group * ring, 1, ring, LAYER_BYTES, (200 + 10 * (layer % 7)) * FLUX_US, 1);
            continue;
        }
        for (uint32_t block = 0; block < groups && rings.sends < sends; block += ring) {
            uint32_t among = groups - block < ring ? groups - block : ring;
            for (uint32_t rank = 0; among > 1 && rank < ring && rings.sends < sends; rank++)
                all_reduce(&rings, block * ring + rank, ring, among, GRADIENT_BYTES, 200 * FLUX_US, 0);
        }
    }
    free(rings.last);
    return rings.failed ? 0 : rings.sends;
}
