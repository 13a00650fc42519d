/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_schedule SENDS [GPUS SWITCHES DELAY_PS RULE] - from nothing to a checked schedule, in one process: a JSON line
 * with the seconds of each stage and the peak memory. One thread, by the clock of the processor: other work on the
 * machine hardly matters.
 */
#include <inttypes.h>
#include <libflux/flux.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "../support/rings.h"

#define RING 8u

static uint64_t cpu_ns(void *user)
{
    struct timespec now;
    (void)user;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static double seconds(void)
{
    return (double)cpu_ns(NULL) * 1e-9;
}

static uint64_t argument(int argc, char **argv, int at, uint64_t otherwise)
{
    return argc > at ? strtoull(argv[at], NULL, 10) : otherwise;
}

static void need(int rc, const struct flux_error *error)
{
    if (rc) {
        fprintf(stderr, "bench_schedule: %s: %s\n", flux_error_name(rc), error->text);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    uint64_t wanted = argument(argc, argv, 1, 1000000), gpus = argument(argc, argv, 2, 1024);
    uint64_t switches = argument(argc, argv, 3, 2), delay = argument(argc, argv, 4, 10 * FLUX_US);
    struct flux_error error = {.code = 0};
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_schedule *schedule;
    struct flux_statistics times = FLUX_STATISTICS_INIT;
    struct rusage usage;
    struct flux_env env = FLUX_ENV_INIT;

    env.now_ns = cpu_ns;
    double begin = seconds();
    need(flux_graph_new(&env, (uint32_t)gpus, &graph), &error);
    uint64_t sends = rings_generate(graph, RING, wanted);
    need(sends ? 0 : FLUX_E_ARGUMENT, &error);
    double loaded = seconds();
    need(flux_fabric_new(&env, (uint32_t)gpus, (uint32_t)switches, &fabric), &error);
    need(flux_fabric_set_delay(fabric, FLUX_ALL_SWITCHES, (int64_t)delay), &error);
    need(flux_fabric_set_rule(fabric, (uint32_t)argument(argc, argv, 5, FLUX_RULE_PAPER)), &error);
    struct flux_options options = FLUX_OPTIONS_INIT;
    options.time_limit_ns = 1; /* what one construction gives */
    options.exact = FLUX_EXACT_NEVER;
    need(flux_schedule(graph, fabric, &options, &schedule, &error), &error);
    double done = seconds();
    need(flux_schedule_statistics(schedule, &times), &error);
    getrusage(RUSAGE_SELF, &usage);
    int64_t makespan = flux_schedule_makespan(schedule), bound = flux_schedule_bound(schedule);
    printf("{\"bench\": \"schedule\", \"sends\": %" PRIu64 ", \"gpus\": %" PRIu64 ", \"switches\": %" PRIu64
           ", \"delay_ps\": %" PRIu64 ", \"load_s\": %.4f, \"build_s\": %.4f, \"bound_s\": %.4f, \"construct_s\": %.4f"
           ", \"check_s\": %.4f, \"total_s\": %.4f, \"peak_mib\": %ld, \"makespan_ps\": %" PRId64
           ", \"bound_ps\": %" PRId64 ", \"gap\": %.6f}\n",
           sends, gpus, switches, delay, loaded - begin, (double)times.build_ns * 1e-9, (double)times.bound_ns * 1e-9,
           (double)times.construct_ns * 1e-9, (double)times.check_ns * 1e-9, done - begin, usage.ru_maxrss / 1024,
           makespan, bound, (double)(makespan - bound) / (double)bound);
    flux_schedule_free(schedule);
    flux_graph_free(graph);
    flux_fabric_free(fabric);
    return 0;
}
