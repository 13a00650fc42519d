/* SPDX-License-Identifier: Apache-2.0 */
#include "bound/label_state.h"

#include <string.h>

static int is_over(const struct flux_queues *queues, const struct flux_label_state *state, uint32_t q)
{
    return state->done[q] == queues->queue[q].count;
}

/* Position of the next send of a queue that is not over. */
static uint32_t next_of(const struct flux_queues *queues, const struct flux_label_state *state, uint32_t q)
{
    return queues->queue[q].first + state->done[q];
}

static int64_t setup(const struct flux_queues *queues, uint8_t up, uint32_t circuit)
{
    return up == circuit || up == FLUX_PORT_UNUSED ? 0 : queues->delay;
}

/* ---- when the next sends may start ---- */

static void make_ready(const struct flux_queues *queues, struct flux_label_state *state, uint32_t last,
                       uint32_t position)
{
    const int64_t *lag = queues->lag + (uint64_t)position * queues->sends;
    for (uint32_t q = 0; q < queues->count; q++) {
        if (is_over(queues, state, q)) {
            state->ready[q] = 0;
            continue;
        }
        uint32_t next = next_of(queues, state, q);
        int64_t ready = q == last ? queues->head[next] : state->ready[q];
        if (lag[next] >= 0 && state->start + lag[next] > ready)
            ready = state->start + lag[next];
        state->ready[q] = ready > state->start ? ready : state->start;
    }
}

/* The next send of a queue also waits for the next ones of others. */
static void foresee(const struct flux_queues *queues, struct flux_label_state *state)
{
    for (uint32_t p = 0; p < queues->count; p++) {
        if (is_over(queues, state, p))
            continue;
        const int64_t *lag = queues->lag + (uint64_t)next_of(queues, state, p) * queues->sends;
        for (uint32_t q = 0; q < queues->count; q++) {
            if (is_over(queues, state, q) || p == q)
                continue;
            int64_t apart = lag[next_of(queues, state, q)];
            if (apart >= 0 && state->ready[p] + apart > state->ready[q])
                state->ready[q] = state->ready[p] + apart;
        }
    }
}

void flux_label_begin(const struct flux_queues *queues, struct flux_label_state *state)
{
    memset(state, 0, sizeof *state);
    for (uint32_t x = 0; x < queues->links; x++) {
        state->up[x] = FLUX_PORT_UNUSED;
        state->free[x] = -queues->delay;
    }
    for (uint32_t q = 0; q < queues->count; q++)
        state->ready[q] = queues->head[queues->queue[q].first];
}

int flux_label_must_wait(const struct flux_queues *queues, const struct flux_label_state *state, uint32_t q)
{
    uint32_t to = next_of(queues, state, q);
    for (uint32_t p = 0; p < queues->count; p++)
        if (p != q && !is_over(queues, state, p) && flux_queues_lag(queues, next_of(queues, state, p), to) >= 0)
            return 1;
    return 0;
}

/* ---- what the ports must do ---- */

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The next send of a queue starts no sooner than some port can carry it. */
static void wait_for_ports(const struct flux_queues *queues, struct flux_label_state *state)
{
    for (uint32_t q = 0; q < queues->count; q++) {
        int64_t soonest = INT64_MAX;
        if (is_over(queues, state, q))
            continue;
        for (uint32_t x = 0; x < queues->links; x++) {
            int64_t time = state->free[x] + setup(queues, state->up[x], queues->queue[q].circuit);
            soonest = time < soonest ? time : soonest;
        }
        state->ready[q] = larger(soonest, state->ready[q]);
    }
}

/* A port that is free earlier than any of the next sends can use it, is as good as one that is free just in time. */
static void wait_for_sends(const struct flux_queues *queues, struct flux_label_state *state)
{
    for (uint32_t x = 0; x < queues->links; x++) {
        int64_t needed = INT64_MAX;
        for (uint32_t q = 0; q < queues->count; q++) {
            if (is_over(queues, state, q))
                continue;
            int64_t begin = state->ready[q] - setup(queues, state->up[x], queues->queue[q].circuit);
            needed = begin < needed ? begin : needed;
        }
        if (needed != INT64_MAX && state->free[x] < needed)
            state->free[x] = needed;
    }
}

/* The latest of the ends of the next sends. */
static int64_t next_end(const struct flux_queues *queues, const struct flux_label_state *state)
{
    int64_t latest = 0;
    for (uint32_t q = 0; q < queues->count; q++) {
        if (is_over(queues, state, q))
            continue;
        uint32_t next = next_of(queues, state, q);
        latest = larger(latest, state->ready[q] + queues->duration[next] + queues->tail[next]);
    }
    return latest;
}

/* Queues with sends left, the one that may start last first. */
static uint32_t order_queues(const struct flux_queues *queues, const struct flux_label_state *state, uint32_t *order)
{
    uint32_t count = 0;
    for (uint32_t q = 0; q < queues->count; q++) {
        uint32_t place = count;
        if (is_over(queues, state, q))
            continue;
        for (; place > 0 && state->ready[order[place - 1]] < state->ready[q]; place--)
            order[place] = order[place - 1];
        order[place] = q;
        count++;
    }
    return count;
}

