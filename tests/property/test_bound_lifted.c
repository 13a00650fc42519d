/* SPDX-License-Identifier: Apache-2.0
 *
 * Lifted bounds of random problems: never above the optimum by brute force, never below the cheap bounds, and their
 * certificates say the same number. Here they run whether or not a schedule leaves a gap.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/known_optimum.h"

#include <inttypes.h>

struct tally {
    struct known_optimum_tally of;
    uint32_t lifted; /* raised by lifts */
    uint32_t kinds[16];
};

static void judge(struct known_optimum *it, void *user)
{
    struct tally *tally = user;
    struct flux_bound_value value = it->cheap;
    int64_t number;
    uint64_t lifts;
    assert_int_equal(flux_bound_improve(it->problem, &it->control, FLUX_TIME_MAX, &it->arena, &value), FLUX_OK);
    int raises = value.lifted != NULL || value.kind == FLUX_CERTIFICATE_PORT_SHARE;
    known_optimum_judge(it, &value, raises, &tally->of);
    struct flux_certificate *certificate = known_optimum_certificate(it, &value, &number);
    flux_certificate_lifts(certificate, &lifts);
    assert_true(!value.lifted || lifts > 0);
    if (raises) /* not one picosecond more can be claimed than they show */
        assert_false(known_optimum_confirmed(it, certificate, number + 1));
    flux_certificate_free(certificate);
    tally->lifted += value.lifted != NULL;
    tally->kinds[value.kind]++;
}

static void change(struct random_problem *random, uint32_t index, uint32_t sends_max)
{
    if (index % 2 && random->gpus >= 3)
        random_problem_layers(random, sends_max);
}

static struct tally judge_many(const char *name, uint32_t rule, uint32_t parameters, uint32_t problems, uint64_t seed)
{
    struct tally tally = {0};
    const struct known_optimum_series series = {rule,       parameters, problems, 4,     seed,
                                                UINT64_MAX, NULL,       change,   judge, &tally};
    known_optimum_each(&series, &tally.of);
    print_message("%-16s %6" PRIu32 " problems: lifted %5" PRIu32 " (path %" PRIu32 ", load %" PRIu32 ", edges %" PRIu32
                  ", share %" PRIu32 "; share alone %" PRIu32 "), tight %" PRIu32 " -> %" PRIu32 "\n",
                  name, tally.of.problems, tally.lifted, tally.kinds[FLUX_CERTIFICATE_LIFTED_PATH],
                  tally.kinds[FLUX_CERTIFICATE_LIFTED_LOAD], tally.kinds[FLUX_CERTIFICATE_LIFTED_EDGES],
                  tally.kinds[FLUX_CERTIFICATE_LIFTED_SHARE], tally.kinds[FLUX_CERTIFICATE_PORT_SHARE],
                  tally.of.tight_before, tally.of.tight);
    return tally;
}

static void each_rule(void **state)
{
    static const char *const names[] = {"paper", "duplex", "simplex"};
    (void)state;
    for (uint32_t rule = 0; rule < 3; rule++) {
        struct tally tally = judge_many(names[rule], rule, 0, 20000, 9000000 + rule * 100000);
        assert_true(tally.lifted > tally.of.feasible / 50);
        assert_true(tally.of.tight > tally.of.tight_before);
    }
}

static void mixed_parameters(void **state)
{
    static const char *const names[] = {"mixed, paper", "mixed, duplex", "mixed, simplex"};
    (void)state;
    for (uint32_t rule = 0; rule < 3; rule++) {
        struct tally tally = judge_many(names[rule], rule, RANDOM_ALL, 4000, 9500000 + rule * 100000);
        assert_true(tally.lifted > tally.of.feasible / 500);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_rule),
        cmocka_unit_test(mixed_parameters),
    };
    return cmocka_run_group_tests_name("bound_lifted", tests, NULL, NULL);
}
