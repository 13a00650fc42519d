/* SPDX-License-Identifier: Apache-2.0
 *
 * simulate/order.c - a run in which switches keep their planned order and wait.
 *
 * Every start is the latest of what it waits for: a longest path in an acyclic graph, whose order is that of the plan.
 * The plan satisfies all of these waits, so that with compute as planned no start is later.
 */
#include "simulate/replay.h"

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* A circuit may come when those before it at its ports have ended: where it is another one, after a change. */
static int64_t circuit_up(const struct flux_replay *replay, uint32_t t, int64_t delay)
{
    const struct flux_replay_tenure *tenure = &replay->plan.tenure[t];
    int64_t up = 0;
    for (int i = 0; i < 2; i++)
        if (tenure->before[i] != FLUX_NONE)
            up = later(up, replay->room.tenure_end[tenure->before[i]] + (tenure->other[i] ? delay : 0));
    if (tenure->group != FLUX_NONE)
        up = later(up, replay->room.group_begin[tenure->group] + delay);
    return up;
}

/* Changes that begin together: each when its ports are free of other circuits, and after the changes before. */
static void begin_group(struct flux_replay *replay, uint32_t g)
{
    const struct flux_replay_plan *plan = &replay->plan;
    const struct flux_replay_group *group = &plan->group[g];
    int64_t begin = replay->room.group_begin[g];
    for (uint32_t i = group->first; i < group->first + group->count; i++) {
        const struct flux_replay_tenure *tenure = &plan->tenure[plan->by_group[i]];
        for (int side = 0; side < 2; side++)
            if (tenure->other[side])
                begin = later(begin, replay->room.tenure_end[tenure->before[side]]);
    }
    replay->room.group_begin[g] = begin;
    if (!group->last)
        replay->room.group_begin[g + 1] =
            later(replay->room.group_begin[g + 1], begin + plan->by_switch[group->switch_index].dwell);
}

/* When the ports let send `v` start. */
static int64_t port_time(struct flux_replay *replay, uint32_t v)
{
    const struct flux_replay_plan *plan = &replay->plan;
    uint32_t t = plan->tenure_of[v], opens = plan->opens[v];
    int64_t delay = plan->by_switch[replay->audit.switch_of[v]].delay;
    if (replay->room.tenure_up[t] < 0)
        replay->room.tenure_up[t] = circuit_up(replay, t, delay);
    int64_t time = later(replay->room.tenure_up[t], replay->room.lane_idle[UINT64_C(2) * t + plan->way[v]]);
    return opens == FLUX_NONE ? time : later(time, replay->room.group_begin[opens] + delay);
}

static void end_send(struct flux_replay *replay, uint32_t v, int64_t end)
{
    const struct flux_replay_plan *plan = &replay->plan;
    uint32_t t = plan->tenure_of[v], closes = plan->closes[v];
    replay->room.lane_idle[UINT64_C(2) * t + plan->way[v]] = end;
    replay->room.tenure_end[t] = later(replay->room.tenure_end[t], end);
    if (closes != FLUX_NONE)
        replay->room.group_begin[closes] = later(replay->room.group_begin[closes], end);
}

int flux_replay_run_order(struct flux_replay *replay, struct flux_replay_result *result, struct flux_error *error)
{
    const struct flux_replay_plan *plan = &replay->plan;
    for (uint64_t i = 0; i < plan->items; i++) {
        uint32_t v = plan->order[i];
        if (v >= plan->vertices) {
            begin_group(replay, v - plan->vertices);
            continue;
        }
        int send = plan->tenure_of[v] != FLUX_NONE;
        int64_t start = send ? later(result->ready[v], port_time(replay, v)) : result->ready[v];
        if (start > FLUX_TIME_MAX - replay->room.duration[v])
            return flux_replay_fail_overflow(v, error);
        result->times[v] = (struct flux_time){start, start + replay->room.duration[v]};
        if (send)
            end_send(replay, v, result->times[v].end);
        int rc = flux_replay_tell(replay, result, v, error);
        if (rc)
            return rc;
    }
    return FLUX_OK;
}
