/* SPDX-License-Identifier: Apache-2.0
 *
 * search/ports.h - the last user of every lane: all that is needed where sends are only ever appended.
 */
#ifndef FLUX_SEARCH_PORTS_H
#define FLUX_SEARCH_PORTS_H

#include "search/lanes.h"

struct flux_port {
    int64_t end;   /* of the last user; FLUX_PORT_FRESH where there was none */
    int64_t other; /* of the last user with another circuit than that one's */
    uint32_t circuit;
    uint32_t padding;
};

/* Far enough in the past that no separation reaches time 0. */
#define FLUX_PORT_FRESH (-FLUX_TIME_MAX)
#define FLUX_PORT_NO_CIRCUIT (FLUX_NONE - 1)

struct flux_ports {
    const struct flux_lanes *lanes;
    struct flux_port *port; /* by lane */
};

/* Errors: MEMORY. */
int flux_ports_init(struct flux_ports *ports, const struct flux_lanes *lanes, struct flux_arena *arena);

/* Back to time 0: nothing but the initial circuits. */
void flux_ports_reset(struct flux_ports *ports);

/* The earliest start at or after `ready` of a send of `circuit` on these two lanes, after everything that it competes
 * with there. */
static inline int64_t flux_ports_earliest(const struct flux_ports *ports, uint64_t source, uint64_t target,
                                          uint32_t circuit, int64_t delay, int64_t ready)
{
    const uint64_t lane[2] = {source, target};
    for (int i = 0; i < 2; i++) {
        const struct flux_port *port = &ports->port[lane[i]];
        int64_t free = port->end + (port->circuit == circuit ? 0 : delay);
        ready = free > ready ? free : ready;
        if (ports->lanes->watch) {
            port = &ports->port[flux_lane_opposite(lane[i])];
            free = (port->circuit == circuit ? port->other : port->end) + delay;
            ready = free > ready ? free : ready;
        }
    }
    return ready;
}

/* The last user of the whole port of a lane: with opposite lanes that count, the later one of both. */
static inline const struct flux_port *flux_ports_last(const struct flux_ports *ports, uint64_t lane)
{
    const struct flux_port *port = &ports->port[lane];
    if (!ports->lanes->watch)
        return port;
    const struct flux_port *opposite = &ports->port[flux_lane_opposite(lane)];
    return opposite->end > port->end ? opposite : port;
}

/* A user of `lane` that ends at `end`, after all before it. */
static inline void flux_ports_take(struct flux_ports *ports, uint64_t lane, uint32_t circuit, int64_t end)
{
    struct flux_port *port = &ports->port[lane];
    if (port->circuit != circuit) {
        port->other = port->end;
        port->circuit = circuit;
    }
    port->end = end;
}

/* Where a send goes. */
struct flux_appended {
    int64_t start;
    int64_t end;
    uint32_t k;
    uint32_t padding;
};

#define FLUX_APPEND_ENDS_FIRST 0   /* of several switches the one where it ends first */
#define FLUX_APPEND_STARTS_FIRST 1 /* the one where it starts first, then ends first */

/* Chooses a switch for `node` by one of these, then where it changes fewest circuits, then by number. */
void flux_ports_choose(const struct flux_ports *ports, uint32_t node, int64_t ready, int by,
                       struct flux_appended *best);

void flux_ports_append(struct flux_ports *ports, uint32_t node, const struct flux_appended *place);

#endif
