/* SPDX-License-Identifier: Apache-2.0
 *
 * solve/solve.c - flux_schedule(): bounds, construct, improve, prove, check. Each stage looks at what the ones before
 * left open and may end the run; whatever happens, only a checked schedule leaves.
 */
#include "base/abi.h"
#include "base/fail.h"
#include "bound/port_sequence.h"
#include "model/graph.h"
#include "prove/encode.h"
#include "prove/prove.h"
#include "prove/rings.h"
#include "prove/stretches.h"
#include "prove/subset.h"
#include "schedule/schedule.h"
#include "search/construct.h"
#include "search/improve.h"
#include "search/read_back.h"
#include "solve/solving.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

/* The options' first size: a caller of 0.1 sets at least this much. */
#define OPTIONS_LEAST FLUX_ABI_LEAST(struct flux_options, reserved)

static uint64_t now(const struct flux_solving *solving)
{
    return solving->memory.env.now_ns(solving->memory.env.user);
}

static int cancelled(struct flux_solving *solving)
{
    return flux_fail(solving->error, FLUX_E_CANCELLED, "cancelled before there was a schedule");
}

/* Runs one stage and books its time. */
static int stage(struct flux_solving *solving, uint32_t phase, uint64_t *spent, int (*run)(struct flux_solving *))
{
    uint64_t begin = now(solving);
    flux_control_tell(&solving->control, phase);
    int rc = run(solving);
    *spent += now(solving) - begin;
    return rc;
}

static int build(struct flux_solving *solving)
{
    return flux_problem_build(solving->graph, solving->fabric, &solving->memory, &solving->problem, solving->error);
}

static int bound(struct flux_solving *solving)
{
    int rc = flux_bound_find(solving->problem, &solving->bound);
    if (rc)
        return flux_fail(solving->error, rc, "no lower bound: %s", flux_error_name(rc));
    solving->control.bound = solving->bound.bound;
    return FLUX_OK;
}

static int construct(struct flux_solving *solving)
{
    if (flux_plan_alloc(&solving->plan, solving->problem, &solving->arena))
        return flux_fail_memory(solving->error);
    if (solving->options.exact == FLUX_EXACT_ONLY && solving->problem->sends)
        return FLUX_OK; /* the backend alone */
    int rc = flux_construct_best(solving->problem, &solving->control, &solving->plan, &solving->statistics.rule,
                                 &solving->statistics.constructions);
    if (rc)
        return flux_fail(solving->error, rc, "no schedule: %s", flux_error_name(rc));
    return FLUX_OK;
}

/* A schedule after the best sequence that a bound found for one GPU. */
static int follow(struct flux_solving *solving, const struct flux_port_sequence *sequence)
{
    struct flux_plan next;
    if (sequence->count == 0 || solving->problem->staged)
        return FLUX_OK;
    int rc = flux_plan_alloc(&next, solving->problem, &solving->arena);
    if (!rc)
        rc = flux_read_back(solving->problem, sequence, &next);
    if (rc || next.makespan >= solving->plan.makespan)
        return rc;
    flux_plan_copy(&solving->plan, &next, solving->problem);
    solving->control.makespan = next.makespan;
    solving->statistics.constructions++;
    solving->statistics.rule = FLUX_SEARCH_IMPROVED;
    return FLUX_OK;
}

/* A few sends of all GPUs, searched to the end. Where all of them are few enough, that search comes later. */
static int look_at_few(struct flux_solving *solving, uint64_t steps)
{
    struct flux_subset_answer answer;
    if (solving->problem->sends <= FLUX_PROVE_SENDS_MAX || solving->folded ||
        flux_control_good_enough(&solving->control))
        return FLUX_OK;
    int rc = flux_subset_improve(solving->problem, solving->lifted, &solving->control, steps, &solving->arena,
                                 &solving->plan, &solving->bound, &answer);
    if (!rc && answer.improved)
        solving->statistics.rule = FLUX_SEARCH_IMPROVED;
    return rc;
}

/* The last collectives of a few GPUs. With one switch, rings leave the few room. */
static int look_at_rings(struct flux_solving *solving)
{
    if (solving->problem->sends <= FLUX_PROVE_SENDS_MAX || solving->folded || solving->problem->switches == 1 ||
        flux_control_good_enough(&solving->control))
        return FLUX_OK;
    return flux_rings_improve(solving->problem, &solving->control, FLUX_RINGS_STEPS, &solving->arena, &solving->plan,
                              &solving->bound);
}

/* Bounds and sequences of single GPUs: first a quick look, and a schedule after it, which makes the proof easier; the
 * same with time for a proof; then all sends of all sides. */
