/* SPDX-License-Identifier: Apache-2.0
 *
 * GOAL: the files of LogGOPSim and of its generator against counts of an independent reader, and what each statement
 * means.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/files.h"
#include "../support/ideal.h"

#include <jansson.h>
#include <libflux/io/import.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOT "tests/data/"

static struct flux_import *read_file(const char *path, const struct flux_import_options *options)
{
    struct flux_import *import;
    struct flux_error error;
    if (flux_import(NULL, path, options, &import, &error))
        fail_msg("%s", error.text);
    return import;
}

static struct flux_import *read_text(const char *text, const struct flux_import_options *options)
{
    char path[FILES_PATH];
    files_write_text(files_path(files_folder, "t.goal", path), text);
    return read_file(path, options);
}

static void refused(const char *text, int code, const char *words)
{
    struct flux_import *import;
    struct flux_error error;
    char path[FILES_PATH];
    files_write_text(files_path(files_folder, "t.goal", path), text);
    assert_int_equal(flux_import(NULL, path, NULL, &import, &error), code);
    assert_null(import);
    if (!strstr(error.text, words))
        fail_msg("no \"%s\" in \"%s\"", words, error.text);
}

/* ---- counts ---- */

static int64_t number_of(const json_t *entry, const char *key)
{
    return json_integer_value(json_object_get(entry, key));
}

static void check_counts(const char *name, const json_t *entry)
{
    struct flux_import_options options = FLUX_IMPORT_OPTIONS_INIT;
    char path[512];
    uint64_t edges;
    int64_t calculated = 0;
    options.overlap_compute = 1; /* or the order of calculations is more edges */
    options.strict = 1;
    snprintf(path, sizeof path, ROOT "%s", name);
    struct flux_import *import = read_file(path, &options);
    const struct flux_graph *graph = flux_import_graph(import);
    assert_string_equal(flux_import_format(import), "goal");
    assert_int_equal(flux_import_count(import, "ranks"), number_of(entry, "ranks"));
    assert_int_equal(flux_graph_gpus(graph), number_of(entry, "ranks_seen"));
    assert_int_equal(flux_graph_sends(graph), number_of(entry, "send"));
    assert_int_equal(flux_import_count(import, "messages"), number_of(entry, "recv"));
    assert_int_equal(flux_import_count(import, "bytes"), number_of(entry, "bytes"));
    assert_int_equal(flux_import_count(import, "nodes"),
                     number_of(entry, "send") + number_of(entry, "recv") + number_of(entry, "calc"));
    flux_graph_edges(graph, &edges);
    assert_int_equal(edges, number_of(entry, "requires") + number_of(entry, "recv"));
    assert_int_equal(0, number_of(entry, "unmatched"));
    for (uint32_t v = 0; v < flux_graph_vertices(graph); v++) {
        struct flux_compute compute;
        if (flux_graph_is_send(graph, v))
            continue;
        assert_int_equal(flux_graph_get_compute(graph, v, &compute), 0);
        calculated += compute.duration;
    }
    assert_int_equal(calculated, 1000 * number_of(entry, "calc_ns"));
    flux_import_free(import);
}

static void files_hold_what_an_independent_reader_found(void **state)
{
    json_t *oracle = json_load_file(ROOT "oracle.json", 0, NULL), *entry;
    const char *name;
    int files = 0;
    (void)state;
    json_object_foreach(json_object_get(oracle, "goal"), name, entry)
    {
        check_counts(name, entry);
        files++;
    }
    assert_int_equal(files, 7);
    json_decref(oracle);
}

static void text_and_binary_are_one_graph(void **state)
{
    static const char *const names[] = {"binary_tree_32", "generated/allreduce_recdoub_8_1048576",
                                        "generated/allreduce_ring_4_4194304", "generated/allreduce_ring_8_1048576"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[2][512];
        struct flux_import *import[2];
        struct ideal ideal[2];
        snprintf(path[0], sizeof path[0], ROOT "loggopsim/%s.goal", names[i]);
        snprintf(path[1], sizeof path[1], ROOT "loggopsim/%s.bin", names[i]);
        for (int k = 0; k < 2; k++) {
            import[k] = read_file(path[k], NULL);
            assert_int_equal(ideal_run(&ideal[k], flux_import_graph(import[k]), FLUX_RATE_DEFAULT), 0);
        }
        assert_string_equal(flux_import_format(import[1]), "goal-binary");
        const struct flux_graph *text = flux_import_graph(import[0]);
        const struct flux_graph *binary = flux_import_graph(import[1]);
        assert_int_equal(flux_graph_vertices(text), flux_graph_vertices(binary));
        for (uint32_t v = 0; v < flux_graph_vertices(text); v++) {
            struct flux_send a, b;
            assert_int_equal(flux_graph_is_send(text, v), flux_graph_is_send(binary, v));
            assert_int_equal(ideal[0].start[v], ideal[1].start[v]);
            if (!flux_graph_is_send(text, v))
                continue;
            flux_graph_get_send(text, v, &a);
            flux_graph_get_send(binary, v, &b);
            assert_true(a.src == b.src && a.dst == b.dst && a.bytes == b.bytes);
        }
        for (int k = 0; k < 2; k++) {
            ideal_free(&ideal[k]);
            flux_import_free(import[k]);
        }
    }
}

