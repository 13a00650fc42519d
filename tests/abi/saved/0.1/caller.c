/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that hands every struct that grows to libflux. Compiled with headers of several versions and run with
 * libraries of several versions; the script beside it has the combinations.
 *
 *     caller taken FILE     each struct is taken, and the result is what it always was
 *     caller refused FILE   each struct is refused with ABI: its size, or what it sets, is not known
 *
 * OLD: structs lack their last members. NEW: they have one more, `future`. SET: that is not zero in structs that go in;
 * those that come out are filled as far as the library knows them.
 */
#include <libflux/backend.h>
#include <libflux/demand.h>
#include <libflux/io/generate.h>
#include <libflux/io/import.h>
#include <libflux/io/matrix.h>
#include <libflux/io/names.h>
#include <libflux/io/write.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#ifdef SET
#define TOUCH(thing) ((thing).future = 1)
#else
#define TOUCH(thing) ((void)0)
#endif
#define UNTOUCHED UINT64_C(0x5a5a5a5a5a5a5a5a)
#ifdef NEW
#define WATCH(thing) ((thing).future = UNTOUCHED)
#define HOLDS(thing) ((thing).future == UNTOUCHED || (thing).future == 0)
#else
#define WATCH(thing) ((void)0)
#define HOLDS(thing) 1
#endif

static int taken, filled, failed;
static struct flux_graph *graph;
static struct flux_fabric *fabric;

static void verdict(const char *name, int good)
{
    printf("%s %s\n", good ? "ok" : "not ok", name);
    failed |= !good;
}

/* A struct that goes in: taken with 0, else refused with ABI and, where there is an error, with its name in the text.
 */
static int as_expected(int rc, const struct flux_error *error, const char *name)
{
    if (taken)
        return rc == FLUX_OK;
    return rc == FLUX_E_ABI && (!error || (error->code == FLUX_E_ABI && strstr(error->text, name)));
}

static void env_in(void)
{
    struct flux_env env = FLUX_ENV_INIT;
    struct flux_graph *other_graph;
    struct flux_fabric *other_fabric;
    struct flux_cancel *cancel;
    struct flux_names *names;
    TOUCH(env);
    int rcs[] = {flux_graph_new(&env, 4, &other_graph), flux_fabric_new(&env, 4, 2, &other_fabric),
                 flux_cancel_new(&env, &cancel), flux_names_new(&env, graph, &names)};
    int good = 1;
    for (size_t i = 0; i < sizeof rcs / sizeof *rcs; i++)
        good &= as_expected(rcs[i], NULL, NULL);
    good &= taken || (!other_graph && !other_fabric && !cancel && !names);
    verdict("flux_env", good);
    flux_graph_free(other_graph);
    flux_fabric_free(other_fabric);
    flux_cancel_free(cancel);
    flux_names_free(names);
}

static uint32_t reports;
static int progress_good = 1;

/* Whatever the library's age, the members that it covers are right. */
static int progress(void *user, const struct flux_progress *progress)
{
    (void)user;
    reports++;
    progress_good &= progress->size >= offsetof(struct flux_progress, work) + sizeof progress->work;
    progress_good &= progress->phase >= FLUX_PHASE_BUILD && progress->phase <= FLUX_PHASE_CHECK;
    progress_good &= progress->makespan == -1 || progress->makespan >= progress->bound;
    return 0;
}

static void options_in(void)
{
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_schedule *schedule;
    struct flux_error error = {0};
    options.progress = progress;
    TOUCH(options);
    int rc = flux_schedule(graph, fabric, &options, &schedule, &error);
    int good = as_expected(rc, &error, "flux_options");
    good &= taken ? flux_schedule_makespan(schedule) == 1352177280 && flux_schedule_status(schedule) == FLUX_OPTIMAL
                  : !schedule;
    verdict("flux_options", good);
    verdict("flux_progress", !taken || (reports > 0 && progress_good));
    flux_schedule_free(schedule);
}

