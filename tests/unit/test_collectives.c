/* SPDX-License-Identifier: Apache-2.0
 *
 * Collectives as sends: sizes by closed formulas, and what every member holds in the end, followed send by send in random
 * orders that keep to what waits for what.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "io/workload/collective.h"

#include <libflux/io/import.h>
#include <stdlib.h>
#include <string.h>

#define MOST 64u

/* FLUX_IO_ALL_REDUCE .. of workload.h, which this test needs nothing else of. */
enum { ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL, KINDS };

/* has[m][b][c]: what member m holds of block b. Of a reduction, bit i of `sum` says that i's part is in it; of the others
 * block b of origin c is there or not. */
struct flow {
    uint32_t kind, algorithm, n;
    uint64_t bytes;
    uint64_t sum[MOST][MOST];      /* reductions: member, block -> contributors */
    uint64_t holds[MOST][MOST];    /* all-gather: member -> [0]; all-to-all: member, origin -> destinations */
};

static int log2_of(uint32_t n)
{
    int bits = 0;
    while (1u << bits < n)
        bits++;
    return bits;
}

static int is_reduction(const struct flow *flow)
{
    return flow->kind == ALL_REDUCE || flow->kind == REDUCE_SCATTER;
}

static void start(struct flow *flow)
{
    memset(flow->sum, 0, sizeof flow->sum);
    memset(flow->holds, 0, sizeof flow->holds);
    uint64_t all = flow->n == 64 ? UINT64_MAX : (UINT64_C(1) << flow->n) - 1;
    for (uint32_t m = 0; m < flow->n; m++) {
        for (uint32_t b = 0; b < flow->n; b++)
            flow->sum[m][b] = UINT64_C(1) << m;
        if (flow->kind == ALL_GATHER)
            flow->holds[m][0] = UINT64_C(1) << m;
        if (flow->kind == ALL_TO_ALL)
            flow->holds[m][m] = all;
    }
}

/* The blocks of a step, as a set, from the published definition of the algorithm and not from the code under test; of an
 * all-to-all the destinations in *origin's message. `*spread` is 1 where finished sums travel. */
static uint64_t blocks_of(const struct flow *flow, const struct flux_io_step *step, uint32_t *origin, int *spread)
{
    uint32_t n = flow->n, j = step->src, k = step->step, bits = (uint32_t)log2_of(n);
    uint64_t set = 0;
    *origin = j;
    *spread = 0;
    if (flow->algorithm == FLUX_ALGORITHM_RING) {
        *origin = (j + n - k % n) % n;
        *spread = flow->kind == ALL_REDUCE && k >= n - 1;
        if (flow->kind == ALL_REDUCE || flow->kind == ALL_GATHER)
            return UINT64_C(1) << *origin;
        if (flow->kind == REDUCE_SCATTER)
            return UINT64_C(1) << (j + 2 * n - 1 - k) % n;
        for (uint32_t far = k + 1; far < n; far++)
            set |= UINT64_C(1) << (*origin + far) % n;
        return set;
    }
    if (flow->algorithm == FLUX_ALGORITHM_DIRECT) {
        *spread = flow->kind == ALL_REDUCE && k > 0;
        if (flow->kind == ALL_GATHER || *spread)
            return UINT64_C(1) << j;
        return UINT64_C(1) << step->dst;
    }
    int halving = flow->kind == REDUCE_SCATTER || (flow->kind == ALL_REDUCE && k < bits);
    uint32_t bit = halving ? k : (flow->kind == ALL_REDUCE ? 2 * bits : bits) - 1 - k;
    uint32_t low = (UINT32_C(1) << bit) - 1, d = UINT32_C(1) << bit;
    assert_int_equal(step->dst, j ^ d);
    *spread = flow->kind == ALL_REDUCE && !halving;
    for (uint32_t b = 0; b < n; b++)
        if (halving ? (b & low) == (j & low) && ((b ^ j) & d) : (b & (low | d)) == (j & (low | d)))
            set |= UINT64_C(1) << b;
    return set;
}

static uint64_t bytes_of(const struct flow *flow, uint64_t set)
{
    uint64_t sum = 0;
    for (uint32_t b = 0; b < flow->n; b++)
        if (set >> b & 1)
            sum += flow->kind == ALL_GATHER ? flow->bytes : flow->bytes / flow->n + (b < flow->bytes % flow->n);
    return sum;
}

