/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes native documents (docs/formats.md). What is at its default is left out where that loses nothing.
 */
#include "io/belong.h"
#include "io/emit.h"
#include "io/fail.h"
#include "io/names.h"

#include <libflux/io/write.h>
#include <string.h>

struct document {
    struct flux_io_memory memory;
    struct flux_io_emit emit;
    struct flux_io_names names; /* of the graph's vertices */
    const struct flux_graph *graph;
    const struct flux_fabric *fabric;
    const struct flux_schedule *schedule;
};

/* ---- workload ---- */

static void write_vertex(struct document *document, uint32_t v)
{
    struct flux_io_emit *emit = &document->emit;
    struct flux_send send;
    struct flux_compute compute;
    int is_send = flux_graph_is_send(document->graph, v);
    flux_io_emit_item(emit);
    flux_io_emit_open_flow(emit, '{');
    flux_io_emit_key(emit, "id");
    flux_io_emit_name(emit, flux_io_names_of(&document->names, v));
    if (is_send) {
        flux_graph_get_send(document->graph, v, &send);
        flux_io_emit_key(emit, "send");
        flux_io_emit_open_flow(emit, '[');
        flux_io_emit_item(emit);
        flux_io_emit_whole(emit, send.src);
        flux_io_emit_item(emit);
        flux_io_emit_whole(emit, send.dst);
        flux_io_emit_close_flow(emit, ']');
        if (send.bytes) {
            flux_io_emit_key(emit, "size");
            flux_io_emit_bytes(emit, send.bytes);
        }
    } else {
        flux_graph_get_compute(document->graph, v, &compute);
        flux_io_emit_key(emit, "compute");
        flux_io_emit_whole(emit, compute.gpu);
    }
    if (!is_send || send.duration) {
        flux_io_emit_key(emit, "time");
        flux_io_emit_time(emit, is_send ? send.duration : compute.duration);
    }
    if (is_send ? send.release : compute.release) {
        flux_io_emit_key(emit, "release");
        flux_io_emit_time(emit, is_send ? send.release : compute.release);
    }
    flux_io_emit_close_flow(emit, '}');
}

static void write_edge(struct document *document, const struct flux_edge *edge)
{
    struct flux_io_emit *emit = &document->emit;
    flux_io_emit_item(emit);
    flux_io_emit_open_flow(emit, '[');
    flux_io_emit_item(emit);
    flux_io_emit_name(emit, flux_io_names_of(&document->names, edge->from));
    flux_io_emit_item(emit);
    flux_io_emit_name(emit, flux_io_names_of(&document->names, edge->to));
    if (edge->lag) {
        flux_io_emit_item(emit);
        flux_io_emit_time(emit, edge->lag);
    }
    flux_io_emit_close_flow(emit, ']');
}

static void write_workload(struct document *document)
{
    struct flux_io_emit *emit = &document->emit;
    uint64_t edge_count;
    const struct flux_edge *edges = flux_graph_edges(document->graph, &edge_count);
    flux_io_emit_key(emit, "workload");
    flux_io_emit_open_block(emit);
    flux_io_emit_key(emit, "gpus");
    flux_io_emit_whole(emit, flux_graph_gpus(document->graph));
    flux_io_emit_key(emit, "vertices");
    flux_io_emit_open_list(emit);
    for (uint32_t v = 0; v < flux_graph_vertices(document->graph); v++)
        write_vertex(document, v);
    flux_io_emit_close_list(emit);
    flux_io_emit_key(emit, "edges");
    flux_io_emit_open_list(emit);
    for (uint64_t i = 0; i < edge_count; i++)
        write_edge(document, &edges[i]);
    flux_io_emit_close_list(emit);
    flux_io_emit_close_block(emit);
}

/* ---- fabric ---- */

/* The rate that is written for a switch; ports that differ follow one by one. A majority where there is one (Boyer and
 * Moore, MJRTY, 1991). */
