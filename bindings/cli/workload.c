/* SPDX-License-Identifier: Apache-2.0
 *
 * workload.c - the figures of a graph that `info` prints.
 */
#include "cli.h"
#include <stdlib.h>
#include <string.h>

/* Edges by their tail, for Kahn's order: the edges of v are order[first[v]] .. order[first[v + 1] - 1]. */
struct adjacency {
    uint64_t *first;
    uint64_t *order;
    uint32_t *waiting; /* edges into a vertex that are not done yet */
    uint32_t *queue;
    int64_t *head; /* earliest start so far */
};

static void adjacency_free(struct adjacency *adjacency)
{
    free(adjacency->first);
    free(adjacency->order);
    free(adjacency->waiting);
    free(adjacency->queue);
    free(adjacency->head);
}

static int adjacency_build(struct adjacency *adjacency, const struct flux_graph *graph)
{
    uint64_t count, vertices = flux_graph_vertices(graph);
    const struct flux_edge *edges = flux_graph_edges(graph, &count);

    adjacency->first = calloc(vertices + 2, sizeof(*adjacency->first));
    adjacency->order = calloc(count + 1, sizeof(*adjacency->order));
    adjacency->waiting = calloc(vertices + 1, sizeof(*adjacency->waiting));
    adjacency->queue = calloc(vertices + 1, sizeof(*adjacency->queue));
    adjacency->head = calloc(vertices + 1, sizeof(*adjacency->head));
    if (!adjacency->first || !adjacency->order || !adjacency->waiting || !adjacency->queue || !adjacency->head)
        return -1;
    for (uint64_t i = 0; i < count; i++) {
        adjacency->first[edges[i].from + 2]++;
        adjacency->waiting[edges[i].to]++;
    }
    for (uint64_t v = 2; v < vertices + 2; v++)
        adjacency->first[v] += adjacency->first[v - 1];
    for (uint64_t i = 0; i < count; i++)
        adjacency->order[adjacency->first[edges[i].from + 1]++] = i;
    return 0;
}

/* The shortest time of a send over the switches that can carry it; over all of them where none can. */
static int send_duration(const struct flux_fabric *fabric, const struct flux_send *send, int64_t *duration)
{
    int64_t best = INT64_MAX, any = INT64_MAX, time;

    if (send->duration) {
        *duration = send->duration;
        return 0;
    }
    for (uint32_t k = 0; k < flux_fabric_switches(fabric); k++) {
        if (flux_fabric_duration(fabric, k, send->src, send->dst, send->bytes, &time))
            continue;
        any = time < any ? time : any;
        if (!flux_fabric_dead(fabric, send->src, k) && !flux_fabric_dead(fabric, send->dst, k) &&
            !flux_fabric_is_forbidden(fabric, k, send->src, send->dst) && time < best)
            best = time;
    }
    *duration = best < INT64_MAX ? best : any;
    return *duration == INT64_MAX ? -1 : 0;
}

/* Release, duration, where the vertex is, and for a send where it ends. */
struct step {
    int64_t release;
    int64_t duration;
    uint32_t gpu;
    uint32_t dst; /* FLUX_NONE for compute */
};

static int step_read(const struct flux_graph *graph, const struct flux_fabric *fabric, uint32_t vertex,
                     struct step *step)
{
    struct flux_compute compute;
    struct flux_send send;

    if (flux_graph_is_send(graph, vertex)) {
        flux_graph_get_send(graph, vertex, &send);
        step->release = send.release;
        step->gpu = send.src;
        step->dst = send.dst;
        return send_duration(fabric, &send, &step->duration);
    }
    flux_graph_get_compute(graph, vertex, &compute);
    step->release = compute.release;
    step->gpu = compute.gpu;
    step->dst = FLUX_NONE;
    step->duration = compute.duration;
    return 0;
}

