/* SPDX-License-Identifier: Apache-2.0
 *
 * Real trace sets against counts of an independent reader: tests/data/oracle.json.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/ideal.h"

#include "io/trace/chakra_set.h"
#include "io/trace/chakra_wire.h"

#include <jansson.h>
#include <libflux/io/import.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROOT "tests/data/"

/* The files of one rank as they stand, before any rule of ours. */
struct raw {
    uint64_t *ids;
    uint64_t nodes, capacity;
    struct dep {
        uint64_t child;  /* index */
        uint64_t parent; /* id */
        int ctrl;
    } * deps;
    uint64_t dep_count, dep_capacity;
};

struct counts {
    int64_t nodes, data_deps, ctrl_deps, dur_zero, types[8];
    int64_t data_missing, ctrl_missing, self_data, self_ctrl, dup_ids, cyclic_data, cyclic_all, ranks;
};

static void add_dep(struct raw *raw, uint64_t child, uint64_t parent, int ctrl)
{
    if (raw->dep_count == raw->dep_capacity) {
        raw->dep_capacity = raw->dep_capacity ? 2 * raw->dep_capacity : 1024;
        raw->deps = realloc(raw->deps, raw->dep_capacity * sizeof *raw->deps);
        assert_non_null(raw->deps);
    }
    raw->deps[raw->dep_count++] = (struct dep){child, parent, ctrl};
}

static void read_rank(const struct flux_io_memory *memory, const char *path, struct raw *raw, struct counts *counts)
{
    struct flux_io_chakra_reader *reader = calloc(1, sizeof *reader);
    struct flux_error error;
    assert_non_null(reader);
    if (flux_io_chakra_open(reader, memory, path, NULL, &error))
        fail_msg("%s", error.text);
    int rc;
    while ((rc = flux_io_chakra_next(reader, &error)) == 1) {
        const struct flux_io_chakra_node *node = &reader->node;
        if (raw->nodes == raw->capacity) {
            raw->capacity = raw->capacity ? 2 * raw->capacity : 256;
            raw->ids = realloc(raw->ids, raw->capacity * sizeof *raw->ids);
            assert_non_null(raw->ids);
        }
        assert_true(node->type < 8);
        counts->types[node->type]++;
        counts->dur_zero += node->duration_us == 0;
        counts->data_deps += (int64_t)node->data_deps_count;
        counts->ctrl_deps += (int64_t)node->ctrl_deps_count;
        for (uint64_t i = 0; i < node->data_deps_count; i++)
            add_dep(raw, raw->nodes, node->data_deps[i], 0);
        for (uint64_t i = 0; i < node->ctrl_deps_count; i++)
            add_dep(raw, raw->nodes, node->ctrl_deps[i], 1);
        raw->ids[raw->nodes++] = node->id;
    }
    if (rc)
        fail_msg("%s", error.text);
    flux_io_chakra_close(reader);
    free(reader);
}

struct place {
    uint64_t id, index;
};

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

static int64_t find(const struct place *places, uint64_t count, uint64_t id)
{
    struct place wanted = {id, 0};
    const struct place *found = count ? bsearch(&wanted, places, count, sizeof wanted, compare_places) : NULL;
    return found ? (int64_t)found->index : -1;
}

/* 1 where the dependencies close a cycle; missing parents and self loops do not count as one. */
static int cyclic(const struct raw *raw, const struct place *places, int with_ctrl)
{
    uint64_t n = raw->nodes, done = 0;
    uint32_t *waits = calloc(n + 1, sizeof *waits);
    uint64_t *stack = calloc(n + 1, sizeof *stack), depth = 0;
    uint64_t *first = calloc(n + 2, sizeof *first), *child = calloc(raw->dep_count + 1, sizeof *child);
    assert_true(waits && stack && first && child);
    for (int pass = 0; pass < 2; pass++) {
        for (uint64_t i = 0; i < raw->dep_count; i++) {
            const struct dep *dep = &raw->deps[i];
            int64_t parent = find(places, n, dep->parent);
            if (parent < 0 || (uint64_t)parent == dep->child || (dep->ctrl && !with_ctrl))
                continue;
            if (pass == 0) {
                first[parent + 1]++;
                waits[dep->child]++;
            } else {
                child[first[parent]++] = dep->child;
            }
        }
        for (uint64_t v = 0; pass == 0 && v < n; v++)
            first[v + 1] += first[v];
    }
    for (uint64_t v = 0; v < n; v++)
        if (!waits[v])
            stack[depth++] = v;
    while (depth) {
        uint64_t v = stack[--depth];
        done++;
        for (uint64_t i = v ? first[v - 1] : 0; i < first[v]; i++)
            if (--waits[child[i]] == 0)
                stack[depth++] = child[i];
    }
    free(waits);
    free(stack);
    free(first);
    free(child);
    return done < n;
}

