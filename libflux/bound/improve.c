/* SPDX-License-Identifier: Apache-2.0
 *
 * bound/improve.c - flux_bound_improve(): dearer bounds for problems where a schedule does not meet the cheap ones.
 *
 * Heads and tails are lifted with more and more ancestors in sight, and all cheap bounds run again on the lifted times
 * after each round, until the gap is closed or the share of time, work or steps is used up.
 */
#include "bound/lift.h"
#include "bound/search.h"

#include <string.h>

/* Ancestors in sight, round by round. */
static const uint32_t reaches[] = {16, 64, 256, 1024, 4096};
#define REACHES (sizeof reaches / sizeof *reaches)

/* Steps (arcs looked at, sends summed) for any problem, and more for every node and arc: near-linear in all. */
#define STEPS_LEAST (UINT64_C(1) << 24)
#define STEPS_PER_ITEM 128u
#define STEPS_SOON (UINT64_C(1) << 20)
/* Share of what is left of the caller's limits on time and work: one in this many. */
#define SHARE 4u
#define STEPS_PER_WORK 16u

/* The times under which the best bound was found, and the sets of nodes whose times it needs. */
struct best {
    int64_t *time[2];
    struct flux_lift *lift[2];
    uint8_t *needed[2];
};

static int keep_alloc(const struct flux_problem *problem, struct flux_arena *arena, struct best *best)
{
    for (int i = 0; i < 2; i++) {
        best->time[i] = flux_arena_alloc(arena, problem->nodes, sizeof *best->time[i]);
        best->lift[i] = flux_arena_alloc(arena, problem->nodes, sizeof *best->lift[i]);
        best->needed[i] = flux_arena_zero(arena, problem->nodes, sizeof *best->needed[i]);
        if (!best->time[i] || !best->lift[i] || !best->needed[i])
            return FLUX_E_MEMORY;
    }
    return FLUX_OK;
}

static void keep(const struct flux_lifter *lifter, struct best *best)
{
    const struct flux_lift_times *times[2] = {&lifter->heads, &lifter->tails};
    for (int i = 0; i < 2; i++) {
        memcpy(best->time[i], times[i]->time, lifter->problem->nodes * sizeof *best->time[i]);
        memcpy(best->lift[i], times[i]->lift, lifter->problem->nodes * sizeof *best->lift[i]);
    }
}

static void set_limits(struct flux_lifter *lifter, int soon)
{
    const struct flux_problem *problem = lifter->problem;
    const struct flux_control *control = lifter->control;
    lifter->steps_limit = soon ? STEPS_SOON : STEPS_LEAST + STEPS_PER_ITEM * (problem->nodes + problem->arcs);
    lifter->steps_limit = flux_control_share_steps(control, SHARE, STEPS_PER_WORK, lifter->steps_limit);
    if (control->deadline_ns != UINT64_MAX)
        lifter->deadline_ns = flux_control_share_deadline(control, SHARE);
    lifter->spent = lifter->steps_limit == 0;
}

static uint32_t lifted_kind(uint32_t kind)
{
    return kind == FLUX_CERTIFICATE_PORT_LOAD    ? FLUX_CERTIFICATE_LIFTED_LOAD
           : kind == FLUX_CERTIFICATE_PORT_EDGES ? FLUX_CERTIFICATE_LIFTED_EDGES
           : kind == FLUX_CERTIFICATE_PORT_SHARE ? FLUX_CERTIFICATE_LIFTED_SHARE
                                                 : FLUX_CERTIFICATE_LIFTED_PATH;
}

/* Rounds of lifting; 1 in `better` where the bound rose, its times are then in `best`. */
static int rounds(struct flux_lifter *lifter, int64_t makespan, struct flux_arena *arena, struct best *best,
                  struct flux_bound_value *value, int *better)
{
    const struct flux_problem *problem = lifter->problem;
    struct flux_problem lifted = *problem;
    int rc = FLUX_OK;
    *better = 0;
    lifted.head = lifter->heads.time;
    lifted.tail = lifter->tails.time;
    for (uint64_t i = 0; i < REACHES && !rc && !lifter->spent && value->bound < makespan; i++) {
        int rose = flux_lift_all(lifter, 0, reaches[i]);
        rose |= flux_lift_all(lifter, 1, reaches[i]);
        struct flux_bound_value found = *value;
        if (rose)
            rc = flux_bound_raise_all(&lifted, &found);
        if (rose && !rc)
            rc = flux_bound_raise_shares(&lifted, makespan, arena, &found);
        if (!rc && found.bound > value->bound) {
            *value = found;
            value->kind = lifted_kind(found.kind);
            keep(lifter, best);
            *better = 1;
        }
        if (reaches[i] >= problem->nodes)
            break;
    }
    return rc;
}

