/* SPDX-License-Identifier: Apache-2.0
 *
 * Random iterations planned anew from random moments, on every kind of fabric: with late GPUs, late vertices, dead
 * ports and switches, and computes that did not go as planned. The whole timetable, what was and what is planned, is
 * held against the pairwise rules; no change begins in the past; nothing is worse than the right shift, which stepping
 * through the old plan in order gives as well; the rest is no better than brute force finds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/brute_force.h"
#include "../support/pairwise.h"
#include "../support/random_problem.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SENDS_MAX 8
#define CIRCUITS_MAX 64
#define STAGED (RANDOM_BLOCKING | RANDOM_DWELL)
#define STEPS 200000
#define EVERY_GPU (FLUX_NONE - 1)

struct counts {
    uint32_t runs;
    uint32_t under_way;
    uint32_t coming; /* runs with a circuit that is still changing */
    uint32_t alone;  /* runs with a port that points to nothing */
    uint32_t better;
    uint32_t stepped;
    uint32_t forced; /* compared with brute force */
    uint32_t lost;   /* infeasible for the dead ports */
    uint32_t without_switch;
};

struct world {
    struct random_problem problem;
    struct flux_graph *graph;
    struct flux_fabric *fabric; /* as it was */
    struct flux_fabric *now_fabric;
    struct flux_schedule *old;
    uint32_t dead_gpu; /* FLUX_NONE: none died; EVERY_GPU */
    uint32_t dead_switch;
    uint32_t factors[RANDOM_GPUS_MAX];
    int64_t releases[RANDOM_VERTICES_MAX];
    struct flux_time times[RANDOM_VERTICES_MAX];
    struct flux_circuit_state circuits[CIRCUITS_MAX];
    uint64_t circuit_count;
    struct flux_replan_options options;
    struct flux_replan *replan;
    struct flux_replan_summary summary;
};

static void complain(const struct world *world, const char *text)
{
    uint64_t count;
    const struct flux_slot *slots = flux_schedule_slots(world->old, &count);
    random_problem_print(&world->problem);
    for (uint64_t i = 0; i < count; i++)
        fprintf(stderr, "# old v%" PRIu32 " on %" PRIu32 " from %" PRId64 " to %" PRId64 "\n", slots[i].send,
                slots[i].switch_index, slots[i].start, slots[i].end);
    for (uint64_t i = 0; i < world->circuit_count; i++)
        fprintf(stderr, "# up %" PRIu32 ": %" PRIu32 "->%" PRIu32 " from %" PRId64 " at %" PRId64 "\n",
                world->circuits[i].switch_index, world->circuits[i].src, world->circuits[i].dst,
                world->circuits[i].begin, world->circuits[i].up);
    slots = flux_replan_slots(world->replan, &count);
    for (uint64_t i = 0; i < count; i++)
        fprintf(stderr, "# new v%" PRIu32 " on %" PRIu32 " from %" PRId64 " to %" PRId64 "\n", slots[i].send,
                slots[i].switch_index, slots[i].start, slots[i].end);
    fprintf(stderr, "# now %" PRId64 ", begin %" PRId64 ", makespan %" PRId64 ", shifted %" PRId64 ", dead %d\n",
            world->options.now, world->summary.begin, world->summary.makespan, world->summary.shifted,
            (int)world->dead_gpu);
    fail_msg("seed %" PRIu64 ": %s", world->problem.seed, text);
}

static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*state >> 33) % below);
}

/* ---- The right shift by stepping through the old plan, in rounds over what was taken. */

static int64_t step_through(const struct world *world)
{
    struct flux_program *program;
    struct flux_event event;
    int64_t iteration = 0;
    assert_int_equal(flux_program_new(world->graph, world->fabric, world->old, &program, NULL), 0);
    while (flux_program_take(program, &event)) {
        int64_t begin = event.time, duration = event.duration;
        if (event.kind != FLUX_EVENT_CHANGE) {
            if (world->times[event.item].start < 0) {
                begin = begin > world->releases[event.item] ? begin : world->releases[event.item];
                if (event.kind == FLUX_EVENT_COMPUTE)
                    duration = duration * world->factors[world->problem.vertex[event.item].src] / FLUX_PPM;
            }
            iteration = begin + duration > iteration ? begin + duration : iteration;
        }
        flux_program_done(program, event.kind, event.item, begin + duration);
    }
    assert_int_equal(flux_program_left(program), 0);
    flux_program_free(program);
    return iteration;
}

