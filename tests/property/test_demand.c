/* SPDX-License-Identifier: Apache-2.0
 *
 * Random matrices over parallel switches: what every algorithm promises, and matchings against brute force.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "demand/demand.h"
#include <libflux/graph.h>

#include <stdlib.h>
#include <string.h>

#define MOST 24u

static int64_t demand[MOST * MOST];

static void random_matrix(struct flux_random *random, uint32_t n)
{
    uint32_t density = 5 + flux_random_below(random, 96);
    int64_t scale = 1 + flux_random_below(random, 10000);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            demand[i * n + j] = i == j || flux_random_below(random, 100) >= density
                                    ? 0
                                    : 1 + (int64_t)flux_random_below(random, 1000) * scale;
}

/* Everything a stranger can check of a plan. */
static void check_plan(const struct flux_demand_plan *plan, uint32_t n, uint32_t switches, int64_t delay)
{
    static int64_t served[MOST * MOST];
    uint64_t states;
    int64_t end = 0, clock = 0;
    uint32_t before = 0;
    memset(served, 0, sizeof served);
    const struct flux_demand_state *state = flux_demand_plan_states(plan, &states);
    for (uint64_t s = 0; s < states; s++) {
        const uint32_t *out = flux_demand_plan_matching(plan, state[s].matching);
        uint64_t used = 0;
        assert_non_null(out);
        assert_true(state[s].switch_index < switches && state[s].time > 0);
        clock = s && state[s].switch_index == before ? clock : 0;
        assert_true(s == 0 || state[s].switch_index >= before);
        before = state[s].switch_index;
        assert_true(state[s].start == clock);
        clock += delay + state[s].time;
        end = clock > end ? clock : end;
        for (uint32_t i = 0; i < n; i++) {
            if (out[i] == FLUX_NONE)
                continue;
            assert_true(out[i] < n && out[i] != i);
            assert_false(used >> out[i] & 1);
            used |= UINT64_C(1) << out[i];
            served[i * n + out[i]] += state[s].time;
        }
    }
    for (uint32_t i = 0; i < n * n; i++)
        assert_true(served[i] >= demand[i]);
    assert_true(end == flux_demand_plan_makespan(plan));
    assert_true(flux_demand_plan_bound(plan) <= end);
}

/* Every pair once and in one piece, ports never shared, and nobody waits while both ports are free on some switch. */
static void check_sunflow(const struct flux_demand_plan *plan, uint32_t n, uint32_t switches, int64_t delay)
{
    uint64_t count, pairs = 0;
    const struct flux_demand_circuit *c = flux_demand_plan_circuits(plan, &count);
    int64_t end = 0;
    for (uint32_t i = 0; i < n * n; i++)
        pairs += demand[i] > 0;
    assert_int_equal(count, pairs);
    assert_int_equal(flux_demand_plan_configurations(plan), count);
    assert_null(flux_demand_plan_states(plan, &pairs));
    for (uint64_t a = 0; a < count; a++) {
        int64_t up_to = c[a].start + delay + c[a].time;
        assert_true(c[a].switch_index < switches && c[a].src < n && c[a].dst < n && c[a].start >= 0);
        assert_true(c[a].time == demand[c[a].src * n + c[a].dst]);
        end = up_to > end ? up_to : end;
        uint64_t taken = 0; /* switches without two free ports just before the start */
        for (uint64_t b = 0; b < count; b++) {
            int shares = c[a].src == c[b].src || c[a].dst == c[b].dst;
            int64_t other = c[b].start + delay + c[b].time;
            if (a == b || !shares)
                continue;
            assert_false(c[a].src == c[b].src && c[a].dst == c[b].dst);
            if (c[a].switch_index == c[b].switch_index)
                assert_true(up_to <= c[b].start || other <= c[a].start);
            if (c[b].start < c[a].start && c[a].start <= other)
                taken |= UINT64_C(1) << c[b].switch_index;
        }
        assert_true(c[a].start == 0 || taken == (UINT64_C(1) << switches) - 1);
    }
    assert_true(end == flux_demand_plan_makespan(plan));
    assert_true(flux_demand_plan_bound(plan) <= end);
}

