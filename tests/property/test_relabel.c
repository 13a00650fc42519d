/* SPDX-License-Identifier: Apache-2.0
 *
 * What must not change when a problem is told differently: other numbers for GPUs, switches and vertices, other units
 * of time, one switch more, a longer delay, the same call again, more threads.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/brute_force.h"
#include "../support/pairwise.h"
#include "../support/random_problem.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct numbers {
    int64_t bound;
    int64_t optimum;
};

static void wrong(const struct random_problem *before, const struct random_problem *after, const char *what,
                  struct numbers a, struct numbers b)
{
    random_problem_print(before);
    random_problem_print(after);
    fail_msg("%s: bound %" PRId64 " and %" PRId64 ", optimum %" PRId64 " and %" PRId64, what, a.bound, b.bound,
             a.optimum, b.optimum);
}

static struct numbers measure(const struct random_problem *problem)
{
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_certificate *certificate;
    struct flux_error error = {0};
    struct numbers numbers;
    assert_int_equal(random_problem_build(problem, NULL, &graph, &fabric), FLUX_OK);
    assert_int_equal(brute_force(graph, fabric, UINT64_MAX, &numbers.optimum, NULL), FLUX_OK);
    if (flux_bound(graph, fabric, &certificate, &error)) {
        random_problem_print(problem);
        fail_msg("flux_bound: %s", error.text);
    }
    numbers.bound = flux_certificate_bound(certificate);
    flux_certificate_free(certificate);
    flux_graph_free(graph);
    flux_fabric_free(fabric);
    return numbers;
}

static void draw(struct random_problem *problem, uint32_t i, uint64_t seed, uint32_t allowed)
{
    uint32_t mask = (i * 2654435761u) >> 24 & allowed;
    struct random_options options = {i % 3, i % 4 ? mask : 0, 2, 5, 0, 0};
    if (options.parameters & (RANDOM_BLOCKING | RANDOM_DWELL))
        options.sends_max = 4;
    random_problem(problem, seed + i, &options);
}

static void other_numbers(void **state)
{
    uint32_t count = random_problem_count(3000);
    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        struct random_problem problem, relabelled;
        draw(&problem, i, 7000000, RANDOM_ALL);
        random_problem_relabel(&problem, i, &relabelled);
        struct numbers a = measure(&problem), b = measure(&relabelled);
        if (a.bound != b.bound || a.optimum != b.optimum)
            wrong(&problem, &relabelled, "other numbers", a, b);
    }
}

/* A bound rounds up a division by the number of switches, once: it may come out smaller than the multiple, by less
 * than the factor. */
static void other_units(void **state)
{
    uint32_t count = random_problem_count(2000);
    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        struct random_problem problem, scaled;
        int64_t factor = 2 + i % 7 * 1000003;
        draw(&problem, i, 7100000, RANDOM_ALL & ~RANDOM_RATES);
        random_problem_scale(&problem, factor, &scaled);
        struct numbers a = measure(&problem), b = measure(&scaled);
        if (b.optimum != a.optimum * factor || b.bound > a.bound * factor || b.bound <= (a.bound - 1) * factor)
            wrong(&problem, &scaled, "other units", a, b);
    }
}

static void one_switch_more(void **state)
{
    uint32_t count = random_problem_count(2000);
    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        struct random_problem problem, more;
        draw(&problem, i, 7200000, RANDOM_ALL);
        more = problem;
        uint32_t k = more.switches++;
        more.delay[k] = i % 5;
        for (uint32_t g = 0; g < more.gpus; g++)
            more.rate[g][k] = FLUX_RATE_DEFAULT;
        struct numbers a = measure(&problem), b = measure(&more);
        if (b.optimum > a.optimum || b.bound > a.optimum)
            wrong(&problem, &more, "one switch more", a, b);
    }
}

static void slower_switches(void **state)
{
    uint32_t count = random_problem_count(2000);
    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        struct random_problem problem, slower;
        draw(&problem, i, 7300000, RANDOM_ALL);
        slower = problem;
        for (uint32_t k = 0; k < slower.switches; k++) {
            slower.delay[k] += (i + k) % 4;
            slower.dwell[k] += (i / 4 + k) % 3;
        }
        struct numbers a = measure(&problem), b = measure(&slower);
        if (b.optimum < a.optimum || a.bound > b.optimum)
            wrong(&problem, &slower, "slower switches", a, b);
    }
}

