/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs step by step: by the clock against the rows of flux_schedule_circuits(), looked at from scratch at every
 * time; in order against replays with jitter, and against the checker where everything takes as long as it likes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "simulate/program.h"

#include "../support/failing_memory.h"
#include "../support/random_problem.h"

#include <inttypes.h>
#include <libflux/simulate.h>
#include <stdio.h>
#include <string.h>

#define ROWS_MAX 64
#define ACTIONS_MAX 256

struct scene {
    struct random_problem random;
    struct failing_memory memory;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_schedule *schedule;
    struct flux_program *program;
    uint64_t dice;
};

static uint32_t next(uint64_t *dice)
{
    *dice = *dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*dice >> 33);
}

static int begin(struct scene *scene, uint32_t parameters, uint32_t i, uint64_t seed)
{
    uint32_t mask = parameters == RANDOM_ALL ? (i * 2654435761u) >> 24 & RANDOM_ALL : parameters;
    struct random_options options = {i % 3, mask, 2, 8, 0, 0};
    struct flux_options no_solver = FLUX_OPTIONS_INIT;
    struct flux_error error = {0};
    no_solver.exact = FLUX_EXACT_NEVER;
    scene->dice = seed * 977 + 5;
    failing_memory_init(&scene->memory);
    random_problem(&scene->random, seed, &options);
    assert_int_equal(random_problem_build(&scene->random, &scene->memory.env, &scene->graph, &scene->fabric), 0);
    if (flux_schedule(scene->graph, scene->fabric, &no_solver, &scene->schedule, NULL)) {
        flux_graph_free(scene->graph);
        flux_fabric_free(scene->fabric);
        return 0;
    }
    if (flux_program_new(scene->graph, scene->fabric, scene->schedule, &scene->program, &error))
        fail_msg("%s", error.text);
    return 1;
}

static void end(struct scene *scene)
{
    flux_program_free(scene->program);
    flux_schedule_free(scene->schedule);
    flux_graph_free(scene->graph);
    flux_fabric_free(scene->fabric);
    assert_int_equal(atomic_load(&scene->memory.live), 0);
    assert_int_equal(atomic_load(&scene->memory.wrong), 0);
}

static void blame(const struct scene *scene, const char *what, int64_t time)
{
    random_problem_print(&scene->random);
    fail_msg("seed %" PRIu64 ": %s at %" PRId64, scene->random.seed, what, time);
}

/* ---- by the clock ---- */

static int share_port(uint32_t rule, const struct flux_circuit *a, const struct flux_circuit *b)
{
    if (a->switch_index != b->switch_index)
        return 0;
    if (rule == FLUX_RULE_SIMPLEX)
        return a->src == b->src || a->dst == b->dst;
    return a->src == b->src || a->dst == b->dst || a->src == b->dst || a->dst == b->src;
}

/* When the row goes down: another one on its ports begins after it. */
static int64_t down_time(uint32_t rule, const struct flux_circuit *rows, uint64_t count, uint64_t r)
{
    int64_t down = INT64_MAX;
    for (uint64_t i = 0; i < count; i++)
        if (i != r && rows[i].changed && rows[i].begin >= rows[r].down && share_port(rule, &rows[i], &rows[r]) &&
            rows[i].begin < down)
            down = rows[i].begin;
    return down;
}

