/* SPDX-License-Identifier: Apache-2.0
 *
 * Symmetry that was planted is found, and what is said to be symmetry is: every map is judged here again from the arcs
 * alone, and every schedule of a folded problem, unfolded, is one by the pairwise rules and no longer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "search/construct.h"
#include "solve/solving.h"
#include "symmetry/quotient.h"

#include "../support/pairwise.h"
#include "../support/random_problem.h"
#include "../support/replicas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct world {
    struct replicas shape;
    struct flux_memory memory;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_problem *problem;
    struct flux_arena arena;
    struct flux_generators generators;
    struct flux_cover cover;
};

static void build(struct world *world)
{
    struct flux_error error;
    assert_int_equal(flux_memory_init(&world->memory, NULL), 0);
    if (flux_problem_build(world->graph, world->fabric, &world->memory, &world->problem, &error))
        fail_msg("%s", error.text);
    flux_arena_init(&world->arena, &world->memory);
}

static void find(struct world *world)
{
    assert_int_equal(flux_generators_find(world->problem, &world->arena, &world->generators), 0);
    assert_int_equal(flux_cover_find(world->problem, &world->generators, &world->arena, &world->cover), 0);
}

static void open_world(struct world *world, uint64_t seed, uint32_t rule)
{
    replicas_make(&world->shape, seed, rule, &world->graph, &world->fabric);
    build(world);
}

static void close_world(struct world *world)
{
    flux_arena_free(&world->arena);
    flux_problem_free(world->problem);
    flux_graph_free(world->graph);
    flux_fabric_free(world->fabric);
}

/* ---- what an automorphism is, the slow way ---- */

static int has_arc(const struct flux_problem *p, uint32_t from, uint32_t to, int64_t lag)
{
    for (uint64_t i = p->out_first[from]; i < p->out_first[from + 1]; i++)
        if (p->out[i].node == to && p->out[i].lag == lag)
            return 1;
    return 0;
}

static int is_automorphism(const struct flux_problem *p, const struct flux_automorphism *map)
{
    for (uint32_t g = 0; g < p->gpus; g++)
        for (uint32_t h = 0; h <= g; h++)
            if (map->gpu[g] >= p->gpus || (h < g && map->gpu[g] == map->gpu[h]))
                return 0;
    for (uint32_t v = 0; v < p->nodes; v++) {
        uint32_t w = map->node[v];
        for (uint32_t u = 0; u <= v; u++)
            if (w >= p->nodes || (u < v && map->node[u] == w))
                return 0;
        if (p->duration[v] != p->duration[w] || p->release[v] != p->release[w] || p->rest[v] != p->rest[w])
            return 0;
        if ((p->src[v] == FLUX_NONE) != (p->src[w] == FLUX_NONE))
            return 0;
        if (p->src[v] != FLUX_NONE && (map->gpu[p->src[v]] != p->src[w] || map->gpu[p->dst[v]] != p->dst[w]))
            return 0;
        for (uint64_t i = p->out_first[v]; i < p->out_first[v + 1]; i++)
            if (!has_arc(p, w, map->node[p->out[i].node], p->out[i].lag))
                return 0;
    }
    return 1; /* injective on arcs, and there are as many */
}

/* ---- plans ---- */

static void check_schedule(struct world *world, const struct flux_plan *plan)
{
    const struct flux_problem *problem = world->problem;
    struct flux_slot *slots = malloc((problem->sends + 1) * sizeof *slots);
    char why[PAIRWISE_TEXT];
    uint32_t count = 0;
    int64_t makespan;
    assert_non_null(slots);
    for (uint32_t v = 0; v < problem->nodes; v++)
        if (flux_problem_is_send(problem, v))
            slots[count++] = (struct flux_slot){problem->vertex[v], plan->switch_of[v], plan->start[v],
                                                flux_plan_end(plan, problem, v)};
    if (!pairwise_check(world->graph, world->fabric, slots, count, &makespan, why))
        fail_msg("%s", why);
    assert_int_equal(makespan, plan->makespan);
    free(slots);
}