/* Setups for the circuits `wanted` that are not up, each on a port that may have begun it before `since`. */
static int64_t setups_from(const struct flux_queues *queues, const struct flux_label_state *state, uint32_t wanted,
                           int64_t since)
{
    int64_t spare[FLUX_QUEUES_LINKS], sum = 0;
    uint32_t unused = 0;
    for (uint32_t x = 0; x < queues->links; x++) {
        unused += state->up[x] == FLUX_PORT_UNUSED;
        spare[x] = state->up[x] == FLUX_PORT_UNUSED || since < state->free[x] ? 0 : since - state->free[x];
        if (state->up[x] != FLUX_PORT_UNUSED)
            wanted &= ~(UINT32_C(1) << state->up[x]);
    }
    uint32_t missing = flux_bits(wanted);
    for (missing -= missing < unused ? missing : unused; missing; missing--) {
        uint32_t most = 0;
        for (uint32_t x = 1; x < queues->links; x++)
            most = spare[x] > spare[most] ? x : most;
        sum += spare[most] < queues->delay ? queues->delay - spare[most] : 0;
        spare[most] = 0;
    }
    return sum;
}

/* When the ports can have done `load` at the earliest, none of it before `since`: as water fills vessels of different
 * heights. */
static int64_t filled(const struct flux_queues *queues, const struct flux_label_state *state, int64_t load,
                      int64_t since)
{
    int64_t from[FLUX_QUEUES_LINKS] = {0}, sum = load;
    uint32_t count = 0;
    for (uint32_t x = 0; x < queues->links; x++) {
        int64_t time = larger(since, state->free[x]);
        uint32_t place = count++;
        for (; place > 0 && from[place - 1] > time; place--)
            from[place] = from[place - 1];
        from[place] = time;
    }
    for (uint32_t used = 1;; used++) {
        sum += from[used - 1];
        int64_t until = (sum + used - 1) / used;
        if (used == queues->links || until <= from[used])
            return until;
    }
}

/* When the ports can have carried all that is left, at the earliest; and what cannot start before some time. */
static int64_t room_end(const struct flux_queues *queues, const struct flux_windows *windows,
                        const struct flux_label_state *state, int64_t limit)
{
    int64_t left = 0, tail = INT64_MAX, latest = 0;
    uint32_t order[FLUX_QUEUES_MAX], wanted = 0, count = order_queues(queues, state, order);
    for (uint32_t i = 0; i < count && latest <= limit; i++) {
        const struct flux_queue *queue = &queues->queue[order[i]];
        int64_t last = queues->tail[queue->first + queue->count - 1], since = state->ready[order[i]];
        left += queues->work[next_of(queues, state, order[i])];
        wanted |= UINT32_C(1) << queue->circuit;
        tail = last < tail ? last : tail;
        uint32_t circuits = flux_bits(wanted);
        int64_t inside = circuits > queues->links ? (int64_t)(circuits - queues->links) * queues->delay : 0;
        int64_t load = left + larger(setups_from(queues, state, wanted, since), inside);
        latest = larger(latest, filled(queues, state, load, since) + tail);
    }
    if (count && latest <= limit && windows->waste.set) {
        int64_t waste = flux_waste_from(queues, &windows->waste, state);
        latest = larger(latest, filled(queues, state, left + waste, INT64_MIN) + tail);
    }
    return latest;
}

void flux_label_order_ports(const struct flux_queues *queues, struct flux_label_state *state)
{
    for (uint32_t x = 1; x < queues->links; x++)
        for (uint32_t y = x; y > 0; y--) {
            uint8_t up = state->up[y];
            int64_t time = state->free[y];
            if (state->up[y - 1] < up || (state->up[y - 1] == up && state->free[y - 1] <= time))
                break;
            state->up[y] = state->up[y - 1];
            state->free[y] = state->free[y - 1];
            state->up[y - 1] = up;
            state->free[y - 1] = time;
        }
}

int64_t flux_label_soonest(const struct flux_queues *queues, const struct flux_label_state *state, uint32_t q,
                           uint32_t x)
{
    int64_t start = state->free[x] + setup(queues, state->up[x], queues->queue[q].circuit);
    return larger(larger(start, state->ready[q]), state->start);
}

int flux_label_start(const struct flux_queues *queues, uint32_t q, uint32_t x, int64_t limit,
                     struct flux_label_state *state)
{
    uint32_t position = next_of(queues, state, q);
    int64_t start = flux_label_soonest(queues, state, q, x);
    int64_t end = start + queues->duration[position] + queues->tail[position];
    state->least = larger(state->least, end);
    if (end > limit)
        return 0;
    state->start = start;
    state->end = larger(end, state->end);
    state->free[x] = start + queues->duration[position];
    state->up[x] = (uint8_t)queues->queue[q].circuit;
    state->done[q]++;
    make_ready(queues, state, q, position);
    wait_for_ports(queues, state);
    foresee(queues, state);
    wait_for_sends(queues, state);
    flux_label_order_ports(queues, state);
    state->least = larger(state->least, next_end(queues, state));
    return state->least <= limit;
}

int flux_label_can_end(const struct flux_queues *queues, const struct flux_windows *windows, int64_t limit,
                       struct flux_label_state *state)
{
    state->least = larger(state->least, room_end(queues, windows, state, limit));
    if (state->least <= limit)
        state->least = flux_windows_end(queues, windows, state);
    return state->least <= limit;
}
