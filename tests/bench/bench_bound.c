/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_bound.c - how long building a problem and bounding it take.
 *
 * bench_bound [SENDS [GPUS [RULE [SWITCHES [DELAY_PS [RING]]]]]]: ring all-reduces over groups of RING GPUs (2 to 8)
 * with compute between them; every fourth one runs over GPUs of equal rank in different groups and overlaps what
 * follows. Prints one line of JSON; seconds are the best of several runs.
 */
#include "bound/bound.h"

#include <inttypes.h>
#include <libflux/flux.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define RING_MOST 8u

struct workload {
    uint32_t gpus;
    uint32_t ring;
    uint64_t sends;
    struct flux_graph *graph;
    uint32_t *last; /* by GPU: the send it received last in its own group, FLUX_NONE: none */
};

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "bench_bound: %s: %s\n", what, why);
    exit(1);
}

static void need(int rc, const char *what)
{
    if (rc)
        fail(what, flux_error_name(rc));
}

static uint32_t send_chunk(struct workload *work, uint32_t src, uint32_t dst, uint64_t bytes)
{
    uint32_t vertex;
    need(flux_graph_add_send(work->graph, src, dst, bytes, &vertex), "send");
    work->sends++;
    return vertex;
}

/* One ring all-reduce among `size` GPUs `first`, `first` + `stride`, ...; it starts after `compute`. */
static void all_reduce(struct workload *work, uint32_t first, uint32_t stride, uint32_t size, uint64_t bytes,
                       int64_t compute, int blocks)
{
    uint32_t received[RING_MOST], now[RING_MOST];
    for (uint32_t i = 0; i < size; i++)
        received[i] = work->last[first + i * stride];
    for (uint32_t step = 0; step < 2 * (size - 1); step++) {
        for (uint32_t i = 0; i < size; i++) {
            uint32_t to = (i + 1) % size;
            now[to] = send_chunk(work, first + i * stride, first + to * stride, bytes / size);
            if (received[i] != FLUX_NONE)
                need(flux_graph_add_edge(work->graph, received[i], now[to], step ? 0 : compute), "edge");
        }
        for (uint32_t i = 0; i < size; i++)
            received[i] = now[i];
    }
    for (uint32_t i = 0; blocks && i < size; i++)
        work->last[first + i * stride] = received[i];
}

static void generate(struct workload *work, uint64_t sends)
{
    uint32_t size = work->ring, groups = work->gpus / size;
    for (uint32_t g = 0; g < work->gpus; g++)
        work->last[g] = FLUX_NONE;
    for (uint32_t layer = 0; work->sends < sends; layer++) {
        if (layer % 4 == 3 && groups > 1) {
            for (uint32_t block = 0; block < groups && work->sends < sends; block += size) {
                uint32_t among = groups - block < size ? groups - block : size;
                for (uint32_t rank = 0; among > 1 && rank < size && work->sends < sends; rank++)
                    all_reduce(work, block * size + rank, size, among, 100 << 20, 200 * FLUX_US, 0);
            }
            continue;
        }
        for (uint32_t group = 0; group < groups && work->sends < sends; group++)
            all_reduce(work, group * size, 1, size, 16 << 20, (200 + 10 * (layer % 7)) * FLUX_US, 1);
    }
}

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

int main(int argc, char **argv)
{
    uint64_t sends = argument(argc, argv, 1, 3328), gpus = argument(argc, argv, 2, 8);
    uint32_t rule = (uint32_t)argument(argc, argv, 3, FLUX_RULE_PAPER);
    uint32_t switches = (uint32_t)argument(argc, argv, 4, 2);
    int64_t delay = (int64_t)argument(argc, argv, 5, 10 * FLUX_US);
    uint64_t ring = argument(argc, argv, 6, gpus < RING_MOST ? gpus : RING_MOST);
    if (sends == 0 || gpus > FLUX_GPUS_MAX || ring < 2 || ring > RING_MOST || gpus % ring)
        fail("arguments", "SENDS at least 1, RING 2 to 8, GPUS a multiple of RING");
    struct workload work = {.gpus = (uint32_t)gpus, .ring = (uint32_t)ring};
    struct flux_fabric *fabric;
    struct flux_memory memory;
    work.last = malloc(gpus * sizeof *work.last);
    need(work.last ? FLUX_OK : FLUX_E_MEMORY, "memory");
    need(flux_memory_init(&memory, NULL), "memory");
    need(flux_graph_new(NULL, work.gpus, &work.graph), "graph");
    need(flux_fabric_new(NULL, work.gpus, switches, &fabric), "fabric");
    need(flux_fabric_set_rule(fabric, rule), "rule");
    need(flux_fabric_set_delay(fabric, FLUX_ALL_SWITCHES, delay), "delay");
    generate(&work, sends);

    struct flux_bound_value value = {.bound = 0};
    double build = 1e9, bound = 1e9, begin = seconds();
    for (int run = 0; run < 3 || (run < 100 && seconds() - begin < 0.5); run++) {
        struct flux_problem *problem;
        double from = seconds();
        need(flux_problem_build(work.graph, fabric, &memory, &problem, NULL), "problem");
        double built = seconds();
        need(flux_bound_find(problem, &value), "bound");
        double done = seconds();
        build = built - from < build ? built - from : build;
        bound = done - built < bound ? done - built : bound;
        flux_problem_free(problem);
    }
    printf("{\"bench\": \"bound\", \"sends\": %" PRIu64 ", \"gpus\": %" PRIu64 ", \"rule\": %" PRIu32
           ", \"switches\": %" PRIu32 ", \"delay_ps\": %" PRId64
           ", \"build_s\": %.6f, \"bound_s\": %.6f, \"kind\": \"%s\""
           ", \"bound_ps\": %" PRId64 "}\n",
           work.sends, gpus, rule, switches, delay, build, bound, flux_certificate_kind_name(value.kind), value.bound);
    flux_graph_free(work.graph);
    flux_fabric_free(fabric);
    free(work.last);
    return 0;
}