static uint64_t usual_rate(const struct flux_fabric *fabric, uint32_t k)
{
    uint64_t candidate = 0, votes = 0;
    for (uint32_t g = 0; g < flux_fabric_gpus(fabric); g++) {
        uint64_t rate = flux_fabric_rate(fabric, g, k);
        if (votes == 0)
            candidate = rate;
        votes = rate == candidate ? votes + 1 : votes - 1;
    }
    return candidate;
}

enum per_switch { RATE, DELAY, BLOCKING, DWELL };

static void write_one(struct document *document, enum per_switch which, uint32_t k, const uint64_t *rates)
{
    struct flux_io_emit *emit = &document->emit;
    if (which == RATE)
        flux_io_emit_rate(emit, rates[k]);
    else if (which == DELAY)
        flux_io_emit_time(emit, flux_fabric_delay(document->fabric, k));
    else if (which == DWELL)
        flux_io_emit_time(emit, flux_fabric_dwell(document->fabric, k));
    else
        flux_io_emit_word(emit, flux_fabric_blocking(document->fabric, k) ? "switch" : "port");
}

static int64_t value_of(const struct document *document, enum per_switch which, uint32_t k, const uint64_t *rates)
{
    if (which == RATE)
        return (int64_t)rates[k];
    if (which == DELAY)
        return flux_fabric_delay(document->fabric, k);
    return which == DWELL ? flux_fabric_dwell(document->fabric, k) : flux_fabric_blocking(document->fabric, k);
}

/* One value, or a list of one per switch; nothing where all are 0 and `always` is not set. */
static void write_per_switch(struct document *document, const char *key, enum per_switch which, const uint64_t *rates,
                             int always)
{
    struct flux_io_emit *emit = &document->emit;
    uint32_t switches = flux_fabric_switches(document->fabric);
    int64_t first = value_of(document, which, 0, rates);
    int same = 1;
    for (uint32_t k = 1; k < switches; k++)
        same &= value_of(document, which, k, rates) == first;
    if (same && first == 0 && !always)
        return;
    flux_io_emit_key(emit, key);
    if (same) {
        write_one(document, which, 0, rates);
        return;
    }
    flux_io_emit_open_flow(emit, '[');
    for (uint32_t k = 0; k < switches; k++) {
        flux_io_emit_item(emit);
        write_one(document, which, k, rates);
    }
    flux_io_emit_close_flow(emit, ']');
}

/* Begins a list with its first row, so that an empty one is not written. */
static void begin_row(struct flux_io_emit *emit, const char *key, uint64_t *rows)
{
    if (!(*rows)++) {
        flux_io_emit_key(emit, key);
        flux_io_emit_open_list(emit);
    }
    flux_io_emit_item(emit);
    flux_io_emit_open_flow(emit, '[');
}

static void put_index(struct flux_io_emit *emit, uint32_t index)
{
    flux_io_emit_item(emit);
    if (index == FLUX_ALL_GPUS)
        flux_io_emit_word(emit, "all");
    else
        flux_io_emit_whole(emit, index);
}

static void write_dead(struct document *document)
{
    struct flux_io_emit *emit = &document->emit;
    uint64_t rows = 0;
    for (uint32_t g = 0; g < flux_fabric_gpus(document->fabric); g++) {
        for (uint32_t k = 0; k < flux_fabric_switches(document->fabric); k++) {
            if (!flux_fabric_dead(document->fabric, g, k))
                continue;
            begin_row(emit, "dead", &rows);
            put_index(emit, g);
            put_index(emit, k);
            flux_io_emit_close_flow(emit, ']');
        }
    }
    if (rows)
        flux_io_emit_close_list(emit);
}

static void write_circuits(struct document *document, const char *key, const struct flux_circuit_name *circuits,
                           uint64_t count)
{
    struct flux_io_emit *emit = &document->emit;
    uint64_t rows = 0;
    for (uint64_t i = 0; i < count; i++) {
        begin_row(emit, key, &rows);
        put_index(emit, circuits[i].switch_index);
        put_index(emit, circuits[i].src);
        put_index(emit, circuits[i].dst);
        flux_io_emit_close_flow(emit, ']');
    }
    if (rows)
        flux_io_emit_close_list(emit);
}

