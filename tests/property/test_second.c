/* SPDX-License-Identifier: Apache-2.0
 *
 * Second objectives on random problems, on every kind of fabric: the makespan is that without them, no selected measure
 * is worse where those before it are equal, the statistics are what the schedule, a replay and a slow recount say, and
 * the same comes out twice and within a limit on work. On tiny problems: how often no schedule of that makespan has
 * fewer reconfigurations.
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
#define ALL (FLUX_OBJECTIVE_RECONFIGURATIONS | FLUX_OBJECTIVE_MEMORY | FLUX_OBJECTIVE_SLACK)

struct world {
    struct random_problem problem;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    uint32_t staged;
};

struct measured {
    uint64_t reconfigurations;
    uint64_t memory;
    int64_t slack;
};

static void complain(const struct world *world, const char *text)
{
    random_problem_print(&world->problem);
    fail_msg("seed %" PRIu64 ": %s", world->problem.seed, text);
}

static void open_world(struct world *world, uint64_t seed, const struct random_options *options)
{
    struct random_problem small;
    random_problem(&small, seed, options);
    for (uint32_t v = 0; v < small.vertices; v++)
        if (small.vertex[v].send && small.vertex[v].duration)
            small.vertex[v].bytes = 1 + (seed + v * 7) % 5; /* so that memory has something to choose */
    /* A hundredth of the makespan is more than nothing then. */
    random_problem_scale(&small, options->parameters & RANDOM_RATES ? 1 : 1000, &world->problem);
    assert_int_equal(random_problem_build(&world->problem, NULL, &world->graph, &world->fabric), 0);
    world->staged = 0;
    for (uint32_t k = 0; k < world->problem.switches; k++)
        world->staged |= (world->problem.blocking[k] == FLUX_BLOCKING_SWITCH && world->problem.delay[k] > 0) ||
                         world->problem.dwell[k] > 0;
}

static void close_world(struct world *world)
{
    flux_graph_free(world->graph);
    flux_fabric_free(world->fabric);
}

static struct flux_schedule *schedule(struct world *world, uint32_t objectives, uint64_t work)
{
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_schedule *made = NULL;
    struct flux_error error = {0};
    options.exact = FLUX_EXACT_NEVER;
    options.objectives = objectives;
    options.work_limit = work;
    if (flux_schedule(world->graph, world->fabric, &options, &made, &error))
        complain(world, error.text);
    return made;
}

/* Do two sends of one switch compete, and how far apart must they be? -1: they do not. */
static int64_t apart(const struct world *world, uint32_t v, uint32_t w, uint32_t k)
{
    const struct random_vertex *a = &world->problem.vertex[v], *b = &world->problem.vertex[w];
    return pairwise_separation(world->problem.rule, a->src, a->dst, b->src, b->dst,
                               flux_fabric_delay(world->fabric, k));
}

/* Latest starts by going round until nothing moves: edges, and every pair that competes in the order that it has. */
static int64_t recount_slack(const struct world *world, const struct flux_schedule *made)
{
    const struct flux_time *times = flux_schedule_times(made, NULL);
    uint64_t count;
    const struct flux_slot *slots = flux_schedule_slots(made, &count);
    int64_t late[RANDOM_VERTICES_MAX], makespan = flux_schedule_makespan(made), sum = 0;
    for (uint32_t v = 0; v < world->problem.vertices; v++)
        late[v] = makespan - (times[v].end - times[v].start);
    for (int moved = 1; moved;) {
        moved = 0;
        for (uint32_t e = 0; e < world->problem.edges; e++) {
            const struct flux_edge *edge = &world->problem.edge[e];
            int64_t due = late[edge->to] - pairwise_lag(world->graph, world->fabric, edge) -
                          (times[edge->from].end - times[edge->from].start);
            moved |= due < late[edge->from];
            late[edge->from] = due < late[edge->from] ? due : late[edge->from];
        }
        for (uint64_t i = 0; i < count; i++)
            for (uint64_t j = 0; j < count; j++) {
                const struct flux_slot *a = &slots[i], *b = &slots[j];
                int64_t gap = a->switch_index == b->switch_index ? apart(world, a->send, b->send, a->switch_index) : -1;
                if (i == j || gap < 0 || a->start >= b->start)
                    continue;
                int64_t due = late[b->send] - gap - (a->end - a->start);
                moved |= due < late[a->send];
                late[a->send] = due < late[a->send] ? due : late[a->send];
            }
    }
    for (uint64_t i = 0; i < count; i++) {
        int64_t slack = late[slots[i].send] - slots[i].start;
        sum += slack < makespan / 100 ? slack : makespan / 100;
    }
    return sum / (int64_t)count;
}

