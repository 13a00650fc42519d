/* SPDX-License-Identifier: Apache-2.0 */
#include "rotor_ticks.h"

#include <string.h>

#define NOBODY UINT32_MAX

static uint32_t add_part(struct rotor_ticks *rotor, uint32_t send, int64_t amount)
{
    rotor->part[rotor->parts] = (struct rotor_part){send, NOBODY, amount, 0};
    return rotor->parts++;
}

static void push(struct rotor_ticks *rotor, struct rotor_queue *queue, uint32_t p)
{
    rotor->part[p].next = NOBODY;
    if (queue->first == NOBODY)
        queue->first = p;
    else
        rotor->part[queue->last].next = p;
    queue->last = p;
}

static uint32_t shift(struct rotor_ticks *rotor, struct rotor_queue *queue)
{
    uint32_t p = queue->first;
    queue->first = rotor->part[p].next;
    return p;
}

static int64_t sum(const struct rotor_ticks *rotor, const struct rotor_queue *queue)
{
    int64_t all = 0;
    for (uint32_t p = queue->first; p != NOBODY; p = rotor->part[p].next)
        all += rotor->part[p].amount;
    return all;
}

/* Up to `most` of the first in the queue becomes a part of its own, behind what the circuit was given. */
static int64_t hand_over(struct rotor_ticks *rotor, struct rotor_queue *queue, struct rotor_circuit *circuit,
                         int64_t most)
{
    struct rotor_part *first = &rotor->part[queue->first];
    if (first->amount <= most) {
        int64_t amount = first->amount;
        push(rotor, &circuit->given, shift(rotor, queue));
        return amount;
    }
    first->amount -= most;
    push(rotor, &circuit->given, add_part(rotor, first->send, most));
    return most;
}

static void set_matching(const struct rotor_ticks *rotor, struct rotor_switch *row)
{
    uint32_t n = rotor->ticks.problem->gpus, rule = rotor->ticks.problem->rule, m = row->matching;
    row->circuits = 0;
    for (uint32_t g = 0; g < n && rule == FLUX_RULE_SIMPLEX; g++)
        row->circuit[row->circuits++] = (struct rotor_circuit){.src = g, .dst = (g + 1 + m) % n};
    for (uint32_t i = 0; i < n / 2 && rule != FLUX_RULE_SIMPLEX; i++) {
        uint32_t turn = rule == FLUX_RULE_DUPLEX ? m : m / 2;
        uint32_t left = i == 0 ? n - 1 : (turn + i) % (n - 1), right = (turn + (n - 1) - i) % (n - 1);
        int forth = rule == FLUX_RULE_DUPLEX || m % 2 == 0, back = rule == FLUX_RULE_DUPLEX || m % 2 == 1;
        if (forth)
            row->circuit[row->circuits++] = (struct rotor_circuit){.src = left, .dst = right};
        if (back)
            row->circuit[row->circuits++] = (struct rotor_circuit){.src = right, .dst = left};
    }
    for (uint32_t c = 0; c < row->circuits; c++) {
        row->circuit[c].given = (struct rotor_queue){NOBODY, NOBODY};
        row->circuit[c].carrying = NOBODY;
    }
}

static void start_next(struct rotor_ticks *rotor, struct rotor_switch *row, struct rotor_circuit *circuit)
{
    struct rotor_queue *own = &rotor->own[circuit->src][circuit->dst];
    if (rotor->at >= row->change)
        return;
    if (circuit->given.first == NOBODY && own->first != NOBODY)
        hand_over(rotor, own, circuit, row->change - rotor->at);
    if (circuit->given.first == NOBODY)
        return;
    circuit->carrying = shift(rotor, &circuit->given);
    struct rotor_part *part = &rotor->part[circuit->carrying];
    circuit->until = rotor->at + part->amount;
    if (rotor->ticks.times[part->send].start < 0)
        rotor->ticks.times[part->send].start = rotor->at;
}