static void write_port_rates(struct document *document, const uint64_t *rates)
{
    struct flux_io_emit *emit = &document->emit;
    uint64_t rows = 0;
    for (uint32_t g = 0; g < flux_fabric_gpus(document->fabric); g++) {
        for (uint32_t k = 0; k < flux_fabric_switches(document->fabric); k++) {
            if (flux_fabric_rate(document->fabric, g, k) == rates[k])
                continue;
            begin_row(emit, "port_rate", &rows);
            put_index(emit, g);
            put_index(emit, k);
            flux_io_emit_item(emit);
            flux_io_emit_rate(emit, flux_fabric_rate(document->fabric, g, k));
            flux_io_emit_close_flow(emit, ']');
        }
    }
    if (rows)
        flux_io_emit_close_list(emit);
}

/* Marks in `last` the rules that no later rule for the same GPUs replaces. */
static int find_last_rules(struct document *document, unsigned char *last, uint64_t count)
{
    struct flux_io_numbers pairs;
    int rc = FLUX_OK;
    flux_io_numbers_init(&pairs, &document->memory);
    for (uint64_t i = count; !rc && i-- > 0;) {
        struct flux_propagation rule;
        uint32_t index;
        int fresh = 0;
        flux_fabric_propagation_rule(document->fabric, i, &rule);
        rc = flux_io_numbers_add(&pairs, (uint64_t)rule.src << 32 | rule.dst, &index, &fresh);
        last[i] = (unsigned char)fresh;
    }
    flux_io_numbers_free(&pairs);
    return rc;
}

static int write_propagation(struct document *document)
{
    struct flux_io_emit *emit = &document->emit;
    uint64_t count = flux_fabric_propagation_rules(document->fabric);
    struct flux_propagation rule;
    uint64_t rows = 0;
    flux_fabric_propagation_rule(document->fabric, 0, &rule);
    if (count == 1) {
        if (rule.time) {
            flux_io_emit_key(emit, "propagation");
            flux_io_emit_time(emit, rule.time);
        }
        return FLUX_OK;
    }
    unsigned char *last = flux_io_alloc_zero(&document->memory, count, 1);
    int rc = last ? find_last_rules(document, last, count) : FLUX_E_MEMORY;
    for (uint64_t i = 0; !rc && i < count; i++) {
        flux_fabric_propagation_rule(document->fabric, i, &rule);
        if (!last[i] || (i == 0 && rule.time == 0))
            continue;
        begin_row(emit, "propagation", &rows);
        put_index(emit, rule.src);
        put_index(emit, rule.dst);
        flux_io_emit_item(emit);
        flux_io_emit_time(emit, rule.time);
        flux_io_emit_close_flow(emit, ']');
    }
    if (rows)
        flux_io_emit_close_list(emit);
    flux_io_release(&document->memory, last, count, 1);
    return rc;
}

static int write_fabric(struct document *document)
{
    static const char *const rules[] = {"paper", "duplex", "simplex"};
    struct flux_io_emit *emit = &document->emit;
    const struct flux_fabric *fabric = document->fabric;
    uint64_t rates[FLUX_SWITCHES_MAX];
    uint64_t count;
    for (uint32_t k = 0; k < flux_fabric_switches(fabric); k++)
        rates[k] = usual_rate(fabric, k);
    flux_io_emit_key(emit, "fabric");
    flux_io_emit_open_block(emit);
    if (!document->graph) {
        flux_io_emit_key(emit, "gpus");
        flux_io_emit_whole(emit, flux_fabric_gpus(fabric));
    }
    flux_io_emit_key(emit, "switches");
    flux_io_emit_whole(emit, flux_fabric_switches(fabric));
    flux_io_emit_key(emit, "rule");
    flux_io_emit_word(emit, rules[flux_fabric_rule(fabric)]);
    write_per_switch(document, "rate", RATE, rates, 1);
    write_per_switch(document, "delay", DELAY, rates, 1);
    write_per_switch(document, "blocking", BLOCKING, rates, 0);
    write_dead(document);
    const struct flux_circuit_name *circuits = flux_fabric_forbidden(fabric, &count);
    write_circuits(document, "forbidden", circuits, count);
    circuits = flux_fabric_initial(fabric, &count);
    write_circuits(document, "initial", circuits, count);
    write_port_rates(document, rates);
    int rc = write_propagation(document);
    write_per_switch(document, "dwell", DWELL, rates, 0);
    flux_io_emit_close_block(emit);
    return rc;
}

