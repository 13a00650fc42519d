/* SPDX-License-Identifier: Apache-2.0 */
#include "asking.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <libflux/io/generate.h>
#include <libflux/io/import.h>
#include <libflux/io/matrix.h>
#include <libflux/io/names.h>
#include <libflux/io/write.h>
#include <stdio.h>
#include <unistd.h>

#define DOCUMENT "tests/data/cli/pair.yaml"
#define TRACE "tests/data/stage-generated/llama3-8b_L2_fsdp4/workload"
#define ENV (&bench->memory.env)

static int names_new(struct bench *bench)
{
    struct flux_names *names;
    int rc = flux_names_new(ENV, bench->graph, &names);
    assert_int_equal(!names, rc != 0);
    flux_names_free(names);
    return rc;
}

static int names_find(struct bench *bench)
{
    struct flux_names *names;
    int rc = flux_names_new(ENV, bench->graph, &names);
    if (!rc)
        assert_int_equal(flux_names_find(names, "v7"), 7);
    flux_names_free(names);
    return rc;
}

static int import_path(struct bench *bench, const char *path)
{
    struct flux_import *import;
    struct flux_error error = {0};
    int rc = flux_import(ENV, path, NULL, &import, &error);
    assert_int_equal(!import, rc != 0);
    flux_import_free(import);
    return rc;
}

static int import_document(struct bench *bench)
{
    return import_path(bench, DOCUMENT);
}

static int import_trace(struct bench *bench)
{
    return import_path(bench, TRACE);
}

static int generate(struct bench *bench)
{
    struct flux_generate_options options = FLUX_GENERATE_OPTIONS_INIT;
    struct flux_import *import;
    options.model = "llama3-8b";
    options.tensor = 2;
    options.layers = 2;
    int rc = flux_generate(ENV, &options, &import, NULL);
    assert_int_equal(!import, rc != 0);
    flux_import_free(import);
    return rc;
}

static int generate_operation(struct bench *bench)
{
    struct flux_generate_options options = FLUX_GENERATE_OPTIONS_INIT;
    struct flux_operation operation;
    (void)bench;
    options.model = "llama3-8b";
    return flux_generate_operation(&options, 0, &operation, NULL);
}

/* Files of a folder of the process's own, where the tests run. */
static int write_chakra(struct bench *bench)
{
    char prefix[64], path[80];
    struct flux_graph *graph;
    snprintf(prefix, sizeof prefix, "/tmp/flux-asking-%ld", (long)getpid());
    int rc = flux_graph_new(ENV, 2, &graph);
    rc = rc ? rc : flux_graph_add_send(graph, 0, 1, 5, NULL);
    rc = rc ? rc : flux_write_chakra(prefix, graph, NULL, NULL, NULL);
    flux_graph_free(graph);
    for (int rank = 0; rank < 2; rank++) {
        snprintf(path, sizeof path, "%s.%d.et", prefix, rank);
        remove(path);
    }
    return rc;
}

/* With all that GOAL needs words for. */
static int write_graphs(struct bench *bench)
{
    static const struct flux_edge edges[] = {{0, 1, 1000}, {1, 2, 0}, {2, 3, 2000}};
    struct flux_graph *graph;
    (void)bench;
    int rc = flux_graph_new(ENV, 3, &graph);
    rc = rc ? rc : flux_graph_add_send(graph, 0, 1, 5, NULL);
    for (uint32_t gpu = 0; !rc && gpu < 3; gpu++)
        rc = flux_graph_add_compute(graph, 2 - gpu, 1000, NULL);
    rc = rc ? rc : flux_graph_set_release(graph, 1, 5000);
    rc = rc ? rc : flux_graph_add_edges(graph, edges, 3, sizeof edges[0], NULL);
    rc = rc ? rc : flux_write_goal("/dev/null", graph, NULL, NULL);
    rc = rc ? rc : flux_write_networkx("/dev/null", graph, NULL);
    rc = rc ? rc : flux_write_dot("/dev/null", graph, NULL);
    flux_graph_free(graph);
    return rc;
}

static int write_document(struct bench *bench)
{
    return flux_write_document("/dev/null", bench->graph, bench->fabric, bench->schedule, NULL);
}

