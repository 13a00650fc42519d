/* SPDX-License-Identifier: Apache-2.0 */
#include "search/users.h"

#include "search/sequence.h"

#include <libflux/error.h>
#include <string.h>

#define ROOM_FIRST 4u
#define NEIGHBOURS 3
#define LINE_SHARE 256u /* moving users of a line along costs so much less than placing one */

static int key_less(struct flux_user_key a, struct flux_user_key b)
{
    return a.time != b.time ? a.time < b.time : a.node < b.node;
}

int flux_users_init(struct flux_users *users, const struct flux_problem *problem, struct flux_arena *arena)
{
    *users = (struct flux_users){.problem = problem, .arena = arena};
    if (flux_lanes_init(&users->lanes, problem, arena))
        return FLUX_E_MEMORY;
    users->ports = users->lanes.count >> users->lanes.watch;
    users->line = flux_arena_zero(arena, users->ports, sizeof *users->line);
    users->at = flux_arena_alloc(arena, 2 * (uint64_t)problem->nodes, sizeof *users->at);
    users->switch_of = flux_arena_alloc(arena, problem->nodes, sizeof *users->switch_of);
    users->early = flux_arena_alloc(arena, problem->nodes, sizeof *users->early);
    users->late = flux_arena_zero(arena, problem->nodes, sizeof *users->late);
    users->order = flux_arena_alloc(arena, problem->nodes, sizeof *users->order);
    users->push = flux_arena_alloc(arena, problem->nodes, sizeof *users->push);
    users->pushed = flux_arena_zero(arena, problem->nodes, sizeof *users->pushed);
    if (!users->line || !users->at || !users->switch_of || !users->early || !users->late || !users->order ||
        !users->push || !users->pushed)
        return FLUX_E_MEMORY;
    for (uint64_t p = 0; p < users->ports; p++)
        users->line[p].initial = FLUX_USERS_NOBODY;
    for (uint64_t i = 0; i < users->lanes.initials; i++)
        users->line[users->lanes.initial[i].lane >> users->lanes.watch].initial = users->lanes.initial[i].circuit;
    return FLUX_OK;
}

static int insert(struct flux_users *users, uint64_t port, uint32_t index, uint32_t entry)
{
    struct flux_user_line *line = &users->line[port];
    if (line->count == line->room) {
        uint32_t room = line->room ? 2 * line->room : ROOM_FIRST;
        uint32_t *wider = flux_arena_alloc(users->arena, room, sizeof *wider);
        if (!wider)
            return FLUX_E_MEMORY;
        if (line->count)
            memcpy(wider, line->entry, line->count * sizeof *wider);
        line->entry = wider;
        line->room = room;
    }
    for (uint32_t i = line->count++; i > index; i--) {
        line->entry[i] = line->entry[i - 1];
        users->at[line->entry[i]] = i;
    }
    line->entry[index] = entry;
    users->at[entry] = index;
    return FLUX_OK;
}

static void take(struct flux_users *users, uint64_t port, uint32_t index)
{
    struct flux_user_line *line = &users->line[port];
    line->count--;
    for (uint32_t i = index; i < line->count; i++) {
        line->entry[i] = line->entry[i + 1];
        users->at[line->entry[i]] = i;
    }
}

/* Whom a user of `port` between places `before` and `after` must wait for (way -1) or make wait (way 1): the nearest
 * one. Under DUPLEX the nearest of its own direction; or of the nearest other circuit both directions. */
static uint32_t neighbours(const struct flux_users *users, uint64_t port, uint32_t from, int way, uint32_t node,
                           uint32_t found[NEIGHBOURS])
{
    const struct flux_problem *problem = users->problem;
    const struct flux_user_line *line = &users->line[port];
    uint32_t count = 0;
    for (uint32_t i = from; i < line->count; i += (uint32_t)way) { /* below 0 it wraps beyond the count */
        uint32_t other = line->entry[i] >> 1;
        if (count && problem->circuit[other] != problem->circuit[found[0]])
            break;
        if (count && problem->src[other] == problem->src[found[0]])
            continue;
        if (problem->circuit[other] == problem->circuit[node] && problem->src[other] != problem->src[node])
            continue;
        found[count++] = other;
        if (!users->lanes.watch || count == 2 || problem->circuit[other] == problem->circuit[node])
            break;
    }
    return count;
}

