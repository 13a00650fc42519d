/* SPDX-License-Identifier: Apache-2.0 */
#include "asking.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <libflux/program.h>
#include <libflux/replan.h>

#define GPUS 4u
#define SENDS 24u

static int fill_graph(struct flux_graph *graph)
{
    int rc = 0;
    for (uint32_t v = 0; v < SENDS && !rc; v++) {
        rc = v % 5 == 4
                 ? flux_graph_add_compute(graph, v % GPUS, 50 + v, NULL)
                 : flux_graph_add_send(graph, v % GPUS,
                                       (v + 1 + v / 4) % GPUS == v % GPUS ? (v + 2) % GPUS : (v + 1 + v / 4) % GPUS,
                                       1000 + v, NULL);
        if (!rc && v > 6 && v % 3)
            rc = flux_graph_add_edge(graph, v - 5, v, v);
    }
    return rc;
}

static int fill_fabric(struct flux_fabric *fabric)
{
    int rc = flux_fabric_set_delay(fabric, FLUX_ALL_SWITCHES, 5 * FLUX_US);
    rc = rc ? rc : flux_fabric_set_rate(fabric, 1, 1, UINT64_C(400000000000));
    rc = rc ? rc : flux_fabric_add_initial(fabric, 0, 0, 1);
    return rc ? rc : flux_fabric_set_propagation(fabric, 2, 3, 7);
}

void bench_begin(struct bench *bench)
{
    struct flux_options options = FLUX_OPTIONS_INIT;
    options.exact = FLUX_EXACT_NEVER;
    options.work_limit = 1000; /* any schedule will do */
    failing_memory_init(&bench->memory);
    failing_memory_arm(&bench->memory, 0, 0);
    assert_int_equal(flux_graph_new(&bench->memory.env, GPUS, &bench->graph), 0);
    assert_int_equal(flux_fabric_new(&bench->memory.env, GPUS, 2, &bench->fabric), 0);
    assert_int_equal(fill_graph(bench->graph), 0);
    assert_int_equal(fill_fabric(bench->fabric), 0);
    assert_int_equal(flux_schedule(bench->graph, bench->fabric, &options, &bench->schedule, NULL), 0);
    bench->slots = flux_schedule_slots(bench->schedule, &bench->count);
}

void bench_end(struct bench *bench)
{
    flux_schedule_free(bench->schedule);
    flux_fabric_free(bench->fabric);
    flux_graph_free(bench->graph);
}

/* ---- Functions that may ask for memory. Each gives back what it made. */

#define ENV (&bench->memory.env)

static int graph_new(struct bench *bench)
{
    struct flux_graph *graph;
    int rc = flux_graph_new(ENV, GPUS, &graph);
    assert_int_equal(!graph, rc != 0);
    flux_graph_free(graph);
    return rc;
}

static int fabric_new(struct bench *bench)
{
    struct flux_fabric *fabric;
    int rc = flux_fabric_new(ENV, GPUS, 3, &fabric);
    assert_int_equal(!fabric, rc != 0);
    flux_fabric_free(fabric);
    return rc;
}

static int cancel_new(struct bench *bench)
{
    struct flux_cancel *cancel;
    int rc = flux_cancel_new(ENV, &cancel);
    assert_int_equal(!cancel, rc != 0);
    flux_cancel_free(cancel);
    return rc;
}

/* The graph has as many vertices and edges as calls succeeded. */
static int graph_add_send(struct bench *bench)
{
    uint32_t before = flux_graph_vertices(bench->graph), added = 0;
    int rc = 0;
    while (added < 300 && !(rc = flux_graph_add_send(bench->graph, 0, 1, 1, NULL)))
        added++;
    assert_int_equal(flux_graph_vertices(bench->graph), before + added);
    return rc;
}

static int graph_add_compute(struct bench *bench)
{
    uint32_t before = flux_graph_vertices(bench->graph), added = 0;
    int rc = 0;
    while (added < 300 && !(rc = flux_graph_add_compute(bench->graph, 0, 1, NULL)))
        added++;
    assert_int_equal(flux_graph_vertices(bench->graph), before + added);
    return rc;
}

