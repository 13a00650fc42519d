/* SPDX-License-Identifier: Apache-2.0
 *
 * schedule/changes.c - stage 6 of the audit: on a switch that goes dark as a whole, or that must rest between two
 * changes, is there a time for each change? And, for the circuit program, which.
 */
#include "base/fail.h"
#include "schedule/audit.h"
#include "schedule/stabbing.h"

#include <inttypes.h>
#include <libflux/units.h>
#include <stdio.h>

static int goes_dark(const struct flux_audit *audit, uint32_t k)
{
    return flux_fabric_blocking(audit->fabric, k) == FLUX_BLOCKING_SWITCH && flux_fabric_delay(audit->fabric, k) > 0;
}

/* The latest begin of a tenure's change. */
static int64_t latest_begin(const struct flux_audit *audit, const struct flux_tenure *tenure)
{
    return audit->times[tenure->first].start - flux_fabric_delay(audit->fabric, tenure->switch_index);
}

/* The windows of the changes of switch k, by lo. */
static int find_windows(const struct flux_audit *audit, uint32_t k, struct flux_arena *scratch,
                        struct flux_stabbing *stabbing)
{
    uint64_t room = audit->tenure_first[k + 1] - audit->tenure_first[k], count = 0;
    struct flux_keyed *rows = flux_arena_alloc(scratch, room, sizeof *rows);
    struct flux_keyed *spare = flux_arena_alloc(scratch, room, sizeof *spare);
    struct flux_window *windows = flux_arena_alloc(scratch, room, sizeof *windows);
    if (!rows || !spare || !windows)
        return FLUX_E_MEMORY;
    for (uint32_t i = audit->tenure_first[k]; i < audit->tenure_first[k + 1]; i++)
        if (audit->tenure[i].changed)
            rows[count++] = (struct flux_keyed){(uint64_t)audit->tenure[i].free, i, 0};
    flux_radix_sort(rows, spare, count);
    for (uint64_t i = 0; i < count; i++) {
        const struct flux_tenure *tenure = &audit->tenure[rows[i].item];
        windows[i] = (struct flux_window){tenure->free, latest_begin(audit, tenure), rows[i].item, 0};
    }
    stabbing->windows = windows;
    stabbing->count = count;
    return FLUX_OK;
}

/* When a change of switch k may begin so that no send is under way while it lasts; at any time where it does not go
 * dark. */
static int find_allowed(const struct flux_audit *audit, uint32_t k, struct flux_arena *scratch,
                        struct flux_stabbing *stabbing)
{
    int dark = goes_dark(audit, k);
    uint64_t room = dark ? (uint64_t)audit->switch_first[k + 1] - audit->switch_first[k] + 1 : 1, count = 0;
    int64_t delay = flux_fabric_delay(audit->fabric, k), idle = 0;
    struct flux_window *allowed = flux_arena_alloc(scratch, room, sizeof *allowed);
    if (!allowed)
        return FLUX_E_MEMORY;
    for (uint32_t i = audit->switch_first[k]; dark && i < audit->switch_first[k + 1]; i++) {
        const struct flux_time *busy = &audit->times[audit->by_switch[i]];
        if (busy->start - idle >= delay)
            allowed[count++] = (struct flux_window){idle, busy->start - delay, 0, 0};
        if (busy->end > idle)
            idle = busy->end;
    }
    allowed[count++] = (struct flux_window){idle, INT64_MAX, 0, 0};
    stabbing->allowed = allowed;
    stabbing->allowed_count = count;
    return FLUX_OK;
}

static int describe(const struct flux_audit *audit, uint32_t k, struct flux_arena *scratch,
                    struct flux_stabbing *stabbing)
{
    *stabbing = (struct flux_stabbing){.dwell = flux_fabric_dwell(audit->fabric, k)};
    if (find_windows(audit, k, scratch, stabbing) || find_allowed(audit, k, scratch, stabbing))
        return FLUX_E_MEMORY;
    return stabbing->dwell ? flux_stabbing_prepare(stabbing, scratch) : FLUX_OK;
}

/* The switch never idles for long enough in the window of this tenure's change. */
static int fail_dark(const struct flux_audit *audit, const struct flux_tenure *tenure)
{
    char late[FLUX_PRECEDENCE_NAME], busy[FLUX_PRECEDENCE_NAME];
    char from[FLUX_UNITS_TEXT], to[FLUX_UNITS_TEXT], off[FLUX_UNITS_TEXT], takes[FLUX_UNITS_TEXT],
        most[FLUX_UNITS_TEXT];
    uint32_t k = tenure->switch_index, w = tenure->first, u = FLUX_NONE;
    int64_t delay = flux_fabric_delay(audit->fabric, k), end = audit->times[w].start, idle = tenure->free, longest = 0;
    for (uint32_t i = audit->switch_first[k]; i < audit->switch_first[k + 1]; i++) {
        const struct flux_time *time = &audit->times[audit->by_switch[i]];
        if (time->start >= end)
            break;
        if (time->end <= tenure->free)
            continue;
        if (u == FLUX_NONE)
            u = audit->by_switch[i];
        longest = time->start - idle > longest ? time->start - idle : longest;
        idle = time->end > idle ? time->end : idle;
    }
    longest = end - idle > longest ? end - idle : longest;
    return flux_fail_vertex(
        audit->error, FLUX_E_MISMATCH, w,
        "switch %" PRIu32 " cannot change to %" PRIu32 " to %" PRIu32
        " for %s: all of it is dark for %s then, but between %s and %s it idles for %s at most, %s too short, "
        "because %s is under way",
        k, tenure->src, tenure->dst, flux_precedence_name(audit->graph, w, late),
        flux_time_format(delay, takes, sizeof takes), flux_time_format(tenure->free, from, sizeof from),
        flux_time_format(end, to, sizeof to), flux_time_format(longest, most, sizeof most),
        flux_time_format(delay - longest, off, sizeof off), flux_precedence_name(audit->graph, u, busy));
}