static int64_t separation(const struct flux_users *users, uint32_t a, uint32_t b, uint32_t k)
{
    return users->problem->circuit[a] == users->problem->circuit[b] ? 0 : users->problem->delay[k];
}

static void wait_for(const struct flux_users *users, struct flux_window *window, uint32_t other, int64_t gap)
{
    struct flux_user_key early = {users->early[other], other, 0}, late = {users->late[other], other, 0};
    int64_t ready = early.time + flux_users_duration(users, other) + gap;
    window->ready = ready > window->ready ? ready : window->ready;
    window->after[0] = key_less(window->after[0], early) ? early : window->after[0];
    window->after[1] = key_less(window->after[1], late) ? late : window->after[1];
}

static void be_before(const struct flux_users *users, struct flux_window *window, uint32_t other, int64_t gap)
{
    struct flux_user_key early = {users->early[other], other, 0}, late = {users->late[other], other, 0};
    int64_t due = late.time - gap;
    window->due = due < window->due ? due : window->due;
    window->before[0] = key_less(early, window->before[0]) ? early : window->before[0];
    window->before[1] = key_less(late, window->before[1]) ? late : window->before[1];
}

static const struct flux_user_key first_key = {-FLUX_TIME_MAX, 0, 0}, last_key = {FLUX_TIME_MAX, FLUX_NONE, 0};

static void wait_for_arcs(const struct flux_users *users, uint32_t node, struct flux_window *window)
{
    const struct flux_problem *problem = users->problem;
    window->ready = problem->release[node];
    window->after[0] = window->after[1] = first_key;
    for (uint64_t i = problem->in_first[node]; i < problem->in_first[node + 1]; i++)
        wait_for(users, window, problem->in[i].node, problem->in[i].lag);
}

static void be_before_arcs(const struct flux_users *users, uint32_t node, struct flux_window *window)
{
    const struct flux_problem *problem = users->problem;
    window->due = users->limit - problem->rest[node];
    window->before[0] = window->before[1] = last_key;
    for (uint64_t i = problem->out_first[node]; i < problem->out_first[node + 1]; i++)
        be_before(users, window, problem->out[i].node, problem->out[i].lag);
}

static void wait_at_ports(const struct flux_users *users, uint32_t node, const struct flux_seat *seat,
                          struct flux_window *window)
{
    uint32_t found[NEIGHBOURS];
    for (uint32_t side = 0; side < 2; side++) {
        uint64_t port = flux_users_port(users, node, side, seat->k);
        uint32_t count = neighbours(users, port, seat->index[side] - 1, -1, node, found);
        uint32_t initial = users->line[port].initial;
        for (uint32_t i = 0; i < count; i++)
            wait_for(users, window, found[i], separation(users, found[i], node, seat->k));
        if (!count && initial != FLUX_USERS_NOBODY && initial != users->problem->circuit[node] &&
            window->ready < users->problem->delay[seat->k])
            window->ready = users->problem->delay[seat->k];
    }
}

/* `seated` is 1 where the send is there itself. */
static void be_before_at_ports(const struct flux_users *users, uint32_t node, const struct flux_seat *seat,
                               uint32_t seated, struct flux_window *window)
{
    uint32_t found[NEIGHBOURS];
    for (uint32_t side = 0; side < 2; side++) {
        uint64_t port = flux_users_port(users, node, side, seat->k);
        uint32_t count = neighbours(users, port, seat->index[side] + seated, 1, node, found);
        for (uint32_t i = 0; i < count; i++)
            be_before(users, window, found[i], separation(users, node, found[i], seat->k));
    }
}

