/* SPDX-License-Identifier: Apache-2.0 */
#include "prove/stretches.h"

#include "prove/prove.h"
#include "prove/stretch.h"
#include "search/sequence.h"

#include <libflux/error.h>
#include <string.h>

#define SIZE_FIRST 24u
#define SIZE_LEAST 8u
#define SIZE_MOST 112u
#define SOME 4u /* steps on parts of which only some move, for each one on others */
#define WIDE 2u /* sends of a stretch of which only some move, for each one that does */
#define WIDE_MOST 72u
#define CONFLICTS 230u
#define SHAKE 3u   /* one part in so many may become another one that is as good */
#define COST 1024u /* steps that the frame of a part counts as, besides those of its nodes */

struct place {
    const struct flux_problem *problem;
    struct flux_control *control;
    struct flux_stretches *state;
    struct flux_plan *plan;
    uint32_t *order; /* nodes by start */
    int64_t *latest;
    struct flux_arena *arena;
    uint64_t steps; /* so far */
};

/* Where the plan stands. */
static int look(struct place *place, struct flux_arena *scratch)
{
    for (uint32_t v = 0; v < place->problem->nodes; v++)
        place->order[v] = v;
    int rc = flux_sequence_sort(place->order, place->problem->nodes, place->plan->start, scratch);
    return rc ? rc : flux_plan_latest(place->plan, place->problem, scratch, place->latest);
}

/* All sends of the stretch but those at some GPUs stay where they are; about `size` may move. */
static uint32_t fix(struct place *place, uint32_t size, struct flux_stretch *stretch)
{
    const struct flux_problem *problem = place->problem;
    uint8_t *fixed = stretch->frame.fixed;
    uint32_t moving = 0;
    memset(fixed, 1, stretch->count);
    for (uint32_t tries = 0; tries < 2 * problem->gpus && moving < size; tries++) {
        uint32_t gpu = flux_random_below(&place->state->random, problem->gpus);
        for (uint32_t i = 0; i < stretch->count && moving < size; i++) {
            uint32_t v = stretch->nodes[i];
            if (!fixed[i] || (problem->src[v] != gpu && problem->dst[v] != gpu))
                continue;
            fixed[i] = 0;
            moving++;
        }
    }
    return moving;
}

/* Nodes of the order from a random place on that hold so many sends. */
static void choose(struct place *place, uint32_t sends, uint32_t *first, uint32_t *end)
{
    const struct flux_problem *problem = place->problem;
    uint32_t count = 0;
    *first = flux_random_below(&place->state->random, problem->nodes + sends / 2);
    *first = *first > sends / 2 ? *first - sends / 2 : 0;
    for (*end = *first; *end < problem->nodes && count < sends; ++*end)
        count += (uint32_t)flux_problem_is_send(problem, place->order[*end]);
    for (; *first > 0 && count < sends; --*first)
        count += (uint32_t)flux_problem_is_send(problem, place->order[*first - 1]);
}

static int solve(struct place *place, struct flux_stretch *stretch, struct flux_arena *scratch, int *ended)
{
    struct flux_prove_answer answer;
    uint64_t seed = place->state->turns % SHAKE ? 0 : flux_random_next(&place->state->random);
    int rc = flux_prove_stretch(stretch, place->control, CONFLICTS, seed, &stretch->plan, &answer);
    place->steps += answer.steps;
    *ended = answer.proven;
    if (rc || !answer.improved)
        return rc;
    struct flux_plan next;
    rc = flux_plan_alloc(&next, place->problem, scratch);
    if (rc)
        return rc;
    flux_plan_copy(&next, place->plan, place->problem);
    rc = flux_stretch_put(stretch, place->problem, &stretch->plan, &next, scratch);
    if (rc || next.makespan > place->plan->makespan || (!seed && next.makespan == place->plan->makespan))
        return rc;
    place->state->improved += next.makespan < place->plan->makespan;
    flux_plan_copy(place->plan, &next, place->problem);
    if (next.makespan < place->control->makespan)
        place->control->makespan = next.makespan;
    return look(place, scratch);
}

/* Sends of a stretch of which so many move. */
static uint32_t wide(uint32_t size)
{
    uint32_t most = size > WIDE_MOST ? size : WIDE_MOST;
    return WIDE * size < most ? WIDE * size : most;
}

/* One part, of the kind on which less was spent so far. */
static int turn(struct place *place, struct flux_arena *scratch)
{
    struct flux_stretch stretch;
    uint64_t *spent = place->state->spent, begin = place->steps;
    uint32_t some = spent[1] < SOME * spent[0], first, end, *size = &place->state->size[some];
    choose(place, some ? wide(*size) : *size, &first, &end);
    place->steps += COST + 2 * (uint64_t)place->problem->nodes;
    int rc = flux_stretch_make(place->problem, place->plan, place->latest, place->order, first, end, scratch, &stretch);
    if (rc || stretch.hopeless) {
        spent[some] += COST;
        return rc;
    }
    place->state->turns++;
    uint32_t moving = some ? fix(place, *size, &stretch) : stretch.count;
    int ended = 0;
    rc = solve(place, &stretch, scratch, &ended);
    spent[some] += place->steps - begin;
    if (ended && moving >= *size && *size < SIZE_MOST)
        *size += 1 + *size / 16;
    if (!ended && *size > SIZE_LEAST)
        *size -= 1 + *size / 32;
    return rc;
}

int flux_stretches_improve(const struct flux_problem *problem, struct flux_control *control, uint64_t steps,
                           uint64_t deadline_ns, int64_t bound, struct flux_plan *plan,
                           struct flux_stretches *stretches)
{
    struct flux_arena arena, scratch;
    const struct flux_env *env = &control->memory->env;
    struct place place = {problem, control, stretches, plan, NULL, NULL, &arena, 0};
    if (problem->staged || problem->sends < 2)
        return FLUX_OK;
    if (stretches->size[0] == 0)
        stretches->size[0] = stretches->size[1] = SIZE_FIRST;
    flux_arena_init(&arena, control->memory);
    flux_arena_init(&scratch, control->memory);
    place.order = flux_arena_alloc(&arena, problem->nodes, sizeof *place.order);
    place.latest = flux_arena_alloc(&arena, problem->nodes, sizeof *place.latest);
    int rc = place.order && place.latest ? look(&place, &scratch) : FLUX_E_MEMORY;
    while (!rc && plan->makespan > bound && place.steps < steps && !control->stopped &&
           (deadline_ns == UINT64_MAX || env->now_ns(env->user) < deadline_ns)) {
        flux_arena_free(&scratch);
        flux_arena_init(&scratch, control->memory);
        rc = turn(&place, &scratch);
        (void)flux_control_poll(control, (COST + 2 * (uint64_t)problem->nodes) / FLUX_PROVE_STEPS_PER_WORK);
    }
    stretches->steps += place.steps;
    flux_arena_free(&scratch);
    flux_arena_free(&arena);
    return rc;
}
