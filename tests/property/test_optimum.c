/* SPDX-License-Identifier: Apache-2.0
 *
 * Random small problems against brute force: no bound above the optimum, no schedule below it, and everything that
 * flux_schedule() says about its schedule is true.
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

struct tally {
    uint32_t problems;
    uint32_t infeasible;
    uint32_t tight;   /* bound = optimum */
    uint32_t best;    /* makespan = optimum */
    uint32_t proven;
    double excess;    /* sum of makespan / optimum - 1 */
};

static void wrong(const struct random_problem *problem, const struct flux_schedule *schedule, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void wrong(const struct random_problem *problem, const struct flux_schedule *schedule, const char *format, ...)
{
    char text[640];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    random_problem_print(problem);
    if (schedule) {
        uint64_t count;
        const struct flux_slot *slot = flux_schedule_slots(schedule, &count);
        fprintf(stderr, "# makespan %" PRId64 ", bound %" PRId64 "\n", flux_schedule_makespan(schedule),
                flux_schedule_bound(schedule));
        for (uint64_t i = 0; i < count; i++)
            fprintf(stderr, "# v%" PRIu32 " on %" PRIu32 " from %" PRId64 " to %" PRId64 "\n", slot[i].send,
                    slot[i].switch_index, slot[i].start, slot[i].end);
    }
    fail_msg("%s", text);
}

static void judge_certificate(const struct random_problem *problem, const struct flux_graph *graph,
                              const struct flux_fabric *fabric, const struct flux_certificate *certificate,
                              int64_t optimum)
{
    struct flux_error error = {0};
    int64_t again = -1, bound = flux_certificate_bound(certificate);
    int rc = flux_certificate_check(graph, fabric, certificate, &again, &error);
    if (rc)
        wrong(problem, NULL, "certificate of kind %s, bound %" PRId64 " refused: %s",
              flux_certificate_kind_name(flux_certificate_kind(certificate)), bound, error.text);
    if (bound > optimum || again > optimum)
        wrong(problem, NULL, "bound %" PRId64 " (%s), recomputed %" PRId64 ", optimum %" PRId64, bound,
              flux_certificate_kind_name(flux_certificate_kind(certificate)), again, optimum);
    if (again < bound)
        wrong(problem, NULL, "bound %" PRId64 " recomputed as %" PRId64, bound, again);
}

static void judge_schedule(const struct random_problem *problem, const struct flux_graph *graph,
                           const struct flux_fabric *fabric, const struct flux_schedule *schedule, int64_t optimum)
{
    struct flux_error error = {0};
    struct flux_time times[RANDOM_VERTICES_MAX];
    char why[PAIRWISE_TEXT];
    uint64_t count, rows, vertices;
    int64_t makespan = flux_schedule_makespan(schedule), bound = flux_schedule_bound(schedule), again;
    const struct flux_slot *slots = flux_schedule_slots(schedule, &count);
    const struct flux_circuit *circuits = flux_schedule_circuits(schedule, &rows);
    const struct flux_time *given = flux_schedule_times(schedule, &vertices);
    const struct flux_certificate *certificate = flux_schedule_certificate(schedule);
    int proven = makespan == bound;
    int shown = flux_certificate_kind(certificate) < FLUX_CERTIFICATE_SEARCH;
    if (makespan < optimum || bound > optimum)
        wrong(problem, schedule, "optimum %" PRId64, optimum);
    if ((flux_schedule_status(schedule) == FLUX_OPTIMAL) != proven || (proven && makespan != optimum))
        wrong(problem, schedule, "status %d, optimum %" PRId64, flux_schedule_status(schedule), optimum);
    if (flux_check(graph, fabric, slots, count, &again, &error) || again != makespan)
        wrong(problem, schedule, "flux_check: makespan %" PRId64 " %s", again, error.text);
    if (!pairwise_check(graph, fabric, slots, count, &again, why) || again != makespan)
        wrong(problem, schedule, "pairwise: makespan %" PRId64 " %s", again, why);
    if (!pairwise_program(graph, fabric, slots, count, circuits, rows, flux_schedule_reconfigurations(schedule), why))
        wrong(problem, schedule, "%s", why);
    assert_int_equal(vertices, problem->vertices);
    assert_true(pairwise_times(graph, fabric, slots, count, times));
    if (memcmp(times, given, sizeof *times * problem->vertices) != 0)
        wrong(problem, schedule, "flux_schedule_times is wrong");
    if (flux_certificate_bound(certificate) != bound)
        wrong(problem, schedule, "the certificate says %" PRId64, flux_certificate_bound(certificate));
    if (shown)
        judge_certificate(problem, graph, fabric, certificate, optimum);
}

/* No switch can carry some send: everything says so, and which. */
static void judge_infeasible(const struct random_problem *problem, const struct flux_graph *graph,
                             const struct flux_fabric *fabric)
{
    struct flux_certificate *certificate;
    struct flux_schedule *schedule;
    struct flux_error error = {0};
    if (flux_bound(graph, fabric, &certificate, NULL) != FLUX_E_INFEASIBLE || certificate)
        wrong(problem, NULL, "flux_bound calls an infeasible problem feasible");
    if (flux_schedule(graph, fabric, NULL, &schedule, &error) != FLUX_E_INFEASIBLE || schedule)
        wrong(problem, NULL, "flux_schedule calls an infeasible problem feasible");
    assert_int_equal(error.code, FLUX_E_INFEASIBLE);
    for (uint32_t k = 0; k < problem->switches; k++)
        if (error.vertex >= problem->vertices || !problem->vertex[error.vertex].send ||
            pairwise_duration(graph, fabric, error.vertex, k) >= 0)
            wrong(problem, NULL, "vertex %" PRIu32 " is blamed: %s", error.vertex, error.text);
}

static void judge(const struct random_options *random, uint64_t seed, uint32_t exact, struct tally *tally)
{
    struct random_problem problem;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_certificate *certificate;
    struct flux_schedule *schedule;
    struct flux_error error = {0};
    struct flux_options options = FLUX_OPTIONS_INIT;
    int64_t optimum, path;
    options.exact = exact;
    random_problem(&problem, seed, random);
    assert_int_equal(random_problem_build(&problem, NULL, &graph, &fabric), FLUX_OK);
    int rc = brute_force(graph, fabric, UINT64_MAX, &optimum, NULL);
    tally->problems++;
    if (rc) {
        assert_int_equal(rc, FLUX_E_INFEASIBLE);
        judge_infeasible(&problem, graph, fabric);
        tally->infeasible++;
        flux_graph_free(graph);
        flux_fabric_free(fabric);
        return;
    }
    if (flux_bound(graph, fabric, &certificate, &error))
        wrong(&problem, NULL, "flux_bound: %s", error.text);
    judge_certificate(&problem, graph, fabric, certificate, optimum);
    assert_int_equal(brute_force_longest_path(graph, fabric, &path), FLUX_OK);
    if (flux_certificate_bound(certificate) < path)
        wrong(&problem, NULL, "bound %" PRId64 ", but a path takes %" PRId64, flux_certificate_bound(certificate), path);
    if (flux_schedule(graph, fabric, &options, &schedule, &error))
        wrong(&problem, NULL, "flux_schedule: %s", error.text);
    judge_schedule(&problem, graph, fabric, schedule, optimum);
    if (flux_schedule_bound(schedule) < flux_certificate_bound(certificate))
        wrong(&problem, schedule, "flux_bound found %" PRId64, flux_certificate_bound(certificate));
    tally->tight += flux_certificate_bound(certificate) == optimum;
    tally->best += flux_schedule_makespan(schedule) == optimum;
    tally->proven += flux_schedule_status(schedule) == FLUX_OPTIMAL;
    if (optimum)
        tally->excess += (double)(flux_schedule_makespan(schedule) - optimum) / (double)optimum;
    flux_certificate_free(certificate);
    flux_schedule_free(schedule);
    flux_graph_free(graph);
    flux_fabric_free(fabric);
}

static void report(const char *name, const struct tally *tally)
{
    uint32_t feasible = tally->problems - tally->infeasible;
    double share = feasible ? 100.0 / feasible : 0;
    print_message("%-28s %6" PRIu32 " problems: schedule optimal %5.1f %%, proven %5.1f %%, bound tight %5.1f %%, mean "
                  "excess %.2f %%, infeasible %" PRIu32 "\n",
                  name, tally->problems, tally->best * share, tally->proven * share, tally->tight * share,
                  tally->excess * share, tally->infeasible);
}

/* One in 8 is larger, and one in 50 also runs with whatever solver backend there is. */
static void judge_many(const char *name, uint32_t rule, uint32_t parameters, uint32_t problems, uint64_t seed)
{
    struct tally tally = {0};
    uint32_t count = random_problem_count(problems);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t large = parameters & (RANDOM_BLOCKING | RANDOM_DWELL) ? 5 : 7;
        struct random_options options = {rule, parameters, 3, large - 1, 0, i % 8 == 0};
        if (i % 8 == 3)
            options.sends_min = options.sends_max = large;
        judge(&options, seed + i, i % 50 ? FLUX_EXACT_NEVER : FLUX_EXACT_AUTO, &tally);
    }
    report(name, &tally);
    assert_int_equal(tally.problems, count);
    assert_true(tally.best > 0 && tally.proven > 0);
}

