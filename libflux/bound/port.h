/* SPDX-License-Identifier: Apache-2.0
 *
 * bound/port.h - the sends of one side of a GPU that share a set of links, laid out for windows of heads and tails.
 */
#ifndef FLUX_BOUND_PORT_H
#define FLUX_BOUND_PORT_H

#include "base/wide.h"
#include "bound/side.h"

/* How many sets of switches are tried per side at most. */
#define FLUX_PORT_SETS 16u

struct flux_port {
    uint32_t gpu;
    uint32_t side;     /* FLUX_SIDE_* */
    uint32_t count;    /* sends */
    uint32_t links;    /* how many switches `switches` has */
    uint32_t circuits; /* distinct circuits of the sends */
    int both_ways;     /* DUPLEX, and some circuit has sends in both directions: the load is not a sum over sends */
    int64_t delay;     /* the least one among `switches` */
    int64_t longest;   /* max(head + tail) over the sends */
    flux_wide busy;    /* sum of durations */
    int fits;          /* sums over windows, times the links, stay below 2^60 */
    const uint64_t *switches;

    /* By position: largest head first. */
    uint32_t *node;
    int64_t *head;
    int64_t *tail;
    int64_t *duration;
    uint32_t *circuit; /* 0 .. circuits - 1 */
    uint8_t *inward;   /* 1: towards this GPU; matters under DUPLEX only */

    uint32_t *by_tail; /* positions, largest tail first */

    /* Scratch. */
    uint64_t *sets;     /* FLUX_PORT_SETS sets of switches */
    uint32_t *position; /* by node */
    uint32_t *number;   /* by the problem's circuit: its number here, FLUX_NONE between ports */
    uint64_t *met;      /* by set: the visit that met it last */
    uint64_t visit;     /* counts calls of flux_port_sets() */
    uint64_t *either;   /* one set of switches */
    uint64_t *shape;    /* by circuit here */
    int64_t *way[2];    /* by circuit here: durations out and in */
};

/* What the sends of a window put on the links. */
struct flux_load {
    flux_wide load;  /* P of docs/certificates.md */
    flux_wide heads; /* sum of the `links` smallest heads; 0 where there are fewer sends */
    flux_wide tails;
    int64_t delay;
    uint32_t sends;
    uint32_t circuits;
    uint32_t links;
    uint32_t padding;
};

/* Room for any port of `problem`. 0 or FLUX_E_MEMORY. */
int flux_port_alloc(const struct flux_problem *problem, const struct flux_sides *sides, struct flux_arena *arena,
                    struct flux_port *port);

/* The sets of switches worth a look at a side, into port->sets; returns how many. The first is that of all its sends.
 * The others are those of single sends and unions of such, at most `limit` in all: sends that fit into a smaller set
 * have fewer links to share. */
uint32_t flux_port_sets(const struct flux_sides *sides, uint32_t side, uint32_t limit, struct flux_port *port);

/* Lays out the sends of `side` that no switch outside port->sets[set] can carry. */
void flux_port_fill(const struct flux_problem *problem, const struct flux_sides *sides, uint32_t side, uint32_t set,
                    struct flux_port *port);

/* A number that is equal for ports whose circuits have sends with the same heads, tails, durations and switches, in
 * whatever order: then all windows have the same worth. */
uint64_t flux_port_shape(const struct flux_sides *sides, const struct flux_port *port);

/* Measures the window of heads >= `head` and tails >= `tail`. */
void flux_port_measure(const struct flux_problem *problem, const struct flux_sides *sides, const struct flux_port *port,
                       int64_t head, int64_t tail, struct flux_load *load);

/* Can a window of the port be worth more than `bound`? Every window has a + b of at most head + tail of its sends. */
int flux_port_promising(const struct flux_port *port, int64_t bound);

/* What the setups of `circuits` on `links` cost at least. */
static inline flux_wide flux_setup_time(uint32_t circuits, uint32_t links, int64_t delay)
{
    return circuits > links ? (flux_wide)(circuits - links) * delay : 0;
}

#endif
