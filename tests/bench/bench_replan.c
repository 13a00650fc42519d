/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_replan FILE [DELAY_PS SWITCHES LIMIT_NS PERCENT] - a schedule of the workload in FILE, and what planning anew
 * after PERCENT of it (50) gains over a right shift: a JSON line each for a GPU that takes twice its time for a tenth
 * of the iteration, a send under way that takes a twentieth of it longer, a dead port, and a dead switch. `-` for FILE:
 * a generated iteration of ring all-reduces with about 10^4 sends.
 */
#include <inttypes.h>
#include <libflux/flux.h>
#include <libflux/io/import.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../support/rings.h"

struct world {
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_schedule *schedule;
    struct flux_time *times;
    struct flux_circuit_state *circuits;
    struct flux_replan_options options;
    uint64_t limit;
    uint64_t percent;
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

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void stand(struct world *world)
{
    const struct flux_replan_options options = FLUX_REPLAN_OPTIONS_INIT;
    struct flux_error error = {.code = 0};
    world->options = options;
    world->options.now = flux_schedule_makespan(world->schedule) / 100 * (int64_t)world->percent;
    need(flux_schedule_state(world->schedule, world->fabric, world->options.now, world->times, world->circuits,
                             &world->options.circuit_count),
         &error);
    world->options.times = world->times;
    world->options.time_count = flux_graph_vertices(world->graph);
    world->options.circuits = world->circuits;
    world->options.time_limit_ns = world->limit;
}

static void tell(struct world *world, const char *what)
{
    struct flux_replan_summary summary = FLUX_REPLAN_SUMMARY_INIT;
    struct flux_replan *replan;
    struct flux_error error = {.code = 0};
    uint64_t count;
    const struct flux_slot *slots = flux_schedule_slots(world->schedule, &count);
    double begin = cpu_seconds();
    need(flux_replan(world->graph, world->fabric, slots, count, &world->options, &replan, &error), &error);
    double cpu = cpu_seconds() - begin;
    flux_replan_summary(replan, &summary);
    int64_t planned = flux_schedule_makespan(world->schedule), lost = summary.shifted - planned;
    printf("{\"bench\": \"replan\", \"case\": \"%s\", \"sends\": %" PRIu64 ", \"left\": %" PRIu64
           ", \"planned_us\": %.3f, \"shifted_us\": %.3f, \"makespan_us\": %.3f, \"bound_us\": %.3f"
           ", \"over_shifted\": %.5f, \"over_bound\": %.5f, \"regained_percent\": %.2f"
           ", \"regainable_percent\": %.2f, \"found\": %u, \"plans\": %" PRIu64 ", \"ms\": %.2f, \"cpu_ms\": %.2f}\n",
           what, count, summary.left, (double)planned / 1e6, (double)summary.shifted / 1e6,
           (double)summary.makespan / 1e6, (double)summary.bound / 1e6,
           (double)summary.makespan / (double)summary.shifted, (double)summary.makespan / (double)summary.bound,
           lost > 0 ? 100.0 * (double)(summary.shifted - summary.makespan) / (double)lost : 0.0,
           lost > 0 ? 100.0 * (double)(summary.shifted - summary.bound) / (double)lost : 0.0, summary.found,
           summary.constructions, (double)summary.elapsed_ns / 1e6, cpu * 1e3);
    fflush(stdout);
    flux_replan_free(replan);
}

/* What GPU 0 still has to compute in the next tenth of the iteration takes twice its time. */
static void late_gpu(struct world *world)
{
    const struct flux_time *planned = flux_schedule_times(world->schedule, NULL);
    stand(world);
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

/* A send that is under way takes a twentieth of the iteration longer than planned. */
static void slow_send(struct world *world)
{
    struct flux_time *slow = NULL;
    stand(world);
    for (uint32_t v = 0; v < flux_graph_vertices(world->graph); v++) {
        struct flux_time *time = &world->times[v];
        if (flux_graph_is_send(world->graph, v) && time->start >= 0 && time->end > world->options.now &&
            (!slow || time->end > slow->end))
            slow = time;
    }
    if (!slow)
        return;
    slow->end += flux_schedule_makespan(world->schedule) / 20;
    tell(world, "slow send");
}

/* GPU 0, or with FLUX_ALL_GPUS every one, loses its port on switch 0: what is under way there is sent again. */
static void dead_ports(struct world *world, uint32_t gpu, const char *what)
{
    uint64_t count;
    const struct flux_slot *slots = flux_schedule_slots(world->schedule, &count);
    uint32_t gpus = flux_graph_gpus(world->graph);
    stand(world);
    for (uint32_t g = 0; g < gpus; g++)
        if (gpu == FLUX_ALL_GPUS || g == gpu)
            flux_fabric_set_dead(world->fabric, g, 0, 1);
    for (uint64_t i = 0; i < count; i++) {
        struct flux_send send;
        flux_graph_get_send(world->graph, slots[i].send, &send);
        if (slots[i].switch_index == 0 && slots[i].end > world->options.now &&
            (gpu == FLUX_ALL_GPUS || send.src == gpu || send.dst == gpu))
            world->times[slots[i].send] = (struct flux_time){-1, -1};
    }
    tell(world, what);
    for (uint32_t g = 0; g < gpus; g++)
        flux_fabric_set_dead(world->fabric, g, 0, 0);
}

static void load(struct world *world, const char *path)
{
    struct flux_import_options options = FLUX_IMPORT_OPTIONS_INIT;
    struct flux_import *import;
    struct flux_error error = {.code = 0};
    if (strcmp(path, "-") == 0) {
        need(flux_graph_new(NULL, 64, &world->graph), &error);
        need(rings_generate(world->graph, 8, 10000) ? 0 : FLUX_E_ARGUMENT, &error);
        return;
    }
    options.scale_num = 2;
    options.scale_den = 1;
    need(flux_import(NULL, path, &options, &import, &error), &error);
    world->graph = flux_import_take_graph(import);
    flux_import_free(import);
}

int main(int argc, char **argv)
{
    struct world world;
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_error error = {.code = 0};
    uint32_t switches = (uint32_t)argument(argc, argv, 3, 2);
    uint64_t rows;
    if (argc < 2)
        return 2;
    load(&world, argv[1]);
    world.limit = argument(argc, argv, 4, 0);
    world.percent = argument(argc, argv, 5, 50);
    need(flux_fabric_new(NULL, flux_graph_gpus(world.graph), switches, &world.fabric), &error);
    flux_fabric_set_delay(world.fabric, FLUX_ALL_SWITCHES, (int64_t)argument(argc, argv, 2, 10000000));
    options.exact = FLUX_EXACT_NEVER;
    options.work_limit = UINT64_C(1) << 21; /* a good plan soon */
    need(flux_schedule(world.graph, world.fabric, &options, &world.schedule, &error), &error);
    flux_schedule_circuits(world.schedule, &rows);
    world.times = calloc(flux_graph_vertices(world.graph), sizeof *world.times);
    world.circuits = calloc(rows + 1, sizeof *world.circuits);
    if (!world.times || !world.circuits)
        return 1;
    late_gpu(&world);
    slow_send(&world);
    dead_ports(&world, 0, "dead port");
    if (switches > 1)
        dead_ports(&world, FLUX_ALL_GPUS, "dead switch");
    free(world.circuits);
    free(world.times);
    flux_schedule_free(world.schedule);
    flux_fabric_free(world.fabric);
    flux_graph_free(world.graph);
    return 0;
}