static void statistics_out(const struct flux_schedule *schedule)
{
    struct flux_statistics statistics = FLUX_STATISTICS_INIT;
    WATCH(statistics);
    int rc = flux_schedule_statistics(schedule, &statistics);
    int good = filled ? rc == FLUX_OK && statistics.constructions >= 1 : rc == FLUX_E_ABI;
    verdict("flux_statistics", good && HOLDS(statistics) && statistics.size == sizeof statistics);
}

static void replay_in_and_out(const struct flux_slot *slots, uint64_t count)
{
    struct flux_replay_options options = FLUX_REPLAY_OPTIONS_INIT;
    struct flux_replay_summary summary = FLUX_REPLAY_SUMMARY_INIT;
    struct flux_replay *replay;
    struct flux_error error = {0};
    TOUCH(options);
    WATCH(summary);
    if (flux_replay_new(graph, fabric, slots, count, &replay, &error)) {
        verdict("a replay", 0);
        return;
    }
    verdict("flux_replay_options",
            as_expected(flux_replay_run(replay, &options, &error), &error, "flux_replay_options"));
    int rc = taken ? 0 : flux_replay_run(replay, NULL, NULL);
    rc = rc ? rc : flux_replay_summary(replay, &summary);
    int good = filled ? rc == FLUX_OK && summary.iteration == 1352177280 : rc == FLUX_E_ABI;
    verdict("flux_replay_summary", good && HOLDS(summary) && summary.size == sizeof summary);
    flux_replay_free(replay);
}

static void rotor_in(void)
{
    struct flux_rotor_options options = FLUX_ROTOR_OPTIONS_INIT;
    struct flux_replay *replay;
    struct flux_error error = {0};
    TOUCH(options);
    int rc = flux_replay_new_rotor(graph, fabric, &options, &replay, &error);
    verdict("flux_rotor_options", as_expected(rc, &error, "flux_rotor_options"));
    flux_replay_free(replay);
}

static void packet_in(void)
{
    struct flux_packet_options options = FLUX_PACKET_OPTIONS_INIT;
    struct flux_replay *replay;
    struct flux_error error = {0};
    TOUCH(options);
    int rc = flux_replay_new_packet(graph, fabric, &options, &replay, &error);
    verdict("flux_packet_options", as_expected(rc, &error, "flux_packet_options"));
    flux_replay_free(replay);
}

static void compare_in_and_out(void)
{
    struct flux_compare_options options = FLUX_COMPARE_OPTIONS_INIT;
    struct flux_comparison_summary summary = FLUX_COMPARISON_SUMMARY_INIT;
    struct flux_comparison *comparison;
    struct flux_error error = {0};
    TOUCH(options);
    WATCH(summary);
    int rc = flux_compare(graph, fabric, FLUX_SCHEDULER_FLUX, &options, &comparison, &error);
    verdict("flux_compare_options", as_expected(rc, &error, "flux_compare_options"));
    rc = taken ? rc : flux_compare(graph, fabric, FLUX_SCHEDULER_FLUX, NULL, &comparison, NULL);
    rc = rc ? rc : flux_comparison_summary(comparison, &summary);
    int good = filled ? rc == FLUX_OK && summary.iteration == 1352177280 : rc == FLUX_E_ABI;
    verdict("flux_comparison_summary", good && HOLDS(summary) && summary.size == sizeof summary);
    flux_comparison_free(comparison);
}

static void replan_in_and_out(void)
{
    struct flux_replan_options options = FLUX_REPLAN_OPTIONS_INIT, whole = FLUX_REPLAN_OPTIONS_INIT;
    struct flux_replan_summary summary = FLUX_REPLAN_SUMMARY_INIT;
    struct flux_schedule *schedule;
    struct flux_replan *replan;
    struct flux_error error = {0};
    uint64_t count = 0;
    if (flux_schedule(graph, fabric, NULL, &schedule, NULL)) {
        verdict("flux_replan_options", 0);
        return;
    }
    const struct flux_slot *slots = flux_schedule_slots(schedule, &count);
    TOUCH(options);
    WATCH(summary);
    int rc = flux_replan(graph, fabric, slots, count, &options, &replan, &error);
    verdict("flux_replan_options", as_expected(rc, &error, "flux_replan_options"));
    rc = taken ? rc : flux_replan(graph, fabric, slots, count, &whole, &replan, NULL);
    rc = rc ? rc : flux_replan_summary(replan, &summary);
    int good = filled ? rc == FLUX_OK && summary.makespan == 1352177280 : rc == FLUX_E_ABI;
    verdict("flux_replan_summary", good && HOLDS(summary) && summary.size == sizeof summary);
    flux_replan_free(replan);
    flux_schedule_free(schedule);
}

