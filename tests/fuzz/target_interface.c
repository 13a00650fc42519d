/* SPDX-License-Identifier: Apache-2.0
 *
 * A graph and a fabric by calls that the bytes choose, with values of every size; then all that can be done with them,
 * where what one part says is held against what another does.
 */
#include "target.h"

#include <libflux/demand.h>
#include <libflux/io/write.h>
#include <libflux/program.h>
#include <libflux/simulate.h>
#include <string.h>

#define VERTICES_MOST 40u /* so that a run is a matter of milliseconds */
#define CALLS_MOST 120u
#define BUDGET (UINT64_C(256) << 20)

struct script {
    const unsigned char *at;
    const unsigned char *end;
};

static uint32_t byte(struct script *script)
{
    return script->at < script->end ? *script->at++ : 0;
}

/* Of any size: small ones most, the ends of the range, what is beyond it. */
static int64_t value(struct script *script)
{
    uint32_t kind = byte(script), number = byte(script);
    switch (kind % 16) {
    case 12:
        return FLUX_TIME_MAX - number;
    case 13:
        return kind & 16 ? INT64_MAX - number : INT64_MIN + number;
    case 14:
        return -(int64_t)number;
    case 15:
        return (int64_t)((uint64_t)(number + 1) << (kind / 16 * 4));
    default:
        return (int64_t)number * (kind % 4 ? 1 : 1000000);
    }
}

/* 0 .. most - 1, now and then one beyond. */
static uint32_t one_of(struct script *script, uint32_t most)
{
    uint32_t number = byte(script);
    return number == 255 ? most : number % (most ? most : 1);
}

static void change_graph(struct script *script, struct flux_graph *graph, uint32_t call)
{
    static const char *const labels[] = {"a", "a", "b/1", "", "\xff", "x\ny"};
    uint32_t gpus = flux_graph_gpus(graph), vertices = flux_graph_vertices(graph);
    uint32_t a = one_of(script, gpus), b = one_of(script, gpus);
    struct flux_send row = {a, b, (uint64_t)value(script), value(script), 0};
    struct flux_error error;
    switch (call) {
    case 0:
    case 1:
        if (vertices < VERTICES_MOST)
            flux_graph_add_send(graph, a, b, row.bytes, NULL);
        break;
    case 2:
        if (vertices < VERTICES_MOST)
            flux_graph_add_compute(graph, a, row.duration, NULL);
        break;
    case 3: /* mostly forwards, so that most graphs have no cycle */
    case 4:
        a = one_of(script, vertices);
        b = one_of(script, vertices);
        flux_graph_add_edge(graph, a < b || call == 4 ? a : b, a < b || call == 4 ? b : a, value(script));
        break;
    case 5:
        flux_graph_set_duration(graph, one_of(script, vertices), row.duration);
        break;
    case 6:
        flux_graph_set_release(graph, one_of(script, vertices), row.duration);
        break;
    case 7:
        flux_graph_set_label(graph, one_of(script, vertices), labels[a % 6]);
        break;
    default:
        if (vertices < VERTICES_MOST)
            flux_graph_add_sends(graph, &row, 1, sizeof row, NULL, &error);
    }
}

static void change_fabric(struct script *script, struct flux_fabric *fabric, uint32_t call)
{
    uint32_t gpus = flux_fabric_gpus(fabric), switches = flux_fabric_switches(fabric);
    uint32_t k = one_of(script, switches), a = one_of(script, gpus), b = one_of(script, gpus);
    k = k == switches ? FLUX_ALL_SWITCHES : k;
    switch (call) {
    case 0:
        flux_fabric_set_rule(fabric, one_of(script, 3));
        break;
    case 1:
        flux_fabric_set_rate(fabric, a, k, (uint64_t)value(script));
        break;
    case 2:
        flux_fabric_set_delay(fabric, k, value(script));
        break;
    case 3:
        flux_fabric_set_blocking(fabric, k, one_of(script, 2));
        break;
    case 4:
        flux_fabric_set_dwell(fabric, k, value(script));
        break;
    case 5:
        flux_fabric_set_dead(fabric, a, k, byte(script) & 1);
        break;
    case 6:
        flux_fabric_set_forbidden(fabric, k, a, b, byte(script) & 1);
        break;
    case 7:
        flux_fabric_add_initial(fabric, k, a, b);
        break;
    default:
        flux_fabric_set_propagation(fabric, a == gpus ? FLUX_ALL_GPUS : a, b == gpus ? FLUX_ALL_GPUS : b,
                                    value(script));
    }
}

