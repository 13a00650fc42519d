/* SPDX-License-Identifier: Apache-2.0
 *
 * Some sends of a random problem by themselves, searched to the end: what any of them need at least is never above the
 * optimum of all by brute force. The same for the few that the engine chooses, and the better schedules that it finds
 * on its way keep every rule.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "prove/piece.h"
#include "prove/prove.h"
#include "prove/rings.h"
#include "prove/subset.h"
#include "schedule/lengths.h"
#include "schedule/lift.h"

#include "../support/known_optimum.h"

#include <inttypes.h>
#include <string.h>

struct tally {
    struct known_optimum_tally of;
    uint32_t pieces; /* that need as much as all */
    uint32_t improved;
    uint32_t lifted; /* with lifted heads and tails, raised further */
    uint32_t rings;  /* raised by the last collectives of a ring */
};

static void blank(struct known_optimum *it, int64_t makespan, struct flux_plan *plan)
{
    assert_int_equal(flux_plan_alloc(plan, it->problem, &it->arena), FLUX_OK);
    plan->makespan = makespan;
    for (uint32_t v = 0; v < it->problem->nodes; v++) {
        plan->start[v] = it->problem->head[v];
        plan->switch_of[v] = flux_problem_is_send(it->problem, v) ? 0 : FLUX_NONE;
    }
}

/* Any sends: those whose bits are set, with the heads and tails of `whole`. */
static void judge_piece(struct known_optimum *it, const struct flux_problem *whole, uint32_t bits, struct tally *tally)
{
    struct flux_problem piece;
    struct flux_plan plan;
    struct flux_prove_answer answer;
    uint32_t nodes[RANDOM_VERTICES_MAX], count = 0, send = 0;
    for (uint32_t v = 0; v < it->problem->nodes; v++)
        if (flux_problem_is_send(it->problem, v) && (bits >> send++ & 1))
            nodes[count++] = v;
    assert_int_equal(flux_piece_make(whole, nodes, count, &it->arena, &piece), FLUX_OK);
    assert_int_equal(flux_plan_alloc(&plan, &piece, &it->arena), FLUX_OK);
    plan.makespan = it->optimum + 1000;
    memset(plan.start, 0, count * sizeof *plan.start);
    memset(plan.switch_of, 0, count * sizeof *plan.switch_of);
    do {
        const struct flux_prove_limits limits = {UINT64_MAX, UINT64_MAX, 0};
        assert_int_equal(flux_prove_piece(&piece, &it->control, &limits, &plan, &answer), FLUX_OK);
    } while (answer.improved);
    if (!answer.proven || answer.bound > it->optimum || plan.makespan > it->optimum) {
        random_problem_print(it->random);
        fail_msg("%" PRIu32 " of its sends: bound %" PRId64 ", schedule %" PRId64 ", optimum of all %" PRId64, count,
                 answer.bound, plan.makespan, it->optimum);
    }
    assert_int_equal(it->control.makespan, -1);
    tally->pieces += answer.bound == it->optimum;
}

/* The engine, from a makespan that is `above` the optimum: a quick look from a path, or the thorough one from a
 * skeleton. */
static void judge_bound(struct known_optimum *it, int64_t above, uint64_t steps, struct tally *tally)
{
    struct flux_bound_value value = it->cheap;
    struct flux_subset_answer answer;
    struct flux_plan plan;
    blank(it, it->optimum + above, &plan);
    assert_int_equal(flux_subset_improve(it->problem, NULL, &it->control, steps, &it->arena, &plan, &value, &answer),
                     FLUX_OK);
    known_optimum_judge(it, &value, value.kind == FLUX_CERTIFICATE_SUBSET, &tally->of);
    if (plan.makespan < it->optimum) {
        random_problem_print(it->random);
        fail_msg("schedule %" PRId64 ", optimum %" PRId64, plan.makespan, it->optimum);
    }
    if (answer.improved)
        known_optimum_check(it, &plan);
    tally->improved += (uint32_t)answer.improved;
}

