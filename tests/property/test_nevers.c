/* SPDX-License-Identifier: Apache-2.0
 *
 * What the library never does to its host: it writes to no descriptor, ends well when memory ends at any point, stops
 * when it is told to, and takes no struct of a size it does not know.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/failing_memory.h"
#include "../support/pairwise.h"
#include "../support/random_problem.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A problem with a little of everything, large enough that arrays grow: 5 GPUs, 120 sends, 30 computes. */
static int fill(const struct flux_env *env, uint32_t everything, struct flux_graph **graph, struct flux_fabric **fabric)
{
    uint32_t dice = 12345;
    *graph = NULL;
    *fabric = NULL;
    int rc = flux_graph_new(env, 5, graph);
    for (uint32_t v = 0; v < 150 && !rc; v++) {
        dice = dice * 1664525u + 1013904223u;
        uint32_t src = (dice >> 8) % 5, dst = (src + 1 + (dice >> 16) % 4) % 5;
        if (v % 5 == 4)
            rc = flux_graph_add_compute(*graph, src, dice >> 24, NULL);
        else
            rc = flux_graph_add_send(*graph, src, dst, 1 + (dice >> 26), NULL);
        if (!rc && v % 7 == 0)
            rc = flux_graph_set_label(*graph, v, "a label");
        for (uint32_t e = 0; e < v % 3 && v > 9 && !rc; e++)
            rc = flux_graph_add_edge(*graph, v - 1 - (dice >> (4 + e)) % 9, v, (dice >> 20) % 50);
    }
    if (!rc)
        rc = flux_fabric_new(env, 5, 2, fabric);
    if (!rc)
        rc = flux_fabric_set_delay(*fabric, FLUX_ALL_SWITCHES, 40);
    if (!rc && everything) {
        rc = flux_fabric_set_rate(*fabric, 1, 1, UINT64_C(400000000000));
        rc = rc ? rc : flux_fabric_set_dead(*fabric, 2, 1, 1);
        rc = rc ? rc : flux_fabric_set_forbidden(*fabric, 1, 0, 3, 1);
        rc = rc ? rc : flux_fabric_add_initial(*fabric, 0, 0, 1);
        rc = rc ? rc : flux_fabric_set_propagation(*fabric, 3, FLUX_ALL_GPUS, 9);
        rc = rc ? rc : flux_fabric_set_blocking(*fabric, 0, FLUX_BLOCKING_SWITCH);
        rc = rc ? rc : flux_fabric_set_dwell(*fabric, 1, 60);
    }
    return rc;
}

static void empty(struct flux_graph *graph, struct flux_fabric *fabric)
{
    flux_graph_free(graph);
    flux_fabric_free(fabric);
}

/* Everything that a run does, in a child, with `fd` 1 and 2 as the test wants them. Returns the child's status. */
static int run_in_child(int silent, int out)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct flux_graph *graph = NULL, *cycle = NULL;
        struct flux_fabric *fabric = NULL;
        struct flux_schedule *schedule = NULL, *again = NULL;
        struct flux_error error;
        uint64_t count;
        int64_t makespan;
        if (silent) {
            close(STDOUT_FILENO);
            close(STDERR_FILENO);
        } else {
            dup2(out, STDOUT_FILENO);
            dup2(out, STDERR_FILENO);
        }
        int bad = fill(NULL, 1, &graph, &fabric) || flux_schedule(graph, fabric, NULL, &schedule, &error);
        const struct flux_slot *slots = flux_schedule_slots(schedule, &count);
        bad = bad || flux_check(graph, fabric, slots, count, &makespan, &error);
        bad = bad || flux_schedule_from_slots(graph, fabric, slots, count, &again, &error);
        bad = bad || flux_check(graph, fabric, slots, count - 1, &makespan, &error) != FLUX_E_MISMATCH;
        bad = bad || flux_graph_new(NULL, 5, &cycle) || flux_graph_add_send(cycle, 0, 1, 1, NULL) ||
              flux_graph_add_send(cycle, 1, 2, 1, NULL) || flux_graph_add_edge(cycle, 0, 1, 0) ||
              flux_graph_add_edge(cycle, 1, 0, 0);
        bad = bad || flux_schedule(cycle, fabric, NULL, &again, &error) != FLUX_E_CYCLE;
        /* whoever opened a file in the meantime would now hold descriptor 1 or 2 */
        if (silent && (fcntl(STDOUT_FILENO, F_GETFD) != -1 || fcntl(STDERR_FILENO, F_GETFD) != -1))
            bad = 1;
        _exit(bad ? 3 : 0);
    }
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

