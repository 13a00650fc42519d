/* SPDX-License-Identifier: Apache-2.0
 *
 * Non-delay dispatch. Sends of one circuit and direction meet the same ports, so of those that wait only the first in
 * the order is looked at: they stand in a queue (a skew heap; Sleator and Tarjan, Self-adjusting heaps, 1986), and the
 * agenda has one line per queue, with the earliest time at which its first could start when that was last worked out.
 * Ports only get busier, so a line that comes up is worked out again, and goes back where its time is now later.
 */
#include "search/ports.h"
#include "search/run.h"

#include <libflux/error.h>
#include <string.h>

/* Lines that may go back: as many as this, and some for every send placed. Iterations of training need 0 to 6 per send.
 * Beyond it so many circuits want the same ports that what is left is appended in order, to stay linear. */
#define PATIENCE_FIRST 4000000
#define PATIENCE 16

struct line {
    int64_t time;
    uint32_t rank;  /* of the send that could start then */
    uint32_t queue; /* in which it is first; FLUX_NONE where it is only becoming ready */
};

struct dispatch {
    struct flux_run *run;
    const struct flux_problem *problem;
    struct flux_plan *plan;
    struct flux_direction direction;
    struct flux_lanes lanes;
    struct flux_ports ports;
    const uint32_t *order; /* by rank */
    uint32_t *rank;        /* by node */
    uint64_t *missing;     /* by node: how many before it are not placed */
    int64_t *end;          /* by node; -1: not placed */
    uint32_t *left;        /* by node, of the queues */
    uint32_t *right;
    uint32_t *first;   /* by queue; FLUX_NONE: empty */
    struct line *live; /* by queue: its line that counts; older ones are passed over */
    struct line *agenda;
    uint64_t lines;
    uint32_t *joins; /* stack of joins to place */
    uint32_t join_count;
    uint64_t patience;
};

static int earlier(const struct line *a, const struct line *b)
{
    return a->time != b->time ? a->time < b->time : a->rank < b->rank;
}

static void agenda_push(struct dispatch *d, struct line line)
{
    uint64_t i = d->lines++;
    for (; i > 0 && earlier(&line, &d->agenda[(i - 1) / 4]); i = (i - 1) / 4)
        d->agenda[i] = d->agenda[(i - 1) / 4];
    d->agenda[i] = line;
}

static struct line agenda_pop(struct dispatch *d)
{
    struct line top = d->agenda[0];
    struct line last = d->agenda[--d->lines];
    uint64_t i = 0;
    for (uint64_t child; (child = 4 * i + 1) < d->lines; i = child) {
        uint64_t stop = child + 4 < d->lines ? child + 4 : d->lines;
        for (uint64_t other = child + 1; other < stop; other++)
            child = earlier(&d->agenda[other], &d->agenda[child]) ? other : child;
        if (!earlier(&d->agenda[child], &last))
            break;
        d->agenda[i] = d->agenda[child];
    }
    d->agenda[i] = last;
    return top;
}

static uint32_t queue_of(const struct dispatch *d, uint32_t node)
{
    uint32_t circuit = d->problem->circuit[node];
    return d->lanes.watch ? 2 * circuit + (d->problem->src[node] > d->problem->dst[node]) : circuit;
}

static uint32_t meld(const struct dispatch *d, uint32_t a, uint32_t b)
{
    uint32_t root = FLUX_NONE;
    uint32_t *hole = &root;
    while (a != FLUX_NONE && b != FLUX_NONE) {
        uint32_t top = d->rank[a] < d->rank[b] ? a : b;
        b = top == a ? b : a;
        a = d->right[top];
        d->right[top] = d->left[top];
        *hole = top;
        hole = &d->left[top];
    }
    *hole = a != FLUX_NONE ? a : b;
    return root;
}

static void set_live(struct dispatch *d, uint32_t queue, int64_t time)
{
    d->live[queue] = (struct line){time, d->rank[d->first[queue]], queue};
    agenda_push(d, d->live[queue]);
}

static void let_go(struct dispatch *d, uint32_t node)
{
    const struct flux_direction *direction = &d->direction;
    for (uint64_t i = direction->after_first[node]; i < direction->after_first[node + 1]; i++) {
        uint32_t next = direction->after[i].node;
        if (--d->missing[next])
            continue;
        if (!flux_problem_is_send(d->problem, next)) {
            d->joins[d->join_count++] = next;
            continue;
        }
        agenda_push(d, (struct line){flux_run_ready(direction, d->end, next), d->rank[next], FLUX_NONE});
    }
}

static int place_joins(struct dispatch *d)
{
    int rc = FLUX_OK;
    while (!rc && d->join_count) {
        uint32_t v = d->joins[--d->join_count];
        d->plan->switch_of[v] = FLUX_NONE;
        d->plan->start[v] = flux_run_ready(&d->direction, d->end, v);
        d->end[v] = d->plan->start[v] + d->problem->duration[v];
        let_go(d, v);
        rc = flux_run_step(d->run);
    }
    return rc;
}

static int place_send(struct dispatch *d, uint32_t node, const struct flux_appended *place)
{
    flux_ports_append(&d->ports, node, place);
    d->plan->switch_of[node] = place->k;
    d->plan->start[node] = place->start;
    d->end[node] = place->end;
    d->patience += PATIENCE;
    let_go(d, node);
    int rc = flux_run_is_late(d->run, place->end, d->problem->tail[node]) ? FLUX_RUN_LATE : flux_run_step(d->run);
    return rc ? rc : place_joins(d);
}

