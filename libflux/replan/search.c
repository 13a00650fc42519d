/* SPDX-License-Identifier: Apache-2.0
 *
 * replan/search.c - the best plan of what is left: the old one shifted to the right, its order anew, and orders of
 * ours.
 *
 * What is under way has its switch, and must start at 0. It waits for nothing and its circuit is up, so a plan that
 * puts it first in the order of every port does; any plan can be made to, by one left shift.
 */
#include "base/fail.h"
#include "replan/standing.h"
#include "search/construct.h"
#include "search/crew.h"
#include "search/improve.h"
#include "search/ports.h"
#include "search/run.h"
#include "search/staged.h"

#include <string.h>

#define FIRST (-FLUX_TIME_MAX)
/* Nodes placed, where nothing limits them. */
#define WORK_MOST (UINT64_C(3) << 15)
#define WORK_PER_NODE 256u
/* The same for the dearer bounds, which get a share of it. */
#define BOUND_WORK (UINT64_C(1) << 16)

struct searching {
    const struct flux_standing *standing;
    struct flux_solving *solving;
    const struct flux_problem *problem;
    uint8_t *fixed;      /* by node: it is under way */
    int64_t *durations;  /* of the problem as anybody sees it */
    int64_t *pinned;     /* the same with one switch alone for what is under way */
    int64_t *old_start;  /* by node; joins come as soon as they can */
    int64_t *late_start; /* by node: minus the time from its start to the end of everything */
    struct flux_plan next;
    uint32_t *found;
    uint32_t under_way; /* nodes that are fixed */
    uint32_t limited;   /* 1: the caller sets limits */
};

/* Times by switch in which the sends that are under way have no switch but their own, for the engines alone. */
static int find_pinned(struct searching *searching)
{
    const struct flux_problem *problem = searching->problem;
    const struct flux_standing *standing = searching->standing;
    struct flux_arena *arena = &searching->solving->arena;
    uint64_t s = problem->switches;
    searching->fixed = flux_arena_zero(arena, problem->nodes, 1);
    searching->durations = problem->durations;
    searching->pinned = flux_arena_alloc(arena, problem->nodes, s * sizeof *searching->pinned);
    if (!searching->fixed || !searching->pinned)
        return FLUX_E_MEMORY;
    for (uint32_t node = 0; node < problem->nodes; node++) {
        uint32_t v = problem->vertex[node], k = FLUX_NONE;
        if (flux_problem_is_send(problem, node) && v >= standing->vertices)
            k = standing->coming[v - standing->vertices].switch_index;
        else if (flux_problem_is_send(problem, node) && standing->state[v] == FLUX_STANDING_RUNS)
            k = standing->slots[v].switch_index;
        searching->fixed[node] = k != FLUX_NONE;
        searching->under_way += k != FLUX_NONE;
        for (uint32_t other = 0; other < s; other++)
            searching->pinned[node * s + other] =
                k == FLUX_NONE || k == other ? flux_problem_duration(problem, node, other) : -1;
    }
    return FLUX_OK;
}

/* Engines that plan see what is under way on its switch; bounds and certificates are of the problem as anybody sees it.
 */
static void pin(struct searching *searching, int pinned)
{
    if ((searching->under_way || !searching->limited) && searching->problem->switches > 1)
        searching->solving->problem->durations = pinned ? searching->pinned : searching->durations;
}

static int set_priorities(struct searching *searching)
{
    const struct flux_problem *problem = searching->problem;
    const struct flux_standing *standing = searching->standing;
    struct flux_arena *arena = &searching->solving->arena;
    searching->old_start = flux_arena_alloc(arena, problem->nodes, sizeof *searching->old_start);
    searching->late_start = flux_arena_alloc(arena, problem->nodes, sizeof *searching->late_start);
    if (!searching->old_start || !searching->late_start)
        return FLUX_E_MEMORY;
    for (uint32_t node = 0; node < problem->nodes; node++) {
        int is_first = searching->fixed[node] || !flux_problem_is_send(problem, node);
        searching->old_start[node] = is_first ? FIRST : standing->slots[problem->vertex[node]].start;
        searching->late_start[node] = searching->fixed[node] ? FIRST : -problem->duration[node] - problem->tail[node];
    }
    return flux_plan_alloc(&searching->next, problem, arena);
}