static void count_rank(const struct flux_io_memory *memory, const char *path, struct counts *counts)
{
    struct raw raw = {0};
    read_rank(memory, path, &raw, counts);
    struct place *places = calloc(raw.nodes + 1, sizeof *places);
    assert_non_null(places);
    for (uint64_t i = 0; i < raw.nodes; i++)
        places[i] = (struct place){raw.ids[i], i};
    qsort(places, raw.nodes, sizeof *places, compare_places);
    for (uint64_t i = 1; i < raw.nodes; i++)
        counts->dup_ids += places[i].id == places[i - 1].id;
    for (uint64_t i = 0; i < raw.dep_count; i++) {
        const struct dep *dep = &raw.deps[i];
        int64_t parent = find(places, raw.nodes, dep->parent);
        *(dep->ctrl ? &counts->ctrl_missing : &counts->data_missing) += parent < 0;
        *(dep->ctrl ? &counts->self_ctrl : &counts->self_data) += parent == (int64_t)dep->child;
    }
    counts->nodes += (int64_t)raw.nodes;
    counts->cyclic_data += cyclic(&raw, places, 0);
    counts->cyclic_all += cyclic(&raw, places, 1);
    free(places);
    free(raw.ids);
    free(raw.deps);
}

static int64_t raw_count(const struct counts *counts, const char *key)
{
    const struct {
        const char *key;
        int64_t value;
    } rows[] = {
        {"nodes", counts->nodes},
        {"ranks", counts->ranks},
        {"data_deps", counts->data_deps},
        {"ctrl_deps", counts->ctrl_deps},
        {"dur_zero", counts->dur_zero},
        {"data_missing", counts->data_missing},
        {"ctrl_missing", counts->ctrl_missing},
        {"self_data", counts->self_data},
        {"self_ctrl", counts->self_ctrl},
        {"dup_ids", counts->dup_ids},
        {"cyclic_data", counts->cyclic_data},
        {"cyclic_data+ctrl", counts->cyclic_all},
        {"type_COMP", counts->types[FLUX_IO_CHAKRA_COMP]},
        {"type_SEND", counts->types[FLUX_IO_CHAKRA_SEND]},
        {"type_RECV", counts->types[FLUX_IO_CHAKRA_RECV]},
        {"type_COLL", counts->types[FLUX_IO_CHAKRA_COLL]},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].key, key) == 0)
            return rows[i].value;
    fail_msg("a count that this test does not know: %s", key);
    return -1;
}

static void files_hold_what_an_independent_reader_found(void **state)
{
    json_t *oracle = json_load_file(ROOT "oracle.json", 0, NULL), *entry, *value;
    const char *name, *key;
    struct flux_io_memory memory;
    int sets = 0;
    (void)state;
    assert_non_null(oracle);
    assert_int_equal(flux_io_memory_init(&memory, NULL), 0);
    json_object_foreach(json_object_get(oracle, "et_files"), name, entry)
    {
        struct flux_io_chakra_set set;
        struct counts counts = {0};
        struct flux_error error;
        char prefix[512];
        snprintf(prefix, sizeof prefix, ROOT "%s", name);
        if (flux_io_chakra_set_find(&set, &memory, prefix, 0, 0, &error))
            fail_msg("%s", error.text);
        for (uint32_t rank = 0; rank < set.count; rank++) {
            char *path = flux_io_chakra_set_path(&set, rank);
            assert_non_null(path);
            count_rank(&memory, path, &counts);
            flux_io_release(&memory, path, strlen(path) + 1, 1);
        }
        counts.ranks = set.count;
        flux_io_chakra_set_free(&set);
        json_object_foreach(entry, key, value)
        {
            int64_t have = raw_count(&counts, key);
            if (have != json_integer_value(value))
                fail_msg("%s %s: %lld, not %lld", name, key, (long long)have, (long long)json_integer_value(value));
        }
        sets++;
    }
    assert_int_equal(sets, 25);
    json_decref(oracle);
}

