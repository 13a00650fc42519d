/* SPDX-License-Identifier: Apache-2.0
 *
 * test_exact.c - flux_schedule() with a solver backend: which one is asked and when, what is believed of it, and that
 * a backend that lies costs nothing but its time.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <libflux/backend.h>
#include <libflux/flux.h>
#include <stdio.h>
#include <string.h>

#include "../support/liar.h"
#include "../support/pairwise.h"

struct setting {
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_schedule *schedule;
    struct flux_statistics statistics;
    struct flux_error error;
};

/* Each pair of GPUs once. On one switch with an odd number of GPUs no bound of ours meets the best schedule. */
static void all_to_all(struct setting *setting, uint32_t gpus, uint32_t switches)
{
    static const struct flux_statistics empty = FLUX_STATISTICS_INIT;
    memset(setting, 0, sizeof *setting);
    setting->statistics = empty;
    assert_int_equal(flux_graph_new(NULL, gpus, &setting->graph), 0);
    assert_int_equal(flux_fabric_new(NULL, gpus, switches, &setting->fabric), 0);
    assert_int_equal(flux_fabric_set_delay(setting->fabric, FLUX_ALL_SWITCHES, 10), 0);
    for (uint32_t a = 0; a < gpus; a++)
        for (uint32_t b = 0; b < gpus; b++) {
            struct flux_send row = {a, b, 0, 100, 0};
            if (a < b)
                assert_int_equal(flux_graph_add_sends(setting->graph, &row, 1, sizeof row, NULL, NULL), 0);
        }
}

/* A dwell that forbids nothing: but where there is one, our own search stands back, and a gap is left. */
static void leave_a_gap(struct setting *setting)
{
    assert_int_equal(flux_fabric_set_dwell(setting->fabric, FLUX_ALL_SWITCHES, 1), 0);
}

static int run(struct setting *setting, const struct flux_options *options)
{
    flux_schedule_free(setting->schedule);
    setting->schedule = NULL;
    memset(&setting->error, 0, sizeof setting->error);
    int rc = flux_schedule(setting->graph, setting->fabric, options, &setting->schedule, &setting->error);
    if (!rc)
        assert_int_equal(flux_schedule_statistics(setting->schedule, &setting->statistics), 0);
    return rc;
}

static void end(struct setting *setting)
{
    flux_schedule_free(setting->schedule);
    flux_graph_free(setting->graph);
    flux_fabric_free(setting->fabric);
}

static int has_solver(void)
{
    return (flux_backend_builtin(0)->capabilities & FLUX_BACKEND_SOLVES) != 0;
}

static void liars_cost_nothing(void **state)
{
    struct setting setting;
    (void)state;
    all_to_all(&setting, 5, 1);
    leave_a_gap(&setting);
    assert_int_equal(run(&setting, NULL), 0);
    int64_t native = flux_schedule_makespan(setting.schedule), bound = flux_schedule_bound(setting.schedule);
    assert_true(native > bound);
    for (uint32_t i = 0; i < liar_count; i++)
        for (uint32_t formulation = 0; formulation < 2; formulation++) {
            struct flux_options options = FLUX_OPTIONS_INIT;
            uint64_t count;
            int64_t makespan;
            char why[PAIRWISE_TEXT];
            options.exact = FLUX_EXACT_ALWAYS;
            options.formulation = formulation;
            options.backend = liars[i].backend;
            options.time_limit_ns = 300000000;
            int rc = run(&setting, &options);
            if (liars[i].noticed == LIAR_REFUSED || (rc && liars[i].noticed == LIAR_FAILS)) {
                assert_true(rc == FLUX_E_ARGUMENT || rc == FLUX_E_ABI || rc == FLUX_E_BACKEND);
                assert_true(setting.error.text[0] != '\0');
                continue;
            }
            if (rc)
                fail_msg("%s: %s", liars[i].lie, setting.error.text);
            const struct flux_slot *slots = flux_schedule_slots(setting.schedule, &count);
            if (!pairwise_check(setting.graph, setting.fabric, slots, count, &makespan, why))
                fail_msg("%s: %s", liars[i].lie, why);
            assert_true(makespan <= native);
            assert_int_equal(setting.statistics.backend_used, 1);
            if (liars[i].noticed == LIAR_CAUGHT || liars[i].noticed == LIAR_FAILS) {
                if (!setting.statistics.backend_disbelieved)
                    fail_msg("%s is believed", liars[i].lie);
                assert_int_equal(flux_schedule_bound(setting.schedule), bound);
                assert_int_equal(flux_schedule_status(setting.schedule), FLUX_FEASIBLE);
            }
        }
    end(&setting);
}

