/* SPDX-License-Identifier: Apache-2.0
 *
 * A graph as GOAL text: docs/formats.md, "Writing GOAL".
 *
 * A vertex is an operation of the rank where it happens, and a send one of its destination's rank too, to receive it.
 * Ranks list their operations in one order of the whole graph, in which everything waits for what stands before it.
 */
#include "io/fail.h"
#include "io/goal/cpus.h"
#include "io/goal/goal.h"
#include "io/output.h"
#include "io/rows.h"

#include <libflux/io/write.h>
#include <stdlib.h>
#include <string.h>

#define LABEL_MOST 200u

/* What stands in a rank's block: a vertex or a parent's place times 4, and which of these. */
enum item { OWN, RECEIVE, TELL };

struct goal_writer {
    struct flux_io_rows rows;
    struct flux_io_goal_cpus cpus;
    struct flux_io_output out;
    int64_t rounded;
    uint32_t *by_release; /* vertices with a release, by GPU and time */
    uint32_t releases;
    uint64_t *item_first; /* by rank, and two more */
    uint64_t *items;
};

static int make_room(struct goal_writer *w)
{
    const struct flux_io_memory *memory = &w->rows.memory;
    w->by_release = flux_io_alloc(memory, w->rows.vertices, sizeof *w->by_release);
    w->item_first = flux_io_alloc_zero(memory, (uint64_t)w->rows.gpus + 2, sizeof *w->item_first);
    w->items = flux_io_alloc(memory, 2 * (uint64_t)w->rows.vertices + w->rows.edge_count, sizeof *w->items);
    return w->by_release && w->item_first && w->items ? FLUX_OK : flux_io_fail_memory(w->rows.error);
}

static void release_room(struct goal_writer *w)
{
    const struct flux_io_memory *memory = &w->rows.memory;
    flux_io_release(memory, w->by_release, w->rows.vertices, sizeof *w->by_release);
    flux_io_release(memory, w->item_first, (uint64_t)w->rows.gpus + 2, sizeof *w->item_first);
    flux_io_release(memory, w->items, 2 * (uint64_t)w->rows.vertices + w->rows.edge_count, sizeof *w->items);
    flux_io_goal_cpus_free(&w->cpus);
    flux_io_rows_free(&w->rows);
}

static int look_at_vertices(struct goal_writer *w)
{
    char quote[FLUX_IO_QUOTE];
    for (uint32_t v = 0; v < w->rows.vertices; v++) {
        const struct flux_send *send = &w->rows.sends[v];
        if (send->dst != FLUX_NONE && (send->bytes == 0 || send->bytes == UINT64_MAX))
            return flux_io_fail(w->rows.error, FLUX_E_MISMATCH, "send '%s' has %s: GOAL needs its bytes",
                                flux_io_rows_quote(&w->rows, v, quote),
                                send->bytes ? "2^64 - 1 bytes, which is one too many" : "a time and no size");
        if (send->release)
            w->by_release[w->releases++] = v;
    }
    return FLUX_OK;
}

/* Any order that the graph allows: no keys. */
static int find_order(struct goal_writer *w)
{
    uint64_t *keys = flux_io_alloc_zero(&w->rows.memory, w->rows.vertices, sizeof *keys);
    int rc = keys ? flux_io_rows_order(&w->rows, keys) : flux_io_fail_memory(w->rows.error);
    flux_io_release(&w->rows.memory, keys, w->rows.vertices, sizeof *keys);
    return rc;
}

/* ---- what each rank has ---- */

/* Where a vertex ends: the destination of a send. */
static uint32_t end_of(const struct goal_writer *w, uint32_t v)
{
    return w->rows.sends[v].dst == FLUX_NONE ? w->rows.sends[v].src : w->rows.sends[v].dst;
}

/* Does nobody at the place of `to` know when `from` is done? Then a message of no size tells it, from where that ends.
 */
static int is_far(const struct goal_writer *w, const struct flux_edge *edge)
{
    return !flux_io_rows_knows(&w->rows, w->rows.sends[edge->to].src, edge->from);
}

