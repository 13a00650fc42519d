/* SPDX-License-Identifier: Apache-2.0
 *
 * schedule/precedence.h - the edges of the user's graph in an order in which times can be summed. Reads the graph
 * through its public interface only; shared by what checks schedules and what checks certificates.
 */
#ifndef FLUX_SCHEDULE_PRECEDENCE_H
#define FLUX_SCHEDULE_PRECEDENCE_H

#include "base/memory.h"

#include <libflux/fabric.h>
#include <libflux/graph.h>

/* The other end of an edge. */
struct flux_successor {
    uint32_t vertex;
    uint32_t padding;
    int64_t lag;
};

struct flux_precedence {
    uint32_t vertices;
    uint32_t *at;    /* by vertex: a send's source, or the GPU of compute */
    uint32_t *to;    /* by vertex: a send's destination; FLUX_NONE for compute */
    uint32_t *order; /* of vertices: every edge leads forward */
    uint64_t *first; /* by vertex: its edges are successors[first[v]] .. successors[first[v + 1] - 1] */
    struct flux_successor *successors;
};

/* Everything lives in `arena`. Errors: CYCLE (one is named), MEMORY. */
int flux_precedence_read(const struct flux_graph *graph, struct flux_arena *arena, struct flux_precedence *precedence,
                         struct flux_error *error);

/* The propagation delay that the edge from `from` to `to` carries: that of the send `from`, where `to` is at another
 * GPU than the one it came from. */
int64_t flux_precedence_propagation(const struct flux_precedence *precedence, const struct flux_fabric *fabric,
                                    uint32_t from, uint32_t to);

#define FLUX_PRECEDENCE_NAME 96 /* bytes that always suffice */

/* `send "a12"`, `compute 7`: how messages name a vertex, by its label where there is one. Long labels are cut, control
 * characters replaced. Returns `text`. */
char *flux_precedence_name(const struct flux_graph *graph, uint32_t vertex, char text[FLUX_PRECEDENCE_NAME]);

#endif
