/* SPDX-License-Identifier: Apache-2.0 */
#include "search/read_back.h"

#include "search/construct.h"

#include <libflux/error.h>
#include <stdlib.h>

/* What the sequence says of one kind of send. */
struct planned {
    int64_t duration;
    int64_t head;
    int64_t tail;
    int64_t late; /* start minus head */
};

static int compare(const void *left, const void *right)
{
    const struct planned *a = left, *b = right;
    if (a->duration != b->duration)
        return a->duration < b->duration ? -1 : 1;
    if (a->head != b->head)
        return a->head < b->head ? -1 : 1;
    if (a->tail != b->tail)
        return a->tail > b->tail ? -1 : 1;
    return a->late < b->late ? -1 : a->late > b->late;
}

/* The last planned send of the same duration that is not after `wanted`; NULL where there is none. */
static const struct planned *before(const struct planned *planned, uint32_t count, const struct planned *wanted)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare(&planned[middle], wanted) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low && planned[low - 1].duration == wanted->duration ? &planned[low - 1] : NULL;
}

int flux_read_back(const struct flux_problem *problem, const struct flux_port_sequence *sequence,
                   struct flux_plan *plan)
{
    struct flux_arena scratch;
    flux_arena_init(&scratch, problem->arena.memory);
    struct planned *planned = flux_arena_alloc(&scratch, sequence->count, sizeof *planned);
    int64_t *priority = flux_arena_alloc(&scratch, problem->nodes, sizeof *priority);
    int rc = planned && priority ? FLUX_OK : FLUX_E_MEMORY;
    for (uint32_t i = 0; i < sequence->count && !rc; i++) {
        uint32_t node = sequence->node[i];
        planned[i] = (struct planned){problem->duration[node], problem->head[node], problem->tail[node],
                                      sequence->start[i] - problem->head[node]};
    }
    if (!rc)
        qsort(planned, sequence->count, sizeof *planned, compare);
    for (uint32_t node = 0; node < problem->nodes && !rc; node++) {
        struct planned wanted = {problem->duration[node], problem->head[node], problem->tail[node], INT64_MAX};
        const struct planned *last = before(planned, sequence->count, &wanted);
        priority[node] = problem->head[node] + (last ? last->late : 0);
    }
    if (!rc)
        rc = flux_construct_by_priority(problem, priority, plan);
    flux_arena_free(&scratch);
    return rc;
}
