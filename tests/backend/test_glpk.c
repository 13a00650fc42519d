/* SPDX-License-Identifier: Apache-2.0
 *
 * What GLPK does to programs that embed it, and that ours does not: it prints, aborts, runs on, leaks and shares.
 * malloc() and realloc() are this file's own here, so that GLPK's memory can be counted and can end; the environment
 * of the backend has another allocator, which never fails. FLUX_TEST_COUNT makes the loops longer.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/program.h"

#include <dlfcn.h>
#include <errno.h>
#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef FLUX_WITH_GLPK
#include <glpk.h>

#define LOOSE_NS UINT64_C(10000000000) /* machines that run tests are busy; the figures are printed */

static const struct flux_backend *glpk_backend(void)
{
    return flux_backend_find("glpk");
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint32_t count(uint32_t normal)
{
    const char *text = getenv("FLUX_TEST_COUNT");
    return text && atoi(text) > 0 ? (uint32_t)atoi(text) : normal;
}

/* --- memory of GLPK's, which can end ------------------------------------------------------------------------------ */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define INTERPOSED 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define INTERPOSED 0
#endif
#endif
#ifndef INTERPOSED
#define INTERPOSED 1
#endif

static atomic_llong fail_at = -1; /* which allocation of a private thread fails; -1: none */
static atomic_llong asked;
static uint32_t lost;
static atomic_llong failed_resizes;
static atomic_llong outstanding; /* blocks of private threads not freed, whoever frees them */
static pthread_t main_thread;
static atomic_int refuse_threads;
static size_t thread_stack;

#if INTERPOSED
extern void *__libc_malloc(size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void __libc_free(void *block);

/* Only what GLPK asks for on its private thread is counted, and marked so that free() can tell. */
static _Thread_local int watching = -1;

static int is_watched(void)
{
    if (watching < 0)
        watching = main_thread && !pthread_equal(pthread_self(), main_thread);
    return watching;
}

static int fails_now(void)
{
    return atomic_fetch_add(&asked, 1) == atomic_load(&fail_at);
}

__attribute__((visibility("default"))) void *malloc(size_t size)
{
    if (!is_watched())
        return __libc_malloc(size);
    if (fails_now()) {
        errno = ENOMEM;
        return NULL;
    }
    atomic_fetch_add(&outstanding, 1);
    return __libc_malloc(size);
}

__attribute__((visibility("default"))) void *realloc(void *block, size_t size)
{
    if (is_watched() && fails_now()) {
        atomic_fetch_add(&failed_resizes, 1);
        errno = ENOMEM;
        return NULL;
    }
    if (is_watched() && !block)
        atomic_fetch_add(&outstanding, 1);
    return __libc_realloc(block, size);
}

__attribute__((visibility("default"))) void free(void *block)
{
    if (block && is_watched())
        atomic_fetch_sub(&outstanding, 1);
    __libc_free(block);
}

/* Threads that the system refuses, and what the last one asked for. */
__attribute__((visibility("default"))) int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                                          void *(*function)(void *), void *argument)
{
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (atomic_load(&refuse_threads))
        return EAGAIN;
    if (attributes)
        pthread_attr_getstacksize(attributes, &thread_stack);
    *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    return real(thread, attributes, function, argument);
}
#endif

/* The backend's own environment: memory that does not end and is not GLPK's. */
static void *give(void *user, uint64_t size)
{
    (void)user;
    return malloc(size);
}

static void *regive(void *user, void *block, uint64_t old_size, uint64_t new_size)
{
    (void)user;
    (void)old_size;
    return realloc(block, new_size);
}

static void take(void *user, void *block, uint64_t size)
{
    (void)user;
    (void)size;
    free(block);
}

/* --- one solve ---------------------------------------------------------------------------------------------------- */

struct solve {
    uint64_t stop_after_ns; /* UINT64_MAX: never */
    uint64_t remaining_ns;
    const char *key, *value;
    uint64_t begin_ns;
    uint64_t told_ns;
    uint64_t late_ns;
    int rc;
    struct flux_error error;
    struct flux_milp_result result;
};

static int stop(void *user)
{
    struct solve *solve = user;
    uint64_t now = now_ns();
    if (solve->stop_after_ns == UINT64_MAX || now - solve->begin_ns < solve->stop_after_ns)
        return 0;
    if (!solve->told_ns)
        solve->told_ns = now;
    return 1;
}

static void run(struct solve *solve, const struct flux_milp *milp, double *values)
{
    const struct flux_backend *backend = glpk_backend();
    struct flux_env env = FLUX_ENV_INIT;
    void *instance;
    env.alloc = give;
    env.resize = regive;
    env.release = take;
    memset(&solve->error, 0, sizeof solve->error);
    solve->result = (struct flux_milp_result){.size = sizeof solve->result, .values = values};
    solve->told_ns = solve->late_ns = 0;
    assert_int_equal(backend->open(&env, &instance, &solve->error), 0);
    if (solve->key)
        assert_int_equal(backend->set(instance, solve->key, solve->value, &solve->error), 0);
    struct flux_milp_run how = {.size = sizeof how, .stop = stop, .user = solve, .remaining_ns = solve->remaining_ns};
    solve->begin_ns = now_ns();
    solve->rc = backend->solve(instance, milp, &how, &solve->result, &solve->error);
    if (solve->told_ns)
        solve->late_ns = now_ns() - solve->told_ns;
    backend->close(instance);
}

static struct solve endless(void)
{
    return (struct solve){.stop_after_ns = UINT64_MAX, .remaining_ns = UINT64_MAX};
}

static void solve_machine(uint32_t jobs)
{
    struct program program;
    struct solve solve = endless();
    double values[64];
    program_machine(&program, jobs, 60, 1);
    run(&solve, &program.milp, values);
    assert_int_equal(solve.rc, 0);
    assert_int_equal(solve.result.status, FLUX_MILP_OPTIMAL);
    assert_true(fabs(solve.result.objective - jobs * (jobs + 5) / 2.0) < 1e-6);
    program_free(&program);
}

/* --- when it comes back ------------------------------------------------------------------------------------------- */

struct wait {
    const char *what;
    void (*make)(struct program *program, uint32_t columns, uint32_t rows);
    uint32_t columns, rows;
    const char *key, *value;
};

/* Big M: each relaxation of a node takes long by itself, and so do GLPK's rules of branching. */
static void machine(struct program *program, uint32_t jobs, uint32_t unused)
{
    (void)unused;
    program_machine(program, jobs, 10000, 1);
}

static void comes_back(void **state)
{
    static const struct wait waits[] = {
        {"branch and bound", program_market_split, 50, 6, NULL, NULL},
        {"branch and bound, preprocessed", program_market_split, 50, 6, "presolve", "on"},
        {"branch and bound, Gomory cuts", program_market_split, 50, 6, "gmi_cuts", "on"},
        {"one long dual simplex", program_sparse, 6000, 6000, NULL, NULL},
        {"one long primal simplex", program_sparse, 6000, 6000, "simplex", "primal"},
        {"a dense program", program_dense, 1200, 600, NULL, NULL},
        {"jobs on a machine, 15,000 rows", machine, 120, 0, NULL, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        struct program program;
        uint64_t worst[2] = {0};
        waits[i].make(&program, waits[i].columns, waits[i].rows);
        double *values = calloc(program.milp.columns, sizeof *values);
        for (int mode = 0; mode < 2; mode++)
            for (uint64_t after = 20; after <= 320; after += 100) {
                struct solve solve = endless();
                solve.stop_after_ns = after * 1000000;
                if (mode)
                    solve.remaining_ns = after * 1000000;
                solve.key = waits[i].key;
                solve.value = waits[i].value;
                run(&solve, &program.milp, values);
                assert_int_equal(solve.rc, 0);
                uint64_t due = solve.begin_ns + after * 1000000, back = now_ns();
                if (solve.late_ns || mode) /* GLPK's own time limit may be the first to notice */
                    solve.late_ns = back > due ? back - due : 0;
                if (solve.late_ns > worst[mode])
                    worst[mode] = solve.late_ns;
                if (solve.result.status == FLUX_MILP_OPTIMAL && !solve.told_ns)
                    break; /* done before */
                assert_true(solve.result.status == FLUX_MILP_UNKNOWN || solve.result.status == FLUX_MILP_FEASIBLE ||
                            solve.result.status == FLUX_MILP_OPTIMAL);
            }
        print_message("%-34s back %5.1f ms after a cancel, %5.1f ms after a deadline, at worst\n", waits[i].what,
                      (double)worst[0] / 1e6, (double)worst[1] / 1e6);
        assert_true(worst[0] < LOOSE_NS && worst[1] < LOOSE_NS);
        free(values);
        program_free(&program);
    }
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

static void memory_limit(void **state)
{
    struct program program;
    struct solve solve = endless();
    (void)state;
    program_dense(&program, 1200, 600); /* some 700,000 entries */
    double *values = calloc(program.milp.columns, sizeof *values);
    solve.key = "memory_mb";
    solve.value = "8";
    run(&solve, &program.milp, values);
    assert_int_equal(solve.rc, FLUX_E_MEMORY);
    assert_non_null(strstr(solve.error.text, "memory"));
    free(values);
    program_free(&program);
    solve_machine(3);
}

/* One solve after another in which allocation n of GLPK's fails; all of them, or `most` spread over them. realloc() is
 * where GLPK itself loses a block: it takes it out of its list before it asks, so a failed one may cost that block. */
static uint32_t fail_each(const struct flux_milp *milp, uint32_t most, uint32_t *pointed)
{
    double values[64];
    uint32_t solves = 0;
    struct solve solve = endless();
    atomic_store(&asked, 0);
    run(&solve, milp, values);
    uint32_t all = (uint32_t)atomic_load(&asked), stride = all > most ? all / most : 1;
    for (uint32_t n = 0; n < all && solves < most; n += stride, solves++) {
        atomic_store(&asked, 0);
        atomic_store(&outstanding, 0);
        atomic_store(&failed_resizes, 0);
        atomic_store(&fail_at, (long long)n);
        solve = endless();
        run(&solve, milp, values);
        atomic_store(&fail_at, -1);
        if (solve.rc) {
            assert_int_equal(solve.rc, FLUX_E_MEMORY);
            assert_string_not_equal(solve.error.text, "");
        } else {
            *pointed += 1; /* it had a point by then, or GLPK asked again */
            assert_true(program_violation(milp, values) < 1e-5);
        }
        assert_true(atomic_load(&outstanding) <= atomic_load(&failed_resizes));
        lost += (uint32_t)atomic_load(&outstanding);
    }
    return solves;
}

static void every_allocation_fails(void **state)
{
    uint32_t most = count(700), solves = 0, pointed = 0;
    (void)state;
    if (!INTERPOSED)
        skip();
    lost = 0;
    for (uint32_t jobs = 2; jobs <= 7 && solves < most; jobs++) {
        struct program program;
        program_machine(&program, jobs, 60, 1);
        solves += fail_each(&program.milp, jobs < 7 && most < 5000 ? most / 5 : most - solves, &pointed);
        program_free(&program);
    }
    print_message("%u solves with one failing allocation: %u failed, %u ended with a point; %u blocks lost by GLPK\n",
                  solves, solves - pointed, pointed, lost);
    assert_true(solves - pointed > 100);
    solve_machine(4);
}

static uint64_t resident_kb(void)
{
    unsigned long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu %lu", &pages, &resident), 2);
    fclose(file);
    return resident * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
}

static void many_solves_do_not_grow(void **state)
{
    uint32_t solves = count(1500);
    (void)state;
    for (uint32_t i = 0; i < 200; i++)
        solve_machine(2 + i % 3);
    atomic_store(&outstanding, 0);
    uint64_t before = resident_kb(), begin = now_ns();
    for (uint32_t i = 0; i < solves; i++)
        solve_machine(2 + i % 3);
    uint64_t after = resident_kb();
    print_message("%u solves in %.2f s; resident memory %u KiB before, %u after\n", solves,
                  (double)(now_ns() - begin) / 1e9, (unsigned)before, (unsigned)after);
    assert_int_equal(atomic_load(&outstanding), 0);
    if (INTERPOSED)
        assert_true(after < before + 4096);
}

/* --- its neighbours ----------------------------------------------------------------------------------------------- */

static int host_lines;

static int host_hook(void *info, const char *text)
{
    (void)info;
    (void)text;
    host_lines++;
    return 1;
}

static glp_prob *host_problem(void)
{
    glp_prob *lp = glp_create_prob();
    glp_set_obj_dir(lp, GLP_MAX);
    glp_add_cols(lp, 1);
    glp_set_col_bnds(lp, 1, GLP_DB, 1, 4);
    glp_set_obj_coef(lp, 1, 2);
    return lp;
}

/* The host uses GLPK on the same thread, with a hook of its own, before, during and after. */
static void host_problem_survives(void **state)
{
    (void)state;
    glp_term_hook(host_hook, NULL);
    glp_prob *lp = host_problem();
    host_lines = 0;
    solve_machine(4);
    assert_int_equal(host_lines, 0);
    assert_int_equal(glp_simplex(lp, NULL), 0);
    assert_true(host_lines > 0);
    assert_true(fabs(glp_get_obj_val(lp) - 8) < 1e-9);
    struct program program;
    struct solve solve = endless();
    program_dense(&program, 1200, 600);
    double *values = calloc(program.milp.columns, sizeof *values);
    solve.key = "memory_mb";
    solve.value = "4";
    run(&solve, &program.milp, values); /* GLPK gives up there; not here */
    assert_int_equal(solve.rc, FLUX_E_MEMORY);
    assert_true(fabs(glp_get_obj_val(lp) - 8) < 1e-9);
    glp_delete_prob(lp);
    glp_free_env();
    free(values);
    program_free(&program);
}

static void *solve_beside(void *user)
{
    (void)user;
    for (uint32_t i = 0; i < 60; i++)
        solve_machine(2 + i % 4);
    return NULL;
}

static void two_threads(void **state)
{
    pthread_t threads[2];
    (void)state;
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, solve_beside, NULL), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

static volatile sig_atomic_t signals_here, signals_elsewhere;

static void on_signal(int number)
{
    (void)number;
    if (pthread_equal(pthread_self(), main_thread))
        signals_here++;
    else
        signals_elsewhere++;
}

/* Signals during a solve reach the host's thread, and the solve goes on. */
static void signals(void **state)
{
    struct sigaction action = {.sa_handler = on_signal}, before;
    struct itimerspec every = {{0, 2000000}, {0, 2000000}};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    timer_t timer;
    (void)state;
    assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
    assert_int_equal(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
    assert_int_equal(timer_settime(timer, 0, &every, NULL), 0);
    struct program program;
    double values[80];
    struct solve solve = endless();
    program_market_split(&program, 50, 6);
    solve.stop_after_ns = 200000000;
    run(&solve, &program.milp, values);
    timer_delete(timer);
    sigaction(SIGUSR1, &before, NULL);
    assert_int_equal(solve.rc, 0);
    assert_true(signals_here > 10);
    assert_int_equal(signals_elsewhere, 0);
    program_free(&program);
}

/* A host that rounds upwards and traps what is inexact would change GLPK's answers, or be killed by them. */
static void host_arithmetic(void **state)
{
    fenv_t before;
    (void)state;
    assert_int_equal(fegetenv(&before), 0);
    fesetround(FE_UPWARD);
    feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
    solve_machine(5);
    int round = fegetround(), traps = fegetexcept();
    fesetenv(&before);
    assert_int_equal(round, FE_UPWARD);
    assert_int_equal(traps, FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
}

static atomic_int host_thread_solving;

static int announce(void *user)
{
    (void)user;
    atomic_store(&host_thread_solving, 1);
    return 0;
}

static void *solve_until_cancelled(void *user)
{
    struct program program;
    struct flux_error error;
    struct flux_env env = FLUX_ENV_INIT;
    struct flux_milp_run how = {.size = sizeof how, .stop = announce, .remaining_ns = 300000000};
    double values[80];
    struct flux_milp_result result = {.size = sizeof result, .values = values};
    void *instance = NULL;
    int *rc = user;
    program_market_split(&program, 50, 6);
    if (!glpk_backend()->open(&env, &instance, &error))
        *rc = glpk_backend()->solve(instance, &program.milp, &how, &result, &error);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL); /* it came through; ASan does not like threads cut off */
    glpk_backend()->close(instance);
    program_free(&program);
    return NULL;
}

/* pthread_cancel() of the host's thread waits for the solve: nothing is pulled away from under the private one. */
static void host_thread_cancelled(void **state)
{
    pthread_t thread;
    void *ended = NULL;
    int rc = 77;
    (void)state;
    atomic_store(&host_thread_solving, 0);
    assert_int_equal(pthread_create(&thread, NULL, solve_until_cancelled, &rc), 0);
    while (!atomic_load(&host_thread_solving))
        usleep(1000);
    pthread_cancel(thread);
    pthread_join(thread, &ended);
    assert_null(ended);
    assert_int_equal(rc, 0);
}

/* Where the relaxation has no least cost, a point tells unbounded from infeasible; with and without the presolver. */
static void unbounded_or_infeasible(void **state)
{
    (void)state;
    for (int presolve = 0; presolve < 2; presolve++)
        for (int odd = 0; odd < 2; odd++) {
            struct program program;
            double values[3];
            struct solve solve = endless();
            solve.key = "presolve";
            solve.value = presolve ? "on" : "off";
            program_init(&program, 3, 2, 3);
            program_continuous(&program, -INFINITY, INFINITY, 1);
            program_binary(&program, 0);
            program_binary(&program, 0);
            program_row(&program, odd ? 3 : 4, odd ? 3 : 4);
            program_entry(&program, 1, 2);
            program_entry(&program, 2, 2);
            run(&solve, &program.milp, values);
            assert_int_equal(solve.rc, 0);
            assert_int_equal(solve.result.status, odd ? FLUX_MILP_INFEASIBLE : FLUX_MILP_UNBOUNDED);
            program_free(&program);
        }
}

struct forker {
    int status;
};

static void *fork_soon(void *user)
{
    struct forker *forker = user;
    struct timespec nap = {0, 50000000};
    nanosleep(&nap, NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(7);
    forker->status = -1;
    waitpid(child, &forker->status, 0);
    return NULL;
}

static void fork_during(void **state)
{
    struct forker forker = {0};
    pthread_t thread;
    struct program program;
    double values[80];
    struct solve solve = endless();
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, fork_soon, &forker), 0);
    program_market_split(&program, 50, 6);
    solve.stop_after_ns = 200000000;
    run(&solve, &program.milp, values);
    pthread_join(thread, NULL);
    assert_int_equal(solve.rc, 0);
    assert_true(WIFEXITED(forker.status) && WEXITSTATUS(forker.status) == 7);
    program_free(&program);
}

/* Not a byte on descriptors 1 and 2, of GLPK's errors neither. */
static void silent(void **state)
{
    struct program program;
    struct solve solve = endless();
    FILE *file = tmpfile();
    (void)state;
    assert_non_null(file);
    program_dense(&program, 1200, 600);
    double *values = calloc(program.milp.columns, sizeof *values);
    fflush(stdout);
    fflush(stderr);
    int out = dup(1), err = dup(2);
    dup2(fileno(file), 1);
    dup2(fileno(file), 2);
    solve_machine(5);
    solve.stop_after_ns = 100000000;
    run(&solve, &program.milp, values);
    solve.key = "memory_mb";
    solve.value = "4";
    run(&solve, &program.milp, values);
    fflush(stdout);
    fflush(stderr);
    dup2(out, 1);
    dup2(err, 2);
    close(out);
    close(err);
    assert_int_equal(solve.rc, FLUX_E_MEMORY);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    assert_int_equal(ftell(file), 0);
    fclose(file);
    free(values);
    program_free(&program);
}

static void no_thread(void **state)
{
    struct program program;
    struct solve solve = endless();
    double values[64];
    (void)state;
    if (!INTERPOSED)
        skip();
    program_machine(&program, 3, 60, 1);
    atomic_store(&refuse_threads, 1);
    run(&solve, &program.milp, values);
    atomic_store(&refuse_threads, 0);
    assert_int_equal(solve.rc, FLUX_E_BACKEND);
    assert_non_null(strstr(solve.error.text, "thread"));
    run(&solve, &program.milp, values);
    assert_int_equal(solve.result.status, FLUX_MILP_OPTIMAL);
    program_free(&program);
}

/* The private thread has a stack of a stated size and takes no signals, whatever the host's defaults are. */
static void thread_of_its_own(void **state)
{
    sigset_t before, after;
    (void)state;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    solve_machine(3);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    for (int number = 1; number < 32; number++)
        assert_int_equal(sigismember(&before, number), sigismember(&after, number));
    if (!INTERPOSED)
        return;
    assert_in_range(thread_stack, 1u << 20, 64u << 20);
}

static void too_big(void **state)
{
    struct solve solve = endless();
    struct flux_milp milp = {.size = sizeof milp, .columns = 2000000, .cutoff = INFINITY};
    (void)state;
    run(&solve, &milp, NULL);
    assert_int_equal(solve.rc, FLUX_E_TOO_BIG);
    assert_non_null(strstr(solve.error.text, "2000000"));
}

/* Every parameter at every word, on programs whose answer is known. */
static void parameters_change_no_answer(void **state)
{
    static const char *const sets[][2] = {
        {"presolve", "on"},
        {"simplex", "primal"},
        {"branching", "first"},
        {"branching", "last"},
        {"branching", "driebeck_tomlin"},
        {"branching", "most_fractional"},
        {"selection", "depth"},
        {"selection", "breadth"},
        {"selection", "best_projection"},
        {"mir_cuts", "on"},
        {"gmi_cuts", "on"},
        {"cover_cuts", "on"},
        {"clique_cuts", "on"},
        {"feasibility_pump", "on"},
    };
    uint64_t random = 99;
    (void)state;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        for (int round = 0; round < 12; round++) {
            struct program program;
            double values[16];
            struct solve solve = endless();
            solve.key = sets[i][0];
            solve.value = sets[i][1];
            program_random(&program, 9, 4, &random);
            double best = program_enumerate(&program.milp);
            run(&solve, &program.milp, values);
            if (solve.rc || solve.result.status != (isinf(best) ? FLUX_MILP_INFEASIBLE : FLUX_MILP_OPTIMAL))
                fail_msg("%s=%s round %d: %d %s, status %u", sets[i][0], sets[i][1], round, solve.rc, solve.error.text,
                         (unsigned)solve.result.status);
            if (!isinf(best))
                assert_true(fabs(solve.result.objective - best) < 1e-6);
            program_free(&program);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back),
        cmocka_unit_test(memory_limit),
        cmocka_unit_test(every_allocation_fails),
        cmocka_unit_test(many_solves_do_not_grow),
        cmocka_unit_test(host_problem_survives),
        cmocka_unit_test(two_threads),
        cmocka_unit_test(signals),
        cmocka_unit_test(host_arithmetic),
        cmocka_unit_test(host_thread_cancelled),
        cmocka_unit_test(unbounded_or_infeasible),
        cmocka_unit_test(fork_during),
        cmocka_unit_test(silent),
        cmocka_unit_test(no_thread),
        cmocka_unit_test(thread_of_its_own),
        cmocka_unit_test(too_big),
        cmocka_unit_test(parameters_change_no_answer),
    };
    main_thread = pthread_self();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
static void without(void **state)
{
    (void)state;
    assert_null(flux_backend_find("glpk"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(without)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
