/* SPDX-License-Identifier: Apache-2.0
 *
 * search/reseat.h - another place for one send, so that circuits are set up less often.
 *
 * A circuit is set up by a send before which another circuit was on one of its ports. So what a send's place costs can
 * be read from it and the users behind it.
 */
#ifndef FLUX_SEARCH_RESEAT_H
#define FLUX_SEARCH_RESEAT_H

#include "base/random.h"
#include "search/users.h"

/* 1 where the send's circuit replaces another one. */
uint32_t flux_reseat_changes(const struct flux_users *users, uint32_t node);

/* All of them: as the reconfigurations of the schedule. */
uint64_t flux_reseat_count(const struct flux_users *users);

/* Moves `node` where it costs fewest; among these to the most sends of its circuit beside it. It stays where neither
 * gets better. With `random`: to any other place that costs no more than `dearer` more. `change` gets what it costs
 * or saves, `from` where it was. 1: moved, 0: not, or MEMORY. */
int flux_reseat(struct flux_users *users, uint32_t node, struct flux_random *random, uint32_t dearer, int32_t *change,
                struct flux_seat *from);

#endif
