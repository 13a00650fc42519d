/* SPDX-License-Identifier: Apache-2.0
 *
 * demand/matching.c - matchings on a matrix: largest, and of largest weight.
 */
#include "demand/demand.h"

#include <string.h>

struct matcher {
    uint32_t ports;
    const int64_t *value;
    int64_t least;
    uint32_t *out;
    uint32_t *in;
    uint32_t *level; /* by input: length of the shortest alternating path to it */
    uint32_t *next;  /* by input: the next output to try */
    uint32_t *queue; /* also the stack of a path */
};

static int edge(const struct matcher *m, uint32_t i, uint32_t j)
{
    return m->value[(uint64_t)i * m->ports + j] >= m->least;
}

/* Levels by breadth-first search from free inputs; 1 where a free output is within reach. */
static int set_levels(struct matcher *m)
{
    uint32_t head = 0, tail = 0;
    int found = 0;
    for (uint32_t i = 0; i < m->ports; i++) {
        m->level[i] = m->out[i] == FLUX_NONE ? 0 : FLUX_NONE;
        if (m->level[i] == 0)
            m->queue[tail++] = i;
    }
    while (head < tail) {
        uint32_t i = m->queue[head++];
        for (uint32_t j = 0; j < m->ports; j++) {
            if (!edge(m, i, j))
                continue;
            uint32_t k = m->in[j];
            if (k == FLUX_NONE) {
                found = 1;
            } else if (m->level[k] == FLUX_NONE) {
                m->level[k] = m->level[i] + 1;
                m->queue[tail++] = k;
            }
        }
    }
    return found;
}

/* One augmenting path from a free input by depth-first search along the levels, without recursion. */
static int augment(struct matcher *m, uint32_t start)
{
    uint32_t depth = 0;
    m->queue[0] = start;
    for (;;) {
        uint32_t i = m->queue[depth];
        uint32_t j = m->next[i];
        if (j == m->ports) {
            m->level[i] = FLUX_NONE;
            if (depth == 0)
                return 0;
            depth--;
            m->next[m->queue[depth]]++;
            continue;
        }
        uint32_t k = m->in[j];
        if (!edge(m, i, j) || (k != FLUX_NONE && m->level[k] != m->level[i] + 1)) {
            m->next[i]++;
            continue;
        }
        if (k != FLUX_NONE) {
            m->queue[++depth] = k;
            continue;
        }
        for (uint32_t at = depth + 1; at-- > 0;) { /* a free output: turn the path over */
            uint32_t input = m->queue[at], output = m->next[input];
            m->out[input] = output;
            m->in[output] = input;
            m->next[input]++;
        }
        return 1;
    }
}

uint32_t flux_demand_match(uint32_t ports, const int64_t *value, int64_t least, uint32_t *out, uint32_t *in,
                           uint32_t *scratch)
{
    struct matcher m = {ports, value, least, out, in, scratch, scratch + ports, scratch + 2 * (uint64_t)ports};
    uint32_t size = 0;
    memset(in, 0xff, ports * sizeof *in);
    for (uint32_t i = 0; i < ports; i++) {
        if (out[i] != FLUX_NONE && !edge(&m, i, out[i]))
            out[i] = FLUX_NONE;
        if (out[i] != FLUX_NONE)
            in[out[i]] = i;
    }
    while (set_levels(&m)) {
        memset(m.next, 0, ports * sizeof *m.next);
        for (uint32_t i = 0; i < ports; i++)
            if (out[i] == FLUX_NONE)
                augment(&m, i);
    }
    for (uint32_t i = 0; i < ports; i++)
        size += out[i] != FLUX_NONE;
    return size;
}

/* An assignment that grows row by row, so that the sum of -value is least. Columns and rows are counted from 1; column
 * 0 holds the row that is being placed. */
struct assignment {
    uint64_t n;
    const int64_t *value;
    int64_t *row_price;
    int64_t *column_price;
    int64_t *reach; /* by column: the least reduced cost on any way to it */
    int64_t *row_of;
    int64_t *way;
    int64_t *used;
};

/* A row whose best column is free takes it at once; where many values are equal that is most of the work. `out` is 0
 * for these, FLUX_NONE for the others. */
static void place_at_once(struct assignment *a, uint32_t *out)
{
    memset(out, 0xff, a->n * sizeof *out);
    for (uint64_t row = 1; row <= a->n; row++) {
        const int64_t *values = a->value + (row - 1) * a->n;
        int64_t most = values[0];
        for (uint64_t j = 1; j < a->n; j++)
            most = values[j] > most ? values[j] : most;
        a->row_price[row] = -most;
        for (uint64_t j = 1; j <= a->n; j++)
            if (values[j - 1] == most && !a->row_of[j]) {
                a->row_of[j] = (int64_t)row;
                out[row - 1] = 0;
                break;
            }
    }
}

/* Takes `column` as the end of all ways so far, and gives the nearest one that is not used yet; prices follow. */
static uint64_t nearest_column(struct assignment *a, uint64_t column)
{
    uint64_t i = (uint64_t)a->row_of[column], nearest = 0;
    int64_t step = INT64_MAX;
    const int64_t *values = a->value + (i - 1) * a->n;
    a->used[column] = 1;
    for (uint64_t j = 1; j <= a->n; j++) {
        if (a->used[j])
            continue;
        int64_t reduced = -values[j - 1] - a->row_price[i] - a->column_price[j];
        if (reduced < a->reach[j]) {
            a->reach[j] = reduced;
            a->way[j] = (int64_t)column;
        }
        if (a->reach[j] < step) {
            step = a->reach[j];
            nearest = j;
        }
    }
    for (uint64_t j = 0; j <= a->n; j++) {
        if (a->used[j]) {
            a->row_price[a->row_of[j]] += step;
            a->column_price[j] -= step;
        } else if (a->reach[j] != INT64_MAX) {
            a->reach[j] -= step;
        }
    }
    return nearest;
}

static void place(struct assignment *a, uint64_t row)
{
    uint64_t column = 0;
    a->row_of[0] = (int64_t)row;
    for (uint64_t j = 0; j <= a->n; j++) {
        a->reach[j] = INT64_MAX;
        a->used[j] = 0;
    }
    do {
        column = nearest_column(a, column);
    } while (a->row_of[column] != 0);
    while (column) {
        uint64_t before = (uint64_t)a->way[column];
        a->row_of[column] = a->row_of[before];
        column = before;
    }
}

void flux_demand_assign(uint32_t ports, const int64_t *value, uint32_t *out, int64_t *scratch)
{
    uint64_t n = ports, each = n + 1;
    struct assignment a = {n,
                           value,
                           scratch,
                           scratch + each,
                           scratch + 2 * each,
                           scratch + 3 * each,
                           scratch + 4 * each,
                           scratch + 5 * each};
    memset(scratch, 0, 6 * each * sizeof *scratch);
    place_at_once(&a, out);
    for (uint64_t row = 1; row <= n; row++)
        if (out[row - 1] == FLUX_NONE)
            place(&a, row);
    for (uint64_t j = 1; j <= n; j++)
        out[a.row_of[j] - 1] = (uint32_t)(j - 1);
}
