/* SPDX-License-Identifier: Apache-2.0
 *
 * formulation/build.c - a formulation is emitted twice: counted, and, where that fits, written.
 */
#include "base/fail.h"
#include "base/wide.h"
#include "formulation/frame.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void emit(struct flux_frame *frame)
{
    if (frame->tight)
        flux_tight_emit(frame);
    else
        flux_paper_emit(frame);
}

/* Pairs that compete under any rule because they share their source. */
static uint64_t pairs_at_least(const struct flux_problem *problem)
{
    uint64_t pairs = 0;
    for (uint32_t g = 0; g < problem->gpus; g++) {
        uint64_t count = 0;
        for (uint64_t i = problem->touch_first[g]; i < problem->touch_first[g + 1]; i++)
            count += problem->src[problem->touch[i]] == g;
        pairs += count * (count - (count > 0)) / 2;
    }
    return pairs;
}

/* Before anything that grows with the square of the problem is touched. */
static int refuse_early(const struct flux_problem *problem, struct flux_error *error)
{
    uint64_t pairs = pairs_at_least(problem);
    if (problem->nodes > FLUX_FORMULATION_NODES_MAX)
        return flux_fail(error, FLUX_E_TOO_BIG,
                         "a solver's model of %" PRIu32 " sends and joins, with at least %" PRIu64
                         " pairs that compete, is too big: the limit is %u sends and joins",
                         problem->nodes, pairs, FLUX_FORMULATION_NODES_MAX);
    return FLUX_OK;
}

static int refuse(const struct flux_problem *problem, const struct flux_formulation_size *size,
                  struct flux_error *error)
{
    if (size->rows <= FLUX_FORMULATION_ROWS_MAX && size->columns <= FLUX_FORMULATION_ROWS_MAX)
        return FLUX_OK;
    return flux_fail(error, FLUX_E_TOO_BIG,
                     "a solver's model of %" PRIu32 " sends has %" PRIu64 " rows, %" PRIu64 " columns and %" PRIu64
                     " entries: the limit is %" PRIu64 " rows or columns",
                     problem->sends, size->rows, size->columns, size->entries, FLUX_FORMULATION_ROWS_MAX);
}

static int open_and_count(const struct flux_problem *problem, const struct flux_formulation_options *options,
                          struct flux_arena *scratch, struct flux_frame *frame, struct flux_error *error)
{
    int rc = refuse_early(problem, error);
    if (rc)
        return rc;
    *frame = (struct flux_frame){.problem = problem, .options = options, .arena = scratch};
    rc = flux_frame_open(frame, error);
    if (rc)
        return rc;
    flux_builder_count(&frame->builder);
    if (!frame->empty)
        emit(frame);
    return refuse(problem, &frame->builder.size, error);
}

int flux_formulation_count(const struct flux_problem *problem, const struct flux_formulation_options *options,
                           struct flux_formulation_size *size, struct flux_error *error)
{
    struct flux_frame frame;
    struct flux_arena scratch;
    flux_arena_init(&scratch, problem->arena.memory);
    int rc = open_and_count(problem, options, &scratch, &frame, error);
    if (rc)
        *size = (struct flux_formulation_size){0, 0, 0};
    else
        *size = frame.builder.size;
    flux_arena_free(&scratch);
    return rc;
}

static void *keep(struct flux_arena *arena, const uint32_t *columns, uint64_t count)
{
    uint32_t *copy = flux_arena_alloc(arena, count, sizeof *copy);
    if (copy)
        memcpy(copy, columns, (size_t)count * sizeof *copy);
    return copy;
}

static int fill(struct flux_formulation *formulation, struct flux_frame *frame, struct flux_error *error)
{
    struct flux_formulation_size size = frame->builder.size;
    struct flux_arena *arena = &formulation->arena;
    uint64_t n = frame->nodes;
    if (flux_builder_fill(&frame->builder, formulation, &size))
        return flux_fail_memory(error);
    emit(frame);
    formulation->start_column = keep(arena, frame->start_column, n);
    formulation->switch_column = keep(arena, frame->switch_column, n * frame->switches);
    formulation->moment_column = keep(arena, frame->moment_column, n);
    formulation->change_column = keep(arena, frame->change_column, n);
    formulation->makespan_column = frame->makespan_column;
    if (!formulation->start_column || !formulation->switch_column || !formulation->moment_column ||
        !formulation->change_column)
        return flux_fail_memory(error);
    return FLUX_OK;
}

int flux_formulation_build(const struct flux_problem *problem, const struct flux_formulation_options *options,
                           struct flux_formulation *formulation, struct flux_error *error)
{
    struct flux_frame frame;
    struct flux_arena scratch;
    memset(formulation, 0, sizeof *formulation);
    flux_arena_init(&formulation->arena, problem->arena.memory);
    flux_arena_init(&scratch, problem->arena.memory);
    int rc = open_and_count(problem, options, &scratch, &frame, error);
    if (!rc) {
        formulation->unit = frame.unit;
        formulation->shift = frame.shift;
        formulation->empty = frame.empty;
        if (!frame.empty)
            rc = fill(formulation, &frame, error);
    }
    flux_arena_free(&scratch);
    return rc;
}

void flux_formulation_free(struct flux_formulation *formulation)
{
    flux_arena_free(&formulation->arena);
}

double flux_formulation_value(const struct flux_formulation *formulation, int64_t time)
{
    return ldexp((double)(time / formulation->unit), -(int)formulation->shift);
}

int64_t flux_formulation_bound(const struct flux_formulation *formulation, double bound)
{
    if (!(bound > 0) || isinf(bound))
        return -1;
    double open = bound * 1e-6;
    double units = ceil(ldexp(bound - open, (int)formulation->shift) - 1e-6);
    if (!(units >= 0) || units > (double)(FLUX_TIME_MAX / formulation->unit))
        return -1;
    return (int64_t)units * formulation->unit;
}
