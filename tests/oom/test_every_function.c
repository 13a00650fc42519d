/* SPDX-License-Identifier: Apache-2.0
 *
 * Every public function with memory that runs out. Those that may ask for memory are run with the n-th request failing,
 * for every n, alone and with all later ones: an error that says so, nothing kept, objects still good. Those that may
 * not are called with no memory at all, and must not ask. The symbol maps say which functions there are: one that is in
 * neither list fails the test.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/asking.h"

#include <errno.h>
#include <libflux/backend.h>
#include <libflux/io/import.h>
#include <libflux/io/matrix.h>
#include <libflux/io/names.h>
#include <libflux/io/write.h>
#include <libflux/program.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DOCUMENT "tests/data/cli/pair.yaml"

static long long points;

/* Requests of the whole process, whoever makes them: for functions without an environment. The sanitizers have an
 * allocator of their own. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PROCESS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PROCESS 0
#endif
#endif
#if !defined(PROCESS) && !defined(__GLIBC__)
#define PROCESS 0
#elif !defined(PROCESS)
#define PROCESS 1
#endif

static struct {
    long long calls, fail_at;
    int sticky, armed;
} process;

#if PROCESS
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);

static int refuses(void)
{
    if (!process.armed)
        return 0;
    process.calls++;
    if (process.calls != process.fail_at && !(process.sticky && process.calls > process.fail_at))
        return 0;
    errno = ENOMEM;
    return 1;
}

__attribute__((visibility("default"))) void *malloc(size_t size)
{
    return refuses() ? NULL : __libc_malloc(size);
}

__attribute__((visibility("default"))) void *calloc(size_t count, size_t size)
{
    return refuses() ? NULL : __libc_calloc(count, size);
}

__attribute__((visibility("default"))) void *realloc(void *block, size_t size)
{
    return refuses() ? NULL : __libc_realloc(block, size);
}
#endif

/* One run with the n-th request failing; n of 0: none. */
static int run_once(const struct asking *row, struct bench *bench, long long n, int sticky, long long *calls)
{
    if (row->process) {
        process.calls = 0;
        process.fail_at = n;
        process.sticky = sticky;
        process.armed = 1;
    } else {
        failing_memory_arm(&bench->memory, n, sticky);
    }
    int rc = row->run(bench);
    process.armed = 0;
    *calls = row->process ? process.calls : bench->memory.calls;
    failing_memory_arm(&bench->memory, 0, 0);
    return rc;
}

static void fail_each(const struct asking *row, int sticky)
{
    const char *name = row->function;
    long long step = 1, failures = 0, calls, again;
    if (row->process && !PROCESS)
        return;
    for (long long n = 1;; n += step) {
        struct bench bench;
        bench_begin(&bench);
        int rc = run_once(row, &bench, n, sticky, &calls);
        int misled = rc == FLUX_E_FORMAT && row->process == ASKS_JSON;
        if (rc != FLUX_OK && rc != FLUX_E_MEMORY && !misled)
            fail_msg("%s: request %lld failing gives %d", name, n, rc);
        if (rc == FLUX_OK && sticky && calls >= n && !row->process)
            fail_msg("%s: done without the memory it asked for (request %lld)", name, n);
        failures += rc != FLUX_OK;
        rc = run_once(row, &bench, 0, 0, &again);
        if (rc)
            fail_msg("%s: %d at the next try after request %lld failed", name, rc, n);
        bench_end(&bench);
        if (bench.memory.live || bench.memory.wrong)
            fail_msg("%s: request %lld failing leaves %lld blocks, %lld with a wrong size", name, n,
                     (long long)bench.memory.live, (long long)bench.memory.wrong);
        if (calls < n)
            break;
        points++;
        step = n < 400 ? 1 : 1 + n / 200; /* the long tail of large ones: a sample */
    }
    if (!failures)
        fail_msg("%s: never asked for memory: it belongs to the others", name);
}

static void requests_fail(void **state)
{
    (void)state;
    for (const struct asking *row = asking; row->function; row++) {
        fail_each(row, 0);
        fail_each(row, 1);
    }
    for (const struct asking *row = asking_files; row->function; row++) {
        fail_each(row, 0);
        fail_each(row, 1);
    }
    print_message("%lld points\n", points);
    assert_true(points > 1000);
}

/* ---- Functions that never ask. */

static char called[8192];

static void note(const char *function)
{
    assert_true(strlen(called) + strlen(function) + 3 < sizeof called);
    strcat(called, " ");
    strcat(called, function);
    strcat(called, " ");
}

