/* SPDX-License-Identifier: Apache-2.0
 *
 * Native documents through the public interface: what goes out comes back, whatever it is; schedules alone are read
 * against a given graph.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/files.h"
#include "../support/read_back.h"
#include "base/random.h"

#include <fcntl.h>
#include <libflux/io/import.h>
#include <libflux/io/write.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char input[FILES_PATH]; /* FOLDER/input: what a test reads */

static int start(void **state)
{
    files_begin(state);
    files_path(files_folder, "input", input);
    return 0;
}

static struct flux_import *must_read(const char *path, const struct flux_graph *graph)
{
    struct flux_import_options options = FLUX_IMPORT_OPTIONS_INIT;
    struct flux_import *import;
    struct flux_error error;
    options.graph = graph;
    if (flux_import(NULL, path, &options, &import, &error))
        fail_msg("%s", error.text);
    return import;
}

static struct flux_import *must_read_text(const char *text)
{
    files_write_text(input, text);
    return must_read(input, NULL);
}

/* ---- random objects ---- */

static int64_t random_time(struct flux_random *random)
{
    switch (flux_random_below(random, 4)) {
    case 0:
        return 0;
    case 1:
        return flux_random_below(random, 1000) * FLUX_US;
    case 2:
        return (int64_t)(flux_random_next(random) % ((uint64_t)FLUX_TIME_MAX + 1));
    default:
        return (int64_t)(flux_random_next(random) >> (2 + flux_random_below(random, 60)));
    }
}

/* Bytes of every kind: quotes, controls, line separators, all lengths of characters, words that YAML knows. */
static void random_label(struct flux_random *random, char label[64])
{
    static const char *const parts[] = {"a",
                                        "B",
                                        "_",
                                        "-",
                                        ".",
                                        "/",
                                        "0",
                                        "17",
                                        " ",
                                        "\"",
                                        "'",
                                        "\\",
                                        "\n",
                                        "\r",
                                        "\t",
                                        "\x01",
                                        "\x7f",
                                        ":",
                                        ": ",
                                        "#",
                                        " #",
                                        ",",
                                        "[",
                                        "]",
                                        "{",
                                        "}",
                                        "&",
                                        "*",
                                        "!",
                                        "|",
                                        ">",
                                        "%",
                                        "@",
                                        "`",
                                        "~",
                                        "<<",
                                        "null",
                                        "true",
                                        "yes",
                                        "\xc2\x85",
                                        "\xc2\xa0",
                                        "\xe2\x80\xa8",
                                        "\xe2\x80\xa9",
                                        "\xef\xbb\xbf",
                                        "\xef\xbf\xbe",
                                        "\xc3\xa4",
                                        "\xf0\x9d\x84\x9e",
                                        "---",
                                        "..."};
    uint32_t count = flux_random_below(random, 6);
    label[0] = 0;
    for (uint32_t i = 0; i < count; i++)
        strcat(label, parts[flux_random_below(random, sizeof parts / sizeof parts[0])]);
    if (flux_random_below(random, 8) == 0)
        sprintf(label, "v%u", flux_random_below(random, 12));
}

static struct flux_graph *random_graph(struct flux_random *random)
{
    struct flux_graph *graph;
    char label[64];
    uint32_t gpus = 2 + flux_random_below(random, 6), vertices = flux_random_below(random, 12);
    assert_int_equal(flux_graph_new(NULL, gpus, &graph), 0);
    for (uint32_t v = 0; v < vertices; v++) {
        uint32_t src = flux_random_below(random, gpus);
        struct flux_send send = {src, (src + 1 + flux_random_below(random, gpus - 1)) % gpus, 0, random_time(random),
                                 random_time(random)};
        struct flux_compute compute = {src, 0, random_time(random), random_time(random)};
        if (send.duration == 0 || flux_random_below(random, 2))
            send.bytes = (flux_random_next(random) >> flux_random_below(random, 64)) | 1u;
        if (flux_random_below(random, 3))
            assert_int_equal(flux_graph_add_sends(graph, &send, 1, sizeof send, NULL, NULL), 0);
        else
            assert_int_equal(flux_graph_add_computes(graph, &compute, 1, sizeof compute, NULL, NULL), 0);
        random_label(random, label);
        assert_int_equal(flux_graph_set_label(graph, v, label), 0);
    }
    for (uint32_t i = 0; vertices > 1 && i < 20; i++) {
        uint32_t from = flux_random_below(random, vertices - 1);
        uint32_t to = from + 1 + flux_random_below(random, vertices - 1 - from);
        assert_int_equal(flux_graph_add_edge(graph, from, to, random_time(random)), 0);
    }
    return graph;
}

