/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_import [NODES] - how long traces take to read: Llama 3 8B of 16 layers, and a trace set of NODES nodes (default
 * 10^6) on 64 ranks that this program writes. A JSON line for each.
 */
#include <inttypes.h>
#include <libflux/io/import.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "../support/chakra_writer.h"
#include "../support/files.h"

#define RANKS 64u
#define GROUP 8u /* of an all-reduce; every fourth node is one */
#define PUBLIC "tests/data/stage-generated/llama3-8b_L16_tp4dp2/workload"

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void import(const char *name, const char *path, int rounds)
{
    struct flux_import_options options = FLUX_IMPORT_OPTIONS_INIT;
    struct flux_import *import = NULL;
    struct flux_error error;
    struct rusage usage;
    uint64_t edges;
    options.scale_num = 2;
    double best = 0;
    for (int round = 0; round < rounds; round++) {
        flux_import_free(import);
        double begin = seconds();
        if (flux_import(NULL, path, &options, &import, &error)) {
            fprintf(stderr, "bench_import: %s\n", error.text);
            exit(1);
        }
        double took = seconds() - begin;
        best = round == 0 || took < best ? took : best;
    }
    const struct flux_graph *graph = flux_import_graph(import);
    flux_graph_edges(graph, &edges);
    getrusage(RUSAGE_SELF, &usage);
    printf("{\"trace\": \"%s\", \"nodes\": %" PRIu64 ", \"vertices\": %" PRIu32 ", \"sends\": %" PRIu32
           ", \"edges\": %" PRIu64 ", \"import_s\": %.6f, \"peak_mib\": %ld}\n",
           name, flux_import_count(import, "nodes"), flux_graph_vertices(graph), flux_graph_sends(graph), edges, best,
           usage.ru_maxrss / 1024);
    flux_import_free(import);
}

/* A chain per rank: three computes and an all-reduce of its group, again and again. */
static void write_rank(const char *folder, uint32_t rank, uint64_t nodes)
{
    struct chakra_writer trace;
    char name[32];
    char path[FILES_PATH];
    char group[16];
    snprintf(group, sizeof group, "%u", rank / GROUP);
    chakra_begin(&trace, "0.0.4", NULL);
    for (uint64_t id = 0; id < nodes; id++) {
        if (id % 4 == 3)
            chakra_collective(&trace, id, 0, 1 << 20, group);
        else
            chakra_compute(&trace, id, 10 + id % 7);
        if (id)
            chakra_data(&trace, id - 1);
    }
    snprintf(name, sizeof name, "t.%u.et", rank);
    chakra_save(&trace, files_path(folder, name, path));
}

static void write_groups(const char *folder)
{
    char path[FILES_PATH];
    char text[4096];
    size_t used = 0;
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        const char *before = rank % GROUP ? ", " : rank ? "], " : "{";
        used += (size_t)snprintf(text + used, sizeof text - used, "%s", before);
        if (rank % GROUP == 0)
            used += (size_t)snprintf(text + used, sizeof text - used, "\"%u\": [", rank / GROUP);
        used += (size_t)snprintf(text + used, sizeof text - used, "%u", rank);
    }
    snprintf(text + used, sizeof text - used, "]}");
    files_write_text(files_path(folder, "comm_group.json", path), text);
}

int main(int argc, char **argv)
{
    uint64_t nodes = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    char folder[FILES_PATH];
    char prefix[FILES_PATH];
    import("llama3-8b_L16_tp4dp2", PUBLIC, 5);
    files_new(folder);
    for (uint32_t rank = 0; rank < RANKS; rank++)
        write_rank(folder, rank, nodes / RANKS);
    write_groups(folder);
    import("generated", files_path(folder, "t", prefix), 1);
    files_remove(folder);
    return 0;
}
