/* SPDX-License-Identifier: Apache-2.0 */
#include "prove/gaps.h"

#include "search/place.h"

#include <libflux/error.h>
#include <stdlib.h>

struct turn {
    int64_t latest;
    uint32_t node;
    uint32_t padding;
};

static int compare(const void *left, const void *right)
{
    const struct turn *a = left, *b = right;
    if (a->latest != b->latest)
        return a->latest < b->latest ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

/* How late each node may start, those inside when they do; as turns, first those that must start first. Among equals
 * the number decides, which agrees with the arcs. */
static void order(const struct flux_problem *problem, const uint8_t *inside, const struct flux_plan *relaxed,
                  int64_t limit, struct turn *turns)
{
    for (uint32_t v = problem->nodes; v-- > 0;) {
        int64_t latest = limit - problem->rest[v] - problem->duration[v];
        for (uint64_t i = problem->out_first[v]; i < problem->out_first[v + 1]; i++) {
            const struct flux_arc *arc = &problem->out[i];
            int64_t by = turns[arc->node].latest - arc->lag - problem->duration[v];
            latest = by < latest ? by : latest;
        }
        turns[v] = (struct turn){inside[v] ? relaxed->start[v] : latest, v, 0};
    }
    qsort(turns, problem->nodes, sizeof *turns, compare);
}

static int put_inside(const struct flux_problem *problem, const uint8_t *inside, const struct flux_plan *relaxed,
                      struct flux_timelines *timelines, struct flux_plan *plan)
{
    int rc = FLUX_OK;
    for (uint32_t v = 0; v < problem->nodes && !rc; v++) {
        struct flux_fit fit;
        if (!inside[v])
            continue;
        plan->start[v] = relaxed->start[v];
        plan->switch_of[v] = relaxed->switch_of[v];
        (void)flux_timelines_fit(timelines, v, plan->switch_of[v], plan->start[v], plan->start[v], &fit);
        rc = flux_timelines_place(timelines, v, plan->switch_of[v], &fit);
    }
    return rc;
}

static int64_t ready(const struct flux_problem *problem, const struct flux_plan *plan, uint32_t v)
{
    int64_t time = problem->release[v];
    for (uint64_t i = problem->in_first[v]; i < problem->in_first[v + 1]; i++) {
        int64_t end = flux_plan_end(plan, problem, problem->in[i].node) + problem->in[i].lag;
        time = end > time ? end : time;
    }
    return time;
}

/* Puts a node that is not inside. One without room acts as if it had some. */
static int put(const struct flux_problem *problem, struct flux_timelines *timelines, const struct turn *turn,
               struct flux_gaps *gaps)
{
    uint32_t v = turn->node;
    struct flux_place place;
    int64_t time = ready(problem, &gaps->plan, v);
    gaps->plan.switch_of[v] = FLUX_NONE;
    gaps->plan.start[v] = time;
    if (!flux_problem_is_send(problem, v))
        return FLUX_OK;
    flux_place_find(timelines, v, time, &place);
    if (place.end <= turn->latest + problem->duration[v]) {
        gaps->plan.switch_of[v] = place.k;
        gaps->plan.start[v] = place.end - flux_problem_duration(problem, v, place.k);
        return flux_timelines_place(timelines, v, place.k, &place.fit);
    }
    gaps->node[gaps->count++] = v;
    return FLUX_OK;
}

int flux_gaps_fill(const struct flux_problem *problem, const uint8_t *inside, const struct flux_plan *relaxed,
                   int64_t limit, struct flux_arena *arena, struct flux_gaps *gaps)
{
    struct flux_lanes lanes;
    struct flux_timelines timelines;
    struct turn *turns = flux_arena_alloc(arena, problem->nodes, sizeof *turns);
    gaps->node = flux_arena_alloc(arena, problem->nodes, sizeof *gaps->node);
    gaps->count = 0;
    if (!turns || !gaps->node || flux_plan_alloc(&gaps->plan, problem, arena) ||
        flux_lanes_init(&lanes, problem, arena) || flux_timelines_init(&timelines, &lanes, arena))
        return FLUX_E_MEMORY;
    order(problem, inside, relaxed, limit, turns);
    int rc = put_inside(problem, inside, relaxed, &timelines, &gaps->plan);
    for (uint32_t i = 0; i < problem->nodes && !rc; i++)
        if (!inside[turns[i].node])
            rc = put(problem, &timelines, &turns[i], gaps);
    if (!rc && gaps->count == 0)
        flux_plan_measure(&gaps->plan, problem);
    return rc;
}
