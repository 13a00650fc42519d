/* SPDX-License-Identifier: Apache-2.0 */
#include "symmetry/colours.h"

#include "search/sequence.h"

#include <libflux/error.h>

#define ROUNDS 2 /* each sees all ancestors and descendants; the second one also what their GPUs do */

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    return x ^ (x >> 32);
}

static uint64_t own(const struct flux_problem *problem, uint32_t v)
{
    uint64_t hash = mix((uint64_t)flux_problem_is_send(problem, v) + 1);
    hash = mix(hash + (uint64_t)problem->duration[v]);
    hash = mix(hash + (uint64_t)problem->release[v]);
    hash = mix(hash + (uint64_t)problem->rest[v]);
    for (uint32_t k = 0; problem->durations && k < problem->switches; k++)
        hash = mix(hash + (uint64_t)flux_problem_duration(problem, v, k));
    return hash;
}

/* The sum does not depend on the order of the arcs. */
static uint64_t neighbours(const uint64_t *first, const struct flux_arc *arcs, const uint64_t *hash, uint32_t v)
{
    uint64_t sum = 0;
    for (uint64_t i = first[v]; i < first[v + 1]; i++)
        sum += mix(hash[arcs[i].node] + (uint64_t)arcs[i].lag);
    return sum;
}

static void refine(const struct flux_problem *problem, uint64_t *hash, uint64_t *gpu)
{
    for (uint32_t v = 0; v < problem->nodes; v++)
        hash[v] = mix(hash[v] + neighbours(problem->in_first, problem->in, hash, v));
    for (uint32_t v = problem->nodes; v-- > 0;)
        hash[v] = mix(hash[v] - neighbours(problem->out_first, problem->out, hash, v));
    for (uint32_t g = 0; g < problem->gpus; g++)
        gpu[g] = 0;
    for (uint32_t v = 0; v < problem->nodes; v++)
        if (flux_problem_is_send(problem, v)) {
            gpu[problem->src[v]] += mix(hash[v] + 1);
            gpu[problem->dst[v]] += mix(hash[v] + 2);
        }
    for (uint32_t v = 0; v < problem->nodes; v++)
        if (flux_problem_is_send(problem, v))
            hash[v] = mix(mix(hash[v] + gpu[problem->src[v]]) + gpu[problem->dst[v]]);
}

/* Numbers the colours in the order of their hashes, and lists sends in that order. */
static void list(const struct flux_problem *problem, const uint32_t *order, const uint64_t *hash,
                 struct flux_colours *colours)
{
    uint64_t *first = colours->first;
    for (uint32_t i = 0, colour = 0; i < problem->nodes; i++) {
        colour += i && hash[order[i]] != hash[order[i - 1]];
        colours->node[order[i]] = colour;
    }
    for (uint32_t v = 0; v < problem->nodes; v++)
        if (flux_problem_is_send(problem, v)) {
            first[2 * (uint64_t)problem->src[v] + 2]++;
            first[2 * (uint64_t)problem->dst[v] + 3]++;
        }
    for (uint64_t i = 0; i < 2 * (uint64_t)problem->gpus; i++)
        first[i + 2] += first[i + 1];
    for (uint32_t i = 0; i < problem->nodes; i++)
        if (flux_problem_is_send(problem, order[i])) {
            colours->send[first[2 * (uint64_t)problem->src[order[i]] + 1]++] = order[i];
            colours->send[first[2 * (uint64_t)problem->dst[order[i]] + 2]++] = order[i];
        }
}

int flux_colours_find(const struct flux_problem *problem, struct flux_arena *arena, struct flux_colours *colours)
{
    uint64_t *hash = flux_arena_alloc(arena, problem->nodes, sizeof *hash);
    uint32_t *order = flux_arena_alloc(arena, problem->nodes, sizeof *order);
    colours->node = flux_arena_alloc(arena, problem->nodes, sizeof *colours->node);
    colours->gpu = flux_arena_alloc(arena, problem->gpus, sizeof *colours->gpu);
    colours->first = flux_arena_zero(arena, 2 * (uint64_t)problem->gpus + 2, sizeof *colours->first);
    colours->send = flux_arena_alloc(arena, 2 * (uint64_t)problem->sends, sizeof *colours->send);
    if (!hash || !order || !colours->node || !colours->gpu || !colours->first || !colours->send)
        return FLUX_E_MEMORY;
    for (uint32_t v = 0; v < problem->nodes; v++) {
        hash[v] = own(problem, v);
        order[v] = v;
    }
    for (int i = 0; i < ROUNDS; i++)
        refine(problem, hash, colours->gpu);
    int rc = flux_sequence_sort(order, problem->nodes, (const int64_t *)hash, arena);
    if (!rc)
        list(problem, order, hash, colours);
    return rc;
}
