/* SPDX-License-Identifier: Apache-2.0
 *
 * Packet fabrics on random workloads: the same times as filling all shares anew at every event, and those shares are
 * max-min fair by the definition: every send has a port that is full and where none has more.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/ticks.h"
#include "base/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef __int128 wide;

struct fluid {
    struct ticks ticks;
    uint64_t capacity[2][RANDOM_GPUS_MAX]; /* of each plane that sends are spread over */
    uint32_t plane[RANDOM_VERTICES_MAX];
    int flows[RANDOM_VERTICES_MAX]; /* 1: under way */
    wide left[RANDOM_VERTICES_MAX];
    uint64_t rate[RANDOM_VERTICES_MAX];
    uint32_t shared; /* events at which a send had less than all of its ports */
};

static uint32_t gpu_of(const struct fluid *fluid, uint32_t v, int in)
{
    return in ? fluid->ticks.problem->vertex[v].dst : fluid->ticks.problem->vertex[v].src;
}

static int meets(const struct fluid *fluid, uint32_t u, uint32_t v, int in)
{
    return fluid->flows[u] && gpu_of(fluid, u, in) == gpu_of(fluid, v, in) && fluid->plane[u] == fluid->plane[v];
}

/* What the port of v, in or out, has for each of its sends without a rate. */
static uint64_t equal_share(const struct fluid *fluid, uint32_t v, int in, const int *done)
{
    uint64_t room = fluid->capacity[in][gpu_of(fluid, v, in)], count = 0;
    for (uint32_t u = 0; u < fluid->ticks.problem->vertices; u++)
        if (meets(fluid, u, v, in)) {
            room -= done[u] ? fluid->rate[u] : 0;
            count += !done[u];
        }
    return room / count;
}

static void fill(struct fluid *fluid)
{
    uint32_t n = fluid->ticks.problem->vertices;
    int done[RANDOM_VERTICES_MAX] = {0};
    for (;;) {
        int now[RANDOM_VERTICES_MAX] = {0}, any = 0;
        uint64_t least = UINT64_MAX;
        for (uint32_t v = 0; v < n; v++)
            for (int in = 0; in < 2 && fluid->flows[v] && !done[v]; in++) {
                uint64_t share = equal_share(fluid, v, in, done);
                least = share < least ? share : least;
            }
        for (uint32_t v = 0; v < n; v++)
            if (fluid->flows[v] && !done[v])
                now[v] = equal_share(fluid, v, 0, done) == least || equal_share(fluid, v, 1, done) == least;
        for (uint32_t v = 0; v < n; v++)
            if (now[v]) {
                fluid->rate[v] = least;
                done[v] = any = 1;
            }
        if (!any)
            return;
    }
}

/* The definition, to the rounding: less than 1 bit/s for each send of a port is left where it is full. */
static void check_fair(struct fluid *fluid)
{
    uint32_t n = fluid->ticks.problem->vertices;
    for (uint32_t v = 0; v < n; v++) {
        int bottleneck = 0;
        for (int in = 0; in < 2 && fluid->flows[v]; in++) {
            wide sum = 0;
            uint64_t most = 0, count = 0;
            for (uint32_t u = 0; u < n; u++)
                if (meets(fluid, u, v, in)) {
                    sum += fluid->rate[u];
                    most = fluid->rate[u] > most ? fluid->rate[u] : most;
                    count++;
                }
            wide room = fluid->capacity[in][gpu_of(fluid, v, in)] - sum;
            assert_true(room >= 0);
            bottleneck |= room < (wide)count && most == fluid->rate[v];
        }
        if (fluid->flows[v] && !bottleneck)
            fail_msg("seed %" PRIu64 ": send %" PRIu32 " has no bottleneck", fluid->ticks.problem->seed, v);
        if (fluid->flows[v] && fluid->rate[v] < fluid->capacity[0][gpu_of(fluid, v, 0)])
            fluid->shared++;
    }
}

static void end_sends(struct fluid *fluid, int64_t at)
{
    for (uint32_t v = 0; v < fluid->ticks.problem->vertices; v++)
        if (fluid->flows[v] && fluid->left[v] <= 0) {
            fluid->flows[v] = 0;
            fluid->ticks.times[v].end = at;
        }
    ticks_propagate(&fluid->ticks);
}

/* From event to event. */
static void flow(struct fluid *fluid)
{
    struct ticks *ticks = &fluid->ticks;
    uint32_t n = ticks->problem->vertices;
    for (int64_t at = -1, next = 0; next != INT64_MAX;) {
        for (uint32_t v = 0; v < n; v++)
            fluid->left[v] -= fluid->flows[v] ? (wide)fluid->rate[v] * (next - at) : 0;
        at = next;
        end_sends(fluid, at);
        for (uint32_t v = 0; v < n; v++)
            if (ticks->problem->vertex[v].send && ticks->ready[v] == at && ticks->times[v].start < 0) {
                ticks->times[v].start = at;
                fluid->flows[v] = 1;
            }
        fill(fluid);
        check_fair(fluid);
        next = INT64_MAX;
        for (uint32_t v = 0; v < n; v++) {
            int64_t then = ticks->ready[v];
            if (fluid->flows[v])
                then = at + (int64_t)((fluid->left[v] + fluid->rate[v] - 1) / fluid->rate[v]);
            else if (!ticks->problem->vertex[v].send || ticks->times[v].start >= 0 || ticks->ready[v] < 0)
                continue;
            next = then < next ? then : next;
        }
    }
}

