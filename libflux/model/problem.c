/* SPDX-License-Identifier: Apache-2.0 */
#include "model/problem.h"

#include "base/fail.h"
#include "base/wide.h"
#include "model/fold.h"
#include "model/index.h"
#include "model/initials.h"

#include <inttypes.h>
#include <string.h>

struct building {
    const struct flux_graph *graph;
    const struct flux_fabric *fabric;
    struct flux_problem *problem;
    struct flux_arena scratch;
    struct flux_fold fold;
    uint32_t *node; /* by vertex; FLUX_NONE where folded */
    struct flux_error *error;
};

static int no_memory(struct building *building)
{
    return flux_fail_memory(building->error);
}

static int too_long(struct building *building)
{
    return flux_fail(building->error, FLUX_E_OVERFLOW, "the times add up beyond 2^62 ps; use smaller times");
}

static int copy_switches(struct building *building)
{
    struct flux_problem *problem = building->problem;
    uint32_t s = problem->switches;
    problem->delay = flux_arena_alloc(&problem->arena, s, sizeof *problem->delay);
    problem->dwell = flux_arena_alloc(&problem->arena, s, sizeof *problem->dwell);
    problem->blocking = flux_arena_alloc(&problem->arena, s, sizeof *problem->blocking);
    if (!problem->delay || !problem->dwell || !problem->blocking)
        return no_memory(building);
    for (uint32_t k = 0; k < s; k++) {
        problem->delay[k] = flux_fabric_delay(building->fabric, k);
        problem->dwell[k] = flux_fabric_dwell(building->fabric, k);
        problem->blocking[k] =
            (uint8_t)(problem->delay[k] ? flux_fabric_blocking(building->fabric, k) : FLUX_BLOCKING_PORT);
        problem->staged |= problem->blocking[k] == FLUX_BLOCKING_SWITCH || problem->dwell[k] > 0;
    }
    return FLUX_OK;
}

static int number_nodes(struct building *building)
{
    struct flux_problem *problem = building->problem;
    const struct flux_graph *graph = building->graph;
    uint64_t n = graph->vertex_count;
    building->node = flux_arena_alloc(&building->scratch, n, sizeof *building->node);
    if (!building->node)
        return no_memory(building);
    for (uint64_t i = 0; i < n; i++) {
        uint32_t v = building->fold.order[i];
        building->node[v] = building->fold.kept[v] ? problem->nodes++ : FLUX_NONE;
    }
    problem->vertices = (uint32_t)n;
    problem->sends = graph->sends;
    problem->floor = building->fold.floor;
    uint64_t nodes = problem->nodes;
    struct flux_arena *arena = &problem->arena;
    problem->vertex = flux_arena_alloc(arena, nodes, sizeof *problem->vertex);
    problem->src = flux_arena_alloc(arena, nodes, sizeof *problem->src);
    problem->dst = flux_arena_alloc(arena, nodes, sizeof *problem->dst);
    problem->circuit = flux_arena_alloc(arena, nodes, sizeof *problem->circuit);
    problem->duration = flux_arena_alloc(arena, nodes, sizeof *problem->duration);
    problem->release = flux_arena_alloc(arena, nodes, sizeof *problem->release);
    problem->eligible = flux_arena_alloc(arena, nodes, sizeof *problem->eligible);
    problem->bytes = flux_arena_alloc(arena, nodes, sizeof *problem->bytes);
    problem->rest = flux_arena_alloc(arena, nodes, sizeof *problem->rest);
    problem->head = flux_arena_alloc(arena, nodes, sizeof *problem->head);
    problem->tail = flux_arena_alloc(arena, nodes, sizeof *problem->tail);
    if (!problem->vertex || !problem->src || !problem->dst || !problem->circuit || !problem->duration ||
        !problem->release || !problem->eligible || !problem->bytes || !problem->rest || !problem->head ||
        !problem->tail)
        return no_memory(building);
    for (uint64_t v = 0; v < n; v++) {
        uint32_t node = building->node[v];
        if (node == FLUX_NONE)
            continue;
        const struct flux_vertex *vertex = &graph->vertices[v];
        problem->vertex[node] = (uint32_t)v;
        problem->src[node] = vertex->src;
        problem->dst[node] = vertex->src == FLUX_NONE ? FLUX_NONE : vertex->dst;
        problem->circuit[node] = FLUX_NONE;
        problem->duration[node] = vertex->duration;
        problem->release[node] = problem->eligible[node] = building->fold.release[v];
        problem->bytes[node] = vertex->src == FLUX_NONE ? 0 : vertex->bytes;
        problem->rest[node] = building->fold.rest[v];
    }
    return FLUX_OK;
}

