/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs as GOAL, NetworkX JSON and DOT: GOAL read back by our own reader, plainly, is the same sends in the same
 * schedules, with dependencies across GPUs, lags, releases and computes that overlap.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/files.h"
#include "../support/ideal.h"
#include "../support/random_problem.h"
#include "../support/read_back.h"

#include <jansson.h>
#include <libflux/io/import.h>
#include <libflux/io/write.h>
#include <stdlib.h>
#include <string.h>

static char file[FILES_PATH];

static int begin(void **state)
{
    files_begin(state);
    files_path(files_folder, "t", file);
    return 0;
}

static struct flux_import *read_goal(void)
{
    struct flux_import_options options = FLUX_IMPORT_OPTIONS_INIT;
    struct flux_import *import;
    struct flux_error error;
    options.strict = 1;
    if (flux_import(NULL, file, &options, &import, &error))
        fail_msg("%s", error.text);
    assert_string_equal(flux_import_format(import), "goal");
    return import;
}

/* Whole nanoseconds, and bytes. */
static void tame(struct random_problem *p)
{
    for (uint32_t v = 0; v < p->vertices; v++) {
        struct random_vertex *vertex = &p->vertex[v];
        if (vertex->send) {
            vertex->bytes = 100 * (uint64_t)(1 + (vertex->bytes + (uint64_t)vertex->duration) % 17);
            vertex->duration = 0;
        }
        vertex->duration *= FLUX_NS;
        vertex->release *= FLUX_NS;
    }
    for (uint32_t e = 0; e < p->edges; e++)
        p->edge[e].lag *= FLUX_NS;
}

/* Pairs of sends of which one must follow the other. */
static uint64_t ordered_pairs(const struct ideal *ideal)
{
    uint8_t *after = calloc(ideal->count, 1);
    uint64_t pairs = 0;
    assert_non_null(after);
    for (uint32_t u = 0; u < ideal->count; u++) {
        if (!flux_graph_is_send(ideal->graph, u))
            continue;
        memset(after, 0, ideal->count);
        after[u] = 1;
        for (uint32_t i = 0; i < ideal->count; i++) {
            uint32_t v = ideal->order[i];
            pairs += after[v] && v != u && flux_graph_is_send(ideal->graph, v);
            for (uint64_t e = ideal->first[v]; e < ideal->first[v + 1]; e++)
                after[ideal->child[e]] |= after[v];
        }
    }
    free(after);
    return pairs;
}

/* Sends follow each other as they did, and the longest path is as long. */
static void same_paths(const struct flux_graph *graph, const struct flux_graph *back)
{
    struct ideal ideal, again;
    assert_int_equal(ideal_run(&ideal, graph, FLUX_RATE_DEFAULT), 0);
    assert_int_equal(ideal_run(&again, back, FLUX_RATE_DEFAULT), 0);
    assert_int_equal(ideal.makespan, again.makespan);
    assert_int_equal(ordered_pairs(&ideal), ordered_pairs(&again));
    ideal_free(&ideal);
    ideal_free(&again);
}

static void random_graphs_come_back(void **state)
{
    (void)state;
    uint32_t count = random_problem_count(600);
    for (uint32_t i = 0; i < count; i++) {
        struct random_problem random;
        struct random_options options = {i % 3, RANDOM_DELAYS | RANDOM_RATES, 2, 8, 0, 0};
        struct flux_options no_solver = FLUX_OPTIONS_INIT;
        struct flux_graph *graph;
        struct flux_fabric *fabric;
        struct flux_schedule *schedule;
        struct flux_error error;
        int64_t rounded = -1;
        int64_t later = 0; /* a receive that ends it all is done when the light is there */
        no_solver.exact = FLUX_EXACT_NEVER;
        if (i % 4 > 1)
            options.parameters |= RANDOM_PROPAGATION;
        random_problem(&random, 43000000 + i, &options);
        tame(&random);
        for (uint32_t v = 0; i % 2 && v < random.vertices; v++)
            random.vertex[v].release = 0; /* the oracle of paths knows none */
        assert_int_equal(random_problem_build(&random, NULL, &graph, &fabric), 0);
        assert_int_equal(flux_schedule(graph, fabric, &no_solver, &schedule, NULL), 0);
        for (uint32_t src = 0; src < random.gpus; src++)
            for (uint32_t dst = 0; dst < random.gpus; dst++)
                later = random.propagation[src][dst] > later ? random.propagation[src][dst] : later;
        if (flux_write_goal(file, graph, &rounded, &error))
            fail_msg("%s", error.text);
        assert_int_equal(rounded, 0);
        struct flux_import *import = read_goal();
        const struct flux_graph *back = flux_import_graph(import);
        assert_int_equal(flux_graph_gpus(back), flux_graph_gpus(graph));
        read_back_same_sends(graph, back);
        read_back_same_schedule(graph, fabric, schedule, back, later);
        if (i % 2)
            same_paths(graph, back);
        flux_import_free(import);
        flux_schedule_free(schedule);
        flux_graph_free(graph);
        flux_fabric_free(fabric);
    }
}

