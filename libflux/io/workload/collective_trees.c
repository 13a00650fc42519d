/* SPDX-License-Identifier: Apache-2.0
 *
 * Trees with member 0 at the root.
 *
 * Binomial tree: the parent of j is j without its lowest bit. All-reduce: reduce, then broadcast. All-gather: gather,
 * each member giving what is below it, then broadcast. Reduce-scatter: reduce, then scatter (Thakur, Rabenseifner,
 * Gropp, 2005).
 *
 * Double binary tree: half of the buffer in each of two binary trees; who passes on in one is a leaf in the other, but
 * for one member at most (Sanders, Speck, Traeff, 2009). In the first, the others stand in order (in-order numbering; a
 * member's height is that of its lowest bit); in the second mirrored, or with an even n moved by one.
 */
#include "io/workload/rounds.h"
#include "io/workload/workload.h"

#define WHOLE 0 /* what a round of a tree carries: everything */
#define BELOW 1 /* the blocks of the members below */

/* The edges of bit d, up or down. */
static void binomial_round(struct flux_io_rounds *rounds, uint32_t d, int up, int what)
{
    uint32_t n = rounds->n;
    for (uint32_t j = d; j < n; j += 2 * d) {
        flux_io_rounds_send(rounds, up ? j : j - d, up ? j - d : j);
        if (what == WHOLE)
            flux_io_rounds_carry(rounds, 0, 0, rounds->to->row, 1);
        else
            flux_io_rounds_carry(rounds, 0, j, d < n - j ? d : n - j, 1);
    }
    flux_io_rounds_next(rounds);
}

static uint32_t highest(uint32_t n)
{
    uint32_t d = 1;
    while (2 * d < n)
        d *= 2;
    return d;
}

int flux_io_binomial_tree(struct flux_io_rounds *rounds)
{
    uint32_t n = rounds->n;
    uint32_t kind = rounds->kind;
    int blocks = kind == FLUX_IO_ALL_GATHER || kind == FLUX_IO_REDUCE_SCATTER;
    int rc = flux_io_rounds_begin(rounds, 1, blocks ? n : 1);
    if (rc)
        return rc;
    if (kind != FLUX_IO_BROADCAST)
        for (uint32_t d = 1; d < n; d *= 2)
            binomial_round(rounds, d, 1, kind == FLUX_IO_ALL_GATHER ? BELOW : WHOLE);
    if (kind != FLUX_IO_REDUCE)
        for (uint32_t d = highest(n); d; d /= 2)
            binomial_round(rounds, d, 0, kind == FLUX_IO_REDUCE_SCATTER ? BELOW : WHOLE);
    return rc;
}

/* The member at place v of a tree; 0 at 0. */
static uint32_t member_at(uint32_t n, uint32_t tree, uint32_t v)
{
    if (!tree || !v)
        return v;
    return n % 2 ? n - v : (v + n - 3) % (n - 1) + 1;
}

/* The edges from places whose lowest bit is d. */
static void binary_round(struct flux_io_rounds *rounds, uint32_t tree, uint32_t d, int up)
{
    uint32_t n = rounds->n;
    for (uint32_t v = d; v < n; v += 2 * d) {
        uint32_t above = (v ^ d) | 2 * d;
        uint32_t child = member_at(n, tree, v);
        uint32_t parent = member_at(n, tree, above < n ? above : v ^ d);
        flux_io_rounds_send(rounds, up ? child : parent, up ? parent : child);
        flux_io_rounds_carry(rounds, 0, 0, 1, 1);
    }
    flux_io_rounds_next(rounds);
}

int flux_io_double_binary_tree(struct flux_io_rounds *rounds)
{
    uint32_t n = rounds->n;
    int rc = flux_io_rounds_begin(rounds, 2, 1);
    for (uint32_t tree = 0; !rc && tree < 2; tree++) {
        flux_io_rounds_lane(rounds);
        flux_io_rounds_channel(rounds, tree);
        if (rounds->kind != FLUX_IO_BROADCAST)
            for (uint32_t d = 1; d < n; d *= 2)
                binary_round(rounds, tree, d, 1);
        if (rounds->kind != FLUX_IO_REDUCE)
            for (uint32_t d = highest(n); d; d /= 2)
                binary_round(rounds, tree, d, 0);
    }
    return rc;
}
