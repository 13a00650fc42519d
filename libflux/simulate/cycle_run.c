/* SPDX-License-Identifier: Apache-2.0
 *
 * simulate/cycle_run.c - a run of a cycle: events in the order of time. At one time sends end first, then slots end,
 * then slots begin, then sends become ready.
 */
#include "base/fail.h"
#include "simulate/cycle.h"
#include "simulate/vlb.h"

#define NEVER INT64_MAX
#define LOOK 4096 /* events between two looks at whether to stop */

static uint64_t rank_of_end(const struct flux_replay *replay, uint32_t k)
{
    return (uint64_t)replay->cycle->circuits + k;
}

static uint64_t rank_of_begin(const struct flux_replay *replay, uint32_t k)
{
    return (uint64_t)replay->cycle->rank_begin + k;
}

void flux_cycle_set_idle(struct flux_cycle *cycle, uint32_t c)
{
    uint32_t pair = cycle->circuit[c].pair;
    cycle->idle_next[c] = cycle->idle_head[pair];
    cycle->idle_head[pair] = c;
}

/* At most one circuit per switch is in the list. */
void flux_cycle_unset_idle(struct flux_cycle *cycle, uint32_t c)
{
    uint32_t *link = &cycle->idle_head[cycle->circuit[c].pair];
    while (*link != FLUX_NONE && *link != c)
        link = &cycle->idle_next[*link];
    if (*link == c)
        *link = cycle->idle_next[c];
}

/* How long the rest of send v takes on circuit c, rounded up; above FLUX_TIME_MAX: too long. */
static int64_t time_of_rest(const struct flux_replay *replay, uint32_t v, uint32_t c)
{
    struct flux_cycle *cycle = replay->cycle;
    int64_t all = replay->plan.explicit_time[v];
    if (all == 0)
        all = flux_transfer_time(replay->plan.bytes[v], cycle->circuit[c].rate);
    if (all < 0)
        return NEVER;
    if (cycle->whole[v] == 0)
        cycle->rest[v] = cycle->whole[v] = all;
    int64_t need = (int64_t)flux_ceil_div((flux_wide)cycle->rest[v] * all, cycle->whole[v]);
    cycle->rest[v] = need;
    cycle->whole[v] = all;
    return need;
}

/* Send v goes on circuit c, which is up for some time still, from `time` on. */
static int start(struct flux_replay *replay, struct flux_replay_result *result, uint32_t v, uint32_t c, int64_t time,
                 struct flux_error *error)
{
    struct flux_cycle *cycle = replay->cycle;
    int64_t need = time_of_rest(replay, v, c);
    if (need > FLUX_TIME_MAX - time)
        return flux_replay_fail_overflow(v, error);
    if (result->times[v].start < 0)
        result->times[v].start = time;
    cycle->active[c] = v;
    cycle->since[c] = time;
    cycle->need[c] = need;
    if (time + need <= cycle->until[cycle->circuit[c].switch_index])
        flux_replay_push(&replay->room, time + need, c);
    return FLUX_OK;
}

/* The circuit takes the first send that waits for it, or is idle. */
static int serve(struct flux_replay *replay, struct flux_replay_result *result, uint32_t c, int64_t time,
                 struct flux_error *error)
{
    struct flux_cycle *cycle = replay->cycle;
    uint32_t pair = cycle->circuit[c].pair;
    if (pair == FLUX_NONE)
        return FLUX_OK;
    uint32_t v = cycle->queue_head[pair];
    if (v == FLUX_NONE) {
        flux_cycle_set_idle(cycle, c);
        return FLUX_OK;
    }
    cycle->queue_head[pair] = replay->room.wait_next[v];
    return start(replay, result, v, c, time, error);
}

uint32_t flux_cycle_best_idle(const struct flux_cycle *cycle, uint32_t pair, int64_t time)
{
    uint32_t best = FLUX_NONE;
    for (uint32_t c = cycle->idle_head[pair]; c != FLUX_NONE; c = cycle->idle_next[c]) {
        const struct flux_cycle_circuit *circuit = &cycle->circuit[c];
        const struct flux_cycle_circuit *other = &cycle->circuit[best == FLUX_NONE ? c : best];
        if (cycle->until[circuit->switch_index] > time &&
            (best == FLUX_NONE || circuit->rate > other->rate ||
             (circuit->rate == other->rate && circuit->switch_index < other->switch_index)))
            best = c;
    }
    return best;
}