static uint64_t least_rate(const struct random_problem *problem, const struct random_vertex *send, uint32_t k)
{
    uint64_t a = problem->dead[send->src][k] ? 0 : problem->rate[send->src][k];
    uint64_t b = problem->dead[send->dst][k] ? 0 : problem->rate[send->dst][k];
    return a < b ? a : b;
}

static void begin(struct fluid *fluid, const struct flux_packet_options *how)
{
    const struct random_problem *p = fluid->ticks.problem;
    uint32_t living = how->planes - how->failed;
    ticks_begin(&fluid->ticks);
    for (uint32_t g = 0; g < p->gpus; g++) {
        uint64_t all = 0;
        for (uint32_t k = 0; k < p->switches; k++)
            all += p->dead[g][k] ? 0 : p->rate[g][k];
        fluid->capacity[0][g] = all * (how->spread == FLUX_PACKET_HASH ? 1 : living) / how->planes;
        fluid->capacity[1][g] = fluid->capacity[0][g];
    }
    for (uint32_t v = 0; v < p->vertices; v++) {
        struct flux_random random = {how->seed};
        uint64_t most = 0;
        random.state = flux_random_next(&random) ^ v;
        fluid->plane[v] = how->spread == FLUX_PACKET_HASH ? flux_random_below(&random, living) : 0;
        for (uint32_t k = 0; k < p->switches; k++) {
            uint64_t rate = least_rate(p, &p->vertex[v], k);
            most = rate > most ? rate : most;
        }
        fluid->left[v] =
            p->vertex[v].duration ? (wide)p->vertex[v].duration * most : (wide)p->vertex[v].bytes * 8000000000000;
    }
}

/* Several planes are one of their rate together where sends use all of them. */
static void try_seed(uint64_t seed, const struct random_options *options, uint32_t *shared)
{
    struct random_problem problem;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_replay *replay;
    struct flux_error error = {0};
    struct flux_replay_summary summary = FLUX_REPLAY_SUMMARY_INIT;
    struct flux_packet_options how = FLUX_PACKET_OPTIONS_INIT;
    random_problem(&problem, seed, options);
    how.planes = 1 + (uint32_t)(seed / 2 % 4);
    how.failed = (uint32_t)(seed % how.planes);
    how.spread = seed % 3 ? FLUX_PACKET_SPRAY : FLUX_PACKET_HASH;
    how.seed = seed;
    assert_int_equal(random_problem_build(&problem, NULL, &graph, &fabric), 0);
    if (flux_replay_new_packet(graph, fabric, &how, &replay, &error) || flux_replay_run(replay, NULL, &error)) {
        random_problem_print(&problem);
        fail_msg("seed %" PRIu64 ": %s", seed, error.text);
    }
    struct fluid fluid = {.ticks = {.problem = &problem, .graph = graph, .fabric = fabric}};
    begin(&fluid, &how);
    flow(&fluid);
    const struct flux_time *times = flux_replay_times(replay, NULL);
    if (memcmp(times, fluid.ticks.times, problem.vertices * sizeof *times) != 0) {
        random_problem_print(&problem);
        for (uint32_t v = 0; v < problem.vertices; v++)
            fprintf(stderr, "# v%" PRIu32 ": %" PRId64 " to %" PRId64 ", not %" PRId64 " to %" PRId64 "\n", v,
                    times[v].start, times[v].end, fluid.ticks.times[v].start, fluid.ticks.times[v].end);
        fail_msg("seed %" PRIu64 ": other times than by filling anew", seed);
    }
    uint64_t bytes = 0;
    for (uint32_t v = 0; v < problem.vertices; v++)
        bytes += !problem.vertex[v].send ? 0 : problem.vertex[v].bytes ? problem.vertex[v].bytes : 1;
    assert_int_equal(flux_replay_summary(replay, &summary), 0);
    assert_int_equal(summary.delivered, bytes);
    assert_int_equal(summary.stranded + summary.missed + summary.late + summary.forwarded, 0);
    *shared += fluid.shared > 0;
    flux_replay_free(replay);
    flux_graph_free(graph);
    flux_fabric_free(fabric);
}

static void test_random(void **state)
{
    (void)state;
    uint32_t count = random_problem_count(6000), shared = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct random_options options = {.parameters = i % 2 ? RANDOM_RATES | RANDOM_DEAD | RANDOM_PROPAGATION : 0,
                                         .sends_min = 1,
                                         .sends_max = 8,
                                         .time_max = i / 2 % 2 ? 1000 : 20};
        try_seed(i, &options, &shared);
    }
    printf("# in %" PRIu32 " of %" PRIu32 " runs sends shared ports\n", shared, count);
    assert_true(shared > count / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