static void random_ports(struct flux_random *random, struct flux_fabric *fabric, uint32_t gpus, uint32_t switches)
{
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t g = flux_random_below(random, gpus), k = flux_random_below(random, switches);
        uint32_t h = (g + 1 + flux_random_below(random, gpus - 1)) % gpus;
        if (flux_random_below(random, 2))
            assert_int_equal(flux_fabric_set_rate(fabric, g, k, 1 + (flux_random_next(random) >> 20)), 0);
        if (flux_random_below(random, 2))
            assert_int_equal(flux_fabric_set_dead(fabric, g, k, 1), 0);
        if (flux_random_below(random, 2))
            assert_int_equal(flux_fabric_set_forbidden(fabric, k, g, h, 1), 0);
        if (flux_random_below(random, 2))
            assert_int_equal(flux_fabric_add_initial(fabric, k, g, h), 0);
        uint32_t src = flux_random_below(random, 3) ? g : FLUX_ALL_GPUS;
        uint32_t dst = flux_random_below(random, 3) ? h : FLUX_ALL_GPUS;
        if (flux_random_below(random, 2))
            assert_int_equal(flux_fabric_set_propagation(fabric, src, dst, random_time(random)), 0);
    }
}

static struct flux_fabric *random_fabric(struct flux_random *random, uint32_t gpus)
{
    struct flux_fabric *fabric;
    uint32_t switches = 1 + flux_random_below(random, 4);
    assert_int_equal(flux_fabric_new(NULL, gpus, switches, &fabric), 0);
    assert_int_equal(flux_fabric_set_rule(fabric, flux_random_below(random, 3)), 0);
    assert_int_equal(flux_fabric_set_rate(fabric, FLUX_ALL_GPUS, FLUX_ALL_SWITCHES, 1 + flux_random_next(random) / 2),
                     0);
    assert_int_equal(flux_fabric_set_propagation(fabric, FLUX_ALL_GPUS, FLUX_ALL_GPUS, random_time(random)), 0);
    for (uint32_t k = 0; k < switches; k++) {
        assert_int_equal(flux_fabric_set_delay(fabric, k, random_time(random)), 0);
        assert_int_equal(flux_fabric_set_blocking(fabric, k, flux_random_below(random, 2)), 0);
        assert_int_equal(flux_fabric_set_dwell(fabric, k, random_time(random)), 0);
    }
    if (flux_random_below(random, 3))
        random_ports(random, fabric, gpus, switches);
    return fabric;
}

/* ---- comparison through the accessors ---- */

static void compare_graphs(const struct flux_graph *a, const struct flux_graph *b)
{
    uint64_t a_count, b_count;
    assert_int_equal(flux_graph_gpus(a), flux_graph_gpus(b));
    assert_int_equal(flux_graph_vertices(a), flux_graph_vertices(b));
    for (uint32_t v = 0; v < flux_graph_vertices(a); v++) {
        struct flux_send a_send, b_send;
        struct flux_compute a_compute, b_compute;
        assert_int_equal(flux_graph_is_send(a, v), flux_graph_is_send(b, v));
        if (flux_graph_is_send(a, v)) {
            flux_graph_get_send(a, v, &a_send);
            flux_graph_get_send(b, v, &b_send);
            assert_memory_equal(&a_send, &b_send, sizeof a_send);
        } else {
            flux_graph_get_compute(a, v, &a_compute);
            flux_graph_get_compute(b, v, &b_compute);
            assert_memory_equal(&a_compute, &b_compute, sizeof a_compute);
        }
    }
    const struct flux_edge *a_edges = flux_graph_edges(a, &a_count);
    const struct flux_edge *b_edges = flux_graph_edges(b, &b_count);
    assert_int_equal(a_count, b_count);
    if (a_count)
        assert_memory_equal(a_edges, b_edges, a_count * sizeof *a_edges);
}

