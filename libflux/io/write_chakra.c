/* SPDX-License-Identifier: Apache-2.0
 *
 * A graph as Chakra traces, a file for every GPU: docs/chakra.md, "Writing".
 *
 * A vertex is a node of the rank where it happens, and a send one of its destination's rank too, to receive it. Nodes
 * are numbered from 0 in an order in which everything waits for smaller numbers, and as the schedule has it where there
 * is one: simulators start what is ready by number.
 */
#include "io/belong.h"
#include "io/fail.h"
#include "io/rows.h"
#include "io/trace/chakra_put.h"
#include "io/trace/chakra_wire.h"

#include <libflux/io/write.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TAGS_MAX 500000000u /* ASTRA-sim's own collectives use tags from there */

struct traces {
    struct flux_io_rows rows;
    const struct flux_schedule *schedule;
    int64_t rounded;

    /* By vertex. */
    uint32_t *port_before; /* the send before it at its source's port; FLUX_NONE */
    uint64_t *own;         /* id of its node at its place */
    uint64_t *receive;     /* and of the one that receives it */
    uint64_t *starts;      /* as planned, or 0 */

    uint64_t *item_first; /* by rank, and two more */
    uint64_t *items;      /* vertices by rank and order; times 2, and 1 where it is the receiving end */
    uint64_t *deps;
};

static int make_room(struct traces *t)
{
    const struct flux_io_memory *memory = &t->rows.memory;
    uint64_t n = t->rows.vertices, m = t->rows.edge_count;
    t->port_before = flux_io_alloc(memory, n, sizeof *t->port_before);
    t->own = flux_io_alloc(memory, n, sizeof *t->own);
    t->receive = flux_io_alloc(memory, n, sizeof *t->receive);
    t->starts = flux_io_alloc_zero(memory, n, sizeof *t->starts);
    t->item_first = flux_io_alloc_zero(memory, (uint64_t)t->rows.gpus + 2, sizeof *t->item_first);
    t->items = flux_io_alloc(memory, 2 * n, sizeof *t->items);
    t->deps = flux_io_alloc(memory, 2 * m + 2, sizeof *t->deps);
    return t->port_before && t->own && t->receive && t->starts && t->item_first && t->items && t->deps
               ? FLUX_OK
               : flux_io_fail_memory(t->rows.error);
}

static void release(struct traces *t)
{
    const struct flux_io_memory *memory = &t->rows.memory;
    uint64_t n = t->rows.vertices, m = t->rows.edge_count;
    flux_io_release(memory, t->port_before, n, sizeof *t->port_before);
    flux_io_release(memory, t->own, n, sizeof *t->own);
    flux_io_release(memory, t->receive, n, sizeof *t->receive);
    flux_io_release(memory, t->starts, n, sizeof *t->starts);
    flux_io_release(memory, t->item_first, (uint64_t)t->rows.gpus + 2, sizeof *t->item_first);
    flux_io_release(memory, t->items, 2 * n, sizeof *t->items);
    flux_io_release(memory, t->deps, 2 * m + 2, sizeof *t->deps);
    flux_io_rows_free(&t->rows);
}

/* ---- what a trace cannot tell ---- */

static int look_at_sends(const struct traces *t)
{
    char quote[FLUX_IO_QUOTE];
    for (uint32_t v = 0; v < t->rows.vertices; v++) {
        const struct flux_send *send = &t->rows.sends[v];
        if (send->dst != FLUX_NONE && (send->bytes == 0 || send->bytes > INT64_MAX))
            return flux_io_fail(t->rows.error, FLUX_E_MISMATCH, "send '%s' has %s: a Chakra trace needs its bytes",
                                flux_io_rows_quote(&t->rows, v, quote),
                                send->bytes ? "more than 2^63 - 1 bytes" : "a time and no size");
    }
    return FLUX_OK;
}

static int look_at_edges(const struct traces *t)
{
    char from[FLUX_IO_QUOTE], to[FLUX_IO_QUOTE];
    const struct flux_edge *edge = flux_graph_edges(t->rows.graph, NULL);
    for (uint64_t i = 0; i < t->rows.edge_count; i++)
        if (!flux_io_rows_knows(&t->rows, t->rows.sends[edge[i].to].src, edge[i].from))
            return flux_io_fail(
                t->rows.error, FLUX_E_MISMATCH,
                "'%s' waits for '%s', which happens at other GPUs: a rank of a Chakra trace hears of others through "
                "messages only; put a send between",
                flux_io_rows_quote(&t->rows, edge[i].to, to), flux_io_rows_quote(&t->rows, edge[i].from, from));
    return FLUX_OK;
}

/* ---- order ---- */

/* Sends in planned order: each remembers the last one that ended before it at its source's port. Under DUPLEX the other
 * direction may be under way; then nothing is said. */
