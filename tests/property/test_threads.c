/* SPDX-License-Identifier: Apache-2.0
 *
 * Eight threads at once, each with objects of its own and some that all share, with solver, files, replays, demands and
 * comparisons: every thread gets what one thread gets. tests/property/threads.sh runs this under ThreadSanitizer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <libflux/flux.h>
#include <libflux/io/import.h>
#include <libflux/io/names.h>
#include <libflux/io/write.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define THREADS 8
#define ROUNDS 3
#define DOCUMENT "tests/data/cli/pair.yaml"

/* What a round comes to; the same numbers in every thread. */
struct result {
    int failed; /* line of the first call that went wrong */
    int64_t makespan, exact, bound, replayed, compared, demand;
    uint64_t nodes, text;
};

static struct flux_graph *shared_graph;
static struct flux_fabric *shared_fabric;
static struct flux_schedule *shared_schedule;
static atomic_int progress_calls;

#define DO(call)                                                                                                       \
    do {                                                                                                               \
        if ((call) && !result->failed)                                                                                 \
            result->failed = __LINE__;                                                                                 \
    } while (0)

static int fill(struct flux_graph **graph, struct flux_fabric **fabric, uint32_t sends, uint32_t gpus,
                uint32_t switches)
{
    uint32_t dice = 12345;
    int rc = flux_graph_new(NULL, gpus, graph);
    for (uint32_t v = 0; v < sends && !rc; v++) {
        dice = dice * 1664525u + 1013904223u;
        uint32_t src = (dice >> 8) % gpus, dst = (src + 1 + (dice >> 16) % (gpus - 1)) % gpus;
        rc = flux_graph_add_send(*graph, src, dst, 1000 + (dice >> 20), NULL);
        if (!rc && v > 4)
            rc = flux_graph_add_edge(*graph, v - 1 - (dice >> 4) % 4, v, dice >> 24);
    }
    rc = rc ? rc : flux_fabric_new(NULL, gpus, switches, fabric);
    return rc ? rc : flux_fabric_set_delay(*fabric, FLUX_ALL_SWITCHES, 40000);
}

static int progress(void *user, const struct flux_progress *progress)
{
    (void)user;
    atomic_fetch_add(&progress_calls, progress->size > 0);
    return 0;
}

static int swallow(void *user, const char *text, uint64_t length)
{
    uint64_t *sum = user;
    for (uint64_t i = 0; i < length; i++)
        *sum = *sum * 31 + (unsigned char)text[i];
    return 0;
}

/* On the thread's own objects; a solver where there is one. */
static void own_objects(struct result *result)
{
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_schedule *schedule = NULL;
    DO(fill(&graph, &fabric, 9, 4, 1));
    options.exact = flux_capabilities() & FLUX_CAPABILITY_GLPK ? FLUX_EXACT_ONLY : FLUX_EXACT_NEVER;
    options.progress = progress;
    DO(flux_schedule(graph, fabric, &options, &schedule, NULL));
    result->exact = flux_schedule_makespan(schedule);
    flux_schedule_free(schedule);
    DO(flux_formulation_write(graph, fabric, FLUX_FORMULATION_TIGHT, FLUX_FORMAT_MPS, swallow, &result->text, NULL,
                              NULL));
    flux_fabric_free(fabric);
    flux_graph_free(graph);
}

/* On what all threads share, for reading. */
static void shared_objects(struct result *result)
{
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_replay_options replay_options = FLUX_REPLAY_OPTIONS_INIT;
    struct flux_replay_summary summary = FLUX_REPLAY_SUMMARY_INIT;
    struct flux_compare_options compare_options = FLUX_COMPARE_OPTIONS_INIT;
    struct flux_comparison_summary compared = FLUX_COMPARISON_SUMMARY_INIT;
    struct flux_schedule *schedule = NULL;
    struct flux_certificate *certificate = NULL;
    struct flux_replay *replay = NULL;
    struct flux_comparison *comparison = NULL;
    uint64_t count;
    options.exact = FLUX_EXACT_NEVER;
    options.work_limit = 3000;
    options.threads = 2;
    DO(flux_schedule(shared_graph, shared_fabric, &options, &schedule, NULL));
    result->makespan = flux_schedule_makespan(schedule);
    flux_schedule_free(schedule);
    DO(flux_bound(shared_graph, shared_fabric, &certificate, NULL));
    DO(flux_certificate_check(shared_graph, shared_fabric, certificate, &result->bound, NULL));
    flux_certificate_free(certificate);
    const struct flux_slot *slots = flux_schedule_slots(shared_schedule, &count);
    DO(flux_check(shared_graph, shared_fabric, slots, count, NULL, NULL));
    DO(flux_replay_new(shared_graph, shared_fabric, slots, count, &replay, NULL));
    replay_options.jitter_ppm = 50000;
    DO(flux_replay_run(replay, &replay_options, NULL));
    DO(flux_replay_summary(replay, &summary));
    result->replayed = summary.iteration;
    flux_replay_free(replay);
    compare_options.schedule = &options;
    DO(flux_compare(shared_graph, shared_fabric, FLUX_SCHEDULER_RANDOM, &compare_options, &comparison, NULL));
    DO(flux_comparison_summary(comparison, &compared));
    result->compared = compared.iteration;
    flux_comparison_free(comparison);
}