/* Every send in the old order behind what is on its ports: on its old switch, or where it ends first if that is lost.
 */
static int append_in_order(struct searching *searching, const uint32_t *order, struct flux_plan *plan,
                           struct flux_arena *scratch)
{
    const struct flux_problem *problem = searching->problem;
    const struct flux_direction forward = flux_direction_of(problem, 0);
    int64_t *end = flux_arena_alloc(scratch, problem->nodes, sizeof *end);
    struct flux_lanes lanes;
    struct flux_ports ports;
    if (!end || flux_lanes_init(&lanes, problem, scratch) || flux_ports_init(&ports, &lanes, scratch))
        return FLUX_E_MEMORY;
    for (uint32_t i = 0; i < problem->nodes; i++) {
        uint32_t node = order[i], v = problem->vertex[node];
        struct flux_appended place = {flux_run_ready(&forward, end, node), 0, FLUX_NONE, 0};
        int64_t ready = place.start, duration = problem->duration[node];
        if (flux_problem_is_send(problem, node)) {
            uint32_t k = searching->fixed[node] ? FLUX_NONE : searching->standing->slots[v].switch_index;
            duration = k == FLUX_NONE ? -1 : flux_problem_duration(problem, node, k);
            if (duration < 0)
                flux_ports_choose(&ports, node, ready, FLUX_APPEND_ENDS_FIRST, &place);
            else
                place = (struct flux_appended){
                    flux_ports_earliest(&ports, flux_lane_on(&lanes, flux_lane_source(&lanes, node), k),
                                        flux_lane_on(&lanes, flux_lane_target(&lanes, node), k), problem->circuit[node],
                                        problem->delay[k], ready),
                    0, k, 0};
            duration = flux_problem_duration(problem, node, place.k);
            place.end = place.start + duration;
            flux_ports_append(&ports, node, &place);
        }
        plan->switch_of[node] = place.k;
        plan->start[node] = place.start;
        end[node] = place.start + duration;
    }
    return FLUX_OK;
}

static int shift_old(struct searching *searching, struct flux_arena *scratch)
{
    const struct flux_problem *problem = searching->problem;
    const struct flux_direction forward = flux_direction_of(problem, 0);
    uint32_t *order = flux_arena_alloc(scratch, problem->nodes, sizeof *order);
    if (!order)
        return FLUX_E_MEMORY;
    int rc = flux_sequence_make(problem, &forward, searching->old_start, 0, order, scratch);
    if (!rc)
        rc = append_in_order(searching, order, &searching->next, scratch);
    if (!rc && problem->staged) {
        struct flux_run run = {.problem = problem, .arena = scratch, .finish = 1};
        rc = flux_run_staged(&run, order, 1, &searching->next);
    }
    if (!rc)
        flux_plan_measure(&searching->next, problem);
    return rc;
}

/* Makes what is under way start at 0, on the switch that it is on anyway. */
static int put_first(struct searching *searching, struct flux_arena *scratch)
{
    const struct flux_problem *problem = searching->problem;
    struct flux_plan *plan = &searching->next;
    int late = 0;
    for (uint32_t node = 0; node < problem->nodes; node++)
        if (searching->fixed[node] && plan->start[node] > 0) {
            plan->start[node] = -1;
            late = 1;
        }
    if (!late)
        return FLUX_OK;
    for (uint32_t node = 0; node < problem->nodes; node++)
        if (searching->fixed[node])
            plan->start[node] = -1;
    if (!problem->staged)
        return flux_plan_shift(plan, problem, scratch);
    uint32_t *order = flux_arena_alloc(scratch, problem->nodes, sizeof *order);
    if (!order)
        return FLUX_E_MEMORY;
    for (uint32_t node = 0; node < problem->nodes; node++)
        order[node] = node;
    int rc = flux_sequence_sort(order, problem->nodes, plan->start, scratch);
    struct flux_run run = {.problem = problem, .arena = scratch, .finish = 1};
    if (!rc)
        rc = flux_run_staged(&run, order, 1, plan);
    if (!rc)
        flux_plan_measure(plan, problem);
    return rc;
}