static void runs_without_descriptors(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(1, -1), 0);
}

static void writes_nothing(void **state)
{
    int ends[2];
    char byte;
    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(run_in_child(0, ends[1]), 0);
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 0);
    close(ends[0]);
}

/* One operation under test: 0 or an error; it frees what it made. */
struct operation {
    const char *name;
    int (*run)(struct flux_graph *graph, struct flux_fabric *fabric, const struct flux_env *env);
};

static int op_build(struct flux_graph *graph, struct flux_fabric *fabric, const struct flux_env *env)
{
    struct flux_graph *fresh_graph;
    struct flux_fabric *fresh_fabric;
    (void)graph;
    (void)fabric;
    int rc = fill(env, 1, &fresh_graph, &fresh_fabric);
    empty(fresh_graph, fresh_fabric);
    return rc;
}

static int op_bulk(struct flux_graph *graph, struct flux_fabric *fabric, const struct flux_env *env)
{
    static struct flux_send sends[300];
    static struct flux_compute computes[300];
    static struct flux_edge edges[600];
    struct flux_graph *fresh;
    uint32_t first;
    (void)graph;
    (void)fabric;
    for (uint32_t i = 0; i < 300; i++) {
        sends[i] = (struct flux_send){i % 4, i % 4 + 1, 1 + i, 0, i};
        computes[i] = (struct flux_compute){i % 5, 0, i, 0};
        edges[2 * i] = (struct flux_edge){i, 300 + i, 5};
        edges[2 * i + 1] = (struct flux_edge){300 + i, i + 1 < 300 ? i + 1 : 599, 5};
    }
    edges[599] = (struct flux_edge){0, 599, 1};
    int rc = flux_graph_new(env, 5, &fresh);
    rc = rc ? rc : flux_graph_reserve(fresh, 20, 20);
    rc = rc ? rc : flux_graph_add_sends(fresh, sends, 300, sizeof *sends, &first, NULL);
    rc = rc ? rc : flux_graph_add_computes(fresh, computes, 300, sizeof *computes, &first, NULL);
    rc = rc ? rc : flux_graph_add_edges(fresh, edges, 600, sizeof *edges, NULL);
    flux_graph_free(fresh);
    return rc;
}

static int op_order(struct flux_graph *graph, struct flux_fabric *fabric, const struct flux_env *env)
{
    (void)fabric;
    (void)env;
    return flux_graph_check(graph, NULL);
}

static int op_cancel(struct flux_graph *graph, struct flux_fabric *fabric, const struct flux_env *env)
{
    struct flux_cancel *cancel;
    (void)graph;
    (void)fabric;
    int rc = flux_cancel_new(env, &cancel);
    if (rc)
        assert_null(cancel);
    flux_cancel_free(cancel);
    return rc;
}

static int op_bound(struct flux_graph *graph, struct flux_fabric *fabric, const struct flux_env *env)
{
    struct flux_certificate *certificate;
    struct flux_error error = {0};
    int64_t bound;
    (void)env;
    int rc = flux_bound(graph, fabric, &certificate, &error);
    if (rc) {
        assert_null(certificate);
        assert_int_equal(error.code, rc);
        return rc;
    }
    rc = flux_certificate_check(graph, fabric, certificate, &bound, NULL);
    flux_certificate_free(certificate);
    return rc;
}

static int run_schedule(struct flux_graph *graph, struct flux_fabric *fabric, uint32_t threads)
{
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_schedule *schedule;
    struct flux_error error = {0};
    char why[PAIRWISE_TEXT];
    uint64_t count;
    options.exact = FLUX_EXACT_NEVER;
    options.threads = threads;
    options.work_limit = 5000;
    int rc = flux_schedule(graph, fabric, &options, &schedule, &error);
    if (rc) {
        assert_null(schedule);
        assert_int_equal(error.code, rc);
        return rc;
    }
    const struct flux_slot *slots = flux_schedule_slots(schedule, &count);
    assert_true(pairwise_check(graph, fabric, slots, count, NULL, why));
    flux_schedule_free(schedule);
    return 0;
}

