/* SPDX-License-Identifier: Apache-2.0
 *
 * search/beam.c - beam search (Ow and Morton, Filtered beam search in scheduling, 1988) over the orders of sends on the
 * ports of one GPU. A state is a partial schedule: the ports, and the front: nodes not placed of which some that they
 * wait for is placed, or which wait for none. No send starts before the one placed last, so that an order in time is
 * met once.
 */
#include "search/beam.h"

#include "search/ports.h"

#include <libflux/error.h>
#include <stdlib.h>
#include <string.h>

#define TWINS 2u /* states with the same sends placed and the same circuits up that go on */

struct port {
    int64_t end;
    uint32_t circuit;
    uint32_t padding;
};

struct front {
    int64_t ready;
    uint32_t node;
    uint32_t missing; /* nodes before it that are not placed */
};

/* How a state came to be. */
struct trail {
    int64_t start;
    uint32_t before; /* FLUX_NONE: the first */
    uint32_t node;
    uint32_t k;
    uint32_t padding;
};

struct state {
    uint64_t placed; /* hash of what is */
    int64_t last;    /* start of the send placed last */
    uint64_t front;  /* in the fronts of its level */
    uint32_t fronts;
    uint32_t trail;
};

struct child {
    int64_t score;
    int64_t second;
    uint64_t key; /* hash of placed sends and circuits up */
    int64_t start;
    uint32_t state;
    uint32_t at; /* in its front */
    uint32_t k;
    uint32_t padding;
};

struct level {
    struct state *state; /* width of them */
    struct port *port;   /* by state and switch */
    struct front *front;
    uint64_t fronts, room;
    uint32_t count;
    uint32_t padding;
};

struct beam {
    struct flux_run *run;
    const struct flux_problem *problem;
    const int64_t *tail;
    struct flux_direction direction;
    uint32_t width;
    int by;
    struct level level[2];
    struct child *child;
    uint64_t children, child_room;
    struct trail *trail;
    uint64_t trails;
    uint64_t *set; /* keys of those that go on, hashed */
    uint64_t set_size;
    const struct flux_memory *memory;
};

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static int64_t free_at(const struct beam *beam, const struct port *port, uint32_t k, uint32_t circuit)
{
    if (port->circuit == circuit || port->circuit == FLUX_PORT_NO_CIRCUIT)
        return port->end;
    return port->end + beam->problem->delay[k];
}

static int64_t max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The least end of everything after `child`, and what its ports have lost. */
static void judge(const struct beam *beam, const struct level *level, struct child *child)
{
    const struct flux_problem *problem = beam->problem;
    const struct state *state = &level->state[child->state];
    const struct port *port = &level->port[(uint64_t)child->state * problem->switches];
    const struct front *front = &level->front[state->front];
    uint32_t node = front[child->at].node, circuit = problem->circuit[node];
    int64_t end = child->start + problem->duration[node];
    int64_t least = end + beam->tail[node], lost = 0;
    for (uint32_t i = 0; i < state->fronts; i++) {
        uint32_t v = front[i].node;
        int64_t soonest = FLUX_TIME_MAX;
        if (i == child->at)
            continue;
        for (uint32_t k = 0; k < problem->switches && flux_problem_is_send(problem, v); k++) {
            struct port at = port[k];
            if (k == child->k) {
                at.end = end;
                at.circuit = circuit;
            }
            int64_t time = free_at(beam, &at, k, problem->circuit[v]);
            soonest = time < soonest ? time : soonest;
        }
        soonest = flux_problem_is_send(problem, v) ? max(soonest, child->start) : 0;
        least = max(least, max(soonest, front[i].ready) + problem->duration[v] + beam->tail[v]);
    }
    for (uint64_t i = beam->direction.after_first[node]; i < beam->direction.after_first[node + 1]; i++) {
        uint32_t v = beam->direction.after[i].node;
        least = max(least, end + beam->direction.after[i].lag + problem->duration[v] + beam->tail[v]);
    }
    uint64_t key = state->placed + mix(node + 1);
    for (uint32_t k = 0; k < problem->switches; k++) {
        int64_t free = k == child->k ? end : max(port[k].end, child->start - problem->delay[k]);
        lost += free;
        key += mix(UINT64_C(0x100000000) + (k == child->k ? circuit : port[k].circuit));
    }
    lost -= problem->duration[node];
    child->key = key;
    child->score = beam->by == FLUX_BEAM_BY_END ? least : beam->by == FLUX_BEAM_BY_LOST ? lost : least + lost;
    child->second = beam->by == FLUX_BEAM_BY_LOST ? least : lost;
}

