/* SPDX-License-Identifier: Apache-2.0
 *
 * demand/improve.c - the same demand over better matchings: two of them exchange what alternates.
 *
 * The pairs of two matchings form paths and cycles in which they alternate (Kempe, 1879, for colours). Any of these may
 * be turned over without harm to either matching. A matching is held as long as its largest part, so of two the least
 * sum is reached when one of them takes the side with the larger part of every path and cycle. It falls to nothing
 * where one side is always empty: then a matching, and its delay, is saved.
 */
#include "demand/demand.h"

#include <string.h>

#define WORK_MAX (UINT64_C(1) << 28) /* ports looked at; then what is there stands */

struct parts {
    const struct flux_demand_matrix *matrix;
    struct flux_demand_terms *terms;
    int64_t *part;   /* terms * ports: how much of input i's pair the term serves */
    uint32_t *in[2]; /* by output the input, of the two terms at hand */
    uint32_t *list;  /* inputs of one component */
    uint8_t *seen;   /* inputs */
    uint8_t *turn;   /* inputs whose component is turned over */
    uint64_t work;
};

/* Each pair's demand goes to its terms in their order; what comes late in a pair's turn carries nothing and is dark. */
static int share_out(struct parts *parts)
{
    const struct flux_demand_matrix *matrix = parts->matrix;
    uint64_t n = matrix->ports;
    int64_t *left = flux_arena_alloc(matrix->arena, n * n, sizeof *left);
    if (!left)
        return FLUX_E_MEMORY;
    memcpy(left, matrix->demand, n * n * sizeof *left);
    for (uint64_t t = 0; t < parts->terms->count; t++)
        for (uint64_t i = 0; i < n; i++) {
            uint32_t *j = &parts->terms->out[t * n + i];
            int64_t *rest = *j == FLUX_NONE ? NULL : &left[i * n + *j];
            int64_t part = !rest ? 0 : *rest < parts->terms->weight[t] ? *rest : parts->terms->weight[t];
            parts->part[t * n + i] = part;
            if (part)
                *rest -= part;
            else
                *j = FLUX_NONE;
        }
    return FLUX_OK;
}

static int64_t longest(const struct parts *parts, uint64_t term)
{
    uint64_t n = parts->matrix->ports;
    int64_t most = 0;
    for (uint64_t i = 0; i < n; i++)
        most = parts->part[term * n + i] > most ? parts->part[term * n + i] : most;
    return most;
}

/* The inputs that hang together with `input` in the terms p and q; the largest parts of either side. */
static uint32_t component(struct parts *parts, uint64_t p, uint64_t q, uint32_t input, int64_t *of_p, int64_t *of_q)
{
    uint64_t n = parts->matrix->ports;
    uint32_t count = 1;
    *of_p = *of_q = 0;
    parts->list[0] = input;
    parts->seen[input] = 1;
    for (uint32_t at = 0; at < count; at++) {
        uint32_t i = parts->list[at];
        int64_t a = parts->part[p * n + i], b = parts->part[q * n + i];
        *of_p = a > *of_p ? a : *of_p;
        *of_q = b > *of_q ? b : *of_q;
        for (int side = 0; side < 2; side++) {
            uint32_t j = parts->terms->out[(side ? q : p) * n + i];
            uint32_t next = j == FLUX_NONE ? FLUX_NONE : parts->in[!side][j];
            if (next != FLUX_NONE && !parts->seen[next]) {
                parts->seen[next] = 1;
                parts->list[count++] = next;
            }
        }
    }
    return count;
}

static void turn_over(struct parts *parts, uint64_t p, uint64_t q)
{
    uint64_t n = parts->matrix->ports;
    for (uint64_t i = 0; i < n; i++) {
        if (!parts->turn[i])
            continue;
        uint32_t out = parts->terms->out[p * n + i];
        int64_t part = parts->part[p * n + i];
        parts->terms->out[p * n + i] = parts->terms->out[q * n + i];
        parts->part[p * n + i] = parts->part[q * n + i];
        parts->terms->out[q * n + i] = out;
        parts->part[q * n + i] = part;
    }
}

/* The larger parts to p. 1 where the two together got shorter. */
static int exchange(struct parts *parts, uint64_t p, uint64_t q)
{
    uint32_t n = parts->matrix->ports;
    int64_t longer = 0, shorter = 0, *weight = parts->terms->weight;
    parts->work += n;
    memset(parts->seen, 0, n);
    memset(parts->turn, 0, n);
    memset(parts->in[0], 0xff, n * sizeof *parts->in[0]);
    memset(parts->in[1], 0xff, n * sizeof *parts->in[1]);
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < n; i++) {
            uint32_t j = parts->terms->out[(side ? q : p) * n + i];
            if (j != FLUX_NONE)
                parts->in[side][j] = i;
        }
    for (uint32_t i = 0; i < n; i++) {
        int64_t a, b;
        if (parts->seen[i])
            continue;
        uint32_t count = component(parts, p, q, i, &a, &b);
        for (uint32_t at = 0; at < count; at++)
            parts->turn[parts->list[at]] = b > a;
        longer = a > longer ? a : longer;
        longer = b > longer ? b : longer;
        int64_t smaller = a < b ? a : b;
        shorter = smaller > shorter ? smaller : shorter;
    }
    if (longer + shorter >= weight[p] + weight[q])
        return 0;
    turn_over(parts, p, q);
    weight[p] = longer;
    weight[q] = shorter;
    return 1;
}

static void drop_empty(struct parts *parts)
{
    uint64_t n = parts->matrix->ports, kept = 0;
    struct flux_demand_terms *terms = parts->terms;
    for (uint64_t t = 0; t < terms->count; t++) {
        if (!terms->weight[t])
            continue;
        if (kept != t) {
            terms->weight[kept] = terms->weight[t];
            memcpy(terms->out + kept * n, terms->out + t * n, n * sizeof *terms->out);
            memcpy(parts->part + kept * n, parts->part + t * n, n * sizeof *parts->part);
        }
        kept++;
    }
    terms->count = kept;
}

int flux_demand_improve(const struct flux_demand_matrix *matrix, struct flux_demand_terms *terms)
{
    uint64_t n = matrix->ports;
    struct parts parts = {.matrix = matrix, .terms = terms};
    parts.part = flux_arena_alloc(matrix->arena, terms->count * n + 1, sizeof *parts.part);
    parts.in[0] = flux_arena_alloc(matrix->arena, n, sizeof *parts.in[0]);
    parts.in[1] = flux_arena_alloc(matrix->arena, n, sizeof *parts.in[1]);
    parts.list = flux_arena_alloc(matrix->arena, n, sizeof *parts.list);
    parts.seen = flux_arena_alloc(matrix->arena, n, 1);
    parts.turn = flux_arena_alloc(matrix->arena, n, 1);
    if (!parts.part || !parts.in[0] || !parts.in[1] || !parts.list || !parts.seen || !parts.turn || share_out(&parts))
        return FLUX_E_MEMORY;
    for (uint64_t t = 0; t < terms->count; t++)
        terms->weight[t] = longest(&parts, t);
    for (int better = 1; better && parts.work < WORK_MAX;) {
        better = 0;
        drop_empty(&parts);
        for (uint64_t p = 0; p < terms->count; p++)
            for (uint64_t q = p + 1; q < terms->count && parts.work < WORK_MAX; q++)
                better |= exchange(&parts, p, q);
    }
    drop_empty(&parts);
    return FLUX_OK;
}