static int graph_add_edge(struct bench *bench)
{
    uint64_t before, after, added = 0;
    int rc = 0;
    flux_graph_edges(bench->graph, &before);
    while (added < 300 && !(rc = flux_graph_add_edge(bench->graph, 0, 7, (int64_t)added)))
        added++;
    flux_graph_edges(bench->graph, &after);
    assert_int_equal(after, before + added);
    return rc;
}

static int graph_add_sends(struct bench *bench)
{
    struct flux_send sends[200];
    uint32_t before = flux_graph_vertices(bench->graph), first = 0;
    struct flux_error error = {0};
    for (uint32_t i = 0; i < 200; i++)
        sends[i] = (struct flux_send){i % 3, 3, 1 + i, 0, 0};
    int rc = flux_graph_add_sends(bench->graph, sends, 200, sizeof *sends, &first, &error);
    assert_int_equal(flux_graph_vertices(bench->graph), rc ? before : before + 200);
    assert_int_equal(error.code, rc);
    return rc;
}

static int graph_add_computes(struct bench *bench)
{
    struct flux_compute computes[200];
    uint32_t before = flux_graph_vertices(bench->graph), first = 0;
    struct flux_error error = {0};
    for (uint32_t i = 0; i < 200; i++)
        computes[i] = (struct flux_compute){i % GPUS, 0, i, 0};
    int rc = flux_graph_add_computes(bench->graph, computes, 200, sizeof *computes, &first, &error);
    assert_int_equal(flux_graph_vertices(bench->graph), rc ? before : before + 200);
    assert_int_equal(error.code, rc);
    return rc;
}

static int graph_add_edges(struct bench *bench)
{
    struct flux_edge edges[200];
    uint64_t before, after;
    struct flux_error error = {0};
    flux_graph_edges(bench->graph, &before);
    for (uint32_t i = 0; i < 200; i++)
        edges[i] = (struct flux_edge){i % 7, 7 + i % 9, ASKS_PROCESS};
    int rc = flux_graph_add_edges(bench->graph, edges, 200, sizeof *edges, &error);
    flux_graph_edges(bench->graph, &after);
    assert_int_equal(after, rc ? before : before + 200);
    assert_int_equal(error.code, rc);
    return rc;
}

static int graph_set_label(struct bench *bench)
{
    int rc = flux_graph_set_label(bench->graph, 3, "a label");
    assert_string_equal(flux_graph_label(bench->graph, 3), rc ? "" : "a label");
    return rc;
}

static int graph_reserve(struct bench *bench)
{
    return flux_graph_reserve(bench->graph, 4096, 4096);
}

static int graph_check(struct bench *bench)
{
    return flux_graph_check(bench->graph, NULL);
}

static int fabric_set_rate(struct bench *bench)
{
    struct flux_fabric *fabric;
    int rc = flux_fabric_new(ENV, GPUS, 2, &fabric);
    rc = rc ? rc : flux_fabric_set_rate(fabric, 1, 0, 5);
    flux_fabric_free(fabric);
    return rc;
}

static int fabric_set_dead(struct bench *bench)
{
    int rc = flux_fabric_set_dead(bench->fabric, 3, 1, 1);
    assert_int_equal(flux_fabric_dead(bench->fabric, 3, 1), rc ? 0 : 1);
    int back = flux_fabric_set_dead(bench->fabric, 3, 1, 0);
    return rc ? rc : back;
}

static int fabric_set_forbidden(struct bench *bench)
{
    int rc = flux_fabric_set_forbidden(bench->fabric, 1, 0, 3, 1);
    assert_int_equal(flux_fabric_is_forbidden(bench->fabric, 1, 0, 3), rc ? 0 : 1);
    int back = flux_fabric_set_forbidden(bench->fabric, 1, 0, 3, 0);
    return rc ? rc : back;
}