static void check_standing(const struct scene *scene, int64_t time)
{
    uint32_t rule = flux_fabric_rule(scene->fabric);
    uint64_t count;
    const struct flux_circuit *rows = flux_schedule_circuits(scene->schedule, &count);
    int64_t soonest = INT64_MAX;
    for (uint32_t k = 0; k < flux_fabric_switches(scene->fabric); k++) {
        uint32_t up_count, expected = 0, found = 0;
        const uint32_t *up = flux_program_up(scene->program, k, &up_count);
        int64_t change = INT64_MAX;
        for (uint64_t r = 0; r < count; r++) {
            if (rows[r].switch_index != k)
                continue;
            int64_t down = down_time(rule, rows, count, r);
            const int64_t moments[] = {rows[r].changed ? rows[r].begin : INT64_MAX, rows[r].up, down};
            for (int m = 0; m < 3; m++)
                if (moments[m] > time && moments[m] < change)
                    change = moments[m];
            if (rows[r].up > time || down <= time)
                continue;
            expected++;
            for (uint32_t i = 0; i < up_count; i++)
                found += up[i] == r;
        }
        if (up_count != expected || found != expected)
            blame(scene, "other circuits are up", time);
        if (flux_program_next_change(scene->program, k) != change)
            blame(scene, "another next change", time);
        soonest = change < soonest ? change : soonest;
    }
    if (flux_program_next_change(scene->program, FLUX_ALL_SWITCHES) != soonest)
        blame(scene, "another next change of all", time);
}

static void check_start(const struct scene *scene, const struct flux_event *event)
{
    uint32_t count, there = 0, row = flux_program_circuit_of(scene->program, event->item);
    const uint32_t *up = flux_program_up(scene->program, event->switch_index, &count);
    const struct flux_circuit *circuit = &flux_program_circuits(scene->program, NULL)[row];
    struct flux_send send;
    assert_int_equal(flux_graph_get_send(scene->graph, event->item, &send), 0);
    assert_true((circuit->src == send.src && circuit->dst == send.dst) ||
                (circuit->src == send.dst && circuit->dst == send.src && scene->random.rule == FLUX_RULE_DUPLEX));
    for (uint32_t i = 0; i < count; i++)
        there += up[i] == row;
    if (!there)
        blame(scene, "a send without its circuit", event->time);
}

static void walk(const struct scene *scene)
{
    struct flux_event event, peeked;
    uint64_t slots, starts = 0, ends = 0, rows;
    const struct flux_slot *slot = flux_schedule_slots(scene->schedule, &slots);
    const struct flux_circuit *circuits = flux_schedule_circuits(scene->schedule, &rows);
    uint64_t told;
    const struct flux_circuit *ours = flux_program_circuits(scene->program, &told);
    int64_t last = -1;
    uint32_t kind = 0;
    assert_int_equal(told, rows);
    if (rows)
        assert_memory_equal(ours, circuits, rows * sizeof *ours);
    while (flux_program_peek(scene->program, &peeked)) {
        assert_int_equal(flux_program_step(scene->program, &event), 1);
        assert_memory_equal(&event, &peeked, sizeof event);
        assert_true(event.time > last || (event.time == last && event.kind >= kind));
        last = event.time;
        kind = event.kind;
        if (kind == FLUX_EVENT_START)
            check_start(scene, &event);
        starts += kind == FLUX_EVENT_START;
        ends += kind == FLUX_EVENT_END;
        for (uint64_t i = 0; i < slots; i++)
            if (slot[i].send == event.item && (kind == FLUX_EVENT_START || kind == FLUX_EVENT_END))
                assert_true(slot[i].switch_index == event.switch_index &&
                            event.time == (kind == FLUX_EVENT_START ? slot[i].start : slot[i].end) &&
                            event.duration == (kind == FLUX_EVENT_START ? slot[i].end - slot[i].start : 0));
    }
    assert_int_equal(flux_program_step(scene->program, NULL), 0);
    assert_int_equal(starts, slots);
    assert_int_equal(ends, slots);
    check_standing(scene, INT64_MAX - 1);
}

