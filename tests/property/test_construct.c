/* SPDX-License-Identifier: Apache-2.0
 *
 * Every rule on random problems: what comes out is a schedule by the pairwise rules, no send could start earlier, the
 * same comes out again, and insertion and dispatch do what they say when compared with doing it send by send.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "search/construct.h"

#include "../support/pairwise.h"
#include "../support/random_problem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
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
    struct flux_time *times;
    char what[80]; /* for messages */
};

static void open_world(struct world *world)
{
    struct flux_error error;
    int rc = flux_problem_build(world->graph, world->fabric, &world->memory, &world->problem, &error);
    if (rc)
        fail_msg("%s: %s", world->what, error.text);
    flux_arena_init(&world->arena, &world->memory);
    assert_int_equal(flux_plan_alloc(&world->plan, world->problem, &world->arena), 0);
    assert_int_equal(flux_plan_alloc(&world->again, world->problem, &world->arena), 0);
    world->slots = flux_arena_alloc(&world->arena, world->problem->sends, sizeof *world->slots);
    world->times = flux_arena_alloc(&world->arena, world->problem->vertices, sizeof *world->times);
}

static void close_world(struct world *world)
{
    flux_arena_free(&world->arena);
    flux_problem_free(world->problem);
    flux_graph_free(world->graph);
    flux_fabric_free(world->fabric);
}

/* The plan as slots, which are a schedule with the plan's makespan. */
static void check_schedule(struct world *world)
{
    const struct flux_problem *problem = world->problem;
    uint32_t count = 0;
    int64_t makespan;
    char why[PAIRWISE_TEXT];
    for (uint32_t v = 0; v < problem->nodes; v++) {
        if (!flux_problem_is_send(problem, v)) {
            assert_int_equal(world->plan.switch_of[v], FLUX_NONE);
            continue;
        }
        uint32_t k = world->plan.switch_of[v];
        assert_true(k < problem->switches);
        world->slots[count++] = (struct flux_slot){problem->vertex[v], k, world->plan.start[v],
                                                   world->plan.start[v] + flux_problem_duration(problem, v, k)};
    }
    assert_int_equal(count, problem->sends);
    if (!pairwise_check(world->graph, world->fabric, world->slots, count, &makespan, why))
        fail_msg("%s: %s", world->what, why);
    if (makespan != world->plan.makespan)
        fail_msg("%s: makespan %" PRId64 ", and the plan says %" PRId64, world->what, makespan, world->plan.makespan);
    assert_true(pairwise_times(world->graph, world->fabric, world->slots, count, world->times));
}

