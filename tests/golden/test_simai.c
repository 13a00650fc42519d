/* SPDX-License-Identifier: Apache-2.0
 *
 * SimAI and AICB: their files against counts of an independent reader, and what rows, groups and degrees mean.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/files.h"
#include "../support/ideal.h"

#include "io/simai/simai.h"

#include <jansson.h>
#include <libflux/io/import.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOT "tests/data/"

/* ---- counts ---- */

/* How often a part's collective is the word of `key`, such as "fwd_ALLTOALL_EP". */
static int64_t count_word(const struct flux_io_simai *simai, const char *key)
{
    static const char *const parts[] = {"fwd_", "ig_", "wg_"};
    static const char *const kinds[] = {"ALLREDUCE", "ALLGATHER", "REDUCESCATTER", "ALLTOALL", "BARRIER", "BROADCAST"};
    static const char *const suffixes[] = {"", "", "_EP", "_DP_EP"};
    int64_t found = -1;
    for (int part = 0; part < 3; part++) {
        size_t length = strlen(parts[part]);
        if (strncmp(key, parts[part], length) != 0)
            continue;
        found = 0;
        for (uint64_t i = 0; i < simai->layer_count; i++) {
            const struct flux_io_simai_work *work = &simai->layers[i].work[part];
            char word[64];
            snprintf(word, sizeof word, "%s%s", work->kind == FLUX_NONE ? "NONE" : kinds[work->kind],
                     suffixes[work->group]);
            found += strcmp(word, key + length) == 0;
        }
    }
    return found;
}

static int64_t count_of(const struct flux_io_simai *simai, const char *key)
{
    int64_t sum = 0, zero = 0;
    for (uint64_t i = 0; i < simai->layer_count; i++)
        for (int part = 0; part < 3; part++) {
            const struct flux_io_simai_work *work = &simai->layers[i].work[part];
            sum += (int64_t)work->compute;
            zero += work->kind != FLUX_NONE && work->kind != FLUX_IO_BROADCAST && !work->bytes;
        }
    if (strcmp(key, "rows") == 0)
        return (int64_t)simai->layer_count;
    if (strcmp(key, "compute_sum") == 0)
        return sum;
    if (strcmp(key, "zero_size") == 0)
        return zero;
    return count_word(simai, key);
}

static int check_counts(const char *name, json_t *entry)
{
    struct flux_import_options options = FLUX_IMPORT_OPTIONS_INIT;
    struct flux_import import;
    struct flux_io_source source;
    struct flux_io_simai simai;
    struct flux_error error;
    char path[512];
    const char *key;
    json_t *value;
    int checked = 0;
    memset(&import, 0, sizeof import);
    memset(&simai, 0, sizeof simai);
    snprintf(path, sizeof path, ROOT "%s", name);
    assert_int_equal(flux_io_memory_init(&import.memory, NULL), 0);
    assert_int_equal(flux_io_source_open(&source, &import.memory, path, &error), 0);
    simai.import = &import;
    simai.source = &source;
    simai.options = &options;
    simai.error = &error;
    flux_io_strings_init(&simai.names, &import.memory);
    if (flux_io_simai_parse(&simai))
        fail_msg("%s", error.text);
    flux_io_source_close(&source);
    json_object_foreach(entry, key, value)
    {
        if (!json_is_integer(value))
            continue;
        checked++;
        if (count_of(&simai, key) != json_integer_value(value))
            fail_msg("%s %s: %lld, not %lld", name, key, (long long)count_of(&simai, key),
                     (long long)json_integer_value(value));
    }
    assert_int_equal(simai.micro, strcmp(json_string_value(json_object_get(entry, "policy")), "MICRO") == 0);
    int64_t declared = atoll(json_string_value(json_array_get(json_object_get(entry, "declared"), 0)));
    assert_int_equal(import.warnings.count, declared != (int64_t)simai.layer_count);
    for (uint64_t i = 0; i < import.warnings.count; i++)
        flux_io_release(&import.memory, import.warnings.text[i], strlen(import.warnings.text[i]) + 1, 1);
    flux_io_release(&import.memory, import.warnings.text, import.warnings.capacity, sizeof *import.warnings.text);
    flux_io_strings_free(&simai.names);
    flux_io_release(&import.memory, simai.layers, simai.layer_capacity, sizeof *simai.layers);
    return checked;
}