/* Arcs by target from the links, parallel ones merged into the longest; then by origin. */
static int make_arcs(struct building *building)
{
    struct flux_problem *problem = building->problem;
    const struct flux_fold *fold = &building->fold;
    uint64_t nodes = problem->nodes, arcs = 0;
    uint64_t *seen = flux_arena_zero(&building->scratch, nodes, sizeof *seen); /* arc of (from, this target), plus 1 */
    uint64_t room = building->graph->edge_count;
    struct flux_arena *arena = &problem->arena;
    problem->in_first = flux_arena_alloc(arena, nodes + 1, sizeof *problem->in_first);
    problem->in = flux_arena_alloc(arena, room, sizeof *problem->in);
    if (!seen || !problem->in_first || !problem->in)
        return no_memory(building);
    for (uint32_t node = 0; node < nodes; node++) {
        uint64_t begin = problem->in_first[node] = arcs;
        for (uint32_t link = fold->first[problem->vertex[node]]; link != FLUX_NONE; link = fold->links[link].next) {
            uint32_t from = building->node[fold->links[link].from];
            int64_t lag = fold->links[link].lag;
            if (seen[from] > begin) {
                struct flux_arc *arc = &problem->in[seen[from] - 1];
                if (arc->lag < lag)
                    arc->lag = lag;
                continue;
            }
            problem->in[arcs++] = (struct flux_arc){from, 0, lag};
            seen[from] = arcs;
        }
    }
    problem->in_first[nodes] = problem->arcs = arcs;
    return flux_problem_arcs_out(problem) ? no_memory(building) : FLUX_OK;
}

static int fail_nowhere(struct building *building, uint32_t node)
{
    const struct flux_problem *problem = building->problem;
    char name[80];
    uint32_t vertex = problem->vertex[node];
    return flux_fail_vertex(building->error, FLUX_E_INFEASIBLE, vertex,
                            "no switch can carry the send %s from GPU %" PRIu32 " to GPU %" PRIu32
                            ": every one has a dead port or a forbidden circuit for it",
                            flux_graph_name(building->graph, vertex, name, sizeof name), problem->src[node],
                            problem->dst[node]);
}

static int fail_duration(struct building *building, uint32_t node)
{
    char name[80];
    uint32_t vertex = building->problem->vertex[node];
    return flux_fail_vertex(building->error, FLUX_E_OVERFLOW, vertex, "the send %s would take longer than 2^62 ps",
                            flux_graph_name(building->graph, vertex, name, sizeof name));
}

/* Time of a send on one switch: -1 where it cannot be carried there, -2 where it is too long. */
static int64_t time_on(const struct building *building, const struct flux_vertex *vertex, uint32_t k)
{
    const struct flux_fabric *fabric = building->fabric;
    int64_t duration;
    if (flux_fabric_dead(fabric, vertex->src, k) || flux_fabric_dead(fabric, vertex->dst, k) ||
        flux_fabric_is_forbidden(fabric, k, vertex->src, vertex->dst))
        return -1;
    if (vertex->duration)
        return vertex->duration;
    return flux_fabric_duration(fabric, k, vertex->src, vertex->dst, vertex->bytes, &duration) ? -2 : duration;
}