static void add_item(struct goal_writer *w, int fill, uint32_t rank, uint64_t number, enum item item)
{
    if (fill)
        w->items[w->item_first[rank + 1]++] = number * 4 + item;
    else
        w->item_first[rank + 2]++;
}

static void list_items(struct goal_writer *w, int fill)
{
    for (uint32_t i = 0; i < w->rows.vertices; i++) {
        uint32_t v = w->rows.order[i];
        for (uint64_t p = w->rows.parent_first[v]; p < w->rows.parent_first[v + 1]; p++)
            if (is_far(w, &w->rows.parents[p]))
                add_item(w, fill, end_of(w, w->rows.parents[p].from), p, TELL);
        add_item(w, fill, w->rows.sends[v].src, v, OWN);
        if (w->rows.sends[v].dst != FLUX_NONE)
            add_item(w, fill, w->rows.sends[v].dst, v, RECEIVE);
    }
}

/* Computes may overlap unless something orders them, so each is on a CPU on which everything else comes before it. */
static int find_cpus(struct goal_writer *w)
{
    int rc = flux_io_goal_cpus_init(&w->cpus, &w->rows.memory, w->rows.gpus, w->rows.vertices, w->rows.edge_count);
    for (uint32_t i = 0; !rc && i < w->releases; i++) /* releases of a GPU are a chain of their own */
        flux_io_goal_cpus_reserve(&w->cpus, w->rows.sends[w->by_release[i]].src);
    for (uint32_t i = 0; !rc && i < w->rows.vertices; i++) {
        uint32_t v = w->rows.order[i];
        for (uint64_t p = w->rows.parent_first[v]; !rc && p < w->rows.parent_first[v + 1]; p++) {
            uint32_t from = w->rows.parents[p].from;
            if (w->rows.parents[p].lag)
                rc = flux_io_goal_cpus_take(&w->cpus, from, w->rows.sends[v].src, &w->cpus.of_edge[p]);
            flux_io_goal_cpus_pass(&w->cpus, from, v);
        }
        if (!rc && w->rows.sends[v].dst == FLUX_NONE)
            rc = flux_io_goal_cpus_take(&w->cpus, v, w->rows.sends[v].src, &w->cpus.of_vertex[v]);
    }
    if (rc == FLUX_E_TOO_BIG)
        return flux_io_fail(w->rows.error, rc, "more than %u computes of a GPU may overlap; GOAL has no more cpus",
                            FLUX_IO_GOAL_CPUS - 1);
    return rc ? flux_io_fail_memory(w->rows.error) : FLUX_OK;
}

static int plan(struct goal_writer *w)
{
    int rc = make_room(w);
    if (!rc)
        rc = look_at_vertices(w);
    if (!rc)
        rc = find_order(w);
    if (!rc)
        rc = find_cpus(w);
    if (rc)
        return rc;
    list_items(w, 0);
    for (uint32_t g = 0; g < w->rows.gpus; g++)
        w->item_first[g + 2] += w->item_first[g + 1];
    list_items(w, 1);
    return FLUX_OK;
}

/* ---- writing ---- */

/* To the nearest nanosecond, which is all that GOAL can tell. */
static int64_t round_time(struct goal_writer *w, int64_t time)
{
    int64_t ns = (time + FLUX_NS / 2) / FLUX_NS, off = ns * FLUX_NS - time;
    w->rounded += off < 0 ? -off : off;
    return ns;
}

/* A name that is a label, and not one of ours: those are a letter, an underscore and a number. */
static int is_label(const char *name)
{
    size_t length = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
    if (name[length] || length > LABEL_MOST || name[0] == '_' || (name[0] >= '0' && name[0] <= '9'))
        return 0;
    return name[1] != '_' || name[2 + strspn(name + 2, "0123456789")];
}

static void put_numbered(struct goal_writer *w, char letter, uint64_t number)
{
    flux_io_put_char(&w->out, letter);
    flux_io_put_char(&w->out, '_');
    flux_io_put_u64(&w->out, number);
}