static void liars_alone_are_errors(void **state)
{
    struct setting setting;
    (void)state;
    all_to_all(&setting, 4, 1);
    for (uint32_t i = 0; i < liar_count; i++) {
        struct flux_options options = FLUX_OPTIONS_INIT;
        options.exact = FLUX_EXACT_ONLY;
        options.backend = liars[i].backend;
        options.time_limit_ns = 300000000;
        int rc = run(&setting, &options);
        if (rc == 0 && liars[i].noticed != LIAR_AGAINST_START)
            fail_msg("%s is believed", liars[i].lie);
        if (rc) {
            assert_null(setting.schedule);
            assert_true(setting.error.text[0] != '\0');
        }
    }
    end(&setting);
}

static void what_is_asked_for_must_be_there(void **state)
{
    struct setting setting;
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_parameter unknown = {"glpk.no_such_thing", "1"}, stranger = {"gurobi.threads", "1"};
    struct flux_backend old;
    (void)state;
    all_to_all(&setting, 4, 2);
    options.backend_name = "gurobi";
    assert_int_equal(run(&setting, &options), FLUX_E_BACKEND);
    assert_non_null(strstr(setting.error.text, "gurobi"));
    assert_non_null(strstr(setting.error.text, "none"));
    options.exact = FLUX_EXACT_NEVER;
    assert_int_equal(run(&setting, &options), 0);
    options = (struct flux_options)FLUX_OPTIONS_INIT;
    options.parameters = &stranger;
    options.parameter_count = 1;
    if (has_solver())
        assert_int_equal(run(&setting, &options), FLUX_E_ARGUMENT);
    if (flux_backend_find("glpk")) {
        options.parameters = &unknown;
        assert_int_equal(run(&setting, &options), FLUX_E_ARGUMENT);
    }
    options = (struct flux_options)FLUX_OPTIONS_INIT;
    old = *flux_backend_builtin(0);
    old.abi++;
    options.backend = &old;
    assert_int_equal(run(&setting, &options), FLUX_E_ABI);
    options = (struct flux_options)FLUX_OPTIONS_INIT;
    options.backend_name = "none";
    options.exact = FLUX_EXACT_ONLY;
    assert_int_equal(run(&setting, &options), FLUX_E_BACKEND);
    assert_non_null(strstr(setting.error.text, "none"));
    end(&setting);
}

/* Three GPUs, three sends of 100, one switch: the load of a GPU is 2 * 100 + 10. But at most one circuit is up at a time,
 * so that it takes three rounds and two changes. */
static void proof_by_a_solver(void **state)
{
    struct setting setting;
    struct flux_options options = FLUX_OPTIONS_INIT;
    (void)state;
    if (!has_solver())
        skip();
    all_to_all(&setting, 3, 1);
    leave_a_gap(&setting);
    options.exact = FLUX_EXACT_ALWAYS;
    assert_int_equal(run(&setting, &options), 0);
    const struct flux_certificate *certificate = flux_schedule_certificate(setting.schedule);
    assert_int_equal(flux_schedule_makespan(setting.schedule), 320);
    assert_int_equal(flux_schedule_status(setting.schedule), FLUX_OPTIMAL);
    assert_int_equal(flux_certificate_kind(certificate), FLUX_CERTIFICATE_SOLVER);
    assert_int_equal(flux_certificate_bound(certificate), 320);
    assert_int_equal(setting.statistics.backend_used, 1);
    assert_int_equal(setting.statistics.backend_disbelieved, 0);
    assert_true(flux_certificate_check(setting.graph, setting.fabric, certificate, NULL, NULL) == FLUX_E_MISMATCH);
    /* The paper's program, from nothing. */
    end(&setting);
    all_to_all(&setting, 4, 1);
    options.exact = FLUX_EXACT_ONLY;
    options.formulation = FLUX_FORMULATION_PAPER;
    assert_int_equal(run(&setting, &options), 0);
    assert_int_equal(flux_schedule_makespan(setting.schedule), 320);
    assert_int_equal(setting.statistics.rule, FLUX_SEARCH_BACKEND);
    /* Three rounds of 100 with two changes is what the load of one GPU says: that can be recomputed. */
    assert_int_equal(flux_certificate_kind(flux_schedule_certificate(setting.schedule)), FLUX_CERTIFICATE_PORT_LOAD);
    end(&setting);
}

