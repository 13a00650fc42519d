/* SPDX-License-Identifier: Apache-2.0 */
#include "schedule/port_queue.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

#define SENDS_MAX 8192u

struct row {
    int64_t head;
    int64_t duration;
    uint64_t circuit; /* source and destination */
    uint32_t vertex;
    uint32_t number; /* in the list of the certificate: row and column of `apart` */
};

struct making {
    const struct flux_lengths *lengths;
    const uint32_t *vertices;
    uint32_t count;
    struct row *rows;
    int64_t *apart; /* from start to start, by two numbers; -1 where no path leads there */
    uint8_t pool[FLUX_PORT_QUEUES];
    struct flux_port_queues *queues;
};

static int compare_rows(const struct row *a, const struct row *b, int by_duration)
{
    if (a->circuit != b->circuit)
        return a->circuit < b->circuit ? -1 : 1;
    if (by_duration && a->duration != b->duration)
        return a->duration < b->duration ? -1 : 1;
    if (a->head != b->head)
        return a->head < b->head ? -1 : 1;
    return a->vertex < b->vertex ? -1 : a->vertex > b->vertex;
}

static int in_order(const void *a, const void *b)
{
    return compare_rows(a, b, 0);
}

static int in_order_of_duration(const void *a, const void *b)
{
    return compare_rows(a, b, 1);
}

static int falling(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return *a > *b ? -1 : *a < *b;
}

/* ---- paths ---- */

/* The longest time between the start of `from` and that of every vertex after it. */
static void walk(const struct making *making, uint32_t from, int64_t *time)
{
    const struct flux_lengths *lengths = making->lengths;
    const struct flux_precedence *precedence = &lengths->precedence;
    int begun = 0;
    for (uint32_t v = 0; v < precedence->vertices; v++)
        time[v] = -1;
    time[from] = 0;
    for (uint32_t i = 0; i < precedence->vertices; i++) {
        uint32_t u = precedence->order[i];
        begun |= u == from;
        if (!begun || time[u] < 0)
            continue;
        for (uint64_t e = precedence->first[u]; e < precedence->first[u + 1]; e++) {
            uint32_t x = precedence->successors[e].vertex;
            int64_t start = time[u] + lengths->duration[u] + precedence->successors[e].lag +
                            flux_precedence_propagation(precedence, lengths->fabric, u, x);
            time[x] = start > time[x] ? start : time[x];
        }
    }
}

static int find_apart(struct making *making, struct flux_arena *scratch)
{
    int64_t *time = flux_arena_alloc(scratch, making->lengths->precedence.vertices, sizeof *time);
    making->apart = flux_arena_alloc(scratch, (uint64_t)making->count * making->count, sizeof *making->apart);
    if (!time || !making->apart)
        return FLUX_E_MEMORY;
    for (uint32_t u = 0; u < making->count; u++) {
        walk(making, making->vertices[u], time);
        for (uint32_t w = 0; w < making->count; w++)
            making->apart[(uint64_t)u * making->count + w] = u == w ? -1 : time[making->vertices[w]];
    }
    return FLUX_OK;
}

static int64_t apart(const struct making *making, uint32_t from, uint32_t to)
{
    return making->apart[(uint64_t)making->rows[from].number * making->count + making->rows[to].number];
}

/* ---- queues ---- */

static int ordered(const struct making *making, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i + 1 < end; i++)
        if (apart(making, i, i + 1) < 0)
            return 0;
    return 1;
}

static int too_many(const struct making *making)
{
    return flux_fail(making->lengths->error, FLUX_E_MISMATCH,
                     "the certificate's sends make more queues than can be searched");
}

static int add_queue(struct making *making, uint32_t end, uint32_t circuit)
{
    struct flux_port_queues *queues = making->queues;
    if (queues->count == FLUX_PORT_QUEUES)
        return too_many(making);
    making->pool[queues->count] = (uint8_t)!ordered(making, queues->first[queues->count], end);
    queues->circuit[queues->count] = circuit;
    queues->first[++queues->count] = end;
    return FLUX_OK;
}

/* The rows from `begin` to `end` are all of one circuit. */
static int add_circuit(struct making *making, uint32_t begin, uint32_t end)
{
    uint32_t circuit = making->queues->circuits++;
    if (ordered(making, begin, end))
        return add_queue(making, end, circuit);
    qsort(making->rows + begin, end - begin, sizeof *making->rows, in_order_of_duration);
    for (uint32_t i = begin; i < end; i++)
        if (i + 1 == end || making->rows[i + 1].duration != making->rows[i].duration) {
            int rc = add_queue(making, i + 1, circuit);
            if (rc)
                return rc;
        }
    return FLUX_OK;
}

