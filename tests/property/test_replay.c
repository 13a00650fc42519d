/* SPDX-License-Identifier: Apache-2.0
 *
 * Replays of random schedules, on every kind of fabric: by the clock with compute as planned, the planned times; in
 * order, nothing later than planned; with other compute, a schedule for that compute by the checker and by the pairwise
 * rules, nothing lost, no send later than something makes it, and figures that a slow recount gets as well.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/pairwise.h"
#include "../support/random_problem.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SENDS_MAX 8

struct counts {
    uint32_t runs;
    uint32_t stretched;
    uint32_t late;
    uint32_t missed;
    uint32_t waited; /* runs in order that a fabric without whole-switch moments was compared with the least starts */
};

struct world {
    struct random_problem problem;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_slot slots[SENDS_MAX];
    struct flux_time planned[RANDOM_VERTICES_MAX];
    uint32_t count;
    int64_t makespan;
    struct flux_replay *replay;
    const char *what;
};

static void complain(const struct world *world, const char *text)
{
    random_problem_print(&world->problem);
    for (uint32_t i = 0; i < world->count; i++)
        fprintf(stderr, "# v%" PRIu32 " on %" PRIu32 " from %" PRId64 " to %" PRId64 "\n", world->slots[i].send,
                world->slots[i].switch_index, world->slots[i].start, world->slots[i].end);
    const struct flux_time *times = flux_replay_times(world->replay, NULL);
    for (uint32_t v = 0; times && v < flux_graph_vertices(world->graph); v++)
        fprintf(stderr, "# v%" PRIu32 " ran from %" PRId64 " to %" PRId64 "\n", v, times[v].start, times[v].end);
    fail_msg("seed %" PRIu64 ", %s: %s", world->problem.seed, world->what, text);
}

static void run(struct world *world, const struct flux_replay_options *options)
{
    struct flux_error error = {0};
    if (flux_replay_run(world->replay, options, &error))
        complain(world, error.text);
}

static struct flux_replay_summary summary_of(const struct world *world)
{
    struct flux_replay_summary summary = FLUX_REPLAY_SUMMARY_INIT;
    assert_int_equal(flux_replay_summary(world->replay, &summary), 0);
    return summary;
}

/* The last run as slots. */
static void slots_of_run(const struct world *world, struct flux_slot *slots)
{
    const struct flux_time *times = flux_replay_times(world->replay, NULL);
    for (uint32_t i = 0; i < world->count; i++) {
        slots[i] = world->slots[i];
        slots[i].start = times[slots[i].send].start;
        slots[i].end = times[slots[i].send].end;
    }
}

/* The graph with the compute times of the last run. */
static struct flux_graph *graph_of_run(const struct world *world)
{
    struct random_problem problem = world->problem;
    const struct flux_time *times = flux_replay_times(world->replay, NULL);
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    for (uint32_t v = 0; v < problem.vertices; v++)
        if (!problem.vertex[v].send)
            problem.vertex[v].duration = times[v].end - times[v].start;
    assert_int_equal(random_problem_build(&problem, NULL, &graph, &fabric), 0);
    flux_fabric_free(fabric);
    return graph;
}

/* A run that missed nothing is a schedule for the compute it had, in which compute runs at the same times. */
static void check_feasible(const struct world *world)
{
    struct flux_graph *graph = graph_of_run(world);
    struct flux_slot slots[SENDS_MAX];
    struct flux_time times[RANDOM_VERTICES_MAX];
    struct flux_error error = {0};
    char why[PAIRWISE_TEXT];
    int64_t makespan = -1, pairwise = -1;
    slots_of_run(world, slots);
    if (flux_check(graph, world->fabric, slots, world->count, &makespan, &error))
        complain(world, error.text);
    if (!pairwise_check(graph, world->fabric, slots, world->count, &pairwise, why))
        complain(world, why);
    assert_int_equal(makespan, pairwise);
    assert_int_equal(makespan, summary_of(world).iteration);
    assert_true(pairwise_times(graph, world->fabric, slots, world->count, times));
    assert_memory_equal(times, flux_replay_times(world->replay, NULL), world->problem.vertices * sizeof *times);
    flux_graph_free(graph);
}

