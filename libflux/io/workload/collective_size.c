/* SPDX-License-Identifier: Apache-2.0
 *
 * Which algorithm a collective gets, and how many sends and bytes come of it: closed formulas.
 */
#include "io/workload/collective.h"
#include "io/workload/workload.h"

#define BIT(kind) (1u << (kind))
#define ROOTED (BIT(FLUX_IO_BROADCAST) | BIT(FLUX_IO_REDUCE))
#define SCATTERED (BIT(FLUX_IO_ALL_REDUCE) | BIT(FLUX_IO_ALL_GATHER) | BIT(FLUX_IO_REDUCE_SCATTER))
#define EVERY (SCATTERED | BIT(FLUX_IO_ALL_TO_ALL) | ROOTED)

int flux_io_collective_known(uint32_t kind, uint32_t wanted)
{
    static const uint32_t kinds[] = {
        [FLUX_ALGORITHM_DEFAULT] = EVERY,
        [FLUX_ALGORITHM_RING] = EVERY,
        [FLUX_ALGORITHM_DIRECT] = EVERY,
        [FLUX_ALGORITHM_HALVING_DOUBLING] = SCATTERED,
        [FLUX_ALGORITHM_BIDIRECTIONAL_RING] = EVERY,
        [FLUX_ALGORITHM_RECURSIVE_DOUBLING] = SCATTERED | BIT(FLUX_IO_ALL_TO_ALL),
        [FLUX_ALGORITHM_BINOMIAL_TREE] = SCATTERED | ROOTED,
        [FLUX_ALGORITHM_DOUBLE_BINARY_TREE] = BIT(FLUX_IO_ALL_REDUCE) | ROOTED,
        [FLUX_ALGORITHM_HIERARCHICAL] = EVERY,
    };
    return wanted < sizeof kinds / sizeof kinds[0] && kind < FLUX_IO_COLLECTIVE_KINDS && (kinds[wanted] & BIT(kind));
}

static int is_power_of_two(uint32_t n)
{
    return (n & (n - 1)) == 0;
}

static uint32_t floor_log2(uint32_t n)
{
    uint32_t bits = 0;
    while (n >> (bits + 1))
        bits++;
    return bits;
}

uint32_t flux_io_collective_algorithm(uint32_t kind, uint32_t wanted, uint32_t n, uint32_t per_node)
{
    uint32_t usual = kind == FLUX_IO_ALL_TO_ALL ? FLUX_ALGORITHM_DIRECT
                     : BIT(kind) & ROOTED       ? FLUX_ALGORITHM_BINOMIAL_TREE
                                                : FLUX_ALGORITHM_RING;
    if (wanted == FLUX_ALGORITHM_DEFAULT)
        return usual;
    if (wanted == FLUX_ALGORITHM_HALVING_DOUBLING && !is_power_of_two(n))
        return FLUX_ALGORITHM_RING;
    if (wanted == FLUX_ALGORITHM_HIERARCHICAL && (!per_node || n % per_node))
        return FLUX_ALGORITHM_RING;
    if (wanted == FLUX_ALGORITHM_HIERARCHICAL && (per_node == 1 || per_node == n))
        return usual;
    return wanted;
}

/* Sends over all members. n is at most 2^20 (FLUX_GPUS_MAX), so nothing here leaves 64 bits. */
static uint64_t sends_of(uint32_t kind, uint32_t algorithm, uint32_t n, uint32_t per_node)
{
    uint64_t members = n, others = members - 1, bits = floor_log2(n);
    uint64_t twice = kind == FLUX_IO_ALL_REDUCE ? 2 : 1;
    uint64_t power = UINT64_C(1) << bits;
    if (BIT(kind) & ROOTED)
        return algorithm == FLUX_ALGORITHM_DOUBLE_BINARY_TREE ? 2 * others : others;
    switch (algorithm) {
    case FLUX_ALGORITHM_HALVING_DOUBLING:
        return twice * members * bits;
    case FLUX_ALGORITHM_BIDIRECTIONAL_RING:
        return kind == FLUX_IO_ALL_TO_ALL ? members * others : 2 * twice * members * others;
    case FLUX_ALGORITHM_RECURSIVE_DOUBLING:
        return kind == FLUX_IO_ALL_REDUCE ? power * bits + 2 * (members - power)
                                          : members * (bits + (power != members));
    case FLUX_ALGORITHM_BINOMIAL_TREE:
        return 2 * others;
    case FLUX_ALGORITHM_DOUBLE_BINARY_TREE:
        return 4 * others;
    case FLUX_ALGORITHM_HIERARCHICAL:
        return twice * members * (per_node - 1 + members / per_node - 1);
    default:
        return twice * members * others;
    }
}

