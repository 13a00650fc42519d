/* SPDX-License-Identifier: Apache-2.0
 *
 * Rings in both directions at once, chains, and stars.
 *
 * Bidirectional ring: half of every buffer goes each way round, by the steps of the ring (collective.h). Of an
 * all-to-all every block goes the shorter way, forwards where both are as long. A broadcast goes from the root both
 * ways until the members meet; a reduce comes back so. Chain (what a ring does for a broadcast or reduce): member 0 to
 * 1 to 2 ..; with chunks it is a pipeline. Star (what direct does for them): the root with every other member.
 */
#include "io/workload/rounds.h"
#include "io/workload/workload.h"

/* Member `j` after `k` steps against the direction. */
static uint32_t back(const struct flux_io_rounds *rounds, uint32_t j, uint32_t k, int forward)
{
    return forward ? flux_io_minus(j, k, rounds->n) : (j + k) % rounds->n;
}

static void half_ring(struct flux_io_rounds *rounds, int forward)
{
    uint32_t n = rounds->n;
    uint32_t steps = rounds->kind == FLUX_IO_ALL_REDUCE ? 2 * (n - 1) : n - 1;
    uint32_t late = rounds->kind == FLUX_IO_REDUCE_SCATTER; /* so that member j ends with block j */
    for (uint32_t k = 0; k < steps; k++) {
        for (uint32_t j = 0; j < n; j++) {
            flux_io_rounds_send(rounds, j, back(rounds, j, 1, !forward));
            flux_io_rounds_carry(rounds, 0, back(rounds, j, k + late, forward), 1, 1);
        }
        flux_io_rounds_next(rounds);
    }
}

/* Distances 1 .. far; step k passes on what came from k members back and has not arrived. */
static void half_exchange(struct flux_io_rounds *rounds, int forward, uint32_t far)
{
    for (uint32_t k = 0; k < far; k++) {
        for (uint32_t j = 0; j < rounds->n; j++) {
            uint32_t origin = back(rounds, j, k, forward);
            flux_io_rounds_send(rounds, j, back(rounds, j, 1, !forward));
            flux_io_rounds_carry(rounds, origin,
                                 forward ? (origin + k + 1) % rounds->n : flux_io_minus(origin, far, rounds->n),
                                 far - k, 1);
        }
        flux_io_rounds_next(rounds);
    }
}

/* `length` members beside member 0, one after the other. */
static void arm(struct flux_io_rounds *rounds, int forward, uint32_t length)
{
    int out = rounds->kind == FLUX_IO_BROADCAST;
    for (uint32_t i = 0; i < length; i++) {
        uint32_t near = out ? i : length - 1 - i;
        uint32_t a = back(rounds, 0, near, !forward);
        uint32_t b = back(rounds, 0, near + 1, !forward);
        flux_io_rounds_send(rounds, out ? a : b, out ? b : a);
        flux_io_rounds_carry(rounds, 0, 0, 1, 1);
        flux_io_rounds_next(rounds);
    }
}

int flux_io_bidirectional_ring(struct flux_io_rounds *rounds)
{
    uint32_t n = rounds->n;
    int rooted = rounds->kind == FLUX_IO_BROADCAST || rounds->kind == FLUX_IO_REDUCE;
    int halves = !rooted && rounds->kind != FLUX_IO_ALL_TO_ALL;
    int rc = flux_io_rounds_begin(rounds, halves ? 2 : 1, rooted ? 1 : n);
    for (int way = 0; !rc && way < 2; way++) {
        flux_io_rounds_lane(rounds);
        if (halves)
            flux_io_rounds_channel(rounds, (uint32_t)way);
        if (halves)
            half_ring(rounds, !way);
        else if (rooted)
            arm(rounds, !way, way ? (n - 1) / 2 : n / 2);
        else
            half_exchange(rounds, !way, way ? (n - 1) / 2 : n / 2);
    }
    return rc;
}

int flux_io_chain(struct flux_io_rounds *rounds)
{
    int rc = flux_io_rounds_begin(rounds, 1, 1);
    if (!rc)
        arm(rounds, 1, rounds->n - 1);
    return rc;
}

int flux_io_star(struct flux_io_rounds *rounds)
{
    int rc = flux_io_rounds_begin(rounds, 1, 1);
    int out = rounds->kind == FLUX_IO_BROADCAST;
    for (uint32_t j = 1; !rc && j < rounds->n; j++) {
        flux_io_rounds_send(rounds, out ? 0 : j, out ? j : 0);
        flux_io_rounds_carry(rounds, 0, 0, 1, 1);
    }
    if (!rc)
        flux_io_rounds_next(rounds);
    return rc;
}