/* A time in ps against one in ms with three decimals. The independent reader cuts compute times to whole nanoseconds,
 * which on a path of 600 computes may come to the last digit. */
static int same_ms(int64_t time, double ms)
{
    double have = (double)time / 1e9, difference = have > ms ? have - ms : ms - have;
    return difference <= 0.000500001;
}

/* Whether all members of a collective have it under the same node id. The ends of their parts are called
 * "rRANK/NODE/KIND@GROUP#NUMBER". */
struct part {
    const char *collective; /* KIND@GROUP#NUMBER */
    uint64_t node;
};

static int compare_parts(const void *left, const void *right)
{
    const struct part *a = left, *b = right;
    return strcmp(a->collective, b->collective);
}

static int same_node_ids(const struct flux_graph *graph, int64_t *collectives)
{
    struct part *parts = calloc(flux_graph_vertices(graph) + 1, sizeof *parts);
    size_t count = 0;
    int same = 1;
    assert_non_null(parts);
    for (uint32_t v = 0; v < flux_graph_vertices(graph); v++) {
        const char *label = flux_graph_label(graph, v);
        unsigned rank;
        unsigned long long node;
        int length = 0;
        assert_int_equal(sscanf(label, "r%u/%llu%n", &rank, &node, &length), 2);
        const char *rest = label + length + (label[length] == '/');
        if (strchr(rest, '#') && !strchr(rest, '/'))
            parts[count++] = (struct part){rest, node};
    }
    qsort(parts, count, sizeof *parts, compare_parts);
    *collectives = count > 0;
    for (size_t i = 1; i < count; i++) {
        int first = compare_parts(&parts[i - 1], &parts[i]) != 0;
        *collectives += first;
        same &= first || parts[i].node == parts[i - 1].node;
    }
    free(parts);
    return same;
}

static int64_t number_of(const json_t *entry, const char *key)
{
    const json_t *value = json_object_get(entry, key);
    return json_is_boolean(value) ? json_is_true(value) : json_integer_value(value);
}

static void check_times(const char *name, const json_t *entry, const struct ideal *ideal)
{
    double path = json_number_value(json_object_get(entry, "critical_path_ms"));
    double compute = json_number_value(json_object_get(entry, "compute_per_rank_ms"));
    if (!same_ms(ideal->makespan, path) || !same_ms(ideal_mean_compute(ideal), compute))
        fail_msg("%s: path %lld ps, not %.3f ms; compute %lld ps per rank, not %.3f ms", name,
                 (long long)ideal->makespan, path, (long long)ideal_mean_compute(ideal), compute);
}

