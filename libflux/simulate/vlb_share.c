/* SPDX-License-Identifier: Apache-2.0
 *
 * simulate/vlb_share.c - what a GPU offers over a third one, and what that takes.
 */
#include "simulate/vlb.h"

/* To whom `src` has something of its own, but not to `except`, and how much. */
static uint32_t collect(struct flux_vlb *vlb, uint32_t src, uint32_t except)
{
    uint32_t count = 0;
    for (uint32_t word = 0; word < vlb->words; word++)
        for (uint64_t bits = vlb->bits[(uint64_t)src * vlb->words + word]; bits; bits &= bits - 1) {
            uint32_t dst = 64 * word + (uint32_t)__builtin_ctzll(bits);
            flux_wide local = vlb->local[(uint64_t)src * vlb->gpus + dst];
            if (dst == except)
                continue;
            vlb->to[count] = dst;
            vlb->want[count++] = local > FLUX_TIME_MAX ? FLUX_TIME_MAX : (int64_t)local;
        }
    return count;
}

/* Equal shares of `room`, where what one does not want goes to the others; what cannot be shared evenly goes, 1 each,
 * to the first that want more. */
static void share_fairly(struct flux_vlb *vlb, uint32_t count, int64_t room)
{
    uint32_t open = count;
    int64_t level = 0;
    for (uint32_t i = 0; i < count; i++)
        vlb->share[i] = -1;
    for (uint32_t before = 0; open && open != before;) {
        before = open;
        level = room / open;
        for (uint32_t i = 0; i < count; i++)
            if (vlb->share[i] < 0 && vlb->want[i] <= level) {
                vlb->share[i] = vlb->want[i];
                room -= vlb->want[i];
                open--;
            }
    }
    int64_t over = open ? room % open : 0;
    for (uint32_t i = 0; i < count; i++)
        if (vlb->share[i] < 0)
            vlb->share[i] = level + (over-- > 0);
}

int flux_vlb_give_others(struct flux_replay *replay, uint32_t c, struct flux_error *error)
{
    struct flux_cycle *cycle = replay->cycle;
    struct flux_vlb *vlb = cycle->vlb;
    uint32_t k = cycle->circuit[c].switch_index, pair = cycle->circuit[c].pair;
    uint32_t src = pair / vlb->gpus, at = pair % vlb->gpus;
    uint32_t count = vlb->queues[src] && vlb->left[c] > 0 ? collect(vlb, src, at) : 0;
    flux_wide slot = flux_vlb_fit(replay, FLUX_NONE, c, cycle->row[cycle->state[k]].duration);
    int64_t left = vlb->left[c];
    int rc = FLUX_OK;
    if (count)
        share_fairly(vlb, count, flux_vlb_fit(replay, FLUX_NONE, c, left));
    for (uint32_t i = 0; !rc && left > 0 && i < count; i++) {
        uint64_t onward = (uint64_t)at * vlb->gpus + vlb->to[i], own = (uint64_t)src * vlb->gpus + vlb->to[i];
        flux_wide most = slot - vlb->stored[onward] - vlb->local[onward];
        if (!vlb->again[onward])
            continue;
        int64_t rest = most < vlb->share[i] ? (int64_t)most : vlb->share[i], amount, need;
        while (!rc && rest > 0 && left > 0) {
            rc = flux_vlb_give_local(replay, c, (uint32_t)own, rest, left, &amount, &need, error);
            if (rc)
                break;
            vlb->stored[onward] += amount;
            rest -= amount;
            left -= need;
        }
    }
    return rc;
}