static int look_at_ports(struct flux_solving *solving)
{
    static const uint32_t widths[] = {FLUX_PORT_SEQUENCE_GUESS, FLUX_PORT_SEQUENCE_PROVE, FLUX_PORT_SEQUENCE_PROVE};
    int rc = FLUX_OK;
    for (uint32_t i = 0; i < (solving->folded ? 1 : 3) && !rc; i++) {
        struct flux_port_sequence sequence = {0};
        rc = flux_bound_port_sequence(solving->problem, &solving->control, solving->plan.makespan, widths[i],
                                      &solving->arena, &solving->bound, i < 2 ? &sequence : NULL);
        if (!rc)
            rc = follow(solving, &sequence);
        solving->control.bound = solving->bound.bound;
        if (!rc && i == 0)
            rc = look_at_few(solving, FLUX_SUBSET_QUICK);
        if (flux_control_good_enough(&solving->control) ||
            (widths[i] == FLUX_PORT_SEQUENCE_PROVE && sequence.spent && sequence.count == 0))
            break;
    }
    return rc;
}

/* Without limits the search ends after so many nodes placed: at most about a second. */
#define IMPROVE_WORK_MOST (UINT64_C(1) << 20)
#define IMPROVE_WORK_PER_NODE 1024u
#define IMPROVE_WORK_SHORT (UINT64_C(1) << 17) /* before the dearest bounds */

/* Parts of the plan searched to the end. */
#define PARTS_SENDS_MOST 4096u
#define PARTS_STEPS (UINT64_C(1) << 26) /* without limits: less than a second */
#define PARTS_STEPS_ONE_SWITCH (UINT64_C(1) << 27)

static uint64_t work_without_limits(const struct flux_problem *problem)
{
    uint64_t most = problem->nodes * (uint64_t)IMPROVE_WORK_PER_NODE;
    return most < IMPROVE_WORK_MOST ? most : IMPROVE_WORK_MOST;
}

static int has_limits(const struct flux_control *control)
{
    return control->work_limit != UINT64_MAX || control->deadline_ns != UINT64_MAX;
}

/* What the search for better schedules may spend: all that is left of the caller's limits; without any, or where a
 * proof may follow, as much on every machine; and of limits no more than half where something follows. */
static struct flux_improve_limits improve_limits(const struct flux_solving *solving)
{
    const struct flux_control *control = &solving->control;
    const struct flux_lifted *lifted = solving->bound.lifted;
    struct flux_improve_limits limits = {
        UINT64_MAX, UINT64_MAX, lifted ? lifted->head : NULL, lifted ? lifted->tail : NULL, NULL, NULL, NULL};
    int proof = solving->problem->sends <= FLUX_PROVE_SENDS_MAX || flux_exact_wanted(solving);
    int shared = proof || solving->problem->sends <= PARTS_SENDS_MOST;
    if (control->work_limit != UINT64_MAX)
        limits.work =
            (control->work_limit > control->work ? control->work_limit - control->work : 0) / (shared ? 2 : 1);
    if (control->deadline_ns != UINT64_MAX && shared) {
        uint64_t time = now(solving);
        limits.deadline_ns = time + (control->deadline_ns > time ? control->deadline_ns - time : 0) / 2;
    }
    if (proof || !has_limits(control)) {
        uint64_t most = work_without_limits(solving->problem);
        limits.work = most < limits.work ? most : limits.work;
    }
    return limits;
}

static int has_parts(const struct flux_problem *problem)
{
    return problem->sends > FLUX_PROVE_SENDS_MAX && problem->sends <= PARTS_SENDS_MOST;
}

/* In so many steps, of limits one in `share` of what is left. */
static int improve_parts(struct flux_solving *solving, uint64_t steps, uint64_t share, struct flux_stretches *stretches)
{
    const struct flux_control *control = &solving->control;
    uint64_t before = stretches->improved;
    if (!has_parts(solving->problem) || flux_control_good_enough(&solving->control))
        return FLUX_OK;
    steps = flux_control_share_steps(control, share, FLUX_PROVE_STEPS_PER_WORK, steps);
    int rc =
        flux_stretches_improve(solving->problem, &solving->control, steps, flux_control_share_deadline(control, share),
                               solving->bound.bound, &solving->plan, stretches);
    if (!rc && stretches->improved > before)
        solving->statistics.rule = FLUX_SEARCH_IMPROVED;
    return rc;
}

struct parts {
    struct flux_solving *solving;
    struct flux_stretches stretches;
};

static int search_parts(void *user, const struct flux_problem *problem, uint64_t work, uint64_t deadline_ns,
                        struct flux_plan *plan)
{
    struct parts *parts = user;
    struct flux_control *control = &parts->solving->control;
    uint64_t steps = work < UINT64_MAX / FLUX_PROVE_STEPS_PER_WORK ? work * FLUX_PROVE_STEPS_PER_WORK : UINT64_MAX;
    deadline_ns = deadline_ns < control->deadline_ns ? deadline_ns : control->deadline_ns;
    return flux_stretches_improve(problem, control, steps, deadline_ns, control->bound, plan, &parts->stretches);
}

