/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies of random problems, and rings, in lockstep: every plan of the smaller problem, be it by insertion or by beam, is
 * a schedule of the whole by the pairwise rules, no longer; the smaller problem has the heads and tails of the whole.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "search/beam.h"
#include "search/construct.h"
#include "search/lockstep.h"

#include "../support/pairwise.h"
#include "../support/random_problem.h"
#include "../support/rings.h"

#include <stdio.h>

#define COPIES 3u

struct world {
    struct flux_memory memory;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_problem *problem;
    struct flux_arena arena;
    struct flux_batches batches;
    struct flux_lockstep lockstep;
    struct flux_plan unfolded;
};

static void open_world(struct world *world)
{
    struct flux_error error;
    assert_int_equal(flux_memory_init(&world->memory, NULL), 0);
    if (flux_problem_build(world->graph, world->fabric, &world->memory, &world->problem, &error))
        fail_msg("%s", error.text);
    flux_arena_init(&world->arena, &world->memory);
    assert_int_equal(flux_batches_make(world->problem, &world->arena, &world->batches), 0);
    assert_int_equal(flux_lockstep_make(world->problem, &world->batches, &world->lockstep), 0);
    assert_int_equal(flux_plan_alloc(&world->unfolded, world->problem, &world->arena), 0);
}

static void close_world(struct world *world)
{
    flux_lockstep_free(&world->lockstep);
    flux_arena_free(&world->arena);
    flux_problem_free(world->problem);
    flux_graph_free(world->graph);
    flux_fabric_free(world->fabric);
}

static void check_unfolded(struct world *world, const struct flux_plan *plan)
{
    const struct flux_problem *problem = world->problem;
    struct flux_slot *slots = flux_arena_alloc(&world->arena, problem->sends, sizeof *slots);
    uint32_t count = 0;
    int64_t makespan;
    char why[PAIRWISE_TEXT];
    assert_int_equal(flux_lockstep_unfold(&world->lockstep, problem, plan, &world->unfolded), 0);
    for (uint32_t v = 0; v < problem->nodes; v++) {
        uint32_t k = world->unfolded.switch_of[v];
        if (flux_problem_is_send(problem, v))
            slots[count++] = (struct flux_slot){problem->vertex[v], k, world->unfolded.start[v],
                                                world->unfolded.start[v] + flux_problem_duration(problem, v, k)};
    }
    if (!pairwise_check(world->graph, world->fabric, slots, count, &makespan, why))
        fail_msg("%s", why);
    assert_int_equal(makespan, world->unfolded.makespan);
    if (!problem->initials)
        assert_true(makespan <= plan->makespan);
}

/* Longest paths over the smaller problem's own arcs. */
static void check_times(const struct world *world)
{
    const struct flux_problem *small = &world->lockstep.problem;
    for (uint32_t v = 0; v < small->nodes; v++) {
        int64_t head = small->release[v];
        for (uint64_t i = small->in_first[v]; i < small->in_first[v + 1]; i++) {
            uint32_t u = small->in[i].node;
            assert_true(u < v);
            int64_t ready = small->head[u] + small->duration[u] + small->in[i].lag;
            head = ready > head ? ready : head;
        }
        assert_int_equal(head, small->head[v]);
    }
    for (uint32_t v = small->nodes; v-- > 0;) {
        int64_t tail = small->rest[v];
        for (uint64_t i = small->out_first[v]; i < small->out_first[v + 1]; i++) {
            uint32_t w = small->out[i].node;
            int64_t after = small->out[i].lag + small->duration[w] + small->tail[w];
            tail = after > tail ? after : tail;
        }
        assert_int_equal(tail, small->tail[v]);
    }
    for (uint32_t v = 0; v < world->problem->nodes; v++) {
        uint32_t node = world->lockstep.node[v];
        assert_true(small->head[node] == world->problem->head[v] && small->tail[node] == world->problem->tail[v] &&
                    small->duration[node] == world->problem->duration[v]);
    }
}

