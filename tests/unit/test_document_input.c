/* SPDX-License-Identifier: Apache-2.0
 *
 * Native documents from wherever they come: hostile input ends in a clean error, and reading is linear.
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

/* ---- where documents come from ---- */

static int read_from(int descriptor, struct flux_import **import, struct flux_error *error)
{
    int kept = fcntl(0, F_DUPFD, 10);
    dup2(descriptor, 0);
    close(descriptor);
    int rc = flux_import(NULL, "-", NULL, import, error);
    if (kept >= 0) {
        dup2(kept, 0);
        close(kept);
    } else {
        close(0);
    }
    return rc;
}

static void test_standard_input(void **state)
{
    (void)state;
    static const char text[] = "flux: 1\nworkload: {gpus: 2}\n";
    struct flux_import *import;
    struct flux_error error;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], text, sizeof text - 1), sizeof text - 1);
    close(ends[1]);
    assert_int_equal(read_from(ends[0], &import, &error), 0);
    flux_import_free(import);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "flux: 2\n", 8), 8);
    close(ends[1]);
    assert_int_equal(read_from(ends[0], &import, &error), FLUX_E_FORMAT);
    assert_memory_equal(error.text, "standard input:1:7: ", 20);
}

static void test_paths(void **state)
{
    (void)state;
    char path[FILES_PATH];
    read_back_refused(files_folder, FLUX_E_IO, "is a directory");
    read_back_refused(files_path(files_folder, "nothing", path), FLUX_E_IO, "no such file");
    read_back_refused(files_path(files_folder, "input/below", path), FLUX_E_IO, "no such file");
    files_write_text(input, "");
    read_back_refused(input, FLUX_E_FORMAT, "is empty");
    files_write_text(input, "solver: cplex\nvertices: 12\n");
    read_back_refused(input, FLUX_E_FORMAT, "unknown format; known ones: native, ");
    files_write(input,
                "\xff\xfe"
                "f\0l\0u\0x\0",
                10);
    read_back_refused(input, FLUX_E_FORMAT, "unknown format");
    if (geteuid() != 0) {
        files_write_text(input, "flux: 1\n");
        assert_int_equal(chmod(input, 0), 0);
        read_back_refused(input, FLUX_E_IO, "Permission denied");
        assert_int_equal(chmod(input, 0600), 0);
    }
}

/* ---- hostile input ---- */

static void fill(char *text, size_t size, const char *unit)
{
    size_t length = strlen(unit);
    for (size_t i = 0; i < size; i++)
        text[i] = unit[i % length];
}

/* `begin`, then `unit` again and again up to `size` bytes. */
static void write_repeated(const char *begin, const char *unit, size_t size)
{
    size_t length = strlen(begin);
    char *text = malloc(size + 1);
    assert_non_null(text);
    memcpy(text, begin, length);
    fill(text + length, size - length, unit);
    files_write(input, text, size);
    free(text);
}

static void test_deep_nesting(void **state)
{
    (void)state;
    static const char *const units[] = {"[", "{", "- ", "? ", "[\n", "{a: ", "\"a\": ["};
    static const char *const begins[] = {
        "flux: 1\nworkload: ", "flux: 1\nworkload: {gpus: 2, vertices: ", "flux: 1\nworkload: {gpus: 2, edges: [[",
        "{\"flux\": 1, \"fabric\": ", "flux: 1\nfabric:\n  dead: "};
    for (size_t b = 0; b < sizeof begins / sizeof begins[0]; b++) {
        for (size_t u = 0; u < sizeof units / sizeof units[0]; u++) {
            write_repeated(begins[b], units[u], 1000000);
            read_back_refused(input, FLUX_E_FORMAT, "input:");
        }
    }
}

