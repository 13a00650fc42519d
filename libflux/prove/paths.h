/* SPDX-License-Identifier: Apache-2.0
 *
 * prove/paths.h - the longest paths to and from every node, under what the search has decided, and why they are so long.
 *
 * An edge (u, v, weight) says that v starts at least `weight` after u starts; it is there while its literal is true.
 * Heads and tails follow every decision at once and go back with it. Where a path is longer than the makespan that is
 * asked for, or closes on itself, the literals of its edges are the reason (difference logic: Cotton and Maler, SAT
 * 2006). A prefix that the path has without any decision needs no reason, so reasons begin as late as they can.
 */
#ifndef FLUX_PROVE_PATHS_H
#define FLUX_PROVE_PATHS_H

#include "prove/clauses.h"

#define FLUX_NO_EDGE UINT32_MAX

struct flux_prove_edge {
    uint32_t from;
    uint32_t to;
    uint32_t literal;
    uint32_t next_of_literal; /* edges with the same literal */
    uint32_t next_out;        /* while it is there: others from the same node */
    uint32_t next_in;
    int64_t weight;
};

/* One end of the schedule: heads (from the begin) or tails (from the start of a node to the end). */
struct flux_lengths_side {
    int64_t *length; /* by node */
    int64_t *root;   /* at level 0, or under the assumption */
    uint32_t *last;  /* by node: the edge that gives the length, or FLUX_NO_EDGE */
    uint32_t *first; /* by node: edges that lead on */
    uint64_t *saved; /* by node: the call of flux_paths_follow() that noted its old length */
};

struct flux_path_change {
    uint32_t node;
    uint32_t side;
    uint32_t last;
    uint32_t padding;
    int64_t length;
};

struct flux_paths {
    struct flux_clauses *clauses;
    struct flux_arena *arena;
    uint32_t nodes; /* with two more, for the begin and the end of everything */
    uint32_t edges;
    uint32_t edge_capacity;
    int64_t limit; /* no schedule longer than this is looked for, while `limit_literal` is true */
    uint32_t limit_literal;
    struct flux_prove_edge *edge;
    uint32_t *of_literal; /* by literal: the first edge of it */
    struct flux_lengths_side side[2];
    struct flux_path_change *changes;
    uint32_t change_count;
    uint32_t change_capacity;
    uint32_t *there; /* edges, in the order in which they came */
    uint32_t there_count;
    uint32_t *change_mark; /* by level */
    uint32_t *there_mark;
    uint32_t level;
    uint32_t looked_at; /* of the trail */
    uint64_t follow;
    uint32_t *queue;
    uint8_t *queued;
    uint32_t *about; /* by literal: a node that it says something of besides edges, or FLUX_NO_EDGE */
    uint8_t *touched; /* by node: something is new about it since the last look at loads */
    uint8_t *moved; /* by node: its head or tail changed since the last look */
    /* Edges by the node they come from and go to, for what times forbid. */
    uint32_t *static_first[2];
    uint32_t *static_edge[2];
    uint32_t *because; /* literals collected */
    uint32_t because_count;
    uint32_t *stamp; /* by variable: collected already */
    uint32_t stamp_now;
    uint64_t steps;
};

#define FLUX_PATH_HEAD 0u
#define FLUX_PATH_TAIL 1u

/* Errors: MEMORY. */
int flux_paths_init(struct flux_paths *paths, struct flux_clauses *clauses, uint32_t nodes, uint32_t edge_capacity,
                    struct flux_arena *arena);
void flux_paths_add(struct flux_paths *paths, uint32_t from, uint32_t to, int64_t weight, uint32_t literal);
/* After the last edge. */
void flux_paths_index(struct flux_paths *paths);

/* Takes up what became true. 0, or 1 with clauses->conflict. Errors: MEMORY. */
int flux_paths_follow(struct flux_paths *paths);

/* Under a new limit: 0, or 1 with clauses->conflict. */
int flux_paths_too_long(struct flux_paths *paths);

/* Makes false what the times forbid. */
void flux_paths_forbid(struct flux_paths *paths);

void flux_paths_open(struct flux_paths *paths); /* a level */
void flux_paths_back(struct flux_paths *paths, uint32_t level);

/* What holds now, at level 0, holds always; or at level 1, while its assumption does, which every reason names. */
void flux_paths_root(struct flux_paths *paths);

/* Collects reasons, as literals that are false. flux_paths_because() adds why the head or tail of a node is at least
 * `need`; returns how much is explained, at least `need`. */
void flux_paths_begin_because(struct flux_paths *paths);
void flux_paths_note(struct flux_paths *paths, uint32_t literal); /* a true one */
int64_t flux_paths_because(struct flux_paths *paths, uint32_t side, uint32_t node, int64_t need);
int flux_paths_conflict(struct flux_paths *paths); /* what was collected is one; returns 1 */

#endif