static void every_algorithm_serves_every_matrix(void **state)
{
    struct flux_random random = {11};
    uint64_t degree_met = 0;
    (void)state;
    for (int round = 0; round < 200; round++) {
        uint32_t n = 2 + flux_random_below(&random, MOST - 1), switches = 1 + flux_random_below(&random, 4);
        int64_t delay = flux_random_below(&random, 3) ? flux_random_below(&random, 100000) : 0;
        int64_t shortest = INT64_MAX;
        random_matrix(&random, n);
        for (uint32_t algorithm = 1; algorithm <= FLUX_DEMAND_SUNFLOW; algorithm++) {
            struct flux_demand_plan *plan;
            struct flux_error error;
            if (flux_demand_schedule(NULL, n, demand, switches, delay, algorithm, &plan, &error))
                fail_msg("%s: %s", flux_demand_name(algorithm), error.text);
            assert_int_equal(flux_demand_plan_requested(plan), algorithm);
            if (algorithm == FLUX_DEMAND_SUNFLOW) {
                check_sunflow(plan, n, switches, delay);
                flux_demand_plan_free(plan);
                continue;
            }
            check_plan(plan, n, switches, delay);
            assert_null(flux_demand_plan_circuits(plan, NULL));
            int64_t makespan = flux_demand_plan_makespan(plan);
            if (algorithm == FLUX_DEMAND_BEST)
                assert_true(makespan <= shortest);
            shortest = makespan < shortest ? makespan : shortest;
            if (algorithm == FLUX_DEMAND_SPECTRA) { /* as many matchings as the fullest line has entries */
                uint32_t most = 0;
                for (uint32_t line = 0; line < 2 * n; line++) {
                    uint32_t entries = 0;
                    for (uint32_t i = 0; i < n; i++)
                        entries += demand[line < n ? line * n + i : i * n + line - n] > 0;
                    most = entries > most ? entries : most;
                }
                assert_int_equal(flux_demand_plan_matchings(plan), most);
                degree_met++;
            }
            flux_demand_plan_free(plan);
        }
    }
    assert_int_equal(degree_met, 200);
}

/* ---- the bound against the optimum of all plans: 3 ports, small numbers ---- */

#define TINY_MATCHINGS 5
#define TINY_CHOICES 1024

/* All maximal matchings of 3 ports without a port that sends to itself, as bits of the cells. */
static const uint16_t tiny_matchings[TINY_MATCHINGS] = {1u << 1 | 1u << 5 | 1u << 6, 1u << 2 | 1u << 3 | 1u << 7,
                                                        1u << 1 | 1u << 3, 1u << 2 | 1u << 6, 1u << 5 | 1u << 7};

static int64_t tiny_cost[TINY_CHOICES];
static uint8_t tiny_served[TINY_CHOICES][9];

/* Each matching is held 0 .. 3 on a switch; demands are at most 3, so longer is no use, and twice is none either. */
static void list_choices(int64_t delay)
{
    memset(tiny_served, 0, sizeof tiny_served);
    for (uint32_t c = 0; c < TINY_CHOICES; c++) {
        tiny_cost[c] = 0;
        for (uint32_t m = 0; m < TINY_MATCHINGS; m++) {
            uint32_t time = c >> 2 * m & 3;
            tiny_cost[c] += time ? time + delay : 0;
            for (uint32_t cell = 0; cell < 9; cell++)
                tiny_served[c][cell] = (uint8_t)(tiny_served[c][cell] + (tiny_matchings[m] >> cell & 1 ? time : 0));
        }
    }
}

static int64_t optimum(uint32_t switches)
{
    int64_t best = INT64_MAX;
    for (uint32_t a = 0; a < TINY_CHOICES; a++)
        for (uint32_t b = 0; b < (switches == 2 ? a + 1 : 1) && tiny_cost[a] < best; b++) {
            int64_t longer = tiny_cost[a] > tiny_cost[b] ? tiny_cost[a] : tiny_cost[b];
            int enough = longer < best;
            for (uint32_t cell = 0; cell < 9 && enough; cell++)
                enough = tiny_served[a][cell] + tiny_served[b][cell] >= demand[cell];
            best = enough ? longer : best;
        }
    return best;
}

static void no_plan_is_shorter_than_the_bound(void **state)
{
    struct flux_random random = {17};
    uint32_t tight = 0, best_is_optimal = 0;
    (void)state;
    for (int round = 0; round < 400; round++) {
        uint32_t switches = 1 + flux_random_below(&random, 2), density = 1 + flux_random_below(&random, 4);
        int64_t delay = flux_random_below(&random, 5);
        struct flux_demand_plan *plan;
        for (uint32_t i = 0; i < 9; i++)
            demand[i] = i % 4 && flux_random_below(&random, 4) < density ? flux_random_below(&random, 4) : 0;
        list_choices(delay);
        int64_t least = optimum(switches);
        assert_int_equal(flux_demand_schedule(NULL, 3, demand, switches, delay, FLUX_DEMAND_BEST, &plan, NULL), 0);
        assert_true(flux_demand_plan_bound(plan) <= least);
        assert_true(flux_demand_plan_makespan(plan) >= least);
        tight += flux_demand_plan_bound(plan) == least;
        best_is_optimal += flux_demand_plan_makespan(plan) == least;
        flux_demand_plan_free(plan);
    }
    assert_true(tight > 280 && best_is_optimal > 320);
}

