/* SPDX-License-Identifier: Apache-2.0
 *
 * compare/random.c - the control: random priorities in the constructor that flux_schedule() uses, with the same number
 * of schedules built. What it gains over other schedulers is gained by being driven by events at all.
 */
#include "base/random.h"
#include "compare/compare.h"
#include "model/problem.h"
#include "schedule/radix.h"
#include "search/construct.h"

#include <inttypes.h>

struct drawing {
    struct flux_comparing *comparing;
    struct flux_problem *problem;
    struct flux_plan plan;
    int64_t *priority;
};

/* The schedule of draw i. */
static int draw(struct drawing *drawing, uint32_t i)
{
    struct flux_random random = {drawing->comparing->options.seed};
    random.state = flux_random_next(&random) ^ i;
    for (uint32_t v = 0; v < drawing->problem->nodes; v++)
        drawing->priority[v] = (int64_t)(flux_random_next(&random) >> 2);
    return flux_construct_by_priority(drawing->problem, drawing->priority, &drawing->plan);
}

static int keep(struct drawing *drawing)
{
    const struct flux_problem *problem = drawing->problem;
    struct flux_comparing *comparing = drawing->comparing;
    struct flux_slot *slots = flux_arena_alloc(comparing->arena, problem->sends, sizeof *slots);
    struct flux_schedule *schedule = NULL;
    uint64_t count = 0;
    if (!slots)
        return FLUX_E_MEMORY;
    for (uint32_t v = 0; v < problem->nodes; v++)
        if (flux_problem_is_send(problem, v))
            slots[count++] = (struct flux_slot){problem->vertex[v], drawing->plan.switch_of[v], drawing->plan.start[v],
                                                flux_plan_end(&drawing->plan, problem, v)};
    int rc = flux_schedule_from_slots(comparing->graph, comparing->fabric, slots, count, &schedule, comparing->error);
    return rc ? rc : flux_compare_keep(comparing, schedule);
}

/* All draws; the median is drawn again and kept. */
static int draw_all(struct drawing *drawing, uint32_t count)
{
    struct flux_comparing *comparing = drawing->comparing;
    const struct flux_options *schedule = comparing->options.schedule;
    struct flux_keyed *rows = flux_arena_alloc(comparing->arena, count, sizeof *rows);
    struct flux_keyed *spare = flux_arena_alloc(comparing->arena, count, sizeof *spare);
    drawing->priority = flux_arena_alloc(comparing->arena, drawing->problem->nodes, sizeof *drawing->priority);
    if (!rows || !spare || !drawing->priority || flux_plan_alloc(&drawing->plan, drawing->problem, comparing->arena))
        return FLUX_E_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        if (schedule && flux_cancel_requested(schedule->cancel))
            return FLUX_E_CANCELLED;
        int rc = draw(drawing, i);
        if (rc)
            return rc;
        rows[i] = (struct flux_keyed){(uint64_t)drawing->plan.makespan, i, 0};
    }
    flux_radix_sort(rows, spare, count);
    comparing->comparison->summary.best = (int64_t)rows[0].key;
    comparing->comparison->summary.constructions = count;
    int rc = draw(drawing, rows[(count - 1) / 2].item);
    return rc ? rc : keep(drawing);
}

/* As many schedules as flux_schedule() builds for the same problem. */
static int count_constructions(struct flux_comparing *comparing, uint32_t *count)
{
    struct flux_statistics statistics = FLUX_STATISTICS_INIT;
    struct flux_schedule *schedule = NULL;
    *count = comparing->options.constructions;
    if (*count)
        return FLUX_OK;
    int rc =
        flux_schedule(comparing->graph, comparing->fabric, comparing->options.schedule, &schedule, comparing->error);
    if (!rc)
        rc = flux_schedule_statistics(schedule, &statistics);
    flux_schedule_free(schedule);
    *count = statistics.constructions > UINT32_MAX ? UINT32_MAX : (uint32_t)statistics.constructions;
    *count += !*count;
    return rc;
}

int flux_compare_random(struct flux_comparing *comparing)
{
    struct drawing drawing = {.comparing = comparing};
    uint32_t count = 0;
    int rc = count_constructions(comparing, &count);
    if (!rc)
        rc = flux_problem_build(comparing->graph, comparing->fabric, comparing->arena->memory, &drawing.problem,
                                comparing->error);
    if (!rc)
        rc = draw_all(&drawing, count);
    flux_problem_free(drawing.problem);
    return rc ? rc
              : flux_compare_note(comparing, "the median of %" PRIu32 " random order%s", count, count == 1 ? "" : "s");
}
