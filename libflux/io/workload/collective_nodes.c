/* SPDX-License-Identifier: Apache-2.0
 *
 * Hierarchical: within a node, and across nodes between members of the same place in theirs. Member a * g + l is l-th
 * on node a; m nodes have g members each.
 *
 *   reduce-scatter  a ring within, over the blocks of all nodes' l-th members; then a ring across
 *   all-gather      a ring across, then a ring within
 *   all-reduce      the first, then the second
 *   all-to-all      within: to each place what is for that place on any node; then across, straight to the node
 *   broadcast       a binomial tree across from the root to the first of each node, then one within; reduce: backwards
 */
#include "io/workload/rounds.h"
#include "io/workload/workload.h"

static void ring_within(struct flux_io_rounds *rounds, uint32_t late)
{
    uint32_t g = rounds->per_node, m = rounds->n / g;
    for (uint32_t k = 0; k < g - 1; k++) {
        for (uint32_t j = 0; j < rounds->n; j++) {
            uint32_t l = j % g;
            flux_io_rounds_send(rounds, j, j - l + (l + 1) % g);
            flux_io_rounds_carry(rounds, 0, flux_io_minus(l, k + late, g), m, g);
        }
        flux_io_rounds_next(rounds);
    }
}

static void ring_across(struct flux_io_rounds *rounds, uint32_t late)
{
    uint32_t g = rounds->per_node, m = rounds->n / g;
    for (uint32_t k = 0; k < m - 1; k++) {
        for (uint32_t j = 0; j < rounds->n; j++) {
            flux_io_rounds_send(rounds, j, (j + g) % rounds->n);
            flux_io_rounds_carry(rounds, 0, flux_io_minus(j / g, k + late, m) * g + j % g, 1, 1);
        }
        flux_io_rounds_next(rounds);
    }
}

static void exchange(struct flux_io_rounds *rounds)
{
    uint32_t g = rounds->per_node, n = rounds->n;
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t q = 1; q < g; q++) {
            uint32_t place = (j % g + q) % g;
            flux_io_rounds_send(rounds, j, j - j % g + place);
            flux_io_rounds_carry(rounds, j, place, n / g, g);
        }
    flux_io_rounds_next(rounds);
    for (uint32_t j = 0; j < n; j++)
        flux_io_rounds_point(rounds, j);
    flux_io_rounds_next(rounds);
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t q = g; q < n; q += g) {
            uint32_t to = (j + q) % n;
            flux_io_rounds_send(rounds, j, to);
            for (uint32_t origin = j - j % g; origin < j - j % g + g; origin++)
                flux_io_rounds_carry(rounds, origin, to, 1, 1);
        }
    flux_io_rounds_next(rounds);
}

/* The edges of bit d in binomial trees of `count` members `stride` apart; the trees begin at 0, apart, 2 apart, .. */
static void tree_round(struct flux_io_rounds *rounds, uint32_t d, uint32_t count, uint32_t stride, uint32_t apart)
{
    int out = rounds->kind == FLUX_IO_BROADCAST;
    for (uint32_t base = 0; base < rounds->n; base += apart)
        for (uint32_t i = d; i < count; i += 2 * d) {
            uint32_t child = base + i * stride, parent = child - d * stride;
            flux_io_rounds_send(rounds, out ? parent : child, out ? child : parent);
            flux_io_rounds_carry(rounds, 0, 0, 1, 1);
        }
    flux_io_rounds_next(rounds);
}

static void tree(struct flux_io_rounds *rounds, uint32_t count, uint32_t stride, uint32_t apart)
{
    uint32_t d = 1;
    if (rounds->kind == FLUX_IO_REDUCE) {
        for (; d < count; d *= 2)
            tree_round(rounds, d, count, stride, apart);
        return;
    }
    while (2 * d < count)
        d *= 2;
    for (; d; d /= 2)
        tree_round(rounds, d, count, stride, apart);
}

int flux_io_hierarchical(struct flux_io_rounds *rounds)
{
    uint32_t g = rounds->per_node, n = rounds->n, kind = rounds->kind;
    int rooted = kind == FLUX_IO_BROADCAST || kind == FLUX_IO_REDUCE;
    int rc = flux_io_rounds_begin(rounds, 1, rooted ? 1 : n);
    if (rc)
        return rc;
    if (kind == FLUX_IO_ALL_TO_ALL)
        exchange(rounds);
    if (kind == FLUX_IO_ALL_REDUCE || kind == FLUX_IO_REDUCE_SCATTER) {
        ring_within(rounds, 1);
        ring_across(rounds, 1);
    }
    if (kind == FLUX_IO_ALL_REDUCE || kind == FLUX_IO_ALL_GATHER) {
        ring_across(rounds, 0);
        ring_within(rounds, 0);
    }
    if (kind == FLUX_IO_BROADCAST) {
        tree(rounds, n / g, g, n);
        tree(rounds, g, 1, g);
    }
    if (kind == FLUX_IO_REDUCE) {
        tree(rounds, g, 1, g);
        tree(rounds, n / g, g, n);
    }
    return rc;
}
