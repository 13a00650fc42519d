/* SPDX-License-Identifier: Apache-2.0
 *
 * Recursive doubling: ceil(log2 n) rounds for any n.
 *
 *   all-reduce      member j and j xor d exchange whole sums, d = 1, 2, 4, ..; those beyond the largest power of two
 * give theirs to a partner before and get the result after (Thakur, Rabenseifner, Gropp, 2005, section 4.5) all-gather
 * member j sends what it has to j - d (Bruck, Ho, Kipnis, Upfal, Weathersby, 1997) reduce-scatter  the same backwards
 * in time all-to-all      blocks travel the bits of their distance, as in the same paper, section 4
 */
#include "io/workload/rounds.h"
#include "io/workload/workload.h"

static void exchange_sums(struct flux_io_rounds *rounds)
{
    uint32_t n = rounds->n;
    uint32_t most = 1;
    while (2 * most <= n)
        most *= 2;
    for (uint32_t j = most; j < n; j++) {
        flux_io_rounds_send(rounds, j, j - most);
        flux_io_rounds_carry(rounds, 0, 0, 1, 1);
    }
    flux_io_rounds_next(rounds);
    for (uint32_t d = 1; d < most; d *= 2) {
        for (uint32_t j = 0; j < most; j++) {
            flux_io_rounds_send(rounds, j, j ^ d);
            flux_io_rounds_carry(rounds, 0, 0, 1, 1);
        }
        flux_io_rounds_next(rounds);
    }
    for (uint32_t j = most; j < n; j++) {
        flux_io_rounds_send(rounds, j - most, j);
        flux_io_rounds_carry(rounds, 0, 0, 1, 1);
    }
    flux_io_rounds_next(rounds);
}

/* Round d of an all-gather, or of a reduce-scatter that runs it backwards. */
static void gather_round(struct flux_io_rounds *rounds, uint32_t d)
{
    uint32_t n = rounds->n;
    uint32_t count = d < n - d ? d : n - d;
    for (uint32_t j = 0; j < n; j++) {
        uint32_t other = flux_io_minus(j, d, n);
        if (rounds->kind == FLUX_IO_ALL_GATHER)
            flux_io_rounds_send(rounds, j, other);
        else
            flux_io_rounds_send(rounds, other, j);
        flux_io_rounds_carry(rounds, 0, j, count, 1);
    }
    flux_io_rounds_next(rounds);
}

/* Member j passes on, over d, every block it has whose distance has that bit. */
static void index_round(struct flux_io_rounds *rounds, uint32_t d)
{
    uint32_t n = rounds->n;
    for (uint32_t j = 0; j < n; j++) {
        flux_io_rounds_send(rounds, j, (j + d) % n);
        for (uint32_t far = d; far < n; far++) {
            if (!(far & d))
                continue;
            uint32_t origin = flux_io_minus(j, far & (d - 1), n);
            flux_io_rounds_carry(rounds, origin, (origin + far) % n, 1, 1);
        }
    }
    flux_io_rounds_next(rounds);
}

int flux_io_recursive_doubling(struct flux_io_rounds *rounds)
{
    uint32_t n = rounds->n;
    int rc = flux_io_rounds_begin(rounds, 1, rounds->kind == FLUX_IO_ALL_REDUCE ? 1 : n);
    if (rc)
        return rc;
    if (rounds->kind == FLUX_IO_ALL_REDUCE) {
        exchange_sums(rounds);
        return rc;
    }
    uint32_t most = 1;
    while (2 * most < n)
        most *= 2;
    if (rounds->kind == FLUX_IO_REDUCE_SCATTER)
        for (uint32_t d = most; d; d /= 2)
            gather_round(rounds, d);
    else
        for (uint32_t d = 1; d <= most; d *= 2)
            (rounds->kind == FLUX_IO_ALL_GATHER ? gather_round : index_round)(rounds, d);
    return rc;
}