struct flux_window flux_users_window(const struct flux_users *users, uint32_t node)
{
    struct flux_window window;
    wait_for_arcs(users, node, &window);
    be_before_arcs(users, node, &window);
    return window;
}

int flux_users_fits(const struct flux_users *users, uint32_t node, const struct flux_seat *seat,
                    const struct flux_window *by_arcs)
{
    struct flux_window window = *by_arcs;
    wait_at_ports(users, node, seat, &window);
    be_before_at_ports(users, node, seat, 0, &window);
    if (window.ready > window.due - flux_problem_duration(users->problem, node, seat->k))
        return 0;
    return key_less(window.after[0], window.before[0]) || key_less(window.after[1], window.before[1]);
}

struct flux_seat flux_users_seat(const struct flux_users *users, uint32_t node)
{
    return (struct flux_seat){users->switch_of[node],
                              {users->at[2 * (uint64_t)node], users->at[2 * (uint64_t)node + 1]}};
}

static void set_early(struct flux_users *users, uint32_t node)
{
    struct flux_window window;
    wait_for_arcs(users, node, &window);
    if (users->switch_of[node] != FLUX_NONE) {
        struct flux_seat seat = flux_users_seat(users, node);
        wait_at_ports(users, node, &seat, &window);
    }
    users->early[node] = window.ready;
}

static void set_late(struct flux_users *users, uint32_t node)
{
    struct flux_window window;
    be_before_arcs(users, node, &window);
    if (users->switch_of[node] != FLUX_NONE) {
        struct flux_seat seat = flux_users_seat(users, node);
        be_before_at_ports(users, node, &seat, 1, &window);
    }
    users->late[node] = window.due - flux_users_duration(users, node);
}

void flux_users_take_out(struct flux_users *users, uint32_t node)
{
    for (uint32_t side = 0; side < 2; side++)
        take(users, flux_users_port(users, node, side, users->switch_of[node]), users->at[2 * (uint64_t)node + side]);
}

struct pushing {
    struct flux_users *users;
    uint64_t first;
    uint64_t count;
    int way; /* 1: whoever starts too early, -1: whoever is too late */
};

static void push_to(struct pushing *pushing, uint32_t other, int64_t bound)
{
    struct flux_users *users = pushing->users;
    int64_t *time = pushing->way > 0 ? &users->early[other] : &users->late[other];
    if (pushing->way > 0 ? *time >= bound : *time <= bound)
        return;
    *time = bound;
    if (!users->pushed[other]) {
        users->pushed[other] = 1;
        users->push[(pushing->first + pushing->count++) % users->problem->nodes] = other;
    }
}

/* From the node's time to those that wait for it, or that it waits for. */
static void push_from(struct pushing *pushing, uint32_t node)
{
    struct flux_users *users = pushing->users;
    const struct flux_problem *problem = users->problem;
    int way = pushing->way;
    uint32_t k = users->switch_of[node], found[NEIGHBOURS];
    const uint64_t *first = way > 0 ? problem->out_first : problem->in_first;
    const struct flux_arc *arc = way > 0 ? problem->out : problem->in;
    int64_t from = way > 0 ? users->early[node] + flux_users_duration(users, node) : users->late[node];
    for (uint64_t i = first[node]; i < first[node + 1]; i++)
        push_to(pushing, arc[i].node,
                way > 0 ? from + arc[i].lag : from - arc[i].lag - flux_users_duration(users, arc[i].node));
    for (uint32_t side = 0; side < 2 && k != FLUX_NONE; side++) {
        uint32_t index = users->at[2 * (uint64_t)node + side];
        uint32_t count =
            neighbours(users, flux_users_port(users, node, side, k), index + (uint32_t)way, way, node, found);
        for (uint32_t i = 0; i < count; i++) {
            int64_t gap = separation(users, found[i], node, k);
            push_to(pushing, found[i], way > 0 ? from + gap : from - gap - flux_problem_duration(problem, found[i], k));
        }
    }
}

