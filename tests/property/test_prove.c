/* SPDX-License-Identifier: Apache-2.0
 *
 * Our own search to the end, on random problems: it ends with the optimum by brute force, from any plan and whatever
 * is known already, with the proof; and below the optimum it finds nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "prove/prove.h"
#include "prove/stretches.h"

#include "../support/brute_force.h"
#include "../support/random_problem.h"

#include <inttypes.h>

struct tally {
    uint32_t problems;
    uint32_t feasible;
    uint32_t improved;
    uint32_t stopped;
    uint32_t raised; /* stopped, with a bound */
    uint32_t met;    /* the optimum, by parts */
    uint64_t parts;  /* that made a plan shorter */
    uint64_t conflicts;
};

/* One send after the other, each on its first switch: a plan that keeps every rule, and hardly ever a good one. */
static void queue_up(const struct flux_problem *problem, struct flux_plan *plan)
{
    int64_t time = 0;
    for (uint32_t v = 0; v < problem->nodes; v++) {
        uint32_t k = 0;
        while (flux_problem_is_send(problem, v) && flux_problem_duration(problem, v, k) < 0)
            k++;
        plan->switch_of[v] = flux_problem_is_send(problem, v) ? k : FLUX_NONE;
        int64_t start = time > problem->head[v] ? time : problem->head[v], longest = 0;
        for (uint64_t i = problem->in_first[v]; i < problem->in_first[v + 1]; i++)
            longest = problem->in[i].lag > longest ? problem->in[i].lag : longest;
        for (uint32_t j = 0; j < problem->switches; j++)
            longest = problem->delay[j] > longest ? problem->delay[j] : longest;
        plan->start[v] = start + longest;
        time = flux_plan_end(plan, problem, v);
    }
    flux_plan_measure(plan, problem);
}

static void judge_plan(const struct random_problem *random, const struct flux_graph *graph,
                       const struct flux_fabric *fabric, const struct flux_problem *problem,
                       const struct flux_plan *plan)
{
    struct flux_slot slots[RANDOM_VERTICES_MAX];
    struct flux_error error = {0};
    uint64_t count = 0;
    int64_t makespan;
    for (uint32_t v = 0; v < problem->nodes; v++)
        if (flux_problem_is_send(problem, v))
            slots[count++] = (struct flux_slot){problem->vertex[v], plan->switch_of[v], plan->start[v],
                                                flux_plan_end(plan, problem, v)};
    int rc = flux_check(graph, fabric, slots, count, &makespan, &error);
    if (rc || makespan != plan->makespan) {
        random_problem_print(random);
        fail_msg("the plan of %" PRId64 " is none: %s", plan->makespan, error.text);
    }
}

/* Stopped anywhere: no bound above the optimum, no plan below it. Turns of one dead end, so that it goes upwards at
 * once; from the best plan that there is, for otherwise it is over too soon. */
static void judge_stopped(const struct random_problem *random, const struct flux_problem *problem,
                          struct flux_control *control, int64_t optimum, const struct flux_plan *best,
                          struct tally *tally)
{
    struct flux_prove_answer answer;
    struct flux_arena arena;
    struct flux_plan plan;
    flux_arena_init(&arena, control->memory);
    assert_int_equal(flux_plan_alloc(&plan, problem, &arena), FLUX_OK);
    for (uint32_t steps = 64; steps <= 4096; steps *= 2) {
        struct flux_prove_limits limits = {.steps = steps, .deadline_ns = UINT64_MAX, .turn = 1};
        flux_plan_copy(&plan, best, problem);
        assert_int_equal(flux_prove(problem, control, &limits, 0, &plan, &answer), FLUX_OK);
        if (answer.bound > optimum || plan.makespan != optimum || answer.proven != (answer.bound == optimum)) {
            random_problem_print(random);
            fail_msg("after %" PRIu32 " steps: makespan %" PRId64 ", bound %" PRId64 ", optimum %" PRId64, steps,
                     plan.makespan, answer.bound, optimum);
        }
        tally->stopped += !answer.proven;
        tally->raised += !answer.proven && answer.bound > 0;
    }
    flux_arena_free(&arena);
}

/* Parts of two and three sends, and a few more where they are searched to the end: every plan on the way is one. */
static void judge_parts(const struct random_problem *random, const struct flux_graph *graph,
                        const struct flux_fabric *fabric, const struct flux_problem *problem,
                        struct flux_control *control, int64_t optimum, struct tally *tally)
{
    struct flux_stretches stretches = {{random->seed}, {3, 2}, {0, 0}, 0, 0, 0};
    struct flux_arena arena;
    struct flux_plan plan;
    flux_arena_init(&arena, control->memory);
    assert_int_equal(flux_plan_alloc(&plan, problem, &arena), FLUX_OK);
    queue_up(problem, &plan);
    for (uint32_t i = 0; i < 16; i++) {
        int64_t before = plan.makespan;
        assert_int_equal(flux_stretches_improve(problem, control, 1, UINT64_MAX, optimum, &plan, &stretches), FLUX_OK);
        if (plan.makespan < optimum || plan.makespan > before) {
            random_problem_print(random);
            fail_msg("part %" PRIu32 ": %" PRId64 " to %" PRId64 ", optimum %" PRId64, i, before, plan.makespan,
                     optimum);
        }
        if (plan.makespan < before)
            judge_plan(random, graph, fabric, problem, &plan);
    }
    tally->parts += stretches.improved;
    tally->met += plan.makespan == optimum;
    flux_arena_free(&arena);
}

