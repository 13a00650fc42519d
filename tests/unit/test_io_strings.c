/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables of names and numbers, the ids of vertices, and texts of errors.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/fail.h"
#include "io/names.h"
#include "io/strings.h"
#include "io/utf8.h"

#include <stdio.h>
#include <string.h>

static struct flux_io_memory memory;

static int start(void **state)
{
    (void)state;
    return flux_io_memory_init(&memory, NULL);
}

static void test_indices_come_in_order(void **state)
{
    (void)state;
    struct flux_io_strings strings;
    char text[16];
    uint32_t index;
    int fresh;
    flux_io_strings_init(&strings, &memory);
    assert_int_equal(flux_io_strings_find(&strings, "a", 1), FLUX_NONE);
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 10000; i++) {
            int length = snprintf(text, sizeof text, "name%u", i * 7u);
            assert_int_equal(flux_io_strings_add(&strings, text, (uint64_t)length, &index, &fresh), 0);
            assert_int_equal(index, i);
            assert_int_equal(fresh, round == 0);
        }
    }
    assert_int_equal(strings.count, 10000);
    assert_string_equal(flux_io_strings_text(&strings, 9999, NULL), "name69993");
    assert_int_equal(flux_io_strings_find(&strings, "name7", 5), 1);
    assert_int_equal(flux_io_strings_find(&strings, "name8", 5), FLUX_NONE);
    flux_io_strings_free(&strings);
    assert_int_equal(strings.count, 0);
    flux_io_strings_free(&strings);
}

static void test_strings_with_zero_bytes_and_none(void **state)
{
    (void)state;
    struct flux_io_strings strings;
    uint32_t index[3];
    uint64_t length;
    flux_io_strings_init(&strings, &memory);
    assert_int_equal(flux_io_strings_add(&strings, "", 0, &index[0], NULL), 0);
    assert_int_equal(flux_io_strings_add(&strings, "\0", 1, &index[1], NULL), 0);
    assert_int_equal(flux_io_strings_add(&strings, "\0a", 2, &index[2], NULL), 0);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(index[i], i);
    assert_memory_equal(flux_io_strings_text(&strings, 2, &length), "\0a", 3);
    assert_int_equal(length, 2);
    flux_io_strings_free(&strings);
}

/* Places looked at per string stay few, whatever the number of strings: adding is linear. */
static void test_probes_stay_few(void **state)
{
    (void)state;
    for (uint32_t count = 1000; count <= 64000; count *= 4) {
        struct flux_io_strings strings;
        uint32_t index;
        flux_io_strings_init(&strings, &memory);
        for (uint32_t i = 0; i < count; i++) {
            char text[32]; /* long equal beginnings and ends */
            int length = snprintf(text, sizeof text, "aaaaaaaaaa%08xbbbbbbbbbb", i << 12);
            assert_int_equal(flux_io_strings_add(&strings, text, (uint64_t)length, &index, NULL), 0);
        }
        assert_true(strings.probes < 4 * (uint64_t)count);
        flux_io_strings_free(&strings);
    }
}

static void test_numbers(void **state)
{
    (void)state;
    struct flux_io_numbers numbers;
    uint32_t index;
    int fresh;
    flux_io_numbers_init(&numbers, &memory);
    assert_int_equal(flux_io_numbers_find(&numbers, 0), FLUX_NONE);
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 5000; i++) {
            assert_int_equal(flux_io_numbers_add(&numbers, (uint64_t)i << 44, &index, &fresh), 0);
            assert_int_equal(index, i);
            assert_int_equal(fresh, round == 0);
        }
    }
    assert_int_equal(flux_io_numbers_find(&numbers, UINT64_C(3) << 44), 3);
    assert_int_equal(flux_io_numbers_find(&numbers, 3), FLUX_NONE);
    flux_io_numbers_free(&numbers);
}

/* The ids of a graph whose vertices have these labels (NULL: none), against what they must be. */
static void check_names(const char *const *labels, const char *const *expected, uint32_t count)
{
    struct flux_graph *graph;
    struct flux_io_names names;
    assert_int_equal(flux_graph_new(NULL, 2, &graph), 0);
    for (uint32_t v = 0; v < count; v++) {
        assert_int_equal(flux_graph_add_compute(graph, 0, 0, NULL), 0);
        assert_int_equal(flux_graph_set_label(graph, v, labels[v]), 0);
    }
    assert_int_equal(flux_io_names_build(&names, &memory, graph), 0);
    for (uint32_t v = 0; v < count; v++)
        assert_string_equal(flux_io_names_of(&names, v), expected[v]);
    flux_io_names_free(&names);
    flux_graph_free(graph);
}