static int fabric_add_initial(struct bench *bench)
{
    struct flux_fabric *fabric;
    uint64_t count = 0;
    int rc = flux_fabric_new(ENV, GPUS, 2, &fabric);
    int made = !rc;
    rc = rc ? rc : flux_fabric_add_initial(fabric, 1, 2, 3);
    if (made) {
        flux_fabric_initial(fabric, &count);
        assert_int_equal(count, rc ? 0 : 1);
    }
    flux_fabric_free(fabric);
    return rc;
}

static int fabric_set_propagation(struct bench *bench)
{
    struct flux_fabric *fabric;
    int rc = flux_fabric_new(ENV, GPUS, 2, &fabric);
    for (uint32_t src = 0; src < GPUS && !rc; src++)
        rc = flux_fabric_set_propagation(fabric, src, (src + 1) % GPUS, src);
    flux_fabric_free(fabric);
    return rc;
}

static int schedule(struct bench *bench)
{
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_schedule *made;
    struct flux_error error = {0};
    options.exact = FLUX_EXACT_NEVER;
    options.work_limit = 2000;
    options.objectives = FLUX_OBJECTIVE_RECONFIGURATIONS | FLUX_OBJECTIVE_MEMORY | FLUX_OBJECTIVE_SLACK;
    int rc = flux_schedule(bench->graph, bench->fabric, &options, &made, &error);
    assert_int_equal(!made, rc != 0);
    assert_int_equal(error.code, rc);
    flux_schedule_free(made);
    return rc;
}

static int schedule_from_slots(struct bench *bench)
{
    struct flux_schedule *made;
    int rc = flux_schedule_from_slots(bench->graph, bench->fabric, bench->slots, bench->count, &made, NULL);
    assert_int_equal(!made, rc != 0);
    flux_schedule_free(made);
    return rc;
}

static int check(struct bench *bench)
{
    return flux_check(bench->graph, bench->fabric, bench->slots, bench->count, NULL, NULL);
}

static int bound(struct bench *bench)
{
    struct flux_certificate *certificate;
    int rc = flux_bound(bench->graph, bench->fabric, &certificate, NULL);
    assert_int_equal(!certificate, rc != 0);
    flux_certificate_free(certificate);
    return rc;
}

static int certificate_new(struct bench *bench)
{
    static const uint32_t vertices[] = {0, 1, 2};
    static const struct flux_lift lift = {2, 0, FLUX_SIDE_BOTH, FLUX_LIFT_HEAD, 0, 0};
    struct flux_certificate_parts parts = FLUX_CERTIFICATE_PARTS_INIT;
    struct flux_certificate *certificate;
    struct flux_error error = {0};
    parts.kind = FLUX_CERTIFICATE_LIFTED_PATH;
    parts.vertices = vertices;
    parts.vertex_count = 3;
    parts.lifts = &lift;
    parts.lift_count = 1;
    int rc = flux_certificate_new(ENV, &parts, &certificate, &error);
    assert_int_equal(error.code, rc);
    assert_true(rc ? !certificate : flux_certificate_kind(certificate) == FLUX_CERTIFICATE_LIFTED_PATH);
    flux_certificate_free(certificate);
    return rc;
}

static int certificate_check(struct bench *bench)
{
    return flux_certificate_check(bench->graph, bench->fabric, flux_schedule_certificate(bench->schedule), NULL, NULL);
}

static int demand_schedule(struct bench *bench)
{
    static const int64_t demand[16] = {0, 90, 40, 0, 10, 0, 0, 70, 0, 80, 0, 5, 60, 0, 30, 0};
    struct flux_demand_plan *plan;
    int rc = 0;
    for (uint32_t algorithm = FLUX_DEMAND_BVN; algorithm <= FLUX_DEMAND_BEST && !rc; algorithm++) {
        rc = flux_demand_schedule(ENV, 4, demand, 2, 3, algorithm, &plan, NULL);
        assert_int_equal(!plan, rc != 0);
        flux_demand_plan_free(plan);
    }
    return rc;
}

