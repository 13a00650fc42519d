/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of every format that is one file, cut at every byte and changed at random: an error that names the file, or a
 * graph that is sound. And files made to be costly: deep, equal, large, small on disk only.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/files.h"
#include "base/random.h"

#include <libflux/io/import.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define ROUNDS 1500u
#define GROWTH 64u

static char file[FILES_PATH];

static int set_up(void **state)
{
    files_begin(state);
    files_path(files_folder, "input", file);
    return 0;
}

static const char json[] =
    "{\n \"version\": \"0.0.4\"\n}{\"id\": \"1\", \"name\": \"a\\\"{\", \"type\": \"COMP_NODE\", "
    "\"durationMicros\": \"7\"}{\"id\": 2, \"type\": \"COMM_COLL_NODE\", \"dataDeps\": [\"1\"], "
    "\"attr\": [{\"name\": \"comm_type\", \"int64Val\": \"0\"}, {\"name\": \"comm_size\", "
    "\"uint64Val\": \"64\"}, {\"name\": \"involved_dim\", \"boolList\": {\"values\": [true]}}]}";

static const struct {
    const char *path; /* under tests/data, or NULL */
    const char *text;
    const char *format;
    uint32_t accepted; /* cuts that leave something whole, at most */
} seeds[] = {
    {"made-fixtures/goal/comments.goal", NULL, "goal", 2},    {"made-fixtures/goal/minimal.goal", NULL, "goal", 2},
    {"loggopsim/binary_tree_32.bin", NULL, "goal-binary", 0}, {"made-fixtures/simai/minimal.txt", NULL, "simai", 3},
    {"made-fixtures/msccl/minimal.xml", NULL, "msccl", 1},    {NULL, json, "chakra-json", 2},
};

#define SEEDS (sizeof seeds / sizeof seeds[0])

static char *seed_read(size_t index, size_t *size)
{
    char path[FILES_PATH];
    if (seeds[index].text) {
        *size = strlen(seeds[index].text);
        return strdup(seeds[index].text);
    }
    snprintf(path, sizeof path, "tests/data/%s", seeds[index].path);
    char *bytes = files_read(path, size);
    assert_non_null(bytes);
    return bytes;
}

/* Reads `file` and judges whatever comes. 1 where it was accepted. */
static int judge(const char *format)
{
    struct flux_import_options options = FLUX_IMPORT_OPTIONS_INIT;
    struct flux_import *import;
    struct flux_error error;
    options.vertices_max = 100000;
    if (strcmp(format, "chakra-json") == 0)
        options.ranks = 2;
    int rc = flux_import(NULL, file, &options, &import, &error);
    if (rc == 0) {
        const struct flux_graph *graph = flux_import_graph(import);
        if (graph)
            assert_int_equal(flux_graph_check(graph, NULL), 0);
        flux_import_free(import);
        return 1;
    }
    assert_null(import);
    assert_int_equal(error.code, rc);
    assert_true(rc == FLUX_E_FORMAT || rc == FLUX_E_CYCLE || rc == FLUX_E_OVERFLOW || rc == FLUX_E_TOO_BIG);
    assert_non_null(strstr(error.text, file));
    return 0;
}

static void every_file_is_cut_at_every_byte(void **state)
{
    (void)state;
    for (size_t i = 0; i < SEEDS; i++) {
        size_t size;
        char *whole = seed_read(i, &size);
        uint32_t accepted = 0;
        files_write(file, whole, size);
        assert_int_equal(judge(seeds[i].format), 1);
        for (size_t cut = 0; cut < size; cut++) {
            files_write(file, whole, cut);
            accepted += (uint32_t)judge(seeds[i].format);
        }
        print_message("%s: %zu cuts, %u accepted\n", seeds[i].format, size, accepted);
        assert_true(accepted <= seeds[i].accepted);
        free(whole);
    }
}

static void changed_files_are_refused_or_sound(void **state)
{
    struct flux_random random = {27182818};
    (void)state;
    for (size_t i = 0; i < SEEDS; i++) {
        size_t size;
        uint32_t accepted = 0;
        char *whole = seed_read(i, &size);
        unsigned char *copy = malloc(size + GROWTH);
        assert_non_null(copy);
        for (uint32_t round = 0; round < ROUNDS; round++) {
            size_t now = size;
            memcpy(copy, whole, size);
            for (uint32_t left = 1 + flux_random_below(&random, 3); left; left--) {
                size_t at = flux_random_below(&random, (uint32_t)now);
                size_t length = 1 + flux_random_below(&random, 8);
                length = length > now - at ? now - at : length;
                switch (flux_random_below(&random, 4)) {
                case 0:
                    copy[at] = (unsigned char)flux_random_below(&random, 256);
                    break;
                case 1:
                    copy[at] = (unsigned char)('0' + flux_random_below(&random, 10));
                    break;
                case 2:
                    if (now - length < 2 || at + length > now)
                        break;
                    memmove(copy + at, copy + at + length, now - at - length);
                    now -= length;
                    break;
                default:
                    if (now + length > size + GROWTH)
                        break;
                    memmove(copy + at + length, copy + at, now - at);
                    now += length;
                }
            }
            files_write(file, copy, now);
            accepted += (uint32_t)judge(seeds[i].format);
        }
        print_message("%s: %u of %u changed files were accepted\n", seeds[i].format, accepted, ROUNDS);
        assert_true(accepted < ROUNDS);
        free(whole);
        free(copy);
    }
}

