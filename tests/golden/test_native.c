/* SPDX-License-Identifier: Apache-2.0
 *
 * Native documents as files under tests/golden/native:
 *
 *   bad/NAME.yaml   the first line is a comment "# CODE LINE:COLUMN PHRASE": the error that the rest must give
 *   good/NAME.*     read, and written as YAML and JSON: equal to written/NAME.yaml and written/NAME.json byte for byte
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/files.h"

#include <dirent.h>
#include <libflux/io/import.h>
#include <libflux/io/write.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOP "tests/golden/native"

static int code_of(const char *name)
{
    if (strcmp(name, "FORMAT") == 0)
        return FLUX_E_FORMAT;
    if (strcmp(name, "CYCLE") == 0)
        return FLUX_E_CYCLE;
    if (strcmp(name, "TOO_BIG") == 0)
        return FLUX_E_TOO_BIG;
    fail_msg("unknown code %s", name);
    return 0;
}

struct expected {
    int code;
    unsigned line;
    unsigned column;
    char phrase[256];
};

static struct expected read_expected(const char *path)
{
    struct expected expected;
    char name[32];
    int used = 0;
    char *text = files_read(path, NULL);
    assert_non_null(text);
    text[strcspn(text, "\n")] = 0;
    assert_int_equal(sscanf(text, "# %31s %u:%u %n", name, &expected.line, &expected.column, &used), 3);
    assert_true(used > 0 && text[used] != 0);
    expected.code = code_of(name);
    snprintf(expected.phrase, sizeof expected.phrase, "%s", text + used);
    free(text);
    return expected;
}

/* The text is "PATH:LINE:COLUMN: what", or "PATH: what" for an error of the whole. */
static void check_text(const char *path, const struct expected *expected, const struct flux_error *error)
{
    char begin[FILES_PATH + 64];
    if (expected->line)
        snprintf(begin, sizeof begin, "%s:%u:%u: ", path, expected->line, expected->column);
    else
        snprintf(begin, sizeof begin, "%s: ", path);
    assert_memory_equal(error->text, begin, strlen(begin));
    if (!strstr(error->text + strlen(begin), expected->phrase))
        fail_msg("'%s' is not in '%s'", expected->phrase, error->text);
    assert_null(strchr(error->text, '\n'));
}

static void check_bad(const char *path)
{
    struct expected expected = read_expected(path);
    struct flux_import *import;
    struct flux_error error;
    int rc = flux_import(NULL, path, NULL, &import, &error);
    assert_null(import);
    if (rc != expected.code || error.line != expected.line || error.column != expected.column)
        fail_msg("%s: %d at %u:%u, expected %d at %u:%u: %s", path, rc, error.line, error.column, expected.code,
                 expected.line, expected.column, rc ? error.text : "");
    assert_int_equal(error.code, rc);
    check_text(path, &expected, &error);
    assert_int_equal(flux_import(NULL, path, NULL, &import, NULL), rc); /* nobody has to listen */
}

static void for_each_file(const char *folder, void (*check)(const char *path), size_t least)
{
    char path[FILES_PATH];
    struct dirent *entry;
    size_t count = 0;
    DIR *open = opendir(folder);
    assert_non_null(open);
    while ((entry = readdir(open))) {
        if (entry->d_name[0] == '.')
            continue;
        check(files_path(folder, entry->d_name, path));
        count++;
    }
    closedir(open);
    assert_true(count >= least);
}

static void test_bad_documents(void **state)
{
    (void)state;
    for_each_file(TOP "/bad", check_bad, 100);
}

static char folder[FILES_PATH];

/* Reads `path`, writes it as WRITTEN, and compares with `golden`. */
static void check_written(const char *path, const char *written, const char *golden)
{
    struct flux_import *import;
    struct flux_error error;
    if (flux_import(NULL, path, NULL, &import, &error))
        fail_msg("%s", error.text);
    assert_string_equal(flux_import_format(import), "native");
    if (flux_write_document(written, flux_import_graph(import), flux_import_fabric(import), NULL, &error))
        fail_msg("%s", error.text);
    flux_import_free(import);
    assert_true(files_equal(written, golden));
}

static void check_good(const char *path)
{
    char name[FILES_PATH], golden[FILES_PATH], written[FILES_PATH];
    const char *slash = strrchr(path, '/');
    static const char *const ends[] = {"yaml", "json"};
    int length = (int)strcspn(slash + 1, ".");
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "%.*s.%s", length, slash + 1, ends[i]);
        files_path(TOP "/written", name, golden);
        files_path(folder, name, written);
        check_written(path, written, golden);
        check_written(golden, written, golden);
    }
}

static void test_good_documents(void **state)
{
    (void)state;
    files_new(folder);
    for_each_file(TOP "/good", check_good, 5);
    files_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_documents),
        cmocka_unit_test(test_good_documents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
