/* SPDX-License-Identifier: Apache-2.0
 *
 * What the nodes of Chakra traces mean: times, dependencies, messages, collectives, groups, limits.
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

#define ALL_REDUCE 0
#define ALL_GATHER 2
#define BROADCAST 5
#define ALL_TO_ALL 6
#define REDUCE_SCATTER_BLOCK 8

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

static void assert_refused(int code, const char *words)
{
    int rc = trace_set_read(&set, NULL);
    assert_null(set.import);
    if (rc != code)
        fail_msg("%d, not %d: %s", rc, code, set.error.text);
    assert_words(words);
}

static void assert_read(void)
{
    if (trace_set_read(&set, NULL))
        fail_msg("%s", set.error.text);
}

static uint32_t sends(void)
{
    return flux_graph_sends(flux_import_graph(set.import));
}

static uint64_t bytes(void)
{
    return flux_import_count(set.import, "bytes");
}

static int64_t duration_of(const char *label)
{
    struct flux_compute compute;
    uint32_t v = trace_set_vertex(&set, label);
    if (v == FLUX_NONE || flux_graph_get_compute(flux_import_graph(set.import), v, &compute))
        fail_msg("no compute called %s", label);
    return compute.duration;
}

static void group_file(const char *name, const char *text)
{
    char path[FILES_PATH];
    files_write_text(files_path(set.folder, name, path), text);
}

/* `count` ranks that each run one collective of 4096 bytes under node 1, in `group`. */
static void save_collectives(uint32_t count, int64_t type, const char *group)
{
    for (uint32_t rank = 0; rank < count; rank++) {
        chakra_collective(trace_set_begin(&set), 1, type, 4096, group);
        trace_set_save(&set, rank);
    }
}

/* -- computes -- */

static void computes_take_their_duration_or_a_roofline(void **state)
{
    (void)state;
    struct chakra_writer *trace = trace_set_begin(&set);
    chakra_compute(trace, 1, 3);
    chakra_integer(trace, "num_ops", CHAKRA_INT64, 312000000); /* a duration goes before */
    chakra_node(trace, 2, "flops", CHAKRA_COMP);
    chakra_integer(trace, "num_ops", CHAKRA_UINT64, 312000001);
    chakra_integer(trace, "tensor_size", CHAKRA_UINT64, 2039);
    chakra_node(trace, 3, "bytes", CHAKRA_COMP);
    chakra_integer(trace, "num_ops", CHAKRA_INT64, 312);
    chakra_integer(trace, "tensor_size", CHAKRA_INT64, 2039000);
    chakra_node(trace, 4, "host", CHAKRA_COMP);
    chakra_integer(trace, "is_cpu_op", CHAKRA_INT32, 1);
    chakra_duration(trace, 50);
    chakra_node(trace, 5, "nothing", CHAKRA_COMP);
    chakra_node(trace, 6, "load", CHAKRA_MEM_LOAD);
    chakra_integer(trace, "tensor_size", CHAKRA_INT64, 1000000);
    trace_set_save(&set, 0);
    assert_read();
    assert_true(duration_of("r0/1/compute") == 3 * FLUX_US);
    assert_true(duration_of("r0/2/flops") == 1000000); /* 1,000,000.0032 ps */
    assert_true(duration_of("r0/3/bytes") == 1000000);
    assert_true(duration_of("r0/4/host") == 0);
    assert_true(duration_of("r0/5/nothing") == 0);
    assert_true(duration_of("r0/6/load") == 0);
    assert_true(trace_set_makespan(&set) == 5 * FLUX_US);
    assert_int_equal(flux_import_warnings(set.import), 2);
    assert_true(trace_set_warns(&set, "1 compute nodes have no duration"));
    assert_true(trace_set_warns(&set, "1 memory nodes take no time"));
    assert_true(trace_set_notes(&set, "1 operations of the host"));
    assert_true(trace_set_notes(&set, "no communication"));

    set.options.peak_flops = 1e12;
    set.options.memory_rate = 1e12;
    set.options.scale_num = 2; /* of tensors as well */
    assert_read();
    assert_true(duration_of("r0/2/flops") == 312000001);
    assert_true(duration_of("r0/3/bytes") == 4078000);
    assert_true(duration_of("r0/6/load") == 2000000);
    set.options.overlap_compute = 1;
    assert_read();
    assert_true(trace_set_makespan(&set) == 312000001);
    set.options.peak_flops = -1;
    assert_refused(FLUX_E_ARGUMENT, "peak_flops");
}

