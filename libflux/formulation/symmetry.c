/* SPDX-License-Identifier: Apache-2.0
 *
 * formulation/symmetry.c - switches that are the same in everything may change names. Sends of the busiest GPU, in a
 * fixed sequence, take alike switches in turn: the first of them the first switch, and any of them the next switch only
 * after one before it took the one before that.
 */
#include "formulation/frame.h"

#include <math.h>

/* Rows beyond the first few sends cut little. */
#define SEQUENCE_MAX 16u

static int same_switch(const struct flux_frame *frame, uint32_t j, uint32_t k)
{
    const struct flux_problem *problem = frame->problem;
    if (frame->delay[j] != frame->delay[k] || frame->dwell[j] != frame->dwell[k] ||
        problem->blocking[j] != problem->blocking[k])
        return 0;
    for (uint32_t v = 0; v < frame->nodes; v++)
        if (flux_frame_time(frame, v, j) != flux_frame_time(frame, v, k) ||
            frame->stale[flux_frame_at(frame, v, j)] != frame->stale[flux_frame_at(frame, v, k)])
            return 0;
    return 1;
}

static void find_alike(struct flux_frame *frame)
{
    for (uint32_t k = 0; k < frame->switches; k++) {
        frame->alike[k] = FLUX_NONE;
        frame->position[k] = 0;
        for (uint32_t j = k; j-- > 0;)
            if (same_switch(frame, j, k)) {
                frame->alike[k] = j;
                frame->position[k] = frame->position[j] + 1;
                break;
            }
    }
}

/* The sends of the GPU that is busy longest, by earliest start. */
static void choose_sequence(struct flux_frame *frame)
{
    const struct flux_problem *problem = frame->problem;
    uint32_t busiest = 0;
    int64_t most = -1;
    for (uint32_t g = 0; g < problem->gpus; g++) {
        int64_t load = 0;
        for (uint64_t i = problem->touch_first[g]; i < problem->touch_first[g + 1]; i++)
            load += frame->least[problem->touch[i]];
        if (load > most) {
            most = load;
            busiest = g;
        }
    }
    frame->sequence_count = 0;
    for (uint64_t i = problem->touch_first[busiest]; i < problem->touch_first[busiest + 1]; i++) {
        uint32_t v = problem->touch[i];
        uint32_t at = frame->sequence_count;
        if (at == SEQUENCE_MAX && frame->earliest[frame->sequence[at - 1]] <= frame->earliest[v])
            continue;
        at -= at == SEQUENCE_MAX;
        for (; at > 0 && frame->earliest[frame->sequence[at - 1]] > frame->earliest[v]; at--)
            frame->sequence[at] = frame->sequence[at - 1];
        frame->sequence[at] = v;
        frame->sequence_count += frame->sequence_count < SEQUENCE_MAX;
    }
}

int flux_symmetry_open(struct flux_frame *frame)
{
    frame->alike = flux_arena_alloc(frame->arena, frame->switches, sizeof *frame->alike);
    frame->position = flux_arena_alloc(frame->arena, frame->switches, sizeof *frame->position);
    frame->sequence = flux_arena_alloc(frame->arena, SEQUENCE_MAX, sizeof *frame->sequence);
    if (!frame->alike || !frame->position || !frame->sequence)
        return FLUX_E_MEMORY;
    find_alike(frame);
    choose_sequence(frame);
    for (uint32_t i = 0; i < frame->sequence_count; i++)
        for (uint32_t k = 0; k < frame->switches; k++)
            if (frame->position[k] > i)
                frame->time[flux_frame_at(frame, frame->sequence[i], k)] = -1;
    return FLUX_OK;
}

void flux_symmetry_emit(struct flux_frame *frame)
{
    struct flux_builder *builder = &frame->builder;
    for (uint32_t i = 1; i < frame->sequence_count; i++)
        for (uint32_t k = 0; k < frame->switches; k++) {
            uint32_t v = frame->sequence[i];
            if (!frame->position[k] || flux_frame_time(frame, v, k) < 0)
                continue;
            flux_builder_entry(builder, frame->switch_column[flux_frame_at(frame, v, k)], 1);
            for (uint32_t h = 0; h < i; h++)
                if (flux_frame_time(frame, frame->sequence[h], frame->alike[k]) >= 0)
                    flux_builder_entry(
                        builder, frame->switch_column[flux_frame_at(frame, frame->sequence[h], frame->alike[k])], -1);
            flux_builder_row(builder, -(double)INFINITY, 0,
                             (struct flux_meaning){FLUX_MEANS_SYMMETRY, v, FLUX_NONE, k});
        }
}