/* `raw` are the counts of the same files. Every key must be known here. */
static void check_counts(const char *name, const json_t *entry, const json_t *raw, const struct flux_import *import,
                         const struct ideal *ideal)
{
    const struct flux_graph *graph = flux_import_graph(import);
    int64_t collectives;
    int64_t same_ids = same_node_ids(graph, &collectives);
    const struct {
        const char *key;
        int64_t value;
    } rows[] = {
        {"tasks", flux_graph_sends(graph)},
        {"bytes", (int64_t)flux_import_count(import, "bytes")},
        {"nodes", (int64_t)flux_import_count(import, "nodes")},
        {"ranks", (int64_t)flux_import_count(import, "ranks")},
        {"collectives", (int64_t)flux_import_count(import, "collectives")},
        {"p2p_sends", (int64_t)flux_import_count(import, "messages")},
        {"comp_nodes", number_of(raw, "type_COMP")},
        {"circuits", (int64_t)ideal_circuits(ideal)},
        {"contracted_edges", (int64_t)ideal_contracted_edges(ideal)},
        {"same_node_id", same_ids},
        {"acyclic", flux_graph_check(graph, NULL) == 0},
        {"group_sequence_mismatches", 0}, /* what does not match is refused, and this was read */
        {"unmatched", 0},
        {"size_scale", number_of(entry, "size_scale")}, /* what was asked for */
        {"serial_compute", number_of(entry, "serial_compute")},
        {"critical_path_ms", 0}, /* elsewhere */
        {"compute_per_rank_ms", 0},
    };
    assert_int_equal(json_object_size(entry), sizeof rows / sizeof rows[0]);
    assert_int_equal(collectives, flux_import_count(import, "collectives"));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const json_t *value = json_object_get(entry, rows[i].key);
        assert_non_null(value);
        if (!json_is_real(value) && rows[i].value != number_of(entry, rows[i].key))
            fail_msg("%s %s: %lld, not %lld", name, rows[i].key, (long long)rows[i].value,
                     (long long)number_of(entry, rows[i].key));
    }
}

static void check_workload(const char *name, const json_t *entry, const json_t *raw)
{
    struct flux_import_options options = FLUX_IMPORT_OPTIONS_INIT;
    struct flux_import *import;
    struct flux_error error;
    struct ideal ideal;
    char path[512], groups[512];
    snprintf(path, sizeof path, ROOT "%s", name);
    snprintf(groups, sizeof groups, ROOT "%.*s/../inputs/comm_group.json", (int)(strrchr(name, '/') - name), name);
    options.scale_num = (uint64_t)number_of(entry, "size_scale");
    options.overlap_compute = !number_of(entry, "serial_compute");
    if (access(groups, R_OK) == 0)
        options.groups_path = groups;
    if (flux_import(NULL, path, &options, &import, &error))
        fail_msg("%s", error.text);
    assert_int_equal(ideal_run(&ideal, flux_import_graph(import), FLUX_RATE_DEFAULT), 0);
    check_counts(name, entry, raw, import, &ideal);
    check_times(name, entry, &ideal);
    ideal_free(&ideal);
    flux_import_free(import);
}

static void workloads_expand_as_an_independent_reader_does(void **state)
{
    json_t *oracle = json_load_file(ROOT "oracle.json", 0, NULL), *entry;
    const char *name;
    int workloads = 0;
    (void)state;
    assert_non_null(oracle);
    json_object_foreach(json_object_get(oracle, "et_workloads"), name, entry)
    {
        check_workload(name, entry, json_object_get(json_object_get(oracle, "et_files"), name));
        workloads++;
    }
    assert_int_equal(workloads, 24);
    json_decref(oracle);
}

/* The same all-reduce as a collective and as sends and receives. */
static void two_roads_lead_to_one_all_reduce(void **state)
{
    static const char *const roads[] = {
        ROOT "astra-sim/examples/workload/microbenchmarks/all_reduce/8npus_1MB/all_reduce",
        ROOT "astra-sim/examples/system/custom_collectives/custom_ring_allreduce_8npus_1MB/custom_allreduce"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct flux_import *import;
        struct ideal ideal;
        assert_int_equal(flux_import(NULL, roads[i], NULL, &import, NULL), 0);
        assert_int_equal(ideal_run(&ideal, flux_import_graph(import), FLUX_RATE_DEFAULT), 0);
        assert_int_equal(flux_graph_sends(flux_import_graph(import)), 112);
        assert_int_equal(flux_import_count(import, "bytes"), 14680064);
        assert_int_equal(ideal_circuits(&ideal), 8);
        ideal_free(&ideal);
        flux_import_free(import);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_hold_what_an_independent_reader_found),
        cmocka_unit_test(workloads_expand_as_an_independent_reader_does),
        cmocka_unit_test(two_roads_lead_to_one_all_reduce),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
