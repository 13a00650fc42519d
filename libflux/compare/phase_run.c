/* SPDX-License-Identifier: Apache-2.0
 *
 * compare/phase_run.c - a run of the phase controller: events in the order of time. At one time sends end first, then a
 * configuration comes up, then sends become ready; then the controller looks whether to change.
 */
#include "compare/phase.h"

#include <string.h>

static int start(struct flux_phase_run *running, uint32_t c, uint32_t v, int64_t time)
{
    int rc = flux_course_start(&running->course, v, running->lanes.switch_of[c], time);
    if (rc)
        return rc;
    running->active[c] = v;
    running->under_way++;
    flux_replay_push(&running->course.events, running->course.slot[v].end, c);
    return FLUX_OK;
}

/* Circuit c of a lane that is up takes the first send in the lane's queue. */
static int serve(struct flux_phase_run *running, uint32_t lane, uint32_t c, int64_t time)
{
    uint32_t v = running->queue_head[lane];
    if (v == FLUX_NONE || running->active[c] != FLUX_NONE)
        return FLUX_OK;
    running->queue_head[lane] = running->next[v];
    running->waiting_of[running->configuration]--;
    return start(running, c, v, time);
}

static int serve_lane(struct flux_phase_run *running, uint32_t l, int64_t time)
{
    const struct flux_phase_lane *lane = &running->lanes.lane[l];
    int rc = FLUX_OK;
    for (uint32_t c = lane->first; !rc && c < lane->first + lane->count; c++)
        rc = serve(running, l, c, time);
    return rc;
}

static int arrive(struct flux_phase_run *running, uint32_t v, int64_t time)
{
    uint32_t l = running->lanes.of[v], configuration = running->lanes.lane[l].configuration;
    running->next[v] = FLUX_NONE;
    if (running->queue_head[l] == FLUX_NONE)
        running->queue_head[l] = v;
    else
        running->next[running->queue_tail[l]] = v;
    running->queue_tail[l] = v;
    running->waited[running->waited_count++] = v;
    running->waiting_of[configuration]++;
    return running->up && configuration == running->configuration ? serve_lane(running, l, time) : FLUX_OK;
}

/* The configuration that is wanted next; FLUX_NONE where nothing is left to be sent. */
static uint32_t find_next(struct flux_phase_run *running, int ahead)
{
    while (running->waited_first < running->waited_count &&
           running->course.slot[running->waited[running->waited_first]].start >= 0)
        running->waited_first++;
    if (running->waited_first < running->waited_count)
        return running->lanes.lane[running->lanes.of[running->waited[running->waited_first]]].configuration;
    uint32_t sends = flux_graph_sends(running->course.comparing->graph);
    while (running->head_first < sends && running->course.slot[running->by_head[running->head_first]].start >= 0)
        running->head_first++;
    return ahead && running->head_first < sends
               ? running->lanes.lane[running->lanes.of[running->by_head[running->head_first]]].configuration
               : FLUX_NONE;
}

/* Everything that happens at `time` has happened: has the phase? */
static int look(struct flux_phase_run *running, int ahead, int64_t time)
{
    if (!running->up || running->under_way || running->waiting_of[running->configuration])
        return FLUX_OK;
    uint32_t next = find_next(running, ahead);
    if (next == FLUX_NONE || next == running->configuration)
        return FLUX_OK;
    if (running->dwell && running->begin >= 0) {
        if (running->begin > FLUX_TIME_MAX - running->dwell)
            return flux_replay_fail_overflow(0, running->course.comparing->error);
        time = running->begin + running->dwell > time ? running->begin + running->dwell : time;
    }
    if (running->delay > FLUX_TIME_MAX - time)
        return flux_replay_fail_overflow(0, running->course.comparing->error);
    running->begin = time;
    running->configuration = next;
    running->up = 0;
    flux_replay_push(&running->course.events, time + running->delay, running->lanes.circuits);
    return FLUX_OK;
}

static int handle(struct flux_phase_run *running, struct flux_replay_event event)
{
    uint32_t circuits = running->lanes.circuits;
    if (event.rank > circuits)
        return arrive(running, (uint32_t)(event.rank - running->course.first_rank), event.time);
    if (event.rank == circuits) {
        int rc = FLUX_OK;
        running->up = 1;
        for (uint32_t l = running->lane_first[running->configuration];
             !rc && l < running->lane_first[running->configuration + 1]; l++)
            rc = serve_lane(running, l, event.time);
        return rc;
    }
    uint32_t c = (uint32_t)event.rank, v = running->active[c];
    running->active[c] = FLUX_NONE;
    running->under_way--;
    int rc = flux_course_end(&running->course, v);
    return rc ? rc : serve(running, running->lanes.of[v], c, event.time);
}

static void reset(struct flux_phase_run *running)
{
    memset(running->queue_head, 0xff, running->lanes.count * sizeof *running->queue_head);
    memset(running->active, 0xff, running->lanes.circuits * sizeof *running->active);
    memset(running->waiting_of, 0, running->lanes.configurations * sizeof *running->waiting_of);
    running->waited_count = running->waited_first = running->head_first = 0;
    running->under_way = 0;
    running->begin = -1;
}

/* The first configuration is there from the start, unless the fabric has other circuits up then. */
int flux_phase_go(struct flux_phase_run *running, int ahead)
{
    struct flux_replay_room *events = &running->course.events;
    uint64_t initials = 0;
    (void)flux_fabric_initial(running->course.comparing->fabric, &initials);
    reset(running);
    int rc = flux_course_begin(&running->course);
    running->up = !initials;
    running->configuration = running->lanes.lane[running->lanes.of[running->by_head[0]]].configuration;
    if (initials) {
        running->begin = 0;
        flux_replay_push(events, running->delay, running->lanes.circuits);
    }
    while (!rc && events->heap_count) {
        struct flux_replay_event event = flux_replay_pop(events);
        rc = handle(running, event);
        if (!rc && (!events->heap_count || events->heap[0].time > event.time))
            rc = look(running, ahead, event.time);
    }
    return rc;
}