static void judge(const struct random_problem *random, const struct flux_graph *graph, const struct flux_fabric *fabric,
                  int64_t optimum, struct tally *tally)
{
    struct flux_memory memory;
    struct flux_arena arena;
    struct flux_problem *problem;
    struct flux_control control;
    struct flux_plan plan;
    struct flux_prove_answer answer;
    const struct flux_prove_limits endless = {UINT64_MAX, UINT64_MAX, 0};
    const struct flux_options options = FLUX_OPTIONS_INIT;
    assert_int_equal(flux_memory_init(&memory, NULL), FLUX_OK);
    assert_int_equal(flux_problem_build(graph, fabric, &memory, &problem, NULL), FLUX_OK);
    flux_arena_init(&arena, &memory);
    flux_control_begin(&control, &memory, &options);
    assert_int_equal(flux_plan_alloc(&plan, problem, &arena), FLUX_OK);
    queue_up(problem, &plan);
    int64_t first = plan.makespan;
    assert_int_equal(flux_prove(problem, &control, &endless, 0, &plan, &answer), FLUX_OK);
    if (plan.makespan != optimum || !answer.proven || (optimum > 0 && answer.bound != optimum) ||
        answer.improved != (first > optimum)) {
        random_problem_print(random);
        fail_msg("from %" PRId64 " to %" PRId64 ", bound %" PRId64 ", optimum %" PRId64, first, plan.makespan,
                 answer.bound, optimum);
    }
    judge_plan(random, graph, fabric, problem, &plan);
    tally->improved += (uint32_t)answer.improved;
    tally->conflicts += answer.conflicts;
    /* Is there something at the optimum, if nobody has a plan for it? And below? */
    plan.makespan = optimum + 1;
    assert_int_equal(flux_prove(problem, &control, &endless, optimum, &plan, &answer), FLUX_OK);
    assert_int_equal(plan.makespan, optimum);
    assert_int_equal(flux_prove(problem, &control, &endless, 0, &plan, &answer), FLUX_OK);
    assert_true(optimum == 0 || (answer.bound == optimum && !answer.improved));
    judge_stopped(random, problem, &control, optimum, &plan, tally);
    judge_parts(random, graph, fabric, problem, &control, optimum, tally);
    flux_arena_free(&arena);
    flux_problem_free(problem);
}

static uint32_t all_stopped;

static void judge_many(const char *name, uint32_t rule, uint32_t parameters, uint32_t problems, uint64_t seed)
{
    struct tally tally = {0};
    uint32_t count = random_problem_count(problems);
    for (uint32_t i = 0; i < count; i++) {
        struct random_problem random;
        struct flux_graph *graph;
        struct flux_fabric *fabric;
        struct random_options options = {rule, parameters, 3, i % 16 ? 6 : 7, 0, 0};
        int64_t optimum;
        random_problem(&random, seed + i, &options);
        if (i % 3 == 0 && random.gpus >= 3)
            random_problem_layers(&random, 6);
        assert_int_equal(random_problem_build(&random, NULL, &graph, &fabric), FLUX_OK);
        tally.problems++;
        if (brute_force(graph, fabric, 20000000, &optimum, NULL) == 0) {
            tally.feasible++;
            judge(&random, graph, fabric, optimum, &tally);
        }
        flux_graph_free(graph);
        flux_fabric_free(fabric);
    }
    print_message("%-18s %6" PRIu32 " problems: improved %" PRIu32 ", %" PRIu64 " dead ends; stopped %" PRIu32
                  ", %" PRIu32 " with a bound; %" PRIu64 " parts, %" PRIu32 " optima by them\n",
                  name, tally.problems, tally.improved, tally.conflicts, tally.stopped, tally.raised, tally.parts,
                  tally.met);
    assert_true(tally.improved > tally.feasible / 4);
    assert_true(tally.conflicts > tally.feasible / 4);
    all_stopped += tally.stopped;
    assert_true(tally.parts > tally.feasible / 2);
}

static void each_rule(void **state)
{
    (void)state;
    judge_many("paper", FLUX_RULE_PAPER, 0, 10000, 11000000);
    judge_many("duplex", FLUX_RULE_DUPLEX, 0, 10000, 11100000);
    judge_many("simplex", FLUX_RULE_SIMPLEX, 0, 10000, 11200000);
    assert_true(all_stopped > 0);
}

/* Everything but blocking and dwell, which it leaves alone. */
static void mixed_parameters(void **state)
{
    static const char *const names[] = {"mixed, paper", "mixed, duplex", "mixed, simplex"};
    const uint32_t decided = RANDOM_ALL & ~(RANDOM_BLOCKING | RANDOM_DWELL);
    (void)state;
    for (uint32_t rule = 0; rule < 3; rule++) {
        judge_many(names[rule], rule, decided, 4000, 11300000 + rule * 10000);
        for (uint32_t bit = 1; bit < RANDOM_BLOCKING; bit *= 2)
            judge_many("one of them", rule, bit, 1000, 11400000 + rule * 10000 + bit * 100000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_rule),
        cmocka_unit_test(mixed_parameters),
    };
    return cmocka_run_group_tests_name("prove", tests, NULL, NULL);
}
