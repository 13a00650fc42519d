/* SPDX-License-Identifier: Apache-2.0
 *
 * bound/search.h - inside of flux_bound_find(): the bounds share one search, each raises its best value.
 *
 * A new bound is a file beside the others with one function here, and a place in the list of bound/bound.c: cheap ones
 * first, as dearer ones look only for what beats the best so far.
 */
#ifndef FLUX_BOUND_SEARCH_H
#define FLUX_BOUND_SEARCH_H

#include "base/wide.h"
#include "bound/bound.h"
#include "bound/port.h"
#include "bound/side.h"

struct flux_bound_search {
    const struct flux_problem *problem;
    struct flux_arena arena; /* freed when the search ends */
    struct flux_sides sides;
    struct flux_port port; /* the one being looked at */
    struct flux_bound_value best;
    uint64_t *shapes; /* of ports looked at, a hash table; 0: none */
    uint64_t shapes_room;
    uint64_t walk_sends;     /* sends of the ports that port load could not settle exactly */
    struct flux_arena *keep; /* what the best value points to lives there; NULL: cheap bounds, which point to nothing */
    int64_t enough;          /* dearer bounds need not go above this */
    uint64_t steps_limit;    /* of the port shares */
    struct counting *counting;
    int overflow; /* some bound is beyond FLUX_TIME_MAX: there is no schedule in range */
};

/* All of the cheap bounds on `problem`, whose heads and tails may have been lifted: raises `value` where one is larger.
 */
int flux_bound_raise_all(const struct flux_problem *problem, struct flux_bound_value *value);

/* The same for what comes before heads and tails are lifted any further, up to `enough`: bound/port_share.c. What
 * `value` then points to lives in `arena`. */
int flux_bound_raise_shares(const struct flux_problem *problem, int64_t enough, struct flux_arena *arena,
                            struct flux_bound_value *value);

/* Is the send `node`, which touches the GPU of `value`, one of those that its window counts? */
int flux_bound_counts(const struct flux_problem *problem, const struct flux_bound_value *value, uint32_t node);

/* B1: max(head + duration + tail), and the problem's floor. */
int flux_bound_critical_path(struct flux_bound_search *search);

/* B3 again for the ports where the load is not a sum over sends; within a limit on work. */
int flux_bound_walks(struct flux_bound_search *search);

/* Port shares, within a limit on steps. */
int flux_bound_port_shares(struct flux_bound_search *search);

/* Calls `look` for every side with every set of switches worth a look, until it fails. Returns what it returned. */
int flux_bound_each_port(struct flux_bound_search *search,
                         int (*look)(struct flux_bound_search *search, const struct flux_port *port));

/* B2 for all sends of `port`. */
void flux_bound_port_edges(struct flux_bound_search *search, const struct flux_port *port);

/* B3 for `port`, in O(n log n). Errors: MEMORY. */
int flux_bound_port_load(struct flux_bound_search *search, const struct flux_port *port);

/* Raises the best bound to that of the window (head, tail) of `port`, where it is better, by load or by edges. */
void flux_bound_try_window(struct flux_bound_search *search, const struct flux_port *port, int64_t head, int64_t tail);

/* `value` becomes the best bound where it is larger. */
void flux_bound_raise(struct flux_bound_search *search, const struct flux_port *port, uint32_t kind, int64_t head,
                      int64_t tail, flux_wide value);

#endif
