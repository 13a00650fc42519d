/* SPDX-License-Identifier: Apache-2.0
 *
 * solve/exact.c - the stage that asks a solver backend.
 *
 * AUTO asks it where a gap is left and at most SENDS_MAX sends compete for it: with a time limit for any of these, and
 * without one only where at most FREE_MAX binary columns are left, which always ends soon, so that a run without a limit
 * stays reproducible. ALWAYS asks it whatever the size, for as long as the limit allows; ONLY asks it alone, with
 * nothing known from our engines.
 *
 * TIGHT is built for makespans below the incumbent's: "infeasible" is then the proof that there is none. PAPER has no
 * room for that; it gets the incumbent as a start and as a cutoff.
 */
#include "backend/registry.h"
#include "backend/run.h"
#include "base/fail.h"
#include "formulation/formulation.h"
#include "solve/solving.h"

#include <inttypes.h>
#include <math.h>

#define SENDS_MAX 50u
#define ROWS_MAX 20000u
#define FREE_MAX 24u

struct exact {
    struct flux_solving *solving;
    const struct flux_backend *backend;
    struct flux_formulation_options known;
    struct flux_formulation formulation;
    struct flux_backend_answer answer;
    int only;
};

static const struct flux_backend *default_backend(void)
{
    const struct flux_backend *backend;
    for (uint32_t i = 0; (backend = flux_backend_builtin(i)) != NULL; i++)
        if (backend->capabilities & FLUX_BACKEND_SOLVES)
            return backend;
    return NULL;
}

static int no_such_backend(const struct flux_solving *solving)
{
    char names[160] = "";
    const struct flux_backend *backend;
    size_t at = 0;
    for (uint32_t i = 0; (backend = flux_backend_builtin(i)) != NULL && at < sizeof names - 40; i++) {
        const char *name = backend->name;
        for (const char *comma = i ? ", " : ""; *comma; comma++)
            names[at++] = *comma;
        while (*name)
            names[at++] = *name++;
        names[at] = '\0';
    }
    return flux_fail(solving->error, FLUX_E_BACKEND, "no solver backend is called %.40s; compiled in: %s",
                     solving->options.backend_name, names);
}

static const struct flux_backend *chosen_backend(const struct flux_solving *solving)
{
    if (solving->options.backend)
        return solving->options.backend;
    return solving->options.backend_name ? flux_backend_find(solving->options.backend_name) : default_backend();
}

int flux_exact_probe(struct flux_solving *solving)
{
    const struct flux_options *options = &solving->options;
    const struct flux_backend *backend = chosen_backend(solving);
    if (options->exact == FLUX_EXACT_NEVER)
        return FLUX_OK;
    if (!backend && options->backend_name)
        return no_such_backend(solving);
    if (!backend && options->exact == FLUX_EXACT_ONLY)
        return flux_fail(solving->error, FLUX_E_BACKEND, "no solver backend is compiled in");
    if (!backend || (!options->backend && !options->backend_name && !options->parameter_count))
        return FLUX_OK;
    return flux_backend_probe(backend, options->parameters, options->parameter_count, &solving->memory, solving->error);
}

static int wanted(const struct flux_solving *solving, const struct flux_backend *backend)
{
    const struct flux_options *options = &solving->options;
    if (!backend || options->exact == FLUX_EXACT_NEVER || solving->problem->sends == 0)
        return 0;
    if (options->exact != FLUX_EXACT_AUTO)
        return 1;
    return (backend->capabilities & FLUX_BACKEND_SOLVES) && solving->problem->sends <= SENDS_MAX;
}

int flux_exact_wanted(const struct flux_solving *solving)
{
    return wanted(solving, chosen_backend(solving));
}

/* May AUTO go on with this program? */
static int quick_enough(const struct exact *exact)
{
    const struct flux_milp *milp = &exact->formulation.milp;
    uint32_t binaries = 0;
    if (exact->solving->options.exact != FLUX_EXACT_AUTO)
        return 1;
    for (uint32_t j = 0; j < milp->columns; j++)
        binaries += milp->column_kind[j] == FLUX_COLUMN_BINARY;
    return milp->rows <= ROWS_MAX && (exact->solving->control.deadline_ns != UINT64_MAX || binaries <= FREE_MAX);
}