static void carry(struct flow *flow, const struct flux_io_step *step)
{
    uint32_t origin;
    int spread;
    if (step->dst == FLUX_NONE)
        return;
    uint64_t set = blocks_of(flow, step, &origin, &spread);
    assert_true(step->bytes == bytes_of(flow, set));
    uint64_t all = flow->n == 64 ? UINT64_MAX : (UINT64_C(1) << flow->n) - 1;
    for (uint32_t b = 0; b < flow->n; b++) {
        if (!(set >> b & 1))
            continue;
        if (is_reduction(flow)) {
            uint64_t *to = &flow->sum[step->dst][b], from = flow->sum[step->src][b];
            if (spread) {
                assert_true(from == all); /* only finished sums are spread */
                *to = from;
            } else {
                assert_true((*to & from) == 0); /* nobody is counted twice */
                *to |= from;
            }
        } else if (flow->kind == ALL_GATHER) {
            assert_true(flow->holds[step->src][0] >> b & 1);
            flow->holds[step->dst][0] |= UINT64_C(1) << b;
        } else {
            assert_true(flow->holds[step->src][origin] >> b & 1);
            flow->holds[step->dst][origin] |= UINT64_C(1) << b;
        }
    }
}

static void check_end(const struct flow *flow)
{
    uint64_t all = flow->n == 64 ? UINT64_MAX : (UINT64_C(1) << flow->n) - 1;
    for (uint32_t m = 0; m < flow->n; m++)
        for (uint32_t b = 0; b < flow->n; b++) {
            if (flow->kind == ALL_REDUCE)
                assert_true(flow->sum[m][b] == all);
            if (flow->kind == REDUCE_SCATTER && b == m)
                assert_true(flow->sum[m][b] == all);
            if (flow->kind == ALL_GATHER)
                assert_true(flow->holds[m][0] == all);
            if (flow->kind == ALL_TO_ALL)
                assert_true(flow->holds[m][b] >> m & 1);
        }
}

/* Every step after those it waits for, in a random order of what is ready. */
static void run_flow(struct flow *flow, const struct flux_io_expansion *expansion, struct flux_random *random)
{
    uint64_t steps = expansion->step_count, ready_count = 0, done = 0;
    uint32_t *waits = calloc(steps, sizeof *waits), *ready = calloc(steps, sizeof *ready);
    uint64_t *first = calloc(steps + 2, sizeof *first);
    uint32_t *next = calloc(expansion->after_count + 1, sizeof *next);
    assert_true(waits && ready && first && next);
    for (uint64_t i = 0; i < expansion->after_count; i++) {
        first[expansion->after[i].before + 2]++;
        waits[expansion->after[i].after]++;
    }
    for (uint64_t i = 0; i < steps; i++)
        first[i + 2] += first[i + 1];
    for (uint64_t i = 0; i < expansion->after_count; i++)
        next[first[expansion->after[i].before + 1]++] = expansion->after[i].after;
    for (uint64_t i = 0; i < steps; i++)
        if (!waits[i])
            ready[ready_count++] = (uint32_t)i;
    start(flow);
    while (ready_count) {
        uint32_t pick = flux_random_below(random, (uint32_t)ready_count), step = ready[pick];
        ready[pick] = ready[--ready_count];
        carry(flow, &expansion->steps[step]);
        done++;
        for (uint64_t i = first[step]; i < first[step + 1]; i++)
            if (--waits[next[i]] == 0)
                ready[ready_count++] = next[i];
    }
    assert_true(done == steps);
    check_end(flow);
    free(waits);
    free(ready);
    free(first);
    free(next);
}

/* Total bytes on the wire where n divides what a member brings: the literature's figures. */
static uint64_t formula(uint32_t kind, uint32_t algorithm, uint64_t n, uint64_t bytes)
{
    if (kind == ALL_REDUCE)
        return 2 * (n - 1) * bytes;
    if (kind == REDUCE_SCATTER)
        return (n - 1) * bytes;
    if (kind == ALL_GATHER)
        return n * (n - 1) * bytes;
    return algorithm == FLUX_ALGORITHM_RING ? n * (n - 1) / 2 * bytes : (n - 1) * bytes;
}