static void by_the_clock(void **state)
{
    (void)state;
    uint32_t count = random_problem_count(1200), tried = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct scene scene;
        if (!begin(&scene, RANDOM_ALL, i, 31000000 + i))
            continue;
        tried++;
        int64_t makespan = flux_schedule_makespan(scene.schedule);
        check_standing(&scene, -1);
        walk(&scene);
        for (int64_t time = makespan < 300 ? makespan : 300; time >= -1; time -= 1 + next(&scene.dice) % 4) {
            assert_int_equal(flux_program_seek(scene.program, time), 0);
            check_standing(&scene, time);
        }
        for (int jump = 0; jump < 12; jump++) {
            int64_t time = (int64_t)(next(&scene.dice) % ((uint32_t)makespan + 3)) - 1;
            assert_int_equal(flux_program_seek(scene.program, time), 0);
            check_standing(&scene, time);
        }
        assert_int_equal(flux_program_seek(scene.program, -1), 0);
        walk(&scene);
        end(&scene);
    }
    assert_true(tried > count / 2);
}

/* ---- in order ---- */

/* Actions under way, and when each ends. */
struct under_way {
    struct flux_event action[ACTIONS_MAX];
    int64_t end[ACTIONS_MAX];
    uint32_t count;
};

/* Takes what may begin; `durations` by vertex (NULL: as long as it likes). Tells when vertices run. */
static void take_all(struct scene *scene, struct under_way *way, const int64_t *durations, struct flux_time *times)
{
    struct flux_event action;
    while (flux_program_take(scene->program, &action)) {
        int64_t start = action.time, duration = action.duration;
        if (action.kind != FLUX_EVENT_CHANGE) {
            if (!durations && action.kind == FLUX_EVENT_START)
                start += next(&scene->dice) % 3 ? 0 : next(&scene->dice) % 9;
            duration = durations ? durations[action.item] : duration + next(&scene->dice) % 5;
            times[action.item] = (struct flux_time){start, start + duration};
        } else if (!durations) {
            duration += next(&scene->dice) % 3;
        }
        assert_true(way->count < ACTIONS_MAX);
        way->end[way->count] = start + duration;
        way->action[way->count++] = action;
    }
}

/* The iteration in order, by a loop that reports whatever ends next. */
static void run(struct scene *scene, const int64_t *durations, struct flux_time *times)
{
    static struct under_way way;
    way.count = 0;
    take_all(scene, &way, durations, times);
    while (way.count > 0) {
        uint32_t first = 0;
        for (uint32_t i = 1; i < way.count; i++)
            if (way.end[i] < way.end[first])
                first = i;
        struct flux_event action = way.action[first];
        int64_t time = way.end[first];
        way.action[first] = way.action[--way.count];
        way.end[first] = way.end[way.count];
        assert_int_equal(flux_program_done(scene->program, action.kind, action.item, time), 0);
        assert_int_equal(flux_program_done(scene->program, action.kind, action.item, time), FLUX_E_ARGUMENT);
        take_all(scene, &way, durations, times);
    }
    if (flux_program_left(scene->program))
        blame(scene, "the iteration stands still", (int64_t)flux_program_left(scene->program));
}

/* With the durations of a replay, the same starts. */
static void like_a_replay(void **state)
{
    (void)state;
    uint32_t count = random_problem_count(3000);
    for (uint32_t i = 0; i < count; i++) {
        struct scene scene;
        struct flux_replay *replay;
        struct flux_replay_options options = FLUX_REPLAY_OPTIONS_INIT;
        struct flux_time times[RANDOM_VERTICES_MAX];
        int64_t durations[RANDOM_VERTICES_MAX];
        uint64_t slots;
        if (!begin(&scene, i % 2 ? RANDOM_ALL : RANDOM_BLOCKING | RANDOM_DWELL | RANDOM_INITIAL, i / 2, 32000000 + i))
            continue;
        const struct flux_slot *slot = flux_schedule_slots(scene.schedule, &slots);
        assert_int_equal(flux_replay_new(scene.graph, scene.fabric, slot, slots, &replay, NULL), 0);
        options.mode = FLUX_REPLAY_ORDER;
        for (uint32_t seed = 0; seed < 3; seed++) {
            options.seed = seed;
            options.jitter_ppm = seed ? FLUX_PPM : 0;
            assert_int_equal(flux_replay_run(replay, &options, NULL), 0);
            const struct flux_time *replayed = flux_replay_times(replay, NULL);
            for (uint32_t v = 0; v < flux_graph_vertices(scene.graph); v++)
                durations[v] = replayed[v].end - replayed[v].start;
            flux_program_restart(scene.program);
            run(&scene, durations, times);
            for (uint32_t v = 0; v < flux_graph_vertices(scene.graph); v++)
                if (times[v].start != replayed[v].start || times[v].end != replayed[v].end)
                    blame(&scene, "another start than in the replay", times[v].start);
        }
        flux_replay_free(replay);
        end(&scene);
    }
}