static void compare_fabrics(const struct flux_fabric *a, const struct flux_fabric *b)
{
    uint32_t gpus = flux_fabric_gpus(a), switches = flux_fabric_switches(a);
    uint64_t a_count, b_count;
    assert_int_equal(gpus, flux_fabric_gpus(b));
    assert_int_equal(switches, flux_fabric_switches(b));
    assert_int_equal(flux_fabric_rule(a), flux_fabric_rule(b));
    for (uint32_t k = 0; k < switches; k++) {
        assert_int_equal(flux_fabric_delay(a, k), flux_fabric_delay(b, k));
        assert_int_equal(flux_fabric_blocking(a, k), flux_fabric_blocking(b, k));
        assert_int_equal(flux_fabric_dwell(a, k), flux_fabric_dwell(b, k));
        for (uint32_t g = 0; g < gpus; g++) {
            assert_int_equal(flux_fabric_rate(a, g, k), flux_fabric_rate(b, g, k));
            assert_int_equal(flux_fabric_dead(a, g, k), flux_fabric_dead(b, g, k));
        }
    }
    for (uint32_t g = 0; g < gpus; g++)
        for (uint32_t h = 0; h < gpus; h++)
            assert_int_equal(flux_fabric_propagation(a, g, h), flux_fabric_propagation(b, g, h));
    const struct flux_circuit_name *a_circuits = flux_fabric_forbidden(a, &a_count);
    const struct flux_circuit_name *b_circuits = flux_fabric_forbidden(b, &b_count);
    assert_int_equal(a_count, b_count);
    if (a_count)
        assert_memory_equal(a_circuits, b_circuits, a_count * sizeof *a_circuits);
    a_circuits = flux_fabric_initial(a, &a_count);
    b_circuits = flux_fabric_initial(b, &b_count);
    assert_int_equal(a_count, b_count);
    if (a_count)
        assert_memory_equal(a_circuits, b_circuits, a_count * sizeof *a_circuits);
}

/* Writes, reads, compares, writes again: the same bytes. */
static void check_round_trip(const struct flux_graph *graph, const struct flux_fabric *fabric, const char *end)
{
    char first[FILES_PATH], second[FILES_PATH], name[32];
    struct flux_error error;
    snprintf(name, sizeof name, "first%s", end);
    files_path(files_folder, name, first);
    snprintf(name, sizeof name, "second%s", end);
    files_path(files_folder, name, second);
    if (flux_write_document(first, graph, fabric, NULL, &error))
        fail_msg("%s", error.text);
    struct flux_import *import = must_read(first, NULL);
    if (graph)
        compare_graphs(graph, flux_import_graph(import));
    else
        assert_null(flux_import_graph(import));
    if (fabric)
        compare_fabrics(fabric, flux_import_fabric(import));
    else
        assert_null(flux_import_fabric(import));
    assert_int_equal(flux_write_document(second, flux_import_graph(import), flux_import_fabric(import), NULL, &error),
                     0);
    flux_import_free(import);
    assert_true(files_equal(first, second));
}

static void test_random_round_trips(void **state)
{
    (void)state;
    struct flux_random random = {20240601};
    for (int i = 0; i < 400; i++) {
        struct flux_graph *graph = random_graph(&random);
        struct flux_fabric *fabric = random_fabric(&random, flux_graph_gpus(graph));
        check_round_trip(graph, fabric, i % 2 ? ".json" : ".yaml");
        if (i % 8 == 0) {
            check_round_trip(graph, NULL, ".yaml");
            check_round_trip(NULL, fabric, ".json");
        }
        flux_graph_free(graph);
        flux_fabric_free(fabric);
    }
}

/* ---- labels ---- */

static void test_labels_come_back(void **state)
{
    (void)state;
    static const char *const labels[] = {"layer0/all-reduce", "a b", "17", "null", "\xc3\xa4\n\t\"\\", "v5", ""};
    char path[FILES_PATH];
    struct flux_graph *graph;
    assert_int_equal(flux_graph_new(NULL, 2, &graph), 0);
    for (uint32_t v = 0; v < 7; v++) {
        assert_int_equal(flux_graph_add_send(graph, 0, 1, 1, NULL), 0);
        assert_int_equal(flux_graph_set_label(graph, v, labels[v]), 0);
    }
    assert_int_equal(flux_write_document(files_path(files_folder, "labels", path), graph, NULL, NULL, NULL), 0);
    struct flux_import *import = must_read(path, NULL);
    for (uint32_t v = 0; v < 7; v++) /* vertex 5 is called v5 anyhow */
        assert_string_equal(flux_graph_label(flux_import_graph(import), v), v == 5 ? "" : labels[v]);
    flux_import_free(import);
    flux_graph_free(graph);
}