/* Would a vertex go through a dead port on this switch? */
static int is_cut_off(const struct world *world, uint32_t vertex, uint32_t switch_index)
{
    const struct random_vertex *send = &world->problem.vertex[vertex];
    return world->dead_gpu != FLUX_NONE && switch_index == world->dead_switch &&
           (world->dead_gpu == EVERY_GPU || send->src == world->dead_gpu || send->dst == world->dead_gpu);
}

/* ---- The whole timetable by the pairwise rules. */

static int held_by_past(const struct world *world, const struct flux_slot *slot, const struct random_vertex *send)
{
    const struct random_problem *problem = &world->problem;
    uint64_t count;
    const struct flux_slot *slots = flux_replan_slots(world->replan, &count);
    for (uint64_t i = 0; i < count; i++) {
        const struct random_vertex *other = &problem->vertex[slots[i].send];
        if (world->times[slots[i].send].start >= 0 && slots[i].switch_index == slot->switch_index &&
            pairwise_separation(problem->rule, other->src, other->dst, send->src, send->dst, 1) > 0)
            return 1;
    }
    for (uint64_t i = 0; i < world->circuit_count; i++)
        if (world->circuits[i].switch_index == slot->switch_index &&
            pairwise_separation(problem->rule, world->circuits[i].src, world->circuits[i].dst, send->src, send->dst,
                                1) > 0)
            return 1;
    return 0;
}

/* A send that starts less than a delay from now needs a circuit that is there by then, or ports that never had one. */
static void check_no_change_in_the_past(const struct world *world)
{
    const struct random_problem *problem = &world->problem;
    uint64_t count;
    const struct flux_slot *slots = flux_replan_slots(world->replan, &count);
    for (uint64_t i = 0; i < count; i++) {
        const struct random_vertex *send = &problem->vertex[slots[i].send];
        uint32_t k = slots[i].switch_index;
        int there = 0;
        if (world->times[slots[i].send].start >= 0 || slots[i].start >= world->options.now + problem->delay[k])
            continue;
        for (uint64_t c = 0; c < world->circuit_count; c++)
            there |= world->circuits[c].switch_index == k && world->circuits[c].up <= slots[i].start &&
                     pairwise_separation(problem->rule, world->circuits[c].src, world->circuits[c].dst, send->src,
                                         send->dst, 1) <= 0;
        if (!there && held_by_past(world, &slots[i], send))
            complain(world, "a change begins before now");
    }
}

static void check_whole(const struct world *world)
{
    struct random_problem whole = world->problem;
    const struct flux_time *times = flux_replan_times(world->replan, NULL);
    struct flux_time again[RANDOM_VERTICES_MAX];
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    uint64_t count;
    const struct flux_slot *slots = flux_replan_slots(world->replan, &count);
    char why[PAIRWISE_TEXT];
    int64_t makespan;
    for (uint32_t v = 0; v < whole.vertices; v++) {
        if (!whole.vertex[v].send)
            whole.vertex[v].duration = times[v].end - times[v].start;
        if (world->times[v].start < 0 && world->releases[v] > whole.vertex[v].release)
            whole.vertex[v].release = world->releases[v];
        if (world->times[v].start < 0 && times[v].start < world->options.now)
            complain(world, "something begins before now");
        if (world->times[v].start >= 0 && memcmp(&times[v], &world->times[v], sizeof *times) != 0)
            complain(world, "what has begun is not as it was");
    }
    assert_int_equal(random_problem_build(&whole, NULL, &graph, &fabric), 0);
    if (!pairwise_check(graph, fabric, slots, count, &makespan, why))
        complain(world, why);
    assert_true(pairwise_times(graph, fabric, slots, count, again));
    if (world->summary.begin == world->options.now) {
        if (makespan != world->summary.makespan || memcmp(again, times, whole.vertices * sizeof *times) != 0)
            complain(world, "the times are not those of the slots");
    } else if (makespan > world->summary.makespan) {
        complain(world, "the makespan is too short");
    }
    for (uint64_t i = 0; i < count; i++)
        if (world->times[slots[i].send].start < 0 && is_cut_off(world, slots[i].send, slots[i].switch_index))
            complain(world, "a send goes through a dead port");
    flux_graph_free(graph);
    flux_fabric_free(fabric);
}

