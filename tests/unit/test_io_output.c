/* SPDX-License-Identifier: Apache-2.0
 *
 * Output files appear whole or not at all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/files.h"
#include "io/output.h"

#include <fcntl.h>
#include <libflux/io/write.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static void check_text(const char *path, const char *expected)
{
    char *text = files_read(path, NULL);
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
}

static void test_put(void **state)
{
    (void)state;
    struct flux_io_output out;
    char path[FILES_PATH];
    files_path(files_folder, "put", path);
    assert_int_equal(flux_io_output_open(&out, path, NULL), 0);
    flux_io_put(&out, "a");
    flux_io_put_char(&out, ' ');
    flux_io_put_u64(&out, UINT64_MAX);
    flux_io_put_char(&out, ' ');
    flux_io_put_i64(&out, INT64_MIN);
    flux_io_put_char(&out, ' ');
    flux_io_put_u64(&out, 0);
    flux_io_put_char(&out, ' ');
    flux_io_put_fixed(&out, 1234567, 6);
    flux_io_put_char(&out, ' ');
    flux_io_put_fixed(&out, -5, 3);
    flux_io_put_char(&out, ' ');
    flux_io_put_fixed(&out, 7, 0);
    flux_io_put_format(&out, " %s%d", "n", 4);
    assert_int_equal(out.written, 2 + 20 + 1 + 20 + 3 + 8 + 1 + 6 + 2 + 3);
    assert_int_equal(flux_io_output_close(&out, NULL), 0);
    check_text(path, "a 18446744073709551615 -9223372036854775808 0 1.234567 -0.005 7 n4");
    unlink(path);
}

static void test_escapes(void **state)
{
    (void)state;
    struct flux_io_output out;
    char path[FILES_PATH];
    files_path(files_folder, "escapes", path);
    assert_int_equal(flux_io_output_open(&out, path, NULL), 0);
    flux_io_put_json(&out, "a\"\\\n\x7f\xc3\xa4\xc2\x85\xe2\x80\xa8\xef\xbb\xbf\xff");
    flux_io_put_char(&out, '\n');
    flux_io_put_xml(&out, "<a & \"b\">\x01\xff\xef\xbf\xbf\xc3\xa4");
    assert_int_equal(flux_io_output_close(&out, NULL), 0);
    check_text(path, "\"a\\\"\\\\\\u000a\\u007f\xc3\xa4\\u0085\\u2028\\ufeff\xef\xbf\xbd\"\n"
                     "&lt;a &amp; &quot;b&quot;&gt;\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xc3\xa4");
    unlink(path);
}

static void test_nothing_there_before_the_end(void **state)
{
    (void)state;
    struct flux_io_output out;
    char path[FILES_PATH];
    files_path(files_folder, "late", path);
    assert_int_equal(flux_io_output_open(&out, path, NULL), 0);
    for (int i = 0; i < 100000; i++)
        flux_io_put(&out, "0123456789");
    assert_false(files_exists(path));
    assert_int_equal(files_count(files_folder), 1);
    assert_int_equal(flux_io_output_close(&out, NULL), 0);
    size_t size;
    char *text = files_read(path, &size);
    assert_int_equal(size, 1000000);
    assert_memory_equal(text + 999990, "0123456789", 10);
    free(text);
    assert_int_equal(files_count(files_folder), 1);
    unlink(path);
}

static void test_abandon_keeps_the_old_file(void **state)
{
    (void)state;
    struct flux_io_output out;
    char path[FILES_PATH];
    files_path(files_folder, "old", path);
    files_write_text(path, "old");
    assert_int_equal(flux_io_output_open(&out, path, NULL), 0);
    flux_io_put(&out, "new");
    flux_io_output_abandon(&out);
    check_text(path, "old");
    assert_int_equal(files_count(files_folder), 1);
    unlink(path);
}

static void test_mode_and_links_stay(void **state)
{
    (void)state;
    struct flux_io_output out;
    struct stat status;
    char path[FILES_PATH], link[FILES_PATH];
    files_path(files_folder, "file", path);
    files_path(files_folder, "link", link);
    files_write_text(path, "old");
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(symlink("file", link), 0);
    assert_int_equal(flux_io_output_open(&out, link, NULL), 0);
    flux_io_put(&out, "new");
    assert_int_equal(flux_io_output_close(&out, NULL), 0);
    check_text(path, "new");
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    unlink(link);
    unlink(path);
}

static void test_two_writers_of_one_file(void **state)
{
    (void)state;
    struct flux_io_output one, two;
    char path[FILES_PATH];
    files_path(files_folder, "both", path);
    assert_int_equal(flux_io_output_open(&one, path, NULL), 0);
    assert_int_equal(flux_io_output_open(&two, path, NULL), 0);
    flux_io_put(&one, "one");
    flux_io_put(&two, "two");
    assert_int_equal(flux_io_output_close(&two, NULL), 0);
    assert_int_equal(flux_io_output_close(&one, NULL), 0);
    check_text(path, "one");
    assert_int_equal(files_count(files_folder), 1);
    unlink(path);
}

static void check_refused(const char *path, int code, const char *phrase)
{
    struct flux_io_output out;
    struct flux_error error;
    assert_int_equal(flux_io_output_open(&out, path, &error), code);
    assert_non_null(strstr(error.text, phrase));
}

static void test_places_that_cannot_be(void **state)
{
    (void)state;
    char path[FILES_PATH];
    check_refused(NULL, FLUX_E_ARGUMENT, "no output path");
    check_refused("", FLUX_E_ARGUMENT, "no output path");
    check_refused(files_folder, FLUX_E_IO, "is a directory");
    check_refused(files_path(files_folder, "none/", path), FLUX_E_IO, "no such directory");
    check_refused(files_path(files_folder, "none/file", path), FLUX_E_IO, "No such file or directory");
    files_write_text(files_path(files_folder, "file", path), "old");
    check_refused(files_path(files_folder, "file/below", path), FLUX_E_IO, "Not a directory");
    unlink(files_path(files_folder, "file", path));
    if (geteuid() != 0) { /* root may write anywhere */
        assert_int_equal(chmod(files_folder, 0500), 0);
        check_refused(files_path(files_folder, "file", path), FLUX_E_IO, "Permission denied");
        assert_int_equal(chmod(files_folder, 0700), 0);
    }
    assert_int_equal(files_count(files_folder), 0);
}

