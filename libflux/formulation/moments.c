/* SPDX-License-Identifier: Apache-2.0
 *
 * formulation/moments.c - the earliest starts and moments of change that an order of all these events allows.
 */
#include "formulation/decode.h"

#include "search/lanes.h"
#include "search/run.h"

#include <libflux/error.h>

/* A change of one switch. */
struct change {
    int64_t key;  /* its moment in the values */
    int64_t begin;
    uint32_t place; /* it comes before order[place] */
    uint32_t until; /* and before order[until], the first send that waits for it */
    uint32_t k;
    uint32_t same_as; /* an earlier change that is the same moment; FLUX_NONE: none */
};

struct moments {
    const struct flux_problem *problem;
    const uint32_t *order;
    const int64_t *start; /* keys */
    const int64_t *moment;
    struct flux_plan *plan;
    int64_t unit;
    struct change *changes;
    uint32_t count;
    uint32_t *change_of; /* by node: what it waits for; FLUX_NONE */
    uint32_t *sorted;    /* changes in the order in which they come */
};

static int staged_switch(const struct flux_problem *problem, uint32_t k)
{
    return problem->blocking[k] == FLUX_BLOCKING_SWITCH || problem->dwell[k] > 0;
}

/* What v keeps from u, both sends on one switch; -1: nothing. */
static int64_t separation(const struct moments *moments, uint32_t u, uint32_t v)
{
    const struct flux_problem *problem = moments->problem;
    uint32_t k = moments->plan->switch_of[v];
    if (k == FLUX_NONE || moments->plan->switch_of[u] != k)
        return -1;
    return flux_separation(problem->rule, problem->src[u], problem->dst[u], problem->src[v], problem->dst[v],
                           problem->delay[k]);
}

static int stale(const struct flux_problem *problem, uint32_t v, uint32_t k)
{
    for (uint32_t i = 0; i < problem->initials; i++) {
        const struct flux_circuit_name *up = &problem->initial[i];
        if (up->switch_index == k &&
            flux_separation(problem->rule, problem->src[v], problem->dst[v], up->src, up->dst, 1) == 1)
            return 1;
    }
    return 0;
}

/* Gives the send order[at] its change: a new one, or that of the run of its circuit which it goes on. */
static void find_change(struct moments *moments, uint32_t at)
{
    const struct flux_problem *problem = moments->problem;
    uint32_t w = moments->order[at], k = moments->plan->switch_of[w], after = 0, run = FLUX_NONE;
    int other = stale(problem, w, k);
    for (uint32_t i = 0; i < at; i++) {
        uint32_t u = moments->order[i];
        if (moments->plan->switch_of[u] != k)
            continue;
        if (problem->circuit[u] == problem->circuit[w]) {
            run = u;
        } else if (separation(moments, u, w) >= 0) {
            other = 1;
            run = FLUX_NONE;
            after = i + 1;
        }
    }
    moments->change_of[w] = FLUX_NONE;
    if (run != FLUX_NONE)
        moments->change_of[w] = moments->change_of[run];
    if (run != FLUX_NONE || !other)
        return;
    struct change *change = &moments->changes[moments->count];
    *change = (struct change){moments->moment[w], 0, after, at, k, FLUX_NONE};
    if (change->key < 0 || change->key > moments->start[w])
        change->key = moments->start[w];
    while (change->place < at && moments->start[moments->order[change->place]] < change->key)
        change->place++;
    moments->change_of[w] = moments->count++;
}

static int comes_before(const struct change *a, const struct change *b)
{
    return a->place != b->place ? a->place < b->place : a->key < b->key;
}

static void sort_changes(struct moments *moments)
{
    for (uint32_t i = 0; i < moments->count; i++) {
        uint32_t at = i;
        for (; at > 0 && comes_before(&moments->changes[i], &moments->changes[moments->sorted[at - 1]]); at--)
            moments->sorted[at] = moments->sorted[at - 1];
        moments->sorted[at] = i;
    }
}

/* Changes nearer than half a dwell become one, at the place of the last, where no send between them waits for it. */
static void join_changes(struct moments *moments)
{
    for (uint32_t i = moments->count; i-- > 0;) {
        struct change *last = &moments->changes[moments->sorted[i]];
        int64_t dwell = moments->problem->dwell[last->k] / moments->unit;
        for (uint32_t j = i; j-- > 0 && last->same_as == FLUX_NONE && dwell > 0;) {
            struct change *change = &moments->changes[moments->sorted[j]];
            if (change->k != last->k || change->same_as != FLUX_NONE)
                continue;
            if (last->key - change->key >= (dwell + 1) / 2 || change->until < last->place)
                break;
            change->same_as = moments->sorted[i];
        }
    }
}