/* Rank 0 computes (id 2) what rank 1 waits for before it sends what rank 0's first compute (id 1) waits for. */
static void computes_in_the_order_of_their_ids_may_not_deadlock(void **state)
{
    (void)state;
    struct chakra_writer *trace = trace_set_begin(&set);
    chakra_message(trace, 0, CHAKRA_RECV, 1, 1000, 1);
    chakra_compute(trace, 1, 10);
    chakra_data(trace, 0);
    chakra_compute(trace, 2, 20);
    chakra_data(trace, 5);
    chakra_message(trace, 3, CHAKRA_SEND, 1, 1000, 2);
    chakra_data(trace, 2);
    chakra_node(trace, 5, "late", 1);
    trace_set_save(&set, 0);
    trace = trace_set_begin(&set);
    chakra_message(trace, 1, CHAKRA_RECV, 0, 1000, 2);
    chakra_message(trace, 2, CHAKRA_SEND, 0, 1000, 1);
    chakra_data(trace, 1);
    trace_set_save(&set, 1);
    assert_read();
    assert_true(trace_set_notes(&set, "order common to all ranks"));
    assert_int_equal(flux_graph_check(flux_import_graph(set.import), NULL), 0);
    assert_true(trace_set_start(&set, "r0/2/compute") == 0);
    assert_true(trace_set_makespan(&set) == 30 * FLUX_US + 2 * 10000); /* 1000 bytes: 10 ns */
}

/* -- dependencies -- */

static void chains_close_cycles(void **state)
{
    (void)state;
    struct chakra_writer *trace = trace_set_begin(&set);
    chakra_compute(trace, 1, 1);
    chakra_data(trace, 3);
    chakra_compute(trace, 2, 1);
    chakra_data(trace, 1);
    chakra_compute(trace, 3, 1);
    chakra_data(trace, 2);
    trace_set_save(&set, 0);
    assert_refused(FLUX_E_CYCLE,
                   "rank 0 node 1 (compute) waits for rank 0 node 3 (compute), which waits for rank 0 node "
                   "2 (compute), which waits for rank 0 node 1 (compute)");
}

/* A ring of 1000 nodes is told by its beginning and its end. */
static void long_cycles_are_told_in_short(void **state)
{
    (void)state;
    struct chakra_writer *trace = trace_set_begin(&set);
    for (uint64_t i = 0; i < 1000; i++) {
        chakra_compute(trace, i, 1);
        chakra_data(trace, (i + 1) % 1000);
    }
    trace_set_save(&set, 0);
    assert_refused(FLUX_E_CYCLE, "... (1000 in all), which waits for rank 0 node 999 (compute), which waits for rank 0 "
                                 "node 0 (compute)");
}

static void control_dependencies_hold_where_they_are_sane(void **state)
{
    (void)state;
    struct chakra_writer *trace = trace_set_begin(&set);
    chakra_compute(trace, 1, 1);
    chakra_node(trace, 2, "join", 1);
    chakra_ctrl(trace, 1);
    trace_set_save(&set, 0);
    assert_read();
    assert_int_equal(flux_import_count(set.import, "control_kept"), 1);
    assert_true(trace_set_start(&set, "r0/2/join") == FLUX_US);
    assert_true(trace_set_notes(&set, "1 control dependencies hold"));
    set.options.deps = FLUX_DEPS_DATA;
    assert_read();
    assert_int_equal(flux_import_count(set.import, "control_dropped"), 1);
    assert_true(trace_set_start(&set, "r0/2/join") == 0);

    trace = trace_set_begin(&set); /* 1 and 2 control each other; 1 also itself, and 2 a node that is not there */
    chakra_compute(trace, 1, 1);
    chakra_ctrl(trace, 1);
    chakra_ctrl(trace, 2);
    chakra_node(trace, 2, "join", 1);
    chakra_ctrl(trace, 1);
    chakra_ctrl(trace, 99);
    trace_set_save(&set, 0);
    assert_read();
    assert_int_equal(flux_import_count(set.import, "control_kept"), 0);
    assert_int_equal(flux_import_warnings(set.import), 0);
    set.options.deps = FLUX_DEPS_AUTO;
    assert_read();
    assert_int_equal(flux_import_count(set.import, "control_dropped"), 4);
    assert_int_equal(flux_import_warnings(set.import), 2);
    assert_true(
        trace_set_warns(&set, "2 control dependencies are left out: 1 on nodes that are not there, 1 of a node"));
    assert_true(trace_set_warns(&set, "the other 2 control dependencies close a cycle"));
    set.options.deps = FLUX_DEPS_DATA_CTRL;
    assert_refused(FLUX_E_FORMAT, "itself");
    set.options.deps = 3;
    assert_refused(FLUX_E_ARGUMENT, "deps");
}