/* ---- the lifts that the bound needs ---- */

/* Where the bound begins: all sends in its window, or the node with the longest path. */
static void need_window(const struct flux_problem *lifted, const struct flux_bound_value *value, struct best *best)
{
    if (value->kind == FLUX_CERTIFICATE_LIFTED_PATH) {
        uint32_t node = 0;
        while (node < lifted->nodes && lifted->head[node] + lifted->duration[node] + lifted->tail[node] != value->bound)
            node++;
        if (node < lifted->nodes)
            best->needed[0][node] = best->needed[1][node] = 1;
        return;
    }
    for (uint64_t i = 0; i < value->count; i++)
        best->needed[0][value->nodes[i]] = best->needed[1][value->nodes[i]] = 1;
    if (value->nodes)
        return;
    for (uint64_t i = lifted->touch_first[value->gpu]; i < lifted->touch_first[value->gpu + 1]; i++) {
        uint32_t node = lifted->touch[i];
        if (flux_bound_counts(lifted, value, node))
            best->needed[0][node] = best->needed[1][node] = 1;
    }
}

static int touches(const struct flux_problem *problem, const struct flux_lift *lift, uint32_t node)
{
    return (lift->side != FLUX_SIDE_RECEIVE && problem->src[node] == lift->gpu) ||
           (lift->side != FLUX_SIDE_TRANSMIT && problem->dst[node] == lift->gpu);
}

/* What the time of `node` comes from: one node before it on a path, or the sends of the window that lifted it. */
static void need_causes(struct flux_lifter *lifter, int tails, uint32_t node, uint8_t *needed)
{
    const struct flux_problem *problem = lifter->problem;
    const struct flux_lift_times *times = tails ? &lifter->tails : &lifter->heads;
    const struct flux_lift *lift = &times->lift[node];
    if (times->time[node] == (tails ? problem->tail : problem->head)[node])
        return;
    if (lift->vertex != FLUX_NONE) {
        flux_lift_walk(lifter, tails, node, UINT32_MAX, lift->edge);
        for (uint32_t i = 0; i < lifter->member_count; i++) {
            uint32_t member = lifter->member[i].node;
            if (lifter->lag[member] >= lift->lag && touches(problem, lift, member))
                needed[member] = 1;
        }
        return;
    }
    const uint64_t *first = tails ? problem->out_first : problem->in_first;
    const struct flux_arc *arcs = tails ? problem->out : problem->in;
    for (uint64_t i = first[node]; i < first[node + 1]; i++) {
        uint32_t next = arcs[i].node;
        if (times->time[next] + problem->duration[next] + arcs[i].lag == times->time[node]) {
            needed[next] = 1;
            return;
        }
    }
}

/* Every lift that the bound needs, as a list in which each follows those it builds on. */
static int list_lifts(struct flux_lifter *lifter, struct best *best, struct flux_arena *arena,
                      struct flux_lifted *lifted)
{
    uint32_t nodes = lifter->problem->nodes;
    lifted->lifts = flux_arena_alloc(arena, nodes, 2 * sizeof *lifted->lifts);
    if (!lifted->lifts)
        return FLUX_E_MEMORY;
    for (int tails = 0; tails < 2; tails++) {
        const struct flux_lift *lift = best->lift[tails];
        for (uint32_t i = 0; i < nodes; i++) {
            uint32_t node = tails ? i : nodes - 1 - i;
            if (best->needed[tails][node])
                need_causes(lifter, tails, node, best->needed[tails]);
        }
        for (uint32_t i = 0; i < nodes; i++) {
            uint32_t node = tails ? nodes - 1 - i : i;
            if (best->needed[tails][node] && lift[node].vertex != FLUX_NONE)
                lifted->lifts[lifted->count++] = lift[node];
        }
    }
    return FLUX_OK;
}

