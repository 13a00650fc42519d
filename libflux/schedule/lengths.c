/* SPDX-License-Identifier: Apache-2.0 */
#include "schedule/lengths.h"

#include "base/fail.h"
#include "base/wide.h"

#include <inttypes.h>

int flux_lengths_carry(const struct flux_lengths *lengths, uint32_t k, uint32_t src, uint32_t dst)
{
    return !flux_fabric_dead(lengths->fabric, src, k) && !flux_fabric_dead(lengths->fabric, dst, k) &&
           !flux_fabric_is_forbidden(lengths->fabric, k, src, dst);
}

static uint64_t end_key(uint32_t k, uint32_t gpu)
{
    return (uint64_t)k << 32 | gpu;
}

static int sort_initials(struct flux_lengths *lengths)
{
    uint64_t count;
    const struct flux_circuit_name *initial = flux_fabric_initial(lengths->fabric, &count);
    if (count >= FLUX_NONE)
        return flux_fail(lengths->error, FLUX_E_MEMORY, "more than 2^32 - 2 initial circuits");
    lengths->initial_end_count = 2 * count;
    lengths->initial_ends = flux_arena_alloc(lengths->arena, 2 * count, sizeof *lengths->initial_ends);
    struct flux_keyed *spare = flux_arena_alloc(lengths->arena, 2 * count, sizeof *spare);
    if (!lengths->initial_ends || !spare)
        return flux_fail_memory(lengths->error);
    for (uint32_t i = 0; i < count; i++) {
        const struct flux_circuit_name *up = &initial[i];
        lengths->initial_ends[2 * (uint64_t)i] = (struct flux_keyed){end_key(up->switch_index, up->src), i, 0};
        lengths->initial_ends[2 * (uint64_t)i + 1] = (struct flux_keyed){end_key(up->switch_index, up->dst), i, 0};
    }
    flux_radix_sort(lengths->initial_ends, spare, 2 * count);
    return FLUX_OK;
}

/* Must a send of (src, dst) wait for `up`? */
static int displaces(uint32_t rule, const struct flux_circuit_name *up, uint32_t src, uint32_t dst)
{
    int same = up->src == src && up->dst == dst;
    if (rule == FLUX_RULE_SIMPLEX)
        return !same && (up->src == src || up->dst == dst);
    if (rule == FLUX_RULE_DUPLEX && up->src == dst && up->dst == src)
        return 0;
    return !same && (up->src == src || up->dst == dst || up->src == dst || up->dst == src);
}

