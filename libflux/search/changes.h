/* SPDX-License-Identifier: Apache-2.0
 *
 * search/changes.h - when the circuits of one switch change, for switches that stop as a whole or have a dwell.
 *
 * Begins of changes are committed one by one. While a change of a blocking switch is under way nothing is sent on it,
 * and a new one needs a stretch in which the whole switch is idle. Two begins are equal or a dwell apart.
 */
#ifndef FLUX_SEARCH_CHANGES_H
#define FLUX_SEARCH_CHANGES_H

#include "base/memory.h"

struct flux_stretch {
    int64_t begin;
    int64_t end;
};

struct flux_changes {
    const struct flux_memory *memory;
    int64_t delay;
    int64_t dwell;
    uint32_t blocking; /* 1: a change stops the whole switch */
    uint32_t padding;
    int64_t *begin; /* of the changes, ascending */
    uint64_t count;
    uint64_t room;
    struct flux_stretch *busy; /* while anything is sent, ascending, apart from each other; only where blocking */
    uint64_t busy_count;
    uint64_t busy_room;
};

void flux_changes_init(struct flux_changes *changes, const struct flux_memory *memory, int64_t delay, int64_t dwell,
                       int blocking);
void flux_changes_free(struct flux_changes *changes);
void flux_changes_reset(struct flux_changes *changes); /* none any more */

/* The earliest time at or after `time` from which `duration` passes without a change that stops the switch. */
int64_t flux_changes_clear(const struct flux_changes *changes, int64_t time, int64_t duration);

/* The first committed change that begins at or after `from`; FLUX_TIME_MAX: none. */
int64_t flux_changes_next(const struct flux_changes *changes, int64_t from);

/* The earliest time at or after `from` at which a change can begin, be it committed already or new. There always is
 * one: after everything. */
int64_t flux_changes_earliest(const struct flux_changes *changes, int64_t from);

/* Commits a change that begins at a time found by flux_changes_earliest(). Errors: MEMORY. */
int flux_changes_add(struct flux_changes *changes, int64_t begin);

/* A send at a time found by flux_changes_clear(). Errors: MEMORY. */
int flux_changes_send(struct flux_changes *changes, int64_t begin, int64_t end);

#endif