static int improve(struct flux_lifter *lifter, int soon, int64_t makespan, struct flux_arena *arena,
                   struct flux_bound_value *value)
{
    struct flux_bound_value found = *value;
    struct flux_lifted *lifted = flux_arena_zero(arena, 1, sizeof *lifted);
    struct flux_problem view = *lifter->problem;
    struct best best;
    int better, rc;
    if (!lifted || keep_alloc(lifter->problem, arena, &best))
        return FLUX_E_MEMORY;
    set_limits(lifter, soon);
    rc = rounds(lifter, makespan, arena, &best, &found, &better);
    if (rc || !better)
        return rc;
    view.head = lifted->head = best.time[0];
    view.tail = lifted->tail = best.time[1];
    lifted->last[0] = best.lift[0];
    lifted->last[1] = best.lift[1];
    need_window(&view, &found, &best);
    lifter->heads = (struct flux_lift_times){best.time[0], best.lift[0]};
    lifter->tails = (struct flux_lift_times){best.time[1], best.lift[1]};
    rc = list_lifts(lifter, &best, arena, lifted);
    if (rc)
        return rc;
    found.lifted = lifted;
    *value = found;
    return FLUX_OK;
}

static int list_some(struct flux_lifter *lifter, const uint32_t *nodes, uint64_t count, struct flux_arena *arena,
                     struct flux_lifted *some)
{
    struct best best = {{some->head, some->tail}, {some->last[0], some->last[1]}, {NULL, NULL}};
    for (int i = 0; i < 2; i++) {
        best.needed[i] = flux_arena_zero(arena, lifter->problem->nodes, sizeof *best.needed[i]);
        if (!best.needed[i])
            return FLUX_E_MEMORY;
    }
    for (uint64_t i = 0; i < count; i++)
        best.needed[0][nodes[i]] = best.needed[1][nodes[i]] = 1;
    lifter->heads = (struct flux_lift_times){best.time[0], best.lift[0]};
    lifter->tails = (struct flux_lift_times){best.time[1], best.lift[1]};
    return list_lifts(lifter, &best, arena, some);
}

int flux_bound_lifts_of(const struct flux_problem *problem, struct flux_control *control, const struct flux_lifted *all,
                        const uint32_t *nodes, uint64_t count, struct flux_arena *arena,
                        const struct flux_lifted **some)
{
    struct flux_lifted *fresh = flux_arena_zero(arena, 1, sizeof *fresh);
    struct flux_arena scratch;
    struct flux_lifter lifter;
    *some = NULL;
    if (!fresh)
        return FLUX_E_MEMORY;
    *fresh = *all;
    fresh->count = 0;
    flux_arena_init(&scratch, arena->memory);
    int rc = flux_lifter_make(problem, control, &scratch, &lifter);
    if (!rc)
        rc = list_some(&lifter, nodes, count, arena, fresh);
    flux_arena_free(&scratch);
    if (!rc)
        *some = fresh;
    return rc;
}

static int improve_with(const struct flux_problem *problem, struct flux_control *control, int soon, int64_t makespan,
                        struct flux_arena *arena, struct flux_bound_value *value)
{
    struct flux_arena scratch;
    struct flux_lifter lifter;
    if (value->bound >= makespan || problem->sends == 0 || control->stopped)
        return FLUX_OK;
    int rc = flux_bound_raise_shares(problem, makespan, arena, value);
    if (rc || value->bound >= makespan)
        return rc;
    flux_arena_init(&scratch, arena->memory);
    rc = flux_lifter_make(problem, control, &scratch, &lifter);
    if (!rc)
        rc = improve(&lifter, soon, makespan, arena, value);
    flux_arena_free(&scratch);
    return rc;
}

int flux_bound_improve_soon(const struct flux_problem *problem, struct flux_control *control, int64_t makespan,
                            struct flux_arena *arena, struct flux_bound_value *value)
{
    return improve_with(problem, control, 1, makespan, arena, value);
}

int flux_bound_improve(const struct flux_problem *problem, struct flux_control *control, int64_t makespan,
                       struct flux_arena *arena, struct flux_bound_value *value)
{
    return improve_with(problem, control, 0, makespan, arena, value);
}
