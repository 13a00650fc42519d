/* SPDX-License-Identifier: Apache-2.0
 *
 * Constructions worked out by hand: gaps, circuits that are reused, each circuit rule, each parameter of a fabric, each
 * rule of the search, and what a control may do to them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "search/construct.h"

#include <string.h>

#define SENDS_MAX 16u

struct scene {
    struct flux_memory memory;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_problem *problem;
    struct flux_arena arena;
    struct flux_plan plan;
    uint32_t node[SENDS_MAX]; /* by vertex */
};

static void open_scene(struct scene *scene, uint32_t gpus, uint32_t switches, uint32_t rule, int64_t delay)
{
    memset(scene, 0, sizeof *scene);
    assert_int_equal(flux_memory_init(&scene->memory, NULL), 0);
    assert_int_equal(flux_graph_new(NULL, gpus, &scene->graph), 0);
    assert_int_equal(flux_fabric_new(NULL, gpus, switches, &scene->fabric), 0);
    assert_int_equal(flux_fabric_set_rule(scene->fabric, rule), 0);
    assert_int_equal(flux_fabric_set_delay(scene->fabric, FLUX_ALL_SWITCHES, delay), 0);
    flux_arena_init(&scene->arena, &scene->memory);
}

static void close_scene(struct scene *scene)
{
    flux_arena_free(&scene->arena);
    flux_problem_free(scene->problem);
    flux_graph_free(scene->graph);
    flux_fabric_free(scene->fabric);
}

static uint32_t add(struct scene *scene, uint32_t src, uint32_t dst, int64_t duration, int64_t release)
{
    struct flux_send row = {src, dst, 0, duration, release};
    uint32_t v;
    assert_int_equal(flux_graph_add_sends(scene->graph, &row, 1, sizeof row, &v, NULL), 0);
    assert_true(v < SENDS_MAX);
    return v;
}

static void edge(struct scene *scene, uint32_t from, uint32_t to, int64_t lag)
{
    assert_int_equal(flux_graph_add_edge(scene->graph, from, to, lag), 0);
}

static void build(struct scene *scene)
{
    struct flux_error error;
    assert_int_equal(flux_problem_build(scene->graph, scene->fabric, &scene->memory, &scene->problem, &error), 0);
    assert_int_equal(flux_plan_alloc(&scene->plan, scene->problem, &scene->arena), 0);
    for (uint32_t v = 0; v < scene->problem->nodes; v++)
        scene->node[scene->problem->vertex[v]] = v;
}

/* Inserts in the order of the vertices. */
static void in_order(struct scene *scene)
{
    int64_t priority[SENDS_MAX];
    build(scene);
    for (uint32_t v = 0; v < scene->problem->nodes; v++)
        priority[v] = scene->problem->vertex[v];
    assert_int_equal(flux_construct_by_priority(scene->problem, priority, &scene->plan), 0);
}

static void by_rule(struct scene *scene, uint32_t rule)
{
    if (!scene->problem)
        build(scene);
    assert_int_equal(flux_construct(scene->problem, rule, 0, &scene->plan), 0);
}

static void expect(const struct scene *scene, uint32_t vertex, uint32_t k, int64_t start)
{
    assert_int_equal(scene->plan.start[scene->node[vertex]], start);
    assert_int_equal(scene->plan.switch_of[scene->node[vertex]], k);
}

static void a_gap_is_filled(void **state)
{
    (void)state;
    for (int64_t late = 0; late < 2; late++) {
        struct scene scene;
        open_scene(&scene, 3, 1, FLUX_RULE_PAPER, 4);
        uint32_t a = add(&scene, 0, 1, 10, 20);
        uint32_t b = add(&scene, 0, 2, 16 + late, 0); /* with 4 to spare before a, or 3 */
        in_order(&scene);
        expect(&scene, a, 0, 20);
        expect(&scene, b, 0, late ? 34 : 0);
        assert_int_equal(scene.plan.makespan, late ? 51 : 30);
        close_scene(&scene);
    }
}

