/* SPDX-License-Identifier: Apache-2.0
 *
 * schedule/port_turns.c - is there an order in which the queues of a port-sequence certificate end in time? Sends are
 * placed in order of start, one more in every round; docs/certificates.md says which states need not be kept.
 */
#include "schedule/port_waste.h"

#include "base/fail.h"
#include "base/wide.h"

#include <string.h>

#define FRESH 0xffu                    /* a port that has had no circuit */
#define STATES_MAX (UINT32_C(1) << 21) /* of one round */
#define NONE UINT32_MAX

struct turn {
    int64_t now; /* start of the last send */
    int64_t open[FLUX_PORT_LINKS];
    int64_t soon[FLUX_PORT_QUEUES]; /* the next of a queue starts no sooner */
    uint16_t gone[FLUX_PORT_QUEUES];
    uint8_t circuit[FLUX_PORT_LINKS];
    uint32_t next; /* in the list of its hash */
    uint32_t useless;
};

/* Later sends by themselves: from the earliest of their starts they need `span` to the end. */
struct stretch {
    uint16_t from[FLUX_PORT_QUEUES];
    int64_t least; /* head */
    int64_t span;
};

#define STRETCHES 3u

struct round_table {
    struct turn *turns;
    uint64_t capacity;
    uint32_t count;
    uint32_t *list;
    uint64_t lists; /* a power of two */
};

struct hunt {
    const struct flux_port_queues *queues;
    const struct flux_memory *memory;
    int64_t limit;
    struct stretch stretch[STRETCHES];
    uint32_t stretches;
    struct flux_port_waste waste;
    struct round_table tables[2];
};

static uint32_t size_of(const struct flux_port_queues *queues, uint32_t q)
{
    return queues->first[q + 1] - queues->first[q];
}

/* ---- stretches ---- */

static void measure_stretch(const struct flux_port_queues *queues, int64_t head, struct stretch *stretch)
{
    uint32_t wanted = 0, circuits = 0;
    flux_wide load = 0;
    int64_t tail = FLUX_TIME_MAX;
    memset(stretch, 0, sizeof *stretch);
    stretch->least = head;
    for (uint32_t q = 0; q < queues->count; q++) {
        while (stretch->from[q] < size_of(queues, q) && queues->head[queues->first[q] + stretch->from[q]] < head)
            stretch->from[q]++;
        for (uint32_t i = queues->first[q] + stretch->from[q]; i < queues->first[q + 1]; i++) {
            load += queues->duration[i];
            tail = queues->tail[i] < tail ? queues->tail[i] : tail;
            wanted |= UINT32_C(1) << queues->circuit[q];
        }
    }
    for (uint32_t c = 0; c < queues->circuits; c++)
        circuits += wanted >> c & 1;
    if (circuits > queues->links)
        load += (flux_wide)(circuits - queues->links) * queues->delay;
    stretch->span = (int64_t)flux_ceil_div(load, queues->links) + tail;
}

/* The stretches that end last, from different heads. */
static void choose_stretches(struct hunt *hunt)
{
    const struct flux_port_queues *queues = hunt->queues;
    for (uint32_t round = 0; round < STRETCHES; round++) {
        struct stretch best = {.span = -1};
        for (uint32_t i = 0; i < queues->positions; i++) {
            struct stretch stretch;
            uint32_t taken = 0;
            for (uint32_t j = 0; j < hunt->stretches; j++)
                taken |= hunt->stretch[j].least == queues->head[i];
            if (taken)
                continue;
            measure_stretch(queues, queues->head[i], &stretch);
            if (best.span < 0 || stretch.least + stretch.span > best.least + best.span)
                best = stretch;
        }
        if (best.span >= 0)
            hunt->stretch[hunt->stretches++] = best;
    }
}

static int64_t lag_to(const struct flux_port_queues *queues, const struct turn *turn, uint32_t p, uint32_t to)
{
    return queues->lag[(uint64_t)(queues->first[p] + turn->gone[p]) * queues->positions + to];
}

static int stretch_is_late(const struct hunt *hunt, const struct turn *turn, const struct stretch *stretch)
{
    const struct flux_port_queues *queues = hunt->queues;
    int64_t first = FLUX_TIME_MAX;
    for (uint32_t q = 0; q < queues->count; q++)
        if (turn->gone[q] > stretch->from[q])
            return 0;
    for (uint32_t q = 0; q < queues->count; q++) {
        uint32_t to = queues->first[q] + stretch->from[q];
        if (stretch->from[q] == size_of(queues, q))
            continue;
        int64_t start = turn->gone[q] == stretch->from[q] ? turn->soon[q] : queues->head[to];
        for (uint32_t p = 0; p < queues->count; p++) {
            int64_t lag = turn->gone[p] == size_of(queues, p) ? -1 : lag_to(queues, turn, p, to);
            if (lag >= 0 && turn->soon[p] + lag > start)
                start = turn->soon[p] + lag;
        }
        first = start < first ? start : first;
    }
    return first != FLUX_TIME_MAX && first + stretch->span > hunt->limit;
}

