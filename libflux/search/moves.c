/* SPDX-License-Identifier: Apache-2.0 */
#include "search/moves.h"

#include "search/sequence.h"

#include <libflux/error.h>
#include <string.h>

int flux_stand_init(struct flux_stand *stand, const struct flux_problem *problem, const struct flux_batches *batches,
                    struct flux_arena *arena)
{
    memset(stand, 0, sizeof *stand);
    stand->problem = problem;
    stand->batches = batches;
    stand->latest = flux_arena_alloc(arena, problem->nodes, sizeof *stand->latest);
    stand->order = flux_arena_alloc(arena, problem->nodes, sizeof *stand->order);
    stand->place = flux_arena_alloc(arena, problem->nodes, sizeof *stand->place);
    stand->critical = flux_arena_alloc(arena, problem->nodes, sizeof *stand->critical);
    stand->class_of = flux_arena_alloc(arena, batches->count, sizeof *stand->class_of);
    if (!stand->latest || !stand->order || !stand->place || !stand->critical || !stand->class_of)
        return FLUX_E_MEMORY;
    for (uint32_t c = 0; c < batches->classes; c++)
        for (uint32_t b = batches->class_first[c]; b < batches->class_first[c + 1]; b++)
            stand->class_of[b] = c;
    return FLUX_OK;
}

int flux_stand_look(struct flux_stand *stand, struct flux_arena *scratch)
{
    const struct flux_problem *problem = stand->problem;
    int rc = flux_plan_latest(stand->plan, problem, scratch, stand->latest);
    for (uint32_t v = 0; v < problem->nodes; v++)
        stand->order[v] = v;
    if (!rc)
        rc = flux_sequence_sort(stand->order, problem->nodes, stand->plan->start, scratch);
    stand->criticals = 0;
    for (uint32_t i = 0; i < problem->nodes && !rc; i++) {
        uint32_t v = stand->order[i];
        stand->place[v] = i;
        if (flux_problem_is_send(problem, v) && stand->latest[v] == stand->plan->start[v])
            stand->critical[stand->criticals++] = v;
    }
    return rc;
}

/* The sends of one batch, or of all batches of its class, get `key`. */
static void set_batches(const struct flux_stand *stand, uint32_t first, uint32_t last, int64_t by, int64_t *key)
{
    const struct flux_batches *batches = stand->batches;
    for (uint32_t i = batches->round_first[batches->first[first]]; i < batches->round_first[batches->first[last]]; i++)
        key[batches->send[i]] += by;
}

/* Another send near `node` in time that shares a GPU with it; or `node`. */
static uint32_t neighbour(const struct flux_stand *stand, struct flux_random *random, uint32_t node)
{
    const struct flux_problem *problem = stand->problem;
    uint32_t span = 2u << flux_random_below(random, 8);
    int down = flux_random_below(random, 8) < 5;
    uint32_t skip = flux_random_below(random, span);
    uint32_t found = node, at = stand->place[node];
    for (uint32_t i = 0; i < 4 * span; i++) {
        if (down ? at == 0 : at + 1 == problem->nodes)
            break;
        at = down ? at - 1 : at + 1;
        uint32_t w = stand->order[at];
        if (!flux_problem_is_send(problem, w) || stand->batches->of[w] == stand->batches->of[node])
            continue;
        if (problem->src[w] != problem->src[node] && problem->src[w] != problem->dst[node] &&
            problem->dst[w] != problem->src[node] && problem->dst[w] != problem->dst[node])
            continue;
        found = w;
        if (skip-- == 0)
            break;
    }
    return found;
}

static uint32_t pick(const struct flux_stand *stand, struct flux_random *random)
{
    const struct flux_batches *batches = stand->batches;
    if (stand->criticals && flux_random_below(random, 4))
        return stand->critical[flux_random_below(random, stand->criticals)];
    return batches->send[flux_random_below(random, stand->problem->sends)];
}

/* Do two classes stand for the same step of another layer? */
static int alike(const struct flux_stand *stand, uint32_t c, uint32_t d)
{
    const struct flux_batches *batches = stand->batches;
    const struct flux_problem *problem = stand->problem;
    uint32_t b = batches->class_first[c], e = batches->class_first[d];
    uint32_t v = batches->send[batches->round_first[batches->first[b]]];
    uint32_t w = batches->send[batches->round_first[batches->first[e]]];
    return problem->circuit[v] == problem->circuit[w] && problem->duration[v] == problem->duration[w] &&
           batches->class_first[c + 1] - b == batches->class_first[d + 1] - e;
}

/* Before or after a neighbour; the send, its batch, its class, or all classes alike by the same time. */
static void shift(const struct flux_stand *stand, struct flux_random *random, int64_t *key)
{
    const struct flux_batches *batches = stand->batches;
    uint32_t v = pick(stand, random), w = neighbour(stand, random, v);
    uint32_t batch = batches->of[v], class = stand->class_of[batch], size = flux_random_below(random, 16);
    int64_t by = stand->key[w] - stand->key[v] + (stand->place[w] < stand->place[v] ? -1 : 1);
    if (size == 0)
        key[v] += by;
    else if (size < 4)
        set_batches(stand, batch, batch + 1, by, key);
    else if (size < 14)
        set_batches(stand, batches->class_first[class], batches->class_first[class + 1], by, key);
    for (uint32_t c = 0; c < batches->classes && size >= 14; c++)
        if (alike(stand, class, c))
            set_batches(stand, batches->class_first[c], batches->class_first[c + 1], by, key);
}

/* All classes that start within a window in another order. */
static void shake(const struct flux_stand *stand, struct flux_random *random, int64_t *key)
{
    const struct flux_batches *batches = stand->batches;
    const struct flux_problem *problem = stand->problem;
    uint32_t middle = stand->place[pick(stand, random)], reach = 4u << flux_random_below(random, 6);
    uint32_t low = middle > reach ? middle - reach : 0;
    uint32_t high = problem->nodes - middle > reach ? middle + reach : problem->nodes;
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (uint32_t i = low; i < high; i++) {
        least = stand->key[stand->order[i]] < least ? stand->key[stand->order[i]] : least;
        most = stand->key[stand->order[i]] > most ? stand->key[stand->order[i]] : most;
    }
    uint64_t width = ((uint64_t)most - (uint64_t)least) / 2 + 1;
    for (uint32_t i = low; i < high; i++) {
        uint32_t v = stand->order[i];
        if (!flux_problem_is_send(problem, v) || flux_random_below(random, 3) == 0)
            continue;
        uint32_t class = stand->class_of[batches->of[v]];
        if (key[v] == stand->key[v])
            set_batches(stand, batches->class_first[class], batches->class_first[class + 1],
                        (int64_t)(flux_random_next(random) % (2 * width)) - (int64_t)width, key);
    }
}

void flux_move(const struct flux_stand *stand, struct flux_random *random, int64_t *key, uint32_t *rounds)
{
    uint32_t kind = flux_random_below(random, 32);
    memcpy(key, stand->key, stand->problem->nodes * sizeof *key);
    if (kind == 0)
        memcpy(key, stand->plan->start, stand->problem->nodes * sizeof *key);
    else if (kind == 1)
        memcpy(key, stand->latest, stand->problem->nodes * sizeof *key);
    else if (kind < 6)
        shake(stand, random, key);
    else
        for (uint32_t shifts = 1 + (kind & 1) * flux_random_below(random, 3); shifts; shifts--)
            shift(stand, random, key);
    if (flux_random_below(random, 24) == 0)
        *rounds = !*rounds;
}