#define CALL(function, ...) (note(#function), (void)function(__VA_ARGS__))
#define CALL_PLAIN(function) (note(#function), (void)function())

static void call_texts(void)
{
    char text[FLUX_UNITS_TEXT];
    int64_t time;
    uint64_t number;
    CALL_PLAIN(flux_version);
    CALL_PLAIN(flux_version_text);
    CALL_PLAIN(flux_capabilities);
    CALL_PLAIN(flux_scheduler_count);
    CALL(flux_error_name, FLUX_E_CYCLE);
    CALL(flux_phase_name, 1);
    CALL(flux_search_name, 1);
    CALL(flux_stopped_name, 1);
    CALL(flux_certificate_kind_name, 1);
    CALL(flux_demand_name, 1);
    CALL(flux_demand_find, "bvn");
    CALL(flux_scheduler_name, 1);
    CALL(flux_scheduler_find, "flux");
    CALL(flux_scheduler_kind, 1);
    CALL(flux_scheduler_source, 1);
    CALL(flux_backend_builtin, 0);
    CALL(flux_backend_find, "none");
    CALL(flux_import_formats, 0);
    CALL(flux_time_parse, "10us", &time, NULL);
    CALL(flux_bytes_parse, "64MiB", &number, NULL);
    CALL(flux_rate_parse, "800Gbps", &number, NULL);
    CALL(flux_time_format, 10, text, sizeof text);
    CALL(flux_bytes_format, 10, text, sizeof text);
    CALL(flux_rate_format, 10, text, sizeof text);
}

static void call_graph(struct flux_graph *graph)
{
    struct flux_send send;
    struct flux_compute row;
    CALL(flux_graph_set_duration, graph, 1, 5);
    CALL(flux_graph_set_release, graph, 1, 5);
    CALL(flux_graph_gpus, graph);
    CALL(flux_graph_vertices, graph);
    CALL(flux_graph_sends, graph);
    CALL(flux_graph_edges, graph, NULL);
    CALL(flux_graph_is_send, graph, 0);
    CALL(flux_graph_get_send, graph, 0, &send);
    CALL(flux_graph_get_compute, graph, 4, &row);
    CALL(flux_graph_label, graph, 0);
}

static void call_fabric(struct flux_fabric *fabric)
{
    struct flux_propagation rule;
    int64_t time;
    CALL(flux_fabric_set_rule, fabric, FLUX_RULE_PAPER);
    CALL(flux_fabric_set_delay, fabric, 0, 5);
    CALL(flux_fabric_set_blocking, fabric, 0, FLUX_BLOCKING_PORT);
    CALL(flux_fabric_set_dwell, fabric, 0, 0);
    CALL(flux_fabric_gpus, fabric);
    CALL(flux_fabric_switches, fabric);
    CALL(flux_fabric_rule, fabric);
    CALL(flux_fabric_rate, fabric, 0, 0);
    CALL(flux_fabric_delay, fabric, 0);
    CALL(flux_fabric_blocking, fabric, 0);
    CALL(flux_fabric_dwell, fabric, 0);
    CALL(flux_fabric_dead, fabric, 0, 0);
    CALL(flux_fabric_is_forbidden, fabric, 0, 0, 1);
    CALL(flux_fabric_forbidden, fabric, NULL);
    CALL(flux_fabric_initial, fabric, NULL);
    CALL(flux_fabric_propagation, fabric, 0, 1);
    CALL(flux_fabric_propagation_rules, fabric);
    CALL(flux_fabric_propagation_rule, fabric, 0, &rule);
    CALL(flux_fabric_duration, fabric, 0, 0, 1, 1000, &time);
}

static void call_schedule(const struct flux_schedule *schedule)
{
    struct flux_statistics statistics = FLUX_STATISTICS_INIT;
    const struct flux_certificate *certificate = flux_schedule_certificate(schedule);
    note("flux_schedule_certificate");
    CALL(flux_schedule_status, schedule);
    CALL(flux_schedule_makespan, schedule);
    CALL(flux_schedule_bound, schedule);
    CALL(flux_schedule_reconfigurations, schedule);
    CALL(flux_schedule_slots, schedule, NULL);
    CALL(flux_schedule_circuits, schedule, NULL);
    CALL(flux_schedule_times, schedule, NULL);
    CALL(flux_schedule_statistics, schedule, &statistics);
    CALL(flux_certificate_kind, certificate);
    CALL(flux_certificate_bound, certificate);
    CALL(flux_certificate_gpu, certificate);
    CALL(flux_certificate_side, certificate);
    CALL(flux_certificate_head, certificate);
    CALL(flux_certificate_tail, certificate);
    CALL(flux_certificate_vertices, certificate, NULL);
    CALL(flux_certificate_lifts, certificate, NULL);
}