static int64_t largest(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* What a send keeps from the initial circuits and from all sends on switch k that start before `before`. */
static int64_t after_users(const struct world *world, const struct flux_send *send, uint32_t k, int64_t before)
{
    const struct flux_fabric *fabric = world->fabric;
    uint32_t rule = flux_fabric_rule(fabric);
    int64_t delay = flux_fabric_delay(fabric, k), least = 0;
    uint64_t initials;
    const struct flux_circuit_name *initial = flux_fabric_initial(fabric, &initials);
    for (uint64_t i = 0; i < initials; i++)
        if (initial[i].switch_index == k)
            least =
                largest(least, pairwise_separation(rule, initial[i].src, initial[i].dst, send->src, send->dst, delay));
    for (uint32_t i = 0; i < world->problem->sends; i++) {
        const struct flux_slot *slot = &world->slots[i];
        struct flux_send other;
        if (slot->switch_index != k || slot->start >= before)
            continue;
        assert_int_equal(flux_graph_get_send(world->graph, slot->send, &other), 0);
        int64_t apart = pairwise_separation(rule, other.src, other.dst, send->src, send->dst, delay);
        if (apart >= 0)
            least = largest(least, slot->end + apart);
    }
    return least;
}

static int64_t after_arcs(const struct world *world, uint32_t vertex, const struct flux_send *send)
{
    uint64_t edges;
    const struct flux_edge *edge = flux_graph_edges(world->graph, &edges);
    int64_t least = send->release;
    for (uint64_t i = 0; i < edges; i++)
        if (edge[i].to == vertex)
            least =
                largest(least, world->times[edge[i].from].end + pairwise_lag(world->graph, world->fabric, &edge[i]));
    return least;
}

/* No send can start earlier with the order on the ports and the switches kept. */
static void check_shifted(const struct world *world)
{
    for (uint32_t i = 0; i < world->problem->sends; i++) {
        const struct flux_slot *slot = &world->slots[i];
        struct flux_send send;
        assert_int_equal(flux_graph_get_send(world->graph, slot->send, &send), 0);
        int64_t least =
            largest(after_arcs(world, slot->send, &send), after_users(world, &send, slot->switch_index, slot->start));
        if (slot->start != least)
            fail_msg("%s: send %" PRIu32 " starts at %" PRId64 " and could at %" PRId64, world->what, slot->send,
                     slot->start, least);
    }
}

/* Non-delay: given what starts before it, no send could start earlier on any switch. */
static void check_no_delay(const struct world *world)
{
    for (uint32_t i = 0; i < world->problem->sends; i++) {
        const struct flux_slot *slot = &world->slots[i];
        struct flux_send send;
        assert_int_equal(flux_graph_get_send(world->graph, slot->send, &send), 0);
        int64_t ready = after_arcs(world, slot->send, &send);
        for (uint32_t k = 0; k < world->problem->switches; k++) {
            if (pairwise_duration(world->graph, world->fabric, slot->send, k) < 0)
                continue;
            if (largest(ready, after_users(world, &send, k, slot->start)) < slot->start)
                fail_msg("%s: send %" PRIu32 " is delayed", world->what, slot->send);
        }
    }
}

static void check_again(struct world *world)
{
    const struct flux_problem *problem = world->problem;
    assert_int_equal(world->plan.makespan, world->again.makespan);
    assert_memory_equal(world->plan.start, world->again.start, problem->nodes * sizeof *world->plan.start);
    assert_memory_equal(world->plan.switch_of, world->again.switch_of, problem->nodes * sizeof *world->plan.switch_of);
}

static void check_rules(struct world *world)
{
    char what[sizeof world->what];
    memcpy(what, world->what, sizeof what);
    for (uint32_t rule = FLUX_SEARCH_LATEST_START; rule <= FLUX_SEARCH_ROUNDS; rule++)
        for (uint64_t seed = 0; seed <= 5; seed += 5) {
            snprintf(world->what, sizeof world->what, "%.50s, %s", what, flux_search_name(rule));
            assert_int_equal(flux_construct(world->problem, rule, seed, &world->plan), 0);
            assert_int_equal(flux_construct(world->problem, rule, seed, &world->again), 0);
            check_again(world);
            check_schedule(world);
            if (world->problem->staged)
                continue;
            check_shifted(world);
            if (rule == FLUX_SEARCH_NON_DELAY)
                check_no_delay(world);
        }
    memcpy(world->what, what, sizeof what);
}

/* Of the nodes whose predecessors are all placed, the one with the smallest priority; then the smallest number. */
static uint32_t next_eligible(const struct flux_problem *problem, const int64_t *priority, const char *placed)
{
    uint32_t best = FLUX_NONE;
    for (uint32_t v = 0; v < problem->nodes; v++) {
        int eligible = !placed[v];
        for (uint64_t i = problem->in_first[v]; i < problem->in_first[v + 1] && eligible; i++)
            eligible = placed[problem->in[i].node];
        if (eligible && (best == FLUX_NONE || priority[v] < priority[best]))
            best = v;
    }
    return best;
}

/* Does node v at `start` on switch k keep its distance from the initial circuits and from every placed send? */
static int fits(const struct world *world, const char *placed, uint32_t v, uint32_t k, int64_t start)
{
    const struct flux_problem *p = world->problem;
    int64_t delay = p->delay[k], end = start + flux_problem_duration(p, v, k);
    for (uint32_t i = 0; i < p->initials; i++)
        if (p->initial[i].switch_index == k &&
            start < pairwise_separation(p->rule, p->initial[i].src, p->initial[i].dst, p->src[v], p->dst[v], delay))
            return 0;
    for (uint32_t u = 0; u < p->nodes; u++) {
        if (!placed[u] || world->plan.switch_of[u] != k)
            continue;
        int64_t apart = pairwise_separation(p->rule, p->src[u], p->dst[u], p->src[v], p->dst[v], delay);
        if (apart >= 0 && start < flux_plan_end(&world->plan, p, u) + apart && world->plan.start[u] < end + apart)
            return 0;
    }
    return 1;
}

/* The earliest end of v on any switch among the placed ones: it starts when ready, or a separation after some end. */
static int64_t earliest_end(const struct world *world, const char *placed, uint32_t v, int64_t ready)
{
    const struct flux_problem *p = world->problem;
    int64_t best = INT64_MAX;
    for (uint32_t k = 0; k < p->switches; k++) {
        int64_t duration = flux_problem_duration(p, v, k);
        if (duration < 0)
            continue;
        for (uint32_t u = 0; u <= p->nodes; u++) {
            if (u < p->nodes && (!placed[u] || world->plan.switch_of[u] != k))
                continue;
            for (int with_delay = 0; with_delay < 2; with_delay++) {
                int64_t from = u < p->nodes ? flux_plan_end(&world->plan, p, u) : 0;
                int64_t start = largest(ready, from + with_delay * p->delay[k]);
                if (start + duration < best && fits(world, placed, v, k, start))
                    best = start + duration;
            }
        }
    }
    return best;
}

/* Insertion by random priorities, against the same done send by send. */
static void check_insertion(struct world *world, struct flux_random *dice)
{
    const struct flux_problem *p = world->problem;
    int64_t *priority = calloc(p->nodes + 1u, sizeof *priority);
    char *placed = calloc(p->nodes + 1u, 1);
    for (uint32_t v = 0; v < p->nodes; v++)
        priority[v] = (int64_t)flux_random_below(dice, 2 * p->nodes) - p->nodes;
    assert_int_equal(flux_construct_by_priority(p, priority, &world->plan), 0);
    check_schedule(world);
    if (!p->staged)
        check_shifted(world);
    for (uint32_t i = 0; i < p->nodes && !p->staged; i++) {
        uint32_t v = next_eligible(p, priority, placed);
        int64_t ready = p->release[v];
        for (uint64_t a = p->in_first[v]; a < p->in_first[v + 1]; a++)
            ready = largest(ready, flux_plan_end(&world->plan, p, p->in[a].node) + p->in[a].lag);
        int64_t end = flux_problem_is_send(p, v) ? earliest_end(world, placed, v, ready) : ready + p->duration[v];
        if (flux_plan_end(&world->plan, p, v) != end)
            fail_msg("%s: node %" PRIu32 " ends at %" PRId64 " and could at %" PRId64, world->what, v,
                     flux_plan_end(&world->plan, p, v), end);
        placed[v] = 1;
    }
    free(priority);
    free(placed);
}

/* The best of the rules, and never above any of them. */
static void check_best(struct world *world)
{
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_control control;
    uint32_t won = 0;
    uint64_t constructions = 0;
    flux_control_begin(&control, &world->memory, &options);
    assert_int_equal(flux_construct_best(world->problem, &control, &world->plan, &won, &constructions), 0);
    assert_int_equal(control.makespan, world->plan.makespan);
    assert_true(constructions >= 1 && control.work >= world->problem->nodes);
    check_schedule(world);
    for (uint32_t rule = FLUX_SEARCH_LATEST_START; rule <= FLUX_SEARCH_ROUNDS; rule++) {
        assert_int_equal(flux_construct(world->problem, rule, 0, &world->again), 0);
        assert_true(world->plan.makespan <= world->again.makespan);
        if (rule == won)
            check_again(world);
    }
}

static void small_problems(void **state)
{
    uint32_t count = random_problem_count(12000);
    struct flux_random dice = {4};
    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        struct random_options options = {i % 3, i & 16 ? RANDOM_ALL : 1u << i / 3 % 8, 1, 8, 0, 0};
        struct random_problem problem;
        struct world world;
        random_problem(&problem, i, &options);
        assert_int_equal(flux_memory_init(&world.memory, NULL), 0);
        assert_int_equal(random_problem_build(&problem, NULL, &world.graph, &world.fabric), 0);
        snprintf(world.what, sizeof world.what, "small problem %" PRIu32, i);
        open_world(&world);
        check_rules(&world);
        check_insertion(&world, &dice);
        check_best(&world);
        close_world(&world);
    }
}