static void check_rest(const struct world *world, struct counts *counts)
{
    const struct flux_schedule *schedule = flux_replan_schedule(world->replan);
    const struct flux_graph *rest = flux_replan_graph(world->replan);
    const struct flux_fabric *fabric = flux_replan_fabric(world->replan);
    int64_t bound = flux_schedule_bound(schedule), makespan, optimum, certified;
    struct flux_error error = {0};
    uint64_t count;
    const struct flux_slot *slots = flux_schedule_slots(schedule, &count);
    assert_int_equal(flux_check(rest, fabric, slots, count, &makespan, &error), 0);
    assert_int_equal(makespan, flux_schedule_makespan(schedule));
    assert_true(bound <= makespan);
    if (flux_certificate_check(rest, fabric, flux_schedule_certificate(schedule), &certified, &error) ||
        certified != bound)
        complain(world, "the certificate does not hold");
    counts->coming += flux_graph_vertices(rest) > world->problem.vertices;
    counts->alone += flux_graph_gpus(rest) > world->problem.gpus;
    if (flux_graph_sends(rest) > BRUTE_FORCE_SENDS_MAX || brute_force(rest, fabric, STEPS, &optimum, NULL))
        return;
    counts->forced++;
    if (bound > optimum || makespan < optimum)
        complain(world, "the rest is better than it can be, or its bound is wrong");
}

/* ---- Making worlds. */

static void begin(struct world *world, uint64_t seed, const struct random_options *options)
{
    struct flux_options quick = FLUX_OPTIONS_INIT;
    quick.exact = FLUX_EXACT_NEVER;
    memset(world, 0, sizeof *world);
    random_problem(&world->problem, seed, options);
    assert_int_equal(random_problem_build(&world->problem, NULL, &world->graph, &world->fabric), 0);
    assert_int_equal(flux_schedule(world->graph, world->fabric, &quick, &world->old, NULL), 0);
    world->options = (struct flux_replan_options)FLUX_REPLAN_OPTIONS_INIT;
    world->dead_gpu = FLUX_NONE;
    for (uint32_t g = 0; g < world->problem.gpus; g++)
        world->factors[g] = FLUX_PPM;
}

static void end(struct world *world)
{
    flux_replan_free(world->replan);
    flux_schedule_free(world->old);
    if (world->now_fabric != world->fabric)
        flux_fabric_free(world->now_fabric);
    flux_fabric_free(world->fabric);
    flux_graph_free(world->graph);
}

static void stand_at(struct world *world, int64_t now)
{
    world->options.now = now;
    assert_int_equal(
        flux_schedule_state(world->old, world->fabric, now, world->times, world->circuits, &world->circuit_count), 0);
    assert_true(world->circuit_count <= CIRCUITS_MAX);
    world->options.times = world->times;
    world->options.time_count = world->problem.vertices;
    world->options.circuits = world->circuits;
    world->options.circuit_count = world->circuit_count;
    world->now_fabric = world->fabric;
}

/* Late GPUs and late vertices from here on. */
static void make_late(struct world *world, uint64_t *state)
{
    for (uint32_t g = 0; g < world->problem.gpus; g++)
        world->factors[g] = (1 + draw(state, 3)) * FLUX_PPM;
    for (uint32_t v = 0; v < world->problem.vertices; v++)
        world->releases[v] = draw(state, 3) ? 0 : world->options.now + draw(state, 20);
    world->options.factors_ppm = world->factors;
    world->options.factor_count = world->problem.gpus;
    world->options.releases = world->releases;
    world->options.release_count = world->problem.vertices;
}

/* A port dies, or a whole switch: what is under way there is lost, and to be sent again. */
static void make_dead(struct world *world, uint64_t *state, int whole_switch)
{
    struct random_problem changed = world->problem;
    uint64_t count;
    const struct flux_slot *slots = flux_schedule_slots(world->old, &count);
    struct flux_graph *unused;
    world->dead_gpu = whole_switch ? EVERY_GPU : draw(state, changed.gpus);
    world->dead_switch = draw(state, changed.switches);
    for (uint32_t g = 0; g < changed.gpus; g++)
        if (whole_switch || g == world->dead_gpu)
            changed.dead[g][world->dead_switch] = 1;
    if (random_problem_build(&changed, NULL, &unused, &world->now_fabric) == 0)
        flux_graph_free(unused);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t v = slots[i].send;
        if (world->times[v].end > world->options.now && is_cut_off(world, v, slots[i].switch_index))
            world->times[v] = (struct flux_time){-1, -1};
    }
}