static void control_dependencies_may_close_a_cycle(void **state)
{
    (void)state;
    struct chakra_writer *trace = trace_set_begin(&set);
    chakra_compute(trace, 1, 1);
    chakra_ctrl(trace, 2);
    chakra_compute(trace, 2, 1);
    chakra_data(trace, 1);
    trace_set_save(&set, 0);
    set.options.deps = FLUX_DEPS_DATA_CTRL;
    assert_refused(FLUX_E_CYCLE, "node 1 (compute) waits for rank 0 node 2");
}

static void missing_parents_are_an_error_or_a_warning(void **state)
{
    (void)state;
    struct chakra_writer *trace = trace_set_begin(&set);
    chakra_compute(trace, 1, 1);
    chakra_data(trace, 99);
    trace_set_save(&set, 0);
    assert_refused(FLUX_E_FORMAT, "rank 0 node 1 (compute) waits for node 99 (data dependency), which is not there");
    set.options.missing_parent = FLUX_MISSING_WARN;
    assert_read();
    assert_true(trace_set_warns(&set, "1 dependencies on nodes that are not there"));
    set.options.strict = 1;
    assert_refused(FLUX_E_FORMAT, "not there");
}

/* -- messages -- */

/* Both ranks wait for the other's message before they send their own. */
static void crossed_messages_deadlock(void **state)
{
    (void)state;
    for (uint32_t rank = 0; rank < 2; rank++) {
        struct chakra_writer *trace = trace_set_begin(&set);
        chakra_message(trace, 1, CHAKRA_RECV, 1 - (int64_t)rank, 10, 0);
        chakra_message(trace, 2, CHAKRA_SEND, 1 - (int64_t)rank, 10, 0);
        chakra_data(trace, 1);
        trace_set_save(&set, rank);
    }
    assert_refused(FLUX_E_CYCLE, "the ranks wait for each other: rank 0 node 1 (recv) waits for rank 1 node 2 (send)");
}

static void messages_pair_by_key_in_order(void **state)
{
    (void)state;
    struct chakra_writer *trace = trace_set_begin(&set);
    chakra_message(trace, 1, CHAKRA_SEND, 1, 10, -5);
    chakra_message(trace, 2, CHAKRA_SEND, 1, 20, 7);
    chakra_message(trace, 3, CHAKRA_SEND, 1, 0, -5); /* no bytes: no circuit */
    chakra_message(trace, 4, CHAKRA_SEND, 2, INT64_C(3) << 30, 7);
    trace_set_save(&set, 0);
    trace = trace_set_begin(&set);
    chakra_message(trace, 8, CHAKRA_RECV, 0, 0, -5); /* the second of its key: id 6 comes first */
    chakra_data(trace, 6);
    chakra_message(trace, 6, CHAKRA_RECV, 0, -1, -5); /* without a size */
    chakra_message(trace, 5, CHAKRA_RECV, 0, 20, 7);
    trace_set_save(&set, 1);
    trace = trace_set_begin(&set);
    chakra_message(trace, 0, CHAKRA_RECV, 0, INT64_C(3) << 30, 7);
    chakra_integer(trace, "comm_dst", CHAKRA_UINT32, 2);
    trace_set_save(&set, 2);
    assert_read();
    assert_int_equal(sends(), 3);
    assert_true(bytes() == 30 + (UINT64_C(3) << 30));
    assert_int_equal(flux_import_count(set.import, "messages"), 4);
    assert_true(trace_set_start(&set, "r1/6/recv") == 100); /* 10 bytes at 800 Gbps */
    assert_true(trace_set_start(&set, "r1/8/recv") == 100);
    assert_true(trace_set_start(&set, "r1/5/recv") == 200);
    assert_true(trace_set_makespan(&set) == ((INT64_C(3) << 30) * 10));
}