/* A part is where its circuit led. */
static void put_down(struct rotor_ticks *rotor, const struct rotor_circuit *circuit)
{
    struct ticks *ticks = &rotor->ticks;
    struct rotor_part *part = &rotor->part[circuit->carrying];
    const struct random_vertex *send = &ticks->problem->vertex[part->send];
    int64_t light = ticks->problem->propagation[circuit->src][circuit->dst];
    int64_t usual = ticks->problem->propagation[send->src][send->dst];
    if (circuit->dst != send->dst) {
        part->usable = rotor->at + light;
        rotor->promised[circuit->dst][send->dst] -= part->amount;
        rotor->forwarded += (uint64_t)part->amount;
        push(rotor, &rotor->stored[circuit->dst][send->dst], circuit->carrying);
        return;
    }
    int64_t end = rotor->at + (light > usual ? light - usual : 0);
    ticks->rest[part->send] -= part->amount;
    /* The end is told when all of it is there; until then it is kept in `in_queue`, which is not used here. */
    if (end > ticks->in_queue[part->send])
        ticks->in_queue[part->send] = (int)end;
    if (ticks->rest[part->send] == 0)
        ticks->times[part->send].end = ticks->in_queue[part->send];
}

static void finish_parts(struct rotor_ticks *rotor)
{
    for (uint32_t k = 0; k < rotor->ticks.problem->switches; k++)
        for (uint32_t c = 0; c < rotor->by_switch[k].circuits; c++) {
            struct rotor_circuit *circuit = &rotor->by_switch[k].circuit[c];
            if (circuit->carrying == NOBODY || circuit->until != rotor->at)
                continue;
            put_down(rotor, circuit);
            circuit->carrying = NOBODY;
            start_next(rotor, &rotor->by_switch[k], circuit);
        }
}

/* A send that became ready takes the first idle circuit of its pair, if any. */
static void arrive(struct rotor_ticks *rotor, uint32_t v)
{
    const struct random_vertex *send = &rotor->ticks.problem->vertex[v];
    push(rotor, &rotor->own[send->src][send->dst], add_part(rotor, v, send->duration));
    for (uint32_t k = 0; k < rotor->ticks.problem->switches; k++)
        for (uint32_t c = 0; rotor->by_switch[k].up && c < rotor->by_switch[k].circuits; c++) {
            struct rotor_circuit *circuit = &rotor->by_switch[k].circuit[c];
            if (circuit->src == send->src && circuit->dst == send->dst && circuit->carrying == NOBODY) {
                start_next(rotor, &rotor->by_switch[k], circuit);
                return;
            }
        }
}

/* Water into basins of these sizes, a drop at a time, always into the one with least of those that are not full. */
static void pour(const int64_t *size, uint32_t n, int64_t water, int64_t *level)
{
    memset(level, 0, n * sizeof *level);
    for (; water > 0; water--) {
        uint32_t least = NOBODY;
        for (uint32_t i = 0; i < n; i++)
            if (level[i] < size[i] && (least == NOBODY || level[i] < level[least]))
                least = i;
        if (least == NOBODY)
            return;
        level[least]++;
    }
}

static void give_final(struct rotor_ticks *rotor, struct rotor_circuit *circuit, int64_t *left)
{
    struct rotor_queue *stored = &rotor->stored[circuit->src][circuit->dst], later = {NOBODY, NOBODY};
    while (stored->first != NOBODY) {
        if (*left == 0 || rotor->part[stored->first].usable > rotor->at)
            push(rotor, &later, shift(rotor, stored));
        else
            *left -= hand_over(rotor, stored, circuit, *left);
    }
    *stored = later;
    while (*left && rotor->own[circuit->src][circuit->dst].first != NOBODY)
        *left -= hand_over(rotor, &rotor->own[circuit->src][circuit->dst], circuit, *left);
}

/* Does a circuit of this pair come up more than once? */
static int comes_again(const struct rotor_ticks *rotor, uint32_t src, uint32_t dst)
{
    uint32_t switches = rotor->ticks.problem->switches;
    for (uint32_t m = 0; m < rotor->matchings; m++) {
        struct rotor_switch row = {.matching = m};
        set_matching(rotor, &row);
        for (uint32_t c = 0; c < row.circuits; c++)
            if (row.circuit[c].src == src && row.circuit[c].dst == dst && m % switches + switches < rotor->matchings)
                return 1;
    }
    return 0;
}

