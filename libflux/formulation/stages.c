/* SPDX-License-Identifier: Apache-2.0
 *
 * formulation/stages.c - switches that stop as a whole or have a dwell: when each change begins.
 *
 * Send w that follows another circuit on its switch has a change that begins at c_w, after the ends of all competing
 * sends of other circuits before it, and is over at its start. It is one change for a run of sends of w's circuit: they
 * all may name the same moment. So only sends with another circuit before them have one, told by g_w.
 */
#include "formulation/frame.h"

#include <math.h>

/* The last moment at which a change for w can begin. */
static int64_t latest_moment(const struct flux_frame *frame, uint32_t w)
{
    int64_t latest = 0;
    if (!frame->tight)
        return frame->horizon;
    for (uint32_t k = 0; k < frame->switches; k++)
        if (flux_frame_time(frame, w, k) >= 0 && flux_frame_staged(frame, k)) {
            int64_t moment = flux_frame_latest(frame, w, k) - frame->delay[k];
            latest = moment > latest ? moment : latest;
        }
    return latest;
}

static int may_change_on(const struct flux_frame *frame, uint32_t w, uint32_t k)
{
    const struct flux_problem *problem = frame->problem;
    if (frame->stale[flux_frame_at(frame, w, k)])
        return 1;
    for (uint32_t u = 0; u < frame->nodes; u++) {
        if (u == w || !flux_problem_is_send(problem, u) || flux_frame_time(frame, u, k) < 0 ||
            problem->circuit[u] == problem->circuit[w])
            continue;
        int64_t separation = flux_frame_separation(frame, u, w, k);
        if (separation >= 0 && flux_frame_possible(frame, u, w, k, separation))
            return 1;
    }
    return 0;
}

void flux_stages_columns(struct flux_frame *frame)
{
    for (uint32_t w = 0; w < frame->nodes; w++) {
        frame->moment_column[w] = frame->change_column[w] = FLUX_NONE;
        if (!frame->problem->staged || !flux_problem_is_send(frame->problem, w))
            continue;
        int may = 0;
        for (uint32_t k = 0; k < frame->switches && !may; k++)
            may = flux_frame_time(frame, w, k) >= 0 && flux_frame_staged(frame, k) && may_change_on(frame, w, k);
        if (!may)
            continue;
        double upper = frame->tight ? flux_frame_value(frame, latest_moment(frame, w)) : (double)INFINITY;
        frame->moment_column[w] =
            flux_builder_column(&frame->builder, FLUX_COLUMN_CONTINUOUS, 0, upper, 0,
                                (struct flux_meaning){FLUX_MEANS_MOMENT, w, FLUX_NONE, FLUX_NONE});
        frame->change_column[w] = flux_builder_column(
            &frame->builder, FLUX_COLUMN_BINARY, 0, 1, 0, (struct flux_meaning){FLUX_MEANS_CHANGES, w, FLUX_NONE, FLUX_NONE});
    }
}

void flux_stages_pair(struct flux_frame *frame, uint32_t u, uint32_t v, uint32_t k, uint32_t order, uint32_t value)
{
    struct flux_builder *builder = &frame->builder;
    uint32_t x_u = frame->switch_column[flux_frame_at(frame, u, k)];
    uint32_t x_v = frame->switch_column[flux_frame_at(frame, v, k)];
    const struct flux_condition conditions[3] = {{x_u, 1}, {x_v, 1}, {order, value}};
    uint32_t count = order == FLUX_NONE ? 2 : 3;
    if (!flux_frame_staged(frame, k) || frame->moment_column[v] == FLUX_NONE)
        return;
    flux_builder_entry(builder, frame->change_column[v], 1);
    int least = 1;
    for (uint32_t i = 0; i < count; i++) {
        flux_builder_entry(builder, conditions[i].column, conditions[i].value ? -1 : 1);
        least -= conditions[i].value ? 1 : 0;
    }
    flux_builder_row(builder, least, (double)INFINITY, (struct flux_meaning){FLUX_MEANS_NEEDS, u, v, k});
    int64_t time = flux_frame_time(frame, u, k);
    flux_frame_when(frame, frame->moment_column[v], frame->start_column[u], time, time + frame->latest[u], conditions,
                    count, (struct flux_meaning){FLUX_MEANS_AFTER, u, v, k});
}

static void add_ready(struct flux_frame *frame, uint32_t w)
{
    for (uint32_t k = 0; k < frame->switches; k++) {
        if (flux_frame_time(frame, w, k) < 0 || !flux_frame_staged(frame, k))
            continue;
        uint32_t x_w = frame->switch_column[flux_frame_at(frame, w, k)];
        const struct flux_condition conditions[2] = {{frame->change_column[w], 1}, {x_w, 1}};
        if (frame->stale[flux_frame_at(frame, w, k)]) {
            flux_builder_entry(&frame->builder, frame->change_column[w], 1);
            flux_builder_entry(&frame->builder, x_w, -1);
            flux_builder_row(&frame->builder, 0, (double)INFINITY,
                             (struct flux_meaning){FLUX_MEANS_NEEDS, FLUX_NONE, w, k});
        }
        flux_frame_when(frame, frame->start_column[w], frame->moment_column[w], frame->delay[k],
                        frame->delay[k] + latest_moment(frame, w) - frame->earliest[w], conditions, 2,
                        (struct flux_meaning){FLUX_MEANS_READY, w, FLUX_NONE, k});
    }
}