/* The lifts of the certificate make the heads and tails of its sends what they were taken for. */
static void judge_lifts(struct known_optimum *it, const struct flux_bound_value *value)
{
    const struct flux_lifted *lifted = value->lifted;
    struct flux_lengths lengths;
    assert_non_null(lifted);
    assert_int_equal(flux_lengths_compute(it->graph, it->fabric, &it->arena, &lengths, NULL), FLUX_OK);
    assert_int_equal(flux_lengths_lift(&lengths, lifted->lifts, lifted->count), FLUX_OK);
    for (uint64_t i = 0; i < value->count; i++) {
        uint32_t node = value->nodes[i], vertex = it->problem->vertex[node];
        if (lengths.head[vertex] < lifted->head[node] || lengths.tail[vertex] < lifted->tail[node]) {
            random_problem_print(it->random);
            fail_msg("vertex %" PRIu32 ": head %" PRId64 " of %" PRId64 ", tail %" PRId64 " of %" PRId64, vertex,
                     lengths.head[vertex], lifted->head[node], lengths.tail[vertex], lifted->tail[node]);
        }
    }
}

/* The same with lifted heads and tails, where there are some and a gap is left. */
static void judge_lifted(struct known_optimum *it, uint32_t bits, int64_t above, struct tally *tally)
{
    struct flux_bound_value value = it->cheap;
    struct flux_subset_answer answer;
    struct flux_plan plan;
    assert_int_equal(flux_bound_improve(it->problem, &it->control, it->optimum + 1000, &it->arena, &value), FLUX_OK);
    const struct flux_lifted *lifted = value.lifted;
    int64_t before = value.bound;
    if (!lifted)
        return;
    struct flux_problem whole = *it->problem;
    whole.head = lifted->head;
    whole.tail = lifted->tail;
    judge_piece(it, &whole, bits, tally);
    blank(it, it->optimum + above, &plan);
    assert_int_equal(
        flux_subset_improve(it->problem, lifted, &it->control, FLUX_SUBSET_PROVE, &it->arena, &plan, &value, &answer),
        FLUX_OK);
    if (value.bound > it->optimum || value.bound < before || plan.makespan < it->optimum) {
        random_problem_print(it->random);
        fail_msg("lifted %" PRId64 ", subset %" PRId64 ", schedule %" PRId64 ", optimum %" PRId64, before, value.bound,
                 plan.makespan, it->optimum);
    }
    if (answer.improved)
        known_optimum_check(it, &plan);
    if (value.kind == FLUX_CERTIFICATE_SUBSET)
        judge_lifts(it, &value);
    tally->lifted += value.bound > before;
}

/* The last collectives of a few GPUs. */
static void judge_rings(struct known_optimum *it, int64_t above, struct tally *tally)
{
    struct flux_bound_value value = it->cheap;
    struct flux_plan plan;
    blank(it, it->optimum + above, &plan);
    assert_int_equal(flux_rings_improve(it->problem, &it->control, FLUX_RINGS_STEPS, &it->arena, &plan, &value),
                     FLUX_OK);
    int kept = value.bound == it->cheap.bound;
    if (value.bound > it->optimum || value.bound < it->cheap.bound ||
        kept == (value.kind == FLUX_CERTIFICATE_SUBSET)) {
        random_problem_print(it->random);
        fail_msg("cheap %" PRId64 ", rings %" PRId64 ", optimum %" PRId64, it->cheap.bound, value.bound, it->optimum);
    }
    for (uint64_t i = 0; i < value.count && !kept; i++) {
        assert_true(flux_problem_is_send(it->problem, value.nodes[i]));
        assert_true(i == 0 || value.nodes[i - 1] < value.nodes[i]);
    }
    tally->rings += !kept;
}

