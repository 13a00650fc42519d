/* SPDX-License-Identifier: Apache-2.0
 *
 * Traces that are written, read back by our own reader: the same sends with the same bytes, the same dependencies by
 * their longest path, and a schedule's order that its own slots keep.
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

#include <inttypes.h>
#include <libflux/io/import.h>
#include <libflux/io/write.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char prefix[FILES_PATH];

static int begin(void **state)
{
    files_begin(state);
    files_path(files_folder, "t", prefix);
    return 0;
}

static struct flux_import *read_back(void)
{
    struct flux_import_options options = FLUX_IMPORT_OPTIONS_INIT;
    struct flux_import *import;
    struct flux_error error;
    options.overlap_compute = 1;
    options.strict = 1;
    if (flux_import(NULL, prefix, &options, &import, &error))
        fail_msg("%s", error.text);
    return import;
}

/* Does GPU `gpu` know of u? */
static int knows(const struct random_problem *p, uint32_t gpu, uint32_t u)
{
    return p->vertex[u].src == gpu || (p->vertex[u].send && p->vertex[u].dst == gpu);
}

/* Whole microseconds, bytes, and only edges that a trace can tell. */
static void tame(struct random_problem *p)
{
    uint32_t kept = 0;
    for (uint32_t v = 0; v < p->vertices; v++) {
        struct random_vertex *vertex = &p->vertex[v];
        if (vertex->send) {
            vertex->bytes = 100000 * (uint64_t)(1 + (vertex->bytes + (uint64_t)vertex->duration) % 17);
            vertex->duration = 0;
        }
        vertex->duration *= FLUX_US;
        vertex->release *= FLUX_US;
    }
    for (uint32_t e = 0; e < p->edges; e++) {
        struct flux_edge edge = p->edge[e];
        edge.lag *= FLUX_US;
        if (knows(p, p->vertex[edge.to].src, edge.from))
            p->edge[kept++] = edge;
    }
    p->edges = kept;
}

static void random_round_trips(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 200; i++) {
        struct random_problem random;
        struct random_options options = {i % 3, RANDOM_DELAYS | RANDOM_RATES, 2, 8, 0, 0};
        struct flux_options no_solver = FLUX_OPTIONS_INIT;
        struct flux_graph *graph;
        struct flux_fabric *fabric;
        struct flux_schedule *schedule;
        struct flux_error error;
        int64_t rounded = -1;
        char name[16];
        no_solver.exact = FLUX_EXACT_NEVER;
        random_problem(&random, 41000000 + i, &options);
        tame(&random);
        assert_int_equal(random_problem_build(&random, NULL, &graph, &fabric), 0);
        assert_int_equal(flux_schedule(graph, fabric, &no_solver, &schedule, NULL), 0);
        for (int ordered = 0; ordered < 2; ordered++) {
            snprintf(name, sizeof name, "t%" PRIu32, random.gpus);
            files_path(files_folder, name, prefix);
            if (flux_write_chakra(prefix, graph, ordered ? schedule : NULL, &rounded, &error))
                fail_msg("%s", error.text);
            assert_int_equal(rounded, 0);
            struct flux_import *import = read_back();
            const struct flux_graph *back = flux_import_graph(import);
            read_back_same_sends(graph, back);
            read_back_same_schedule(graph, fabric, schedule, back, 0);
            if (!ordered)
                assert_int_equal(read_back_path(back, fabric), read_back_path(graph, fabric));
            else
                assert_true(read_back_path(back, fabric) >= read_back_path(graph, fabric));
            flux_import_free(import);
        }
        flux_schedule_free(schedule);
        flux_graph_free(graph);
        flux_fabric_free(fabric);
    }
}

static int64_t ideal_makespan(const struct flux_graph *graph)
{
    struct ideal ideal;
    assert_int_equal(ideal_run(&ideal, graph, FLUX_RATE_DEFAULT), 0);
    int64_t makespan = ideal.makespan;
    ideal_free(&ideal);
    return makespan;
}

