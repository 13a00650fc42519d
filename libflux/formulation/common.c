/* SPDX-License-Identifier: Apache-2.0
 *
 * formulation/common.c - what both formulations have: starts, makespan, switches; equations 1 to 3; initial circuits.
 */
#include "formulation/frame.h"

#include <math.h>

static void add_columns(struct flux_frame *frame)
{
    const struct flux_problem *problem = frame->problem;
    struct flux_builder *builder = &frame->builder;
    for (uint32_t v = 0; v < frame->nodes; v++)
        frame->start_column[v] = flux_builder_column(
            builder, FLUX_COLUMN_CONTINUOUS, flux_frame_value(frame, frame->earliest[v]),
            frame->tight ? flux_frame_value(frame, frame->latest[v]) : (double)INFINITY, 0,
            (struct flux_meaning){FLUX_MEANS_START, v, FLUX_NONE, FLUX_NONE});
    int64_t floor = problem->floor;
    if (frame->tight && frame->options->bound > floor)
        floor = frame->options->bound;
    int64_t least = (floor + frame->unit - 1) / frame->unit;
    if (frame->tight && least > frame->limit)
        least = frame->limit;
    frame->makespan_column =
        flux_builder_column(builder, FLUX_COLUMN_CONTINUOUS, flux_frame_value(frame, least),
                            frame->tight ? flux_frame_value(frame, frame->limit) : (double)INFINITY, 1,
                            (struct flux_meaning){FLUX_MEANS_MAKESPAN, FLUX_NONE, FLUX_NONE, FLUX_NONE});
    for (uint32_t v = 0; v < frame->nodes; v++)
        for (uint32_t k = 0; k < frame->switches; k++) {
            uint32_t column = FLUX_NONE;
            if (flux_problem_is_send(problem, v) && flux_frame_time(frame, v, k) >= 0)
                column = flux_builder_column(builder, FLUX_COLUMN_BINARY, 0, 1, 0,
                                             (struct flux_meaning){FLUX_MEANS_SWITCH, v, FLUX_NONE, k});
            frame->switch_column[flux_frame_at(frame, v, k)] = column;
        }
}

/* Is v's end within the makespan because of something that waits for it? */
static int covered(const struct flux_frame *frame, uint32_t v)
{
    const struct flux_problem *problem = frame->problem;
    for (uint64_t i = problem->out_first[v]; frame->tight && i < problem->out_first[v + 1]; i++) {
        uint32_t w = problem->out[i].node;
        if (problem->out[i].lag + problem->duration[w] + problem->tail[w] >= problem->rest[v])
            return 1;
    }
    return 0;
}

/* Equation 1: C - t_v - p_v >= rest. */
static void add_ends(struct flux_frame *frame)
{
    struct flux_builder *builder = &frame->builder;
    for (uint32_t v = 0; v < frame->nodes; v++) {
        if (covered(frame, v))
            continue;
        flux_builder_entry(builder, frame->makespan_column, 1);
        flux_builder_entry(builder, frame->start_column[v], -1);
        int64_t constant = flux_frame_duration(frame, v, -1, FLUX_NONE);
        flux_builder_row(builder, flux_frame_value(frame, frame->problem->rest[v] / frame->unit - constant),
                         (double)INFINITY, (struct flux_meaning){FLUX_MEANS_END, v, FLUX_NONE, FLUX_NONE});
    }
}

/* Equation 2. */
static void add_assignments(struct flux_frame *frame)
{
    for (uint32_t v = 0; v < frame->nodes; v++) {
        if (!flux_problem_is_send(frame->problem, v))
            continue;
        for (uint32_t k = 0; k < frame->switches; k++)
            if (flux_frame_time(frame, v, k) >= 0)
                flux_builder_entry(&frame->builder, frame->switch_column[flux_frame_at(frame, v, k)], 1);
        flux_builder_row(&frame->builder, 1, 1, (struct flux_meaning){FLUX_MEANS_ASSIGN, v, FLUX_NONE, FLUX_NONE});
    }
}

/* Does w wait as long for u through a third node? */
static int detour(const struct flux_frame *frame, uint32_t u, uint32_t w, int64_t lag)
{
    const struct flux_problem *problem = frame->problem;
    for (uint64_t i = problem->out_first[u]; frame->tight && i < problem->out_first[u + 1]; i++) {
        uint32_t v = problem->out[i].node;
        if (v != w && flux_frame_gap(frame, v, w) >= 0 &&
            problem->out[i].lag / frame->unit + frame->least[v] + flux_frame_gap(frame, v, w) >= lag)
            return 1;
    }
    return 0;
}

/* Equation 3: t_v - t_u - p_u >= c_uv. */
static void add_arcs(struct flux_frame *frame)
{
    const struct flux_problem *problem = frame->problem;
    struct flux_builder *builder = &frame->builder;
    for (uint32_t v = 0; v < frame->nodes; v++)
        for (uint64_t i = problem->in_first[v]; i < problem->in_first[v + 1]; i++) {
            uint32_t u = problem->in[i].node;
            int64_t lag = problem->in[i].lag / frame->unit;
            if (detour(frame, u, v, lag))
                continue;
            flux_builder_entry(builder, frame->start_column[v], 1);
            flux_builder_entry(builder, frame->start_column[u], -1);
            int64_t constant = flux_frame_duration(frame, u, -1, FLUX_NONE);
            flux_builder_row(builder, flux_frame_value(frame, lag - constant), (double)INFINITY,
                             (struct flux_meaning){FLUX_MEANS_PRECEDE, u, v, FLUX_NONE});
        }
}

/* t_v >= delay_k x_vk where another circuit was up. */
static void add_initials(struct flux_frame *frame)
{
    for (uint32_t v = 0; v < frame->nodes; v++)
        for (uint32_t k = 0; k < frame->switches; k++) {
            int64_t wait = frame->wait[flux_frame_at(frame, v, k)];
            if (flux_frame_time(frame, v, k) < 0 || wait <= frame->earliest[v])
                continue;
            flux_builder_entry(&frame->builder, frame->start_column[v], 1);
            flux_builder_entry(&frame->builder, frame->switch_column[flux_frame_at(frame, v, k)],
                               -flux_frame_value(frame, wait - frame->earliest[v]));
            flux_builder_row(&frame->builder, flux_frame_value(frame, frame->earliest[v]), (double)INFINITY,
                             (struct flux_meaning){FLUX_MEANS_INITIAL, v, FLUX_NONE, k});
        }
}

void flux_frame_common(struct flux_frame *frame)
{
    add_columns(frame);
    add_ends(frame);
    add_assignments(frame);
    add_arcs(frame);
    add_initials(frame);
}
