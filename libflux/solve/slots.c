/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fail.h"
#include "solve/solving.h"

#include <string.h>

int flux_solving_slots(struct flux_solving *solving, const struct flux_plan *plan, struct flux_slot **slots)
{
    const struct flux_problem *problem = solving->problem;
    uint32_t *node_of = flux_arena_alloc(&solving->arena, problem->vertices, sizeof *node_of);
    struct flux_slot *rows = flux_arena_alloc(&solving->arena, problem->sends, sizeof *rows);
    if (!node_of || !rows)
        return flux_fail_memory(solving->error);
    memset(node_of, 0xff, sizeof *node_of * problem->vertices);
    for (uint32_t node = 0; node < problem->nodes; node++)
        if (flux_problem_is_send(problem, node))
            node_of[problem->vertex[node]] = node;
    uint32_t count = 0;
    for (uint32_t v = 0; v < problem->vertices; v++) {
        uint32_t node = node_of[v];
        if (node == FLUX_NONE)
            continue;
        uint32_t k = plan->switch_of[node];
        int64_t start = plan->start[node];
        rows[count++] = (struct flux_slot){v, k, start, start + flux_problem_duration(problem, node, k)};
    }
    *slots = rows;
    return FLUX_OK;
}
