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

static void every_algorithm_serves_every_matrix(void **state)
{
    struct flux_random random = {11};
    uint64_t degree_met = 0;
    (void)state;
    for (int round = 0; round < 400; round++) {
        uint32_t n = 2 + flux_random_below(&random, MOST - 1), switches = 1 + flux_random_below(&random, 4);
        int64_t delay = flux_random_below(&random, 3) ? flux_random_below(&random, 100000) : 0;
        int64_t shortest = INT64_MAX;
        random_matrix(&random, n);
        for (uint32_t algorithm = 1; algorithm <= FLUX_DEMAND_BEST; algorithm++) {
            struct flux_demand_plan *plan;
            struct flux_error error;
            if (flux_demand_schedule(NULL, n, demand, switches, delay, algorithm, &plan, &error))
                fail_msg("%s: %s", flux_demand_name(algorithm), error.text);
            check_plan(plan, n, switches, delay);
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
    assert_int_equal(degree_met, 400);
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
    for (uint32_t algorithm = 1; algorithm <= FLUX_DEMAND_BEST; algorithm++) {
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
        cmocka_unit_test(matchings_are_the_largest),
        cmocka_unit_test(wrong_matrices_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
