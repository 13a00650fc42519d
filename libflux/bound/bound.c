/* SPDX-License-Identifier: Apache-2.0 */
#include "bound/bound.h"

#include "base/fail.h"
#include "bound/search.h"
#include "model/graph.h"

#include <string.h>

#define SHAPES_TRIED 8u /* places looked at in the table of shapes */

/* Sets of switches per side: fewer where the problem is large, so that a fabric with many dead ports and forbidden
 * circuits still costs only a few passes over all sends. */
static uint32_t set_limit(const struct flux_problem *problem)
{
    uint32_t limit = (UINT32_C(1) << 22) / (problem->sends + 1);
    return limit < 2 ? 2 : limit > FLUX_PORT_SETS ? FLUX_PORT_SETS : limit;
}

/* 1 where a port of this shape was looked at before: in symmetric workloads one GPU of each kind is enough. */
static int is_known(struct flux_bound_search *search, uint64_t shape)
{
    uint64_t mask = search->shapes_room - 1, at = (shape ^ shape >> 32) & mask;
    for (uint64_t i = 0; i < SHAPES_TRIED; i++) {
        uint64_t *known = &search->shapes[(at + i) & mask];
        if (*known == shape)
            return 1;
        if (*known == 0) {
            *known = shape;
            return 0;
        }
    }
    return 0;
}

int flux_bound_each_port(struct flux_bound_search *search,
                         int (*look)(struct flux_bound_search *search, const struct flux_port *port))
{
    const struct flux_problem *problem = search->problem;
    const struct flux_sides *sides = &search->sides;
    int rc = FLUX_OK;
    memset(search->shapes, 0, search->shapes_room * sizeof *search->shapes);
    for (uint32_t side = 0; side < sides->count && !rc; side++) {
        if (sides->first[side] == sides->first[side + 1])
            continue;
        uint32_t sets = flux_port_sets(sides, side, set_limit(problem), &search->port);
        for (uint32_t set = 0; set < sets && !rc; set++) {
            flux_port_fill(problem, sides, side, set, &search->port);
            if (!is_known(search, flux_port_shape(sides, &search->port)))
                rc = look(search, &search->port);
        }
    }
    return rc;
}

static int look_at_port(struct flux_bound_search *search, const struct flux_port *port)
{
    flux_bound_port_edges(search, port);
    return flux_bound_port_load(search, port);
}

static int look_at_ports(struct flux_bound_search *search)
{
    return flux_bound_each_port(search, look_at_port);
}

/* In order of cost. */
static int (*const bounds[])(struct flux_bound_search *search) = {
    flux_bound_critical_path,
    look_at_ports, /* B2 and B3 */
    flux_bound_walks,
};

static int alloc(struct flux_bound_search *search)
{
    int rc = flux_sides_find(search->problem, &search->arena, &search->sides);
    if (rc)
        return rc;
    search->shapes_room = SHAPES_TRIED;
    while (search->shapes_room < 2 * (uint64_t)search->sides.count)
        search->shapes_room *= 2;
    search->shapes = flux_arena_alloc(&search->arena, search->shapes_room, sizeof *search->shapes);
    if (!search->shapes)
        return FLUX_E_MEMORY;
    return flux_port_alloc(search->problem, &search->sides, &search->arena, &search->port);
}

static int run(struct flux_bound_search *search, int (*const *bound)(struct flux_bound_search *search), uint64_t count)
{
    flux_arena_init(&search->arena, search->problem->arena.memory);
    int rc = alloc(search);
    for (uint64_t i = 0; !rc && i < count; i++)
        rc = bound[i](search);
    flux_arena_free(&search->arena);
    return !rc && search->overflow ? FLUX_E_OVERFLOW : rc;
}

int flux_bound_raise_all(const struct flux_problem *problem, struct flux_bound_value *value)
{
    struct flux_bound_search search = {.problem = problem, .best = *value};
    int rc = run(&search, bounds, sizeof bounds / sizeof *bounds);
    if (!rc)
        *value = search.best;
    return rc;
}

int flux_bound_raise_shares(const struct flux_problem *problem, int64_t enough, struct flux_arena *arena,
                            struct flux_bound_value *value)
{
    static int (*const shares[])(struct flux_bound_search * search) = {flux_bound_port_shares};
    struct flux_bound_search search = {.problem = problem, .best = *value, .keep = arena, .enough = enough};
    if (value->bound >= enough)
        return FLUX_OK;
    int rc = run(&search, shares, 1);
    if (!rc)
        *value = search.best;
    return rc;
}

int flux_bound_find(const struct flux_problem *problem, struct flux_bound_value *value)
{
    *value = (struct flux_bound_value){
        .bound = -1, .kind = FLUX_CERTIFICATE_CRITICAL_PATH, .gpu = FLUX_NONE, .side = FLUX_SIDE_BOTH};
    memset(value->switches, 0xff, sizeof value->switches);
    return flux_bound_raise_all(problem, value);
}

int flux_bound(const struct flux_graph *graph, const struct flux_fabric *fabric, struct flux_certificate **certificate,
               struct flux_error *error)
{
    struct flux_problem *problem;
    struct flux_bound_value value;
    if (!certificate)
        return flux_fail(error, FLUX_E_ARGUMENT, "there is no place for the certificate: the pointer is NULL");
    *certificate = NULL;
    if (!graph || !fabric)
        return flux_fail(error, FLUX_E_ARGUMENT, "the %s is NULL", graph ? "fabric" : "graph");
    int rc = flux_problem_build(graph, fabric, &graph->memory, &problem, error);
    if (rc)
        return rc;
    rc = flux_bound_find(problem, &value);
    if (!rc)
        rc = flux_certificate_make(problem, &value, &graph->memory, certificate);
    flux_problem_free(problem);
    if (rc == FLUX_E_OVERFLOW)
        return flux_fail(error, rc, "no schedule ends before 2^62 ps; use smaller times");
    return rc ? flux_fail_memory(error) : FLUX_OK;
}
