/* SPDX-License-Identifier: Apache-2.0
 *
 * simulate/vlb.c - sends in parts, straight or over a third GPU: what a circuit of a rotor carries in its slot
 * (RotorLB, Mellette et al., SIGCOMM 2017, section 4.2).
 */
#include "simulate/vlb.h"

#include "base/fail.h"

#include <string.h>

static void *get(struct flux_replay *replay, uint64_t count, uint64_t size)
{
    return flux_arena_zero(&replay->audit.arena, count, size);
}

int flux_vlb_make(struct flux_replay *replay, const struct flux_fabric *fabric, struct flux_error *error)
{
    struct flux_cycle *cycle = replay->cycle;
    uint64_t gpus = replay->plan.gpus, pairs = gpus * gpus;
    struct flux_vlb *vlb = cycle->vlb = get(replay, 1, sizeof *vlb);
    if (!vlb)
        return flux_fail_memory(error);
    vlb->gpus = replay->plan.gpus;
    vlb->words = (vlb->gpus + 63) / 64;
    vlb->plan_head = get(replay, cycle->circuits, sizeof *vlb->plan_head);
    vlb->plan_tail = get(replay, cycle->circuits, sizeof *vlb->plan_tail);
    vlb->left = get(replay, cycle->circuits, sizeof *vlb->left);
    vlb->stored_head = get(replay, pairs, sizeof *vlb->stored_head);
    vlb->stored_tail = get(replay, pairs, sizeof *vlb->stored_tail);
    vlb->stored = get(replay, pairs, sizeof *vlb->stored);
    vlb->local = get(replay, pairs, sizeof *vlb->local);
    vlb->bits = get(replay, gpus * vlb->words, sizeof *vlb->bits);
    vlb->queues = get(replay, gpus, sizeof *vlb->queues);
    vlb->due = get(replay, replay->plan.vertices, sizeof *vlb->due);
    vlb->light = get(replay, pairs, sizeof *vlb->light);
    vlb->again = get(replay, pairs, sizeof *vlb->again);
    vlb->to = get(replay, gpus, sizeof *vlb->to);
    vlb->want = get(replay, gpus, sizeof *vlb->want);
    vlb->share = get(replay, gpus, sizeof *vlb->share);
    if (!vlb->plan_head || !vlb->plan_tail || !vlb->left || !vlb->stored_head || !vlb->stored_tail || !vlb->stored ||
        !vlb->local || !vlb->bits || !vlb->queues || !vlb->due || !vlb->light || !vlb->again || !vlb->to ||
        !vlb->want || !vlb->share)
        return flux_fail_memory(error);
    for (uint32_t a = 0; a < vlb->gpus; a++)
        for (uint32_t b = 0; b < vlb->gpus; b++)
            vlb->light[(uint64_t)a * gpus + b] = a == b ? 0 : flux_fabric_propagation(fabric, a, b);
    for (uint32_t c = 0; c < cycle->circuits; c++) {
        uint32_t k = cycle->circuit[c].switch_index;
        if (cycle->circuit[c].rate > vlb->rate_most)
            vlb->rate_most = cycle->circuit[c].rate;
        if (cycle->row_first[k + 1] - cycle->row_first[k] > 1)
            vlb->again[cycle->circuit[c].pair] = 1;
    }
    return FLUX_OK;
}

void flux_vlb_reset(struct flux_replay *replay)
{
    struct flux_vlb *vlb = replay->cycle->vlb;
    uint64_t pairs = (uint64_t)vlb->gpus * vlb->gpus;
    vlb->part_count = 0;
    vlb->spare = FLUX_NONE;
    for (uint32_t c = 0; c < replay->cycle->circuits; c++)
        vlb->plan_head[c] = FLUX_NONE;
    for (uint64_t p = 0; p < pairs; p++)
        vlb->stored_head[p] = FLUX_NONE;
    memset(vlb->stored, 0, pairs * sizeof *vlb->stored);
    memset(vlb->local, 0, pairs * sizeof *vlb->local);
    memset(vlb->queues, 0, vlb->gpus * sizeof *vlb->queues);
    memset(vlb->bits, 0, (uint64_t)vlb->gpus * vlb->words * sizeof *vlb->bits);
}