/* Whatever sends, changes and compute take, and however late the caller starts sends: it is a schedule for a workload
 * in which they take that long. */
static void whatever_it_takes(void **state)
{
    (void)state;
    uint32_t count = random_problem_count(3000);
    for (uint32_t i = 0; i < count; i++) {
        struct scene scene;
        struct flux_time times[RANDOM_VERTICES_MAX];
        struct flux_slot slots[RANDOM_VERTICES_MAX];
        struct flux_error error = {0};
        uint64_t slot_count;
        if (!begin(&scene, i % 2 ? RANDOM_ALL : RANDOM_BLOCKING | RANDOM_DWELL | RANDOM_INITIAL, i / 2, 33000000 + i))
            continue;
        const struct flux_slot *planned = flux_schedule_slots(scene.schedule, &slot_count);
        uint32_t partly = next(&scene.dice) % 4;
        for (struct flux_event action; partly > 0 && flux_program_take(scene.program, &action); partly--)
            assert_int_equal(flux_program_done(scene.program, action.kind, action.item, action.time), 0);
        flux_program_restart(scene.program); /* that iteration was cancelled */
        long long calls = atomic_load(&scene.memory.calls);
        run(&scene, NULL, times);
        assert_int_equal(atomic_load(&scene.memory.calls), calls);
        for (uint64_t s = 0; s < slot_count; s++)
            slots[s] = (struct flux_slot){planned[s].send, planned[s].switch_index, times[planned[s].send].start,
                                          times[planned[s].send].end};
        for (uint32_t v = 0; v < flux_graph_vertices(scene.graph); v++)
            assert_int_equal(flux_graph_set_duration(scene.graph, v, times[v].end - times[v].start), 0);
        if (flux_check(scene.graph, scene.fabric, slots, slot_count, NULL, &error))
            blame(&scene, error.text, 0);
        end(&scene);
    }
}

/* ---- how much work ---- */

/* Layers of an all-to-all with compute between: the steps for each action do not grow with the size. */
static double steps_per_action(uint32_t layers)
{
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_schedule *schedule;
    struct flux_program *program;
    struct flux_event action;
    uint64_t work = 0, edges;
    assert_int_equal(flux_graph_new(NULL, 6, &graph), 0);
    assert_int_equal(flux_fabric_new(NULL, 6, 2, &fabric), 0);
    assert_int_equal(flux_fabric_set_delay(fabric, FLUX_ALL_SWITCHES, 5), 0);
    assert_int_equal(flux_fabric_set_blocking(fabric, 1, FLUX_BLOCKING_SWITCH), 0);
    for (uint32_t layer = 0; layer < layers; layer++) {
        uint32_t join, send;
        assert_int_equal(flux_graph_add_compute(graph, 0, 10, &join), 0);
        for (uint32_t g = 0; g < 6; g++) {
            assert_int_equal(flux_graph_add_send(graph, g, (g + 1 + layer % 5) % 6, 1000 + g, &send), 0);
            assert_int_equal(flux_graph_add_edge(graph, join, send, 0), 0);
            if (layer)
                assert_int_equal(flux_graph_add_edge(graph, send - 7, join, 0), 0);
        }
    }
    assert_int_equal(flux_schedule(graph, fabric, NULL, &schedule, NULL), 0);
    assert_int_equal(flux_program_new(graph, fabric, schedule, &program, NULL), 0);
    for (int round = 0; round < 2; round++) {
        flux_program_restart(program);
        while (flux_program_take(program, &action))
            assert_int_equal(flux_program_done(program, action.kind, action.item, action.time + action.duration), 0);
        assert_int_equal(flux_program_left(program), 0);
        work = program->order.steps;
    }
    flux_graph_edges(graph, &edges);
    double each = (double)work / (double)(program->order.actions + edges);
    flux_program_free(program);
    flux_schedule_free(schedule);
    flux_graph_free(graph);
    flux_fabric_free(fabric);
    return each;
}

