/* SPDX-License-Identifier: Apache-2.0
 *
 * io/document.h - a native document as it was written, with the place of everything that can only be judged at the
 * end: keys come in any order, so an edge may be read before its vertices and a GPU before the number of GPUs.
 *
 * native.c reads the top level; each part has a file that reads it and one function that turns it into objects.
 */
#ifndef FLUX_IO_DOCUMENT_H
#define FLUX_IO_DOCUMENT_H

#include "io/import.h"
#include "io/strings.h"
#include "io/yaml.h"

/* A vertex, send or compute (then src is FLUX_NONE and dst its GPU). `id` is an index of the document's ids. */
struct flux_io_vertex_row {
    uint32_t src;
    uint32_t dst;
    uint64_t bytes;
    int64_t duration;
    int64_t release;
    uint32_t id;
    struct flux_io_place place; /* of the GPUs */
    struct flux_io_place begin; /* of the row */
};

struct flux_io_edge_row {
    uint32_t from; /* ids */
    uint32_t to;
    int64_t lag;
    struct flux_io_place place;
};

struct flux_io_slot_row {
    uint32_t id;
    uint32_t switch_index;
    int64_t start;
    int64_t end;
    struct flux_io_place place;
};

/* An id in a certificate. */
struct flux_io_mention {
    uint32_t id;
    uint32_t send; /* 1: it must be a send */
    uint32_t lift; /* the lift that names it; FLUX_NONE: the certificate itself does */
    struct flux_io_place place;
};

/* One row of dead, forbidden, initial, port_rate or propagation: up to three indices and a value. */
struct flux_io_port_row {
    uint32_t index[3];
    struct flux_io_place place;
    uint64_t value;
};

struct flux_io_port_rows {
    struct flux_io_port_row *row;
    uint64_t count;
    uint64_t capacity;
};

/* What may be one value or a list of one per switch. */
struct flux_io_per_switch {
    uint64_t value[FLUX_SWITCHES_MAX];
    uint32_t count; /* 0: not given */
    uint32_t is_list;
    struct flux_io_place place;
};

struct flux_io_fabric_part {
    struct flux_io_place place; /* line 0: there is none */
    uint32_t gpus;              /* 0: not given */
    struct flux_io_place gpus_place;
    uint32_t switches;
    uint32_t rule;
    struct flux_io_per_switch rate;
    struct flux_io_per_switch delay;
    struct flux_io_per_switch blocking;
    struct flux_io_per_switch dwell;
    struct flux_io_port_rows dead;      /* gpu, switch */
    struct flux_io_port_rows forbidden; /* switch, src, dst */
    struct flux_io_port_rows initial;   /* switch, src, dst */
    struct flux_io_port_rows rates;     /* gpu, switch; value: bps */
    struct flux_io_port_rows pairs;     /* src, dst, either FLUX_ALL_GPUS; value: ps */
};

struct flux_io_document {
    const struct flux_io_memory *memory;
    struct flux_io_yaml *yaml;
    uint64_t vertices_max;

    struct flux_io_strings ids;
    uint32_t *vertex_of; /* by id; FLUX_NONE: nobody defined it */
    uint64_t vertex_of_capacity;

    struct flux_io_place workload; /* line 0: there is none */
    uint32_t gpus;
    struct flux_io_vertex_row *vertices;
    uint64_t vertex_count;
    uint64_t vertex_capacity;
    struct flux_io_edge_row *edges;
    uint64_t edge_count;
    uint64_t edge_capacity;

    struct flux_io_fabric_part fabric;

    struct flux_io_place schedule; /* line 0: there is none */
    struct flux_io_slot_row *slots;
    uint64_t slot_count;
    uint64_t slot_capacity;
    struct flux_io_mention *mentions;
    uint64_t mention_count;
    uint64_t mention_capacity;
    int64_t makespan; /* what the schedule says of itself; -1: nothing */
    int64_t bound;
    uint32_t status;            /* FLUX_OPTIMAL, FLUX_FEASIBLE, or 0 */
    uint32_t certificate_given; /* 1: there is one */
    struct flux_certificate_parts certificate;
    struct flux_lift *lifts;
    uint64_t lift_count;
    uint64_t lift_capacity;
    struct flux_io_place certificate_gpu_place;
};

/* The id that the reader stands on, as an index; in the first place a vertex has of being named. */
int flux_io_document_id(struct flux_io_document *document, const char *what, uint32_t *id);
/* The vertex of an id, or FORMAT at `place`. */
int flux_io_document_vertex(const struct flux_io_document *document, uint32_t id, struct flux_io_place place,
                            uint32_t *vertex);

/* A list [a, b] or [a, b, c]: enters it, moves from item to item, and leaves it. `what` is "an edge [from, to]". */
int flux_io_document_row_begin(struct flux_io_document *document, const char *what);
int flux_io_document_row_next(struct flux_io_document *document, const char *what);
int flux_io_document_row_end(struct flux_io_document *document, const char *what);

/* Each stands on the value of its key and reads it. */
int flux_io_document_workload(struct flux_io_document *document);
int flux_io_document_fabric(struct flux_io_document *document);
int flux_io_document_schedule(struct flux_io_document *document);
int flux_io_document_certificate(struct flux_io_document *document); /* of the schedule */
void flux_io_document_fabric_free(struct flux_io_document *document);

/* Then, all read: objects into `import`. `graph` is the one that the document is about, NULL: none. */
int flux_io_document_build_graph(struct flux_io_document *document, struct flux_import *import);
int flux_io_document_build_fabric(struct flux_io_document *document, struct flux_import *import,
                                  const struct flux_graph *graph);
int flux_io_document_build_slots(struct flux_io_document *document, struct flux_import *import,
                                 const struct flux_graph *graph);
int flux_io_document_build_certificate(struct flux_io_document *document, struct flux_import *import,
                                       const struct flux_graph *graph);
/* The send of an id, or FORMAT at `place`. */
int flux_io_document_send(const struct flux_io_document *document, const struct flux_graph *graph, uint32_t id,
                          struct flux_io_place place, uint32_t *vertex);

#endif