static void check_clock_as_planned(struct world *world)
{
    struct flux_replay_options options = FLUX_REPLAY_OPTIONS_INIT;
    world->what = "by the clock as planned";
    run(world, &options);
    struct flux_replay_summary summary = summary_of(world);
    if (summary.iteration != world->makespan || summary.planned != world->makespan)
        complain(world, "the iteration does not take the makespan");
    if (memcmp(flux_replay_times(world->replay, NULL), world->planned,
               world->problem.vertices * sizeof *world->planned) != 0)
        complain(world, "some time is not the planned one");
    assert_int_equal(summary.late + summary.missed + summary.stranded, 0);
}

static void check_order_as_planned(struct world *world)
{
    struct flux_replay_options options = FLUX_REPLAY_OPTIONS_INIT;
    options.mode = FLUX_REPLAY_ORDER;
    world->what = "in order as planned";
    run(world, &options);
    struct flux_replay_summary summary = summary_of(world);
    const struct flux_time *times = flux_replay_times(world->replay, NULL);
    if (summary.iteration > world->makespan)
        complain(world, "the iteration takes longer than planned");
    for (uint32_t v = 0; v < world->problem.vertices; v++)
        if (times[v].start > world->planned[v].start || times[v].start < 0)
            complain(world, "something is later than planned");
    assert_int_equal(summary.late + summary.missed + summary.stranded, 0);
    check_feasible(world);
}

static int is_staged(const struct world *world)
{
    for (uint32_t k = 0; k < world->problem.switches; k++)
        if (world->problem.dwell[k] || (world->problem.blocking[k] && world->problem.delay[k]))
            return 1;
    return 0;
}

/* On switches whose ports change by themselves every send starts as soon as it is ready and those that the plan has
 * before it at its ports, and initial circuits, are far enough behind. */
static void check_least(struct world *world, struct counts *counts)
{
    const struct random_problem *problem = &world->problem;
    const struct flux_time *times = flux_replay_times(world->replay, NULL);
    const int64_t *ready = flux_replay_ready(world->replay, NULL);
    for (uint32_t i = 0; i < world->count; i++) {
        const struct flux_slot *slot = &world->slots[i];
        const struct random_vertex *w = &problem->vertex[slot->send];
        int64_t least = ready[slot->send], delay = problem->delay[slot->switch_index];
        for (uint32_t j = 0; j < problem->initials; j++) {
            const struct flux_circuit_name *up = &problem->initial[j];
            int64_t apart = pairwise_separation(problem->rule, up->src, up->dst, w->src, w->dst, delay);
            if (up->switch_index == slot->switch_index && apart > least)
                least = apart;
        }
        for (uint32_t j = 0; j < world->count; j++) {
            const struct flux_slot *other = &world->slots[j];
            const struct random_vertex *u = &problem->vertex[other->send];
            int64_t apart = pairwise_separation(problem->rule, u->src, u->dst, w->src, w->dst, delay);
            if (other->switch_index == slot->switch_index && other->start < slot->start && apart >= 0 &&
                times[other->send].end + apart > least)
                least = times[other->send].end + apart;
        }
        if (times[slot->send].start != least)
            complain(world, "a send does not start when it can");
    }
    counts->waited++;
}

/* What the checker's times say about readiness, for every vertex that became ready. */
static void check_ready(const struct world *world)
{
    const struct flux_time *times = flux_replay_times(world->replay, NULL);
    const int64_t *ready = flux_replay_ready(world->replay, NULL);
    uint64_t edges;
    const struct flux_edge *edge = flux_graph_edges(world->graph, &edges);
    for (uint32_t v = 0; v < world->problem.vertices; v++) {
        int64_t least = world->problem.vertex[v].release;
        for (uint64_t i = 0; i < edges && least >= 0; i++) {
            if (edge[i].to != v)
                continue;
            int64_t end = times[edge[i].from].end;
            int64_t arrives = end + pairwise_lag(world->graph, world->fabric, &edge[i]);
            least = end < 0 ? -1 : arrives > least ? arrives : least;
        }
        if (ready[v] != least)
            complain(world, "a vertex is not ready when it should be");
        if (least < 0 && times[v].start >= 0)
            complain(world, "a vertex ran without what it waits for");
        if (!world->problem.vertex[v].send && least >= 0 && times[v].start != least)
            complain(world, "compute did not run as early as it can");
    }
}

static uint64_t bytes_of(const struct world *world, uint32_t vertex)
{
    struct flux_send send;
    assert_int_equal(flux_graph_get_send(world->graph, vertex, &send), 0);
    return send.bytes;
}