/* UTF-8 of a character, of any plane. */
static size_t put_character(struct flux_random *random, char *to)
{
    static const uint32_t below[] = {0x20, 0x80, 0x800, 0x10000, 0x110000};
    uint32_t code = 1 + flux_random_below(random, below[flux_random_below(random, 5)] - 1);
    unsigned char *at = (unsigned char *)to;
    if (code >= 0xd800 && code < 0xe000)
        code -= 0x800; /* surrogates are no characters */
    if (code < 0x80) {
        at[0] = (unsigned char)code;
        return 1;
    }
    size_t more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
    at[0] = (unsigned char)(lead[more] | code >> (6 * more));
    for (size_t i = 1; i <= more; i++)
        at[i] = (unsigned char)(0x80 | (code >> (6 * (more - i)) & 0x3f));
    return more + 1;
}

static void test_any_characters_come_back(void **state)
{
    (void)state;
    struct flux_random random = {20261129};
    for (int i = 0; i < 300; i++) {
        char path[FILES_PATH], label[64];
        struct flux_graph *graph;
        assert_int_equal(flux_graph_new(NULL, 2, &graph), 0);
        for (uint32_t v = 0; v < 4; v++) {
            size_t length = (size_t)snprintf(label, sizeof label, "%u", v); /* all different */
            for (uint32_t c = flux_random_below(&random, 12); c > 0; c--)
                length += put_character(&random, label + length);
            label[length] = 0;
            assert_int_equal(flux_graph_add_send(graph, 0, 1, 1, NULL), 0);
            assert_int_equal(flux_graph_set_label(graph, v, label), 0);
        }
        files_path(files_folder, i % 2 ? "any.json" : "any.yaml", path);
        assert_int_equal(flux_write_document(path, graph, NULL, NULL, NULL), 0);
        struct flux_import *import = must_read(path, NULL);
        for (uint32_t v = 0; v < 4; v++)
            assert_string_equal(flux_graph_label(flux_import_graph(import), v), flux_graph_label(graph, v));
        flux_import_free(import);
        flux_graph_free(graph);
    }
}

/* ---- schedules ---- */

/* Four GPUs in a ring, twice around, with compute between. */
static struct flux_graph *ring(void)
{
    struct flux_graph *graph;
    char label[16];
    assert_int_equal(flux_graph_new(NULL, 4, &graph), 0);
    for (uint32_t v = 0; v < 8; v++) {
        assert_int_equal(flux_graph_add_send(graph, v % 4, (v + 1) % 4, 1000000 + v, NULL), 0);
        snprintf(label, sizeof label, v % 3 ? "s%u" : "send, \"%u\"", v);
        assert_int_equal(flux_graph_set_label(graph, v, label), 0);
        if (v >= 4)
            assert_int_equal(flux_graph_add_edge(graph, (v - 1) % 4, v, FLUX_US), 0);
    }
    assert_int_equal(flux_graph_add_compute(graph, 0, FLUX_US, NULL), 0);
    assert_int_equal(flux_graph_add_edge(graph, 7, 8, 0), 0);
    return graph;
}

static struct flux_fabric *two_switches(uint32_t rule)
{
    struct flux_fabric *fabric;
    assert_int_equal(flux_fabric_new(NULL, 4, 2, &fabric), 0);
    assert_int_equal(flux_fabric_set_delay(fabric, FLUX_ALL_SWITCHES, 10 * FLUX_US), 0);
    assert_int_equal(flux_fabric_set_rule(fabric, rule), 0);
    return fabric;
}

/* With its own slots a schedule is the same again: bound and certificate depend on graph and fabric alone. */
static struct flux_schedule *reschedule(const struct flux_graph *graph, const struct flux_fabric *fabric,
                                        const struct flux_slot *slots, uint64_t count)
{
    struct flux_schedule *schedule;
    struct flux_error error;
    if (flux_schedule_from_slots(graph, fabric, slots, count, &schedule, &error))
        fail_msg("%s", error.text);
    return schedule;
}