static int demand_generate(struct bench *bench)
{
    struct flux_demand_generator generator = FLUX_DEMAND_GENERATOR_INIT;
    int64_t demand[16 * 16];
    int rc = 0;
    generator.ports = 16;
    for (generator.kind = FLUX_DEMAND_STANDARD; generator.kind <= FLUX_DEMAND_MOE_PAIRS && !rc; generator.kind++)
        rc = flux_demand_generate(ENV, &generator, demand, NULL);
    return rc;
}

static int swallow(void *user, const char *text, uint64_t length)
{
    *(uint64_t *)user += length + !text;
    return 0;
}

static int formulation_write(struct bench *bench)
{
    uint64_t length = 0;
    return flux_formulation_write(bench->graph, bench->fabric, FLUX_FORMULATION_TIGHT, FLUX_FORMAT_LP, swallow, &length,
                                  NULL, NULL);
}

static int replay_new(struct bench *bench)
{
    struct flux_replay *replay;
    int rc = flux_replay_new(bench->graph, bench->fabric, bench->slots, bench->count, &replay, NULL);
    assert_int_equal(!replay, rc != 0);
    rc = rc ? rc : flux_replay_run(replay, NULL, NULL);
    flux_replay_free(replay);
    return rc;
}

static int replay_new_cycle(struct bench *bench)
{
    static const struct flux_cycle_state states[3] = {{0, 4, 20000000}, {0, 4, 20000000}, {1, 4, 20000000}};
    static const struct flux_circuit_name circuits[12] = {
        {0, 0, ASKS_PROCESS},
        {0, 1, 2},
        {0, 2, 3},
        {0, 3, 0},
        {0, 0, 2},
        {0, 2, 0},
        {0, 1, 3},
        {0, 3, ASKS_PROCESS},
        {1, 0, 3},
        {1, 3, 2},
        {1, 2, ASKS_PROCESS},
        {1, 1, 0},
    };
    struct flux_replay *replay;
    assert_int_equal(flux_fabric_set_rule(bench->fabric, FLUX_RULE_SIMPLEX), 0);
    int rc = flux_replay_new_cycle(bench->graph, bench->fabric, states, 3, circuits, 12, &replay, NULL);
    assert_int_equal(!replay, rc != 0);
    rc = rc ? rc : flux_replay_run(replay, NULL, NULL);
    flux_replay_free(replay);
    return rc;
}

static int replay_new_rotor(struct bench *bench)
{
    struct flux_rotor_options options = FLUX_ROTOR_OPTIONS_INIT;
    struct flux_replay *replay;
    int rc = 0;
    for (options.routing = FLUX_ROTOR_DIRECT; options.routing <= FLUX_ROTOR_VLB && !rc; options.routing++) {
        rc = flux_replay_new_rotor(bench->graph, bench->fabric, &options, &replay, NULL);
        assert_int_equal(!replay, rc != 0);
        rc = rc ? rc : flux_replay_run(replay, NULL, NULL);
        flux_replay_free(replay);
    }
    return rc;
}

static int replay_new_packet(struct bench *bench)
{
    struct flux_replay *replay;
    int rc = flux_replay_new_packet(bench->graph, bench->fabric, NULL, &replay, NULL);
    assert_int_equal(!replay, rc != 0);
    rc = rc ? rc : flux_replay_run(replay, NULL, NULL);
    flux_replay_free(replay);
    return rc;
}

static int replay_memory(struct bench *bench)
{
    const struct flux_replay_held *rows;
    struct flux_replay *replay;
    uint64_t count;
    int rc = flux_replay_new(bench->graph, bench->fabric, bench->slots, bench->count, &replay, NULL);
    rc = rc ? rc : flux_replay_run(replay, NULL, NULL);
    rc = rc ? rc : flux_replay_memory(replay, &rows, &count, NULL);
    flux_replay_free(replay);
    return rc;
}

static int program_new(struct bench *bench)
{
    struct flux_program *program;
    int rc = flux_program_new(bench->graph, bench->fabric, bench->schedule, &program, NULL);
    assert_int_equal(!program, rc != 0);
    flux_program_free(program);
    return rc;
}