static void call_replay(struct flux_replay *replay)
{
    struct flux_replay_options options = FLUX_REPLAY_OPTIONS_INIT;
    struct flux_replay_summary summary = FLUX_REPLAY_SUMMARY_INIT;
    options.mode = FLUX_REPLAY_ORDER;
    options.jitter_ppm = 1000;
    CALL(flux_replay_run, replay, &options, NULL);
    CALL(flux_replay_summary, replay, &summary);
    CALL(flux_replay_times, replay, NULL);
    CALL(flux_replay_ready, replay, NULL);
    CALL(flux_replay_gpus, replay, NULL);
    CALL(flux_replay_parts, replay, NULL);
}

static void call_program(struct flux_program *program)
{
    struct flux_event event;
    uint32_t count;
    CALL(flux_program_circuits, program, NULL);
    CALL(flux_program_circuit_of, program, 0);
    CALL(flux_program_peek, program, &event);
    CALL(flux_program_step, program, &event);
    CALL(flux_program_seek, program, 1000);
    CALL(flux_program_up, program, 0, &count);
    CALL(flux_program_next_change, program, 0);
    CALL(flux_program_left, program);
    CALL(flux_program_take, program, &event);
    CALL(flux_program_done, program, event.kind, event.item, event.time + event.duration);
    CALL(flux_program_restart, program);
}

static void call_replan(const struct flux_replan *replan)
{
    struct flux_replan_summary summary = FLUX_REPLAN_SUMMARY_INIT;
    CALL(flux_replan_slots, replan, NULL);
    CALL(flux_replan_times, replan, NULL);
    CALL(flux_replan_graph, replan);
    CALL(flux_replan_fabric, replan);
    CALL(flux_replan_schedule, replan);
    CALL(flux_replan_summary, replan, &summary);
}

static void call_matrices(const struct flux_matrices *matrices)
{
    CALL(flux_matrices_ports, matrices);
    CALL(flux_matrices_count, matrices);
    CALL(flux_matrices_are_times, matrices);
    CALL(flux_matrices_entries, matrices, 0, NULL);
}

static void call_comparison(const struct flux_comparison *comparison)
{
    struct flux_comparison_summary summary = FLUX_COMPARISON_SUMMARY_INIT;
    CALL(flux_comparison_summary, comparison, &summary);
    CALL(flux_comparison_note, comparison);
    CALL(flux_comparison_schedule, comparison);
    CALL(flux_comparison_replay, comparison);
}

static void call_plan(const struct flux_demand_plan *plan)
{
    CALL(flux_demand_plan_makespan, plan);
    CALL(flux_demand_plan_bound, plan);
    CALL(flux_demand_plan_algorithm, plan);
    CALL(flux_demand_plan_matchings, plan);
    CALL(flux_demand_plan_matching, plan, 0);
    CALL(flux_demand_plan_states, plan, NULL);
    CALL(flux_demand_plan_circuits, plan, NULL);
    CALL(flux_demand_plan_configurations, plan);
    CALL(flux_demand_plan_requested, plan);
}

static void call_import(struct flux_import *import)
{
    CALL(flux_import_format, import);
    CALL(flux_import_graph, import);
    CALL(flux_import_fabric, import);
    CALL(flux_import_slots, import, NULL);
    CALL(flux_import_certificate, import);
    CALL(flux_import_warnings, import);
    CALL(flux_import_warning, import, 0);
    CALL(flux_import_notes, import);
    CALL(flux_import_note, import, 0);
    CALL(flux_import_count, import, "bytes");
}

