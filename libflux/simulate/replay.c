/* SPDX-License-Identifier: Apache-2.0
 *
 * simulate/replay.c - the replay object: made, run, read, freed.
 */
#include "simulate/replay.h"

#include "base/abi.h"
#include "base/fail.h"
#include "schedule/allocator.h"
#include "simulate/cycle.h"
#include "simulate/packet.h"

#include <inttypes.h>
#include <string.h>

#define OPTIONS_LEAST FLUX_ABI_LEAST(struct flux_replay_options, cancel)
#define SUMMARY_LEAST FLUX_ABI_LEAST(struct flux_replay_summary, forwarded)

static void *get(struct flux_replay *replay, uint64_t count, uint64_t size)
{
    return flux_arena_alloc(&replay->audit.arena, count, size);
}

static int make_results(struct flux_replay *replay)
{
    const struct flux_replay_plan *plan = &replay->plan;
    for (int i = 0; i < 2; i++) {
        struct flux_replay_result *result = &replay->result[i];
        result->times = get(replay, plan->vertices, sizeof *result->times);
        result->ready = get(replay, plan->vertices, sizeof *result->ready);
        result->gpus = get(replay, plan->gpus, sizeof *result->gpus);
        if (!result->times || !result->ready || !result->gpus)
            return FLUX_E_MEMORY;
    }
    return FLUX_OK;
}

int flux_replay_make_room(struct flux_replay *replay)
{
    const struct flux_replay_plan *plan = &replay->plan;
    struct flux_replay_room *room = &replay->room;
    uint64_t n = plan->vertices, lanes = UINT64_C(2) * plan->tenures;
    if (make_results(replay))
        return FLUX_E_MEMORY;
    room->duration = get(replay, n, sizeof *room->duration);
    room->missing = get(replay, n, sizeof *room->missing);
    room->stack = get(replay, n, sizeof *room->stack);
    room->wait_next = get(replay, n, sizeof *room->wait_next);
    room->lane_idle = get(replay, lanes, sizeof *room->lane_idle);
    room->lane_head = get(replay, lanes, sizeof *room->lane_head);
    room->lane_tail = get(replay, lanes, sizeof *room->lane_tail);
    room->tenure_up = get(replay, plan->tenures, sizeof *room->tenure_up);
    room->tenure_end = get(replay, plan->tenures, sizeof *room->tenure_end);
    room->group_begin = get(replay, plan->groups, sizeof *room->group_begin);
    room->heap = get(replay, plan->sends + lanes, sizeof *room->heap);
    room->rows = get(replay, 2 * n, sizeof *room->rows);
    room->spare = get(replay, 2 * n, sizeof *room->spare);
    room->from = get(replay, lanes > plan->gpus ? lanes : plan->gpus, sizeof *room->from);
    room->held = get(replay, plan->gpus, sizeof *room->held);
    return room->duration && room->missing && room->stack && room->wait_next && room->lane_idle && room->lane_head &&
                   room->lane_tail && room->tenure_up && room->tenure_end && room->group_begin && room->heap &&
                   room->rows && room->spare && room->from && room->held
               ? FLUX_OK
               : FLUX_E_MEMORY;
}

int flux_replay_new(const struct flux_graph *graph, const struct flux_fabric *fabric, const struct flux_slot *slots,
                    uint64_t count, struct flux_replay **replay, struct flux_error *error)
{
    if (replay)
        *replay = NULL;
    if (!graph || !fabric || (!slots && count) || !replay)
        return flux_fail(error, FLUX_E_ARGUMENT, "graph, fabric, slots or the place for the replay are NULL");
    struct flux_replay *fresh = flux_alloc_zero(flux_allocator_of(graph), 1, sizeof *fresh);
    if (!fresh)
        return flux_fail_memory(error);
    fresh->memory = *flux_allocator_of(graph);
    int rc = flux_audit_run(&fresh->audit, graph, fabric, slots, count, &fresh->memory, error);
    if (!rc)
        rc = flux_audit_begins(&fresh->audit);
    if (!rc)
        rc = flux_replay_plan_read(fresh, graph, fabric, error);
    if (!rc && flux_replay_make_room(fresh))
        rc = flux_fail_memory(error);
    if (rc) {
        flux_replay_free(fresh);
        return rc;
    }
    fresh->audit.graph = NULL;
    fresh->audit.fabric = NULL;
    fresh->audit.error = NULL;
    *replay = fresh;
    return FLUX_OK;
}

void flux_replay_free(struct flux_replay *replay)
{
    if (!replay)
        return;
    struct flux_memory memory = replay->memory;
    for (int i = 0; i < 2; i++) {
        flux_release(&memory, replay->result[i].part, replay->result[i].part_capacity, sizeof *replay->result[i].part);
        flux_release(&memory, replay->row[i], replay->row_capacity[i], sizeof *replay->row[i]);
    }
    flux_release(&memory, replay->held, replay->held_capacity, sizeof *replay->held);
    if (replay->cycle)
        flux_cycle_end(replay);
    flux_audit_end(&replay->audit);
    flux_release(&memory, replay, 1, sizeof *replay);
}

int flux_replay_fail_overflow(uint32_t v, struct flux_error *error)
{
    return flux_fail_vertex(error, FLUX_E_OVERFLOW, v, "the times up to vertex %" PRIu32 " add up beyond 2^62 ps", v);
}