static struct measured recount(const struct world *world, const struct flux_schedule *made)
{
    struct flux_replay_summary summary = FLUX_REPLAY_SUMMARY_INIT;
    struct flux_replay *replay;
    struct measured measured = {flux_schedule_reconfigurations(made), 0, -1};
    uint64_t count;
    const struct flux_slot *slots = flux_schedule_slots(made, &count);
    assert_int_equal(flux_replay_new(world->graph, world->fabric, slots, count, &replay, NULL), 0);
    assert_int_equal(flux_replay_run(replay, NULL, NULL), 0);
    assert_int_equal(flux_replay_summary(replay, &summary), 0);
    flux_replay_free(replay);
    measured.memory = summary.memory_of_gpu;
    if (!world->staged)
        measured.slack = recount_slack(world, made);
    return measured;
}

static int worse(const struct measured *a, const struct measured *b, uint32_t objectives)
{
    if (objectives & FLUX_OBJECTIVE_RECONFIGURATIONS && a->reconfigurations != b->reconfigurations)
        return a->reconfigurations > b->reconfigurations;
    if (objectives & FLUX_OBJECTIVE_MEMORY && a->memory != b->memory)
        return a->memory > b->memory;
    return objectives & FLUX_OBJECTIVE_SLACK && a->slack < b->slack;
}

static void check_statistics(const struct world *world, const struct flux_schedule *made, const struct measured *before,
                             const struct measured *after)
{
    struct flux_statistics statistics = FLUX_STATISTICS_INIT;
    assert_int_equal(flux_schedule_statistics(made, &statistics), 0);
    if (statistics.reconfigurations_before != before->reconfigurations || statistics.memory_before != before->memory ||
        statistics.slack_before != before->slack)
        complain(world, "the measures before are others");
    if (statistics.reconfigurations != after->reconfigurations || statistics.memory != after->memory ||
        statistics.slack != after->slack)
        complain(world, "the measures after are others");
}

static void check_same(const struct world *world, const struct flux_schedule *a, const struct flux_schedule *b)
{
    uint64_t count;
    const struct flux_slot *slots = flux_schedule_slots(a, &count);
    if (memcmp(slots, flux_schedule_slots(b, NULL), count * sizeof *slots))
        complain(world, "not the same twice");
}

static void never_worse(void **state)
{
    uint32_t count = random_problem_count(2000), better[3] = {0};
    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        struct random_options options = {
            i % 3, i & 16 ? RANDOM_ALL & ~(i & 32 ? 0xc0u : 0u) : 1u << i / 3 % 8, 2, 8, i & 64 ? 3 : 0, 0};
        struct world world;
        char why[PAIRWISE_TEXT];
        int64_t makespan;
        uint32_t objectives = 1 + i / 7 % 7;
        open_world(&world, 7100000 + i, &options);
        struct flux_schedule *plain = schedule(&world, 0, 0), *made = schedule(&world, objectives, 0);
        struct flux_schedule *again = schedule(&world, objectives, 0);
        struct measured before = recount(&world, plain), after = recount(&world, made);
        uint64_t sends;
        const struct flux_slot *slots = flux_schedule_slots(made, &sends);
        if (!pairwise_check(world.graph, world.fabric, slots, sends, &makespan, why))
            complain(&world, why);
        assert_int_equal(makespan, flux_schedule_makespan(plain));
        assert_int_equal(flux_schedule_bound(made), flux_schedule_bound(plain));
        if (worse(&after, &before, objectives))
            complain(&world, "worse than without");
        for (uint32_t b = 0; b < 3; b++)
            better[b] += objectives & 1u << b && worse(&before, &after, 1u << b);
        check_statistics(&world, made, &before, &after);
        check_same(&world, made, again);
        flux_schedule_free(plain);
        flux_schedule_free(made);
        flux_schedule_free(again);
        close_world(&world);
    }
    printf("second objectives: of %u schedules %u got fewer reconfigurations, %u less memory, %u more slack\n", count,
           better[0], better[1], better[2]);
    assert_true(better[0] > count / 150 && better[1] > 0 && better[2] > 0);
}