static void messages_say_who_they_are_between(void **state)
{
    (void)state;
    chakra_message(trace_set_begin(&set), 1, CHAKRA_SEND, 5, 10, 0);
    trace_set_save(&set, 0);
    assert_refused(FLUX_E_FORMAT, "rank 0 node 1 (send) has the comm_dst 5, and the ranks are 0 .. 0");
    chakra_message(trace_set_begin(&set), 1, CHAKRA_RECV, 0, 10, 0);
    chakra_integer(&set.writer, "comm_dst", CHAKRA_INT32, 3);
    trace_set_save(&set, 1);
    chakra_message(trace_set_begin(&set), 1, CHAKRA_SEND, 1, 10, 0);
    trace_set_save(&set, 0);
    assert_refused(FLUX_E_FORMAT, "rank 1 node 1 (recv) has the comm_dst 3, which is not its rank");
    chakra_message(trace_set_begin(&set), 1, CHAKRA_SEND, 1, -1, 0);
    trace_set_save(&set, 0);
    assert_refused(FLUX_E_FORMAT, "has no comm_size");
    chakra_message(trace_set_begin(&set), 1, CHAKRA_SEND, 1, -1, 0);
    chakra_integer(&set.writer, "msg_chunk_cnt", CHAKRA_INT32, 3);
    trace_set_save(&set, 0);
    assert_refused(FLUX_E_FORMAT, "msg_chunk_cnt");
    chakra_node(trace_set_begin(&set), 1, "send", CHAKRA_SEND);
    chakra_integer(&set.writer, "comm_size", CHAKRA_INT32, 3);
    trace_set_save(&set, 0);
    assert_refused(FLUX_E_FORMAT, "has no comm_dst");
}

/* -- collectives -- */

static void a_collective_without_bytes_still_joins(void **state)
{
    (void)state;
    for (uint32_t rank = 0; rank < 3; rank++) {
        struct chakra_writer *trace = trace_set_begin(&set);
        chakra_compute(trace, 1, 10 * (rank + 1));
        chakra_collective(trace, 2, ALL_REDUCE, 0, NULL);
        chakra_data(trace, 1);
        chakra_compute(trace, 3, 1);
        chakra_data(trace, 2);
        trace_set_save(&set, rank);
    }
    assert_read();
    assert_int_equal(sends(), 0);
    assert_int_equal(flux_import_count(set.import, "collectives"), 1);
    for (uint32_t rank = 0; rank < 3; rank++) {
        char label[32];
        snprintf(label, sizeof label, "r%u/3/compute", rank);
        assert_true(trace_set_start(&set, label) == 30 * FLUX_US);
    }
}

static void few_bytes_are_not_lost(void **state)
{
    (void)state;
    for (uint32_t rank = 0; rank < 4; rank++) {
        chakra_collective(trace_set_begin(&set), 1, ALL_REDUCE, 2, NULL);
        trace_set_save(&set, rank);
    }
    assert_read();
    assert_int_equal(bytes(), 12); /* 2 (n - 1) c */
    assert_int_equal(sends(), 12); /* of 24 steps; the other 12 have nothing to carry */
    assert_int_equal(flux_graph_vertices(flux_import_graph(set.import)), 28);
    set.options.chunks = 5; /* more than there are bytes */
    assert_read();
    assert_int_equal(bytes(), 12);
}

static void kinds_of_collectives_keep_their_meaning(void **state)
{
    (void)state;
    save_collectives(4, ALL_GATHER, NULL);
    assert_read();
    assert_int_equal(bytes(), 12 * 4096);
    save_collectives(4, REDUCE_SCATTER_BLOCK, NULL);
    assert_read();
    assert_int_equal(bytes(), 3 * 4096);
    save_collectives(4, ALL_TO_ALL, NULL);
    assert_read();
    assert_int_equal(bytes(), 3 * 4096);
    set.options.all_to_all = FLUX_ALGORITHM_RING;
    assert_read();
    assert_int_equal(bytes(), 6 * 4096);
    save_collectives(4, BROADCAST, NULL);
    assert_read();
    assert_int_equal(sends(), 0);
    assert_int_equal(flux_import_warnings(set.import), 4);
    save_collectives(4, 10, NULL);
    assert_refused(FLUX_E_FORMAT, "comm_type 10");
    set.options.all_to_all = FLUX_ALGORITHM_HALVING_DOUBLING;
    assert_refused(FLUX_E_ARGUMENT, "all_to_all");
}

