/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs built, written and solved with memory that runs out at every place where some is asked for: an error that
 * says so or a schedule that is one, nothing kept.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <libflux/backend.h>
#include <libflux/flux.h>
#include <string.h>

#include "../support/failing_memory.h"

#define CALLS_MAX 4000

struct bench {
    struct failing_memory failing;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
};

/* Enough sends for arrays of many sizes; staged switches have the most columns. */
static void begin(struct bench *bench, uint32_t sends, int staged)
{
    failing_memory_init(&bench->failing);
    assert_int_equal(flux_graph_new(&bench->failing.env, 5, &bench->graph), 0);
    assert_int_equal(flux_fabric_new(&bench->failing.env, 5, 2, &bench->fabric), 0);
    assert_int_equal(flux_fabric_set_delay(bench->fabric, FLUX_ALL_SWITCHES, 10), 0);
    assert_int_equal(flux_fabric_set_blocking(bench->fabric, 0, staged ? FLUX_BLOCKING_SWITCH : 0), 0);
    for (uint32_t v = 0; v < sends; v++) {
        struct flux_send row = {v % 5, (v * 3 + 1 + (v % 5 == (v * 3 + 1) % 5)) % 5, 0, 5 + v % 7, 0};
        assert_int_equal(flux_graph_add_sends(bench->graph, &row, 1, sizeof row, NULL, NULL), 0);
        if (v % 3 == 2)
            assert_int_equal(flux_graph_add_edge(bench->graph, v - 2, v, 2), 0);
    }
}

static void end(struct bench *bench)
{
    flux_graph_free(bench->graph);
    flux_fabric_free(bench->fabric);
    assert_int_equal(bench->failing.live, 0);
    assert_int_equal(bench->failing.wrong, 0);
}

static int count_text(void *user, const char *text, uint64_t length)
{
    (void)text;
    *(uint64_t *)user += length;
    return 0;
}

static void write_one(uint32_t sends, int staged, uint32_t formulation, uint32_t format)
{
    struct bench bench;
    int rc = FLUX_E_MEMORY;
    begin(&bench, sends, staged);
    long long live = bench.failing.live;
    for (long long n = 1; n < CALLS_MAX && rc; n++) {
        struct flux_error error = {0};
        uint64_t length = 0;
        failing_memory_arm(&bench.failing, n, n & 1);
        rc = flux_formulation_write(bench.graph, bench.fabric, formulation, format, count_text, &length, NULL, &error);
        assert_true(rc == 0 || (rc == FLUX_E_MEMORY && error.text[0]));
        assert_int_equal(bench.failing.live, live);
    }
    assert_int_equal(rc, 0);
    failing_memory_arm(&bench.failing, 0, 0);
    end(&bench);
}

static void writing(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 8; i++)
        write_one(i & 1 ? 60 : 9, i & 2 ? 1 : 0, i & 4 ? 1 : 0, i & 1);
}

static void solving(void **state)
{
    (void)state;
    if (!(flux_backend_builtin(0)->capabilities & FLUX_BACKEND_SOLVES))
        skip();
    for (uint32_t i = 0; i < 4; i++) {
        struct flux_options options = FLUX_OPTIONS_INIT;
        struct bench bench;
        int rc = FLUX_E_MEMORY, disbelieved = 1;
        options.exact = i & 1 ? FLUX_EXACT_ONLY : FLUX_EXACT_ALWAYS;
        options.formulation = i & 1 ? FLUX_FORMULATION_PAPER : FLUX_FORMULATION_TIGHT;
        options.backend_name = flux_backend_builtin(0)->name;
        begin(&bench, 6, i & 2 ? 1 : 0);
        long long live = bench.failing.live;
        for (long long n = 1; n < CALLS_MAX && (rc || disbelieved); n++) {
            struct flux_error error = {0};
            struct flux_statistics statistics = FLUX_STATISTICS_INIT;
            struct flux_schedule *schedule = NULL;
            failing_memory_arm(&bench.failing, n, n & 1);
            rc = flux_schedule(bench.graph, bench.fabric, &options, &schedule, &error);
            assert_true(rc == 0 || ((rc == FLUX_E_MEMORY || rc == FLUX_E_BACKEND) && error.text[0]));
            assert_true(rc == 0 || schedule == NULL);
            if (!rc)
                assert_int_equal(flux_schedule_statistics(schedule, &statistics), 0);
            disbelieved = (int)statistics.backend_disbelieved;
            flux_schedule_free(schedule);
            assert_int_equal(bench.failing.live, live);
        }
        assert_int_equal(rc, 0);
        failing_memory_arm(&bench.failing, 0, 0);
        end(&bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writing),
        cmocka_unit_test(solving),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