/* ---- schedule ---- */

static void write_slot(struct document *document, const struct flux_slot *slot)
{
    struct flux_io_emit *emit = &document->emit;
    flux_io_emit_item(emit);
    flux_io_emit_open_flow(emit, '{');
    flux_io_emit_key(emit, "id");
    flux_io_emit_name(emit, flux_io_names_of(&document->names, slot->send));
    flux_io_emit_key(emit, "switch");
    flux_io_emit_whole(emit, slot->switch_index);
    flux_io_emit_key(emit, "start");
    flux_io_emit_time(emit, slot->start);
    flux_io_emit_key(emit, "end");
    flux_io_emit_time(emit, slot->end);
    flux_io_emit_close_flow(emit, '}');
}

/* The steps of a lifted certificate. */
static void write_lifts(struct document *document, const struct flux_certificate *certificate)
{
    static const char *const sides[] = {"both", "transmit", "receive"};
    struct flux_io_emit *emit = &document->emit;
    uint64_t count;
    const struct flux_lift *lifts = flux_certificate_lifts(certificate, &count);
    if (count == 0)
        return;
    flux_io_emit_key(emit, "lifts");
    flux_io_emit_open_flow(emit, '[');
    for (uint64_t i = 0; i < count; i++) {
        const struct flux_lift *lift = &lifts[i];
        flux_io_emit_item(emit);
        flux_io_emit_open_flow(emit, '{');
        flux_io_emit_key(emit, "vertex");
        flux_io_emit_name(emit, flux_io_names_of(&document->names, lift->vertex));
        flux_io_emit_key(emit, "end");
        flux_io_emit_word(emit, lift->end == FLUX_LIFT_TAIL ? "tail" : "head");
        flux_io_emit_key(emit, "gpu");
        flux_io_emit_whole(emit, lift->gpu);
        if (lift->side != FLUX_SIDE_BOTH && lift->side <= FLUX_SIDE_RECEIVE) {
            flux_io_emit_key(emit, "side");
            flux_io_emit_word(emit, sides[lift->side]);
        }
        flux_io_emit_key(emit, "edge");
        flux_io_emit_time(emit, lift->edge);
        flux_io_emit_key(emit, "lag");
        flux_io_emit_time(emit, lift->lag);
        flux_io_emit_close_flow(emit, '}');
    }
    flux_io_emit_close_flow(emit, ']');
}

static void write_certificate(struct document *document, const struct flux_certificate *certificate)
{
    static const char *const sides[] = {"both", "transmit", "receive"};
    struct flux_io_emit *emit = &document->emit;
    uint64_t count;
    const uint32_t *vertices = flux_certificate_vertices(certificate, &count);
    uint32_t kind = flux_certificate_kind(certificate);
    uint32_t side = flux_certificate_side(certificate);
    flux_io_emit_key(emit, "certificate");
    flux_io_emit_open_flow(emit, '{');
    flux_io_emit_key(emit, "kind");
    flux_io_emit_word(emit, flux_certificate_kind_name(kind));
    if (flux_certificate_gpu(certificate) != FLUX_NONE) {
        flux_io_emit_key(emit, "gpu");
        flux_io_emit_whole(emit, flux_certificate_gpu(certificate));
        if (side != FLUX_SIDE_BOTH && side <= FLUX_SIDE_RECEIVE) {
            flux_io_emit_key(emit, "side");
            flux_io_emit_word(emit, sides[side]);
        }
        flux_io_emit_key(emit, "head");
        flux_io_emit_time(emit, flux_certificate_head(certificate));
        flux_io_emit_key(emit, "tail");
        flux_io_emit_time(emit, flux_certificate_tail(certificate));
    }
    if (count) {
        int sends = flux_certificate_gpu(certificate) != FLUX_NONE;
        flux_io_emit_key(emit, sends ? "sends" : "vertices");
        flux_io_emit_open_flow(emit, '[');
        for (uint64_t i = 0; i < count; i++) {
            flux_io_emit_item(emit);
            flux_io_emit_name(emit, flux_io_names_of(&document->names, vertices[i]));
        }
        flux_io_emit_close_flow(emit, ']');
    }
    write_lifts(document, certificate);
    flux_io_emit_close_flow(emit, '}');
}

