/* SPDX-License-Identifier: Apache-2.0
 *
 * The one way in which backends are used: what is refused before they run, what is obeyed while they do, and what is
 * not believed afterwards.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/liar.h"
#include "../support/program.h"
#include "backend/registry.h"
#include "backend/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define JOBS 3

struct bench {
    struct flux_memory memory;
    struct flux_arena arena;
    struct flux_options options;
    struct flux_control control;
    struct program program;
    double start[16];
    struct flux_backend_request request;
    struct flux_backend_answer answer;
    struct flux_error error;
    uint64_t points;
    double worst_point;
};

static void on_point(void *user, const double *values, double cost)
{
    struct bench *bench = user;
    bench->points++;
    for (uint32_t j = 0; j < bench->program.milp.columns; j++)
        assert_true(isfinite(values[j]));
    assert_true(fabs(program_cost(&bench->program.milp, values) - cost) <= 1e-9 * (1 + fabs(cost)));
    bench->worst_point = fmax(bench->worst_point, program_violation(&bench->program.milp, values));
}

static void begin(struct bench *bench, const struct flux_backend *backend)
{
    memset(bench, 0, sizeof *bench);
    bench->options = (struct flux_options)FLUX_OPTIONS_INIT;
    assert_int_equal(flux_memory_init(&bench->memory, NULL), 0);
    flux_arena_init(&bench->arena, &bench->memory);
    program_machine(&bench->program, JOBS, 40, 1);
    double at = 0;
    for (uint32_t i = 0; i < JOBS; i++) {
        bench->start[i] = at;
        at += 3 + i;
    }
    bench->start[JOBS] = at;
    for (uint32_t j = JOBS + 1; j < bench->program.milp.columns; j++)
        bench->start[j] = 1;
    bench->request.backend = backend;
    bench->request.milp = &bench->program.milp;
    bench->request.control = &bench->control;
    bench->request.deadline_ns = UINT64_MAX;
    bench->request.incumbent = on_point;
    bench->request.user = bench;
}

static int run(struct bench *bench)
{
    memset(&bench->error, 0, sizeof bench->error);
    flux_control_begin(&bench->control, &bench->memory, &bench->options);
    return flux_backend_run(&bench->request, &bench->arena, &bench->answer, &bench->error);
}

static void end(struct bench *bench)
{
    flux_arena_free(&bench->arena);
    program_free(&bench->program);
}

static void check_lie(const struct liar *liar, int with_start)
{
    struct bench bench;
    begin(&bench, liar->backend);
    bench.program.milp.start = with_start ? bench.start : NULL;
    bench.options.time_limit_ns = 100000000;
    int rc = run(&bench);
    if (liar->noticed == LIAR_REFUSED) {
        assert_true(rc == FLUX_E_ABI || rc == FLUX_E_ARGUMENT);
        assert_string_not_equal(bench.error.text, "");
    } else if (liar->noticed == LIAR_FAILS) {
        assert_int_equal(rc, FLUX_E_BACKEND);
        assert_non_null(strstr(bench.error.text, liar->backend->name));
        for (const char *c = bench.error.text; *c; c++)
            assert_true((unsigned char)*c >= 0x20);
    } else {
        assert_int_equal(rc, 0);
    }
    if (liar->noticed == LIAR_CAUGHT || (liar->noticed == LIAR_AGAINST_START && with_start)) {
        assert_int_equal(bench.answer.disbelieved, 1);
        assert_string_not_equal(bench.answer.why, "");
    }
    if (liar->noticed == LIAR_SAYS_NOTHING)
        assert_int_equal(bench.answer.disbelieved, 0);
    if (liar->noticed != LIAR_AGAINST_START || with_start) {
        assert_int_equal(bench.answer.status, FLUX_MILP_UNKNOWN);
        assert_true(isinf(bench.answer.bound) && bench.answer.bound < 0);
    }
    assert_null(bench.answer.values);
    end(&bench);
}

static void lies(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < liar_count; i++) {
        print_message("%s\n", liars[i].lie);
        check_lie(&liars[i], 0);
        check_lie(&liars[i], 1);
    }
}

static void slow_and_late(void **state)
{
    struct bench bench;
    (void)state;
    begin(&bench, liar_find("liar_slow"));
    bench.options.time_limit_ns = 100000000;
    assert_int_equal(run(&bench), 0);
    assert_int_equal(bench.control.stopped, FLUX_STOPPED_TIME);
    assert_in_range(bench.answer.spent_ns, 90000000, 10000000000);
    end(&bench);
    begin(&bench, liar_find("liar_late"));
    bench.options.time_limit_ns = 50000000;
    assert_int_equal(run(&bench), 0);
    assert_in_range(bench.answer.late_ns, 150000000, 10000000000);
    end(&bench);
}

/* A deadline of its own stops the backend and not the whole run. */
static void own_deadline(void **state)
{
    struct bench bench;
    (void)state;
    begin(&bench, liar_find("liar_slow"));
    flux_control_begin(&bench.control, &bench.memory, &bench.options);
    bench.request.deadline_ns = bench.control.begin_ns + 50000000;
    assert_int_equal(flux_backend_run(&bench.request, &bench.arena, &bench.answer, &bench.error), 0);
    assert_int_equal(bench.control.stopped, FLUX_STOPPED_DONE);
    assert_int_equal(bench.answer.status, FLUX_MILP_UNKNOWN);
    end(&bench);
}

