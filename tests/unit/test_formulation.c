/* SPDX-License-Identifier: Apache-2.0
 *
 * test_formulation.c - the paper's program against its closed formula and against one written out by hand, names that
 * every format takes, refusals, and numbers that stay exact.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <inttypes.h>
#include <libflux/flux.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "formulation/formulation.h"

#include "../support/random_problem.h"

struct text {
    char *bytes;
    uint64_t length;
    uint64_t limit; /* fails beyond */
};

static int collect(void *user, const char *bytes, uint64_t length)
{
    struct text *text = user;
    if (text->length + length > text->limit)
        return -1;
    text->bytes = realloc(text->bytes, text->length + length + 1);
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
    return 0;
}

static struct text written(const struct flux_graph *graph, const struct flux_fabric *fabric, uint32_t formulation,
                           uint32_t format)
{
    struct text text = {NULL, 0, UINT64_MAX};
    struct flux_error error = {0};
    if (flux_formulation_write(graph, fabric, formulation, format, collect, &text, NULL, &error))
        fail_msg("%s", error.text);
    return text;
}

/* a: 0 -> 1 for 5; b: 1 -> 2 for 3, 2 after a; c: 0 -> 2 for 4. Two switches, delay 2. M = 3 * 2 + 12 + 2 = 20. */
static void three_sends(struct flux_graph **graph, struct flux_fabric **fabric)
{
    static const struct flux_send sends[] = {{0, 1, 0, 5, 0}, {1, 2, 0, 3, 0}, {0, 2, 0, 4, 0}};
    static const char *const labels[] = {"a", "b", "c"};
    assert_int_equal(flux_graph_new(NULL, 3, graph), 0);
    assert_int_equal(flux_graph_add_sends(*graph, sends, 3, sizeof *sends, NULL, NULL), 0);
    for (uint32_t v = 0; v < 3; v++)
        assert_int_equal(flux_graph_set_label(*graph, v, labels[v]), 0);
    assert_int_equal(flux_graph_add_edge(*graph, 0, 1, 2), 0);
    assert_int_equal(flux_fabric_new(NULL, 3, 2, fabric), 0);
    assert_int_equal(flux_fabric_set_delay(*fabric, FLUX_ALL_SWITCHES, 2), 0);
}

static const char by_hand[] = "\\ A schedule of optical circuits: times are in steps of 1 ps.\n"
                              "Minimize\n objective: makespan\nSubject To\n"
                              " last_a: makespan - t_a >= 5\n"
                              " last_c: makespan - t_c >= 4\n"
                              " last_b: makespan - t_b >= 3\n"
                              " one_a: x_a_k0 + x_a_k1 = 1\n"
                              " one_c: x_c_k0 + x_c_k1 = 1\n"
                              " one_b: x_b_k0 + x_b_k1 = 1\n"
                              " wait_a_b: t_b - t_a >= 7\n"
                              " apart_a_c_k0: t_c - t_a - 20 x_a_k0 - 20 x_c_k0 - 20 y_a_c >= -53\n"
                              " apart_c_a_k0: t_a - t_c - 20 x_a_k0 - 20 x_c_k0 + 20 y_a_c >= -34\n"
                              " apart_a_c_k1: t_c - t_a - 20 x_a_k1 - 20 x_c_k1 - 20 y_a_c >= -53\n"
                              " apart_c_a_k1: t_a - t_c - 20 x_a_k1 - 20 x_c_k1 + 20 y_a_c >= -34\n"
                              " apart_a_b_k0: t_b - t_a - 20 x_a_k0 - 20 x_b_k0 >= -33\n"
                              " apart_a_b_k1: t_b - t_a - 20 x_a_k1 - 20 x_b_k1 >= -33\n"
                              " apart_c_b_k0: t_b - t_c - 20 x_c_k0 - 20 x_b_k0 - 20 y_c_b >= -54\n"
                              " apart_b_c_k0: t_c - t_b - 20 x_c_k0 - 20 x_b_k0 + 20 y_c_b >= -35\n"
                              " apart_c_b_k1: t_b - t_c - 20 x_c_k1 - 20 x_b_k1 - 20 y_c_b >= -54\n"
                              " apart_b_c_k1: t_c - t_b - 20 x_c_k1 - 20 x_b_k1 + 20 y_c_b >= -35\n"
                              "Bounds\n"
                              "Binaries\n x_a_k0\n x_a_k1\n x_c_k0\n x_c_k1\n x_b_k0\n x_b_k1\n y_a_c\n y_c_b\n"
                              "End\n";

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static uint32_t sort_lines(char *text, char **lines)
{
    uint32_t count = 0;
    char *at = text;
    for (char *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
        *end = '\0';
        lines[count++] = at;
    }
    qsort(lines, count, sizeof *lines, compare_lines);
    return count;
}