static int find_ports(struct traces *t)
{
    uint64_t count;
    const struct flux_slot *slots = flux_schedule_slots(t->schedule, &count);
    uint64_t switches = 0;
    for (uint64_t i = 0; i < count; i++)
        switches = slots[i].switch_index >= switches ? slots[i].switch_index + UINT64_C(1) : switches;
    uint64_t ports = switches * t->rows.gpus;
    uint32_t *last = flux_io_alloc(&t->rows.memory, ports, sizeof *last);
    uint32_t *slot_of = flux_io_alloc(&t->rows.memory, t->rows.vertices, sizeof *slot_of);
    for (uint64_t i = 0; last && i < ports; i++)
        last[i] = FLUX_NONE;
    for (uint64_t i = 0; slot_of && i < count; i++)
        slot_of[slots[i].send] = (uint32_t)i;
    for (uint32_t i = 0; last && slot_of && i < t->rows.vertices; i++) {
        uint32_t v = t->rows.order[i];
        if (t->rows.sends[v].dst == FLUX_NONE)
            continue;
        const struct flux_slot *slot = &slots[slot_of[v]];
        uint32_t *at_src = &last[UINT64_C(1) * slot->switch_index * t->rows.gpus + t->rows.sends[v].src];
        if (*at_src != FLUX_NONE && slots[slot_of[*at_src]].end <= slot->start)
            t->port_before[v] = *at_src;
        *at_src = v;
        last[UINT64_C(1) * slot->switch_index * t->rows.gpus + t->rows.sends[v].dst] = v;
    }
    flux_io_release(&t->rows.memory, last, ports, sizeof *last);
    flux_io_release(&t->rows.memory, slot_of, t->rows.vertices, sizeof *slot_of);
    return last && slot_of ? FLUX_OK : flux_io_fail_memory(t->rows.error);
}

static int find_order(struct traces *t)
{
    const struct flux_time *times = t->schedule ? flux_schedule_times(t->schedule, NULL) : NULL;
    for (uint32_t v = 0; v < t->rows.vertices; v++) {
        t->starts[v] = times ? (uint64_t)times[v].start : 0;
        t->port_before[v] = FLUX_NONE;
    }
    int rc = flux_io_rows_order(&t->rows, t->starts);
    return rc || !t->schedule ? rc : find_ports(t);
}

/* Nodes before that of v at its place: one for its release, one for every lag. */
static uint64_t waits_of(const struct traces *t, uint32_t v)
{
    uint64_t count = t->rows.sends[v].release > 0;
    for (uint64_t i = t->rows.parent_first[v]; i < t->rows.parent_first[v + 1]; i++)
        count += t->rows.parents[i].lag > 0;
    return count;
}

/* Ids at every rank, and what each rank has. */
static int number_nodes(struct traces *t)
{
    uint64_t *next = flux_io_alloc_zero(&t->rows.memory, t->rows.gpus, sizeof *next);
    if (!next)
        return flux_io_fail_memory(t->rows.error);
    for (uint32_t i = 0; i < t->rows.vertices; i++) {
        uint32_t v = t->rows.order[i];
        const struct flux_send *send = &t->rows.sends[v];
        next[send->src] += waits_of(t, v);
        t->own[v] = next[send->src]++;
        t->item_first[send->src + 2]++;
        if (send->dst == FLUX_NONE)
            continue;
        t->receive[v] = next[send->dst]++;
        t->item_first[send->dst + 2]++;
    }
    for (uint32_t g = 0; g < t->rows.gpus; g++)
        t->item_first[g + 2] += t->item_first[g + 1];
    for (uint32_t i = 0; i < t->rows.vertices; i++) {
        uint32_t v = t->rows.order[i];
        t->items[t->item_first[t->rows.sends[v].src + 1]++] = UINT64_C(2) * v;
        if (t->rows.sends[v].dst != FLUX_NONE)
            t->items[t->item_first[t->rows.sends[v].dst + 1]++] = UINT64_C(2) * v + 1;
    }
    flux_io_release(&t->rows.memory, next, t->rows.gpus, sizeof *next);
    return FLUX_OK;
}

/* ---- writing ---- */

/* To the nearest microsecond, which is all that a trace can tell. */
static uint64_t round_time(struct traces *t, int64_t time)
{
    int64_t micros = (time + FLUX_US / 2) / FLUX_US, off = micros * FLUX_US - time;
    t->rounded += off < 0 ? -off : off;
    return (uint64_t)micros;
}

static uint64_t id_at(const struct traces *t, uint32_t gpu, uint32_t u)
{
    return t->rows.sends[u].src == gpu ? t->own[u] : t->receive[u];
}

/* A wait is compute of that length. */
static void put_wait(struct traces *t, struct flux_io_output *out, const char *name, uint64_t id, int64_t time,
                     const uint64_t *dep)
{
    struct flux_io_chakra_written wait = {.name = name, .type = FLUX_IO_CHAKRA_COMP, .id = id, .deps = dep};
    wait.dep_count = dep != NULL;
    wait.duration_us = round_time(t, time);
    flux_io_chakra_put_node(out, &wait);
}

