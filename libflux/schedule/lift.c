/* SPDX-License-Identifier: Apache-2.0
 *
 * schedule/lift.c - the heads and tails of a lifted certificate, step by step as docs/certificates.md defines them.
 */
#include "schedule/lift.h"

#include "base/fail.h"
#include "schedule/port_share.h"

#include <inttypes.h>
#include <string.h>

/* One direction: for heads what comes before, for tails what comes after. */
struct direction {
    int tails;
    int64_t *time;                 /* heads or tails, being raised */
    uint64_t *first;               /* by vertex */
    struct flux_successor *nearer; /* the other end of each edge, and its lag with propagation */
    uint32_t *lift;                /* by vertex: its first lift in this direction; FLUX_NONE */
};

struct lifting {
    struct flux_lengths *lengths;
    const struct flux_lift *lifts;
    struct flux_arena arena;
    uint32_t *position;      /* by vertex: in the order */
    uint32_t *next;          /* by lift: another one of the same vertex and direction */
    uint8_t *met;            /* by vertex */
    int64_t *lag;            /* by vertex met: the longest time between it and the lift's vertex */
    uint32_t *list;          /* vertices met; then those that count */
    struct flux_keyed *rows; /* vertices met, in order */
    struct flux_keyed *spare;
};

static int lag_overflow(const struct lifting *lifting)
{
    return flux_fail(lifting->lengths->error, FLUX_E_OVERFLOW, "lifted times are beyond 2^62 ps");
}

static int make_direction(struct lifting *lifting, int tails, struct direction *direction)
{
    const struct flux_lengths *lengths = lifting->lengths;
    const struct flux_precedence *precedence = &lengths->precedence;
    uint64_t vertices = precedence->vertices, edges = precedence->first[vertices];
    *direction = (struct direction){.tails = tails, .time = tails ? lengths->tail : lengths->head};
    direction->first = flux_arena_zero(&lifting->arena, vertices + 2, sizeof *direction->first);
    direction->nearer = flux_arena_alloc(&lifting->arena, edges, sizeof *direction->nearer);
    direction->lift = flux_arena_alloc(&lifting->arena, vertices, sizeof *direction->lift);
    if (!direction->first || !direction->nearer || !direction->lift)
        return flux_fail_memory(lengths->error);
    memset(direction->lift, 0xff, vertices * sizeof *direction->lift);
    for (uint32_t u = 0; u < vertices; u++)
        for (uint64_t e = precedence->first[u]; e < precedence->first[u + 1]; e++)
            direction->first[(tails ? u : precedence->successors[e].vertex) + 2]++;
    for (uint64_t v = 0; v < vertices; v++)
        direction->first[v + 2] += direction->first[v + 1];
    for (uint32_t u = 0; u < vertices; u++)
        for (uint64_t e = precedence->first[u]; e < precedence->first[u + 1]; e++) {
            uint32_t x = precedence->successors[e].vertex;
            int64_t lag =
                precedence->successors[e].lag + flux_precedence_propagation(precedence, lengths->fabric, u, x);
            uint64_t at = direction->first[(tails ? u : x) + 1]++;
            direction->nearer[at] = (struct flux_successor){tails ? x : u, 0, lag};
        }
    return FLUX_OK;
}

/* All vertices before (after) `v` with a time of at least `edge`, nearest first, and their lags. */
static uint64_t meet(struct lifting *lifting, const struct direction *direction, uint32_t v, int64_t edge)
{
    const struct flux_lengths *lengths = lifting->lengths;
    uint64_t count = 0;
    lifting->list[count++] = v;
    lifting->met[v] = 1;
    lifting->lag[v] = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t x = lifting->list[i];
        for (uint64_t e = direction->first[x]; e < direction->first[x + 1]; e++) {
            uint32_t u = direction->nearer[e].vertex;
            if (lifting->met[u] || direction->time[u] < edge)
                continue;
            lifting->met[u] = 1;
            lifting->lag[u] = -1;
            lifting->list[count++] = u;
        }
    }
    for (uint64_t i = 0; i < count; i++) {
        uint32_t u = lifting->list[i], at = lifting->position[u];
        lifting->rows[i] = (struct flux_keyed){direction->tails ? at : FLUX_NONE - at, u, 0};
    }
    flux_radix_sort(lifting->rows, lifting->spare, count);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t x = lifting->rows[i].item;
        int64_t past = x == v ? 0 : lifting->lag[x] + lengths->duration[x];
        for (uint64_t e = direction->first[x]; e < direction->first[x + 1]; e++) {
            const struct flux_successor *edge_to = &direction->nearer[e];
            if (lifting->met[edge_to->vertex] && past + edge_to->lag > lifting->lag[edge_to->vertex])
                lifting->lag[edge_to->vertex] = past + edge_to->lag;
        }
    }
    for (uint64_t i = 0; i < count; i++)
        lifting->met[lifting->list[i]] = 0;
    return count;
}

