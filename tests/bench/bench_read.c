/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_read FILE: how long a workload of any format takes to read, and the memory at its peak, as a line of JSON.
 */
#include <inttypes.h>
#include <libflux/io/import.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

int main(int argc, char **argv)
{
    struct flux_import *import;
    struct flux_error error;
    struct rusage usage;
    struct timespec begin, end;
    if (argc != 2)
        return 2;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    if (flux_import(NULL, argv[1], NULL, &import, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    getrusage(RUSAGE_SELF, &usage);
    printf("{\"nodes\": %" PRIu64 ", \"vertices\": %" PRIu32
           ", \"import_s\": %.6f, \"cpu_s\": %.6f, \"peak_mib\": %ld}\n",
           flux_import_count(import, "nodes"), flux_graph_vertices(flux_import_graph(import)),
           (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) * 1e-9,
           (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
               (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6,
           usage.ru_maxrss / 1024);
    flux_import_free(import);
    return 0;
}
