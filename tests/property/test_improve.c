/* SPDX-License-Identifier: Apache-2.0
 *
 * Local search on random problems and on rings: what comes out is a schedule by the pairwise rules, never longer than
 * what went in nor shorter than the optimum, gets shorter step by step, and is the same for any number of threads and
 * for the same work again. And the rounds that it places: every send once, none of a round competing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "search/batches.h"
#include "search/construct.h"
#include "search/improve.h"

#include "../support/brute_force.h"
#include "../support/pairwise.h"
#include "../support/random_problem.h"
#include "../support/rings.h"

#include <stdio.h>
#include <string.h>

struct world {
    struct flux_memory memory;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_problem *problem;
    struct flux_arena arena;
    struct flux_plan plan;
    struct flux_plan again;
    struct flux_slot *slots;
    int64_t last; /* makespan that progress told */
};

static void open_world(struct world *world)
{
    struct flux_error error;
    assert_int_equal(flux_memory_init(&world->memory, NULL), 0);
    if (flux_problem_build(world->graph, world->fabric, &world->memory, &world->problem, &error))
        fail_msg("%s", error.text);
    flux_arena_init(&world->arena, &world->memory);
    assert_int_equal(flux_plan_alloc(&world->plan, world->problem, &world->arena), 0);
    assert_int_equal(flux_plan_alloc(&world->again, world->problem, &world->arena), 0);
    world->slots = flux_arena_alloc(&world->arena, world->problem->sends, sizeof *world->slots);
}

static void close_world(struct world *world)
{
    flux_arena_free(&world->arena);
    flux_problem_free(world->problem);
    flux_graph_free(world->graph);
    flux_fabric_free(world->fabric);
}

static void check_schedule(struct world *world, const struct flux_plan *plan)
{
    const struct flux_problem *problem = world->problem;
    uint32_t count = 0;
    int64_t makespan;
    char why[PAIRWISE_TEXT];
    for (uint32_t v = 0; v < problem->nodes; v++) {
        uint32_t k = plan->switch_of[v];
        if (flux_problem_is_send(problem, v))
            world->slots[count++] = (struct flux_slot){problem->vertex[v], k, plan->start[v],
                                                       plan->start[v] + flux_problem_duration(problem, v, k)};
    }
    if (!pairwise_check(world->graph, world->fabric, world->slots, count, &makespan, why))
        fail_msg("%s", why);
    assert_int_equal(makespan, plan->makespan);
}

static int falls(void *user, const struct flux_progress *progress)
{
    struct world *world = user;
    assert_true(progress->makespan <= world->last);
    world->last = progress->makespan;
    return 0;
}

/* From the schedule by latest start. Returns what was placed. */
static uint64_t improve(struct world *world, uint32_t threads, uint64_t work, uint64_t seed, struct flux_plan *plan)
{
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_control control;
    struct flux_improve_limits limits = {work, UINT64_MAX, NULL, NULL, NULL, NULL, NULL};
    uint64_t constructions = 0;
    options.threads = threads;
    options.seed = seed;
    options.progress = falls;
    options.progress_user = world;
    assert_int_equal(flux_construct(world->problem, FLUX_SEARCH_LATEST_START, 0, plan), 0);
    int64_t before = plan->makespan;
    flux_control_begin(&control, &world->memory, &options);
    world->last = control.makespan = before;
    control.bound = -1; /* never good enough */
    assert_int_equal(flux_improve(world->problem, &control, &limits, plan, &constructions), 0);
    assert_true(plan->makespan <= before);
    assert_int_equal(control.makespan, plan->makespan);
    check_schedule(world, plan);
    return control.work;
}

static void check_same(struct world *world, uint32_t threads, uint64_t work, uint64_t seed, uint64_t placed)
{
    const struct flux_problem *problem = world->problem;
    assert_int_equal(improve(world, threads, work, seed, &world->again), placed);
    assert_int_equal(world->plan.makespan, world->again.makespan);
    assert_memory_equal(world->plan.start, world->again.start, problem->nodes * sizeof *world->plan.start);
    assert_memory_equal(world->plan.switch_of, world->again.switch_of, problem->nodes * sizeof *world->plan.switch_of);
}

