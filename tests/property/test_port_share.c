/* SPDX-License-Identifier: Apache-2.0
 *
 * Sends counted on the links of one GPU, on random problems: never above the optimum by brute force, never below what
 * it started from, and their certificates confirm the number and not a picosecond more.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bound/search.h"

#include "../support/known_optimum.h"

#include <inttypes.h>

static void judge(struct known_optimum *it, void *user)
{
    struct flux_bound_value value = it->cheap;
    assert_int_equal(flux_bound_raise_shares(it->problem, FLUX_TIME_MAX, &it->arena, &value), FLUX_OK);
    known_optimum_judge(it, &value, value.kind == FLUX_CERTIFICATE_PORT_SHARE, user);
    if (value.kind == FLUX_CERTIFICATE_PORT_SHARE) {
        int64_t number;
        struct flux_certificate *certificate = known_optimum_certificate(it, &value, &number);
        assert_int_equal(number, value.bound);
        assert_false(known_optimum_confirmed(it, certificate, value.bound + 1));
        flux_certificate_free(certificate);
    }
}

static void choose(uint32_t index, struct random_options *options)
{
    options->time_max = index % 2 ? 3 : 0;
}

static void change(struct random_problem *random, uint32_t index, uint32_t sends_max)
{
    (void)sends_max;
    if (index % 4)
        random_problem_crowd(random);
}

static struct known_optimum_tally judge_many(const char *name, uint32_t rule, uint32_t parameters, uint32_t problems,
                                             uint64_t seed)
{
    struct known_optimum_tally tally = {0};
    const struct known_optimum_series series = {rule,     parameters, problems, 3,     seed,
                                                20000000, choose,     change,   judge, &tally};
    known_optimum_each(&series, &tally);
    print_message("%-16s %6" PRIu32 " problems: raised %5" PRIu32 ", tight %" PRIu32 " -> %" PRIu32 "\n", name,
                  tally.problems, tally.raised, tally.tight_before, tally.tight);
    return tally;
}

static void each_rule(void **state)
{
    static const char *const names[] = {"paper", "duplex", "simplex"};
    (void)state;
    for (uint32_t rule = 0; rule < 3; rule++) {
        struct known_optimum_tally tally = judge_many(names[rule], rule, 0, 10000, 9200000 + rule * 100000);
        assert_true(tally.raised > tally.feasible / 20);
        assert_true(tally.tight > tally.tight_before);
    }
}

static void mixed_parameters(void **state)
{
    static const char *const names[] = {"mixed, paper", "mixed, duplex", "mixed, simplex"};
    (void)state;
    for (uint32_t rule = 0; rule < 3; rule++) {
        struct known_optimum_tally tally = judge_many(names[rule], rule, RANDOM_ALL, 4000, 9700000 + rule * 100000);
        assert_true(tally.raised > tally.feasible / 200);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_rule),
        cmocka_unit_test(mixed_parameters),
    };
    return cmocka_run_group_tests_name("port_share", tests, NULL, NULL);
}