static void put_own(struct traces *t, struct flux_io_output *out, uint32_t v)
{
    const struct flux_send *send = &t->rows.sends[v];
    struct flux_io_chakra_written node = {
        .name = flux_io_names_of(&t->rows.names, v), .id = t->own[v], .deps = t->deps};
    uint64_t wait = t->own[v] - waits_of(t, v);
    if (send->release > 0) {
        put_wait(t, out, "release", wait, send->release, NULL);
        t->deps[node.dep_count++] = wait++;
    }
    for (uint64_t i = t->rows.parent_first[v]; i < t->rows.parent_first[v + 1]; i++) {
        uint64_t id = id_at(t, send->src, t->rows.parents[i].from);
        if (t->rows.parents[i].lag > 0) {
            put_wait(t, out, "lag", wait, t->rows.parents[i].lag, &id);
            t->deps[node.dep_count++] = wait++;
        } else if (t->rows.seen[t->rows.parents[i].from] != v) {
            t->deps[node.dep_count++] = id;
        }
        if (t->rows.parents[i].lag == 0)
            t->rows.seen[t->rows.parents[i].from] = v;
    }
    if (t->port_before[v] != FLUX_NONE && t->rows.seen[t->port_before[v]] != v)
        t->deps[node.dep_count++] = id_at(t, send->src, t->port_before[v]);
    node.type = send->dst == FLUX_NONE ? FLUX_IO_CHAKRA_COMP : FLUX_IO_CHAKRA_SEND;
    if (send->dst == FLUX_NONE) {
        node.duration_us = round_time(t, send->duration);
    } else {
        node.src = send->src;
        node.dst = send->dst;
        node.bytes = send->bytes;
        node.tag = v;
    }
    flux_io_chakra_put_node(out, &node);
}

static void put_receive(const struct traces *t, struct flux_io_output *out, uint32_t v)
{
    const struct flux_io_chakra_written node = {.name = flux_io_names_of(&t->rows.names, v),
                                                .type = FLUX_IO_CHAKRA_RECV,
                                                .id = t->receive[v],
                                                .src = t->rows.sends[v].src,
                                                .dst = t->rows.sends[v].dst,
                                                .bytes = t->rows.sends[v].bytes,
                                                .tag = v};
    flux_io_chakra_put_node(out, &node);
}

static int write_rank(struct traces *t, uint32_t rank, const char *path)
{
    struct flux_io_output out;
    int rc = flux_io_output_open(&out, path, t->rows.error);
    if (rc)
        return rc;
    flux_io_chakra_put_metadata(&out);
    for (uint64_t i = t->item_first[rank]; i < t->item_first[rank + 1]; i++) {
        if (t->items[i] % 2)
            put_receive(t, &out, (uint32_t)(t->items[i] / 2));
        else
            put_own(t, &out, (uint32_t)(t->items[i] / 2));
    }
    if (t->item_first[rank] == t->item_first[rank + 1]) /* a rank must have a node */
        put_wait(t, &out, "idle", 0, 0, NULL);
    return flux_io_output_close(&out, t->rows.error);
}

static int write_ranks(struct traces *t, const char *prefix)
{
    uint64_t room = strlen(prefix) + 32;
    char *path = flux_io_alloc(&t->rows.memory, room, 1);
    int rc = FLUX_OK;
    if (!path)
        return flux_io_fail_memory(t->rows.error);
    snprintf(path, room, "%s.%u.et", prefix, (unsigned)t->rows.gpus); /* a reader would take it for one rank more */
    if (access(path, F_OK) == 0)
        rc = flux_io_fail_path(t->rows.error, FLUX_E_IO, path,
                               "belongs to a trace of more ranks; remove it, or name another place");
    for (uint32_t rank = 0; !rc && rank < t->rows.gpus; rank++) {
        snprintf(path, room, "%s.%u.et", prefix, (unsigned)rank);
        rc = write_rank(t, rank, path);
    }
    flux_io_release(&t->rows.memory, path, room, 1);
    return rc;
}

static int write_all(struct traces *t, const char *prefix)
{
    int rc = make_room(t);
    if (rc || (rc = look_at_sends(t)) || (rc = look_at_edges(t)) || (rc = find_order(t)) || (rc = number_nodes(t)))
        return rc;
    return write_ranks(t, prefix);
}

int flux_write_chakra(const char *prefix, const struct flux_graph *graph, const struct flux_schedule *schedule,
                      int64_t *rounded, struct flux_error *error)
{
    struct traces t = {.schedule = schedule};
    int rc;
    if (rounded)
        *rounded = 0;
    if (!prefix || !prefix[0] || !graph)
        return flux_io_fail(error, FLUX_E_ARGUMENT, "flux_write_chakra: prefix or graph is missing");
    if (schedule && (rc = flux_io_check_schedule(graph, NULL, schedule, error)))
        return rc;
    if (flux_graph_vertices(graph) >= TAGS_MAX)
        return flux_io_fail(error, FLUX_E_TOO_BIG, "%u vertices; a Chakra trace has tags for %u",
                            (unsigned)flux_graph_vertices(graph), TAGS_MAX - 1);
    rc = flux_io_rows_build(&t.rows, graph, error);
    if (!rc)
        rc = write_all(&t, prefix);
    if (!rc && rounded)
        *rounded = t.rounded;
    release(&t);
    return rc;
}