static uint64_t formula_sends(uint32_t kind, uint32_t algorithm, uint64_t n)
{
    uint64_t rounds = kind == ALL_REDUCE ? 2 : 1;
    if (algorithm == FLUX_ALGORITHM_HALVING_DOUBLING)
        return rounds * n * (uint64_t)log2_of((uint32_t)n);
    return rounds * n * (n - 1);
}

static void one_case(const struct flux_io_memory *memory, struct flow *flow, struct flux_random *random)
{
    struct flux_io_expansion expansion;
    struct flux_io_expansion_size size;
    uint64_t total = 0, sends = 0, starts = 0;
    flux_io_expansion_init(&expansion, memory);
    assert_int_equal(flux_io_collective_expand(&expansion, flow->kind, flow->algorithm, flow->n, 0, flow->bytes), 0);
    flux_io_collective_size(flow->kind, flow->algorithm, flow->n, 0, &size);
    for (uint64_t i = 0; i < expansion.step_count; i++) {
        total += expansion.steps[i].bytes;
        sends += expansion.steps[i].dst != FLUX_NONE;
        starts += (expansion.steps[i].flags & FLUX_IO_STEP_STARTS) != 0;
    }
    assert_true(size.sends == sends && size.steps == expansion.step_count && size.after == expansion.after_count);
    assert_true(size.starts * flow->n == starts);
    assert_true(sends == formula_sends(flow->kind, flow->algorithm, flow->n));
    if (flow->bytes % flow->n == 0)
        assert_true(total == formula(flow->kind, flow->algorithm, flow->n, flow->bytes));
    for (int order = 0; order < 3; order++)
        run_flow(flow, &expansion, random);
    flux_io_expansion_free(&expansion);
}

static void every_member_gets_what_the_collective_promises(void **state)
{
    static const uint32_t algorithms[] = {FLUX_ALGORITHM_RING, FLUX_ALGORITHM_DIRECT, FLUX_ALGORITHM_HALVING_DOUBLING};
    static struct flow flow;
    struct flux_io_memory memory;
    struct flux_random random = {7};
    int cases = 0;
    (void)state;
    assert_int_equal(flux_io_memory_init(&memory, NULL), 0);
    for (uint32_t n = 2; n <= MOST; n++)
        for (uint32_t kind = ALL_REDUCE; kind < KINDS; kind++)
            for (int a = 0; a < 3; a++) {
                if (!flux_io_collective_known(kind, algorithms[a]) ||
                    flux_io_collective_algorithm(kind, algorithms[a], n, 0) != algorithms[a])
                    continue;
                const uint64_t sizes[] = {UINT64_C(1000) * n, 1000 * n + n / 2 + 1, 1};
                for (int s = 0; s < 3; s++) {
                    flow.kind = kind;
                    flow.algorithm = algorithms[a];
                    flow.n = n;
                    flow.bytes = sizes[s];
                    one_case(&memory, &flow, &random);
                    cases++;
                }
            }
    /* 63 sizes of ring and direct for four kinds; halving-doubling for three kinds at 2, 4, .. 64. */
    assert_int_equal(cases, 3 * (63 * 2 * 4 + 6 * 3));
}

static void an_algorithm_that_does_not_fit_is_not_used(void **state)
{
    (void)state;
    assert_int_equal(flux_io_collective_algorithm(ALL_REDUCE, FLUX_ALGORITHM_DEFAULT, 8, 0), FLUX_ALGORITHM_RING);
    assert_int_equal(flux_io_collective_algorithm(ALL_TO_ALL, FLUX_ALGORITHM_DEFAULT, 8, 0), FLUX_ALGORITHM_DIRECT);
    assert_int_equal(flux_io_collective_algorithm(ALL_REDUCE, FLUX_ALGORITHM_HALVING_DOUBLING, 8, 0),
                     FLUX_ALGORITHM_HALVING_DOUBLING);
    assert_int_equal(flux_io_collective_algorithm(ALL_REDUCE, FLUX_ALGORITHM_HALVING_DOUBLING, 6, 0), FLUX_ALGORITHM_RING);
    assert_false(flux_io_collective_known(ALL_TO_ALL, FLUX_ALGORITHM_HALVING_DOUBLING));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_member_gets_what_the_collective_promises),
        cmocka_unit_test(an_algorithm_that_does_not_fit_is_not_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
