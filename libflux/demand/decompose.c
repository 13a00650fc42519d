/* SPDX-License-Identifier: Apache-2.0
 *
 * demand/decompose.c - what the decompositions share, and those that peel a stuffed matrix: Birkhoff - von Neumann with
 * any matching or with bottleneck matchings, and Solstice.
 */
#include "demand/demand.h"

#include <stdlib.h>
#include <string.h>

int flux_demand_add(const struct flux_demand_matrix *matrix, struct flux_demand_terms *terms, const uint32_t *out,
                    int64_t weight)
{
    uint64_t ports = matrix->ports;
    if (terms->count == terms->capacity) {
        uint64_t capacity = terms->capacity ? 2 * terms->capacity : 64;
        int64_t *weights = flux_arena_alloc(matrix->arena, capacity, sizeof *weights);
        uint32_t *outs = flux_arena_alloc(matrix->arena, capacity, ports * sizeof *outs);
        if (!weights || !outs)
            return FLUX_E_MEMORY;
        if (terms->count) {
            memcpy(weights, terms->weight, terms->count * sizeof *weights);
            memcpy(outs, terms->out, terms->count * ports * sizeof *outs);
        }
        terms->weight = weights;
        terms->out = outs;
        terms->capacity = capacity;
    }
    terms->weight[terms->count] = weight;
    memcpy(terms->out + terms->count * ports, out, ports * sizeof *out);
    terms->count++;
    terms->total += weight + matrix->delay;
    return FLUX_OK;
}

/* A matrix being peeled: `stuffed` has equal line sums, `left` is the real demand still to serve. */
struct peeling {
    const struct flux_demand_matrix *matrix;
    int64_t *stuffed;
    int64_t *left;
    uint32_t *out;
    uint32_t *in;
    uint32_t *real;
    uint32_t *scratch;
};

static int64_t line_max(const struct flux_demand_matrix *matrix, int64_t *rows, int64_t *columns)
{
    uint32_t n = matrix->ports;
    int64_t most = 0;
    memset(rows, 0, n * sizeof *rows);
    memset(columns, 0, n * sizeof *columns);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            rows[i] += matrix->demand[(uint64_t)i * n + j];
            columns[j] += matrix->demand[(uint64_t)i * n + j];
        }
    for (uint32_t i = 0; i < n; i++) {
        most = rows[i] > most ? rows[i] : most;
        most = columns[i] > most ? columns[i] : most;
    }
    return most;
}

static void stuff_cell(int64_t *cell, int64_t *row_slack, int64_t *column_slack)
{
    int64_t more = *row_slack < *column_slack ? *row_slack : *column_slack;
    *cell += more;
    *row_slack -= more;
    *column_slack -= more;
}

/* QuickStuff (Liu et al., CoNEXT 2015, section 4.1): first what is there is raised, then empty cells are filled. */
static int stuff(struct peeling *peeling)
{
    const struct flux_demand_matrix *matrix = peeling->matrix;
    uint32_t n = matrix->ports;
    int64_t *rows = flux_arena_alloc(matrix->arena, n, sizeof *rows);
    int64_t *columns = flux_arena_alloc(matrix->arena, n, sizeof *columns);
    if (!rows || !columns)
        return FLUX_E_MEMORY;
    int64_t sum = line_max(matrix, rows, columns);
    for (uint32_t i = 0; i < n; i++) {
        rows[i] = sum - rows[i];
        columns[i] = sum - columns[i];
    }
    for (int fill = 0; fill < 2; fill++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n && rows[i] > 0; j++)
                if (fill || peeling->stuffed[(uint64_t)i * n + j] > 0)
                    stuff_cell(&peeling->stuffed[(uint64_t)i * n + j], &rows[i], &columns[j]);
    return FLUX_OK;
}

