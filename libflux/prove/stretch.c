/* SPDX-License-Identifier: Apache-2.0 */
#include "prove/stretch.h"

#include "prove/piece.h"

#include <libflux/error.h>
#include <string.h>

static int make_room(const struct flux_problem *whole, struct flux_arena *arena, struct flux_stretch *stretch)
{
    uint64_t n = whole->nodes, cells = (uint64_t)stretch->count * whole->switches;
    int64_t *ready = flux_arena_zero(arena, cells, sizeof *ready);
    int64_t *after = flux_arena_zero(arena, cells, sizeof *after);
    uint8_t *fixed = flux_arena_zero(arena, stretch->count, 1);
    stretch->tail = flux_arena_alloc(arena, n, sizeof *stretch->tail);
    stretch->frame = (struct flux_frame){ready, after, fixed};
    return ready && after && fixed && stretch->tail ? flux_plan_alloc(&stretch->plan, &stretch->piece, arena)
                                                    : FLUX_E_MEMORY;
}

/* Which sends are inside, ascending. */
static int choose(const struct flux_problem *whole, const uint32_t *order, uint32_t first, uint32_t end,
                  struct flux_arena *arena, struct flux_stretch *stretch)
{
    stretch->where = flux_arena_alloc(arena, whole->nodes, 1);
    stretch->nodes = flux_arena_alloc(arena, end - first, sizeof *stretch->nodes);
    if (!stretch->where || !stretch->nodes)
        return FLUX_E_MEMORY;
    for (uint32_t i = 0; i < whole->nodes; i++)
        stretch->where[order[i]] = i < first ? FLUX_BEFORE : i < end ? FLUX_INSIDE : FLUX_AFTER;
    for (uint32_t v = 0; v < whole->nodes; v++)
        if (stretch->where[v] == FLUX_INSIDE && flux_problem_is_send(whole, v))
            stretch->nodes[stretch->count++] = v;
    return FLUX_OK;
}

/* Earliest starts, with what is before where it is; from the begin for all that is not after. */
static void set_heads(const struct flux_problem *whole, const struct flux_plan *plan, int64_t *head,
                      const uint8_t *where)
{
    for (uint32_t v = 0; v < whole->nodes; v++) {
        head[v] = where[v] == FLUX_BEFORE ? plan->start[v] : whole->head[v];
        for (uint64_t i = whole->in_first[v]; where[v] == FLUX_INSIDE && i < whole->in_first[v + 1]; i++) {
            uint32_t u = whole->in[i].node;
            int64_t end = where[u] == FLUX_BEFORE ? flux_plan_end(plan, whole, u) : head[u] + whole->duration[u];
            head[v] = end + whole->in[i].lag > head[v] ? end + whole->in[i].lag : head[v];
        }
    }
}

/* From a start to the end of everything, with what is after where it is. */
static void set_tails(const struct flux_problem *whole, const struct flux_plan *plan, const int64_t *latest,
                      struct flux_stretch *stretch)
{
    for (uint32_t v = whole->nodes; v-- > 0;) {
        stretch->tail[v] = whole->duration[v] + whole->tail[v];
        if (stretch->where[v] == FLUX_AFTER)
            stretch->tail[v] = plan->makespan - latest[v];
        for (uint64_t i = whole->out_first[v]; stretch->where[v] == FLUX_INSIDE && i < whole->out_first[v + 1]; i++) {
            int64_t length = whole->duration[v] + whole->out[i].lag + stretch->tail[whole->out[i].node];
            stretch->tail[v] = length > stretch->tail[v] ? length : stretch->tail[v];
        }
    }
}

/* What the users of one port before and after a send of the piece make it wait for. */
static void set_port(const struct flux_problem *whole, const struct flux_plan *plan, uint32_t gpu, uint32_t i,
                     struct flux_stretch *stretch)
{
    uint32_t v = stretch->nodes[i];
    int64_t *ready = stretch->frame.ready, *after = stretch->frame.after;
    for (uint64_t at = whole->touch_first[gpu]; at < whole->touch_first[gpu + 1]; at++) {
        uint32_t u = whole->touch[at], k = plan->switch_of[u];
        uint64_t cell = (uint64_t)i * whole->switches + k;
        int64_t apart = stretch->where[u] == FLUX_INSIDE
                            ? -1
                            : flux_separation(whole->rule, whole->src[u], whole->dst[u], whole->src[v], whole->dst[v],
                                              whole->delay[k]);
        if (apart < 0)
            continue;
        int64_t end = flux_plan_end(plan, whole, u) + apart;
        int64_t rest = flux_problem_duration(whole, v, k) + apart + stretch->tail[u];
        if (stretch->where[u] == FLUX_BEFORE && end > ready[cell])
            ready[cell] = end;
        if (stretch->where[u] == FLUX_AFTER && rest > after[cell])
            after[cell] = rest;
    }
}

