/* SPDX-License-Identifier: Apache-2.0
 *
 * solve/model.c - flux_formulation_write(): what the engines know goes into the program, and that into text.
 */
#include "base/abi.h"
#include "base/control.h"
#include "base/fail.h"
#include "bound/bound.h"
#include "formulation/text.h"
#include "search/construct.h"

#include <inttypes.h>
#include <libflux/formulation.h>

#define SUMMARY_LEAST FLUX_ABI_LEAST(struct flux_formulation_summary, step)

/* Bound and makespan for TIGHT. */
static int know(const struct flux_problem *problem, const struct flux_memory *memory, struct flux_arena *arena,
                struct flux_formulation_options *known, struct flux_error *error)
{
    const struct flux_options defaults = FLUX_OPTIONS_INIT;
    struct flux_bound_value bound;
    struct flux_control control;
    struct flux_plan plan;
    uint32_t rule;
    uint64_t constructions = 0;
    int rc = flux_bound_find(problem, &bound);
    flux_control_begin(&control, memory, &defaults);
    control.bound = bound.bound;
    if (!rc)
        rc = flux_plan_alloc(&plan, problem, arena);
    if (!rc)
        rc = flux_construct_best(problem, &control, &plan, &rule, &constructions);
    if (rc)
        return flux_fail(error, rc, "no schedule to start from: %s", flux_error_name(rc));
    known->bound = bound.bound;
    known->limit = plan.makespan;
    return FLUX_OK;
}

static int write_text(const struct flux_graph *graph, const struct flux_problem *problem,
                      const struct flux_formulation *formulation, uint32_t format, struct flux_text *text,
                      struct flux_arena *arena, struct flux_error *error)
{
    struct flux_names names;
    int rc = flux_names_make(&names, graph, problem, arena);
    if (!rc)
        rc = format == FLUX_FORMAT_LP ? flux_lp_write(formulation, &names, text)
                                      : flux_mps_write(formulation, &names, text, arena);
    if (rc == FLUX_E_IO)
        return flux_fail(error, rc, "the program could not be written to its end");
    return rc ? flux_fail_memory(error) : FLUX_OK;
}

static int write_problem(const struct flux_graph *graph, const struct flux_problem *problem,
                         const struct flux_memory *memory, uint32_t kind, uint32_t format, struct flux_text *text,
                         struct flux_formulation_summary *summary, struct flux_error *error)
{
    struct flux_arena arena;
    struct flux_formulation formulation;
    struct flux_formulation_options known = {kind, 0, -1, 0};
    flux_arena_init(&arena, memory);
    int rc = kind == FLUX_FORMULATION_TIGHT ? know(problem, memory, &arena, &known, error) : FLUX_OK;
    if (!rc) {
        rc = flux_formulation_build(problem, &known, &formulation, error);
        if (!rc) {
            summary->columns = formulation.milp.columns;
            summary->rows = formulation.milp.rows;
            summary->entries = formulation.milp.entries;
            summary->step = formulation.unit << formulation.shift;
            rc = write_text(graph, problem, &formulation, format, text, &arena, error);
        }
        flux_formulation_free(&formulation);
    }
    flux_arena_free(&arena);
    return rc;
}

int flux_formulation_write(const struct flux_graph *graph, const struct flux_fabric *fabric, uint32_t formulation,
                           uint32_t format, int (*write)(void *user, const char *text, uint64_t length), void *user,
                           struct flux_formulation_summary *summary, struct flux_error *error)
{
    struct flux_formulation_summary found = FLUX_FORMULATION_SUMMARY_INIT;
    struct flux_text text = {.write = write, .user = user};
    struct flux_problem *problem;
    if (!graph || !fabric || !write)
        return flux_fail(error, FLUX_E_ARGUMENT, "the %s is NULL", !graph ? "graph" : !fabric ? "fabric" : "function");
    if (formulation > FLUX_FORMULATION_PAPER)
        return flux_fail(error, FLUX_E_ARGUMENT, "formulation %" PRIu32 ": use a FLUX_FORMULATION_ constant",
                         formulation);
    if (format > FLUX_FORMAT_MPS)
        return flux_fail(error, FLUX_E_ARGUMENT, "format %" PRIu32 ": use a FLUX_FORMAT_ constant", format);
    int rc = flux_problem_build(graph, fabric, &graph->memory, &problem, error);
    if (rc)
        return rc;
    rc = write_problem(graph, problem, &graph->memory, formulation, format, &text, &found, error);
    flux_problem_free(problem);
    if (!rc && summary)
        rc = flux_abi_export(summary, &found, sizeof found, SUMMARY_LEAST, "formulation_summary", error);
    return rc;
}
