/* SPDX-License-Identifier: Apache-2.0
 *
 * formulation/paper.c - equations 4 and 5 as printed: one M for all, a row for every switch, a sequencing variable for
 * every pair that competes and that the graph leaves open.
 */
#include "formulation/frame.h"

static void add_pair_on(struct flux_frame *frame, uint32_t u, uint32_t v, uint32_t k, uint32_t order)
{
    const struct flux_problem *problem = frame->problem;
    uint32_t x_u = frame->switch_column[flux_frame_at(frame, u, k)];
    uint32_t x_v = frame->switch_column[flux_frame_at(frame, v, k)];
    int64_t separation = flux_frame_separation(frame, u, v, k);
    int changes = problem->circuit[u] != problem->circuit[v];
    struct flux_condition conditions[3] = {{x_u, 1}, {x_v, 1}, {order, 1}};
    uint32_t count = order == FLUX_NONE ? 2 : 3;
    flux_frame_when(frame, frame->start_column[v], frame->start_column[u], flux_frame_time(frame, u, k) + separation,
                    0, conditions, count, (struct flux_meaning){FLUX_MEANS_APART, u, v, k});
    if (changes)
        flux_stages_pair(frame, u, v, k, order, 1);
    if (order == FLUX_NONE)
        return;
    conditions[2].value = 0;
    flux_frame_when(frame, frame->start_column[u], frame->start_column[v], flux_frame_time(frame, v, k) + separation,
                    0, conditions, count, (struct flux_meaning){FLUX_MEANS_APART, v, u, k});
    if (changes)
        flux_stages_pair(frame, v, u, k, order, 0);
}

static void add_pair(struct flux_frame *frame, uint32_t u, uint32_t v)
{
    uint32_t order = FLUX_NONE;
    if (flux_frame_gap(frame, u, v) < 0)
        order = flux_builder_column(&frame->builder, FLUX_COLUMN_BINARY, 0, 1, 0,
                                    (struct flux_meaning){FLUX_MEANS_ORDER, u, v, FLUX_NONE});
    for (uint32_t k = 0; k < frame->switches; k++)
        if (flux_frame_time(frame, u, k) >= 0 && flux_frame_time(frame, v, k) >= 0)
            add_pair_on(frame, u, v, k, order);
}

void flux_paper_emit(struct flux_frame *frame)
{
    const struct flux_problem *problem = frame->problem;
    flux_frame_common(frame);
    flux_stages_columns(frame);
    for (uint32_t u = 0; u < frame->nodes; u++)
        for (uint32_t v = u + 1; v < frame->nodes; v++)
            if (flux_problem_is_send(problem, u) && flux_problem_is_send(problem, v) &&
                flux_frame_separation(frame, u, v, 0) >= 0)
                add_pair(frame, u, v);
    flux_stages_emit(frame);
}
