/* SPDX-License-Identifier: Apache-2.0
 *
 * MSCCL algorithms: files against counts of an independent reader, and what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/files.h"
#include "../support/ideal.h"

#include "io/msccl/msccl.h"

#include <jansson.h>
#include <libflux/io/import.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOT "tests/data/"

/* ---- counts ---- */

static int64_t count_of(const struct flux_io_msccl *msccl, const char *key)
{
    int64_t sends = 0, receives = 0, chunks = 0, ops = 0;
    for (uint64_t i = 0; i < msccl->step_count; i++) {
        const struct flux_io_msccl_step *step = &msccl->steps[i];
        sends += (step->flags & FLUX_IO_MSCCL_SENDS) != 0;
        receives += (step->flags & FLUX_IO_MSCCL_RECEIVES) != 0;
        chunks += step->flags & FLUX_IO_MSCCL_SENDS ? step->count : 0;
        ops += strncmp(key, "op_", 3) == 0 && strcmp(flux_io_msccl_type(step->type), key + 3) == 0;
    }
    return strcmp(key, "sends") == 0            ? sends
           : strcmp(key, "recvs") == 0          ? receives
           : strcmp(key, "chunks_sent") == 0    ? chunks
           : strcmp(key, "steps") == 0          ? (int64_t)msccl->step_count
           : strcmp(key, "ngpus") == 0          ? msccl->gpus
           : strcmp(key, "nchunksperloop") == 0 ? msccl->chunks
           : strncmp(key, "op_", 3) == 0        ? ops
                                                : -1;
}

static void check_steps(const char *name, json_t *entry, const char *path)
{
    struct flux_io_memory memory;
    struct flux_io_source source;
    struct flux_io_msccl msccl;
    struct flux_error error;
    const char *key;
    json_t *value;
    assert_int_equal(flux_io_memory_init(&memory, NULL), 0);
    assert_int_equal(flux_io_source_open(&source, &memory, path, &error), 0);
    if (flux_io_msccl_read(&msccl, &memory, &source, 1000000, &error))
        fail_msg("%s", error.text);
    flux_io_source_close(&source);
    assert_string_equal(msccl.name, json_string_value(json_object_get(entry, "name")));
    json_object_foreach(entry, key, value)
    {
        if (json_is_integer(value) && strcmp(key, "circuits") != 0 &&
            count_of(&msccl, key) != json_integer_value(value))
            fail_msg("%s %s: %lld, not %lld", name, key, (long long)count_of(&msccl, key),
                     (long long)json_integer_value(value));
    }
    flux_io_msccl_free(&msccl);
}

static void files_hold_what_an_independent_reader_found(void **state)
{
    json_t *oracle = json_load_file(ROOT "oracle.json", 0, NULL), *entry;
    const char *name;
    int files = 0;
    (void)state;
    json_object_foreach(json_object_get(oracle, "msccl"), name, entry)
    {
        struct flux_import_options options = FLUX_IMPORT_OPTIONS_INIT;
        struct flux_import *import;
        struct flux_error error;
        struct ideal ideal;
        char path[512];
        int64_t chunks = json_integer_value(json_object_get(entry, "nchunksperloop"));
        snprintf(path, sizeof path, ROOT "%s", name);
        check_steps(name, entry, path);
        options.strict = 1;
        options.collective_bytes = 1000 * (uint64_t)chunks;
        if (flux_import(NULL, path, &options, &import, &error)) /* so it is balanced */
            fail_msg("%s", error.text);
        assert_int_equal(ideal_run(&ideal, flux_import_graph(import), FLUX_RATE_DEFAULT), 0);
        assert_int_equal(ideal_circuits(&ideal), json_integer_value(json_object_get(entry, "circuits")));
        assert_int_equal(flux_graph_sends(flux_import_graph(import)),
                         json_integer_value(json_object_get(entry, "sends")));
        assert_int_equal(flux_import_count(import, "bytes"),
                         1000 * json_integer_value(json_object_get(entry, "chunks_sent")));
        ideal_free(&ideal);
        flux_import_free(import);
        files++;
    }
    assert_int_equal(files, 10);
    json_decref(oracle);
}

/* ---- what is refused ---- */

static void refused(const char *text, int code, const char *words)
{
    struct flux_import *import;
    struct flux_error error;
    char path[FILES_PATH];
    files_write_text(files_path(files_folder, "t.xml", path), text);
    int rc = flux_import(NULL, path, NULL, &import, &error);
    if (rc != code || !strstr(error.text, words))
        fail_msg("%d, and no \"%s\" in \"%s\"", rc, words, rc ? error.text : "");
    assert_null(import);
}