/* A limit on work is kept but for the steps between two looks, and gives the same twice. */
static void work_limit(void **state)
{
    uint32_t count = random_problem_count(150);
    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        struct random_options options = {i % 3, 1u << i / 3 % 6, 6, 8, 0, 0};
        struct flux_statistics statistics = FLUX_STATISTICS_INIT;
        struct world world;
        open_world(&world, 7200000 + i, &options);
        uint64_t limit = 200 + i % 10 * 50;
        struct flux_schedule *made = schedule(&world, ALL, limit), *again = schedule(&world, ALL, limit);
        check_same(&world, made, again);
        assert_int_equal(flux_schedule_statistics(made, &statistics), 0);
        assert_true(statistics.work <= limit + 1000);
        flux_schedule_free(made);
        flux_schedule_free(again);
        close_world(&world);
    }
}

/* Every order of sends and every switch, each send after all before it: fewest reconfigurations within a makespan. */
struct trial {
    const struct world *world;
    int64_t limit;
    uint64_t best;
    uint32_t placed;
    uint64_t changes;
    uint32_t order[SENDS_MAX];
    uint32_t on[SENDS_MAX];
    int64_t end[RANDOM_VERTICES_MAX]; /* -1: not placed */
};

/* When `v` is ready; -1: something that it waits for is not placed. */
static int64_t ready(const struct trial *trial, uint32_t v)
{
    const struct random_problem *problem = &trial->world->problem;
    int64_t time = problem->vertex[v].release;
    for (uint32_t e = 0; e < problem->edges; e++) {
        const struct flux_edge *edge = &problem->edge[e];
        if (edge->to != v)
            continue;
        int64_t end = trial->end[edge->from];
        if (!problem->vertex[edge->from].send) {
            end = ready(trial, edge->from);
            end = end < 0 ? -1 : end + problem->vertex[edge->from].duration;
        }
        if (end < 0)
            return -1;
        end += pairwise_lag(trial->world->graph, trial->world->fabric, edge);
        time = end > time ? end : time;
    }
    return time;
}

static int shares(const struct world *world, uint32_t gpu, int out, uint32_t src, uint32_t dst)
{
    if (world->problem.rule == FLUX_RULE_SIMPLEX)
        return out ? src == gpu : dst == gpu;
    return src == gpu || dst == gpu;
}

static int same_circuit(const struct world *world, uint32_t v, uint32_t src, uint32_t dst)
{
    const struct random_vertex *a = &world->problem.vertex[v];
    return (a->src == src && a->dst == dst) ||
           (world->problem.rule == FLUX_RULE_DUPLEX && a->src == dst && a->dst == src);
}

/* Is another circuit on the port of `v` on switch k? */
static int replaces(const struct trial *trial, uint32_t v, int out, uint32_t k)
{
    const struct random_problem *problem = &trial->world->problem;
    uint32_t gpu = out ? problem->vertex[v].src : problem->vertex[v].dst;
    for (uint32_t i = trial->placed; i-- > 0;) {
        const struct random_vertex *other = &problem->vertex[trial->order[i]];
        if (trial->on[i] == k && shares(trial->world, gpu, out, other->src, other->dst))
            return !same_circuit(trial->world, v, other->src, other->dst);
    }
    for (uint32_t i = 0; i < problem->initials; i++)
        if (problem->initial[i].switch_index == k &&
            shares(trial->world, gpu, out, problem->initial[i].src, problem->initial[i].dst))
            return !same_circuit(trial->world, v, problem->initial[i].src, problem->initial[i].dst);
    return 0;
}

