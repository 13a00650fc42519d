/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of demand matrices: every form that is read, every bad one with its place, and the workload that they become.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/failing_memory.h"
#include "../support/files.h"

#include <libflux/io/import.h>
#include <libflux/io/matrix.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char path[FILES_PATH];

static int setup(void **state)
{
    files_begin(state);
    files_path(files_folder, "m.csv", path);
    return 0;
}

static struct flux_matrices *read_good(const char *text, const char *unit)
{
    struct flux_matrix_options options = FLUX_MATRIX_OPTIONS_INIT;
    struct flux_matrices *matrices;
    struct flux_error error;
    options.unit = unit;
    files_write_text(path, text);
    if (flux_matrices_read(NULL, path, &options, &matrices, &error))
        fail_msg("%s\nfor\n%s", error.text, text);
    return matrices;
}

/* `expected`: src dst value, one after another, ended by -1. */
static void expect_matrix(const struct flux_matrices *matrices, uint64_t index, const int64_t *expected)
{
    uint64_t count, i = 0;
    const struct flux_matrix_entry *entries = flux_matrices_entries(matrices, index, &count);
    for (; expected[3 * i] >= 0; i++) {
        assert_true(i < count);
        assert_int_equal(entries[i].src, expected[3 * i]);
        assert_int_equal(entries[i].dst, expected[3 * i + 1]);
        assert_true(entries[i].value == expected[3 * i + 2]);
    }
    assert_int_equal(i, count);
}

static void tables_are_read(void **state)
{
    static const int64_t expected[] = {0, 1, 5, 1, 0, 7, 1, 2, 2, 2, 1, 1, -1};
    static const char *const texts[] = {
        "0,5,0\n7,0,2\n0,1,0\n",
        "0,5,0\n7,0,2\n0,1,0", /* no end of the last line */
        "0;5;0\r\n7;0;2\r\n0;1;0\r\n",
        "0 5 0\r7 0 2\r0 1 0\r",
        "  0\t5  0  \n7 0 2\n\t0 1 0\n\n\n",
        ("\xef\xbb\xbf"
         "0,5,0\n7,0,2\n0,1,0\n"),
        "# a comment\n\n0,5,0\n% another\n7,0,2\n0,1,0\n# the last\n",
        "a,b,c\n0,5,0\n7,0,2\n0,1,0\n",
        "\"a\",\"b, too\",\"c\"\n0,\"5\",0\n7,0,2\n0,1,0\n",
        ",0,1,2\n0,0,5,0\n1,7,0,2\n2,0,1,0\n", /* as pandas writes it */
        "port,a,b,c\na,0,5,0\nb,7,0,2\nc,0,1,0\n",
        "a b c\na 0 5 0\nb 7 0 2\nc 0 1 0\n", /* as R writes it */
        "0.0,5e0,0\n+7.,0,2.0\n-0,.1E1,0\n",
        "0.000000000000000000000000000000,5,0e99999999999\n70000000000000000000000e-22,0,2\n0,1,-0.0\n",
        "---\n0,5,0\n7,0,2\n0,1,0\n---\n",
        "%%MatrixMarket matrix coordinate integer general\n% c\n3 3 4\n1 2 5\n3 2 1\n2 1 7\n2 3 2\n",
        "%%matrixmarket MATRIX Coordinate Real General\n\n3 3 5\n1 2 5.0\n1 1 0\n2 1 7e0\n2 3 2\n3 2 1.\n",
        "%%MatrixMarket matrix array real general\n3 3\n0\n7\n0\n5\n0\n1\n0\n2\n0\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct flux_matrices *matrices = read_good(texts[i], NULL);
        assert_int_equal(flux_matrices_ports(matrices), 3);
        assert_int_equal(flux_matrices_count(matrices), 1);
        assert_int_equal(flux_matrices_are_times(matrices), 0);
        expect_matrix(matrices, 0, expected);
        assert_null(flux_matrices_entries(matrices, 1, NULL));
        flux_matrices_free(matrices);
    }
}