static void a_gap_between_two_circuits(void **state)
{
    struct scene scene;
    (void)state;
    open_scene(&scene, 4, 1, FLUX_RULE_PAPER, 4);
    uint32_t a = add(&scene, 0, 1, 10, 0);
    uint32_t b = add(&scene, 0, 2, 10, 30);
    uint32_t other = add(&scene, 0, 3, 13, 0);       /* 14 .. 27 would be too near to b */
    uint32_t like_before = add(&scene, 0, 1, 16, 0); /* 10 .. 26, as a's circuit is up */
    in_order(&scene);
    expect(&scene, a, 0, 0);
    expect(&scene, b, 0, 30);
    expect(&scene, other, 0, 44);
    expect(&scene, like_before, 0, 10);
    close_scene(&scene);
}

static void a_gap_must_suit_both_ends(void **state)
{
    struct scene scene;
    (void)state;
    open_scene(&scene, 4, 1, FLUX_RULE_PAPER, 0);
    add(&scene, 0, 2, 10, 10); /* GPU 0 is free 0 .. 10 and from 20 on */
    add(&scene, 1, 3, 12, 0);  /* GPU 1 is free from 12 on */
    uint32_t v = add(&scene, 0, 1, 5, 0);
    in_order(&scene);
    expect(&scene, v, 0, 20);
    close_scene(&scene);
}

static void many_spans_keep_their_order(void **state)
{
    struct scene scene;
    (void)state;
    open_scene(&scene, 3, 1, FLUX_RULE_PAPER, 0);
    for (int64_t i = 0; i < 7; i++) { /* from the last to the first, with 2 between */
        add(&scene, 0, 1 + (uint32_t)(i & 1), 3, 5 * (7 - i));
    }
    uint32_t small = add(&scene, 0, 2, 2, 6);
    uint32_t wide = add(&scene, 1, 0, 3, 6);
    in_order(&scene);
    expect(&scene, small, 0, 8);
    expect(&scene, wide, 0, 38);
    close_scene(&scene);
}

static void a_circuit_that_is_up_is_reused(void **state)
{
    struct scene scene;
    (void)state;
    open_scene(&scene, 3, 2, FLUX_RULE_PAPER, 5);
    uint32_t a = add(&scene, 0, 2, 10, 0);
    uint32_t b = add(&scene, 0, 1, 10, 0);    /* the port of switch 0 is busy */
    uint32_t c = add(&scene, 0, 1, 10, 1000); /* both are idle by now */
    in_order(&scene);
    expect(&scene, a, 0, 0);
    expect(&scene, b, 1, 0);
    expect(&scene, c, 1, 1000);
    by_rule(&scene, FLUX_SEARCH_APPEND);
    assert_int_equal(scene.plan.switch_of[scene.node[b]], scene.plan.switch_of[scene.node[c]]);
    close_scene(&scene);
}

static void the_switch_where_it_ends_first(void **state)
{
    struct scene scene;
    uint32_t v;
    (void)state;
    open_scene(&scene, 3, 2, FLUX_RULE_PAPER, 5);
    uint32_t first = add(&scene, 2, 1, 4, 0);                                  /* on switch 0 */
    assert_int_equal(flux_fabric_set_rate(scene.fabric, 0, 0, 8000000000), 0); /* 1 ns a byte */
    assert_int_equal(flux_fabric_set_rate(scene.fabric, 0, 1, 4000000000), 0); /* 2 ns a byte */
    assert_int_equal(flux_graph_add_send(scene.graph, 0, 1, 1, &v), 0);
    in_order(&scene);
    expect(&scene, first, 0, 0);
    expect(&scene, v, 0, 9); /* 9 + 1000 is before 0 + 2000 */
    assert_int_equal(scene.plan.makespan, 1009);
    close_scene(&scene);
}

static void delays_differ(void **state)
{
    struct scene scene;
    (void)state;
    open_scene(&scene, 4, 2, FLUX_RULE_PAPER, 50);
    assert_int_equal(flux_fabric_set_delay(scene.fabric, 1, 3), 0);
    add(&scene, 0, 1, 10, 0);
    add(&scene, 0, 1, 10, 0);
    uint32_t v = add(&scene, 0, 2, 10, 0);
    in_order(&scene);
    expect(&scene, v, 1, 13);
    close_scene(&scene);
}

