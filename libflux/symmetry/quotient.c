/* SPDX-License-Identifier: Apache-2.0 */
#include "symmetry/quotient.h"

#include "model/index.h"

#include <libflux/error.h>
#include <string.h>

static int alloc(struct flux_problem *quotient, const struct flux_problem *problem)
{
    struct flux_arena *arena = &quotient->arena;
    uint64_t nodes = quotient->nodes;
    uint32_t **const names[] = {&quotient->vertex, &quotient->src, &quotient->dst, &quotient->circuit};
    int64_t **const times[] = {&quotient->duration, &quotient->release, &quotient->rest, &quotient->head,
                               &quotient->tail};
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!(*names[i] = flux_arena_alloc(arena, nodes, sizeof **names[i])))
            return FLUX_E_MEMORY;
    for (uint32_t i = 0; i < sizeof times / sizeof *times; i++)
        if (!(*times[i] = flux_arena_alloc(arena, nodes, sizeof **times[i])))
            return FLUX_E_MEMORY;
    if (problem->durations)
        quotient->durations = flux_arena_alloc(arena, nodes, sizeof *quotient->durations * problem->switches);
    quotient->in_first = flux_arena_alloc(arena, nodes + 1, sizeof *quotient->in_first);
    return quotient->in_first && (quotient->durations || !problem->durations) ? FLUX_OK : FLUX_E_MEMORY;
}

/* Class `class` is what its first member is. */
static void copy_node(const struct flux_problem *problem, const struct flux_cover *cover, uint32_t node, uint32_t class,
                      struct flux_problem *quotient)
{
    int sends = flux_problem_is_send(problem, node);
    quotient->vertex[class] = class;
    quotient->src[class] = sends ? cover->gpu[problem->src[node]] : FLUX_NONE;
    quotient->dst[class] = sends ? cover->gpu[problem->dst[node]] : FLUX_NONE;
    quotient->circuit[class] = FLUX_NONE;
    quotient->duration[class] = problem->duration[node];
    quotient->release[class] = problem->release[node];
    quotient->rest[class] = problem->rest[node];
    quotient->sends += (uint32_t)sends;
    if (problem->durations)
        memcpy(quotient->durations + (uint64_t) class * problem->switches,
               problem->durations + (uint64_t)node * problem->switches, problem->switches * sizeof *problem->durations);
}

/* The arcs into the first member of each class; of several from one class the longest. */
static int copy_arcs(const struct flux_problem *problem, const struct flux_cover *cover, const uint32_t *first,
                     struct flux_problem *quotient, struct flux_arena *scratch)
{
    uint64_t room = 0, arcs = 0;
    uint64_t *seen = flux_arena_zero(scratch, quotient->nodes, sizeof *seen); /* arc from it to this class, plus 1 */
    for (uint32_t class = 0; class < quotient->nodes; class ++)
        room += problem->in_first[first[class] + 1] - problem->in_first[first[class]];
    quotient->in = flux_arena_alloc(&quotient->arena, room, sizeof *quotient->in);
    if (!seen || !quotient->in)
        return FLUX_E_MEMORY;
    for (uint32_t class = 0; class < quotient->nodes; class ++) {
        uint64_t begin = quotient->in_first[class] = arcs;
        for (uint64_t i = problem->in_first[first[class]]; i < problem->in_first[first[class] + 1]; i++) {
            uint32_t from = cover->node[problem->in[i].node];
            int64_t lag = problem->in[i].lag;
            if (seen[from] <= begin) {
                quotient->in[arcs++] = (struct flux_arc){from, 0, lag};
                seen[from] = arcs;
            } else if (quotient->in[seen[from] - 1].lag < lag) {
                quotient->in[seen[from] - 1].lag = lag;
            }
        }
    }
    quotient->in_first[quotient->nodes] = quotient->arcs = arcs;
    return FLUX_OK;
}

static int fill(const struct flux_problem *problem, const struct flux_cover *cover, struct flux_problem *quotient,
                struct flux_arena *scratch)
{
    uint32_t *first = flux_arena_alloc(scratch, cover->nodes, sizeof *first);
    uint32_t next = 0;
    int rc = first ? alloc(quotient, problem) : FLUX_E_MEMORY;
    if (rc)
        return rc;
    for (uint32_t v = 0; v < problem->nodes; v++)
        if (cover->node[v] == next) {
            copy_node(problem, cover, v, next, quotient);
            first[next++] = v;
        }
    rc = copy_arcs(problem, cover, first, quotient, scratch);
    if (!rc)
        rc = flux_problem_arcs_out(quotient);
    if (!rc)
        rc = flux_problem_number_circuits(quotient, scratch);
    if (!rc)
        rc = flux_problem_find_touching(quotient);
    if (!rc)
        flux_problem_set_heads_and_tails(quotient);
    return rc;
}

int flux_quotient_build(const struct flux_problem *problem, const struct flux_cover *cover,
                        struct flux_problem **quotient)
{
    const struct flux_memory *memory = problem->arena.memory;
    struct flux_problem *fresh = flux_alloc_zero(memory, 1, sizeof *fresh);
    struct flux_arena scratch;
    *quotient = NULL;
    if (!fresh)
        return FLUX_E_MEMORY;
    flux_arena_init(&fresh->arena, memory);
    flux_arena_init(&scratch, memory);
    fresh->gpus = cover->gpus;
    fresh->nodes = fresh->vertices = cover->nodes;
    fresh->switches = problem->switches;
    fresh->rule = problem->rule;
    fresh->floor = problem->floor;
    fresh->delay = problem->delay;
    fresh->dwell = problem->dwell;
    fresh->blocking = problem->blocking;
    fresh->staged = problem->staged;
    int rc = fill(problem, cover, fresh, &scratch);
    flux_arena_free(&scratch);
    if (rc)
        flux_problem_free(fresh);
    else
        *quotient = fresh;
    return rc;
}

int flux_quotient_unfold(const struct flux_problem *problem, const struct flux_cover *cover,
                         const struct flux_plan *folded, struct flux_plan *plan)
{
    struct flux_arena scratch;
    for (uint32_t v = 0; v < problem->nodes; v++) {
        plan->switch_of[v] = folded->switch_of[cover->node[v]];
        plan->start[v] = folded->start[cover->node[v]];
    }
    flux_arena_init(&scratch, problem->arena.memory);
    int rc = flux_plan_shift(plan, problem, &scratch);
    flux_arena_free(&scratch);
    return rc;
}
