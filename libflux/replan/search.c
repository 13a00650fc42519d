/* SPDX-License-Identifier: Apache-2.0
 *
 * replan/search.c - the best plan of what is left: the old one shifted to the right, its order anew, and orders of ours.
 *
 * What is under way has its switch, and must start at 0. It waits for nothing and its circuit is up, so a plan that puts
 * it first in the order of every port does; any plan can be made to, by one left shift.
 */
#include "base/fail.h"
#include "base/random.h"
#include "replan/standing.h"
#include "search/construct.h"
#include "search/ports.h"
#include "search/run.h"
#include "search/staged.h"

#include <string.h>

#define FIRST (-FLUX_TIME_MAX)
#define TRIES 12u        /* random orders, where nothing limits them */
#define SPREAD_LEAST 6 /* noise of an order: 2^-6 of the makespan, and more in turn */
#define SPREADS 4u

struct searching {
    const struct flux_standing *standing;
    struct flux_solving *solving;
    const struct flux_problem *problem;
    uint8_t *fixed;       /* by node: it is under way */
    int64_t *old_start;   /* by node; joins come as soon as they can */
    int64_t *late_start;  /* by node: minus the time from its start to the end of everything */
    int64_t *priority;
    struct flux_plan next;
    uint32_t *found;
    uint32_t under_way; /* nodes that are fixed */
};

/* Takes all switches but their own from the sends that are under way, in the engines' copy of the problem alone. */
static int pin(struct searching *searching)
{
    struct flux_problem *problem = searching->solving->problem;
    const struct flux_standing *standing = searching->standing;
    uint64_t s = problem->switches;
    searching->fixed = flux_arena_zero(&searching->solving->arena, problem->nodes, 1);
    if (!searching->fixed)
        return FLUX_E_MEMORY;
    for (uint32_t node = 0; node < problem->nodes; node++) {
        uint32_t v = problem->vertex[node];
        if (!flux_problem_is_send(problem, node) ||
            (v < standing->vertices && standing->state[v] != FLUX_STANDING_RUNS))
            continue;
        uint32_t k = v < standing->vertices ? standing->slots[v].switch_index
                                            : standing->coming[v - standing->vertices].switch_index;
        searching->fixed[node] = 1;
        searching->under_way++;
        if (s == 1)
            continue;
        if (!problem->durations) {
            problem->durations = flux_arena_alloc(&problem->arena, problem->nodes, s * sizeof *problem->durations);
            if (!problem->durations)
                return FLUX_E_MEMORY;
            for (uint64_t i = 0; i < problem->nodes * s; i++)
                problem->durations[i] = problem->duration[i / s];
        }
        for (uint32_t other = 0; other < s; other++)
            if (other != k)
                problem->durations[node * s + other] = -1;
    }
    return FLUX_OK;
}

static int set_priorities(struct searching *searching)
{
    const struct flux_problem *problem = searching->problem;
    const struct flux_standing *standing = searching->standing;
    struct flux_arena *arena = &searching->solving->arena;
    searching->old_start = flux_arena_alloc(arena, problem->nodes, sizeof *searching->old_start);
    searching->late_start = flux_arena_alloc(arena, problem->nodes, sizeof *searching->late_start);
    searching->priority = flux_arena_alloc(arena, problem->nodes, sizeof *searching->priority);
    if (!searching->old_start || !searching->late_start || !searching->priority)
        return FLUX_E_MEMORY;
    for (uint32_t node = 0; node < problem->nodes; node++) {
        int is_first = searching->fixed[node] || !flux_problem_is_send(problem, node);
        searching->old_start[node] = is_first ? FIRST : standing->slots[problem->vertex[node]].start;
        searching->late_start[node] =
            searching->fixed[node] ? FIRST : -problem->duration[node] - problem->tail[node];
    }
    return flux_plan_alloc(&searching->next, problem, arena);
}

/* Every send in the old order behind what is on its ports: on its old switch, or where it ends first if that is lost. */
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
                                        flux_lane_on(&lanes, flux_lane_target(&lanes, node), k),
                                        problem->circuit[node], problem->delay[k], ready),
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

static int try_portfolio(struct searching *searching)
{
    struct flux_solving *solving = searching->solving;
    uint64_t constructions = 0;
    uint32_t rule = FLUX_SEARCH_NONE;
    int64_t best = solving->control.makespan;
    int rc = flux_construct_best(searching->problem, &solving->control, &searching->next, &rule, &constructions);
    /* What it found does not count before it is put right. */
    solving->control.makespan = best;
    if (solving->control.stopped == FLUX_STOPPED_BOUND || solving->control.stopped == FLUX_STOPPED_GAP)
        solving->control.stopped = FLUX_STOPPED_DONE;
    if (constructions)
        solving->statistics.constructions += constructions - 1;
    return rc ? rc : consider(searching, FLUX_REPLAN_SEARCH, rule);
}

/* Orders near that of the latest starts and near that of the best plan, in turn. */
static int try_random(struct searching *searching)
{
    struct flux_solving *solving = searching->solving;
    const struct flux_problem *problem = searching->problem;
    const int limited = solving->options.time_limit_ns || solving->options.work_limit;
    struct flux_random random = {solving->options.seed};
    int rc = FLUX_OK;
    for (uint32_t i = 0; !rc && !is_over(searching) && (limited || i < TRIES); i++) {
        int64_t noise = (solving->plan.makespan >> (SPREAD_LEAST - i / 2 % SPREADS)) + 2;
        uint32_t below = noise > INT32_MAX ? INT32_MAX : (uint32_t)noise;
        int64_t step = noise / below;
        const int64_t *from = i % 2 ? solving->plan.start : searching->late_start;
        for (uint32_t node = 0; node < problem->nodes; node++)
            searching->priority[node] =
                searching->fixed[node] ? FIRST : from[node] + step * flux_random_below(&random, below);
        rc = try_order(searching, searching->priority, FLUX_REPLAN_SEARCH);
    }
    return rc;
}

static int search(struct searching *searching, int64_t *shifted)
{
    struct flux_solving *solving = searching->solving;
    struct flux_arena scratch;
    int rc = pin(searching);
    if (!rc)
        rc = set_priorities(searching);
    if (!rc)
        rc = flux_plan_alloc(&solving->plan, searching->problem, &solving->arena);
    if (rc)
        return rc;
    solving->plan.makespan = -1;
    flux_arena_init(&scratch, &solving->memory);
    rc = shift_old(searching, &scratch);
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
    return rc ? rc : try_random(searching);
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
    /* Bound and certificate are of the problem as anybody sees it: before switches are taken from it. */
    if (!rc)
        rc = flux_certificate_make(solving->problem, &solving->bound, &solving->memory, &standing->certificate);
    if (!rc)
        rc = search(&searching, shifted);
    return rc ? flux_fail(solving->error, rc, "no plan: %s", flux_error_name(rc)) : FLUX_OK;
}
