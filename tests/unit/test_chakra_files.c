/* SPDX-License-Identifier: Apache-2.0
 *
 * Chakra traces as files: the wire format in all its legal spellings, old schemas, and sets of ranks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/trace_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct trace_set set;

static int set_up(void **state)
{
    (void)state;
    trace_set_new(&set);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    trace_set_free(&set);
    return 0;
}

static void assert_words(const char *words)
{
    if (!strstr(set.error.text, words))
        fail_msg("no \"%s\" in \"%s\"", words, set.error.text);
}

/* The set must be refused with this code and these words. */
static void assert_refused(const char *path, int code, const char *words)
{
    int rc = trace_set_read(&set, path);
    assert_null(set.import);
    if (rc != code)
        fail_msg("%d, not %d: %s", rc, code, set.error.text);
    assert_words(words);
}

static void assert_read(const char *path)
{
    if (trace_set_read(&set, path))
        fail_msg("%s", set.error.text);
}

static uint32_t sends(void)
{
    return flux_graph_sends(flux_import_graph(set.import));
}

/* Two ranks with one all-reduce each. */
static void save_all_reduce(uint32_t rank)
{
    chakra_collective(trace_set_begin(&set), 3, 0, 4096, NULL);
    trace_set_save(&set, rank);
}

static void every_kind_of_integer_counts(void **state)
{
    static const int kinds[] = {CHAKRA_INT32,  CHAKRA_INT64,   CHAKRA_UINT32,  CHAKRA_UINT64,   CHAKRA_SINT32,
                                CHAKRA_SINT64, CHAKRA_FIXED32, CHAKRA_FIXED64, CHAKRA_SFIXED32, CHAKRA_SFIXED64};
    (void)state;
    save_all_reduce(0);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct chakra_writer *trace = trace_set_begin(&set);
        chakra_node(trace, 9, "all", CHAKRA_COLL);
        chakra_integer(trace, "comm_size", kinds[i], 4096);
        chakra_integer(trace, "comm_type", kinds[i], 0);
        trace_set_save(&set, 1);
        assert_read(NULL);
        assert_int_equal(sends(), 4);
        assert_int_equal(flux_import_count(set.import, "bytes"), 8192);
    }
}

static void a_size_below_zero_or_without_a_number_is_refused(void **state)
{
    static const int kinds[] = {CHAKRA_INT32,  CHAKRA_INT64,    CHAKRA_SINT32,
                                CHAKRA_SINT64, CHAKRA_SFIXED32, CHAKRA_SFIXED64};
    (void)state;
    save_all_reduce(0);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct chakra_writer *trace = trace_set_begin(&set);
        chakra_node(trace, 9, "all", CHAKRA_COLL);
        chakra_integer(trace, "comm_type", kinds[i], 0);
        chakra_integer(trace, "comm_size", kinds[i], -4096);
        trace_set_save(&set, 1);
        assert_refused(NULL, FLUX_E_FORMAT, "comm_size -4096");
    }
    struct chakra_writer *trace = trace_set_begin(&set);
    chakra_node(trace, 9, "all", CHAKRA_COLL);
    chakra_integer(trace, "comm_type", CHAKRA_INT64, 0);
    chakra_string(trace, "comm_size", "4096");
    trace_set_save(&set, 1);
    assert_refused(NULL, FLUX_E_FORMAT, "comm_size that is no whole number");
}

/* Fields in any order, a list of dependencies in pieces, a scalar twice: all legal, the last scalar counts. */
static void fields_may_come_in_any_order(void **state)
{
    static const unsigned char node[] = {
        0x28, 0x05,             /* waits for 5 */
        0x2a, 0x02, 0x09, 0x05, /* for 9, and for 5 again */
        0x18, 0x01, 0x18, 0x04, /* type 1, no, 4 */
        0x38, 0x07, 0x38, 0x03, /* 7 us, no, 3 us */
        0x12, 0x01, 'z',        /* its name */
        0x08, 0x0b,             /* id 11 */
    };
    (void)state;
    struct chakra_writer *trace = trace_set_begin(&set);
    chakra_compute(trace, 5, 2);
    chakra_compute(trace, 9, 4);
    chakra_end(trace);
    trace->open = 1;
    chakra_raw(trace, node, sizeof node);
    trace_set_save(&set, 0);
    assert_read(NULL);
    uint64_t edges;
    flux_graph_edges(flux_import_graph(set.import), &edges);
    assert_int_equal(edges, 3); /* to 11 from 5 and from 9, and from 5 to 9 as one GPU runs both */
    assert_int_equal(trace_set_start(&set, "r0/11/z"), 6 * FLUX_US);
    assert_int_equal(trace_set_makespan(&set), 9 * FLUX_US);
}

