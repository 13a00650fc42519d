/* SPDX-License-Identifier: Apache-2.0 */
#include "prove/twins.h"

/* The same arcs, in any order. */
static int same_arcs(const struct flux_arc *arcs, const uint64_t *first, uint32_t u, uint32_t v)
{
    uint64_t count = first[u + 1] - first[u];
    if (count != first[v + 1] - first[v])
        return 0;
    for (uint64_t i = 0; i < count; i++) {
        const struct flux_arc *arc = &arcs[first[u] + i];
        uint64_t u_has = 0, v_has = 0;
        for (uint64_t j = 0; j < count; j++) {
            const struct flux_arc *of_u = &arcs[first[u] + j], *of_v = &arcs[first[v] + j];
            u_has += of_u->node == arc->node && of_u->lag == arc->lag;
            v_has += of_v->node == arc->node && of_v->lag == arc->lag;
        }
        if (u_has != v_has)
            return 0;
    }
    return 1;
}

int flux_are_twins(const struct flux_problem *problem, uint32_t u, uint32_t v)
{
    if (!flux_problem_is_send(problem, u) || !flux_problem_is_send(problem, v))
        return 0;
    if (problem->src[u] != problem->src[v] || problem->dst[u] != problem->dst[v] ||
        problem->duration[u] != problem->duration[v] || problem->release[u] != problem->release[v] ||
        problem->rest[u] != problem->rest[v])
        return 0;
    for (uint32_t k = 0; k < problem->switches; k++)
        if (flux_problem_duration(problem, u, k) != flux_problem_duration(problem, v, k))
            return 0;
    return same_arcs(problem->out, problem->out_first, u, v) && same_arcs(problem->in, problem->in_first, u, v);
}
