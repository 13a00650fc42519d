/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_cycle SENDS [GPUS SWITCHES DELAY_PS] - the same workload on rotors, direct and over third GPUs, and on packet
 * switches: a JSON line per kind with the seconds to make the replay and of one run, and what it took in memory.
 */
#include <inttypes.h>
#include <libflux/flux.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "../support/rings.h"

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static uint64_t argument(int argc, char **argv, int at, uint64_t otherwise)
{
    return argc > at ? strtoull(argv[at], NULL, 10) : otherwise;
}

static void need(int rc, const struct flux_error *error)
{
    if (rc) {
        fprintf(stderr, "bench_cycle: %s: %s\n", flux_error_name(rc), error->text);
        exit(1);
    }
}

static int make(uint32_t kind, const struct flux_graph *graph, const struct flux_fabric *fabric,
                struct flux_replay **replay, struct flux_error *error)
{
    struct flux_rotor_options options = FLUX_ROTOR_OPTIONS_INIT;
    options.routing = kind == 1 ? FLUX_ROTOR_VLB : FLUX_ROTOR_DIRECT;
    return kind == 2 ? flux_replay_new_packet(graph, fabric, NULL, replay, error)
                     : flux_replay_new_rotor(graph, fabric, &options, replay, error);
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"rotor-direct", "rotor-vlb", "packet"};
    uint64_t wanted = argument(argc, argv, 1, 100000), gpus = argument(argc, argv, 2, 64), parts;
    uint64_t switches = argument(argc, argv, 3, 2), delay = argument(argc, argv, 4, 10 * FLUX_US);
    struct flux_error error = {.code = 0};
    struct flux_graph *graph;
    struct flux_fabric *fabric;

    need(flux_graph_new(NULL, (uint32_t)gpus, &graph), &error);
    uint64_t sends = rings_generate(graph, 8, wanted);
    need(sends ? 0 : FLUX_E_ARGUMENT, &error);
    need(flux_fabric_new(NULL, (uint32_t)gpus, (uint32_t)switches, &fabric), &error);
    need(flux_fabric_set_delay(fabric, FLUX_ALL_SWITCHES, (int64_t)delay), &error);
    for (uint32_t kind = 0; kind < 3; kind++) {
        struct flux_replay_summary summary = FLUX_REPLAY_SUMMARY_INIT;
        struct flux_replay *replay;
        struct rusage after;
        double begin = seconds();
        need(make(kind, graph, fabric, &replay, &error), &error);
        double made = seconds();
        need(flux_replay_run(replay, NULL, &error), &error);
        double ran = seconds();
        getrusage(RUSAGE_SELF, &after);
        need(flux_replay_summary(replay, &summary), &error);
        (void)flux_replay_parts(replay, &parts);
        printf("{\"bench\": \"cycle\", \"kind\": \"%s\", \"sends\": %" PRIu64 ", \"gpus\": %" PRIu64
               ", \"switches\": %" PRIu64 ", \"delay_ps\": %" PRIu64 ", \"new_s\": %.4f, \"run_s\": %.4f"
               ", \"parts\": %" PRIu64 ", \"iteration_ps\": %" PRId64 ", \"peak_mib\": %ld}\n",
               names[kind], sends, gpus, switches, delay, made - begin, ran - made, parts, summary.iteration,
               after.ru_maxrss / 1024);
        fflush(stdout);
        flux_replay_free(replay);
    }
    flux_graph_free(graph);
    flux_fabric_free(fabric);
    return 0;
}