static void halving_doubling_gives_way_to_a_ring(void **state)
{
    (void)state;
    set.options.all_reduce = FLUX_ALGORITHM_HALVING_DOUBLING;
    save_collectives(4, ALL_REDUCE, NULL);
    assert_read();
    assert_int_equal(sends(), 16);
    assert_int_equal(flux_import_warnings(set.import), 0);
    save_collectives(6, ALL_REDUCE, NULL);
    assert_read();
    assert_int_equal(sends(), 60);
    assert_true(trace_set_warns(&set, "1 collectives of other groups are rings"));
}

static void what_pytorch_runs_on_the_host_is_no_collective(void **state)
{
    (void)state;
    chakra_node(trace_set_begin(&set), 1, "c10d::allreduce_", CHAKRA_COLL);
    chakra_integer(&set.writer, "is_cpu_op", CHAKRA_BOOL, 1);
    trace_set_save(&set, 0);
    assert_read();
    assert_true(trace_set_vertex(&set, "r0/1/c10d__allreduce_") != FLUX_NONE);
    chakra_node(trace_set_begin(&set), 1, "nccl:all_reduce", CHAKRA_COLL);
    trace_set_save(&set, 0);
    assert_refused(FLUX_E_FORMAT, "rank 0 node 1 (nccl:all_reduce) has no comm_type");
}

static void unknown_types_join(void **state)
{
    (void)state;
    chakra_node(trace_set_begin(&set), 1, "new", 42);
    chakra_node(&set.writer, 2, "old", 0);
    trace_set_save(&set, 0);
    assert_read();
    assert_true(trace_set_warns(&set, "1 nodes have a type that is not known, such as 42"));
    assert_true(trace_set_warns(&set, "1 nodes have no type"));
    set.options.strict = 1;
    assert_refused(FLUX_E_FORMAT, "no type");
}

/* -- groups -- */

static void a_group_file_beside_the_trace_is_used(void **state)
{
    (void)state;
    save_collectives(2, ALL_REDUCE, "tp");
    assert_refused(FLUX_E_FORMAT, "no group file was given or found");
    group_file("t.json", "{\"tp\": [1, 0]}");
    assert_read();
    assert_int_equal(sends(), 4);
    assert_true(trace_set_notes(&set, "t.json"));
    group_file("comm_group.json", "{\"tp\": [0, 1]}");
    assert_read();
    assert_true(trace_set_notes(&set, "comm_group.json"));
    set.options.groups_path = "/nowhere/groups.json";
    assert_refused(FLUX_E_IO, "/nowhere/groups.json");
    set.options.groups_path = NULL;
    save_collectives(2, ALL_REDUCE, NULL); /* nobody asks for a group: the file is not looked at */
    group_file("comm_group.json", "not JSON");
    assert_read();
    assert_int_equal(sends(), 4);
}

static void a_ring_runs_in_the_order_of_its_group(void **state)
{
    (void)state;
    save_collectives(3, ALL_GATHER, "g");
    group_file("comm_group.json", "{\"g\": [2, 0, 1]}");
    assert_read();
    struct flux_send send;
    const struct flux_graph *graph = flux_import_graph(set.import);
    for (uint32_t v = 0; v < flux_graph_vertices(graph); v++)
        if (flux_graph_get_send(graph, v, &send) == 0)
            assert_int_equal(send.dst, (send.src + 1) % 3); /* 2 0 1 is 0 1 2 turned */
    group_file("comm_group.json", "{\"g\": [0, 2, 1]}");
    assert_read();
    graph = flux_import_graph(set.import);
    for (uint32_t v = 0; v < flux_graph_vertices(graph); v++)
        if (flux_graph_get_send(graph, v, &send) == 0)
            assert_int_equal(send.dst, (send.src + 2) % 3);
    assert_true(trace_set_vertex(&set, "r2/1/all_gather@g#0/s1-r1") != FLUX_NONE);
}

