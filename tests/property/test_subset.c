/* SPDX-License-Identifier: Apache-2.0
 *
 * Some sends of a random problem by themselves, searched to the end: what any of them need at least is never above the
 * optimum of all by brute force. The same for the few that the engine chooses, and the better schedules that it finds
 * on its way keep every rule.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "prove/piece.h"
#include "prove/prove.h"
#include "prove/subset.h"

#include "../support/brute_force.h"
#include "../support/random_problem.h"

#include <inttypes.h>
#include <string.h>

struct tally {
    uint32_t problems;
    uint32_t feasible;
    uint32_t pieces; /* that need as much as all */
    uint32_t raised; /* above the cheap bounds */
    uint32_t tight_before;
    uint32_t tight;
    uint32_t improved;
};

struct case_of {
    const struct random_problem *random;
    const struct flux_graph *graph;
    const struct flux_fabric *fabric;
    struct flux_problem *problem;
    struct flux_control control;
    struct flux_arena arena;
    int64_t optimum;
};

static void blank(struct case_of *it, int64_t makespan, struct flux_plan *plan)
{
    assert_int_equal(flux_plan_alloc(plan, it->problem, &it->arena), FLUX_OK);
    plan->makespan = makespan;
    for (uint32_t v = 0; v < it->problem->nodes; v++) {
        plan->start[v] = it->problem->head[v];
        plan->switch_of[v] = flux_problem_is_send(it->problem, v) ? 0 : FLUX_NONE;
    }
}

/* Any sends: those whose bits are set. */
static void judge_piece(struct case_of *it, uint32_t bits, struct tally *tally)
{
    struct flux_problem piece;
    struct flux_plan plan;
    struct flux_prove_answer answer;
    uint32_t nodes[RANDOM_VERTICES_MAX], count = 0, send = 0;
    for (uint32_t v = 0; v < it->problem->nodes; v++)
        if (flux_problem_is_send(it->problem, v) && (bits >> send++ & 1))
            nodes[count++] = v;
    assert_int_equal(flux_piece_make(it->problem, nodes, count, &it->arena, &piece), FLUX_OK);
    assert_int_equal(flux_plan_alloc(&plan, &piece, &it->arena), FLUX_OK);
    plan.makespan = it->optimum + 1000;
    memset(plan.start, 0, count * sizeof *plan.start);
    memset(plan.switch_of, 0, count * sizeof *plan.switch_of);
    do {
        const struct flux_prove_limits limits = {UINT64_MAX, UINT64_MAX, 0};
        assert_int_equal(flux_prove_piece(&piece, &it->control, &limits, &plan, &answer), FLUX_OK);
    } while (answer.improved);
    if (!answer.proven || answer.bound > it->optimum || plan.makespan > it->optimum) {
        random_problem_print(it->random);
        fail_msg("%" PRIu32 " of its sends: bound %" PRId64 ", schedule %" PRId64 ", optimum of all %" PRId64, count,
                 answer.bound, plan.makespan, it->optimum);
    }
    assert_int_equal(it->control.makespan, -1);
    tally->pieces += answer.bound == it->optimum;
}

static void judge_plan(const struct case_of *it, const struct flux_plan *plan)
{
    struct flux_slot slots[RANDOM_VERTICES_MAX];
    struct flux_error error = {0};
    uint64_t count = 0;
    int64_t makespan;
    for (uint32_t v = 0; v < it->problem->nodes; v++)
        if (flux_problem_is_send(it->problem, v))
            slots[count++] = (struct flux_slot){it->problem->vertex[v], plan->switch_of[v], plan->start[v],
                                                flux_plan_end(plan, it->problem, v)};
    int rc = flux_check(it->graph, it->fabric, slots, count, &makespan, &error);
    if (rc || makespan > plan->makespan) {
        random_problem_print(it->random);
        fail_msg("the plan of %" PRId64 " is none: %s", plan->makespan, error.text);
    }
}