static void old_schemas_are_refused_by_name(void **state)
{
    static const unsigned char op_field[] = {0x5a, 0x02, 0x0a, 0x00};          /* field 11, as in 0.0.2 */
    static const unsigned char inputs_text[] = {0x32, 0x01, 'x'};              /* field 6 as text */
    static const unsigned char typed[] = {0x52, 0x04, 0x0a, 0x00, 0x10, 0x01}; /* an attribute with a type number */
    static const unsigned char deps_text[] = {0x2a, 0x03, 0xff, 0xff, 0xff, 0x5a, 0x00}; /* field 5 no list, then 11 */
    const struct {
        const unsigned char *bytes;
        size_t size;
    } marks[] = {{op_field, sizeof op_field},
                 {inputs_text, sizeof inputs_text},
                 {typed, sizeof typed},
                 {deps_text, sizeof deps_text}};
    (void)state;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        struct chakra_writer *trace = trace_set_begin(&set);
        chakra_node(trace, 1, "old", CHAKRA_COMP);
        chakra_raw(trace, marks[i].bytes, marks[i].size);
        trace_set_save(&set, 0);
        assert_refused(NULL, FLUX_E_FORMAT, "0.0.1, 0.0.2 or 0.0.3");
    }
    chakra_begin(&set.writer, "0.0.3", NULL);
    trace_set_save(&set, 0);
    assert_refused(NULL, FLUX_E_FORMAT, "schema 0.0.3");
}

static void damaged_dependencies_are_told(void **state)
{
    static const unsigned char bytes[] = {0x2a, 0x03, 0xff, 0xff, 0xff};
    (void)state;
    struct chakra_writer *trace = trace_set_begin(&set);
    chakra_node(trace, 1, "bad", CHAKRA_COMP);
    chakra_raw(trace, bytes, sizeof bytes);
    trace_set_save(&set, 0);
    assert_refused(NULL, FLUX_E_FORMAT, "list of dependencies is damaged");
    assert_int_equal(set.error.offset, 8);
}

static void a_missing_rank_is_named(void **state)
{
    (void)state;
    save_all_reduce(0);
    save_all_reduce(2);
    save_all_reduce(10);
    assert_refused(NULL, FLUX_E_FORMAT, "8 ranks are missing");
    assert_words("t.1.et");
    assert_words("highest rank is 10");
    save_all_reduce(1);
    for (uint32_t rank = 3; rank < 9; rank++)
        save_all_reduce(rank);
    assert_refused(NULL, FLUX_E_FORMAT, "rank 9 is missing");
    save_all_reduce(9);
    assert_read(NULL);
    assert_int_equal(flux_import_count(set.import, "ranks"), 11);
    assert_int_equal(sends(), 220);
}

static void a_set_has_several_names(void **state)
{
    char path[FILES_PATH];
    (void)state;
    save_all_reduce(0);
    save_all_reduce(1);
    assert_read(files_path(set.folder, "t.%d.et", path));
    assert_int_equal(sends(), 4);
    assert_read(files_path(set.folder, "t.1.et", path));
    assert_int_equal(sends(), 4);
    assert_true(trace_set_notes(&set, "one of 2 ranks"));
    assert_refused(files_path(set.folder, "t.7.et", path), FLUX_E_IO, "no such file");
    assert_refused(files_path(set.folder, "other", path), FLUX_E_IO, "no trace set");
}

static void neighbours_with_other_names_are_left_alone(void **state)
{
    static const char *const names[] = {"t.2.et.bak", "tt.2.et", "t.x.et", "t.2.txt",
                                        "t.02.et",    "t..et",   "2.et",   ".2.et"};
    char path[FILES_PATH];
    (void)state;
    save_all_reduce(0);
    save_all_reduce(1);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        files_write_text(files_path(set.folder, names[i], path), "no trace");
    assert_read(NULL);
    assert_int_equal(flux_import_count(set.import, "ranks"), 2);
}

