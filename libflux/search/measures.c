/* SPDX-License-Identifier: Apache-2.0 */
#include "search/measures.h"

#include "base/wide.h"
#include "search/sequence.h"

#include <libflux/error.h>
#include <libflux/schedule.h>
#include <string.h>

int flux_gauge_init(struct flux_gauge *gauge, const struct flux_problem *problem, struct flux_arena *arena)
{
    uint64_t rows = 2 * (uint64_t)problem->nodes;
    *gauge = (struct flux_gauge){.problem = problem, .arena = arena};
    gauge->time = flux_arena_alloc(arena, rows, sizeof *gauge->time);
    gauge->order = flux_arena_alloc(arena, rows, sizeof *gauge->order);
    gauge->held = flux_arena_alloc(arena, problem->gpus, sizeof *gauge->held);
    gauge->peak = flux_arena_alloc(arena, problem->gpus, sizeof *gauge->peak);
    return gauge->time && gauge->order && gauge->held && gauge->peak ? FLUX_OK : FLUX_E_MEMORY;
}

/* When every send is ready, and when it ends. */
static void find_times(struct flux_gauge *gauge, const uint32_t *switch_of, const int64_t *start)
{
    const struct flux_problem *problem = gauge->problem;
    int64_t *end = gauge->time, *ready = gauge->time + problem->nodes;
    for (uint32_t v = 0; v < problem->nodes; v++) {
        ready[v] = problem->eligible[v];
        for (uint64_t i = problem->in_first[v]; i < problem->in_first[v + 1]; i++) {
            int64_t time = end[problem->in[i].node] + problem->in[i].lag;
            ready[v] = time > ready[v] ? time : ready[v];
        }
        end[v] = switch_of[v] == FLUX_NONE ? ready[v] + problem->duration[v]
                                           : start[v] + flux_problem_duration(problem, v, switch_of[v]);
    }
}

/* What ends goes before what becomes ready at the same time. Sums of one GPU saturate, and stay. */
int flux_gauge_memory(struct flux_gauge *gauge, const uint32_t *switch_of, const int64_t *start, uint64_t *peak)
{
    const struct flux_problem *problem = gauge->problem;
    struct flux_arena scratch;
    uint32_t rows = 0;
    find_times(gauge, switch_of, start);
    for (uint32_t half = 0; half < 2; half++)
        for (uint32_t v = 0; v < problem->nodes; v++)
            if (problem->bytes[v])
                gauge->order[rows++] = half * problem->nodes + v;
    flux_arena_init(&scratch, gauge->arena->memory);
    int rc = flux_sequence_sort(gauge->order, rows, gauge->time, &scratch);
    flux_arena_free(&scratch);
    memset(gauge->held, 0, problem->gpus * sizeof *gauge->held);
    memset(gauge->peak, 0, problem->gpus * sizeof *gauge->peak);
    *peak = 0;
    gauge->rows = rows;
    for (uint32_t i = 0; i < rows && !rc; i++) {
        int ends = gauge->order[i] < problem->nodes;
        uint32_t v = gauge->order[i] - (ends ? 0 : problem->nodes), gpu = problem->src[v];
        uint64_t *held = &gauge->held[gpu];
        if (ends)
            *held -= *held == UINT64_MAX ? 0 : problem->bytes[v];
        else if (__builtin_add_overflow(*held, problem->bytes[v], held))
            *held = UINT64_MAX;
        gauge->peak[gpu] = *held > gauge->peak[gpu] ? *held : gauge->peak[gpu];
        *peak = *held > *peak ? *held : *peak;
    }
    return rc;
}

int64_t flux_gauge_slack(const struct flux_problem *problem, const int64_t *start, const int64_t *late,
                         int64_t makespan)
{
    int64_t most = makespan / FLUX_SLACK_PART;
    flux_wide sum = 0;
    for (uint32_t v = 0; v < problem->nodes; v++)
        if (flux_problem_is_send(problem, v))
            sum += late[v] - start[v] < most ? late[v] - start[v] : most;
    return problem->sends ? (int64_t)(sum / problem->sends) : 0;
}

int flux_measures_compare(const struct flux_measures *a, const struct flux_measures *b, uint32_t objectives)
{
    if (objectives & FLUX_OBJECTIVE_RECONFIGURATIONS && a->reconfigurations != b->reconfigurations)
        return a->reconfigurations < b->reconfigurations ? -1 : 1;
    if (objectives & FLUX_OBJECTIVE_MEMORY && a->memory != b->memory)
        return a->memory < b->memory ? -1 : 1;
    if (objectives & FLUX_OBJECTIVE_SLACK && a->slack != b->slack)
        return a->slack > b->slack ? -1 : 1;
    return 0;
}