static void files_and_demands(struct result *result)
{
    static const int64_t demand[9] = {0, 500, 70, 30, 0, 700, 300, 20, 0};
    struct flux_demand_plan *plan = NULL;
    struct flux_import *import = NULL;
    struct flux_names *names = NULL;
    DO(flux_demand_schedule(NULL, 3, demand, 2, 10, FLUX_DEMAND_BEST, &plan, NULL));
    result->demand = flux_demand_plan_makespan(plan);
    flux_demand_plan_free(plan);
    DO(flux_import(NULL, DOCUMENT, NULL, &import, NULL));
    result->nodes = flux_graph_vertices(flux_import_graph(import));
    flux_import_free(import);
    DO(flux_names_new(NULL, shared_graph, &names));
    DO(flux_names_find(names, "v3") != 3);
    flux_names_free(names);
    DO(flux_write_svg("/dev/null", shared_graph, shared_fabric, shared_schedule, NULL, NULL));
    DO(flux_write_document("/dev/null", shared_graph, shared_fabric, shared_schedule, NULL));
}

static void *work(void *argument)
{
    struct result *result = argument;
    memset(result, 0, sizeof *result);
    own_objects(result);
    shared_objects(result);
    files_and_demands(result);
    return NULL;
}

static void threads_get_what_one_gets(void **state)
{
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct result alone, results[THREADS];
    pthread_t threads[THREADS];
    (void)state;
    options.exact = FLUX_EXACT_NEVER;
    options.work_limit = 3000; /* any schedule will do */
    assert_int_equal(fill(&shared_graph, &shared_fabric, 80, 6, 2), 0);
    assert_int_equal(flux_schedule(shared_graph, shared_fabric, &options, &shared_schedule, NULL), 0);
    work(&alone);
    assert_int_equal(alone.failed, 0);
    assert_true(alone.exact > 0 && alone.replayed > 0 && alone.demand > 0);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, work, &results[i]), 0);
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_join(threads[i], NULL), 0);
        for (int i = 0; i < THREADS; i++) {
            if (results[i].failed)
                fail_msg("thread %d: line %d", i, results[i].failed);
            assert_memory_equal(&results[i], &alone, sizeof alone);
        }
    }
    flux_schedule_free(shared_schedule);
    flux_fabric_free(shared_fabric);
    flux_graph_free(shared_graph);
    print_message("%d threads, %d rounds, %d calls of progress\n", THREADS, ROUNDS, progress_calls);
}

/* One token for all, asked for by another thread while they run. */
static struct flux_cancel *token;

static void *cancelled(void *argument)
{
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_schedule *schedule = NULL;
    struct result *result = argument;
    memset(result, 0, sizeof *result);
    DO(fill(&graph, &fabric, 30, 5, 1));
    options.exact = flux_capabilities() & FLUX_CAPABILITY_GLPK ? FLUX_EXACT_ALWAYS : FLUX_EXACT_NEVER;
    options.cancel = token;
    int rc = flux_schedule(graph, fabric, &options, &schedule, NULL);
    DO(rc != FLUX_OK && rc != FLUX_E_CANCELLED);
    result->makespan = flux_schedule_makespan(schedule);
    flux_schedule_free(schedule);
    flux_fabric_free(fabric);
    flux_graph_free(graph);
    return NULL;
}

static void all_stop_together(void **state)
{
    struct result results[THREADS];
    pthread_t threads[THREADS];
    (void)state;
    assert_int_equal(flux_cancel_new(NULL, &token), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, cancelled, &results[i]), 0);
    nanosleep(&(struct timespec){0, 100000000}, NULL);
    flux_cancel_request(token);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(results[i].failed, 0);
    flux_cancel_free(token);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_get_what_one_gets),
        cmocka_unit_test(all_stop_together),
    };
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
