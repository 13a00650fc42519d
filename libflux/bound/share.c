/* SPDX-License-Identifier: Apache-2.0 */
#include "bound/share.h"

#include <string.h>

/* By number of circuits on one link, how many sends fit there with them. Returns the largest number of circuits that
 * fit. More circuits leave less time: both pointers only move one way. */
static uint32_t fill_link(struct flux_share *share, int64_t time)
{
    uint32_t sends = share->sends, circuits = 0;
    for (uint32_t j = 1; j <= share->circuits; j++) {
        int64_t room = time - (j - 1) * share->delay;
        while (sends && share->sum[share->sends] - share->sum[share->sends - sends] > room)
            sends--;
        share->steps++;
        if (sends < j)
            break;
        share->most[circuits = j] = sends;
    }
    return circuits;
}

/* The most sends that all links together take while they take every circuit. */
static int deal(struct flux_share *share, uint32_t circuits)
{
    uint32_t all = share->circuits, *dealt = share->dealt; /* 0: not reached; else sends + 1 */
    memset(dealt, 0, ((uint64_t)all + 1) * sizeof *dealt);
    dealt[0] = 1;
    for (uint32_t link = 0; link < share->links; link++) {
        share->steps += (uint64_t)(all + 1) * circuits;
        for (uint32_t had = all + 1; had-- > 0;) {
            uint32_t before = dealt[had];
            if (!before)
                continue;
            for (uint32_t j = 1; j <= circuits; j++) {
                uint32_t to = had + j < all ? had + j : all, sends = before + share->most[j];
                sends = sends <= share->sends ? sends : share->sends + 1;
                dealt[to] = sends > dealt[to] ? sends : dealt[to];
            }
        }
        if (dealt[all] > share->sends)
            return 1;
    }
    return 0;
}

int flux_share_fits(struct flux_share *share, int64_t time)
{
    uint32_t links = share->links, each = (share->circuits + links - 1) / links;
    if (time < 0)
        return 0;
    uint32_t circuits = fill_link(share, time);
    if (circuits < each || (uint64_t)share->most[1] * links < share->sends)
        return 0;
    if ((uint64_t)share->most[each] * links >= share->sends)
        return 1;
    return deal(share, circuits);
}

int64_t flux_share_least(struct flux_share *share, int64_t time)
{
    int64_t step = share->sum[1] + share->delay + 1, low = time, high = time + step;
    while (!flux_share_fits(share, high)) {
        low = high;
        high += step *= 2;
    }
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (flux_share_fits(share, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}
