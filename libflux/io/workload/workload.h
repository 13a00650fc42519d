/* SPDX-License-Identifier: Apache-2.0
 *
 * io/workload/workload.h - programs of ranks to one graph of sends.
 *
 * A reader of traces, of GOAL files or of collective algorithms fills one list of nodes per rank: computes, sends,
 * receives, collectives over a group, and what each waits for inside its rank. From there on all formats share one way:
 *
 *   flux_io_rank_seal()       what waits for what, checked; the order in which the rank issues its nodes
 *   flux_io_workload_match()  the same collective on all members; each send with its receive
 *   flux_io_workload_graph()  size check, deadlock check, expansion to sends, the graph
 *
 * Time is in picoseconds, sizes in bytes of the wire (scaled already). Everything is deterministic.
 */
#ifndef FLUX_IO_WORKLOAD_WORKLOAD_H
#define FLUX_IO_WORKLOAD_WORKLOAD_H

#include "io/import.h"
#include "io/strings.h"
#include "io/workload/dag.h"
#include "io/workload/group.h"

/* What a node is. */
#define FLUX_IO_JOIN 0u /* takes no time */
#define FLUX_IO_COMPUTE 1u
#define FLUX_IO_SEND 2u
#define FLUX_IO_RECV 3u
#define FLUX_IO_COLLECTIVE 4u

/* What a collective does. A barrier only makes its members wait for each other; a broadcast comes from the group's first
 * member, and a reduce goes there. */
#define FLUX_IO_ALL_REDUCE 0u
#define FLUX_IO_ALL_GATHER 1u
#define FLUX_IO_REDUCE_SCATTER 2u
#define FLUX_IO_ALL_TO_ALL 3u
#define FLUX_IO_BARRIER 4u
#define FLUX_IO_BROADCAST 5u
#define FLUX_IO_REDUCE 6u
#define FLUX_IO_COLLECTIVE_KINDS 7u

/* A place in a file of lines. */
#define FLUX_IO_LINE(line, column) ((uint64_t)(line) << 20 | ((column) < 0xfffff ? (column) : 0xfffff))

#define FLUX_IO_SIZE_UNKNOWN UINT64_MAX /* of a receive that does not say */

struct flux_io_node {
    uint64_t id;     /* as in the file; unique within the rank */
    uint64_t place;  /* byte offset, or FLUX_IO_LINE(), in the file, for messages */
    uint64_t amount; /* bytes of a send, receive or collective (what one member brings); picoseconds of a compute */
    uint32_t name;   /* in workload->names; FLUX_NONE: it has none */
    uint32_t peer;   /* the other rank of a send or receive; the kind of a collective */
    uint32_t key;    /* the tag of a message; the group of a collective */
    uint16_t stream; /* of a compute: those of its rank with the same stream run one after another; 0: none does */
    uint8_t kind;
    uint8_t nic; /* of a message: which of its rank's network interfaces; below workload->nics */
};

/* One line of "child waits for the node called id" before it is resolved. */
struct flux_io_parent {
    uint64_t id;
    uint32_t child;
    uint32_t soft; /* 1: a hint that may be dropped (control dependencies) */
};

struct flux_io_rank {
    const char *path; /* of the rank's file, or of the only file; for messages */
    struct flux_io_node *nodes;
    uint64_t node_count;
    uint64_t node_capacity;
    struct flux_io_numbers ids;        /* id to index in `nodes`; gone after sealing */
    struct flux_io_parent *unresolved; /* in ascending order of child; gone after sealing */
    uint64_t unresolved_count;
    uint64_t unresolved_capacity;
    /* Set by sealing: the parents of node i are parents[first[i]] .. parents[first[i + 1] - 1]. */
    uint64_t *first;
    uint32_t *parents;
    uint32_t *order; /* all nodes: among those whose parents are done, the smallest id comes first */
    uint64_t soft_kept;
    uint64_t soft_dropped;
};

/* One collective of a group: the k-th of every member. */
struct flux_io_instance {
    uint64_t members; /* in workload->members: the node of each member, in the group's order */
    uint64_t bytes;
    uint32_t group;
    uint32_t occurrence; /* k */
    uint32_t kind;
    uint32_t reserved;
};