/* /proc takes no new file, whoever asks. */
static void test_unwritable_folder(void **state)
{
    (void)state;
    check_refused("/proc/flux-test", FLUX_E_IO, "cannot create a file in its directory");
}

static void test_full_device(void **state)
{
    (void)state;
    struct flux_io_output out;
    struct flux_error error;
    if (!files_is_device("/dev/full"))
        skip();
    assert_int_equal(flux_io_output_open(&out, "/dev/full", &error), 0);
    for (int i = 0; i < 100000; i++)
        flux_io_put(&out, "0123456789");
    assert_int_equal(flux_io_output_close(&out, &error), FLUX_E_IO);
    assert_non_null(strstr(error.text, "/dev/full: cannot write: No space left on device"));
}

/* A disk that takes no more, in the middle of a document: the old file stays and nothing else does. */
static void test_document_that_does_not_fit(void **state)
{
    (void)state;
    char path[FILES_PATH];
    struct rlimit before, small;
    struct flux_graph *graph;
    struct flux_error error;
    files_write_text(files_path(files_folder, "old.yaml", path), "old");
    assert_int_equal(flux_graph_new(NULL, 2, &graph), 0);
    for (uint32_t v = 0; v < 5000; v++)
        assert_int_equal(flux_graph_add_send(graph, 0, 1, 1, NULL), 0);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 100000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int rc = flux_write_document(path, graph, NULL, NULL, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(rc, FLUX_E_IO);
    assert_non_null(strstr(error.text, "old.yaml: cannot write: File too large"));
    check_text(path, "old");
    assert_int_equal(files_count(files_folder), 1);
    assert_int_equal(flux_write_document(path, graph, NULL, NULL, &error), 0);
    flux_graph_free(graph);
    unlink(path);
}

/* A target that becomes a folder while the file is written: the move fails and nothing is left behind. */
static void test_move_fails(void **state)
{
    (void)state;
    struct flux_io_output out;
    struct flux_error error;
    char path[FILES_PATH], inside[FILES_PATH];
    files_path(files_folder, "target", path);
    assert_int_equal(flux_io_output_open(&out, path, &error), 0);
    flux_io_put(&out, "text");
    assert_int_equal(mkdir(path, 0700), 0);
    files_write_text(files_path(path, "x", inside), "");
    assert_int_equal(flux_io_output_close(&out, &error), FLUX_E_IO);
    assert_non_null(strstr(error.text, "cannot move the written file"));
    assert_int_equal(files_count(files_folder), 1);
    unlink(inside);
    rmdir(path);
}

/* A process may run without descriptors 0, 1 and 2; a file must not take their place. */
static void test_descriptors_closed(void **state)
{
    (void)state;
    struct flux_io_output out;
    struct flux_error error;
    char path[FILES_PATH];
    int kept[3];
    files_path(files_folder, "closed", path);
    for (int i = 0; i < 3; i++) {
        kept[i] = fcntl(i, F_DUPFD, 10);
        close(i);
    }
    int rc = flux_io_output_open(&out, path, &error);
    int descriptor = out.descriptor;
    if (!rc) {
        flux_io_put(&out, "text");
        rc = flux_io_output_close(&out, &error);
    }
    int standard = flux_io_output_open(&out, "-", &error);
    flux_io_put(&out, "text");
    int closed = flux_io_output_close(&out, &error);
    for (int i = 0; i < 3; i++) {
        if (kept[i] >= 0) {
            dup2(kept[i], i);
            close(kept[i]);
        }
    }
    assert_int_equal(rc, 0);
    assert_true(descriptor > 2);
    check_text(path, "text");
    assert_int_equal(standard, 0);
    assert_int_equal(closed, FLUX_E_IO);
    assert_non_null(strstr(error.text, "standard output: cannot write"));
    unlink(path);
}

static void test_standard_output(void **state)
{
    (void)state;
    char path[FILES_PATH];
    struct flux_graph *graph;
    files_path(files_folder, "standard", path);
    assert_int_equal(flux_graph_new(NULL, 2, &graph), 0);
    int kept = fcntl(1, F_DUPFD, 10);
    int file = open(path, O_WRONLY | O_CREAT, 0600);
    assert_true(kept >= 0 && file >= 0);
    dup2(file, 1);
    int rc = flux_write_document("-", graph, NULL, NULL, NULL);
    dup2(kept, 1);
    close(kept);
    close(file);
    flux_graph_free(graph);
    assert_int_equal(rc, 0);
    check_text(path, "flux: 1\nworkload:\n  gpus: 2\n  vertices: []\n  edges: []\n");
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_put),
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_nothing_there_before_the_end),
        cmocka_unit_test(test_abandon_keeps_the_old_file),
        cmocka_unit_test(test_mode_and_links_stay),
        cmocka_unit_test(test_two_writers_of_one_file),
        cmocka_unit_test(test_places_that_cannot_be),
        cmocka_unit_test(test_unwritable_folder),
        cmocka_unit_test(test_full_device),
        cmocka_unit_test(test_document_that_does_not_fit),
        cmocka_unit_test(test_move_fails),
        cmocka_unit_test(test_descriptors_closed),
        cmocka_unit_test(test_standard_output),
    };
    return cmocka_run_group_tests(tests, files_begin, files_end);
}