static void certificate_in(void)
{
    struct flux_certificate_parts parts = FLUX_CERTIFICATE_PARTS_INIT;
    struct flux_certificate *certificate;
    struct flux_error error = {0};
    TOUCH(parts);
    int rc = flux_certificate_new(NULL, &parts, &certificate, &error);
    verdict("flux_certificate_parts", as_expected(rc, &error, "flux_certificate_parts"));
    flux_certificate_free(certificate);
}

static void generator_in(void)
{
    struct flux_demand_generator generator = FLUX_DEMAND_GENERATOR_INIT;
    struct flux_error error = {0};
    int64_t demand[16 * 16];
    generator.kind = FLUX_DEMAND_STANDARD;
    generator.ports = 16;
    TOUCH(generator);
    int rc = flux_demand_generate(NULL, &generator, demand, &error);
    verdict("flux_demand_generator", as_expected(rc, &error, "struct flux_demand_generator"));
}

static int swallow(void *user, const char *text, uint64_t length)
{
    *(uint64_t *)user += length + !text;
    return 0;
}

static void formulation_out(void)
{
    struct flux_formulation_summary summary = FLUX_FORMULATION_SUMMARY_INIT;
    struct flux_error error = {0};
    uint64_t length = 0;
    WATCH(summary);
    int rc = flux_formulation_write(graph, fabric, FLUX_FORMULATION_TIGHT, FLUX_FORMAT_LP, swallow, &length, &summary,
                                    &error);
    int good = filled ? rc == FLUX_OK && summary.columns > 0 && length > 0
                      : rc == FLUX_E_ABI && strstr(error.text, "flux_formulation_summary");
    verdict("flux_formulation_summary", good && HOLDS(summary) && summary.size == sizeof summary);
}

static void import_in(const char *path)
{
    struct flux_import_options options = FLUX_IMPORT_OPTIONS_INIT;
    struct flux_env env = FLUX_ENV_INIT;
    struct flux_import *import;
    struct flux_error error = {0};
    TOUCH(options);
    int rc = flux_import(NULL, path, &options, &import, &error);
    verdict("flux_import_options", as_expected(rc, &error, "flux_import_options"));
    flux_import_free(import);
    TOUCH(env);
    rc = flux_import(&env, path, NULL, &import, &error);
    verdict("flux_env of the file library", as_expected(rc, NULL, NULL));
    flux_import_free(import);
}

static void matrix_in(void)
{
    struct flux_matrix_options options = FLUX_MATRIX_OPTIONS_INIT;
    struct flux_matrices *matrices;
    struct flux_error error = {0};
    TOUCH(options);
    int rc = flux_matrices_read(NULL, "tests/data/cli/demand.csv", &options, &matrices, &error);
    verdict("flux_matrix_options", as_expected(rc, &error, "flux_matrix_options"));
    flux_matrices_free(matrices);
}

static void generate_in(void)
{
    struct flux_generate_options options = FLUX_GENERATE_OPTIONS_INIT;
    struct flux_import *import;
    struct flux_error error = {0};
    options.model = "llama3-8b";
    options.tensor = 2;
    options.layers = 1;
    TOUCH(options);
    int rc = flux_generate(NULL, &options, &import, &error);
    verdict("flux_generate_options", as_expected(rc, &error, "flux_generate_options"));
    flux_import_free(import);
}

