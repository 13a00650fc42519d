/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/replan.h - an iteration that is under way, planned anew from where it stands. Stable.
 *
 *     flux_schedule_state(schedule, fabric, now, times, circuits, &count);     // or what really happened
 *     struct flux_replan_options options = FLUX_REPLAN_OPTIONS_INIT;
 *     options.now = now;
 *     options.times = times;
 *     options.time_count = flux_graph_vertices(graph);
 *     options.circuits = circuits;
 *     options.circuit_count = count;
 *     flux_fabric_set_dead(fabric, 3, 0, 1);                            // what is different from now on
 *     flux_replan(graph, fabric, slots, slot_count, &options, &replan, &error);
 *     slots = flux_replan_slots(replan, &slot_count);                   // what to do, and what was done
 *
 * What has begun stays as it is: sends that are done or under way, and circuits that are up or coming up. Everything
 * else may change its switch and its place. The old plan, right-shifted (the same switches, the same order at every
 * port, everything as early as it then can; a send whose switch is lost goes where it ends first), is the first
 * candidate: no result is worse than it.
 *
 * What is left is a problem of its own, and comes back as a graph, a fabric and a schedule of these, checked as by
 * flux_check() and with a lower bound. Its clock begins at flux_replan_summary.begin. Numbers of vertices are those of
 * the graph: one that is done is a compute without length; one under way takes what it still needs, and a send under
 * way starts at 0 on its switch. A circuit that is still coming up is one more send behind the vertices of the graph
 * (under DUPLEX two, one each way). A port whose circuit is gone, because the other end has another one, has a circuit
 * to a GPU of its own, number of GPUs + its GPU; these GPUs are there only where one is needed.
 */
#ifndef LIBFLUX_REPLAN_H
#define LIBFLUX_REPLAN_H

#include <libflux/simulate.h>

FLUX_BEGIN_DECLS

/* A circuit that is up, or whose ports are changing to it. Frozen. */
struct flux_circuit_state {
    uint32_t switch_index;
    uint32_t src;
    uint32_t dst;
    uint32_t changed; /* 1: its ports changed for it since the iteration began; else 0, and begin and up are 0 */
    int64_t begin;    /* of that change */
    int64_t up;       /* when it came up; later than now: it is still changing, and comes up then */
};

/* What a schedule of `fabric` has done by `now` if everything went as planned. `times` has room for every vertex of its
 * graph: those that began before `now` have their planned times, others start and end -1. `circuits` has room for the
 * rows of flux_schedule_circuits() and the fabric's initial circuits together; the first `circuit_count` of it are then
 * those that are up or changing. At time 0 nothing has begun, and no circuit was set up yet but the initial ones.
 * Errors: ARGUMENT, MEMORY. Since 0.1. */
FLUX_API int flux_schedule_state(const struct flux_schedule *schedule, const struct flux_fabric *fabric, int64_t now,
                                 struct flux_time *times, struct flux_circuit_state *circuits,
                                 uint64_t *circuit_count);

/* How things stand. All zero: nothing has begun. Grows at the end: start from FLUX_REPLAN_OPTIONS_INIT. */
struct flux_replan_options {
    uint64_t size;
    int64_t now; /* nothing else begins before it */
    /* By vertex (time_count = number of vertices, or NULL: nothing has begun): when it really ran. Start and end -1: it
     * has not begun, or is to be done again. An end after `now` is an expected one: it is under way. End -1 after a
     * start: under way, until its time from the graph is over, or just after `now` where that has passed. A send under
     * way or done ran on the switch of its slot. */
    const struct flux_time *times;
    uint64_t time_count;
    /* All circuits that are up or changing, but for those of sends under way, which need not be told. Those at ports
     * that are dead by now may be among them. NULL: at every port the one that was used last there, or an initial one. */
    const struct flux_circuit_state *circuits;
    uint64_t circuit_count;
    /* By GPU (factor_count = number of GPUs), or NULL: computes that have not begun take so much of their time,
     * rounded to the nearest ps. FLUX_PPM is as the graph says. */
    const uint32_t *factors_ppm;
    uint64_t factor_count;
    /* By vertex (release_count = number of vertices), or NULL: one that has not begun starts no earlier than this. */
    const int64_t *releases;
    uint64_t release_count;
    /* As in struct flux_options. The right shift, one plan in the old order and one from scratch are always finished;
     * without a limit a fixed amount of work follows, which takes some 10 to 50 ms where a gap stays. */
    uint64_t time_limit_ns;
    uint64_t work_limit;
    uint64_t seed;
    struct flux_cancel *cancel;
};