static void bad_points_on_the_way(void **state)
{
    struct bench bench;
    (void)state;
    begin(&bench, liar_find("liar_points"));
    assert_int_equal(run(&bench), 0);
    assert_int_equal(bench.points, 2); /* the finite ones: whoever listens checks them */
    end(&bench);
}

static void cancelled_before(void **state)
{
    struct bench bench;
    struct flux_cancel *cancel;
    (void)state;
    begin(&bench, liar_find("liar_closed")); /* would fail if it were opened */
    assert_int_equal(flux_cancel_new(NULL, &cancel), 0);
    flux_cancel_request(cancel);
    bench.options.cancel = cancel;
    assert_int_equal(run(&bench), 0);
    assert_int_equal(bench.answer.status, FLUX_MILP_UNKNOWN);
    assert_int_equal(bench.control.stopped, FLUX_STOPPED_CANCEL);
    flux_cancel_free(cancel);
    end(&bench);
}

/* --- programs that no backend may see ----------------------------------------------------------------------------- */

static void break_size(struct program *p)
{
    p->milp.size--;
}
static void break_bound_nan(struct program *p)
{
    p->column_upper[0] = NAN;
}
static void break_bound_crossed(struct program *p)
{
    p->column_lower[0] = 41;
}
static void break_bound_side(struct program *p)
{
    p->column_lower[0] = INFINITY;
}
static void break_kind(struct program *p)
{
    p->column_kind[1] = 2;
}
static void break_binary(struct program *p)
{
    p->column_upper[JOBS + 1] = 0.5;
}
static void break_cost_nan(struct program *p)
{
    p->cost[2] = NAN;
}
static void break_cost_huge(struct program *p)
{
    p->cost[2] = 1e300;
}
static void break_row_nan(struct program *p)
{
    p->row_lower[0] = NAN;
}
static void break_row_crossed(struct program *p)
{
    p->row_upper[0] = -1;
}
static void break_index(struct program *p)
{
    p->entry_column[1] = p->milp.columns;
}
static void break_twice(struct program *p)
{
    p->entry_column[1] = p->entry_column[0];
}
static void break_entry_nan(struct program *p)
{
    p->entry_value[3] = NAN;
}
static void break_entry_infinite(struct program *p)
{
    p->entry_value[3] = -INFINITY;
}
static void break_first(struct program *p)
{
    p->row_first[1] = p->milp.entries + 9;
}
static void break_last(struct program *p)
{
    p->row_first[p->milp.rows]--;
}
static void break_order(struct program *p)
{
    p->row_first[2] = 1;
}
static void break_array(struct program *p)
{
    p->milp.row_upper = NULL;
}
static void break_cutoff(struct program *p)
{
    p->milp.cutoff = NAN;
}
static void break_cutoff_side(struct program *p)
{
    p->milp.cutoff = -INFINITY;
}
static void break_rows(struct program *p)
{
    p->milp.rows = UINT32_MAX;
}

static void bad_programs(void **state)
{
    static void (*const breaks[])(struct program *) = {
        break_size,      break_bound_nan,      break_bound_crossed, break_bound_side,  break_kind,  break_binary,
        break_cost_nan,  break_cost_huge,      break_row_nan,       break_row_crossed, break_index, break_twice,
        break_entry_nan, break_entry_infinite, break_first,         break_last,        break_order, break_array,
        break_cutoff,    break_cutoff_side,    break_rows,
    };
    (void)state;
    for (size_t i = 0; i < sizeof breaks / sizeof *breaks; i++) {
        struct bench bench;
        begin(&bench, liar_find("liar_closed"));
        breaks[i](&bench.program);
        int rc = run(&bench);
        if (rc != (i ? FLUX_E_ARGUMENT : FLUX_E_ABI))
            fail_msg("break %zu: %d %s", i, rc, bench.error.text);
        assert_string_not_equal(bench.error.text, "");
        assert_null(bench.answer.values);
        end(&bench);
    }
}

