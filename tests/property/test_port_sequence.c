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

#include "bound/port_sequence.h"
#include "search/plan.h"
#include "search/read_back.h"

#include "../support/known_optimum.h"

#include <inttypes.h>
#include <string.h>

struct tally {
    struct known_optimum_tally of;
    uint32_t exact; /* raised to the picosecond that the certificate is good for */
};

/* The search went all the way down to the best end of its sends, so hardly ever is one picosecond more confirmed: only
 * where fewer sends make queues that are better ordered. */
static void judge_bound(struct known_optimum *it, struct tally *tally)
{
    struct flux_bound_value value = it->cheap;
    int64_t number;
    /* A makespan that no sequence needs: the search goes all the way down to the best end. */
    assert_int_equal(flux_bound_port_sequence(it->problem, &it->control, it->optimum + 1000, FLUX_PORT_SEQUENCE_PROVE,
                                              &it->arena, &value, NULL),
                     FLUX_OK);
    known_optimum_judge(it, &value, value.kind == FLUX_CERTIFICATE_PORT_SEQUENCE, &tally->of);
    if (value.kind != FLUX_CERTIFICATE_PORT_SEQUENCE)
        return;
    struct flux_certificate *certificate = known_optimum_certificate(it, &value, &number);
    assert_int_equal(number, value.bound);
    tally->exact += !known_optimum_confirmed(it, certificate, value.bound + 1);
    flux_certificate_free(certificate);
}

static void judge_read_back(struct known_optimum *it)
{
    struct flux_bound_value again = it->cheap;
    struct flux_port_sequence sequence;
    struct flux_plan plan;
    assert_int_equal(flux_bound_port_sequence(it->problem, &it->control, it->optimum + 1000, FLUX_PORT_SEQUENCE_GUESS,
                                              &it->arena, &again, &sequence),
                     FLUX_OK);
    assert_true(again.bound <= it->optimum);
    if (sequence.count && !it->problem->staged) {
        assert_int_equal(flux_plan_alloc(&plan, it->problem, &it->arena), FLUX_OK);
        assert_int_equal(flux_read_back(it->problem, &sequence, &plan), FLUX_OK);
        if (plan.makespan < it->optimum) {
            random_problem_print(it->random);
            fail_msg("read back %" PRId64 ", optimum %" PRId64, plan.makespan, it->optimum);
        }
    }
}

/* What flux_schedule() makes of the same problem: bounds, sequence and search together. */
static void judge_schedule(const struct known_optimum *it)
{
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_schedule *schedule;
    struct flux_error error = {0};
    options.exact = FLUX_EXACT_NEVER;
    int rc = flux_schedule(it->graph, it->fabric, &options, &schedule, &error);
    if (rc || flux_schedule_makespan(schedule) < it->optimum || flux_schedule_bound(schedule) > it->optimum) {
        random_problem_print(it->random);
        fail_msg("%d %s: makespan %" PRId64 ", bound %" PRId64 ", optimum %" PRId64, rc, error.text,
                 rc ? -1 : flux_schedule_makespan(schedule), rc ? -1 : flux_schedule_bound(schedule), it->optimum);
    }
    flux_schedule_free(schedule);
}

static void judge(struct known_optimum *it, void *user)
{
    judge_bound(it, user);
    judge_read_back(it);
    if (it->index % 4 == 0)
        judge_schedule(it);
}

static struct tally judge_some(const char *name, uint32_t rule, uint32_t parameters, uint32_t problems, uint64_t seed,
                               void (*change)(struct random_problem *, uint32_t, uint32_t))
{
    struct tally tally = {0};
    const struct known_optimum_series series = {rule,     parameters, problems, 4,     seed,
                                                20000000, NULL,       change,   judge, &tally};
    known_optimum_each(&series, &tally.of);
    print_message("%-16s %6" PRIu32 " problems: raised %5" PRIu32 ", tight %" PRIu32 " -> %" PRIu32 "\n", name,
                  tally.of.problems, tally.of.raised, tally.of.tight_before, tally.of.tight);
    return tally;
}

static void crowd(struct random_problem *random, uint32_t index, uint32_t sends_max)
{
    (void)index, (void)sends_max;
    if (random->seed % 3)
        random_problem_crowd(random);
}

static struct tally judge_many(const char *name, uint32_t rule, uint32_t parameters, uint32_t problems, uint64_t seed)
{
    return judge_some(name, rule, parameters, problems, seed, crowd);
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
static void make_rounds(struct random_problem *random, uint32_t index, uint32_t sends_max)
{
    uint64_t dice = random->seed * 0x9e3779b97f4a7c15u;
    uint32_t wide = 1 + roll(&dice, 3), begin = 0, end = 0, most = 6 + roll(&dice, 2);
    int64_t duration = 1 + roll(&dice, 3);
    (void)index, (void)sends_max;
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
        struct tally tally = judge_some(names[i], rules[i], 0, 10000, 9200000 + i * 100000, make_rounds);
        assert_true(tally.of.raised > tally.of.feasible / 20);
        assert_true(tally.of.tight > tally.of.tight_before);
    }
}

static void each_rule(void **state)
{
    static const char *const names[] = {"paper", "simplex", "duplex"};
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct tally tally = judge_many(names[i], rules[i], 0, 10000, 9100000 + i * 100000);
        assert_true(tally.of.raised > tally.of.feasible / 20);
        assert_true(tally.exact > tally.of.raised - tally.of.raised / 20);
        assert_true(tally.of.tight > tally.of.tight_before);
    }
}

static void mixed_parameters(void **state)
{
    static const char *const names[] = {"mixed, paper", "mixed, simplex", "mixed, duplex"};
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct tally tally = judge_many(names[i], rules[i], RANDOM_ALL, 3000, 9600000 + i * 100000);
        assert_true(tally.of.raised > tally.of.feasible / 100);
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
