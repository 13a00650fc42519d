/* SPDX-License-Identifier: Apache-2.0 */
#include "symmetry/automorphism.h"

#include <libflux/error.h>
#include <string.h>

#define FAN 4096u /* joins after a node with more arcs are not looked for */

int flux_automorphism_alloc(const struct flux_problem *problem, struct flux_arena *arena, struct flux_automorphism *map)
{
    map->gpu = flux_arena_alloc(arena, problem->gpus, sizeof *map->gpu);
    map->node = flux_arena_alloc(arena, problem->nodes, sizeof *map->node);
    if (!map->gpu || !map->node)
        return FLUX_E_MEMORY;
    flux_automorphism_clear(problem, map);
    return FLUX_OK;
}

void flux_automorphism_clear(const struct flux_problem *problem, struct flux_automorphism *map)
{
    memset(map->gpu, 0xff, problem->gpus * sizeof *map->gpu);
    memset(map->node, 0xff, problem->nodes * sizeof *map->node);
}

int flux_automorphism_follow(const struct flux_problem *problem, const struct flux_colours *colours, uint32_t from,
                             uint32_t to, uint32_t *queue, struct flux_automorphism *map)
{
    uint32_t head = 0, tail = 0;
    map->gpu[from] = to;
    queue[tail++] = from;
    while (head < tail) {
        uint64_t g = queue[head++], h = map->gpu[g];
        uint64_t count = colours->first[2 * g + 2] - colours->first[2 * g];
        if (colours->gpu[g] != colours->gpu[h] || count != colours->first[2 * h + 2] - colours->first[2 * h] ||
            colours->first[2 * g + 1] - colours->first[2 * g] != colours->first[2 * h + 1] - colours->first[2 * h])
            return 0;
        for (uint64_t i = 0; i < count; i++) {
            uint32_t v = colours->send[colours->first[2 * g] + i], w = colours->send[colours->first[2 * h] + i];
            int sends = i < colours->first[2 * g + 1] - colours->first[2 * g];
            uint32_t end = sends ? problem->dst[v] : problem->src[v], image = sends ? problem->dst[w] : problem->src[w];
            if (colours->node[v] != colours->node[w] || (map->node[v] != FLUX_NONE && map->node[v] != w))
                return 0;
            map->node[v] = w;
            if (map->gpu[end] == FLUX_NONE) {
                map->gpu[end] = image;
                queue[tail++] = end;
            } else if (map->gpu[end] != image) {
                return 0;
            }
        }
    }
    return 1;
}

/* The node that `to` has where `from` has `node` among what follows it and looks alike. */
static uint32_t same_place(const struct flux_problem *problem, const struct flux_colours *colours, uint32_t from,
                           uint32_t to, uint32_t node)
{
    uint32_t place = 0;
    if (problem->out_first[from + 1] - problem->out_first[from] > FAN)
        return FLUX_NONE;
    for (uint64_t i = problem->out_first[from]; i < problem->out_first[from + 1]; i++) {
        if (problem->out[i].node == node)
            break;
        place += colours->node[problem->out[i].node] == colours->node[node];
    }
    for (uint64_t i = problem->out_first[to]; i < problem->out_first[to + 1]; i++)
        if (colours->node[problem->out[i].node] == colours->node[node] && place-- == 0)
            return problem->out[i].node;
    return FLUX_NONE;
}

void flux_automorphism_complete(const struct flux_problem *problem, const struct flux_colours *colours,
                                struct flux_automorphism *map)
{
    for (uint32_t g = 0; g < problem->gpus; g++)
        map->gpu[g] = map->gpu[g] == FLUX_NONE ? g : map->gpu[g];
    for (uint32_t v = 0; v < problem->nodes; v++) {
        if (map->node[v] != FLUX_NONE)
            continue;
        if (!flux_problem_is_send(problem, v) && problem->in_first[v] < problem->in_first[v + 1]) {
            uint32_t before = problem->in[problem->in_first[v]].node;
            map->node[v] = same_place(problem, colours, before, map->node[before], v);
        }
        map->node[v] = map->node[v] == FLUX_NONE ? v : map->node[v];
    }
}

/* 1 where every number below `count` is in `image` once. */
static int is_permutation(const uint32_t *image, uint32_t count, uint32_t *seen)
{
    memset(seen, 0, count * sizeof *seen);
    for (uint32_t i = 0; i < count; i++) {
        if (image[i] >= count || seen[image[i]])
            return 0;
        seen[image[i]] = 1;
    }
    return 1;
}

static int same_node(const struct flux_problem *problem, const struct flux_automorphism *map, uint32_t v)
{
    uint32_t w = map->node[v];
    if (!flux_problem_alike(problem, v, w))
        return 0;
    return !flux_problem_is_send(problem, v) ||
           (map->gpu[problem->src[v]] == problem->src[w] && map->gpu[problem->dst[v]] == problem->dst[w]);
}

/* A problem has no two arcs from one node to another, so that as many arcs and each found means the same ones. */
static int same_arcs(const struct flux_problem *problem, const struct flux_automorphism *map, uint32_t v,
                     uint32_t *seen, int64_t *lag)
{
    uint32_t w = map->node[v];
    uint64_t begin = problem->in_first[v], end = problem->in_first[v + 1];
    if (end - begin != problem->in_first[w + 1] - problem->in_first[w])
        return 0;
    for (uint64_t i = problem->in_first[w]; i < problem->in_first[w + 1]; i++) {
        seen[problem->in[i].node] = v + 1;
        lag[problem->in[i].node] = problem->in[i].lag;
    }
    for (uint64_t i = begin; i < end; i++) {
        uint32_t before = map->node[problem->in[i].node];
        if (seen[before] != v + 1 || lag[before] != problem->in[i].lag)
            return 0;
    }
    return 1;
}

int flux_automorphism_holds(const struct flux_problem *problem, const struct flux_automorphism *map,
                            struct flux_arena *scratch, int *holds)
{
    uint32_t most = problem->nodes > problem->gpus ? problem->nodes : problem->gpus;
    uint32_t *seen = flux_arena_alloc(scratch, most, sizeof *seen);
    int64_t *lag = flux_arena_alloc(scratch, problem->nodes, sizeof *lag);
    if (!seen || !lag)
        return FLUX_E_MEMORY;
    *holds = is_permutation(map->gpu, problem->gpus, seen) && is_permutation(map->node, problem->nodes, seen);
    for (uint32_t v = 0; v < problem->nodes && *holds; v++)
        *holds = same_node(problem, map, v);
    memset(seen, 0, problem->nodes * sizeof *seen);
    for (uint32_t v = 0; v < problem->nodes && *holds; v++)
        *holds = same_arcs(problem, map, v, seen, lag);
    return FLUX_OK;
}
