/* SPDX-License-Identifier: Apache-2.0
 *
 * replan/standing.h - one call of flux_replan() under way: what is known about the iteration, and what follows.
 */
#ifndef FLUX_REPLAN_STANDING_H
#define FLUX_REPLAN_STANDING_H

#include "replan/holders.h"
#include "solve/solving.h"

#include <libflux/replan.h>

#define FLUX_STANDING_WAITS 0
#define FLUX_STANDING_RUNS 1
#define FLUX_STANDING_DONE 2

struct flux_standing {
    const struct flux_graph *graph;
    const struct flux_fabric *fabric;
    struct flux_replan_options options;
    struct flux_arena arena; /* owns everything below but the last three */
    struct flux_error *error;
    uint32_t vertices;
    uint32_t coming_count;
    int64_t begin;           /* when the clock of the rest begins */
    struct flux_slot *slots; /* by vertex; of compute `send` is FLUX_NONE */
    struct flux_time *times; /* by vertex, with expected ends; -1 where it has not begun */
    uint8_t *state;          /* by vertex: FLUX_STANDING_* at `begin` */
    struct flux_holders holders;
    struct flux_circuit_state *coming; /* circuits that are still changing at `begin` */
    struct flux_graph *rest;
    struct flux_fabric *rest_fabric;
    struct flux_certificate *certificate; /* of the rest */
};

/* Reads slots, times and circuits, holds them against each other, and sets everything but the last three. Errors:
 * ARGUMENT, CYCLE, MISMATCH, OVERFLOW, MEMORY. replan/facts.c */
int flux_standing_read(struct flux_standing *standing, const struct flux_slot *slots, uint64_t count);

/* The part about circuits; sets `begin`, `state` and `coming` too. replan/circuits.c */
int flux_standing_circuits(struct flux_standing *standing);

/* Can this switch carry the circuit at all? */
int flux_standing_carries(const struct flux_standing *standing, uint32_t k, uint32_t src, uint32_t dst);

/* How long a compute takes on its GPU as it is now, or a send on a switch; -1 beyond FLUX_TIME_MAX. */
int64_t flux_standing_duration(const struct flux_standing *standing, uint32_t vertex, uint32_t k);

/* Makes what is left: graph and fabric. Errors: ARGUMENT, OVERFLOW, TOO_BIG, MEMORY. replan/rest.c */
int flux_standing_rest(struct flux_standing *standing);

/* A bound of the rest with its certificate, and the best plan, from the old one on; `shifted` and `found` as in the summary, but on the clock of the
 * rest. Errors: as flux_schedule(). replan/search.c */
int flux_standing_search(struct flux_standing *standing, struct flux_solving *solving, int64_t *shifted,
                         uint32_t *found);

#endif
