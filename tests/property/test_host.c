/* SPDX-License-Identifier: Apache-2.0
 *
 * Hosts that are not kind: descriptors 0 to 2 are closed, the locale writes commas, the environment is gone or watched,
 * signal handlers are the host's, callbacks call back in, and a signal handler stops a run. With a solver, whose habits
 * are the worst, and with the file library.
 */
#define _DEFAULT_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <libflux/flux.h>
#include <libflux/io/import.h>
#include <libflux/io/write.h>
#include <locale.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRACE "tests/data/stage-generated/llama3-8b_L2_fsdp4/workload"

extern char **environ;

/* Two GPUs' worth of conflict: no bound of ours meets the best schedule, so that a solver has something to do. */
static void conflict(struct flux_graph **graph, struct flux_fabric **fabric)
{
    static const uint32_t pairs[][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 2}, {2, 1}, {1, 0}};
    assert_int_equal(flux_graph_new(NULL, 3, graph), 0);
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(flux_graph_add_send(*graph, pairs[i][0], pairs[i][1], 1000 * (i + 1), NULL), 0);
    assert_int_equal(flux_graph_add_edge(*graph, 0, 4, 300), 0);
    assert_int_equal(flux_fabric_new(NULL, 3, 1, fabric), 0);
    assert_int_equal(flux_fabric_set_delay(*fabric, 0, 50000), 0);
}

/* A run of everything, with what came out of it as text. */
struct outcome {
    char text[1 << 16];
    size_t length;
};

static int keep(void *user, const char *text, uint64_t length)
{
    struct outcome *outcome = user;
    size_t room = sizeof outcome->text - 1 - outcome->length;
    size_t part = length < room ? (size_t)length : room;
    memcpy(outcome->text + outcome->length, text, part);
    outcome->length += part;
    return 0;
}

static void keep_file(struct outcome *outcome, const char *path)
{
    char bytes[4096];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    for (size_t got; (got = fread(bytes, 1, sizeof bytes, file)) > 0;)
        keep(outcome, bytes, got);
    fclose(file);
    unlink(path);
}

static void run_all(struct outcome *outcome)
{
    static const struct flux_parameter parameters[] = {{"glpk.mip_gap", "0.001"}, {"glpk.presolve", "off"}};
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_import_options import_options = FLUX_IMPORT_OPTIONS_INIT;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_schedule *schedule;
    struct flux_import *import;
    struct flux_error error = {0};
    char text[FLUX_UNITS_TEXT], path[64];
    int64_t time;
    int has_glpk = (flux_capabilities() & FLUX_CAPABILITY_GLPK) != 0;
    outcome->length = 0;
    conflict(&graph, &fabric);
    options.exact = FLUX_EXACT_ALWAYS;
    options.backend_name = has_glpk ? "glpk" : NULL;
    options.parameters = has_glpk ? parameters : NULL;
    options.parameter_count = has_glpk ? 1 : 0;
    assert_int_equal(flux_schedule(graph, fabric, &options, &schedule, &error), FLUX_OK);
    assert_int_equal(
        flux_formulation_write(graph, fabric, FLUX_FORMULATION_TIGHT, FLUX_FORMAT_LP, keep, outcome, NULL, &error),
        FLUX_OK);
    assert_int_equal(flux_time_parse("12.375us", &time, &error), FLUX_OK);
    assert_int_equal(time, 12375000);
    flux_time_format(time, text, sizeof text);
    keep(outcome, text, strlen(text));
    /* files, in both forms, and pictures, which have decimals */
    snprintf(path, sizeof path, "/tmp/flux-host-%ld.json", (long)getpid());
    assert_int_equal(flux_write_document(path, graph, fabric, schedule, &error), FLUX_OK);
    assert_int_equal(flux_import(NULL, path, NULL, &import, &error), FLUX_OK);
    assert_int_equal(flux_graph_sends(flux_import_graph(import)), 6);
    flux_import_free(import);
    keep_file(outcome, path);
    assert_int_equal(flux_write_svg(path, graph, fabric, schedule, NULL, &error), FLUX_OK);
    keep_file(outcome, path);
    assert_int_equal(flux_write_perfetto(path, graph, fabric, schedule, &error), FLUX_OK);
    keep_file(outcome, path);
    import_options.scale_num = 2;
    import_options.scale_den = 1;
    assert_int_equal(flux_import(NULL, TRACE, &import_options, &import, &error), FLUX_OK);
    assert_true(flux_graph_sends(flux_import_graph(import)) > 10);
    flux_import_free(import);
    flux_schedule_free(schedule);
    flux_fabric_free(fabric);
    flux_graph_free(graph);
    outcome->text[outcome->length] = 0;
    assert_true(outcome->length > 2000);
}