static void steps_are_constant(void **state)
{
    (void)state;
    double small = steps_per_action(20), large = steps_per_action(2000);
    print_message("%.3f steps for each action and edge of %d sends, %.3f of %d\n", small, 120, large, 12000);
    assert_true(small < 4 && large < 4 && large < small * 1.2);
}

static void bad_calls(void **state)
{
    (void)state;
    struct scene scene;
    struct flux_event action;
    uint32_t i = 0;
    while (!begin(&scene, 0, i, 34000000 + i))
        i++;
    struct flux_program *none = scene.program;
    assert_int_equal(flux_program_new(NULL, scene.fabric, scene.schedule, &none, NULL), FLUX_E_ARGUMENT);
    assert_null(none);
    assert_int_equal(flux_program_new(scene.graph, NULL, scene.schedule, &none, NULL), FLUX_E_ARGUMENT);
    assert_int_equal(flux_program_new(scene.graph, scene.fabric, NULL, &none, NULL), FLUX_E_ARGUMENT);
    assert_int_equal(flux_program_new(scene.graph, scene.fabric, scene.schedule, NULL, NULL), FLUX_E_ARGUMENT);
    flux_program_free(NULL);
    flux_program_restart(NULL);
    assert_int_equal(flux_program_step(NULL, &action), 0);
    assert_int_equal(flux_program_peek(NULL, NULL), 0);
    assert_int_equal(flux_program_take(NULL, &action), 0);
    assert_int_equal(flux_program_seek(NULL, 0), FLUX_E_ARGUMENT);
    assert_int_equal(flux_program_seek(scene.program, -2), FLUX_E_ARGUMENT);
    assert_int_equal(flux_program_left(NULL), 0);
    assert_null(flux_program_circuits(NULL, NULL));
    assert_null(flux_program_up(scene.program, FLUX_ALL_SWITCHES, NULL));
    assert_int_equal(flux_program_circuit_of(scene.program, 1000), FLUX_NONE);
    assert_true(flux_program_next_change(scene.program, 1000) == INT64_MAX);
    assert_int_equal(flux_program_done(scene.program, FLUX_EVENT_UP, 0, 0), FLUX_E_ARGUMENT);
    assert_int_equal(flux_program_done(scene.program, FLUX_EVENT_START, 1000, 0), FLUX_E_ARGUMENT);
    assert_int_equal(flux_program_done(scene.program, FLUX_EVENT_CHANGE, 1000, 0), FLUX_E_ARGUMENT);
    assert_int_equal(flux_program_take(scene.program, &action), 1);
    assert_int_equal(flux_program_done(scene.program, action.kind, action.item, action.time - 1), FLUX_E_ARGUMENT);
    assert_int_equal(flux_program_done(scene.program, action.kind, action.item, INT64_MAX), FLUX_E_ARGUMENT);
    assert_int_equal(flux_program_done(scene.program, action.kind, action.item, FLUX_TIME_MAX), 0);
    end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_the_clock),       cmocka_unit_test(like_a_replay), cmocka_unit_test(whatever_it_takes),
        cmocka_unit_test(steps_are_constant), cmocka_unit_test(bad_calls),
    };
    return cmocka_run_group_tests_name("program", tests, NULL, NULL);
}