static void wrong_group_files_say_where(void **state)
{
    static const struct {
        const char *text;
        const char *words;
    } wrong[] = {
        {"{\"g\": [0, 1],}", "comm_group.json:1:14"},
        {"{\"g\": [0, 1], \"g\": [1, 0]}", "comm_group.json:1:"},
        {"{\n  \"g\": [0, 1]\n", "comm_group.json:3:"},
        {"", "comm_group.json:1:"},
        {"[[0, 1]]", "one object"},
        {"{\"g\": 1}", "group \"g\" is not an array"},
        {"{\"g\": []}", "group \"g\" has no member"},
        {"{\"g\": [0, 0]}", "group \"g\" names rank 0 twice"},
        {"{\"g\": [0, 1.0]}", "member 2 something that is no whole number"},
        {"{\"g\": [0, -1]}", "names rank -1"},
        {"{\"g\": [0, 18446744073709551616]}", "comm_group.json:1:"},
        {"{\"\": [0, 1]}", "needs a name"},
        {"{\"g\": [0]}", "rank 1 node 1 (collective) runs a collective of group \"g\", of which the rank is no member"},
    };
    (void)state;
    save_collectives(2, ALL_REDUCE, "g");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        group_file("comm_group.json", wrong[i].text);
        assert_refused(FLUX_E_FORMAT, wrong[i].words);
    }
}

static void spellings_of_one_number_are_one_group(void **state)
{
    (void)state;
    chakra_collective(trace_set_begin(&set), 1, ALL_REDUCE, 4096, "7.0");
    trace_set_save(&set, 0);
    chakra_node(trace_set_begin(&set), 1, "older", CHAKRA_COLL);
    chakra_integer(&set.writer, "comm_type", CHAKRA_INT64, 0);
    chakra_integer(&set.writer, "comm_size", CHAKRA_INT64, 4096);
    chakra_integer(&set.writer, "comm_group", CHAKRA_INT32, 7);
    trace_set_save(&set, 1);
    group_file("comm_group.json", "{\"7\": [0, 1]}");
    assert_read();
    assert_int_equal(sends(), 4);
    assert_int_equal(flux_import_count(set.import, "collectives"), 1);
    assert_int_equal(flux_import_warnings(set.import), 1);
    assert_true(trace_set_warns(&set, "group \"7.0\" is taken for \"7\""));
    save_collectives(2, ALL_REDUCE, "0"); /* nothing defines 0: all ranks */
    assert_read();
    assert_int_equal(sends(), 4);
    assert_int_equal(flux_import_warnings(set.import), 0);
}

static void two_names_are_two_communicators(void **state)
{
    (void)state;
    for (uint32_t rank = 0; rank < 2;
         rank++) { /* each rank has its own order, which one communicator would not allow */
        chakra_collective(trace_set_begin(&set), 1, rank ? ALL_REDUCE : ALL_GATHER, 4096, rank ? "a" : "b");
        chakra_collective(&set.writer, 2, rank ? ALL_GATHER : ALL_REDUCE, 4096, rank ? "b" : "a");
        trace_set_save(&set, rank);
    }
    group_file("comm_group.json", "{\"a\": [0, 1], \"b\": [0, 1]}");
    assert_read();
    assert_int_equal(sends(), 6);
    group_file("comm_group.json", "{\"a\": [0, 1]}");
    assert_refused(FLUX_E_FORMAT, "group \"b\", which nothing defines; there are \"a\"");
}

static void save_declaration(uint32_t rank, const char *declaration)
{
    struct chakra_writer *trace = trace_set_begin(&set);
    chakra_node(trace, 0, "## process_group:init ##", CHAKRA_METADATA);
    chakra_node(trace, 1, "process_group:init", CHAKRA_METADATA);
    chakra_inputs(trace, declaration);
    chakra_collective(trace, 2, ALL_REDUCE, 4096, "dp");
    trace_set_save(&set, rank);
}