/* Competing circuits of one round would have to wait for each other. */
static void check_rounds(struct world *world)
{
    const struct flux_problem *p = world->problem;
    struct flux_batches batches;
    uint32_t sends = 0;
    assert_int_equal(flux_batches_make(p, &world->arena, &batches), 0);
    assert_int_equal(batches.class_first[batches.classes], batches.count);
    assert_int_equal(batches.first[batches.count], batches.rounds);
    assert_int_equal(batches.round_first[batches.rounds], p->sends);
    for (uint32_t v = 0; v < p->nodes; v++)
        assert_int_equal(batches.of[v] == FLUX_NONE, !flux_problem_is_send(p, v));
    for (uint32_t b = 0; b < batches.count; b++)
        for (uint32_t r = batches.first[b]; r < batches.first[b + 1]; r++)
            for (uint32_t i = batches.round_first[r]; i < batches.round_first[r + 1]; i++, sends++) {
                uint32_t v = batches.send[i];
                assert_int_equal(batches.of[v], b);
                for (uint32_t j = batches.round_first[r]; j < i; j++) {
                    uint32_t w = batches.send[j];
                    assert_true(p->head[v] == p->head[w] && p->tail[v] == p->tail[w] &&
                                p->duration[v] == p->duration[w]);
                    assert_true(p->circuit[v] == p->circuit[w] ||
                                flux_separation(p->rule, p->src[v], p->dst[v], p->src[w], p->dst[w], 1) < 0);
                }
            }
    assert_int_equal(sends, p->sends);
}

static void small_problems(void **state)
{
    uint32_t count = random_problem_count(800), optimal = 0, judged = 0;
    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        struct random_options options = {i % 3, i & 16 ? RANDOM_ALL : 1u << i / 3 % 8, 1, 6, 0, 0};
        struct random_problem problem;
        struct world world;
        int64_t optimum;
        random_problem(&problem, 300000 + i, &options);
        assert_int_equal(random_problem_build(&problem, NULL, &world.graph, &world.fabric), 0);
        open_world(&world);
        check_rounds(&world);
        uint64_t placed = improve(&world, 1, 3000, i, &world.plan);
        check_same(&world, 1 + i % 4, 3000, i, placed);
        if (!world.problem->staged && brute_force(world.graph, world.fabric, 2000000, &optimum, NULL) == 0) {
            assert_true(world.plan.makespan >= optimum);
            optimal += world.plan.makespan == optimum;
            judged++;
        }
        close_world(&world);
    }
    printf("local search: %.1f %% of %u small problems are optimal\n", 100.0 * optimal / judged, judged);
    assert_true(judged > count / 4 && optimal >= judged / 10 * 9);
}

/* Rings, where every thread has something to do; and less work is a part of more work. */
static void rings(void **state)
{
    (void)state;
    for (uint32_t rule = 0; rule < 3; rule++) {
        struct world world;
        assert_int_equal(flux_graph_new(NULL, 8, &world.graph), 0);
        assert_int_equal(flux_fabric_new(NULL, 8, 1 + rule, &world.fabric), 0);
        assert_int_equal(flux_fabric_set_rule(world.fabric, rule), 0);
        assert_int_equal(flux_fabric_set_delay(world.fabric, FLUX_ALL_SWITCHES, 1000 * FLUX_US), 0);
        (void)rings_generate(world.graph, 4, 1200);
        open_world(&world);
        check_rounds(&world);
        uint64_t placed = improve(&world, 1, 200000, 1, &world.plan);
        for (uint32_t threads = 2; threads <= 8; threads *= 2)
            check_same(&world, threads, 200000, 1, placed);
        improve(&world, 2, 50000, 1, &world.again);
        assert_true(world.plan.makespan <= world.again.makespan);
        close_world(&world);
    }
}

/* An all-to-all among equals: as many rounds as a port has circuits, under every rule and for odd groups too. */
static void rounds_of_all_to_all(void **state)
{
    (void)state;
    for (uint32_t rule = 0; rule < 3; rule++)
        for (uint32_t gpus = 3; gpus <= 17; gpus++) {
            struct world world;
            struct flux_batches batches;
            assert_int_equal(flux_graph_new(NULL, gpus, &world.graph), 0);
            assert_int_equal(flux_fabric_new(NULL, gpus, 2, &world.fabric), 0);
            assert_int_equal(flux_fabric_set_rule(world.fabric, rule), 0);
            for (uint32_t a = 0; a < gpus; a++)
                for (uint32_t b = 0; b < gpus; b++)
                    if (a != b)
                        assert_int_equal(flux_graph_add_send(world.graph, a, b, 1000, NULL), 0);
            open_world(&world);
            check_rounds(&world);
            assert_int_equal(flux_batches_make(world.problem, &world.arena, &batches), 0);
            uint32_t matchings = gpus % 2 ? gpus : gpus - 1;
            assert_int_equal(batches.count, 1);
            assert_int_equal(batches.rounds, rule == FLUX_RULE_SIMPLEX  ? gpus - 1
                                             : rule == FLUX_RULE_DUPLEX ? matchings
                                                                        : 2 * matchings);
            close_world(&world);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_of_all_to_all),
        cmocka_unit_test(small_problems),
        cmocka_unit_test(rings),
    };
    return cmocka_run_group_tests_name("improve", tests, NULL, NULL);
}