/* Rows in any order. */
static void three_sends_by_hand(void **state)
{
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    char *mine[64], *theirs[64], expected[sizeof by_hand];
    (void)state;
    three_sends(&graph, &fabric);
    struct text text = written(graph, fabric, FLUX_FORMULATION_PAPER, FLUX_FORMAT_LP);
    memcpy(expected, by_hand, sizeof by_hand);
    char *copy = malloc(text.length + 1);
    memcpy(copy, text.bytes, text.length + 1);
    uint32_t count = sort_lines(text.bytes, mine);
    uint32_t want = sort_lines(expected, theirs);
    for (uint32_t i = 0; i < count && i < want; i++)
        if (strcmp(mine[i], theirs[i]))
            fail_msg("'%s' where '%s' should be, in\n%s", mine[i], theirs[i], copy);
    assert_int_equal(count, want);
    free(copy);
    free(text.bytes);
    flux_graph_free(graph);
    flux_fabric_free(fabric);
}

/* Is v a descendant of u, by the graph's edges? */
static void reach(const struct flux_graph *graph, uint8_t *reaches, uint32_t n)
{
    uint64_t edges;
    const struct flux_edge *edge = flux_graph_edges(graph, &edges);
    memset(reaches, 0, (size_t)n * n);
    for (uint64_t i = 0; i < edges; i++)
        reaches[edge[i].from * n + edge[i].to] = 1;
    for (uint32_t w = 0; w < n; w++)
        for (uint32_t u = 0; u < n; u++)
            for (uint32_t v = 0; v < n; v++)
                reaches[u * n + v] |= (uint8_t)(reaches[u * n + w] && reaches[w * n + v]);
}