#define ALGO(steps0, steps1)                                                                                           \
    "<algo name='x' coll='allgather' ngpus='2' nchunksperloop='2'>\n"                                                  \
    "<gpu id='0'><tb id='0' send='1' recv='1' chan='0'>\n" steps0 "</tb></gpu>\n"                                      \
    "<gpu id='1'><tb id='0' send='0' recv='0' chan='0'>\n" steps1 "</tb></gpu>\n</algo>\n"
#define STEP(s, type, cnt, dep)                                                                                        \
    "<step s='" s "' type='" type "' srcoff='0' dstoff='0' cnt='" cnt "' depid='" dep "' deps='" dep "'/>\n"

static void what_is_wrong_is_told_with_its_place(void **state)
{
    (void)state;
    refused(ALGO(STEP("0", "s", "1", "-1"), ""), FLUX_E_FORMAT, "t.xml:3:1: rank 0 node 0 (s) sends to rank 1");
    refused(ALGO(STEP("0", "s", "2", "-1"), STEP("0", "r", "1", "-1")), FLUX_E_FORMAT, "sends 1048576 bytes and");
    refused(
        ALGO(STEP("0", "r", "1", "-1") STEP("1", "s", "1", "-1"), STEP("0", "r", "1", "-1") STEP("1", "s", "1", "-1")),
        FLUX_E_CYCLE, "wait for each other");
    refused(ALGO(STEP("0", "s", "1", "0"), STEP("0", "r", "1", "-1")), FLUX_E_FORMAT, "waits for itself");
    refused(ALGO(STEP("0", "s", "1", "7"), STEP("0", "r", "1", "-1")), FLUX_E_FORMAT,
            "t.xml:3:1: waits for step 7 of thread block 7");
    refused(ALGO(STEP("1", "s", "1", "-1"), ""), FLUX_E_FORMAT, "t.xml:3:1: step 1 stands where step 0 belongs");
    refused(ALGO(STEP("0", "copy", "1", "-1"), ""), FLUX_E_FORMAT, "'copy'");
    refused(ALGO(STEP("0", "s", "0", "-1"), ""), FLUX_E_FORMAT, "cnt is 0");
    refused(ALGO(STEP("0", "s", "1.5", "-1"), ""), FLUX_E_FORMAT, "cnt '1.5' is no whole number");
    refused(ALGO("<step s='0' type='s'/>", ""), FLUX_E_FORMAT, "step has no cnt");
    refused(ALGO("<step s='0' s='1'/>", ""), FLUX_E_FORMAT, "duplicate attribute");
    refused("<svg/>", FLUX_E_FORMAT, "t.xml:1:1: the element 'svg' where algo belongs");
    refused("<algo coll='x' ngpus='3' nchunksperloop='1'><gpu id='0'/></algo>", FLUX_E_FORMAT, "ngpus is 3");
    refused("<algo coll='x' ngpus='9999999' nchunksperloop='1'/>", FLUX_E_FORMAT, "more than 1048576");
    refused("<algo coll='x' ngpus='1' nchunksperloop='1'><gpu id='0'><tb id='0' send='0'/></gpu></algo>", FLUX_E_FORMAT,
            "its own GPU");
}

/* Nothing of it is expanded, and no other file is opened. */
static void entities_are_not_tried(void **state)
{
    (void)state;
    refused(
        "<?xml version='1.0'?>\n<!DOCTYPE algo [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;'>"
        "<!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;'><!ENTITY d '&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;'>]>\n"
        "<algo name='&d;' coll='allgather' ngpus='2' nchunksperloop='2'/>",
        FLUX_E_FORMAT, "t.xml:2:16: a document type declaration");
    refused("<!DOCTYPE algo SYSTEM 'file:///etc/passwd'><algo/>", FLUX_E_FORMAT, "a document type declaration");
    refused("<algo name='&a;'/>", FLUX_E_FORMAT, "undefined entity");
    char *text = malloc((2u << 20) + 64);
    assert_non_null(text);
    strcpy(text, "<algo name='");
    memset(text + 12, 'a', 2u << 20);
    strcpy(text + 12 + (2u << 20), "'/>");
    refused(text, FLUX_E_TOO_BIG, "a tag or comment of more than 1048576 bytes");
    free(text);
}

/* ---- in the place of a built-in algorithm ---- */

static struct flux_import *replaced(const char *trace, const char *algorithm, uint32_t chunks)
{
    struct flux_import_options options = FLUX_IMPORT_OPTIONS_INIT;
    struct flux_import *import;
    struct flux_error error;
    char path[512];
    snprintf(path, sizeof path, ROOT "astra-sim/examples/workload/microbenchmarks/%s", trace);
    options.algorithms = &algorithm;
    options.algorithm_count = algorithm != NULL;
    options.chunks = chunks;
    if (flux_import(NULL, path, &options, &import, &error))
        fail_msg("%s", error.text);
    return import;
}

