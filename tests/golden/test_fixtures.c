/* SPDX-License-Identifier: Apache-2.0
 *
 * Small traces made by hand, each with what must come out: tests/data/made-fixtures/expected.json.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/ideal.h"

#include <jansson.h>
#include <libflux/io/import.h>
#include <stdio.h>
#include <string.h>

#define ROOT "tests/data/made-fixtures/"

/* What the error must say, beside the code: who is to blame, and where. */
static const struct {
    const char *prefix;
    int code;
    const char *words[3];
} errors[] = {
    {"et/comm_type_default/t", FLUX_E_FORMAT, {"rank 0", "comm_type", "t.0.et"}},
    {"et/ctrl_missing_parent/t", FLUX_E_FORMAT, {"rank 0 node 1", "node 0", "control"}},
    {"et/ctrl_self_loop/t", FLUX_E_FORMAT, {"rank 0 node", "itself", "control"}},
    {"et/dup_id/t", FLUX_E_FORMAT, {"rank 0 node 1", "earlier node", "byte"}},
    {"et/size_mismatch/t", FLUX_E_FORMAT, {"1000", "2000", "rank 1 node"}},
    {"et/unmatched_send/t", FLUX_E_FORMAT, {"rank 0 node", "sends to rank 1", "no receive"}},
    {"et/group_deadlock/t", FLUX_E_CYCLE, {"wait for each other", "group \"1\"", "group \"2\""}},
    {"et/group_missing/t", FLUX_E_FORMAT, {"rank 0 node", "group \"9\"", "there are \"1\""}},
    {"et/group_rank_out_of_range/t", FLUX_E_FORMAT, {"comm_group.json", "rank 5", "group \"1\""}},
    {"et/group_comments/t", FLUX_E_FORMAT, {"comm_group.json:2:", "JSON", ""}},
    {"et/collective_count/t", FLUX_E_FORMAT, {"rank 0 runs 2", "rank 1 runs 1", "no partner"}},
    {"et/collective_size/t", FLUX_E_FORMAT, {"rank 0 node", "rank 1 node", "bytes"}},
    {"et/collective_unsupported/t", FLUX_E_FORMAT, {"rank 0 node", "gather", "root"}},
    {"et/send_to_self/t", FLUX_E_FORMAT, {"rank 0 node", "own rank", "circuit"}},
    {"et/duration_overflow/t", FLUX_E_OVERFLOW, {"rank 0 node 1", "2^62", "t.0.et"}},
    {"et/no_metadata/t", FLUX_E_FORMAT, {"t.0.et", "begins with a node", "GlobalMetadata"}},
    {"et/truncated_frame/t", FLUX_E_FORMAT, {"t.0.et", "byte 8", "cut off"}},
    {"et/length_too_long/t", FLUX_E_FORMAT, {"t.0.et", "byte 8", "5 bytes"}},
    {"et/bad_wire_type/t", FLUX_E_FORMAT, {"t.0.et", "byte 8", "wire type 3"}},
    {"et/field_wrong_wire_type/t", FLUX_E_FORMAT, {"t.0.et", "field 1", "wire type 2"}},
    {"et/zero_byte_file/t", FLUX_E_FORMAT, {"t.0.et", "is empty", "GlobalMetadata"}},
    {"et/not_a_trace/t", FLUX_E_FORMAT, {"t.0.et", "is a PyTorch execution trace", "chakra_converter"}},
    {"et/schema_0_0_1/t", FLUX_E_FORMAT, {"t.0.et", "0.0.1", "regenerate"}},
    {"goal/wildcard_recv.goal", FLUX_E_FORMAT, {"wildcard_recv.goal:3:", "any rank", "name the rank"}},
    {"goal/dup_label.goal", FLUX_E_FORMAT, {"dup_label.goal:4:1:", "label 'l1'", "line 3"}},
    {"goal/rank_order.goal", FLUX_E_FORMAT, {"rank_order.goal", "rank 1", "ascending"}},
    {"goal/missing_rank.goal", FLUX_E_FORMAT, {"missing_rank.goal", "3 ranks", "rank 2"}},
    {"goal/float_size.goal", FLUX_E_FORMAT, {"float_size.goal:3:", "8.5b", "whole number"}},
    {"msccl/cut.xml", FLUX_E_FORMAT, {"cut.xml:9:", "no element found", "cut off"}},
    {"simai/count_wrong.txt", FLUX_E_FORMAT, {"count_wrong.txt", "839", "1 are there"}},
    {"simai/bad_columns.txt", FLUX_E_FORMAT, {"bad_columns.txt:3:", "12 columns", "has 10"}},
    {"simai/gpus_not_divisible.txt", FLUX_E_FORMAT, {"gpus_not_divisible.txt", "5 GPUs", "TP 2"}},
    {"goal/put_get.goal", FLUX_E_FORMAT, {"put_get.goal:3:", "'put'", "not supported"}},
};

static void check_error(const char *prefix, int rc, const struct flux_error *error)
{
    assert_int_equal(rc, error->code);
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        if (strcmp(errors[i].prefix, prefix) != 0)
            continue;
        assert_int_equal(rc, errors[i].code);
        for (int w = 0; w < 3; w++)
            if (!strstr(error->text, errors[i].words[w]))
                fail_msg("%s: no \"%s\" in \"%s\"", prefix, errors[i].words[w], error->text);
        return;
    }
    fail_msg("%s: an error that this test does not know: %s", prefix, error->text);
}