/* A send and its receive. */
struct flux_io_message {
    uint32_t src;
    uint32_t dst;
    uint32_t send; /* node of rank src */
    uint32_t recv; /* node of rank dst */
};

struct flux_io_workload {
    const struct flux_io_memory *memory;
    struct flux_import *import; /* takes warnings and notes */
    const char *path;           /* of the whole input, for messages */
    uint32_t rank_count;
    uint32_t replicated; /* 1: all entries of `ranks` are the same rank */
    uint32_t lines;      /* 1: places are lines and columns */
    uint32_t nics;       /* GPUs per rank, each with a network interface of its own; 1 unless a reader says otherwise */
    struct flux_io_rank **ranks;
    struct flux_io_strings names;
    struct flux_io_groups groups;
    /* Set by matching. */
    struct flux_io_instance *instances;
    uint64_t instance_count;
    uint32_t *members;
    uint64_t member_count;
    struct flux_io_message *messages;
    uint64_t message_count;
};

/* `memory`, `import` and `path` must outlive the workload. All ranks are empty. Errors: MEMORY, TOO_BIG. */
int flux_io_workload_init(struct flux_io_workload *workload, const struct flux_io_memory *memory,
                          struct flux_import *import, const char *path, uint32_t ranks, struct flux_error *error);
/* The same without any rank: flux_io_workload_add_rank() makes one, so that a small file that declares many ranks takes
 * little. All must be there before matching. */
int flux_io_workload_init_empty(struct flux_io_workload *workload, const struct flux_io_memory *memory,
                                struct flux_import *import, const char *path, uint32_t ranks, struct flux_error *error);
int flux_io_workload_add_rank(struct flux_io_workload *workload, uint32_t rank, struct flux_error *error);
void flux_io_workload_free(struct flux_io_workload *workload);

/* "PATH:LINE:COLUMN: what" or "PATH: byte OFFSET: what", of something that rank `rank` holds at `place`. */
int flux_io_workload_fail(const struct flux_io_workload *workload, uint32_t rank, uint64_t place,
                          struct flux_error *error, int code, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* Every rank becomes rank 0. Before matching. */
void flux_io_workload_replicate(struct flux_io_workload *workload);

/* Adds a node; FORMAT where its id is taken. `rank` is the number of the rank, for the message. */
int flux_io_rank_add(struct flux_io_workload *workload, uint32_t rank, const struct flux_io_node *node,
                     struct flux_error *error);
/* The node that was added last waits for the one called `id`, which may come later. */
int flux_io_rank_wait(struct flux_io_workload *workload, uint32_t rank, uint64_t id, uint32_t soft,
                      struct flux_error *error);

/* Resolves what waits for what and orders the rank. `deps` and `missing` are FLUX_DEPS_* and FLUX_MISSING_*: with
 * FLUX_DEPS_DATA soft parents are ignored; with DATA_CTRL they are parents like others; with AUTO those on missing
 * nodes and on the node itself are dropped, and all of the rank if what is left closes a cycle, each with a warning.
 * Errors: FORMAT (a parent that is not there, a node that waits for itself), CYCLE, MEMORY. */
int flux_io_rank_seal(struct flux_io_workload *workload, uint32_t rank, uint32_t deps, uint32_t missing,
                      struct flux_error *error);

/* Fills instances, members and messages. All ranks are sealed. Errors: FORMAT, MEMORY. */
int flux_io_workload_match(struct flux_io_workload *workload, struct flux_error *error);
int flux_io_match_collectives(struct flux_io_workload *workload, struct flux_error *error);
int flux_io_match_messages(struct flux_io_workload *workload, struct flux_error *error);

/* The GPU on which a rank's node lives. */
static inline uint32_t flux_io_node_gpu(const struct flux_io_workload *workload, uint32_t rank, uint32_t nic)
{
    return rank * workload->nics + nic;
}

/* "rank 3 node 747 (name)" for messages, into FLUX_IO_NODE_TEXT bytes. Returns `room`. */
char *flux_io_node_text(const struct flux_io_workload *workload, uint32_t rank, uint32_t node, char *room);

/* "all_reduce"; of a FLUX_IO_COLLECTIVE kind. */
const char *flux_io_collective_name(uint32_t kind);

#endif