/* A file of the process's own, where the tests run. */
static int matrices_read(struct bench *bench)
{
    static const int64_t demand[9] = {0, 5, 0, 0, 0, 7, 3, 0, 0};
    struct flux_matrices *matrices;
    char path[64];
    snprintf(path, sizeof path, "/tmp/flux-asking-%ld.csv", (long)getpid());
    int rc = flux_write_matrix(path, 3, demand, NULL);
    if (!rc) {
        rc = flux_matrices_read(ENV, path, NULL, &matrices, NULL);
        assert_int_equal(!matrices, rc != 0);
        flux_matrices_free(matrices);
        remove(path);
    }
    return rc;
}

static int write_demand(struct bench *bench)
{
    static const int64_t demand[9] = {0, 5, 0, 0, 0, 7, 3, 0, 0};
    struct flux_demand_plan *plan;
    int rc = flux_demand_schedule(ENV, 3, demand, 1, 1, FLUX_DEMAND_BVN, &plan, NULL);
    rc = rc ? rc : flux_write_demand("/dev/null", &plan, 1, 1, NULL);
    flux_demand_plan_free(plan);
    return rc;
}

static int write_comparisons(struct bench *bench)
{
    struct flux_compared row = {0};
    struct flux_comparison *comparison;
    int rc = flux_compare(bench->graph, bench->fabric, FLUX_SCHEDULER_STATIC, NULL, &comparison, NULL);
    row.comparison = comparison;
    rc = rc ? rc : flux_write_comparisons("/dev/null", &row, 1, NULL);
    flux_comparison_free(comparison);
    return rc;
}

/* All three forms of a replay's results. */
static int write_replays(struct bench *bench)
{
    struct flux_replay *replay;
    int rc = flux_replay_new(bench->graph, bench->fabric, bench->slots, bench->count, &replay, NULL);
    rc = rc ? rc : flux_replay_run(replay, NULL, NULL);
    rc = rc ? rc : flux_write_replay("/dev/null", bench->graph, replay, NULL);
    rc = rc ? rc : flux_write_replay_memory("/dev/null", replay, NULL);
    rc = rc ? rc : flux_write_replay_perfetto("/dev/null", bench->graph, bench->fabric, replay, NULL);
    flux_replay_free(replay);
    return rc;
}

static int write_csv(struct bench *bench)
{
    return flux_write_csv("/dev/null", bench->graph, bench->schedule, NULL);
}

static int write_perfetto(struct bench *bench)
{
    return flux_write_perfetto("/dev/null", bench->graph, bench->fabric, bench->schedule, NULL);
}

static int write_svg(struct bench *bench)
{
    return flux_write_svg("/dev/null", bench->graph, bench->fabric, bench->schedule, NULL, NULL);
}

static int write_model(struct bench *bench)
{
    return flux_write_model("/dev/null", bench->graph, bench->fabric, FLUX_FORMULATION_TIGHT, FLUX_FORMAT_MPS, NULL,
                            NULL);
}

const struct asking asking_files[] = {
    {"flux_names_new", names_new, 0},
    {"flux_names_find", names_find, 0},
    {"flux_import", import_document, 0},
    {"flux_import", import_trace, 0},
    {"flux_import", import_document, ASKS_PROCESS},
    {"flux_import", import_trace, ASKS_JSON},
    {"flux_generate", generate, 0},
    {"flux_generate", generate, ASKS_PROCESS},
    {"flux_generate_operation", generate_operation, ASKS_PROCESS},
    {"flux_write_chakra", write_chakra, ASKS_PROCESS},
    {"flux_write_document", write_document, ASKS_PROCESS},
    {"flux_write_goal", write_graphs, ASKS_PROCESS},
    {"flux_write_networkx", write_graphs, 0},
    {"flux_write_dot", write_graphs, 0},
    {"flux_matrices_read", matrices_read, 0},
    {"flux_matrices_read", matrices_read, ASKS_PROCESS},
    {"flux_write_demand", write_demand, ASKS_PROCESS},
    {"flux_write_comparisons", write_comparisons, ASKS_PROCESS},
    {"flux_write_replay", write_replays, ASKS_PROCESS},
    {"flux_write_replay_memory", write_replays, 0},
    {"flux_write_replay_perfetto", write_replays, 0},
    {"flux_write_csv", write_csv, ASKS_PROCESS},
    {"flux_write_perfetto", write_perfetto, ASKS_PROCESS},
    {"flux_write_svg", write_svg, ASKS_PROCESS},
    {"flux_write_model", write_model, ASKS_PROCESS},
    {NULL, NULL, 0},
};