/* Nothing of z on k while the change of w stops it. Competing sends of other circuits are out of the way anyway, and so
 * is everything that waits for w. */
static void add_idle(struct flux_frame *frame, uint32_t w, uint32_t z)
{
    const struct flux_problem *problem = frame->problem;
    uint32_t ended = FLUX_NONE;
    if (flux_frame_gap(frame, w, z) >= 0 ||
        (problem->circuit[w] != problem->circuit[z] && flux_frame_separation(frame, w, z, 0) >= 0))
        return;
    for (uint32_t k = 0; k < frame->switches; k++) {
        int64_t time = flux_frame_time(frame, z, k);
        if (problem->blocking[k] != FLUX_BLOCKING_SWITCH || time < 0 || flux_frame_time(frame, w, k) < 0)
            continue;
        if (ended == FLUX_NONE)
            ended = flux_builder_column(&frame->builder, FLUX_COLUMN_BINARY, 0, 1, 0,
                                        (struct flux_meaning){FLUX_MEANS_ENDED, w, z, FLUX_NONE});
        struct flux_condition conditions[4] = {{frame->change_column[w], 1},
                                               {frame->switch_column[flux_frame_at(frame, w, k)], 1},
                                               {frame->switch_column[flux_frame_at(frame, z, k)], 1},
                                               {ended, 1}};
        struct flux_meaning meaning = {FLUX_MEANS_IDLE, w, z, k};
        flux_frame_when(frame, frame->moment_column[w], frame->start_column[z], time, time + frame->latest[z],
                        conditions, 4, meaning);
        conditions[3].value = 0;
        flux_frame_when(frame, frame->start_column[z], frame->moment_column[w], frame->delay[k],
                        frame->delay[k] + latest_moment(frame, w) - frame->earliest[z], conditions, 4, meaning);
    }
}

/* The changes of v and w on one switch begin together, or one of them a dwell before the other. */
static void add_dwell(struct flux_frame *frame, uint32_t v, uint32_t w)
{
    uint32_t sooner[2] = {FLUX_NONE, FLUX_NONE};
    const uint32_t moment[2] = {frame->moment_column[v], frame->moment_column[w]};
    const int64_t latest[2] = {latest_moment(frame, v), latest_moment(frame, w)};
    for (uint32_t k = 0; k < frame->switches; k++) {
        struct flux_meaning meaning = {FLUX_MEANS_DWELL, v, w, k};
        if (!frame->dwell[k] || flux_frame_time(frame, v, k) < 0 || flux_frame_time(frame, w, k) < 0)
            continue;
        if (sooner[0] == FLUX_NONE) {
            for (uint32_t i = 0; i < 2; i++)
                sooner[i] = flux_builder_column(
                    &frame->builder, FLUX_COLUMN_BINARY, 0, 1, 0,
                    (struct flux_meaning){FLUX_MEANS_SOONER, i ? w : v, i ? v : w, FLUX_NONE});
            flux_builder_entry(&frame->builder, sooner[0], 1);
            flux_builder_entry(&frame->builder, sooner[1], 1);
            flux_builder_row(&frame->builder, -(double)INFINITY, 1, meaning);
        }
        struct flux_condition conditions[6] = {{frame->change_column[v], 1},
                                               {frame->change_column[w], 1},
                                               {frame->switch_column[flux_frame_at(frame, v, k)], 1},
                                               {frame->switch_column[flux_frame_at(frame, w, k)], 1}};
        for (uint32_t i = 0; i < 2; i++) {
            conditions[4] = (struct flux_condition){sooner[i], 1};
            flux_frame_when(frame, moment[1 - i], moment[i], frame->dwell[k], frame->dwell[k] + latest[i], conditions, 5,
                            meaning);
        }
        conditions[4] = (struct flux_condition){sooner[0], 0};
        conditions[5] = (struct flux_condition){sooner[1], 0};
        for (uint32_t i = 0; i < 2; i++)
            flux_frame_when(frame, moment[1 - i], moment[i], 0, latest[i], conditions, 6, meaning);
    }
}

void flux_stages_emit(struct flux_frame *frame)
{
    for (uint32_t w = 0; w < frame->nodes; w++) {
        if (frame->moment_column[w] == FLUX_NONE)
            continue;
        add_ready(frame, w);
        for (uint32_t z = 0; z < frame->nodes; z++)
            if (z != w && flux_problem_is_send(frame->problem, z))
                add_idle(frame, w, z);
        for (uint32_t v = 0; v < w; v++)
            if (frame->moment_column[v] != FLUX_NONE)
                add_dwell(frame, v, w);
    }
}
