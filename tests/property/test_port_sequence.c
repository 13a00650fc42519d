/* SPDX-License-Identifier: Apache-2.0
 *
 * The best sequence at one GPU's ports, on random problems: never above the optimum by brute force, never below what it
 * started from, and often the optimum itself. Here it runs whether or not a schedule leaves a gap.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "bound/port_sequence.h"
#include "search/plan.h"
#include "search/read_back.h"

#include "../support/brute_force.h"
#include "../support/random_problem.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct tally {
    uint32_t problems;
    uint32_t feasible;
    uint32_t raised; /* above the cheap bounds */
    uint32_t exact;  /* raised to the picosecond that the certificate is good for */
    uint32_t tight_before;
    uint32_t tight;
};

/* The certificate is confirmed from graph and fabric alone. The search went all the way down to the best end of its
 * sends, so hardly ever is one picosecond more confirmed: only where fewer sends make queues that are better ordered.
 */
static void judge_certificate(const struct random_problem *random, const struct flux_graph *graph,
                              const struct flux_fabric *fabric, const struct flux_problem *problem,
                              const struct flux_bound_value *value, int64_t optimum, struct tally *tally)
{
    struct flux_certificate *certificate;
    struct flux_error error = {0};
    int64_t again = -1;
    assert_int_equal(flux_certificate_make(problem, value, problem->arena.memory, &certificate), FLUX_OK);
    int rc = flux_certificate_check(graph, fabric, certificate, &again, &error);
    if (rc || again != value->bound) {
        random_problem_print(random);
        fail_msg("port sequence %" PRId64 ": recomputed %" PRId64 " %s", value->bound, again, error.text);
    }
    certificate->bound = value->bound + 1;
    tally->exact += flux_certificate_check(graph, fabric, certificate, NULL, NULL) == FLUX_E_MISMATCH;
    certificate->bound = optimum + 1;
    if (flux_certificate_check(graph, fabric, certificate, NULL, NULL) != FLUX_E_MISMATCH) {
        random_problem_print(random);
        fail_msg("port sequence: more than the optimum %" PRId64 " is confirmed", optimum);
    }
    flux_certificate_free(certificate);
}

static int64_t judge_bound(const struct random_problem *random, const struct flux_graph *graph,
                           const struct flux_fabric *fabric, int64_t optimum, struct tally *tally)
{
    struct flux_memory memory;
    struct flux_arena arena;
    struct flux_problem *problem;
    struct flux_bound_value cheap, value;
    struct flux_port_sequence sequence;
    struct flux_control control;
    struct flux_plan plan;
    const struct flux_options options = FLUX_OPTIONS_INIT;
    assert_int_equal(flux_memory_init(&memory, NULL), FLUX_OK);
    assert_int_equal(flux_problem_build(graph, fabric, &memory, &problem, NULL), FLUX_OK);
    assert_int_equal(flux_bound_find(problem, &cheap), FLUX_OK);
    flux_arena_init(&arena, &memory);
    flux_control_begin(&control, &memory, &options);
    value = cheap;
    /* A makespan that no sequence needs: the search goes all the way down to the best end. */
    assert_int_equal(
        flux_bound_port_sequence(problem, &control, optimum + 1000, FLUX_PORT_SEQUENCE_PROVE, &arena, &value, NULL),
        FLUX_OK);
    if (value.bound > optimum || value.bound < cheap.bound ||
        (value.bound > cheap.bound) != (value.kind == FLUX_CERTIFICATE_PORT_SEQUENCE)) {
        random_problem_print(random);
        fail_msg("cheap %" PRId64 ", port sequence %" PRId64 ", optimum %" PRId64, cheap.bound, value.bound, optimum);
    }
    if (value.kind == FLUX_CERTIFICATE_PORT_SEQUENCE)
        judge_certificate(random, graph, fabric, problem, &value, optimum, tally);
    struct flux_bound_value again = cheap;
    assert_int_equal(flux_bound_port_sequence(problem, &control, optimum + 1000, FLUX_PORT_SEQUENCE_GUESS, &arena,
                                              &again, &sequence),
                     FLUX_OK);
    assert_true(again.bound <= optimum);
    if (sequence.count && !problem->staged) {
        assert_int_equal(flux_plan_alloc(&plan, problem, &arena), FLUX_OK);
        assert_int_equal(flux_read_back(problem, &sequence, &plan), FLUX_OK);
        if (plan.makespan < optimum) {
            random_problem_print(random);
            fail_msg("read back %" PRId64 ", optimum %" PRId64, plan.makespan, optimum);
        }
    }
    tally->raised += value.bound > cheap.bound;
    tally->tight_before += cheap.bound == optimum;
    tally->tight += value.bound == optimum;
    flux_arena_free(&arena);
    flux_problem_free(problem);
    return value.bound;
}

/* What flux_schedule() makes of the same problem: bounds, sequence and search together. */
static void judge_schedule(const struct random_problem *random, const struct flux_graph *graph,
                           const struct flux_fabric *fabric, int64_t optimum)
{
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_schedule *schedule;
    struct flux_error error = {0};
    options.exact = FLUX_EXACT_NEVER;
    int rc = flux_schedule(graph, fabric, &options, &schedule, &error);
    if (rc || flux_schedule_makespan(schedule) < optimum || flux_schedule_bound(schedule) > optimum) {
        random_problem_print(random);
        fail_msg("%d %s: makespan %" PRId64 ", bound %" PRId64 ", optimum %" PRId64, rc, error.text,
                 rc ? -1 : flux_schedule_makespan(schedule), rc ? -1 : flux_schedule_bound(schedule), optimum);
    }
    flux_schedule_free(schedule);
}