/* Errors that a problem may have, whatever was asked. */
static void judge(int rc, const struct flux_error *error, const char *what)
{
    if (rc == FLUX_E_MEMORY || rc == FLUX_E_ABI || rc == FLUX_E_IO || rc > 0)
        fuzz_wrong("%s: %s: %s", what, flux_error_name(rc), error->text);
    if (rc && (error->code != rc || !*error->text))
        fuzz_wrong("%s says nothing of %s", what, flux_error_name(rc));
}

static void replay(struct script *script, struct flux_replay *run, int rc, const struct flux_error *made)
{
    struct flux_replay_options options = FLUX_REPLAY_OPTIONS_INIT;
    struct flux_replay_summary summary = FLUX_REPLAY_SUMMARY_INIT;
    struct flux_error error = *made;
    judge(rc, &error, "a replay");
    if (!rc) {
        options.mode = byte(script) & 1;
        options.jitter_ppm = byte(script) * 1000;
        rc = flux_replay_run(run, &options, &error);
        judge(rc, &error, "a run");
        if (!rc && (flux_replay_summary(run, &summary) || summary.iteration < 0))
            fuzz_wrong("a run has no summary");
    }
    flux_replay_free(run);
}

static void replay_all(struct script *script, const struct flux_graph *graph, const struct flux_fabric *fabric,
                       const struct flux_slot *slots, uint64_t count)
{
    struct flux_error error = {0};
    struct flux_replay *run;
    int rc = flux_replay_new(graph, fabric, slots, count, &run, &error);
    if (rc)
        fuzz_wrong("a schedule cannot be replayed: %s", error.text);
    replay(script, run, rc, &error);
    rc = flux_replay_new_packet(graph, fabric, NULL, &run, &error);
    replay(script, run, rc, &error);
}

static void step_through(const struct flux_graph *graph, const struct flux_fabric *fabric,
                         const struct flux_schedule *schedule)
{
    struct flux_program *program;
    struct flux_event event;
    struct flux_error error;
    uint64_t ends = 0;
    int64_t before = 0;
    if (flux_program_new(graph, fabric, schedule, &program, &error))
        fuzz_wrong("a schedule is no program: %s", error.text);
    while (flux_program_step(program, &event)) {
        if (event.time < before)
            fuzz_wrong("the clock goes back");
        before = event.time;
        ends += event.kind == FLUX_EVENT_END;
    }
    if (ends != flux_graph_sends(graph))
        fuzz_wrong("%llu sends end", (unsigned long long)ends);
    flux_program_free(program);
}

static void write_all(const struct flux_graph *graph, const struct flux_fabric *fabric,
                      const struct flux_schedule *schedule)
{
    struct flux_error error = {0};
    int rc = flux_write_document("/dev/null", graph, fabric, schedule, &error);
    judge(rc, &error, "a document");
    judge(flux_write_goal("/dev/null", graph, NULL, &error), &error, "GOAL");
    judge(flux_write_networkx("/dev/null", graph, &error), &error, "NetworkX");
    judge(flux_write_dot("/dev/null", graph, &error), &error, "DOT");
    if (!schedule)
        return;
    judge(flux_write_perfetto("/dev/null", graph, fabric, schedule, &error), &error, "Perfetto");
    judge(flux_write_svg("/dev/null", graph, fabric, schedule, NULL, &error), &error, "SVG");
    judge(flux_write_csv("/dev/null", graph, schedule, &error), &error, "CSV");
}

