/* SPDX-License-Identifier: Apache-2.0
 *
 * simulate/program_order.c - the program in order: every action has a gate that counts what it waits for.
 *
 * A send waits for its data, for the send before it on its circuit (the first one for its circuit), and on a switch
 * that goes dark for the changes before it. A circuit's sends wait for its change, and a change for the other circuits
 * at its ports; where a switch goes dark or has a dwell, changes that were planned together wait together. What is done
 * opens each gate that counted it once, so that the work of an iteration is linear in vertices, edges and circuits.
 */
#include "simulate/program.h"

#include <string.h>

static int64_t add(int64_t time, int64_t more)
{
    return more > FLUX_TIME_MAX - time ? FLUX_TIME_MAX : time + more;
}

/* ---- making ---- */

static int make_gates(struct flux_program *program, struct flux_program_gates *gates)
{
    const struct flux_replay_plan *plan = &program->replay->plan;
    struct flux_arena *arena = &program->arena;
    gates->vertex = flux_arena_zero(arena, plan->vertices, sizeof *gates->vertex);
    gates->tenure = flux_arena_zero(arena, plan->tenures, sizeof *gates->tenure);
    gates->change = flux_arena_zero(arena, plan->tenures, sizeof *gates->change);
    gates->group = flux_arena_zero(arena, plan->groups, sizeof *gates->group);
    gates->sends_left = flux_arena_zero(arena, plan->tenures, sizeof *gates->sends_left);
    gates->changes_left = flux_arena_zero(arena, plan->groups, sizeof *gates->changes_left);
    return gates->vertex && gates->tenure && gates->change && gates->group && gates->sends_left && gates->changes_left
               ? FLUX_OK
               : FLUX_E_MEMORY;
}

static int make_room(struct flux_program *program)
{
    const struct flux_replay_plan *plan = &program->replay->plan;
    struct flux_program_order *order = &program->order;
    struct flux_arena *arena = &program->arena;
    uint64_t tenures = plan->tenures, actions = (uint64_t)plan->vertices + program->row_count;
    order->lane_head = flux_arena_alloc(arena, 2 * tenures, sizeof *order->lane_head);
    order->lane_next = flux_arena_alloc(arena, plan->vertices, sizeof *order->lane_next);
    order->follower_first = flux_arena_zero(arena, tenures + 2, sizeof *order->follower_first);
    order->followers = flux_arena_alloc(arena, 2 * tenures, sizeof *order->followers);
    order->opened_first = flux_arena_zero(arena, (uint64_t)plan->groups + 2, sizeof *order->opened_first);
    order->opened = flux_arena_alloc(arena, plan->sends, sizeof *order->opened);
    order->tenure_end = flux_arena_alloc(arena, tenures, sizeof *order->tenure_end);
    order->group_up = flux_arena_alloc(arena, plan->groups, sizeof *order->group_up);
    order->state = flux_arena_alloc(arena, actions, sizeof *order->state);
    order->least = flux_arena_alloc(arena, actions, sizeof *order->least);
    order->queue = flux_arena_alloc(arena, actions, sizeof *order->queue);
    if (make_gates(program, &order->begin) || make_gates(program, &order->now))
        return FLUX_E_MEMORY;
    return order->lane_head && order->lane_next && order->follower_first && order->followers && order->opened_first &&
                   order->opened && order->tenure_end && order->group_up && order->state && order->least && order->queue
               ? FLUX_OK
               : FLUX_E_MEMORY;
}