/* ---- meaning ---- */

/* When the vertex whose label ends in `name` starts on links that never wait. */
static int64_t start_of(const struct flux_import *import, const char *name)
{
    const struct flux_graph *graph = flux_import_graph(import);
    struct ideal ideal;
    int64_t start = -1;
    assert_int_equal(ideal_run(&ideal, graph, FLUX_RATE_DEFAULT), 0);
    for (uint32_t v = 0; v < flux_graph_vertices(graph); v++) {
        const char *label = flux_graph_label(graph, v);
        size_t length = strlen(label), tail = strlen(name);
        if (length >= tail && strcmp(label + length - tail, name) == 0)
            start = ideal.start[v];
    }
    ideal_free(&ideal);
    return start;
}

static void irequires_waits_for_the_start(void **state)
{
    (void)state;
    struct flux_import *import = read_text("num_ranks 2\n"
                                           "rank 0 {\n"
                                           "a: calc 100\n" /* 0 .. 100 */
                                           "b: calc 500\n" /* 100 .. 600, in the stream of a */
                                           "c: calc 7 cpu 1\n"
                                           "d: send 1b to 1\n"
                                           "c irequires b\n"
                                           "d requires c\n"
                                           "}\n"
                                           "rank 1 {\nr: recv 1b from 0\n}\n",
                                           NULL);
    assert_int_equal(start_of(import, "/b"), 100000);
    assert_int_equal(start_of(import, "/c"), 100000);
    assert_int_equal(start_of(import, "/d"), 107000);
    assert_int_equal(flux_import_count(import, "nodes"), 5);
    flux_import_free(import);
}

static void streams_are_those_of_cpus(void **state)
{
    struct flux_import_options options = FLUX_IMPORT_OPTIONS_INIT;
    static const char text[] = "num_ranks 2\nrank 0 {\na: calc 10\nb: calc 20 cpu 3\nc: calc 30\nd: calc 40 cpu 3\n}\n"
                               "rank 1 {\n}\n";
    (void)state;
    struct flux_import *import = read_text(text, NULL);
    assert_int_equal(start_of(import, "/c"), 10000);
    assert_int_equal(start_of(import, "/d"), 20000);
    flux_import_free(import);
    options.overlap_compute = 1;
    import = read_text(text, &options);
    assert_int_equal(start_of(import, "/d"), 0);
    flux_import_free(import);
}

static void endpoints_are_ranks_or_interfaces(void **state)
{
    struct flux_import_options options = FLUX_IMPORT_OPTIONS_INIT;
    static const char text[] = "num_ranks 2\n"
                               "rank 0 {\nsend 8b to 1 nic 2\nx: send 8b to 0 tag 5 nic 1\nrecv 8b from 0 tag 5\n}\n"
                               "rank 1 {\nrecv 8b from 0 nic 1\n}\n";
    struct flux_send send;
    (void)state;
    refused(text, FLUX_E_FORMAT, "t.goal:4:1: rank 0 node 1 (x) sends to its own rank");
    options.endpoints = FLUX_ENDPOINTS_NIC;
    struct flux_import *import = read_text(text, &options);
    const struct flux_graph *graph = flux_import_graph(import);
    uint32_t found = 0;
    assert_int_equal(flux_graph_gpus(graph), 6);
    for (uint32_t v = 0; v < flux_graph_vertices(graph); v++) {
        if (!flux_graph_is_send(graph, v))
            continue;
        flux_graph_get_send(graph, v, &send);
        found |= send.src == 2 && send.dst == 4 ? 1 : send.src == 1 && send.dst == 0 ? 2 : 4;
    }
    assert_int_equal(found, 3);
    flux_import_free(import);
}