/* The longest path that meets no send inside, by arcs. */
static int64_t longest_outside(const struct flux_problem *whole, const struct flux_plan *plan, const int64_t *head,
                               const struct flux_stretch *stretch)
{
    int64_t most = whole->floor;
    for (uint32_t v = 0; v < whole->nodes; v++) {
        int64_t length = 0;
        if (stretch->where[v] == FLUX_INSIDE)
            length = head[v] + stretch->tail[v]; /* no schedule is shorter than through this one */
        else if (stretch->where[v] == FLUX_BEFORE)
            length = flux_plan_end(plan, whole, v) + whole->rest[v];
        for (uint64_t i = whole->out_first[v]; stretch->where[v] == FLUX_BEFORE && i < whole->out_first[v + 1]; i++) {
            uint32_t w = whole->out[i].node;
            int64_t through = flux_plan_end(plan, whole, v) + whole->out[i].lag + stretch->tail[w];
            length = stretch->where[w] == FLUX_AFTER && through > length ? through : length;
        }
        most = length > most ? length : most;
    }
    return most;
}

/* The same through a port: its last user before and the first one after. */
static int64_t longest_on(const struct flux_problem *whole, const struct flux_plan *plan, uint32_t gpu, uint32_t k,
                          const struct flux_stretch *stretch)
{
    uint32_t last = FLUX_NONE, next = FLUX_NONE;
    for (uint64_t at = whole->touch_first[gpu]; at < whole->touch_first[gpu + 1]; at++) {
        uint32_t u = whole->touch[at];
        if (plan->switch_of[u] != k)
            continue;
        if (stretch->where[u] == FLUX_BEFORE && (last == FLUX_NONE || plan->start[u] > plan->start[last]))
            last = u;
        if (stretch->where[u] == FLUX_AFTER && (next == FLUX_NONE || plan->start[u] < plan->start[next]))
            next = u;
    }
    if (last == FLUX_NONE || next == FLUX_NONE)
        return 0;
    int64_t apart = flux_separation(whole->rule, whole->src[last], whole->dst[last], whole->src[next], whole->dst[next],
                                    whole->delay[k]);
    return apart < 0 ? 0 : flux_plan_end(plan, whole, last) + apart + stretch->tail[next];
}

static void set_piece(const struct flux_problem *whole, const struct flux_plan *plan, const int64_t *head,
                      struct flux_stretch *stretch)
{
    for (uint32_t i = 0; i < stretch->count; i++) {
        uint32_t v = stretch->nodes[i];
        stretch->piece.head[i] = head[v];
        stretch->piece.tail[i] = stretch->tail[v] - whole->duration[v];
        stretch->plan.start[i] = plan->start[v];
        stretch->plan.switch_of[i] = plan->switch_of[v];
        set_port(whole, plan, whole->src[v], i, stretch);
        set_port(whole, plan, whole->dst[v], i, stretch);
    }
    stretch->plan.makespan = plan->makespan;
}

int flux_stretch_make(const struct flux_problem *whole, const struct flux_plan *plan, const int64_t *latest,
                      const uint32_t *order, uint32_t first, uint32_t end, struct flux_arena *arena,
                      struct flux_stretch *stretch)
{
    int64_t *head = flux_arena_alloc(arena, whole->nodes, sizeof *head);
    memset(stretch, 0, sizeof *stretch);
    int rc = head ? choose(whole, order, first, end, arena, stretch) : FLUX_E_MEMORY;
    stretch->piece.nodes = stretch->count;
    if (!rc)
        rc = make_room(whole, arena, stretch);
    if (rc)
        return rc;
    set_heads(whole, plan, head, stretch->where);
    set_tails(whole, plan, latest, stretch);
    int64_t most = longest_outside(whole, plan, head, stretch);
    for (uint32_t gpu = 0; gpu < whole->gpus; gpu++)
        for (uint32_t k = 0; k < whole->switches; k++) {
            int64_t length = longest_on(whole, plan, gpu, k, stretch);
            most = length > most ? length : most;
        }
    stretch->hopeless = stretch->count < 2 || most >= plan->makespan;
    if (stretch->hopeless)
        return FLUX_OK;
    rc = flux_piece_make(whole, stretch->nodes, stretch->count, arena, &stretch->piece);
    if (rc)
        return rc;
    set_piece(whole, plan, head, stretch);
    stretch->piece.floor = most;
    return FLUX_OK;
}

int flux_stretch_put(const struct flux_stretch *stretch, const struct flux_problem *whole,
                     const struct flux_plan *piece, struct flux_plan *plan, struct flux_arena *scratch)
{
    /* What is after starts as late as it could: only the order counts. */
    int64_t makespan = plan->makespan;
    for (uint32_t v = 0, i = 0; v < whole->nodes; v++) {
        if (stretch->where[v] == FLUX_AFTER)
            plan->start[v] = makespan - stretch->tail[v];
        if (stretch->where[v] != FLUX_INSIDE)
            continue;
        if (flux_problem_is_send(whole, v)) {
            plan->start[v] = piece->start[i];
            plan->switch_of[v] = piece->switch_of[i++];
            continue;
        }
        plan->start[v] = whole->head[v];
        for (uint64_t a = whole->in_first[v]; a < whole->in_first[v + 1]; a++) {
            int64_t time = flux_plan_end(plan, whole, whole->in[a].node) + whole->in[a].lag;
            plan->start[v] = time > plan->start[v] ? time : plan->start[v];
        }
    }
    return flux_plan_shift(plan, whole, scratch);
}
