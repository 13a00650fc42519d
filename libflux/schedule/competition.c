/* SPDX-License-Identifier: Apache-2.0
 *
 * schedule/competition.c - stage 5 of the audit: goes through the sends of each switch in the order of time, and looks
 * whether those that compete for a port keep apart. Finds the tenures of circuits on the way.
 */
#include "base/fail.h"
#include "schedule/audit.h"
#include "schedule/ports.h"
#include "schedule/radix.h"

#include <inttypes.h>
#include <libflux/units.h>
#include <stdio.h>

/* Sends by switch, then start, then number. */
static int sort_sends(struct flux_audit *audit)
{
    uint64_t n = audit->sends, filled = 0, s = audit->switches;
    struct flux_keyed *rows = flux_arena_alloc(&audit->arena, n, sizeof *rows);
    struct flux_keyed *spare = flux_arena_alloc(&audit->arena, n, sizeof *spare);
    uint32_t *first = flux_arena_zero(&audit->arena, s + 2, sizeof *first);
    audit->by_switch = flux_arena_alloc(&audit->arena, n, sizeof *audit->by_switch);
    audit->switch_first = first;
    if (!rows || !spare || !first || !audit->by_switch)
        return flux_fail_memory(audit->error);
    for (uint32_t v = 0; v < audit->precedence.vertices; v++)
        if (audit->switch_of[v] != FLUX_NONE) {
            rows[filled++] = (struct flux_keyed){(uint64_t)audit->times[v].start, v, 0};
            first[audit->switch_of[v] + 2]++;
        }
    flux_radix_sort(rows, spare, n);
    for (uint64_t k = 0; k < s; k++)
        first[k + 2] += first[k + 1];
    for (uint64_t i = 0; i < n; i++)
        audit->by_switch[first[audit->switch_of[rows[i].item] + 1]++] = rows[i].item;
    return FLUX_OK;
}

/* The send of a tenure that ends last; FLUX_NONE for an initial circuit that nobody used. */
static uint32_t last_send(const struct flux_audit *audit, const struct flux_tenure *tenure)
{
    uint32_t there = tenure->last[0], back = tenure->last[1];
    if (there == FLUX_NONE || (back != FLUX_NONE && audit->times[back].end > audit->times[there].end))
        return back;
    return there;
}

/* "GPU 3's port on switch 1", or one of its two ports under SIMPLEX. */
static void name_port(const struct flux_audit *audit, uint32_t gpu, int transmits, uint32_t k, char *text, size_t size)
{
    const char *which = audit->rule != FLUX_RULE_SIMPLEX ? "" : transmits ? "transmit " : "receive ";
    snprintf(text, size, "the %sport of GPU %" PRIu32 " on switch %" PRIu32, which, gpu, k);
}

/* Send `w` starts while `u` of the same circuit is under way. */
static int fail_same_circuit(const struct flux_audit *audit, uint32_t w, uint32_t u)
{
    char late[FLUX_PRECEDENCE_NAME], early[FLUX_PRECEDENCE_NAME], port[96];
    char start[FLUX_UNITS_TEXT], end[FLUX_UNITS_TEXT], off[FLUX_UNITS_TEXT];
    uint32_t src = audit->precedence.at[w], dst = audit->precedence.to[w];
    name_port(audit, src, 1, audit->switch_of[w], port, sizeof port);
    return flux_fail_vertex(
        audit->error, FLUX_E_MISMATCH, w,
        "%s (%" PRIu32 " to %" PRIu32 ") starts at %s, %s too early: %s of the same circuit has %s until %s; it may "
        "start then",
        flux_precedence_name(audit->graph, w, late), src, dst,
        flux_time_format(audit->times[w].start, start, sizeof start),
        flux_time_format(audit->times[u].end - audit->times[w].start, off, sizeof off),
        flux_precedence_name(audit->graph, u, early), port, flux_time_format(audit->times[u].end, end, sizeof end));
}

