/* SPDX-License-Identifier: Apache-2.0 */
#include "model/index.h"

#include <libflux/error.h>
#include <string.h>

int flux_problem_arcs_out(struct flux_problem *problem)
{
    uint64_t nodes = problem->nodes;
    problem->out_first = flux_arena_zero(&problem->arena, nodes + 2, sizeof *problem->out_first);
    problem->out = flux_arena_alloc(&problem->arena, problem->arcs, sizeof *problem->out);
    if (!problem->out_first || !problem->out)
        return FLUX_E_MEMORY;
    for (uint64_t i = 0; i < problem->arcs; i++)
        problem->out_first[problem->in[i].node + 2]++;
    for (uint64_t v = 0; v < nodes; v++)
        problem->out_first[v + 2] += problem->out_first[v + 1];
    for (uint32_t node = 0; node < nodes; node++)
        for (uint64_t i = problem->in_first[node]; i < problem->in_first[node + 1]; i++)
            problem->out[problem->out_first[problem->in[i].node + 1]++] =
                (struct flux_arc){node, 0, problem->in[i].lag};
    return FLUX_OK;
}

/* Numbers circuits in order of appearance by hashing pairs. */
int flux_problem_number_circuits(struct flux_problem *problem, struct flux_arena *scratch)
{
    uint64_t room = 16;
    while (room < (uint64_t)problem->sends * 2)
        room *= 2;
    uint32_t *slot = flux_arena_alloc(scratch, room, sizeof *slot);               /* circuit, FLUX_NONE: free */
    uint32_t *holder = flux_arena_alloc(scratch, problem->sends, sizeof *holder); /* a node of a circuit */
    problem->circuits = 0;
    if (!slot || !holder)
        return FLUX_E_MEMORY;
    memset(slot, 0xff, (size_t)room * sizeof *slot);
    for (uint32_t node = 0; node < problem->nodes; node++) {
        uint32_t a = problem->src[node], b = problem->dst[node];
        if (a == FLUX_NONE)
            continue;
        if (problem->rule == FLUX_RULE_DUPLEX && a > b) {
            a = problem->dst[node];
            b = problem->src[node];
        }
        uint64_t at = (((uint64_t)a << 32 | b) * UINT64_C(0x9e3779b97f4a7c15)) >> 20 & (room - 1);
        for (;; at = (at + 1) & (room - 1)) {
            if (slot[at] == FLUX_NONE) {
                holder[problem->circuits] = node;
                slot[at] = problem->circuits++;
                break;
            }
            uint32_t c = problem->src[holder[slot[at]]], d = problem->dst[holder[slot[at]]];
            if ((a == c && b == d) || (problem->rule == FLUX_RULE_DUPLEX && a == d && b == c))
                break;
        }
        problem->circuit[node] = slot[at];
    }
    return FLUX_OK;
}

int flux_problem_find_touching(struct flux_problem *problem)
{
    problem->touch_first = flux_arena_zero(&problem->arena, (uint64_t)problem->gpus + 2, sizeof *problem->touch_first);
    problem->touch = flux_arena_alloc(&problem->arena, (uint64_t)problem->sends * 2, sizeof *problem->touch);
    if (!problem->touch_first || !problem->touch)
        return FLUX_E_MEMORY;
    uint64_t *first = problem->touch_first;
    for (uint32_t node = 0; node < problem->nodes; node++)
        if (flux_problem_is_send(problem, node)) {
            first[problem->src[node] + 2]++;
            first[problem->dst[node] + 2]++;
        }
    for (uint32_t g = 0; g < problem->gpus; g++)
        first[g + 2] += first[g + 1];
    for (uint32_t node = 0; node < problem->nodes; node++)
        if (flux_problem_is_send(problem, node)) {
            problem->touch[first[problem->src[node] + 1]++] = node;
            problem->touch[first[problem->dst[node] + 1]++] = node;
        }
    return FLUX_OK;
}

void flux_problem_set_heads_and_tails(struct flux_problem *problem)
{
    for (uint32_t v = 0; v < problem->nodes; v++) {
        int64_t head = problem->release[v];
        for (uint64_t i = problem->in_first[v]; i < problem->in_first[v + 1]; i++) {
            uint32_t u = problem->in[i].node;
            int64_t ready = problem->head[u] + problem->duration[u] + problem->in[i].lag;
            head = ready > head ? ready : head;
        }
        problem->head[v] = head;
    }
    for (uint32_t v = problem->nodes; v-- > 0;) {
        int64_t tail = problem->rest[v];
        for (uint64_t i = problem->out_first[v]; i < problem->out_first[v + 1]; i++) {
            uint32_t w = problem->out[i].node;
            int64_t after = problem->out[i].lag + problem->duration[w] + problem->tail[w];
            tail = after > tail ? after : tail;
        }
        problem->tail[v] = tail;
    }
}