static int schedule_state(struct bench *bench)
{
    struct flux_time times[SENDS];
    struct flux_circuit_state circuits[2 * SENDS];
    uint64_t count;
    return flux_schedule_state(bench->schedule, bench->fabric, flux_schedule_makespan(bench->schedule) / 2, times,
                               circuits, &count);
}

/* From the middle of the schedule, as planned: with sends under way, and ports that point to nothing. */
static int replan(struct bench *bench)
{
    struct flux_replan_options options = FLUX_REPLAN_OPTIONS_INIT;
    struct flux_time times[SENDS];
    struct flux_replan *replan;
    options.now = flux_schedule_makespan(bench->schedule) / 2;
    options.times = times;
    options.time_count = SENDS;
    options.work_limit = 200;
    for (uint32_t v = 0; v < SENDS; v++) {
        times[v] = flux_schedule_times(bench->schedule, NULL)[v];
        if (times[v].start >= options.now)
            times[v] = (struct flux_time){-1, -1};
    }
    int rc = flux_replan(bench->graph, bench->fabric, bench->slots, bench->count, &options, &replan, NULL);
    assert_int_equal(!replan, rc != 0);
    flux_replan_free(replan);
    return rc;
}

static int compare(struct bench *bench)
{
    struct flux_options schedule_options = FLUX_OPTIONS_INIT;
    struct flux_compare_options options = FLUX_COMPARE_OPTIONS_INIT;
    struct flux_comparison *comparison;
    int rc = 0;
    schedule_options.exact = FLUX_EXACT_NEVER;
    schedule_options.work_limit = 500;
    options.schedule = &schedule_options;
    options.constructions = 2;
    for (uint32_t scheduler = 1; scheduler <= flux_scheduler_count() && !rc; scheduler++) {
        if (!*flux_scheduler_name(scheduler))
            continue;
        rc = flux_compare(bench->graph, bench->fabric, scheduler, &options, &comparison, NULL);
        assert_int_equal(!comparison, rc != 0);
        flux_comparison_free(comparison);
    }
    return rc;
}

const struct asking asking[] = {
    {"flux_graph_new", graph_new, 0},
    {"flux_graph_add_send", graph_add_send, 0},
    {"flux_graph_add_compute", graph_add_compute, 0},
    {"flux_graph_add_edge", graph_add_edge, 0},
    {"flux_graph_add_sends", graph_add_sends, 0},
    {"flux_graph_add_computes", graph_add_computes, 0},
    {"flux_graph_add_edges", graph_add_edges, 0},
    {"flux_graph_set_label", graph_set_label, 0},
    {"flux_graph_reserve", graph_reserve, 0},
    {"flux_graph_check", graph_check, 0},
    {"flux_fabric_new", fabric_new, 0},
    {"flux_fabric_set_rate", fabric_set_rate, 0},
    {"flux_fabric_set_dead", fabric_set_dead, 0},
    {"flux_fabric_set_forbidden", fabric_set_forbidden, 0},
    {"flux_fabric_add_initial", fabric_add_initial, 0},
    {"flux_fabric_set_propagation", fabric_set_propagation, 0},
    {"flux_cancel_new", cancel_new, 0},
    {"flux_schedule", schedule, 0},
    {"flux_schedule_from_slots", schedule_from_slots, 0},
    {"flux_check", check, 0},
    {"flux_bound", bound, 0},
    {"flux_certificate_check", certificate_check, 0},
    {"flux_certificate_new", certificate_new, 0},
    {"flux_demand_schedule", demand_schedule, 0},
    {"flux_demand_generate", demand_generate, 0},
    {"flux_formulation_write", formulation_write, 0},
    {"flux_replay_new", replay_new, 0},
    {"flux_replay_new_cycle", replay_new_cycle, 0},
    {"flux_replay_new_rotor", replay_new_rotor, 0},
    {"flux_replay_new_packet", replay_new_packet, 0},
    {"flux_replay_memory", replay_memory, 0},
    {"flux_program_new", program_new, 0},
    {"flux_schedule_state", schedule_state, 0},
    {"flux_replan", replan, 0},
    {"flux_compare", compare, 0},
    {NULL, NULL, 0},
};