int flux_replay_tell(struct flux_replay *replay, struct flux_replay_result *result, uint32_t v,
                     struct flux_error *error)
{
    const struct flux_precedence *precedence = &replay->audit.precedence;
    struct flux_replay_room *room = &replay->room;
    int64_t end = result->times[v].end;
    for (uint64_t i = precedence->first[v]; i < precedence->first[v + 1]; i++) {
        const struct flux_successor *edge = &precedence->successors[i];
        if (edge->lag > FLUX_TIME_MAX - end)
            return flux_replay_fail_overflow(edge->vertex, error);
        if (end + edge->lag > result->ready[edge->vertex])
            result->ready[edge->vertex] = end + edge->lag;
        if (--room->missing[edge->vertex] == 0)
            room->stack[room->stack_count++] = edge->vertex;
    }
    return FLUX_OK;
}

static void reset(struct flux_replay *replay, struct flux_replay_result *result)
{
    const struct flux_replay_plan *plan = &replay->plan;
    struct flux_replay_room *room = &replay->room;
    memcpy(result->ready, plan->release, plan->vertices * sizeof *result->ready);
    memcpy(room->missing, plan->missing, plan->vertices * sizeof *room->missing);
    for (uint32_t v = 0; v < plan->vertices; v++)
        result->times[v] = (struct flux_time){-1, -1};
    for (uint64_t i = 0; i < UINT64_C(2) * plan->tenures; i++) {
        room->lane_idle[i] = 0;
        room->lane_head[i] = FLUX_NONE;
    }
    for (uint32_t t = 0; t < plan->tenures; t++) {
        room->tenure_up[t] = -1;
        room->tenure_end[t] = 0;
    }
    memset(room->group_begin, 0, plan->groups * sizeof *room->group_begin);
    room->stack_count = 0;
    room->heap_count = 0;
    result->part_count = 0;
}

static int read_options(const struct flux_replay *replay, const struct flux_replay_options *given,
                        struct flux_replay_options *options, struct flux_error *error)
{
    *options = (struct flux_replay_options)FLUX_REPLAY_OPTIONS_INIT;
    int rc = given ? flux_abi_import(options, sizeof *options, given, OPTIONS_LEAST, "replay_options", error) : 0;
    if (rc)
        return rc;
    if (options->mode > FLUX_REPLAY_ORDER)
        return flux_fail(error, FLUX_E_ARGUMENT, "mode is %" PRIu32 ", not FLUX_REPLAY_CLOCK or FLUX_REPLAY_ORDER",
                         options->mode);
    if (options->mode != FLUX_REPLAY_CLOCK && (replay->cycle || replay->packet))
        return flux_fail(error, FLUX_E_ARGUMENT, "without a schedule a run is by the clock: mode is FLUX_REPLAY_CLOCK");
    if (options->jitter_ppm > FLUX_PPM)
        return flux_fail(error, FLUX_E_ARGUMENT, "jitter_ppm is %" PRIu32 ", more than 1,000,000", options->jitter_ppm);
    if (options->factor_count != (options->factors_ppm ? replay->plan.gpus : 0))
        return flux_fail(error, FLUX_E_ARGUMENT, "there are %" PRIu64 " factors for %" PRIu32 " GPUs",
                         options->factor_count, replay->plan.gpus);
    return FLUX_OK;
}

int flux_replay_run(struct flux_replay *replay, const struct flux_replay_options *options, struct flux_error *error)
{
    struct flux_replay_options given;
    if (!replay)
        return flux_fail(error, FLUX_E_ARGUMENT, "the replay is NULL");
    int rc = read_options(replay, options, &given, error);
    if (!rc)
        rc = flux_replay_durations(replay, &given, error);
    if (rc)
        return rc;
    struct flux_replay_result *result = &replay->result[!replay->current];
    reset(replay, result);
    replay->cancel = given.cancel;
    if (replay->cycle)
        rc = flux_cycle_run(replay, result, error);
    else if (replay->packet)
        rc = flux_packet_run(replay, result, error);
    else if (given.mode == FLUX_REPLAY_ORDER)
        rc = flux_replay_run_order(replay, result, error);
    else
        rc = flux_replay_run_clock(replay, result, error);
    if (rc)
        return rc;
    for (uint32_t v = 0; v < replay->plan.vertices; v++)
        if (replay->room.missing[v])
            result->ready[v] = -1;
    rc = flux_replay_measure(replay, result, error);
    if (rc)
        return rc;
    replay->current = !replay->current;
    replay->held_count = 0;
    replay->ran = 1;
    return FLUX_OK;
}

/* NULL before the first run. */
static const struct flux_replay_result *last_result(const struct flux_replay *replay)
{
    return replay && replay->ran ? &replay->result[replay->current] : NULL;
}

int flux_replay_summary(const struct flux_replay *replay, struct flux_replay_summary *summary)
{
    const struct flux_replay_result *result = last_result(replay);
    if (!result || !summary)
        return FLUX_E_ARGUMENT;
    return flux_abi_export(summary, &result->summary, sizeof result->summary, SUMMARY_LEAST, "replay_summary", NULL);
}

const struct flux_time *flux_replay_times(const struct flux_replay *replay, uint64_t *count)
{
    const struct flux_replay_result *result = last_result(replay);
    if (count)
        *count = result ? replay->plan.vertices : 0;
    return result ? result->times : NULL;
}

const int64_t *flux_replay_ready(const struct flux_replay *replay, uint64_t *count)
{
    const struct flux_replay_result *result = last_result(replay);
    if (count)
        *count = result ? replay->plan.vertices : 0;
    return result ? result->ready : NULL;
}

const struct flux_replay_gpu *flux_replay_gpus(const struct flux_replay *replay, uint64_t *count)
{
    const struct flux_replay_result *result = last_result(replay);
    if (count)
        *count = result ? replay->plan.gpus : 0;
    return result ? result->gpus : NULL;
}

const struct flux_replay_part *flux_replay_parts(const struct flux_replay *replay, uint64_t *count)
{
    const struct flux_replay_result *result = last_result(replay);
    if (count)
        *count = result ? result->part_count : 0;
    return result ? result->part : NULL;
}