static void traces_may_declare_groups(void **state)
{
    static const char both[] = "['[{\"pg_name\": \"dp\", \"pg_desc\": \"x\", \"ranks\": [0, 1]}]']";
    (void)state;
    save_declaration(0, both);
    save_declaration(1, "[\"[{\"pg_name\": \"dp\", \"ranks\": [0, 1]}, {\"pg_name\": \"0\", \"ranks\": []}]\"]");
    assert_read();
    assert_int_equal(sends(), 4);
    save_declaration(1, "['[{\"pg_name\": \"dp\", \"ranks\": []}]']"); /* all ranks: no longer what rank 0 says */
    assert_refused(FLUX_E_FORMAT, "group \"dp\" has other members in rank 1 than in rank 0");
    save_declaration(0, "['[{\"pg_name\": \"dp\", \"ranks\": []}]']");
    assert_read();
    assert_int_equal(sends(), 4);
    save_declaration(1, "['[{\"pg_name\": \"dp\"}]']");
    assert_refused(FLUX_E_FORMAT, "lacks its pg_name or ranks");
    save_declaration(1, "['[{\"pg_name\": \"dp\", ']");
    assert_refused(FLUX_E_FORMAT, "not JSON");
    save_declaration(1, both);
    save_declaration(0, both);
    chakra_compute(trace_set_begin(&set), 1, 1);
    trace_set_save(&set, 2);
    group_file("comm_group.json", "{\"dp\": [1, 0]}"); /* the file wins */
    assert_read();
    assert_true(trace_set_vertex(&set, "r1/2/all_reduce@dp#0/s0-r0") != FLUX_NONE);
}

static void some_dimensions_of_a_network_need_a_group(void **state)
{
    (void)state;
    for (uint32_t rank = 0; rank < 2; rank++) {
        chakra_collective(trace_set_begin(&set), 1, ALL_REDUCE, 4096, NULL);
        chakra_bools(&set.writer, "involved_dim", "11");
        trace_set_save(&set, rank);
    }
    assert_read();
    chakra_collective(trace_set_begin(&set), 1, ALL_REDUCE, 4096, NULL);
    chakra_bools(&set.writer, "involved_dim", "101");
    trace_set_save(&set, 1);
    assert_refused(FLUX_E_FORMAT, "involved_dim");
}

static void members_must_agree(void **state)
{
    (void)state;
    save_collectives(2, ALL_REDUCE, NULL);
    chakra_collective(trace_set_begin(&set), 6, ALL_GATHER, 4096, NULL);
    trace_set_save(&set, 1);
    assert_refused(FLUX_E_FORMAT, "collective 0 of group \"world\" differs between its members: rank 0 node 1 "
                                  "(collective) is all_reduce of 4096 bytes, rank 1 node 6 (collective) is all_gather");
    trace_set_begin(&set);
    trace_set_save(&set, 1);
    assert_refused(FLUX_E_FORMAT, "rank 0 runs 1 collectives of group \"world\" and rank 1 runs 0: rank 0 node 1");
}

/* -- limits -- */

/* The number of vertices is counted before they are made: exactly. */
static void the_limit_is_met_exactly(void **state)
{
    static const uint32_t algorithms[] = {FLUX_ALGORITHM_RING, FLUX_ALGORITHM_DIRECT, FLUX_ALGORITHM_HALVING_DOUBLING};
    static const char *const traces[] = {"tests/data/stage-generated/moe8e_L2_ep4/workload",
                                         "tests/data/stage-generated/llama3-8b_L4_tp2dp2pp2_mb2/workload"};
    (void)state;
    set.options.scale_num = 2;
    for (int t = 0; t < 2; t++)
        for (int a = 0; a < 3; a++)
            for (uint32_t chunks = 1; chunks <= 3; chunks += 2) {
                set.options.all_reduce = set.options.all_gather = set.options.reduce_scatter = algorithms[a];
                set.options.chunks = chunks;
                set.options.vertices_max = 0;
                assert_int_equal(trace_set_read(&set, traces[t]), 0);
                uint32_t vertices = flux_graph_vertices(flux_import_graph(set.import));
                set.options.vertices_max = vertices;
                assert_int_equal(trace_set_read(&set, traces[t]), 0);
                set.options.vertices_max = vertices - 1;
                assert_int_equal(trace_set_read(&set, traces[t]), FLUX_E_TOO_BIG);
                assert_words("limit");
            }
}

static void huge_expansions_are_refused_before_they_begin(void **state)
{
    (void)state;
    save_collectives(1, ALL_REDUCE, NULL);
    set.options.ranks = 20000; /* 800 million sends */
    assert_refused(FLUX_E_TOO_BIG, "would expand to 799980000 vertices and the limit is 100000000");
    set.options.ranks = 2;
    set.options.chunks = UINT32_MAX;
    assert_read(); /* not more chunks than bytes */
    set.options.ranks = FLUX_GPUS_MAX + 1;
    assert_refused(FLUX_E_TOO_BIG, "ranks");
    set.options.ranks = 1 << 20;
    set.options.vertices_max = UINT64_MAX;
    assert_refused(FLUX_E_TOO_BIG, "");
}

