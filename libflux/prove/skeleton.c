/* SPDX-License-Identifier: Apache-2.0 */
#include "prove/skeleton.h"

#include <libflux/error.h>
#include <stdlib.h>
#include <string.h>

struct bone {
    int64_t head;
    int64_t tail;
    uint32_t circuit;
    uint32_t src;
    uint32_t node;
    uint32_t padding;
};

/* By circuit and direction; in each the last head first, so that what comes later is inside only by a longer tail. */
static int compare(const void *left, const void *right)
{
    const struct bone *a = left, *b = right;
    if (a->circuit != b->circuit)
        return a->circuit < b->circuit ? -1 : 1;
    if (a->src != b->src)
        return a->src < b->src ? -1 : 1;
    if (a->head != b->head)
        return a->head > b->head ? -1 : 1;
    if (a->tail != b->tail)
        return a->tail > b->tail ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

static int is_same_way(const struct bone *a, const struct bone *b)
{
    return a->circuit == b->circuit && a->src == b->src;
}

/* Keeps those whose windows hold no other's, in place; how many. */
static uint32_t thin(struct bone *bones, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (kept == 0 || !is_same_way(&bones[kept - 1], &bones[i]) || bones[i].tail > bones[kept - 1].tail)
            bones[kept++] = bones[i];
    return kept;
}

/* There and back. */
static int64_t time_away(const struct flux_problem *problem)
{
    int64_t delay = problem->delay[0];
    for (uint32_t k = 1; k < problem->switches; k++)
        delay = problem->delay[k] < delay ? problem->delay[k] : delay;
    return delay < INT64_MAX / 2 ? 2 * delay : INT64_MAX;
}

int flux_skeleton_mark(const struct flux_problem *problem, struct flux_arena *scratch, uint8_t *inside)
{
    struct bone *bones = flux_arena_alloc(scratch, problem->sends, sizeof *bones);
    uint32_t count = 0;
    int64_t away = time_away(problem);
    if (!bones)
        return FLUX_E_MEMORY;
    memset(inside, 0, problem->nodes);
    for (uint32_t v = 0; v < problem->nodes; v++)
        if (flux_problem_is_send(problem, v))
            bones[count++] =
                (struct bone){problem->head[v], problem->tail[v], problem->circuit[v], problem->src[v], v, 0};
    qsort(bones, count, sizeof *bones, compare);
    count = thin(bones, count);
    for (uint32_t i = count, end; i > 0; i = end) {
        const struct bone *first = &bones[i - 1];
        for (end = i - 1; end > 0 && is_same_way(&bones[end - 1], first) && bones[end - 1].head - first->head < away;)
            end--;
        inside[first->node] = inside[bones[end].node] = 1;
    }
    return FLUX_OK;
}