static int op_schedule(struct flux_graph *graph, struct flux_fabric *fabric, const struct flux_env *env)
{
    (void)env;
    return run_schedule(graph, fabric, 1);
}

static int op_schedule_threads(struct flux_graph *graph, struct flux_fabric *fabric, const struct flux_env *env)
{
    (void)env;
    return run_schedule(graph, fabric, 3);
}

/* Slots for the checker, from a run with memory for all. */
static struct flux_slot checked_slots[150];
static uint64_t checked_count;

static int op_check(struct flux_graph *graph, struct flux_fabric *fabric, const struct flux_env *env)
{
    int64_t makespan = -1;
    (void)env;
    return flux_check(graph, fabric, checked_slots, checked_count, &makespan, NULL);
}

static int op_from_slots(struct flux_graph *graph, struct flux_fabric *fabric, const struct flux_env *env)
{
    struct flux_schedule *schedule;
    (void)env;
    int rc = flux_schedule_from_slots(graph, fabric, checked_slots, checked_count, &schedule, NULL);
    if (rc)
        assert_null(schedule);
    flux_schedule_free(schedule);
    return rc;
}

/* Grows a living object until a new block is needed; what a failed call leaves must be as before. */
static int op_grow(struct flux_graph *graph, struct flux_fabric *fabric, const struct flux_env *env)
{
    static const char label[] = "another label";
    uint32_t before = flux_graph_vertices(graph);
    (void)env;
    int rc = flux_graph_set_label(graph, 1, label);
    assert_string_equal(flux_graph_label(graph, 1), rc ? "" : label);
    rc = rc ? rc : flux_graph_set_label(graph, 1, NULL);
    rc = rc ? rc : flux_fabric_set_rate(fabric, 3, FLUX_ALL_SWITCHES, FLUX_RATE_DEFAULT);
    rc = rc ? rc : flux_fabric_set_propagation(fabric, 4, 2, 0);
    if (!rc) {
        rc = flux_fabric_set_forbidden(fabric, 1, 4, 2, 1);
        assert_int_equal(flux_fabric_is_forbidden(fabric, 1, 4, 2), rc == 0);
        int back = flux_fabric_set_forbidden(fabric, 1, 4, 2, 0);
        rc = rc ? rc : back;
    }
    if (!rc) {
        rc = flux_graph_reserve(graph, 1u << 14, 1u << 14);
        assert_int_equal(flux_graph_vertices(graph), before);
    }
    return rc;
}

static const struct operation operations[] = {
    {"build", op_build},
    {"bulk", op_bulk},
    {"order", op_order},
    {"cancel", op_cancel},
    {"bound", op_bound},
    {"schedule", op_schedule},
    {"schedule, three threads", op_schedule_threads},
    {"check", op_check},
    {"from slots", op_from_slots},
    {"grow", op_grow},
};

static void fail_every_allocation(const struct operation *operation, uint32_t everything, int sticky)
{
    struct failing_memory memory;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    failing_memory_init(&memory);
    long long failures = 0, limit = 100000;
    for (long long n = 1; n <= limit; n++) {
        /* Fresh objects every time, so that growing has to be done again. */
        failing_memory_arm(&memory, 0, 0);
        assert_int_equal(fill(&memory.env, everything, &graph, &fabric), FLUX_OK);
        long long live = memory.live;
        failing_memory_arm(&memory, n, sticky);
        int rc = operation->run(graph, fabric, &memory.env);
        long long calls = memory.calls;
        failing_memory_arm(&memory, 0, 0);
        if (rc != FLUX_OK && rc != FLUX_E_MEMORY)
            fail_msg("%s: call %lld of alloc failing gives %d", operation->name, n, rc);
        if (rc == FLUX_OK && sticky && calls >= n)
            fail_msg("%s: done without the memory it asked for (call %lld)", operation->name, n);
        failures += rc != FLUX_OK;
        if (operation->run != op_grow && memory.live != live)
            fail_msg("%s: call %lld of alloc failing leaks %lld blocks", operation->name, n,
                     (long long)memory.live - live);
        rc = operation->run(graph, fabric, &memory.env);
        if (rc)
            fail_msg("%s: %d at the next try after call %lld of alloc failed", operation->name, rc, n);
        empty(graph, fabric);
        if (memory.live || memory.wrong)
            fail_msg("%s: %lld blocks live at the end, %lld with a wrong size", operation->name,
                     (long long)memory.live, (long long)memory.wrong);
        if (calls < n)
            break; /* it needed fewer: all of them were tried */
        if (n > 400)
            n += 6; /* long runs: a sample */
    }
    assert_true(failures > 0);
}