static void push(struct flux_users *users, uint32_t node, int way)
{
    struct pushing pushing = {users, 0, 0, way};
    push_from(&pushing, node);
    while (pushing.count) {
        uint32_t next = users->push[pushing.first];
        pushing.first = (pushing.first + 1) % users->problem->nodes;
        pushing.count--;
        users->pushed[next] = 0;
        users->work++;
        push_from(&pushing, next);
    }
}

int flux_users_put_back(struct flux_users *users, uint32_t node, const struct flux_seat *seat)
{
    users->switch_of[node] = seat->k;
    for (uint32_t side = 0; side < 2; side++)
        if (insert(users, flux_users_port(users, node, side, seat->k), seat->index[side], node << 1 | side))
            return FLUX_E_MEMORY;
        else
            users->work += users->line[flux_users_port(users, node, side, seat->k)].count / LINE_SHARE;
    return FLUX_OK;
}

int flux_users_put(struct flux_users *users, uint32_t node, const struct flux_seat *seat)
{
    if (flux_users_put_back(users, node, seat))
        return FLUX_E_MEMORY;
    set_early(users, node);
    set_late(users, node);
    push(users, node, 1);
    push(users, node, -1);
    return FLUX_OK;
}

uint32_t flux_users_place(const struct flux_users *users, uint64_t port, uint32_t node)
{
    const struct flux_user_line *line = &users->line[port];
    const struct flux_user_key own = {users->early[node], node, 0};
    uint32_t low = 0, high = line->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2, other = line->entry[middle] >> 1;
        if (key_less((struct flux_user_key){users->early[other], other, 0}, own))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void flux_users_pin(struct flux_users *users, uint32_t node)
{
    users->late[node] = users->early[node];
    push(users, node, -1);
}

int flux_users_settle(struct flux_users *users)
{
    const struct flux_problem *problem = users->problem;
    struct flux_arena scratch;
    flux_arena_init(&scratch, users->arena->memory);
    for (uint32_t v = 0; v < problem->nodes; v++)
        users->order[v] = v;
    int rc = flux_sequence_sort(users->order, problem->nodes, users->early, &scratch);
    flux_arena_free(&scratch);
    for (uint32_t i = 0; i < problem->nodes && !rc; i++)
        set_early(users, users->order[i]);
    for (uint32_t i = problem->nodes; i-- > 0 && !rc;)
        set_late(users, users->order[i]);
    users->work += problem->nodes;
    return rc;
}

int flux_users_load(struct flux_users *users, const struct flux_plan *plan)
{
    const struct flux_problem *problem = users->problem;
    struct flux_arena scratch;
    flux_arena_init(&scratch, users->arena->memory);
    memcpy(users->switch_of, plan->switch_of, problem->nodes * sizeof *users->switch_of);
    memcpy(users->early, plan->start, problem->nodes * sizeof *users->early);
    for (uint64_t p = 0; p < users->ports; p++)
        users->line[p].count = 0;
    for (uint32_t v = 0; v < problem->nodes; v++)
        users->order[v] = v;
    int rc = flux_sequence_sort(users->order, problem->nodes, users->early, &scratch);
    flux_arena_free(&scratch);
    for (uint32_t i = 0; i < problem->nodes && !rc; i++) {
        uint32_t v = users->order[i];
        for (uint32_t side = 0; side < 2 && users->switch_of[v] != FLUX_NONE && !rc; side++) {
            uint64_t port = flux_users_port(users, v, side, users->switch_of[v]);
            rc = insert(users, port, users->line[port].count, v << 1 | side);
        }
    }
    return rc ? rc : flux_users_settle(users);
}

void flux_users_read(const struct flux_users *users, struct flux_plan *plan)
{
    memcpy(plan->switch_of, users->switch_of, users->problem->nodes * sizeof *plan->switch_of);
    memcpy(plan->start, users->early, users->problem->nodes * sizeof *plan->start);
    flux_plan_measure(plan, users->problem);
}
