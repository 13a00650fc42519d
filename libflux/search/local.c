/* SPDX-License-Identifier: Apache-2.0
 *
 * search/local.c - local search. A turn tries FLUX_CREW_SIZE changes of where it stands and takes the best one if it
 * is no longer than what is allowed: the makespan there is, and now and then a little more. Everything that is random
 * follows from the seed and the number of the turn, and turns are taken whole: threads do not matter.
 */
#include "search/local.h"

#include "search/run.h"

#include <libflux/error.h>
#include <string.h>

#define PATIENCE 64u /* turns without a better schedule before longer ones are let in */
#define NODES_ALONE (1u << 18)
#define LEAVE 10 /* these are longer by 2^-10 at most */
#define TRIAL 64 /* turns, after which a search that has another plan to be near must be near it */
#define NEAR 6   /* that is, at most 2^-6 of it longer */

int flux_local_is_far(const struct flux_local *local)
{
    return local->near && local->turns > TRIAL &&
           local->best->makespan - (local->best->makespan >> NEAR) > *local->near;
}

static int is_over(struct flux_local *local)
{
    struct flux_control *control = local->control;
    if (control->stopped || flux_control_good_enough(control))
        return 1;
    if (control->work >= local->end)
        return 1;
    if (local->near && local->turns > TRIAL && local->best->makespan - (local->best->makespan >> NEAR) > *local->near)
        return 1;
    return local->deadline_ns != UINT64_MAX &&
           control->memory->env.now_ns(control->memory->env.user) >= local->deadline_ns;
}

/* The best attempt of the turn; -1: all were too long. */
static int best_attempt(const struct flux_crew *crew)
{
    int best = -1;
    for (uint32_t i = 0; i < crew->count; i++)
        if (crew->attempt[i].rc == 0 &&
            (best < 0 || crew->attempt[i].plan.makespan < crew->attempt[best].plan.makespan))
            best = (int)i;
    return best;
}

/* Goes where the attempt leads. */
static int step(struct flux_local *local, const struct flux_attempt *attempt)
{
    const struct flux_problem *problem = local->problem;
    flux_plan_copy(&local->plan, &attempt->plan, problem);
    memcpy(local->key, attempt->key, problem->nodes * sizeof *local->key);
    local->rounds = attempt->rounds;
    int rc = FLUX_OK;
    if (local->plan.makespan < local->best->makespan) {
        flux_plan_copy(local->best, &local->plan, problem);
        local->idle = 0;
        rc = local->found(local->user, local->best);
    }
    if (!rc)
        rc = flux_stand_look(&local->stand, &local->scratch);
    flux_arena_free(&local->scratch);
    return rc;
}

/* 0, FLUX_RUN_STOPPED or MEMORY. */
static int turn(struct flux_local *local)
{
    int rc = flux_crew_turn(&local->crew);
    if (rc)
        return rc;
    *local->constructions += local->crew.count;
    local->idle++;
    local->turns++;
    int best = best_attempt(&local->crew);
    return best < 0 ? FLUX_OK : step(local, &local->crew.attempt[best]);
}

/* Just before all others, so that distances between keys keep their meaning for changes. */
static void keep_first(const struct flux_local *local, struct flux_attempt *attempt)
{
    const uint32_t nodes = local->problem->nodes;
    int64_t least = FLUX_TIME_MAX;
    for (uint32_t v = 0; local->first && v < nodes; v++)
        if (!local->first[v] && attempt->key[v] < least)
            least = attempt->key[v];
    for (uint32_t v = 0; local->first && v < nodes; v++)
        if (local->first[v])
            attempt->key[v] = least - 1;
}

static void set_key(struct flux_attempt *attempt, const struct flux_problem *problem, const int64_t *time,
                    const int64_t *duration, uint32_t rounds)
{
    for (uint32_t v = 0; v < problem->nodes; v++)
        attempt->key[v] = duration ? -time[v] - duration[v] : time[v];
    attempt->rounds = rounds;
}

/* First the orders that other sources give, in both ways to place: the best plan's, what bounds know of latest and of
 * earliest starts; later on, what others found meanwhile. */
static int begin(struct flux_local *local)
{
    const struct flux_problem *problem = local->problem;
    const int64_t *const time[] = {local->start, local->tail, local->head};
    struct flux_crew *crew = &local->crew;
    uint32_t orders = local->turns ? 2 : 6;
    int rc = FLUX_OK;
    crew->limit = local->turns ? local->plan.makespan : INT64_MAX;
    for (uint32_t first = 0; first < orders && !rc && !is_over(local); first += crew->count) {
        crew->count = orders - first < local->size ? orders - first : local->size;
        for (uint32_t i = 0; i < crew->count; i++) {
            set_key(&crew->attempt[i], problem, time[(first + i) / 2], (first + i) / 2 == 1 ? problem->duration : NULL,
                    (first + i) % 2);
            keep_first(local, &crew->attempt[i]);
        }
        rc = turn(local);
        crew->limit = local->plan.makespan;
    }
    local->told = 0;
    return rc;
}

int flux_local_search(struct flux_local *local)
{
    struct flux_crew *crew = &local->crew;
    int rc = local->told ? begin(local) : FLUX_OK;
    while (!rc && !is_over(local)) {
        crew->count = local->size;
        crew->limit = local->plan.makespan;
        if (local->idle % PATIENCE == PATIENCE - 1)
            crew->limit = local->best->makespan + (local->best->makespan >> LEAVE);
        for (uint32_t i = 0; i < crew->count; i++) {
            struct flux_random random = {flux_random_next(&local->random)};
            crew->attempt[i].rounds = local->rounds;
            flux_move(&local->stand, &random, crew->attempt[i].key, &crew->attempt[i].rounds);
            keep_first(local, &crew->attempt[i]);
        }
        rc = turn(local);
    }
    return rc;
}

int flux_local_init(struct flux_local *local)
{
    const struct flux_problem *problem = local->problem;
    flux_arena_init(&local->arena, local->control->memory);
    flux_arena_init(&local->scratch, local->control->memory);
    int rc = flux_batches_make(problem, &local->arena, &local->batches);
    if (!rc)
        rc = flux_crew_init(&local->crew, problem, &local->batches, local->control, &local->arena);
    if (!rc)
        rc = flux_stand_init(&local->stand, problem, &local->batches, &local->arena);
    if (!rc)
        rc = flux_plan_alloc(&local->plan, problem, &local->arena);
    local->key = flux_arena_alloc(&local->arena, problem->nodes, sizeof *local->key);
    local->start = flux_arena_alloc(&local->arena, problem->nodes, sizeof *local->start);
    local->size = problem->nodes > NODES_ALONE ? 1 : FLUX_CREW_SIZE;
    local->stand.plan = &local->plan;
    local->stand.key = local->key;
    return local->key && local->start ? rc : FLUX_E_MEMORY;
}

void flux_local_free(struct flux_local *local)
{
    flux_crew_free(&local->crew);
    flux_arena_free(&local->scratch);
    flux_arena_free(&local->arena);
}
