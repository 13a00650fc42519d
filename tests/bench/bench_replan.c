/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_replan FILE [DELAY_PS SWITCHES LIMIT_NS] - a schedule of the workload in FILE, and what planning anew half way
 * through gains over a right shift: one JSON line for a GPU that takes twice its time for a tenth of the iteration, and
 * one for a dead port.
 */
#include <inttypes.h>
#include <libflux/flux.h>
#include <libflux/io/import.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct world {
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_schedule *schedule;
    struct flux_time *times;
    struct flux_circuit_state *circuits;
    struct flux_replan_options options;
};

static void need(int rc, const struct flux_error *error)
{
    if (rc) {
        fprintf(stderr, "bench_replan: %s: %s\n", flux_error_name(rc), error->text);
        exit(1);
    }
}

static uint64_t argument(int argc, char **argv, int at, uint64_t otherwise)
{
    return argc > at ? strtoull(argv[at], NULL, 10) : otherwise;
}

static void stand_half_way(struct world *world, uint64_t limit)
{
    const struct flux_replan_options options = FLUX_REPLAN_OPTIONS_INIT;
    struct flux_error error = {.code = 0};
    world->options = options;
    world->options.now = flux_schedule_makespan(world->schedule) / 2;
    need(flux_schedule_state(world->schedule, world->fabric, world->options.now, world->times, world->circuits,
                             &world->options.circuit_count),
         &error);
    world->options.times = world->times;
    world->options.time_count = flux_graph_vertices(world->graph);
    world->options.circuits = world->circuits;
    world->options.time_limit_ns = limit;
}

static void tell(struct world *world, const char *what)
{
    struct flux_replan_summary summary = FLUX_REPLAN_SUMMARY_INIT;
    struct flux_replan *replan;
    struct flux_error error = {.code = 0};
    uint64_t count;
    const struct flux_slot *slots = flux_schedule_slots(world->schedule, &count);
    need(flux_replan(world->graph, world->fabric, slots, count, &world->options, &replan, &error), &error);
    flux_replan_summary(replan, &summary);
    printf("{\"case\": \"%s\", \"sends\": %" PRIu64 ", \"left\": %" PRIu64 ", \"planned_us\": %.3f, \"shifted_us\": %.3f, "
           "\"makespan_us\": %.3f, \"bound_us\": %.3f, \"gain_percent\": %.3f, \"gain_of_delay_percent\": %.2f, "
           "\"found\": %u, \"constructions\": %" PRIu64 ", \"ms\": %.2f}\n",
           what, count, summary.left, (double)flux_schedule_makespan(world->schedule) / 1e6,
           (double)summary.shifted / 1e6, (double)summary.makespan / 1e6, (double)summary.bound / 1e6,
           100.0 * (double)(summary.shifted - summary.makespan) / (double)summary.shifted,
           summary.shifted > flux_schedule_makespan(world->schedule)
               ? 100.0 * (double)(summary.shifted - summary.makespan) /
                     (double)(summary.shifted - flux_schedule_makespan(world->schedule))
               : 0.0,
           summary.found, summary.constructions, (double)summary.elapsed_ns / 1e6);
    flux_replan_free(replan);
}

/* What GPU 0 still has to compute in the next tenth of the iteration takes twice its time. */
static void late_gpu(struct world *world, uint64_t limit)
{
    const struct flux_time *planned = flux_schedule_times(world->schedule, NULL);
    stand_half_way(world, limit);
    int64_t until = world->options.now + flux_schedule_makespan(world->schedule) / 10;
    uint32_t n = flux_graph_vertices(world->graph);
    int64_t *before = calloc(n, sizeof *before);
    for (uint32_t v = 0; before && v < n; v++) {
        struct flux_compute compute;
        if (flux_graph_get_compute(world->graph, v, &compute) || compute.gpu != 0 ||
            planned[v].start < world->options.now || planned[v].start >= until)
            continue;
        before[v] = compute.duration;
        flux_graph_set_duration(world->graph, v, 2 * compute.duration);
    }
    tell(world, "late GPU");
    for (uint32_t v = 0; before && v < n; v++)
        if (before[v])
            flux_graph_set_duration(world->graph, v, before[v]);
    free(before);
}

/* GPU 0 loses its port on switch 0: what is under way there is sent again. */
static void dead_port(struct world *world, uint64_t limit)
{
    uint64_t count;
    const struct flux_slot *slots = flux_schedule_slots(world->schedule, &count);
    stand_half_way(world, limit);
    flux_fabric_set_dead(world->fabric, 0, 0, 1);
    for (uint64_t i = 0; i < count; i++) {
        struct flux_send send;
        flux_graph_get_send(world->graph, slots[i].send, &send);
        if (slots[i].switch_index == 0 && (send.src == 0 || send.dst == 0) && slots[i].end > world->options.now)
            world->times[slots[i].send] = (struct flux_time){-1, -1};
    }
    tell(world, "dead port");
    flux_fabric_set_dead(world->fabric, 0, 0, 0);
}

int main(int argc, char **argv)
{
    struct world world;
    struct flux_import_options import_options = FLUX_IMPORT_OPTIONS_INIT;
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_import *import;
    struct flux_error error = {.code = 0};
    uint64_t rows;
    if (argc < 2)
        return 2;
    import_options.scale_num = 2;
    import_options.scale_den = 1;
    need(flux_import(NULL, argv[1], &import_options, &import, &error), &error);
    world.graph = flux_import_take_graph(import);
    need(flux_fabric_new(NULL, flux_graph_gpus(world.graph), (uint32_t)argument(argc, argv, 3, 2), &world.fabric), &error);
    flux_fabric_set_delay(world.fabric, FLUX_ALL_SWITCHES, (int64_t)argument(argc, argv, 2, 10000000));
    options.exact = FLUX_EXACT_NEVER;
    need(flux_schedule(world.graph, world.fabric, &options, &world.schedule, &error), &error);
    flux_schedule_circuits(world.schedule, &rows);
    world.times = calloc(flux_graph_vertices(world.graph), sizeof *world.times);
    world.circuits = calloc(rows + 1, sizeof *world.circuits);
    if (!world.times || !world.circuits)
        return 1;
    late_gpu(&world, argument(argc, argv, 4, 0));
    dead_port(&world, argument(argc, argv, 4, 0));
    free(world.circuits);
    free(world.times);
    flux_schedule_free(world.schedule);
    flux_fabric_free(world.fabric);
    flux_graph_free(world.graph);
    flux_import_free(import);
    return 0;
}