static void add_random_vertices(struct world *world, struct flux_random *dice, uint32_t gpus, uint32_t sends)
{
    static const uint32_t longest[] = {1, 5, 40};
    uint32_t time = longest[flux_random_below(dice, 3)], near = 1 + flux_random_below(dice, 30);
    uint32_t density = flux_random_below(dice, 4), ring = flux_random_below(dice, 2);
    for (uint32_t v = 0; v < sends; v++) {
        uint32_t src = flux_random_below(dice, gpus);
        uint32_t dst = (src + 1 + (ring ? 0 : flux_random_below(dice, gpus - 1))) % gpus;
        struct flux_send row = {src, dst, 0, 1 + flux_random_below(dice, time), 0};
        if (flux_random_below(dice, 3) == 0)
            row.release = flux_random_below(dice, 4 * sends);
        if (flux_random_below(dice, 8) == 0)
            assert_int_equal(flux_graph_add_compute(world->graph, src, flux_random_below(dice, time), NULL), 0);
        else
            assert_int_equal(flux_graph_add_sends(world->graph, &row, 1, sizeof row, NULL, NULL), 0);
        for (uint32_t e = 0; e < density && v; e++) {
            uint32_t back = 1 + flux_random_below(dice, v < near ? v : near);
            assert_int_equal(flux_graph_add_edge(world->graph, v - back, v, flux_random_below(dice, 2 * time)), 0);
        }
    }
}

