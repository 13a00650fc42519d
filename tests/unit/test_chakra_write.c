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

#include <inttypes.h>
#include <libflux/io/import.h>
#include <libflux/io/names.h>
#include <libflux/io/write.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char folder[FILES_PATH];
static char prefix[FILES_PATH];

static int begin(void **state)
{
    (void)state;
    files_new(folder);
    files_path(folder, "t", prefix);
    return 0;
}

static int end(void **state)
{
    (void)state;
    files_remove(folder);
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

static int compare_sends(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct flux_send));
}

/* All sends without their times, sorted. */
static struct flux_send *sends_of(const struct flux_graph *graph, uint32_t *count)
{
    struct flux_send *sends = calloc(flux_graph_vertices(graph) + 1u, sizeof *sends);
    *count = 0;
    for (uint32_t v = 0; v < flux_graph_vertices(graph); v++)
        if (flux_graph_is_send(graph, v)) {
            flux_graph_get_send(graph, v, &sends[*count]);
            sends[*count].duration = sends[*count].release = 0;
            (*count)++;
        }
    qsort(sends, *count, sizeof *sends, compare_sends);
    return sends;
}

static void same_sends(const struct flux_graph *a, const struct flux_graph *b)
{
    uint32_t a_count, b_count;
    struct flux_send *a_sends = sends_of(a, &a_count), *b_sends = sends_of(b, &b_count);
    assert_int_equal(a_count, b_count);
    assert_memory_equal(a_sends, b_sends, a_count * sizeof *a_sends);
    free(a_sends);
    free(b_sends);
}

/* The vertex of the read-back graph that is send v: its label is "rSRC/NODE/ID". */
static uint32_t find_send(const struct flux_graph *graph, const char *id)
{
    for (uint32_t v = 0; v < flux_graph_vertices(graph); v++) {
        const char *label = flux_graph_label(graph, v), *slash = strchr(label, '/');
        slash = slash ? strchr(slash + 1, '/') : NULL;
        if (flux_graph_is_send(graph, v) && slash && strcmp(slash + 1, id) == 0)
            return v;
    }
    fail_msg("no send '%s'", id);
    return FLUX_NONE;
}

/* The planned slots are a schedule of what was read, with the same makespan: every order in it is the plan's. */
static void same_schedule(const struct flux_graph *graph, const struct flux_fabric *fabric,
                          const struct flux_schedule *schedule, const struct flux_graph *back)
{
    struct flux_names *names;
    struct flux_error error = {0};
    uint64_t count;
    int64_t makespan;
    const struct flux_slot *slot = flux_schedule_slots(schedule, &count);
    struct flux_slot *slots = calloc(count + 1, sizeof *slots);
    assert_int_equal(flux_names_new(NULL, graph, &names), 0);
    for (uint64_t i = 0; i < count; i++) {
        slots[i] = slot[i];
        slots[i].send = find_send(back, flux_names_of(names, slot[i].send));
    }
    if (flux_check(back, fabric, slots, count, &makespan, &error))
        fail_msg("%s", error.text);
    assert_int_equal(makespan, flux_schedule_makespan(schedule));
    flux_names_free(names);
    free(slots);
}

static int64_t path_of(const struct flux_graph *graph, const struct flux_fabric *fabric)
{
    struct flux_certificate *certificate;
    int64_t longest;
    assert_int_equal(flux_bound(graph, fabric, &certificate, NULL), 0);
    longest = flux_certificate_bound(certificate);
    flux_certificate_free(certificate);
    return longest;
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
            files_path(folder, name, prefix);
            if (flux_write_chakra(prefix, graph, ordered ? schedule : NULL, &rounded, &error))
                fail_msg("%s", error.text);
            assert_int_equal(rounded, 0);
            struct flux_import *import = read_back();
            const struct flux_graph *back = flux_import_graph(import);
            same_sends(graph, back);
            same_schedule(graph, fabric, schedule, back);
            if (!ordered)
                assert_int_equal(path_of(back, fabric), path_of(graph, fabric));
            else
                assert_true(path_of(back, fabric) >= path_of(graph, fabric));
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
        cmocka_unit_test_setup_teardown(random_round_trips, begin, end),
        cmocka_unit_test_setup_teardown(order_is_kept, begin, end),
        cmocka_unit_test_setup_teardown(what_cannot_be_said, begin, end),
    };
    return cmocka_run_group_tests_name("chakra_write", tests, NULL, NULL);
}