static void put_label(struct goal_writer *w, uint32_t v)
{
    const char *name = flux_io_names_of(&w->rows.names, v);
    if (is_label(name))
        flux_io_put(&w->out, name);
    else
        put_numbered(w, 'v', v);
}

static void put_calc(struct goal_writer *w, int64_t ns, uint32_t cpu)
{
    flux_io_put(&w->out, ": calc ");
    flux_io_put_i64(&w->out, ns);
    if (cpu) {
        flux_io_put(&w->out, " cpu ");
        flux_io_put_u64(&w->out, cpu);
    }
    flux_io_put_char(&w->out, '\n');
}

static void put_message(struct goal_writer *w, int is_send, uint64_t bytes, uint32_t peer, uint64_t tag)
{
    flux_io_put(&w->out, is_send ? ": send " : ": recv ");
    flux_io_put_u64(&w->out, bytes);
    flux_io_put(&w->out, is_send ? "b to " : "b from ");
    flux_io_put_u64(&w->out, peer);
    flux_io_put(&w->out, " tag ");
    flux_io_put_u64(&w->out, tag);
    flux_io_put_char(&w->out, '\n');
}

/* The end of parent p, where what waits for it is. */
static void put_parent(struct goal_writer *w, uint64_t p)
{
    if (is_far(w, &w->rows.parents[p]))
        put_numbered(w, 'x', p);
    else
        put_label(w, w->rows.parents[p].from);
}

static void put_requires(struct goal_writer *w, uint32_t v)
{
    put_label(w, v);
    flux_io_put(&w->out, " requires ");
}

/* What must be there before vertex v: messages that tell of others' ends, and lags. */
static void put_waits(struct goal_writer *w, uint32_t v)
{
    for (uint64_t p = w->rows.parent_first[v]; p < w->rows.parent_first[v + 1]; p++) {
        if (is_far(w, &w->rows.parents[p])) {
            put_numbered(w, 'x', p);
            put_message(w, 0, 0, end_of(w, w->rows.parents[p].from), w->rows.vertices + p);
        }
        if (!w->rows.parents[p].lag)
            continue;
        put_numbered(w, 'w', p);
        put_calc(w, round_time(w, w->rows.parents[p].lag), w->cpus.of_edge[p]);
        put_numbered(w, 'w', p);
        flux_io_put(&w->out, " requires ");
        put_parent(w, p);
        flux_io_put_char(&w->out, '\n');
    }
}

static void put_own(struct goal_writer *w, uint32_t v)
{
    const struct flux_send *send = &w->rows.sends[v];
    put_waits(w, v);
    put_label(w, v);
    if (send->dst == FLUX_NONE)
        put_calc(w, round_time(w, send->duration), w->cpus.of_vertex[v]);
    else
        put_message(w, 1, send->bytes, send->dst, v);
    if (send->release) {
        put_requires(w, v);
        put_numbered(w, 'r', v);
        flux_io_put_char(&w->out, '\n');
    }
    for (uint64_t p = w->rows.parent_first[v]; p < w->rows.parent_first[v + 1]; p++) {
        uint32_t from = w->rows.parents[p].from;
        if (!w->rows.parents[p].lag && w->rows.seen[from] == v)
            continue;
        put_requires(w, v);
        if (w->rows.parents[p].lag) {
            put_numbered(w, 'w', p);
        } else {
            w->rows.seen[from] = v;
            put_parent(w, p);
        }
        flux_io_put_char(&w->out, '\n');
    }
}

/* Releases one after another, each from the one before. `*at` is the next of by_release. */
static void put_releases(struct goal_writer *w, uint32_t rank, uint32_t *at)
{
    int64_t before = 0;
    for (uint32_t first = *at; *at < w->releases && w->rows.sends[w->by_release[*at]].src == rank; (*at)++) {
        uint32_t v = w->by_release[*at];
        int64_t ns = round_time(w, w->rows.sends[v].release);
        put_numbered(w, 'r', v);
        put_calc(w, ns - before, 0);
        if (*at > first) {
            put_numbered(w, 'r', v);
            flux_io_put(&w->out, " requires ");
            put_numbered(w, 'r', w->by_release[*at - 1]);
            flux_io_put_char(&w->out, '\n');
        }
        before = ns;
    }
}

