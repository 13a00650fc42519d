/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading a trace set when memory runs out at every place where some is asked for: an error that says so, and nothing
 * is kept.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/failing_memory.h"
#include "../support/trace_set.h"

#include <stdio.h>
#include <string.h>

#define MOST 100000

/* A set in which everything occurs: declared groups and a group file, messages, collectives with and without bytes,
 * control dependencies that are dropped, warnings, notes, computes. */
static void write_set(struct trace_set *set)
{
    char path[FILES_PATH];
    for (uint32_t rank = 0; rank < 4; rank++) {
        struct chakra_writer *trace = trace_set_begin(set);
        chakra_node(trace, 1, "process_group:init", CHAKRA_METADATA);
        chakra_inputs(trace, "['[{\"pg_name\": \"dp\", \"ranks\": [0, 1, 2, 3]}]']");
        chakra_compute(trace, 2, 5);
        chakra_ctrl(trace, 2);
        chakra_ctrl(trace, 3);
        chakra_collective(trace, 3, 0, 10, "dp");
        chakra_data(trace, 2);
        chakra_collective(trace, 4, 6, 4096, "1.0");
        chakra_data(trace, 3);
        chakra_data(trace, 2);
        chakra_collective(trace, 5, 9, 0, NULL);
        chakra_data(trace, 4);
        chakra_message(trace, 6, CHAKRA_SEND, (rank + 1) % 4, 100, 0);
        chakra_message(trace, 7, CHAKRA_RECV, (rank + 3) % 4, 100, 0);
        chakra_data(trace, 5);
        trace_set_save(set, rank);
    }
    files_write_text(files_path(set->folder, "comm_group.json", path), "{\"1\": [3, 2, 1, 0]}");
}

static void memory_may_run_out_anywhere(void **state)
{
    struct trace_set set;
    struct failing_memory memory;
    struct flux_import *import;
    struct flux_error error;
    long long refused = 0;
    int done = 0;
    (void)state;
    trace_set_new(&set);
    write_set(&set);
    failing_memory_init(&memory);
    for (long long at = 1; !done && at < MOST; at++) {
        failing_memory_arm(&memory, at, at % 2 == 0);
        memset(&error, 0, sizeof error);
        int rc = flux_import(&memory.env, set.prefix, NULL, &import, &error);
        done = memory.calls < at; /* block `at` was never asked for */
        if (rc == 0) { /* giving back a part may fail without harm */
            assert_int_equal(flux_import_count(import, "messages"), 4);
            assert_int_equal(flux_import_count(import, "collectives"), 3);
            assert_int_equal(flux_import_warnings(import), 9);
            flux_import_free(import);
        } else {
            assert_int_equal(rc, FLUX_E_MEMORY);
            assert_int_equal(error.code, FLUX_E_MEMORY);
            assert_null(import);
            refused++;
        }
        assert_int_equal(memory.live, 0);
        assert_int_equal(memory.wrong, 0);
    }
    assert_true(done);
    assert_true(refused > 200);
    print_message("%lld places\n", refused);
    trace_set_free(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