/* Three sends of GPU 0, nothing waits for anything: in order they follow each other at their source. */
static void order_is_kept(void **state)
{
    (void)state;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_schedule *schedule;
    assert_int_equal(flux_graph_new(NULL, 4, &graph), 0);
    assert_int_equal(flux_fabric_new(NULL, 4, 1, &fabric), 0);
    for (uint32_t dst = 1; dst < 4; dst++)
        assert_int_equal(flux_graph_add_send(graph, 0, dst, 100000, NULL), 0);
    assert_int_equal(flux_schedule(graph, fabric, NULL, &schedule, NULL), 0);
    assert_int_equal(flux_write_chakra(prefix, graph, NULL, NULL, NULL), 0);
    struct flux_import *import = read_back();
    assert_int_equal(ideal_makespan(flux_import_graph(import)), FLUX_US);
    flux_import_free(import);
    assert_int_equal(flux_write_chakra(prefix, graph, schedule, NULL, NULL), 0);
    import = read_back();
    assert_int_equal(ideal_makespan(flux_import_graph(import)), 3 * FLUX_US);
    flux_import_free(import);
    flux_schedule_free(schedule);
    flux_fabric_free(fabric);
    flux_graph_free(graph);
}

static void what_cannot_be_said(void **state)
{
    (void)state;
    struct flux_graph *graph;
    struct flux_error error = {0};
    int64_t rounded = -1;
    uint32_t send, compute;
    assert_int_equal(flux_write_chakra(NULL, NULL, NULL, NULL, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_graph_new(NULL, 3, &graph), 0);
    assert_int_equal(flux_write_chakra("", graph, NULL, NULL, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_graph_add_send(graph, 0, 1, 1000, &send), 0);
    assert_int_equal(flux_graph_add_compute(graph, 1, 1499999, &compute), 0);
    assert_int_equal(flux_graph_add_edge(graph, send, compute, 600000), 0);
    assert_int_equal(flux_write_chakra(prefix, graph, NULL, &rounded, &error), 0);
    assert_int_equal(rounded, 499999 + 400000); /* 1 us each */
    struct flux_import *import = read_back();   /* GPU 2 has nothing to do and a file */
    assert_int_equal(flux_import_count(import, "ranks"), 3);
    flux_import_free(import);
    struct flux_graph *smaller;
    assert_int_equal(flux_graph_new(NULL, 2, &smaller), 0);
    assert_int_equal(flux_write_chakra(prefix, smaller, NULL, NULL, &error), FLUX_E_IO);
    assert_non_null(strstr(error.text, "t.2.et: belongs to a trace of more ranks"));
    flux_graph_free(smaller);
    assert_int_equal(flux_graph_add_compute(graph, 2, 0, &compute), 0);
    assert_int_equal(flux_graph_add_edge(graph, send, compute, 0), 0);
    assert_int_equal(flux_write_chakra(prefix, graph, NULL, &rounded, &error), FLUX_E_MISMATCH);
    assert_non_null(strstr(error.text, "'v2' waits for 'v0', which happens at other GPUs"));
    assert_int_equal(rounded, 0);
    flux_graph_free(graph);
    assert_int_equal(flux_graph_new(NULL, 2, &graph), 0);
    struct flux_send timed = {0, 1, 0, 5, 0};
    assert_int_equal(flux_graph_add_sends(graph, &timed, 1, sizeof timed, NULL, NULL), 0);
    assert_int_equal(flux_write_chakra(prefix, graph, NULL, NULL, &error), FLUX_E_MISMATCH);
    assert_non_null(strstr(error.text, "a time and no size"));
    flux_graph_free(graph);
    assert_int_equal(flux_graph_new(NULL, 2, &graph), 0);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(flux_graph_add_send(graph, 0, 1, 5, NULL), 0);
    assert_int_equal(flux_graph_add_edge(graph, 0, 1, 0), 0);
    assert_int_equal(flux_graph_add_edge(graph, 1, 0, 0), 0);
    assert_int_equal(flux_write_chakra(prefix, graph, NULL, NULL, &error), FLUX_E_CYCLE);
    assert_int_equal(flux_write_chakra("/nowhere/at/all", graph, NULL, NULL, &error), FLUX_E_CYCLE);
    flux_graph_free(graph);
    assert_int_equal(flux_graph_new(NULL, 2, &graph), 0);
    assert_int_equal(flux_write_chakra("/nowhere/at/all", graph, NULL, NULL, &error), FLUX_E_IO);
    flux_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(random_round_trips, begin, files_end),
        cmocka_unit_test_setup_teardown(order_is_kept, begin, files_end),
        cmocka_unit_test_setup_teardown(what_cannot_be_said, begin, files_end),
    };
    return cmocka_run_group_tests_name("chakra_write", tests, NULL, NULL);
}