/* Is `next` better than the best? */
static int consider(struct searching *searching, uint32_t found, uint32_t rule)
{
    struct flux_solving *solving = searching->solving;
    struct flux_arena scratch;
    flux_arena_init(&scratch, &solving->memory);
    int rc = put_first(searching, &scratch);
    flux_arena_free(&scratch);
    if (rc)
        return rc;
    solving->statistics.constructions++;
    if (solving->plan.makespan >= 0 && searching->next.makespan >= solving->plan.makespan)
        return FLUX_OK;
    flux_plan_copy(&solving->plan, &searching->next, searching->problem);
    solving->control.makespan = solving->plan.makespan;
    solving->statistics.rule = rule;
    *searching->found = found;
    return FLUX_OK;
}

static int try_order(struct searching *searching, const int64_t *priority, uint32_t found)
{
    struct flux_solving *solving = searching->solving;
    int rc = flux_construct_by_priority(searching->problem, priority, &searching->next);
    if (!rc)
        rc = consider(searching, found, found == FLUX_REPLAN_SEARCH ? FLUX_SEARCH_IMPROVED : FLUX_SEARCH_NONE);
    flux_control_poll(&solving->control, searching->problem->nodes);
    return rc;
}

static int is_over(struct searching *searching)
{
    struct flux_control *control = &searching->solving->control;
    return flux_control_good_enough(control) || control->stopped;
}

/* What an engine left in `next` does not count before it is put right, nor does its end. */
static int take_found(struct searching *searching, uint32_t rule)
{
    struct flux_control *control = &searching->solving->control;
    control->makespan = searching->solving->plan.makespan;
    if (control->stopped == FLUX_STOPPED_BOUND || control->stopped == FLUX_STOPPED_GAP)
        control->stopped = FLUX_STOPPED_DONE;
    return consider(searching, FLUX_REPLAN_SEARCH, rule);
}

static int try_portfolio(struct searching *searching)
{
    struct flux_solving *solving = searching->solving;
    uint64_t constructions = 0;
    uint32_t rule = FLUX_SEARCH_NONE;
    int rc = flux_construct_best(searching->problem, &solving->control, &searching->next, &rule, &constructions);
    if (constructions)
        solving->statistics.constructions += constructions - 1;
    return rc ? rc : take_found(searching, rule);
}

/* Dearer bounds, where the plans so far do not meet the cheap ones: they may end the search. */
static int raise_bound(struct searching *searching)
{
    struct flux_solving *solving = searching->solving;
    uint64_t limit = solving->control.work_limit, work = solving->control.work;
    if (!searching->limited)
        solving->control.work_limit = work + BOUND_WORK;
    pin(searching, 0);
    int rc = flux_bound_improve(searching->problem, &solving->control, solving->plan.makespan, &solving->arena,
                                &solving->bound);
    pin(searching, 1);
    solving->control.work_limit = limit;
    if (!searching->limited) {
        solving->control.work = work;
        if (solving->control.stopped == FLUX_STOPPED_WORK)
            solving->control.stopped = FLUX_STOPPED_DONE;
    }
    solving->control.bound = solving->bound.bound;
    return rc;
}

