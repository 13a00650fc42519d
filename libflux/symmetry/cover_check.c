/* SPDX-License-Identifier: Apache-2.0
 *
 * symmetry/cover_check.c - flux_cover_holds(): every node, port and arc is looked at; nothing is believed.
 */
#include "symmetry/cover.h"

#include <libflux/error.h>
#include <string.h>

struct checking {
    const struct flux_problem *problem;
    const struct flux_cover *cover;
    uint32_t *first; /* by class of nodes: its first member */
    uint32_t *seen;  /* by class of nodes */
    uint32_t *own;   /* the same, for the node that is being compared */
    int64_t *lag;    /* by class of nodes */
    int64_t *own_lag;
    uint32_t *end[2]; /* by class of GPUs: where a circuit from or to the GPU that is being looked at ends */
    uint32_t *met[2]; /* by class of GPUs: for which GPU that was noted */
};

static int find_first(struct checking *checking)
{
    const struct flux_cover *cover = checking->cover;
    memset(checking->first, 0xff, cover->nodes * sizeof *checking->first);
    for (uint32_t v = 0; v < checking->problem->nodes; v++) {
        if (cover->node[v] >= cover->nodes)
            return 0;
        if (checking->first[cover->node[v]] == FLUX_NONE)
            checking->first[cover->node[v]] = v;
    }
    for (uint32_t c = 0; c < cover->nodes; c++)
        if (checking->first[c] == FLUX_NONE || (c && checking->first[c] < checking->first[c - 1]))
            return 0;
    for (uint32_t g = 0; g < checking->problem->gpus; g++)
        if (cover->gpu[g] >= cover->gpus)
            return 0;
    return 1;
}

static int like_first(const struct checking *checking, uint32_t v)
{
    const struct flux_problem *problem = checking->problem;
    const uint32_t *gpu = checking->cover->gpu;
    uint32_t w = checking->first[checking->cover->node[v]];
    if (!flux_problem_alike(problem, v, w))
        return 0;
    return !flux_problem_is_send(problem, v) ||
           (gpu[problem->src[v]] == gpu[problem->src[w]] && gpu[problem->dst[v]] == gpu[problem->dst[w]] &&
            gpu[problem->src[v]] != gpu[problem->dst[v]]);
}

/* At GPU `g`: each class of sends at most once, and circuits of one pair of classes are one circuit. */
static int ports_agree(struct checking *checking, uint32_t g)
{
    const struct flux_problem *problem = checking->problem;
    const struct flux_cover *cover = checking->cover;
    for (uint64_t i = problem->touch_first[g]; i < problem->touch_first[g + 1]; i++) {
        uint32_t v = problem->touch[i], class = cover->node[v];
        int side = problem->rule != FLUX_RULE_DUPLEX && problem->src[v] != g;
        uint32_t end = problem->src[v] == g ? problem->dst[v] : problem->src[v];
        uint32_t at = cover->gpu[end];
        if (checking->seen[class] == g + 1)
            return 0;
        checking->seen[class] = g + 1;
        if (checking->met[side][at] == g + 1 && checking->end[side][at] != end)
            return 0;
        checking->met[side][at] = g + 1;
        checking->end[side][at] = end;
    }
    return 1;
}

/* Which classes `v` waits for, each with its longest lag, marked with `v`. Returns how many. */
static uint32_t note(const struct checking *checking, uint32_t v, uint32_t mark, uint32_t *seen, int64_t *lag)
{
    const struct flux_problem *problem = checking->problem;
    uint32_t count = 0;
    for (uint64_t i = problem->in_first[v]; i < problem->in_first[v + 1]; i++) {
        uint32_t class = checking->cover->node[problem->in[i].node];
        if (seen[class] != mark || problem->in[i].lag > lag[class])
            lag[class] = problem->in[i].lag;
        count += seen[class] != mark;
        seen[class] = mark;
    }
    return count;
}

static int waits_agree(struct checking *checking, uint32_t v)
{
    const struct flux_problem *problem = checking->problem;
    uint32_t w = checking->first[checking->cover->node[v]];
    if (v == w)
        return 1;
    if (note(checking, w, v + 1, checking->seen, checking->lag) !=
        note(checking, v, v + 1, checking->own, checking->own_lag))
        return 0;
    for (uint64_t i = problem->in_first[v]; i < problem->in_first[v + 1]; i++) {
        uint32_t class = checking->cover->node[problem->in[i].node];
        if (checking->seen[class] != v + 1 || checking->lag[class] != checking->own_lag[class])
            return 0;
    }
    return 1;
}

static int all_hold(struct checking *checking)
{
    const struct flux_problem *problem = checking->problem;
    int holds = find_first(checking);
    for (uint32_t v = 0; v < problem->nodes && holds; v++)
        holds = like_first(checking, v);
    for (uint32_t g = 0; g < problem->gpus && holds; g++)
        holds = ports_agree(checking, g);
    memset(checking->seen, 0, checking->cover->nodes * sizeof *checking->seen);
    for (uint32_t v = 0; v < problem->nodes && holds; v++)
        holds = waits_agree(checking, v);
    return holds;
}

int flux_cover_holds(const struct flux_problem *problem, const struct flux_cover *cover, struct flux_arena *scratch,
                     int *holds)
{
    struct checking checking = {.problem = problem, .cover = cover};
    int rc = FLUX_OK;
    checking.first = flux_arena_alloc(scratch, cover->nodes, sizeof *checking.first);
    checking.seen = flux_arena_zero(scratch, cover->nodes, sizeof *checking.seen);
    checking.own = flux_arena_zero(scratch, cover->nodes, sizeof *checking.own);
    checking.lag = flux_arena_alloc(scratch, cover->nodes, sizeof *checking.lag);
    checking.own_lag = flux_arena_alloc(scratch, cover->nodes, sizeof *checking.own_lag);
    for (int side = 0; side < 2; side++) {
        checking.end[side] = flux_arena_zero(scratch, cover->gpus, sizeof **checking.end);
        checking.met[side] = flux_arena_zero(scratch, cover->gpus, sizeof **checking.met);
        if (!checking.end[side] || !checking.met[side])
            rc = FLUX_E_MEMORY;
    }
    if (!checking.first || !checking.seen || !checking.own || !checking.lag || !checking.own_lag || rc)
        return FLUX_E_MEMORY;
    *holds = all_hold(&checking);
    return FLUX_OK;
}