static void files_hold_what_an_independent_reader_found(void **state)
{
    json_t *oracle = json_load_file(ROOT "oracle.json", 0, NULL), *entry;
    const char *name;
    int files = 0, checked = 0;
    (void)state;
    json_object_foreach(json_object_get(oracle, "simai"), name, entry)
    {
        checked += check_counts(name, entry);
        files++;
    }
    assert_int_equal(files, 13);
    assert_true(checked > 60);
    json_decref(oracle);
}

/* ---- meaning ---- */

#define HEAD "HYBRID_TRANSFORMER_FWD_IN_BCKWD "

static int read_text(const char *text, const struct flux_import_options *options, struct flux_import **import,
                     struct flux_error *error)
{
    char path[FILES_PATH];
    files_write_text(files_path(files_folder, "t.txt", path), text);
    return flux_import(NULL, path, options, import, error);
}

static struct flux_import *accepted(const char *text, const struct flux_import_options *options)
{
    struct flux_import *import;
    struct flux_error error;
    if (read_text(text, options, &import, &error))
        fail_msg("%s", error.text);
    return import;
}

static void refused(const char *text, const struct flux_import_options *options, int code, const char *words)
{
    struct flux_import *import;
    struct flux_error error;
    assert_int_equal(read_text(text, options, &import, &error), code);
    assert_null(import);
    if (!strstr(error.text, words))
        fail_msg("no \"%s\" in \"%s\"", words, error.text);
}

static int64_t makespan_of(const struct flux_import *import)
{
    struct ideal ideal;
    assert_int_equal(ideal_run(&ideal, flux_import_graph(import), FLUX_RATE_DEFAULT), 0);
    int64_t makespan = ideal.makespan;
    ideal_free(&ideal);
    return makespan;
}

/* Bytes from GPU `src` to `dst`. */
static uint64_t bytes_between(const struct flux_import *import, uint32_t src, uint32_t dst)
{
    const struct flux_graph *graph = flux_import_graph(import);
    uint64_t sum = 0;
    for (uint32_t v = 0; v < flux_graph_vertices(graph); v++) {
        struct flux_send send;
        if (!flux_graph_is_send(graph, v))
            continue;
        flux_graph_get_send(graph, v, &send);
        sum += send.src == src && send.dst == dst ? send.bytes : 0;
    }
    return sum;
}

/* TP 2, EP 2, 8 GPUs: GPU = tp + 2 * (ep + 2 * dp). Each collective has two members here but that of DP, which has
 * four, and an all-gather of n bytes has shards of n / members. */
static void groups_are_those_of_the_degrees(void **state)
{
    (void)state;
    struct flux_import *import = accepted(HEAD "model_parallel_NPU_group: 2 ep: 2 all_gpus: 8\n1\n"
                                               "a -1 0 ALLGATHER 2000 0 NONE 0 0 NONE 0 0\n",
                                          NULL);
    assert_int_equal(bytes_between(import, 4, 5), 1000);
    assert_int_equal(bytes_between(import, 5, 4), 1000);
    assert_int_equal(flux_import_count(import, "bytes"), 8000);
    flux_import_free(import);
    import = accepted(HEAD "model_parallel_NPU_group: 2 ep: 2 all_gpus: 8\n1\n"
                           "a -1 0 ALLGATHER_EP 2000 0 NONE 0 0 NONE 0 0\n",
                      NULL);
    assert_int_equal(bytes_between(import, 5, 7), 1000);
    flux_import_free(import);
    import = accepted(HEAD "model_parallel_NPU_group: 2 ep: 2 all_gpus: 8\n1\n"
                           "a -1 0 NONE 0 0 NONE 0 0 ALLGATHER_DP_EP 2000 0\n",
                      NULL);
    assert_int_equal(bytes_between(import, 3, 7), 1000);
    flux_import_free(import);
    import = accepted(HEAD "model_parallel_NPU_group: 2 ep: 2 all_gpus: 8\n1\n"
                           "a -1 0 NONE 0 0 NONE 0 0 ALLGATHER 4000 0\n",
                      NULL);
    assert_int_equal(bytes_between(import, 1, 3), 3000); /* a ring: every shard but one passes each link */
    assert_int_equal(bytes_between(import, 7, 1), 3000);
    assert_int_equal(flux_import_count(import, "collectives"), 2);
    flux_import_free(import);
}

/* 10^5 bytes take 1 us. Two layers forwards, then backwards; the data-parallel collective of the last layer goes on
 * beside what comes after it, and the updates come at the end. */