static void check_schedule_round_trip(uint32_t rule, const char *end)
{
    char first[FILES_PATH], second[FILES_PATH], name[32];
    struct flux_graph *graph = ring();
    struct flux_fabric *fabric = two_switches(rule);
    struct flux_schedule *schedule;
    struct flux_error error;
    uint64_t count;
    if (flux_schedule(graph, fabric, NULL, &schedule, &error))
        fail_msg("%s", error.text);
    const struct flux_slot *slots = flux_schedule_slots(schedule, &count);
    struct flux_schedule *same = reschedule(graph, fabric, slots, count);
    snprintf(name, sizeof name, "schedule1%s", end);
    assert_int_equal(flux_write_document(files_path(files_folder, name, first), graph, fabric, same, &error), 0);
    struct flux_import *import = must_read(first, NULL);
    uint64_t read_count;
    const struct flux_slot *read = flux_import_slots(import, &read_count);
    assert_int_equal(read_count, count);
    assert_memory_equal(read, slots, count * sizeof *slots);
    assert_int_equal(flux_import_count(import, "makespan"), flux_schedule_makespan(same));
    assert_int_equal(flux_import_count(import, "bound"), flux_schedule_bound(same));
    struct flux_schedule *again = reschedule(flux_import_graph(import), flux_import_fabric(import), read, read_count);
    snprintf(name, sizeof name, "schedule2%s", end);
    assert_int_equal(flux_write_document(files_path(files_folder, name, second), flux_import_graph(import),
                                         flux_import_fabric(import), again, &error),
                     0);
    assert_true(files_equal(first, second));
    flux_import_free(import);
    flux_schedule_free(again);
    flux_schedule_free(same);
    flux_schedule_free(schedule);
    flux_fabric_free(fabric);
    flux_graph_free(graph);
}

static void test_schedule_round_trips(void **state)
{
    (void)state;
    for (uint32_t rule = FLUX_RULE_PAPER; rule <= FLUX_RULE_SIMPLEX; rule++) {
        check_schedule_round_trip(rule, ".yaml");
        check_schedule_round_trip(rule, ".json");
    }
}

/* What a schedule's part looks like, worked out by hand: two sends of 1 MB, one after the other on one switch. */
static void test_written_schedule(void **state)
{
    (void)state;
    char path[FILES_PATH];
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    assert_int_equal(flux_graph_new(NULL, 3, &graph), 0);
    assert_int_equal(flux_graph_add_send(graph, 0, 1, 1000000, NULL), 0);
    assert_int_equal(flux_graph_add_send(graph, 1, 2, 1000000, NULL), 0);
    assert_int_equal(flux_fabric_new(NULL, 3, 1, &fabric), 0);
    struct flux_slot slots[] = {{1, 0, 0, 10 * FLUX_US}, {0, 0, 10 * FLUX_US, 20 * FLUX_US}};
    struct flux_schedule *schedule = reschedule(graph, fabric, slots, 2);
    assert_int_equal(flux_write_document(files_path(files_folder, "hand", path), graph, fabric, schedule, NULL), 0);
    char *text = files_read(path, NULL);
    assert_non_null(text);
    assert_non_null(strstr(text, "\nschedule:\n"
                                 "  status: optimal\n"
                                 "  makespan: 20us\n"
                                 "  bound: 20us\n"
                                 "  sends:\n"
                                 "    - {id: v0, switch: 0, start: 10us, end: 20us}\n"
                                 "    - {id: v1, switch: 0, start: 0ps, end: 10us}\n"
                                 "  certificate: {kind: port-load, gpu: 1, head: 0ps, tail: 0ps, sends: [v0, v1]}\n"));
    free(text);
    flux_schedule_free(schedule);
    flux_fabric_free(fabric);
    flux_graph_free(graph);
}