static struct outcome plain, other;

static int child_status(void (*body)(void))
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        body();
        _exit(0);
    }
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

/* Nothing of cmocka's can be seen here: a failed assertion ends the child by itself, too, but not with status 0. */
static void without_descriptors(void)
{
    for (int fd = 0; fd <= 2; fd++)
        close(fd);
    run_all(&other);
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) != -1)
            _exit(4);
    if (strcmp(plain.text, other.text))
        _exit(5);
}

static void descriptors_are_closed(void **state)
{
    (void)state;
    run_all(&plain);
    assert_int_equal(child_status(without_descriptors), 0);
}

/* A German locale made on the spot, where the system has the sources of locales. */
static int comma_locale(char *folder)
{
    char command[256];
    if (!mkdtemp(folder))
        return 0;
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", folder);
    if (system(command))
        return 0;
    setenv("LOCPATH", folder, 1);
    return setlocale(LC_ALL, "de_DE.UTF-8") && !strcmp(localeconv()->decimal_point, ",");
}

static void locale_writes_commas(void **state)
{
    char folder[] = "/tmp/flux-locale-XXXXXX", command[64], number[16];
    (void)state;
    run_all(&plain);
    int made = comma_locale(folder);
    if (made) {
        snprintf(number, sizeof number, "%.2f", 1.5);
        assert_string_equal(number, "1,50");
        run_all(&other);
        assert_string_equal(localeconv()->decimal_point, ",");
        setlocale(LC_ALL, "C");
    }
    unsetenv("LOCPATH");
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
    if (!made)
        skip();
    assert_string_equal(plain.text, other.text);
}

/* ---- The environment: whoever asks for it comes by here, the solver too. */

static atomic_int asked;
static char asked_for[64];

__attribute__((visibility("default"))) char *getenv(const char *name)
{
    atomic_fetch_add(&asked, 1);
    snprintf(asked_for, sizeof asked_for, "%s", name);
    for (char **entry = environ; entry && *entry; entry++)
        if (!strncmp(*entry, name, strlen(name)) && (*entry)[strlen(name)] == '=')
            return *entry + strlen(name) + 1;
    return NULL;
}

static void environment_is_not_read(void **state)
{
    char **before = environ, *none[] = {NULL};
    (void)state;
    run_all(&plain);
    asked = 0;
    environ = none;
    run_all(&other);
    environ = before;
    if (asked)
        fail_msg("getenv(\"%s\")", asked_for);
    assert_string_equal(plain.text, other.text);
    assert_ptr_equal(environ, before);
}

/* ---- Signals. */

static void nothing(int number)
{
    (void)number;
}

