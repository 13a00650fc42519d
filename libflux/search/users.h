/* SPDX-License-Identifier: Apache-2.0
 *
 * search/users.h - the users of every port in their order, and for every node how early and how late it may start with
 * these orders kept and the makespan within a limit. Sends are taken out and put elsewhere one by one; the limit holds
 * all the while. For fabrics without stages.
 *
 * Both times are schedules of their own: `early` leaves every user where all before it are early, `late` where all
 * after it are late. After a change they are pushed as far as they must be, and no longer exact: early may be too late,
 * late too early; flux_users_settle() makes them exact. A port is what lanes that count for each other share
 * (search/lanes.h): under DUPLEX both directions of it, and the two directions of one circuit have no order.
 */
#ifndef FLUX_SEARCH_USERS_H
#define FLUX_SEARCH_USERS_H

#include "search/lanes.h"
#include "search/plan.h"

#define FLUX_USERS_NOBODY (FLUX_NONE - 1) /* a circuit: none was ever up */

/* An entry of a line: the node times two, and one more at the port of its destination. */
struct flux_user_line {
    uint32_t *entry;
    uint32_t count;
    uint32_t room;
    uint32_t initial; /* circuit that is up at 0; FLUX_USERS_NOBODY */
    uint32_t padding;
};

struct flux_users {
    const struct flux_problem *problem;
    struct flux_arena *arena;
    struct flux_lanes lanes;
    int64_t limit;               /* of the makespan */
    struct flux_user_line *line; /* by port */
    uint64_t ports;
    uint32_t *at;        /* by entry: its place in its line */
    uint32_t *switch_of; /* by node */
    int64_t *early;      /* by node */
    int64_t *late;
    uint32_t *order; /* of nodes, by early, when it was last settled */
    uint32_t *push;  /* a queue of nodes */
    uint8_t *pushed; /* 1: in it */
    uint64_t work;   /* nodes looked at */
};

/* A place for a send: a switch, and at both its ports how many users are before it. */
struct flux_seat {
    uint32_t k;
    uint32_t index[2];
};

/* The time of a node in one of the two schedules; by it nodes are in a topological order. */
struct flux_user_key {
    int64_t time;
    uint32_t node;
    uint32_t padding;
};

/* What the nodes before and after a send leave to it. */
struct flux_window {
    int64_t ready;                 /* it starts no earlier */
    int64_t due;                   /* it ends no later */
    struct flux_user_key after[2]; /* the last one before it, by early and by late */
    struct flux_user_key before[2];
};

/* Errors: MEMORY, also of those below. */
int flux_users_init(struct flux_users *users, const struct flux_problem *problem, struct flux_arena *arena);

/* Takes switches and orders from a plan, and settles. */
int flux_users_load(struct flux_users *users, const struct flux_plan *plan);

/* Makes both times exact. */
int flux_users_settle(struct flux_users *users);

/* Switches and early starts, measured. */
void flux_users_read(const struct flux_users *users, struct flux_plan *plan);

static inline uint64_t flux_users_port(const struct flux_users *users, uint32_t node, uint32_t side, uint32_t k)
{
    uint64_t lane = side ? flux_lane_target(&users->lanes, node) : flux_lane_source(&users->lanes, node);
    return flux_lane_on(&users->lanes, lane, k) >> users->lanes.watch;
}

static inline int64_t flux_users_duration(const struct flux_users *users, uint32_t node)
{
    uint32_t k = users->switch_of[node];
    return k == FLUX_NONE ? users->problem->duration[node] : flux_problem_duration(users->problem, node, k);
}

/* Where a send sits now. */
struct flux_seat flux_users_seat(const struct flux_users *users, uint32_t node);

/* Out of its seat, and into one whatever that means; times stay. */
void flux_users_take_out(struct flux_users *users, uint32_t node);
int flux_users_put_back(struct flux_users *users, uint32_t node, const struct flux_seat *seat);

/* Of a send that was taken out: what arcs leave to it, and, at a seat, the users there as well. 1 where it fits: within
 * the limit, and without a circle. */
struct flux_window flux_users_window(const struct flux_users *users, uint32_t node);
int flux_users_fits(const struct flux_users *users, uint32_t node, const struct flux_seat *seat,
                    const struct flux_window *by_arcs);

/* Puts it where it fits, and pushes the others. */
int flux_users_put(struct flux_users *users, uint32_t node, const struct flux_seat *seat);

/* How many users of a port come before `node` by early starts. */
uint32_t flux_users_place(const struct flux_users *users, uint64_t port, uint32_t node);

/* After a send was put where it starts at its early time: no later than that, and no one before it too late for it. */
void flux_users_pin(struct flux_users *users, uint32_t node);

/* The circuit before place `index` of a port; FLUX_USERS_NOBODY. */
static inline uint32_t flux_users_circuit(const struct flux_users *users, uint64_t port, uint32_t index)
{
    const struct flux_user_line *line = &users->line[port];
    return index ? users->problem->circuit[line->entry[index - 1] >> 1] : line->initial;
}

#endif
