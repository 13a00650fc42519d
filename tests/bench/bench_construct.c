/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_construct.c - how long each rule takes to construct, and how far it stays from the bound.
 *
 * bench_construct [KIND [SENDS [GPUS [SWITCHES [DELAY_PS [CIRCUIT_RULE]]]]]]
 *
 * KIND is one of
 *   rings   an iteration like a transformer's: ring all-reduces in groups of up to 8 GPUs with compute between them,
 * and from half of it on, rings across the groups, which overlap the rest free    sends between random GPUs, all of
 * different lengths, nothing before anything all     all-to-alls in groups of up to 8 GPUs with compute between them
 * One line of JSON per size; without SENDS several sizes. Seconds are the best of several runs.
 */
#include "base/random.h"
#include "bound/bound.h"
#include "search/construct.h"

#include <inttypes.h>
#include <libflux/flux.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define GROUP_MOST 8u
#define RULES (FLUX_SEARCH_BACKWARD - FLUX_SEARCH_LATEST_START + 1)

struct workload {
    uint64_t wanted;
    uint32_t gpus;
    uint32_t group; /* GPUs of a group */
    struct flux_graph *graph;
    uint32_t *join; /* by GPU: what it waits for next, FLUX_NONE: nothing */
};

static void need(int rc, const char *what)
{
    if (rc) {
        fprintf(stderr, "bench_construct: %s: %s\n", what, flux_error_name(rc));
        exit(1);
    }
}

static uint32_t send_after(struct workload *work, uint32_t src, uint32_t dst, uint64_t bytes, uint32_t a, uint32_t b)
{
    uint32_t v;
    need(flux_graph_add_send(work->graph, src, dst, bytes, &v), "send");
    if (a != FLUX_NONE)
        need(flux_graph_add_edge(work->graph, a, v, 0), "edge");
    if (b != FLUX_NONE && b != a)
        need(flux_graph_add_edge(work->graph, b, v, 0), "edge");
    return v;
}

static void compute(struct workload *work, uint32_t gpu, int64_t time)
{
    uint32_t v;
    need(flux_graph_add_compute(work->graph, gpu, time, &v), "compute");
    if (work->join[gpu] != FLUX_NONE)
        need(flux_graph_add_edge(work->graph, work->join[gpu], v, 0), "edge");
    work->join[gpu] = v;
}

/* Over GPUs first, first + stride, ...: every round passes a piece on to the next. `holds`: the GPUs go on after it. */
static void ring(struct workload *work, uint32_t first, uint32_t stride, uint32_t size, uint64_t bytes, int holds)
{
    uint32_t before[GROUP_MOST], now[GROUP_MOST];
    for (uint32_t i = 0; i < size; i++)
        before[i] = work->join[first + i * stride];
    for (uint32_t round = 0; round < 2 * (size - 1); round++) {
        for (uint32_t i = 0; i < size; i++)
            now[i] = send_after(work, first + i * stride, first + (i + 1) % size * stride, bytes / size, before[i],
                                round ? before[(i + size - 1) % size] : FLUX_NONE);
        memcpy(before, now, sizeof before);
    }
    for (uint32_t i = 0; holds && i < size; i++) {
        uint32_t gpu = first + i * stride, v;
        need(flux_graph_add_compute(work->graph, gpu, 0, &v), "join");
        need(flux_graph_add_edge(work->graph, before[i], v, 0), "edge");
        need(flux_graph_add_edge(work->graph, before[(i + size - 1) % size], v, 0), "edge");
        work->join[gpu] = v;
    }
}

static void all_to_all(struct workload *work, uint32_t first, uint32_t size, uint64_t bytes)
{
    uint32_t join[GROUP_MOST];
    for (uint32_t i = 0; i < size; i++)
        need(flux_graph_add_compute(work->graph, first + i, 0, &join[i]), "join");
    for (uint32_t step = 1; step < size; step++)
        for (uint32_t i = 0; i < size; i++) {
            uint32_t to = (i + step) % size;
            uint32_t v = send_after(work, first + i, first + to, bytes / size, work->join[first + i], FLUX_NONE);
            need(flux_graph_add_edge(work->graph, v, join[i], 0), "edge");
            need(flux_graph_add_edge(work->graph, v, join[to], 0), "edge");
        }
    for (uint32_t i = 0; i < size; i++)
        work->join[first + i] = join[i];
}

static void generate_layers(struct workload *work, int all)
{
    uint32_t groups = work->gpus / work->group;
    for (uint32_t layer = 0; flux_graph_sends(work->graph) < work->wanted; layer++) {
        int backward = flux_graph_sends(work->graph) >= work->wanted / 2;
        for (uint32_t g = 0; g < work->gpus; g++)
            compute(work, g, (300 + 150 * (layer & 1)) * (backward ? 2 : 1) * FLUX_US);
        for (uint32_t group = 0; group < groups; group++) {
            if (all)
                all_to_all(work, group * work->group, work->group, 16 << 20);
            else
                ring(work, group * work->group, 1, work->group, 16 << 20, 1);
        }
        /* Gradients, among as many groups as a ring has room for. */
        for (uint32_t block = 0; backward && layer & 1 && block + 1 < groups; block += GROUP_MOST) {
            uint32_t size = groups - block < GROUP_MOST ? groups - block : GROUP_MOST;
            for (uint32_t i = 0; size > 1 && i < work->group; i++)
                ring(work, block * work->group + i, work->group, size, 100 << 20, 0);
        }
    }
}