static void equal_keys_pair_in_order(void **state)
{
    (void)state;
    struct flux_import *import = read_text("num_ranks 2\nrank 0 {\nsend 8b to 1\nsend 16b to 1\nsend 8b to 1 tag 1\n}\n"
                                           "rank 1 {\nrecv 8b from 0 tag 1\nrecv 8b from 0\nrecv 16b from 0\n}\n",
                                           NULL);
    assert_int_equal(flux_import_count(import, "messages"), 3);
    flux_import_free(import);
    refused("num_ranks 2\nrank 0 {\nsend 8b to 1\nsend 16b to 1\n}\nrank 1 {\nrecv 16b from 0\nrecv 8b from 0\n}\n",
            FLUX_E_FORMAT, "rank 0 node 0 sends 8 bytes and rank 1 node 0, its receive, expects 16");
    refused("num_ranks 2\nrank 0 {\nsend 8b to 1 tag 3\n}\nrank 1 {\n}\n", FLUX_E_FORMAT,
            "t.goal:3:1: rank 0 node 0 sends to rank 1 with tag 3, which has no receive for it");
}

static void what_is_wrong_is_told_with_its_place(void **state)
{
    (void)state;
    refused("num_ranks 0\n", FLUX_E_FORMAT, "t.goal:1:11: num_ranks is 0");
    refused("num_ranks 99999999999999999999\n", FLUX_E_FORMAT, "does not fit in 64 bits");
    refused("num_ranks 4000000000\n", FLUX_E_TOO_BIG, "4000000000 ranks");
    refused("num_ranks 1\nrank 0 {\nsend 8b to 7\n}\n", FLUX_E_FORMAT, "t.goal:3:1: rank 0 node 0 sends to rank 7");
    refused("num_ranks 1\nrank 1 {\n}\n", FLUX_E_FORMAT, "t.goal:2:6: rank 1, and num_ranks says 0 .. 0");
    refused("num_ranks 1\nrank 0 {\n}\nrank 0 {\n}\n", FLUX_E_FORMAT, "t.goal:4:6: rank 0 has a block already");
    refused("num_ranks 1\nrank 0 {\na: calc 1\na requires b\n}\n", FLUX_E_FORMAT,
            "t.goal:4:12: no operation of rank 0");
    refused("num_ranks 2\nrank 0 {\na: calc 1\n}\nrank 1 {\nb: calc 1\nb requires a\n}\n", FLUX_E_FORMAT,
            "t.goal:7:12: no operation of rank 1");
    refused("num_ranks 1\nrank 0 {\na: calc 1\na requires a\n}\n", FLUX_E_FORMAT,
            "t.goal:3:1: rank 0 node 0 (a) waits");
    refused("num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb irequires a\n}\n", FLUX_E_CYCLE, "waits for");
    refused("num_ranks 1\nrank 0 {\na: calc 1 2\n}\n", FLUX_E_FORMAT, "t.goal:3:11: the statement is over here");
    refused("num_ranks 1\nrank 0 {\na: calc 1 /* no end\n}\n", FLUX_E_FORMAT, "t.goal:3:11: a '/'");
    refused("num_ranks 1\nrank 0 {\na: calc 18446744073709551615\n}\n", FLUX_E_OVERFLOW,
            "t.goal:3:1: rank 0 node 0 (a)");
    refused("num_ranks 2\nrank 0 {\nsend 9223372036854775808b to 1\nsend 9223372036854775808b to 1\n}\n"
            "rank 1 {\nrecv 9223372036854775808b from 0\nrecv 9223372036854775808b from 0\n}\n",
            FLUX_E_OVERFLOW, "more than 2^64 bytes");
    refused("num_ranks 2\nrank 0 {\nrecv 1b from 1\nsend 1b to 1\n1x: calc 1\n}\n", FLUX_E_FORMAT,
            "t.goal: declares 2 ranks and has no block of rank 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_hold_what_an_independent_reader_found),
        cmocka_unit_test(text_and_binary_are_one_graph),
        cmocka_unit_test(irequires_waits_for_the_start),
        cmocka_unit_test(streams_are_those_of_cpus),
        cmocka_unit_test(endpoints_are_ranks_or_interfaces),
        cmocka_unit_test(equal_keys_pair_in_order),
        cmocka_unit_test(what_is_wrong_is_told_with_its_place),
    };
    return cmocka_run_group_tests(tests, files_begin, files_end);
}