/* 0, or the library's error where the dead port leaves nothing. */
static int plan_anew(struct world *world)
{
    struct flux_error error = {0};
    uint64_t count;
    const struct flux_slot *slots = flux_schedule_slots(world->old, &count);
    int rc = flux_replan(world->graph, world->now_fabric, slots, count, &world->options, &world->replan, &error);
    if (rc == FLUX_E_INFEASIBLE && world->dead_gpu != FLUX_NONE)
        return rc;
    if (rc)
        complain(world, error.text);
    world->summary = (struct flux_replan_summary)FLUX_REPLAN_SUMMARY_INIT;
    assert_int_equal(flux_replan_summary(world->replan, &world->summary), 0);
    if (world->summary.makespan > world->summary.shifted || world->summary.bound > world->summary.makespan)
        complain(world, "it is worse than the right shift, or better than the bound");
    return 0;
}

static const uint32_t kinds[] = {0,
                                 RANDOM_DELAYS,
                                 RANDOM_RATES | RANDOM_FORBIDDEN,
                                 RANDOM_INITIAL,
                                 RANDOM_PROPAGATION | RANDOM_DELAYS,
                                 RANDOM_ALL & ~STAGED,
                                 RANDOM_BLOCKING,
                                 RANDOM_DWELL,
                                 RANDOM_ALL};
#define KINDS (sizeof kinds / sizeof *kinds)

static void run_one(uint64_t seed, struct counts *counts)
{
    struct random_options options = {(uint32_t)(seed % 3), kinds[seed / 3 % KINDS], 2, SENDS_MAX, 0, 0};
    struct world world;
    uint64_t state = seed * 77 + 5;
    uint32_t what = (uint32_t)(seed / 3 / KINDS % 4);
    begin(&world, seed, &options);
    stand_at(&world, draw(&state, (uint32_t)flux_schedule_makespan(world.old) + 2));
    if (what)
        make_late(&world, &state);
    if (what >= 2)
        make_dead(&world, &state, what == 3);
    if (plan_anew(&world)) {
        counts->lost++;
        end(&world);
        return;
    }
    counts->runs++;
    counts->under_way += world.summary.under_way > 0;
    counts->better += world.summary.makespan < world.summary.shifted;
    counts->without_switch += world.dead_gpu == EVERY_GPU;
    check_whole(&world);
    check_no_change_in_the_past(&world);
    check_rest(&world, counts);
    if (what < 2 && !(options.parameters & STAGED) && world.options.now > 0) {
        int64_t iteration = step_through(&world);
        counts->stepped++;
        if (iteration != world.summary.shifted)
            complain(&world, "stepping through the old plan ends at another time than the right shift");
        if (what == 0)
            assert_int_equal(iteration, flux_schedule_makespan(world.old));
    }
    end(&world);
}

static void test_random_moments(void **state)
{
    struct counts counts = {0};
    (void)state;
    for (uint32_t i = 0; i < random_problem_count(8000); i++)
        run_one(i, &counts);
    print_message("[ INFO     ] %u runs: %u with sends under way, %u with circuits under way, %u with a port alone, %u "
                  "better than the right shift, %u stepped, %u by brute force; %u lost, %u without a switch\n",
                  counts.runs, counts.under_way, counts.coming, counts.alone, counts.better, counts.stepped,
                  counts.forced, counts.lost, counts.without_switch);
    assert_true(counts.under_way * 10 > counts.runs && counts.coming && counts.alone && counts.better &&
                counts.stepped * 10 > counts.runs && counts.forced * 10 > counts.runs &&
                counts.without_switch * 20 > counts.runs);
}

