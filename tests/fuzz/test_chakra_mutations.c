/* SPDX-License-Identifier: Apache-2.0
 *
 * A small trace set in which everything occurs, cut at every byte and changed at random: an error that names a file, or
 * a graph that is sound.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/change_bytes.h"
#include "../support/trace_set.h"
#include "base/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANKS 3u
#define FILES (RANKS + 1)
#define ROUNDS 6000u
#define GROWTH 64u /* bytes that changes may add */

static struct trace_set set;

static const char *const names[FILES] = {"t.0.et", "t.1.et.gz", "t.2.et", "comm_group.json"};

static void write_rank(struct chakra_writer *trace, uint32_t rank)
{
    chakra_node(trace, 1, "process_group:init", CHAKRA_METADATA);
    chakra_inputs(trace, "['[{\"pg_name\": \"dp\", \"ranks\": [0, 1, 2]}, {\"pg_name\": \"pp\", \"ranks\": []}]']");
    chakra_compute(trace, 2, 5);
    chakra_ctrl(trace, 1);
    chakra_node(trace, 3, "matmul", CHAKRA_COMP);
    chakra_integer(trace, "num_ops", CHAKRA_INT64, 123456789);
    chakra_integer(trace, "tensor_size", CHAKRA_FIXED64, 4096);
    chakra_data(trace, 2);
    chakra_collective(trace, 4, 0, 10, "dp");
    chakra_bools(trace, "involved_dim", "110");
    chakra_data(trace, 3);
    chakra_collective(trace, 5, 6, 4096, "1.0");
    chakra_data(trace, 4);
    chakra_collective(trace, 6, 9, 0, NULL);
    chakra_data(trace, 5);
    chakra_message(trace, 7, CHAKRA_SEND, (rank + 1) % RANKS, 100, -1);
    chakra_message(trace, 8, CHAKRA_RECV, (rank + RANKS - 1) % RANKS, 100, -1);
    chakra_data(trace, 6);
}

static int set_up(void **state)
{
    char path[FILES_PATH];
    (void)state;
    trace_set_new(&set);
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        write_rank(trace_set_begin(&set), rank);
        if (rank == 1)
            chakra_save_gzip(&set.writer, files_path(set.folder, names[rank], path));
        else
            chakra_save(&set.writer, files_path(set.folder, names[rank], path));
    }
    files_write_text(files_path(set.folder, names[RANKS], path), "{\"1\": [2, 1, 0], \"dp\": [0, 1, 2]}\n");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    trace_set_free(&set);
    return 0;
}

/* Reads, and judges whatever comes. 1 where the set was accepted. */
static int judge(void)
{
    int rc = trace_set_read(&set, NULL);
    if (rc == 0) {
        const struct flux_graph *graph = flux_import_graph(set.import);
        assert_int_equal(flux_graph_check(graph, NULL), 0);
        for (uint32_t v = 0; v < flux_graph_vertices(graph); v++)
            assert_true(*flux_graph_label(graph, v));
        return 1;
    }
    assert_null(set.import);
    assert_int_equal(set.error.code, rc);
    assert_true(rc == FLUX_E_FORMAT || rc == FLUX_E_CYCLE || rc == FLUX_E_OVERFLOW || rc == FLUX_E_TOO_BIG);
    assert_non_null(strstr(set.error.text, set.folder));
    return 0;
}

static void every_file_is_cut_at_every_byte(void **state)
{
    char path[FILES_PATH];
    size_t size;
    (void)state;
    assert_true(judge());
    for (uint32_t f = 0; f < FILES; f++) {
        char *whole = files_read(files_path(set.folder, names[f], path), &size);
        assert_non_null(whole);
        uint32_t accepted = 0;
        for (size_t cut = 0; cut < size; cut++) {
            files_write(path, whole, cut);
            accepted += (uint32_t)judge();
        }
        files_write(path, whole, size);
        assert_true(judge());
        /* A trace is missed by its partners whatever is cut off; of the group file only the newline may go. */
        assert_int_equal(accepted, f == RANKS ? 1 : 0);
        free(whole);
    }
}

static void changed_files_are_refused_or_sound(void **state)
{
    struct flux_random random = {31415926};
    char path[FILES_PATH];
    uint32_t accepted = 0;
    (void)state;
    for (uint32_t f = 0; f < FILES; f++) {
        size_t size;
        char *whole = files_read(files_path(set.folder, names[f], path), &size);
        unsigned char *copy = malloc(size + GROWTH);
        assert_true(whole && copy);
        for (uint32_t round = 0; round < ROUNDS / FILES; round++) {
            size_t now = size;
            memcpy(copy, whole, size);
            for (uint32_t left = 1 + flux_random_below(&random, 3); left; left--)
                now = change_bytes(&random, copy, now, size + GROWTH);
            files_write(path, copy, now);
            accepted += (uint32_t)judge();
        }
        files_write(path, whole, size);
        free(whole);
        free(copy);
    }
    assert_true(judge());
    print_message("%u of %u changed sets were accepted\n", accepted, ROUNDS);
    assert_true(accepted > ROUNDS / 100 && accepted < ROUNDS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_file_is_cut_at_every_byte, set_up, tear_down),
        cmocka_unit_test_setup_teardown(changed_files_are_refused_or_sound, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
