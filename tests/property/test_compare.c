/* SPDX-License-Identifier: Apache-2.0
 *
 * Every scheduler on random problems: all bytes arrive, nothing before it is ready nor faster than light allows, what
 * claims to be a schedule is one, and none goes below the bounds that hold for it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/random_problem.h"

#include <stdio.h>
#include <string.h>

#define TRIED 3000

struct tried {
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_comparison *comparison;
    struct flux_comparison_summary summary;
    const struct random_problem *problem;
    const char *name;
};

static void fail_problem(const struct tried *tried, const char *why)
{
    random_problem_print(tried->problem);
    fail_msg("%s: %s", tried->name, why);
}

/* The shortest time of a send on any switch that can carry it. */
static int64_t least_duration(const struct tried *tried, const struct flux_send *send)
{
    int64_t least = INT64_MAX, time;
    for (uint32_t k = 0; k < flux_fabric_switches(tried->fabric); k++)
        if (!flux_fabric_dead(tried->fabric, send->src, k) && !flux_fabric_dead(tried->fabric, send->dst, k) &&
            !flux_fabric_is_forbidden(tried->fabric, k, send->src, send->dst)) {
            if (flux_fabric_duration(tried->fabric, k, send->src, send->dst, send->bytes, &time))
                time = INT64_MAX;
            time = send->duration ? send->duration : time;
            least = time < least ? time : least;
        }
    return least;
}

/* Nothing starts before what it waits for; a send takes its time. */
static void check_times(const struct tried *tried)
{
    const struct flux_time *times = flux_replay_times(flux_comparison_replay(tried->comparison), NULL);
    uint64_t edges = 0;
    const struct flux_edge *edge = flux_graph_edges(tried->graph, &edges);
    int64_t last = 0;
    uint64_t bytes = 0;
    uint32_t kind = flux_scheduler_kind(tried->summary.scheduler);
    for (uint32_t v = 0; v < flux_graph_vertices(tried->graph); v++) {
        struct flux_send send;
        if (times[v].start < 0 || times[v].end < times[v].start)
            fail_problem(tried, "a vertex never ran");
        last = times[v].end > last ? times[v].end : last;
        if (flux_graph_get_send(tried->graph, v, &send))
            continue;
        bytes += send.bytes;
        if (times[v].start < send.release)
            fail_problem(tried, "a send before its release");
        if (kind <= FLUX_SCHEDULER_KIND_CYCLE && times[v].end - times[v].start < least_duration(tried, &send))
            fail_problem(tried, "a send faster than its circuit");
    }
    for (uint64_t e = 0; e < edges; e++)
        if (times[edge[e].to].start < times[edge[e].from].end + edge[e].lag)
            fail_problem(tried, "a vertex before what it waits for");
    struct flux_replay_summary run = FLUX_REPLAY_SUMMARY_INIT;
    assert_int_equal(flux_replay_summary(flux_comparison_replay(tried->comparison), &run), 0);
    if (run.delivered != bytes || run.missed || run.stranded)
        fail_problem(tried, "bytes were lost, or came from nowhere");
    if (tried->summary.iteration != last)
        fail_problem(tried, "the iteration does not end with its last vertex");
}

/* docs/certificates.md proves the bounds for sends that are not cut. Cut ones may share a port's first place with
 * themselves, so the kinds that count edges say nothing about them; all others count only loads, circuits and paths. */
static void check_bound(const struct tried *tried)
{
    struct flux_certificate *certificate = NULL;
    uint64_t initials = 0;
    (void)flux_fabric_initial(tried->fabric, &initials);
    assert_int_equal(flux_bound(tried->graph, tried->fabric, &certificate, NULL), 0);
    uint32_t kind = flux_certificate_kind(certificate), scheduler = flux_scheduler_kind(tried->summary.scheduler);
    int edges = kind == FLUX_CERTIFICATE_PORT_EDGES || kind == FLUX_CERTIFICATE_LIFTED_EDGES;
    int holds =
        scheduler == FLUX_SCHEDULER_KIND_SCHEDULE || (scheduler == FLUX_SCHEDULER_KIND_CYCLE && !edges && !initials);
    if (holds && tried->summary.iteration < flux_certificate_bound(certificate))
        fail_problem(tried, "below the bound");
    if (tried->summary.bound < flux_certificate_bound(certificate))
        fail_problem(tried, "its bound is worse than the quick one");
    flux_certificate_free(certificate);
}

