/* SPDX-License-Identifier: Apache-2.0
 *
 * compare/course.h - a graph as time goes by, for schedulers that look at what is ready: what is ready when, compute
 * that runs by itself, sends as events, and the slots that they get.
 */
#ifndef FLUX_COMPARE_COURSE_H
#define FLUX_COMPARE_COURSE_H

#include "compare/compare.h"
#include "schedule/precedence.h"
#include "simulate/replay.h"

struct flux_course {
    struct flux_comparing *comparing;
    struct flux_precedence precedence;
    uint32_t *missing_at_first; /* by vertex: edges that lead to it */
    uint32_t *missing;          /* by vertex: those of them whose end is still to come */
    int64_t *ready;             /* by vertex; known once nothing is missing */
    struct flux_slot *slot;     /* by vertex; start -1: not started */
    uint32_t *stack;
    uint64_t stack_count;
    uint64_t first_rank;            /* a send that becomes ready is an event of this rank plus its number */
    struct flux_replay_room events; /* only its heap is used */
};

/* Room for a course whose caller has `others` events of its own at most at a time, with ranks below `others`.
 * Errors: CYCLE, MEMORY. */
int flux_course_make(struct flux_course *course, struct flux_comparing *comparing, uint64_t others);

/* From nothing: compute runs, and sends that wait for none become events. Errors: OVERFLOW. */
int flux_course_begin(struct flux_course *course);

/* Send v goes over switch k from `time` on. The caller makes an event of its end, `slot[v].end`. Errors: OVERFLOW. */
int flux_course_start(struct flux_course *course, uint32_t v, uint32_t k, int64_t time);

/* Send v has ended: what waits for it hears of it. Errors: OVERFLOW. */
int flux_course_end(struct flux_course *course, uint32_t v);

/* The schedule of all sends, checked. Errors: as flux_schedule_from_slots(). */
int flux_course_schedule(struct flux_course *course, struct flux_schedule **schedule);

#endif
