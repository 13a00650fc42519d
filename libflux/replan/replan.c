/* SPDX-License-Identifier: Apache-2.0
 *
 * replan/replan.c - flux_replan(): facts, what is left, its plan, the check, and the whole iteration again.
 */
#include "base/abi.h"
#include "base/fail.h"
#include "bound/bound.h"
#include "model/graph.h"
#include "replan/standing.h"
#include "schedule/schedule.h"

#include <inttypes.h>
#include <string.h>

#define OPTIONS_LEAST FLUX_ABI_LEAST(struct flux_replan_options, cancel)
#define SUMMARY_LEAST FLUX_ABI_LEAST(struct flux_replan_summary, stopped)

struct flux_replan {
    struct flux_memory memory;
    struct flux_graph *graph;
    struct flux_fabric *fabric;
    struct flux_schedule *schedule;
    struct flux_slot *slots; /* of the whole iteration */
    uint64_t slot_count;
    struct flux_time *times;
    uint64_t time_count;
    struct flux_replan_summary summary;
};

void flux_replan_free(struct flux_replan *replan)
{
    if (!replan)
        return;
    struct flux_memory memory = replan->memory;
    flux_schedule_free(replan->schedule);
    flux_fabric_free(replan->fabric);
    flux_graph_free(replan->graph);
    flux_release(&memory, replan->slots, replan->slot_count, sizeof *replan->slots);
    flux_release(&memory, replan->times, replan->time_count, sizeof *replan->times);
    flux_release(&memory, replan, 1, sizeof *replan);
}

/* The schedule of the rest, through the checker; and does it leave alone what is under way? */
static int make_schedule(struct flux_standing *standing, struct flux_solving *solving, struct flux_schedule **schedule)
{
    struct flux_slot *slots;
    int rc = flux_solving_slots(solving, &solving->plan, &slots);
    if (rc)
        return rc;
    rc = flux_schedule_make(standing->rest, standing->rest_fabric, slots, solving->problem->sends,
                            standing->certificate, &solving->memory, schedule, standing->error);
    if (rc)
        return rc;
    standing->certificate = NULL; /* the schedule's now */
    for (uint64_t i = 0; i < (*schedule)->slot_count; i++) {
        const struct flux_slot *slot = &(*schedule)->slots[i];
        int is_coming = slot->send >= standing->vertices;
        uint32_t k = is_coming ? standing->coming[slot->send - standing->vertices].switch_index
                               : standing->slots[slot->send].switch_index;
        if ((is_coming || standing->state[slot->send] == FLUX_STANDING_RUNS) &&
            (slot->start != 0 || slot->switch_index != k))
            return flux_fail_vertex(standing->error, FLUX_E_MISMATCH, slot->send,
                                    "the plan moves vertex %" PRIu32 ", which is under way: please report it",
                                    slot->send);
    }
    (*schedule)->statistics = solving->statistics;
    return FLUX_OK;
}

static int fill_times(const struct flux_standing *standing, struct flux_replan *replan)
{
    struct flux_replan_summary *summary = &replan->summary;
    const struct flux_time *rest = replan->schedule->times;
    for (uint32_t v = 0; v < standing->vertices; v++) {
        struct flux_time *time = &replan->times[v];
        *time = standing->times[v];
        if (standing->state[v] == FLUX_STANDING_WAITS) {
            if (rest[v].end > FLUX_TIME_MAX - standing->begin)
                return flux_fail_vertex(standing->error, FLUX_E_OVERFLOW, v, "the times add up beyond 2^62 ps");
            *time = (struct flux_time){rest[v].start + standing->begin, rest[v].end + standing->begin};
        }
        summary->makespan = time->end > summary->makespan ? time->end : summary->makespan;
        if (standing->slots[v].send == FLUX_NONE)
            continue;
        summary->done += standing->state[v] == FLUX_STANDING_DONE;
        summary->under_way += standing->state[v] == FLUX_STANDING_RUNS;
        summary->left += standing->state[v] == FLUX_STANDING_WAITS;
    }
    return FLUX_OK;
}

/* The whole iteration: the rest behind what was. */
static int fill_whole(const struct flux_standing *standing, struct flux_replan *replan)
{
    uint64_t filled = 0, row = 0;
    replan->time_count = standing->vertices;
    replan->slot_count = standing->graph->sends;
    replan->times = flux_alloc(&replan->memory, replan->time_count, sizeof *replan->times);
    replan->slots = flux_alloc(&replan->memory, replan->slot_count, sizeof *replan->slots);
    if (!replan->times || !replan->slots)
        return flux_fail_memory(standing->error);
    int rc = fill_times(standing, replan);
    for (uint32_t v = 0; !rc && v < standing->vertices; v++) {
        if (standing->slots[v].send == FLUX_NONE)
            continue;
        uint32_t k = standing->slots[v].switch_index;
        while (row < replan->schedule->slot_count && replan->schedule->slots[row].send < v)
            row++;
        if (standing->state[v] == FLUX_STANDING_WAITS)
            k = replan->schedule->slots[row].switch_index;
        replan->slots[filled++] = (struct flux_slot){v, k, replan->times[v].start, replan->times[v].end};
    }
    return rc;
}