/* Every file against the same file as a workload: the same sends at the same times, where all members start at once and
 * chunks divide the buffer. */
static void an_algorithm_replaces_a_collective(void **state)
{
    static const struct {
        const char *trace, *file;
        uint64_t buffer;
        int replaces;
    } cases[] = {
        {"all_reduce/8npus_1MB/all_reduce", "msccl-tools-generated/allreduce_ring_8_8ch.xml", 1 << 20, 1},
        {"all_reduce/8npus_1MB/all_reduce", "msccl-tools-generated/allreduce_rhd_8.xml", 1 << 20, 1},
        {"all_reduce/4npus_1MB/all_reduce", "msccl-tools-generated/allreduce_ring_4_1ch.xml", 1 << 20, 1},
        {"all_reduce/4npus_1MB/all_reduce", "msccl-tools-generated/allreduce_allpairs_4.xml", 1 << 20, 1},
        {"all_gather/4npus_1MB/all_gather", "msccl-tools-generated/allgather_ring_4.xml", 4 << 20, 1},
        {"all_gather/8npus_1MB/all_gather", "msccl-tools-generated/allgather_recdoub_8.xml", 8 << 20, 1},
        {"all_to_all/4npus_1MB/all_to_all", "msccl-tools-generated/alltoall_allpairs_4.xml", 1 << 20, 1},
        {"all_reduce/8npus_1MB/all_reduce", "msccl-tools-generated/allreduce_ring_4_1ch.xml", 0, 0}, /* members */
        {"all_gather/4npus_1MB/all_gather", "msccl-tools-generated/allreduce_ring_4_1ch.xml", 0, 0}, /* collective */
        {"all_to_all/8npus_1MB/all_to_all", "rccl-msccl-algorithms/alltoall-8n-0-9kb.xml", 0, 0},    /* size */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct flux_import_options options = FLUX_IMPORT_OPTIONS_INIT;
        struct flux_import *other;
        struct flux_error error;
        struct ideal ideal[2];
        char path[512];
        snprintf(path, sizeof path, ROOT "%s", cases[i].file);
        print_message("%s\n", path);
        struct flux_import *import = replaced(cases[i].trace, path, 0);
        options.collective_bytes = cases[i].buffer;
        if (cases[i].replaces) {
            if (flux_import(NULL, path, &options, &other, &error))
                fail_msg("%s", error.text);
        } else {
            other = replaced(cases[i].trace, NULL, 0);
        }
        const struct flux_graph *graph = flux_import_graph(import);
        assert_int_equal(flux_graph_check(graph, NULL), 0);
        assert_int_equal(ideal_run(&ideal[0], graph, FLUX_RATE_DEFAULT), 0);
        assert_int_equal(ideal_run(&ideal[1], flux_import_graph(other), FLUX_RATE_DEFAULT), 0);
        assert_int_equal(flux_graph_sends(graph), flux_graph_sends(flux_import_graph(other)));
        assert_int_equal(flux_import_count(import, "bytes"), flux_import_count(other, "bytes"));
        assert_int_equal(ideal_circuits(&ideal[0]), ideal_circuits(&ideal[1]));
        assert_int_equal(ideal_contracted_edges(&ideal[0]), ideal_contracted_edges(&ideal[1]));
        assert_int_equal(ideal[0].makespan, ideal[1].makespan);
        for (int k = 0; k < 2; k++)
            ideal_free(&ideal[k]);
        flux_import_free(import);
        flux_import_free(other);
    }
}

static void no_byte_is_lost_in_pieces(void **state)
{
    (void)state;
    struct flux_import *import =
        replaced("all_reduce/8npus_1MB/all_reduce", "all-reduce=" ROOT "msccl-tools-generated/allreduce_rhd_8.xml", 3);
    assert_int_equal(flux_import_count(import, "bytes"), 14 << 20);
    assert_int_equal(flux_graph_sends(flux_import_graph(import)), 3 * 48);
    flux_import_free(import);
}

static void algorithms_that_do_not_fit_are_refused(void **state)
{
    static const struct {
        const char *algorithm;
        const char *words;
    } cases[] = {
        {"all-gather=" ROOT "msccl-tools-generated/allreduce_rhd_8.xml", "is an algorithm for all-reduce"},
        {"all-reduce=" ROOT "made-fixtures/msccl/cut.xml", "cut.xml:9:1: no element found"},
        {"all-reduce=" ROOT "none.xml", "none.xml: no such file"},
    };
    struct flux_import_options options = FLUX_IMPORT_OPTIONS_INIT;
    struct flux_import *import;
    struct flux_error error;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *algorithm = cases[i].algorithm;
        options.algorithms = &algorithm;
        options.algorithm_count = 1;
        assert_int_not_equal(
            flux_import(NULL, ROOT "astra-sim/examples/workload/microbenchmarks/all_reduce/8npus_1MB/all_reduce",
                        &options, &import, &error),
            0);
        assert_null(import);
        if (!strstr(error.text, cases[i].words))
            fail_msg("no \"%s\" in \"%s\"", cases[i].words, error.text);
    }
}