static void judge(struct known_optimum *it, void *user)
{
    judge_rings(it, it->random->seed % 2 ? 0 : 1000, user);
    judge_piece(it, it->problem, (uint32_t)(it->random->seed * 2654435761u) >> 24, user);
    judge_lifted(it, (uint32_t)(it->random->seed * 2246822519u) >> 24, it->random->seed % 4 == 0 ? 1000 : 0, user);
    judge_bound(it, 0, FLUX_SUBSET_PROVE, user);
    if (it->random->seed % 4 == 0)
        judge_bound(it, 1000, FLUX_SUBSET_PROVE, user);
    if (it->random->seed % 4 == 1)
        judge_bound(it, it->random->seed % 8 == 1 ? 1000 : 0, FLUX_SUBSET_QUICK, user);
}

static void change(struct random_problem *random, uint32_t index, uint32_t sends_max)
{
    (void)sends_max;
    if (index % 3 == 0)
        random_problem_crowd(random);
    else if (index % 3 == 1 && random->gpus >= 3)
        random_problem_layers(random, 6);
}

static void one_switch_only(struct random_problem *random, uint32_t index, uint32_t sends_max)
{
    random->switches = 1;
    change(random, index, sends_max);
}

static struct tally judge_many(const char *name, uint32_t rule, uint32_t parameters, uint32_t problems, uint64_t seed,
                               void (*change_to)(struct random_problem *, uint32_t, uint32_t))
{
    struct tally tally = {0};
    const struct known_optimum_series series = {rule,     parameters, problems,  3,     seed,
                                                20000000, NULL,       change_to, judge, &tally};
    known_optimum_each(&series, &tally.of);
    print_message("%-16s %6" PRIu32 " problems: raised %5" PRIu32 ", tight %" PRIu32 " -> %" PRIu32
                  ", schedules %" PRIu32 ", pieces %" PRIu32 ", lifted %" PRIu32 ", rings %" PRIu32 "\n",
                  name, tally.of.problems, tally.of.raised, tally.of.tight_before, tally.of.tight, tally.improved,
                  tally.pieces, tally.lifted, tally.rings);
    return tally;
}

static void each_rule(void **state)
{
    static const char *const names[] = {"paper", "duplex", "simplex"};
    (void)state;
    for (uint32_t rule = 0; rule < 3; rule++) {
        struct tally tally = judge_many(names[rule], rule, 0, 10000, 21000000 + rule * 100000, change);
        assert_true(tally.of.raised > tally.of.feasible / 20);
        assert_true(tally.of.tight > tally.of.tight_before);
        assert_true(tally.improved > tally.of.feasible / 20);
        assert_true(tally.pieces > tally.of.feasible / 20);
        assert_true(tally.rings > tally.of.feasible / 100);
    }
}

static void mixed_parameters(void **state)
{
    static const char *const names[] = {"mixed, paper", "mixed, duplex", "mixed, simplex"};
    (void)state;
    for (uint32_t rule = 0; rule < 3; rule++) {
        struct tally tally = judge_many(names[rule], rule, RANDOM_ALL, 3000, 21600000 + rule * 100000, change);
        assert_true(tally.of.raised > tally.of.feasible / 100);
    }
}

/* One switch: chains of sends that change circuits with each step, where lifted heads and tails say most. */
static void one_switch(void **state)
{
    static const char *const names[] = {"one switch, paper", "one switch, duplex", "one switch, simplex"};
    (void)state;
    for (uint32_t rule = 0; rule < 3; rule++) {
        struct tally tally = judge_many(names[rule], rule, 0, 10000, 21300000 + rule * 100000, one_switch_only);
        assert_true(tally.lifted > tally.of.feasible / 200);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_rule),
        cmocka_unit_test(mixed_parameters),
        cmocka_unit_test(one_switch),
    };
    return cmocka_run_group_tests_name("subset", tests, NULL, NULL);
}
