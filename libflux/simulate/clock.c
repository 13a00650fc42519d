/* SPDX-License-Identifier: Apache-2.0
 *
 * simulate/clock.c - a run in which circuits change at the planned times. Events in the order of time: a send that may
 * start by plan and by what it waits for, and a lane that becomes idle while sends queue for it.
 */
#include "simulate/replay.h"

static int before(const struct flux_replay_event *a, const struct flux_replay_event *b)
{
    return a->time != b->time ? a->time < b->time : a->rank < b->rank;
}

/* At most one event for each send and one for each lane with a queue are in the heap. */
void flux_replay_push(struct flux_replay_room *room, int64_t time, uint64_t rank)
{
    struct flux_replay_event event = {time, rank};
    uint64_t i = room->heap_count++;
    for (; i > 0 && before(&event, &room->heap[(i - 1) / 2]); i = (i - 1) / 2)
        room->heap[i] = room->heap[(i - 1) / 2];
    room->heap[i] = event;
}

struct flux_replay_event flux_replay_pop(struct flux_replay_room *room)
{
    struct flux_replay_event first = room->heap[0], last = room->heap[--room->heap_count];
    uint64_t i = 0, child;
    for (; (child = 2 * i + 1) < room->heap_count; i = child) {
        if (child + 1 < room->heap_count && before(&room->heap[child + 1], &room->heap[child]))
            child++;
        if (!before(&room->heap[child], &last))
            break;
        room->heap[i] = room->heap[child];
    }
    room->heap[i] = last;
    return first;
}

/* The earliest time at `time` or later at which `duration` meets no change of a dark switch. */
static int64_t light(const struct flux_replay_plan *plan, uint32_t k, int64_t time, int64_t duration)
{
    const struct flux_replay_switch *row = &plan->by_switch[k];
    uint32_t low = row->group_first, high = row->group_end;
    if (!row->dark)
        return time;
    while (low < high) { /* the first change that ends after `time` */
        uint32_t middle = low + (high - low) / 2;
        if (plan->group[middle].begin + row->delay <= time)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < row->group_end && plan->group[low].begin < time + duration; low++)
        if (plan->group[low].begin + row->delay > time)
            time = plan->group[low].begin + row->delay;
    return time;
}

int flux_replay_settle(struct flux_replay *replay, struct flux_replay_result *result, struct flux_error *error)
{
    const struct flux_replay_plan *plan = &replay->plan;
    struct flux_replay_room *room = &replay->room;
    while (room->stack_count) {
        uint32_t v = room->stack[--room->stack_count];
        if (plan->tenure_of[v] != FLUX_NONE) {
            int64_t planned = replay->audit.times[v].start;
            flux_replay_push(room, result->ready[v] > planned ? result->ready[v] : planned, plan->rank[v]);
            continue;
        }
        if (result->ready[v] > FLUX_TIME_MAX - room->duration[v])
            return flux_replay_fail_overflow(v, error);
        result->times[v] = (struct flux_time){result->ready[v], result->ready[v] + room->duration[v]};
        int rc = flux_replay_tell(replay, result, v, error);
        if (rc)
            return rc;
    }
    return FLUX_OK;
}

/* Send `v` has its lane at `time`. It starts, or comes back when the switch is not dark, or is missed. */
static int serve(struct flux_replay *replay, struct flux_replay_result *result, uint32_t v, int64_t time,
                 struct flux_error *error)
{
    const struct flux_replay_plan *plan = &replay->plan;
    struct flux_replay_room *room = &replay->room;
    uint32_t t = plan->tenure_of[v];
    int64_t duration = room->duration[v];
    if (time > FLUX_TIME_MAX - duration)
        return flux_replay_fail_overflow(v, error);
    int64_t start = light(plan, replay->audit.switch_of[v], time, duration);
    if (start > plan->tenure[t].deadline - duration)
        return FLUX_OK;
    if (start > FLUX_TIME_MAX - duration)
        return flux_replay_fail_overflow(v, error);
    if (start > time) {
        flux_replay_push(room, start, plan->rank[v]);
        return FLUX_OK;
    }
    result->times[v] = (struct flux_time){start, start + duration};
    room->lane_idle[UINT64_C(2) * t + plan->way[v]] = start + duration;
    return flux_replay_tell(replay, result, v, error);
}

static void enqueue(struct flux_replay *replay, uint64_t lane, uint32_t v)
{
    struct flux_replay_room *room = &replay->room;
    room->wait_next[v] = FLUX_NONE;
    if (room->lane_head[lane] == FLUX_NONE) {
        room->lane_head[lane] = v;
        flux_replay_push(room, room->lane_idle[lane], replay->plan.items + lane);
    } else {
        room->wait_next[room->lane_tail[lane]] = v;
    }
    room->lane_tail[lane] = v;
}

/* The lane is idle: the first of its queue that can, starts. */
static int dequeue(struct flux_replay *replay, struct flux_replay_result *result, uint64_t lane, int64_t time,
                   struct flux_error *error)
{
    struct flux_replay_room *room = &replay->room;
    int rc = FLUX_OK;
    while (!rc && room->lane_head[lane] != FLUX_NONE && room->lane_idle[lane] <= time) {
        uint32_t v = room->lane_head[lane];
        room->lane_head[lane] = room->wait_next[v];
        rc = serve(replay, result, v, time, error);
    }
    if (!rc && room->lane_head[lane] != FLUX_NONE)
        flux_replay_push(room, room->lane_idle[lane], replay->plan.items + lane);
    return rc;
}

void flux_replay_begin(struct flux_replay *replay)
{
    struct flux_replay_room *room = &replay->room;
    for (uint32_t i = replay->plan.vertices; i-- > 0;)
        if (room->missing[replay->audit.precedence.order[i]] == 0)
            room->stack[room->stack_count++] = replay->audit.precedence.order[i];
}

int flux_replay_run_clock(struct flux_replay *replay, struct flux_replay_result *result, struct flux_error *error)
{
    const struct flux_replay_plan *plan = &replay->plan;
    struct flux_replay_room *room = &replay->room;
    flux_replay_begin(replay);
    int rc = flux_replay_settle(replay, result, error);
    while (!rc && room->heap_count) {
        struct flux_replay_event event = flux_replay_pop(room);
        if (event.rank >= plan->items) {
            rc = dequeue(replay, result, event.rank - plan->items, event.time, error);
        } else {
            uint32_t v = plan->order[event.rank];
            uint64_t lane = UINT64_C(2) * plan->tenure_of[v] + plan->way[v];
            if (room->lane_idle[lane] > event.time || room->lane_head[lane] != FLUX_NONE)
                enqueue(replay, lane, v);
            else
                rc = serve(replay, result, v, event.time, error);
        }
        if (!rc)
            rc = flux_replay_settle(replay, result, error);
    }
    return rc;
}