/* A plan of what `cover` leaves, with every start as it is: it must be a schedule of the whole before any repair. */
static void check_cover(struct world *world, const struct flux_cover *cover, uint64_t seed)
{
    struct flux_problem *folded;
    struct flux_plan small, plan;
    assert_int_equal(flux_quotient_build(world->problem, cover, &folded), 0);
    assert_int_equal(flux_plan_alloc(&small, folded, &world->arena), 0);
    assert_int_equal(flux_plan_alloc(&plan, world->problem, &world->arena), 0);
    assert_int_equal(flux_construct(folded, FLUX_SEARCH_LATEST_START + (uint32_t)(seed % 5), seed, &small), 0);
    for (uint32_t v = 0; v < world->problem->nodes; v++) {
        plan.switch_of[v] = small.switch_of[cover->node[v]];
        plan.start[v] = small.start[cover->node[v]];
        assert_int_equal(folded->head[cover->node[v]], world->problem->head[v]);
    }
    flux_plan_measure(&plan, world->problem);
    assert_int_equal(plan.makespan, small.makespan);
    check_schedule(world, &plan);
    assert_int_equal(flux_quotient_unfold(world->problem, cover, &small, &plan), 0);
    assert_true(plan.makespan <= small.makespan);
    check_schedule(world, &plan);
    flux_problem_free(folded);
}

static void planted(void **state)
{
    uint32_t count = random_problem_count(3000), maps = 0, folds = 0, rings = 0, ring_folds = 0;
    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        struct world world;
        open_world(&world, i, i % 3);
        find(&world);
        for (uint32_t m = 0; m < world.generators.count; m++)
            assert_true(is_automorphism(world.problem, &world.generators.map[m]));
        int fold = world.cover.nodes < world.problem->nodes;
        if (fold)
            check_cover(&world, &world.cover, i);
        maps += world.generators.count > 0;
        folds += (uint32_t)fold;
        if (world.shape.rings && world.shape.copies % 4 == 0) {
            rings++;
            ring_folds += (uint32_t)fold;
        }
        close_world(&world);
    }
    printf("of %u problems with symmetry: found in %u, folded %u; of %u with rings of 4 or 8 folded %u\n", count, maps,
           folds, rings, ring_folds);
    assert_true(maps >= count / 2 && ring_folds >= rings / 3);
}

/* One send takes longer: whatever is still found keeps it in its place; all sends different: nothing is found. */
static void perturbed(void **state)
{
    uint32_t count = random_problem_count(1500);
    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        struct world world;
        struct flux_random random = {i};
        open_world(&world, i, i % 3);
        uint32_t vertices = flux_graph_vertices(world.graph), odd = flux_random_below(&random, vertices + 1);
        flux_problem_free(world.problem);
        for (uint32_t v = 0; v < vertices; v++)
            if (flux_graph_is_send(world.graph, v) && (i % 2 || v == odd))
                assert_int_equal(flux_graph_set_duration(world.graph, v, 20 + v), 0);
        build(&world);
        find(&world);
        const struct flux_problem *problem = world.problem;
        for (uint32_t m = 0; m < world.generators.count; m++) {
            const struct flux_automorphism *map = &world.generators.map[m];
            assert_true(is_automorphism(problem, map));
            for (uint32_t v = 0; v < problem->nodes; v++)
                if (flux_problem_is_send(problem, v) && problem->duration[v] >= 20)
                    assert_int_equal(map->node[v], v);
        }
        assert_true(i % 2 == 0 || problem->sends == 0 || world.generators.count == 0);
        if (world.cover.nodes < problem->nodes)
            check_cover(&world, &world.cover, i);
        close_world(&world);
    }
}