static void too_many_nodes_or_bytes_are_refused(void **state)
{
    (void)state;
    for (uint32_t rank = 0; rank < 2; rank++) {
        struct chakra_writer *trace = trace_set_begin(&set);
        for (uint64_t id = 0; id < 9; id++)
            chakra_compute(trace, id, 1);
        trace_set_save(&set, rank);
    }
    set.options.vertices_max = 12;
    assert_refused(FLUX_E_TOO_BIG, "more than 12 nodes");
    set.options.vertices_max = 0;
    for (uint32_t rank = 0; rank < 2; rank++) {
        chakra_collective(trace_set_begin(&set), 1, ALL_GATHER, INT64_MAX, NULL);
        trace_set_save(&set, rank);
    }
    assert_read();
    assert_true(bytes() == UINT64_MAX - 1);
    set.options.scale_num = 2;
    assert_refused(FLUX_E_OVERFLOW, "2^64 bytes");
}

/* -- labels -- */

static int compare_labels(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void every_vertex_has_a_label_of_its_own(void **state)
{
    static const char *const traces[] = {
        "tests/data/stage-generated/moe8e_L2_ep4/workload",
        "tests/data/stage-generated/llama3-8b_L4_tp2dp2pp2_mb2/workload",
        "tests/data/astra-sim/examples/system/custom_collectives/custom_ring_allreduce_8npus_1MB/custom_allreduce",
        "tests/data/chakra/chakra.0.et.gz",
    };
    (void)state;
    set.options.scale_num = 2;
    for (size_t t = 0; t < sizeof traces / sizeof traces[0]; t++)
        for (uint32_t chunks = 1; chunks < 3; chunks++) {
            set.options.chunks = chunks;
            set.options.all_reduce = FLUX_ALGORITHM_DIRECT; /* has points between its steps */
            set.options.ranks = t == 3 ? 3 : 0;
            assert_int_equal(trace_set_read(&set, traces[t]), 0);
            const struct flux_graph *graph = flux_import_graph(set.import);
            uint32_t count = flux_graph_vertices(graph);
            const char **labels = calloc(count, sizeof *labels);
            assert_non_null(labels);
            for (uint32_t v = 0; v < count; v++) {
                labels[v] = flux_graph_label(graph, v);
                assert_true(*labels[v] && strlen(labels[v]) < 100);
                assert_true(strspn(labels[v], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.@-/#") ==
                            strlen(labels[v]));
            }
            qsort(labels, count, sizeof *labels, compare_labels);
            for (uint32_t v = 1; v < count; v++)
                assert_string_not_equal(labels[v - 1], labels[v]);
            free(labels);
        }
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(computes_take_their_duration_or_a_roofline),
        CASE(computes_in_the_order_of_their_ids_may_not_deadlock),
        CASE(chains_close_cycles),
        CASE(long_cycles_are_told_in_short),
        CASE(control_dependencies_hold_where_they_are_sane),
        CASE(control_dependencies_may_close_a_cycle),
        CASE(missing_parents_are_an_error_or_a_warning),
        CASE(crossed_messages_deadlock),
        CASE(messages_pair_by_key_in_order),
        CASE(messages_say_who_they_are_between),
        CASE(a_collective_without_bytes_still_joins),
        CASE(few_bytes_are_not_lost),
        CASE(kinds_of_collectives_keep_their_meaning),
        CASE(halving_doubling_gives_way_to_a_ring),
        CASE(what_pytorch_runs_on_the_host_is_no_collective),
        CASE(unknown_types_join),
        CASE(a_group_file_beside_the_trace_is_used),
        CASE(a_ring_runs_in_the_order_of_its_group),
        CASE(wrong_group_files_say_where),
        CASE(spellings_of_one_number_are_one_group),
        CASE(two_names_are_two_communicators),
        CASE(traces_may_declare_groups),
        CASE(some_dimensions_of_a_network_need_a_group),
        CASE(members_must_agree),
        CASE(the_limit_is_met_exactly),
        CASE(huge_expansions_are_refused_before_they_begin),
        CASE(too_many_nodes_or_bytes_are_refused),
        CASE(every_vertex_has_a_label_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