static int add_circuits(struct making *making)
{
    qsort(making->rows, making->count, sizeof *making->rows, in_order);
    for (uint32_t begin = 0, i = 0; i < making->count; i++)
        if (i + 1 == making->count || making->rows[i + 1].circuit != making->rows[i].circuit) {
            int rc = add_circuit(making, begin, i + 1);
            if (rc)
                return rc;
            begin = i + 1;
        }
    return FLUX_OK;
}

/* ---- positions ---- */

static int find_times(struct making *making, struct flux_arena *arena)
{
    struct flux_port_queues *queues = making->queues;
    queues->positions = making->count;
    queues->duration = flux_arena_alloc(arena, making->count, sizeof *queues->duration);
    queues->head = flux_arena_alloc(arena, making->count, sizeof *queues->head);
    queues->tail = flux_arena_alloc(arena, making->count, sizeof *queues->tail);
    if (!queues->duration || !queues->head || !queues->tail)
        return FLUX_E_MEMORY;
    for (uint32_t i = 0; i < making->count; i++) {
        queues->duration[i] = making->rows[i].duration;
        queues->head[i] = making->rows[i].head;
        queues->tail[i] = making->lengths->tail[making->rows[i].vertex];
    }
    for (uint32_t q = 0; q < queues->count; q++)
        if (making->pool[q])
            qsort(queues->tail + queues->first[q], queues->first[q + 1] - queues->first[q], sizeof *queues->tail,
                  falling);
    return FLUX_OK;
}

/* L(q, i; w) for every i, into `lag`. */
static void lags_to_send(const struct making *making, uint32_t q, uint32_t w, int64_t *lag)
{
    uint32_t begin = making->queues->first[q], size = making->queues->first[q + 1] - begin;
    for (uint32_t i = 0; i < size; i++)
        lag[i] = apart(making, begin + i, w);
    if (making->pool[q])
        qsort(lag, size, sizeof *lag, falling); /* what comes not before w has -1, and goes to the end */
}

static int find_lags(struct making *making, struct flux_arena *arena, struct flux_arena *scratch)
{
    struct flux_port_queues *queues = making->queues;
    uint64_t width = making->count;
    int64_t *lag = flux_arena_alloc(scratch, width, sizeof *lag);
    queues->lag = flux_arena_alloc(arena, width * width, sizeof *queues->lag);
    if (!lag || !queues->lag)
        return FLUX_E_MEMORY;
    for (uint32_t q = 0; q < queues->count; q++)
        for (uint32_t r = 0; r < queues->count; r++)
            for (uint32_t j = queues->first[r + 1]; j-- > queues->first[r];) {
                lags_to_send(making, q, j, lag);
                for (uint32_t i = queues->first[q]; i < queues->first[q + 1]; i++) {
                    int64_t here = lag[i - queues->first[q]];
                    int64_t later = j + 1 < queues->first[r + 1] ? queues->lag[i * width + j + 1] : here;
                    queues->lag[i * width + j] = making->pool[r] && later < here ? later : here;
                }
            }
    return FLUX_OK;
}

static int make(struct making *making, uint32_t gpu, struct flux_arena *arena, struct flux_arena *scratch)
{
    const struct flux_lengths *lengths = making->lengths;
    struct flux_port_sum sum;
    int rc = flux_port_sum_find(lengths, gpu, making->vertices, making->count, scratch->memory, &sum);
    if (rc)
        return rc;
    if (sum.links > FLUX_PORT_LINKS)
        return too_many(making);
    making->queues->links = sum.links;
    making->queues->delay = sum.delay;
    making->rows = flux_arena_alloc(scratch, making->count, sizeof *making->rows);
    if (!making->rows)
        return flux_fail_memory(lengths->error);
    for (uint32_t i = 0; i < making->count; i++) {
        uint32_t v = making->vertices[i];
        uint64_t circuit = (uint64_t)lengths->precedence.at[v] << 32 | lengths->precedence.to[v];
        making->rows[i] = (struct row){lengths->head[v], lengths->duration[v], circuit, v, i};
    }
    rc = find_apart(making, scratch);
    if (!rc)
        rc = add_circuits(making);
    if (rc == FLUX_E_MISMATCH)
        return rc;
    if (!rc)
        rc = find_times(making, arena);
    if (!rc)
        rc = find_lags(making, arena, scratch);
    return rc ? flux_fail_memory(lengths->error) : FLUX_OK;
}

int flux_port_queues_make(const struct flux_lengths *lengths, uint32_t gpu, const uint32_t *vertices, uint64_t count,
                          struct flux_arena *arena, struct flux_port_queues *queues)
{
    struct making making = {.lengths = lengths, .vertices = vertices, .count = (uint32_t)count, .queues = queues};
    struct flux_arena scratch;
    memset(queues, 0, sizeof *queues);
    if (count > SENDS_MAX)
        return too_many(&making);
    flux_arena_init(&scratch, arena->memory);
    int rc = make(&making, gpu, arena, &scratch);
    flux_arena_free(&scratch);
    return rc;
}
