/* SPDX-License-Identifier: Apache-2.0 */
#include "replan/holders.h"

#include <libflux/error.h>
#include <string.h>

int flux_holders_init(struct flux_holders *holders, const struct flux_fabric *fabric, struct flux_arena *arena)
{
    holders->rule = flux_fabric_rule(fabric);
    holders->gpus = flux_fabric_gpus(fabric);
    holders->switches = flux_fabric_switches(fabric);
    holders->sides = holders->rule == FLUX_RULE_SIMPLEX ? 2 : 1;
    uint64_t places = (uint64_t)holders->gpus * holders->switches * holders->sides;
    holders->at = flux_arena_alloc(arena, places, sizeof *holders->at);
    if (!holders->at)
        return FLUX_E_MEMORY;
    memset(holders->at, 0xff, (size_t)places * sizeof *holders->at);
    return FLUX_OK;
}

void flux_holders_set(struct flux_holders *holders, uint32_t k, uint32_t src, uint32_t dst)
{
    holders->at[flux_holders_source(holders, k, src)] = (struct flux_holder){src, dst};
    holders->at[flux_holders_target(holders, k, dst)] = (struct flux_holder){src, dst};
}

void flux_holders_fill(struct flux_holders *holders, uint32_t k, uint32_t src, uint32_t dst, int gone)
{
    const uint64_t place[2] = {flux_holders_source(holders, k, src), flux_holders_target(holders, k, dst)};
    for (int i = 0; i < 2; i++)
        if (holders->at[place[i]].src == FLUX_NONE)
            holders->at[place[i]] = gone ? (struct flux_holder){i ? dst : src, i ? dst : src}
                                         : (struct flux_holder){src, dst};
}

const struct flux_holder *flux_holders_rival(const struct flux_holders *holders, uint32_t k, uint32_t src, uint32_t dst)
{
    const uint64_t place[2] = {flux_holders_source(holders, k, src), flux_holders_target(holders, k, dst)};
    const struct flux_holder circuit = {src, dst};
    for (int i = 0; i < 2; i++) {
        const struct flux_holder *holder = &holders->at[place[i]];
        if (holder->src != FLUX_NONE && !flux_holders_same(holders, holder, &circuit))
            return holder;
    }
    return NULL;
}

int flux_holders_up(const struct flux_holders *holders, uint32_t k, uint32_t src, uint32_t dst)
{
    return holders->at[flux_holders_source(holders, k, src)].src != FLUX_NONE &&
           holders->at[flux_holders_target(holders, k, dst)].src != FLUX_NONE &&
           !flux_holders_rival(holders, k, src, dst);
}
