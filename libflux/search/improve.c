/* SPDX-License-Identifier: Apache-2.0
 *
 * search/improve.c - flux_improve(): local search, and where there are copies, in turns with it, beams and local search
 * on the smaller problem in which they go in lockstep.
 */
#include "search/improve.h"

#include "bound/lift.h"
#include "search/beam.h"
#include "search/local.h"
#include "search/lockstep.h"

#include <libflux/error.h>
#include <string.h>

/* Steps of lifting in lockstep, for beams that look ahead. */
#define LIFT_STEPS (UINT64_C(1) << 22)
#define LIFT_REACH 1024u

#define BEAMS 6u      /* slices that begin with beams */
#define BEAM_WIDTH 8u /* in the first; twice as wide in each that follows */
#define SLICE 65536u  /* of work before the two searches take turns, and more for every node; then twice as much */
#define SLICE_PER_NODE 64u

struct improve {
    const struct flux_problem *problem;
    struct flux_control *control;
    struct flux_plan *best;
    const struct flux_improve_limits *limits;
    uint64_t end; /* of the control's work */
    struct flux_local whole;
    struct flux_local together; /* in lockstep */
    struct flux_lockstep lockstep;
    const int64_t *lifted;     /* tails in lockstep */
    struct flux_plan shortest; /* in lockstep */
    struct flux_plan planned;  /* in lockstep, by a beam */
    struct flux_plan unfolded;
};

/* A plan of the whole problem is the best one, if only in place. */
static int tell(void *user, const struct flux_plan *plan)
{
    struct improve *improve = user;
    improve->control->makespan = plan->makespan;
    flux_control_tell(improve->control, FLUX_PHASE_IMPROVE);
    return FLUX_OK;
}

/* The same for one in lockstep, which may get shorter once it is not. */
static int tell_in_lockstep(void *user, const struct flux_plan *plan)
{
    struct improve *improve = user;
    int rc = flux_lockstep_unfold(&improve->lockstep, improve->problem, plan, &improve->unfolded);
    if (rc || improve->unfolded.makespan >= improve->best->makespan)
        return rc;
    flux_plan_copy(improve->best, &improve->unfolded, improve->problem);
    return tell(improve, improve->best);
}

/* Lower bounds on tails that count what one GPU's ports must carry: all rounds share one. */
static const int64_t *lift_tails(struct flux_local *local)
{
    struct flux_lifter lifter;
    if (flux_lifter_make(local->problem, local->control, &local->arena, &lifter))
        return NULL;
    lifter.steps_limit = LIFT_STEPS;
    lifter.deadline_ns = local->deadline_ns;
    for (uint32_t reach = 16; reach <= LIFT_REACH; reach *= 4)
        flux_lift_all(&lifter, 1, reach);
    return lifter.tails.time;
}

/* One beam: by the end that is still possible, then by both, each time twice as wide. */
static int try_beam(struct improve *improve, uint32_t slice)
{
    struct flux_local *local = &improve->together;
    struct flux_arena scratch;
    struct flux_run run = {.problem = local->problem, .arena = &scratch, .control = local->control};
    flux_arena_init(&scratch, local->control->memory);
    int rc = FLUX_OK;
    for (int i = 0; i < 2 && !rc && !flux_control_good_enough(local->control); i++) {
        rc = flux_run_beam(&run, improve->lifted, BEAM_WIDTH << slice, i ? FLUX_BEAM_BY_BOTH : FLUX_BEAM_BY_END,
                           &improve->planned);
        flux_arena_free(&scratch);
        if (rc)
            break;
        flux_plan_measure(&improve->planned, local->problem);
        ++*local->constructions;
        if (improve->planned.makespan < local->best->makespan) {
            flux_plan_copy(local->best, &improve->planned, local->problem);
            rc = local->found(local->user, local->best);
        }
    }
    return rc;
}

/* What the whole problem knows, by node of the smaller one. */
static void fold(const struct flux_lockstep *lockstep, const int64_t *time, int64_t *folded)
{
    for (uint32_t v = 0; v < lockstep->problem.nodes; v++)
        folded[v] = time[lockstep->first[v]];
}

