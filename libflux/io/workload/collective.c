/* SPDX-License-Identifier: Apache-2.0 */
#include "io/workload/collective.h"

#include "io/workload/rounds.h"
#include "io/workload/workload.h"

#include <string.h>

/* What the algorithms below know. */
struct plan {
    struct flux_io_expansion *to;
    uint32_t kind;
    uint32_t n;
    uint64_t bytes;
};

void flux_io_expansion_init(struct flux_io_expansion *expansion, const struct flux_io_memory *memory)
{
    memset(expansion, 0, sizeof *expansion);
    expansion->memory = memory;
}

void flux_io_expansion_free(struct flux_io_expansion *expansion)
{
    flux_io_release(expansion->memory, expansion->steps, expansion->step_capacity, sizeof *expansion->steps);
    flux_io_release(expansion->memory, expansion->pieces, expansion->piece_capacity, sizeof *expansion->pieces);
    flux_io_release(expansion->memory, expansion->after, expansion->after_capacity, sizeof *expansion->after);
    flux_io_expansion_init(expansion, expansion->memory);
}

static uint32_t log2_of(uint32_t n)
{
    uint32_t bits = 0;
    while (n >> (bits + 1))
        bits++;
    return bits;
}

/* Steps of one member of a ring or of halving and doubling, one after the other. */
static uint32_t steps_of(uint32_t kind, uint32_t half)
{
    return kind == FLUX_IO_ALL_REDUCE ? 2 * half : half;
}

static int put_step(struct plan *plan, uint32_t src, uint32_t dst, uint32_t step, uint32_t flags, uint64_t bytes)
{
    struct flux_io_expansion *to = plan->to;
    if (flux_io_grow(to->memory, &to->steps, &to->step_capacity, to->step_count + 1, sizeof *to->steps))
        return FLUX_E_MEMORY;
    to->steps[to->step_count++] = (struct flux_io_step){bytes, src, dst, step, flags};
    return FLUX_OK;
}

static int put_after(struct plan *plan, uint64_t before, uint64_t after)
{
    struct flux_io_expansion *to = plan->to;
    if (flux_io_grow(to->memory, &to->after, &to->after_capacity, to->after_count + 1, sizeof *to->after))
        return FLUX_E_MEMORY;
    to->after[to->after_count++] = (struct flux_io_after){(uint32_t)before, (uint32_t)after};
    return FLUX_OK;
}

/* Bytes of the blocks i with i mod `modulus` = `rest`; the modulus divides n. */
static uint64_t class_bytes(const struct plan *plan, uint32_t modulus, uint32_t rest)
{
    uint64_t longer = plan->bytes % plan->n; /* blocks 0 .. longer - 1 have one byte more */
    uint64_t more = longer > rest ? (longer - rest - 1) / modulus + 1 : 0;
    return plan->bytes / plan->n * (plan->n / modulus) + more;
}

/* Bytes of the blocks first, first + 1, .. of which there are `count`, numbers mod n. */
static uint64_t run_bytes(const struct plan *plan, uint32_t first, uint32_t count)
{
    uint64_t longer = plan->bytes % plan->n;
    uint64_t end = (uint64_t)first + count;
    uint64_t more = longer > first ? (longer < end ? longer : end) - first : 0;
    if (end > plan->n) {
        uint64_t wrapped = end - plan->n;
        more += longer < wrapped ? longer : wrapped;
    }
    return plan->bytes / plan->n * count + more;
}

static uint64_t ring_bytes(const struct plan *plan, uint32_t member, uint32_t step)
{
    uint32_t n = plan->n;
    uint32_t origin = (member + n - step % n) % n;
    switch (plan->kind) {
    case FLUX_IO_ALL_GATHER:
        return plan->bytes;
    case FLUX_IO_ALL_TO_ALL: /* blocks of the origin's for its neighbours at distance step + 1 .. n - 1 */
        return run_bytes(plan, (origin + step + 1) % n, n - 1 - step);
    case FLUX_IO_REDUCE_SCATTER:
        return flux_io_part(plan->bytes, n, (origin + n - 1) % n);
    default:
        return flux_io_part(plan->bytes, n, origin);
    }
}

static int expand_ring(struct plan *plan)
{
    uint32_t n = plan->n;
    uint32_t steps = steps_of(plan->kind, n - 1);
    for (uint32_t k = 0; k < steps; k++) {
        uint32_t flags = (k == 0 ? FLUX_IO_STEP_STARTS : 0) | (k == steps - 1 ? FLUX_IO_STEP_ENDS : 0);
        for (uint32_t j = 0; j < n; j++) {
            uint64_t index = (uint64_t)k * n + j;
            int rc = put_step(plan, j, (j + 1) % n, k, flags, ring_bytes(plan, j, k));
            if (!rc && k)
                rc = put_after(plan, index - n, index);
            if (!rc && k)
                rc = put_after(plan, index - n - j + (j + n - 1) % n, index);
            if (rc)
                return rc;
        }
    }
    return FLUX_OK;
}

