/* SPDX-License-Identifier: Apache-2.0
 *
 * formulation/cliques.c - sets of sends of which no two can be on one switch within the limit: at most one of them on
 * each. Every such pair is in a set; sets grow greedily.
 */
#include "formulation/frame.h"

#include <math.h>
#include <string.h>

#define CLIQUE_MAX 64u

int flux_cliques_open(struct flux_frame *frame)
{
    frame->marked = flux_arena_alloc(frame->arena, (uint64_t)frame->nodes * frame->nodes, sizeof *frame->marked);
    frame->family = flux_arena_alloc(frame->arena, frame->nodes, sizeof *frame->family);
    return frame->marked && frame->family ? FLUX_OK : FLUX_E_MEMORY;
}

static int excludes_all(const struct flux_frame *frame, const uint32_t *clique, uint32_t count, uint32_t w)
{
    for (uint32_t i = 0; i < count; i++)
        if (clique[i] == w || flux_frame_separation(frame, clique[i], w, 0) < 0 ||
            !flux_frame_exclude(frame, clique[i], w))
            return 0;
    return 1;
}

static uint32_t grow(const struct flux_frame *frame, uint32_t *clique, uint32_t count, uint32_t gpu)
{
    const struct flux_problem *problem = frame->problem;
    for (uint64_t i = problem->touch_first[gpu]; i < problem->touch_first[gpu + 1] && count < CLIQUE_MAX; i++)
        if (excludes_all(frame, clique, count, problem->touch[i]))
            clique[count++] = problem->touch[i];
    return count;
}

static void add_clique(struct flux_frame *frame, uint32_t u, uint32_t v)
{
    const struct flux_problem *problem = frame->problem;
    uint32_t clique[CLIQUE_MAX] = {u, v};
    uint32_t count = grow(frame, clique, 2, problem->src[u]);
    count = grow(frame, clique, count, problem->dst[u]);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++)
            frame->marked[(uint64_t)clique[i] * frame->nodes + clique[j]] = 1;
    for (uint32_t k = 0; k < frame->switches; k++) {
        uint32_t members = 0;
        for (uint32_t i = 0; i < count; i++)
            members += flux_frame_time(frame, clique[i], k) >= 0;
        if (members < 2)
            continue;
        for (uint32_t i = 0; i < count; i++)
            if (flux_frame_time(frame, clique[i], k) >= 0)
                flux_builder_entry(&frame->builder, frame->switch_column[flux_frame_at(frame, clique[i], k)], 1);
        flux_builder_row(&frame->builder, -(double)INFINITY, 1, (struct flux_meaning){FLUX_MEANS_EITHER, u, v, k});
    }
}

void flux_cliques_emit(struct flux_frame *frame)
{
    const struct flux_problem *problem = frame->problem;
    memset(frame->marked, 0, (size_t)frame->nodes * frame->nodes);
    for (uint32_t u = 0; u < frame->nodes; u++)
        for (uint32_t v = u + 1; v < frame->nodes; v++)
            if (flux_problem_is_send(problem, u) && flux_problem_is_send(problem, v) &&
                !frame->marked[(uint64_t)u * frame->nodes + v] && flux_frame_separation(frame, u, v, 0) >= 0 &&
                flux_frame_exclude(frame, u, v))
                add_clique(frame, u, v);
}