static void test_names(void **state)
{
    (void)state;
    static const char *const plain[] = {"a", "b", "v0"};
    static const char *const none[] = {NULL, NULL, NULL};
    static const char *const numbers[] = {"v0", "v1", "v2"};
    static const char *const clash[] = {"v1", NULL, "v1_", NULL};
    static const char *const clash_ids[] = {"v1", "v1__", "v1_", "v3"};
    static const char *const twice[] = {"x", "x", "x_v1", "x"};
    static const char *const twice_ids[] = {"x", "x_v1_", "x_v1", "x_v3"};
    static const char *const broken[] = {"\xff", "\xc3\xa4", "\xfe"};
    static const char *const broken_ids[] = {"\xef\xbf\xbd", "\xc3\xa4", "\xef\xbf\xbd_v2"};
    check_names(plain, plain, 3);
    check_names(none, numbers, 3);
    check_names(clash, clash_ids, 4);
    check_names(twice, twice_ids, 4);
    check_names(broken, broken_ids, 3);
}

static void test_long_labels(void **state)
{
    (void)state;
    char label[FLUX_LABEL_MAX + 1], broken[FLUX_LABEL_MAX + 1];
    memset(label, 'x', FLUX_LABEL_MAX);
    memset(broken, 0xff, FLUX_LABEL_MAX); /* three times as long in UTF-8 */
    label[FLUX_LABEL_MAX] = broken[FLUX_LABEL_MAX] = 0;
    const char *labels[] = {label, label, broken, broken};
    const char *expected[] = {label, "v1", "v2", "v3"};
    check_names(labels, expected, 4);
}

static void test_utf8(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t length;
    } cases[] = {
        {"a", 1},
        {"\xc3\xa4", 2},
        {"\xe2\x82\xac", 3},
        {"\xf0\x9d\x84\x9e", 4},
        {"\xc0\x80", 0},
        {"\x80", 0},
        {"\xc3", 0},
        {"\xe0\x80\x80", 0},
        {"\xed\xa0\x80", 0},
        {"\xef\xbf\xbf", 3},
        {"\xf0\x80\x80", 0},
        {"\xf0\x8f\xbf\xbf", 0},
        {"\xf4\x90\x80\x80", 0},
        {"\xf5\x80\x80\x80", 0},
        {"\xe2\x82g", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(flux_io_utf8_length((const unsigned char *)cases[i].bytes, strlen(cases[i].bytes)),
                         cases[i].length);
    assert_int_equal(flux_io_utf8_point((const unsigned char *)"\xf0\x9d\x84\x9e", 4), 0x1d11e);
    assert_int_equal(flux_io_utf8_length((const unsigned char *)"", 0), 0);
}

static void test_error_texts(void **state)
{
    (void)state;
    struct flux_error error;
    char path[300], quote[FLUX_IO_QUOTE];
    assert_int_equal(flux_io_fail_line(&error, FLUX_E_FORMAT, "a.yaml", 3, 7, "what %d", 5), FLUX_E_FORMAT);
    assert_string_equal(error.text, "a.yaml:3:7: what 5");
    assert_int_equal(error.line, 3);
    assert_int_equal(error.column, 7);
    assert_int_equal(error.vertex, FLUX_NONE);
    flux_io_fail_offset(&error, FLUX_E_FORMAT, "-", 12, "x\ny\xff\x07");
    assert_string_equal(error.text, "standard input: byte 12: x?y??");
    assert_int_equal(error.offset, 12);
    memset(path, 'p', sizeof path);
    path[sizeof path - 1] = 0;
    flux_io_fail_path(&error, FLUX_E_IO, path, "end");
    assert_memory_equal(error.text, "...pppp", 7);
    assert_string_equal(error.text + strlen(error.text) - 6, "p: end");
    flux_io_fail(&error, FLUX_E_IO, "%0600d", 1);
    assert_int_equal(strlen(error.text), sizeof error.text - 1);
    assert_string_equal(error.text + sizeof error.text - 4, "...");
    assert_int_equal(flux_io_fail(NULL, FLUX_E_IO, "x"), FLUX_E_IO);
    assert_int_equal(strlen(flux_io_quote(path, quote, sizeof quote)), FLUX_IO_QUOTE - 1);
    assert_string_equal(flux_io_quote("short", quote, sizeof quote), "short");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_indices_come_in_order),
        cmocka_unit_test(test_strings_with_zero_bytes_and_none),
        cmocka_unit_test(test_probes_stay_few),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_long_labels),
        cmocka_unit_test(test_utf8),
        cmocka_unit_test(test_error_texts),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
