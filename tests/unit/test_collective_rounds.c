/* SPDX-License-Identifier: Apache-2.0
 *
 * The algorithms made of rounds, for every group size up to 64: sends and bytes by closed formulas of the literature,
 * and what every member holds in the end, followed block by block. A send carries what its source held of the blocks
 * when what it waits for was done: an arrival that it does not wait for may not have come.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "io/workload/collective.h"
#include "io/workload/workload.h"

#include <libflux/io/import.h>
#include <stdlib.h>
#include <string.h>

#define MOST 64u

struct flow {
    uint32_t kind, algorithm, n, per_node;
    uint64_t bytes;
    struct flux_io_expansion expansion;
    uint64_t blocks;    /* of all channels and origins */
    uint64_t *holds;    /* member, block: who is in the sum (reductions), or 1 where the block is there */
    uint64_t *payload;  /* by piece, then block: what travels */
    uint64_t *first;    /* payload of a step's pieces */
    uint32_t *piece_of; /* first piece of a step; step_count + 1 */
    uint8_t *merged;    /* step: its destination has counted it */
};

static uint64_t everyone(uint32_t n)
{
    return n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

static int is_reduction(uint32_t kind)
{
    return kind == FLUX_IO_ALL_REDUCE || kind == FLUX_IO_REDUCE_SCATTER || kind == FLUX_IO_REDUCE;
}

static uint32_t block_of(const struct flow *flow, const struct flux_io_piece *piece, uint32_t i)
{
    uint64_t at = piece->first + (uint64_t)i * piece->stride;
    return piece->base + (uint32_t)(at % flow->expansion.row);
}

/* Bytes of a block: the channels share the buffer, the blocks of a row a channel. An all-gather cuts only in channels.
 */
static uint64_t block_bytes(const struct flow *flow, uint32_t block)
{
    uint32_t row = flow->expansion.row, rows = flow->kind == FLUX_IO_ALL_TO_ALL ? flow->n : 1;
    uint32_t channel = block / (row * rows), i = block % row;
    uint64_t part = flow->bytes / flow->expansion.channels + (channel < flow->bytes % flow->expansion.channels);
    return flow->kind == FLUX_IO_ALL_GATHER ? part : part / row + (i < part % row);
}

static uint64_t *held(const struct flow *flow, uint32_t member, uint32_t block)
{
    return &flow->holds[member * flow->blocks + block];
}

static void begin(struct flow *flow)
{
    uint32_t row = flow->expansion.row;
    memset(flow->merged, 0, flow->expansion.step_count);
    for (uint32_t m = 0; m < flow->n; m++)
        for (uint32_t b = 0; b < flow->blocks; b++) {
            int mine = flow->kind == FLUX_IO_BROADCAST    ? m == 0
                       : flow->kind == FLUX_IO_ALL_GATHER ? b % row == m
                       : flow->kind == FLUX_IO_ALL_TO_ALL ? b / row % flow->n == m
                                                          : 1;
            *held(flow, m, b) = !mine ? 0 : is_reduction(flow->kind) ? UINT64_C(1) << m : 1;
        }
}

/* What a step brought becomes its destination's. A finished sum replaces what is there; others are added, and nobody
 * may be in both. */
static void merge(struct flow *flow, uint32_t step)
{
    uint32_t dst = flow->expansion.steps[step].dst;
    uint64_t at = flow->first[step];
    if (dst == FLUX_NONE || flow->merged[step])
        return;
    flow->merged[step] = 1;
    for (uint32_t p = flow->piece_of[step]; p < flow->piece_of[step + 1]; p++)
        for (uint32_t i = 0; i < flow->expansion.pieces[p].count; i++) {
            uint64_t *to = held(flow, dst, block_of(flow, &flow->expansion.pieces[p], i));
            uint64_t what = flow->payload[at++];
            assert_true(what != 0); /* nobody sends what it does not have */
            if (is_reduction(flow->kind) && what != everyone(flow->n))
                assert_true((*to & what) == 0);
            *to |= what;
        }
}

static void leave(struct flow *flow, uint32_t step)
{
    const struct flux_io_step *at = &flow->expansion.steps[step];
    uint64_t put = flow->first[step], bytes = 0;
    assert_true(at->dst == FLUX_NONE ? flow->piece_of[step] == flow->piece_of[step + 1] : at->src != at->dst);
    for (uint32_t p = flow->piece_of[step]; p < flow->piece_of[step + 1]; p++)
        for (uint32_t i = 0; i < flow->expansion.pieces[p].count; i++) {
            uint32_t block = block_of(flow, &flow->expansion.pieces[p], i);
            flow->payload[put++] = *held(flow, at->src, block);
            bytes += block_bytes(flow, block);
        }
    assert_true(bytes == at->bytes);
}

static void check_end(const struct flow *flow)
{
    uint32_t row = flow->expansion.row;
    for (uint32_t m = 0; m < flow->n; m++)
        for (uint32_t b = 0; b < flow->blocks; b++) {
            uint64_t what = *held(flow, m, b);
            if (flow->kind == FLUX_IO_ALL_REDUCE || (flow->kind == FLUX_IO_REDUCE && m == 0) ||
                (flow->kind == FLUX_IO_REDUCE_SCATTER && b % row == m))
                assert_true(what == everyone(flow->n));
            if (flow->kind == FLUX_IO_ALL_GATHER || flow->kind == FLUX_IO_BROADCAST ||
                (flow->kind == FLUX_IO_ALL_TO_ALL && b % row == m))
                assert_true(what == 1);
        }
}

/* By step: those that wait for it, and those it waits for. */
struct links {
    uint64_t *after_first, *before_first;
    uint32_t *after, *before;
};

static void link(const struct flow *flow, int forward, uint64_t **first, uint32_t **list)
{
    const struct flux_io_expansion *expansion = &flow->expansion;
    *first = calloc(expansion->step_count + 2, sizeof **first);
    *list = calloc(expansion->after_count + 1, sizeof **list);
    assert_true(*first && *list);
    for (uint64_t i = 0; i < expansion->after_count; i++)
        (*first)[(forward ? expansion->after[i].before : expansion->after[i].after) + 2]++;
    for (uint64_t i = 0; i < expansion->step_count; i++)
        (*first)[i + 2] += (*first)[i + 1];
    for (uint64_t i = 0; i < expansion->after_count; i++) {
        const struct flux_io_after *after = &expansion->after[i];
        (*list)[(*first)[(forward ? after->before : after->after) + 1]++] = forward ? after->after : after->before;
    }
}

static void run_flow(struct flow *flow, const struct links *links, struct flux_random *random)
{
    uint64_t steps = flow->expansion.step_count, ready_count = 0, done = 0;
    uint32_t *waits = calloc(steps, sizeof *waits), *ready = calloc(steps, sizeof *ready);
    assert_true(waits && ready);
    for (uint32_t i = 0; i < steps; i++) {
        waits[i] = (uint32_t)(links->before_first[i + 1] - links->before_first[i]);
        if (!waits[i])
            ready[ready_count++] = i;
    }
    begin(flow);
    while (ready_count) {
        uint32_t pick = flux_random_below(random, (uint32_t)ready_count), step = ready[pick];
        ready[pick] = ready[--ready_count];
        for (uint64_t i = links->before_first[step]; i < links->before_first[step + 1]; i++)
            if (flow->expansion.steps[links->before[i]].dst == flow->expansion.steps[step].src)
                merge(flow, links->before[i]);
        leave(flow, step);
        done++;
        for (uint64_t i = links->after_first[step]; i < links->after_first[step + 1]; i++)
            if (--waits[links->after[i]] == 0)
                ready[ready_count++] = links->after[i];
    }
    assert_true(done == steps);
    for (uint32_t i = 0; i < steps; i++)
        merge(flow, i);
    check_end(flow);
    free(waits);
    free(ready);
}

/* A member's end comes after all of its sends and arrivals, and after all that it waits for: through flags and through
 * its own later steps. */
static void check_flags(const struct flow *flow, const struct links *links)
{
    for (uint32_t i = 0; i < flow->expansion.step_count; i++) {
        const struct flux_io_step *step = &flow->expansion.steps[i];
        int own_before = 0, src_goes_on = 0, dst_goes_on = 0;
        for (uint64_t k = links->before_first[i]; k < links->before_first[i + 1]; k++)
            own_before |= flow->expansion.steps[links->before[k]].src == step->src;
        for (uint64_t k = links->after_first[i]; k < links->after_first[i + 1]; k++) {
            src_goes_on |= flow->expansion.steps[links->after[k]].src == step->src;
            dst_goes_on |= flow->expansion.steps[links->after[k]].src == step->dst;
        }
        assert_true(own_before || (step->flags & FLUX_IO_STEP_STARTS));
        assert_true(src_goes_on || (step->flags & FLUX_IO_STEP_ENDS_SRC));
        assert_true(step->dst == FLUX_NONE || dst_goes_on || (step->flags & FLUX_IO_STEP_ENDS_DST));
    }
}

static uint64_t log2_up(uint64_t n)
{
    uint64_t bits = 0;
    while (UINT64_C(1) << bits < n)
        bits++;
    return bits;
}

static uint64_t log2_down(uint64_t n)
{
    uint64_t bits = log2_up(n);
    return UINT64_C(1) << bits == n ? bits : bits - 1;
}

static uint64_t formula_sends(const struct flow *flow)
{
    uint64_t n = flow->n, g = flow->per_node, m = g ? n / g : 0, down = log2_down(n), p = UINT64_C(1) << down;
    uint64_t twice = flow->kind == FLUX_IO_ALL_REDUCE ? 2 : 1;
    int rooted = flow->kind == FLUX_IO_BROADCAST || flow->kind == FLUX_IO_REDUCE;
    switch (flow->algorithm) {
    case FLUX_ALGORITHM_BIDIRECTIONAL_RING:
        return rooted ? n - 1 : flow->kind == FLUX_IO_ALL_TO_ALL ? n * (n - 1) : 2 * twice * n * (n - 1);
    case FLUX_ALGORITHM_RECURSIVE_DOUBLING:
        return flow->kind == FLUX_IO_ALL_REDUCE ? p * down + 2 * (n - p) : n * log2_up(n);
    case FLUX_ALGORITHM_BINOMIAL_TREE:
        return rooted ? n - 1 : 2 * (n - 1);
    case FLUX_ALGORITHM_DOUBLE_BINARY_TREE:
        return (rooted ? 2 : 4) * (n - 1);
    case FLUX_ALGORITHM_HIERARCHICAL:
        return rooted ? n - 1 : twice * n * (g - 1 + m - 1);
    default:
        return n - 1; /* chains and stars */
    }
}

static uint64_t bits_set(uint64_t x)
{
    uint64_t sum = 0;
    for (; x; x >>= 1)
        sum += x & 1;
    return sum;
}

/* Bytes on the wire where n divides what a member brings. */
static uint64_t formula_bytes(const struct flow *flow)
{
    uint64_t n = flow->n, c = flow->bytes, g = flow->per_node, m = g ? n / g : 0, sum = 0;
    uint64_t p = UINT64_C(1) << log2_down(n);
    switch (flow->kind) {
    case FLUX_IO_ALL_REDUCE:
        return flow->algorithm == FLUX_ALGORITHM_RECURSIVE_DOUBLING ? (p * log2_down(n) + 2 * (n - p)) * c
                                                                    : 2 * (n - 1) * c;
    case FLUX_IO_ALL_GATHER:
    case FLUX_IO_REDUCE_SCATTER:
        sum = n * (n - 1);
        if (flow->algorithm == FLUX_ALGORITHM_BINOMIAL_TREE) /* every block once per edge between it and the root */
            for (uint64_t j = 1; j < n; j++)
                sum += bits_set(j);
        return flow->kind == FLUX_IO_ALL_GATHER ? sum * c : sum * (c / n);
    case FLUX_IO_ALL_TO_ALL:
        for (uint64_t far = 1; far < n; far++)
            sum += flow->algorithm == FLUX_ALGORITHM_RECURSIVE_DOUBLING   ? bits_set(far)
                   : flow->algorithm == FLUX_ALGORITHM_BIDIRECTIONAL_RING ? (far < n - far ? far : n - far)
                                                                          : 0;
        if (flow->algorithm == FLUX_ALGORITHM_HIERARCHICAL)
            sum = (g - 1) * m + (m - 1) * g;
        return sum * c;
    default:
        return (n - 1) * c;
    }
}

static void prepare(struct flow *flow)
{
    const struct flux_io_expansion *expansion = &flow->expansion;
    uint64_t steps = expansion->step_count, room = 0, p = 0;
    flow->blocks = (uint64_t)expansion->channels * expansion->row * (flow->kind == FLUX_IO_ALL_TO_ALL ? flow->n : 1);
    flow->first = calloc(steps + 1, sizeof *flow->first);
    flow->piece_of = calloc(steps + 1, sizeof *flow->piece_of);
    flow->merged = calloc(steps, 1);
    flow->holds = calloc(flow->n * flow->blocks, sizeof *flow->holds);
    assert_true(flow->first && flow->piece_of && flow->merged && flow->holds);
    for (uint32_t i = 0; i < steps; i++) {
        flow->piece_of[i] = (uint32_t)p;
        flow->first[i] = room;
        for (; p < expansion->piece_count && expansion->pieces[p].step == i; p++)
            room += expansion->pieces[p].count;
    }
    flow->piece_of[steps] = (uint32_t)p;
    assert_true(p == expansion->piece_count);
    flow->payload = calloc(room + 1, sizeof *flow->payload);
    assert_non_null(flow->payload);
}

static void check_size(const struct flow *flow)
{
    struct flux_io_expansion_size size;
    uint32_t starts[MOST] = {0};
    uint64_t sends = 0, total = 0, ends = 0, promised;
    flux_io_collective_size(flow->kind, flow->algorithm, flow->n, flow->per_node, &size);
    for (uint64_t i = 0; i < flow->expansion.step_count; i++) {
        const struct flux_io_step *step = &flow->expansion.steps[i];
        sends += step->dst != FLUX_NONE;
        total += step->bytes;
        starts[step->src] += (step->flags & FLUX_IO_STEP_STARTS) != 0;
        ends += (step->flags & FLUX_IO_STEP_ENDS_SRC) != 0;
        ends += (step->flags & FLUX_IO_STEP_ENDS_DST) != 0;
    }
    assert_true(size.steps == flow->expansion.step_count && size.sends == sends && sends == formula_sends(flow));
    assert_true(size.after >= flow->expansion.after_count && size.ends * flow->n >= ends);
    for (uint32_t m = 0; m < flow->n; m++)
        assert_true(starts[m] <= size.starts);
    assert_int_equal(
        flux_io_collective_bytes(flow->kind, flow->algorithm, flow->n, flow->per_node, flow->bytes, &promised), 0);
    if (flow->bytes % (2 * flow->n) == 0)
        assert_true(total == formula_bytes(flow) && total == promised);
    else
        assert_true(total <= promised + flow->n * flow->n);
}

static void one_case(const struct flux_io_memory *memory, struct flow *flow, struct flux_random *random)
{
    struct links links;
    flux_io_expansion_init(&flow->expansion, memory);
    flow->expansion.keep_pieces = 1;
    assert_int_equal(
        flux_io_collective_expand(&flow->expansion, flow->kind, flow->algorithm, flow->n, flow->per_node, flow->bytes),
        0);
    check_size(flow);
    prepare(flow);
    link(flow, 1, &links.after_first, &links.after);
    link(flow, 0, &links.before_first, &links.before);
    check_flags(flow, &links);
    for (int order = 0; order < 3; order++)
        run_flow(flow, &links, random);
    free(links.after_first);
    free(links.after);
    free(links.before_first);
    free(links.before);
    free(flow->first);
    free(flow->piece_of);
    free(flow->merged);
    free(flow->holds);
    free(flow->payload);
    flux_io_expansion_free(&flow->expansion);
}

/* Of three sizes: one that everything divides, one that leaves a remainder, one byte. */
static int cases_of(const struct flux_io_memory *memory, struct flow *flow, struct flux_random *random)
{
    const uint64_t sizes[] = {UINT64_C(1000) * flow->n, UINT64_C(1000) * flow->n + flow->n / 2 + 1, 1};
    for (int s = 0; s < 3; s++) {
        flow->bytes = sizes[s];
        one_case(memory, flow, random);
    }
    return 3;
}

static int made_of_rounds(const struct flow *flow)
{
    int rooted = flow->kind == FLUX_IO_BROADCAST || flow->kind == FLUX_IO_REDUCE;
    return flow->kind != FLUX_IO_BARRIER && flux_io_collective_known(flow->kind, flow->algorithm) &&
           (rooted || flow->algorithm > FLUX_ALGORITHM_HALVING_DOUBLING);
}

static void every_member_gets_what_the_collective_promises(void **state)
{
    static struct flow flow;
    struct flux_io_memory memory;
    struct flux_random random = {11};
    int cases = 0;
    (void)state;
    assert_int_equal(flux_io_memory_init(&memory, NULL), 0);
    for (flow.n = 2; flow.n <= MOST; flow.n++)
        for (flow.kind = 0; flow.kind < FLUX_IO_COLLECTIVE_KINDS; flow.kind++)
            for (flow.algorithm = FLUX_ALGORITHM_RING; flow.algorithm < FLUX_ALGORITHM_HIERARCHICAL; flow.algorithm++)
                if (made_of_rounds(&flow))
                    cases += cases_of(&memory, &flow, &random);
    /* chain 2, star 2, both ways 6, doubling 4, binomial 5, double tree 3 collectives */
    assert_int_equal(cases, 63 * 3 * (2 + 2 + 6 + 4 + 5 + 3));
    print_message("%d cases of data flow\n", cases);
}

static void every_member_of_every_node_gets_it_too(void **state)
{
    static struct flow flow;
    struct flux_io_memory memory;
    struct flux_random random = {12};
    int cases = 0, shapes = 0;
    (void)state;
    assert_int_equal(flux_io_memory_init(&memory, NULL), 0);
    flow.algorithm = FLUX_ALGORITHM_HIERARCHICAL;
    for (flow.n = 4; flow.n <= MOST; flow.n++)
        for (flow.per_node = 2; flow.per_node < flow.n; flow.per_node++) {
            if (flow.n % flow.per_node)
                continue;
            shapes++;
            for (flow.kind = 0; flow.kind < FLUX_IO_COLLECTIVE_KINDS; flow.kind++)
                if (flow.kind != FLUX_IO_BARRIER)
                    cases += cases_of(&memory, &flow, &random);
        }
    assert_int_equal(cases, shapes * 6 * 3);
    print_message("%d cases of data flow\n", cases);
}

/* Of a double tree, at most one member but the root passes on in both trees. */
static void leaves_of_one_tree_pass_on_in_the_other(void **state)
{
    struct flux_io_memory memory;
    struct flux_io_expansion expansion;
    (void)state;
    assert_int_equal(flux_io_memory_init(&memory, NULL), 0);
    for (uint32_t n = 2; n <= MOST; n++) {
        uint32_t children[2][MOST] = {{0}}, both = 0;
        flux_io_expansion_init(&expansion, &memory);
        assert_int_equal(
            flux_io_collective_expand(&expansion, FLUX_IO_BROADCAST, FLUX_ALGORITHM_DOUBLE_BINARY_TREE, n, 0, 1000), 0);
        for (uint64_t i = 0; i < expansion.step_count; i++)
            children[i >= n - 1][expansion.steps[i].src]++;
        for (uint32_t m = 0; m < n; m++) {
            assert_true(children[0][m] <= 2 && children[1][m] <= 2);
            both += m && children[0][m] && children[1][m];
        }
        assert_true(both <= 1);
        flux_io_expansion_free(&expansion);
    }
}

static void an_algorithm_that_does_not_fit_is_not_used(void **state)
{
    (void)state;
    assert_int_equal(flux_io_collective_algorithm(FLUX_IO_ALL_REDUCE, FLUX_ALGORITHM_HIERARCHICAL, 8, 0),
                     FLUX_ALGORITHM_RING);
    assert_int_equal(flux_io_collective_algorithm(FLUX_IO_ALL_REDUCE, FLUX_ALGORITHM_HIERARCHICAL, 8, 3),
                     FLUX_ALGORITHM_RING);
    assert_int_equal(flux_io_collective_algorithm(FLUX_IO_ALL_TO_ALL, FLUX_ALGORITHM_HIERARCHICAL, 8, 8),
                     FLUX_ALGORITHM_DIRECT);
    assert_int_equal(flux_io_collective_algorithm(FLUX_IO_ALL_REDUCE, FLUX_ALGORITHM_HIERARCHICAL, 8, 4),
                     FLUX_ALGORITHM_HIERARCHICAL);
    assert_int_equal(flux_io_collective_algorithm(FLUX_IO_BROADCAST, FLUX_ALGORITHM_DEFAULT, 8, 0),
                     FLUX_ALGORITHM_BINOMIAL_TREE);
    assert_false(flux_io_collective_known(FLUX_IO_BROADCAST, FLUX_ALGORITHM_HALVING_DOUBLING));
    assert_false(flux_io_collective_known(FLUX_IO_ALL_TO_ALL, FLUX_ALGORITHM_BINOMIAL_TREE));
    assert_false(flux_io_collective_known(FLUX_IO_ALL_GATHER, FLUX_ALGORITHM_DOUBLE_BINARY_TREE));
    assert_false(flux_io_collective_known(FLUX_IO_ALL_REDUCE, FLUX_ALGORITHM_HIERARCHICAL + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_member_gets_what_the_collective_promises),
        cmocka_unit_test(every_member_of_every_node_gets_it_too),
        cmocka_unit_test(leaves_of_one_tree_pass_on_in_the_other),
        cmocka_unit_test(an_algorithm_that_does_not_fit_is_not_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
