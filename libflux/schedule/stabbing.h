/* SPDX-License-Identifier: Apache-2.0
 *
 * schedule/stabbing.h - when the changes of one switch can begin.
 *
 * Every change has a window in which it must begin. All begins lie in the allowed ranges, and two of them are equal or
 * at least the dwell apart. In other words: a set of points, no two closer than the dwell, that meets every window.
 *
 * Let the distinct lower ends of windows cut time into classes. A set of points is fine when from each point x the next
 * one is at x + dwell or later, and no later than the least upper end among the windows that begin after x; that limit
 * is the same for all x of a class. So the earliest point of a class that can be reached reaches all that any point of
 * the class reaches, and since both ends of what is reached grow from class to class, one pointer over the classes
 * finds the earliest reachable point of each: O(n log n) for n windows, the logarithm for the allowed ranges.
 */
#ifndef FLUX_SCHEDULE_STABBING_H
#define FLUX_SCHEDULE_STABBING_H

#include "base/memory.h"

#include <stdint.h>

/* Begins from lo to hi, both included. */
struct flux_window {
    int64_t lo;
    int64_t hi;
    uint32_t tenure; /* whose change it is; of no meaning in an allowed range */
    uint32_t padding;
};

struct flux_stabbing {
    const struct flux_window *windows; /* by lo, ascending; 0 <= lo <= hi */
    uint64_t count;
    const struct flux_window *allowed; /* ascending, apart; the last ends at INT64_MAX */
    uint64_t allowed_count;
    int64_t dwell;
    uint64_t classes;
    uint64_t *first;  /* by class 0 .. classes: its first window; [classes] is count */
    uint64_t *strict; /* by class, counted from 1: the window whose upper end limits what follows a point of that class;
                         [0] is the one that limits the first point, and [classes] is count: none */
};

/* The least allowed time at `time` or later, and the greatest at `time` or before (-1: there is none). */
int64_t flux_stabbing_next(const struct flux_stabbing *stabbing, int64_t time);
int64_t flux_stabbing_previous(const struct flux_stabbing *stabbing, int64_t time);

/* Fills classes, first and strict from the rest. `arena` keeps them. 0 or FLUX_E_MEMORY. */
int flux_stabbing_prepare(struct flux_stabbing *stabbing, struct flux_arena *arena);

/* Where there is no set of points. */
struct flux_stuck {
    uint64_t window; /* cannot be met */
    uint64_t before; /* must be met by an earlier point */
    int64_t point;   /* that point, at the earliest */
    int64_t next;    /* the earliest point after it: beyond the upper end of `window` */
};

/* 1 where there is a set of points, 0 where there is none (`stuck` tells why), FLUX_E_MEMORY. */
int flux_stabbing_test(const struct flux_stabbing *stabbing, struct flux_arena *arena, struct flux_stuck *stuck);

/* The set whose first point is earliest, whose second one is earliest after that, and so on, without points that meet
 * no new window. `points` has room for one per class. 0, FLUX_E_MEMORY, or FLUX_E_MISMATCH where there is no set. */
int flux_stabbing_choose(const struct flux_stabbing *stabbing, struct flux_arena *arena, int64_t *points,
                         uint64_t *count);

#endif
