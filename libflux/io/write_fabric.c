/* SPDX-License-Identifier: Apache-2.0
 *
 * The fabric of a native document.
 */
#include "io/strings.h"
#include "io/write_document.h"

#include <libflux/fabric.h>

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

static void write_one(struct flux_io_written *document, enum per_switch which, uint32_t k, const uint64_t *rates)
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

static int64_t value_of(const struct flux_io_written *document, enum per_switch which, uint32_t k,
                        const uint64_t *rates)
{
    if (which == RATE)
        return (int64_t)rates[k];
    if (which == DELAY)
        return flux_fabric_delay(document->fabric, k);
    return which == DWELL ? flux_fabric_dwell(document->fabric, k) : flux_fabric_blocking(document->fabric, k);
}

/* One value, or a list of one per switch; nothing where all are 0 and `always` is not set. */
static void write_per_switch(struct flux_io_written *document, const char *key, enum per_switch which,
                             const uint64_t *rates, int always)
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

static void write_dead(struct flux_io_written *document)
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

static void write_circuits(struct flux_io_written *document, const char *key, const struct flux_circuit_name *circuits,
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

static void write_port_rates(struct flux_io_written *document, const uint64_t *rates)
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
static int find_last_rules(struct flux_io_written *document, unsigned char *last, uint64_t count)
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

static int write_propagation(struct flux_io_written *document)
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

int flux_io_write_fabric(struct flux_io_written *document)
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