static void an_iteration_goes_forwards_and_back(void **state)
{
    (void)state;
    struct flux_import *import = accepted(HEAD "model_parallel_NPU_group: 1 all_gpus: 2\n2\n"
                                               "a -1 1000 NONE 0 2000 NONE 0 4000 NONE 0 100\n"
                                               "b -1 8000 NONE 0 16000 NONE 0 32000 ALLGATHER 200000 10\n",
                                          NULL);
    assert_int_equal(makespan_of(import), 1000000 * (1 + 8 + 16 + 32 + 2 + 4) + 1000 * 110);
    flux_import_free(import);
    import = accepted(HEAD "model_parallel_NPU_group: 1 all_gpus: 2\n2\n"
                           "a -1 1000 NONE 0 2000 NONE 0 4000 NONE 0 100\n"
                           "b -1 8000 NONE 0 16000 NONE 0 32000 ALLGATHER 4000000 10\n",
                      NULL);
    assert_int_equal(makespan_of(import), 1000000 * (1 + 8 + 16 + 32 + 20) + 1000 * 110);
    flux_import_free(import);
    import = accepted(HEAD "model_parallel_NPU_group: 2 all_gpus: 2\n2\n" /* one over TP holds everything up */
                           "a -1 1000 ALLGATHER 200000 2000 NONE 0 4000 NONE 0 100\n"
                           "b -1 8000 NONE 0 16000 ALLGATHER 200000 32000 NONE 0 10\n",
                      NULL);
    assert_int_equal(makespan_of(import), 1000000 * (1 + 8 + 16 + 32 + 2 + 4 + 2) + 1000 * 110);
    flux_import_free(import);
}

static void checkpoints_recompute(void **state)
{
    (void)state;
    struct flux_import *import =
        accepted(HEAD "model_parallel_NPU_group: 1 all_gpus: 2 checkpoints: 1 0 checkpoint_initiates: 1 2\n3\n"
                      "a -1 1 NONE 0 10 NONE 0 0 NONE 0 0\n"
                      "b -1 2 NONE 0 20 NONE 0 0 NONE 0 0\n"
                      "c -1 4 NONE 0 40 NONE 0 0 NONE 0 0\n",
                 NULL);
    assert_int_equal(makespan_of(import), 1000 * (7 + 3 + 70));
    flux_import_free(import);
}

static void a_unit_may_be_given(void **state)
{
    struct flux_import_options options = FLUX_IMPORT_OPTIONS_INIT;
    (void)state;
    options.compute_unit = 1000000;
    struct flux_import *import =
        accepted(HEAD "model_parallel_NPU_group: 1 all_gpus: 2\n1\na -1 5 NONE 0 0 NONE 0 0 NONE 0 0\n", &options);
    assert_int_equal(makespan_of(import), 5000000);
    flux_import_free(import);
}

static void replicas_that_do_not_meet_are_folded(void **state)
{
    struct flux_import_options options = FLUX_IMPORT_OPTIONS_INIT;
    static const char rows[] = "a -1 7 ALLREDUCE 4096 0 ALLTOALL_EP 8192 3 %s 100\n";
    static const struct {
        const char *weight;
        uint32_t gpus;
    } cases[] = {{"NONE 0", 8}, {"ALLREDUCE 0", 8}, {"ALLREDUCE_DP_EP 10", 16}, {"ALLREDUCE 10", 16}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[512];
        size_t length =
            (size_t)snprintf(text, sizeof text, HEAD "model_parallel_NPU_group: 2 ep: 4 pp: 3 all_gpus: 48\n1\n");
        snprintf(text + length, sizeof text - length, rows, cases[i].weight);
        options.fold = 0;
        struct flux_import *whole = accepted(text, &options);
        options.fold = 1;
        struct flux_import *folded = accepted(text, &options);
        assert_int_equal(flux_graph_gpus(flux_import_graph(whole)), 48);
        assert_int_equal(flux_graph_gpus(flux_import_graph(folded)), cases[i].gpus);
        assert_int_equal(makespan_of(whole), makespan_of(folded));
        assert_int_equal(flux_import_count(whole, "bytes"), flux_import_count(folded, "bytes") * 48 / cases[i].gpus);
        flux_import_free(whole);
        flux_import_free(folded);
    }
}