static void rule_paper(void **state)
{
    (void)state;
    judge_many("paper", FLUX_RULE_PAPER, 0, 50000, 1000000);
}

static void rule_duplex(void **state)
{
    (void)state;
    judge_many("duplex", FLUX_RULE_DUPLEX, 0, 50000, 2000000);
}

static void rule_simplex(void **state)
{
    (void)state;
    judge_many("simplex", FLUX_RULE_SIMPLEX, 0, 50000, 3000000);
}

/* Each parameter of the fabric alone, under each rule. */
static void every_parameter(void **state)
{
    static const char *const names[] = {"delay per switch", "rate per port",     "dead ports",      "forbidden circuits",
                                        "initial circuits", "propagation delay", "blocking switch", "dwell"};
    static const char *const rules[] = {"paper", "duplex", "simplex"};
    (void)state;
    for (uint32_t i = 0; i < 8; i++)
        for (uint32_t rule = 0; rule < 3; rule++) {
            char name[64];
            snprintf(name, sizeof name, "%s, %s", names[i], rules[rule]);
            judge_many(name, rule, 1u << i, 2500, 4000000 + i * 100000 + rule * 10000);
        }
}

static void mixed_parameters(void **state)
{
    struct tally tally = {0};
    uint32_t count = random_problem_count(20000);
    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t mask = (i * 2654435761u) >> 24 & RANDOM_ALL;
        uint32_t large = mask & (RANDOM_BLOCKING | RANDOM_DWELL) ? 4 + (i % 16 == 0) : 6;
        struct random_options options = {i % 3, mask, 1, large, 0, i % 8 == 0};
        judge(&options, 6000000 + i, i % 50 ? FLUX_EXACT_NEVER : FLUX_EXACT_AUTO, &tally);
    }
    report("mixed parameters", &tally);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rule_paper),      cmocka_unit_test(rule_duplex),      cmocka_unit_test(rule_simplex),
        cmocka_unit_test(every_parameter), cmocka_unit_test(mixed_parameters),
    };
    return cmocka_run_group_tests_name("optimum", tests, NULL, NULL);
}