static void test_csv(void **state)
{
    (void)state;
    char path[FILES_PATH];
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_error error;
    assert_int_equal(flux_graph_new(NULL, 3, &graph), 0);
    assert_int_equal(flux_graph_add_send(graph, 0, 1, 1000000, NULL), 0);
    assert_int_equal(flux_graph_add_compute(graph, 0, 5, NULL), 0);
    assert_int_equal(flux_graph_add_send(graph, 1, 2, 1000000, NULL), 0);
    assert_int_equal(flux_graph_set_label(graph, 0, "a, \"b\"\nc"), 0);
    assert_int_equal(flux_fabric_new(NULL, 3, 1, &fabric), 0);
    struct flux_slot slots[] = {{0, 0, 10 * FLUX_US, 20 * FLUX_US}, {2, 0, 0, 10 * FLUX_US}};
    struct flux_schedule *schedule = reschedule(graph, fabric, slots, 2);
    files_path(files_folder, "csv", path);
    assert_int_equal(flux_write_csv(path, graph, schedule, &error), 0);
    char *text = files_read(path, NULL);
    assert_non_null(text);
    assert_string_equal(text, "send,src,dst,switch,start_ps,end_ps\n"
                              "\"a, \"\"b\"\"\nc\",0,1,0,10000000,20000000\n"
                              "v2,1,2,0,0,10000000\n");
    free(text);
    assert_int_equal(flux_write_csv(path, graph, NULL, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_write_csv(path, NULL, schedule, &error), FLUX_E_ARGUMENT);
    flux_schedule_free(schedule);
    flux_fabric_free(fabric);
    flux_graph_free(graph);
}

static void test_parts_that_do_not_belong_together(void **state)
{
    (void)state;
    char path[FILES_PATH];
    struct flux_graph *graph = ring(), *other;
    struct flux_fabric *fabric = two_switches(FLUX_RULE_PAPER), *small;
    struct flux_schedule *schedule;
    struct flux_error error;
    files_path(files_folder, "apart", path);
    assert_int_equal(flux_schedule(graph, fabric, NULL, &schedule, &error), 0);
    assert_int_equal(flux_graph_new(NULL, 4, &other), 0);
    assert_int_equal(flux_fabric_new(NULL, 3, 2, &small), 0);
    assert_int_equal(flux_write_document(path, NULL, NULL, NULL, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_write_document(path, NULL, fabric, schedule, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_write_document(NULL, graph, NULL, NULL, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_write_document(path, graph, small, NULL, &error), FLUX_E_MISMATCH);
    assert_int_equal(flux_write_document(path, other, fabric, schedule, &error), FLUX_E_MISMATCH);
    assert_int_equal(flux_write_csv(path, other, schedule, &error), FLUX_E_MISMATCH);
    assert_false(files_exists(path));
    assert_int_equal(flux_write_document("/proc/flux-test.yaml", graph, fabric, schedule, &error), FLUX_E_IO);
    flux_schedule_free(schedule);
    flux_fabric_free(fabric);
    flux_fabric_free(small);
    flux_graph_free(graph);
    flux_graph_free(other);
}

/* A schedule without its workload: ids are looked up in a graph of the caller's, unlabelled vertices by number. */
static void test_schedule_against_a_graph(void **state)
{
    (void)state;
    struct flux_import_options options = FLUX_IMPORT_OPTIONS_INIT;
    struct flux_import *import;
    struct flux_graph *graph;
    struct flux_error error;
    uint64_t count;
    assert_int_equal(flux_graph_new(NULL, 3, &graph), 0);
    assert_int_equal(flux_graph_add_send(graph, 0, 1, 1000000, NULL), 0);
    assert_int_equal(flux_graph_add_send(graph, 1, 2, 1000000, NULL), 0);
    assert_int_equal(flux_graph_set_label(graph, 0, "first"), 0);
    files_write_text(input, "flux: 1\nfabric: {switches: 1}\nschedule:\n  sends:\n"
                            "    - {id: v1, switch: 0, start: 0us, end: 10us}\n"
                            "    - {id: first, switch: 0, start: 10us, end: 20us}\n");
    import = must_read(input, graph);
    const struct flux_slot *slots = flux_import_slots(import, &count);
    assert_null(flux_import_graph(import));
    assert_int_equal(flux_fabric_gpus(flux_import_fabric(import)), 3);
    assert_int_equal(count, 2);
    assert_int_equal(slots[0].send, 1);
    assert_int_equal(slots[1].send, 0);
    assert_int_equal(flux_check(graph, flux_import_fabric(import), slots, count, NULL, &error), 0);
    flux_import_free(import);
    read_back_refused(input, FLUX_E_FORMAT, "needs the key gpus"); /* without the graph */
    files_write_text(input, "flux: 1\nschedule: {sends: [{id: second, switch: 0, start: 0us, end: 10us}]}\n");
    options.graph = graph;
    assert_int_equal(flux_import(NULL, input, &options, &import, &error), FLUX_E_FORMAT);
    assert_non_null(strstr(error.text, "no vertex has the id 'second'"));
    assert_int_equal(error.line, 2);
    flux_graph_free(graph);
}

/* ---- what an import tells ---- */

static void test_counts_and_notes(void **state)
{
    (void)state;
    struct flux_import *import =
        must_read_text("flux: 1\nworkload:\n  gpus: 3\n  vertices:\n"
                       "    - {id: a, send: [0, 1], size: 1kB}\n    - {id: b, send: [1, 2], size: 17B, time: 1us}\n"
                       "    - {id: c, compute: 1, time: 0ps}\n"
                       "schedule: {status: feasible, makespan: 5ns, sends: []}\n");
    assert_int_equal(flux_import_count(import, "ranks"), 3);
    assert_int_equal(flux_import_count(import, "nodes"), 3);
    assert_int_equal(flux_import_count(import, "messages"), 2);
    assert_int_equal(flux_import_count(import, "bytes"), 1017);
    assert_int_equal(flux_import_count(import, "collectives"), 0);
    assert_int_equal(flux_import_count(import, "makespan"), 5000);
    assert_int_equal(flux_import_count(import, "bound"), 0);
    assert_int_equal(flux_import_count(import, "else"), 0);
    assert_int_equal(flux_import_count(import, NULL), 0);
    assert_int_equal(flux_import_warnings(import), 0);
    assert_int_equal(flux_import_notes(import), 1);
    assert_string_equal(flux_import_note(import, 0),
                        "the schedule says of itself: feasible, makespan 5ns, bound unknown");
    assert_null(flux_import_note(import, 1));
    struct flux_graph *graph = flux_import_take_graph(import);
    assert_null(flux_import_graph(import));
    assert_null(flux_import_take_graph(import));
    flux_import_free(import);
    assert_int_equal(flux_graph_sends(graph), 2);
    flux_graph_free(graph);
}

static void test_arguments(void **state)
{
    (void)state;
    struct flux_import_options options = FLUX_IMPORT_OPTIONS_INIT;
    struct flux_env env = FLUX_ENV_INIT;
    struct flux_import *import;
    struct flux_error error;
    files_write_text(input, "flux: 1\nworkload: {gpus: 2, vertices: [{id: a, compute: 0, time: 1s}, "
                            "{id: b, compute: 0, time: 1s}]}\n");
    assert_int_equal(flux_import(NULL, input, NULL, NULL, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_import(NULL, NULL, NULL, &import, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_import(NULL, "", NULL, &import, &error), FLUX_E_ARGUMENT);
    options.size = 8;
    assert_int_equal(flux_import(NULL, input, &options, &import, &error), FLUX_E_ABI);
    options.size = sizeof options;
    env.size = 1;
    assert_int_equal(flux_import(&env, input, NULL, &import, &error), FLUX_E_ABI);
    options.vertices_max = 1;
    assert_int_equal(flux_import(NULL, input, &options, &import, &error), FLUX_E_TOO_BIG);
    assert_int_equal(error.line, 2);
    options.vertices_max = 2;
    assert_int_equal(flux_import(NULL, input, &options, &import, &error), 0);
    flux_import_free(import);
    flux_import_free(NULL);
    assert_null(flux_import_format(NULL));
    assert_null(flux_import_graph(NULL));
    assert_null(flux_import_fabric(NULL));
    assert_null(flux_import_slots(NULL, NULL));
    assert_int_equal(flux_import_notes(NULL) + flux_import_warnings(NULL) + flux_import_count(NULL, "bytes"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_round_trips),
        cmocka_unit_test(test_labels_come_back),
        cmocka_unit_test(test_any_characters_come_back),
        cmocka_unit_test(test_schedule_round_trips),
        cmocka_unit_test(test_written_schedule),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_parts_that_do_not_belong_together),
        cmocka_unit_test(test_schedule_against_a_graph),
        cmocka_unit_test(test_counts_and_notes),
        cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, start, files_end);
}