/* Under AddressSanitizer the freed and the unwritten are watched as well. */
static void memory_ends(void **state)
{
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_schedule *schedule;
    (void)state;
    for (uint32_t everything = 0; everything < 2; everything++) {
        assert_int_equal(fill(NULL, everything, &graph, &fabric), FLUX_OK);
        assert_int_equal(flux_schedule(graph, fabric, NULL, &schedule, NULL), FLUX_OK);
        const struct flux_slot *slots = flux_schedule_slots(schedule, &checked_count);
        assert_in_range(checked_count, 1, 150);
        memcpy(checked_slots, slots, checked_count * sizeof *slots);
        flux_schedule_free(schedule);
        empty(graph, fabric);
        for (uint32_t i = 0; i < sizeof operations / sizeof *operations; i++) {
            fail_every_allocation(&operations[i], everything, 0);
            fail_every_allocation(&operations[i], everything, 1);
        }
    }
}

static void cancelled_before(void **state)
{
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_cancel *cancel;
    struct flux_schedule *schedule;
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_error error = {0};
    char why[PAIRWISE_TEXT];
    uint64_t count;
    (void)state;
    assert_int_equal(fill(NULL, 1, &graph, &fabric), FLUX_OK);
    assert_int_equal(flux_cancel_new(NULL, &cancel), FLUX_OK);
    flux_cancel_request(cancel);
    assert_int_equal(flux_cancel_requested(cancel), 1);
    options.cancel = cancel;
    int rc = flux_schedule(graph, fabric, &options, &schedule, &error);
    if (rc) {
        assert_int_equal(rc, FLUX_E_CANCELLED);
        assert_int_equal(error.code, FLUX_E_CANCELLED);
        assert_null(schedule);
    } else {
        const struct flux_slot *slots = flux_schedule_slots(schedule, &count);
        assert_true(pairwise_check(graph, fabric, slots, count, NULL, why));
        flux_schedule_free(schedule);
    }
    flux_cancel_reset(cancel);
    assert_int_equal(flux_schedule(graph, fabric, &options, &schedule, &error), FLUX_OK);
    flux_schedule_free(schedule);
    flux_cancel_free(cancel);
    empty(graph, fabric);
}

struct watch {
    uint32_t calls;
    uint32_t stop_at; /* 0: never */
    uint32_t phase;
    int64_t bound;
    int64_t makespan;
    uint32_t broken;
    struct flux_cancel *cancel;
};

static int watch_progress(void *user, const struct flux_progress *progress)
{
    struct watch *watch = user;
    watch->calls++;
    watch->broken += progress->size != sizeof *progress;
    watch->broken += progress->phase < watch->phase || progress->phase > FLUX_PHASE_CHECK;
    watch->broken += progress->bound < watch->bound;
    watch->broken += watch->makespan >= 0 && (progress->makespan < 0 || progress->makespan > watch->makespan);
    watch->broken += progress->makespan >= 0 && progress->makespan < progress->bound;
    watch->phase = progress->phase;
    watch->bound = progress->bound;
    watch->makespan = progress->makespan;
    if (watch->stop_at && watch->calls >= watch->stop_at) {
        if (watch->cancel)
            flux_cancel_request(watch->cancel);
        return watch->cancel ? 0 : 1;
    }
    return 0;
}