/* Send `w` starts too soon after `other`, which has another circuit, at its source's port or its destination's. */
static int fail_change(const struct flux_audit *audit, uint32_t w, const struct flux_tenure *other, int at_source)
{
    char late[FLUX_PRECEDENCE_NAME], early[FLUX_PRECEDENCE_NAME], port[96];
    char start[FLUX_UNITS_TEXT], end[FLUX_UNITS_TEXT], off[FLUX_UNITS_TEXT], takes[FLUX_UNITS_TEXT],
        right[FLUX_UNITS_TEXT];
    uint32_t src = audit->precedence.at[w], dst = audit->precedence.to[w], k = audit->switch_of[w];
    uint32_t u = last_send(audit, other);
    int64_t delay = flux_fabric_delay(audit->fabric, k), ends = flux_audit_tenure_end(audit, other);
    int64_t earliest = ends > INT64_MAX - delay ? INT64_MAX : ends + delay;
    name_port(audit, at_source ? src : dst, at_source, k, port, sizeof port);
    if (u == FLUX_NONE)
        snprintf(early, sizeof early, "the initial circuit");
    else
        flux_precedence_name(audit->graph, u, early);
    return flux_fail_vertex(audit->error, FLUX_E_MISMATCH, w,
                            "%s (%" PRIu32 " to %" PRIu32 ") starts at %s, %s too early: %s (%" PRIu32 " to %" PRIu32
                            ") has %s until %s, and the change takes %s; it may start at %s",
                            flux_precedence_name(audit->graph, w, late), src, dst,
                            flux_time_format(audit->times[w].start, start, sizeof start),
                            flux_time_format(earliest - audit->times[w].start, off, sizeof off), early,
                            u == FLUX_NONE ? other->src : audit->precedence.at[u],
                            u == FLUX_NONE ? other->dst : audit->precedence.to[u], port,
                            flux_time_format(ends, end, sizeof end), flux_time_format(delay, takes, sizeof takes),
                            flux_time_format(earliest, right, sizeof right));
}

/* Send `v` goes on with a circuit that is up at both its ports. */
static int join(struct flux_audit *audit, struct flux_tenure *tenure, uint32_t v)
{
    if (tenure->first == FLUX_NONE) {
        tenure->first = v;
        tenure->src = audit->precedence.at[v];
        tenure->dst = audit->precedence.to[v];
    }
    int way = tenure->src != audit->precedence.at[v];
    uint32_t before = tenure->last[way];
    if (before != FLUX_NONE && audit->times[v].start < audit->times[before].end)
        return fail_same_circuit(audit, v, before);
    tenure->last[way] = v;
    tenure->sends++;
    return FLUX_OK;
}

/* Send `v` needs its circuit set up: the tenures at its ports, where they are of another circuit, must be over for at
 * least the delay. Of two that are not, the one that ends later is named. */
static int replace(struct flux_audit *audit, const struct flux_ports *ports, uint32_t v)
{
    uint32_t src = audit->precedence.at[v], dst = audit->precedence.to[v], k = audit->switch_of[v];
    uint32_t before[2] = {ports->transmit[src], ports->receive[dst]}, worst = 0;
    int64_t free = -1;
    for (uint32_t i = 0; i < 2; i++) {
        if (before[i] == FLUX_NONE || flux_ports_same_circuit(audit, &audit->tenure[before[i]], src, dst))
            continue;
        int64_t end = flux_audit_tenure_end(audit, &audit->tenure[before[i]]);
        if (end > free) {
            free = end;
            worst = i;
        }
    }
    if (free >= 0 && audit->times[v].start - free < flux_fabric_delay(audit->fabric, k))
        return fail_change(audit, v, &audit->tenure[before[worst]], worst == 0);
    struct flux_tenure *fresh = &audit->tenure[flux_ports_take(audit, ports, k, src, dst)];
    fresh->changed = free >= 0;
    fresh->free = free;
    return join(audit, fresh, v);
}

static int serve(struct flux_audit *audit, const struct flux_ports *ports, uint32_t v)
{
    uint32_t src = audit->precedence.at[v], dst = audit->precedence.to[v];
    uint32_t there = ports->transmit[src];
    if (there != FLUX_NONE && there == ports->receive[dst] &&
        flux_ports_same_circuit(audit, &audit->tenure[there], src, dst))
        return join(audit, &audit->tenure[there], v);
    return replace(audit, ports, v);
}

int flux_audit_ports(struct flux_audit *audit)
{
    struct flux_ports ports;
    uint64_t next = 0;
    int rc = sort_sends(audit);
    if (rc)
        return rc;
    rc = flux_ports_open(audit, &ports);
    audit->tenure_first = flux_arena_zero(&audit->arena, (uint64_t)audit->switches + 1, sizeof *audit->tenure_first);
    if (rc || !audit->tenure_first)
        return flux_fail_memory(audit->error);
    for (uint32_t k = 0; !rc && k < audit->switches; k++) {
        uint32_t begin = audit->tenure_first[k] = audit->tenures;
        rc = flux_ports_start(audit, &ports, k, &next);
        for (uint32_t i = audit->switch_first[k]; !rc && i < audit->switch_first[k + 1]; i++)
            rc = serve(audit, &ports, audit->by_switch[i]);
        flux_ports_clear(audit, &ports, begin);
    }
    audit->tenure_first[audit->switches] = audit->tenures;
    return rc;
}