static void compressed_files_are_read_as_well(void **state)
{
    char path[FILES_PATH];
    size_t size;
    (void)state;
    save_all_reduce(0);
    chakra_collective(trace_set_begin(&set), 3, 0, 4096, NULL);
    chakra_save_gzip(&set.writer, files_path(set.folder, "t.1.et.gz", path));
    assert_read(NULL);
    assert_int_equal(sends(), 4);
    char *whole = files_read(path, &size);
    assert_non_null(whole);
    for (size_t cut = 0; cut < size; cut++) {
        files_write(path, whole, cut);
        int rc = trace_set_read(&set, NULL);
        if (rc != FLUX_E_FORMAT)
            fail_msg("cut to %zu of %zu bytes: %d", cut, size, rc);
    }
    whole[size - 5] ^= 1; /* of the check sum */
    files_write(path, whole, size);
    assert_refused(NULL, FLUX_E_FORMAT, "damaged");
    save_all_reduce(1); /* both kinds: the plain one is read */
    assert_read(NULL);
    assert_true(trace_set_notes(&set, "both .et and .et.gz"));
    free(whole);
}

static void one_file_may_stand_for_all_ranks(void **state)
{
    char path[FILES_PATH];
    (void)state;
    save_all_reduce(0);
    set.options.ranks = 8;
    assert_read(NULL);
    assert_int_equal(flux_graph_gpus(flux_import_graph(set.import)), 8);
    assert_int_equal(sends(), 8 * 14);
    assert_int_equal(flux_import_count(set.import, "nodes"), 8);
    assert_true(trace_set_notes(&set, "stands for all 8 ranks"));
    save_all_reduce(1); /* two files, of which the name of one still means that one */
    assert_refused(NULL, FLUX_E_FORMAT, "2 ranks and 8 are asked for");
    assert_read(files_path(set.folder, "t.1.et", path));
    assert_int_equal(sends(), 8 * 14);
    chakra_message(trace_set_begin(&set), 1, CHAKRA_SEND, 0, 10, 0);
    trace_set_save(&set, 1);
    assert_refused(path, FLUX_E_FORMAT, "cannot stand for all ranks");
}

static void a_file_without_a_rank_in_its_name_is_a_trace_too(void **state)
{
    char path[FILES_PATH];
    (void)state;
    chakra_collective(trace_set_begin(&set), 3, 0, 4096, NULL);
    chakra_save(&set.writer, files_path(set.folder, "alone.et", path));
    assert_read(path);
    assert_int_equal(sends(), 0);
    set.options.ranks = 2;
    assert_read(path);
    assert_int_equal(sends(), 4);
}

static void sizes_in_elements_are_noticed(void **state)
{
    (void)state;
    chakra_begin(&set.writer, NULL, "symbolic_tensor_network");
    chakra_collective(&set.writer, 1, 0, 1000, NULL);
    trace_set_save(&set, 0);
    chakra_begin(&set.writer, NULL, "symbolic_tensor_network");
    chakra_collective(&set.writer, 1, 0, 1000, NULL);
    trace_set_save(&set, 1);
    assert_read(NULL);
    assert_int_equal(flux_import_warnings(set.import), 1);
    assert_true(trace_set_warns(&set, "ELEMENTS"));
    set.options.strict = 1;
    assert_refused(NULL, FLUX_E_FORMAT, "size scale");
    set.options.scale_num = 1; /* said so: bytes */
    assert_read(NULL);
    assert_int_equal(flux_import_warnings(set.import), 0);
    set.options.scale_num = 3;
    set.options.scale_den = 7; /* 428 4/7 bytes: rounded up */
    assert_read(NULL);
    assert_int_equal(flux_import_count(set.import, "bytes"), 2 * 429);
    set.options.scale_num = UINT64_MAX;
    set.options.scale_den = 1;
    assert_refused(NULL, FLUX_E_OVERFLOW, "64 bits");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_kind_of_integer_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_size_below_zero_or_without_a_number_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(fields_may_come_in_any_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(old_schemas_are_refused_by_name, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damaged_dependencies_are_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_missing_rank_is_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_set_has_several_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(neighbours_with_other_names_are_left_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(compressed_files_are_read_as_well, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_file_may_stand_for_all_ranks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_without_a_rank_in_its_name_is_a_trace_too, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sizes_in_elements_are_noticed, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
