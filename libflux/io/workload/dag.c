/* SPDX-License-Identifier: Apache-2.0 */
#include "io/workload/dag.h"

#include "io/workload/heap.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The other direction: children[first[v]] .. children[first[v + 1] - 1] wait for v. */
static void turn(const struct flux_io_dag *dag, uint64_t *first, uint32_t *children)
{
    memset(first, 0, ((size_t)dag->count + 2) * sizeof *first);
    for (uint64_t e = 0; e < dag->first[dag->count]; e++)
        first[(uint64_t)dag->parents[e] + 2]++;
    for (uint64_t v = 2; v < (uint64_t)dag->count + 2; v++)
        first[v] += first[v - 1];
    for (uint32_t v = 0; v < dag->count; v++)
        for (uint64_t e = dag->first[v]; e < dag->first[v + 1]; e++)
            children[first[(uint64_t)dag->parents[e] + 1]++] = v; /* first[p + 1] ends as the end of p's children */
}

static uint64_t id_of(const uint64_t *ids, uint64_t stride, uint32_t vertex)
{
    uint64_t id;
    memcpy(&id, (const char *)ids + stride * vertex, sizeof id);
    return id;
}

int flux_io_dag_order(const struct flux_io_memory *memory, const struct flux_io_dag *dag, const uint64_t *ids,
                      uint64_t stride, uint32_t *order, uint32_t *done)
{
    uint64_t edges = dag->first[dag->count];
    uint64_t *first = flux_io_alloc(memory, (uint64_t)dag->count + 2, sizeof *first);
    uint32_t *children = flux_io_alloc(memory, edges, sizeof *children);
    uint64_t *waits = flux_io_alloc(memory, dag->count, sizeof *waits);
    struct flux_io_heap heap = {flux_io_alloc(memory, dag->count, sizeof *heap.ready), 0};
    int rc = first && children && waits && heap.ready ? FLUX_OK : FLUX_E_MEMORY;
    *done = 0;
    if (!rc) {
        turn(dag, first, children);
        for (uint32_t v = 0; v < dag->count; v++) {
            waits[v] = dag->first[v + 1] - dag->first[v];
            if (!waits[v])
                flux_io_heap_push(&heap, id_of(ids, stride, v), v);
        }
        while (heap.count) {
            uint32_t v = flux_io_heap_pop(&heap);
            order[(*done)++] = v;
            for (uint64_t e = first[v]; e < first[v + 1]; e++)
                if (--waits[children[e]] == 0)
                    flux_io_heap_push(&heap, id_of(ids, stride, children[e]), children[e]);
        }
    }
    flux_io_release(memory, first, (uint64_t)dag->count + 2, sizeof *first);
    flux_io_release(memory, children, edges, sizeof *children);
    flux_io_release(memory, waits, dag->count, sizeof *waits);
    flux_io_release(memory, heap.ready, dag->count, sizeof *heap.ready);
    return rc;
}

/* A vertex that is on a cycle: going to some parent that is kept back, again and again, must come round. */
static uint32_t find_on_cycle(const struct flux_io_dag *dag, const uint32_t *back, uint32_t *seen)
{
    uint32_t at = 0;
    while (!back[at])
        at++;
    while (!seen[at]) {
        seen[at] = 1;
        uint64_t e = dag->first[at];
        while (!back[dag->parents[e]])
            e++;
        at = dag->parents[e];
    }
    return at;
}

/* Breadth first from `start` along parents until it is met again. child[v] - 1 is from where v was reached. */
static void shortest_round(const struct flux_io_dag *dag, const uint32_t *back, uint32_t start, uint32_t *child,
                           uint32_t *queue, uint32_t *cycle, uint32_t *length)
{
    uint64_t head = 0;
    uint64_t tail = 0;
    queue[tail++] = start;
    while (!child[start]) {
        uint32_t v = queue[head++];
        for (uint64_t e = dag->first[v]; e < dag->first[v + 1]; e++) {
            uint32_t parent = dag->parents[e];
            if (!back[parent] || child[parent])
                continue;
            child[parent] = v + 1;
            queue[tail++] = parent;
        }
    }
    uint32_t count = 0;
    uint32_t v = start;
    do {
        cycle[count++] = v;
        v = child[v] - 1;
    } while (v != start);
    for (uint32_t i = 1, j = count - 1; i < j; i++, j--) { /* found from parent to child; told the other way */
        uint32_t swap = cycle[i];
        cycle[i] = cycle[j];
        cycle[j] = swap;
    }
    *length = count;
}

int flux_io_dag_cycle(const struct flux_io_memory *memory, const struct flux_io_dag *dag, const uint32_t *order,
                      uint32_t done, uint32_t *cycle, uint32_t *length)
{
    uint32_t *back = flux_io_alloc_zero(memory, dag->count, sizeof *back);
    uint32_t *child = flux_io_alloc_zero(memory, dag->count, sizeof *child);
    uint32_t *queue = flux_io_alloc(memory, (uint64_t)dag->count + 1, sizeof *queue); /* the start comes twice */
    int rc = back && child && queue ? FLUX_OK : FLUX_E_MEMORY;
    *length = 0;
    if (!rc) {
        for (uint32_t v = 0; v < dag->count; v++)
            back[v] = 1;
        for (uint32_t i = 0; i < done; i++)
            back[order[i]] = 0;
        uint32_t start = find_on_cycle(dag, back, child);
        memset(child, 0, (size_t)dag->count * sizeof *child);
        shortest_round(dag, back, start, child, queue, cycle, length);
    }
    flux_io_release(memory, back, dag->count, sizeof *back);
    flux_io_release(memory, child, dag->count, sizeof *child);
    flux_io_release(memory, queue, (uint64_t)dag->count + 1, sizeof *queue);
    return rc;
}

#define CYCLE_SHOWN 4u

char *flux_io_dag_cycle_text(const uint32_t *cycle, uint32_t length,
                             char *(*name)(const void *context, uint32_t vertex, char *room), const void *context,
                             char *text)
{
    char room[FLUX_IO_NODE_TEXT];
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i <= length && used < FLUX_IO_CYCLE_TEXT - 1; i++) {
        int wrote;
        if (length > CYCLE_SHOWN + 1 && i == CYCLE_SHOWN - 1) { /* the last is always told */
            wrote = snprintf(text + used, FLUX_IO_CYCLE_TEXT - used, ", ... (%" PRIu32 " in all)", length);
            i = length - 2;
        } else {
            const char *link = i == 0 ? "" : i == 1 ? " waits for " : ", which waits for ";
            wrote =
                snprintf(text + used, FLUX_IO_CYCLE_TEXT - used, "%s%s", link, name(context, cycle[i % length], room));
        }
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    return text;
}