/* All changes that join `change` begin with it. */
static int64_t earliest_begin(const struct moments *moments, uint32_t number, uint32_t placed, int64_t previous)
{
    const struct flux_problem *problem = moments->problem;
    const struct change *change = &moments->changes[number];
    uint32_t k = change->k;
    int64_t begin = previous < 0 ? 0 : flux_time_after(previous, problem->dwell[k]);
    for (uint32_t i = 0; i < placed; i++) {
        uint32_t u = moments->order[i];
        if (moments->plan->switch_of[u] != k)
            continue;
        int waits = problem->blocking[k] == FLUX_BLOCKING_SWITCH;
        for (uint32_t j = placed; j < problem->nodes && !waits; j++) {
            uint32_t w = moments->order[j];
            uint32_t own = moments->change_of[w];
            if (own != FLUX_NONE && moments->plan->switch_of[w] == k)
                waits = (own == number || moments->changes[own].same_as == number) &&
                        problem->circuit[u] != problem->circuit[w] && separation(moments, u, w) >= 0;
        }
        int64_t end = flux_plan_end(moments->plan, problem, u);
        begin = waits && end > begin ? end : begin;
    }
    return begin;
}

static int64_t earliest_start(const struct moments *moments, uint32_t at, const int64_t *last_begin)
{
    const struct flux_problem *problem = moments->problem;
    uint32_t v = moments->order[at], k = moments->plan->switch_of[v];
    int64_t start = problem->release[v];
    for (uint64_t i = problem->in_first[v]; i < problem->in_first[v + 1]; i++) {
        int64_t ready = flux_time_after(flux_plan_end(moments->plan, problem, problem->in[i].node), problem->in[i].lag);
        start = ready > start ? ready : start;
    }
    if (k == FLUX_NONE)
        return start;
    for (uint32_t i = 0; i < at; i++) {
        int64_t apart = separation(moments, moments->order[i], v);
        int64_t free = flux_time_after(flux_plan_end(moments->plan, problem, moments->order[i]), apart);
        start = apart >= 0 && free > start ? free : start;
    }
    if (stale(problem, v, k) && start < problem->delay[k])
        start = problem->delay[k];
    uint32_t own = moments->change_of[v];
    if (own != FLUX_NONE) {
        own = moments->changes[own].same_as == FLUX_NONE ? own : moments->changes[own].same_as;
        int64_t up = flux_time_after(moments->changes[own].begin, problem->delay[k]);
        start = up > start ? up : start;
    }
    if (problem->blocking[k] == FLUX_BLOCKING_SWITCH && last_begin[k] >= 0) {
        int64_t clear = flux_time_after(last_begin[k], problem->delay[k]);
        start = clear > start ? clear : start;
    }
    return start;
}

static int place_all(struct moments *moments, int64_t *last_begin)
{
    const struct flux_problem *problem = moments->problem;
    uint32_t next = 0;
    for (uint32_t k = 0; k < problem->switches; k++)
        last_begin[k] = -1;
    for (uint32_t at = 0; at < problem->nodes; at++) {
        for (; next < moments->count && moments->changes[moments->sorted[next]].place <= at; next++) {
            struct change *change = &moments->changes[moments->sorted[next]];
            if (change->same_as != FLUX_NONE)
                continue;
            int64_t previous = problem->dwell[change->k] > 0 ? last_begin[change->k] : -1;
            change->begin = earliest_begin(moments, moments->sorted[next], at, previous);
            if (change->begin > last_begin[change->k])
                last_begin[change->k] = change->begin;
        }
        uint32_t v = moments->order[at];
        int64_t start = earliest_start(moments, at, last_begin);
        if (start > FLUX_TIME_MAX - problem->duration[v])
            return FLUX_E_OVERFLOW;
        moments->plan->start[v] = start;
    }
    return FLUX_OK;
}

int flux_moments_place(const struct flux_problem *problem, const uint32_t *order, const int64_t *start,
                       const int64_t *moment, int64_t unit, struct flux_plan *plan, struct flux_arena *arena)
{
    struct moments moments = {
        .problem = problem, .order = order, .start = start, .moment = moment, .plan = plan, .unit = unit};
    int64_t *last_begin = flux_arena_alloc(arena, problem->switches, sizeof *last_begin);
    moments.changes = flux_arena_alloc(arena, problem->nodes, sizeof *moments.changes);
    moments.change_of = flux_arena_alloc(arena, problem->nodes, sizeof *moments.change_of);
    moments.sorted = flux_arena_alloc(arena, problem->nodes, sizeof *moments.sorted);
    if (!last_begin || !moments.changes || !moments.change_of || !moments.sorted)
        return FLUX_E_MEMORY;
    for (uint32_t at = 0; at < problem->nodes; at++) {
        moments.change_of[order[at]] = FLUX_NONE;
        uint32_t k = plan->switch_of[order[at]];
        if (k != FLUX_NONE && staged_switch(problem, k))
            find_change(&moments, at);
    }
    sort_changes(&moments);
    join_changes(&moments);
    return place_all(&moments, last_begin);
}
