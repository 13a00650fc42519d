/* SPDX-License-Identifier: Apache-2.0 */
#include "ideal.h"

#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

static int64_t duration_of(const struct flux_graph *graph, uint32_t vertex, uint64_t rate)
{
    struct flux_send send;
    struct flux_compute compute;
    if (flux_graph_get_compute(graph, vertex, &compute) == 0)
        return compute.duration;
    flux_graph_get_send(graph, vertex, &send);
    return send.duration ? send.duration : (int64_t)(((wide)send.bytes * 8000000000000u + rate - 1) / rate);
}

static void make_children(struct ideal *ideal, uint64_t *waits)
{
    uint64_t edges;
    const struct flux_edge *edge = flux_graph_edges(ideal->graph, &edges);
    uint64_t *at = calloc(ideal->count + 1, sizeof *at);
    for (uint64_t e = 0; e < edges; e++)
        ideal->first[edge[e].from + 1]++;
    for (uint32_t v = 0; v < ideal->count; v++)
        ideal->first[v + 1] += ideal->first[v];
    memcpy(at, ideal->first, ideal->count * sizeof *at);
    for (uint64_t e = 0; e < edges; e++) {
        ideal->child[at[edge[e].from]] = edge[e].to;
        ideal->lag[at[edge[e].from]++] = edge[e].lag;
        waits[edge[e].to]++;
    }
    free(at);
}

int ideal_run(struct ideal *ideal, const struct flux_graph *graph, uint64_t rate)
{
    uint64_t edges;
    uint32_t count = flux_graph_vertices(graph);
    flux_graph_edges(graph, &edges);
    memset(ideal, 0, sizeof *ideal);
    ideal->graph = graph;
    ideal->count = count;
    ideal->order = calloc(count + 1, sizeof *ideal->order);
    ideal->first = calloc(count + 2, sizeof *ideal->first);
    ideal->child = calloc(edges + 1, sizeof *ideal->child);
    ideal->lag = calloc(edges + 1, sizeof *ideal->lag);
    ideal->start = calloc(count + 1, sizeof *ideal->start);
    ideal->end = calloc(count + 1, sizeof *ideal->end);
    ideal->after_send = calloc(count + 1, 1);
    uint64_t *waits = calloc(count + 1, sizeof *waits);
    make_children(ideal, waits);
    uint32_t done = 0;
    for (uint32_t v = 0; v < count; v++)
        if (!waits[v])
            ideal->order[done++] = v;
    for (uint32_t i = 0; i < done; i++) {
        uint32_t v = ideal->order[i];
        ideal->end[v] = ideal->start[v] + duration_of(graph, v, rate);
        if (ideal->end[v] > ideal->makespan)
            ideal->makespan = ideal->end[v];
        for (uint64_t e = ideal->first[v]; e < ideal->first[v + 1]; e++) {
            uint32_t to = ideal->child[e];
            if (ideal->start[to] < ideal->end[v] + ideal->lag[e])
                ideal->start[to] = ideal->end[v] + ideal->lag[e];
            ideal->after_send[to] |= (uint8_t)(ideal->after_send[v] || flux_graph_is_send(graph, v));
            if (--waits[to] == 0)
                ideal->order[done++] = to;
        }
    }
    free(waits);
    return done == count ? 0 : -1;
}

void ideal_free(struct ideal *ideal)
{
    free(ideal->order);
    free(ideal->first);
    free(ideal->child);
    free(ideal->lag);
    free(ideal->start);
    free(ideal->end);
    free(ideal->after_send);
}

int64_t ideal_release(const struct ideal *ideal)
{
    int64_t latest = -1;
    for (uint32_t v = 0; v < ideal->count; v++)
        if (flux_graph_is_send(ideal->graph, v) && !ideal->after_send[v] && ideal->start[v] > latest)
            latest = ideal->start[v];
    return latest;
}

uint64_t ideal_contracted_edges(const struct ideal *ideal)
{
    uint32_t *seen = calloc(ideal->count + 1, sizeof *seen); /* the send + 1 that reached it last */
    uint32_t *stack = calloc(ideal->count + 1, sizeof *stack);
    uint64_t pairs = 0;
    for (uint32_t u = 0; u < ideal->count; u++) {
        uint32_t top = 0;
        if (!flux_graph_is_send(ideal->graph, u))
            continue;
        stack[top++] = u;
        while (top) {
            uint32_t v = stack[--top];
            for (uint64_t e = ideal->first[v]; e < ideal->first[v + 1]; e++) {
                uint32_t to = ideal->child[e];
                if (seen[to] == u + 1)
                    continue;
                seen[to] = u + 1;
                if (flux_graph_is_send(ideal->graph, to))
                    pairs++;
                else
                    stack[top++] = to;
            }
        }
    }
    free(seen);
    free(stack);
    return pairs;
}

static int compare_pairs(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

uint64_t ideal_circuits(const struct ideal *ideal)
{
    uint64_t *pairs = calloc(ideal->count + 1, sizeof *pairs);
    uint64_t count = 0;
    uint64_t distinct = 0;
    for (uint32_t v = 0; v < ideal->count; v++) {
        struct flux_send send;
        if (flux_graph_get_send(ideal->graph, v, &send) == 0)
            pairs[count++] = (uint64_t)send.src << 32 | send.dst;
    }
    qsort(pairs, count, sizeof *pairs, compare_pairs);
    for (uint64_t i = 0; i < count; i++)
        distinct += i == 0 || pairs[i] != pairs[i - 1];
    free(pairs);
    return distinct;
}

int64_t ideal_mean_compute(const struct ideal *ideal)
{
    int64_t sum = 0;
    for (uint32_t v = 0; v < ideal->count; v++) {
        struct flux_compute compute;
        if (flux_graph_get_compute(ideal->graph, v, &compute) == 0)
            sum += compute.duration;
    }
    return sum / flux_graph_gpus(ideal->graph);
}
