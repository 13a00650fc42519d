/* SPDX-License-Identifier: Apache-2.0
 *
 * Two layers of compute on eight GPUs, each followed by a ring all-reduce in two groups of four and then over the
 * groups, scheduled on two switches and drawn twice: as SVG for people, and as a trace for ui.perfetto.dev.
 *
 *     picture timeline.svg trace.json
 */
#include <libflux/flux.h>
#include <libflux/io/write.h>
#include <stdio.h>

#define GPUS 8u

/* What a GPU's next step waits for. */
struct front {
    uint32_t vertex;
    uint32_t is_set;
};

/* Every GPU of a group sends a piece to the next one, as often as a ring all-reduce does. Members are `first`,
 * first + stride, ... */
static int ring_all_reduce(struct flux_graph *graph, uint32_t first, uint32_t stride, uint32_t size, uint64_t bytes,
                           const char *label, struct front *front)
{
    uint32_t previous[GPUS];
    int rc = 0;
    for (uint32_t step = 0; step < 2 * (size - 1); step++) {
        uint32_t current[GPUS];
        for (uint32_t i = 0; i < size && !rc; i++) {
            uint32_t gpu = first + i * stride;
            rc = flux_graph_add_send(graph, gpu, first + (i + 1) % size * stride, bytes / size, &current[i]);
            if (!rc)
                rc = flux_graph_set_label(graph, current[i], label);
            if (!rc && step > 0)
                rc = flux_graph_add_edge(graph, previous[(i + size - 1) % size], current[i], 0);
            else if (!rc && front[gpu].is_set)
                rc = flux_graph_add_edge(graph, front[gpu].vertex, current[i], 0);
        }
        if (rc)
            return rc;
        for (uint32_t i = 0; i < size; i++)
            previous[i] = current[i];
    }
    for (uint32_t i = 0; i < size; i++)
        front[first + i * stride] = (struct front){previous[(i + size - 1) % size], 1};
    return 0;
}

static int layer(struct flux_graph *graph, struct front *front)
{
    int rc = 0;
    for (uint32_t gpu = 0; gpu < GPUS && !rc; gpu++) {
        uint32_t compute;
        rc = flux_graph_add_compute(graph, gpu, 400 * FLUX_US, &compute);
        if (!rc)
            rc = flux_graph_set_label(graph, compute, "matrix products");
        if (!rc && front[gpu].is_set)
            rc = flux_graph_add_edge(graph, front[gpu].vertex, compute, 0);
        front[gpu] = (struct front){compute, 1};
    }
    for (uint32_t group = 0; group < 2 && !rc; group++)
        rc = ring_all_reduce(graph, 4 * group, 1, 4, 32 << 20, "activations", front);
    for (uint32_t i = 0; i < 4 && !rc; i++)
        rc = ring_all_reduce(graph, i, 4, 2, 32 << 20, "gradients", front);
    return rc;
}

static int draw(const char *svg, const char *trace, struct flux_error *error)
{
    struct front front[GPUS] = {{0, 0}};
    struct flux_graph *graph = NULL;
    struct flux_fabric *fabric = NULL;
    struct flux_schedule *schedule = NULL;
    int rc = flux_graph_new(NULL, GPUS, &graph);
    if (!rc)
        rc = flux_fabric_new(NULL, GPUS, 2, &fabric);
    if (!rc)
        rc = flux_fabric_set_delay(fabric, FLUX_ALL_SWITCHES, 25 * FLUX_US);
    for (int i = 0; i < 2 && !rc; i++)
        rc = layer(graph, front);
    if (!rc)
        rc = flux_schedule(graph, fabric, NULL, &schedule, error);
    if (!rc)
        rc = flux_write_svg(svg, graph, fabric, schedule, NULL, error);
    if (!rc)
        rc = flux_write_perfetto(trace, graph, fabric, schedule, error);
    flux_schedule_free(schedule);
    flux_fabric_free(fabric);
    flux_graph_free(graph);
    return rc;
}

int main(int argc, char **argv)
{
    struct flux_error error = {0};
    if (argc != 3) {
        fprintf(stderr, "usage: %s TIMELINE.svg TRACE.json\n", argv[0]);
        return 2;
    }
    int rc = draw(argv[1], argv[2], &error);
    if (rc)
        fprintf(stderr, "%s: %s\n", flux_error_name(rc), error.text);
    return rc ? 1 : 0;
}