static void dead_and_forbidden(void **state)
{
    struct scene scene;
    (void)state;
    open_scene(&scene, 3, 3, FLUX_RULE_PAPER, 5);
    assert_int_equal(flux_fabric_set_dead(scene.fabric, 1, 0, 1), 0);
    assert_int_equal(flux_fabric_set_forbidden(scene.fabric, 1, 0, 1, 1), 0);
    uint32_t v = add(&scene, 0, 1, 10, 0);
    uint32_t back = add(&scene, 1, 0, 10, 0); /* not forbidden on switch 1 */
    for (uint32_t rule = FLUX_SEARCH_LATEST_START; rule <= FLUX_SEARCH_ROUNDS; rule++) {
        by_rule(&scene, rule);
        expect(&scene, v, 2, 0);
        expect(&scene, back, 1, 0);
    }
    close_scene(&scene);
}

static void initial_circuits_delay_others(void **state)
{
    (void)state;
    for (uint32_t switches = 1; switches <= 2; switches++) {
        struct scene scene;
        open_scene(&scene, 3, switches, FLUX_RULE_PAPER, 7);
        assert_int_equal(flux_fabric_add_initial(scene.fabric, 0, 0, 1), 0);
        uint32_t other = add(&scene, 0, 2, 10, 0);
        for (uint32_t rule = FLUX_SEARCH_LATEST_START; rule <= FLUX_SEARCH_ROUNDS; rule++) {
            by_rule(&scene, rule);
            if (switches == 1)
                expect(&scene, other, 0, 7);
            else if (rule != FLUX_SEARCH_BACKWARD) /* which does not see them when it chooses */
                expect(&scene, other, 1, 0);
        }
        close_scene(&scene);
    }
}

static void an_initial_circuit_is_used(void **state)
{
    struct scene scene;
    (void)state;
    open_scene(&scene, 3, 2, FLUX_RULE_PAPER, 7);
    assert_int_equal(flux_fabric_add_initial(scene.fabric, 1, 0, 1), 0);
    uint32_t v = add(&scene, 0, 1, 10, 0);
    in_order(&scene);
    expect(&scene, v, 1, 0);
    by_rule(&scene, FLUX_SEARCH_NON_DELAY);
    expect(&scene, v, 1, 0);
    close_scene(&scene);
}

/* 0 -> 1, 1 -> 0, 1 -> 2 and 0 -> 2, 10 each, in this order, delay 3. */
static void rules_of_circuits(void **state)
{
    static const int64_t starts[3][4] = {
        [FLUX_RULE_PAPER] = {0, 13, 26, 39},
        [FLUX_RULE_DUPLEX] = {0, 0, 13, 26},
        [FLUX_RULE_SIMPLEX] = {0, 0, 13, 26}, /* source 1 after 1 -> 0; then target 2 */
    };
    (void)state;
    for (uint32_t rule = 0; rule < 3; rule++) {
        struct scene scene;
        open_scene(&scene, 3, 1, rule, 3);
        add(&scene, 0, 1, 10, 0);
        add(&scene, 1, 0, 10, 0);
        add(&scene, 1, 2, 10, 0);
        add(&scene, 0, 2, 10, 0);
        in_order(&scene);
        for (uint32_t v = 0; v < 4; v++)
            expect(&scene, v, 0, starts[rule][v]);
        close_scene(&scene);
    }
}

/* Under DUPLEX a send passes reversed ones on the opposite lanes, but not what stands between them. */
static void duplex_between_reversed_sends(void **state)
{
    struct scene scene;
    (void)state;
    open_scene(&scene, 3, 1, FLUX_RULE_DUPLEX, 2);
    add(&scene, 1, 0, 10, 0);
    add(&scene, 1, 0, 10, 10);
    add(&scene, 2, 0, 10, 40); /* 0 and 1 are free of others before 38 */
    uint32_t fits = add(&scene, 0, 1, 38, 0);
    uint32_t waits = add(&scene, 0, 1, 5, 0); /* behind it there is no room before 2 -> 0 */
    uint32_t back = add(&scene, 1, 0, 3, 0);
    in_order(&scene);
    expect(&scene, fits, 0, 0);
    expect(&scene, waits, 0, 52);
    expect(&scene, back, 0, 20);
    close_scene(&scene);
}

