/* SPDX-License-Identifier: Apache-2.0
 *
 * test_bound_windows.c - the search for bounds against trying every window one by one, on random problems of all rules
 * and fabric parameters; the numbers of certificates against their definition; and, on tiny problems, against the best
 * of all schedules.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/wide.h"
#include "bound/bound.h"

#include <libflux/flux.h>
#include <stdlib.h>

#define SENDS_MAX 64
#define RATE UINT64_C(8000000000000) /* one byte per picosecond */

struct shape {
    uint32_t gpus;
    uint32_t switches;
    uint32_t vertices;
    uint32_t rule;
    int64_t scale; /* of all times */
};

static struct flux_random dice;

static uint32_t below(uint32_t n)
{
    return flux_random_below(&dice, n);
}

static int64_t scaled(uint32_t n, const struct shape *shape)
{
    return (int64_t)below(n) * shape->scale;
}

static struct flux_graph *random_graph(const struct shape *shape)
{
    struct flux_graph *graph;
    assert_int_equal(flux_graph_new(NULL, shape->gpus, &graph), 0);
    uint32_t edges = below(3);
    for (uint32_t v = 0; v < shape->vertices; v++) {
        if (below(6) == 0) {
            assert_int_equal(flux_graph_add_compute(graph, below(shape->gpus), scaled(20, shape), NULL), 0);
        } else {
            uint32_t src = below(shape->gpus), dst = (src + 1 + below(shape->gpus - 1)) % shape->gpus;
            assert_int_equal(flux_graph_add_send(graph, src, dst, (1 + below(30)) * (uint64_t)shape->scale, NULL), 0);
            if (below(4) == 0)
                assert_int_equal(flux_graph_set_duration(graph, v, (1 + below(30)) * shape->scale), 0);
        }
        if (below(3) == 0)
            assert_int_equal(flux_graph_set_release(graph, v, scaled(40, shape)), 0);
        for (uint32_t i = 0; v > 0 && i < edges; i++)
            if (below(2))
                assert_int_equal(flux_graph_add_edge(graph, below(v), v, scaled(10, shape)), 0);
    }
    return graph;
}

static struct flux_fabric *random_fabric(const struct shape *shape)
{
    struct flux_fabric *fabric;
    uint32_t g = shape->gpus, s = shape->switches;
    assert_int_equal(flux_fabric_new(NULL, g, s, &fabric), 0);
    assert_int_equal(flux_fabric_set_rule(fabric, shape->rule), 0);
    assert_int_equal(flux_fabric_set_rate(fabric, FLUX_ALL_GPUS, FLUX_ALL_SWITCHES, RATE), 0);
    assert_int_equal(flux_fabric_set_delay(fabric, FLUX_ALL_SWITCHES, scaled(12, shape)), 0);
    if (below(3) == 0)
        for (uint32_t k = 0; k < s; k++)
            assert_int_equal(flux_fabric_set_delay(fabric, k, scaled(12, shape)), 0);
    if (below(4) == 0)
        assert_int_equal(flux_fabric_set_rate(fabric, below(g), below(s), RATE / 2), 0);
    for (uint32_t i = below(4); i > 0 && s > 1; i--)
        assert_int_equal(flux_fabric_set_dead(fabric, below(g), below(s), 1), 0);
    for (uint32_t i = below(4) == 0 ? below(8) : 0; i > 0; i--) {
        uint32_t src = below(g);
        assert_int_equal(flux_fabric_set_forbidden(fabric, below(s), src, (src + 1) % g, 1), 0);
    }
    for (uint32_t i = below(3); i > 0; i--) {
        uint32_t src = below(g);
        assert_int_equal(flux_fabric_add_initial(fabric, below(s), src, (src + 1 + below(g - 1)) % g), 0);
    }
    if (below(3) == 0)
        assert_int_equal(flux_fabric_set_propagation(fabric, FLUX_ALL_GPUS, FLUX_ALL_GPUS, scaled(5, shape)), 0);
    return fabric;
}