/* A send that is ready, or was cut and goes before the others. */
static int offer(struct flux_replay *replay, struct flux_replay_result *result, uint32_t v, int cut, int64_t time,
                 struct flux_error *error)
{
    struct flux_cycle *cycle = replay->cycle;
    uint32_t pair = cycle->pair_of[v], c = flux_cycle_best_idle(cycle, pair, time);
    if (c != FLUX_NONE) {
        flux_cycle_unset_idle(cycle, c);
        return start(replay, result, v, c, time, error);
    }
    if (cut || cycle->queue_head[pair] == FLUX_NONE) {
        replay->room.wait_next[v] = cycle->queue_head[pair];
        if (cycle->queue_head[pair] == FLUX_NONE)
            cycle->queue_tail[pair] = v;
        cycle->queue_head[pair] = v;
    } else {
        replay->room.wait_next[v] = FLUX_NONE;
        replay->room.wait_next[cycle->queue_tail[pair]] = v;
        cycle->queue_tail[pair] = v;
    }
    return FLUX_OK;
}

/* The send v leaves circuit c, carried to its end or cut. */
static int leave(struct flux_replay *replay, struct flux_replay_result *result, uint32_t v, uint32_t c, int64_t time,
                 struct flux_error *error)
{
    struct flux_cycle *cycle = replay->cycle;
    flux_wide carried = (flux_wide)replay->plan.bytes[v] * (cycle->whole[v] - cycle->rest[v]);
    uint64_t gone = (uint64_t)(carried / cycle->whole[v]);
    gone = gone > cycle->gone[v] ? gone : cycle->gone[v];
    const struct flux_replay_part part = {.start = cycle->since[c],
                                          .end = time,
                                          .bytes = gone - cycle->gone[v],
                                          .send = v,
                                          .switch_index = cycle->circuit[c].switch_index,
                                          .src = replay->audit.precedence.at[v],
                                          .dst = replay->audit.precedence.to[v]};
    cycle->delivered += part.bytes;
    cycle->gone[v] = gone;
    return flux_replay_add_part(replay, result, &part, error);
}

/* The send on circuit c has ended. */
static int end_send(struct flux_replay *replay, struct flux_replay_result *result, uint32_t c, int64_t time,
                    struct flux_error *error)
{
    struct flux_cycle *cycle = replay->cycle;
    uint32_t v = cycle->active[c];
    cycle->active[c] = FLUX_NONE;
    cycle->busy += time - cycle->since[c];
    cycle->left--;
    cycle->rest[v] = 0;
    result->times[v].end = time;
    int rc = leave(replay, result, v, c, time, error);
    if (!rc)
        rc = flux_replay_tell(replay, result, v, error);
    if (!rc && time < cycle->until[cycle->circuit[c].switch_index])
        rc = serve(replay, result, c, time, error);
    return rc;
}

static int begin_slot(struct flux_replay *replay, struct flux_replay_result *result, uint32_t k, int64_t time,
                      struct flux_error *error)
{
    struct flux_cycle *cycle = replay->cycle;
    const struct flux_cycle_row *row = &cycle->row[cycle->state[k]];
    int single = cycle->row_first[k + 1] - cycle->row_first[k] == 1;
    cycle->from[k] = time;
    int64_t lasts = row->duration + (time > 0 ? 0 : cycle->extra[k]);
    cycle->until[k] = single || lasts > FLUX_TIME_MAX - time ? NEVER : time + lasts;
    if (time > 0)
        cycle->reconfigurations += row->fresh;
    if (cycle->until[k] != NEVER)
        flux_replay_push(&replay->room, cycle->until[k], rank_of_end(replay, k));
    int rc = FLUX_OK;
    if (cycle->vlb)
        return flux_vlb_begin(replay, result, row, time, error);
    for (uint32_t c = row->first; !rc && c < row->first + row->count; c++)
        rc = serve(replay, result, c, time, error);
    return rc;
}