/* Few ports and many sends: lanes of more than one block. */
static void crowded_problems(void **state)
{
    uint32_t count = random_problem_count(240);
    struct flux_random dice = {11};
    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t gpus = 3 + flux_random_below(&dice, 4), switches = 1 + flux_random_below(&dice, 3);
        uint32_t staged = flux_random_below(&dice, 4) == 0;
        struct world world;
        assert_int_equal(flux_memory_init(&world.memory, NULL), 0);
        assert_int_equal(flux_graph_new(NULL, gpus, &world.graph), 0);
        assert_int_equal(flux_fabric_new(NULL, gpus, switches, &world.fabric), 0);
        add_random_vertices(&world, &dice, gpus, 40 + flux_random_below(&dice, staged ? 60 : 260));
        assert_int_equal(flux_fabric_set_rule(world.fabric, i % 3), 0);
        for (uint32_t k = 0; k < switches; k++) {
            assert_int_equal(flux_fabric_set_delay(world.fabric, k, flux_random_below(&dice, 8)), 0);
            if (staged) {
                assert_int_equal(flux_fabric_set_blocking(world.fabric, k, flux_random_below(&dice, 2)), 0);
                assert_int_equal(flux_fabric_set_dwell(world.fabric, k, flux_random_below(&dice, 12)), 0);
            }
        }
        if (flux_random_below(&dice, 2))
            assert_int_equal(flux_fabric_add_initial(world.fabric, 0, 0, 1), 0);
        snprintf(world.what, sizeof world.what, "crowded problem %" PRIu32, i);
        open_world(&world);
        check_rules(&world);
        check_insertion(&world, &dice);
        close_world(&world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_problems),
        cmocka_unit_test(crowded_problems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