/* ---- may a state still end in time? ---- */

/* What the ports have left, all together, from `since` until something with this tail must have ended. */
static flux_wide room(const struct hunt *hunt, const struct turn *turn, int64_t since, int64_t tail)
{
    flux_wide sum = 0;
    for (uint32_t x = 0; x < hunt->queues->links; x++) {
        int64_t from = turn->open[x] > since ? turn->open[x] : since;
        sum += hunt->limit - tail > from ? hunt->limit - tail - from : 0;
    }
    return sum;
}

/* Load of the queues whose next send starts no sooner than that of `q`, itself included. */
static int load_is_late(const struct hunt *hunt, const struct turn *turn, uint32_t q)
{
    const struct flux_port_queues *queues = hunt->queues;
    int64_t since = turn->soon[q], tail = FLUX_TIME_MAX;
    uint32_t circuits = 0, wanted = 0;
    flux_wide sum = 0;
    for (uint32_t p = 0; p < queues->count; p++) {
        if (turn->gone[p] == size_of(queues, p) || turn->soon[p] < since)
            continue;
        for (uint32_t i = queues->first[p] + turn->gone[p]; i < queues->first[p + 1]; i++) {
            sum += queues->duration[i];
            tail = queues->tail[i] < tail ? queues->tail[i] : tail;
        }
        circuits += !(wanted >> queues->circuit[p] & 1);
        wanted |= UINT32_C(1) << queues->circuit[p];
    }
    if (circuits > queues->links)
        sum += (flux_wide)(circuits - queues->links) * queues->delay;
    return sum > room(hunt, turn, since, tail);
}

/* All that is left, with a setup for every circuit that is not up: on a port it begins no sooner than the port is open.
 */
static int setups_are_late(const struct hunt *hunt, const struct turn *turn)
{
    const struct flux_port_queues *queues = hunt->queues;
    uint32_t missing = 0, wanted = 0, fresh = 0;
    int64_t tail = FLUX_TIME_MAX;
    flux_wide sum = 0;
    for (uint32_t q = 0; q < queues->count; q++)
        for (uint32_t i = queues->first[q] + turn->gone[q]; i < queues->first[q + 1]; i++) {
            sum += queues->duration[i];
            tail = queues->tail[i] < tail ? queues->tail[i] : tail;
            wanted |= UINT32_C(1) << queues->circuit[q];
        }
    if (!wanted)
        return 0;
    for (uint32_t x = 0; x < queues->links; x++) {
        fresh += turn->circuit[x] == FRESH;
        if (turn->circuit[x] != FRESH)
            wanted &= ~(UINT32_C(1) << turn->circuit[x]);
    }
    flux_wide load = sum;
    for (uint32_t c = 0; c < queues->circuits; c++)
        missing += wanted >> c & 1;
    if (missing > fresh)
        sum += (flux_wide)(missing - fresh) * queues->delay;
    if (hunt->waste.queues &&
        load + flux_port_waste_left(queues, &hunt->waste, turn->gone, turn->circuit, FRESH) > room(hunt, turn, 0, tail))
        return 1;
    return sum > room(hunt, turn, 0, tail);
}

static int64_t change(const struct flux_port_queues *queues, const struct turn *turn, uint32_t x, uint32_t q)
{
    return turn->circuit[x] == FRESH || turn->circuit[x] == queues->circuit[q] ? 0 : queues->delay;
}

static int next_is_late(const struct hunt *hunt, const struct turn *turn, uint32_t q)
{
    const struct flux_port_queues *queues = hunt->queues;
    uint32_t next = queues->first[q] + turn->gone[q];
    int64_t start = FLUX_TIME_MAX;
    for (uint32_t x = 0; x < queues->links; x++)
        if (turn->open[x] + change(queues, turn, x, q) < start)
            start = turn->open[x] + change(queues, turn, x, q);
    start = start > turn->soon[q] ? start : turn->soon[q];
    return start + queues->duration[next] + queues->tail[next] > hunt->limit;
}

static int is_late(const struct hunt *hunt, const struct turn *turn)
{
    for (uint32_t q = 0; q < hunt->queues->count; q++)
        if (turn->gone[q] < size_of(hunt->queues, q) && (next_is_late(hunt, turn, q) || load_is_late(hunt, turn, q)))
            return 1;
    for (uint32_t i = 0; i < hunt->stretches; i++)
        if (stretch_is_late(hunt, turn, &hunt->stretch[i]))
            return 1;
    return setups_are_late(hunt, turn);
}