static void arcs_lags_and_joins(void **state)
{
    struct scene scene;
    uint32_t join;
    (void)state;
    open_scene(&scene, 4, 1, FLUX_RULE_PAPER, 0);
    assert_int_equal(flux_fabric_set_propagation(scene.fabric, 0, 1, 6), 0);
    uint32_t a = add(&scene, 0, 1, 10, 0);
    uint32_t b = add(&scene, 2, 3, 12, 0);
    uint32_t c = add(&scene, 1, 2, 10, 0);
    uint32_t d = add(&scene, 0, 3, 10, 0);
    assert_int_equal(flux_graph_add_compute(scene.graph, 1, 0, &join), 0);
    edge(&scene, a, join, 1); /* 10 + 1 + 6 at GPU 1 */
    edge(&scene, b, join, 2); /* 12 + 2 */
    edge(&scene, join, c, 3);
    edge(&scene, join, d, 0);
    for (uint32_t rule = FLUX_SEARCH_LATEST_START; rule <= FLUX_SEARCH_ROUNDS; rule++) {
        by_rule(&scene, rule);
        expect(&scene, a, 0, 0);
        expect(&scene, b, 0, 0);
        expect(&scene, c, 0, 20);
        expect(&scene, d, 0, 17);
        assert_int_equal(scene.plan.makespan, 30);
    }
    assert_int_equal(scene.problem->nodes, 5);
    close_scene(&scene);
}

/* 0 -> 1 at 1 with a long way to go, 0 -> 2 at once with a short one. */
static void what_the_rules_prefer(void **state)
{
    struct scene scene;
    uint32_t after;
    (void)state;
    open_scene(&scene, 3, 1, FLUX_RULE_PAPER, 2);
    uint32_t urgent = add(&scene, 0, 1, 10, 1);
    uint32_t early = add(&scene, 0, 2, 10, 0);
    assert_int_equal(flux_graph_add_compute(scene.graph, 1, 100, &after), 0);
    edge(&scene, urgent, after, 0);
    by_rule(&scene, FLUX_SEARCH_LATEST_START);
    expect(&scene, urgent, 0, 1);
    expect(&scene, early, 0, 13);
    assert_int_equal(scene.plan.makespan, 111);
    by_rule(&scene, FLUX_SEARCH_APPEND);
    expect(&scene, early, 0, 13);
    by_rule(&scene, FLUX_SEARCH_EARLIEST_START);
    expect(&scene, early, 0, 0);
    expect(&scene, urgent, 0, 12);
    by_rule(&scene, FLUX_SEARCH_NON_DELAY);
    expect(&scene, early, 0, 0);
    expect(&scene, urgent, 0, 12);
    assert_int_equal(scene.plan.makespan, 122);
    by_rule(&scene, FLUX_SEARCH_BACKWARD);
    assert_int_equal(scene.plan.makespan, 111);
    close_scene(&scene);
}

/* A send that could go into a gap of 20 goes there by insertion and behind everything by appending. */
static void append_leaves_gaps(void **state)
{
    struct scene scene;
    (void)state;
    open_scene(&scene, 3, 1, FLUX_RULE_PAPER, 0);
    uint32_t long_one = add(&scene, 0, 1, 30, 20);
    uint32_t short_one = add(&scene, 0, 2, 10, 0);
    by_rule(&scene, FLUX_SEARCH_LATEST_START);
    expect(&scene, long_one, 0, 20);
    expect(&scene, short_one, 0, 0);
    by_rule(&scene, FLUX_SEARCH_APPEND);
    expect(&scene, long_one, 0, 20);
    expect(&scene, short_one, 0, 50);
    close_scene(&scene);
}

/* Forward, the two of equal length go by number, and the second delays the third; from the end it is seen that the
 * first has no hurry: it is ready last. */
