/* SPDX-License-Identifier: Apache-2.0 */
#include "symmetry/cover.h"

#include "symmetry/groups.h"

#include <libflux/error.h>
#include <string.h>

/* The other ends of a GPU's circuits. */
struct ends {
    uint64_t *first; /* by GPU */
    uint32_t *gpu;
    uint8_t *side; /* 1 where the circuit leads to the GPU, and the rule tells that apart */
};

struct covering {
    const struct flux_problem *problem;
    struct flux_arena *arena;
    struct flux_cover *cover;
    struct ends ends;
    uint32_t *group;   /* by GPU: those that are one class so far */
    uint32_t *attempt; /* the same with one power more */
    uint32_t *met[2];  /* by GPU */
    uint32_t *nodes;   /* by node: those that are one class */
    uint32_t *cycle;
    uint8_t *done;
};

static int find_ends(struct covering *covering)
{
    const struct flux_problem *problem = covering->problem;
    struct ends *ends = &covering->ends;
    uint32_t *holder = flux_arena_alloc(covering->arena, problem->circuits, sizeof *holder);
    ends->first = flux_arena_zero(covering->arena, (uint64_t)problem->gpus + 2, sizeof *ends->first);
    ends->gpu = flux_arena_alloc(covering->arena, 2 * (uint64_t)problem->circuits, sizeof *ends->gpu);
    ends->side = flux_arena_alloc(covering->arena, 2 * (uint64_t)problem->circuits, sizeof *ends->side);
    if (!holder || !ends->first || !ends->gpu || !ends->side)
        return FLUX_E_MEMORY;
    for (uint32_t v = 0; v < problem->nodes; v++)
        if (flux_problem_is_send(problem, v))
            holder[problem->circuit[v]] = v;
    for (uint32_t c = 0; c < problem->circuits; c++) {
        ends->first[problem->src[holder[c]] + 2]++;
        ends->first[problem->dst[holder[c]] + 2]++;
    }
    for (uint32_t g = 0; g < problem->gpus; g++)
        ends->first[g + 2] += ends->first[g + 1];
    for (uint32_t c = 0; c < problem->circuits; c++) {
        uint32_t a = problem->src[holder[c]], b = problem->dst[holder[c]];
        ends->side[ends->first[a + 1]] = 0;
        ends->gpu[ends->first[a + 1]++] = b;
        ends->side[ends->first[b + 1]] = problem->rule != FLUX_RULE_DUPLEX;
        ends->gpu[ends->first[b + 1]++] = a;
    }
    return FLUX_OK;
}

/* Would these groups of GPUs keep circuits apart that must be? */
static int keeps_circuits(struct covering *covering, uint32_t *group)
{
    const struct ends *ends = &covering->ends;
    uint32_t gpus = covering->problem->gpus;
    for (int side = 0; side < 2; side++)
        memset(covering->met[side], 0, gpus * sizeof **covering->met);
    for (uint32_t g = 0; g < gpus; g++)
        for (uint64_t i = ends->first[g]; i < ends->first[g + 1]; i++) {
            uint32_t class = flux_groups_first(group, ends->gpu[i]);
            if (class == flux_groups_first(group, g) || covering->met[ends->side[i]][class] == g + 1)
                return 0;
            covering->met[ends->side[i]][class] = g + 1;
        }
    return 1;
}

/* Joins everything with its image under `power` steps of a permutation. */
static void join_power(struct covering *covering, const uint32_t *image, uint32_t count, uint32_t power,
                       uint32_t *group)
{
    memset(covering->done, 0, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t length = 0;
        for (uint32_t j = i; !covering->done[j]; j = image[j]) {
            covering->done[j] = 1;
            covering->cycle[length++] = j;
        }
        for (uint32_t j = 0; j < length; j++)
            flux_groups_join(group, covering->cycle[j], covering->cycle[(j + (uint64_t)power) % length]);
    }
}

static uint32_t order_of(const uint32_t *image, uint32_t count)
{
    uint32_t most = 1;
    for (uint32_t i = 0; i < count && most == 1; i++)
        for (uint32_t j = image[i]; j != i; j = image[j])
            most++;
    return most;
}

/* The least power of the generator that still gives a cover, as far as circuits say; none where it is the whole turn.
 */
static void add(struct covering *covering, const struct flux_automorphism *map)
{
    const struct flux_problem *problem = covering->problem;
    uint32_t order = order_of(map->gpu, problem->gpus);
    for (uint32_t power = 1; power < order; power++) {
        if (order % power)
            continue;
        memcpy(covering->attempt, covering->group, problem->gpus * sizeof *covering->group);
        join_power(covering, map->gpu, problem->gpus, power, covering->attempt);
        if (!keeps_circuits(covering, covering->attempt))
            continue;
        memcpy(covering->group, covering->attempt, problem->gpus * sizeof *covering->group);
        join_power(covering, map->node, problem->nodes, power, covering->nodes);
        return;
    }
}

static uint32_t number(uint32_t *group, uint32_t count, uint32_t *class)
{
    uint32_t classes = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t first = flux_groups_first(group, i);
        class[i] = first == i ? classes++ : class[first];
    }
    return classes;
}

static int init(struct covering *covering)
{
    const struct flux_problem *problem = covering->problem;
    uint32_t most = problem->nodes > problem->gpus ? problem->nodes : problem->gpus;
    struct flux_arena *arena = covering->arena;
    struct flux_cover *cover = covering->cover;
    covering->group = flux_arena_alloc(arena, problem->gpus, sizeof *covering->group);
    covering->attempt = flux_arena_alloc(arena, problem->gpus, sizeof *covering->attempt);
    covering->met[0] = flux_arena_alloc(arena, problem->gpus, sizeof **covering->met);
    covering->met[1] = flux_arena_alloc(arena, problem->gpus, sizeof **covering->met);
    covering->nodes = flux_arena_alloc(arena, problem->nodes, sizeof *covering->nodes);
    covering->cycle = flux_arena_alloc(arena, most, sizeof *covering->cycle);
    covering->done = flux_arena_alloc(arena, most, sizeof *covering->done);
    cover->gpu = flux_arena_alloc(arena, problem->gpus, sizeof *cover->gpu);
    cover->node = flux_arena_alloc(arena, problem->nodes, sizeof *cover->node);
    if (!covering->group || !covering->attempt || !covering->met[0] || !covering->met[1] || !covering->nodes ||
        !covering->cycle || !covering->done || !cover->gpu || !cover->node)
        return FLUX_E_MEMORY;
    flux_groups_alone(covering->group, problem->gpus);
    flux_groups_alone(covering->nodes, problem->nodes);
    return find_ends(covering);
}

int flux_cover_find(const struct flux_problem *problem, const struct flux_generators *generators,
                    struct flux_arena *arena, struct flux_cover *cover)
{
    struct covering covering = {.problem = problem, .arena = arena, .cover = cover};
    int holds, rc = init(&covering);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < generators->count; i++)
        add(&covering, &generators->map[i]);
    cover->gpus = number(covering.group, problem->gpus, cover->gpu);
    cover->nodes = number(covering.nodes, problem->nodes, cover->node);
    rc = flux_cover_holds(problem, cover, arena, &holds);
    if (rc || holds)
        return rc;
    flux_groups_alone(cover->gpu, cover->gpus = problem->gpus);
    flux_groups_alone(cover->node, cover->nodes = problem->nodes);
    return FLUX_OK;
}