/* A wider problem than brute force can judge: many sends in a random order of rings and crossings. */
static void build_wide(uint32_t seed, struct flux_graph **graph, struct flux_fabric **fabric)
{
    uint32_t gpus = 4 + seed % 5, switches = 1 + seed % 3, sends = 60 + seed % 90, state = seed * 747796405u + 1;
    assert_int_equal(flux_graph_new(NULL, gpus, graph), FLUX_OK);
    assert_int_equal(flux_fabric_new(NULL, gpus, switches, fabric), FLUX_OK);
    assert_int_equal(flux_fabric_set_rule(*fabric, seed % 3), FLUX_OK);
    assert_int_equal(flux_fabric_set_delay(*fabric, FLUX_ALL_SWITCHES, (seed % 4) * 70), FLUX_OK);
    if (seed % 5 == 0)
        assert_int_equal(flux_fabric_set_blocking(*fabric, 0, FLUX_BLOCKING_SWITCH), FLUX_OK);
    if (seed % 7 == 0)
        assert_int_equal(flux_fabric_set_dwell(*fabric, 0, 90), FLUX_OK);
    for (uint32_t i = 0; i < sends; i++) {
        state = state * 747796405u + 2891336453u;
        uint32_t src = (state >> 8) % gpus, dst = (src + 1 + (state >> 16) % (gpus - 1)) % gpus, v;
        assert_int_equal(flux_graph_add_send(*graph, src, dst, 1 + (state >> 24) % 30, &v), FLUX_OK);
        if (i >= gpus && state & 1)
            assert_int_equal(flux_graph_add_edge(*graph, v - 1 - (state >> 4) % gpus, v, (state >> 12) % 200), FLUX_OK);
    }
}

static struct flux_schedule *run(const struct flux_graph *graph, const struct flux_fabric *fabric, uint32_t threads,
                                 uint64_t seed)
{
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_schedule *schedule;
    struct flux_error error = {0};
    options.threads = threads;
    options.seed = seed;
    options.exact = FLUX_EXACT_NEVER;
    options.work_limit = 20000;
    if (flux_schedule(graph, fabric, &options, &schedule, &error))
        fail_msg("flux_schedule: %s", error.text);
    return schedule;
}

static void assert_same(const struct flux_schedule *a, const struct flux_schedule *b)
{
    uint64_t counts[2];
    const struct flux_slot *x = flux_schedule_slots(a, &counts[0]), *y = flux_schedule_slots(b, &counts[1]);
    const struct flux_certificate *p = flux_schedule_certificate(a), *q = flux_schedule_certificate(b);
    assert_int_equal(counts[0], counts[1]);
    assert_memory_equal(x, y, counts[0] * sizeof *x);
    assert_int_equal(flux_schedule_bound(a), flux_schedule_bound(b));
    const uint32_t *v = flux_certificate_vertices(p, &counts[0]), *w = flux_certificate_vertices(q, &counts[1]);
    assert_int_equal(counts[0], counts[1]);
    if (counts[0])
        assert_memory_equal(v, w, counts[0] * sizeof *v);
}

/* Too wide for brute force, but not for the rules. */
static void assert_schedule(const struct flux_graph *graph, const struct flux_fabric *fabric,
                            const struct flux_schedule *schedule)
{
    char why[PAIRWISE_TEXT];
    uint64_t count, rows;
    int64_t makespan;
    const struct flux_slot *slots = flux_schedule_slots(schedule, &count);
    const struct flux_circuit *circuits = flux_schedule_circuits(schedule, &rows);
    if (!pairwise_check(graph, fabric, slots, count, &makespan, why))
        fail_msg("%s", why);
    assert_int_equal(makespan, flux_schedule_makespan(schedule));
    if (!pairwise_program(graph, fabric, slots, count, circuits, rows, flux_schedule_reconfigurations(schedule), why))
        fail_msg("%s", why);
    assert_int_equal(flux_certificate_check(graph, fabric, flux_schedule_certificate(schedule), NULL, NULL), FLUX_OK);
}

static void same_again(void **state)
{
    uint32_t count = random_problem_count(240);
    (void)state;
    for (uint32_t seed = 0; seed < count; seed++) {
        struct flux_graph *graph, *twin_graph;
        struct flux_fabric *fabric, *twin_fabric;
        build_wide(seed, &graph, &fabric);
        build_wide(seed, &twin_graph, &twin_fabric);
        struct flux_schedule *first = run(graph, fabric, 0, seed);
        struct flux_schedule *others[] = {run(graph, fabric, 0, seed), run(twin_graph, twin_fabric, 1, seed),
                                          run(graph, fabric, 2, seed), run(graph, fabric, 5, seed)};
        for (uint32_t i = 0; i < 4; i++) {
            assert_same(first, others[i]);
            flux_schedule_free(others[i]);
        }
        assert_schedule(graph, fabric, first);
        flux_schedule_free(first);
        flux_graph_free(graph);
        flux_fabric_free(fabric);
        flux_graph_free(twin_graph);
        flux_fabric_free(twin_fabric);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_numbers),   cmocka_unit_test(other_units), cmocka_unit_test(one_switch_more),
        cmocka_unit_test(slower_switches), cmocka_unit_test(same_again),
    };
    return cmocka_run_group_tests_name("relabel", tests, NULL, NULL);
}
