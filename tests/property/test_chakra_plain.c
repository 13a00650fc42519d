/* SPDX-License-Identifier: Apache-2.0
 *
 * Objects of Chakra's JSON at random, most of them as writers make them, some in every other way that JSON has, some
 * damaged: the reader of plain objects reads what the reader of all JSON reads, to the last member, or leaves it to it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "io/trace/chakra_plain.h"

#include "../support/change_bytes.h"
#include "../support/files.h"
#include "../support/random_problem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILES 3000u
#define OBJECTS 12u
#define ROOM 65536u
#define GROWTH 64u /* bytes that changes may add */

static char folder[FILES_PATH];
static struct flux_io_memory memory;
static struct flux_io_chakra_reader *plain, *tree;
static uint32_t read_plainly, read_at_all, refused;

static int set_up(void **state)
{
    (void)state;
    files_new(folder);
    assert_int_equal(flux_io_memory_init(&memory, NULL), FLUX_OK);
    plain = malloc(sizeof *plain);
    tree = malloc(sizeof *tree);
    assert_true(plain && tree);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(plain);
    free(tree);
    files_remove(folder);
    return 0;
}

/* ---- objects ---- */

struct draft {
    struct flux_random random;
    uint32_t odd; /* one in so many choices is not what a writer makes; 0: none */
    size_t used;
    char text[ROOM];
};

static uint32_t roll(struct draft *draft, uint32_t sides)
{
    return flux_random_below(&draft->random, sides);
}

static int odd(struct draft *draft)
{
    return draft->odd && roll(draft, draft->odd) == 0;
}

static void put(struct draft *draft, const char *text)
{
    static const char *const spaces[] = {"", "", " ", "\n  ", "\t", "\r\n"};
    const char *space = spaces[roll(draft, 6)];
    int length = snprintf(draft->text + draft->used, ROOM - draft->used, "%s%s", space, text);
    assert_true(length > 0 && draft->used + (size_t)length + GROWTH < ROOM);
    draft->used += (size_t)length;
}

#define PICK(draft, list) (list)[roll(draft, sizeof(list) / sizeof *(list))]

static void put_number(struct draft *draft, const char *sign)
{
    static const char *const odds[] = {"\"\"",
                                       "1.5",
                                       "1e3",
                                       "-0",
                                       "\"-0\"",
                                       "007",
                                       "\"07\"",
                                       "\" 7\"",
                                       "true",
                                       "null",
                                       "[]",
                                       "\"18446744073709551615\"",
                                       "1E400",
                                       "\"1.0\"",
                                       "9223372036854775807",
                                       "9223372036854775808",
                                       "-9223372036854775808",
                                       "12 3",
                                       "\"12\\u0030\"",
                                       "\"12",
                                       "+5"};
    static const uint64_t limits[] = {1, 10, 1000, 1000000, UINT64_C(1000000000000000000)};
    char text[32];
    if (odd(draft)) {
        put(draft, PICK(draft, odds));
        return;
    }
    uint64_t number = flux_random_next(&draft->random) % PICK(draft, limits);
    snprintf(text, sizeof text, roll(draft, 2) ? "\"%s%" PRIu64 "\"" : "%s%" PRIu64, number ? sign : "", number);
    put(draft, text);
}

static void put_text(struct draft *draft)
{
    static const char *const texts[] = {"\"\"", "\"layer\"", "\"a b{c}[d],e:f\"", "\"pg_name\"", "\"0\"", "\"true\""};
    static const char *const odds[] = {
        "\"a\\\"b\"", "\"\\u0041\"", "\"\\u0000\"", "\"\xc3\xa9\"", "\"\xff\"", "\"\x7f\"",   "\"a\nb\"",
        "'a'",        "a",           "5",           "null",         "{}",       "\"\\ud800\""};
    char longer[400];
    if (roll(draft, 40) == 0) { /* longer than what is kept */
        size_t length = 240 + roll(draft, 100);
        memset(longer, 'x', sizeof longer);
        longer[0] = longer[length] = '"';
        longer[length + 1] = '\0';
        put(draft, longer);
        return;
    }
    put(draft, odd(draft) ? PICK(draft, odds) : PICK(draft, texts));
}

static void put_key(struct draft *draft, const char *key)
{
    char text[64];
    if (odd(draft))
        snprintf(text, sizeof text, "\"%.*s\\u%04x%s\"", 1, key, (unsigned char)key[1], key[1] ? key + 2 : "");
    else
        snprintf(text, sizeof text, "\"%s\"", key);
    put(draft, text);
    put(draft, ":");
}

