/* SPDX-License-Identifier: Apache-2.0
 *
 * What the calls cost that bindings/python stands on: a million sends added one by one, from rows, and from columns; and
 * flux_schedule() of two sends. tests/bench/python.py compares with the same in Python.
 */
#include <libflux/flux.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SENDS 1000000u
#define GPUS 1024u
#define REPEATS 7
#define CALLS 20000

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

struct columns {
    uint32_t *src;
    uint32_t *dst;
    uint64_t *bytes;
};

static void one_by_one(struct flux_graph *graph, const struct columns *columns, struct flux_send *rows)
{
    (void)rows;
    for (uint32_t i = 0; i < SENDS; i++)
        flux_graph_add_send(graph, columns->src[i], columns->dst[i], columns->bytes[i], NULL);
}

static void from_rows(struct flux_graph *graph, const struct columns *columns, struct flux_send *rows)
{
    (void)columns;
    flux_graph_add_sends(graph, rows, SENDS, sizeof *rows, NULL, NULL);
}

static void from_columns(struct flux_graph *graph, const struct columns *columns, struct flux_send *rows)
{
    struct flux_send *made = malloc(SENDS * sizeof *made);
    (void)rows;
    if (!made)
        exit(1);
    for (uint32_t i = 0; i < SENDS; i++)
        made[i] = (struct flux_send){columns->src[i], columns->dst[i], columns->bytes[i], 0, 0};
    flux_graph_add_sends(graph, made, SENDS, sizeof *made, NULL, NULL);
    free(made);
}

/* The shortest of several times to make, fill and free a graph. */
static double fill(void (*how)(struct flux_graph *, const struct columns *, struct flux_send *),
                   const struct columns *columns, struct flux_send *rows)
{
    double least = 1e9;
    for (int i = 0; i < REPEATS; i++) {
        struct flux_graph *graph = NULL;
        double begin = now();
        if (flux_graph_new(NULL, GPUS, &graph))
            exit(1);
        how(graph, columns, rows);
        if (flux_graph_vertices(graph) != SENDS)
            exit(1);
        flux_graph_free(graph);
        double time = now() - begin;
        least = time < least ? time : least;
    }
    return least;
}

static double schedule(void)
{
    struct flux_graph *graph = NULL;
    struct flux_fabric *fabric = NULL;
    uint32_t a, b;
    if (flux_graph_new(NULL, 4, &graph) || flux_fabric_new(NULL, 4, 2, &fabric))
        exit(1);
    flux_graph_add_send(graph, 0, 1, 64 << 20, &a);
    flux_graph_add_send(graph, 1, 2, 64 << 20, &b);
    flux_graph_add_edge(graph, a, b, 10 * FLUX_US);
    flux_fabric_set_delay(fabric, FLUX_ALL_SWITCHES, 10 * FLUX_US);
    double begin = now();
    for (int i = 0; i < CALLS; i++) {
        struct flux_schedule *made = NULL;
        if (flux_schedule(graph, fabric, NULL, &made, NULL))
            exit(1);
        flux_schedule_free(made);
    }
    double time = (now() - begin) / CALLS;
    flux_graph_free(graph);
    flux_fabric_free(fabric);
    return time;
}

int main(void)
{
    struct columns columns = {malloc(SENDS * sizeof(uint32_t)), malloc(SENDS * sizeof(uint32_t)),
                              malloc(SENDS * sizeof(uint64_t))};
    struct flux_send *rows = malloc(SENDS * sizeof *rows);
    if (!columns.src || !columns.dst || !columns.bytes || !rows)
        return 1;
    for (uint32_t i = 0; i < SENDS; i++) {
        columns.src[i] = i % GPUS;
        columns.dst[i] = (i + 1) % GPUS;
        columns.bytes[i] = 1000 + i;
        rows[i] = (struct flux_send){columns.src[i], columns.dst[i], columns.bytes[i], 0, 0};
    }
    printf("{\"one_by_one_s\": %.6f, \"rows_s\": %.6f, \"columns_s\": %.6f, \"schedule_s\": %.9f}\n",
           fill(one_by_one, &columns, rows), fill(from_rows, &columns, rows), fill(from_columns, &columns, rows),
           schedule());
    free(columns.src);
    free(columns.dst);
    free(columns.bytes);
    free(rows);
    return 0;
}
