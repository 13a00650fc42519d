/* SPDX-License-Identifier: Apache-2.0
 *
 * simulate/plan.c - what of a checked schedule a replay needs: who follows whom at the ports, when circuits must be
 * gone, which changes go together, and an order in which everything can be computed.
 */
#include "base/fail.h"
#include "schedule/ports.h"
#include "simulate/replay.h"

#include <string.h>

static void *get(struct flux_replay *replay, uint64_t count, uint64_t size)
{
    return flux_arena_alloc(&replay->audit.arena, count, size);
}

static uint32_t *get_none(struct flux_replay *replay, uint64_t count)
{
    uint32_t *numbers = get(replay, count, sizeof *numbers);
    for (uint64_t i = 0; numbers && i < count; i++)
        numbers[i] = FLUX_NONE;
    return numbers;
}

static int make_room(struct flux_replay *replay)
{
    struct flux_replay_plan *plan = &replay->plan;
    uint64_t n = plan->vertices, tenures = plan->tenures;
    plan->release = get(replay, n, sizeof *plan->release);
    plan->bytes = get(replay, n, sizeof *plan->bytes);
    plan->missing = flux_arena_zero(&replay->audit.arena, n, sizeof *plan->missing);
    plan->tenure_of = get_none(replay, n);
    plan->lane_before = get_none(replay, n);
    plan->opens = get_none(replay, n);
    plan->closes = get_none(replay, n);
    plan->way = flux_arena_zero(&replay->audit.arena, n, sizeof *plan->way);
    plan->rank = get(replay, n, sizeof *plan->rank);
    plan->order = get(replay, n + tenures, sizeof *plan->order);
    plan->tenure = get(replay, tenures, sizeof *plan->tenure);
    plan->by_group = get(replay, tenures, sizeof *plan->by_group);
    plan->group = get(replay, tenures, sizeof *plan->group);
    plan->by_switch = get(replay, plan->switches, sizeof *plan->by_switch);
    return plan->release && plan->bytes && plan->missing && plan->tenure_of && plan->lane_before && plan->opens &&
                   plan->closes && plan->way && plan->rank && plan->order && plan->tenure && plan->by_group &&
                   plan->group && plan->by_switch
               ? FLUX_OK
               : FLUX_E_MEMORY;
}

/* The light's travel becomes part of the edges' lags: after the audit, the sum is in range. */
static void read_vertices(struct flux_replay *replay, const struct flux_graph *graph, const struct flux_fabric *fabric)
{
    struct flux_replay_plan *plan = &replay->plan;
    const struct flux_precedence *precedence = &replay->audit.precedence;
    struct flux_send send;
    struct flux_compute compute;
    for (uint32_t v = 0; v < plan->vertices; v++) {
        plan->bytes[v] = 0;
        if (flux_graph_get_send(graph, v, &send) == FLUX_OK) {
            plan->release[v] = send.release;
            plan->bytes[v] = send.bytes;
        } else if (flux_graph_get_compute(graph, v, &compute) == FLUX_OK) {
            plan->release[v] = compute.release;
        }
        for (uint64_t i = precedence->first[v]; i < precedence->first[v + 1]; i++) {
            struct flux_successor *edge = &precedence->successors[i];
            edge->lag += flux_precedence_propagation(precedence, fabric, v, edge->vertex);
            plan->missing[edge->vertex]++;
        }
    }
}

static void take_ports(const struct flux_audit *audit, const struct flux_ports *ports, uint32_t tenure)
{
    ports->transmit[audit->tenure[tenure].src] = ports->receive[audit->tenure[tenure].dst] = tenure;
}

/* The first send of tenure `t`: which tenures had its ports. */
static void begin_tenure(struct flux_replay *replay, const struct flux_ports *ports, uint32_t t)
{
    struct flux_audit *audit = &replay->audit;
    const struct flux_tenure *tenure = &audit->tenure[t];
    struct flux_replay_tenure *row = &replay->plan.tenure[t];
    uint32_t before[2] = {ports->transmit[tenure->src], ports->receive[tenure->dst]};
    for (int i = 0; i < 2; i++) {
        row->before[i] = before[i];
        row->other[i] = before[i] != FLUX_NONE &&
                        !flux_ports_same_circuit(audit, &audit->tenure[before[i]], tenure->src, tenure->dst);
    }
    take_ports(audit, ports, t);
}

/* Goes through the sends of switch k as the audit did. An initial circuit that serves sends has its ports until they
 * come, so that it can as well take them then. */
