/* SPDX-License-Identifier: Apache-2.0
 *
 * formulation/tight.c - the same best schedules as equations 4 and 5, with what time windows and the graph tell: orders
 * that are implied, pairs that cannot share a switch, an M for each row.
 */
#include "formulation/frame.h"

#include <math.h>

/* t_v >= end of u + separation where both are on k, for a pair that the graph orders. v waits for `gap` anyway, so that
 * the difference is all that the two switch columns must bring. */
static void add_fixed(struct flux_frame *frame, uint32_t u, uint32_t v, uint32_t k, int64_t separation, int64_t gap)
{
    struct flux_builder *builder = &frame->builder;
    uint64_t at = flux_frame_at(frame, u, k);
    int64_t more = separation - gap;
    flux_builder_entry(builder, frame->start_column[v], 1);
    flux_builder_entry(builder, frame->start_column[u], -1);
    int64_t constant = flux_frame_duration(frame, u, -1, k);
    /* No send takes no time: with 0 its duration varies, and that on k shares an entry with what k brings. */
    flux_builder_entry(builder, frame->switch_column[at],
                       flux_frame_value(frame, -more - (constant ? 0 : frame->time[at])));
    flux_builder_entry(builder, frame->switch_column[flux_frame_at(frame, v, k)], flux_frame_value(frame, -more));
    flux_builder_row(builder, flux_frame_value(frame, gap - more - constant), (double)INFINITY,
                     (struct flux_meaning){FLUX_MEANS_APART, u, v, k});
}

static void add_either(struct flux_frame *frame, uint32_t u, uint32_t v, uint32_t k)
{
    flux_builder_entry(&frame->builder, frame->switch_column[flux_frame_at(frame, u, k)], 1);
    flux_builder_entry(&frame->builder, frame->switch_column[flux_frame_at(frame, v, k)], 1);
    flux_builder_row(&frame->builder, -(double)INFINITY, 1, (struct flux_meaning){FLUX_MEANS_EITHER, u, v, k});
}

/* u before v on k where `order` has that value (FLUX_NONE: always). */
static void add_order(struct flux_frame *frame, uint32_t u, uint32_t v, uint32_t k, int64_t separation, uint32_t order,
                      uint32_t value)
{
    const struct flux_condition conditions[3] = {{frame->switch_column[flux_frame_at(frame, u, k)], 1},
                                                 {frame->switch_column[flux_frame_at(frame, v, k)], 1},
                                                 {order, value}};
    int64_t units = flux_frame_time(frame, u, k) + separation;
    flux_frame_when(frame, frame->start_column[v], frame->start_column[u], units,
                    units + frame->latest[u] - frame->earliest[v], conditions, order == FLUX_NONE ? 2 : 3,
                    (struct flux_meaning){FLUX_MEANS_APART, u, v, k});
    if (frame->problem->circuit[u] != frame->problem->circuit[v])
        flux_stages_pair(frame, u, v, k, order, value);
}

static int shared(const struct flux_frame *frame, uint32_t u, uint32_t v, uint32_t k)
{
    return flux_frame_time(frame, u, k) >= 0 && flux_frame_time(frame, v, k) >= 0;
}

static void add_fixed_pair(struct flux_frame *frame, uint32_t u, uint32_t v, int excluded)
{
    int64_t gap = flux_frame_gap(frame, u, v);
    for (uint32_t k = 0; k < frame->switches; k++) {
        int64_t separation = flux_frame_separation(frame, u, v, k);
        if (!shared(frame, u, v, k))
            continue;
        if (!flux_frame_possible(frame, u, v, k, separation)) {
            if (!excluded)
                add_either(frame, u, v, k);
            continue;
        }
        if (gap < separation)
            add_fixed(frame, u, v, k, separation, gap);
        if (frame->problem->circuit[u] != frame->problem->circuit[v])
            flux_stages_pair(frame, u, v, k, FLUX_NONE, 0);
    }
}

static int is_copy(const struct flux_frame *frame, uint32_t u, uint32_t v)
{
    while (u != FLUX_NONE && u < v)
        u = frame->copy[u];
    return u == v;
}

static void add_free_pair(struct flux_frame *frame, uint32_t u, uint32_t v, int excluded)
{
    int copies = is_copy(frame, u, v);
    uint32_t order = FLUX_NONE;
    if (frame->copy[u] == v) {
        flux_builder_entry(&frame->builder, frame->start_column[v], 1);
        flux_builder_entry(&frame->builder, frame->start_column[u], -1);
        flux_builder_row(&frame->builder, 0, (double)INFINITY,
                         (struct flux_meaning){FLUX_MEANS_COPIES, u, v, FLUX_NONE});
    }
    for (uint32_t k = 0; k < frame->switches; k++) {
        int64_t separation = flux_frame_separation(frame, u, v, k);
        if (!shared(frame, u, v, k))
            continue;
        int before = flux_frame_possible(frame, u, v, k, separation);
        int after = !copies && flux_frame_possible(frame, v, u, k, separation);
        if (before && after && order == FLUX_NONE)
            order = flux_builder_column(&frame->builder, FLUX_COLUMN_BINARY, 0, 1, 0,
                                        (struct flux_meaning){FLUX_MEANS_ORDER, u, v, FLUX_NONE});
        if (before)
            add_order(frame, u, v, k, separation, after ? order : FLUX_NONE, 1);
        if (after)
            add_order(frame, v, u, k, separation, before ? order : FLUX_NONE, 0);
        if (!before && !after && !excluded)
            add_either(frame, u, v, k);
    }
}

void flux_tight_emit(struct flux_frame *frame)
{
    const struct flux_problem *problem = frame->problem;
    flux_frame_common(frame);
    flux_symmetry_emit(frame);
    flux_stages_columns(frame);
    for (uint32_t u = 0; u < frame->nodes; u++)
        for (uint32_t v = u + 1; v < frame->nodes; v++) {
            if (!flux_problem_is_send(problem, u) || !flux_problem_is_send(problem, v) ||
                flux_frame_separation(frame, u, v, 0) < 0)
                continue;
            int excluded = flux_frame_exclude(frame, u, v);
            if (flux_frame_gap(frame, u, v) >= 0)
                add_fixed_pair(frame, u, v, excluded);
            else
                add_free_pair(frame, u, v, excluded);
        }
    flux_cliques_emit(frame);
    flux_loads_emit(frame);
    flux_stages_emit(frame);
}