static void test_many_equal_keys(void **state)
{
    (void)state;
    write_repeated("flux: 1\nworkload:\n", "  gpus: 4\n", 1000000);
    read_back_refused(input, FLUX_E_FORMAT, "input:4:3: key 'gpus' of workload again");
    write_repeated("flux: 1\n", "fabric: {switches: 1}\n", 1000000);
    read_back_refused(input, FLUX_E_FORMAT, "input:3:1: key 'fabric' of the document again");
    write_repeated("flux: 1\nworkload:\n  gpus: 2\n  vertices:\n", "    - {id: a, send: [0, 1], size: 1B}\n", 1000000);
    read_back_refused(input, FLUX_E_FORMAT, "input:6:8: the id 'a' again, after line 5");
}

static void test_laughs(void **state)
{
    (void)state;
    files_write_text(input, "flux: 1\nworkload:\n  gpus: 2\n  vertices:\n    - &a [lol, lol, lol]\n"
                            "    - &b [*a, *a, *a]\n    - &c [*b, *b, *b]\n");
    read_back_refused(input, FLUX_E_FORMAT, "input:5:7: anchors");
    files_write_text(input, "flux: 1\nworkload: *a\n");
    read_back_refused(input, FLUX_E_FORMAT, "input:2:11: aliases");
    files_write_text(input, "flux: 1\nworkload: &a {gpus: 2}\n");
    read_back_refused(input, FLUX_E_FORMAT, "input:2:11: anchors");
}

static void test_endless_values(void **state)
{
    (void)state;
    write_repeated("flux: 1\nworkload: {gpus: 2, vertices: [{id: \"", "abcdefg ", 20000000);
    read_back_refused(input, FLUX_E_TOO_BIG, "is a quote not closed?");
    write_repeated("flux: 1\n# ", "no end ", 20000000);
    read_back_refused(input, FLUX_E_TOO_BIG, "a value or comment of more than");
    write_repeated("flux: 1\nworkload: {gpus: ", "9", 1000000);
    read_back_refused(input, FLUX_E_FORMAT, "");
}

#define SAMPLE "tests/golden/native/good/everything.yaml"

/* Every beginning of a document is read or refused, with a place inside it. */
static void test_truncated_everywhere(void **state)
{
    (void)state;
    size_t size, good = 0, lines = 1;
    char *text = files_read(SAMPLE, &size);
    assert_non_null(text);
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    files_write(input, text, size);
    for (size_t end = size; end-- > 0;) {
        struct flux_import *import;
        struct flux_error error;
        assert_int_equal(truncate(input, (off_t)end), 0);
        int rc = flux_import(NULL, input, NULL, &import, &error);
        good += rc == 0;
        if (!rc) {
            flux_import_free(import);
        } else {
            assert_int_equal(rc, FLUX_E_FORMAT);
            assert_null(import);
            assert_true(error.line <= lines && strlen(error.text) > 10);
        }
    }
    assert_int_equal(good, 3); /* only the end mark and line ends behind the last value may go */
    free(text);
}

/* Random changes of single bytes never do worse than an error. */
static void test_changed_bytes(void **state)
{
    (void)state;
    struct flux_random random = {7};
    size_t size, failed = 0;
    char *text = files_read(SAMPLE, &size);
    assert_non_null(text);
    for (int i = 0; i < 4000; i++) {
        struct flux_import *import;
        struct flux_error error;
        char *copy = malloc(size);
        assert_non_null(copy);
        memcpy(copy, text, size);
        for (uint32_t changes = 1 + flux_random_below(&random, 3); changes > 0; changes--) {
            static const char bytes[] = "[]{},:-#&*!|>'\"%@` \n\t0a\x80\xff";
            copy[flux_random_below(&random, (uint32_t)size)] = bytes[flux_random_below(&random, sizeof bytes)];
        }
        files_write(input, copy, size);
        free(copy);
        int rc = flux_import(NULL, input, NULL, &import, &error);
        failed += rc != 0;
        if (rc)
            assert_true(rc == FLUX_E_FORMAT || rc == FLUX_E_CYCLE || rc == FLUX_E_TOO_BIG);
        flux_import_free(import);
    }
    assert_true(failed > 1000);
    free(text);
}

/* ---- cost ---- */

