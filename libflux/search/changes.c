/* SPDX-License-Identifier: Apache-2.0 */
#include "search/changes.h"

#include <libflux/error.h>
#include <libflux/graph.h>
#include <string.h>

void flux_changes_init(struct flux_changes *changes, const struct flux_memory *memory, int64_t delay, int64_t dwell,
                       int blocking)
{
    *changes =
        (struct flux_changes){.memory = memory, .delay = delay, .dwell = dwell, .blocking = blocking && delay > 0};
}

void flux_changes_free(struct flux_changes *changes)
{
    flux_release(changes->memory, changes->begin, changes->room, sizeof *changes->begin);
    flux_release(changes->memory, changes->busy, changes->busy_room, sizeof *changes->busy);
    changes->begin = NULL;
    changes->busy = NULL;
    changes->room = changes->busy_room = 0;
    flux_changes_reset(changes);
}

void flux_changes_reset(struct flux_changes *changes)
{
    changes->count = 0;
    changes->busy_count = 0;
}

/* How many changes begin before `time`. */
static uint64_t begins_before(const struct flux_changes *changes, int64_t time)
{
    uint64_t low = 0;
    uint64_t high = changes->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (changes->begin[middle] < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* How many busy stretches end before `time`, or at it where `touching` is 0. */
static uint64_t busy_before(const struct flux_changes *changes, int64_t time, int touching)
{
    uint64_t low = 0;
    uint64_t high = changes->busy_count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (changes->busy[middle].end < time + !touching)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t flux_changes_clear(const struct flux_changes *changes, int64_t time, int64_t duration)
{
    if (!changes->blocking)
        return time;
    /* The first change that is not over at `time` begins after time - delay. */
    for (uint64_t i = begins_before(changes, time - changes->delay + 1); i < changes->count; i++) {
        if (changes->begin[i] - duration >= time)
            break;
        time = changes->begin[i] + changes->delay;
    }
    return time;
}

int64_t flux_changes_next(const struct flux_changes *changes, int64_t from)
{
    uint64_t i = begins_before(changes, from);
    return i < changes->count ? changes->begin[i] : FLUX_TIME_MAX;
}

/* The earliest begin at or after `time` that leaves the sends alone. */
static int64_t idle_at(const struct flux_changes *changes, int64_t time)
{
    if (!changes->blocking)
        return time;
    for (uint64_t i = busy_before(changes, time, 0); i < changes->busy_count; i++) {
        if (changes->busy[i].begin - changes->delay >= time)
            break;
        time = changes->busy[i].end;
    }
    return time;
}

int64_t flux_changes_earliest(const struct flux_changes *changes, int64_t from)
{
    for (int64_t time = from;;) {
        int64_t begin = idle_at(changes, time);
        uint64_t i = begins_before(changes, begin);
        int64_t soonest = i ? changes->begin[i - 1] + changes->dwell : 0;
        if (i < changes->count) {
            int64_t next = changes->begin[i];
            int64_t latest = next - changes->dwell;
            if (begin == next || begin > latest || soonest > latest)
                return next; /* with it, as there is no room between the two */
        }
        if (begin >= soonest)
            return begin;
        time = soonest;
    }
}

int flux_changes_add(struct flux_changes *changes, int64_t begin)
{
    uint64_t i = begins_before(changes, begin);
    if (i < changes->count && changes->begin[i] == begin)
        return FLUX_OK;
    int rc = flux_grow(changes->memory, &changes->begin, &changes->room, changes->count + 1, sizeof *changes->begin);
    if (rc)
        return rc;
    memmove(&changes->begin[i + 1], &changes->begin[i], (changes->count - i) * sizeof *changes->begin);
    changes->begin[i] = begin;
    changes->count++;
    return FLUX_OK;
}

int flux_changes_send(struct flux_changes *changes, int64_t begin, int64_t end)
{
    if (!changes->blocking)
        return FLUX_OK;
    uint64_t i = busy_before(changes, begin, 1);
    uint64_t last = i;
    struct flux_stretch whole = {begin, end};
    for (; last < changes->busy_count && changes->busy[last].begin <= end; last++) {
        whole.begin = changes->busy[last].begin < whole.begin ? changes->busy[last].begin : whole.begin;
        whole.end = changes->busy[last].end > whole.end ? changes->busy[last].end : whole.end;
    }
    if (last == i) {
        int rc = flux_grow(changes->memory, &changes->busy, &changes->busy_room, changes->busy_count + 1,
                           sizeof *changes->busy);
        if (rc)
            return rc;
    }
    /* Stretches i .. last - 1 become one. */
    memmove(&changes->busy[i + 1], &changes->busy[last], (changes->busy_count - last) * sizeof *changes->busy);
    changes->busy[i] = whole;
    changes->busy_count += i + 1;
    changes->busy_count -= last;
    return FLUX_OK;
}