static void read_tenures(struct flux_replay *replay, const struct flux_ports *ports, uint32_t k)
{
    struct flux_audit *audit = &replay->audit;
    struct flux_replay_plan *plan = &replay->plan;
    uint32_t begin = audit->tenure_first[k], end = audit->tenure_first[k + 1];
    for (uint32_t t = begin; t < end; t++) {
        plan->tenure[t] =
            (struct flux_replay_tenure){.before = {FLUX_NONE, FLUX_NONE}, .group = FLUX_NONE, .deadline = INT64_MAX};
        if (audit->tenure[t].sends)
            plan->tenure_of[audit->tenure[t].first] = t;
        else
            take_ports(audit, ports, t);
    }
    for (uint32_t i = audit->switch_first[k]; i < audit->switch_first[k + 1]; i++) {
        uint32_t v = audit->by_switch[i], src = audit->precedence.at[v];
        if (plan->tenure_of[v] != FLUX_NONE)
            begin_tenure(replay, ports, plan->tenure_of[v]);
        uint32_t t = plan->tenure_of[v] = ports->transmit[src];
        plan->way[v] = audit->tenure[t].src != src;
    }
    for (uint32_t t = begin; t < end; t++) {
        ports->transmit[audit->tenure[t].src] = FLUX_NONE;
        ports->receive[audit->tenure[t].dst] = FLUX_NONE;
    }
}

static void read_lanes(struct flux_replay *replay, uint32_t *last)
{
    struct flux_replay_plan *plan = &replay->plan;
    for (uint64_t i = 0; i < UINT64_C(2) * plan->tenures; i++)
        last[i] = FLUX_NONE;
    for (uint32_t i = 0; i < plan->sends; i++) {
        uint32_t v = replay->audit.by_switch[i];
        uint32_t *lane = &last[UINT64_C(2) * plan->tenure_of[v] + plan->way[v]];
        plan->lane_before[v] = *lane;
        *lane = v;
    }
}

/* Until when the sends of each tenure must have ended if circuits change by the clock: the next change at its ports. */
static void set_deadlines(struct flux_replay *replay, uint32_t k, int staged)
{
    const struct flux_audit *audit = &replay->audit;
    struct flux_replay_plan *plan = &replay->plan;
    for (uint32_t t = audit->tenure_first[k]; t < audit->tenure_first[k + 1]; t++) {
        const struct flux_tenure *tenure = &audit->tenure[t];
        if (!tenure->changed)
            continue;
        int64_t begin = staged ? tenure->begin : audit->times[tenure->first].start - plan->by_switch[k].delay;
        for (int i = 0; i < 2; i++) {
            uint32_t before = plan->tenure[t].before[i];
            if (before != FLUX_NONE && plan->tenure[t].other[i] && plan->tenure[before].deadline > begin)
                plan->tenure[before].deadline = begin;
        }
    }
}

static void read_groups(struct flux_replay *replay, uint32_t k, struct flux_keyed *rows, struct flux_keyed *spare,
                        uint32_t *filled)
{
    const struct flux_audit *audit = &replay->audit;
    struct flux_replay_plan *plan = &replay->plan;
    uint64_t count = 0;
    for (uint32_t t = audit->tenure_first[k]; t < audit->tenure_first[k + 1]; t++)
        if (audit->tenure[t].changed)
            rows[count++] = (struct flux_keyed){(uint64_t)audit->tenure[t].begin, t, 0};
    flux_radix_sort(rows, spare, count);
    for (uint64_t i = 0; i < count; i++) {
        if (i == 0 || rows[i].key != rows[i - 1].key)
            plan->group[plan->groups++] =
                (struct flux_replay_group){.switch_index = k, .first = *filled, .begin = (int64_t)rows[i].key};
        plan->group[plan->groups - 1].count++;
        plan->tenure[rows[i].item].group = plan->groups - 1;
        plan->by_group[(*filled)++] = rows[i].item;
    }
    if (count)
        plan->group[plan->groups - 1].last = 1;
}