static void judge_some(const char *name, uint32_t rule, uint32_t parameters, uint32_t problems, uint64_t seed,
                       void (*change)(struct random_problem *, uint64_t), struct tally *tally)
{
    uint32_t count = random_problem_count(problems);
    for (uint32_t i = 0; i < count; i++) {
        struct random_problem random;
        struct flux_graph *graph;
        struct flux_fabric *fabric;
        uint32_t mask = parameters == RANDOM_ALL ? (i * 2654435761u) >> 24 & RANDOM_ALL : parameters;
        uint32_t large = mask & (RANDOM_BLOCKING | RANDOM_DWELL) ? 4 : 7;
        struct random_options options = {rule, mask, 4, large, 0, 0};
        int64_t optimum;
        random_problem(&random, seed + i, &options);
        change(&random, seed + i);
        assert_int_equal(random_problem_build(&random, NULL, &graph, &fabric), FLUX_OK);
        tally->problems++;
        if (brute_force(graph, fabric, 20000000, &optimum, NULL) == 0) {
            tally->feasible++;
            judge_bound(&random, graph, fabric, optimum, tally);
            if (i % 4 == 0)
                judge_schedule(&random, graph, fabric, optimum);
        }
        flux_graph_free(graph);
        flux_fabric_free(fabric);
    }
    print_message("%-16s %6" PRIu32 " problems: raised %5" PRIu32 ", tight %" PRIu32 " -> %" PRIu32 "\n", name,
                  tally->problems, tally->raised, tally->tight_before, tally->tight);
}

static void crowd(struct random_problem *random, uint64_t seed)
{
    if (seed % 3)
        random_problem_crowd(random);
}

static void judge_many(const char *name, uint32_t rule, uint32_t parameters, uint32_t problems, uint64_t seed,
                       struct tally *tally)
{
    judge_some(name, rule, parameters, problems, seed, crowd, tally);
}

/* ---- rounds: collectives of GPU 0, and sends beside them ---- */

static uint32_t roll(uint64_t *dice, uint32_t sides)
{
    *dice = *dice * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*dice >> 33) % sides;
}

static uint32_t add_send(struct random_problem *random, uint32_t circuit, int64_t duration)
{
    static const uint32_t ways[][2] = {{0, 1}, {1, 0}, {2, 0}, {0, 2}, {3, 0}};
    uint32_t v = random->vertices++;
    random->vertex[v] = (struct random_vertex){1, ways[circuit][0], ways[circuit][1], 0, 0, duration, 0};
    return v;
}

/* Collectives whose sends all wait for the one before, after a pause; `wide` circuits in each, each with a send or two.
 * In between some sends of other circuits, which may come at any time after one. */
static void make_rounds(struct random_problem *random, uint64_t seed)
{
    uint64_t dice = seed * 0x9e3779b97f4a7c15u;
    uint32_t wide = 1 + roll(&dice, 3), begin = 0, end = 0, most = 6 + roll(&dice, 2);
    int64_t duration = 1 + roll(&dice, 3);
    for (; random->gpus < 4; random->gpus++)
        memcpy(random->rate[random->gpus], random->rate[0], sizeof *random->rate);
    random->vertices = random->edges = 0;
    while (random->vertices + wide <= most - roll(&dice, 2)) {
        int64_t pause = roll(&dice, 4) * roll(&dice, 8);
        begin = end;
        end = random->vertices;
        for (uint32_t w = 0; w < wide; w++) {
            uint32_t v = add_send(random, w, duration);
            for (uint32_t u = begin; u < end; u++)
                if (random->vertex[u].src + random->vertex[u].dst < 4 || roll(&dice, 2))
                    random->edge[random->edges++] = (struct flux_edge){u, v, pause};
        }
        if (random->vertices < most && roll(&dice, 3) == 0) {
            uint32_t v = add_send(random, wide + roll(&dice, 2), 1 + roll(&dice, 4));
            random->vertex[v].release = roll(&dice, 10);
            random->edge[random->edges++] = (struct flux_edge){end, v, roll(&dice, 3)};
        }
    }
    while (random->vertices < most)
        random->vertex[add_send(random, wide + roll(&dice, 2), 2)].release = roll(&dice, 20);
}

static const uint32_t rules[] = {FLUX_RULE_PAPER, FLUX_RULE_SIMPLEX, FLUX_RULE_DUPLEX};

static void collectives(void **state)
{
    static const char *const names[] = {"rounds, paper", "rounds, simplex", "rounds, duplex"};
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct tally tally = {0};
        judge_some(names[i], rules[i], 0, 10000, 9200000 + i * 100000, make_rounds, &tally);
        assert_true(tally.raised > tally.feasible / 20);
        assert_true(tally.tight > tally.tight_before);
    }
}

static void each_rule(void **state)
{
    static const char *const names[] = {"paper", "simplex", "duplex"};
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct tally tally = {0};
        judge_many(names[i], rules[i], 0, 10000, 9100000 + i * 100000, &tally);
        assert_true(tally.raised > tally.feasible / 20);
        assert_true(tally.exact > tally.raised - tally.raised / 20);
        assert_true(tally.tight > tally.tight_before);
    }
}

static void mixed_parameters(void **state)
{
    static const char *const names[] = {"mixed, paper", "mixed, simplex", "mixed, duplex"};
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct tally tally = {0};
        judge_many(names[i], rules[i], RANDOM_ALL, 3000, 9600000 + i * 100000, &tally);
        assert_true(tally.raised > tally.feasible / 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collectives),
        cmocka_unit_test(each_rule),
        cmocka_unit_test(mixed_parameters),
    };
    return cmocka_run_group_tests_name("port_sequence", tests, NULL, NULL);
}
