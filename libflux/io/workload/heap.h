/* SPDX-License-Identifier: Apache-2.0
 *
 * io/workload/heap.h - the ready nodes, smallest first: a binary heap in the caller's memory.
 */
#ifndef FLUX_IO_WORKLOAD_HEAP_H
#define FLUX_IO_WORKLOAD_HEAP_H

#include <stdint.h>

/* Smaller ids first, then smaller vertices. */
struct flux_io_ready {
    uint64_t id;
    uint32_t vertex;
    uint32_t reserved;
};

struct flux_io_heap {
    struct flux_io_ready *ready; /* room for all that can be ready at once */
    uint64_t count;
};

static inline int flux_io_ready_less(const struct flux_io_ready *a, const struct flux_io_ready *b)
{
    return a->id != b->id ? a->id < b->id : a->vertex < b->vertex;
}

static inline void flux_io_heap_push(struct flux_io_heap *heap, uint64_t id, uint32_t vertex)
{
    struct flux_io_ready fresh = {id, vertex, 0};
    uint64_t at = heap->count++;
    while (at && flux_io_ready_less(&fresh, &heap->ready[(at - 1) / 2])) {
        heap->ready[at] = heap->ready[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap->ready[at] = fresh;
}

/* The smallest, taken out. The heap is not empty. */
static inline uint32_t flux_io_heap_pop(struct flux_io_heap *heap)
{
    uint32_t vertex = heap->ready[0].vertex;
    struct flux_io_ready last = heap->ready[--heap->count];
    uint64_t at = 0;
    for (uint64_t child = 1; child < heap->count; child = 2 * at + 1) {
        if (child + 1 < heap->count && flux_io_ready_less(&heap->ready[child + 1], &heap->ready[child]))
            child++;
        if (!flux_io_ready_less(&heap->ready[child], &last))
            break;
        heap->ready[at] = heap->ready[child];
        at = child;
    }
    heap->ready[at] = last;
    return vertex;
}

#endif
