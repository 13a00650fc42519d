/* SPDX-License-Identifier: Apache-2.0 */
#include "bound/labels.h"

#include "bound/label_table.h"
#include "bound/mirror.h"

#include <libflux/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POLL_STEPS 4096u
#define TABLE_MOST (UINT32_C(1) << 22) /* labels of a level, before the width cuts it */
#define WIDTH_LATE 512u                /* width once half of the steps are gone */

/* How the labels of a level came about, for reading the sequence back. */
struct origin {
    int64_t start;
    uint32_t parent;
    uint16_t position;
    uint16_t flips;
};

struct search {
    const struct flux_queues *queues;
    const struct flux_windows *windows;
    struct flux_labels_limits *limits;
    int64_t limit;
    uint64_t begun;  /* sends started, dearer with more queues */
    uint64_t told;   /* steps that the limits know of */
    uint64_t half;   /* of the limits' steps at the beginning */
    int64_t dropped; /* the smallest end that a label cut off by the width could have had */
    int spent;
    struct flux_label_table now;
    struct flux_label_table later;
    struct flux_mirrors mirrors;
    struct origin **origins;            /* by level, then label */
    uint32_t mirrored[FLUX_QUEUES_MAX]; /* the queue of the same shape, or itself */
};

static void find_mirrored(struct search *search)
{
    const struct flux_queues *queues = search->queues;
    for (uint32_t q = 0; q < queues->count; q++)
        search->mirrored[q] = q;
    for (uint32_t q = 0; q < queues->count; q++)
        for (uint32_t p = q + 1; p < queues->count && search->mirrored[q] == q; p++)
            if (search->mirrored[p] == p && queues->queue[p].count == queues->queue[q].count &&
                queues->duration[queues->queue[p].first] == queues->duration[queues->queue[q].first]) {
                search->mirrored[q] = p;
                search->mirrored[p] = q;
            }
}

static uint32_t unlikeness(const struct search *search, const struct flux_label_state *state)
{
    uint32_t sum = 0;
    for (uint32_t q = 0; q < search->queues->count; q++)
        if (search->mirrored[q] > q) {
            uint32_t a = state->done[q], b = state->done[search->mirrored[q]];
            uint32_t apart = a > b ? a - b : b - a;
            sum += apart > 1 ? 4 * apart : apart;
        }
    return sum;
}

/* ---- levels ---- */

/* A label in the order in which labels are worth going on with. */
struct rank {
    int64_t least;
    int64_t times; /* sum of all times: how late ports and queues are */
    uint32_t index;
    uint32_t padding;
};