/* All members to all others: member j's sends stand at (n - 1) * j + 0, 1, .. behind `base`. */
static int put_round(struct plan *plan, uint32_t step, uint32_t flags, int own_block)
{
    uint32_t n = plan->n;
    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t q = 1; q < n; q++) {
            uint32_t to = (j + q) % n;
            uint64_t bytes =
                plan->kind == FLUX_IO_ALL_GATHER ? plan->bytes : flux_io_part(plan->bytes, n, own_block ? j : to);
            int rc = put_step(plan, j, to, step, flags, bytes);
            if (rc)
                return rc;
        }
    }
    return FLUX_OK;
}

static int expand_direct(struct plan *plan)
{
    uint64_t n = plan->n;
    int rc;
    if (plan->kind != FLUX_IO_ALL_REDUCE)
        return put_round(plan, 0, FLUX_IO_STEP_STARTS | FLUX_IO_STEP_ENDS, 0);
    if ((rc = put_round(plan, 0, FLUX_IO_STEP_STARTS, 0)))
        return rc;
    for (uint32_t j = 0; j < n; j++)
        if ((rc = put_step(plan, j, FLUX_NONE, 1, FLUX_IO_STEP_STARTS, 0)))
            return rc;
    if ((rc = put_round(plan, 1, FLUX_IO_STEP_ENDS, 1)))
        return rc;
    uint64_t points = n * (n - 1);
    for (uint64_t i = 0; i < points; i++) {
        rc = put_after(plan, i, points + plan->to->steps[i].dst);
        if (!rc)
            rc = put_after(plan, points + i / (n - 1), points + n + i);
        if (rc)
            return rc;
    }
    return FLUX_OK;
}

/* Round k of member j exchanges with j xor 2^bit; `halving`: what it gives away, else what it has gathered. */
static uint64_t exchange_bytes(const struct plan *plan, uint32_t member, uint32_t bit, int halving)
{
    uint32_t modulus = UINT32_C(2) << bit;
    uint32_t whose = halving ? member ^ (modulus / 2) : member;
    if (plan->kind == FLUX_IO_ALL_GATHER)
        return plan->bytes * (plan->n / modulus);
    return class_bytes(plan, modulus, whose % modulus);
}

static int expand_halving_doubling(struct plan *plan)
{
    uint32_t n = plan->n;
    uint32_t bits = log2_of(n);
    uint32_t steps = steps_of(plan->kind, bits);
    uint32_t before = 0;
    for (uint32_t k = 0; k < steps; k++) {
        int halving = plan->kind != FLUX_IO_ALL_GATHER && k < bits;
        uint32_t bit = halving ? k : steps - 1 - k;
        uint32_t flags = (k == 0 ? FLUX_IO_STEP_STARTS : 0) | (k == steps - 1 ? FLUX_IO_STEP_ENDS : 0);
        for (uint32_t j = 0; j < n; j++) {
            uint64_t index = (uint64_t)k * n + j;
            int rc = put_step(plan, j, j ^ UINT32_C(1) << bit, k, flags, exchange_bytes(plan, j, bit, halving));
            if (!rc && k)
                rc = put_after(plan, index - n, index);
            if (!rc && k) /* what the last partner sent */
                rc = put_after(plan, index - n - j + (j ^ UINT32_C(1) << before), index);
            if (rc)
                return rc;
        }
        before = bit;
    }
    return FLUX_OK;
}

static int expand_rounds(const struct plan *plan, uint32_t per_node, int (*make)(struct flux_io_rounds *rounds))
{
    struct flux_io_rounds rounds;
    memset(&rounds, 0, sizeof rounds);
    rounds.to = plan->to;
    rounds.kind = plan->kind;
    rounds.n = plan->n;
    rounds.per_node = per_node;
    rounds.bytes = plan->bytes;
    (void)make(&rounds);
    return flux_io_rounds_end(&rounds);
}

int flux_io_collective_expand(struct flux_io_expansion *expansion, uint32_t kind, uint32_t algorithm, uint32_t n,
                              uint32_t per_node, uint64_t bytes)
{
    struct plan plan = {expansion, kind, n, bytes};
    int rooted = kind == FLUX_IO_BROADCAST || kind == FLUX_IO_REDUCE;
    expansion->step_count = expansion->after_count = expansion->piece_count = 0;
    switch (algorithm) {
    case FLUX_ALGORITHM_DIRECT:
        return rooted ? expand_rounds(&plan, per_node, flux_io_star) : expand_direct(&plan);
    case FLUX_ALGORITHM_HALVING_DOUBLING:
        return expand_halving_doubling(&plan);
    case FLUX_ALGORITHM_BIDIRECTIONAL_RING:
        return expand_rounds(&plan, per_node, flux_io_bidirectional_ring);
    case FLUX_ALGORITHM_RECURSIVE_DOUBLING:
        return expand_rounds(&plan, per_node, flux_io_recursive_doubling);
    case FLUX_ALGORITHM_BINOMIAL_TREE:
        return expand_rounds(&plan, per_node, flux_io_binomial_tree);
    case FLUX_ALGORITHM_DOUBLE_BINARY_TREE:
        return expand_rounds(&plan, per_node, flux_io_double_binary_tree);
    case FLUX_ALGORITHM_HIERARCHICAL:
        return expand_rounds(&plan, per_node, flux_io_hierarchical);
    default:
        return rooted ? expand_rounds(&plan, per_node, flux_io_chain) : expand_ring(&plan);
    }
}