/* Local search from the best plan so far, as long as the limits let it. */
static int improve(struct searching *searching)
{
    struct flux_solving *solving = searching->solving;
    const struct flux_lifted *lifted = solving->bound.lifted;
    const struct flux_control *control = &solving->control;
    const struct flux_improve_limits limits = {UINT64_MAX, UINT64_MAX, lifted ? lifted->head : NULL,
                                               lifted ? lifted->tail : NULL, searching->fixed, NULL, NULL};
    uint64_t constructions = 0;
    if (!searching->limited &&
        control->work_limit - control->work < FLUX_CREW_SIZE * (uint64_t)searching->problem->nodes)
        return FLUX_OK; /* not one turn of it */
    flux_plan_copy(&searching->next, &solving->plan, searching->problem);
    int rc = flux_improve(searching->problem, &solving->control, &limits, &searching->next, &constructions);
    if (constructions)
        solving->statistics.constructions += constructions - 1;
    return rc || !constructions ? rc : take_found(searching, FLUX_SEARCH_IMPROVED);
}

/* Where the caller sets no limit, as much on every machine. */
static void limit_work(struct searching *searching)
{
    struct flux_control *control = &searching->solving->control;
    uint64_t most = searching->problem->nodes * (uint64_t)WORK_PER_NODE;
    searching->limited = control->deadline_ns != UINT64_MAX || control->work_limit != UINT64_MAX;
    if (!searching->limited)
        control->work_limit = control->work + (most < WORK_MOST ? most : WORK_MOST);
}

static int search(struct searching *searching, int64_t *shifted)
{
    struct flux_solving *solving = searching->solving;
    struct flux_arena scratch;
    solving->plan.makespan = -1;
    flux_arena_init(&scratch, &solving->memory);
    int rc = shift_old(searching, &scratch);
    flux_arena_free(&scratch);
    if (!rc)
        rc = consider(searching, FLUX_REPLAN_SHIFTED, FLUX_SEARCH_NONE);
    *shifted = solving->plan.makespan;
    if (!rc && !is_over(searching))
        rc = try_order(searching, searching->old_start, FLUX_REPLAN_ORDER);
    /* The portfolio knows nothing of what is under way: then its first order is tried with that in front, too. */
    if (!rc && solving->control.stopped != FLUX_STOPPED_BOUND)
        rc = searching->under_way ? try_order(searching, searching->late_start, FLUX_REPLAN_SEARCH)
                                  : try_portfolio(searching);
    if (!rc && searching->under_way && !is_over(searching))
        rc = try_portfolio(searching);
    if (!rc && !is_over(searching))
        rc = raise_bound(searching);
    return rc || is_over(searching) ? rc : improve(searching);
}

int flux_standing_search(struct flux_standing *standing, struct flux_solving *solving, int64_t *shifted,
                         uint32_t *found)
{
    struct searching searching = {.standing = standing, .solving = solving, .found = found};
    int rc = flux_problem_build(solving->graph, solving->fabric, &solving->memory, &solving->problem, solving->error);
    if (rc)
        return rc;
    searching.problem = solving->problem;
    rc = flux_bound_find(solving->problem, &solving->bound);
    solving->control.bound = solving->bound.bound;
    if (!rc)
        rc = find_pinned(&searching);
    if (!rc)
        rc = set_priorities(&searching);
    if (!rc)
        rc = flux_plan_alloc(&solving->plan, searching.problem, &solving->arena);
    if (!rc) {
        limit_work(&searching);
        pin(&searching, 1);
        rc = search(&searching, shifted);
        pin(&searching, 0);
        if (!searching.limited && solving->control.stopped == FLUX_STOPPED_WORK)
            solving->control.stopped = FLUX_STOPPED_DONE;
    }
    if (!rc)
        rc = flux_certificate_make(solving->problem, &solving->bound, &solving->memory, &standing->certificate);
    return rc ? flux_fail(solving->error, rc, "no plan: %s", flux_error_name(rc)) : FLUX_OK;
}