static void put_attribute(struct draft *draft)
{
    static const char *const names[] = {"\"comm_type\"",    "\"comm_size\"",  "\"comm_dst\"",
                                        "\"pg_name\"",      "\"num_ops\"",    "\"is_cpu_op\"",
                                        "\"involved_dim\"", "\"of_no_kind\"", "\"an_attribute_with_a_long_name\""};
    static const char *const numbers[] = {"int64Val", "uint64Val", "int64_val", "fixed32Val", "boolVal", "sint32_val"};
    static const char *const others[] = {"doubleVal", "int64List", "docString", "floatVal", "name", "none", "boolVal"};
    static const char *const lists[] = {"{\"values\":[true,true]}", "{ \"values\" : [ true , false ] }",
                                        "{\"values\":[]}",          "{}",
                                        "{\"values\":[1]}",         "{\"values\":[true,]}",
                                        "{\"value\":[true]}"};
    put(draft, "{");
    if (!odd(draft)) {
        put_key(draft, "name");
        put(draft, PICK(draft, names));
        if (roll(draft, 12) == 0) {
            put(draft, "}");
            return;
        }
        put(draft, ",");
    }
    uint32_t kind = roll(draft, 8);
    if (kind < 4) {
        put_key(draft, PICK(draft, numbers));
        put_number(draft, roll(draft, 6) ? "" : "-");
    } else if (kind < 6) {
        put_key(draft, roll(draft, 2) ? "stringVal" : "bytes_val");
        put_text(draft);
    } else if (kind == 6 && !odd(draft)) {
        put_key(draft, roll(draft, 2) ? "boolList" : "bool_list");
        put(draft, lists[roll(draft, draft->odd ? 7 : 3)]);
    } else {
        put_key(draft, draft->odd ? PICK(draft, others) : "boolVal");
        put(draft, roll(draft, 2) ? "true" : "false");
    }
    if (odd(draft)) {
        put(draft, ",");
        put_key(draft, PICK(draft, numbers));
        put_number(draft, "");
    }
    put(draft, "}");
}

static void put_member(struct draft *draft, uint32_t which)
{
    static const char *const types[] = {"\"COMP_NODE\"", "\"COMM_COLL_NODE\"", "\"METADATA_NODE\"",
                                        "\"COMM_SEND_NODE\""};
    static const char *const odds[] = {"4", "\"4\"", "\"NO_NODE\"", "-1", "\"MEM_LOAD_NODE_AND_MUCH_MORE_THAN_THAT\""};
    static const char *const keys[][2] = {{"id", "id"},
                                          {"name", "name"},
                                          {"type", "type"},
                                          {"ctrlDeps", "ctrl_deps"},
                                          {"dataDeps", "data_deps"},
                                          {"startTimeMicros", "start_time_micros"},
                                          {"durationMicros", "duration_micros"},
                                          {"attr", "attr"},
                                          {"inputs", "inputs"},
                                          {"outputs", "outputs"},
                                          {"unknown", "_type"}};
    put_key(draft, keys[which][roll(draft, 2)]);
    if (which == 1) {
        put_text(draft);
    } else if (which == 2) {
        put(draft, odd(draft) ? PICK(draft, odds) : PICK(draft, types));
    } else if (which == 3 || which == 4 || which == 7) {
        uint32_t count = roll(draft, 4);
        put(draft, "[");
        for (uint32_t i = 0; i < count; i++) {
            if (i)
                put(draft, ",");
            if (which == 7)
                put_attribute(draft);
            else
                put_number(draft, "");
        }
        put(draft, odd(draft) ? "}" : "]");
    } else if (which == 8 || which == 9) {
        put(draft, "{");
        put_key(draft, odd(draft) ? "shape" : "values");
        put_text(draft);
        if (roll(draft, 2)) {
            put(draft, ",");
            put_key(draft, odd(draft) ? "values" : "types");
            put_text(draft);
        }
        put(draft, "}");
    } else {
        put_number(draft, "");
    }
}

static void put_object(struct draft *draft)
{
    uint32_t order[10], count = roll(draft, 10) ? 1 + roll(draft, 9) : 0;
    for (uint32_t i = 0; i < 10; i++)
        order[i] = i;
    for (uint32_t i = 9; i > 0; i--) {
        uint32_t j = roll(draft, i + 1), swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
    put(draft, "{");
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            put(draft, ",");
        put_member(draft, odd(draft) ? roll(draft, 11) : order[i]);
    }
    put(draft, "}");
}

/* ---- both readers ---- */