static void write_schedule(struct document *document)
{
    struct flux_io_emit *emit = &document->emit;
    uint64_t count;
    const struct flux_slot *slots = flux_schedule_slots(document->schedule, &count);
    const struct flux_certificate *certificate = flux_schedule_certificate(document->schedule);
    flux_io_emit_key(emit, "schedule");
    flux_io_emit_open_block(emit);
    flux_io_emit_key(emit, "status");
    flux_io_emit_word(emit, flux_schedule_status(document->schedule) == FLUX_OPTIMAL ? "optimal" : "feasible");
    flux_io_emit_key(emit, "makespan");
    flux_io_emit_time(emit, flux_schedule_makespan(document->schedule));
    flux_io_emit_key(emit, "bound");
    flux_io_emit_time(emit, flux_schedule_bound(document->schedule));
    flux_io_emit_key(emit, "sends");
    flux_io_emit_open_list(emit);
    for (uint64_t i = 0; i < count; i++)
        write_slot(document, &slots[i]);
    flux_io_emit_close_list(emit);
    if (certificate)
        write_certificate(document, certificate);
    flux_io_emit_close_block(emit);
}

/* ---- the document ---- */

static int check_parts(const struct document *document, struct flux_error *error)
{
    if (!document->graph && !document->fabric && !document->schedule)
        return flux_io_fail(error, FLUX_E_ARGUMENT, "flux_write_document: give a graph, a fabric or a schedule");
    if (document->schedule && !document->graph)
        return flux_io_fail(error, FLUX_E_ARGUMENT,
                            "flux_write_document: a schedule needs its graph, which has the ids of its sends");
    if (document->graph && document->fabric && flux_graph_gpus(document->graph) != flux_fabric_gpus(document->fabric))
        return flux_io_fail(error, FLUX_E_MISMATCH, "the graph has %u GPUs, the fabric %u",
                            (unsigned)flux_graph_gpus(document->graph), (unsigned)flux_fabric_gpus(document->fabric));
    return document->schedule ? flux_io_check_schedule(document->graph, document->fabric, document->schedule, error)
                              : FLUX_OK;
}

static int ends_in(const char *path, const char *end)
{
    size_t length = strlen(path);
    size_t part = strlen(end);
    return length >= part && strcmp(path + length - part, end) == 0;
}

static int write_all(struct document *document, const char *path, struct flux_error *error)
{
    struct flux_io_output out;
    int rc = flux_io_output_open(&out, path, error);
    if (rc)
        return rc;
    flux_io_emit_begin(&document->emit, &out, ends_in(path, ".json"));
    flux_io_emit_key(&document->emit, "flux");
    flux_io_emit_whole(&document->emit, 1);
    if (document->graph)
        write_workload(document);
    if (document->fabric)
        rc = write_fabric(document);
    if (document->schedule)
        write_schedule(document);
    flux_io_emit_end(&document->emit);
    if (rc) {
        flux_io_output_abandon(&out);
        return flux_io_fail_memory(error);
    }
    return flux_io_output_close(&out, error);
}

int flux_write_document(const char *path, const struct flux_graph *graph, const struct flux_fabric *fabric,
                        const struct flux_schedule *schedule, struct flux_error *error)
{
    struct document document;
    memset(&document, 0, sizeof document);
    document.graph = graph;
    document.fabric = fabric;
    document.schedule = schedule;
    flux_io_memory_init(&document.memory, NULL);
    int rc = check_parts(&document, error);
    if (rc)
        return rc;
    if (graph && flux_io_names_build(&document.names, &document.memory, graph))
        rc = flux_io_fail_memory(error);
    if (!rc)
        rc = write_all(&document, path, error);
    if (graph)
        flux_io_names_free(&document.names);
    return rc;
}