static uint64_t held_at(const struct world *world, int64_t time, uint32_t gpu)
{
    const struct flux_time *times = flux_replay_times(world->replay, NULL);
    const int64_t *ready = flux_replay_ready(world->replay, NULL);
    uint64_t held = 0;
    for (uint32_t i = 0; i < world->count; i++) {
        uint32_t v = world->slots[i].send;
        if (ready[v] >= 0 && ready[v] <= time && (times[v].end < 0 || times[v].end > time) &&
            (gpu == FLUX_NONE || world->problem.vertex[v].src == gpu))
            held += bytes_of(world, v);
    }
    return held;
}

static uint64_t peak_of(const struct world *world, uint32_t gpu)
{
    const int64_t *ready = flux_replay_ready(world->replay, NULL);
    uint64_t peak = 0;
    for (uint32_t i = 0; i < world->count; i++)
        if (ready[world->slots[i].send] >= 0) {
            uint64_t held = held_at(world, ready[world->slots[i].send], gpu);
            peak = held > peak ? held : peak;
        }
    return peak;
}

/* Picosecond by picosecond: the times of these problems are small. */
static int64_t computing_of(const struct world *world, uint32_t gpu, int64_t iteration)
{
    const struct flux_time *times = flux_replay_times(world->replay, NULL);
    int64_t sum = 0;
    for (int64_t at = 0; at < iteration; at++)
        for (uint32_t v = 0; v < world->problem.vertices; v++)
            if (!world->problem.vertex[v].send && world->problem.vertex[v].src == gpu && times[v].start <= at &&
                times[v].end > at) {
                sum++;
                break;
            }
    return sum;
}

static void check_figures(struct world *world)
{
    struct flux_replay_summary summary = summary_of(world);
    const struct flux_time *times = flux_replay_times(world->replay, NULL);
    const struct flux_replay_gpu *gpus = flux_replay_gpus(world->replay, NULL);
    uint64_t largest = 0, late = 0, missed = 0, stranded = 0;
    int64_t end = 0, latest = 0, waiting = 0, busy = 0;
    for (uint32_t v = 0; v < world->problem.vertices; v++) {
        end = times[v].end > end ? times[v].end : end;
        stranded += times[v].start < 0;
        if (!world->problem.vertex[v].send)
            continue;
        missed += times[v].start < 0 && flux_replay_ready(world->replay, NULL)[v] >= 0;
        late += times[v].start > world->planned[v].start;
        busy += times[v].end - times[v].start;
        if (times[v].start - world->planned[v].start > latest)
            latest = times[v].start - world->planned[v].start;
    }
    assert_int_equal(summary.iteration, end);
    assert_int_equal(summary.stranded, stranded);
    assert_int_equal(summary.missed, missed);
    assert_int_equal(summary.late, late);
    assert_int_equal(summary.latest, latest);
    for (uint32_t g = 0; g < world->problem.gpus; g++) {
        assert_int_equal(gpus[g].memory, peak_of(world, g));
        assert_int_equal(gpus[g].computing + gpus[g].waiting, end);
        if (end < 5000)
            assert_int_equal(gpus[g].computing, computing_of(world, g, end));
        largest = gpus[g].memory > largest ? gpus[g].memory : largest;
        waiting += gpus[g].waiting;
    }
    assert_int_equal(summary.memory_of_gpu, largest);
    assert_int_equal(summary.memory, peak_of(world, FLUX_NONE));
    assert_int_equal(summary.waiting, waiting / world->problem.gpus);
    assert_true(summary.circuit_ppm <= FLUX_PPM && summary.port_ppm <= FLUX_PPM);
    assert_true((summary.circuit_ppm > 0) == (busy > 0));
    int64_t ports = (int64_t)world->problem.gpus * world->problem.switches * end;
    if (world->problem.rule != FLUX_RULE_PAPER)
        ports *= 2;
    assert_int_equal(summary.port_ppm, ports ? (uint64_t)(2 * busy) * FLUX_PPM / (uint64_t)ports : 0);
}