/* Local search, as long as there is a gap and for at most `work` placements. */
static int search_for(struct flux_solving *solving, uint64_t work)
{
    struct flux_improve_limits limits = improve_limits(solving);
    struct parts parts = {solving, {.random = {solving->options.seed}}};
    int64_t before = solving->plan.makespan;
    if (flux_control_good_enough(&solving->control))
        return FLUX_OK;
    limits.parts = search_parts;
    limits.user = &parts;
    limits.work = work < limits.work ? work : limits.work;
    int rc =
        flux_improve(solving->problem, &solving->control, &limits, &solving->plan, &solving->statistics.constructions);
    if (!rc && solving->plan.makespan < before)
        solving->statistics.rule = FLUX_SEARCH_IMPROVED;
    (void)flux_control_good_enough(&solving->control);
    return rc;
}

#define GLANCE_SENDS_MOST 1024u /* of more the cheap lifts are dear already */

/* A little lifting, then a glance at very few sends: of some pipelines that shows that the schedule is the best one. */
static int glance(struct flux_solving *solving)
{
    const struct flux_problem *problem = solving->problem;
    if (problem->sends <= FLUX_PROVE_SENDS_MAX || problem->sends > GLANCE_SENDS_MOST || solving->folded ||
        solving->plan.makespan < 0)
        return FLUX_OK;
    int rc =
        flux_bound_improve_soon(problem, &solving->control, solving->plan.makespan, &solving->arena, &solving->bound);
    solving->control.bound = solving->bound.bound;
    return rc ? rc : look_at_few(solving, FLUX_SUBSET_GLANCE);
}

/* Dearer bounds, where the schedule does not meet the cheap ones; and a short search, since those that are dearest ask
 * what no schedule can be below the best one. */
static int raise_bound(struct flux_solving *solving)
{
    int rc = glance(solving);
    if (!rc)
        rc = flux_bound_improve(solving->problem, &solving->control, solving->plan.makespan, &solving->arena,
                                &solving->bound);
    solving->control.bound = solving->bound.bound;
    solving->lifted = solving->bound.lifted;
    if (!rc && solving->plan.makespan >= 0)
        rc = search_for(solving, IMPROVE_WORK_SHORT);
    if (!rc)
        rc = look_at_ports(solving);
    if (!rc && (solving->problem->switches > 1 || solving->lifted)) /* with one, by paths the few always have room */
        rc = look_at_few(solving, FLUX_SUBSET_PROVE);
    if (!rc)
        rc = look_at_rings(solving);
    if (rc)
        return flux_fail(solving->error, rc, "no better bound: %s", flux_error_name(rc));
    return FLUX_OK;
}

/* With limits, first what there is without them, so that more time finds no less. */
static int improve(struct flux_solving *solving)
{
    const struct flux_problem *problem = solving->problem;
    struct flux_stretches stretches = {.random = {solving->options.seed}};
    uint64_t steps = problem->switches > 1 ? PARTS_STEPS : PARTS_STEPS_ONE_SWITCH;
    int more = has_parts(problem) && has_limits(&solving->control);
    int rc = search_for(solving, more ? work_without_limits(problem) : UINT64_MAX);
    if (!rc)
        rc = improve_parts(solving, steps, more ? 2 : 1, &stretches);
    if (!rc && more)
        rc = search_for(solving, UINT64_MAX);
    if (!rc && more)
        rc = improve_parts(solving, UINT64_MAX, 1, &stretches);
    (void)flux_control_good_enough(&solving->control);
    return rc ? flux_fail(solving->error, rc, "no better schedule: %s", flux_error_name(rc)) : FLUX_OK;
}

int flux_solving_search(struct flux_solving *solving)
{
    int rc = construct(solving);
    if (!rc && !solving->control.stopped)
        rc = raise_bound(solving);
    if (!rc && !solving->control.stopped)
        rc = improve(solving);
    return rc;
}

/* Problems so large are folded before dear bounds and search see them whole. */
#define FOLD_FIRST 4096u

static int fold_first(struct flux_solving *solving)
{
    int rc = solving->problem->sends >= FOLD_FIRST ? flux_folded_improve(solving) : FLUX_OK;
    return rc ? flux_fail(solving->error, rc, "no better schedule: %s", flux_error_name(rc)) : FLUX_OK;
}

