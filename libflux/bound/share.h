/* SPDX-License-Identifier: Apache-2.0
 *
 * bound/share.h - sends that are never split, dealt out to equal links: how short can the fullest link be?
 *
 * Sums over links let every link carry a fraction of a send. Counting does not: of 14 sends on 4 links some link has at
 * least 4. docs/certificates.md (`port-share`) has the number and its proof.
 */
#ifndef FLUX_BOUND_SHARE_H
#define FLUX_BOUND_SHARE_H

#include <stdint.h>

struct flux_share {
    const int64_t *sum; /* sum[i]: of the i longest sends */
    uint32_t sends;
    uint32_t circuits; /* that the sends use, at least 1 */
    uint32_t links;
    int64_t delay;
    uint32_t *most;  /* scratch: by number of circuits, circuits + 1 of them: sends that fit on one link */
    uint32_t *dealt; /* scratch: the same, by circuits dealt so far: sends dealt at most */
    uint64_t steps;  /* grows by what was looked at */
};

/* Can each link be done after `time`, with every send and every circuit on some link? Only the shortest sends are
 * counted on each link, so a "yes" proves nothing and a "no" everything. */
int flux_share_fits(struct flux_share *share, int64_t time);

/* The least time in which they fit, given that they do not in `time`. */
int64_t flux_share_least(struct flux_share *share, int64_t time);

#endif