static void give_others(struct rotor_ticks *rotor, const struct rotor_switch *row, struct rotor_circuit *circuit,
                        int64_t left)
{
    uint32_t n = rotor->ticks.problem->gpus, i = circuit->src, j = circuit->dst;
    int64_t size[RANDOM_GPUS_MAX] = {0}, offer[RANDOM_GPUS_MAX];
    for (uint32_t d = 0; d < n; d++)
        size[d] = d == j ? 0 : sum(rotor, &rotor->own[i][d]);
    pour(size, n, left, offer);
    for (uint32_t d = 0; d < n; d++) {
        int64_t room =
            row->slot - sum(rotor, &rotor->stored[j][d]) - rotor->promised[j][d] - sum(rotor, &rotor->own[j][d]);
        if (d == j || !comes_again(rotor, j, d))
            continue;
        for (int64_t rest = offer[d] < room ? offer[d] : room; rest > 0;) {
            int64_t taken = hand_over(rotor, &rotor->own[i][d], circuit, rest);
            rotor->promised[j][d] += taken;
            rest -= taken;
        }
    }
}

/* A switch that has only one matching never goes down. */
static void come_up(struct rotor_ticks *rotor, struct rotor_switch *row, int64_t extra)
{
    int64_t left[RANDOM_GPUS_MAX];
    uint32_t switches = rotor->ticks.problem->switches, k = (uint32_t)(row - rotor->by_switch);
    row->up = 1;
    row->change = k % rotor->matchings + switches < rotor->matchings ? rotor->at + row->slot + extra : INT64_MAX;
    set_matching(rotor, row);
    for (uint32_t c = 0; c < row->circuits; c++) {
        left[c] = row->change - rotor->at;
        give_final(rotor, &row->circuit[c], &left[c]);
    }
    for (uint32_t c = 0; c < row->circuits; c++)
        give_others(rotor, row, &row->circuit[c], left[c]);
    for (uint32_t c = 0; c < row->circuits; c++)
        start_next(rotor, row, &row->circuit[c]);
}

static void begin(struct rotor_ticks *rotor, uint32_t duty_ppm)
{
    const struct random_problem *p = rotor->ticks.problem;
    rotor->matchings = p->rule == FLUX_RULE_PAPER ? 2 * (p->gpus - 1) : p->gpus - 1;
    for (uint32_t k = 0; k < p->switches; k++) {
        int64_t rest = 1000000 - duty_ppm;
        rotor->by_switch[k] = (struct rotor_switch){.matching = k % rotor->matchings, .delay = p->delay[k]};
        rotor->by_switch[k].slot = (p->delay[k] * duty_ppm + rest / 2) / rest;
    }
    for (uint32_t a = 0; a < RANDOM_GPUS_MAX; a++)
        for (uint32_t b = 0; b < RANDOM_GPUS_MAX; b++)
            rotor->own[a][b] = rotor->stored[a][b] = (struct rotor_queue){NOBODY, NOBODY};
}

static void turn(struct rotor_ticks *rotor, uint32_t k, int staggered)
{
    struct rotor_switch *row = &rotor->by_switch[k];
    uint32_t switches = rotor->ticks.problem->switches;
    if (row->up || row->change != rotor->at)
        return;
    come_up(rotor, row, rotor->at == 0 && staggered ? (row->slot + row->delay) * k / switches : 0);
}

static void go_down(struct rotor_ticks *rotor, uint32_t k)
{
    struct rotor_switch *row = &rotor->by_switch[k];
    if (!row->up || row->change != rotor->at)
        return;
    row->up = 0;
    row->circuits = 0;
    row->change = rotor->at + row->delay;
    row->matching += rotor->ticks.problem->switches;
    if (row->matching >= rotor->matchings)
        row->matching = k % rotor->matchings;
}

int rotor_ticks_run(struct rotor_ticks *rotor, uint32_t duty_ppm, int staggered)
{
    struct ticks *ticks = &rotor->ticks;
    uint32_t left = ticks_begin(ticks);
    begin(rotor, duty_ppm);
    for (rotor->at = 0; left; rotor->at++) {
        if (rotor->at > 1000000 || rotor->parts > ROTOR_PARTS_MAX - 100)
            return -1;
        finish_parts(rotor);
        ticks_propagate(ticks);
        for (uint32_t k = 0; k < ticks->problem->switches; k++)
            go_down(rotor, k);
        for (uint32_t n = 0; n < ticks->problem->vertices; n++)
            if (ticks->problem->vertex[ticks->order[n]].send && ticks->ready[ticks->order[n]] == rotor->at)
                arrive(rotor, ticks->order[n]);
        for (uint32_t k = 0; k < ticks->problem->switches; k++)
            turn(rotor, k, staggered);
        left = 0;
        for (uint32_t v = 0; v < ticks->problem->vertices; v++)
            left += ticks->problem->vertex[v].send && ticks->times[v].end < 0;
    }
    ticks_propagate(ticks);
    return 0;
}