static int set_durations(struct building *building)
{
    struct flux_problem *problem = building->problem;
    const struct flux_fabric *fabric = building->fabric;
    uint32_t s = problem->switches;
    int uniform = !fabric->rates && !fabric->dead && fabric->forbidden_count == 0;
    if (!uniform) {
        problem->durations = flux_arena_alloc(&problem->arena, problem->nodes, sizeof *problem->durations * s);
        if (!problem->durations)
            return no_memory(building);
    }
    for (uint32_t node = 0; node < problem->nodes; node++) {
        const struct flux_vertex *vertex = &building->graph->vertices[problem->vertex[node]];
        int64_t least = -1;
        for (uint32_t k = 0; k < (uniform ? 1 : s); k++) {
            int64_t time = flux_problem_is_send(problem, node) ? time_on(building, vertex, k) : vertex->duration;
            if (time == -2)
                return fail_duration(building, node);
            if (!uniform)
                problem->durations[(uint64_t)node * s + k] = time;
            if (time >= 0 && (least < 0 || time < least))
                least = time;
        }
        if (least < 0)
            return fail_nowhere(building, node);
        problem->duration[node] = least;
    }
    return FLUX_OK;
}

/* No sum of an engine may overflow. In a schedule without needless waits the end is reached over a chain of nodes, each
 * waiting for the one before by an arc or at a port, none twice: what all nodes together could add must fit. */
static int check_horizon(struct building *building)
{
    const struct flux_problem *problem = building->problem;
    int64_t wait = 0, end = problem->floor;
    flux_wide sum = 0;
    for (uint32_t k = 0; k < problem->switches; k++) {
        int64_t one = problem->delay[k] > problem->dwell[k] ? problem->delay[k] : problem->dwell[k];
        wait = one > wait ? one : wait;
    }
    for (uint32_t node = 0; node < problem->nodes; node++) {
        int64_t longest = problem->duration[node];
        for (uint32_t k = 0; problem->durations && k < problem->switches; k++)
            if (flux_problem_duration(problem, node, k) > longest)
                longest = flux_problem_duration(problem, node, k);
        int64_t lag = 0;
        for (uint64_t i = problem->in_first[node]; i < problem->in_first[node + 1]; i++)
            lag = problem->in[i].lag > lag ? problem->in[i].lag : lag;
        sum += (flux_wide)longest + lag + problem->rest[node] + 2 * (flux_wide)wait;
        if (problem->release[node] > end)
            end = problem->release[node];
    }
    return sum + end > FLUX_TIME_MAX ? too_long(building) : FLUX_OK;
}

static int build(struct building *building)
{
    int rc = copy_switches(building);
    if (!rc)
        rc = flux_fold_graph(building->graph, building->fabric, &building->scratch, &building->fold, building->error);
    if (!rc)
        rc = number_nodes(building);
    if (!rc)
        rc = make_arcs(building);
    if (!rc)
        rc = set_durations(building);
    if (!rc && flux_problem_number_circuits(building->problem, &building->scratch))
        rc = no_memory(building);
    if (!rc)
        rc = flux_initials_apply(building->fabric, building->problem, &building->scratch, building->error);
    if (!rc && flux_problem_find_touching(building->problem))
        rc = no_memory(building);
    if (!rc)
        rc = check_horizon(building);
    if (!rc)
        flux_problem_set_heads_and_tails(building->problem);
    return rc;
}

int flux_problem_build(const struct flux_graph *graph, const struct flux_fabric *fabric,
                       const struct flux_memory *memory, struct flux_problem **problem, struct flux_error *error)
{
    *problem = NULL;
    if (graph->gpus != fabric->gpus)
        return flux_fail(error, FLUX_E_MISMATCH,
                         "the graph has %" PRIu32 " GPUs and the fabric %" PRIu32 ": make both with the same number",
                         graph->gpus, fabric->gpus);
    struct flux_problem *fresh = flux_alloc_zero(memory, 1, sizeof *fresh);
    if (!fresh)
        return flux_fail_memory(error);
    struct building building = {.graph = graph, .fabric = fabric, .problem = fresh, .error = error};
    flux_arena_init(&fresh->arena, memory);
    flux_arena_init(&building.scratch, memory);
    fresh->gpus = graph->gpus;
    fresh->switches = fabric->switches;
    fresh->rule = fabric->rule;
    int rc = build(&building);
    flux_arena_free(&building.scratch);
    if (rc)
        flux_problem_free(fresh);
    else
        *problem = fresh;
    return rc;
}

void flux_problem_free(struct flux_problem *problem)
{
    if (!problem)
        return;
    const struct flux_memory *memory = problem->arena.memory;
    flux_arena_free(&problem->arena);
    flux_release(memory, problem, 1, sizeof *problem);
}
