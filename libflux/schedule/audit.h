/* SPDX-License-Identifier: Apache-2.0
 *
 * schedule/audit.h - one list of slots held against the user's graph and fabric, and what follows from it.
 *
 * Nothing here knows how schedules are searched for: graph and fabric are read through their public interface, and no
 * line is shared with the engines. The stages run in this order, and the first violation of the first stage that finds
 * one is what the caller is told:
 *
 *   1. graph and fabric: numbers of GPUs, a cycle of edges, initial circuits that compete (in the order given)
 *   2. slots, in the order given: a vertex that is not there or not a send, a second slot, a switch that is not there
 *   3. sends, by number: no slot, dead port, forbidden circuit, start before 0, end, release
 *   4. edges, by the vertex they leave (in topological order), then as added; compute runs as early as it can
 *   5. ports, by switch, then by start of the later send (ties by number)
 *   6. changes of circuits where the switch goes dark as a whole or has a dwell, by switch
 *
 * Stages 5 and 6 rest on this: consecutive users of a port far enough apart make all its users far enough apart, since
 * a send takes at least 1 ps and the separation is 0 or the delay.
 */
#ifndef FLUX_SCHEDULE_AUDIT_H
#define FLUX_SCHEDULE_AUDIT_H

#include "base/memory.h"
#include "schedule/precedence.h"
#include "schedule/radix.h"

#include <libflux/schedule.h>

/* One circuit's stay on the two ports it joins: from its first send until another circuit takes one of them. Under
 * DUPLEX the sends of both directions share it. */
struct flux_tenure {
    uint32_t switch_index;
    uint32_t src; /* of its first send */
    uint32_t dst;
    uint32_t sends;   /* 0: an initial circuit that nobody used */
    uint32_t first;   /* its first send */
    uint32_t last[2]; /* its last send from src to dst, and back; FLUX_NONE where there is none */
    uint16_t changed; /* 1: another circuit was on one of its ports before */
    uint16_t both;    /* 1: an initial circuit named in both directions */
    int64_t free;     /* where changed: the latest end of the other circuits that were on its ports */
    int64_t begin;    /* where changed: when the change begins (flux_audit_begins()) */
};

struct flux_audit {
    const struct flux_graph *graph;
    const struct flux_fabric *fabric;
    struct flux_error *error;
    struct flux_arena arena; /* owns everything below */
    struct flux_precedence precedence;
    uint32_t rule;
    uint32_t switches;
    uint32_t sends;
    uint32_t tenures;
    uint32_t *switch_of;     /* by vertex; FLUX_NONE for compute */
    struct flux_time *times; /* by vertex */
    int64_t makespan;
    uint32_t *by_switch;    /* sends by switch, then start, then number */
    uint32_t *switch_first; /* by switch: those of k are by_switch[switch_first[k]] .. [switch_first[k + 1] - 1] */
    struct flux_tenure *tenure;
    uint32_t *tenure_first;      /* by switch, as above: initial circuits first, then by start of the first send */
    struct flux_keyed *initials; /* the fabric's initial circuits by switch */
    uint64_t initial_count;
};

/* Runs all stages. Call flux_audit_end() whatever it returns. Neither graph nor fabric may be NULL.
 * Errors: ARGUMENT, CYCLE, MEMORY, MISMATCH, OVERFLOW. */
int flux_audit_run(struct flux_audit *audit, const struct flux_graph *graph, const struct flux_fabric *fabric,
                   const struct flux_slot *slots, uint64_t count, const struct flux_memory *memory,
                   struct flux_error *error);
void flux_audit_end(struct flux_audit *audit);

/* After a run without violation: when each change begins, as early as ports, blocking and dwell allow (where they
 * depend on each other: the earliest first begin, then the earliest second one, and so on). Errors: MEMORY. */
int flux_audit_begins(struct flux_audit *audit);

/* The stages after the first. Each returns 0 or what flux_audit_run() returns. */
int flux_audit_slots(struct flux_audit *audit, const struct flux_slot *slots, uint64_t count);
int flux_audit_edges(struct flux_audit *audit);
int flux_audit_ports(struct flux_audit *audit);
int flux_audit_changes(struct flux_audit *audit);

/* The last part of the first stage. */
int flux_audit_initials(struct flux_audit *audit);

/* When the last send of a tenure ends; 0 for an initial circuit that nobody used. */
int64_t flux_audit_tenure_end(const struct flux_audit *audit, const struct flux_tenure *tenure);

#endif
