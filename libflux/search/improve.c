/* SPDX-License-Identifier: Apache-2.0
 *
 * search/improve.c - local search. A turn tries FLUX_CREW_SIZE changes of where it stands and takes the best one if it
 * is no longer than what is allowed: the makespan there is, and now and then a little more. Everything that is random
 * follows from the seed and the number of the turn, and turns are taken whole: threads do not matter.
 */
#include "search/improve.h"

#include "search/crew.h"
#include "search/moves.h"
#include "search/run.h"

#include <libflux/error.h>
#include <string.h>

#define PATIENCE 64u /* turns without a better schedule before longer ones are let in */
#define NODES_ALONE (1u << 18)
#define LEAVE 10 /* these are longer by 2^-10 at most */

struct improve {
    const struct flux_problem *problem;
    struct flux_control *control;
    const struct flux_improve_limits *limits;
    struct flux_plan *best;
    uint64_t *constructions;
    struct flux_arena arena;
    struct flux_arena scratch; /* of one turn */
    struct flux_batches batches;
    struct flux_crew crew;
    struct flux_stand stand;
    struct flux_plan plan; /* where it stands */
    int64_t *key;
    int64_t *start; /* of the plan that it began with */
    uint32_t size;  /* attempts of a turn: one where several would take much memory */
    uint32_t rounds;
    uint32_t idle; /* turns since the best one */
    uint64_t end;  /* of work */
    struct flux_random random;
};

static int is_over(struct improve *improve)
{
    struct flux_control *control = improve->control;
    if (control->stopped || flux_control_good_enough(control))
        return 1;
    if (control->work >= improve->end)
        return 1;
    return improve->limits->deadline_ns != UINT64_MAX &&
           control->memory->env.now_ns(control->memory->env.user) >= improve->limits->deadline_ns;
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
static int step(struct improve *improve, const struct flux_attempt *attempt)
{
    const struct flux_problem *problem = improve->problem;
    flux_plan_copy(&improve->plan, &attempt->plan, problem);
    memcpy(improve->key, attempt->key, problem->nodes * sizeof *improve->key);
    improve->rounds = attempt->rounds;
    if (improve->plan.makespan < improve->best->makespan) {
        flux_plan_copy(improve->best, &improve->plan, problem);
        improve->control->makespan = improve->plan.makespan;
        improve->idle = 0;
        flux_control_tell(improve->control, FLUX_PHASE_IMPROVE);
    }
    int rc = flux_stand_look(&improve->stand, &improve->scratch);
    flux_arena_free(&improve->scratch);
    return rc;
}

/* 0, FLUX_RUN_STOPPED or MEMORY. */
static int turn(struct improve *improve)
{
    int rc = flux_crew_turn(&improve->crew);
    if (rc)
        return rc;
    *improve->constructions += improve->crew.count;
    improve->idle++;
    int best = best_attempt(&improve->crew);
    return best < 0 ? FLUX_OK : step(improve, &improve->crew.attempt[best]);
}

static void set_key(struct flux_attempt *attempt, const struct flux_problem *problem, const int64_t *time,
                    const int64_t *duration, uint32_t rounds)
{
    for (uint32_t v = 0; v < problem->nodes; v++)
        attempt->key[v] = duration ? -time[v] - duration[v] : time[v];
    attempt->rounds = rounds;
}

/* First the orders that other sources give, in both ways to place: the best plan's, what bounds know of latest and of
 * earliest starts. */
static int begin(struct improve *improve)
{
    const struct flux_problem *problem = improve->problem;
    const int64_t *head = improve->limits->head ? improve->limits->head : problem->head;
    const int64_t *tail = improve->limits->tail ? improve->limits->tail : problem->tail;
    const int64_t *const time[] = {improve->start, tail, head};
    struct flux_crew *crew = &improve->crew;
    int rc = FLUX_OK;
    memcpy(improve->start, improve->best->start, problem->nodes * sizeof *improve->start);
    crew->limit = INT64_MAX;
    for (uint32_t first = 0; first < 6 && !rc && !is_over(improve); first += crew->count) {
        crew->count = 6 - first < improve->size ? 6 - first : improve->size;
        for (uint32_t i = 0; i < crew->count; i++)
            set_key(&crew->attempt[i], problem, time[(first + i) / 2], (first + i) / 2 == 1 ? problem->duration : NULL,
                    (first + i) % 2);
        rc = turn(improve);
        crew->limit = improve->plan.makespan;
    }
    return rc;
}

static int search(struct improve *improve)
{
    struct flux_crew *crew = &improve->crew;
    int rc = begin(improve);
    while (!rc && !is_over(improve)) {
        crew->count = improve->size;
        crew->limit = improve->plan.makespan;
        if (improve->idle % PATIENCE == PATIENCE - 1)
            crew->limit = improve->best->makespan + (improve->best->makespan >> LEAVE);
        for (uint32_t i = 0; i < crew->count; i++) {
            struct flux_random random = {flux_random_next(&improve->random)};
            crew->attempt[i].rounds = improve->rounds;
            flux_move(&improve->stand, &random, crew->attempt[i].key, &crew->attempt[i].rounds);
        }
        rc = turn(improve);
    }
    return rc;
}

static int init(struct improve *improve)
{
    const struct flux_problem *problem = improve->problem;
    int rc = flux_batches_make(problem, &improve->arena, &improve->batches);
    if (!rc)
        rc = flux_crew_init(&improve->crew, problem, &improve->batches, improve->control, &improve->arena);
    if (!rc)
        rc = flux_stand_init(&improve->stand, problem, &improve->batches, &improve->arena);
    if (!rc)
        rc = flux_plan_alloc(&improve->plan, problem, &improve->arena);
    improve->key = flux_arena_alloc(&improve->arena, problem->nodes, sizeof *improve->key);
    improve->start = flux_arena_alloc(&improve->arena, problem->nodes, sizeof *improve->start);
    improve->size = problem->nodes > NODES_ALONE ? 1 : FLUX_CREW_SIZE;
    improve->stand.plan = &improve->plan;
    improve->stand.key = improve->key;
    return improve->key && improve->start ? rc : FLUX_E_MEMORY;
}

int flux_improve(const struct flux_problem *problem, struct flux_control *control,
                 const struct flux_improve_limits *limits, struct flux_plan *plan, uint64_t *constructions)
{
    struct improve improve = {.problem = problem,
                              .control = control,
                              .limits = limits,
                              .best = plan,
                              .constructions = constructions,
                              .random = {control->options->seed}};
    if (problem->staged || problem->sends < 2 || limits->work < 8 * (uint64_t)problem->nodes)
        return FLUX_OK;
    improve.end = limits->work < UINT64_MAX - control->work ? control->work + limits->work : UINT64_MAX;
    flux_arena_init(&improve.arena, control->memory);
    flux_arena_init(&improve.scratch, control->memory);
    improve.crew.control = control;
    int rc = init(&improve);
    if (!rc)
        rc = search(&improve);
    flux_crew_free(&improve.crew);
    flux_arena_free(&improve.scratch);
    flux_arena_free(&improve.arena);
    return rc == FLUX_RUN_STOPPED ? FLUX_OK : rc;
}
