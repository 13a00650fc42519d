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

#include "base/memory.h"
#include "bound/bound.h"

#include "../support/brute_force.h"
#include "../support/random_problem.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct tally {
    uint32_t problems;
    uint32_t feasible;
    uint32_t lifted; /* raised above the cheap bounds */
    uint32_t kinds[16];
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
    uint64_t lifts;
    assert_int_equal(flux_certificate_make(problem, value, problem->arena.memory, &certificate), FLUX_OK);
    flux_certificate_lifts(certificate, &lifts);
    int rc = flux_certificate_check(graph, fabric, certificate, &again, &error);
    if (rc || again > optimum || again < value->bound || (value->lifted && lifts == 0)) {
        random_problem_print(random);
        fail_msg("%s, bound %" PRId64 ", %" PRIu64 " lifts: recomputed %" PRId64 ", optimum %" PRId64 " %s",
                 flux_certificate_kind_name(value->kind), value->bound, lifts, again, optimum, error.text);
    }
    if (value->lifted ||
        value->kind == FLUX_CERTIFICATE_PORT_SHARE) { /* not one picosecond more can be claimed than they show */
        certificate->bound = again + 1;
        assert_int_equal(flux_certificate_check(graph, fabric, certificate, NULL, NULL), FLUX_E_MISMATCH);
    }
    flux_certificate_free(certificate);
}

static void judge_bound(const struct random_problem *random, const struct flux_graph *graph,
                        const struct flux_fabric *fabric, int64_t optimum, struct tally *tally)
{
    struct flux_memory memory;
    struct flux_arena arena;
    struct flux_problem *problem;
    struct flux_bound_value cheap, value;
    struct flux_control control;
    const struct flux_options options = FLUX_OPTIONS_INIT;
    assert_int_equal(flux_memory_init(&memory, NULL), FLUX_OK);
    assert_int_equal(flux_problem_build(graph, fabric, &memory, &problem, NULL), FLUX_OK);
    assert_int_equal(flux_bound_find(problem, &cheap), FLUX_OK);
    flux_arena_init(&arena, &memory);
    flux_control_begin(&control, &memory, &options);
    value = cheap;
    assert_int_equal(flux_bound_improve(problem, &control, FLUX_TIME_MAX, &arena, &value), FLUX_OK);
    if (value.bound > optimum || value.bound < cheap.bound ||
        (value.bound > cheap.bound) != (value.lifted != NULL || value.kind == FLUX_CERTIFICATE_PORT_SHARE)) {
        random_problem_print(random);
        fail_msg("cheap %" PRId64 ", lifted %" PRId64 ", optimum %" PRId64, cheap.bound, value.bound, optimum);
    }
    judge_certificate(random, graph, fabric, problem, &value, optimum);
    tally->lifted += value.lifted != NULL;
    tally->kinds[value.kind]++;
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
        struct random_options options = {rule, mask, 4, large, 0, 0};
        int64_t optimum;
        random_problem(&random, seed + i, &options);
        if (i % 2 && random.gpus >= 3)
            random_problem_layers(&random, large);
        assert_int_equal(random_problem_build(&random, NULL, &graph, &fabric), FLUX_OK);
        tally->problems++;
        if (brute_force(graph, fabric, UINT64_MAX, &optimum, NULL) == 0) {
            tally->feasible++;
            judge_bound(&random, graph, fabric, optimum, tally);
        }
        flux_graph_free(graph);
        flux_fabric_free(fabric);
    }
    print_message("%-16s %6" PRIu32 " problems: lifted %5" PRIu32 " (path %" PRIu32 ", load %" PRIu32 ", edges %" PRIu32
                  ", share %" PRIu32 "; share alone %" PRIu32 "), tight %" PRIu32 " -> %" PRIu32 "\n",
                  name, tally->problems, tally->lifted, tally->kinds[FLUX_CERTIFICATE_LIFTED_PATH],
                  tally->kinds[FLUX_CERTIFICATE_LIFTED_LOAD], tally->kinds[FLUX_CERTIFICATE_LIFTED_EDGES],
                  tally->kinds[FLUX_CERTIFICATE_LIFTED_SHARE], tally->kinds[FLUX_CERTIFICATE_PORT_SHARE],
                  tally->tight_before, tally->tight);
}

static void each_rule(void **state)
{
    static const char *const names[] = {"paper", "duplex", "simplex"};
    (void)state;
    for (uint32_t rule = 0; rule < 3; rule++) {
        struct tally tally = {0};
        judge_many(names[rule], rule, 0, 20000, 9000000 + rule * 100000, &tally);
        assert_true(tally.lifted > tally.feasible / 50);
        assert_true(tally.tight > tally.tight_before);
    }
}

static void mixed_parameters(void **state)
{
    static const char *const names[] = {"mixed, paper", "mixed, duplex", "mixed, simplex"};
    (void)state;
    for (uint32_t rule = 0; rule < 3; rule++) {
        struct tally tally = {0};
        judge_many(names[rule], rule, RANDOM_ALL, 4000, 9500000 + rule * 100000, &tally);
        assert_true(tally.lifted > tally.feasible / 500);
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
