/* SPDX-License-Identifier: Apache-2.0
 *
 * simulate/program_clock.c - the program by the clock: all events sorted once, and a cursor that goes both ways.
 */
#include "simulate/program.h"

#include "schedule/radix.h"

static void put(struct flux_program_clock *clock, uint32_t kind, uint32_t item, uint32_t k, int64_t time,
                int64_t duration)
{
    clock->events[clock->count++] =
        (struct flux_event){.time = time, .duration = duration, .kind = kind, .item = item, .switch_index = k};
}

/* When each row goes down: as soon as one that replaces it begins to change; INT64_MAX where none does. */
static int64_t *find_downs(const struct flux_program *program, struct flux_arena *scratch)
{
    const struct flux_replay_plan *plan = &program->replay->plan;
    int64_t *down = flux_arena_alloc(scratch, plan->tenures, sizeof *down);
    if (!down)
        return NULL;
    for (uint32_t t = 0; t < plan->tenures; t++)
        down[t] = INT64_MAX;
    for (uint32_t t = 0; t < plan->tenures; t++)
        for (int side = 0; side < 2; side++) {
            uint32_t before = plan->tenure[t].before[side];
            if (before != FLUX_NONE && plan->tenure[t].other[side] &&
                program->replay->audit.tenure[t].begin < down[before])
                down[before] = program->replay->audit.tenure[t].begin;
        }
    return down;
}

/* Kind by kind, each by switch and item, so that sorting by time alone makes the order. */
static void put_all(struct flux_program *program, const int64_t *down)
{
    struct flux_program_clock *clock = &program->clock;
    const struct flux_audit *audit = &program->replay->audit;
    uint32_t sends = program->replay->plan.sends;
    for (uint32_t i = 0; i < sends; i++)
        put(clock, FLUX_EVENT_END, audit->by_switch[i], audit->switch_of[audit->by_switch[i]],
            audit->times[audit->by_switch[i]].end, 0);
    for (uint32_t r = 0; r < program->row_count; r++)
        if (down[program->tenure_of[r]] != INT64_MAX)
            put(clock, FLUX_EVENT_DOWN, r, program->rows[r].switch_index, down[program->tenure_of[r]], 0);
    for (uint32_t r = 0; r < program->row_count; r++)
        if (program->rows[r].changed)
            put(clock, FLUX_EVENT_CHANGE, r, program->rows[r].switch_index, program->rows[r].begin,
                program->rows[r].up - program->rows[r].begin);
    for (uint32_t r = 0; r < program->row_count; r++)
        put(clock, FLUX_EVENT_UP, r, program->rows[r].switch_index, program->rows[r].up, 0);
    for (uint32_t i = 0; i < sends; i++) {
        const struct flux_time *time = &audit->times[audit->by_switch[i]];
        put(clock, FLUX_EVENT_START, audit->by_switch[i], audit->switch_of[audit->by_switch[i]], time->start,
            time->end - time->start);
    }
}

static int is_change(const struct flux_event *event)
{
    return event->kind >= FLUX_EVENT_DOWN && event->kind <= FLUX_EVENT_UP;
}

static int sort_events(struct flux_program *program, struct flux_arena *scratch)
{
    struct flux_program_clock *clock = &program->clock;
    struct flux_event *sorted = flux_arena_alloc(&program->arena, clock->count, sizeof *sorted);
    struct flux_keyed *rows = flux_arena_alloc(scratch, clock->count, sizeof *rows);
    struct flux_keyed *spare = flux_arena_alloc(scratch, clock->count, sizeof *spare);
    if (!sorted || !rows || !spare)
        return FLUX_E_MEMORY;
    for (uint64_t i = 0; i < clock->count; i++)
        rows[i] = (struct flux_keyed){(uint64_t)clock->events[i].time, (uint32_t)i, 0};
    flux_radix_sort(rows, spare, clock->count);
    for (uint64_t i = 0; i < clock->count; i++)
        sorted[i] = clock->events[rows[i].item];
    clock->events = sorted;
    return FLUX_OK;
}

/* For every switch its own events, and for every event the next change. */
static int index_changes(struct flux_program *program)
{
    struct flux_program_clock *clock = &program->clock;
    uint32_t switches = program->replay->plan.switches;
    clock->next_change = flux_arena_alloc(&program->arena, clock->count + 1, sizeof *clock->next_change);
    clock->by_switch = flux_arena_alloc(&program->arena, UINT64_C(3) * program->row_count, sizeof *clock->by_switch);
    clock->first = flux_arena_zero(&program->arena, (uint64_t)switches + 2, sizeof *clock->first);
    clock->passed = flux_arena_alloc(&program->arena, switches, sizeof *clock->passed);
    if (!clock->next_change || !clock->by_switch || !clock->first || !clock->passed)
        return FLUX_E_MEMORY;
    clock->next_change[clock->count] = clock->count;
    for (uint64_t i = clock->count; i-- > 0;)
        clock->next_change[i] = is_change(&clock->events[i]) ? i : clock->next_change[i + 1];
    for (uint64_t i = 0; i < clock->count; i++)
        if (is_change(&clock->events[i]))
            clock->first[clock->events[i].switch_index + 2]++;
    for (uint32_t k = 0; k < switches; k++)
        clock->first[k + 2] += clock->first[k + 1];
    for (uint64_t i = 0; i < clock->count; i++)
        if (is_change(&clock->events[i]))
            clock->by_switch[clock->first[clock->events[i].switch_index + 1]++] = i;
    for (uint32_t k = 0; k < switches; k++)
        clock->passed[k] = clock->first[k];
    return FLUX_OK;
}