/* Where nothing has begun the rest is the whole problem. */
static void test_from_the_beginning(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < random_problem_count(1500); i++) {
        struct random_options options = {i % 3, kinds[i / 3 % KINDS], 1, 6, 0, 0};
        struct world world;
        uint64_t edges, rest_edges, count;
        int64_t optimum, rest_optimum;
        begin(&world, 50000 + i, &options);
        world.now_fabric = world.fabric;
        const struct flux_slot *slots = flux_schedule_slots(world.old, &count);
        assert_int_equal(flux_replan(world.graph, world.fabric, slots, count, NULL, &world.replan, NULL), 0);
        const struct flux_graph *rest = flux_replan_graph(world.replan);
        flux_graph_edges(world.graph, &edges);
        flux_graph_edges(rest, &rest_edges);
        assert_int_equal(flux_graph_vertices(rest), world.problem.vertices);
        assert_int_equal(edges, rest_edges);
        assert_int_equal(flux_replan_summary(world.replan, &world.summary), FLUX_E_ABI); /* without a size */
        world.summary = (struct flux_replan_summary)FLUX_REPLAN_SUMMARY_INIT;
        assert_int_equal(flux_replan_summary(world.replan, &world.summary), 0);
        if (world.summary.makespan > flux_schedule_makespan(world.old))
            complain(&world, "it is worse than the old plan, though nothing has begun");
        if (!brute_force(world.graph, world.fabric, STEPS, &optimum, NULL) &&
            !brute_force(rest, flux_replan_fabric(world.replan), STEPS, &rest_optimum, NULL))
            assert_int_equal(optimum, rest_optimum);
        end(&world);
    }
}

/* What really happened, replayed in order with slow GPUs; then again and again from where that stands. */
static void test_as_it_happened(void **state)
{
    uint32_t later = 0;
    (void)state;
    for (uint32_t i = 0; i < random_problem_count(1500); i++) {
        struct random_options options = {i % 3, kinds[i / 3 % 6], 2, SENDS_MAX, 0, 0};
        struct flux_replay_options slow = FLUX_REPLAY_OPTIONS_INIT;
        struct flux_replay *replay;
        struct world world;
        uint64_t draws = i, count;
        begin(&world, 90000 + i, &options);
        world.now_fabric = world.fabric;
        const struct flux_slot *slots = flux_schedule_slots(world.old, &count);
        for (uint32_t g = 0; g < world.problem.gpus; g++)
            world.factors[g] = (1 + draw(&draws, 2)) * FLUX_PPM;
        slow.mode = FLUX_REPLAY_ORDER;
        slow.factors_ppm = world.options.factors_ppm = world.factors;
        slow.factor_count = world.options.factor_count = world.problem.gpus;
        assert_int_equal(flux_replay_new(world.graph, world.fabric, slots, count, &replay, NULL), 0);
        assert_int_equal(flux_replay_run(replay, &slow, NULL), 0);
        const struct flux_time *ran = flux_replay_times(replay, NULL);
        world.options.now = draw(&draws, (uint32_t)flux_schedule_makespan(world.old) + 2);
        for (uint32_t v = 0; v < world.problem.vertices; v++)
            world.times[v] = ran[v].start < world.options.now ? ran[v] : (struct flux_time){-1, -1};
        world.options.times = world.times;
        world.options.time_count = world.problem.vertices;
        assert_int_equal(plan_anew(&world), 0);
        check_whole(&world);
        later += world.options.now > 0;
        /* Once more from a later moment of the new plan, all as it said. */
        struct flux_slot again[SENDS_MAX];
        struct flux_replan *second = NULL;
        memcpy(again, flux_replan_slots(world.replan, NULL), count * sizeof *again);
        const struct flux_time *planned = flux_replan_times(world.replan, NULL);
        world.options.now += draw(&draws, 10);
        for (uint32_t v = 0; v < world.problem.vertices; v++)
            world.times[v] = planned[v].start < world.options.now ? planned[v] : (struct flux_time){-1, -1};
        struct flux_error error = {0};
        if (flux_replan(world.graph, world.fabric, again, count, &world.options, &second, &error))
            complain(&world, error.text);
        flux_replan_free(world.replan);
        world.replan = second;
        world.summary = (struct flux_replan_summary)FLUX_REPLAN_SUMMARY_INIT;
        assert_int_equal(flux_replan_summary(second, &world.summary), 0);
        check_whole(&world);
        flux_replay_free(replay);
        end(&world);
    }
    assert_true(later > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_moments),
        cmocka_unit_test(test_from_the_beginning),
        cmocka_unit_test(test_as_it_happened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