static void put_rank(struct goal_writer *w, uint32_t rank, uint32_t *release)
{
    flux_io_put_format(&w->out, "rank %u {\n", (unsigned)rank);
    put_releases(w, rank, release);
    for (uint64_t i = w->item_first[rank]; i < w->item_first[rank + 1]; i++) {
        uint64_t number = w->items[i] / 4;
        switch (w->items[i] % 4) {
        case OWN:
            put_own(w, (uint32_t)number);
            break;
        case RECEIVE:
            put_label(w, (uint32_t)number);
            put_message(w, 0, w->rows.sends[number].bytes, w->rows.sends[number].src, number);
            break;
        default:
            put_numbered(w, 'x', number);
            put_message(w, 1, 0, w->rows.sends[w->rows.parents[number].to].src, w->rows.vertices + number);
            put_numbered(w, 'x', number);
            flux_io_put(&w->out, " requires ");
            put_label(w, w->rows.parents[number].from);
            flux_io_put_char(&w->out, '\n');
        }
    }
    if (w->item_first[rank] == w->item_first[rank + 1])
        flux_io_put(&w->out, "calc 0\n");
    flux_io_put(&w->out, "}\n");
}

/* ---- sorting releases ---- */

struct released {
    int64_t time;
    uint32_t gpu;
    uint32_t vertex;
};

static int compare_released(const void *left, const void *right)
{
    const struct released *a = left, *b = right;
    if (a->gpu != b->gpu)
        return a->gpu < b->gpu ? -1 : 1;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->vertex < b->vertex ? -1 : a->vertex > b->vertex;
}

static int sort_releases(struct goal_writer *w)
{
    struct released *rows = flux_io_alloc(&w->rows.memory, w->releases, sizeof *rows);
    if (!rows)
        return flux_io_fail_memory(w->rows.error);
    for (uint32_t i = 0; i < w->releases; i++) {
        const struct flux_send *send = &w->rows.sends[w->by_release[i]];
        rows[i] = (struct released){send->release, send->src, w->by_release[i]};
    }
    qsort(rows, w->releases, sizeof *rows, compare_released);
    for (uint32_t i = 0; i < w->releases; i++)
        w->by_release[i] = rows[i].vertex;
    flux_io_release(&w->rows.memory, rows, w->releases, sizeof *rows);
    return FLUX_OK;
}

static int write_file(struct goal_writer *w, const char *path)
{
    uint32_t release = 0;
    int rc = flux_io_output_open(&w->out, path, w->rows.error);
    if (rc)
        return rc;
    flux_io_put_format(&w->out, "num_ranks %u\n", (unsigned)w->rows.gpus);
    for (uint32_t rank = 0; rank < w->rows.gpus; rank++)
        put_rank(w, rank, &release);
    return flux_io_output_close(&w->out, w->rows.error);
}

int flux_write_goal(const char *path, const struct flux_graph *graph, int64_t *rounded, struct flux_error *error)
{
    struct goal_writer w;
    uint64_t edges;
    if (rounded)
        *rounded = 0;
    if (!path || !graph)
        return flux_io_fail(error, FLUX_E_ARGUMENT, "flux_write_goal: %s is NULL", path ? "graph" : "path");
    flux_graph_edges(graph, &edges);
    if (edges >= UINT32_MAX - flux_graph_vertices(graph))
        return flux_io_fail(error, FLUX_E_TOO_BIG, "GOAL has no tags for so many edges");
    memset(&w, 0, sizeof w);
    int rc = flux_io_rows_build(&w.rows, graph, error);
    if (!rc)
        rc = plan(&w);
    if (!rc)
        rc = sort_releases(&w);
    if (!rc)
        rc = write_file(&w, path);
    if (!rc && rounded)
        *rounded = w.rounded;
    release_room(&w);
    return rc;
}
