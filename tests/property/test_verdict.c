/* SPDX-License-Identifier: Apache-2.0
 *
 * The checker against the pairwise rules: the same verdict and the same makespan on optimal schedules, on ones bent a
 * little, and on slots at random.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/brute_force.h"
#include "../support/pairwise.h"
#include "../support/random_problem.h"

#include <inttypes.h>
#include <stdio.h>

struct verdicts {
    uint32_t accepted;
    uint32_t refused;
    uint32_t bent;    /* optimal schedules with one change, */
    uint32_t survive; /* and those of them that are schedules still */
};

static uint32_t next(uint64_t *dice)
{
    *dice = *dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*dice >> 33);
}

static int compare(const struct random_problem *problem, const struct flux_graph *graph,
                   const struct flux_fabric *fabric, const struct flux_slot *slots, uint32_t count,
                   struct verdicts *verdicts)
{
    struct flux_error error = {0};
    char why[PAIRWISE_TEXT];
    int64_t ours, theirs = -1;
    int good = pairwise_check(graph, fabric, slots, count, &ours, why);
    int rc = flux_check(graph, fabric, slots, count, &theirs, &error);
    if ((rc != 0 && rc != FLUX_E_MISMATCH) || (rc == 0) != good || (good && ours != theirs)) {
        random_problem_print(problem);
        for (uint32_t i = 0; i < count; i++)
            fprintf(stderr, "# v%" PRIu32 " on %" PRIu32 " from %" PRId64 " to %" PRId64 "\n", slots[i].send,
                    slots[i].switch_index, slots[i].start, slots[i].end);
        fail_msg("flux_check says %d, makespan %" PRId64 " (%s); the pairwise rules say %d, makespan %" PRId64 " (%s)",
                 rc, theirs, error.text, good, ours, good ? "" : why);
    }
    if (rc == FLUX_E_MISMATCH)
        assert_true(error.code == rc && error.text[0]);
    verdicts->accepted += (uint32_t)good;
    verdicts->refused += (uint32_t)!good;
    return good;
}

/* Moves one send in time or to another switch (its length follows), or gives it a wrong length. */
static void bend(const struct flux_graph *graph, const struct flux_fabric *fabric, struct flux_slot *slots,
                 uint32_t count, uint64_t *dice)
{
    struct flux_slot *slot = &slots[next(dice) % count];
    uint32_t how = next(dice) % 8;
    if (how < 3) {
        int64_t step = 1 + next(dice) % 4;
        if (next(dice) % 2)
            step = slot->start < step ? -slot->start : -step;
        slot->start += step;
        slot->end += step;
    } else if (how < 5) {
        slot->switch_index = next(dice) % flux_fabric_switches(fabric);
        int64_t duration = pairwise_duration(graph, fabric, slot->send, slot->switch_index);
        slot->end = slot->start + (duration < 0 ? 1 : duration);
    } else if (how < 7) {
        slot->start = next(dice) % 40;
        int64_t duration = pairwise_duration(graph, fabric, slot->send, slot->switch_index);
        slot->end = slot->start + (duration < 0 ? 1 : duration);
    } else {
        slot->end += next(dice) % 3;
    }
}

/* Serial and loose: a schedule in which much may move, from the best one with every gap stretched. */
static void stretch(struct flux_slot *slots, uint32_t count, uint64_t *dice)
{
    int64_t pivot = next(dice) % 40, shift = next(dice) % 30;
    for (uint32_t i = 0; i < count; i++)
        if (slots[i].start >= pivot) {
            slots[i].start += shift;
            slots[i].end += shift;
        }
}

static void judge(const struct random_options *options, uint64_t seed, struct verdicts *verdicts)
{
    struct random_problem problem;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_slot best[BRUTE_FORCE_SENDS_MAX], slots[BRUTE_FORCE_SENDS_MAX];
    uint64_t dice = seed * 977 + 5;
    int64_t optimum;
    random_problem(&problem, seed, options);
    assert_int_equal(random_problem_build(&problem, NULL, &graph, &fabric), FLUX_OK);
    assert_int_equal(brute_force(graph, fabric, UINT64_MAX, &optimum, best), FLUX_OK);
    uint32_t count = flux_graph_sends(graph);
    assert_true(compare(&problem, graph, fabric, best, count, verdicts));
    for (uint32_t i = 0; i < 24; i++) {
        for (uint32_t j = 0; j < count; j++)
            slots[j] = best[j];
        if (i & 1)
            stretch(slots, count, &dice);
        for (uint32_t j = 0; j < 1 + i / 8; j++)
            bend(graph, fabric, slots, count, &dice);
        for (uint32_t j = count; j > 1 && i & 2; j--) { /* in any order */
            uint32_t other = next(&dice) % j;
            struct flux_slot swap = slots[j - 1];
            slots[j - 1] = slots[other];
            slots[other] = swap;
        }
        int good = compare(&problem, graph, fabric, slots, count, verdicts);
        if (i < 8) {
            verdicts->bent++;
            verdicts->survive += (uint32_t)good;
        }
    }
    flux_graph_free(graph);
    flux_fabric_free(fabric);
}

static void judge_many(const char *name, uint32_t mask, uint32_t problems, uint64_t seed)
{
    struct verdicts verdicts = {0};
    uint32_t count = random_problem_count(problems);
    for (uint32_t i = 0; i < count; i++) {
        struct random_options options = {i % 3, mask == RANDOM_ALL ? (i * 2654435761u) >> 24 & mask : mask, 2, 5, 0, 0};
        judge(&options, seed + i, &verdicts);
    }
    print_message("%-10s %7" PRIu32 " accepted, %7" PRIu32 " refused; of %" PRIu32 " bent a little %" PRIu32
                  " are schedules still\n", name, verdicts.accepted, verdicts.refused, verdicts.bent, verdicts.survive);
    assert_true(verdicts.accepted > count && verdicts.refused > count);
}

static void plain_fabrics(void **state)
{
    (void)state;
    judge_many("plain", 0, 6000, 8000000);
}

static void stages(void **state)
{
    (void)state;
    judge_many("blocking", RANDOM_BLOCKING, 5000, 8100000);
    judge_many("dwell", RANDOM_DWELL, 5000, 8200000);
    judge_many("both", RANDOM_BLOCKING | RANDOM_DWELL | RANDOM_INITIAL | RANDOM_DELAYS, 5000, 8300000);
}

static void mixed_fabrics(void **state)
{
    (void)state;
    judge_many("mixed", RANDOM_ALL, 6000, 8400000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_fabrics),
        cmocka_unit_test(stages),
        cmocka_unit_test(mixed_fabrics),
    };
    return cmocka_run_group_tests_name("verdict", tests, NULL, NULL);
}
