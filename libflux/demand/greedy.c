/* SPDX-License-Identifier: Apache-2.0
 *
 * demand/greedy.c - decompositions that work on the demand as it is: Eclipse, the fewest matchings of Spectra, and
 * first-fit edge colouring.
 */
#include "base/wide.h"
#include "demand/demand.h"

#include <stdlib.h>
#include <string.h>

#define QUANTILES 24u /* durations that Eclipse tries per step */
#define LEAST_COST 256
#define VALUE_BITS 40      /* weights of an assignment are scaled to so many bits */
#define PREFERENCE_BITS 24 /* those that only break ties among critical lines */

struct work {
    const struct flux_demand_matrix *matrix;
    int64_t *left;
    int64_t *value;
    int64_t *sorted;
    int64_t *scratch;
    uint32_t *out;
    uint32_t *best;
};

static int begin(struct work *work, const struct flux_demand_matrix *matrix)
{
    uint64_t n = matrix->ports;
    work->matrix = matrix;
    work->left = flux_arena_alloc(matrix->arena, n * n, sizeof *work->left);
    work->value = flux_arena_alloc(matrix->arena, n * n, sizeof *work->value);
    work->sorted = flux_arena_alloc(matrix->arena, n * n, sizeof *work->sorted);
    work->scratch = flux_arena_alloc(matrix->arena, 6 * (n + 1), sizeof *work->scratch);
    work->out = flux_arena_alloc(matrix->arena, n, sizeof *work->out);
    work->best = flux_arena_alloc(matrix->arena, n, sizeof *work->best);
    if (!work->left || !work->value || !work->sorted || !work->scratch || !work->out || !work->best)
        return FLUX_E_MEMORY;
    memcpy(work->left, matrix->demand, n * n * sizeof *work->left);
    return FLUX_OK;
}