static int64_t start_on(const struct trial *trial, uint32_t v, uint32_t k, int64_t time)
{
    const struct random_problem *problem = &trial->world->problem;
    for (uint32_t i = 0; i < trial->placed; i++) {
        int64_t gap = trial->on[i] == k ? apart(trial->world, trial->order[i], v, k) : -1;
        if (gap >= 0 && trial->end[trial->order[i]] + gap > time)
            time = trial->end[trial->order[i]] + gap;
    }
    if ((replaces(trial, v, 0, k) || replaces(trial, v, 1, k)) && problem->delay[k] > time)
        time = problem->delay[k];
    return time;
}

static void look_at_the_end(struct trial *trial)
{
    const struct random_problem *problem = &trial->world->problem;
    for (uint32_t v = 0; v < problem->vertices; v++)
        if (!problem->vertex[v].send && ready(trial, v) + problem->vertex[v].duration > trial->limit)
            return;
    trial->best = trial->changes < trial->best ? trial->changes : trial->best;
}

static void try_all(struct trial *trial, uint32_t sends)
{
    const struct random_problem *problem = &trial->world->problem;
    if (trial->changes >= trial->best)
        return;
    if (trial->placed == sends) {
        look_at_the_end(trial);
        return;
    }
    for (uint32_t v = 0; v < problem->vertices; v++) {
        int64_t time = problem->vertex[v].send && trial->end[v] < 0 ? ready(trial, v) : -1;
        for (uint32_t k = 0; k < problem->switches && time >= 0; k++) {
            int64_t duration = pairwise_duration(trial->world->graph, trial->world->fabric, v, k),
                    start = duration < 0 ? 0 : start_on(trial, v, k, time);
            uint64_t changed = (uint64_t)(replaces(trial, v, 0, k) || replaces(trial, v, 1, k));
            if (duration < 0 || start + duration > trial->limit)
                continue;
            trial->order[trial->placed] = v;
            trial->on[trial->placed++] = k;
            trial->end[v] = start + duration;
            trial->changes += changed;
            try_all(trial, sends);
            trial->changes -= changed;
            trial->end[v] = -1;
            trial->placed--;
        }
    }
}

static void fewest(void **state)
{
    uint32_t count = random_problem_count(1000), judged = 0, met = 0;
    uint64_t before = 0, after = 0, best = 0;
    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        struct random_options options = {i % 3, i & 16 ? RANDOM_ALL & ~0xc0u : 1u << i / 3 % 6, 3, 5, i & 8 ? 4 : 0, 0};
        struct flux_statistics statistics = FLUX_STATISTICS_INIT;
        struct world world;
        open_world(&world, 7300000 + i, &options);
        if (world.problem.switches <= 3 && !world.staged) {
            struct flux_schedule *made = schedule(&world, FLUX_OBJECTIVE_RECONFIGURATIONS, 0);
            struct trial trial = {.world = &world, .limit = flux_schedule_makespan(made), .best = UINT64_MAX};
            memset(trial.end, 0xff, sizeof trial.end);
            try_all(&trial, flux_graph_sends(world.graph));
            assert_int_equal(flux_schedule_statistics(made, &statistics), 0);
            if (statistics.reconfigurations < trial.best)
                complain(&world, "fewer than there can be");
            judged++;
            met += statistics.reconfigurations == trial.best;
            before += statistics.reconfigurations_before;
            after += statistics.reconfigurations;
            best += trial.best;
            flux_schedule_free(made);
        }
        close_world(&world);
    }
    printf("second objectives: %" PRIu64 " reconfigurations became %" PRIu64 ", the fewest are %" PRIu64
           "; met in %.1f %% of %u small problems\n",
           before, after, best, 100.0 * met / judged, judged);
    assert_true(judged > count / 3 && met >= judged / 100 * 95);
}

static void bad_objectives(void **state)
{
    struct random_options options = {FLUX_RULE_PAPER, 0, 2, 4, 0, 0};
    struct flux_options asked = FLUX_OPTIONS_INIT;
    struct flux_schedule *made;
    struct flux_error error = {0};
    struct world world;
    (void)state;
    open_world(&world, 1, &options);
    asked.objectives = 8;
    assert_int_equal(flux_schedule(world.graph, world.fabric, &asked, &made, &error), FLUX_E_ARGUMENT);
    assert_non_null(strstr(error.text, "objectives"));
    close_world(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(never_worse),
        cmocka_unit_test(work_limit),
        cmocka_unit_test(fewest),
        cmocka_unit_test(bad_objectives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