static void svg_in(const struct flux_schedule *schedule)
{
    struct flux_svg_options options = FLUX_SVG_OPTIONS_INIT;
    struct flux_error error = {0};
    TOUCH(options);
    int rc = flux_write_svg("/dev/null", graph, fabric, schedule, &options, &error);
    verdict("flux_svg_options", as_expected(rc, &error, "flux_svg_options"));
}

/* A backend reads only what the structs' sizes cover, and finds there what it knows. */
static int backend_good = 1, solves;

static int backend_open(const struct flux_env *env, void **instance, struct flux_error *error)
{
    (void)error;
    backend_good &= env->size > 0 && env->alloc && env->now_ns;
    *instance = &solves;
    return FLUX_OK;
}

static int backend_solve(void *instance, const struct flux_milp *milp, const struct flux_milp_run *run,
                         struct flux_milp_result *result, struct flux_error *error)
{
    (void)error;
    ++*(int *)instance;
    backend_good &= milp->size >= offsetof(struct flux_milp, start) + sizeof milp->start && milp->columns > 0;
    backend_good &= run->size >= offsetof(struct flux_milp_run, user) + sizeof run->user && !run->stop(run->user);
    backend_good &= result->size >= offsetof(struct flux_milp_result, nodes) + sizeof result->nodes;
    return FLUX_OK; /* UNKNOWN, as it came */
}

static void backend_close(void *instance)
{
    backend_good &= instance == &solves;
}

static void backend_in(void)
{
    struct {
        struct flux_options options;
        uint64_t room; /* this is about the backend alone: options are whole, and zero */
    } wide = {FLUX_OPTIONS_INIT, 0};
    struct flux_backend backend = {0};
    struct flux_schedule *schedule;
    struct flux_error error = {0};
    backend.abi = FLUX_BACKEND_ABI;
    backend.size = sizeof backend;
    backend.name = "idle";
    backend.capabilities = FLUX_BACKEND_SOLVES;
    backend.open = backend_open;
    backend.solve = backend_solve;
#ifndef OLD
    backend.close = backend_close;
#else
    (void)backend_close;
    wide.options.size += sizeof wide.room;
#endif
    wide.options.backend = &backend;
    wide.options.exact = FLUX_EXACT_ONLY;
#ifdef SET
    backend.future = 1; /* an optional function, say: older libraries do without it */
#endif
    int rc = flux_schedule(graph, fabric, &wide.options, &schedule, &error);
#ifdef OLD
    verdict("flux_backend", rc == FLUX_E_ABI && !schedule);
#else
    verdict("flux_backend, flux_milp, flux_milp_run, flux_milp_result",
            backend_good && solves > 0 && (rc == FLUX_OK || rc == FLUX_E_BACKEND));
#endif
    flux_schedule_free(schedule);
}

int main(int argc, char **argv)
{
    struct flux_schedule *schedule;
    uint32_t first, second;
    uint64_t count;
    if (argc != 3)
        return 2;
    taken = !strcmp(argv[1], "taken");
#ifdef SET
    filled = 1;
#else
    filled = taken;
#endif
    if (flux_graph_new(NULL, 4, &graph) || flux_graph_add_send(graph, 0, 1, 64 << 20, &first) ||
        flux_graph_add_send(graph, 1, 2, 64 << 20, &second) ||
        flux_graph_add_edge(graph, first, second, 10 * FLUX_US) || flux_fabric_new(NULL, 4, 2, &fabric) ||
        flux_fabric_set_delay(fabric, FLUX_ALL_SWITCHES, 10 * FLUX_US) ||
        flux_schedule(graph, fabric, NULL, &schedule, NULL))
        return 2;
    const struct flux_slot *slots = flux_schedule_slots(schedule, &count);
    env_in();
    options_in();
    statistics_out(schedule);
    replay_in_and_out(slots, count);
    rotor_in();
    packet_in();
    compare_in_and_out();
    replan_in_and_out();
    certificate_in();
    generator_in();
    formulation_out();
    import_in(argv[2]);
    generate_in();
    svg_in(schedule);
    matrix_in();
    backend_in();
    flux_schedule_free(schedule);
    flux_fabric_free(fabric);
    flux_graph_free(graph);
    return failed;
}