/* Two rows of computes of one GPU, side by side, with messages between: nothing waits for what it need not. */
static void computes_overlap_and_need_few_cpus(void **state)
{
    struct flux_graph *graph;
    uint32_t last[2], v;
    size_t size;
    (void)state;
    assert_int_equal(flux_graph_new(NULL, 2, &graph), 0);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(flux_graph_add_compute(graph, 0, 1000 * FLUX_NS, &last[i]), 0);
    for (uint32_t i = 0; i < 200; i++) {
        uint32_t *before = &last[i % 2];
        if (i % 5 == 4) {
            uint32_t there, again;
            assert_int_equal(flux_graph_add_send(graph, 0, 1, 1000, &there), 0);
            assert_int_equal(flux_graph_add_send(graph, 1, 0, 1000, &again), 0);
            assert_int_equal(flux_graph_add_edge(graph, *before, there, 7 * FLUX_NS), 0);
            assert_int_equal(flux_graph_add_edge(graph, there, again, 0), 0);
            *before = again;
        }
        assert_int_equal(flux_graph_add_compute(graph, 0, (1 + i) * FLUX_NS, &v), 0);
        assert_int_equal(flux_graph_add_edge(graph, *before, v, 0), 0);
        *before = v;
    }
    assert_int_equal(flux_write_goal(file, graph, NULL, NULL), 0);
    struct flux_import *import = read_goal();
    same_paths(graph, flux_import_graph(import));
    flux_import_free(import);
    char *text = files_read(file, &size);
    assert_non_null(strstr(text, " cpu 1\n"));
    assert_null(strstr(text, " cpu 2\n"));
    free(text);
    flux_graph_free(graph);
}

