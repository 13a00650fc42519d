/* SPDX-License-Identifier: Apache-2.0
 *
 * compare/course.c - a graph as time goes by: see compare/course.h.
 */
#include "compare/course.h"

#include <string.h>

int flux_course_make(struct flux_course *course, struct flux_comparing *comparing, uint64_t others)
{
    struct flux_arena *arena = comparing->arena;
    struct flux_precedence *precedence = &course->precedence;
    *course = (struct flux_course){.comparing = comparing, .first_rank = others};
    int rc = flux_precedence_read(comparing->graph, arena, precedence, comparing->error);
    uint64_t n = precedence->vertices;
    if (rc)
        return rc;
    course->missing_at_first = flux_arena_zero(arena, n, sizeof *course->missing_at_first);
    course->missing = flux_arena_alloc(arena, n, sizeof *course->missing);
    course->ready = flux_arena_alloc(arena, n, sizeof *course->ready);
    course->slot = flux_arena_alloc(arena, n, sizeof *course->slot);
    course->stack = flux_arena_alloc(arena, n, sizeof *course->stack);
    course->events.heap =
        flux_arena_alloc(arena, flux_graph_sends(comparing->graph) + others, sizeof *course->events.heap);
    if (!course->missing_at_first || !course->missing || !course->ready || !course->slot || !course->stack ||
        !course->events.heap)
        return FLUX_E_MEMORY;
    for (uint64_t e = 0; e < precedence->first[n]; e++)
        course->missing_at_first[precedence->successors[e].vertex]++;
    return FLUX_OK;
}

/* Tells what waits for `v`, which ends at `end`. */
static int tell(struct flux_course *course, uint32_t v, int64_t end)
{
    const struct flux_precedence *precedence = &course->precedence;
    for (uint64_t i = precedence->first[v]; i < precedence->first[v + 1]; i++) {
        const struct flux_successor *edge = &precedence->successors[i];
        int64_t light = flux_precedence_propagation(precedence, course->comparing->fabric, v, edge->vertex);
        if (edge->lag > FLUX_TIME_MAX - light || end > FLUX_TIME_MAX - edge->lag - light)
            return flux_replay_fail_overflow(edge->vertex, course->comparing->error);
        if (end + edge->lag + light > course->ready[edge->vertex])
            course->ready[edge->vertex] = end + edge->lag + light;
        if (--course->missing[edge->vertex] == 0)
            course->stack[course->stack_count++] = edge->vertex;
    }
    return FLUX_OK;
}

static int settle(struct flux_course *course)
{
    struct flux_compute compute;
    int rc = FLUX_OK;
    while (!rc && course->stack_count) {
        uint32_t v = course->stack[--course->stack_count];
        if (course->precedence.to[v] != FLUX_NONE) {
            flux_replay_push(&course->events, course->ready[v], course->first_rank + v);
            continue;
        }
        flux_graph_get_compute(course->comparing->graph, v, &compute);
        if (compute.duration > FLUX_TIME_MAX - course->ready[v])
            return flux_replay_fail_overflow(v, course->comparing->error);
        rc = tell(course, v, course->ready[v] + compute.duration);
    }
    return rc;
}

int flux_course_begin(struct flux_course *course)
{
    const struct flux_graph *graph = course->comparing->graph;
    uint32_t n = course->precedence.vertices;
    memcpy(course->missing, course->missing_at_first, n * sizeof *course->missing);
    course->events.heap_count = 0;
    course->stack_count = 0;
    for (uint32_t v = 0; v < n; v++) {
        struct flux_send send;
        struct flux_compute compute;
        course->slot[v].start = -1;
        if (flux_graph_get_send(graph, v, &send) == FLUX_OK)
            course->ready[v] = send.release;
        else
            course->ready[v] = flux_graph_get_compute(graph, v, &compute) == FLUX_OK ? compute.release : 0;
        if (course->missing[v] == 0)
            course->stack[course->stack_count++] = v;
    }
    return settle(course);
}

int flux_course_start(struct flux_course *course, uint32_t v, uint32_t k, int64_t time)
{
    struct flux_comparing *comparing = course->comparing;
    struct flux_send send;
    flux_graph_get_send(comparing->graph, v, &send);
    int64_t duration = send.duration;
    if ((!duration && flux_fabric_duration(comparing->fabric, k, send.src, send.dst, send.bytes, &duration)) ||
        duration > FLUX_TIME_MAX - time)
        return flux_replay_fail_overflow(v, comparing->error);
    course->slot[v] = (struct flux_slot){v, k, time, time + duration};
    return FLUX_OK;
}

int flux_course_end(struct flux_course *course, uint32_t v)
{
    int rc = tell(course, v, course->slot[v].end);
    return rc ? rc : settle(course);
}

int flux_course_schedule(struct flux_course *course, struct flux_schedule **schedule)
{
    struct flux_comparing *comparing = course->comparing;
    uint64_t count = 0;
    struct flux_slot *slots = flux_arena_alloc(comparing->arena, flux_graph_sends(comparing->graph), sizeof *slots);
    if (!slots)
        return FLUX_E_MEMORY;
    for (uint32_t v = 0; v < course->precedence.vertices; v++)
        if (course->precedence.to[v] != FLUX_NONE)
            slots[count++] = course->slot[v];
    return flux_schedule_from_slots(comparing->graph, comparing->fabric, slots, count, schedule, comparing->error);
}
