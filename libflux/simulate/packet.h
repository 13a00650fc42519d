/* SPDX-License-Identifier: Apache-2.0
 *
 * simulate/packet.h - inside of a packet fabric: sends that are under way as fluids, and how they share ports.
 *
 * A port is one direction of one GPU on one plane: egress of GPU g on plane p is g * planes + p, its ingress
 * (GPUs + g) * planes + p. Rates are bit/s. Work is bits times 10^12, so that rate times picoseconds is work.
 */
#ifndef FLUX_SIMULATE_PACKET_H
#define FLUX_SIMULATE_PACKET_H

#include "base/wide.h"
#include "simulate/replay.h"

/* A place in the list of the sends of a port: 2 * send for its egress, 2 * send + 1 for its ingress. */
struct flux_packet_link {
    uint32_t before;
    uint32_t next;
};

struct flux_packet {
    uint32_t planes; /* that sends are spread over one by one: 1 where every send uses all */
    uint32_t ports;
    uint64_t *capacity; /* by port */
    uint32_t *port;     /* by link: 2 * v of its source, 2 * v + 1 of its destination */
    flux_wide *work;    /* by vertex */

    /* In a run. By port: */
    uint32_t *first; /* of its links; FLUX_NONE */
    uint32_t *sends; /* how many, in a sharing: that have no share yet */
    uint64_t *room;  /* in a sharing: rate that is left */
    uint32_t *stamp; /* in a sharing: its number, where the port takes part */
    /* By link and by vertex: */
    struct flux_packet_link *link;
    uint64_t *rate;   /* now; 0 where there is no share yet */
    uint64_t *share;  /* in a sharing */
    uint32_t *shared; /* the number of the last sharing that gave it a share */
    flux_wide *rest;  /* of its work, at `since` */
    int64_t *since;
    int64_t *finish; /* as things are; INT64_MAX: beyond what can be counted */
    /* Sends under way, the first to finish first, then by rank. */
    uint32_t *heap;
    uint32_t *place; /* by vertex */
    uint32_t heap_count;
    uint32_t sharing; /* number of the last sharing */
    /* Ports where sends began or ended since, then all that these are connected with; then those that still share. */
    uint32_t *touched;
    uint32_t touched_count;
    uint32_t least_count;
    uint32_t *least; /* of them: whose shares are smallest */
};

/* Gives every send that is connected with a touched port its rate, and nothing is touched any more. */
void flux_packet_share(struct flux_replay *replay, int64_t time);

void flux_packet_touch(struct flux_packet *packet, uint32_t port);

/* The send has another rate from `time` on: when it will finish. */
void flux_packet_set_rate(struct flux_replay *replay, uint32_t v, uint64_t rate, int64_t time);

/* Runs it: fills times and ready. Errors: OVERFLOW. */
int flux_packet_run(struct flux_replay *replay, struct flux_replay_result *result, struct flux_error *error);

/* Parts per million of the rate of all ports that the run used. */
uint32_t flux_packet_use(const struct flux_replay *replay, int64_t iteration);

#endif