/* Maps and classes that are wrong in one place: both judges agree, and whatever passes as a cover unfolds. */
static void liars(void **state)
{
    uint32_t count = random_problem_count(3000), wrong = 0, right = 0, passed = 0;
    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        struct world world;
        struct flux_random random = {i};
        int holds;
        open_world(&world, i, i % 3);
        find(&world);
        const struct flux_problem *problem = world.problem;
        if (problem->nodes == 0) {
            close_world(&world);
            continue;
        }
        uint32_t v = flux_random_below(&random, problem->nodes), w = flux_random_below(&random, problem->nodes);
        for (uint32_t m = 0; m < world.generators.count; m++) {
            struct flux_automorphism *map = &world.generators.map[m];
            uint32_t swap = map->node[v];
            map->node[v] = map->node[w];
            map->node[w] = i % 5 ? swap : map->node[w];
            assert_int_equal(flux_automorphism_holds(problem, map, &world.arena, &holds), 0);
            assert_int_equal(holds, is_automorphism(problem, map));
            wrong += (uint32_t)!holds;
            right += (uint32_t)holds;
        }
        struct flux_cover *cover = &world.cover;
        if (i % 2)
            cover->node[v] = cover->node[w];
        else
            cover->gpu[flux_random_below(&random, problem->gpus)] = flux_random_below(&random, cover->gpus);
        assert_int_equal(flux_cover_holds(problem, cover, &world.arena, &holds), 0);
        if (holds)
            check_cover(&world, cover, i);
        passed += (uint32_t)holds;
        close_world(&world);
    }
    printf("maps with a mistake: %u wrong, %u right all the same; covers %u of %u\n", wrong, right, passed, count);
    assert_true(wrong > count / 4 && right > 0 && passed < count);
}

/* ---- the stage of flux_schedule() ---- */

static void begin_solving(struct world *world, struct flux_solving *solving)
{
    const struct flux_options options = FLUX_OPTIONS_INIT;
    memset(solving, 0, sizeof *solving);
    solving->graph = world->graph;
    solving->fabric = world->fabric;
    solving->memory = world->memory;
    solving->problem = world->problem;
    solving->options = options;
    flux_arena_init(&solving->arena, &solving->memory);
    flux_control_begin(&solving->control, &solving->memory, &solving->options);
    assert_int_equal(flux_bound_find(solving->problem, &solving->bound), 0);
    assert_int_equal(flux_plan_alloc(&solving->plan, solving->problem, &solving->arena), 0);
    assert_int_equal(flux_construct(solving->problem, FLUX_SEARCH_APPEND, 0, &solving->plan), 0);
    solving->control.makespan = solving->plan.makespan;
    solving->control.bound = solving->bound.bound;
}

/* Never longer, a schedule, and the same again for more threads. */
static void stage(void **state)
{
    uint32_t count = random_problem_count(60), shorter = 0;
    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        struct world world;
        struct flux_solving once, again;
        open_world(&world, i, i % 3);
        begin_solving(&world, &once);
        begin_solving(&world, &again);
        again.options.threads = 3;
        int64_t before = once.plan.makespan;
        assert_int_equal(flux_folded_improve(&once), 0);
        assert_int_equal(flux_folded_improve(&again), 0);
        assert_true(once.plan.makespan <= before && once.plan.makespan >= once.bound.bound);
        assert_int_equal(once.control.makespan, once.plan.makespan);
        check_schedule(&world, &once.plan);
        assert_int_equal(once.control.work, again.control.work);
        assert_memory_equal(once.plan.start, again.plan.start, world.problem->nodes * sizeof *once.plan.start);
        assert_memory_equal(once.plan.switch_of, again.plan.switch_of,
                            world.problem->nodes * sizeof *once.plan.switch_of);
        shorter += once.plan.makespan < before;
        flux_arena_free(&once.arena);
        flux_arena_free(&again.arena);
        close_world(&world);
    }
    printf("%u of %u schedules are shorter after folding\n", shorter, count);
    assert_true(count < 10 || shorter > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted),
        cmocka_unit_test(perturbed),
        cmocka_unit_test(liars),
        cmocka_unit_test(stage),
    };
    return cmocka_run_group_tests_name("symmetry", tests, NULL, NULL);
}