#define FLUX_REPLAN_OPTIONS_INIT { sizeof(struct flux_replan_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

struct flux_replan;

/* Plans what is left of `graph` on `fabric`, as both are from now on: times of computes, rates and dead ports may be
 * other ones than when `slots` (one per send, in any order) were planned. Initial circuits of the fabric count only
 * where options.circuits is NULL. Everything may be freed before the replan; memory comes from the graph's environment.
 * On a fabric where a switch stops as a whole or has a dwell, nothing begins before the changes under way there are up
 * and the dwell is over. `options` and `error` may be NULL.
 * Errors: ARGUMENT, ABI, CYCLE, INFEASIBLE (a send has no switch any more, named), OVERFLOW, TOO_BIG, MEMORY; MISMATCH
 * (numbers of GPUs differ; slots that are not those of this graph; facts that contradict each other, told: a vertex that
 * began before what it waits for was done, two sends or circuits on one port at once, a send under way on a dead port).
 * Since 0.1. */
FLUX_API int flux_replan(const struct flux_graph *graph, const struct flux_fabric *fabric,
                         const struct flux_slot *slots, uint64_t count, const struct flux_replan_options *options,
                         struct flux_replan **replan, struct flux_error *error);
FLUX_API void flux_replan_free(struct flux_replan *replan); /* NULL is fine */

/* The whole iteration on its own clock, by send and by vertex: what has begun as it was, everything else as planned
 * now. This is what the next replan takes as slots. Since 0.1. */
FLUX_API const struct flux_slot *flux_replan_slots(const struct flux_replan *replan, uint64_t *count);
FLUX_API const struct flux_time *flux_replan_times(const struct flux_replan *replan, uint64_t *count);

/* What is left, as a problem of its own, and its schedule: for flux_program_new() and everything else that takes these.
 * They live as long as the replan. Since 0.1. */
FLUX_API const struct flux_graph *flux_replan_graph(const struct flux_replan *replan);
FLUX_API const struct flux_fabric *flux_replan_fabric(const struct flux_replan *replan);
FLUX_API const struct flux_schedule *flux_replan_schedule(const struct flux_replan *replan);

#define FLUX_REPLAN_SHIFTED 0 /* nothing was better than the right shift */
#define FLUX_REPLAN_ORDER 1   /* sends in the old order, wherever they fit */
#define FLUX_REPLAN_SEARCH 2  /* a new order */

/* The caller sets `size`; no more than that is written. Times are on the iteration's own clock. Grows at the end. */
struct flux_replan_summary {
    uint64_t size;
    int64_t begin;    /* when the clock of the rest begins: now, or later where a switch stops as a whole or dwells */
    int64_t makespan; /* end of the iteration */
    int64_t shifted;  /* the same after a right shift of the old plan */
    int64_t bound;    /* no plan from here ends earlier */
    uint64_t done;    /* sends */
    uint64_t under_way;
    uint64_t left;
    uint64_t constructions;
    uint64_t elapsed_ns;
    uint32_t found;   /* FLUX_REPLAN_* */
    uint32_t stopped; /* FLUX_STOPPED_* */
};

#define FLUX_REPLAN_SUMMARY_INIT { sizeof(struct flux_replan_summary), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Errors: ARGUMENT, ABI. Since 0.1. */
FLUX_API int flux_replan_summary(const struct flux_replan *replan, struct flux_replan_summary *summary);

FLUX_END_DECLS
#endif