/* The changes of a switch crowd each other out. */
static int fail_dwell(const struct flux_audit *audit, const struct flux_stabbing *stabbing,
                      const struct flux_stuck *stuck)
{
    char late[FLUX_PRECEDENCE_NAME], early[FLUX_PRECEDENCE_NAME];
    char by[FLUX_UNITS_TEXT], off[FLUX_UNITS_TEXT], at[FLUX_UNITS_TEXT], rest[FLUX_UNITS_TEXT], next[FLUX_UNITS_TEXT];
    const struct flux_window *window = &stabbing->windows[stuck->window];
    const struct flux_tenure *tenure = &audit->tenure[window->tenure];
    const struct flux_tenure *before = &audit->tenure[stabbing->windows[stuck->before].tenure];
    return flux_fail_vertex(
        audit->error, FLUX_E_MISMATCH, tenure->first,
        "switch %" PRIu32 " cannot change in time for %s: that change must begin by %s, but the one for %s begins at "
        "%s or later, and after a dwell of %s the next begins at %s, %s too late",
        tenure->switch_index, flux_precedence_name(audit->graph, tenure->first, late),
        flux_time_format(window->hi, by, sizeof by), flux_precedence_name(audit->graph, before->first, early),
        flux_time_format(stuck->point, at, sizeof at), flux_time_format(stabbing->dwell, rest, sizeof rest),
        flux_time_format(stuck->next, next, sizeof next), flux_time_format(stuck->next - window->hi, off, sizeof off));
}

static int check_switch(const struct flux_audit *audit, uint32_t k, struct flux_arena *scratch)
{
    struct flux_stabbing stabbing;
    struct flux_stuck stuck;
    if (describe(audit, k, scratch, &stabbing))
        return flux_fail_memory(audit->error);
    for (uint32_t i = audit->tenure_first[k]; i < audit->tenure_first[k + 1]; i++) {
        const struct flux_tenure *tenure = &audit->tenure[i];
        if (tenure->changed && flux_stabbing_next(&stabbing, tenure->free) > latest_begin(audit, tenure))
            return fail_dark(audit, tenure);
    }
    if (stabbing.dwell == 0)
        return FLUX_OK;
    int fine = flux_stabbing_test(&stabbing, scratch, &stuck);
    if (fine < 0)
        return flux_fail_memory(audit->error);
    return fine ? FLUX_OK : fail_dwell(audit, &stabbing, &stuck);
}

/* On other switches each change has its window for itself. */
static int is_staged(const struct flux_audit *audit, uint32_t k)
{
    return goes_dark(audit, k) || flux_fabric_dwell(audit->fabric, k) > 0;
}

int flux_audit_changes(struct flux_audit *audit)
{
    int rc = FLUX_OK;
    for (uint32_t k = 0; !rc && k < audit->switches; k++) {
        struct flux_arena scratch;
        if (!is_staged(audit, k))
            continue;
        flux_arena_init(&scratch, audit->arena.memory);
        rc = check_switch(audit, k, &scratch);
        flux_arena_free(&scratch);
    }
    return rc;
}

/* Each change begins at the first of the chosen points that lies in its window. */
static int choose_begins(struct flux_audit *audit, uint32_t k, struct flux_arena *scratch)
{
    struct flux_stabbing stabbing;
    uint64_t points = 0, next = 0;
    if (describe(audit, k, scratch, &stabbing))
        return flux_fail_memory(audit->error);
    int64_t *point = flux_arena_alloc(scratch, stabbing.count, sizeof *point);
    if (!point)
        return flux_fail_memory(audit->error);
    if (stabbing.dwell) {
        int rc = flux_stabbing_choose(&stabbing, scratch, point, &points);
        if (rc == FLUX_E_MEMORY)
            return flux_fail_memory(audit->error);
        if (rc)
            return flux_fail(audit->error, rc, "the changes of switch %" PRIu32 " do not fit its dwell", k);
    }
    for (uint64_t i = 0; i < stabbing.count; i++) {
        struct flux_tenure *tenure = &audit->tenure[stabbing.windows[i].tenure];
        while (next < points && point[next] < tenure->free)
            next++;
        tenure->begin = stabbing.dwell ? point[next] : flux_stabbing_next(&stabbing, tenure->free);
    }
    return FLUX_OK;
}

int flux_audit_begins(struct flux_audit *audit)
{
    int rc = FLUX_OK;
    for (uint32_t k = 0; !rc && k < audit->switches; k++) {
        struct flux_arena scratch;
        for (uint32_t i = audit->tenure_first[k]; i < audit->tenure_first[k + 1]; i++)
            audit->tenure[i].begin = audit->tenure[i].changed ? audit->tenure[i].free : 0;
        if (!is_staged(audit, k))
            continue;
        flux_arena_init(&scratch, audit->arena.memory);
        rc = choose_begins(audit, k, &scratch);
        flux_arena_free(&scratch);
    }
    return rc;
}