/* A problem, or NULL where this graph has none on this fabric. */
static struct flux_problem *random_problem(const struct shape *shape, const struct flux_memory *memory,
                                           struct flux_graph **graph, struct flux_fabric **fabric)
{
    struct flux_problem *problem = NULL;
    *graph = random_graph(shape);
    *fabric = random_fabric(shape);
    int rc = flux_problem_build(*graph, *fabric, memory, &problem, NULL);
    assert_true(rc == 0 || rc == FLUX_E_INFEASIBLE || rc == FLUX_E_MISMATCH || rc == FLUX_E_OVERFLOW);
    return problem;
}

/* ---- every window one by one ---- */

struct window {
    uint32_t gpu;
    uint32_t side;
    uint32_t count;
    uint32_t node[SENDS_MAX];
};

static uint32_t carriers(const struct flux_problem *problem, uint32_t node)
{
    uint32_t set = 0;
    for (uint32_t k = 0; k < problem->switches; k++)
        set |= (uint32_t)(flux_problem_duration(problem, node, k) >= 0) << k;
    return set;
}

static int on_side(const struct flux_problem *problem, uint32_t node, uint32_t gpu, uint32_t side)
{
    if (!flux_problem_is_send(problem, node))
        return 0;
    return (side != FLUX_SIDE_RECEIVE && problem->src[node] == gpu) ||
           (side != FLUX_SIDE_TRANSMIT && problem->dst[node] == gpu);
}

static int same_circuit(const struct flux_problem *problem, uint32_t u, uint32_t v)
{
    return (problem->src[u] == problem->src[v] && problem->dst[u] == problem->dst[v]) ||
           (problem->rule == FLUX_RULE_DUPLEX && problem->src[u] == problem->dst[v] &&
            problem->dst[u] == problem->src[v]);
}

/* Load with setups, and how many links share it. */
static flux_wide window_load(const struct flux_problem *problem, const struct window *window, uint32_t *links)
{
    flux_wide load = 0;
    uint32_t circuits = 0, set = 0;
    for (uint32_t i = 0; i < window->count; i++) {
        uint32_t u = window->node[i], first = 1;
        flux_wide out = 0, in = 0;
        set |= carriers(problem, u);
        for (uint32_t j = 0; j < i; j++)
            first &= !same_circuit(problem, u, window->node[j]);
        if (!first)
            continue;
        circuits++;
        for (uint32_t j = i; j < window->count; j++) {
            uint32_t v = window->node[j];
            if (same_circuit(problem, u, v))
                *(problem->src[v] == window->gpu || problem->rule != FLUX_RULE_DUPLEX ? &out : &in) +=
                    problem->duration[v];
        }
        load += out > in ? out : in;
    }
    int64_t delay = INT64_MAX;
    *links = 0;
    for (uint32_t k = 0; k < problem->switches; k++)
        if (set >> k & 1) {
            (*links)++;
            delay = problem->delay[k] < delay ? problem->delay[k] : delay;
        }
    return load + (circuits > *links ? (flux_wide)(circuits - *links) * delay : 0);
}