static void set_start(struct exact *exact)
{
    struct flux_solving *solving = exact->solving;
    struct flux_milp *milp = &exact->formulation.milp;
    if (exact->only || exact->known.kind != FLUX_FORMULATION_PAPER)
        return;
    milp->cutoff = flux_formulation_value(&exact->formulation, solving->plan.makespan);
    double *start = solving->problem->staged ? NULL
                                             : flux_arena_alloc(&solving->arena, milp->columns, sizeof *start);
    if (start)
        flux_formulation_point(&exact->formulation, &solving->plan, start);
    milp->start = start;
}

static int ask(struct exact *exact, struct flux_error *error)
{
    struct flux_solving *solving = exact->solving;
    const struct flux_backend_request request = {
        .backend = exact->backend,
        .milp = &exact->formulation.milp,
        .parameters = solving->options.parameters,
        .parameter_count = solving->options.parameter_count,
        .control = &solving->control,
        .deadline_ns = UINT64_MAX,
    };
    solving->statistics.backend_used = 1;
    return flux_backend_run(&request, &solving->arena, &exact->answer, error);
}

static void disbelieve(struct exact *exact, const char *why)
{
    struct flux_solving *solving = exact->solving;
    char text[320];
    solving->statistics.backend_disbelieved = 1;
    if (!solving->memory.env.log)
        return;
    struct flux_error line = {0};
    flux_fail(&line, FLUX_E_BACKEND, "solver backend %s is not believed: %s", exact->backend->name, why);
    size_t i = 0;
    for (; line.text[i] && i + 1 < sizeof text; i++)
        text[i] = line.text[i];
    text[i] = '\0';
    solving->memory.env.log(solving->memory.env.user, FLUX_LOG_WARNING, text);
}

/* How far a floating-point solver may be off. */
static int64_t tolerance(int64_t makespan)
{
    return makespan / 1000000;
}

/* The solver's point as a schedule of ours, checked by the same check as any other. 1: `plan` is one; 0: it is none. */
static int take_point(struct exact *exact, struct flux_plan *plan)
{
    struct flux_solving *solving = exact->solving;
    struct flux_slot *slots;
    struct flux_error error = {0};
    int64_t makespan;
    if (!exact->answer.values)
        return 0;
    int rc = flux_formulation_decode(&exact->formulation, solving->problem, exact->answer.values, plan);
    if (!rc)
        rc = flux_solving_slots(solving, plan, &slots);
    if (!rc)
        rc = flux_check(solving->graph, solving->fabric, slots, solving->problem->sends, &makespan, &error);
    if (rc == FLUX_E_MEMORY)
        return flux_fail_memory(solving->error);
    if (rc) {
        disbelieve(exact, error.text[0] ? error.text : "its point is no schedule");
        return 0;
    }
    return 1;
}

/* Was the point what it was said to be? In ps, as far as doubles go. */
static int keeps_its_word(struct exact *exact, const struct flux_plan *plan)
{
    double step = ldexp((double)exact->formulation.unit, (int)exact->formulation.shift);
    double off = exact->answer.objective * step - (double)plan->makespan;
    if (fabs(off) <= (double)tolerance(plan->makespan) + 0.5)
        return 1;
    if (off > 0 && exact->answer.status != FLUX_MILP_OPTIMAL)
        return 1; /* a point that was not yet shifted to the left */
    disbelieve(exact, off > 0 ? "a schedule of its own point is shorter than what it calls the best"
                              : "its point, in whole numbers, takes longer than it says");
    return 0;
}

/* A bound that the solver gives its word for; only where nothing recomputable is as good. */
static void raise_bound(struct exact *exact, int64_t bound)
{
    struct flux_bound_value *known = &exact->solving->bound;
    if (bound <= known->bound)
        return;
    *known = (struct flux_bound_value){.bound = bound, .kind = FLUX_CERTIFICATE_SOLVER, .gpu = FLUX_NONE};
    exact->solving->control.bound = bound;
}

static void take_bound(struct exact *exact, int proved)
{
    struct flux_solving *solving = exact->solving;
    int64_t makespan = solving->plan.makespan;
    int64_t bound = flux_formulation_bound(&exact->formulation, exact->answer.bound);
    if (bound > makespan + tolerance(makespan)) {
        disbelieve(exact, "its bound is above the makespan of a schedule that was checked");
        return;
    }
    if (proved)
        bound = makespan;
    raise_bound(exact, bound < makespan ? bound : makespan);
}

