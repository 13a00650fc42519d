/* SPDX-License-Identifier: Apache-2.0
 *
 * io/timeline.h - a schedule made ready for drawing: per port what happens in order, per vertex what it waited for, and
 * the critical path. It sees graph, fabric and schedule through their public accessors, as any caller does.
 */
#ifndef FLUX_IO_TIMELINE_H
#define FLUX_IO_TIMELINE_H

#include "io/memory.h"

#include <libflux/flux.h>

struct flux_io_timeline_vertex {
    int64_t start;
    int64_t end;
    int64_t ready;         /* release and predecessors are done; at most `start` */
    uint64_t bytes;        /* 0 for compute */
    uint32_t gpu;          /* source of a send, place of a compute */
    uint32_t peer;         /* destination of a send; FLUX_NONE for compute */
    uint32_t switch_index; /* FLUX_NONE for compute */
    uint32_t cause;        /* the predecessor that was the last to make it ready; FLUX_NONE where its release was */
};

/* What occupies a port for a while. */
#define FLUX_TIMELINE_TRANSFER 0
#define FLUX_TIMELINE_CHANGE 1

struct flux_io_timeline_use {
    int64_t start;
    int64_t end;
    uint32_t switch_index;
    uint32_t gpu;
    uint32_t peer;  /* the GPU at the other end of the circuit; of a change, of the new one */
    uint32_t index; /* vertex of a transfer; row of flux_schedule_circuits() of a change */
    uint64_t run;   /* the first of the transfers to one peer that follow each other on this side of the port */
    uint8_t kind;   /* FLUX_TIMELINE_TRANSFER or _CHANGE */
    uint8_t sent;   /* 1: the port's GPU is the source */
    uint8_t side;   /* FLUX_TIMELINE_OUT or _IN where a port has two sides, else 0 */
    uint8_t reserved[5];
};

/* A port that carries something. Under PAPER it has one side for both directions; under DUPLEX and SIMPLEX transmitter
 * and receiver are apart, since both can be busy at once. */
#define FLUX_TIMELINE_OUT 0
#define FLUX_TIMELINE_IN 1

struct flux_io_timeline_port {
    uint32_t switch_index;
    uint32_t gpu;
    uint32_t side;
    uint32_t reserved;
    uint64_t first; /* in flux_io_timeline.uses */
    uint64_t count;
};

/* How a vertex of the critical path waited for the one before it. */
#define FLUX_STEP_FIRST 0   /* it is the first: starts at 0 or waits for nothing that is scheduled */
#define FLUX_STEP_RELEASE 1 /* the first: starts at its release */
#define FLUX_STEP_INITIAL 2 /* the first: an initial circuit had to go */
#define FLUX_STEP_EDGE 3    /* a dependency */
#define FLUX_STEP_PORT 4    /* the same circuit was busy */
#define FLUX_STEP_CHANGE 5  /* its port changed from the other's circuit */
#define FLUX_STEP_SWITCH 6  /* the whole switch had to be idle for a change */
#define FLUX_STEP_SLACK 7   /* the latest of its constraints, but there is time between: nothing tight was found */

struct flux_io_timeline_step {
    uint32_t vertex;
    uint32_t why;
};

struct flux_io_timeline {
    struct flux_io_memory memory;
    const struct flux_graph *graph;
    const struct flux_fabric *fabric;
    const struct flux_schedule *schedule;
    const struct flux_circuit *circuits;
    uint64_t circuit_count;
    int64_t makespan;
    uint32_t gpus;
    uint32_t switches;
    uint32_t rule;
    uint32_t sides; /* 1 or 2 per port */
    uint32_t vertex_count;
    uint32_t send_count;
    struct flux_io_timeline_vertex *vertices;
    struct flux_io_timeline_use *uses; /* by switch, GPU, side, start */
    uint64_t use_count;
    struct flux_io_timeline_port *ports; /* the same order */
    uint64_t port_count;
    uint32_t *sends; /* the sends, by source, start, number */
    uint64_t sends_placed;
    uint32_t *computes; /* the computes that take time, by GPU, start, number */
    uint64_t compute_count;
    struct flux_io_timeline_step *path; /* the critical path, in order of time */
    uint64_t path_count;
    uint8_t *on_path; /* by vertex */
};

/* Errors: ARGUMENT (NULL), MEMORY, MISMATCH (the three do not belong together). On error there is nothing to free. */
int flux_io_timeline_make(struct flux_io_timeline *line, const struct flux_graph *graph,
                          const struct flux_fabric *fabric, const struct flux_schedule *schedule,
                          struct flux_error *error);
void flux_io_timeline_free(struct flux_io_timeline *line);

/* Index of a port, or UINT64_MAX where it carries nothing. */
uint64_t flux_io_timeline_find_port(const struct flux_io_timeline *line, uint32_t switch_index, uint32_t gpu,
                                    uint32_t side);

/* Fills path and on_path; a step of flux_io_timeline_make(). From the vertex that ends last backwards, each time to a
 * constraint that holds with equality: a dependency, the same port, the whole switch. 0 or FLUX_E_MEMORY. */
int flux_io_timeline_trace(struct flux_io_timeline *line);

#endif