static void backward_sees_releases(void **state)
{
    struct scene scene;
    (void)state;
    open_scene(&scene, 3, 1, FLUX_RULE_PAPER, 0);
    uint32_t late = add(&scene, 0, 1, 10, 5);
    uint32_t early = add(&scene, 0, 2, 10, 0);
    by_rule(&scene, FLUX_SEARCH_LATEST_START);
    expect(&scene, late, 0, 5);
    expect(&scene, early, 0, 15);
    by_rule(&scene, FLUX_SEARCH_BACKWARD);
    expect(&scene, early, 0, 0);
    expect(&scene, late, 0, 10);
    assert_int_equal(scene.plan.makespan, 20);
    close_scene(&scene);
}

static void blocking_stops_the_switch(void **state)
{
    (void)state;
    for (uint32_t blocking = 0; blocking < 2; blocking++) {
        struct scene scene;
        open_scene(&scene, 8, 1, FLUX_RULE_PAPER, 5);
        assert_int_equal(flux_fabric_set_blocking(scene.fabric, 0, blocking), 0);
        uint32_t a = add(&scene, 0, 1, 10, 0);
        uint32_t b = add(&scene, 2, 3, 30, 0);
        uint32_t c = add(&scene, 0, 4, 10, 0); /* needs a change, while b runs */
        uint32_t d = add(&scene, 5, 6, 10, 3);
        in_order(&scene);
        expect(&scene, a, 0, 0);
        expect(&scene, b, 0, 0);
        expect(&scene, c, 0, blocking ? 35 : 15);
        expect(&scene, d, 0, 3);
        close_scene(&scene);
    }
}

/* Two sends need a change after 10. They share it, at 11, when the one that is under way then has ended. */
static void changes_are_shared(void **state)
{
    struct scene scene;
    (void)state;
    open_scene(&scene, 8, 1, FLUX_RULE_PAPER, 5);
    assert_int_equal(flux_fabric_set_blocking(scene.fabric, 0, FLUX_BLOCKING_SWITCH), 0);
    assert_int_equal(flux_fabric_set_dwell(scene.fabric, 0, 100), 0);
    add(&scene, 0, 1, 10, 0);
    add(&scene, 2, 3, 10, 0);
    uint32_t c = add(&scene, 0, 2, 10, 0);
    uint32_t d = add(&scene, 1, 3, 10, 0);
    uint32_t e = add(&scene, 6, 7, 4, 7);
    uint32_t f = add(&scene, 0, 3, 10, 0); /* a second change, a dwell after the first */
    in_order(&scene);
    expect(&scene, c, 0, 16);
    expect(&scene, d, 0, 16);
    expect(&scene, e, 0, 7);
    expect(&scene, f, 0, 116);
    for (uint32_t rule = FLUX_SEARCH_LATEST_START; rule <= FLUX_SEARCH_ROUNDS; rule++) {
        by_rule(&scene, rule);
        assert_true(scene.plan.makespan >= 125);
    }
    close_scene(&scene);
}

static void dwell_counts_without_delay(void **state)
{
    struct scene scene;
    (void)state;
    open_scene(&scene, 3, 1, FLUX_RULE_PAPER, 0);
    assert_int_equal(flux_fabric_set_dwell(scene.fabric, 0, 40), 0);
    assert_int_equal(flux_fabric_add_initial(scene.fabric, 0, 0, 2), 0);
    uint32_t a = add(&scene, 0, 1, 10, 0); /* change at 0 */
    uint32_t b = add(&scene, 0, 2, 10, 0); /* change at 40 */
    uint32_t c = add(&scene, 0, 2, 10, 0);
    in_order(&scene);
    expect(&scene, a, 0, 0);
    expect(&scene, b, 0, 40);
    expect(&scene, c, 0, 50);
    close_scene(&scene);
}

static void a_free_switch_beats_a_change(void **state)
{
    struct scene scene;
    (void)state;
    open_scene(&scene, 4, 2, FLUX_RULE_PAPER, 5);
    assert_int_equal(flux_fabric_set_blocking(scene.fabric, 0, FLUX_BLOCKING_SWITCH), 0);
    add(&scene, 0, 1, 10, 0);
    uint32_t v = add(&scene, 0, 2, 10, 200);
    in_order(&scene);
    expect(&scene, v, 1, 200);
    close_scene(&scene);
}

