/* SPDX-License-Identifier: Apache-2.0
 *
 * solve/folded.c - large problems with symmetry: search runs on what is left when everything that is an image of
 * something else is left out, and its plan is unfolded. Bounds stay those of the whole problem.
 */
#include "search/run.h"
#include "solve/solving.h"
#include "symmetry/quotient.h"

#include <libflux/error.h>
#include <stddef.h>

#define SHARE 2u /* of what is left of the caller's limits, one in so many */
#define LESS 2u  /* a problem that is not so many times smaller is not worth it */

/* Searches in the folded problem tell the caller what they would unfold to only when that is done; they ask him
 * whether to stop all the same. */
static int ask_whole(void *user, const struct flux_progress *progress)
{
    struct flux_solving *whole = user;
    (void)progress;
    return flux_control_poll(&whole->control, 0) != 0;
}

static void set_limits(struct flux_solving *whole, struct flux_solving *folded)
{
    const struct flux_control *control = &whole->control;
    uint64_t now = control->memory->env.now_ns(control->memory->env.user);
    folded->options = whole->options;
    folded->options.exact = FLUX_EXACT_NEVER;
    folded->options.progress = whole->options.progress ? ask_whole : NULL;
    folded->options.progress_user = whole;
    folded->options.time_limit_ns = 0;
    folded->options.work_limit = 0;
    if (control->deadline_ns != UINT64_MAX)
        folded->options.time_limit_ns = flux_control_share_deadline(control, SHARE) - now + 1;
    if (control->work_limit != UINT64_MAX)
        folded->options.work_limit = flux_control_share_steps(control, SHARE, 1, UINT64_MAX) + 1;
    flux_control_begin(&folded->control, &folded->memory, &folded->options);
}

/* The whole problem gets the plan where that makes it shorter. */
static int unfold(struct flux_solving *whole, const struct flux_cover *cover, const struct flux_solving *folded)
{
    struct flux_plan plan;
    if (folded->plan.makespan < 0 || folded->plan.makespan >= whole->plan.makespan)
        return FLUX_OK;
    int rc = flux_plan_alloc(&plan, whole->problem, &whole->arena);
    if (!rc)
        rc = flux_quotient_unfold(whole->problem, cover, &folded->plan, &plan);
    if (rc || plan.makespan >= whole->plan.makespan)
        return rc;
    flux_plan_copy(&whole->plan, &plan, whole->problem);
    whole->control.makespan = plan.makespan;
    whole->statistics.rule = FLUX_SEARCH_IMPROVED;
    return FLUX_OK;
}

static int search(struct flux_solving *whole, const struct flux_cover *cover)
{
    struct flux_solving folded = {.error = NULL, .folded = 1};
    int rc = flux_quotient_build(whole->problem, cover, &folded.problem);
    if (rc)
        return rc;
    folded.memory = whole->memory;
    flux_arena_init(&folded.arena, &folded.memory);
    set_limits(whole, &folded);
    folded.bound = whole->bound; /* what is folded has no shorter schedule than the whole */
    folded.bound.lifted = NULL;
    folded.control.bound = folded.bound.bound;
    rc = flux_solving_search(&folded);
    if (!rc)
        rc = unfold(whole, cover, &folded);
    whole->statistics.constructions += folded.statistics.constructions;
    (void)flux_control_poll(&whole->control, folded.control.work);
    (void)flux_control_good_enough(&whole->control);
    flux_arena_free(&folded.arena);
    flux_problem_free(folded.problem);
    return rc;
}

int flux_folded_improve(struct flux_solving *solving)
{
    const struct flux_problem *problem = solving->problem;
    struct flux_generators generators;
    struct flux_cover cover;
    struct flux_arena arena;
    if (problem->staged || problem->initials || solving->plan.makespan < 0 || solving->control.stopped)
        return FLUX_OK;
    flux_arena_init(&arena, &solving->memory);
    int rc = flux_generators_find(problem, &arena, &generators);
    if (!rc && generators.count)
        rc = flux_cover_find(problem, &generators, &arena, &cover);
    if (!rc && generators.count && cover.nodes <= problem->nodes / LESS)
        rc = search(solving, &cover);
    flux_arena_free(&arena);
    return rc;
}