/* Stopped at any of its reports, by the callback's return or by the token, a run ends with the best it has. */
static void stopped_from_progress(void **state)
{
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    (void)state;
    assert_int_equal(fill(NULL, 1, &graph, &fabric), FLUX_OK);
    uint32_t calls = 1;
    for (uint32_t stop_at = 0; stop_at <= calls && stop_at < 60; stop_at++)
        for (int by_token = 0; by_token < 2; by_token++) {
            struct flux_options options = FLUX_OPTIONS_INIT;
            struct flux_statistics statistics = FLUX_STATISTICS_INIT;
            struct flux_schedule *schedule;
            struct flux_cancel *cancel;
            struct watch watch = {0, stop_at, 0, 0, -1, 0, NULL};
            char why[PAIRWISE_TEXT];
            uint64_t count;
            assert_int_equal(flux_cancel_new(NULL, &cancel), FLUX_OK);
            watch.cancel = by_token ? cancel : NULL;
            options.exact = FLUX_EXACT_NEVER;
            options.work_limit = 20000;
            options.progress = watch_progress;
            options.progress_user = &watch;
            options.cancel = cancel;
            int rc = flux_schedule(graph, fabric, &options, &schedule, NULL);
            assert_true(rc == FLUX_OK || (rc == FLUX_E_CANCELLED && stop_at));
            assert_int_equal(watch.broken, 0);
            if (!stop_at)
                calls = watch.calls;
            if (!rc) {
                const struct flux_slot *slots = flux_schedule_slots(schedule, &count);
                assert_true(pairwise_check(graph, fabric, slots, count, NULL, why));
                assert_int_equal(flux_schedule_statistics(schedule, &statistics), FLUX_OK);
                /* a token that comes with the last check comes too late to stop anything */
                int late = by_token && watch.phase == FLUX_PHASE_CHECK && statistics.stopped == FLUX_STOPPED_DONE;
                if (stop_at && statistics.stopped != FLUX_STOPPED_BOUND && !late)
                    assert_int_equal(statistics.stopped, by_token ? FLUX_STOPPED_CANCEL : FLUX_STOPPED_CALLBACK);
            }
            flux_schedule_free(schedule);
            flux_cancel_free(cancel);
        }
    assert_true(calls > 1);
    empty(graph, fabric);
}

static void work_is_deterministic(void **state)
{
    static const uint64_t limits[] = {1, 50, 149, 151, 700, 3000, 20000};
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    int64_t last = INT64_MAX;
    (void)state;
    assert_int_equal(fill(NULL, 1, &graph, &fabric), FLUX_OK);
    for (uint32_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct flux_options options = FLUX_OPTIONS_INIT;
        struct flux_statistics first = FLUX_STATISTICS_INIT, second = FLUX_STATISTICS_INIT;
        struct flux_schedule *a, *b;
        uint64_t counts[2];
        options.exact = FLUX_EXACT_NEVER;
        options.work_limit = limits[i];
        options.seed = 7;
        assert_int_equal(flux_schedule(graph, fabric, &options, &a, NULL), FLUX_OK);
        assert_int_equal(flux_schedule(graph, fabric, &options, &b, NULL), FLUX_OK);
        assert_memory_equal(flux_schedule_slots(a, &counts[0]), flux_schedule_slots(b, &counts[1]),
                            120 * sizeof(struct flux_slot));
        assert_int_equal(counts[0], 120);
        assert_int_equal(counts[1], 120);
        assert_int_equal(flux_schedule_statistics(a, &first), FLUX_OK);
        assert_int_equal(flux_schedule_statistics(b, &second), FLUX_OK);
        assert_int_equal(first.work, second.work);
        assert_int_equal(first.constructions, second.constructions);
        assert_int_equal(first.stopped, second.stopped);
        assert_true(first.constructions >= 1);
        /* more work never ends in a longer schedule */
        assert_true(flux_schedule_makespan(a) <= last);
        last = flux_schedule_makespan(a);
        flux_schedule_free(a);
        flux_schedule_free(b);
    }
    empty(graph, fabric);
}

/* A struct as a future header would declare it, with room behind ours. */
struct future_options {
    struct flux_options options;
    uint64_t more[4];
};

struct future_env {
    struct flux_env env;
    uint64_t more[4];
};