/* The longest times that a problem may have: nothing overflows on the way. */
static void the_longest_times(void **state)
{
    const int64_t sixth = FLUX_TIME_MAX / 6;
    (void)state;
    for (uint32_t rule = 0; rule < 3; rule++) {
        struct scene scene;
        open_scene(&scene, 3, 1, rule, sixth);
        assert_int_equal(flux_fabric_set_blocking(scene.fabric, 0, rule & 1), 0);
        uint32_t a = add(&scene, 0, 1, sixth / 2, 0);
        uint32_t b = add(&scene, 0, 2, sixth / 2, sixth);
        by_rule(&scene, FLUX_SEARCH_LATEST_START);
        expect(&scene, a, 0, 0);
        expect(&scene, b, 0, sixth / 2 + sixth);
        for (uint32_t search = FLUX_SEARCH_LATEST_START; search <= FLUX_SEARCH_ROUNDS; search++) {
            by_rule(&scene, search);
            assert_int_equal(scene.plan.makespan, 2 * (sixth / 2) + sixth);
        }
        close_scene(&scene);
    }
}

static void nothing_to_send(void **state)
{
    struct scene scene;
    (void)state;
    open_scene(&scene, 2, 2, FLUX_RULE_DUPLEX, 5);
    assert_int_equal(flux_graph_add_compute(scene.graph, 0, 77, NULL), 0);
    for (uint32_t rule = FLUX_SEARCH_LATEST_START; rule <= FLUX_SEARCH_ROUNDS; rule++) {
        by_rule(&scene, rule);
        assert_int_equal(scene.plan.makespan, 77);
    }
    close_scene(&scene);
}

static void many_equal_sends(struct scene *scene)
{
    open_scene(scene, 6, 2, FLUX_RULE_PAPER, 3);
    for (uint32_t i = 0; i < SENDS_MAX; i++)
        add(scene, i % 6, (i + 1 + i / 6) % 6, 10, 0);
    build(scene);
}

static void seeds_break_ties(void **state)
{
    struct scene scene;
    struct flux_plan again;
    uint32_t differ = 0;
    (void)state;
    many_equal_sends(&scene);
    assert_int_equal(flux_plan_alloc(&again, scene.problem, &scene.arena), 0);
    by_rule(&scene, FLUX_SEARCH_LATEST_START);
    for (uint64_t seed = 1; seed < 10; seed++) {
        assert_int_equal(flux_construct(scene.problem, FLUX_SEARCH_LATEST_START, seed, &again), 0);
        differ += memcmp(again.start, scene.plan.start, scene.problem->nodes * sizeof *again.start) != 0;
    }
    assert_true(differ > 5);
    close_scene(&scene);
}

static void run_best(struct scene *scene, struct flux_options *options, int64_t bound, struct flux_control *control,
                     uint64_t *constructions)
{
    uint32_t won = 0;
    *constructions = 0;
    flux_control_begin(control, &scene->memory, options);
    control->bound = bound;
    assert_int_equal(flux_construct_best(scene->problem, control, &scene->plan, &won, constructions), 0);
    assert_true(won >= FLUX_SEARCH_LATEST_START && won <= FLUX_SEARCH_ROUNDS);
    assert_int_equal(control->makespan, scene->plan.makespan);
}

static void when_the_portfolio_stops(void **state)
{
    struct scene scene;
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_control control;
    uint64_t constructions;
    (void)state;
    many_equal_sends(&scene);
    run_best(&scene, &options, 0, &control, &constructions);
    assert_int_equal(constructions, 6);
    assert_int_equal(control.stopped, FLUX_STOPPED_DONE);
    assert_true(control.work >= 2 * SENDS_MAX); /* the first, and backward, which always ends */
    assert_true(control.work < 6 * SENDS_MAX);  /* the others give up where they cannot be shorter */
    run_best(&scene, &options, INT64_MAX, &control, &constructions);
    assert_int_equal(constructions, 1);
    assert_int_equal(control.stopped, FLUX_STOPPED_BOUND);
    options.work_limit = 1;
    run_best(&scene, &options, 0, &control, &constructions);
    assert_int_equal(constructions, 1);
    assert_int_equal(control.stopped, FLUX_STOPPED_WORK);
    options.work_limit = 2 * SENDS_MAX;
    run_best(&scene, &options, 0, &control, &constructions);
    assert_true(constructions >= 2 && constructions < 6);
    assert_int_equal(control.stopped, FLUX_STOPPED_WORK);
    close_scene(&scene);
}

