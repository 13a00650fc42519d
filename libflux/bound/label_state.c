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

/* Does the next send of every queue end in time? And a port that is free earlier than any of them can use it, is as
 * good as one that is free just in time. */
static int meet_ports(const struct flux_queues *queues, int64_t limit, struct flux_label_state *state)
{
    int64_t needed[FLUX_QUEUES_LINKS];
    for (uint32_t x = 0; x < queues->links; x++)
        needed[x] = INT64_MAX;
    for (uint32_t q = 0; q < queues->count; q++) {
        int64_t soonest = INT64_MAX;
        if (is_over(queues, state, q))
            continue;
        uint32_t next = next_of(queues, state, q);
        for (uint32_t x = 0; x < queues->links; x++) {
            int64_t wait = setup(queues, state->up[x], queues->queue[q].circuit), time = state->free[x] + wait;
            soonest = time < soonest ? time : soonest;
            needed[x] = state->ready[q] - wait < needed[x] ? state->ready[q] - wait : needed[x];
        }
        soonest = soonest > state->ready[q] ? soonest : state->ready[q];
        if (soonest + queues->duration[next] + queues->tail[next] > limit)
            return 0;
    }
    for (uint32_t x = 0; x < queues->links; x++)
        if (needed[x] != INT64_MAX && state->free[x] < needed[x])
            state->free[x] = needed[x];
    return 1;
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

/* Can the ports carry `left` of work with the circuits `wanted` between `since` and `until`? */
static int fits(const struct flux_queues *queues, const struct flux_label_state *state, uint32_t wanted, int64_t left,
                int64_t since, int64_t until)
{
    int64_t room = 0, setups = setups_from(queues, state, wanted, since);
    uint32_t circuits = flux_bits(wanted);
    int64_t inside = circuits > queues->links ? (int64_t)(circuits - queues->links) * queues->delay : 0;
    for (uint32_t x = 0; x < queues->links; x++) {
        int64_t from = since > state->free[x] ? since : state->free[x];
        room += from < until ? until - from : 0;
    }
    return left + (setups > inside ? setups : inside) <= room;
}

/* Can the ports carry all that is left by the limit? The same for what cannot start before some time. */
static int has_room(const struct flux_queues *queues, const struct flux_label_state *state, int64_t limit)
{
    int64_t left = 0, tail = INT64_MAX;
    uint32_t order[FLUX_QUEUES_MAX], wanted = 0, count = order_queues(queues, state, order);
    for (uint32_t i = 0; i < count; i++) {
        const struct flux_queue *queue = &queues->queue[order[i]];
        int64_t last = queues->tail[queue->first + queue->count - 1];
        left += queues->work[next_of(queues, state, order[i])];
        wanted |= UINT32_C(1) << queue->circuit;
        tail = last < tail ? last : tail;
        if (!fits(queues, state, wanted, left, state->ready[order[i]], limit - tail))
            return 0;
    }
    return 1;
}

static void order_ports(const struct flux_queues *queues, struct flux_label_state *state)
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

int flux_label_start(const struct flux_queues *queues, const struct flux_windows *windows, uint32_t q, uint32_t x,
                     int64_t limit, struct flux_label_state *state)
{
    uint32_t position = next_of(queues, state, q);
    int64_t start = state->free[x] + setup(queues, state->up[x], queues->queue[q].circuit);
    start = start > state->ready[q] ? start : state->ready[q];
    start = start > state->start ? start : state->start;
    int64_t end = start + queues->duration[position] + queues->tail[position];
    if (end > limit)
        return 0;
    state->start = start;
    state->end = end > state->end ? end : state->end;
    state->free[x] = start + queues->duration[position];
    state->up[x] = (uint8_t)queues->queue[q].circuit;
    state->done[q]++;
    make_ready(queues, state, q, position);
    foresee(queues, state);
    if (!meet_ports(queues, limit, state) || !has_room(queues, state, limit) ||
        !flux_windows_fit(queues, windows, state, limit))
        return 0;
    order_ports(queues, state);
    return 1;
}