/* An end of the rest on the old clock; nothing ends before what is done. */
static int64_t on_old_clock(const struct flux_standing *standing, int64_t time)
{
    int64_t latest = 0;
    time = time > FLUX_TIME_MAX - standing->begin ? FLUX_TIME_MAX : time + standing->begin;
    for (uint32_t v = 0; v < standing->vertices; v++) {
        int64_t end = standing->state[v] == FLUX_STANDING_WAITS ? time : standing->times[v].end;
        latest = end > latest ? end : latest;
    }
    return latest;
}

static int plan(struct flux_standing *standing, struct flux_solving *solving, struct flux_replan *replan)
{
    int64_t shifted = 0;
    int rc = flux_standing_rest(standing);
    if (rc)
        return rc;
    solving->graph = standing->rest;
    solving->fabric = standing->rest_fabric;
    rc = flux_standing_search(standing, solving, &shifted, &replan->summary.found);
    if (!rc)
        rc = make_schedule(standing, solving, &replan->schedule);
    if (!rc)
        rc = fill_whole(standing, replan);
    if (rc)
        return rc;
    replan->summary.begin = standing->begin;
    replan->summary.shifted = on_old_clock(standing, shifted);
    replan->summary.bound = on_old_clock(standing, replan->schedule->bound);
    replan->summary.constructions = solving->statistics.constructions;
    replan->summary.stopped = solving->control.stopped;
    replan->summary.size = sizeof replan->summary;
    return FLUX_OK;
}

static int run(struct flux_standing *standing, const struct flux_slot *slots, uint64_t count,
               struct flux_replan *replan)
{
    const struct flux_options options = FLUX_OPTIONS_INIT;
    struct flux_solving solving = {.memory = replan->memory, .options = options, .error = standing->error};
    solving.options.time_limit_ns = standing->options.time_limit_ns;
    solving.options.work_limit = standing->options.work_limit;
    solving.options.seed = standing->options.seed;
    solving.options.cancel = standing->options.cancel;
    flux_arena_init(&solving.arena, &solving.memory);
    flux_control_begin(&solving.control, &solving.memory, &solving.options);
    int rc = flux_standing_read(standing, slots, count);
    if (!rc)
        rc = plan(standing, &solving, replan);
    replan->summary.elapsed_ns = solving.memory.env.now_ns(solving.memory.env.user) - solving.control.begin_ns;
    flux_problem_free(solving.problem);
    flux_arena_free(&solving.arena);
    return rc;
}

static int check_arguments(const struct flux_graph *graph, const struct flux_fabric *fabric,
                           const struct flux_slot *slots, uint64_t count, const struct flux_replan_options *options,
                           struct flux_standing *standing)
{
    const struct flux_replan_options defaults = FLUX_REPLAN_OPTIONS_INIT;
    if (!graph || !fabric || (!slots && count))
        return flux_fail(standing->error, FLUX_E_ARGUMENT, "graph, fabric or slots are NULL");
    standing->options = defaults;
    if (!options)
        return FLUX_OK;
    return flux_abi_import(&standing->options, sizeof standing->options, options, OPTIONS_LEAST, "replan_options",
                           standing->error);
}

int flux_replan(const struct flux_graph *graph, const struct flux_fabric *fabric, const struct flux_slot *slots,
                uint64_t count, const struct flux_replan_options *options, struct flux_replan **replan,
                struct flux_error *error)
{
    struct flux_standing standing = {.graph = graph, .fabric = fabric, .error = error};
    if (!replan)
        return flux_fail(error, FLUX_E_ARGUMENT, "no place for the replan");
    *replan = NULL;
    int rc = check_arguments(graph, fabric, slots, count, options, &standing);
    if (!rc)
        rc = flux_graph_check(graph, error);
    if (rc)
        return rc;
    struct flux_replan *fresh = flux_alloc_zero(&graph->memory, 1, sizeof *fresh);
    if (!fresh)
        return flux_fail_memory(error);
    fresh->memory = graph->memory;
    flux_arena_init(&standing.arena, &fresh->memory);
    rc = run(&standing, slots, count, fresh);
    fresh->graph = standing.rest;
    fresh->fabric = standing.rest_fabric;
    flux_certificate_free(standing.certificate);
    flux_arena_free(&standing.arena);
    if (rc) {
        flux_replan_free(fresh);
        return rc;
    }
    *replan = fresh;
    return FLUX_OK;
}

const struct flux_slot *flux_replan_slots(const struct flux_replan *replan, uint64_t *count)
{
    if (count)
        *count = replan ? replan->slot_count : 0;
    return replan ? replan->slots : NULL;
}

const struct flux_time *flux_replan_times(const struct flux_replan *replan, uint64_t *count)
{
    if (count)
        *count = replan ? replan->time_count : 0;
    return replan ? replan->times : NULL;
}

const struct flux_graph *flux_replan_graph(const struct flux_replan *replan)
{
    return replan ? replan->graph : NULL;
}

const struct flux_fabric *flux_replan_fabric(const struct flux_replan *replan)
{
    return replan ? replan->fabric : NULL;
}

const struct flux_schedule *flux_replan_schedule(const struct flux_replan *replan)
{
    return replan ? replan->schedule : NULL;
}

int flux_replan_summary(const struct flux_replan *replan, struct flux_replan_summary *summary)
{
    if (!replan || !summary)
        return FLUX_E_ARGUMENT;
    return flux_abi_export(summary, &replan->summary, sizeof replan->summary, SUMMARY_LEAST, "replan summary", NULL);
}