static int make_up(struct flux_program *program)
{
    struct flux_program_clock *clock = &program->clock;
    uint32_t switches = program->replay->plan.switches, r = 0;
    clock->row_first = flux_arena_alloc(&program->arena, switches, sizeof *clock->row_first);
    clock->up = flux_arena_alloc(&program->arena, program->row_count, sizeof *clock->up);
    clock->up_count = flux_arena_zero(&program->arena, switches, sizeof *clock->up_count);
    clock->place = flux_arena_alloc(&program->arena, program->row_count, sizeof *clock->place);
    if (!clock->row_first || !clock->up || !clock->up_count || !clock->place)
        return FLUX_E_MEMORY;
    for (uint32_t k = 0; k < switches; k++) {
        clock->row_first[k] = r;
        while (r < program->row_count && program->rows[r].switch_index == k)
            r++;
    }
    return FLUX_OK;
}

int flux_program_make_clock(struct flux_program *program)
{
    struct flux_program_clock *clock = &program->clock;
    struct flux_arena scratch;
    flux_arena_init(&scratch, &program->memory);
    uint64_t most = UINT64_C(2) * program->replay->plan.sends + UINT64_C(3) * program->row_count;
    const int64_t *down = find_downs(program, &scratch);
    int rc = FLUX_E_MEMORY;
    clock->events = flux_arena_alloc(&scratch, most, sizeof *clock->events);
    if (down && clock->events) {
        put_all(program, down);
        rc = sort_events(program, &scratch);
    }
    flux_arena_free(&scratch);
    if (!rc)
        rc = index_changes(program);
    return rc ? rc : make_up(program);
}

static void set_up(struct flux_program_clock *clock, uint32_t k, uint32_t row, int up)
{
    uint32_t *list = &clock->up[clock->row_first[k]];
    if (up) {
        clock->place[row] = clock->up_count[k];
        list[clock->up_count[k]++] = row;
        return;
    }
    uint32_t last = list[--clock->up_count[k]];
    list[clock->place[row]] = last;
    clock->place[last] = clock->place[row];
}

/* Does an event, or undoes it. */
static void pass(struct flux_program_clock *clock, const struct flux_event *event, int forwards)
{
    if (!is_change(event))
        return;
    if (forwards)
        clock->passed[event->switch_index]++;
    else
        clock->passed[event->switch_index]--;
    if (event->kind != FLUX_EVENT_CHANGE)
        set_up(clock, event->switch_index, event->item, (event->kind == FLUX_EVENT_UP) == forwards);
}

int flux_program_peek(const struct flux_program *program, struct flux_event *event)
{
    if (!program || program->clock.at == program->clock.count)
        return 0;
    if (event)
        *event = program->clock.events[program->clock.at];
    return 1;
}

int flux_program_step(struct flux_program *program, struct flux_event *event)
{
    if (!flux_program_peek(program, event))
        return 0;
    pass(&program->clock, &program->clock.events[program->clock.at++], 1);
    return 1;
}

int flux_program_seek(struct flux_program *program, int64_t time)
{
    if (!program || time < -1)
        return FLUX_E_ARGUMENT;
    struct flux_program_clock *clock = &program->clock;
    while (clock->at < clock->count && clock->events[clock->at].time <= time)
        pass(clock, &clock->events[clock->at++], 1);
    while (clock->at > 0 && clock->events[clock->at - 1].time > time)
        pass(clock, &clock->events[--clock->at], 0);
    return FLUX_OK;
}

const uint32_t *flux_program_up(const struct flux_program *program, uint32_t switch_index, uint32_t *count)
{
    int there = program && switch_index < program->replay->plan.switches;
    if (count)
        *count = there ? program->clock.up_count[switch_index] : 0;
    return there ? &program->clock.up[program->clock.row_first[switch_index]] : NULL;
}

int64_t flux_program_next_change(const struct flux_program *program, uint32_t switch_index)
{
    if (!program || (switch_index != FLUX_ALL_SWITCHES && switch_index >= program->replay->plan.switches))
        return INT64_MAX;
    const struct flux_program_clock *clock = &program->clock;
    uint64_t next = clock->next_change[clock->at];
    if (switch_index != FLUX_ALL_SWITCHES) {
        uint64_t passed = clock->passed[switch_index];
        next = passed < clock->first[switch_index + 1] ? clock->by_switch[passed] : clock->count;
    }
    return next < clock->count ? clock->events[next].time : INT64_MAX;
}