static int add_child(struct beam *beam, const struct level *level, uint32_t s, uint32_t at, uint32_t k, int64_t start)
{
    if (flux_grow(beam->memory, &beam->child, &beam->child_room, beam->children + 1, sizeof *beam->child))
        return FLUX_E_MEMORY;
    struct child *child = &beam->child[beam->children++];
    *child = (struct child){.start = start, .state = s, .at = at, .k = k};
    judge(beam, level, child);
    return flux_run_step(beam->run);
}

/* A send that can go next: on every port that is different from those before. */
static int branch(struct beam *beam, const struct level *level, uint32_t s, uint32_t at)
{
    const struct flux_problem *problem = beam->problem;
    const struct state *state = &level->state[s];
    const struct front *front = &level->front[state->front + at];
    const struct port *port = &level->port[(uint64_t)s * problem->switches];
    int rc = FLUX_OK;
    for (uint32_t k = 0; k < problem->switches && !rc; k++) {
        int same = 0;
        for (uint32_t j = 0; j < k; j++)
            same |= port[j].circuit == port[k].circuit && port[j].end == port[k].end &&
                    problem->delay[j] == problem->delay[k];
        if (same)
            continue;
        int64_t start = max(front->ready, free_at(beam, &port[k], k, problem->circuit[front->node]));
        rc = add_child(beam, level, s, at, k, max(start, state->last));
    }
    return rc;
}

/* Of those that are of one circuit the one with the most after it, and the one that is ready first. */
static int expand(struct beam *beam, const struct level *level, uint32_t s)
{
    const struct flux_problem *problem = beam->problem;
    const struct state *state = &level->state[s];
    const struct front *front = &level->front[state->front];
    int rc = FLUX_OK;
    for (uint32_t i = 0; i < state->fronts && !rc; i++) {
        uint32_t v = front[i].node;
        if (front[i].missing || !flux_problem_is_send(problem, v))
            continue;
        int longest = 1, soonest = 1;
        for (uint32_t j = 0; j < state->fronts && (longest || soonest); j++) {
            uint32_t w = front[j].node;
            if (j == i || front[j].missing || problem->circuit[w] != problem->circuit[v])
                continue;
            int64_t mine = problem->duration[v] + beam->tail[v], other = problem->duration[w] + beam->tail[w];
            if (other > mine ||
                (other == mine && (front[j].ready < front[i].ready || (front[j].ready == front[i].ready && w < v))))
                longest = 0;
            if (front[j].ready < front[i].ready ||
                (front[j].ready == front[i].ready && (other > mine || (other == mine && w < v))))
                soonest = 0;
        }
        if (longest || soonest)
            rc = branch(beam, level, s, i);
    }
    return rc;
}

static int push(struct beam *beam, struct level *level, struct front front)
{
    if (flux_grow(beam->memory, &level->front, &level->room, level->fronts + 1, sizeof *level->front))
        return FLUX_E_MEMORY;
    level->front[level->fronts++] = front;
    return FLUX_OK;
}