static int compare_ranks(const void *left, const void *right)
{
    const struct rank *a = left, *b = right;
    if (a->least != b->least)
        return a->least < b->least ? -1 : 1;
    if (a->times != b->times)
        return a->times < b->times ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* Lets only so many labels go on, those that may end soonest. */
static int cut(struct search *search, struct flux_label_table *table)
{
    uint32_t width = search->limits->steps < search->half ? WIDTH_LATE : search->limits->width, alive = 0;
    width = width < search->limits->width ? width : search->limits->width;
    if (table->count <= width)
        return FLUX_OK;
    struct rank *ranks = flux_alloc(table->memory, table->count, sizeof *ranks);
    if (!ranks)
        return FLUX_E_MEMORY;
    for (uint32_t i = 0; i < table->count; i++) {
        const struct flux_label *label = flux_label_at(table, i);
        struct rank rank = {label->least, 0, i, 0};
        for (uint32_t x = 0; x < table->ports + table->queues; x++)
            rank.times += label->time[x] >> 8; /* no overflow */
        if (!label->dead)
            ranks[alive++] = rank;
    }
    if (alive > width)
        qsort(ranks, alive, sizeof *ranks, compare_ranks);
    for (uint32_t i = width; i < alive; i++)
        flux_label_at(table, ranks[i].index)->dead = 1;
    if (alive > width && ranks[width].least < search->dropped)
        search->dropped = ranks[width].least;
    flux_release(table->memory, ranks, table->count, sizeof *ranks);
    return FLUX_OK;
}

static int start_send(struct search *search, const struct flux_label_state *from, uint32_t parent, uint32_t q,
                      uint32_t x)
{
    uint32_t position = search->queues->queue[q].first + from->done[q];
    struct flux_label_state state = *from;
    struct flux_label_place place;
    search->begun += 1 + search->queues->count * search->queues->count / 32;
    if (!flux_label_start(search->queues, q, x, search->limit, &state))
        return FLUX_OK;
    flux_mirror_state(search->queues, &search->mirrors, &state);
    state.unlike += unlikeness(search, &state);
    if (flux_label_is_useless(&search->later, &state, &place) ||
        !flux_label_can_end(search->queues, search->windows, search->limit, &state))
        return FLUX_OK;
    int rc = flux_label_insert(&search->later, &state, &place, parent, position);
    if (rc == FLUX_LABEL_TABLE_FULL)
        search->spent = 1;
    return rc == FLUX_LABEL_TABLE_FULL ? FLUX_OK : rc;
}

/* Is another port at least as good for the next send of `q` as `x`, which needs a setup for it? That is one on which it
 * starts no later: what `x` would have carried later can change places with what that port would have, since `x` has
 * had time for any setup when the send starts there, and all others start no sooner. */
static int is_beaten(const struct flux_queues *queues, const struct flux_label_state *state, uint32_t q, uint32_t x)
{
    uint32_t circuit = queues->queue[q].circuit;
    int64_t begin = flux_label_soonest(queues, state, q, x);
    for (uint32_t y = 0; y < queues->links; y++) {
        int64_t other = flux_label_soonest(queues, state, q, y);
        if (y != x && (other < begin || (other == begin && (state->up[y] == circuit || y < x))))
            return 1;
    }
    return 0;
}

static int is_worth(const struct flux_queues *queues, const struct flux_label_state *state, uint32_t q, uint32_t x)
{
    if (state->up[x] == queues->queue[q].circuit)
        return x == 0 || state->up[x - 1] != state->up[x] || state->free[x - 1] != state->free[x];
    return !is_beaten(queues, state, q, x);
}

static int advance(struct search *search, uint32_t index)
{
    const struct flux_queues *queues = search->queues;
    const struct flux_label *label = flux_label_at(&search->now, index);
    struct flux_label_state state;
    int rc = FLUX_OK;
    if (label->dead)
        return FLUX_OK;
    flux_label_unpack(&search->now, label, &state);
    for (uint32_t q = 0; q < queues->count; q++) {
        if (state.done[q] == queues->queue[q].count || flux_label_must_wait(queues, &state, q))
            continue;
        for (uint32_t x = 0; x < queues->links && !rc; x++)
            if (is_worth(queues, &state, q, x))
                rc = start_send(search, &state, index, q, x);
    }
    return rc;
}

static void look_at_limits(struct search *search)
{
    struct flux_labels_limits *limits = search->limits;
    const struct flux_env *env = &search->now.memory->env;
    uint64_t steps = search->begun + search->now.compared + search->later.compared, taken = steps - search->told;
    if (taken < POLL_STEPS)
        return;
    search->told = steps;
    limits->steps -= taken < limits->steps ? taken : limits->steps;
    if (flux_control_poll(limits->control, taken / FLUX_LABELS_STEPS_PER_WORK) || limits->steps == 0)
        search->spent = 1;
    if (limits->deadline_ns != UINT64_MAX && env->now_ns(env->user) >= limits->deadline_ns)
        search->spent = 1;
}

static int keep_origins(struct search *search, struct flux_arena *arena, uint32_t level)
{
    const struct flux_label_table *table = &search->later;
    struct origin *origins = flux_arena_alloc(arena, table->count, sizeof *origins);
    if (!origins)
        return FLUX_E_MEMORY;
    for (uint32_t i = 0; i < table->count; i++) {
        const struct flux_label *label = flux_label_at(table, i);
        origins[i] = (struct origin){label->start, label->parent, label->position, label->flips};
    }
    search->origins[level] = origins;
    return FLUX_OK;
}

static void swap_tables(struct search *search)
{
    struct flux_label_table now = search->now;
    search->now = search->later;
    search->later = now;
}

static int run_level(struct search *search, struct flux_arena *scratch, uint32_t level)
{
    int rc = FLUX_OK;
    flux_label_table_clear(&search->later);
    for (uint32_t i = 0; i < search->now.count && !rc && !search->spent; i++) {
        rc = advance(search, i);
        look_at_limits(search);
    }
    if (rc || search->spent)
        return rc;
    rc = cut(search, &search->later);
    if (!rc)
        rc = keep_origins(search, scratch, level);
    swap_tables(search);
    return rc;
}

static int begin(struct search *search, struct flux_arena *scratch)
{
    struct flux_label_state state;
    struct flux_label_place place;
    search->origins = flux_arena_alloc(scratch, search->queues->sends, sizeof *search->origins);
    if (!search->origins)
        return FLUX_E_MEMORY;
    flux_label_begin(search->queues, &state);
    (void)flux_label_is_useless(&search->later, &state, &place);
    int rc = flux_label_insert(&search->later, &state, &place, FLUX_NO_LABEL, 0);
    swap_tables(search);
    return rc;
}

/* ---- the result ---- */

/* FLUX_NO_LABEL where none is left. */
static uint32_t best_label(const struct search *search)
{
    const struct flux_label *best = NULL;
    uint32_t index = FLUX_NO_LABEL;
    for (uint32_t i = 0; i < search->now.count; i++) {
        const struct flux_label *label = flux_label_at(&search->now, i);
        if (!label->dead &&
            (!best || label->end < best->end || (label->end == best->end && label->unlike < best->unlike))) {
            best = label;
            index = i;
        }
    }
    return index;
}

/* Positions are those of the queues as mirrors had left them. */
static void unflip(const struct search *search, const uint32_t *flips, struct flux_labels_step *steps)
{
    uint32_t flipped = 0;
    for (uint32_t level = 0; level < search->queues->sends; level++) {
        steps[level].position = flux_mirror_position(search->queues, &search->mirrors, flipped, steps[level].position);
        flipped ^= flips[level];
    }
}

static int read_back(const struct search *search, struct flux_arena *arena, struct flux_arena *scratch,
                     struct flux_labels_result *result)
{
    uint32_t index = best_label(search);
    if (index == FLUX_NO_LABEL)
        return FLUX_OK;
    result->reached = 1;
    result->end = flux_label_at(&search->now, index)->end;
    result->steps = flux_arena_alloc(arena, search->queues->sends, sizeof *result->steps);
    uint32_t *flips = flux_arena_alloc(scratch, search->queues->sends, sizeof *flips);
    if (!result->steps || !flips)
        return FLUX_E_MEMORY;
    for (uint32_t level = search->queues->sends; level-- > 0;) {
        const struct origin *origin = &search->origins[level][index];
        result->steps[level] = (struct flux_labels_step){origin->start, origin->position, 0};
        index = origin->parent;
        flips[level] = origin->flips;
    }
    unflip(search, flips, result->steps);
    return FLUX_OK;
}

static int run(struct search *search, struct flux_arena *arena, struct flux_arena *scratch,
               struct flux_labels_result *result)
{
    int rc = begin(search, scratch);
    for (uint32_t level = 0; level < search->queues->sends && !rc && !search->spent && search->now.count; level++)
        rc = run_level(search, scratch, level);
    result->outcome = search->spent ? FLUX_LABELS_SPENT : FLUX_LABELS_DONE;
    result->end = search->dropped <= search->limit ? search->dropped : search->limit + 1;
    if (!rc && !search->spent && search->now.count)
        rc = read_back(search, arena, scratch, result);
    return rc;
}

int flux_labels_run(const struct flux_queues *queues, const struct flux_windows *windows, int64_t limit,
                    struct flux_labels_limits *limits, struct flux_arena *arena, struct flux_labels_result *result)
{
    struct flux_arena scratch;
    struct search search = {.queues = queues,
                            .windows = windows,
                            .limits = limits,
                            .limit = limit,
                            .half = limits->steps / 2,
                            .dropped = INT64_MAX};
    memset(result, 0, sizeof *result);
    find_mirrored(&search);
    flux_mirrors_find(queues, &search.mirrors);
    flux_arena_init(&scratch, arena->memory);
    int rc = flux_label_table_make(queues, arena->memory, TABLE_MOST, &search.now);
    if (!rc)
        rc = flux_label_table_make(queues, arena->memory, TABLE_MOST, &search.later);
    if (!rc)
        rc = run(&search, arena, &scratch, result);
    flux_label_table_free(&search.now);
    flux_label_table_free(&search.later);
    flux_arena_free(&scratch);
    return rc;
}