/* Each send of a dark switch is planned before or after each change. */
static void set_sides(struct flux_replay *replay, uint32_t k)
{
    const struct flux_audit *audit = &replay->audit;
    struct flux_replay_plan *plan = &replay->plan;
    const struct flux_replay_switch *row = &plan->by_switch[k];
    for (uint32_t i = audit->switch_first[k]; i < audit->switch_first[k + 1]; i++) {
        uint32_t v = audit->by_switch[i], low = row->group_first, high = row->group_end;
        while (low < high) { /* the first group that begins after the send began */
            uint32_t middle = low + (high - low) / 2;
            if (plan->group[middle].begin <= audit->times[v].start)
                low = middle + 1;
            else
                high = middle;
        }
        plan->closes[v] = low < row->group_end ? low : FLUX_NONE;
        plan->opens[v] = low > row->group_first ? low - 1 : FLUX_NONE;
    }
}

static void read_switches(struct flux_replay *replay, const struct flux_fabric *fabric, const struct flux_ports *ports,
                          struct flux_keyed *rows, struct flux_keyed *spare)
{
    struct flux_replay_plan *plan = &replay->plan;
    uint32_t filled = 0;
    for (uint32_t k = 0; k < plan->switches; k++) {
        struct flux_replay_switch *row = &plan->by_switch[k];
        *row = (struct flux_replay_switch){
            .delay = flux_fabric_delay(fabric, k), .dwell = flux_fabric_dwell(fabric, k), .group_first = plan->groups};
        row->dark = row->delay > 0 && flux_fabric_blocking(fabric, k) == FLUX_BLOCKING_SWITCH;
        int staged = row->dark || row->dwell > 0;
        read_tenures(replay, ports, k);
        set_deadlines(replay, k, staged);
        if (staged)
            read_groups(replay, k, rows, spare, &filled);
        row->group_end = plan->groups;
        if (row->dark)
            set_sides(replay, k);
    }
}

/* Groups, then vertices in the order of the graph, sorted by time without changing that where times are equal. A send
 * takes at least 1 ps: what it waits for at its ports started before it. A change may begin as its first send does. */
static void set_order(struct flux_replay *replay, struct flux_keyed *rows, struct flux_keyed *spare)
{
    struct flux_replay_plan *plan = &replay->plan;
    uint64_t count = 0;
    for (uint32_t g = 0; g < plan->groups; g++)
        rows[count++] = (struct flux_keyed){(uint64_t)plan->group[g].begin, plan->vertices + g, 0};
    for (uint32_t i = 0; i < plan->vertices; i++) {
        uint32_t v = replay->audit.precedence.order[i];
        rows[count++] = (struct flux_keyed){(uint64_t)replay->audit.times[v].start, v, 0};
    }
    flux_radix_sort(rows, spare, count);
    plan->items = count;
    for (uint32_t i = 0; i < count; i++) {
        plan->order[i] = rows[i].item;
        if (rows[i].item < plan->vertices)
            plan->rank[rows[i].item] = i;
    }
}

int flux_replay_plan_read(struct flux_replay *replay, const struct flux_graph *graph, const struct flux_fabric *fabric,
                          struct flux_error *error)
{
    struct flux_audit *audit = &replay->audit;
    struct flux_replay_plan *plan = &replay->plan;
    struct flux_ports ports;
    struct flux_arena scratch;
    *plan = (struct flux_replay_plan){.vertices = audit->precedence.vertices,
                                      .sends = audit->sends,
                                      .gpus = flux_graph_gpus(graph),
                                      .switches = audit->switches,
                                      .rule = audit->rule,
                                      .tenures = audit->tenures,
                                      .makespan = audit->makespan};
    uint64_t items = (uint64_t)plan->vertices + plan->tenures;
    if (items >= FLUX_NONE)
        return flux_fail(error, FLUX_E_TOO_BIG, "more than 2^32 - 2 vertices and circuits");
    if (make_room(replay) || flux_ports_open(audit, &ports))
        return flux_fail_memory(error);
    flux_arena_init(&scratch, &replay->memory);
    struct flux_keyed *rows = flux_arena_alloc(&scratch, items, sizeof *rows);
    struct flux_keyed *spare = flux_arena_alloc(&scratch, items, sizeof *spare);
    uint32_t *last = flux_arena_alloc(&scratch, UINT64_C(2) * plan->tenures, sizeof *last);
    int rc = rows && spare && last ? FLUX_OK : flux_fail_memory(error);
    if (!rc) {
        read_vertices(replay, graph, fabric);
        read_switches(replay, fabric, &ports, rows, spare);
        read_lanes(replay, last);
        set_order(replay, rows, spare);
        for (uint32_t t = 0; t < plan->tenures; t++)
            plan->reconfigurations += audit->tenure[t].changed;
    }
    flux_arena_free(&scratch);
    return rc;
}
