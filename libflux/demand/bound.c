/* SPDX-License-Identifier: Apache-2.0
 *
 * demand/bound.c - what no plan can beat.
 *
 * A line (row or column) has k entries that sum to w, and s switches. Say that a plan has K states in which the line
 * takes part; K is at least k, as each entry needs one. For every j below s, the j switches with the fewest of these
 * states have at most C = floor(j K / s) of them, and so serve at most the C largest entries, top(C) together. The
 * rest, w - top(C), and the other K - C states fall on s - j switches:
 *
 *     makespan >= (w - top(C) + (K - C) delay) / (s - j)
 *
 * The largest of these over j, then the least over K, holds for every plan; j = 0 says (w + K delay) / s.
 *
 * No state is longer than the makespan M, so an entry d takes part in at least ceil(d / (M - delay)) of them, and K is
 * at least their sum. It falls as M grows: the least M that satisfies both is the bound.
 */
#include "base/wide.h"
#include "demand/demand.h"

#include <stdlib.h>

#define MORE_MAX 64u /* states beyond one for each entry that are looked at one by one */

static int compare_falling(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return *a > *b ? -1 : *a < *b;
}

/* `top[c]`: sum of the c largest of `entries`. */
static flux_wide with_states(const int64_t *top, uint64_t entries, uint64_t states, uint32_t switches, int64_t delay)
{
    flux_wide most = 0;
    for (uint32_t j = 0; j < switches; j++) {
        uint64_t few = (uint64_t)j * states / switches;
        flux_wide rest = (flux_wide)top[entries] - top[few < entries ? few : entries];
        flux_wide time = flux_ceil_div(rest + (flux_wide)(states - few) * delay, switches - j);
        most = time > most ? time : most;
    }
    return most;
}

/* With at least `states` of them. */
static flux_wide with_at_least(const int64_t *top, uint64_t entries, uint64_t states, uint32_t switches, int64_t delay)
{
    uint64_t last = states + (switches < MORE_MAX / 2 ? 2 * switches : MORE_MAX);
    flux_wide least = -1;
    for (; states <= last; states++) {
        flux_wide floor = flux_ceil_div((flux_wide)top[entries] + (flux_wide)states * delay, switches);
        if (least >= 0 && floor >= least)
            return least;
        flux_wide time = with_states(top, entries, states, switches, delay);
        least = least < 0 || time < least ? time : least;
    }
    /* More states than that: what j = 0 says of all of them. */
    flux_wide beyond = flux_ceil_div((flux_wide)top[entries] + (flux_wide)states * delay, switches);
    return beyond < least ? beyond : least;
}

/* The makespan that as many states need as `makespan` makes necessary. */
static flux_wide needed_for(const int64_t *top, uint64_t entries, uint32_t switches, int64_t delay, flux_wide makespan)
{
    uint64_t states = 0;
    for (uint64_t i = 0; i < entries; i++)
        states += (uint64_t)flux_ceil_div(top[i + 1] - top[i], makespan - delay);
    return with_at_least(top, entries, states, switches, delay);
}

static flux_wide line_bound(const int64_t *top, uint64_t entries, uint32_t switches, int64_t delay)
{
    /* A state is at least a delay and one more. */
    flux_wide low = with_at_least(top, entries, entries, switches, delay);
    low = low > delay ? low : (flux_wide)delay + 1;
    flux_wide high = needed_for(top, entries, switches, delay, low);
    while (low < high) {
        flux_wide middle = low + (high - low) / 2;
        if (needed_for(top, entries, switches, delay, middle) <= middle)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

int flux_demand_bound(const struct flux_demand_matrix *matrix, uint32_t switches, int64_t *bound)
{
    uint64_t n = matrix->ports;
    int64_t *entry = flux_arena_alloc(matrix->arena, 2 * n + 1, sizeof *entry), *top = entry + n;
    flux_wide best = 0;
    if (!entry)
        return FLUX_E_MEMORY;
    for (uint64_t line = 0; line < 2 * n; line++) {
        uint64_t count = 0;
        for (uint64_t i = 0; i < n; i++) {
            int64_t time = line < n ? matrix->demand[line * n + i] : matrix->demand[i * n + line - n];
            if (time)
                entry[count++] = time;
        }
        if (!count)
            continue;
        qsort(entry, (size_t)count, sizeof *entry, compare_falling);
        top[0] = 0;
        for (uint64_t i = 0; i < count; i++)
            top[i + 1] = top[i] + entry[i];
        flux_wide time = line_bound(top, count, switches, matrix->delay);
        best = time > best ? time : best;
    }
    *bound = (int64_t)best;
    return FLUX_OK;
}