static uint32_t vertex_gpu(const struct flux_graph *graph, uint32_t vertex)
{
    struct flux_compute compute;
    struct flux_send send;

    if (flux_graph_is_send(graph, vertex)) {
        flux_graph_get_send(graph, vertex, &send);
        return send.src;
    }
    flux_graph_get_compute(graph, vertex, &compute);
    return compute.gpu;
}

/* Longest path with every send on its fastest circuit at once, in Kahn's order. -1: out of memory. */
static int critical_path(const struct flux_graph *graph, const struct flux_fabric *fabric, int64_t *longest)
{
    struct adjacency adjacency = {0};
    uint64_t count;
    const struct flux_edge *edges = flux_graph_edges(graph, &count);
    uint32_t vertices = flux_graph_vertices(graph), filled = 0;
    int64_t best = 0;

    if (adjacency_build(&adjacency, graph)) {
        adjacency_free(&adjacency);
        return -1;
    }
    for (uint32_t v = 0; v < vertices; v++) {
        if (!adjacency.waiting[v])
            adjacency.queue[filled++] = v;
    }
    for (uint32_t i = 0; i < filled && best >= 0; i++) {
        uint32_t v = adjacency.queue[i];
        struct step step = {0};
        int64_t end;

        /* Every term is at most 2^62, so a sum of two fits; beyond 2^62 there is no path to tell. */
        if (step_read(graph, fabric, v, &step)) {
            best = -1;
            break;
        }
        end = (adjacency.head[v] > step.release ? adjacency.head[v] : step.release) + step.duration;
        best = end > FLUX_TIME_MAX ? -1 : end > best ? end : best;
        for (uint64_t e = adjacency.first[v]; e < adjacency.first[v + 1] && best >= 0; e++) {
            const struct flux_edge *edge = &edges[adjacency.order[e]];
            int64_t start = end + edge->lag;

            if (start <= FLUX_TIME_MAX && step.dst != FLUX_NONE && vertex_gpu(graph, edge->to) != step.gpu)
                start += flux_fabric_propagation(fabric, step.gpu, step.dst);
            if (start > FLUX_TIME_MAX)
                best = -1;
            if (start > adjacency.head[edge->to])
                adjacency.head[edge->to] = start;
            if (--adjacency.waiting[edge->to] == 0)
                adjacency.queue[filled++] = edge->to;
        }
    }
    *longest = best;
    adjacency_free(&adjacency);
    return 0;
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

int workload_measure(const struct flux_graph *graph, const struct flux_fabric *fabric, struct workload *workload,
                     struct flux_error *error)
{
    uint32_t vertices = flux_graph_vertices(graph);
    uint64_t *pairs, found = 0;
    struct flux_send send;
    int rc = flux_graph_check(graph, error);

    if (rc)
        return rc;
    memset(workload, 0, sizeof(*workload));
    workload->sends = flux_graph_sends(graph);
    workload->computes = vertices - workload->sends;
    (void)flux_graph_edges(graph, &workload->edges);
    pairs = calloc(workload->sends + 1, sizeof(*pairs));
    if (!pairs || critical_path(graph, fabric, &workload->critical_path)) {
        free(pairs);
        error->code = FLUX_E_MEMORY;
        snprintf(error->text, sizeof(error->text), "out of memory");
        return FLUX_E_MEMORY;
    }
    for (uint32_t v = 0; v < vertices; v++) {
        if (!flux_graph_is_send(graph, v))
            continue;
        flux_graph_get_send(graph, v, &send);
        workload->bytes = send.bytes > UINT64_MAX - workload->bytes ? UINT64_MAX : workload->bytes + send.bytes;
        pairs[found++] = ((uint64_t)send.src << 32) | send.dst;
    }
    qsort(pairs, found, sizeof(*pairs), by_number);
    for (uint64_t i = 0; i < found; i++)
        workload->circuits += i == 0 || pairs[i] != pairs[i - 1];
    free(pairs);
    return 0;
}