struct future_statistics {
    struct flux_statistics statistics;
    uint64_t more[4];
};

static void other_sizes_of_options(void **state)
{
    static const uint64_t sizes[] = {0, 1, 7, 8, sizeof(struct flux_options) - 1, 1u << 20, UINT64_MAX};
    struct future_options future = {FLUX_OPTIONS_INIT, {0}};
    struct flux_error error = {0};
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_schedule *schedule;
    (void)state;
    assert_int_equal(fill(NULL, 0, &graph, &fabric), FLUX_OK);
    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        future.options.size = sizes[i];
        assert_int_equal(flux_schedule(graph, fabric, &future.options, &schedule, &error), FLUX_E_ABI);
        assert_null(schedule);
        assert_int_equal(error.code, FLUX_E_ABI);
        assert_non_null(strstr(error.text, "options"));
    }
    future.options.size = sizeof future;
    assert_int_equal(flux_schedule(graph, fabric, &future.options, &schedule, NULL), FLUX_OK);
    flux_schedule_free(schedule);
    future.more[3] = 1; /* asks for something that this version cannot do */
    assert_int_equal(flux_schedule(graph, fabric, &future.options, &schedule, NULL), FLUX_E_ABI);
    assert_null(schedule);
    empty(graph, fabric);
}

static void other_sizes_of_env(void **state)
{
    static const uint64_t sizes[] = {0, 1, 7, 8, sizeof(struct flux_env) - 1, 1u << 20, UINT64_MAX};
    struct future_env future = {FLUX_ENV_INIT, {0}};
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_cancel *cancel;
    (void)state;
    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        future.env.size = sizes[i];
        assert_int_equal(flux_graph_new(&future.env, 2, &graph), FLUX_E_ABI);
        assert_int_equal(flux_fabric_new(&future.env, 2, 1, &fabric), FLUX_E_ABI);
        assert_int_equal(flux_cancel_new(&future.env, &cancel), FLUX_E_ABI);
        assert_true(!graph && !fabric && !cancel);
    }
    future.env.size = sizeof future;
    assert_int_equal(flux_graph_new(&future.env, 2, &graph), FLUX_OK);
    flux_graph_free(graph);
    future.more[0] = 1;
    assert_int_equal(flux_graph_new(&future.env, 2, &graph), FLUX_E_ABI);
    assert_null(graph);
}

static void other_sizes_of_statistics(void **state)
{
    static const uint64_t sizes[] = {0, 1, 7, 8, 1u << 20, UINT64_MAX};
    struct future_statistics future;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_schedule *schedule;
    (void)state;
    assert_int_equal(fill(NULL, 0, &graph, &fabric), FLUX_OK);
    assert_int_equal(flux_schedule(graph, fabric, NULL, &schedule, NULL), FLUX_OK);
    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        memset(&future, 0x5a, sizeof future);
        future.statistics.size = sizes[i];
        assert_int_equal(flux_schedule_statistics(schedule, &future.statistics), FLUX_E_ABI);
        assert_int_equal(future.statistics.build_ns, UINT64_C(0x5a5a5a5a5a5a5a5a));
    }
    /* a larger struct keeps its size, and nothing is written behind what we know */
    future.statistics.size = sizeof future;
    assert_int_equal(flux_schedule_statistics(schedule, &future.statistics), FLUX_OK);
    assert_int_equal(future.statistics.size, sizeof future);
    assert_int_equal(future.more[0], UINT64_C(0x5a5a5a5a5a5a5a5a));
    assert_true(future.statistics.constructions >= 1);
    flux_schedule_free(schedule);
    empty(graph, fabric);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_without_descriptors), cmocka_unit_test(writes_nothing),
        cmocka_unit_test(memory_ends),              cmocka_unit_test(cancelled_before),
        cmocka_unit_test(stopped_from_progress),    cmocka_unit_test(work_is_deterministic),
        cmocka_unit_test(other_sizes_of_options),   cmocka_unit_test(other_sizes_of_env),
        cmocka_unit_test(other_sizes_of_statistics),
    };
    return cmocka_run_group_tests_name("nevers", tests, NULL, NULL);
}