/* Who takes each tenure's ports next, and what that means for the gates. */
static void read_tenures(struct flux_program *program)
{
    const struct flux_replay_plan *plan = &program->replay->plan;
    struct flux_program_order *order = &program->order;
    struct flux_program_gates *gates = &order->begin;
    for (uint32_t t = 0; t < plan->tenures; t++) {
        const struct flux_replay_tenure *tenure = &plan->tenure[t];
        gates->sends_left[t] = program->replay->audit.tenure[t].sends;
        gates->tenure[t].waits += tenure->other[0] || tenure->other[1] ? 1 : 0;
        for (int side = 0; side < 2; side++) {
            if (tenure->before[side] == FLUX_NONE)
                continue;
            order->follower_first[tenure->before[side] + 2]++;
            if (!tenure->other[side])
                gates->tenure[t].waits++;
            else if (tenure->group == FLUX_NONE)
                gates->change[t].waits++;
            else
                gates->group[tenure->group].waits++;
        }
    }
    for (uint32_t t = 0; t < plan->tenures; t++)
        order->follower_first[t + 2] += order->follower_first[t + 1];
    for (uint64_t lane = 0; lane < UINT64_C(2) * plan->tenures; lane++) {
        uint32_t before = plan->tenure[lane / 2].before[lane % 2];
        if (before != FLUX_NONE)
            order->followers[order->follower_first[before + 1]++] = lane;
    }
    for (uint32_t g = 0; g < plan->groups; g++) {
        gates->changes_left[g] = plan->group[g].count;
        gates->group[g].waits += g > plan->by_switch[plan->group[g].switch_index].group_first;
    }
}

static void read_vertices(struct flux_program *program)
{
    const struct flux_replay_plan *plan = &program->replay->plan;
    struct flux_program_order *order = &program->order;
    struct flux_program_gates *gates = &order->begin;
    memset(order->lane_head, 0xff, UINT64_C(2) * plan->tenures * sizeof *order->lane_head);
    memset(order->lane_next, 0xff, plan->vertices * sizeof *order->lane_next);
    for (uint32_t v = 0; v < plan->vertices; v++) {
        gates->vertex[v].waits = plan->missing[v];
        gates->vertex[v].time = plan->release[v];
        if (plan->tenure_of[v] == FLUX_NONE)
            continue;
        gates->vertex[v].waits += plan->opens[v] != FLUX_NONE ? 2 : 1;
        if (plan->lane_before[v] == FLUX_NONE)
            order->lane_head[UINT64_C(2) * plan->tenure_of[v] + plan->way[v]] = v;
        else
            order->lane_next[plan->lane_before[v]] = v;
        if (plan->closes[v] != FLUX_NONE)
            gates->group[plan->closes[v]].waits++;
        if (plan->opens[v] != FLUX_NONE)
            order->opened_first[plan->opens[v] + 2]++;
    }
    for (uint32_t g = 0; g < plan->groups; g++)
        order->opened_first[g + 2] += order->opened_first[g + 1];
    for (uint32_t v = 0; v < plan->vertices; v++)
        if (plan->opens[v] != FLUX_NONE)
            order->opened[order->opened_first[plan->opens[v] + 1]++] = v;
}

int flux_program_make_order(struct flux_program *program)
{
    if (make_room(program))
        return FLUX_E_MEMORY;
    program->order.actions = program->replay->plan.vertices;
    for (uint32_t r = 0; r < program->row_count; r++)
        program->order.actions += program->rows[r].changed;
    read_tenures(program);
    read_vertices(program);
    return FLUX_OK;
}

/* ---- gates ---- */

/* One of those that were waited for is done. 1 where it was the last. */
static int open_gate(struct flux_program *program, struct flux_program_gate *gate, int64_t time)
{
    program->order.steps++;
    if (time > gate->time)
        gate->time = time;
    return --gate->waits == 0;
}

static void offer(struct flux_program *program, uint32_t kind, uint32_t item, int64_t time)
{
    struct flux_program_order *order = &program->order;
    const struct flux_audit *audit = &program->replay->audit;
    struct flux_event action = {.time = time, .kind = kind, .item = item};
    uint64_t place = item;
    if (kind == FLUX_EVENT_CHANGE) {
        place += program->replay->plan.vertices;
        action.switch_index = program->rows[item].switch_index;
        action.duration = program->rows[item].up - program->rows[item].begin;
    } else {
        action.switch_index = kind == FLUX_EVENT_START ? audit->switch_of[item] : FLUX_NONE;
        action.duration = audit->times[item].end - audit->times[item].start;
    }
    order->steps++;
    order->state[place] = FLUX_PROGRAM_OFFERED;
    order->least[place] = time;
    order->queue[order->queue_tail++] = action;
}