/* Is there an initial circuit with an end at (k, gpu) that a send of (src, dst) must wait for? */
static int waits_at(const struct flux_lengths *lengths, uint32_t k, uint32_t gpu, uint32_t src, uint32_t dst)
{
    const struct flux_circuit_name *initial = flux_fabric_initial(lengths->fabric, NULL);
    uint64_t key = end_key(k, gpu), low = 0, high = lengths->initial_end_count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (lengths->initial_ends[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < lengths->initial_end_count && lengths->initial_ends[low].key == key; low++)
        if (displaces(lengths->rule, &initial[lengths->initial_ends[low].item], src, dst))
            return 1;
    return 0;
}

static int64_t wait_on(const struct flux_lengths *lengths, uint32_t k, uint32_t src, uint32_t dst)
{
    if (lengths->initial_end_count == 0)
        return 0;
    if (waits_at(lengths, k, src, src, dst) || waits_at(lengths, k, dst, src, dst))
        return flux_fabric_delay(lengths->fabric, k);
    return 0;
}

/* Duration and first head of a send: the least over the switches that can carry it. */
static int read_send(struct flux_lengths *lengths, uint32_t v, const struct flux_send *send)
{
    char name[FLUX_PRECEDENCE_NAME];
    int64_t least = INT64_MAX, wait = INT64_MAX;
    for (uint32_t k = 0; k < lengths->switches; k++) {
        int64_t duration = send->duration;
        if (!flux_lengths_carry(lengths, k, send->src, send->dst))
            continue;
        if (duration == 0 &&
            flux_fabric_duration(lengths->fabric, k, send->src, send->dst, send->bytes, &duration) != FLUX_OK)
            return flux_fail_vertex(lengths->error, FLUX_E_OVERFLOW, v, "%s would take longer than 2^62 ps",
                                    flux_precedence_name(lengths->graph, v, name));
        least = duration < least ? duration : least;
        int64_t waits = wait_on(lengths, k, send->src, send->dst);
        wait = waits < wait ? waits : wait;
    }
    if (least == INT64_MAX)
        return flux_fail_vertex(lengths->error, FLUX_E_MISMATCH, v, "no switch can carry %s",
                                flux_precedence_name(lengths->graph, v, name));
    lengths->duration[v] = least;
    lengths->head[v] = send->release > wait ? send->release : wait;
    return FLUX_OK;
}

static int read_vertices(struct flux_lengths *lengths)
{
    uint32_t n = lengths->precedence.vertices;
    struct flux_send send;
    struct flux_compute compute;
    lengths->duration = flux_arena_alloc(lengths->arena, n, sizeof *lengths->duration);
    lengths->head = flux_arena_alloc(lengths->arena, n, sizeof *lengths->head);
    lengths->tail = flux_arena_zero(lengths->arena, n, sizeof *lengths->tail);
    if (!lengths->duration || !lengths->head || !lengths->tail)
        return flux_fail_memory(lengths->error);
    for (uint32_t v = 0; v < n; v++) {
        if (flux_graph_get_compute(lengths->graph, v, &compute) == FLUX_OK) {
            lengths->duration[v] = compute.duration;
            lengths->head[v] = compute.release;
            continue;
        }
        flux_graph_get_send(lengths->graph, v, &send);
        int rc = read_send(lengths, v, &send);
        if (rc)
            return rc;
    }
    return FLUX_OK;
}

static int fail_overflow(const struct flux_lengths *lengths)
{
    return flux_fail(lengths->error, FLUX_E_OVERFLOW, "the times add up beyond 2^62 ps");
}

/* What an edge adds to the end of `from`. */
static flux_wide lag_of(const struct flux_lengths *lengths, uint32_t from, const struct flux_successor *edge)
{
    return (flux_wide)edge->lag +
           flux_precedence_propagation(&lengths->precedence, lengths->fabric, from, edge->vertex);
}

/* Longest paths to every vertex. */
static int set_heads(struct flux_lengths *lengths)
{
    const struct flux_precedence *precedence = &lengths->precedence;
    for (uint32_t i = 0; i < precedence->vertices; i++) {
        uint32_t u = precedence->order[i];
        for (uint64_t e = precedence->first[u]; e < precedence->first[u + 1]; e++) {
            const struct flux_successor *edge = &precedence->successors[e];
            flux_wide ready = lag_of(lengths, u, edge) + lengths->head[u] + lengths->duration[u];
            if (ready > FLUX_TIME_MAX)
                return fail_overflow(lengths);
            if (ready > lengths->head[edge->vertex])
                lengths->head[edge->vertex] = (int64_t)ready;
        }
    }
    return FLUX_OK;
}

/* Longest paths from every vertex. */
static int set_tails(struct flux_lengths *lengths)
{
    const struct flux_precedence *precedence = &lengths->precedence;
    for (uint32_t i = precedence->vertices; i-- > 0;) {
        uint32_t u = precedence->order[i];
        for (uint64_t e = precedence->first[u]; e < precedence->first[u + 1]; e++) {
            const struct flux_successor *edge = &precedence->successors[e];
            flux_wide rest = lag_of(lengths, u, edge) + lengths->duration[edge->vertex] + lengths->tail[edge->vertex];
            if (rest > FLUX_TIME_MAX)
                return fail_overflow(lengths);
            if (rest > lengths->tail[u])
                lengths->tail[u] = (int64_t)rest;
        }
    }
    return FLUX_OK;
}

int flux_lengths_compute(const struct flux_graph *graph, const struct flux_fabric *fabric, struct flux_arena *arena,
                         struct flux_lengths *lengths, struct flux_error *error)
{
    *lengths = (struct flux_lengths){.graph = graph,
                                     .fabric = fabric,
                                     .error = error,
                                     .arena = arena,
                                     .rule = flux_fabric_rule(fabric),
                                     .switches = flux_fabric_switches(fabric)};
    if (flux_graph_gpus(graph) != flux_fabric_gpus(fabric))
        return flux_fail(error, FLUX_E_MISMATCH,
                         "the graph has %" PRIu32 " GPUs and the fabric %" PRIu32 ": make both with the same number",
                         flux_graph_gpus(graph), flux_fabric_gpus(fabric));
    int rc = flux_precedence_read(graph, arena, &lengths->precedence, error);
    if (!rc)
        rc = sort_initials(lengths);
    if (!rc)
        rc = read_vertices(lengths);
    if (!rc)
        rc = set_heads(lengths);
    return rc ? rc : set_tails(lengths);
}
