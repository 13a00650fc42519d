/* SPDX-License-Identifier: Apache-2.0
 *
 * The judges judged: brute force by order of events against brute force by whole times, its schedules against the
 * pairwise rules, and the two ways to place changes against each other.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/brute_force.h"
#include "../support/pairwise.h"
#include "../support/random_problem.h"

#include <stdio.h>

static void fail_with(const struct random_problem *problem, const char *why)
{
    random_problem_print(problem);
    fail_msg("%s", why);
}

/* One problem: the optimum's schedule is one, and there is none that is shorter. */
static void judge(const struct random_options *options, uint64_t seed, int by_time)
{
    struct random_problem problem;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_slot slots[BRUTE_FORCE_SENDS_MAX];
    char why[PAIRWISE_TEXT];
    int64_t optimum, makespan;
    random_problem(&problem, seed, options);
    assert_int_equal(random_problem_build(&problem, NULL, &graph, &fabric), FLUX_OK);
    assert_int_equal(brute_force(graph, fabric, UINT64_MAX, &optimum, slots), FLUX_OK);
    if (!pairwise_check(graph, fabric, slots, flux_graph_sends(graph), &makespan, why))
        fail_with(&problem, why);
    if (makespan != optimum)
        fail_with(&problem, "brute force miscounts its own schedule");
    if (by_time && brute_force_by_time(graph, fabric, optimum) != 1)
        fail_with(&problem, "whole times do not find the optimum");
    if (by_time && brute_force_by_time(graph, fabric, optimum - 1) != 0)
        fail_with(&problem, "whole times find a shorter schedule");
    flux_graph_free(graph);
    flux_fabric_free(fabric);
}

static void whole_times_agree(void **state)
{
    uint32_t count = random_problem_count(3000);
    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        static const uint32_t masks[] = {0, RANDOM_BLOCKING, RANDOM_DWELL, RANDOM_BLOCKING | RANDOM_DWELL, RANDOM_ALL,
                                         RANDOM_BLOCKING | RANDOM_DWELL | RANDOM_INITIAL};
        struct random_options options = {i % 3, masks[i / 3 % 6], 1, 3, 4, 0};
        judge(&options, i, 1);
    }
}

static void four_sends_agree(void **state)
{
    uint32_t count = random_problem_count(400);
    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        struct random_options options = {i % 3, i & 1 ? RANDOM_BLOCKING | RANDOM_DWELL : RANDOM_ALL, 4, 4, 2, 0};
        judge(&options, 100000 + i, 1);
    }
}

static void schedules_are_schedules(void **state)
{
    uint32_t count = random_problem_count(3000);
    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        struct random_options options = {i % 3, i & 8 ? RANDOM_ALL : i & 0x3f, 1, 5, 0, 0};
        judge(&options, 200000 + i, 0);
    }
}

/* Windows of changes and busy times that need not come from any schedule. */
static void begins_agree(void **state)
{
    uint32_t count = random_problem_count(20000), possible = 0;
    uint64_t dice = 42;
    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        int64_t low[4], high[4], number[24];
        struct flux_time busy[4];
        for (uint32_t j = 0; j < 24; j++) {
            dice = dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            number[j] = (int64_t)(dice >> 33);
        }
        for (uint32_t j = 0; j < 4; j++) {
            low[j] = number[j] % 14;
            high[j] = low[j] + number[4 + j] % 7;
            busy[j].start = number[8 + j] % 20;
            busy[j].end = busy[j].start + 1 + number[12 + j] % 5;
        }
        uint32_t changes = 1 + (uint32_t)(number[16] % 4), sends = (uint32_t)(number[17] % 4);
        int64_t delay = number[18] % 5, dwell = number[19] % 8;
        int fits = pairwise_begins_by_trial(low, high, changes, busy, sends, delay, dwell);
        assert_int_equal(pairwise_begins(low, high, changes, busy, sends, delay, dwell), fits);
        possible += (uint32_t)fits;
    }
    assert_in_range(possible, count / 10, count - count / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(begins_agree),
        cmocka_unit_test(whole_times_agree),
        cmocka_unit_test(four_sends_agree),
        cmocka_unit_test(schedules_are_schedules),
    };
    return cmocka_run_group_tests_name("brute force", tests, NULL, NULL);
}