static void offer_vertex(struct flux_program *program, uint32_t v)
{
    int send = program->replay->plan.tenure_of[v] != FLUX_NONE;
    offer(program, send ? FLUX_EVENT_START : FLUX_EVENT_COMPUTE, v, program->order.now.vertex[v].time);
}

static void tell_vertex(struct flux_program *program, uint32_t v, int64_t time)
{
    if (open_gate(program, &program->order.now.vertex[v], time))
        offer_vertex(program, v);
}

/* A circuit is there for its sends: the first of each direction may go. */
static void open_tenure(struct flux_program *program, uint32_t t)
{
    for (uint64_t lane = UINT64_C(2) * t; lane < UINT64_C(2) * t + 2; lane++)
        if (program->order.lane_head[lane] != FLUX_NONE)
            tell_vertex(program, program->order.lane_head[lane], program->order.now.tenure[t].time);
}

static void tell_tenure(struct flux_program *program, uint32_t t, int64_t time)
{
    if (open_gate(program, &program->order.now.tenure[t], time))
        open_tenure(program, t);
}

static void offer_change(struct flux_program *program, uint32_t t, int64_t time)
{
    offer(program, FLUX_EVENT_CHANGE, program->row_of[t], time);
}

/* Changes that were planned together begin; those after them on their switch then wait for one thing less. */
static void begin_groups(struct flux_program *program, uint32_t g)
{
    const struct flux_replay_plan *plan = &program->replay->plan;
    for (;; g++) {
        const struct flux_replay_group *group = &plan->group[g];
        struct flux_program_gate *gate = &program->order.now.group[g];
        for (uint32_t i = group->first; i < group->first + group->count; i++)
            offer_change(program, plan->by_group[i], gate->time);
        if (group->last || !open_gate(program, gate + 1, add(gate->time, plan->by_switch[group->switch_index].dwell)))
            return;
    }
}

static void tell_group(struct flux_program *program, uint32_t g, int64_t time)
{
    if (open_gate(program, &program->order.now.group[g], time))
        begin_groups(program, g);
}

/* The last send of a circuit is done: its ports are free. */
static void end_tenure(struct flux_program *program, uint32_t t)
{
    const struct flux_replay_plan *plan = &program->replay->plan;
    struct flux_program_order *order = &program->order;
    int64_t end = order->tenure_end[t];
    for (uint64_t i = order->follower_first[t]; i < order->follower_first[t + 1]; i++) {
        uint32_t next = (uint32_t)(order->followers[i] / 2);
        if (!plan->tenure[next].other[order->followers[i] % 2])
            tell_tenure(program, next, end);
        else if (plan->tenure[next].group != FLUX_NONE)
            tell_group(program, plan->tenure[next].group, end);
        else if (open_gate(program, &order->now.change[next], end))
            offer_change(program, next, order->now.change[next].time);
    }
}

/* ---- running ---- */

static void copy_gates(const struct flux_program *program)
{
    const struct flux_replay_plan *plan = &program->replay->plan;
    const struct flux_program_gates *begin = &program->order.begin, *now = &program->order.now;
    memcpy(now->vertex, begin->vertex, plan->vertices * sizeof *now->vertex);
    memcpy(now->tenure, begin->tenure, plan->tenures * sizeof *now->tenure);
    memcpy(now->change, begin->change, plan->tenures * sizeof *now->change);
    memcpy(now->group, begin->group, plan->groups * sizeof *now->group);
    memcpy(now->sends_left, begin->sends_left, plan->tenures * sizeof *now->sends_left);
    memcpy(now->changes_left, begin->changes_left, plan->groups * sizeof *now->changes_left);
}