static void what_goal_cannot_say(void **state)
{
    struct flux_graph *graph;
    struct flux_error error = {0};
    int64_t rounded = -1;
    uint32_t send, other;
    size_t size;
    (void)state;
    assert_int_equal(flux_write_goal(NULL, NULL, NULL, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_write_goal(file, NULL, NULL, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_graph_new(NULL, 3, &graph), 0);
    assert_int_equal(flux_graph_add_send(graph, 0, 1, 1000, &send), 0);
    assert_int_equal(flux_graph_set_label(graph, send, "layer_1"), 0);
    assert_int_equal(flux_graph_set_release(graph, send, 1400), 0);
    assert_int_equal(flux_graph_add_compute(graph, 1, 600, &other), 0);
    assert_int_equal(flux_graph_set_label(graph, other, "v_0"), 0); /* looks like one of the writer's */
    assert_int_equal(flux_write_goal(file, graph, &rounded, &error), 0);
    assert_int_equal(rounded, 400 + 400); /* to 1 ns each */
    char *text = files_read(file, &size);
    assert_string_equal(text, "num_ranks 3\n"
                              "rank 0 {\nr_0: calc 1\nlayer_1: send 1000b to 1 tag 0\nlayer_1 requires r_0\n}\n"
                              "rank 1 {\nlayer_1: recv 1000b from 0 tag 0\nv_1: calc 1\n}\n"
                              "rank 2 {\ncalc 0\n}\n");
    free(text);
    assert_int_equal(flux_graph_add_edge(graph, send, other, 0), 0);
    assert_int_equal(flux_graph_add_edge(graph, other, send, 0), 0);
    assert_int_equal(flux_write_goal(file, graph, &rounded, &error), FLUX_E_CYCLE);
    flux_graph_free(graph);
    struct flux_send row = {0, 1, 0, 5, 0};
    assert_int_equal(flux_graph_new(NULL, 2, &graph), 0);
    assert_int_equal(flux_graph_add_sends(graph, &row, 1, sizeof row, NULL, NULL), 0);
    assert_int_equal(flux_write_goal(file, graph, &rounded, &error), FLUX_E_MISMATCH);
    assert_non_null(strstr(error.text, "send 'v0' has a time and no size"));
    flux_graph_free(graph);
}

static void releases_of_a_gpu_are_a_chain(void **state)
{
    struct flux_graph *graph;
    uint32_t v;
    (void)state;
    assert_int_equal(flux_graph_new(NULL, 2, &graph), 0);
    for (uint32_t i = 0; i < 100; i++) {
        assert_int_equal(flux_graph_add_compute(graph, i % 2, 500 * FLUX_NS, &v), 0);
        assert_int_equal(flux_graph_set_release(graph, v, (i * 37 % 101) * FLUX_NS), 0);
    }
    assert_int_equal(flux_write_goal(file, graph, NULL, NULL), 0);
    struct flux_import *import = read_goal();
    struct ideal ideal; /* in which a release is a calculation by now */
    assert_int_equal(ideal_run(&ideal, flux_import_graph(import), FLUX_RATE_DEFAULT), 0);
    assert_int_equal(ideal.makespan, (100 + 500) * FLUX_NS);
    ideal_free(&ideal);
    flux_import_free(import);
    flux_graph_free(graph);
}

/* ---- NetworkX and DOT ---- */

static struct flux_graph *little(void)
{
    struct flux_graph *graph;
    assert_int_equal(flux_graph_new(NULL, 3, &graph), 0);
    assert_int_equal(flux_graph_add_send(graph, 0, 1, UINT64_MAX, NULL), 0);
    assert_int_equal(flux_graph_add_compute(graph, 2, 1500, NULL), 0);
    assert_int_equal(flux_graph_set_label(graph, 0, "a \"b\" \\N\n\xff"), 0);
    assert_int_equal(flux_graph_set_release(graph, 1, 7), 0);
    assert_int_equal(flux_graph_add_edge(graph, 0, 1, 3), 0);
    assert_int_equal(flux_graph_add_edge(graph, 0, 1, 5), 0);
    return graph;
}

static json_int_t number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

static void networkx_has_everything(void **state)
{
    struct flux_graph *graph = little();
    (void)state;
    assert_int_equal(flux_write_networkx(NULL, graph, NULL), FLUX_E_ARGUMENT);
    assert_int_equal(flux_graph_set_duration(graph, 0, 9), 0);
    assert_int_equal(flux_write_networkx(file, graph, NULL), 0);
    char *text = files_read(file, NULL);
    char *large = strstr(text, "18446744073709551615"); /* more than jansson's integers */
    assert_non_null(large);
    memcpy(large, "                   5", 20);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(root);
    const json_t *nodes = json_object_get(root, "nodes"), *edges = json_object_get(root, "edges");
    assert_int_equal(json_array_size(nodes), 2);
    assert_int_equal(json_array_size(edges), 1);
    assert_int_equal(number_of(json_object_get(root, "graph"), "gpus"), 3);
    assert_int_equal(number_of(json_array_get(nodes, 0), "duration"), 9);
    assert_int_equal(number_of(json_array_get(nodes, 1), "release"), 7);
    assert_int_equal(number_of(json_array_get(nodes, 1), "gpu"), 2);
    assert_int_equal(number_of(json_array_get(edges, 0), "lag"), 5);
    assert_string_equal(json_string_value(json_object_get(json_array_get(nodes, 0), "label")),
                        "a \"b\" \\N\n\xef\xbf\xbd");
    json_decref(root);
    free(text);
    flux_graph_free(graph);
}

static void dot_is_for_small_graphs(void **state)
{
    struct flux_graph *graph = little();
    struct flux_error error;
    (void)state;
    assert_int_equal(flux_write_dot(file, NULL, NULL), FLUX_E_ARGUMENT);
    assert_int_equal(flux_write_dot(file, graph, NULL), 0);
    char *text = files_read(file, NULL);
    assert_non_null(strstr(text, "v0 [label=\"a \\\"b\\\" \\\\N \xef\xbf\xbd\\n0 -> 1\\n"));
    assert_non_null(strstr(text, "v0 -> v1 [label=\"5ps\"]"));
    free(text);
    for (uint32_t i = 2; i <= FLUX_DOT_VERTICES_MAX; i++)
        assert_int_equal(flux_graph_add_compute(graph, 0, 1, NULL), 0);
    assert_int_equal(flux_write_dot(file, graph, &error), FLUX_E_TOO_BIG);
    assert_non_null(strstr(error.text, "2001 vertices"));
    flux_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(random_graphs_come_back, begin, files_end),
        cmocka_unit_test_setup_teardown(computes_overlap_and_need_few_cpus, begin, files_end),
        cmocka_unit_test_setup_teardown(what_goal_cannot_say, begin, files_end),
        cmocka_unit_test_setup_teardown(releases_of_a_gpu_are_a_chain, begin, files_end),
        cmocka_unit_test_setup_teardown(networkx_has_everything, begin, files_end),
        cmocka_unit_test_setup_teardown(dot_is_for_small_graphs, begin, files_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