/* `node` ended at `end`: those after it wait for one less. Joins that wait for nothing are taken out at once. */
static int release(struct beam *beam, struct level *level, struct state *state, uint32_t node, int64_t end)
{
    const struct flux_direction *direction = &beam->direction;
    int rc = FLUX_OK;
    for (uint64_t i = direction->after_first[node]; i < direction->after_first[node + 1] && !rc; i++) {
        uint32_t v = direction->after[i].node;
        uint64_t at = state->front;
        while (at < level->fronts && level->front[at].node != v)
            at++;
        if (at == level->fronts) {
            uint32_t missing = (uint32_t)(direction->before_first[v + 1] - direction->before_first[v]);
            rc = push(beam, level, (struct front){direction->release[v], v, missing});
            if (rc)
                return rc;
        }
        struct front *front = &level->front[at];
        front->ready = max(front->ready, end + direction->after[i].lag);
        if (--front->missing || flux_problem_is_send(beam->problem, v))
            continue;
        int64_t over = front->ready + beam->problem->duration[v];
        *front = level->front[--level->fronts];
        rc = release(beam, level, state, v, over);
    }
    return rc;
}

static int go_on(struct beam *beam, const struct level *from, struct level *to, const struct child *child)
{
    const struct flux_problem *problem = beam->problem;
    const struct state *before = &from->state[child->state];
    struct state *state = &to->state[to->count];
    struct port *port = &to->port[(uint64_t)to->count * problem->switches];
    uint32_t node = from->front[before->front + child->at].node;
    int64_t end = child->start + problem->duration[node];
    int rc = FLUX_OK;
    *state = (struct state){before->placed + mix(node + 1), child->start, to->fronts, 0, (uint32_t)beam->trails};
    beam->trail[beam->trails++] = (struct trail){child->start, before->trail, node, child->k, 0};
    memcpy(port, &from->port[(uint64_t)child->state * problem->switches], problem->switches * sizeof *port);
    port[child->k].end = end;
    port[child->k].circuit = problem->circuit[node];
    for (uint32_t k = 0; k < problem->switches; k++) /* earlier makes no difference */
        port[k].end = max(port[k].end, child->start - problem->delay[k]);
    for (uint32_t i = 0; i < before->fronts && !rc; i++)
        if (i != child->at)
            rc = push(beam, to, from->front[before->front + i]);
    if (!rc)
        rc = release(beam, to, state, node, end);
    state->fronts = (uint32_t)(to->fronts - state->front);
    to->count++;
    return rc;
}

static int compare(const void *left, const void *right)
{
    const struct child *a = left, *b = right;
    if (a->score != b->score)
        return a->score < b->score ? -1 : 1;
    if (a->second != b->second)
        return a->second < b->second ? -1 : 1;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->state != b->state)
        return a->state < b->state ? -1 : 1;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return a->k < b->k ? -1 : a->k > b->k;
}

/* How often the key is there already, and once more. */
static uint32_t count_key(struct beam *beam, uint64_t key)
{
    uint32_t found = 0;
    uint64_t at = key % beam->set_size;
    key += key == 0;
    for (; beam->set[at]; at = at + 1 < beam->set_size ? at + 1 : 0)
        found += beam->set[at] == key;
    if (found < TWINS)
        beam->set[at] = key;
    return found;
}

static int next_level(struct beam *beam, const struct level *from, struct level *to)
{
    int rc = FLUX_OK;
    beam->children = 0;
    to->count = 0;
    to->fronts = 0;
    for (uint32_t s = 0; s < from->count && !rc; s++)
        rc = expand(beam, from, s);
    if (rc)
        return rc;
    qsort(beam->child, beam->children, sizeof *beam->child, compare);
    memset(beam->set, 0, beam->set_size * sizeof *beam->set);
    for (uint64_t i = 0; i < beam->children && to->count < beam->width && !rc; i++)
        if (count_key(beam, beam->child[i].key) < TWINS)
            rc = go_on(beam, from, to, &beam->child[i]);
    return rc;
}