static void quiet_ones(void **state)
{
    static const int64_t demand[4] = {0, 9, 4, 0};
    struct bench bench;
    struct flux_certificate *certificate;
    struct flux_replay *replay;
    struct flux_comparison *comparison;
    struct flux_demand_plan *plan;
    struct flux_cancel *cancel;
    struct flux_names *names;
    struct flux_import *import;
    struct flux_program *program;
    struct flux_replan *replan;
    struct flux_matrices *matrices;
    char path[64];
    (void)state;
    bench_begin(&bench);
    const struct flux_env *env = &bench.memory.env;
    assert_int_equal(flux_bound(bench.graph, bench.fabric, &certificate, NULL), 0);
    assert_int_equal(flux_replay_new(bench.graph, bench.fabric, bench.slots, bench.count, &replay, NULL), 0);
    assert_int_equal(flux_compare(bench.graph, bench.fabric, FLUX_SCHEDULER_FLUX, NULL, &comparison, NULL), 0);
    assert_int_equal(flux_demand_schedule(env, 2, demand, 1, 1, FLUX_DEMAND_BVN, &plan, NULL), 0);
    assert_int_equal(flux_cancel_new(env, &cancel), 0);
    assert_int_equal(flux_names_new(env, bench.graph, &names), 0);
    assert_int_equal(flux_import(env, DOCUMENT, NULL, &import, NULL), 0);

    assert_int_equal(flux_program_new(bench.graph, bench.fabric, bench.schedule, &program, NULL), 0);
    assert_int_equal(flux_replan(bench.graph, bench.fabric, bench.slots, bench.count, NULL, &replan, NULL), 0);
    snprintf(path, sizeof path, "/tmp/flux-every-%ld.csv", (long)getpid());
    assert_int_equal(flux_write_matrix(path, 2, demand, NULL), 0);
    assert_int_equal(flux_matrices_read(env, path, NULL, &matrices, NULL), 0);
    remove(path);

    failing_memory_arm(&bench.memory, 1, 1);
    call_texts();
    call_program(program);
    call_replan(replan);
    call_matrices(matrices);
    call_graph(bench.graph);
    call_fabric(bench.fabric);
    call_schedule(bench.schedule);
    call_replay(replay);
    call_comparison(comparison);
    call_plan(plan);
    call_import(import);
    CALL(flux_cancel_request, cancel);
    CALL(flux_cancel_requested, cancel);
    CALL(flux_cancel_reset, cancel);
    CALL(flux_names_of, names, 0);
    struct flux_graph *taken = flux_import_take_graph(import);
    note("flux_import_take_graph");
    assert_non_null(taken);
    CALL(flux_graph_free, taken);
    CALL(flux_import_free, import);
    CALL(flux_names_free, names);
    CALL(flux_write_matrix, "/dev/null", 2, demand, NULL);
    CALL(flux_matrices_free, matrices);
    CALL(flux_replan_free, replan);
    CALL(flux_program_free, program);
    CALL(flux_cancel_free, cancel);
    CALL(flux_demand_plan_free, plan);
    CALL(flux_comparison_free, comparison);
    CALL(flux_replay_free, replay);
    CALL(flux_certificate_free, certificate);
    CALL(flux_schedule_free, bench.schedule);
    CALL(flux_fabric_free, bench.fabric);
    assert_int_equal(bench.memory.calls, 0);
    flux_graph_free(bench.graph);
    assert_int_equal(bench.memory.live, 0);
    assert_int_equal(bench.memory.wrong, 0);
}

/* ---- Every function that is exported is in one of the lists. */

static int is_listed(const char *function)
{
    char word[160];
    snprintf(word, sizeof word, " %s ", function);
    for (const struct asking *row = asking; row->function; row++)
        if (!strcmp(row->function, function))
            return 1;
    for (const struct asking *row = asking_files; row->function; row++)
        if (!strcmp(row->function, function))
            return 1;
    return strstr(called, word) != NULL;
}

static void every_function_is_tried(void **state)
{
    static const char *const maps[] = {"libflux/libflux.map", "libflux/libflux-io.map"};
    uint32_t functions = 0, missing = 0;
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        char line[256], name[128];
        FILE *map = fopen(maps[i], "r");
        assert_non_null(map);
        while (fgets(line, sizeof line, map)) {
            if (sscanf(line, " %100[a-z_0-9];", name) != 1 || strncmp(name, "flux_", 5))
                continue;
            functions++;
            if (!is_listed(name)) {
                missing++;
                print_error("%s is in neither list: add it to asking[], or call it where no memory is asked for\n",
                            name);
            }
        }
        fclose(map);
    }
    print_message("%u public functions\n", functions);
    assert_true(functions > 100);
    assert_int_equal(missing, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_fail),
        cmocka_unit_test(quiet_ones),
        cmocka_unit_test(every_function_is_tried),
    };
    return cmocka_run_group_tests_name("every function", tests, NULL, NULL);
}
