/* SPDX-License-Identifier: Apache-2.0
 *
 * compare/collectives.c - which sends belong together: those that hand on to one another what they carry.
 */
#include "compare/phase.h"

static uint32_t first_of(uint32_t *collective, uint32_t v)
{
    while (collective[v] != v) {
        collective[v] = collective[collective[v]];
        v = collective[v];
    }
    return v;
}

int flux_collectives_find(const struct flux_precedence *precedence, struct flux_arena *arena, uint32_t **collective)
{
    uint32_t n = precedence->vertices, *of = flux_arena_alloc(arena, n, sizeof *of);
    *collective = of;
    if (!of)
        return FLUX_E_MEMORY;
    for (uint32_t v = 0; v < n; v++)
        of[v] = precedence->to[v] == FLUX_NONE ? FLUX_NONE : v;
    for (uint32_t v = 0; v < n; v++) {
        if (of[v] == FLUX_NONE)
            continue;
        for (uint64_t i = precedence->first[v]; i < precedence->first[v + 1]; i++) {
            const struct flux_successor *edge = &precedence->successors[i];
            if (of[edge->vertex] == FLUX_NONE || edge->lag)
                continue;
            uint32_t a = first_of(of, v), b = first_of(of, edge->vertex);
            of[a > b ? a : b] = a > b ? b : a;
        }
    }
    for (uint32_t v = 0; v < n; v++)
        if (of[v] != FLUX_NONE)
            of[v] = first_of(of, v);
    return FLUX_OK;
}