static int look_at_node(struct dispatch *d, const struct line *line)
{
    uint32_t node = d->order[line->rank];
    uint32_t queue = queue_of(d, node);
    struct flux_appended place;
    flux_ports_choose(&d->ports, node, line->time, FLUX_APPEND_STARTS_FIRST, &place);
    if (place.start == line->time)
        return place_send(d, node, &place);
    uint32_t empty = d->first[queue] == FLUX_NONE;
    d->first[queue] = meld(d, d->first[queue], node);
    struct line mine = {place.start, line->rank, queue};
    if (empty || earlier(&mine, &d->live[queue]))
        set_live(d, queue, place.start);
    return FLUX_OK;
}

static int look_at_queue(struct dispatch *d, const struct line *line)
{
    uint32_t queue = line->queue;
    struct flux_appended place;
    if (d->first[queue] == FLUX_NONE || d->live[queue].time != line->time || d->live[queue].rank != line->rank)
        return FLUX_OK; /* an older line of it */
    uint32_t node = d->first[queue];
    flux_ports_choose(&d->ports, node, line->time, FLUX_APPEND_STARTS_FIRST, &place);
    if (place.start > line->time) {
        d->patience--;
        set_live(d, queue, place.start);
        return FLUX_OK;
    }
    d->first[queue] = meld(d, d->left[node], d->right[node]);
    int rc = place_send(d, node, &place);
    if (!rc && d->first[queue] != FLUX_NONE)
        set_live(d, queue, line->time); /* worked out when it comes up */
    return rc;
}

/* What needs nothing before it. */
static int begin(struct dispatch *d)
{
    for (uint32_t v = 0; v < d->problem->nodes; v++) {
        d->missing[v] = d->direction.before_first[v + 1] - d->direction.before_first[v];
        d->left[v] = d->right[v] = FLUX_NONE;
        d->end[v] = -1;
        if (d->missing[v])
            continue;
        if (flux_problem_is_send(d->problem, v))
            agenda_push(d, (struct line){d->problem->release[v], d->rank[v], FLUX_NONE});
        else
            d->joins[d->join_count++] = v;
    }
    return place_joins(d);
}

static int prepare(struct dispatch *d, struct flux_arena *arena)
{
    uint64_t nodes = d->problem->nodes;
    int rc = flux_lanes_init(&d->lanes, d->problem, arena);
    uint64_t queues = (uint64_t)d->problem->circuits << (d->problem->rule == FLUX_RULE_DUPLEX);
    if (rc)
        return rc;
    if (queues >= FLUX_NONE)
        return FLUX_E_MEMORY;
    d->rank = flux_arena_alloc(arena, nodes, sizeof *d->rank);
    d->missing = flux_arena_alloc(arena, nodes, sizeof *d->missing);
    d->end = flux_arena_alloc(arena, nodes, sizeof *d->end);
    d->left = flux_arena_alloc(arena, nodes, sizeof *d->left);
    d->right = flux_arena_alloc(arena, nodes, sizeof *d->right);
    d->joins = flux_arena_alloc(arena, nodes, sizeof *d->joins);
    d->first = flux_arena_alloc(arena, queues, sizeof *d->first);
    d->live = flux_arena_alloc(arena, queues, sizeof *d->live);
    /* At most two lines per send: the one that let it go or put it first in its queue, and one for what it left
     * behind there. */
    d->agenda = flux_arena_alloc(arena, 2 * nodes, sizeof *d->agenda);
    if (!d->rank || !d->missing || !d->end || !d->left || !d->right || !d->joins || !d->first || !d->live || !d->agenda)
        return FLUX_E_MEMORY;
    for (uint32_t i = 0; i < nodes; i++)
        d->rank[d->order[i]] = i;
    for (uint64_t q = 0; q < queues; q++)
        d->first[q] = FLUX_NONE;
    return flux_ports_init(&d->ports, &d->lanes, arena);
}

/* What is not placed yet, in order. */
static int append_rest(struct dispatch *d)
{
    int rc = FLUX_OK;
    d->lines = 0;
    for (uint32_t i = 0; !rc && i < d->problem->nodes; i++) {
        uint32_t v = d->order[i];
        struct flux_appended place;
        if (d->end[v] >= 0)
            continue;
        int64_t ready = flux_run_ready(&d->direction, d->end, v);
        flux_ports_choose(&d->ports, v, ready, FLUX_APPEND_STARTS_FIRST, &place);
        rc = place_send(d, v, &place);
        d->lines = 0; /* what that let go comes up in its turn */
    }
    return rc;
}

int flux_run_dispatch(struct flux_run *run, const uint32_t *order, struct flux_plan *plan)
{
    struct dispatch d = {.run = run, .problem = run->problem, .plan = plan, .order = order};
    d.direction = flux_direction_of(run->problem, 0);
    d.patience = PATIENCE_FIRST;
    int rc = prepare(&d, run->arena);
    if (!rc)
        rc = begin(&d);
    while (!rc && d.lines && d.patience) {
        struct line line = agenda_pop(&d);
        rc = line.queue == FLUX_NONE ? look_at_node(&d, &line) : look_at_queue(&d, &line);
    }
    return rc || !d.lines ? rc : append_rest(&d);
}