/* ---- costly files ---- */

static struct flux_import *read_large(uint64_t vertices)
{
    struct flux_import *import;
    struct flux_error error;
    if (flux_import(NULL, file, NULL, &import, &error))
        fail_msg("%s", error.text);
    assert_int_equal(flux_graph_vertices(flux_import_graph(import)), vertices);
    return import;
}

/* Each waits for the one before; what began first is defined last. */
static void chains_may_be_a_million_deep(void **state)
{
    (void)state;
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    fprintf(out, "num_ranks 1\nrank 0 {\n");
    for (uint32_t i = 0; i < 1000000; i++)
        fprintf(out, "l%u: calc 1 cpu %u\n", i, i & 1);
    for (uint32_t i = 1; i < 1000000; i++)
        fprintf(out, "l%u %srequires l%u\n", i - 1, i % 3 ? "" : "i", i);
    fprintf(out, "}\n");
    fclose(out);
    flux_import_free(read_large(1000000 + 333333));
}

static void a_hundred_thousand_messages_may_have_one_key(void **state)
{
    (void)state;
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    fprintf(out, "num_ranks 2\nrank 0 {\n");
    for (uint32_t i = 0; i < 100000; i++)
        fprintf(out, "send 8b to 1\n");
    fprintf(out, "}\nrank 1 {\n");
    for (uint32_t i = 0; i < 100000; i++)
        fprintf(out, "recv 8b from 0\n");
    fprintf(out, "}\n");
    fclose(out);
    flux_import_free(read_large(200000));
}

static void an_algorithm_may_be_a_long_chain(void **state)
{
    (void)state;
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    fprintf(out, "<algo name='x' coll='allgather' ngpus='2' nchunksperloop='2'>\n");
    for (uint32_t gpu = 0; gpu < 2; gpu++) {
        fprintf(out, "<gpu id='%u'><tb id='0' send='%u' recv='%u' chan='0'>\n", gpu, 1 - gpu, 1 - gpu);
        for (uint32_t i = 0; i < 100000; i++)
            fprintf(out, "<step s='%u' type='%s' srcoff='0' dstoff='0' cnt='1' depid='-1' deps='-1'/>\n", i,
                    i % 2 == gpu ? "s" : "r");
        fprintf(out, "</tb></gpu>\n");
    }
    fprintf(out, "</algo>\n");
    fclose(out);
    flux_import_free(read_large(200000));
}

static void refused(int code, const char *words)
{
    struct flux_import *import;
    struct flux_error error;
    int rc = flux_import(NULL, file, NULL, &import, &error);
    if (rc != code || !strstr(error.text, words))
        fail_msg("%d, and no \"%s\" in \"%s\"", rc, words, rc ? error.text : "");
}

/* 100 MiB of spaces in 100 kB. */
static void a_small_file_may_not_hold_a_large_one(void **state)
{
    static char spaces[1 << 20];
    (void)state;
    memset(spaces, ' ', sizeof spaces);
    gzFile out = gzopen(file, "wb9");
    assert_non_null(out);
    gzputs(out, "num_ranks 1\n");
    for (int i = 0; i < 100; i++)
        gzwrite(out, spaces, sizeof spaces);
    gzclose(out);
    refused(FLUX_E_TOO_BIG, "compressed, more than any workload does");
}

/* A rank of a GOAL file takes 16 bytes in the table; it may not claim what is not there, nor the same twice. */
static void tables_do_not_lie(void **state)
{
    unsigned char bytes[14 + 2 * 16 + 8 + 39 + 4] = {0x7f, 0x10, 0, 0, 0, 0, 0, 0, 2};
    (void)state;
    bytes[14] = bytes[30] = 38; /* both blocks are the same one */
    bytes[22] = bytes[38] = 38 + 51;
    bytes[46] = 1;
    bytes[54 + 4] = 3;
    files_write(file, bytes, sizeof bytes);
    refused(FLUX_E_FORMAT, "overlaps");
    memset(bytes + 14, 0xff, 16);
    files_write(file, bytes, sizeof bytes);
    refused(FLUX_E_FORMAT, "does not lie within the file");
    memset(bytes + 8, 0xff, 4);
    files_write(file, bytes, sizeof bytes);
    refused(FLUX_E_FORMAT, "the table of 4294967295 ranks does not fit");
}

static void objects_may_not_nest_without_end(void **state)
{
    (void)state;
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    fprintf(out, "{\"version\": \"0.0.4\"}{\"attr\": ");
    for (int i = 0; i < 1000000; i++)
        fputs("{\"a\":", out);
    fputc('1', out);
    for (int i = 0; i < 1000001; i++)
        fputc('}', out);
    fclose(out);
    refused(FLUX_E_FORMAT, "input:1:");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_is_cut_at_every_byte),
        cmocka_unit_test(changed_files_are_refused_or_sound),
        cmocka_unit_test(chains_may_be_a_million_deep),
        cmocka_unit_test(a_hundred_thousand_messages_may_have_one_key),
        cmocka_unit_test(an_algorithm_may_be_a_long_chain),
        cmocka_unit_test(a_small_file_may_not_hold_a_large_one),
        cmocka_unit_test(tables_do_not_lie),
        cmocka_unit_test(objects_may_not_nest_without_end),
    };
    return cmocka_run_group_tests(tests, set_up, files_end);
}
