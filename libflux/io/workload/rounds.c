/* SPDX-License-Identifier: Apache-2.0 */
#include "io/workload/rounds.h"

#include "io/workload/workload.h"

int flux_io_rounds_begin(struct flux_io_rounds *rounds, uint32_t channels, uint32_t row)
{
    struct flux_io_expansion *to = rounds->to;
    to->channels = channels;
    to->row = row;
    rounds->pending = flux_io_alloc(to->memory, rounds->n, sizeof *rounds->pending);
    rounds->touched = flux_io_alloc(to->memory, rounds->n, sizeof *rounds->touched);
    if (!rounds->pending || !rounds->touched) {
        rounds->failed = FLUX_E_MEMORY;
        return FLUX_E_MEMORY;
    }
    for (uint32_t m = 0; m < rounds->n; m++)
        rounds->pending[m] = (struct flux_io_pending){FLUX_NONE, FLUX_NONE, 0, 0};
    flux_io_rounds_channel(rounds, 0);
    return FLUX_OK;
}

int flux_io_rounds_end(struct flux_io_rounds *rounds)
{
    const struct flux_io_memory *memory = rounds->to->memory;
    flux_io_release(memory, rounds->pending, rounds->n, sizeof *rounds->pending);
    flux_io_release(memory, rounds->touched, rounds->n, sizeof *rounds->touched);
    flux_io_release(memory, rounds->waits, rounds->wait_capacity, sizeof *rounds->waits);
    return rounds->failed;
}

void flux_io_rounds_channel(struct flux_io_rounds *rounds, uint32_t channel)
{
    const struct flux_io_expansion *to = rounds->to;
    uint32_t rows = rounds->kind == FLUX_IO_ALL_TO_ALL ? rounds->n : 1;
    rounds->part = flux_io_part(rounds->bytes, to->channels, channel);
    rounds->base = channel * to->row * rows;
}

void flux_io_rounds_lane(struct flux_io_rounds *rounds)
{
    for (uint32_t m = 0; !rounds->failed && m < rounds->n; m++)
        rounds->pending[m].ready = FLUX_NONE;
}

static void touch(struct flux_io_rounds *rounds, uint32_t member)
{
    if (rounds->pending[member].touched)
        return;
    rounds->pending[member].touched = 1;
    rounds->touched[rounds->touched_count++] = member;
}

static void put_fresh(struct flux_io_rounds *rounds, uint32_t member, uint32_t step, uint32_t own)
{
    struct flux_io_pending *pending = &rounds->pending[member];
    touch(rounds, member);
    rounds->waits[rounds->wait_count] = (struct flux_io_wait){step, own, pending->fresh};
    pending->fresh = (uint32_t)rounds->wait_count++;
}

/* A step of `src` waits for what is ready there, and so covers it. */
static void wait_for_ready(struct flux_io_rounds *rounds, uint32_t src, uint32_t step)
{
    struct flux_io_expansion *to = rounds->to;
    for (uint32_t w = rounds->pending[src].ready; w != FLUX_NONE; w = rounds->waits[w].next) {
        const struct flux_io_wait *wait = &rounds->waits[w];
        if (flux_io_grow(to->memory, &to->after, &to->after_capacity, to->after_count + 1, sizeof *to->after)) {
            rounds->failed = FLUX_E_MEMORY;
            return;
        }
        to->after[to->after_count++] = (struct flux_io_after){wait->step, step};
        to->steps[wait->step].flags &= wait->own ? ~FLUX_IO_STEP_ENDS_SRC : ~FLUX_IO_STEP_ENDS_DST;
        if (wait->own)
            to->steps[step].flags &= ~FLUX_IO_STEP_STARTS;
    }
}

static void put_step(struct flux_io_rounds *rounds, uint32_t src, uint32_t dst)
{
    struct flux_io_expansion *to = rounds->to;
    if (rounds->failed)
        return;
    if (flux_io_grow(to->memory, &to->steps, &to->step_capacity, to->step_count + 1, sizeof *to->steps) ||
        flux_io_grow(to->memory, &rounds->waits, &rounds->wait_capacity, rounds->wait_count + 2,
                     sizeof *rounds->waits)) {
        rounds->failed = FLUX_E_MEMORY;
        return;
    }
    uint32_t step = (uint32_t)to->step_count++;
    uint32_t flags = FLUX_IO_STEP_STARTS | FLUX_IO_STEP_ENDS_SRC | (dst == FLUX_NONE ? 0 : FLUX_IO_STEP_ENDS_DST);
    to->steps[step] = (struct flux_io_step){0, src, dst, rounds->round, flags};
    wait_for_ready(rounds, src, step);
    rounds->pending[src].sent = 1;
    put_fresh(rounds, src, step, 1);
    if (dst != FLUX_NONE)
        put_fresh(rounds, dst, step, 0);
}

void flux_io_rounds_send(struct flux_io_rounds *rounds, uint32_t src, uint32_t dst)
{
    put_step(rounds, src, dst);
}

void flux_io_rounds_point(struct flux_io_rounds *rounds, uint32_t member)
{
    put_step(rounds, member, FLUX_NONE);
}

/* How many of the blocks first, first + stride, .. are among the `longer` first ones of a row. */
static uint64_t count_longer(uint64_t row, uint64_t longer, uint64_t first, uint64_t count, uint64_t stride)
{
    uint64_t sum = 0;
    while (count) {
        uint64_t here = (row - first - 1) / stride + 1; /* until the row ends */
        if (here > count)
            here = count;
        if (longer > first) {
            uint64_t below = (longer - first - 1) / stride + 1;
            sum += below < here ? below : here;
        }
        first = (first + here * stride) % row;
        count -= here;
    }
    return sum;
}

void flux_io_rounds_carry(struct flux_io_rounds *rounds, uint32_t origin, uint32_t first, uint32_t count,
                          uint32_t stride)
{
    struct flux_io_expansion *to = rounds->to;
    if (rounds->failed || !count)
        return;
    struct flux_io_step *step = &to->steps[to->step_count - 1];
    if (rounds->kind == FLUX_IO_ALL_GATHER)
        step->bytes += rounds->part * count;
    else
        step->bytes +=
            rounds->part / to->row * count + count_longer(to->row, rounds->part % to->row, first, count, stride);
    if (!to->keep_pieces)
        return;
    if (flux_io_grow(to->memory, &to->pieces, &to->piece_capacity, to->piece_count + 1, sizeof *to->pieces)) {
        rounds->failed = FLUX_E_MEMORY;
        return;
    }
    to->pieces[to->piece_count++] =
        (struct flux_io_piece){(uint32_t)(to->step_count - 1), rounds->base + origin * to->row, first, count, stride};
}

/* `list` behind `tail`. */
static uint32_t join(struct flux_io_rounds *rounds, uint32_t list, uint32_t tail)
{
    uint32_t last = list;
    while (rounds->waits[last].next != FLUX_NONE)
        last = rounds->waits[last].next;
    rounds->waits[last].next = tail;
    return list;
}

void flux_io_rounds_next(struct flux_io_rounds *rounds)
{
    for (uint32_t i = 0; !rounds->failed && i < rounds->touched_count; i++) {
        struct flux_io_pending *pending = &rounds->pending[rounds->touched[i]];
        pending->ready = pending->sent ? pending->fresh : join(rounds, pending->fresh, pending->ready);
        pending->fresh = FLUX_NONE;
        pending->sent = pending->touched = 0;
    }
    rounds->touched_count = 0;
    rounds->round++;
}