static int compare_values(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

static uint64_t sort_left(struct work *work)
{
    uint64_t cells = (uint64_t)work->matrix->ports * work->matrix->ports, count = 0;
    for (uint64_t i = 0; i < cells; i++)
        if (work->left[i] > 0)
            work->sorted[count++] = work->left[i];
    qsort(work->sorted, (size_t)count, sizeof *work->sorted, compare_values);
    return count;
}

static int shift_for(int64_t most, int bits)
{
    int shift = 0;
    while (most >> shift >> bits)
        shift++;
    return shift;
}

/* The matching that serves most when held for `time`, and how much that is. */
static flux_wide serve_most(struct work *work, int64_t time, int64_t most)
{
    uint64_t n = work->matrix->ports, cells = n * n;
    int shift = shift_for(most, VALUE_BITS);
    flux_wide served = 0;
    for (uint64_t i = 0; i < cells; i++)
        work->value[i] = (work->left[i] < time ? work->left[i] : time) >> shift;
    flux_demand_assign(work->matrix->ports, work->value, work->out, work->scratch);
    for (uint64_t i = 0; i < n; i++) {
        int64_t left = work->left[i * n + work->out[i]];
        served += left < time ? left : time;
    }
    return served;
}

static int take(struct work *work, struct flux_demand_terms *terms, uint32_t *out, int64_t time)
{
    uint64_t n = work->matrix->ports;
    for (uint64_t i = 0; i < n; i++) {
        int64_t *left = &work->left[i * n + out[i]];
        if (*left == 0)
            out[i] = FLUX_NONE;
        else
            *left -= *left < time ? *left : time;
    }
    return flux_demand_add(work->matrix, terms, out, time);
}

/* Algorithm 2 without a window: the (matching, duration) with the most served per time and delay, until all is served.
 * Durations are the quantiles of what is left, the largest included. A delay of nearly nothing would make ever shorter
 * slots look best; what a slot costs is taken as at least LEAST_COST_th of the longest entry. */
static int serve_greedily(const struct flux_demand_matrix *matrix, uint64_t steps, struct flux_demand_terms *terms,
                          int64_t **rest)
{
    struct work work;
    int rc = begin(&work, matrix);
    uint64_t count = rc ? 0 : sort_left(&work);
    int64_t cost = count ? work.sorted[count - 1] / LEAST_COST + 1 : 1;
    cost = matrix->delay > cost ? matrix->delay : cost;
    while (!rc && terms->count < steps && terms->total <= matrix->limit && (count = sort_left(&work)) > 0) {
        flux_wide best_served = -1;
        int64_t best_time = 0, most = work.sorted[count - 1], before = 0;
        for (uint32_t q = 1; q <= QUANTILES; q++) {
            int64_t time = work.sorted[(count * q + QUANTILES - 1) / QUANTILES - 1];
            if (time == before)
                continue;
            before = time;
            flux_wide served = serve_most(&work, time, most);
            /* served / (time + delay) without fractions; both products fit, for times are at most 2^50 */
            if (best_served < 0 || served * (best_time + cost) > best_served * (time + cost)) {
                best_served = served;
                best_time = time;
                memcpy(work.best, work.out, matrix->ports * sizeof *work.best);
            }
        }
        rc = take(&work, terms, work.best, best_time);
    }
    *rest = work.left;
    return rc;
}

int flux_demand_eclipse(const struct flux_demand_matrix *matrix, struct flux_demand_terms *terms)
{
    int64_t *rest;
    return serve_greedily(matrix, UINT64_MAX, terms, &rest);
}

/* A few steps of Eclipse take the peaks off; what is left is more even, and goes over the fewest matchings. */
int flux_demand_peaks_first(const struct flux_demand_matrix *matrix, uint64_t steps, struct flux_demand_terms *terms)
{
    struct flux_demand_matrix rest = *matrix;
    struct flux_demand_terms even = {0};
    int64_t *left;
    int rc = serve_greedily(matrix, steps, terms, &left);
    rest.demand = left;
    rc = rc ? rc : flux_demand_spectra(&rest, &even);
    rc = rc ? rc : flux_demand_repeel(&rest, &even);
    for (uint64_t t = 0; t < even.count && !rc; t++)
        rc = flux_demand_add(matrix, terms, even.out + t * matrix->ports, even.weight[t]);
    return rc;
}

/* Each matching meets every line of the largest degree, so the degree falls by one each time (Koenig, 1916): as many
 * matchings as the fullest line has entries. Large entries are preferred together. */
int flux_demand_spectra(const struct flux_demand_matrix *matrix, struct flux_demand_terms *terms)
{
    struct work work;
    uint64_t n = matrix->ports;
    int rc = begin(&work, matrix);
    uint32_t *degree = flux_arena_alloc(matrix->arena, 2 * n, sizeof *degree);
    if (rc || !degree)
        return FLUX_E_MEMORY;
    while (!rc) {
        uint64_t count = sort_left(&work);
        if (!count)
            break;
        int shift = shift_for(work.sorted[count - 1], PREFERENCE_BITS);
        int64_t critical = (int64_t)n << (PREFERENCE_BITS + 1);
        uint32_t largest = 0;
        memset(degree, 0, 2 * n * sizeof *degree);
        for (uint64_t i = 0; i < n * n; i++)
            if (work.left[i]) {
                degree[i / n]++;
                degree[n + i % n]++;
            }
        for (uint64_t i = 0; i < 2 * n; i++)
            largest = degree[i] > largest ? degree[i] : largest;
        for (uint64_t i = 0; i < n * n; i++)
            work.value[i] = !work.left[i] ? 0
                                          : (work.left[i] >> shift) + 1 + critical * (degree[i / n] == largest) +
                                                critical * (degree[n + i % n] == largest);
        flux_demand_assign(matrix->ports, work.value, work.out, work.scratch);
        int64_t longest = 0;
        for (uint64_t i = 0; i < n; i++) {
            int64_t left = work.left[i * n + work.out[i]];
            longest = left > longest ? left : longest;
        }
        rc = take(&work, terms, work.out, longest);
    }
    return rc;
}

struct entry {
    int64_t time;
    uint32_t src;
    uint32_t dst;
};

static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    if (a->time != b->time)
        return a->time > b->time ? -1 : 1;
    if (a->src != b->src)
        return a->src < b->src ? -1 : 1;
    return a->dst < b->dst ? -1 : a->dst > b->dst;
}

/* Largest entries first, each into the first matching with both its lines free: entries of like size meet. */
int flux_demand_first_fit(const struct flux_demand_matrix *matrix, struct flux_demand_terms *terms)
{
    uint64_t n = matrix->ports, count = 0;
    struct entry *entries = flux_arena_alloc(matrix->arena, n * n, sizeof *entries);
    uint32_t *empty = flux_arena_alloc(matrix->arena, n, sizeof *empty);
    /* At most 2 n - 1 matchings: one that is passed over has one of the entry's two lines taken. */
    uint8_t *taken = flux_arena_zero(matrix->arena, 2 * n, 2 * n);
    if (!entries || !empty || !taken)
        return FLUX_E_MEMORY;
    memset(empty, 0xff, n * sizeof *empty);
    for (uint64_t i = 0; i < n * n; i++)
        if (matrix->demand[i])
            entries[count++] = (struct entry){matrix->demand[i], (uint32_t)(i / n), (uint32_t)(i % n)};
    qsort(entries, (size_t)count, sizeof *entries, compare_entries);
    for (uint64_t e = 0; e < count; e++) {
        uint64_t term = 0;
        while (taken[term * 2 * n + entries[e].src] || taken[term * 2 * n + n + entries[e].dst])
            term++;
        if (term == terms->count) {
            int rc = flux_demand_add(matrix, terms, empty, entries[e].time);
            if (rc)
                return rc;
        }
        terms->out[term * n + entries[e].src] = entries[e].dst;
        taken[term * 2 * n + entries[e].src] = taken[term * 2 * n + n + entries[e].dst] = 1;
    }
    return FLUX_OK;
}
