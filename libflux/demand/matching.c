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

/* Minimises the sum of -value. Columns and rows are counted from 1; column 0 holds the row that is being placed. */
void flux_demand_assign(uint32_t ports, const int64_t *value, uint32_t *out, int64_t *scratch)
{
    uint64_t n = ports;
    int64_t *row_price = scratch, *column_price = row_price + n + 1, *reach = column_price + n + 1;
    int64_t *row_of = reach + n + 1, *way = row_of + n + 1, *used = way + n + 1;
    memset(scratch, 0, 6 * (n + 1) * sizeof *scratch);
    /* A row whose best column is free takes it at once; where many values are equal that is most of the work. */
    memset(out, 0xff, n * sizeof *out);
    for (uint64_t row = 1; row <= n; row++) {
        const int64_t *values = value + (row - 1) * n;
        int64_t most = values[0];
        for (uint64_t j = 1; j < n; j++)
            most = values[j] > most ? values[j] : most;
        row_price[row] = -most;
        for (uint64_t j = 1; j <= n; j++)
            if (values[j - 1] == most && !row_of[j]) {
                row_of[j] = (int64_t)row;
                out[row - 1] = 0;
                break;
            }
    }
    for (uint64_t row = 1; row <= n; row++) {
        uint64_t column = 0;
        if (out[row - 1] != FLUX_NONE)
            continue;
        row_of[0] = (int64_t)row;
        for (uint64_t j = 0; j <= n; j++) {
            reach[j] = INT64_MAX;
            used[j] = 0;
        }
        do {
            uint64_t i = (uint64_t)row_of[column], nearest = 0;
            int64_t step = INT64_MAX;
            const int64_t *values = value + (i - 1) * n;
            used[column] = 1;
            for (uint64_t j = 1; j <= n; j++) {
                if (used[j])
                    continue;
                int64_t reduced = -values[j - 1] - row_price[i] - column_price[j];
                if (reduced < reach[j]) {
                    reach[j] = reduced;
                    way[j] = (int64_t)column;
                }
                if (reach[j] < step) {
                    step = reach[j];
                    nearest = j;
                }
            }
            for (uint64_t j = 0; j <= n; j++) {
                if (used[j]) {
                    row_price[row_of[j]] += step;
                    column_price[j] -= step;
                } else if (reach[j] != INT64_MAX) {
                    reach[j] -= step;
                }
            }
            column = nearest;
        } while (row_of[column] != 0);
        while (column) {
            uint64_t before = (uint64_t)way[column];
            row_of[column] = row_of[before];
            column = before;
        }
    }
    for (uint64_t j = 1; j <= n; j++)
        out[row_of[j] - 1] = (uint32_t)(j - 1);
}