static int begin(struct peeling *peeling, const struct flux_demand_matrix *matrix)
{
    uint64_t n = matrix->ports;
    peeling->matrix = matrix;
    peeling->stuffed = flux_arena_alloc(matrix->arena, n * n, sizeof *peeling->stuffed);
    peeling->left = flux_arena_alloc(matrix->arena, n * n, sizeof *peeling->left);
    peeling->out = flux_arena_alloc(matrix->arena, n, sizeof *peeling->out);
    peeling->in = flux_arena_alloc(matrix->arena, n, sizeof *peeling->in);
    peeling->real = flux_arena_alloc(matrix->arena, n, sizeof *peeling->real);
    peeling->scratch = flux_arena_alloc(matrix->arena, 4 * n, sizeof *peeling->scratch);
    if (!peeling->stuffed || !peeling->left || !peeling->out || !peeling->in || !peeling->real || !peeling->scratch)
        return FLUX_E_MEMORY;
    memcpy(peeling->stuffed, matrix->demand, n * n * sizeof *peeling->stuffed);
    memcpy(peeling->left, matrix->demand, n * n * sizeof *peeling->left);
    memset(peeling->out, 0xff, n * sizeof *peeling->out);
    return stuff(peeling);
}

/* Takes the perfect matching in `out` off, by its least entry; pairs that only carry stuffing stay dark, and the term
 * is held no longer than its pairs need. */
static int peel(struct peeling *peeling, struct flux_demand_terms *terms)
{
    uint32_t n = peeling->matrix->ports;
    int64_t least = INT64_MAX, held = 0;
    for (uint32_t i = 0; i < n; i++) {
        int64_t entry = peeling->stuffed[(uint64_t)i * n + peeling->out[i]];
        least = entry < least ? entry : least;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint64_t cell = (uint64_t)i * n + peeling->out[i];
        int64_t served = peeling->left[cell] < least ? peeling->left[cell] : least;
        peeling->stuffed[cell] -= least;
        peeling->left[cell] -= served;
        peeling->real[i] = served > 0 ? peeling->out[i] : FLUX_NONE;
        held = served > held ? served : held;
    }
    return held ? flux_demand_add(peeling->matrix, terms, peeling->real, held) : FLUX_OK;
}

static int perfect(struct peeling *peeling, int64_t least)
{
    uint32_t n = peeling->matrix->ports;
    return flux_demand_match(n, peeling->stuffed, least, peeling->out, peeling->in, peeling->scratch) == n;
}

static int compare_values(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

/* The largest entry at which a perfect matching on entries no smaller is left; it is in `out` then. */
static void bottleneck_matching(struct peeling *peeling, int64_t *sorted)
{
    uint64_t cells = (uint64_t)peeling->matrix->ports * peeling->matrix->ports, count = 0;
    for (uint64_t i = 0; i < cells; i++)
        if (peeling->stuffed[i] > 0)
            sorted[count++] = peeling->stuffed[i];
    qsort(sorted, (size_t)count, sizeof *sorted, compare_values);
    uint64_t low = 0, high = count;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (perfect(peeling, sorted[middle]))
            low = middle;
        else
            high = middle;
    }
    perfect(peeling, sorted[low]);
}

static int64_t largest_left(const struct peeling *peeling)
{
    uint64_t cells = (uint64_t)peeling->matrix->ports * peeling->matrix->ports;
    int64_t most = 0;
    for (uint64_t i = 0; i < cells; i++)
        most = peeling->left[i] > most ? peeling->left[i] : most;
    return most;
}

int flux_demand_bvn(const struct flux_demand_matrix *matrix, int bottleneck, struct flux_demand_terms *terms)
{
    struct peeling peeling;
    int64_t *sorted = flux_arena_alloc(matrix->arena, (uint64_t)matrix->ports * matrix->ports, sizeof *sorted);
    int rc = sorted ? begin(&peeling, matrix) : FLUX_E_MEMORY;
    while (!rc && terms->total <= matrix->limit && largest_left(&peeling)) {
        if (bottleneck)
            bottleneck_matching(&peeling, sorted);
        else
            perfect(&peeling, 1);
        rc = peel(&peeling, terms);
    }
    return rc;
}

/* BigSlice (section 4.2): perfect matchings on entries of at least r, r falling by halves. */
int flux_demand_solstice(const struct flux_demand_matrix *matrix, struct flux_demand_terms *terms)
{
    struct peeling peeling;
    int rc = begin(&peeling, matrix);
    if (rc)
        return rc;
    int64_t most = largest_left(&peeling), threshold = 1;
    while (threshold <= most / 2)
        threshold *= 2;
    while (!rc && terms->total <= matrix->limit && largest_left(&peeling)) {
        if (perfect(&peeling, threshold))
            rc = peel(&peeling, terms);
        else
            threshold /= 2;
    }
    return rc;
}