/* A new part, FLUX_NONE where there is no memory. */
static uint32_t take_part(struct flux_replay *replay)
{
    struct flux_vlb *vlb = replay->cycle->vlb;
    uint32_t p = vlb->spare;
    if (p != FLUX_NONE) {
        vlb->spare = vlb->part[p].next;
        return p;
    }
    if (vlb->part_count + 1 >= FLUX_NONE ||
        flux_grow(&replay->memory, &vlb->part, &vlb->part_capacity, vlb->part_count + 1, sizeof *vlb->part))
        return FLUX_NONE;
    return (uint32_t)vlb->part_count++;
}

static void append(struct flux_vlb *vlb, uint32_t *head, uint32_t *tail, uint32_t p)
{
    vlb->part[p].next = FLUX_NONE;
    if (*head == FLUX_NONE)
        *head = p;
    else
        vlb->part[*tail].next = p;
    *tail = p;
}

static int has_time(const struct flux_replay *replay, uint32_t v)
{
    return v != FLUX_NONE && replay->plan.explicit_time[v] > 0;
}

int64_t flux_vlb_fit(const struct flux_replay *replay, uint32_t v, uint32_t c, int64_t time)
{
    if (has_time(replay, v))
        return time;
    const struct flux_cycle *cycle = replay->cycle;
    int64_t fit = (int64_t)((flux_wide)time * cycle->circuit[c].rate / cycle->vlb->rate_most);
    return fit ? fit : 1;
}

/* No more than `left`, into which the amount was found to fit. */
static int64_t need_of(const struct flux_replay *replay, uint32_t v, uint32_t c, int64_t amount, int64_t left)
{
    if (has_time(replay, v))
        return amount;
    const struct flux_cycle *cycle = replay->cycle;
    flux_wide need = flux_ceil_div((flux_wide)amount * cycle->vlb->rate_most, cycle->circuit[c].rate);
    return need > left ? left : (int64_t)need;
}

/* The bytes of the first `amount` of send v. */
static uint64_t bytes_up_to(const struct flux_replay *replay, uint32_t v, int64_t amount)
{
    return (uint64_t)((flux_wide)replay->plan.bytes[v] * amount / replay->cycle->whole[v]);
}

static void count_local(struct flux_vlb *vlb, uint32_t pair, int64_t change)
{
    uint32_t src = pair / vlb->gpus, dst = pair % vlb->gpus, had = vlb->local[pair] > 0;
    vlb->local[pair] += change;
    uint32_t has = vlb->local[pair] > 0;
    if (had == has)
        return;
    vlb->bits[(uint64_t)src * vlb->words + dst / 64] ^= UINT64_C(1) << dst % 64;
    vlb->queues[src] += has - had;
}

int flux_vlb_give_local(struct flux_replay *replay, uint32_t c, uint32_t pair, int64_t most, int64_t left,
                        int64_t *amount, int64_t *need, struct flux_error *error)
{
    struct flux_cycle *cycle = replay->cycle;
    struct flux_vlb *vlb = cycle->vlb;
    uint32_t v = cycle->queue_head[pair], p = take_part(replay);
    if (p == FLUX_NONE)
        return flux_fail_memory(error);
    *amount = flux_vlb_fit(replay, v, c, left);
    *amount = *amount < most ? *amount : most;
    *amount = *amount < cycle->rest[v] ? *amount : cycle->rest[v];
    *need = need_of(replay, v, c, *amount, left);
    int64_t before = cycle->whole[v] - cycle->rest[v];
    vlb->part[p] =
        (struct flux_vlb_part){.send = v,
                               .amount = *amount,
                               .need = *need,
                               .bytes = bytes_up_to(replay, v, before + *amount) - bytes_up_to(replay, v, before)};
    append(vlb, &vlb->plan_head[c], &vlb->plan_tail[c], p);
    count_local(vlb, pair, -*amount);
    cycle->rest[v] -= *amount;
    if (cycle->rest[v] == 0)
        cycle->queue_head[pair] = replay->room.wait_next[v];
    return FLUX_OK;
}