static int first_level(struct beam *beam, struct level *level)
{
    const struct flux_problem *problem = beam->problem;
    const struct flux_direction *direction = &beam->direction;
    struct state *state = level->state;
    int rc = FLUX_OK;
    *state = (struct state){0, 0, 0, 0, FLUX_NONE};
    level->count = 1;
    for (uint32_t k = 0; k < problem->switches; k++)
        level->port[k] = (struct port){0, FLUX_PORT_NO_CIRCUIT, 0};
    for (uint32_t v = 0; v < problem->nodes && !rc; v++)
        if (direction->before_first[v] == direction->before_first[v + 1] && flux_problem_is_send(problem, v))
            rc = push(beam, level, (struct front){direction->release[v], v, 0});
    for (uint32_t v = 0; v < problem->nodes && !rc; v++)
        if (direction->before_first[v] == direction->before_first[v + 1] && !flux_problem_is_send(problem, v))
            rc = release(beam, level, state, v, direction->release[v] + problem->duration[v]);
    state->fronts = (uint32_t)level->fronts;
    return rc;
}

static int alloc(struct beam *beam)
{
    struct flux_arena *arena = beam->run->arena;
    const struct flux_problem *problem = beam->problem;
    beam->set_size = 4 * (uint64_t)beam->width + 3;
    beam->set = flux_arena_alloc(arena, beam->set_size, sizeof *beam->set);
    beam->trail = flux_arena_alloc(arena, (uint64_t)beam->width * problem->sends, sizeof *beam->trail);
    for (int i = 0; i < 2; i++) {
        beam->level[i].state = flux_arena_alloc(arena, beam->width, sizeof *beam->level[i].state);
        beam->level[i].port =
            flux_arena_alloc(arena, (uint64_t)beam->width * problem->switches, sizeof *beam->level[i].port);
        if (!beam->level[i].state || !beam->level[i].port)
            return FLUX_E_MEMORY;
    }
    return beam->set && beam->trail ? FLUX_OK : FLUX_E_MEMORY;
}

static int read_plan(struct beam *beam, const struct level *level, struct flux_plan *plan)
{
    const struct flux_problem *problem = beam->problem;
    struct flux_arena *arena = beam->run->arena;
    int64_t *end = flux_arena_alloc(arena, problem->nodes, sizeof *end);
    if (!end)
        return FLUX_E_MEMORY;
    for (uint32_t t = level->state[0].trail; t != FLUX_NONE; t = beam->trail[t].before) {
        const struct trail *trail = &beam->trail[t];
        plan->switch_of[trail->node] = trail->k;
        plan->start[trail->node] = trail->start;
    }
    for (uint32_t v = 0; v < problem->nodes; v++) {
        if (!flux_problem_is_send(problem, v)) {
            plan->switch_of[v] = FLUX_NONE;
            plan->start[v] = flux_run_ready(&beam->direction, end, v);
        }
        end[v] = plan->start[v] + problem->duration[v];
    }
    return flux_plan_shift(plan, problem, arena);
}

int flux_run_beam(struct flux_run *run, const int64_t *tail, uint32_t width, int by, struct flux_plan *plan)
{
    struct beam beam = {
        .run = run, .problem = run->problem, .tail = tail, .width = width, .by = by, .memory = run->arena->memory};
    beam.direction = flux_direction_of(run->problem, 0);
    int rc = alloc(&beam);
    uint32_t now = 0;
    if (!rc)
        rc = first_level(&beam, &beam.level[0]);
    for (uint32_t i = 0; i < run->problem->sends && !rc; i++) {
        rc = next_level(&beam, &beam.level[now], &beam.level[!now]);
        now = !now;
    }
    if (!rc)
        rc = read_plan(&beam, &beam.level[now], plan);
    flux_release(beam.memory, beam.child, beam.child_room, sizeof *beam.child);
    for (int i = 0; i < 2; i++)
        flux_release(beam.memory, beam.level[i].front, beam.level[i].room, sizeof *beam.level[i].front);
    return rc;
}