/* Somebody else's slots, nearly ours. */
static void check_changed(struct script *script, const struct flux_graph *graph, const struct flux_fabric *fabric,
                          const struct flux_slot *slots, uint64_t count)
{
    struct flux_slot changed[VERTICES_MOST];
    struct flux_schedule *schedule;
    struct flux_error error = {0};
    int64_t makespan;
    if (!count || count > VERTICES_MOST)
        return;
    memcpy(changed, slots, count * sizeof *changed);
    struct flux_slot *slot = &changed[byte(script) % count];
    int64_t by = value(script);
    if (byte(script) & 1)
        slot->send = one_of(script, flux_graph_vertices(graph));
    slot->start = (int64_t)((uint64_t)slot->start + (uint64_t)by);
    slot->end = (int64_t)((uint64_t)slot->end + (uint64_t)by);
    int rc = flux_check(graph, fabric, changed, count, &makespan, &error);
    judge(rc, &error, "a check");
    if (flux_schedule_from_slots(graph, fabric, changed, count, &schedule, &error) != rc)
        fuzz_wrong("two checks differ");
    flux_schedule_free(schedule);
}

static void solve(struct script *script, const struct flux_graph *graph, const struct flux_fabric *fabric)
{
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_schedule *schedule;
    struct flux_error error = {0};
    int64_t makespan, bound;
    uint64_t count;
    options.exact = FLUX_EXACT_NEVER;
    options.work_limit = 2000;
    options.seed = byte(script);
    int rc = flux_schedule(graph, fabric, &options, &schedule, &error);
    judge(rc, &error, "a schedule");
    write_all(graph, fabric, schedule);
    if (rc)
        return;
    const struct flux_slot *slots = flux_schedule_slots(schedule, &count);
    if (flux_check(graph, fabric, slots, count, &makespan, &error))
        fuzz_wrong("our schedule is none: %s", error.text);
    if (makespan != flux_schedule_makespan(schedule) || flux_schedule_bound(schedule) > makespan)
        fuzz_wrong("makespan and bound do not fit");
    const struct flux_certificate *certificate = flux_schedule_certificate(schedule);
    if (flux_certificate_kind(certificate) < FLUX_CERTIFICATE_SEARCH && /* those from there on nobody can recompute */
        flux_certificate_check(graph, fabric, certificate, &bound, &error))
        fuzz_wrong("our certificate is none: %s", error.text);
    check_changed(script, graph, fabric, slots, count);
    replay_all(script, graph, fabric, slots, count);
    step_through(graph, fabric, schedule);
    flux_schedule_free(schedule);
}

static void demand(struct script *script, const struct flux_env *env)
{
    uint32_t ports = 1 + byte(script) % 6, algorithm = one_of(script, 10), switches = 1 + byte(script) % 3;
    struct flux_demand_plan *plan;
    struct flux_error error = {0};
    int64_t entry[36], delay = value(script);
    for (uint32_t i = 0; i < ports * ports; i++)
        entry[i] = byte(script) & 1 ? value(script) : 0;
    int rc = flux_demand_schedule(env, ports, entry, switches, delay, algorithm, &plan, &error);
    judge(rc, &error, "a demand");
    if (!rc && flux_demand_plan_bound(plan) > flux_demand_plan_makespan(plan))
        fuzz_wrong("a plan is below its bound");
    flux_demand_plan_free(plan);
}

int fuzz_interface(const unsigned char *bytes, size_t size)
{
    struct script script = {bytes, bytes + size};
    struct fuzz_memory budget;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_error error = {0};
    fuzz_memory_begin(&budget, BUDGET);
    uint32_t gpus = 1 + byte(&script) % 8, switches = 1 + byte(&script) % 4;
    if (flux_graph_new(&budget.env, gpus, &graph) || flux_fabric_new(&budget.env, gpus, switches, &fabric))
        fuzz_wrong("a small graph and fabric cannot be made");
    for (uint32_t calls = 0; calls < CALLS_MOST && script.at < script.end; calls++) {
        uint32_t call = byte(&script) % 32;
        if (call == 31)
            break;
        if (call < 20)
            change_graph(&script, graph, call % 9);
        else
            change_fabric(&script, fabric, call - 20);
    }
    int rc = flux_graph_check(graph, &error);
    judge(rc, &error, "a graph");
    solve(&script, graph, fabric);
    demand(&script, &budget.env);
    flux_fabric_free(fabric);
    flux_graph_free(graph);
    fuzz_memory_end(&budget);
    return rc == 0;
}