static void generate_free(struct workload *work)
{
    struct flux_random dice = {1};
    for (uint64_t i = 0; i < work->wanted; i++) {
        uint32_t src = flux_random_below(&dice, work->gpus);
        uint32_t dst = (src + 1 + flux_random_below(&dice, work->gpus - 1)) % work->gpus;
        send_after(work, src, dst, 1 + flux_random_below(&dice, 16 << 20), FLUX_NONE, FLUX_NONE);
    }
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double fastest(const struct flux_problem *problem, uint32_t rule, struct flux_plan *plan)
{
    double least = 1e9, begin = seconds();
    for (int run = 0; run < 1 || (run < 100 && seconds() - begin < 0.3); run++) {
        double from = seconds();
        need(flux_construct(problem, rule, 0, plan), flux_search_name(rule));
        double spent = seconds() - from;
        least = spent < least ? spent : least;
    }
    return least;
}

static void measure(const struct flux_problem *problem, const char *kind)
{
    struct flux_arena arena;
    struct flux_plan plan;
    struct flux_bound_value value;
    struct rusage usage;
    double from = seconds();
    need(flux_bound_find(problem, &value), "bound");
    double bound_s = seconds() - from;
    flux_arena_init(&arena, problem->arena.memory);
    need(flux_plan_alloc(&plan, problem, &arena), "plan");
    getrusage(RUSAGE_SELF, &usage);
    printf("{\"bench\": \"construct\", \"kind\": \"%s\", \"sends\": %" PRIu32 ", \"nodes\": %" PRIu32
           ", \"gpus\": %" PRIu32 ", \"switches\": %" PRIu32 ", \"rule\": %" PRIu32 ", \"delay_ps\": %" PRId64
           ", \"bound_ps\": %" PRId64 ", \"bound_s\": %.6f, \"before_MB\": %.1f",
           kind, problem->sends, problem->nodes, problem->gpus, problem->switches, problem->rule, problem->delay[0],
           value.bound, bound_s, (double)usage.ru_maxrss / 1024);
    for (uint32_t rule = FLUX_SEARCH_LATEST_START; rule <= FLUX_SEARCH_BACKWARD; rule++) {
        double spent = fastest(problem, rule, &plan);
        printf(", \"%s\": {\"s\": %.6f, \"makespan_ps\": %" PRId64 ", \"over_bound\": %.6f}", flux_search_name(rule),
               spent, plan.makespan, (double)plan.makespan / (double)value.bound);
        fflush(stdout);
    }
    getrusage(RUSAGE_SELF, &usage);
    printf(", \"peak_MB\": %.1f}\n", (double)usage.ru_maxrss / 1024);
    flux_arena_free(&arena);
}

static void bench(const char *kind, uint64_t sends, uint32_t gpus, uint32_t switches, int64_t delay, uint32_t rule)
{
    struct workload work = {.wanted = sends, .gpus = gpus, .group = gpus < 2 * GROUP_MOST ? gpus / 2 : GROUP_MOST};
    struct flux_fabric *fabric;
    struct flux_memory memory;
    struct flux_problem *problem;
    work.join = malloc(gpus * sizeof *work.join);
    need(work.join ? FLUX_OK : FLUX_E_MEMORY, "memory");
    memset(work.join, 0xff, gpus * sizeof *work.join);
    need(flux_memory_init(&memory, NULL), "memory");
    need(flux_graph_new(NULL, gpus, &work.graph), "graph");
    need(flux_fabric_new(NULL, gpus, switches, &fabric), "fabric");
    need(flux_fabric_set_delay(fabric, FLUX_ALL_SWITCHES, delay), "delay");
    need(flux_fabric_set_rule(fabric, rule), "rule");
    if (!strcmp(kind, "free"))
        generate_free(&work);
    else
        generate_layers(&work, !strcmp(kind, "all"));
    need(flux_problem_build(work.graph, fabric, &memory, &problem, NULL), "problem");
    flux_graph_free(work.graph);
    flux_fabric_free(fabric);
    free(work.join);
    measure(problem, kind);
    flux_problem_free(problem);
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "rings";
    uint64_t number[5] = {0, 8, 2, 10 * FLUX_US, FLUX_RULE_PAPER};
    for (int i = 2; i < argc && i < 7; i++)
        number[i - 2] = strtoull(argv[i], NULL, 10);
    if ((strcmp(kind, "rings") && strcmp(kind, "free") && strcmp(kind, "all")) || number[1] < 4 ||
        number[1] > FLUX_GPUS_MAX || (number[1] >= 2 * GROUP_MOST && number[1] % GROUP_MOST) || number[1] % 2) {
        fprintf(stderr, "bench_construct [rings|free|all [SENDS [GPUS [SWITCHES [DELAY_PS [RULE]]]]]]; "
                        "GPUS even, above 16 a multiple of 8\n");
        return 2;
    }
    if (number[0]) {
        bench(kind, number[0], (uint32_t)number[1], (uint32_t)number[2], (int64_t)number[3], (uint32_t)number[4]);
        return 0;
    }
    bench(kind, 3328, 8, 2, 10 * FLUX_US, FLUX_RULE_PAPER);
    bench(kind, 10000, 64, 2, 10 * FLUX_US, FLUX_RULE_PAPER);
    bench(kind, 100000, 256, 2, 10 * FLUX_US, FLUX_RULE_PAPER);
    bench(kind, 1000000, 1024, 2, 10 * FLUX_US, FLUX_RULE_PAPER);
    return 0;
}