/* ---- one all-reduce by three roads ---- */

struct sent {
    uint32_t src, dst, switch_index, reserved;
    uint64_t bytes;
    int64_t start, end;
};

static int compare_sent(const void *left, const void *right)
{
    const struct sent *a = left, *b = right;
    return a->src != b->src       ? (a->src < b->src ? -1 : 1)
           : a->dst != b->dst     ? (a->dst < b->dst ? -1 : 1)
           : a->start != b->start ? (a->start < b->start ? -1 : 1)
                                  : 0;
}

static struct sent *schedule_of(const struct flux_graph *graph, uint32_t switches, uint32_t *count, int64_t *bound)
{
    struct flux_fabric *fabric;
    struct flux_schedule *schedule;
    struct flux_error error;
    uint64_t rows;
    assert_int_equal(flux_fabric_new(NULL, flux_graph_gpus(graph), switches, &fabric), 0);
    assert_int_equal(flux_fabric_set_delay(fabric, FLUX_ALL_SWITCHES, 10 * FLUX_US), 0);
    if (flux_schedule(graph, fabric, NULL, &schedule, &error))
        fail_msg("%s", error.text);
    const struct flux_slot *slots = flux_schedule_slots(schedule, &rows);
    struct sent *sent = calloc(rows, sizeof *sent);
    assert_non_null(sent);
    for (uint64_t i = 0; i < rows; i++) {
        struct flux_send send;
        flux_graph_get_send(graph, slots[i].send, &send);
        sent[i] = (struct sent){send.src, send.dst, slots[i].switch_index, 0, send.bytes, slots[i].start, slots[i].end};
    }
    qsort(sent, rows, sizeof *sent, compare_sent);
    *count = (uint32_t)rows;
    *bound = flux_schedule_bound(schedule);
    flux_schedule_free(schedule);
    flux_fabric_free(fabric);
    return sent;
}

static void three_roads_lead_to_one_schedule(void **state)
{
    static const struct {
        const char *path;
        uint64_t scale, buffer;
    } roads[] = {
        {ROOT "astra-sim/examples/workload/microbenchmarks/all_reduce/4npus_1MB/all_reduce", 4, 0},
        {ROOT "loggopsim/generated/allreduce_ring_4_4194304.goal", 0, 0},
        {ROOT "loggopsim/generated/allreduce_ring_4_4194304.bin", 0, 0},
        {ROOT "msccl-tools-generated/allreduce_ring_4_1ch.xml", 0, 4 << 20},
    };
    (void)state;
    for (uint32_t switches = 2; switches <= 4; switches++) {
        struct sent *first = NULL;
        int64_t first_bound = 0;
        for (size_t i = 0; i < sizeof roads / sizeof roads[0]; i++) {
            struct flux_import_options options = FLUX_IMPORT_OPTIONS_INIT;
            struct flux_import *import;
            struct flux_error error;
            uint32_t count;
            int64_t bound;
            options.scale_num = roads[i].scale;
            options.collective_bytes = roads[i].buffer;
            if (flux_import(NULL, roads[i].path, &options, &import, &error))
                fail_msg("%s", error.text);
            struct sent *sent = schedule_of(flux_import_graph(import), switches, &count, &bound);
            assert_int_equal(count, 24);
            if (!first) {
                first = sent;
                first_bound = bound;
            } else {
                assert_int_equal(bound, first_bound);
                for (uint32_t s = 0; s < count; s++) {
                    assert_true(sent[s].src == first[s].src && sent[s].dst == first[s].dst);
                    assert_int_equal(sent[s].bytes, first[s].bytes);
                    assert_int_equal(sent[s].start, first[s].start);
                    assert_int_equal(sent[s].end, first[s].end);
                }
                free(sent);
            }
            flux_import_free(import);
        }
        free(first);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_hold_what_an_independent_reader_found),
        cmocka_unit_test(what_is_wrong_is_told_with_its_place),
        cmocka_unit_test(entities_are_not_tried),
        cmocka_unit_test(an_algorithm_replaces_a_collective),
        cmocka_unit_test(no_byte_is_lost_in_pieces),
        cmocka_unit_test(algorithms_that_do_not_fit_are_refused),
        cmocka_unit_test(three_roads_lead_to_one_schedule),
    };
    return cmocka_run_group_tests(tests, files_begin, files_end);
}