static void symmetric_ones_are_mirrored(void **state)
{
    static const int64_t expected[] = {0, 1, 4, 0, 2, 3, 1, 0, 4, 2, 0, 3, -1};
    static const char *const texts[] = {
        "%%MatrixMarket matrix coordinate integer symmetric\n3 3 2\n3 1 3\n2 1 4\n",
        "%%MatrixMarket matrix array integer symmetric\n3 3\n0\n4\n3\n0\n0\n0\n",
    };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct flux_matrices *matrices = read_good(texts[i], NULL);
        expect_matrix(matrices, 0, expected);
        flux_matrices_free(matrices);
    }
}

static void sequences_are_read(void **state)
{
    static const int64_t first[] = {0, 1, 5, -1}, second[] = {1, 0, 6, -1};
    static const char *const texts[] = {
        "0,5\n0,0\n\n0,0\n6,0\n",
        "a,b\n0,5\n0,0\n---\na,b\n0,0\n6,0\n",
        "0 5\n0 0\n\n\n# the second\n\n0 0\n6 0\n\n",
        ("%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 5\n"
         "%%MatrixMarket matrix array integer general\n2 2\n0\n6\n0\n0\n"),
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct flux_matrices *matrices = read_good(texts[i], NULL);
        assert_int_equal(flux_matrices_count(matrices), 2);
        expect_matrix(matrices, 0, first);
        expect_matrix(matrices, 1, second);
        flux_matrices_free(matrices);
    }
}

static void units_scale_exactly(void **state)
{
    static const struct {
        const char *text;
        const char *unit;
        int64_t value;
        int is_time;
    } rows[] = {
        {"0,1.5\n0,0\n", "MiB", 1572864, 0},
        {"0,1.5\n0,0\n", "us", 1500000, 1},
        {"# unit: us\n0,1.5\n0,0\n", NULL, 1500000, 1},
        {"# unit: us\n0,1.5\n0,0\n", "B", 2, 0}, /* half up */
        {"0,0.1\n0,0\n", "B", 1, 0},             /* never to nothing */
        {"0,1e-300\n0,0\n", "ps", 1, 1},
        {"0,0.3333333333333333333333333\n0,0\n", "s", 333333333333, 1},
        {"0,4611686018427387904\n0,0\n", "ps", INT64_C(1) << 62, 1},
        {"0,4611686018427387903\n0,0\n", "B", (INT64_C(1) << 62) - 1, 0},
        {"0,9007199254740993\n0,0\n", "B", INT64_C(9007199254740993), 0}, /* no double */
        {"%%MatrixMarket matrix array real general\n%unit: ms\n2 2\n0\n0\n0.25\n0\n", NULL, 250000000, 1},
        {"0,2d3\n0,0\n", "ns", 2000000, 1},
    };
    (void)state;
    setlocale(LC_ALL, "de_DE.UTF-8"); /* where there is such a locale, it writes a comma */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct flux_matrices *matrices = read_good(rows[i].text, rows[i].unit);
        int64_t expected[] = {0, 1, rows[i].value, -1};
        expect_matrix(matrices, 0, expected);
        assert_int_equal(flux_matrices_are_times(matrices), rows[i].is_time);
        flux_matrices_free(matrices);
    }
    setlocale(LC_ALL, "C");
}

struct bad {
    const char *text;
    uint32_t line;
    uint32_t column;
    const char *says;
};