static int finish(struct flux_solving *solving, struct flux_schedule **schedule)
{
    struct flux_slot *slots = NULL;
    struct flux_certificate *certificate = NULL;
    uint64_t begin = now(solving);
    flux_control_tell(&solving->control, FLUX_PHASE_CHECK);
    int rc = flux_solving_slots(solving, &solving->plan, &slots);
    if (rc)
        return rc;
    if (flux_certificate_make(solving->problem, &solving->bound, &solving->memory, &certificate))
        return flux_fail_memory(solving->error);
    rc = flux_schedule_make(solving->graph, solving->fabric, slots, solving->problem->sends, certificate,
                            &solving->memory, schedule, solving->error);
    if (rc) {
        flux_certificate_free(certificate);
        return rc;
    }
    solving->statistics.check_ns = now(solving) - begin;
    solving->statistics.work = solving->control.work;
    solving->statistics.stopped = solving->control.stopped;
    solving->statistics.size = sizeof solving->statistics;
    (*schedule)->statistics = solving->statistics;
    return FLUX_OK;
}

static int run(struct flux_solving *solving, struct flux_schedule **schedule)
{
    struct flux_statistics *spent = &solving->statistics;
    if (flux_cancel_requested(solving->options.cancel))
        return cancelled(solving);
    int rc = flux_exact_probe(solving);
    if (!rc)
        rc = stage(solving, FLUX_PHASE_BUILD, &spent->build_ns, build);
    if (!rc)
        rc = stage(solving, FLUX_PHASE_BOUND, &spent->bound_ns, bound);
    if (!rc)
        rc = stage(solving, FLUX_PHASE_CONSTRUCT, &spent->construct_ns, construct);
    if (!rc && !solving->control.stopped)
        rc = stage(solving, FLUX_PHASE_IMPROVE, &spent->improve_ns, fold_first);
    if (!rc && !solving->control.stopped)
        rc = stage(solving, FLUX_PHASE_IMPROVE, &spent->bound_ns, raise_bound);
    if (!rc && solving->plan.makespan >= 0 && !solving->control.stopped)
        rc = stage(solving, FLUX_PHASE_IMPROVE, &spent->improve_ns, improve);
    if (!rc)
        rc = stage(solving, FLUX_PHASE_EXACT, &spent->exact_ns, flux_proof_improve);
    if (!rc)
        rc = stage(solving, FLUX_PHASE_EXACT, &spent->exact_ns, flux_exact_improve);
    if (!rc && solving->options.objectives)
        rc = stage(solving, FLUX_PHASE_SECOND, &spent->second_ns, flux_second_improve);
    if (!rc)
        rc = finish(solving, schedule);
    return rc;
}

static int check_options(struct flux_solving *solving, const struct flux_options *given)
{
    const struct flux_options defaults = FLUX_OPTIONS_INIT;
    struct flux_options *options = &solving->options;
    *options = defaults;
    if (!given)
        return FLUX_OK;
    int rc = flux_abi_import(options, sizeof *options, given, OPTIONS_LEAST, "options", solving->error);
    if (rc)
        return rc;
    if (options->exact > FLUX_EXACT_ONLY)
        return flux_fail(solving->error, FLUX_E_ARGUMENT, "option exact is %" PRIu32 ": use a FLUX_EXACT_ constant",
                         options->exact);
    if (options->formulation > FLUX_FORMULATION_PAPER)
        return flux_fail(solving->error, FLUX_E_ARGUMENT,
                         "option formulation is %" PRIu32 ": use a FLUX_FORMULATION_ constant", options->formulation);
    if (options->objectives &
        ~(uint32_t)(FLUX_OBJECTIVE_RECONFIGURATIONS | FLUX_OBJECTIVE_MEMORY | FLUX_OBJECTIVE_SLACK))
        return flux_fail(solving->error, FLUX_E_ARGUMENT,
                         "option objectives is %" PRIu32 ": use FLUX_OBJECTIVE_ constants", options->objectives);
    if (options->parameter_count && !options->parameters)
        return flux_fail(solving->error, FLUX_E_ARGUMENT, "option parameters is NULL with a count");
    return FLUX_OK;
}

int flux_schedule(const struct flux_graph *graph, const struct flux_fabric *fabric, const struct flux_options *options,
                  struct flux_schedule **schedule, struct flux_error *error)
{
    struct flux_solving solving = {.graph = graph, .fabric = fabric, .error = error};
    if (!schedule)
        return flux_fail(error, FLUX_E_ARGUMENT, "no place for the schedule");
    *schedule = NULL;
    if (!graph || !fabric)
        return flux_fail(error, FLUX_E_ARGUMENT, "the %s is NULL", graph ? "fabric" : "graph");
    int rc = check_options(&solving, options);
    if (rc)
        return rc;
    solving.memory = graph->memory;
    flux_arena_init(&solving.arena, &solving.memory);
    flux_control_begin(&solving.control, &solving.memory, &solving.options);
    flux_second_reserve(&solving);
    rc = run(&solving, schedule);
    flux_arena_free(&solving.arena);
    flux_problem_free(solving.problem);
    return rc;
}