static int compare_times(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

static flux_wide smallest(const int64_t *time, const struct window *window, uint32_t count)
{
    int64_t sorted[SENDS_MAX];
    flux_wide sum = 0;
    for (uint32_t i = 0; i < window->count; i++)
        sorted[i] = time[window->node[i]];
    qsort(sorted, window->count, sizeof *sorted, compare_times);
    for (uint32_t i = 0; i < count; i++)
        sum += sorted[i];
    return sum;
}

static flux_wide by_load(const struct flux_problem *problem, const struct window *window, int64_t a, int64_t b)
{
    uint32_t links;
    flux_wide load = window_load(problem, window, &links);
    return window->count ? a + b + flux_ceil_div(load, links) : 0;
}

static flux_wide by_edges(const struct flux_problem *problem, const struct window *window)
{
    uint32_t links;
    flux_wide load = window_load(problem, window, &links);
    if (window->count == 0 || window->count < links)
        return 0;
    return flux_ceil_div(load + smallest(problem->head, window, links) + smallest(problem->tail, window, links), links);
}

struct naive {
    flux_wide path;
    flux_wide load;
    flux_wide edges;        /* of whole GPUs */
    flux_wide window_edges; /* of every window */
};

static void raise(flux_wide *value, flux_wide at_least)
{
    if (*value < at_least)
        *value = at_least;
}

static void try_side(const struct flux_problem *problem, uint32_t gpu, uint32_t side, struct naive *best)
{
    struct window all = {.gpu = gpu, .side = side}, window = all;
    for (uint32_t node = 0; node < problem->nodes; node++)
        if (on_side(problem, node, gpu, side))
            all.node[all.count++] = node;
    for (uint32_t set = 1; set < 1u << problem->switches; set++) {
        for (uint32_t i = 0; i < all.count; i++)
            for (uint32_t j = 0; j < all.count; j++) {
                int64_t a = problem->head[all.node[i]], b = problem->tail[all.node[j]];
                window.count = 0;
                for (uint32_t l = 0; l < all.count; l++) {
                    uint32_t node = all.node[l];
                    if (problem->head[node] >= a && problem->tail[node] >= b && !(carriers(problem, node) & ~set))
                        window.node[window.count++] = node;
                }
                raise(&best->load, by_load(problem, &window, a, b));
                raise(&best->window_edges, by_edges(problem, &window));
            }
        window.count = 0;
        for (uint32_t l = 0; l < all.count; l++)
            if (!(carriers(problem, all.node[l]) & ~set))
                window.node[window.count++] = all.node[l];
        raise(&best->edges, by_edges(problem, &window));
    }
}

static struct naive try_all(const struct flux_problem *problem)
{
    struct naive best = {.path = problem->floor};
    for (uint32_t v = 0; v < problem->nodes; v++)
        raise(&best.path, (flux_wide)problem->head[v] + problem->duration[v] + problem->tail[v]);
    for (uint32_t gpu = 0; gpu < problem->gpus; gpu++) {
        if (problem->rule != FLUX_RULE_SIMPLEX) {
            try_side(problem, gpu, FLUX_SIDE_BOTH, &best);
            continue;
        }
        try_side(problem, gpu, FLUX_SIDE_TRANSMIT, &best);
        try_side(problem, gpu, FLUX_SIDE_RECEIVE, &best);
    }
    return best;
}

static flux_wide largest(flux_wide a, flux_wide b)
{
    return a > b ? a : b;
}

/* The certificate's number from its own vertices, here and by the library's check. */
static void check_certificate(const struct flux_problem *problem, const struct flux_bound_value *value,
                              const struct flux_memory *memory, const struct flux_graph *graph,
                              const struct flux_fabric *fabric)
{
    struct flux_certificate *certificate;
    int64_t recomputed;
    assert_int_equal(flux_certificate_make(problem, value, memory, &certificate), 0);
    uint64_t count;
    const uint32_t *vertices = flux_certificate_vertices(certificate, &count);
    struct window window = {.gpu = flux_certificate_gpu(certificate), .side = flux_certificate_side(certificate)};
    int64_t a = flux_certificate_head(certificate), b = flux_certificate_tail(certificate);
    assert_int_equal(flux_certificate_bound(certificate), value->bound);
    if (flux_certificate_kind(certificate) != FLUX_CERTIFICATE_CRITICAL_PATH) {
        for (uint32_t node = 0; node < problem->nodes; node++)
            for (uint64_t i = 0; i < count; i++)
                if (problem->vertex[node] == vertices[i])
                    window.node[window.count++] = node;
        assert_int_equal(window.count, count);
        for (uint64_t i = 0; i < count; i++) {
            assert_true(i == 0 || vertices[i - 1] < vertices[i]);
            assert_true(on_side(problem, window.node[i], window.gpu, window.side));
            assert_true(problem->head[window.node[i]] >= a && problem->tail[window.node[i]] >= b);
        }
        flux_wide number = flux_certificate_kind(certificate) == FLUX_CERTIFICATE_PORT_LOAD
                               ? by_load(problem, &window, a, b)
                               : by_edges(problem, &window);
        assert_true(number == value->bound);
    }
    assert_int_equal(flux_certificate_check(graph, fabric, certificate, &recomputed, NULL), 0);
    assert_int_equal(recomputed, value->bound);
    flux_certificate_free(certificate);
}

static void compare(const struct shape *shape, uint32_t kinds[4])
{
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_memory memory;
    struct flux_bound_value value;
    flux_memory_init(&memory, NULL);
    struct flux_problem *problem = random_problem(shape, &memory, &graph, &fabric);
    if (problem) {
        struct naive naive = try_all(problem);
        flux_wide known = largest(naive.path, largest(naive.load, naive.edges));
        assert_int_equal(flux_bound_find(problem, &value), 0);
        assert_true(value.bound >= known);
        if (value.kind == FLUX_CERTIFICATE_PORT_EDGES)
            assert_true(value.bound <= naive.window_edges);
        else
            assert_true(value.bound == known);
        check_certificate(problem, &value, &memory, graph, fabric);
        kinds[value.kind]++;
        flux_problem_free(problem);
    }
    flux_graph_free(graph);
    flux_fabric_free(fabric);
}

static void small_problems(uint32_t rule)
{
    uint32_t kinds[4] = {0};
    dice.state = 11 + rule;
    for (uint32_t run = 0; run < 3000; run++) {
        struct shape shape = {2 + below(4), 1 + below(4), 1 + below(16), rule, 1};
        compare(&shape, kinds);
    }
    assert_true(kinds[FLUX_CERTIFICATE_CRITICAL_PATH] > 100);
    assert_true(kinds[FLUX_CERTIFICATE_PORT_LOAD] > 100);
    assert_true(kinds[FLUX_CERTIFICATE_PORT_EDGES] > 5);
}

static void paper(void **state)
{
    (void)state;
    small_problems(FLUX_RULE_PAPER);
}

static void duplex(void **state)
{
    (void)state;
    small_problems(FLUX_RULE_DUPLEX);
}

static void simplex(void **state)
{
    (void)state;
    small_problems(FLUX_RULE_SIMPLEX);
}

static void many_sends(void **state)
{
    (void)state;
    uint32_t kinds[4] = {0};
    dice.state = 6;
    for (uint32_t run = 0; run < 60; run++) {
        struct shape shape = {2 + below(3), 1 + below(2), SENDS_MAX, run % 2 ? FLUX_RULE_DUPLEX : below(3), 1};
        compare(&shape, kinds);
    }
    assert_true(kinds[FLUX_CERTIFICATE_PORT_LOAD] + kinds[FLUX_CERTIFICATE_PORT_EDGES] > 20);
}

/* Times near the limit: the links times a time no longer fit 64 bits. */
static void long_times(void **state)
{
    (void)state;
    uint32_t kinds[4] = {0};
    dice.state = 7;
    for (uint32_t run = 0; run < 1500; run++) {
        struct shape shape = {2 + below(3), 1 + below(4), 2 + below(12), below(3), (INT64_C(1) << 52) - below(1000)};
        compare(&shape, kinds);
    }
    assert_true(kinds[FLUX_CERTIFICATE_PORT_LOAD] + kinds[FLUX_CERTIFICATE_PORT_EDGES] > 50);
}

/* ---- the best of all schedules ---- */

struct trial {
    const struct flux_problem *problem;
    uint32_t order[8];
    uint32_t placed;
    uint32_t switch_of[8];
    int64_t start[8];
    int64_t end[8];
    uint8_t done[8];
    int64_t best;
};

/* Start of `node` on switch k after all that are placed; every schedule without needless waits is met by placing in
 * order of start. Blocking switches and dwell are left out: they only take schedules away. */
static int64_t earliest(const struct trial *trial, uint32_t node, uint32_t k)
{
    const struct flux_problem *problem = trial->problem;
    int64_t start = problem->release[node];
    for (uint64_t i = problem->in_first[node]; i < problem->in_first[node + 1]; i++)
        if (start < trial->end[problem->in[i].node] + problem->in[i].lag)
            start = trial->end[problem->in[i].node] + problem->in[i].lag;
    if (!flux_problem_is_send(problem, node))
        return start;
    for (uint32_t i = 0; i < trial->placed; i++) {
        uint32_t u = trial->order[i];
        if (!flux_problem_is_send(problem, u) || trial->switch_of[u] != k)
            continue;
        int64_t apart = flux_separation(problem->rule, problem->src[u], problem->dst[u], problem->src[node],
                                        problem->dst[node], problem->delay[k]);
        if (apart >= 0 && start < trial->end[u] + apart)
            start = trial->end[u] + apart;
    }
    for (uint32_t i = 0; i < problem->initials; i++) {
        const struct flux_circuit_name *up = &problem->initial[i];
        int64_t apart =
            flux_separation(problem->rule, up->src, up->dst, problem->src[node], problem->dst[node], problem->delay[k]);
        if (up->switch_index == k && start < apart)
            start = apart;
    }
    return start;
}

static int ready(const struct trial *trial, uint32_t node)
{
    const struct flux_problem *problem = trial->problem;
    for (uint64_t i = problem->in_first[node]; i < problem->in_first[node + 1]; i++)
        if (!trial->done[problem->in[i].node])
            return 0;
    return !trial->done[node];
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the tiny problem has nodes */
static void place_all(struct trial *trial, int64_t makespan)
{
    const struct flux_problem *problem = trial->problem;
    if (makespan >= trial->best)
        return;
    if (trial->placed == problem->nodes) {
        trial->best = makespan;
        return;
    }
    for (uint32_t node = 0; node < problem->nodes; node++) {
        if (!ready(trial, node))
            continue;
        for (uint32_t k = 0; k < (flux_problem_is_send(problem, node) ? problem->switches : 1); k++) {
            int64_t duration = flux_problem_duration(problem, node, k);
            if (duration < 0)
                continue;
            int64_t start = earliest(trial, node, k), end = start + duration + problem->rest[node];
            trial->start[node] = start;
            trial->end[node] = start + duration;
            trial->switch_of[node] = k;
            trial->order[trial->placed++] = node;
            trial->done[node] = 1;
            place_all(trial, end > makespan ? end : makespan);
            trial->done[node] = 0;
            trial->placed--;
        }
    }
}

static void no_bound_above_the_optimum(void **state)
{
    (void)state;
    uint32_t solved = 0, met = 0;
    dice.state = 3;
    for (uint32_t run = 0; run < 6000; run++) {
        struct shape shape = {2 + below(3), 1 + below(3), 1 + below(5), below(3), 1};
        struct flux_graph *graph;
        struct flux_fabric *fabric;
        struct flux_memory memory;
        struct flux_bound_value value;
        flux_memory_init(&memory, NULL);
        struct flux_problem *problem = random_problem(&shape, &memory, &graph, &fabric);
        if (problem) {
            struct trial trial = {.problem = problem, .best = INT64_MAX};
            place_all(&trial, problem->floor);
            assert_int_equal(flux_bound_find(problem, &value), 0);
            assert_true(value.bound <= trial.best);
            solved++;
            met += value.bound == trial.best;
            flux_problem_free(problem);
        }
        flux_graph_free(graph);
        flux_fabric_free(fabric);
    }
    assert_true(solved > 3000);
    assert_true(met > solved / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paper),      cmocka_unit_test(duplex),     cmocka_unit_test(simplex),
        cmocka_unit_test(many_sends), cmocka_unit_test(long_times), cmocka_unit_test(no_bound_above_the_optimum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
