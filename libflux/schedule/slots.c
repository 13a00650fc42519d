/* SPDX-License-Identifier: Apache-2.0
 *
 * schedule/slots.c - stages 2 and 3 of the audit: is there exactly one slot per send, and is each right by itself?
 */
#include "base/fail.h"
#include "schedule/audit.h"

#include <inttypes.h>
#include <libflux/units.h>

/* Row `i` names something that is not there; `v` is its vertex. */
static int fail_row(const struct flux_audit *audit, uint64_t i, uint32_t v, const char *fault)
{
    char name[FLUX_PRECEDENCE_NAME];
    return flux_fail_vertex(audit->error, FLUX_E_MISMATCH, v, "slot %" PRIu64 " is for %s, %s", i,
                            flux_precedence_name(audit->graph, v, name), fault);
}

/* Takes the rows in. */
static int take_slots(struct flux_audit *audit, const struct flux_slot *slots, uint64_t count)
{
    const struct flux_precedence *precedence = &audit->precedence;
    char name[FLUX_PRECEDENCE_NAME];
    for (uint64_t i = 0; i < count; i++) {
        uint32_t v = slots[i].send;
        if (v >= precedence->vertices)
            return flux_fail(audit->error, FLUX_E_MISMATCH,
                             "slot %" PRIu64 " is for send %" PRIu32 ", but the graph has only %" PRIu32 " vertices", i,
                             v, precedence->vertices);
        if (precedence->to[v] == FLUX_NONE)
            return fail_row(audit, i, v, "which is not a send: only sends have slots");
        if (audit->switch_of[v] != FLUX_NONE)
            return fail_row(audit, i, v, "which has one already: give one per send");
        if (slots[i].switch_index >= audit->switches)
            return flux_fail_vertex(audit->error, FLUX_E_MISMATCH, v,
                                    "%s is on switch %" PRIu32 ", but the fabric has switches 0 to %" PRIu32 " only",
                                    flux_precedence_name(audit->graph, v, name), slots[i].switch_index,
                                    audit->switches - 1);
        audit->switch_of[v] = slots[i].switch_index;
        audit->times[v] = (struct flux_time){slots[i].start, slots[i].end};
    }
    return FLUX_OK;
}

/* Can its switch carry it at all? */
static int check_switch(const struct flux_audit *audit, uint32_t v)
{
    uint32_t k = audit->switch_of[v], src = audit->precedence.at[v], dst = audit->precedence.to[v];
    char name[FLUX_PRECEDENCE_NAME];
    uint32_t dead_at_src = flux_fabric_dead(audit->fabric, src, k);
    if (dead_at_src || flux_fabric_dead(audit->fabric, dst, k))
        return flux_fail_vertex(audit->error, FLUX_E_MISMATCH, v,
                                "%s (%" PRIu32 " to %" PRIu32 ") is on switch %" PRIu32
                                ", where the port of GPU %" PRIu32 " is dead: move it to another switch",
                                flux_precedence_name(audit->graph, v, name), src, dst, k, dead_at_src ? src : dst);
    if (flux_fabric_is_forbidden(audit->fabric, k, src, dst))
        return flux_fail_vertex(audit->error, FLUX_E_MISMATCH, v,
                                "%s (%" PRIu32 " to %" PRIu32 ") is on switch %" PRIu32
                                ", where that circuit is forbidden: move it to another switch",
                                flux_precedence_name(audit->graph, v, name), src, dst, k);
    return FLUX_OK;
}

static int fail_overflow(const struct flux_audit *audit, uint32_t v)
{
    char name[FLUX_PRECEDENCE_NAME];
    return flux_fail_vertex(audit->error, FLUX_E_OVERFLOW, v, "%s would end beyond 2^62 ps",
                            flux_precedence_name(audit->graph, v, name));
}

/* Start, end and release of one send. */
static int check_times(const struct flux_audit *audit, uint32_t v)
{
    struct flux_send send;
    char name[FLUX_PRECEDENCE_NAME], start[FLUX_UNITS_TEXT], end[FLUX_UNITS_TEXT], right[FLUX_UNITS_TEXT],
        off[FLUX_UNITS_TEXT], took[FLUX_UNITS_TEXT];
    int64_t begins = audit->times[v].start, ends = audit->times[v].end;
    flux_graph_get_send(audit->graph, v, &send);
    int64_t duration = send.duration;
    int rc = duration
                 ? FLUX_OK
                 : flux_fabric_duration(audit->fabric, audit->switch_of[v], send.src, send.dst, send.bytes, &duration);
    if (begins < 0)
        return flux_fail_vertex(audit->error, FLUX_E_MISMATCH, v, "%s starts at %s, before time 0",
                                flux_precedence_name(audit->graph, v, name),
                                flux_time_format(begins, start, sizeof start));
    if (rc || begins > FLUX_TIME_MAX - duration)
        return fail_overflow(audit, v);
    if (ends != begins + duration) {
        int early = ends < begins + duration;
        uint64_t amount =
            early ? (uint64_t)(begins + duration) - (uint64_t)ends : (uint64_t)ends - (uint64_t)(begins + duration);
        return flux_fail_vertex(audit->error, FLUX_E_MISMATCH, v,
                                "%s ends at %s, %s too %s: it starts at %s and takes %s on switch %" PRIu32
                                ", so it ends at %s",
                                flux_precedence_name(audit->graph, v, name), flux_time_format(ends, end, sizeof end),
                                flux_time_format(amount > INT64_MAX ? INT64_MAX : (int64_t)amount, off, sizeof off),
                                early ? "early" : "late", flux_time_format(begins, start, sizeof start),
                                flux_time_format(duration, took, sizeof took), audit->switch_of[v],
                                flux_time_format(begins + duration, right, sizeof right));
    }
    if (begins < send.release)
        return flux_fail_vertex(audit->error, FLUX_E_MISMATCH, v, "%s starts at %s, %s before its release at %s",
                                flux_precedence_name(audit->graph, v, name),
                                flux_time_format(begins, start, sizeof start),
                                flux_time_format(send.release - begins, off, sizeof off),
                                flux_time_format(send.release, right, sizeof right));
    return FLUX_OK;
}

int flux_audit_slots(struct flux_audit *audit, const struct flux_slot *slots, uint64_t count)
{
    const struct flux_precedence *precedence = &audit->precedence;
    char name[FLUX_PRECEDENCE_NAME];
    audit->switch_of = flux_arena_alloc(&audit->arena, precedence->vertices, sizeof *audit->switch_of);
    audit->times = flux_arena_zero(&audit->arena, precedence->vertices, sizeof *audit->times);
    if (!audit->switch_of || !audit->times)
        return flux_fail_memory(audit->error);
    for (uint32_t v = 0; v < precedence->vertices; v++)
        audit->switch_of[v] = FLUX_NONE;
    int rc = take_slots(audit, slots, count);
    for (uint32_t v = 0; !rc && v < precedence->vertices; v++) {
        if (precedence->to[v] == FLUX_NONE)
            continue;
        if (audit->switch_of[v] == FLUX_NONE)
            return flux_fail_vertex(audit->error, FLUX_E_MISMATCH, v, "%s has no slot: give one per send",
                                    flux_precedence_name(audit->graph, v, name));
        rc = check_switch(audit, v);
        if (!rc)
            rc = check_times(audit, v);
    }
    return rc;
}