static void limits_and_cancelling(void **state)
{
    struct setting setting;
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_cancel *cancel;
    (void)state;
    if (!has_solver())
        skip();
    all_to_all(&setting, 7, 1);
    options.exact = FLUX_EXACT_ALWAYS;
    options.time_limit_ns = 50000000;
    assert_int_equal(run(&setting, &options), 0);
    assert_true(flux_schedule_bound(setting.schedule) <= flux_schedule_makespan(setting.schedule));
    options.exact = FLUX_EXACT_ONLY;
    options.formulation = FLUX_FORMULATION_PAPER;
    options.time_limit_ns = 1;
    assert_int_equal(run(&setting, &options), FLUX_E_BACKEND);
    assert_non_null(strstr(setting.error.text, "limit"));
    assert_int_equal(flux_cancel_new(NULL, &cancel), 0);
    flux_cancel_request(cancel);
    options.cancel = cancel;
    options.time_limit_ns = 0;
    assert_int_equal(run(&setting, &options), FLUX_E_CANCELLED);
    flux_cancel_free(cancel);
    end(&setting);
}

/* Five GPUs and ten sends: two circuits at a time, so five rounds and four changes. Without any solver, by our own
 * search. */
static void proof_by_our_search(void **state)
{
    struct setting setting;
    struct flux_options options = FLUX_OPTIONS_INIT;
    (void)state;
    all_to_all(&setting, 5, 1);
    options.exact = FLUX_EXACT_NEVER;
    assert_int_equal(run(&setting, &options), 0);
    const struct flux_certificate *certificate = flux_schedule_certificate(setting.schedule);
    assert_int_equal(flux_schedule_makespan(setting.schedule), 540);
    assert_int_equal(flux_schedule_status(setting.schedule), FLUX_OPTIMAL);
    assert_int_equal(flux_certificate_kind(certificate), FLUX_CERTIFICATE_SEARCH);
    assert_int_equal(flux_certificate_bound(certificate), 540);
    assert_int_equal(setting.statistics.backend_used, 0);
    assert_int_equal(setting.statistics.stopped, FLUX_STOPPED_BOUND);
    assert_true(flux_certificate_check(setting.graph, setting.fabric, certificate, NULL, NULL) == FLUX_E_MISMATCH);
    end(&setting);
}

/* Without a limit AUTO asks only where it ends soon, and what comes out is the same each time. */
static void auto_is_reproducible(void **state)
{
    struct setting setting;
    struct flux_options options = FLUX_OPTIONS_INIT;
    (void)state;
    all_to_all(&setting, 7, 1);
    assert_int_equal(run(&setting, &options), 0);
    assert_int_equal(setting.statistics.backend_used, 0);
    end(&setting);
    all_to_all(&setting, 5, 1);
    int64_t makespan = -1;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(run(&setting, &options), 0);
        assert_true(makespan < 0 || makespan == flux_schedule_makespan(setting.schedule));
        makespan = flux_schedule_makespan(setting.schedule);
    }
    options.exact = FLUX_EXACT_NEVER;
    assert_int_equal(run(&setting, &options), 0);
    assert_int_equal(setting.statistics.backend_used, 0);
    end(&setting);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(liars_cost_nothing), cmocka_unit_test(liars_alone_are_errors),
        cmocka_unit_test(what_is_asked_for_must_be_there), cmocka_unit_test(proof_by_a_solver),
        cmocka_unit_test(proof_by_our_search),
        cmocka_unit_test(limits_and_cancelling), cmocka_unit_test(auto_is_reproducible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