static void set_options(struct flux_import_options *options, const json_t *entry)
{
    const char *deps = json_string_value(json_object_get(json_object_get(entry, "options"), "deps"));
    const char *missing = json_string_value(json_object_get(json_object_get(entry, "options"), "missing_parent"));
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(entry, "options"), key, value)
        assert_true(strcmp(key, "deps") == 0 || strcmp(key, "missing_parent") == 0 || strcmp(key, "strict") == 0 ||
                    strcmp(key, "ranks") == 0);
    options->strict = json_is_true(json_object_get(json_object_get(entry, "options"), "strict"));
    options->ranks = (uint32_t)json_integer_value(json_object_get(json_object_get(entry, "options"), "ranks"));
    if (deps && strcmp(deps, "data+ctrl") == 0)
        options->deps = FLUX_DEPS_DATA_CTRL;
    else if (deps)
        assert_string_equal(deps, "auto");
    if (missing)
        assert_string_equal(missing, "error");
}

/* Distinct collectives whose label holds `words`: each has one end at its first member. */
static int64_t count_collectives(const struct flux_graph *graph, const char *words)
{
    int64_t ends = 0;
    for (uint32_t v = 0; v < flux_graph_vertices(graph); v++) {
        const char *at = strstr(flux_graph_label(graph, v), words);
        ends += at && !strchr(at + 1, '/');
    }
    return ends / 2; /* of two members each */
}

static void check_result(const json_t *result, const struct flux_import *import)
{
    struct ideal ideal;
    const char *key;
    json_t *value;
    const char *format = json_string_value(json_object_get(result, "format"));
    assert_string_equal(flux_import_format(import), strcmp(format, "chakra-et") == 0 ? "chakra" : format);
    assert_int_equal(ideal_run(&ideal, flux_import_graph(import), FLUX_RATE_DEFAULT), 0);
    json_object_foreach(json_object_get(result, "result"), key, value)
    {
        int64_t want = json_integer_value(value);
        int64_t have = -1;
        if (strcmp(key, "tasks") == 0 || strcmp(key, "sends") == 0)
            have = flux_graph_sends(flux_import_graph(import));
        else if (strcmp(key, "bytes") == 0)
            have = (int64_t)flux_import_count(import, "bytes");
        else if (strcmp(key, "release_ns") == 0)
            have = ideal_release(&ideal) / 1000;
        else if (strcmp(key, "makespan_ns") == 0)
            have = ideal.makespan / 1000;
        else if (strcmp(key, "tp_allreduce") == 0)
            have = count_collectives(flux_import_graph(import), "/all_reduce@tp") / 2; /* of two groups */
        else if (strcmp(key, "dp_allreduce") == 0)
            have = count_collectives(flux_import_graph(import), "/all_reduce@dp") / 2;
        else if (strcmp(key, "warnings") == 0)
            have = (int64_t)flux_import_warnings(import);
        else
            fail_msg("a result that this test does not know: %s", key);
        if (want != have)
            fail_msg("%s: %lld, not %lld", key, (long long)have, (long long)want);
    }
    /* What is strict in one case and read in another is read with a warning. */
    if (!json_object_get(json_object_get(result, "result"), "warnings") &&
        !json_is_false(json_object_get(json_object_get(result, "options"), "strict")))
        for (uint64_t i = 0; i < flux_import_warnings(import); i++)
            fail_msg("a warning: %s", flux_import_warning(import, i));
    ideal_free(&ideal);
}

static void run_case(const json_t *entry)
{
    struct flux_import_options options = FLUX_IMPORT_OPTIONS_INIT;
    struct flux_import *import = NULL;
    struct flux_error error;
    char path[256];
    char groups[256];
    const char *prefix = json_string_value(json_object_get(entry, "prefix"));
    if (!prefix)
        prefix = json_string_value(json_object_get(entry, "path"));
    const char *group_file = json_string_value(json_object_get(entry, "groups"));
    snprintf(path, sizeof path, ROOT "%s", prefix);
    snprintf(groups, sizeof groups, ROOT "%s", group_file ? group_file : "");
    set_options(&options, entry);
    if (group_file)
        options.groups_path = groups;
    print_message("%s\n", prefix);
    int rc = flux_import(NULL, path, &options, &import, &error);
    if (strcmp(json_string_value(json_object_get(entry, "expect")), "error") == 0) {
        assert_int_not_equal(rc, 0);
        assert_null(import);
        check_error(prefix, rc, &error);
        return;
    }
    if (rc)
        fail_msg("%s", error.text);
    check_result(entry, import);
    flux_import_free(import);
}

static void test_fixtures(void **state)
{
    json_error_t wrong;
    size_t index;
    json_t *entry;
    size_t run = 0;
    json_t *all = json_load_file(ROOT "expected.json", 0, &wrong);
    (void)state;
    assert_non_null(all);
    json_array_foreach(all, index, entry)
    {
        run_case(entry);
        run++;
    }
    assert_int_equal(run, 61);
    json_decref(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixtures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