static const struct bad bads[] = {
    {"", 0, 0, "is empty"},
    {"\n\n", 0, 0, "no matrix"},
    {"# nothing\n", 0, 0, "no matrix"},
    {"0,5\n-7,0\n", 2, 1, "negative"},
    {"0,5\n-1e-300,0\n", 2, 1, "negative"},
    {"0,5\n7, nan\n", 2, 4, "finite"},
    {"0,-NaN\n7,0\n", 1, 3, "finite"},
    {"0,inf\n7,0\n", 1, 3, "finite"},
    {"0,+Infinity\n7,0\n", 1, 3, "finite"},
    {"0,5\n7,x\n", 2, 3, "no number"},
    {"0,5\n7,1.2.3\n", 2, 3, "no number"},
    {"0,5\n7,1e\n", 2, 3, "no number"},
    {"0,5\n7,0x10\n", 2, 3, "no number"},
    {"0;5\n7,5;0\n", 2, 1, "point"},
    {"0,5\n7,,0\n", 2, 3, "missing"},
    {"0,5\n7,\n", 2, 3, "missing"},
    {"0,5,1\n7,0\n0,0,0\n", 2, 4, "2 entries"},
    {"0,5\n7,0,3\n", 2, 5, "more than 2"},
    {"0,5\n7,0\n1,1\n", 3, 1, "square"},
    {"0,5,1\n7,0,1\n", 3, 1, "2 of 3 rows"},
    {"0,5,1\n7,0,1\n\n0,0,0\n", 3, 1, "2 of 3 rows"},
    {"0,5\n7,1\n", 2, 3, "itself"},
    {"0,0\n0,0\n", 1, 1, "zeros"},
    {"0,1\n0,0\n\n0,0\n0,0\n", 4, 1, "zeros"},
    {"0,1\n0,0\n\n0,1,0\n0,0,0\n0,0,0\n", 4, 1, "those before it 2"},
    {"7\n", 1, 1, "at least 2"},
    {"a,b\n", 2, 1, "after the names in line 1"},
    {"a,b,c\n0,1\n0,0\n", 2, 1, "3 names"},
    {"0,9e99\n0,0\n", 1, 3, "2^62"},
    {"0,4611686018427387905\n0,0\n", 1, 3, "2^62"},
    {"# unit: furlongs\n0,1\n0,0\n", 1, 9, "no unit"},
    {"0,1\n# unit: us\n0,0\n", 2, 1, "after the first"},
    {"0,1\n0,0\n\n%%MatrixMarket matrix array integer general\n", 4, 1, "banner"},
    {"%%MatrixMarket\n", 1, 15, "no matrix"},
    {"%%MatrixMarket vector array real general\n", 1, 16, "no matrix"},
    {"%%MatrixMarket matrix sparse real general\n", 1, 23, "neither"},
    {"%%MatrixMarket matrix array complex general\n", 1, 29, "'complex'"},
    {"%%MatrixMarket matrix coordinate pattern general\n", 1, 34, "'pattern'"},
    {"%%MatrixMarket matrix array real skew-symmetric\n", 1, 34, "'skew-symmetric'"},
    {"%%MatrixMarket matrix array real general\n", 2, 1, "no size"},
    {"%%MatrixMarket matrix array real general\n2 3\n", 2, 3, "2 rows and 3"},
    {"%%MatrixMarket matrix array real general\n2\n", 2, 2, "number of columns"},
    {"%%MatrixMarket matrix array real general\n2 2 4\n", 2, 5, "too many"},
    {"%%MatrixMarket matrix array real general\n2 2\n0\n7\n", 5, 1, "2 of 4"},
    {"%%MatrixMarket matrix array real general\n2 2\n0\n7\n1\n0\n5\n", 7, 1, "beyond the 4"},
    {"%%MatrixMarket matrix array real general\n2 2\n3\n7\n1\n0\n", 3, 1, "itself"},
    {"%%MatrixMarket matrix array real general\n99999 99999\n", 2, 1, "at most 4096"},
    {"%%MatrixMarket matrix array real general\n99999999999999999999 1\n", 2, 1, "number of rows"},
    {"%%MatrixMarket matrix coordinate real general\n2 2\n", 2, 4, "number of entries"},
    {"%%MatrixMarket matrix coordinate real general\n2 2 5\n", 2, 5, "from 0 to 4"},
    {"%%MatrixMarket matrix coordinate real general\n2 2 1\n0 1 5\n", 3, 1, "row from 1"},
    {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 5\n", 3, 3, "column from 1"},
    {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2\n", 3, 4, "missing"},
    {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 5 6\n", 3, 7, "too many"},
    {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 nan\n", 3, 5, "finite"},
    {"%%MatrixMarket matrix coordinate real general\n2 2 1\n2 2 1\n", 3, 5, "itself"},
    {"%%MatrixMarket matrix coordinate real general\n2 2 0\n", 1, 1, "zeros"},
    {"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 5\n1 2 5\n", 1, 1, "twice"},
    {"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 5\n", 4, 1, "1 of 2"},
    {"%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 5\n", 3, 3, "above the diagonal"},
};

static void bad_ones_are_refused_with_their_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
        struct flux_matrices *matrices = (void *)1;
        struct flux_error error;
        files_write_text(path, bads[i].text);
        int rc = flux_matrices_read(NULL, path, NULL, &matrices, &error);
        if (rc >= 0 || matrices || !strstr(error.text, bads[i].says) || error.line != bads[i].line ||
            error.column != bads[i].column)
            fail_msg("%d, %s\nfor\n%s\n(wanted %u:%u %s)", rc, error.text, bads[i].text, bads[i].line, bads[i].column,
                     bads[i].says);
    }
}

static void other_bad_files_are_refused(void **state)
{
    struct flux_matrix_options options = FLUX_MATRIX_OPTIONS_INIT;
    struct flux_matrices *matrices;
    struct flux_error error;
    (void)state;
    files_write(path, "0,5\n7\0,0\n", 9);
    assert_int_equal(flux_matrices_read(NULL, path, NULL, &matrices, &error), FLUX_E_FORMAT);
    assert_non_null(strstr(error.text, "zero byte"));
    char *wide = malloc((2 << 20) + 1);
    memset(wide, '1', 2 << 20);
    wide[2 << 20] = '\0';
    files_write_text(path, wide);
    assert_int_equal(flux_matrices_read(NULL, path, NULL, &matrices, &error), FLUX_E_TOO_BIG);
    for (int i = 0; i < 8194; i += 2)
        memcpy(wide + i, "1 ", 2);
    wide[8194] = '\0';
    files_write_text(path, wide);
    assert_int_equal(flux_matrices_read(NULL, path, NULL, &matrices, &error), FLUX_E_TOO_BIG);
    assert_non_null(strstr(error.text, "4097 ports"));
    free(wide);
    assert_int_equal(flux_matrices_read(NULL, "/nowhere/at/all", NULL, &matrices, &error), FLUX_E_IO);
    assert_int_equal(flux_matrices_read(NULL, files_folder, NULL, &matrices, &error), FLUX_E_IO);
    assert_int_equal(flux_matrices_read(NULL, NULL, NULL, &matrices, &error), FLUX_E_ARGUMENT);
    assert_int_equal(flux_matrices_read(NULL, path, NULL, NULL, &error), FLUX_E_ARGUMENT);
    files_write_text(path, "0,5\n7,0\n");
    static const char *const units[] = {"", "10us", "furlong", "Gbps", "us us", "a very long word indeed"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        options.unit = units[i];
        assert_int_equal(flux_matrices_read(NULL, path, &options, &matrices, &error), FLUX_E_ARGUMENT);
    }
    options = (struct flux_matrix_options){3, NULL};
    assert_int_equal(flux_matrices_read(NULL, path, &options, &matrices, &error), FLUX_E_ABI);
}

/* A file cut anywhere is refused, or it is the same matrix: but for the last entry, of which digits may be missing. */
static void cut_files_are_refused(void **state)
{
    static const char text[] = "%%MatrixMarket matrix coordinate integer general\n3 3 3\n1 2 5\n2 1 7\n3 2 1\n";
    static const char table[] = "# x\n0,5,0\n7,0,2\n0,1,0\n";
    struct flux_matrices *matrices;
    struct flux_error error;
    (void)state;
    for (size_t i = 0; i + 2 < sizeof text; i++) {
        files_write(path, text, i);
        assert_int_equal(flux_matrices_read(NULL, path, NULL, &matrices, &error), FLUX_E_FORMAT);
    }
    for (size_t i = 0; i + 3 < sizeof table; i++) {
        files_write(path, table, i);
        assert_int_equal(flux_matrices_read(NULL, path, NULL, &matrices, &error), FLUX_E_FORMAT);
    }
}

static void memory_that_runs_out_is_told(void **state)
{
    static const char text[] = "%%MatrixMarket matrix coordinate integer general\n3 3 3\n3 2 5\n2 1 7\n1 2 1\n"
                               "%%MatrixMarket matrix coordinate integer general\n3 3 1\n1 2 5\n";
    struct failing_memory memory;
    long long at = 1;
    (void)state;
    failing_memory_init(&memory);
    files_write_text(path, text);
    for (;; at++) {
        struct flux_matrices *matrices;
        struct flux_import *import;
        failing_memory_arm(&memory, at, 0);
        int rc = flux_matrices_read(&memory.env, path, NULL, &matrices, NULL);
        int first = (int)atomic_load(&memory.calls);
        if (!rc)
            flux_matrices_free(matrices);
        assert_true(rc == 0 || rc == FLUX_E_MEMORY);
        failing_memory_arm(&memory, at, 0);
        int second = flux_import(&memory.env, path, NULL, &import, NULL);
        if (!second)
            flux_import_free(import);
        assert_true(second == 0 || second == FLUX_E_MEMORY);
        assert_int_equal(atomic_load(&memory.live), 0);
        assert_int_equal(atomic_load(&memory.wrong), 0);
        assert_true(rc || first < at);
        if (!rc && !second && atomic_load(&memory.calls) < at)
            break;
    }
    assert_true(at > 5);
}

static int has_edge(const struct flux_graph *graph, uint32_t from, uint32_t to)
{
    uint64_t count;
    const struct flux_edge *edges = flux_graph_edges(graph, &count);
    for (uint64_t i = 0; i < count; i++)
        if (edges[i].from == from && edges[i].to == to)
            return 1;
    return 0;
}

static void a_sequence_is_a_workload_of_steps(void **state)
{
    struct flux_import_options options = FLUX_IMPORT_OPTIONS_INIT;
    struct flux_import *import;
    struct flux_error error;
    struct flux_compute compute;
    struct flux_send send;
    uint64_t edges;
    (void)state;
    files_write_text(path, "0,5,0\n0,0,0\n0,0,0\n\n0,0,0\n0,0,6\n7,0,0\n");
    options.step_compute = 10 * FLUX_US;
    assert_int_equal(flux_import(NULL, path, &options, &import, &error), 0);
    assert_string_equal(flux_import_format(import), "matrix");
    const struct flux_graph *graph = flux_import_graph(import);
    assert_int_equal(flux_graph_gpus(graph), 3);
    assert_int_equal(flux_graph_sends(graph), 3);
    assert_int_equal(flux_graph_vertices(graph), 6); /* and a compute on each GPU between the two */
    for (uint32_t g = 0; g < 3; g++) {
        assert_int_equal(flux_graph_get_compute(graph, g, &compute), 0);
        assert_int_equal(compute.gpu, g);
        assert_true(compute.duration == 10 * FLUX_US);
    }
    assert_int_equal(flux_graph_get_send(graph, 3, &send), 0);
    assert_true(send.src == 0 && send.dst == 1 && send.bytes == 5);
    assert_true(has_edge(graph, 3, 0) && has_edge(graph, 3, 1) && !has_edge(graph, 3, 2));
    assert_true(has_edge(graph, 1, 4) && has_edge(graph, 2, 5)); /* 1 received, 2 had nothing to do */
    (void)flux_graph_edges(graph, &edges);
    assert_int_equal(edges, 4);
    assert_string_equal(flux_graph_label(graph, 3), "m0/0-1");
    assert_int_equal(flux_import_count(import, "messages"), 3);
    assert_int_equal(flux_import_count(import, "bytes"), 18);
    flux_import_free(import);
    options.unit = "us";
    assert_int_equal(flux_import(NULL, path, &options, &import, &error), 0);
    assert_int_equal(flux_graph_get_send(flux_import_graph(import), 3, &send), 0);
    assert_true(send.bytes == 0 && send.duration == 5 * FLUX_US);
    flux_import_free(import);
    options.vertices_max = 5;
    assert_int_equal(flux_import(NULL, path, &options, &import, &error), FLUX_E_TOO_BIG);
    options.vertices_max = 0;
    options.step_compute = -1;
    assert_int_equal(flux_import(NULL, path, &options, &import, &error), FLUX_E_ARGUMENT);
}

static void other_files_are_not_taken_for_matrices(void **state)
{
    static const char *const texts[] = {
        "num_ranks 2\nrank 0 {\n", "a,b\nc,d\n",  "comm_type,size\nall_reduce,5\n", "5\n", "<algo>\n",
        "hello\nworld\n",          "a b c\n1 2\n"};
    struct flux_import *import;
    struct flux_error error;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        files_write_text(path, texts[i]);
        assert_int_not_equal(flux_import(NULL, path, NULL, &import, &error), 0);
        assert_null(strstr(error.text, "entr"));
    }
    files_write_text(path, "0,5\n-7,0\n");
    assert_int_equal(flux_import(NULL, path, NULL, &import, &error), FLUX_E_FORMAT);
    assert_non_null(strstr(error.text, "m.csv:2:1: '-7' is negative"));
}

static void written_ones_are_read_back(void **state)
{
    int64_t demand[16] = {0, 5, 0, 1, 7, 0, 2, 0, 0, 0, 0, 0, INT64_C(1) << 50, 3, 0, 0};
    static const int64_t expected[] = {0, 1, 5, 0, 3, 1, 1, 0, 7, 1, 2, 2, 3, 0, INT64_C(1) << 50, 3, 1, 3, -1};
    char other[FILES_PATH];
    const char *paths[2] = {path, files_path(files_folder, "m.mtx", other)};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct flux_matrices *matrices;
        struct flux_error error;
        assert_int_equal(flux_write_matrix(paths[i], 4, demand, &error), 0);
        assert_int_equal(flux_matrices_read(NULL, paths[i], NULL, &matrices, &error), 0);
        assert_int_equal(flux_matrices_are_times(matrices), 1);
        expect_matrix(matrices, 0, expected);
        flux_matrices_free(matrices);
        char *text = files_read(paths[i], NULL);
        assert_int_equal(strncmp(text, "%%MatrixMarket", 14) == 0, i);
        free(text);
    }
    assert_int_equal(flux_write_matrix(path, 4, NULL, NULL), FLUX_E_ARGUMENT);
    assert_int_equal(flux_write_demand(path, NULL, 1, 1, NULL), FLUX_E_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_read),
        cmocka_unit_test(symmetric_ones_are_mirrored),
        cmocka_unit_test(sequences_are_read),
        cmocka_unit_test(units_scale_exactly),
        cmocka_unit_test(bad_ones_are_refused_with_their_place),
        cmocka_unit_test(other_bad_files_are_refused),
        cmocka_unit_test(cut_files_are_refused),
        cmocka_unit_test(memory_that_runs_out_is_told),
        cmocka_unit_test(a_sequence_is_a_workload_of_steps),
        cmocka_unit_test(other_files_are_not_taken_for_matrices),
        cmocka_unit_test(written_ones_are_read_back),
    };
    return cmocka_run_group_tests(tests, setup, files_end);
}