static int end_slot(struct flux_replay *replay, struct flux_replay_result *result, uint32_t k, int64_t time,
                    struct flux_error *error)
{
    struct flux_cycle *cycle = replay->cycle;
    const struct flux_cycle_row *row = &cycle->row[cycle->state[k]];
    int rc = FLUX_OK;
    cycle->up += (flux_wide)row->count * (time - cycle->from[k]);
    for (uint32_t c = row->first; !rc && c < row->first + row->count; c++) {
        uint32_t v = cycle->active[c];
        if (cycle->circuit[c].pair == FLUX_NONE)
            continue;
        if (v == FLUX_NONE) {
            flux_cycle_unset_idle(cycle, c); /* with forwarding all circuits are idle now */
            continue;
        }
        cycle->active[c] = FLUX_NONE;
        cycle->busy += time - cycle->since[c];
        cycle->rest[v] -= time - cycle->since[c];
        rc = leave(replay, result, v, c, time, error);
        if (!rc)
            rc = offer(replay, result, v, 1, time, error);
    }
    cycle->state[k] = cycle->state[k] + 1 < cycle->row_first[k + 1] ? cycle->state[k] + 1 : cycle->row_first[k];
    if (!rc && time <= FLUX_TIME_MAX - cycle->delay[k])
        flux_replay_push(&replay->room, time + cycle->delay[k], rank_of_begin(replay, k));
    return rc;
}

static void reset(struct flux_replay *replay)
{
    struct flux_cycle *cycle = replay->cycle;
    for (uint32_t c = 0; c < cycle->circuits; c++)
        cycle->active[c] = FLUX_NONE;
    for (uint32_t p = 0; p < cycle->pairs; p++)
        cycle->queue_head[p] = cycle->idle_head[p] = FLUX_NONE;
    for (uint32_t v = 0; v < replay->plan.vertices; v++) {
        cycle->whole[v] = 0;
        cycle->gone[v] = 0;
    }
    cycle->delivered = cycle->forwarded = 0;
    if (cycle->vlb)
        flux_vlb_reset(replay);
    cycle->up = cycle->busy = 0;
    cycle->reconfigurations = 0;
    cycle->left = replay->plan.sends;
}

static int handle(struct flux_replay *replay, struct flux_replay_result *result, struct flux_replay_event event,
                  struct flux_error *error)
{
    const struct flux_cycle *cycle = replay->cycle;
    uint32_t rank = (uint32_t)event.rank, switches = replay->plan.switches;
    if (rank < cycle->circuits && cycle->vlb)
        return flux_vlb_end(replay, result, rank, event.time, error);
    if (rank < cycle->circuits)
        return end_send(replay, result, rank, event.time, error);
    if (rank < cycle->circuits + switches)
        return end_slot(replay, result, rank - cycle->circuits, event.time, error);
    if (rank >= cycle->rank_begin && rank - cycle->rank_begin < switches)
        return begin_slot(replay, result, rank - cycle->rank_begin, event.time, error);
    uint32_t v = replay->audit.precedence.order[rank - cycle->rank_ready];
    return cycle->vlb ? flux_vlb_offer(replay, result, v, event.time, error)
                      : offer(replay, result, v, 0, event.time, error);
}

int flux_cycle_run(struct flux_replay *replay, struct flux_replay_result *result, struct flux_error *error)
{
    struct flux_cycle *cycle = replay->cycle;
    int64_t time = 0;
    uint64_t events = 0;
    reset(replay);
    for (uint32_t k = 0; k < replay->plan.switches; k++) {
        cycle->state[k] = cycle->row_first[k];
        if (cycle->row_first[k] < cycle->row_first[k + 1])
            flux_replay_push(&replay->room, 0, rank_of_begin(replay, k));
    }
    flux_replay_begin(replay);
    int rc = flux_replay_settle(replay, result, error);
    while (!rc && cycle->left && replay->room.heap_count) {
        struct flux_replay_event event = flux_replay_pop(&replay->room);
        time = event.time;
        rc = handle(replay, result, event, error);
        if (!rc)
            rc = flux_replay_settle(replay, result, error);
        if (!rc && ++events % LOOK == 0 && flux_cancel_requested(replay->cancel))
            return flux_fail(error, FLUX_E_CANCELLED, "cancelled before every send had ended");
    }
    if (!rc && cycle->left)
        return flux_fail(error, FLUX_E_OVERFLOW, "the slots add up beyond 2^62 ps before every send has ended");
    for (uint32_t k = 0; k < replay->plan.switches; k++) /* slots that had begun and not ended */
        if (cycle->row_first[k] < cycle->row_first[k + 1] && cycle->until[k] >= time && cycle->from[k] <= time)
            cycle->up += (flux_wide)cycle->row[cycle->state[k]].count * (time - cycle->from[k]);
    return rc;
}
