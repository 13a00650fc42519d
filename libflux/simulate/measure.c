/* SPDX-License-Identifier: Apache-2.0
 *
 * simulate/measure.c - the figures of a run, from the times of its vertices.
 */
#include "simulate/cycle.h"
#include "simulate/packet.h"

#include <string.h>

static int ran(const struct flux_replay_result *result, uint32_t v)
{
    return result->times[v].start >= 0;
}

/* The union of each GPU's computes. */
static void measure_compute(struct flux_replay *replay, struct flux_replay_result *result)
{
    const struct flux_replay_plan *plan = &replay->plan;
    struct flux_keyed *rows = replay->room.rows;
    int64_t *until = replay->room.from;
    uint64_t count = 0;
    flux_wide waiting = 0;
    memset(until, 0, plan->gpus * sizeof *until);
    for (uint32_t v = 0; v < plan->vertices; v++)
        if (plan->tenure_of[v] == FLUX_NONE && ran(result, v))
            rows[count++] = (struct flux_keyed){(uint64_t)result->times[v].start, v, 0};
    flux_radix_sort(rows, replay->room.spare, count);
    for (uint64_t i = 0; i < count; i++) {
        const struct flux_time *time = &result->times[rows[i].item];
        uint32_t gpu = replay->audit.precedence.at[rows[i].item];
        int64_t from = time->start > until[gpu] ? time->start : until[gpu];
        if (time->end > from) {
            result->gpus[gpu].computing += time->end - from;
            until[gpu] = time->end;
        }
    }
    for (uint32_t g = 0; g < plan->gpus; g++) {
        result->gpus[g].waiting = result->summary.iteration - result->gpus[g].computing;
        waiting += result->gpus[g].waiting;
    }
    result->summary.waiting = (int64_t)(waiting / plan->gpus);
}

static uint32_t share(flux_wide part, flux_wide whole)
{
    return whole > 0 ? (uint32_t)(part * FLUX_PPM / whole) : 0;
}

/* How busy circuits and ports are. Sends of a lane are in the order of time by plan only: a late one may be passed. */
static void measure_circuits(struct flux_replay *replay, struct flux_replay_result *result)
{
    const struct flux_replay_plan *plan = &replay->plan;
    int64_t *from = replay->room.from, *until = replay->room.lane_idle;
    uint64_t lanes = UINT64_C(2) * plan->tenures;
    flux_wide busy = 0, stay = 0, ports = (flux_wide)plan->gpus * plan->switches * result->summary.iteration;
    for (uint64_t i = 0; i < lanes; i++)
        from[i] = -1;
    for (uint32_t i = 0; i < plan->sends; i++) {
        uint32_t v = replay->audit.by_switch[i];
        if (!ran(result, v))
            continue;
        uint64_t lane = UINT64_C(2) * plan->tenure_of[v] + plan->way[v];
        if (from[lane] < 0 || result->times[v].start < from[lane])
            from[lane] = result->times[v].start;
        busy += result->times[v].end - result->times[v].start;
    }
    for (uint64_t i = 0; i < lanes; i++)
        if (from[i] >= 0)
            stay += until[i] - from[i];
    result->summary.circuit_ppm = share(busy, stay);
    result->summary.port_ppm = share(2 * busy, plan->rule == FLUX_RULE_PAPER ? ports : 2 * ports);
}

/* A cycle has no plan. */
static void measure_cycle(const struct flux_replay *replay, struct flux_replay_result *result)
{
    const struct flux_replay_plan *plan = &replay->plan;
    struct flux_replay_summary *summary = &result->summary;
    flux_wide ports = (flux_wide)plan->gpus * plan->switches * summary->iteration;
    summary->late = 0;
    summary->latest = 0;
    summary->reconfigurations = replay->cycle->reconfigurations;
    summary->delivered = replay->cycle->delivered;
    summary->forwarded = replay->cycle->forwarded;
    summary->circuit_ppm = share(replay->cycle->busy, replay->cycle->up);
    summary->port_ppm = share(2 * replay->cycle->busy, plan->rule == FLUX_RULE_PAPER ? ports : 2 * ports);
}

static void measure_packet(const struct flux_replay *replay, struct flux_replay_result *result)
{
    result->summary.late = 0;
    result->summary.latest = 0;
    result->summary.port_ppm = flux_packet_use(replay, result->summary.iteration);
}

static void measure_times(const struct flux_replay *replay, struct flux_replay_result *result)
{
    const struct flux_replay_plan *plan = &replay->plan;
    struct flux_replay_summary *summary = &result->summary;
    for (uint32_t v = 0; v < plan->vertices; v++) {
        int send = plan->tenure_of[v] != FLUX_NONE;
        if (!ran(result, v)) {
            summary->stranded++;
            summary->missed += send && result->ready[v] >= 0;
            continue;
        }
        summary->delivered += plan->bytes[v];
        if (result->times[v].end > summary->iteration)
            summary->iteration = result->times[v].end;
        int64_t late = result->times[v].start - replay->audit.times[v].start;
        if (send && late > 0) {
            summary->late++;
            summary->latest = late > summary->latest ? late : summary->latest;
        }
    }
}

int flux_replay_measure(struct flux_replay *replay, struct flux_replay_result *result, struct flux_error *error)
{
    result->summary = (struct flux_replay_summary){.size = sizeof result->summary,
                                                   .planned = replay->plan.makespan,
                                                   .reconfigurations = replay->plan.reconfigurations};
    memset(result->gpus, 0, replay->plan.gpus * sizeof *result->gpus);
    measure_times(replay, result);
    int rc = flux_replay_measure_memory(replay, result, error);
    if (replay->cycle)
        measure_cycle(replay, result);
    else if (replay->packet)
        measure_packet(replay, result);
    else
        measure_circuits(replay, result);
    measure_compute(replay, result);
    return rc;
}