/* n + ns + 1 + |free| columns; 2n + |E| + s |fixed| + 2s |free| rows. */
static void closed_formula(void **state)
{
    uint32_t count = random_problem_count(400);
    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        struct flux_random dice = {i};
        uint32_t n = 1 + flux_random_below(&dice, 20), s = 1 + flux_random_below(&dice, 3), gpus = 4;
        struct flux_graph *graph;
        struct flux_fabric *fabric;
        struct flux_memory memory;
        struct flux_problem *problem;
        uint8_t reaches[20 * 20], *edge = calloc(20 * 20, 1);
        uint64_t edges = 0, fixed = 0, open = 0;
        assert_int_equal(flux_graph_new(NULL, gpus, &graph), 0);
        assert_int_equal(flux_fabric_new(NULL, gpus, s, &fabric), 0);
        assert_int_equal(flux_fabric_set_delay(fabric, FLUX_ALL_SWITCHES, flux_random_below(&dice, 9)), 0);
        for (uint32_t v = 0; v < n; v++) {
            uint32_t src = flux_random_below(&dice, gpus), dst = (src + 1 + flux_random_below(&dice, gpus - 1)) % gpus;
            struct flux_send row = {src, dst, 0, 1 + flux_random_below(&dice, 30), 0};
            assert_int_equal(flux_graph_add_sends(graph, &row, 1, sizeof row, NULL, NULL), 0);
            for (uint32_t e = 0; v && e < flux_random_below(&dice, 3); e++) {
                uint32_t u = flux_random_below(&dice, v);
                if (!edge[u * 20 + v]++) {
                    assert_int_equal(flux_graph_add_edge(graph, u, v, flux_random_below(&dice, 9)), 0);
                    edges++;
                }
            }
        }
        reach(graph, reaches, n);
        for (uint32_t u = 0; u < n; u++)
            for (uint32_t v = u + 1; v < n; v++) {
                struct flux_send a, b;
                assert_int_equal(flux_graph_get_send(graph, u, &a), 0);
                assert_int_equal(flux_graph_get_send(graph, v, &b), 0);
                if (a.src != b.src && a.dst != b.dst && a.src != b.dst && a.dst != b.src)
                    continue;
                fixed += reaches[u * n + v];
                open += !reaches[u * n + v];
            }
        struct flux_formulation_options options = {FLUX_FORMULATION_PAPER, 0, -1, 0};
        struct flux_formulation_size size, tight;
        struct flux_error error;
        assert_int_equal(flux_memory_init(&memory, NULL), 0);
        assert_int_equal(flux_problem_build(graph, fabric, &memory, &problem, &error), 0);
        assert_int_equal(flux_formulation_count(problem, &options, &size, &error), 0);
        assert_int_equal(size.columns, n + n * s + 1 + open);
        assert_int_equal(size.rows, 2 * n + edges + s * fixed + 2 * s * open);
        for (uint32_t kind = 0; kind < 2; kind++) {
            struct flux_formulation formulation;
            options.kind = kind;
            assert_int_equal(flux_formulation_count(problem, &options, &tight, &error), 0);
            assert_int_equal(flux_formulation_build(problem, &options, &formulation, &error), 0);
            assert_int_equal(tight.columns, formulation.milp.columns);
            assert_int_equal(tight.rows, formulation.milp.rows);
            assert_int_equal(tight.entries, formulation.milp.row_first[tight.rows]);
            flux_formulation_free(&formulation);
        }
        free(edge);
        flux_problem_free(problem);
        flux_graph_free(graph);
        flux_fabric_free(fabric);
    }
}