/* ---- one send more ---- */

/* Times that cannot matter any more are made equal, so that states compare. */
static void settle(const struct flux_port_queues *queues, struct turn *turn)
{
    for (uint32_t p = 0; p < queues->count; p++)
        for (uint32_t q = 0; q < queues->count; q++) {
            if (p == q || turn->gone[p] == size_of(queues, p) || turn->gone[q] == size_of(queues, q))
                continue;
            int64_t lag = lag_to(queues, turn, p, queues->first[q] + turn->gone[q]);
            if (lag >= 0 && turn->soon[p] + lag > turn->soon[q])
                turn->soon[q] = turn->soon[p] + lag;
        }
    for (uint32_t x = 0; x < queues->links; x++) {
        int64_t need = FLUX_TIME_MAX;
        for (uint32_t q = 0; q < queues->count; q++)
            if (turn->gone[q] < size_of(queues, q) && turn->soon[q] - change(queues, turn, x, q) < need)
                need = turn->soon[q] - change(queues, turn, x, q);
        if (need != FLUX_TIME_MAX && turn->open[x] < need)
            turn->open[x] = need;
    }
    for (uint32_t x = 1; x < queues->links; x++)
        for (uint32_t y = x; y > 0 && (turn->circuit[y] < turn->circuit[y - 1] ||
                                       (turn->circuit[y] == turn->circuit[y - 1] && turn->open[y] < turn->open[y - 1]));
             y--) {
            uint8_t circuit = turn->circuit[y];
            int64_t open = turn->open[y];
            turn->circuit[y] = turn->circuit[y - 1];
            turn->open[y] = turn->open[y - 1];
            turn->circuit[y - 1] = circuit;
            turn->open[y - 1] = open;
        }
}

/* Starts the next of `q` on port `x`. 0 where that, or what is left, cannot end in time. */
static int take_turn(const struct hunt *hunt, uint32_t q, uint32_t x, struct turn *turn)
{
    const struct flux_port_queues *queues = hunt->queues;
    uint32_t position = queues->first[q] + turn->gone[q];
    const int64_t *lag = queues->lag + (uint64_t)position * queues->positions;
    int64_t start = turn->open[x] + change(queues, turn, x, q);
    start = start > turn->soon[q] ? start : turn->soon[q];
    start = start > turn->now ? start : turn->now;
    if (start + queues->duration[position] + queues->tail[position] > hunt->limit)
        return 0;
    turn->now = start;
    turn->open[x] = start + queues->duration[position];
    turn->circuit[x] = (uint8_t)queues->circuit[q];
    turn->gone[q]++;
    for (uint32_t p = 0; p < queues->count; p++) {
        uint32_t next = queues->first[p] + turn->gone[p];
        if (turn->gone[p] == size_of(queues, p)) {
            turn->soon[p] = 0;
            continue;
        }
        if (p == q)
            turn->soon[p] = queues->head[next];
        if (lag[next] >= 0 && start + lag[next] > turn->soon[p])
            turn->soon[p] = start + lag[next];
        turn->soon[p] = turn->soon[p] > start ? turn->soon[p] : start;
    }
    settle(queues, turn);
    return !is_late(hunt, turn);
}

static int must_wait(const struct flux_port_queues *queues, const struct turn *turn, uint32_t q)
{
    uint32_t to = queues->first[q] + turn->gone[q];
    for (uint32_t p = 0; p < queues->count; p++)
        if (p != q && turn->gone[p] < size_of(queues, p) && lag_to(queues, turn, p, to) >= 0)
            return 1;
    return 0;
}

/* ---- the states of a round ---- */

static uint64_t mark(const struct flux_port_queues *queues, const struct turn *turn)
{
    uint64_t sum = 1469598103934665603u;
    for (uint32_t q = 0; q < queues->count; q++)
        sum = (sum ^ turn->gone[q]) * 1099511628211u;
    for (uint32_t x = 0; x < queues->links; x++)
        sum = (sum ^ turn->circuit[x]) * 1099511628211u;
    return sum ^ sum >> 32;
}

/* Is `a` of the same counts and circuits as `b`, and nowhere later? */
static int covers(const struct flux_port_queues *queues, const struct turn *a, const struct turn *b)
{
    if (memcmp(a->gone, b->gone, queues->count * sizeof *a->gone) != 0 ||
        memcmp(a->circuit, b->circuit, queues->links) != 0)
        return 0;
    for (uint32_t x = 0; x < queues->links; x++)
        if (a->open[x] > b->open[x])
            return 0;
    for (uint32_t q = 0; q < queues->count; q++)
        if (a->soon[q] > b->soon[q])
            return 0;
    return 1;
}