/* The search in lockstep, where that makes the problem smaller; else `together` has no problem. */
static int init_together(struct improve *improve)
{
    const struct flux_local *whole = &improve->whole;
    struct flux_local *local = &improve->together;
    const struct flux_problem *problem = &improve->lockstep.problem;
    if (improve->limits->first)
        return FLUX_OK; /* in lockstep they would not be */
    int rc = flux_lockstep_make(improve->problem, &whole->batches, &improve->lockstep);
    if (rc || problem->nodes == 0)
        return rc;
    *local = (struct flux_local){.problem = problem,
                                 .control = whole->control,
                                 .best = &improve->shortest,
                                 .constructions = whole->constructions,
                                 .found = tell_in_lockstep,
                                 .user = improve,
                                 .near = &improve->best->makespan,
                                 .deadline_ns = whole->deadline_ns,
                                 .random = whole->random};
    rc = flux_local_init(local);
    int64_t *head = flux_arena_alloc(&local->arena, problem->nodes, sizeof *head);
    int64_t *tail = flux_arena_alloc(&local->arena, problem->nodes, sizeof *tail);
    if (rc || !head || !tail || flux_plan_alloc(&improve->unfolded, improve->problem, &local->arena) ||
        flux_plan_alloc(&improve->shortest, problem, &local->arena) ||
        flux_plan_alloc(&improve->planned, problem, &local->arena))
        return FLUX_E_MEMORY;
    fold(&improve->lockstep, whole->head, head);
    fold(&improve->lockstep, whole->tail, tail);
    local->head = head;
    local->tail = tail;
    improve->shortest.makespan = INT64_MAX;
    improve->lifted = lift_tails(local);
    return improve->lifted ? FLUX_OK : FLUX_E_MEMORY;
}

/* Parts of the best plan in lockstep. What initial circuits cost is not known there, so that what is told would not
 * hold. */
static int search_parts(struct improve *improve, uint64_t work)
{
    const struct flux_improve_limits *limits = improve->limits;
    int64_t before = improve->shortest.makespan;
    if (!limits->parts || improve->problem->initials || before == INT64_MAX ||
        flux_control_good_enough(improve->control))
        return FLUX_OK;
    int rc = limits->parts(limits->user, improve->together.problem, work, limits->deadline_ns, &improve->shortest);
    return rc || improve->shortest.makespan >= before ? rc : tell_in_lockstep(improve, &improve->shortest);
}

/* Beams, local search, and for a quarter more parts. */
static int search_together(struct improve *improve, uint32_t slice, uint64_t work)
{
    struct flux_local *local = &improve->together;
    local->end = improve->control->work + work;
    int rc = slice < BEAMS ? try_beam(improve, slice) : FLUX_OK;
    fold(&improve->lockstep, improve->best->start, local->start);
    local->told = 1;
    if (!rc)
        rc = flux_local_search(local);
    return rc || flux_local_is_far(local) ? rc : search_parts(improve, work / 4);
}

static int is_over(const struct improve *improve)
{
    const struct flux_control *control = improve->control;
    return control->stopped || control->work >= improve->end || control->makespan <= control->bound ||
           (improve->whole.deadline_ns != UINT64_MAX &&
            control->memory->env.now_ns(control->memory->env.user) >= improve->whole.deadline_ns);
}

static uint64_t slice_end(const struct improve *improve, uint32_t slice)
{
    uint64_t work = (SLICE + SLICE_PER_NODE * improve->problem->nodes) << (slice < 40 ? slice : 40);
    return improve->end - improve->control->work > work ? improve->control->work + work : improve->end;
}

/* In turns, so that what less work finds more work finds too. */
static int search(struct improve *improve)
{
    int rc = FLUX_OK;
    for (uint32_t slice = 0; !rc && !is_over(improve); slice++) {
        int together = improve->together.problem && !flux_local_is_far(&improve->together);
        int64_t before = improve->best->makespan;
        if (together) {
            rc = search_together(improve, slice, slice_end(improve, slice) - improve->control->work);
        }
        if (rc || is_over(improve))
            break;
        improve->whole.end = together ? slice_end(improve, slice) : improve->end;
        if (slice == 0 || improve->best->makespan < before) {
            memcpy(improve->whole.start, improve->best->start, improve->problem->nodes * sizeof *improve->whole.start);
            improve->whole.told = 1;
        }
        rc = flux_local_search(&improve->whole);
    }
    return rc;
}

int flux_improve(const struct flux_problem *problem, struct flux_control *control,
                 const struct flux_improve_limits *limits, struct flux_plan *plan, uint64_t *constructions)
{
    struct improve improve = {.problem = problem, .control = control, .best = plan, .limits = limits};
    if (problem->staged || problem->sends < 2 || limits->work < 8 * (uint64_t)problem->nodes)
        return FLUX_OK;
    improve.end = limits->work < UINT64_MAX - control->work ? control->work + limits->work : UINT64_MAX;
    improve.whole = (struct flux_local){.problem = problem,
                                        .control = control,
                                        .best = plan,
                                        .constructions = constructions,
                                        .found = tell,
                                        .user = &improve,
                                        .head = limits->head ? limits->head : problem->head,
                                        .tail = limits->tail ? limits->tail : problem->tail,
                                        .first = limits->first,
                                        .deadline_ns = limits->deadline_ns,
                                        .random = {control->options->seed}};
    int rc = flux_local_init(&improve.whole);
    if (!rc)
        rc = init_together(&improve);
    if (!rc)
        rc = search(&improve);
    if (improve.together.problem)
        flux_local_free(&improve.together);
    if (improve.lockstep.problem.arena.memory)
        flux_lockstep_free(&improve.lockstep);
    flux_local_free(&improve.whole);
    return rc == FLUX_RUN_STOPPED ? FLUX_OK : rc;
}
