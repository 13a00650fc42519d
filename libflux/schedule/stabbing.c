/* SPDX-License-Identifier: Apache-2.0 */
#include "schedule/stabbing.h"

#include <libflux/error.h>

/* The first allowed range that ends at `time` or later; there is one. */
static uint64_t range_at(const struct flux_stabbing *stabbing, int64_t time)
{
    uint64_t low = 0, high = stabbing->allowed_count - 1;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (stabbing->allowed[middle].hi < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t flux_stabbing_next(const struct flux_stabbing *stabbing, int64_t time)
{
    int64_t lo = stabbing->allowed[range_at(stabbing, time)].lo;
    return lo > time ? lo : time;
}

int64_t flux_stabbing_previous(const struct flux_stabbing *stabbing, int64_t time)
{
    uint64_t range = range_at(stabbing, time);
    if (stabbing->allowed[range].lo <= time)
        return time;
    return range ? stabbing->allowed[range - 1].hi : -1;
}

int flux_stabbing_prepare(struct flux_stabbing *stabbing, struct flux_arena *arena)
{
    const struct flux_window *windows = stabbing->windows;
    uint64_t n = stabbing->count, classes = 0;
    stabbing->first = flux_arena_alloc(arena, n + 1, sizeof *stabbing->first);
    stabbing->strict = flux_arena_alloc(arena, n + 1, sizeof *stabbing->strict);
    if (!stabbing->first || !stabbing->strict)
        return FLUX_E_MEMORY;
    for (uint64_t i = 0; i < n; i++)
        if (i == 0 || windows[i].lo > windows[i - 1].lo)
            stabbing->first[classes++] = i;
    stabbing->first[classes] = n;
    stabbing->classes = classes;
    uint64_t strict = n;
    for (uint64_t c = classes;; c--) {
        stabbing->strict[c] = strict;
        if (c == 0)
            return FLUX_OK;
        for (uint64_t i = stabbing->first[c]; i-- > stabbing->first[c - 1];)
            if (strict == n || windows[i].hi <= windows[strict].hi)
                strict = i;
    }
}

/* Class c counts from 1; class 0 is the time before all windows, from which every first point is reached. */
static int64_t class_begin(const struct flux_stabbing *stabbing, uint64_t c)
{
    return stabbing->windows[stabbing->first[c - 1]].lo;
}

/* The last time of a class. */
static int64_t class_end(const struct flux_stabbing *stabbing, uint64_t c)
{
    return c < stabbing->classes ? class_begin(stabbing, c + 1) - 1 : INT64_MAX;
}

/* No point that follows one of class c is later. */
static int64_t limit(const struct flux_stabbing *stabbing, uint64_t c)
{
    uint64_t strict = stabbing->strict[c];
    return strict < stabbing->count ? stabbing->windows[strict].hi : INT64_MAX;
}

/* The earliest point of class `to` or later that may follow `point` of class `from`. */
static int64_t after(const struct flux_stabbing *stabbing, uint64_t from, int64_t point, uint64_t to)
{
    int64_t time = class_begin(stabbing, to);
    if (from > 0 && point > INT64_MAX - stabbing->dwell)
        time = INT64_MAX;
    else if (from > 0 && point + stabbing->dwell > time)
        time = point + stabbing->dwell;
    return flux_stabbing_next(stabbing, time);
}

int flux_stabbing_test(const struct flux_stabbing *stabbing, struct flux_arena *arena, struct flux_stuck *stuck)
{
    uint64_t classes = stabbing->classes, from = 0;
    int64_t *earliest = flux_arena_alloc(arena, classes + 1, sizeof *earliest); /* by class; -1: out of reach */
    if (!earliest)
        return FLUX_E_MEMORY;
    earliest[0] = 0;
    for (uint64_t c = 1; c <= classes; c++) {
        int64_t point = after(stabbing, from, earliest[from], c);
        while (point > limit(stabbing, from)) {
            uint64_t before = from ? stabbing->first[from - 1] : stabbing->strict[0];
            *stuck = (struct flux_stuck){stabbing->strict[from], before, earliest[from], point};
            do
                from++;
            while (from < c && earliest[from] < 0);
            if (from == c)
                return 0;
            point = after(stabbing, from, earliest[from], c);
        }
        earliest[c] = point <= class_end(stabbing, c) ? point : -1;
    }
    return 1;
}

/* By class, the latest point from which the rest can be met; -1 where there is none. All earlier ones of the class will
 * do as well. `later` has room for the classes. */
static void find_latest(const struct flux_stabbing *stabbing, int64_t *latest, uint64_t *later)
{
    uint64_t classes = stabbing->classes, begin = 0, end = 0; /* later[begin .. end - 1]: from the last class down */
    latest[classes] = INT64_MAX;
    later[end++] = classes;
    for (uint64_t c = classes; c-- > 1;) {
        int64_t point = -1;
        for (; begin < end; begin++) { /* limits fall with c, so what is beyond one is beyond all that follow */
            int64_t last = latest[later[begin]], most = limit(stabbing, c);
            point = flux_stabbing_previous(stabbing, last < most ? last : most);
            if (point >= class_begin(stabbing, later[begin]))
                break;
            point = -1;
        }
        latest[c] = -1;
        if (point < stabbing->dwell)
            continue;
        point -= stabbing->dwell;
        point = flux_stabbing_previous(stabbing, point < class_end(stabbing, c) ? point : class_end(stabbing, c));
        if (point < class_begin(stabbing, c))
            continue;
        latest[c] = point;
        later[end++] = c;
    }
}

int flux_stabbing_choose(const struct flux_stabbing *stabbing, struct flux_arena *arena, int64_t *points,
                         uint64_t *count)
{
    uint64_t classes = stabbing->classes, from = 0;
    int64_t point = 0;
    int64_t *latest = flux_arena_alloc(arena, classes + 1, sizeof *latest);
    uint64_t *later = flux_arena_alloc(arena, classes + 1, sizeof *later);
    *count = 0;
    if (!latest || !later)
        return FLUX_E_MEMORY;
    if (classes)
        find_latest(stabbing, latest, later);
    for (uint64_t c = 1; c <= classes; c++) {
        int64_t next = after(stabbing, from, point, c);
        if (next > limit(stabbing, from))
            return FLUX_E_MISMATCH;
        if (next > class_end(stabbing, c) || next > latest[c])
            continue;
        points[(*count)++] = point = next;
        from = c;
    }
    return from == classes ? FLUX_OK : FLUX_E_MISMATCH;
}