/* 1,789 layers on 9,216 GPUs: counted in no time, and refused. */
static void what_is_too_large_is_refused_with_its_count(void **state)
{
    struct flux_import_options options = FLUX_IMPORT_OPTIONS_INIT;
    struct flux_import *import;
    struct flux_error error;
    (void)state;
    assert_int_equal(flux_import(NULL, ROOT "simai/example/workload_analytical.txt", NULL, &import, &error),
                     FLUX_E_TOO_BIG);
    assert_non_null(strstr(error.text, "would expand to 233856000 vertices on 9216 GPUs"));
    assert_non_null(strstr(error.text, "fold"));
    options.fold = 1;
    options.vertices_max = 1000000;
    assert_int_equal(flux_import(NULL, ROOT "simai/example/workload_analytical.txt", &options, &import, &error),
                     FLUX_E_TOO_BIG);
    assert_non_null(strstr(error.text, "would expand to 19488000 vertices on 768 GPUs"));
}

static void what_is_wrong_is_told_with_its_place(void **state)
{
    struct flux_import_options four = FLUX_IMPORT_OPTIONS_INIT;
    (void)state;
    four.ranks = 4;
#define ROW "a -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n"
    refused("DATA\n1\n" ROW, NULL, FLUX_E_FORMAT, "t.txt:1:1: the policy DATA is not supported");
    refused("MICRO\n1\n" ROW, NULL, FLUX_E_FORMAT, "does not say all_gpus");
    refused("MICRO", NULL, FLUX_E_FORMAT, "t.txt:1:6: the file ends");
    refused("MICRO\nx\n" ROW, &four, FLUX_E_FORMAT, "t.txt:2:1: the number of layers 'x' is no whole number");
    refused("MICRO\n0\n", &four, FLUX_E_FORMAT, "there is no layer");
    refused("MICRO\n1\na -1 1 SEND 0 1 NONE 0 1 NONE 0 1\n", &four, FLUX_E_FORMAT, "t.txt:3:8: NONE, ALLREDUCE");
    refused("MICRO\n1\na -1 1 ALLREDUCE_XP 0 1 NONE 0 1 NONE 0 1\n", &four, FLUX_E_FORMAT, "_DP_EP or nothing");
    refused("MICRO\n1\na -1 1 ALLREDUCEALLTOALL 0 1 NONE 0 1 NONE 0 1\n", &four, FLUX_E_FORMAT, "one row for each");
    refused("MICRO\n1\na -1 1.5 NONE 0 1 NONE 0 1 NONE 0 1\n", &four, FLUX_E_FORMAT, "t.txt:3:6: a compute time '1.5'");
    refused("MICRO\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1 1\n", &four, FLUX_E_FORMAT, "this line has 13");
    refused("MICRO\n1\na -1 99999999999999999 NONE 0 1 NONE 0 1 NONE 0 1\n", &four, FLUX_E_OVERFLOW,
            "t.txt:3:1: rank 0");
    refused("MICRO\n1\na -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 18446744073709551615 1\n", &four, FLUX_E_OVERFLOW,
            "more than 2^64 bytes");
    refused(HEAD "all_gpus: 8\n1\n" ROW, &four, FLUX_E_FORMAT, "all_gpus: 8 and 4 ranks");
    refused(HEAD "ep: 3\n1\n" ROW, &four, FLUX_E_FORMAT, "EP 3 does not divide");
    refused(HEAD "model_parallel_NPU_group: 0\n1\n" ROW, &four, FLUX_E_FORMAT, "t.txt:1:59: a number from 1");
    refused(HEAD "checkpoints: 1 7\n1\n" ROW, &four, FLUX_E_FORMAT, "a checkpoint at layer 7");
    four.strict = 1;
    refused(HEAD "speed: 3\n1\n" ROW, &four, FLUX_E_FORMAT, "'speed' is not known");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_hold_what_an_independent_reader_found),
        cmocka_unit_test(groups_are_those_of_the_degrees),
        cmocka_unit_test(an_iteration_goes_forwards_and_back),
        cmocka_unit_test(checkpoints_recompute),
        cmocka_unit_test(a_unit_may_be_given),
        cmocka_unit_test(replicas_that_do_not_meet_are_folded),
        cmocka_unit_test(what_is_too_large_is_refused_with_its_count),
        cmocka_unit_test(what_is_wrong_is_told_with_its_place),
    };
    return cmocka_run_group_tests(tests, files_begin, files_end);
}
