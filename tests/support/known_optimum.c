/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "known_optimum.h"

#include "brute_force.h"

#include <inttypes.h>

static void judge(struct known_optimum *it, const struct known_optimum_series *series)
{
    const struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_memory memory;
    struct flux_problem *problem;
    assert_int_equal(flux_memory_init(&memory, NULL), FLUX_OK);
    assert_int_equal(flux_problem_build(it->graph, it->fabric, &memory, &problem, NULL), FLUX_OK);
    it->problem = problem;
    assert_int_equal(flux_bound_find(problem, &it->cheap), FLUX_OK);
    flux_arena_init(&it->arena, &memory);
    flux_control_begin(&it->control, &memory, &options);
    series->judge(it, series->user);
    flux_arena_free(&it->arena);
    flux_problem_free(problem);
}

void known_optimum_each(const struct known_optimum_series *series, struct known_optimum_tally *tally)
{
    uint32_t count = random_problem_count(series->problems);
    for (uint32_t i = 0; i < count; i++) {
        struct random_problem random;
        struct flux_graph *graph;
        struct flux_fabric *fabric;
        uint32_t mask = series->parameters == RANDOM_ALL ? (i * 2654435761u) >> 24 & RANDOM_ALL : series->parameters;
        uint32_t large = mask & (RANDOM_BLOCKING | RANDOM_DWELL) ? 4 : 7;
        struct random_options options = {series->rule, mask, series->sends_min, large, 0, 0};
        if (series->choose)
            series->choose(i, &options);
        random_problem(&random, series->seed + i, &options);
        if (series->change)
            series->change(&random, i, options.sends_max);
        assert_int_equal(random_problem_build(&random, NULL, &graph, &fabric), FLUX_OK);
        struct known_optimum it = {.random = &random, .graph = graph, .fabric = fabric, .index = i};
        tally->problems++;
        if (brute_force(graph, fabric, series->steps, &it.optimum, NULL) == 0) {
            tally->feasible++;
            judge(&it, series);
        }
        flux_graph_free(graph);
        flux_fabric_free(fabric);
    }
}

void known_optimum_judge(const struct known_optimum *it, const struct flux_bound_value *value, int kind_raises,
                         struct known_optimum_tally *tally)
{
    int raised = value->bound > it->cheap.bound;
    if (value->bound > it->optimum || value->bound < it->cheap.bound || raised != (kind_raises != 0)) {
        random_problem_print(it->random);
        fail_msg("cheap %" PRId64 ", %s %" PRId64 ", optimum %" PRId64, it->cheap.bound,
                 flux_certificate_kind_name(value->kind), value->bound, it->optimum);
    }
    tally->raised += (uint32_t)raised;
    tally->tight_before += it->cheap.bound == it->optimum;
    tally->tight += value->bound == it->optimum;
}

int known_optimum_confirmed(const struct known_optimum *it, struct flux_certificate *certificate, int64_t bound)
{
    int64_t before = certificate->bound;
    certificate->bound = bound;
    int rc = flux_certificate_check(it->graph, it->fabric, certificate, NULL, NULL);
    certificate->bound = before;
    assert_true(rc == FLUX_OK || rc == FLUX_E_MISMATCH);
    return rc == FLUX_OK;
}

struct flux_certificate *known_optimum_certificate(const struct known_optimum *it, const struct flux_bound_value *value,
                                                   int64_t *number)
{
    struct flux_certificate *certificate;
    struct flux_error error = {0};
    *number = -1;
    assert_int_equal(flux_certificate_make(it->problem, value, it->problem->arena.memory, &certificate), FLUX_OK);
    int rc = flux_certificate_check(it->graph, it->fabric, certificate, number, &error);
    if (rc || *number < value->bound || *number > it->optimum ||
        known_optimum_confirmed(it, certificate, it->optimum + 1)) {
        random_problem_print(it->random);
        fail_msg("%s, bound %" PRId64 ": recomputed %" PRId64 ", or more than the optimum %" PRId64 " is confirmed %s",
                 flux_certificate_kind_name(value->kind), value->bound, *number, it->optimum, error.text);
    }
    return certificate;
}

int64_t known_optimum_check(const struct known_optimum *it, const struct flux_plan *plan)
{
    struct flux_slot slots[RANDOM_VERTICES_MAX];
    struct flux_error error = {0};
    uint64_t count = 0;
    int64_t makespan = -1;
    for (uint32_t v = 0; v < it->problem->nodes; v++)
        if (flux_problem_is_send(it->problem, v))
            slots[count++] = (struct flux_slot){it->problem->vertex[v], plan->switch_of[v], plan->start[v],
                                                flux_plan_end(plan, it->problem, v)};
    int rc = flux_check(it->graph, it->fabric, slots, count, &makespan, &error);
    if (rc || makespan > plan->makespan) {
        random_problem_print(it->random);
        fail_msg("the plan of %" PRId64 " is none: %s", plan->makespan, error.text);
    }
    return makespan;
}
