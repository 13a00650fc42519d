/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_document.c - how long native documents take to write and to read, and how much memory.
 *
 * bench_document [SENDS [yaml|json]]: so many sends on 1,024 GPUs, each with a label, an edge and a slot, with fabric
 * and schedule in one document under TMPDIR or /tmp, which is removed again. Writing and reading each have a process
 * of their own, so that the peaks are theirs alone; that of writing holds graph and schedule. Prints one line of JSON.
 */
#define _DEFAULT_SOURCE /* wait4() */

#include <inttypes.h>
#include <libflux/io/import.h>
#include <libflux/io/write.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GPUS 1024u
#define PAIRS (GPUS / 2)
#define BYTES (UINT64_C(64) << 20)

static uint32_t sends = 1000000;
static char path[256];

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "bench_document: %s: %s\n", what, why);
    exit(1);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* GPU 2j sends to 2j + 1 in rounds, always over the same circuit. */
static struct flux_graph *make_graph(void)
{
    struct flux_graph *graph;
    char label[40];
    if (flux_graph_new(NULL, GPUS, &graph))
        fail("graph", "no memory");
    for (uint32_t i = 0; i < sends; i++) {
        uint32_t src = i % PAIRS * 2;
        snprintf(label, sizeof label, "layer%u/gpu%u", i / PAIRS, src);
        if (flux_graph_add_send(graph, src, src + 1, BYTES, NULL) || flux_graph_set_label(graph, i, label) ||
            (i >= PAIRS && flux_graph_add_edge(graph, i - PAIRS, i, 10 * FLUX_US)))
            fail("graph", "no memory");
    }
    return graph;
}

static struct flux_schedule *make_schedule(const struct flux_graph *graph, const struct flux_fabric *fabric)
{
    struct flux_slot *slots = malloc(sizeof *slots * sends);
    struct flux_schedule *schedule;
    struct flux_error error;
    int64_t duration = 0;
    flux_fabric_duration(fabric, 0, 0, 1, BYTES, &duration);
    for (uint32_t i = 0; slots && i < sends; i++) {
        int64_t begin = i / PAIRS * (duration + 10 * FLUX_US);
        slots[i] = (struct flux_slot){i, 0, begin, begin + duration};
    }
    if (!slots)
        fail("slots", "no memory");
    if (flux_schedule_from_slots(graph, fabric, slots, sends, &schedule, &error))
        fail("schedule", error.text);
    free(slots);
    return schedule;
}

static double run_write(void)
{
    struct flux_fabric *fabric;
    struct flux_error error;
    struct flux_graph *graph = make_graph();
    if (flux_fabric_new(NULL, GPUS, 2, &fabric))
        fail("fabric", "no memory");
    struct flux_schedule *schedule = make_schedule(graph, fabric);
    double begin = seconds();
    if (flux_write_document(path, graph, fabric, schedule, &error))
        fail("write", error.text);
    double took = seconds() - begin;
    flux_schedule_free(schedule);
    flux_fabric_free(fabric);
    flux_graph_free(graph);
    return took;
}

static double run_read(void)
{
    struct flux_import *import;
    struct flux_error error;
    uint64_t slots;
    double begin = seconds();
    if (flux_import(NULL, path, NULL, &import, &error))
        fail("read", error.text);
    double took = seconds() - begin;
    flux_import_slots(import, &slots);
    if (slots != sends || flux_graph_sends(flux_import_graph(import)) != sends)
        fail("read", "not what was written");
    flux_import_free(import);
    return took;
}

/* In a child of its own: its seconds, and its peak in KiB. */
static double measure(double (*run)(void), long *peak)
{
    struct rusage usage;
    double took = 0;
    int ends[2], status;
    if (pipe(ends))
        fail("pipe", "failed");
    pid_t child = fork();
    if (child == 0) {
        took = run();
        if (write(ends[1], &took, sizeof took) != (ssize_t)sizeof took)
            _exit(1);
        _exit(0);
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], &took, sizeof took) != (ssize_t)sizeof took || wait4(child, &status, 0, &usage) < 0)
        fail("child", "failed");
    close(ends[0]);
    *peak = usage.ru_maxrss;
    return took;
}

int main(int argc, char **argv)
{
    const char *format = argc > 2 ? argv[2] : "yaml";
    const char *top = getenv("TMPDIR");
    struct stat status;
    long write_peak, read_peak;
    if (argc > 1)
        sends = (uint32_t)strtoul(argv[1], NULL, 10);
    if (sends == 0 || (strcmp(format, "yaml") != 0 && strcmp(format, "json") != 0))
        fail("usage", "bench_document [SENDS [yaml|json]]");
    snprintf(path, sizeof path, "%s/bench-document-%ld.%s", top && *top ? top : "/tmp", (long)getpid(), format);
    double write_seconds = measure(run_write, &write_peak);
    if (stat(path, &status))
        fail("write", "no file");
    double read_seconds = measure(run_read, &read_peak);
    unlink(path);
    printf("{\"benchmark\": \"document\", \"format\": \"%s\", \"sends\": %" PRIu32 ", \"file_bytes\": %lld, "
           "\"write_seconds\": %.3f, \"write_peak_kib\": %ld, \"read_seconds\": %.3f, \"read_peak_kib\": %ld}\n",
           format, sends, (long long)status.st_size, write_seconds, write_peak, read_seconds, read_peak);
    return 0;
}