/* Compute that is not as planned. */
static void check_jitter(struct world *world, struct counts *counts)
{
    uint32_t factors[RANDOM_GPUS_MAX];
    struct flux_replay_options options = FLUX_REPLAY_OPTIONS_INIT;
    options.jitter_ppm = (uint32_t)(world->problem.seed % 3) * 300000;
    options.factors_ppm = factors;
    options.factor_count = world->problem.gpus;
    for (uint32_t g = 0; g < world->problem.gpus; g++)
        factors[g] = (uint32_t)((world->problem.seed + g) % 4) * 700000;
    for (options.seed = 1; options.seed <= 3; options.seed++) {
        for (options.mode = FLUX_REPLAY_CLOCK; options.mode <= FLUX_REPLAY_ORDER; options.mode++) {
            world->what = options.mode ? "in order with jitter" : "by the clock with jitter";
            run(world, &options);
            struct flux_replay_summary summary = summary_of(world);
            check_ready(world);
            check_figures(world);
            counts->runs++;
            counts->late += summary.late > 0;
            if (summary.missed == 0)
                check_feasible(world);
            counts->missed += summary.missed > 0;
            if (options.mode != FLUX_REPLAY_ORDER)
                continue;
            if (summary.missed || summary.stranded)
                complain(world, "a send is lost");
            if (!is_staged(world))
                check_least(world, counts);
        }
    }
}

static void replay(struct world *world, struct counts *counts)
{
    struct flux_error error = {0};
    assert_int_equal(flux_check(world->graph, world->fabric, world->slots, world->count, &world->makespan, NULL), 0);
    assert_true(pairwise_times(world->graph, world->fabric, world->slots, world->count, world->planned));
    if (flux_replay_new(world->graph, world->fabric, world->slots, world->count, &world->replay, &error))
        complain(world, error.text);
    assert_null(flux_replay_times(world->replay, NULL));
    check_clock_as_planned(world);
    check_figures(world);
    check_order_as_planned(world);
    check_figures(world);
    check_jitter(world, counts);
    flux_replay_free(world->replay);
    world->replay = NULL;
}

/* The same plan with time between: not a schedule on every fabric. */
static int stretch(struct world *world)
{
    for (uint32_t i = 0; i < world->count; i++) {
        int64_t duration = world->slots[i].end - world->slots[i].start;
        world->slots[i].start *= 2;
        world->slots[i].end = world->slots[i].start + duration;
    }
    return flux_check(world->graph, world->fabric, world->slots, world->count, NULL, NULL) == 0;
}

static void try_seed(uint64_t seed, const struct random_options *given, struct counts *counts)
{
    struct world world = {0};
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_schedule *schedule;
    uint64_t count;
    options.exact = FLUX_EXACT_NEVER;
    options.work_limit = 500;
    random_problem(&world.problem, seed, given);
    assert_int_equal(random_problem_build(&world.problem, NULL, &world.graph, &world.fabric), 0);
    assert_int_equal(flux_schedule(world.graph, world.fabric, &options, &schedule, NULL), 0);
    const struct flux_slot *slots = flux_schedule_slots(schedule, &count);
    memcpy(world.slots, slots, count * sizeof *slots);
    world.count = (uint32_t)count;
    flux_schedule_free(schedule);
    replay(&world, counts);
    if (stretch(&world)) {
        counts->stretched++;
        replay(&world, counts);
    }
    flux_graph_free(world.graph);
    flux_fabric_free(world.fabric);
}

static void test_random(void **state)
{
    static const uint32_t parameters[] = {0,
                                          RANDOM_DELAYS | RANDOM_INITIAL | RANDOM_PROPAGATION,
                                          RANDOM_BLOCKING | RANDOM_DELAYS,
                                          RANDOM_DWELL | RANDOM_INITIAL,
                                          RANDOM_BLOCKING | RANDOM_DWELL | RANDOM_INITIAL | RANDOM_RATES,
                                          RANDOM_ALL};
    (void)state;
    struct counts counts = {0};
    uint32_t count = random_problem_count(18000);
    for (uint32_t i = 0; i < count; i++) {
        struct random_options options = {.rule = i % 3, .parameters = parameters[i / 3 % 6], .sends_min = 1,
                                         .sends_max = SENDS_MAX, .time_max = i % 2 ? 20 : 0};
        try_seed(i, &options, &counts);
    }
    printf("# %" PRIu32 " runs, %" PRIu32 " with late sends, %" PRIu32 " with missed ones, %" PRIu32
           " stretched plans, %" PRIu32 " runs compared with the least starts\n",
           counts.runs, counts.late, counts.missed, counts.stretched, counts.waited);
    assert_true(counts.late > counts.runs / 50 && counts.missed > counts.runs / 1000);
    assert_true(counts.stretched > count / 4 && counts.waited > counts.runs / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