static void check_schedule(const struct tried *tried)
{
    const struct flux_schedule *schedule = flux_comparison_schedule(tried->comparison);
    uint64_t count = 0;
    int64_t makespan = 0;
    if (flux_scheduler_kind(tried->summary.scheduler) != FLUX_SCHEDULER_KIND_SCHEDULE) {
        assert_null(schedule);
        return;
    }
    const struct flux_slot *slots = flux_schedule_slots(schedule, &count);
    if (flux_check(tried->graph, tried->fabric, slots, count, &makespan, NULL))
        fail_problem(tried, "no schedule");
    if (makespan != tried->summary.iteration)
        fail_problem(tried, "its replay is not its makespan");
}

/* 1 where the scheduler applies. */
static uint32_t try(struct tried *tried, uint32_t scheduler, const struct random_problem *problem)
{
    struct flux_compare_options options = FLUX_COMPARE_OPTIONS_INIT;
    struct flux_options schedule = FLUX_OPTIONS_INIT;
    struct flux_error error;
    schedule.exact = FLUX_EXACT_NEVER;
    options.schedule = &schedule;
    options.seed = problem->seed;
    tried->name = flux_scheduler_name(scheduler);
    tried->summary = (struct flux_comparison_summary)FLUX_COMPARISON_SUMMARY_INIT;
    if (flux_compare(tried->graph, tried->fabric, scheduler, &options, &tried->comparison, &error))
        fail_problem(tried, error.text);
    assert_int_equal(flux_comparison_summary(tried->comparison, &tried->summary), 0);
    if (tried->summary.applies) {
        check_times(tried);
        check_bound(tried);
        check_schedule(tried);
        if (tried->summary.best > tried->summary.iteration)
            fail_problem(tried, "the best is worse than the median");
        if (tried->summary.waiting > tried->summary.memory || tried->summary.memory > tried->summary.memory_of_all)
            fail_problem(tried, "a part is more than the whole");
    } else if (!*flux_comparison_note(tried->comparison)) {
        fail_problem(tried, "it does not say why it does not apply");
    }
    flux_comparison_free(tried->comparison);
    return tried->summary.applies;
}

static void try_all(uint32_t rule, uint32_t parameters, uint32_t seed_of)
{
    uint32_t applied[64] = {0}, count = random_problem_count(TRIED);
    for (uint32_t seed = 0; seed < count; seed++) {
        struct random_options options = {.rule = rule, .sends_min = 1, .sends_max = 8};
        struct random_problem problem;
        struct tried tried = {.problem = &problem};
        options.parameters = parameters ? (seed * UINT32_C(2654435761) >> 16) & parameters : 0;
        random_problem(&problem, seed + seed_of, &options);
        tried.problem = &problem;
        assert_int_equal(random_problem_build(&problem, NULL, &tried.graph, &tried.fabric), 0);
        for (uint32_t i = 1; i <= flux_scheduler_count(); i++)
            if (*flux_scheduler_name(i))
                applied[i] += try(&tried, i, &problem);
        flux_graph_free(tried.graph);
        flux_fabric_free(tried.fabric);
    }
    for (uint32_t i = 1; i <= flux_scheduler_count(); i++)
        if (*flux_scheduler_name(i) && applied[i] < count / 20 + 1)
            fail_msg("%s applied to %u of %u problems", flux_scheduler_name(i), applied[i], count);
}

static void test_paper(void **state)
{
    (void)state;
    try_all(FLUX_RULE_PAPER, RANDOM_ALL, 0);
}

static void test_duplex(void **state)
{
    (void)state;
    try_all(FLUX_RULE_DUPLEX, RANDOM_ALL, 1000000);
}

static void test_simplex(void **state)
{
    (void)state;
    try_all(FLUX_RULE_SIMPLEX, RANDOM_ALL, 2000000);
}

static void test_plain(void **state)
{
    (void)state;
    try_all(FLUX_RULE_PAPER, 0, 3000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paper),
        cmocka_unit_test(test_duplex),
        cmocka_unit_test(test_simplex),
        cmocka_unit_test(test_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
