/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_check.c - how long the check of a schedule takes.
 *
 * bench_check [SENDS [GPUS]]: ring all-reduces inside groups of 8 GPUs, with compute between them and rings that take
 * turns in who is whose neighbour, so that circuits change; and a schedule of them, written down as it is generated.
 * GPUS is a multiple of 8. Prints one line of JSON: `seconds` on a plain fabric, `staged_seconds` where the switches go
 * dark as a whole and have a dwell, `object_seconds` for a schedule object without a bound; each the best of several
 * runs.
 */
#include "schedule/allocator.h"
#include "schedule/schedule.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define RING 8u
#define STEPS (2 * (RING - 1))
#define BYTES (1u << 20)
#define DELAY (10 * FLUX_US)
#define COMPUTE (100 * FLUX_US)

struct workload {
    uint32_t gpus;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_slot *slots;
    uint64_t sends;
    uint32_t *last; /* by GPU: the vertex that what happens there next must wait for; FLUX_NONE: none */
    int64_t now;
};

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "bench_check: %s: %s\n", what, why);
    exit(1);
}

static void need(int rc, const char *what)
{
    if (rc)
        fail(what, flux_error_name(rc));
}

static void wait_for(struct workload *work, uint32_t from, uint32_t to)
{
    if (from != FLUX_NONE)
        need(flux_graph_add_edge(work->graph, from, to, 0), "edge");
}

/* Every GPU sends to the one `stride` places on in its ring, those with an even place on switch 0. */
static void step(struct workload *work, uint32_t stride, uint32_t *received)
{
    int64_t duration;
    need(flux_fabric_duration(work->fabric, 0, 0, 1, BYTES, &duration), "duration");
    for (uint32_t g = 0; g < work->gpus; g++) {
        uint32_t to = g / RING * RING + (g + stride) % RING, v;
        need(flux_graph_add_send(work->graph, g, to, BYTES, &v), "send");
        wait_for(work, work->last[g], v);
        work->slots[work->sends++] = (struct flux_slot){v, g % 2, work->now, work->now + duration};
        received[to] = v;
    }
    for (uint32_t g = 0; g < work->gpus; g++)
        work->last[g] = received[g];
    work->now += duration;
}

static void generate(struct workload *work, uint64_t sends)
{
    static const uint32_t strides[] = {1, 3, 5, 7};
    uint32_t *received = malloc(sizeof *received * work->gpus);
    work->slots = malloc(sizeof *work->slots * (sends + (uint64_t)work->gpus * STEPS));
    work->last = malloc(sizeof *work->last * work->gpus);
    if (!received || !work->slots || !work->last)
        fail("memory", "none");
    for (uint32_t g = 0; g < work->gpus; g++)
        work->last[g] = FLUX_NONE;
    for (uint32_t layer = 0; work->sends < sends; layer++) {
        for (uint32_t g = 0; g < work->gpus; g++) {
            uint32_t v;
            need(flux_graph_add_compute(work->graph, g, COMPUTE, &v), "compute");
            wait_for(work, work->last[g], v);
            work->last[g] = v;
        }
        work->now += COMPUTE;
        for (uint32_t i = 0; i < STEPS; i++)
            step(work, strides[layer % 4], received);
    }
    free(received);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The best of several runs of flux_check(), or of making the object. */
static double measure(const struct workload *work, int object)
{
    struct flux_error error;
    double best = 1e9, begin = seconds();
    for (int run = 0; run < 3 || (run < 100 && seconds() - begin < 0.3); run++) {
        struct flux_schedule *schedule = NULL;
        double from = seconds();
        int rc = object ? flux_schedule_make(work->graph, work->fabric, work->slots, work->sends, NULL,
                                             flux_allocator_of(work->graph), &schedule, &error)
                        : flux_check(work->graph, work->fabric, work->slots, work->sends, NULL, &error);
        double took = seconds() - from;
        if (rc)
            fail("not a schedule", error.text);
        best = took < best ? took : best;
        flux_schedule_free(schedule);
    }
    return best;
}

int main(int argc, char **argv)
{
    uint64_t sends = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    uint64_t gpus = argc > 2 ? strtoull(argv[2], NULL, 10) : 1024;
    struct workload work = {.gpus = (uint32_t)gpus};
    struct rusage usage;
    uint64_t edges;
    if (sends == 0 || gpus == 0 || gpus % RING || gpus > FLUX_GPUS_MAX)
        fail("arguments", "SENDS at least 1, GPUS a multiple of 8");
    need(flux_graph_new(NULL, work.gpus, &work.graph), "graph");
    need(flux_fabric_new(NULL, work.gpus, 2, &work.fabric), "fabric");
    need(flux_fabric_set_delay(work.fabric, FLUX_ALL_SWITCHES, DELAY), "delay");
    generate(&work, sends);
    double plain = measure(&work, 0), object = measure(&work, 1);
    need(flux_fabric_set_blocking(work.fabric, FLUX_ALL_SWITCHES, FLUX_BLOCKING_SWITCH), "blocking");
    need(flux_fabric_set_dwell(work.fabric, FLUX_ALL_SWITCHES, DELAY), "dwell");
    double staged = measure(&work, 0);
    flux_graph_edges(work.graph, &edges);
    getrusage(RUSAGE_SELF, &usage);
    printf("{\"bench\": \"check\", \"sends\": %" PRIu64 ", \"vertices\": %" PRIu32 ", \"edges\": %" PRIu64
           ", \"gpus\": %" PRIu64 ", \"seconds\": %.6f, \"staged_seconds\": %.6f, \"object_seconds\": %.6f"
           ", \"peak_bytes\": %" PRIu64 "}\n",
           work.sends, flux_graph_vertices(work.graph), edges, gpus, plain, staged, object,
           (uint64_t)usage.ru_maxrss * 1024);
    free(work.slots);
    free(work.last);
    flux_graph_free(work.graph);
    flux_fabric_free(work.fabric);
    return 0;
}