/* What the exchange of parts promises: the same demand, in no more matchings and no more time. */
static void exchanges_only_help(void **state)
{
    struct flux_random random = {23};
    uint32_t helped = 0;
    (void)state;
    for (int round = 0; round < 300; round++) {
        uint32_t n = 2 + flux_random_below(&random, MOST - 1);
        struct flux_memory memory;
        struct flux_arena arena;
        struct flux_demand_terms terms = {0};
        int64_t before = 0, after = 0, served[MOST * MOST] = {0};
        random_matrix(&random, n);
        assert_int_equal(flux_memory_init(&memory, NULL), 0);
        flux_arena_init(&arena, &memory);
        struct flux_demand_matrix matrix = {&arena, n, 0, demand, INT64_MAX};
        assert_int_equal(round % 3 ? flux_demand_spectra(&matrix, &terms) : flux_demand_eclipse(&matrix, &terms), 0);
        uint64_t count = terms.count;
        for (uint64_t t = 0; t < count; t++)
            before += terms.weight[t];
        assert_int_equal(flux_demand_improve(&matrix, &terms), 0);
        assert_true(terms.count <= count);
        for (uint64_t t = 0; t < terms.count; t++) {
            uint64_t used = 0;
            after += terms.weight[t];
            for (uint32_t i = 0; i < n; i++) {
                uint32_t j = terms.out[t * n + i];
                if (j == FLUX_NONE)
                    continue;
                assert_false(used >> j & 1);
                used |= UINT64_C(1) << j;
                served[i * n + j] += terms.weight[t];
            }
        }
        for (uint32_t i = 0; i < n * n; i++)
            assert_true(served[i] >= demand[i]);
        assert_true(after <= before);
        helped += after < before;
        flux_arena_free(&arena);
    }
    assert_true(helped > 100);
}

/* ---- generators ---- */

static void generators_make_what_they_say(void **state)
{
    static const uint64_t sums[] = {0, UINT64_C(18354180082476587454), UINT64_C(3973623485032298883),
                                    UINT64_C(7876364707290443239), UINT64_C(2798117886621440690)};
    static int64_t again[MOST * MOST];
    struct flux_demand_generator options = FLUX_DEMAND_GENERATOR_INIT;
    (void)state;
    options.ports = MOST;
    for (options.kind = FLUX_DEMAND_STANDARD; options.kind <= FLUX_DEMAND_MOE_PAIRS; options.kind++) {
        int64_t hottest = 0, coldest = INT64_MAX;
        uint64_t sum = 0;
        options.seed = 42;
        assert_int_equal(flux_demand_generate(NULL, &options, demand, NULL), 0);
        assert_int_equal(flux_demand_generate(NULL, &options, again, NULL), 0);
        assert_memory_equal(demand, again, sizeof again);
        for (uint32_t i = 0; i < MOST; i++) {
            int64_t row = 0, column = 0;
            uint32_t entries = 0;
            assert_true(demand[i * MOST + i] == 0);
            for (uint32_t j = 0; j < MOST; j++) {
                row += demand[i * MOST + j];
                column += demand[j * MOST + i];
                entries += demand[i * MOST + j] > 0;
                sum = sum * 31 + (uint64_t)demand[i * MOST + j];
            }
            assert_true(row > FLUX_MS * 8 / 10 && row < FLUX_MS * 12 / 10);
            assert_true(entries <= (options.kind == FLUX_DEMAND_STANDARD ? 16u : MOST - 1));
            hottest = column > hottest ? column : hottest;
            coldest = column < coldest ? column : coldest;
        }
        /* Popularity of the lognormal kind shows in the columns. */
        assert_int_equal(hottest > 2 * coldest, options.kind == FLUX_DEMAND_MOE_LOGNORMAL);
        if (sum != sums[options.kind])
            fail_msg("kind %u makes another matrix than before: %llu", options.kind, (unsigned long long)sum);
        options.seed = 43;
        assert_int_equal(flux_demand_generate(NULL, &options, again, NULL), 0);
        assert_memory_not_equal(demand, again, sizeof again);
    }
    options = (struct flux_demand_generator)FLUX_DEMAND_GENERATOR_INIT;
    assert_int_equal(flux_demand_generate(NULL, &options, demand, NULL), FLUX_E_ARGUMENT);
    assert_int_equal(flux_demand_generate(NULL, NULL, demand, NULL), FLUX_E_ARGUMENT);
    options.kind = FLUX_DEMAND_STANDARD;
    options.ports = 5000;
    assert_int_equal(flux_demand_generate(NULL, &options, demand, NULL), FLUX_E_TOO_BIG);
    options.ports = 2;
    assert_int_equal(flux_demand_generate(NULL, &options, demand, NULL), 0);
    assert_int_equal(flux_demand_generate(NULL, &options, NULL, NULL), FLUX_E_ARGUMENT);
    options.line = -1;
    assert_int_equal(flux_demand_generate(NULL, &options, demand, NULL), FLUX_E_ARGUMENT);
    options.line = 0;
    options.sigma_ppm = 5000000;
    assert_int_equal(flux_demand_generate(NULL, &options, demand, NULL), FLUX_E_ARGUMENT);
    options.sigma_ppm = 0;
    options.kind = FLUX_DEMAND_MOE_PAIRS;
    options.tokens = options.top_k = UINT32_MAX;
    assert_int_equal(flux_demand_generate(NULL, &options, demand, NULL), FLUX_E_TOO_BIG);
    options.size = 5;
    assert_int_equal(flux_demand_generate(NULL, &options, demand, NULL), FLUX_E_ABI);
}