/* What is stored for the circuit's destination goes first; a part that does not fit is split. */
static int give_stored(struct flux_replay *replay, uint32_t c, int64_t time, int64_t *left, struct flux_error *error)
{
    struct flux_cycle *cycle = replay->cycle;
    struct flux_vlb *vlb = cycle->vlb;
    uint32_t pair = cycle->circuit[c].pair, p = vlb->stored_head[pair], next;
    vlb->stored_head[pair] = FLUX_NONE;
    for (; p != FLUX_NONE; p = next) {
        next = vlb->part[p].next;
        int64_t fit = *left ? flux_vlb_fit(replay, vlb->part[p].send, c, *left) : 0;
        if (fit == 0 || vlb->part[p].usable > time) {
            append(vlb, &vlb->stored_head[pair], &vlb->stored_tail[pair], p);
            continue;
        }
        uint32_t given = p;
        if (fit < vlb->part[p].amount) {
            given = take_part(replay);
            if (given == FLUX_NONE)
                return flux_fail_memory(error);
            struct flux_vlb_part *whole = &vlb->part[p], *split = &vlb->part[given];
            *split = *whole;
            split->amount = fit;
            split->bytes = (uint64_t)((flux_wide)whole->bytes * fit / whole->amount);
            whole->amount -= fit;
            whole->bytes -= split->bytes;
            append(vlb, &vlb->stored_head[pair], &vlb->stored_tail[pair], p);
        }
        struct flux_vlb_part *part = &vlb->part[given];
        part->need = need_of(replay, part->send, c, part->amount, *left);
        *left -= part->need;
        vlb->stored[pair] -= part->amount;
        append(vlb, &vlb->plan_head[c], &vlb->plan_tail[c], given);
    }
    return FLUX_OK;
}

/* The next part that circuit c was given goes; without one, it takes of its own pair what became ready in the meantime,
 * or is idle. */
static int go(struct flux_replay *replay, struct flux_replay_result *result, uint32_t c, int64_t time,
              struct flux_error *error)
{
    struct flux_cycle *cycle = replay->cycle;
    struct flux_vlb *vlb = cycle->vlb;
    uint32_t pair = cycle->circuit[c].pair;
    int64_t left = cycle->until[cycle->circuit[c].switch_index] - time, amount, need;
    if (vlb->plan_head[c] == FLUX_NONE && left > 0) {
        int rc = cycle->queue_head[pair] == FLUX_NONE
                     ? FLUX_OK
                     : flux_vlb_give_local(replay, c, pair, left, left, &amount, &need, error);
        if (rc)
            return rc;
        if (vlb->plan_head[c] == FLUX_NONE)
            flux_cycle_set_idle(cycle, c);
    }
    uint32_t p = vlb->plan_head[c];
    if (p == FLUX_NONE)
        return FLUX_OK;
    struct flux_vlb_part *part = &vlb->part[p];
    vlb->plan_head[c] = part->next;
    if (part->need > FLUX_TIME_MAX - time)
        return flux_replay_fail_overflow(part->send, error);
    if (result->times[part->send].start < 0)
        result->times[part->send].start = time;
    cycle->active[c] = p;
    cycle->since[c] = time;
    flux_replay_push(&replay->room, time + part->need, c);
    return FLUX_OK;
}

/* What goes on circuit c for good: from the store, then of its source's own. */
static int give_final(struct flux_replay *replay, uint32_t c, int64_t time, struct flux_error *error)
{
    struct flux_cycle *cycle = replay->cycle;
    uint32_t pair = cycle->circuit[c].pair;
    int64_t left = cycle->until[cycle->circuit[c].switch_index] - time, amount, need;
    int rc = give_stored(replay, c, time, &left, error);
    while (!rc && left > 0 && cycle->queue_head[pair] != FLUX_NONE) {
        rc = flux_vlb_give_local(replay, c, pair, INT64_MAX, left, &amount, &need, error);
        left -= rc ? 0 : need;
    }
    cycle->vlb->left[c] = left;
    return rc;
}

int flux_vlb_begin(struct flux_replay *replay, struct flux_replay_result *result, const struct flux_cycle_row *row,
                   int64_t time, struct flux_error *error)
{
    uint32_t end = row->first + row->count;
    int rc = FLUX_OK;
    for (uint32_t c = row->first; !rc && c < end; c++)
        rc = give_final(replay, c, time, error);
    for (uint32_t c = row->first; !rc && c < end; c++)
        rc = flux_vlb_give_others(replay, c, error);
    for (uint32_t c = row->first; !rc && c < end; c++)
        rc = go(replay, result, c, time, error);
    return rc;
}