/* --- parameters --------------------------------------------------------------------------------------------------- */

static void check_parameter(const struct flux_backend *backend, const char *key, const char *value, int expected)
{
    struct flux_parameter parameter = {key, value};
    struct bench bench;
    begin(&bench, backend);
    bench.request.parameters = &parameter;
    bench.request.parameter_count = 1;
    int rc = run(&bench), probe = flux_backend_probe(backend, &parameter, 1, &bench.memory, NULL);
    if (rc != expected || probe != expected)
        fail_msg("%s=%s: %d and %d, not %d", key ? key : "NULL", value ? value : "NULL", rc, probe, expected);
    end(&bench);
}

static void parameters(void **state)
{
    const struct flux_backend *none = flux_backend_find("none"), *glpk = flux_backend_find("glpk");
    (void)state;
    check_parameter(none, "none.anything", "1", FLUX_E_ARGUMENT);
    check_parameter(none, "nobody.anything", "1", FLUX_E_ARGUMENT);
    check_parameter(none, "anything", "1", FLUX_E_ARGUMENT);
    check_parameter(none, NULL, "1", FLUX_E_ARGUMENT);
    check_parameter(none, "none.x", NULL, FLUX_E_ARGUMENT);
    if (!glpk)
        return;
    check_parameter(none, "glpk.mip_gap", "0.1", FLUX_OK); /* another backend's */
    check_parameter(glpk, "glpk.mip_gap", "0.1", FLUX_OK);
    check_parameter(glpk, "glpk.mip_gap", "1e-3", FLUX_OK);
    check_parameter(glpk, "glpk.mip_gap", "1.5", FLUX_E_ARGUMENT);
    check_parameter(glpk, "glpk.mip_gap", "0,1", FLUX_E_ARGUMENT);
    check_parameter(glpk, "glpk.mip_gap", "-0.1", FLUX_E_ARGUMENT);
    check_parameter(glpk, "glpk.mip_gap", ".", FLUX_E_ARGUMENT);
    check_parameter(glpk, "glpk.memory_mb", "99999999999999999999999", FLUX_E_ARGUMENT);
    check_parameter(glpk, "glpk.memory_mb", "64", FLUX_OK);
    check_parameter(glpk, "glpk.presolve", "on", FLUX_OK);
    check_parameter(glpk, "glpk.presolve", "On", FLUX_E_ARGUMENT);
    check_parameter(glpk, "glpk.", "on", FLUX_E_ARGUMENT);
    check_parameter(glpk, "glpkpresolve", "on", FLUX_E_ARGUMENT);
}

static void names(void **state)
{
    (void)state;
    assert_null(flux_backend_find(NULL));
    assert_null(flux_backend_find(""));
    assert_null(flux_backend_find("glp"));
    assert_null(flux_backend_builtin(UINT32_MAX));
    assert_int_equal(flux_backend_check(NULL, NULL), FLUX_E_ARGUMENT);
    uint32_t count = 0;
    for (const struct flux_backend *backend; (backend = flux_backend_builtin(count)) != NULL; count++) {
        assert_int_equal(flux_backend_check(backend, NULL), 0);
        assert_ptr_equal(flux_backend_find(backend->name), backend);
    }
    assert_ptr_equal(flux_backend_builtin(count - 1), flux_backend_find("none"));
#ifdef FLUX_WITH_GLPK
    assert_string_equal(flux_backend_builtin(0)->name, "glpk");
#endif
}

static void every_builtin_solves(void **state)
{
    const struct flux_backend *backend;
    (void)state;
    for (uint32_t i = 0; (backend = flux_backend_builtin(i)) != NULL; i++) {
        struct bench bench;
        begin(&bench, backend);
        assert_int_equal(run(&bench), 0);
        assert_int_equal(bench.answer.disbelieved, 0);
        if (backend->capabilities & FLUX_BACKEND_SOLVES) {
            assert_int_equal(bench.answer.status, FLUX_MILP_OPTIMAL);
            assert_true(fabs(bench.answer.objective - 12) < 1e-6);
            assert_non_null(bench.answer.values);
        }
        assert_true(bench.worst_point < 1e-5);
        end(&bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lies),
        cmocka_unit_test(slow_and_late),
        cmocka_unit_test(own_deadline),
        cmocka_unit_test(bad_points_on_the_way),
        cmocka_unit_test(cancelled_before),
        cmocka_unit_test(bad_programs),
        cmocka_unit_test(parameters),
        cmocka_unit_test(names),
        cmocka_unit_test(every_builtin_solves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