/* The best of all assignments by trying every permutation. */
static int64_t best_assignment(uint32_t n, const int64_t *value, uint32_t row, uint32_t used)
{
    int64_t best = INT64_MIN;
    if (row == n)
        return 0;
    for (uint32_t j = 0; j < n; j++)
        if (!(used >> j & 1)) {
            int64_t sum = value[row * n + j] + best_assignment(n, value, row + 1, used | 1u << j);
            best = sum > best ? sum : best;
        }
    return best;
}

static void matchings_are_the_largest(void **state)
{
    struct flux_random random = {5};
    (void)state;
    for (int round = 0; round < 3000; round++) {
        uint32_t n = 1 + flux_random_below(&random, 6), out[8], in[8], scratch[32];
        int64_t value[36], room[6 * 8], ones[36];
        for (uint32_t i = 0; i < n * n; i++) {
            value[i] = flux_random_below(&random, 3) ? flux_random_below(&random, 50) : 0;
            ones[i] = value[i] >= 25;
        }
        flux_demand_assign(n, value, out, room);
        int64_t sum = 0;
        uint32_t used = 0;
        for (uint32_t i = 0; i < n; i++) {
            assert_true(out[i] < n && !(used >> out[i] & 1));
            used |= 1u << out[i];
            sum += value[i * n + out[i]];
        }
        assert_true(sum == best_assignment(n, value, 0, 0));
        memset(out, 0xff, sizeof out);
        assert_int_equal(flux_demand_match(n, value, 25, out, in, scratch), best_assignment(n, ones, 0, 0));
    }
}

static void wrong_matrices_are_refused(void **state)
{
    struct flux_demand_plan *plan;
    struct flux_error error;
    int64_t small[9] = {0, 5, 0, 0, 0, 7, 3, 0, 0};
    (void)state;
    assert_int_equal(flux_demand_schedule(NULL, 3, small, 2, 1, FLUX_DEMAND_BEST, &plan, &error), 0);
    flux_demand_plan_free(plan);
    assert_int_equal(flux_demand_schedule(NULL, 3, small, 0, 1, FLUX_DEMAND_BEST, &plan, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_demand_schedule(NULL, 3, small, 2, -1, FLUX_DEMAND_BEST, &plan, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_demand_schedule(NULL, 3, small, 2, 1, 99, &plan, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_demand_schedule(NULL, 5000, small, 2, 1, 1, &plan, &error), FLUX_E_TOO_BIG);
    small[4] = 1;
    assert_int_equal(flux_demand_schedule(NULL, 3, small, 2, 1, 1, &plan, &error), FLUX_E_ARGUMENT);
    assert_non_null(strstr(error.text, "(1, 1)"));
    assert_null(plan);
    small[4] = 0;
    small[1] = -5;
    assert_int_equal(flux_demand_schedule(NULL, 3, small, 2, 1, 1, &plan, &error), FLUX_E_ARGUMENT);
    assert_non_null(strstr(error.text, "(0, 1) is -5"));
    for (int i = 0; i < 9; i++)
        small[i] = i % 4 ? INT64_C(1) << 50 : 0;
    assert_int_equal(flux_demand_schedule(NULL, 3, small, 2, 1 << 20, 1, &plan, &error), 0);
    flux_demand_plan_free(plan);
    memset(small, 0, sizeof small);
    for (uint32_t algorithm = 1; algorithm <= FLUX_DEMAND_SUNFLOW; algorithm++) {
        assert_int_equal(flux_demand_schedule(NULL, 3, small, 2, 1, algorithm, &plan, &error), 0);
        assert_int_equal(flux_demand_plan_makespan(plan), 0);
        flux_demand_plan_free(plan);
        assert_int_equal(flux_demand_find(flux_demand_name(algorithm)), algorithm);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_algorithm_serves_every_matrix),
        cmocka_unit_test(no_plan_is_shorter_than_the_bound),
        cmocka_unit_test(exchanges_only_help),
        cmocka_unit_test(generators_make_what_they_say),
        cmocka_unit_test(matchings_are_the_largest),
        cmocka_unit_test(wrong_matrices_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