static uint64_t starts_of(uint32_t kind, uint32_t algorithm, uint32_t n, uint32_t per_node)
{
    switch (algorithm) {
    case FLUX_ALGORITHM_DIRECT:
        return kind == FLUX_IO_REDUCE ? 1 : (uint64_t)n - (kind != FLUX_IO_ALL_REDUCE);
    case FLUX_ALGORITHM_BIDIRECTIONAL_RING:
        return kind == FLUX_IO_REDUCE ? 1 : 2;
    case FLUX_ALGORITHM_DOUBLE_BINARY_TREE:
        return 2;
    case FLUX_ALGORITHM_HIERARCHICAL:
        return kind == FLUX_IO_ALL_TO_ALL ? per_node - 1 : 1;
    default:
        return 1;
    }
}

void flux_io_collective_size(uint32_t kind, uint32_t algorithm, uint32_t n, uint32_t per_node,
                             struct flux_io_expansion_size *size)
{
    uint64_t members = n, others = members - 1;
    uint64_t sends = sends_of(kind, algorithm, n, per_node);
    size->sends = size->steps = sends;
    size->starts = starts_of(kind, algorithm, n, per_node);
    size->ends = 2;
    if (algorithm == FLUX_ALGORITHM_DIRECT && !(BIT(kind) & ROOTED)) {
        int twice = kind == FLUX_IO_ALL_REDUCE;
        size->steps += twice ? members : 0;
        size->after = twice ? 2 * members * others : 0;
        size->ends = 2 * others;
    } else if ((algorithm == FLUX_ALGORITHM_RING || algorithm == FLUX_ALGORITHM_HALVING_DOUBLING) &&
               !(BIT(kind) & ROOTED)) {
        size->after = 2 * (sends - members); /* two for every step but a member's first */
    } else {
        int points = algorithm == FLUX_ALGORITHM_HIERARCHICAL && kind == FLUX_IO_ALL_TO_ALL;
        size->steps += points ? members : 0;
        size->after = 2 * size->sends + (points ? members : 0);
        size->ends = 2 * (sends / members + 1);
    }
}

/* Blocks that a binomial gather or scatter moves in all. */
static uint64_t binomial_blocks(uint32_t n)
{
    uint64_t sum = 0;
    for (uint64_t d = 1; d < n; d *= 2)
        for (uint64_t j = d; j < n; j += 2 * d)
            sum += d < n - j ? d : n - j;
    return sum;
}

/* Hops of one member's blocks that travel the bits of their distance. */
static uint64_t bits_below(uint32_t n)
{
    uint64_t sum = 0;
    for (uint32_t far = 1; far < n; far++)
        sum += (uint64_t)__builtin_popcount(far);
    return sum;
}

/* Blocks, n to what a member brings (of an all-gather: one), that cross the wire. At most 2^61. */
static uint64_t blocks_of(uint32_t kind, uint32_t algorithm, uint32_t n, uint32_t per_node)
{
    uint64_t members = n, others = members - 1;
    uint64_t power = UINT64_C(1) << floor_log2(n);
    uint64_t half = members / 2, nodes = per_node ? members / per_node : 0;
    int binomial = algorithm == FLUX_ALGORITHM_BINOMIAL_TREE;
    switch (kind) {
    case FLUX_IO_ALL_GATHER:
        return members * others + (binomial ? binomial_blocks(n) : 0);
    case FLUX_IO_REDUCE_SCATTER:
        return members * others + (binomial ? binomial_blocks(n) : 0);
    case FLUX_IO_ALL_TO_ALL:
        if (algorithm == FLUX_ALGORITHM_RING)
            return members * (members * others / 2);
        if (algorithm == FLUX_ALGORITHM_BIDIRECTIONAL_RING)
            return members * (half * (half + 1) / 2 + (others - half) * (others - half + 1) / 2);
        if (algorithm == FLUX_ALGORITHM_RECURSIVE_DOUBLING)
            return members * bits_below(n);
        if (algorithm == FLUX_ALGORITHM_HIERARCHICAL)
            return members * ((per_node - 1) * nodes + (nodes - 1) * per_node);
        return members * others;
    case FLUX_IO_ALL_REDUCE:
        if (algorithm == FLUX_ALGORITHM_RECURSIVE_DOUBLING)
            return members * (power * floor_log2(n) + 2 * (members - power));
        return members * 2 * others;
    default:
        return members * others;
    }
}

int flux_io_collective_bytes(uint32_t kind, uint32_t algorithm, uint32_t n, uint32_t per_node, uint64_t bytes,
                             uint64_t *sum)
{
    uint64_t parts = kind == FLUX_IO_ALL_GATHER ? 1 : n;
    __extension__ unsigned __int128 all =
        ((__extension__(unsigned __int128) blocks_of(kind, algorithm, n, per_node)) * bytes + parts - 1) / parts;
    *sum = (uint64_t)all;
    return all > UINT64_MAX ? -1 : 0;
}
