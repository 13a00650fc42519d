/* SPDX-License-Identifier: Apache-2.0 */
#include "search/sequence.h"

#include "base/random.h"

#include <libflux/error.h>
#include <string.h>

#define DIGITS 8
#define BUCKETS 256
#define SHORT 48 /* below this an insertion sort is faster than clearing the counters */

struct keyed {
    uint64_t key;
    uint32_t item;
    uint32_t padding;
};

static void insertion_sort(struct keyed *pairs, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        struct keyed moving = pairs[i];
        uint32_t j = i;
        for (; j > 0 && pairs[j - 1].key > moving.key; j--)
            pairs[j] = pairs[j - 1];
        pairs[j] = moving;
    }
}

/* Least significant digit first; digits in which all keys agree are skipped. Returns the buffer with the result. */
static struct keyed *radix_sort(struct keyed *pairs, struct keyed *other, uint32_t count, uint32_t (*counts)[BUCKETS])
{
    memset(counts, 0, DIGITS * sizeof *counts);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t digit = 0; digit < DIGITS; digit++)
            counts[digit][(pairs[i].key >> (8 * digit)) & 0xff]++;
    for (uint32_t digit = 0; digit < DIGITS; digit++) {
        uint32_t *place = counts[digit];
        if (place[(pairs[0].key >> (8 * digit)) & 0xff] == count)
            continue;
        uint32_t sum = 0;
        for (uint32_t b = 0; b < BUCKETS; b++) {
            uint32_t here = place[b];
            place[b] = sum;
            sum += here;
        }
        for (uint32_t i = 0; i < count; i++)
            other[place[(pairs[i].key >> (8 * digit)) & 0xff]++] = pairs[i];
        struct keyed *sorted = other;
        other = pairs;
        pairs = sorted;
    }
    return pairs;
}

int flux_sequence_sort(uint32_t *order, uint32_t count, const int64_t *key, struct flux_arena *scratch)
{
    if (count < 2)
        return FLUX_OK;
    struct keyed *pairs = flux_arena_alloc(scratch, 2 * (uint64_t)count, sizeof *pairs);
    if (!pairs)
        return FLUX_E_MEMORY;
    for (uint32_t i = 0; i < count; i++)
        pairs[i] = (struct keyed){(uint64_t)key[order[i]] ^ (UINT64_C(1) << 63), order[i], 0};
    if (count < SHORT) {
        insertion_sort(pairs, count);
    } else {
        uint32_t(*counts)[BUCKETS] = flux_arena_alloc(scratch, DIGITS, sizeof *counts);
        if (!counts)
            return FLUX_E_MEMORY;
        pairs = radix_sort(pairs, pairs + count, count, counts);
    }
    for (uint32_t i = 0; i < count; i++)
        order[i] = pairs[i].item;
    return FLUX_OK;
}

static void shuffle(uint32_t *order, uint32_t count, uint64_t seed)
{
    struct flux_random random = {seed};
    for (uint32_t i = count; i > 1; i--) {
        uint32_t j = flux_random_below(&random, i);
        uint32_t swap = order[i - 1];
        order[i - 1] = order[j];
        order[j] = swap;
    }
}

static int respects_arcs(const struct flux_problem *problem, const struct flux_direction *direction,
                         const uint32_t *rank)
{
    for (uint32_t v = 0; v < problem->nodes; v++)
        for (uint64_t i = direction->before_first[v]; i < direction->before_first[v + 1]; i++)
            if (rank[direction->before[i].node] > rank[v])
                return 0;
    return 1;
}

static void heap_push(uint32_t *heap, uint32_t *size, uint32_t rank)
{
    uint32_t i = (*size)++;
    for (; i > 0 && heap[(i - 1) / 2] > rank; i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = rank;
}

static uint32_t heap_pop(uint32_t *heap, uint32_t *size)
{
    uint32_t top = heap[0];
    uint32_t last = heap[--*size];
    uint32_t i = 0;
    for (uint32_t child; (child = 2 * i + 1) < *size; i = child) {
        child += child + 1 < *size && heap[child + 1] < heap[child];
        if (heap[child] >= last)
            break;
        heap[i] = heap[child];
    }
    heap[i] = last;
    return top;
}

/* Empties a queue of eligible nodes by rank: `order[rank]` is the node of that rank, and becomes the new order. */
static int respect_arcs(const struct flux_problem *problem, const struct flux_direction *direction,
                        const uint32_t *rank, uint32_t *order, struct flux_arena *scratch)
{
    uint32_t count = problem->nodes;
    uint32_t *heap = flux_arena_alloc(scratch, count, sizeof *heap);
    uint64_t *missing = flux_arena_alloc(scratch, count, sizeof *missing);
    uint32_t *wanted = flux_arena_alloc(scratch, count, sizeof *wanted);
    uint32_t size = 0;
    if (!heap || !missing || !wanted)
        return FLUX_E_MEMORY;
    memcpy(wanted, order, count * sizeof *order);
    for (uint32_t v = 0; v < count; v++) {
        missing[v] = direction->before_first[v + 1] - direction->before_first[v];
        if (!missing[v])
            heap_push(heap, &size, rank[v]);
    }
    for (uint32_t n = 0; size; n++) {
        uint32_t v = wanted[heap_pop(heap, &size)];
        order[n] = v;
        for (uint64_t i = direction->after_first[v]; i < direction->after_first[v + 1]; i++)
            if (!--missing[direction->after[i].node])
                heap_push(heap, &size, rank[direction->after[i].node]);
    }
    return FLUX_OK;
}

int flux_sequence_make(const struct flux_problem *problem, const struct flux_direction *direction,
                       const int64_t *priority, uint64_t seed, uint32_t *order, struct flux_arena *scratch)
{
    uint32_t count = problem->nodes;
    for (uint32_t i = 0; i < count; i++)
        order[i] = direction->mirrored ? count - 1 - i : i;
    if (seed)
        shuffle(order, count, seed);
    int rc = flux_sequence_sort(order, count, priority, scratch);
    if (rc)
        return rc;
    uint32_t *rank = flux_arena_alloc(scratch, count, sizeof *rank);
    if (!rank)
        return FLUX_E_MEMORY;
    for (uint32_t i = 0; i < count; i++)
        rank[order[i]] = i;
    return respects_arcs(problem, direction, rank) ? FLUX_OK : respect_arcs(problem, direction, rank, order, scratch);
}
