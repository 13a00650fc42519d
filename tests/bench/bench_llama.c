/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_llama LAYERS TP DP [DELAY_PS SWITCHES LIMIT_MS] - an iteration as tests/bench/synthetic.py makes it, built in
 * memory, and all that flux_schedule() does with it: a JSON line with the seconds of CPU of each stage and the peak
 * memory. The clock of the run is the processor's, so that other work on the machine hardly matters.
 */
#include <inttypes.h>
#include <libflux/flux.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define HIDDEN INT64_C(4096)
#define FFN INT64_C(14336)
#define KV INT64_C(1024)
#define SEQ INT64_C(2048)
#define NONE UINT32_MAX

static struct flux_graph *graph;
static uint32_t sends;

/* What the next operation of a GPU waits for. */
struct front {
    uint32_t wait[2]; /* sends; NONE */
    int64_t lag;
};

static uint64_t cpu_ns(void *user)
{
    struct timespec now;
    (void)user;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static void need(int rc, const struct flux_error *error)
{
    if (rc) {
        fprintf(stderr, "bench_llama: %s: %s\n", flux_error_name(rc), error ? error->text : "");
        exit(1);
    }
}

static void edge(uint32_t from, uint32_t to, int64_t lag)
{
    if (from != NONE)
        need(flux_graph_add_edge(graph, from, to, lag), NULL);
}

/* The member `i` of a group of `n` is GPU first + i * step. `now` has room for twice the members. */
static void all_reduce(uint32_t first, uint32_t step, uint32_t n, int64_t bytes, const struct front *waits,
                       struct front *after, uint32_t *now)
{
    uint32_t *before = now + n;
    for (uint32_t round = 0; round < 2 * (n - 1); round++) {
        memcpy(before, now, n * sizeof *now);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t gpu = first + i * step, left = (i + n - 1) % n;
            const struct front *wait = &waits[gpu];
            need(flux_graph_add_send(graph, gpu, first + (i + 1) % n * step, (uint64_t)(bytes / n), &now[i]), NULL);
            sends++;
            if (round == 0) {
                if (wait->wait[0] == NONE && wait->lag)
                    need(flux_graph_set_release(graph, now[i], wait->lag), NULL);
                edge(wait->wait[0], now[i], wait->lag);
                edge(wait->wait[1], now[i], wait->lag);
            } else {
                edge(before[left], now[i], 0);
                edge(before[i], now[i], 0);
            }
        }
    }
    for (uint32_t i = 0; after && i < n; i++)
        after[first + i * step] = (struct front){{now[(i + n - 1) % n], now[i]}, 0};
}

static int64_t flops_time(int64_t flops, int64_t tp)
{
    return (int64_t)((double)flops / (double)tp / (312e12 * 0.5) * 1e12 + 0.5);
}

static void build(uint32_t layers, uint32_t tp, uint32_t dp)
{
    int64_t attention_weights = 2 * HIDDEN * HIDDEN + 2 * HIDDEN * KV, mlp_weights = 3 * HIDDEN * FFN;
    int64_t times[2] = {flops_time(2 * SEQ * attention_weights + 4 * SEQ * SEQ * HIDDEN, tp),
                        flops_time(2 * SEQ * mlp_weights, tp)};
    int64_t activation = SEQ * HIDDEN * 2, gradient = (attention_weights + mlp_weights) * 2 / tp;
    uint32_t gpus = tp * dp;
    struct front *front = malloc(gpus * sizeof *front), *gradients = malloc(gpus * sizeof *gradients);
    uint32_t *now = malloc(2 * (uint64_t)gpus * sizeof *now);
    need(front && gradients && now ? 0 : FLUX_E_MEMORY, NULL);
    for (uint32_t g = 0; g < gpus; g++)
        front[g] = (struct front){{NONE, NONE}, 0};
    for (uint32_t step = 0; step < 4 * layers; step++) { /* attention and MLP; then MLP and attention, twice as long */
        int forward = step < 2 * layers;
        for (uint32_t g = 0; g < gpus; g++)
            front[g].lag += forward ? times[step % 2] : 2 * times[!(step % 2)];
        memcpy(gradients, front, gpus * sizeof *front);
        for (uint32_t d = 0; d < dp && tp > 1; d++)
            all_reduce(d * tp, 1, tp, activation, front, front, now);
        for (uint32_t t = 0; t < tp && dp > 1 && !forward && step % 2; t++)
            all_reduce(t, tp, dp, gradient, gradients, NULL, now);
    }
    free(front);
    free(gradients);
    free(now);
}

static uint64_t argument(int argc, char **argv, int at, uint64_t otherwise)
{
    return argc > at ? strtoull(argv[at], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
    uint32_t layers = (uint32_t)argument(argc, argv, 1, 3), tp = (uint32_t)argument(argc, argv, 2, 8);
    uint32_t dp = (uint32_t)argument(argc, argv, 3, 128), switches = (uint32_t)argument(argc, argv, 5, 2);
    int64_t delay = (int64_t)argument(argc, argv, 4, 10 * FLUX_US);
    struct flux_error error = {.code = 0};
    struct flux_env env = FLUX_ENV_INIT;
    struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_statistics times = FLUX_STATISTICS_INIT;
    struct flux_fabric *fabric;
    struct flux_schedule *schedule;
    struct rusage usage;

    env.now_ns = cpu_ns;
    need(flux_graph_new(&env, tp * dp, &graph), &error);
    build(layers, tp, dp);
    need(flux_fabric_new(&env, tp * dp, switches, &fabric), &error);
    need(flux_fabric_set_delay(fabric, FLUX_ALL_SWITCHES, delay), &error);
    options.exact = FLUX_EXACT_NEVER;
    options.time_limit_ns = argument(argc, argv, 6, 0) * UINT64_C(1000000);
    uint64_t begin = cpu_ns(NULL);
    need(flux_schedule(graph, fabric, &options, &schedule, &error), &error);
    uint64_t end = cpu_ns(NULL);
    need(flux_schedule_statistics(schedule, &times), &error);
    getrusage(RUSAGE_SELF, &usage);
    int64_t makespan = flux_schedule_makespan(schedule), bound = flux_schedule_bound(schedule);
    printf("{\"bench\": \"llama\", \"sends\": %" PRIu32 ", \"gpus\": %" PRIu32 ", \"switches\": %" PRIu32
           ", \"delay_ps\": %" PRId64
           ", \"build_s\": %.3f, \"bound_s\": %.3f, \"construct_s\": %.3f, \"improve_s\": %.3f"
           ", \"check_s\": %.3f, \"total_s\": %.3f, \"peak_mib\": %ld, \"makespan_ps\": %" PRId64
           ", \"bound_ps\": %" PRId64 ", \"gap\": %.6f}\n",
           sends, tp * dp, switches, delay, (double)times.build_ns * 1e-9, (double)times.bound_ns * 1e-9,
           (double)times.construct_ns * 1e-9, (double)times.improve_ns * 1e-9, (double)times.check_ns * 1e-9,
           (double)(end - begin) * 1e-9, usage.ru_maxrss / 1024, makespan, bound,
           (double)(makespan - bound) / (double)bound);
    flux_schedule_free(schedule);
    flux_graph_free(graph);
    flux_fabric_free(fabric);
    return 0;
}