static int take_answer(struct exact *exact)
{
    struct flux_solving *solving = exact->solving;
    struct flux_plan plan;
    uint32_t status = exact->answer.status;
    if (exact->answer.disbelieved) {
        disbelieve(exact, exact->answer.why);
        return FLUX_OK;
    }
    if (flux_plan_alloc(&plan, solving->problem, &solving->arena))
        return flux_fail_memory(solving->error);
    int point = take_point(exact, &plan);
    if (point < 0)
        return point;
    int believed = point && keeps_its_word(exact, &plan);
    if (point && (solving->plan.makespan < 0 || plan.makespan < solving->plan.makespan)) {
        flux_plan_copy(&solving->plan, &plan, solving->problem);
        solving->statistics.rule = FLUX_SEARCH_BACKEND;
        solving->control.makespan = plan.makespan;
    }
    if (solving->plan.makespan < 0)
        return FLUX_OK;
    if (status == FLUX_MILP_UNBOUNDED || (status == FLUX_MILP_INFEASIBLE && exact->only)) {
        disbelieve(exact, "it says that there is no best schedule");
        return FLUX_OK;
    }
    if (exact->answer.values && !believed)
        return FLUX_OK;
    take_bound(exact, status == FLUX_MILP_INFEASIBLE ||
                          (status == FLUX_MILP_OPTIMAL && plan.makespan == solving->plan.makespan));
    return FLUX_OK;
}

static int nothing_found(struct exact *exact)
{
    struct flux_solving *solving = exact->solving;
    if (solving->control.stopped == FLUX_STOPPED_CANCEL || solving->control.stopped == FLUX_STOPPED_CALLBACK)
        return flux_fail(solving->error, FLUX_E_CANCELLED, "cancelled before there was a schedule");
    if (solving->statistics.backend_disbelieved)
        return flux_fail(solving->error, FLUX_E_BACKEND, "solver backend %s, asked alone, is not believed%s%s",
                         exact->backend->name, exact->answer.why[0] ? ": " : "", exact->answer.why);
    return flux_fail(solving->error, FLUX_E_BACKEND, "solver backend %s, asked alone, found no schedule%s",
                     exact->backend->name, solving->control.stopped ? " within the limit" : "");
}

static int solve(struct exact *exact)
{
    struct flux_solving *solving = exact->solving;
    struct flux_error error = {0};
    if (exact->formulation.empty) { /* the windows show it without a solver */
        raise_bound(exact, solving->plan.makespan);
        return FLUX_OK;
    }
    if (!quick_enough(exact))
        return FLUX_OK;
    set_start(exact);
    int rc = ask(exact, &error);
    if (rc == FLUX_E_MEMORY)
        return flux_fail(solving->error, rc, "%s", error.text);
    if (rc && exact->only)
        return flux_fail(solving->error, FLUX_E_BACKEND, "%s", error.text);
    if (rc)
        disbelieve(exact, error.text); /* it failed; what we have stands */
    else
        rc = take_answer(exact);
    if (rc == FLUX_E_MEMORY)
        return rc;
    return exact->only && solving->plan.makespan < 0 ? nothing_found(exact) : FLUX_OK;
}

int flux_exact_improve(struct flux_solving *solving)
{
    struct exact exact = {.solving = solving, .backend = chosen_backend(solving)};
    struct flux_error error = {0};
    exact.only = solving->options.exact == FLUX_EXACT_ONLY;
    exact.known = (struct flux_formulation_options){.kind = solving->options.formulation, .limit = -1};
    if (!exact.only) {
        exact.known.limit = solving->plan.makespan;
        exact.known.below = 1;
        exact.known.bound = solving->bound.bound;
        if (flux_control_good_enough(&solving->control))
            return FLUX_OK;
    }
    if (!wanted(solving, exact.backend))
        return FLUX_OK;
    int rc = flux_formulation_build(solving->problem, &exact.known, &exact.formulation, &error);
    if (!rc)
        rc = solve(&exact);
    else if (rc == FLUX_E_TOO_BIG && solving->options.exact == FLUX_EXACT_AUTO)
        rc = FLUX_OK;
    else
        flux_fail(solving->error, rc, "%s", error.text);
    flux_formulation_free(&exact.formulation);
    if (!rc)
        (void)flux_control_good_enough(&solving->control);
    return rc;
}