static void handlers_are_the_hosts(void **state)
{
    struct sigaction ours, found, before[32];
    sigset_t blocked, blocked_after;
    (void)state;
    memset(&ours, 0, sizeof ours);
    ours.sa_handler = nothing;
    sigaddset(&ours.sa_mask, SIGUSR2);
    for (int number = 1; number < 32; number++)
        if (number != SIGKILL && number != SIGSTOP && number != SIGSEGV && number != SIGABRT)
            assert_int_equal(sigaction(number, &ours, &before[number]), 0);
    sigprocmask(SIG_SETMASK, NULL, &blocked);
    run_all(&plain);
    sigprocmask(SIG_SETMASK, NULL, &blocked_after);
    for (int number = 1; number < 32; number++) {
        if (number == SIGKILL || number == SIGSTOP || number == SIGSEGV || number == SIGABRT)
            continue;
        assert_int_equal(sigaction(number, &before[number], &found), 0);
        assert_ptr_equal(found.sa_handler, nothing);
        assert_int_equal(sigismember(&found.sa_mask, SIGUSR2), 1);
        assert_int_equal(sigismember(&blocked, number), sigismember(&blocked_after, number));
    }
}

/* A run that would last, and a timer whose handler stops it. */
static struct flux_cancel *token;
static atomic_int alarms;

static void stop(int number)
{
    (void)number;
    atomic_fetch_add(&alarms, 1);
    flux_cancel_request(token);
}

static void long_run(uint32_t vertices, struct flux_graph **graph, struct flux_fabric **fabric)
{
    uint32_t dice = 7;
    assert_int_equal(flux_graph_new(NULL, 16, graph), 0);
    for (uint32_t v = 0; v < vertices; v++) {
        dice = dice * 1664525u + 1013904223u;
        uint32_t src = (dice >> 8) % 16, dst = (src + 1 + (dice >> 16) % 15) % 16;
        assert_int_equal(flux_graph_add_send(*graph, src, dst, 1 + (dice >> 20), NULL), 0);
        for (uint32_t e = 0; e < v % 3 && v > 10; e++)
            assert_int_equal(flux_graph_add_edge(*graph, v - 1 - (dice >> (4 + e)) % 9, v, 0), 0);
    }
    assert_int_equal(flux_fabric_new(NULL, 16, 2, fabric), 0);
    assert_int_equal(flux_fabric_set_delay(*fabric, FLUX_ALL_SWITCHES, 40000), 0);
}

/* One run with the timer set; 1 where it was cut. */
static uint32_t run_with_timer(const struct flux_graph *graph, const struct flux_fabric *fabric, uint32_t exact,
                               useconds_t after)
{
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_statistics statistics = FLUX_STATISTICS_INIT;
    struct sigaction action, before;
    struct itimerval timer = {{0, 0}, {0, 0}};
    struct flux_schedule *schedule;
    struct flux_error error = {0};
    uint64_t count;
    uint32_t cut = 1;
    memset(&action, 0, sizeof action);
    action.sa_handler = stop;
    assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
    flux_cancel_reset(token);
    options.cancel = token;
    options.exact = exact;
    timer.it_value.tv_usec = after;
    alarms = 0;
    assert_int_equal(setitimer(ITIMER_REAL, &timer, NULL), 0);
    int rc = flux_schedule(graph, fabric, &options, &schedule, &error);
    while (!alarms)
        usleep(1000);
    assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
    assert_int_equal(flux_cancel_requested(token), 1);
    if (rc == FLUX_OK) {
        const struct flux_slot *slots = flux_schedule_slots(schedule, &count);
        assert_int_equal(flux_check(graph, fabric, slots, count, NULL, &error), FLUX_OK);
        assert_int_equal(flux_schedule_statistics(schedule, &statistics), FLUX_OK);
        cut = statistics.stopped == FLUX_STOPPED_CANCEL;
    } else {
        assert_int_equal(rc, FLUX_E_CANCELLED);
    }
    flux_schedule_free(schedule);
    return cut;
}