static int apply(struct lifting *lifting, const struct direction *direction, const struct flux_lift *lift)
{
    const struct flux_lengths *lengths = lifting->lengths;
    struct flux_port_sum sum;
    uint64_t met = meet(lifting, direction, lift->vertex, lift->edge), count = 0;
    for (uint64_t i = 1; i < met; i++) {
        uint32_t u = lifting->list[i];
        if (lifting->lag[u] >= lift->lag && flux_port_has(lengths, lift->gpu, lift->side, u))
            lifting->list[count++] = u;
    }
    if (count == 0)
        return FLUX_OK;
    int rc = flux_port_sum_find(lengths, lift->gpu, lifting->list, count, lifting->arena.memory, &sum);
    if (rc)
        return rc;
    flux_wide time = flux_ceil_div(flux_port_sum_setups(&sum), sum.links);
    rc = flux_port_share_raise(lengths, lift->gpu, lifting->list, count, &sum, lifting->arena.memory, &time);
    if (rc)
        return rc;
    time += (flux_wide)lift->edge + lift->lag;
    if (time > FLUX_TIME_MAX)
        return lag_overflow(lifting);
    if (time > direction->time[lift->vertex])
        direction->time[lift->vertex] = (int64_t)time;
    return FLUX_OK;
}

/* Every vertex in order: its longest path by lifted times, then its lifts. */
static int raise(struct lifting *lifting, const struct direction *direction)
{
    const struct flux_lengths *lengths = lifting->lengths;
    uint32_t vertices = lengths->precedence.vertices;
    for (uint32_t i = 0; i < vertices; i++) {
        uint32_t v = lengths->precedence.order[direction->tails ? vertices - 1 - i : i];
        for (uint64_t e = direction->first[v]; e < direction->first[v + 1]; e++) {
            const struct flux_successor *edge = &direction->nearer[e];
            flux_wide time = (flux_wide)direction->time[edge->vertex] + lengths->duration[edge->vertex] + edge->lag;
            if (time > FLUX_TIME_MAX)
                return lag_overflow(lifting);
            if (time > direction->time[v])
                direction->time[v] = (int64_t)time;
        }
        for (uint32_t at = direction->lift[v]; at != FLUX_NONE; at = lifting->next[at]) {
            int rc = apply(lifting, direction, &lifting->lifts[at]);
            if (rc)
                return rc;
        }
    }
    return FLUX_OK;
}

static int check_lift(const struct lifting *lifting, uint64_t i)
{
    const struct flux_lengths *lengths = lifting->lengths;
    const struct flux_lift *lift = &lifting->lifts[i];
    if (lift->vertex < lengths->precedence.vertices && flux_port_side_exists(lengths, lift->side) &&
        lift->gpu < flux_fabric_gpus(lengths->fabric) && lift->end <= FLUX_LIFT_TAIL && lift->edge >= 0 &&
        lift->lag >= 0)
        return FLUX_OK;
    return flux_fail(lengths->error, FLUX_E_MISMATCH, "lift %" PRIu64 " names a vertex, port or time that is not there",
                     i);
}

static int run(struct lifting *lifting, uint64_t count)
{
    const struct flux_precedence *precedence = &lifting->lengths->precedence;
    uint64_t vertices = precedence->vertices;
    struct direction directions[2];
    lifting->position = flux_arena_alloc(&lifting->arena, vertices, sizeof *lifting->position);
    lifting->next = flux_arena_alloc(&lifting->arena, count, sizeof *lifting->next);
    lifting->met = flux_arena_zero(&lifting->arena, vertices, sizeof *lifting->met);
    lifting->lag = flux_arena_alloc(&lifting->arena, vertices, sizeof *lifting->lag);
    lifting->list = flux_arena_alloc(&lifting->arena, vertices, sizeof *lifting->list);
    lifting->rows = flux_arena_alloc(&lifting->arena, vertices, sizeof *lifting->rows);
    lifting->spare = flux_arena_alloc(&lifting->arena, vertices, sizeof *lifting->spare);
    if (!lifting->position || !lifting->next || !lifting->met || !lifting->lag || !lifting->list || !lifting->rows ||
        !lifting->spare)
        return flux_fail_memory(lifting->lengths->error);
    for (uint32_t i = 0; i < vertices; i++)
        lifting->position[precedence->order[i]] = i;
    int rc = make_direction(lifting, 0, &directions[0]);
    if (!rc)
        rc = make_direction(lifting, 1, &directions[1]);
    for (uint64_t i = count; i-- > 0 && !rc;) {
        rc = check_lift(lifting, i);
        if (rc)
            break;
        uint32_t *first = &directions[lifting->lifts[i].end].lift[lifting->lifts[i].vertex];
        lifting->next[i] = *first;
        *first = (uint32_t)i;
    }
    if (!rc)
        rc = raise(lifting, &directions[0]);
    return rc ? rc : raise(lifting, &directions[1]);
}

int flux_lengths_lift(struct flux_lengths *lengths, const struct flux_lift *lifts, uint64_t count)
{
    struct lifting lifting = {.lengths = lengths, .lifts = lifts};
    if (count >= FLUX_NONE)
        return flux_fail(lengths->error, FLUX_E_MISMATCH, "more than 2^32 - 2 lifts");
    flux_arena_init(&lifting.arena, lengths->arena->memory);
    int rc = run(&lifting, count);
    flux_arena_free(&lifting.arena);
    return rc;
}