static void same_node(const char *path)
{
    const struct flux_io_chakra_node *a = &plain->node, *b = &tree->node;
    int same = a->id == b->id && a->offset == b->offset && a->duration_us == b->duration_us && a->type == b->type &&
               a->name_length == b->name_length && a->data_deps_count == b->data_deps_count &&
               a->ctrl_deps_count == b->ctrl_deps_count && a->inputs_length == b->inputs_length &&
               memcmp(a->value, b->value, sizeof a->value) == 0 && strcmp(a->name, b->name) == 0 &&
               strcmp(a->group, b->group) == 0;
    for (uint64_t i = 0; same && i < a->data_deps_count; i++)
        same = a->data_deps[i] == b->data_deps[i];
    for (uint64_t i = 0; same && i < a->ctrl_deps_count; i++)
        same = a->ctrl_deps[i] == b->ctrl_deps[i];
    if (!same || (a->inputs && strcmp(a->inputs, b->inputs) != 0) || !a->inputs != !b->inputs)
        fail_msg("%s: the node at %" PRIu64 " is another one", path, b->offset);
}

/* How many nodes there are before the end or the first error, which is the same. */
static void compare(const char *path)
{
    struct flux_error first = {0}, second = {0};
    int open = flux_io_chakra_open(plain, &memory, path, NULL, &first);
    assert_int_equal(flux_io_chakra_open(tree, &memory, path, NULL, &second), open);
    assert_string_equal(first.text, second.text);
    if (open)
        return;
    tree->json = tree->json ? 2 : 0;
    for (;;) {
        int rc = flux_io_chakra_next(plain, &first);
        assert_int_equal(flux_io_chakra_next(tree, &second), rc);
        assert_int_equal(plain->line, tree->line);
        assert_int_equal(plain->column, tree->column);
        if (rc < 0) {
            assert_string_equal(first.text, second.text);
            assert_int_equal(first.line, second.line);
            assert_int_equal(first.column, second.column);
        }
        refused += rc < 0;
        if (rc <= 0)
            break;
        same_node(path);
        read_at_all++;
    }
    flux_io_chakra_close(plain);
    flux_io_chakra_close(tree);
}

/* How many of a draft's own objects are read plainly. */
static void count_plain(const struct draft *draft, const size_t *ends, uint32_t count)
{
    plain->memory = &memory;
    for (uint32_t i = 0; i < count; i++) {
        const char *first = draft->text + ends[i];
        while (*first != '{')
            first++;
        memset(plain, 0, offsetof(struct flux_io_chakra_reader, stream));
        plain->memory = &memory;
        int rc = flux_io_chakra_plain(plain, first, (uint64_t)(draft->text + ends[i + 1] - first));
        assert_true(rc == 0 || rc == 1);
        read_plainly += (uint32_t)rc;
        flux_io_release(&memory, plain->data, plain->data_capacity, sizeof *plain->data);
        flux_io_release(&memory, plain->ctrl, plain->ctrl_capacity, sizeof *plain->ctrl);
    }
}

static void many(uint32_t odds, uint32_t changes, uint64_t seed)
{
    static struct draft draft;
    char path[FILES_PATH];
    uint32_t count = random_problem_count(FILES);
    read_plainly = read_at_all = refused = 0;
    files_path(folder, "t.0.json", path);
    for (uint32_t i = 0; i < count; i++) {
        size_t ends[OBJECTS + 1];
        draft.odd = odds;
        draft.used = 0;
        draft.random.state = seed + i;
        put(&draft, "{\"version\":\"0.0.4\"}");
        ends[0] = draft.used;
        for (uint32_t object = 0; object < OBJECTS; object++) {
            put_object(&draft);
            ends[object + 1] = draft.used;
        }
        count_plain(&draft, ends, OBJECTS);
        size_t used = draft.used;
        for (uint32_t change = 0; change < changes; change++)
            used = change_bytes(&draft.random, (unsigned char *)draft.text, used, used + GROWTH);
        files_write(path, draft.text, used);
        compare(path);
    }
    print_message("%" PRIu32 " objects: %" PRIu32 " plain; %" PRIu32 " nodes read, %" PRIu32 " files refused\n",
                  count * OBJECTS, read_plainly, read_at_all, refused);
}

static void as_writers_make_them(void **state)
{
    (void)state;
    many(0, 0, 31000000);
    assert_int_equal(read_at_all, random_problem_count(FILES) * OBJECTS);
    assert_true(read_plainly > read_at_all / 2); /* inputs of metadata nodes and numbers below 0 are among them */
}

static void in_other_ways(void **state)
{
    (void)state;
    many(40, 0, 32000000);
    assert_true(read_at_all > random_problem_count(FILES) && refused > 0);
}

static void damaged(void **state)
{
    (void)state;
    many(0, 1, 33000000);
    assert_true(read_at_all > random_problem_count(FILES) && refused > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(as_writers_make_them, set_up, tear_down),
        cmocka_unit_test_setup_teardown(in_other_ways, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damaged, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("chakra_plain", tests, NULL, NULL);
}