/* The engine, from a makespan that is `above` the optimum. */
static void judge_bound(struct case_of *it, int64_t above, struct tally *tally)
{
    struct flux_bound_value cheap, value;
    struct flux_subset_answer answer;
    struct flux_plan plan;
    assert_int_equal(flux_bound_find(it->problem, &cheap), FLUX_OK);
    value = cheap;
    blank(it, it->optimum + above, &plan);
    assert_int_equal(
        flux_subset_improve(it->problem, &it->control, FLUX_SUBSET_PROVE, &it->arena, &plan, &value, &answer), FLUX_OK);
    int kept = value.bound == cheap.bound;
    if (value.bound > it->optimum || value.bound < cheap.bound || plan.makespan < it->optimum ||
        kept == (value.kind == FLUX_CERTIFICATE_SUBSET)) {
        random_problem_print(it->random);
        fail_msg("cheap %" PRId64 ", subset %" PRId64 ", schedule %" PRId64 ", optimum %" PRId64, cheap.bound,
                 value.bound, plan.makespan, it->optimum);
    }
    if (answer.improved)
        judge_plan(it, &plan);
    tally->improved += (uint32_t)answer.improved;
    tally->raised += !kept;
    tally->tight_before += cheap.bound == it->optimum;
    tally->tight += value.bound == it->optimum;
}

static void judge(struct case_of *it, uint64_t seed, struct tally *tally)
{
    struct flux_memory memory;
    const struct flux_options options = FLUX_OPTIONS_INIT;
    assert_int_equal(flux_memory_init(&memory, NULL), FLUX_OK);
    assert_int_equal(flux_problem_build(it->graph, it->fabric, &memory, &it->problem, NULL), FLUX_OK);
    flux_arena_init(&it->arena, &memory);
    flux_control_begin(&it->control, &memory, &options);
    judge_piece(it, (uint32_t)(seed * 2654435761u) >> 24, tally);
    judge_bound(it, 0, tally);
    if (seed % 4 == 0)
        judge_bound(it, 1000, tally);
    flux_arena_free(&it->arena);
    flux_problem_free(it->problem);
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
        struct random_options options = {rule, mask, 3, large, 0, 0};
        random_problem(&random, seed + i, &options);
        if (i % 3 == 0)
            random_problem_crowd(&random);
        else if (i % 3 == 1 && random.gpus >= 3)
            random_problem_layers(&random, 6);
        assert_int_equal(random_problem_build(&random, NULL, &graph, &fabric), FLUX_OK);
        struct case_of it = {.random = &random, .graph = graph, .fabric = fabric};
        tally->problems++;
        if (brute_force(graph, fabric, 20000000, &it.optimum, NULL) == 0) {
            tally->feasible++;
            judge(&it, seed + i, tally);
        }
        flux_graph_free(graph);
        flux_fabric_free(fabric);
    }
    print_message("%-16s %6" PRIu32 " problems: raised %5" PRIu32 ", tight %" PRIu32 " -> %" PRIu32
                  ", schedules %" PRIu32 ", pieces %" PRIu32 "\n",
                  name, tally->problems, tally->raised, tally->tight_before, tally->tight, tally->improved,
                  tally->pieces);
}

static void each_rule(void **state)
{
    static const char *const names[] = {"paper", "duplex", "simplex"};
    (void)state;
    for (uint32_t rule = 0; rule < 3; rule++) {
        struct tally tally = {0};
        judge_many(names[rule], rule, 0, 10000, 21000000 + rule * 100000, &tally);
        assert_true(tally.raised > tally.feasible / 20);
        assert_true(tally.tight > tally.tight_before);
        assert_true(tally.improved > tally.feasible / 20);
        assert_true(tally.pieces > tally.feasible / 20);
    }
}

static void mixed_parameters(void **state)
{
    static const char *const names[] = {"mixed, paper", "mixed, duplex", "mixed, simplex"};
    (void)state;
    for (uint32_t rule = 0; rule < 3; rule++) {
        struct tally tally = {0};
        judge_many(names[rule], rule, RANDOM_ALL, 3000, 21600000 + rule * 100000, &tally);
        assert_true(tally.raised > tally.feasible / 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_rule),
        cmocka_unit_test(mixed_parameters),
    };
    return cmocka_run_group_tests_name("subset", tests, NULL, NULL);
}