struct meter {
    uint64_t calls;
    uint64_t moved; /* bytes asked for, and bytes that a block had when it was resized */
    uint64_t now;
    uint64_t most;
};

static void *meter_alloc(void *user, uint64_t size)
{
    struct meter *meter = user;
    meter->calls++;
    meter->moved += size;
    meter->now += size;
    if (meter->now > meter->most)
        meter->most = meter->now;
    return malloc((size_t)size);
}

static void *meter_resize(void *user, void *block, uint64_t old_size, uint64_t new_size)
{
    struct meter *meter = user;
    meter->calls++;
    meter->moved += new_size + old_size;
    meter->now += new_size - old_size;
    if (meter->now > meter->most)
        meter->most = meter->now;
    return realloc(block, (size_t)new_size);
}

static void meter_release(void *user, void *block, uint64_t size)
{
    struct meter *meter = user;
    meter->now -= size;
    free(block);
}

/* `count` sends, edges, slots, forbidden circuits and propagation rows, the latter two from the last to the first. */
static void write_large(uint32_t count)
{
    FILE *file = fopen(input, "wb");
    assert_non_null(file);
    fprintf(file, "flux: 1\nworkload:\n  gpus: 1024\n  edges:\n");
    for (uint32_t i = 1; i < count; i++)
        fprintf(file, "    - [send%u, send%u, 10us]\n", i - 1, i);
    fprintf(file, "  vertices:\n");
    for (uint32_t i = 0; i < count; i++)
        fprintf(file, "    - {id: send%u, send: [%u, %u], size: 64MiB}\n", i, i % 1024, (i + 1) % 1024);
    fprintf(file, "fabric:\n  switches: 2\n  forbidden:\n");
    for (uint32_t i = count; i-- > 0;)
        fprintf(file, "    - [0, %u, %u]\n", i / 1023, (i / 1023 + 1 + i % 1023) % 1024);
    fprintf(file, "  propagation:\n");
    for (uint32_t i = count; i-- > 0;)
        fprintf(file, "    - [%u, %u, 3ns]\n", i / 1023, (i / 1023 + 1 + i % 1023) % 1024);
    fprintf(file, "schedule:\n  sends:\n");
    for (uint32_t i = 0; i < count; i++)
        fprintf(file, "    - {id: send%u, switch: 0, start: %uns, end: 1s}\n", i, i);
    assert_int_equal(fclose(file), 0);
}

/* Memory asked for and moved grows with the document, not faster, and all of it is given back. */
static void test_reading_is_linear(void **state)
{
    (void)state;
    struct meter meters[3];
    memset(meters, 0, sizeof meters);
    for (int i = 0; i < 3; i++) {
        struct flux_env env = FLUX_ENV_INIT;
        struct flux_import *import;
        struct flux_error error;
        env.alloc = meter_alloc;
        env.resize = meter_resize;
        env.release = meter_release;
        env.user = &meters[i];
        write_large(5000u << i);
        if (flux_import(&env, input, NULL, &import, &error))
            fail_msg("%s", error.text);
        assert_int_equal(flux_graph_sends(flux_import_graph(import)), 5000u << i);
        flux_import_free(import);
        assert_int_equal(meters[i].now, 0);
    }
    for (int i = 1; i < 3; i++) {
        assert_true(meters[i].moved < meters[i - 1].moved * 3);
        assert_true(meters[i].most < meters[i - 1].most * 3);
        assert_true(meters[i].calls < meters[i - 1].calls * 3);
    }
    assert_true(meters[2].most < 20000u * 600u); /* bytes for a send with an edge, a slot and two rows of the fabric */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_standard_input),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_deep_nesting),
        cmocka_unit_test(test_many_equal_keys),
        cmocka_unit_test(test_laughs),
        cmocka_unit_test(test_endless_values),
        cmocka_unit_test(test_truncated_everywhere),
        cmocka_unit_test(test_changed_bytes),
        cmocka_unit_test(test_reading_is_linear),
    };
    return cmocka_run_group_tests(tests, start, files_end);
}