void flux_program_restart(struct flux_program *program)
{
    if (!program)
        return;
    const struct flux_replay_plan *plan = &program->replay->plan;
    struct flux_program_order *order = &program->order;
    copy_gates(program);
    memset(order->tenure_end, 0, plan->tenures * sizeof *order->tenure_end);
    memset(order->group_up, 0, plan->groups * sizeof *order->group_up);
    memset(order->state, FLUX_PROGRAM_WAITS, (uint64_t)plan->vertices + program->row_count);
    order->queue_head = order->queue_tail = order->steps = 0;
    order->left = order->actions;
    for (uint32_t t = 0; t < plan->tenures; t++) {
        if (order->begin.sends_left[t] == 0)
            end_tenure(program, t);
        else if (order->begin.tenure[t].waits == 0)
            open_tenure(program, t);
    }
    for (uint32_t v = 0; v < plan->vertices; v++)
        if (order->begin.vertex[v].waits == 0)
            offer_vertex(program, v);
}

int flux_program_take(struct flux_program *program, struct flux_event *action)
{
    if (!program || program->order.queue_head == program->order.queue_tail)
        return 0;
    struct flux_program_order *order = &program->order;
    const struct flux_event *next = &order->queue[order->queue_head++];
    order->state[next->item + (next->kind == FLUX_EVENT_CHANGE ? (uint64_t)program->replay->plan.vertices : 0)] =
        FLUX_PROGRAM_TAKEN;
    if (action)
        *action = *next;
    return 1;
}

static void end_send(struct flux_program *program, uint32_t v, int64_t time)
{
    const struct flux_replay_plan *plan = &program->replay->plan;
    struct flux_program_order *order = &program->order;
    uint32_t t = plan->tenure_of[v];
    if (time > order->tenure_end[t])
        order->tenure_end[t] = time;
    if (order->lane_next[v] != FLUX_NONE)
        tell_vertex(program, order->lane_next[v], time);
    if (plan->closes[v] != FLUX_NONE)
        tell_group(program, plan->closes[v], time);
    if (--order->now.sends_left[t] == 0)
        end_tenure(program, t);
}

static void end_change(struct flux_program *program, uint32_t row, int64_t time)
{
    struct flux_program_order *order = &program->order;
    uint32_t t = program->tenure_of[row], g = program->replay->plan.tenure[t].group;
    tell_tenure(program, t, time);
    if (g == FLUX_NONE)
        return;
    if (time > order->group_up[g])
        order->group_up[g] = time;
    if (--order->now.changes_left[g] > 0)
        return;
    for (uint64_t i = order->opened_first[g]; i < order->opened_first[g + 1]; i++)
        tell_vertex(program, order->opened[i], order->group_up[g]);
}

/* Its place in `state`, or UINT64_MAX where there is no such action. */
static uint64_t place_of(const struct flux_program *program, uint32_t kind, uint32_t item)
{
    const struct flux_replay_plan *plan = &program->replay->plan;
    if (kind == FLUX_EVENT_CHANGE)
        return item < program->row_count ? (uint64_t)plan->vertices + item : UINT64_MAX;
    if (item >= plan->vertices || (kind != FLUX_EVENT_START && kind != FLUX_EVENT_COMPUTE))
        return UINT64_MAX;
    return (kind == FLUX_EVENT_START) == (plan->tenure_of[item] != FLUX_NONE) ? item : UINT64_MAX;
}

int flux_program_done(struct flux_program *program, uint32_t kind, uint32_t item, int64_t time)
{
    uint64_t place = program ? place_of(program, kind, item) : UINT64_MAX;
    if (place == UINT64_MAX || program->order.state[place] != FLUX_PROGRAM_TAKEN ||
        time < program->order.least[place] || time > FLUX_TIME_MAX)
        return FLUX_E_ARGUMENT;
    program->order.state[place] = FLUX_PROGRAM_DONE;
    program->order.left--;
    if (kind == FLUX_EVENT_CHANGE) {
        end_change(program, item, time);
        return FLUX_OK;
    }
    if (kind == FLUX_EVENT_START)
        end_send(program, item, time);
    const struct flux_precedence *precedence = &program->replay->audit.precedence;
    for (uint64_t i = precedence->first[item]; i < precedence->first[item + 1]; i++)
        tell_vertex(program, precedence->successors[i].vertex, add(time, precedence->successors[i].lag));
    return FLUX_OK;
}

uint64_t flux_program_left(const struct flux_program *program)
{
    return program ? program->order.left : 0;
}
