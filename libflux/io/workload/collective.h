/* SPDX-License-Identifier: Apache-2.0
 *
 * io/workload/collective.h - a collective as sends between its members.
 *
 * Members are 0 .. n - 1, the places in the group's list. What a member brings is cut in n blocks; block i has
 * floor(bytes / n) bytes and one more where i < bytes mod n, so that no byte is lost. `bytes` is what one member
 * brings: the whole buffer of an all-reduce, reduce-scatter or all-to-all, the shard of an all-gather.
 *
 * Ring, step k = 0, 1, ...: member j sends to j + 1, after its own step k - 1 and after that of j - 1, which brought
 * what it now passes on.
 *   all-reduce      2(n - 1) steps; block j - k. The first n - 1 sum up, the others spread the sums.
 *   reduce-scatter  n - 1 steps; block j - 1 - k, so that member j ends with block j.
 *   all-gather      n - 1 steps; the shard of j - k.
 *   all-to-all      n - 1 steps; store and forward: what came from member j - k and has not yet arrived.
 * Direct: every member sends to every other at once.
 *   all-reduce      block i to member i; when all have come, the sum of block j from j to all others.
 *   reduce-scatter, all-to-all  block i to member i.       all-gather  the shard to everyone.
 * Halving-doubling (n a power of two; Thakur, Rabenseifner, Gropp, 2005, section 4): member j and j xor d exchange
 *   halving         d = 1, 2, .., n/2: the half of the blocks still in play that is the partner's
 *   doubling        d = n/2, .., 2, 1: everything gathered so far
 *   all-reduce      halving, then doubling. reduce-scatter halving. all-gather doubling. all-to-all: not defined.
 * The other algorithms are those of collective_rings.c, _doubling.c, _trees.c and _nodes.c; each says there what it
 * does.
 */
#ifndef FLUX_IO_WORKLOAD_COLLECTIVE_H
#define FLUX_IO_WORKLOAD_COLLECTIVE_H

#include "io/memory.h"

#define FLUX_IO_STEP_STARTS 1u   /* waits for what its source waits for */
#define FLUX_IO_STEP_ENDS_SRC 2u /* its source is not done before it */
#define FLUX_IO_STEP_ENDS_DST 4u /* its destination is not done before it */
#define FLUX_IO_STEP_ENDS (FLUX_IO_STEP_ENDS_SRC | FLUX_IO_STEP_ENDS_DST)

/* A send from member `src` to member `dst`, or with dst = FLUX_NONE a point in time at which member `src` has all that
 * its later steps need. */
struct flux_io_step {
    uint64_t bytes; /* may be 0 where there are fewer bytes than members */
    uint32_t src;
    uint32_t dst;
    uint32_t step;
    uint32_t flags;
};

/* Step `after` waits for step `before`. */
struct flux_io_after {
    uint32_t before;
    uint32_t after;
};

/* Blocks that a step carries: first, first + stride, .. of which there are `count`, mod the blocks of a row, behind
 * `base`. A collective has `channels` parts that are cut in rows alike: one row, or of an all-to-all one per origin. */
struct flux_io_piece {
    uint32_t step;
    uint32_t base;
    uint32_t first;
    uint32_t count;
    uint32_t stride;
};

struct flux_io_expansion {
    const struct flux_io_memory *memory;
    uint32_t keep_pieces; /* 1: the algorithms made of rounds (rounds.h) say which blocks each step carries */
    uint32_t channels;
    uint32_t row; /* blocks */
    uint32_t reserved;
    struct flux_io_piece *pieces;
    uint64_t piece_count;
    uint64_t piece_capacity;
    struct flux_io_step *steps;
    uint64_t step_count;
    uint64_t step_capacity;
    struct flux_io_after *after;
    uint64_t after_count;
    uint64_t after_capacity;
};

/* How large an expansion will be: known before any of it is made. Numbers beyond 64 bits read UINT64_MAX. */
struct flux_io_expansion_size {
    uint64_t steps; /* sends and points in time */
    uint64_t sends;
    uint64_t after;
    uint64_t starts; /* steps with FLUX_IO_STEP_STARTS, of one member */
    uint64_t ends;   /* waits of one member's end */
};

/* The algorithm that is used for `kind` over `n` members, `per_node` of them on each node (0: not equally many on all),
 * where `wanted` (FLUX_ALGORITHM_*) is asked for. DEFAULT is resolved; halving-doubling where n is no power of two and
 * hierarchical where nodes differ become a ring; hierarchical within one node, or with one member on each, is what the
 * default does. */
uint32_t flux_io_collective_algorithm(uint32_t kind, uint32_t wanted, uint32_t n, uint32_t per_node);

/* 1 where `wanted` is an algorithm for `kind`. */
int flux_io_collective_known(uint32_t kind, uint32_t wanted);

/* `steps` and `sends` are exact; the others are at most what comes. */
void flux_io_collective_size(uint32_t kind, uint32_t algorithm, uint32_t n, uint32_t per_node,
                             struct flux_io_expansion_size *size);

/* Bytes over all sends where n divides `bytes`, and at most a byte per block more otherwise. -1: beyond 64 bits. */
int flux_io_collective_bytes(uint32_t kind, uint32_t algorithm, uint32_t n, uint32_t per_node, uint64_t bytes,
                             uint64_t *sum);

/* The steps, in an order in which every one comes after those that it waits for. `algorithm` is a resolved one; n >= 2.
 * With `per_node` members on a node, 0 .. per_node - 1 are on the first, and so on. A broadcast comes from member 0 and
 * a reduce goes there. The expansion's memory is used again. 0 or MEMORY. */
int flux_io_collective_expand(struct flux_io_expansion *expansion, uint32_t kind, uint32_t algorithm, uint32_t n,
                              uint32_t per_node, uint64_t bytes);
void flux_io_expansion_init(struct flux_io_expansion *expansion, const struct flux_io_memory *memory);
void flux_io_expansion_free(struct flux_io_expansion *expansion);

/* floor(bytes / parts), and one more for the first bytes mod parts of them. */
static inline uint64_t flux_io_part(uint64_t bytes, uint64_t parts, uint64_t index)
{
    return bytes / parts + (index < bytes % parts);
}

#endif