static int spread(struct hunt *hunt, struct round_table *table, uint64_t lists)
{
    uint32_t *list = flux_alloc(hunt->memory, lists, sizeof *list);
    if (!list)
        return FLUX_E_MEMORY;
    flux_release(hunt->memory, table->list, table->lists, sizeof *table->list);
    memset(list, 0xff, (size_t)lists * sizeof *list);
    table->list = list;
    table->lists = lists;
    for (uint32_t i = 0; i < table->count; i++) {
        uint64_t at = mark(hunt->queues, &table->turns[i]) & (lists - 1);
        table->turns[i].next = list[at];
        list[at] = i;
    }
    return FLUX_OK;
}

static int put(struct hunt *hunt, struct round_table *table, const struct turn *turn)
{
    uint32_t *head = &table->list[mark(hunt->queues, turn) & (table->lists - 1)];
    for (uint32_t i = *head; i != NONE; i = table->turns[i].next)
        if (!table->turns[i].useless && covers(hunt->queues, &table->turns[i], turn))
            return FLUX_OK;
    for (uint32_t i = *head; i != NONE; i = table->turns[i].next)
        if (covers(hunt->queues, turn, &table->turns[i]))
            table->turns[i].useless = 1;
    if (table->count == STATES_MAX)
        return FLUX_E_MISMATCH;
    int rc = flux_grow(hunt->memory, &table->turns, &table->capacity, table->count + UINT64_C(1), sizeof *table->turns);
    if (rc)
        return rc;
    table->turns[table->count] = *turn;
    table->turns[table->count].next = *head;
    *head = table->count++;
    return table->count > table->lists ? spread(hunt, table, table->lists * 4) : FLUX_OK;
}

static int next_round(struct hunt *hunt, const struct round_table *from, struct round_table *to)
{
    const struct flux_port_queues *queues = hunt->queues;
    for (uint32_t i = 0; i < from->count; i++) {
        for (uint32_t q = 0; q < queues->count && !from->turns[i].useless; q++) {
            if (from->turns[i].gone[q] == size_of(queues, q) || must_wait(queues, &from->turns[i], q))
                continue;
            for (uint32_t x = 0; x < queues->links; x++) {
                struct turn turn = from->turns[i];
                if (!take_turn(hunt, q, x, &turn))
                    continue;
                int rc = put(hunt, to, &turn);
                if (rc)
                    return rc;
            }
        }
    }
    return FLUX_OK;
}

static int begin(struct hunt *hunt)
{
    const struct flux_port_queues *queues = hunt->queues;
    struct turn turn = {.now = 0};
    int rc = spread(hunt, &hunt->tables[0], 1024);
    if (!rc)
        rc = spread(hunt, &hunt->tables[1], 1024);
    if (rc)
        return rc;
    memset(turn.circuit, FRESH, sizeof turn.circuit);
    for (uint32_t x = 0; x < queues->links; x++)
        turn.open[x] = -queues->delay;
    for (uint32_t q = 0; q < queues->count; q++)
        turn.soon[q] = queues->head[queues->first[q]];
    choose_stretches(hunt);
    return put(hunt, &hunt->tables[0], &turn);
}

/* 1, 0 or an error. */
static int search(struct hunt *hunt)
{
    int rc = begin(hunt);
    for (uint32_t round = 0; round < hunt->queues->positions && !rc; round++) {
        struct round_table *from = &hunt->tables[round % 2], *to = &hunt->tables[(round + 1) % 2];
        to->count = 0;
        memset(to->list, 0xff, (size_t)to->lists * sizeof *to->list);
        rc = next_round(hunt, from, to);
        if (!rc && to->count == 0)
            return 0;
    }
    return rc ? rc : 1;
}

int flux_port_turns_end_by(const struct flux_port_queues *queues, int64_t limit, const struct flux_memory *memory,
                           struct flux_error *error)
{
    struct hunt hunt = {.queues = queues, .memory = memory, .limit = limit};
    struct flux_arena arena;
    flux_arena_init(&arena, memory);
    int rc = flux_port_waste_find(queues, &arena, &hunt.waste);
    if (!rc)
        rc = search(&hunt);
    flux_arena_free(&arena);
    for (uint32_t i = 0; i < 2; i++) {
        flux_release(memory, hunt.tables[i].turns, hunt.tables[i].capacity, sizeof *hunt.tables[i].turns);
        flux_release(memory, hunt.tables[i].list, hunt.tables[i].lists, sizeof *hunt.tables[i].list);
    }
    if (rc == FLUX_E_MEMORY)
        return flux_fail_memory(error);
    if (rc == FLUX_E_MISMATCH)
        return flux_fail(error, rc, "the search that confirms this certificate has more than 2^21 states at once");
    return rc;
}