int flux_vlb_offer(struct flux_replay *replay, struct flux_replay_result *result, uint32_t v, int64_t time,
                   struct flux_error *error)
{
    struct flux_cycle *cycle = replay->cycle;
    struct flux_vlb *vlb = cycle->vlb;
    uint32_t pair = cycle->pair_of[v];
    int64_t all = replay->plan.explicit_time[v];
    if (all == 0)
        all = flux_transfer_time(replay->plan.bytes[v], vlb->rate_most);
    if (all < 0)
        return flux_replay_fail_overflow(v, error);
    cycle->whole[v] = cycle->rest[v] = vlb->due[v] = all;
    count_local(vlb, pair, all);
    replay->room.wait_next[v] = FLUX_NONE;
    if (cycle->queue_head[pair] == FLUX_NONE)
        cycle->queue_head[pair] = v;
    else
        replay->room.wait_next[cycle->queue_tail[pair]] = v;
    cycle->queue_tail[pair] = v;
    uint32_t c = flux_cycle_best_idle(cycle, pair, time);
    if (c == FLUX_NONE)
        return FLUX_OK;
    flux_cycle_unset_idle(cycle, c);
    return go(replay, result, c, time, error);
}

/* A part is where its send goes. What waits for the send there waits for the light of the pair; over a third GPU it may
 * be longer on its way, and then the send ends later by that. */
static int arrive(struct flux_replay *replay, struct flux_replay_result *result, uint32_t p, uint32_t c, int64_t time,
                  struct flux_error *error)
{
    struct flux_cycle *cycle = replay->cycle;
    struct flux_vlb *vlb = cycle->vlb;
    uint32_t v = vlb->part[p].send;
    int64_t longer = vlb->light[cycle->circuit[c].pair] - vlb->light[cycle->pair_of[v]];
    if (longer > FLUX_TIME_MAX - time)
        return flux_replay_fail_overflow(v, error);
    int64_t end = longer > 0 ? time + longer : time;
    if (end > result->times[v].end)
        result->times[v].end = end;
    cycle->delivered += vlb->part[p].bytes;
    vlb->due[v] -= vlb->part[p].amount;
    vlb->part[p].next = vlb->spare;
    vlb->spare = p;
    if (vlb->due[v])
        return FLUX_OK;
    cycle->left--;
    return flux_replay_tell(replay, result, v, error);
}

/* A part is where it is stored until its second circuit comes up. */
static int store(struct flux_replay *replay, uint32_t p, uint32_t c, int64_t time, struct flux_error *error)
{
    struct flux_vlb *vlb = replay->cycle->vlb;
    struct flux_vlb_part *part = &vlb->part[p];
    uint32_t at = replay->cycle->circuit[c].pair % vlb->gpus;
    uint32_t pair = at * vlb->gpus + replay->audit.precedence.to[part->send];
    int64_t light = vlb->light[replay->cycle->circuit[c].pair];
    if (light > FLUX_TIME_MAX - time)
        return flux_replay_fail_overflow(part->send, error);
    part->usable = time + light;
    append(vlb, &vlb->stored_head[pair], &vlb->stored_tail[pair], p);
    replay->cycle->forwarded += part->bytes;
    return FLUX_OK;
}

int flux_vlb_end(struct flux_replay *replay, struct flux_replay_result *result, uint32_t c, int64_t time,
                 struct flux_error *error)
{
    struct flux_cycle *cycle = replay->cycle;
    struct flux_vlb *vlb = cycle->vlb;
    uint32_t p = cycle->active[c], src = cycle->circuit[c].pair / vlb->gpus, dst = cycle->circuit[c].pair % vlb->gpus;
    int here = replay->audit.precedence.to[vlb->part[p].send] == dst;
    cycle->active[c] = FLUX_NONE;
    cycle->busy += time - cycle->since[c];
    const struct flux_replay_part part = {.start = cycle->since[c],
                                          .end = time,
                                          .bytes = vlb->part[p].bytes,
                                          .send = vlb->part[p].send,
                                          .switch_index = cycle->circuit[c].switch_index,
                                          .src = src,
                                          .dst = dst};
    int rc = flux_replay_add_part(replay, result, &part, error);
    if (!rc)
        rc = here ? arrive(replay, result, p, c, time, error) : store(replay, p, c, time, error);
    return rc ? rc : go(replay, result, c, time, error);
}

void flux_cycle_end(struct flux_replay *replay)
{
    struct flux_vlb *vlb = replay->cycle->vlb;
    if (vlb)
        flux_release(&replay->memory, vlb->part, vlb->part_capacity, sizeof *vlb->part);
}
