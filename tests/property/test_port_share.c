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

#include "base/memory.h"
#include "bound/search.h"

#include "../support/brute_force.h"
#include "../support/random_problem.h"

#include <inttypes.h>
#include <stdio.h>

struct tally {
    uint32_t problems;
    uint32_t feasible;
    uint32_t raised; /* above the cheap bounds */
    uint32_t tight_before;
    uint32_t tight;
};

static void judge_certificate(const struct random_problem *random, const struct flux_graph *graph,
                              const struct flux_fabric *fabric, const struct flux_problem *problem,
                              const struct flux_bound_value *value, int64_t optimum)
{
    struct flux_certificate *certificate;
    struct flux_error error = {0};
    int64_t again = -1;
    assert_int_equal(flux_certificate_make(problem, value, problem->arena.memory, &certificate), FLUX_OK);
    int rc = flux_certificate_check(graph, fabric, certificate, &again, &error);
    if (rc || again != value->bound) {
        random_problem_print(random);
        fail_msg("port share %" PRId64 ": recomputed %" PRId64 " %s", value->bound, again, error.text);
    }
    certificate->bound = value->bound + 1;
    assert_int_equal(flux_certificate_check(graph, fabric, certificate, NULL, NULL), FLUX_E_MISMATCH);
    certificate->bound = optimum + 1;
    assert_int_equal(flux_certificate_check(graph, fabric, certificate, NULL, NULL), FLUX_E_MISMATCH);
    flux_certificate_free(certificate);
}

static void judge_bound(const struct random_problem *random, const struct flux_graph *graph,
                        const struct flux_fabric *fabric, int64_t optimum, struct tally *tally)
{
    struct flux_memory memory;
    struct flux_arena arena;
    struct flux_problem *problem;
    struct flux_bound_value cheap, value;
    assert_int_equal(flux_memory_init(&memory, NULL), FLUX_OK);
    assert_int_equal(flux_problem_build(graph, fabric, &memory, &problem, NULL), FLUX_OK);
    assert_int_equal(flux_bound_find(problem, &cheap), FLUX_OK);
    flux_arena_init(&arena, &memory);
    value = cheap;
    assert_int_equal(flux_bound_raise_shares(problem, FLUX_TIME_MAX, &arena, &value), FLUX_OK);
    if (value.bound > optimum || value.bound < cheap.bound ||
        (value.bound > cheap.bound) != (value.kind == FLUX_CERTIFICATE_PORT_SHARE)) {
        random_problem_print(random);
        fail_msg("cheap %" PRId64 ", port share %" PRId64 ", optimum %" PRId64, cheap.bound, value.bound, optimum);
    }
    if (value.kind == FLUX_CERTIFICATE_PORT_SHARE)
        judge_certificate(random, graph, fabric, problem, &value, optimum);
    tally->raised += value.bound > cheap.bound;
    tally->tight_before += cheap.bound == optimum;
    tally->tight += value.bound == optimum;
    flux_arena_free(&arena);
    flux_problem_free(problem);
}

static void judge_many(const char *name, uint32_t rule, uint32_t parameters, uint32_t problems, uint64_t seed,
                       struct tally *tally)
{
    uint32_t count = random_problem_count(problems);
    for (uint32_t i = 0; i < count; i++) {
        struct random_problem random;
        struct flux_graph *graph;
        struct flux_fabric *fabric;
        uint32_t mask = parameters == RANDOM_ALL ? (i * 2654435761u) >> 24 & RANDOM_ALL : parameters;
        uint32_t large = mask & (RANDOM_BLOCKING | RANDOM_DWELL) ? 4 : 7;
        struct random_options options = {rule, mask, 3, large, i % 2 ? 3 : 0, 0};
        int64_t optimum;
        random_problem(&random, seed + i, &options);
        if (i % 4)
            random_problem_crowd(&random);
        assert_int_equal(random_problem_build(&random, NULL, &graph, &fabric), FLUX_OK);
        tally->problems++;
        if (brute_force(graph, fabric, 20000000, &optimum, NULL) == 0) {
            tally->feasible++;
            judge_bound(&random, graph, fabric, optimum, tally);
        }
        flux_graph_free(graph);
        flux_fabric_free(fabric);
    }
    print_message("%-16s %6" PRIu32 " problems: raised %5" PRIu32 ", tight %" PRIu32 " -> %" PRIu32 "\n", name,
                  tally->problems, tally->raised, tally->tight_before, tally->tight);
}

static void each_rule(void **state)
{
    static const char *const names[] = {"paper", "duplex", "simplex"};
    (void)state;
    for (uint32_t rule = 0; rule < 3; rule++) {
        struct tally tally = {0};
        judge_many(names[rule], rule, 0, 10000, 9200000 + rule * 100000, &tally);
        assert_true(tally.raised > tally.feasible / 20);
        assert_true(tally.tight > tally.tight_before);
    }
}

static void mixed_parameters(void **state)
{
    static const char *const names[] = {"mixed, paper", "mixed, duplex", "mixed, simplex"};
    (void)state;
    for (uint32_t rule = 0; rule < 3; rule++) {
        struct tally tally = {0};
        judge_many(names[rule], rule, RANDOM_ALL, 4000, 9700000 + rule * 100000, &tally);
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
