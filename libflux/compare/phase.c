/* SPDX-License-Identifier: Apache-2.0
 *
 * compare/phase.c - one configuration of the switches per dimension of parallelism, changed when the phase changes, as
 * Opus does at the boundaries of phases (arXiv 2602.12521); our own rules where that leaves any open.
 *
 * All switches are in one configuration. It stays as long as a send of it is ready or under way. Then they change to
 * the configuration of the send that has waited longest; where none waits, ahead of time to that of the send which
 * would be ready next if nothing ever had to wait for a circuit. The better one of that and of never changing ahead is
 * kept. Sends are not cut: what comes out is a schedule.
 */
#include "compare/phase.h"
#include "schedule/radix.h"

#include <inttypes.h>

static int make_arrays(struct flux_phase_run *running)
{
    struct flux_arena *arena = running->course.comparing->arena;
    uint64_t n = running->course.precedence.vertices, sends = flux_graph_sends(running->course.comparing->graph);
    const struct flux_phase_lanes *lanes = &running->lanes;
    running->lane_first = flux_arena_zero(arena, lanes->configurations + UINT64_C(2), sizeof *running->lane_first);
    running->by_head = flux_arena_alloc(arena, sends, sizeof *running->by_head);
    running->next = flux_arena_alloc(arena, n, sizeof *running->next);
    running->queue_head = flux_arena_alloc(arena, lanes->count, sizeof *running->queue_head);
    running->queue_tail = flux_arena_alloc(arena, lanes->count, sizeof *running->queue_tail);
    running->active = flux_arena_alloc(arena, lanes->circuits, sizeof *running->active);
    running->waited = flux_arena_alloc(arena, sends, sizeof *running->waited);
    running->waiting_of = flux_arena_alloc(arena, lanes->configurations, sizeof *running->waiting_of);
    return running->lane_first && running->by_head && running->next && running->queue_head && running->queue_tail &&
                   running->active && running->waited && running->waiting_of
               ? FLUX_OK
               : FLUX_E_MEMORY;
}

/* When sends would be ready if none waited for a circuit. Sums saturate: only their order counts. */
static int sort_by_head(struct flux_phase_run *running)
{
    struct flux_comparing *comparing = running->course.comparing;
    const struct flux_precedence *precedence = &running->course.precedence;
    uint64_t sends = flux_graph_sends(comparing->graph), count = 0;
    struct flux_keyed *rows = flux_arena_alloc(comparing->arena, sends, sizeof *rows);
    struct flux_keyed *spare = flux_arena_alloc(comparing->arena, sends, sizeof *spare);
    int64_t *head = flux_arena_zero(comparing->arena, precedence->vertices, sizeof *head);
    if (!rows || !spare || !head)
        return FLUX_E_MEMORY;
    for (uint32_t i = 0; i < precedence->vertices; i++) {
        uint32_t v = precedence->order[i];
        struct flux_send send = {0};
        struct flux_compute compute = {0};
        int is_send = flux_graph_get_send(comparing->graph, v, &send) == FLUX_OK;
        if (!is_send)
            flux_graph_get_compute(comparing->graph, v, &compute);
        int64_t release = is_send ? send.release : compute.release;
        int64_t duration = is_send ? flux_compare_duration(comparing, &send) : compute.duration;
        head[v] = head[v] > release ? head[v] : release;
        if (is_send)
            rows[count++] = (struct flux_keyed){(uint64_t)head[v], v, 0};
        for (uint64_t e = precedence->first[v]; e < precedence->first[v + 1]; e++) {
            const struct flux_successor *edge = &precedence->successors[e];
            int64_t end = flux_compare_add(flux_compare_add(head[v], duration), edge->lag);
            head[edge->vertex] = end > head[edge->vertex] ? end : head[edge->vertex];
        }
    }
    flux_radix_sort(rows, spare, count);
    for (uint64_t i = 0; i < count; i++)
        running->by_head[i] = rows[i].item;
    return FLUX_OK;
}

/* Lanes by configuration, and what a change takes. 1 where a lane has no circuit; it is in `without`. */
static int read_lanes(struct flux_phase_run *running, uint32_t *without)
{
    const struct flux_fabric *fabric = running->course.comparing->fabric;
    int lacking = 0;
    for (uint32_t l = running->lanes.count; l-- > 0;) {
        running->lane_first[running->lanes.lane[l].configuration + 1]++;
        if (running->lanes.lane[l].first == FLUX_NONE) {
            *without = l;
            lacking = 1;
        }
    }
    for (uint32_t c = 0; c < running->lanes.configurations; c++)
        running->lane_first[c + 1] += running->lane_first[c];
    for (uint32_t k = 0; k < flux_fabric_switches(fabric); k++) {
        running->delay = flux_fabric_delay(fabric, k) > running->delay ? flux_fabric_delay(fabric, k) : running->delay;
        running->dwell = flux_fabric_dwell(fabric, k) > running->dwell ? flux_fabric_dwell(fabric, k) : running->dwell;
    }
    return lacking;
}

static int make_schedule(struct flux_phase_run *running, int ahead, struct flux_schedule **schedule)
{
    int rc = running->lanes.count ? flux_phase_go(running, ahead) : FLUX_OK;
    return rc ? rc : flux_course_schedule(&running->course, schedule);
}

static int keep_better(struct flux_phase_run *running, uint32_t dimensions)
{
    struct flux_schedule *schedule = NULL, *other = NULL;
    int rc = make_schedule(running, 0, &schedule), ahead = 0;
    if (!rc)
        rc = make_schedule(running, 1, &other);
    if (!rc && flux_schedule_makespan(other) < flux_schedule_makespan(schedule)) {
        struct flux_schedule *worse = schedule;
        schedule = other;
        other = worse;
        ahead = 1;
    }
    flux_schedule_free(other);
    if (rc) {
        flux_schedule_free(schedule);
        return flux_compare_refuse_or_fail(running->course.comparing, rc);
    }
    rc = flux_compare_keep(running->course.comparing, schedule);
    return rc ? rc
              : flux_compare_note(
                    running->course.comparing, "%" PRIu32 " dimension%s, %" PRIu32 " configuration%s, changed %s",
                    dimensions, dimensions == 1 ? "" : "s", running->lanes.configurations,
                    running->lanes.configurations == 1 ? "" : "s", ahead ? "ahead of time" : "when sends wait");
}

int flux_compare_phase(struct flux_comparing *comparing)
{
    struct flux_phase_run running = {.delay = 0};
    struct flux_precedence precedence;
    struct flux_dimensions dimensions;
    uint32_t without = 0;
    int rc = flux_precedence_read(comparing->graph, comparing->arena, &precedence, comparing->error);
    if (!rc)
        rc = flux_dimensions_find(comparing, &precedence, &dimensions);
    if (!rc)
        rc = flux_phase_lanes_make(comparing, &dimensions, &running.lanes);
    if (!rc) /* a circuit that ends its send, each, and the change under way */
        rc = flux_course_make(&running.course, comparing, running.lanes.circuits + UINT64_C(1));
    if (!rc)
        rc = make_arrays(&running);
    if (!rc)
        rc = sort_by_head(&running);
    if (rc)
        return rc;
    if (read_lanes(&running, &without))
        return flux_compare_refuse(comparing, "no configuration has a circuit from %" PRIu32 " to %" PRIu32,
                                   running.lanes.lane[without].src, running.lanes.lane[without].dst);
    return keep_better(&running, dimensions.count);
}