/* Returns 1 where there is something in lockstep. */
static int try_all(struct world *world, uint32_t width)
{
    struct flux_problem *small = &world->lockstep.problem;
    struct flux_plan plan;
    if (small->nodes == 0)
        return 0;
    assert_true(small->sends < world->problem->sends);
    check_times(world);
    assert_int_equal(flux_plan_alloc(&plan, small, &world->arena), 0);
    for (uint32_t rule = FLUX_SEARCH_LATEST_START; rule <= FLUX_SEARCH_BACKWARD; rule++) {
        assert_int_equal(flux_construct(small, rule, 0, &plan), 0);
        check_unfolded(world, &plan);
    }
    for (int by = FLUX_BEAM_BY_END; by <= FLUX_BEAM_BY_BOTH; by++) {
        struct flux_run run = {.problem = small, .arena = &world->arena};
        assert_int_equal(flux_run_beam(&run, small->tail, width, by, &plan), 0);
        flux_plan_measure(&plan, small);
        check_unfolded(world, &plan);
    }
    return 1;
}

static void add_copy(struct flux_graph *graph, const struct random_problem *problem, uint32_t copy)
{
    uint32_t gpu = copy * problem->gpus, vertex = copy * problem->vertices;
    for (uint32_t i = 0; i < problem->vertices; i++) {
        const struct random_vertex *v = &problem->vertex[i];
        struct flux_send send = {gpu + v->src, gpu + v->dst, v->bytes, v->duration, v->release};
        struct flux_compute compute = {gpu + v->src, 0, v->duration, v->release};
        assert_int_equal(v->send ? flux_graph_add_sends(graph, &send, 1, sizeof send, NULL, NULL)
                                 : flux_graph_add_computes(graph, &compute, 1, sizeof compute, NULL, NULL),
                         0);
    }
    for (uint32_t i = 0; i < problem->edges; i++)
        assert_int_equal(flux_graph_add_edge(graph, vertex + problem->edge[i].from, vertex + problem->edge[i].to,
                                             problem->edge[i].lag),
                         0);
}

static void copies(void **state)
{
    uint32_t count = random_problem_count(6000), folded = 0;
    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        struct random_options options = {i % 3, i & 8 ? RANDOM_DELAYS : 0, 1, 8, 0, 0};
        struct random_problem problem;
        struct world world;
        random_problem(&problem, 700000 + i, &options);
        assert_int_equal(flux_graph_new(NULL, COPIES * problem.gpus, &world.graph), 0);
        assert_int_equal(flux_fabric_new(NULL, COPIES * problem.gpus, problem.switches, &world.fabric), 0);
        assert_int_equal(flux_fabric_set_rule(world.fabric, problem.rule), 0);
        for (uint32_t k = 0; k < problem.switches; k++)
            assert_int_equal(flux_fabric_set_delay(world.fabric, k, problem.delay[k]), 0);
        for (uint32_t c = 0; c < COPIES; c++)
            add_copy(world.graph, &problem, c);
        if (i & 16) /* up at first at one of them */
            assert_int_equal(flux_fabric_add_initial(world.fabric, 0, 0, 1), 0);
        open_world(&world);
        folded += (uint32_t)try_all(&world, 1 + i % 7);
        close_world(&world);
    }
    printf("in lockstep: %u of %u problems\n", folded, count);
    assert_true(folded >= count / 2);
}

static void rings(void **state)
{
    (void)state;
    for (uint32_t rule = 0; rule < 3; rule++)
        for (uint32_t switches = 1; switches <= 3; switches++)
            for (uint32_t ring = 2; ring <= 8; ring *= 2) {
                struct world world;
                assert_int_equal(flux_graph_new(NULL, 16, &world.graph), 0);
                assert_int_equal(flux_fabric_new(NULL, 16, switches, &world.fabric), 0);
                assert_int_equal(flux_fabric_set_rule(world.fabric, rule), 0);
                assert_int_equal(flux_fabric_set_delay(world.fabric, FLUX_ALL_SWITCHES, 300 * FLUX_US), 0);
                (void)rings_generate(world.graph, ring, 1500);
                open_world(&world);
                assert_true(try_all(&world, 8));
                close_world(&world);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies),
        cmocka_unit_test(rings),
    };
    return cmocka_run_group_tests_name("lockstep", tests, NULL, NULL);
}