/* Labels that no format would take, that are alike once mended, or that look like our own words. */
static void names_are_unique(void **state)
{
    static const char *const labels[] = {"a b", "a.b", "a_b", "v3", "", "3", "e1", "a:b<=", "f\xc3\xbcr", "f\xc3\xb6r", "ok"};
    const uint32_t n = sizeof labels / sizeof *labels;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    (void)state;
    assert_int_equal(flux_graph_new(NULL, 2, &graph), 0);
    assert_int_equal(flux_fabric_new(NULL, 2, 1, &fabric), 0);
    for (uint32_t v = 0; v < n; v++) {
        struct flux_send row = {0, 1, 0, 1, 0};
        assert_int_equal(flux_graph_add_sends(graph, &row, 1, sizeof row, NULL, NULL), 0);
        if (*labels[v])
            assert_int_equal(flux_graph_set_label(graph, v, labels[v]), 0);
    }
    struct text text = written(graph, fabric, FLUX_FORMULATION_PAPER, FLUX_FORMAT_MPS);
    assert_non_null(strstr(text.bytes, "one_ok\n"));
    assert_non_null(strstr(text.bytes, "one_e1\n"));
    char *lines[4096];
    char *rows = strstr(text.bytes, "ROWS\n"), *stop = strstr(text.bytes, "COLUMNS\n");
    assert_non_null(rows);
    assert_non_null(stop);
    *stop = '\0';
    uint32_t count = sort_lines(rows, lines);
    assert_int_equal(count, 2 + 2 * n + n * (n - 1));
    for (uint32_t i = 0; i < count; i++) {
        assert_true(i == 0 || strcmp(lines[i - 1], lines[i]) != 0);
        for (const char *c = lines[i]; *c; c++)
            assert_true((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '.' ||
                        *c == '_' || *c == ' ');
    }
    free(text.bytes);
    flux_graph_free(graph);
    flux_fabric_free(fabric);
}

static void refusals(void **state)
{
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_error error = {0};
    struct text text = {NULL, 0, UINT64_MAX};
    (void)state;
    three_sends(&graph, &fabric);
    assert_int_equal(flux_formulation_write(NULL, fabric, 0, 0, collect, &text, NULL, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_formulation_write(graph, NULL, 0, 0, collect, &text, NULL, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_formulation_write(graph, fabric, 2, 0, collect, &text, NULL, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_formulation_write(graph, fabric, 0, 2, collect, &text, NULL, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_formulation_write(graph, fabric, 0, 0, NULL, &text, NULL, &error), FLUX_E_ARGUMENT);
    text.limit = 100;
    assert_int_equal(flux_formulation_write(graph, fabric, 1, 0, collect, &text, NULL, &error), FLUX_E_IO);
    /* 5,000 sends of one GPU: twelve million pairs; and numbers that no double holds. */
    struct flux_send row = {0, 1, 0, 7, 0};
    for (uint32_t i = 0; i < 5000; i++)
        assert_int_equal(flux_graph_add_sends(graph, &row, 1, sizeof row, NULL, NULL), 0);
    text.limit = UINT64_MAX;
    assert_int_equal(flux_formulation_write(graph, fabric, 1, 0, collect, &text, NULL, &error), FLUX_E_TOO_BIG);
    assert_non_null(strstr(error.text, "5003 sends"));
    assert_null(text.bytes);
    flux_graph_free(graph);
    flux_fabric_free(fabric);
    three_sends(&graph, &fabric);
    assert_int_equal(flux_graph_set_release(graph, 2, FLUX_TIME_MAX / 4), 0);
    assert_int_equal(flux_formulation_write(graph, fabric, 1, 0, collect, &text, NULL, &error), FLUX_E_TOO_BIG);
    assert_non_null(strstr(error.text, "2^50"));
    flux_graph_free(graph);
    flux_fabric_free(fabric);
}

/* Long times become steps of a power of two units, and every number in the text is exact. */
static void long_times_stay_exact(void **state)
{
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_formulation_summary summary = FLUX_FORMULATION_SUMMARY_INIT;
    struct text text = {NULL, 0, UINT64_MAX};
    const int64_t release = INT64_C(123456789012345);
    (void)state;
    three_sends(&graph, &fabric);
    assert_int_equal(flux_graph_set_release(graph, 2, release), 0);
    assert_int_equal(flux_formulation_write(graph, fabric, FLUX_FORMULATION_PAPER, FLUX_FORMAT_LP, collect, &text,
                                            &summary, NULL), 0);
    assert_true(summary.step > 1 && (summary.step & (summary.step - 1)) == 0);
    assert_int_equal(summary.rows, 17);
    const char *bound = strstr(text.bytes, " <= t_c");
    assert_non_null(bound);
    while (bound[-1] != '\n')
        bound--;
    double value = strtod(bound, NULL);
    assert_true(value * (double)summary.step == (double)release);
    free(text.bytes);
    flux_graph_free(graph);
    flux_fabric_free(fabric);
}

/* What a solver says is never taken at more than its worth. */
static void bounds_are_rounded(void **state)
{
    struct flux_formulation formulation = {.unit = 3, .shift = 2};
    (void)state;
    assert_int_equal(flux_formulation_bound(&formulation, NAN), -1);
    assert_int_equal(flux_formulation_bound(&formulation, (double)INFINITY), -1);
    assert_int_equal(flux_formulation_bound(&formulation, -5), -1);
    assert_int_equal(flux_formulation_bound(&formulation, 10), 120);
    assert_int_equal(flux_formulation_bound(&formulation, 10.000001), 120);
    assert_int_equal(flux_formulation_bound(&formulation, 9.9999), 120);
    assert_int_equal(flux_formulation_bound(&formulation, 10.01), 123);
    assert_int_equal(flux_formulation_bound(&formulation, 1e300), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_sends_by_hand), cmocka_unit_test(closed_formula),
        cmocka_unit_test(names_are_unique),    cmocka_unit_test(refusals),
        cmocka_unit_test(long_times_stay_exact), cmocka_unit_test(bounds_are_rounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