static void stopped_from_a_handler(void **state)
{
    static const useconds_t after[] = {1, 500, 5000, 30000};
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    (void)state;
    assert_int_equal(flux_cancel_new(NULL, &token), 0);
    for (uint32_t exact = 0; exact < 2; exact++) {
        uint32_t cut = 0;
        long_run(exact ? 40 : 4000, &graph, &fabric);
        for (uint32_t i = 0; i < sizeof after / sizeof *after; i++)
            cut += run_with_timer(graph, fabric, exact ? FLUX_EXACT_ALWAYS : FLUX_EXACT_NEVER, after[i]);
        assert_true(cut > 0);
        flux_fabric_free(fabric);
        flux_graph_free(graph);
    }
    flux_cancel_free(token);
}

/* ---- Callbacks that call the library: with a lock held this would hang. */

struct nested {
    struct flux_env env;
    uint32_t depth;
    uint32_t runs;
};

static void nest(struct nested *nested)
{
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_schedule *schedule;
    struct flux_options options = FLUX_OPTIONS_INIT;
    if (nested->depth || nested->runs > 40)
        return;
    nested->depth++;
    nested->runs++;
    conflict(&graph, &fabric);
    options.exact = FLUX_EXACT_ALWAYS;
    assert_int_equal(flux_schedule(graph, fabric, &options, &schedule, NULL), FLUX_OK);
    flux_schedule_free(schedule);
    flux_fabric_free(fabric);
    flux_graph_free(graph);
    nested->depth--;
}

static void *nesting_alloc(void *user, uint64_t size)
{
    nest(user);
    return malloc((size_t)size);
}

static void *nesting_resize(void *user, void *block, uint64_t old_size, uint64_t new_size)
{
    (void)old_size;
    nest(user);
    return realloc(block, (size_t)new_size);
}

static void nesting_release(void *user, void *block, uint64_t size)
{
    (void)size;
    nest(user);
    free(block);
}

static void nesting_log(void *user, int32_t level, const char *text)
{
    (void)level;
    (void)text;
    nest(user);
}

static uint64_t nesting_clock(void *user)
{
    static uint64_t now;
    nest(user);
    return now += 1000;
}

static int nesting_progress(void *user, const struct flux_progress *progress)
{
    (void)progress;
    nest(user);
    return 0;
}

static void callbacks_call_back_in(void **state)
{
    struct nested nested = {FLUX_ENV_INIT, 1, 0};
    struct flux_graph *graph, *source;
    struct flux_fabric *fabric;
    struct flux_schedule *schedule;
    struct flux_options options = FLUX_OPTIONS_INIT;
    (void)state;
    nested.env.alloc = nesting_alloc;
    nested.env.resize = nesting_resize;
    nested.env.release = nesting_release;
    nested.env.log = nesting_log;
    nested.env.now_ns = nesting_clock;
    nested.env.user = &nested;
    conflict(&source, &fabric);
    assert_int_equal(flux_graph_new(&nested.env, 3, &graph), 0);
    for (uint32_t v = 0; v < 6; v++) {
        struct flux_send send;
        assert_int_equal(flux_graph_get_send(source, v, &send), 0);
        assert_int_equal(flux_graph_add_send(graph, send.src, send.dst, send.bytes, NULL), 0);
    }
    nested.depth = 0;
    options.exact = FLUX_EXACT_ALWAYS;
    options.progress = nesting_progress;
    options.progress_user = &nested;
    assert_int_equal(flux_schedule(graph, fabric, &options, &schedule, NULL), FLUX_OK);
    assert_true(nested.runs > 10);
    nested.depth = 1;
    flux_schedule_free(schedule);
    flux_graph_free(graph);
    flux_graph_free(source);
    flux_fabric_free(fabric);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptors_are_closed),  cmocka_unit_test(locale_writes_commas),
        cmocka_unit_test(environment_is_not_read), cmocka_unit_test(handlers_are_the_hosts),
        cmocka_unit_test(stopped_from_a_handler),  cmocka_unit_test(callbacks_call_back_in),
    };
    return cmocka_run_group_tests_name("hosts", tests, NULL, NULL);
}
