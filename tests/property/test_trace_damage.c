/* SPDX-License-Identifier: Apache-2.0
 *
 * Traces that were cut or damaged: an error that says where, or a graph; never a crash.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"

#include <libflux/io/import.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SOURCE "tests/data/astra-sim/examples/system/custom_collectives/custom_ring_allreduce_8npus_1MB/custom_allreduce"
#define RANKS 8u
#define PREFIX_MOST 64

static char folder[] = "/tmp/flux-damage-XXXXXX";

struct bytes {
    unsigned char *at;
    size_t size;
};

static struct bytes read_file(const char *path)
{
    struct bytes bytes = {NULL, 0};
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    bytes.size = (size_t)ftell(file);
    rewind(file);
    bytes.at = malloc(bytes.size);
    assert_non_null(bytes.at);
    assert_true(fread(bytes.at, 1, bytes.size, file) == bytes.size);
    fclose(file);
    return bytes;
}

static void write_rank(uint32_t rank, const unsigned char *bytes, size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "%s/t.%u.et", folder, rank);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fwrite(bytes, 1, size, file) == size);
    assert_int_equal(fclose(file), 0);
}

/* Reads the set; whatever is wrong must be told with the file's name. Returns the code. */
static int read_set(void)
{
    struct flux_import *import = (struct flux_import *)1;
    struct flux_error error = {.code = 1};
    char prefix[PREFIX_MOST];
    snprintf(prefix, sizeof prefix, "%s/t", folder);
    int rc = flux_import(NULL, prefix, NULL, &import, &error);
    if (rc == 0) {
        assert_non_null(flux_import_graph(import));
        flux_import_free(import);
        return 0;
    }
    assert_null(import);
    assert_int_equal(error.code, rc);
    assert_true(rc == FLUX_E_FORMAT || rc == FLUX_E_CYCLE || rc == FLUX_E_OVERFLOW || rc == FLUX_E_TOO_BIG);
    assert_non_null(strstr(error.text, folder));
    assert_true(strlen(error.text) > strlen(folder) + 8);
    return rc;
}

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        char path[256];
        snprintf(path, sizeof path, SOURCE ".%u.et", rank);
        struct bytes bytes = read_file(path);
        write_rank(rank, bytes.at, bytes.size);
        free(bytes.at);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        char path[128];
        snprintf(path, sizeof path, "%s/t.%u.et", folder, rank);
        unlink(path);
    }
    return rmdir(folder);
}

/* The file's metadata frame alone is 26 KB: its inside is cut every 997 bytes, the rest at every byte. */
static void a_trace_cut_anywhere_is_refused(void **state)
{
    (void)state;
    struct bytes whole = read_file(SOURCE ".3.et");
    assert_int_equal(read_set(), 0);
    size_t cut = 0, refused = 0, tried = 0;
    while (cut < whole.size) {
        write_rank(3, whole.at, cut);
        refused += read_set() != 0;
        tried++;
        cut += cut > 16 && cut + 1500 < whole.size && cut < 26000 ? 997 : 1;
    }
    /* A cut between two nodes leaves a shorter trace, whose messages then find no partner. */
    assert_true(refused == tried);
    write_rank(3, whole.at, whole.size);
    assert_int_equal(read_set(), 0);
    free(whole.at);
}

static void a_damaged_trace_never_crashes(void **state)
{
    struct flux_random random = {20261129};
    uint32_t refused = 0, rounds = 3000;
    (void)state;
    struct bytes whole = read_file(SOURCE ".5.et");
    unsigned char *copy = malloc(whole.size);
    assert_non_null(copy);
    for (uint32_t round = 0; round < rounds; round++) {
        memcpy(copy, whole.at, whole.size);
        for (uint32_t flips = 1 + flux_random_below(&random, 4); flips; flips--) {
            /* two thirds of the damage behind the metadata, where the nodes are */
            size_t at = flux_random_below(&random, (uint32_t)whole.size);
            if (flux_random_below(&random, 3))
                at = whole.size - 1 - flux_random_below(&random, 1500);
            copy[at] = (unsigned char)flux_random_below(&random, 256);
        }
        write_rank(5, copy, whole.size);
        refused += read_set() != 0;
    }
    write_rank(5, whole.at, whole.size);
    assert_int_equal(read_set(), 0);
    assert_true(refused > rounds / 3);
    free(copy);
    free(whole.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trace_cut_anywhere_is_refused),
        cmocka_unit_test(a_damaged_trace_never_crashes),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