/* Each to each on 4 GPUs, two sends a pair: as all circuits change, both go on the switch that the first one is on. */
static void sends_of_a_circuit_stay_together(void **state)
{
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_schedule *schedule;
    struct flux_options options = FLUX_OPTIONS_INIT;
    (void)state;
    options.exact = FLUX_EXACT_NEVER;
    for (int64_t delay = 1; delay <= 100; delay += 99) {
        assert_int_equal(flux_graph_new(NULL, 4, &graph), 0);
        assert_int_equal(flux_fabric_new(NULL, 4, 2, &fabric), 0);
        assert_int_equal(flux_fabric_set_delay(fabric, FLUX_ALL_SWITCHES, delay), 0);
        for (uint32_t i = 0; i < 32; i++)
            if (i / 2 / 4 != i / 2 % 4) {
                uint32_t v;
                assert_int_equal(flux_graph_add_send(graph, i / 2 / 4, i / 2 % 4, 1, &v), 0);
                assert_int_equal(flux_graph_set_duration(graph, v, 10), 0);
            }
        assert_int_equal(flux_schedule(graph, fabric, &options, &schedule, NULL), 0);
        assert_int_equal(flux_schedule_makespan(schedule), 3 * 20 + 2 * delay);
        flux_schedule_free(schedule);
        flux_fabric_free(fabric);
        flux_graph_free(graph);
    }
}

static int refuse(void *user, const struct flux_progress *progress)
{
    int *calls = user;
    ++*calls;
    return progress->makespan >= 0;
}

static void a_callback_stops_the_portfolio(void **state)
{
    struct scene scene;
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_control control;
    uint64_t constructions;
    int calls = 0;
    (void)state;
    many_equal_sends(&scene);
    options.progress = refuse;
    options.progress_user = &calls;
    run_best(&scene, &options, 0, &control, &constructions);
    assert_int_equal(constructions, 1);
    assert_int_equal(control.stopped, FLUX_STOPPED_CALLBACK);
    assert_true(calls >= 1);
    close_scene(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gap_is_filled),
        cmocka_unit_test(a_gap_between_two_circuits),
        cmocka_unit_test(a_gap_must_suit_both_ends),
        cmocka_unit_test(many_spans_keep_their_order),
        cmocka_unit_test(a_circuit_that_is_up_is_reused),
        cmocka_unit_test(the_switch_where_it_ends_first),
        cmocka_unit_test(delays_differ),
        cmocka_unit_test(dead_and_forbidden),
        cmocka_unit_test(initial_circuits_delay_others),
        cmocka_unit_test(an_initial_circuit_is_used),
        cmocka_unit_test(rules_of_circuits),
        cmocka_unit_test(duplex_between_reversed_sends),
        cmocka_unit_test(arcs_lags_and_joins),
        cmocka_unit_test(what_the_rules_prefer),
        cmocka_unit_test(append_leaves_gaps),
        cmocka_unit_test(backward_sees_releases),
        cmocka_unit_test(blocking_stops_the_switch),
        cmocka_unit_test(changes_are_shared),
        cmocka_unit_test(dwell_counts_without_delay),
        cmocka_unit_test(a_free_switch_beats_a_change),
        cmocka_unit_test(the_longest_times),
        cmocka_unit_test(nothing_to_send),
        cmocka_unit_test(seeds_break_ties),
        cmocka_unit_test(when_the_portfolio_stops),
        cmocka_unit_test(sends_of_a_circuit_stay_together),
        cmocka_unit_test(a_callback_stops_the_portfolio),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
