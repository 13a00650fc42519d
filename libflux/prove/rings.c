/* SPDX-License-Identifier: Apache-2.0 */
#include "prove/rings.h"

#include "prove/encode.h"
#include "prove/few.h"
#include "prove/ring_sends.h"

#include <libflux/error.h>

#define SHARE 4u          /* of what is left of the caller's limits: one in this many */
#define PARTS 32          /* what is left of the gap is not worth more */
#define VAIN_SHARE 8u     /* of the steps, as long as nothing comes of it */
#define TURN_SHARE 2u     /* of the steps that are left, for one question */
#define ITEMS_PER_STEP 8u /* nodes and arcs looked at cost less than steps of a search */

struct climbing {
    const struct flux_problem *problem;
    struct flux_control *control;
    struct flux_arena *arena; /* for what stays */
    struct flux_arena round;  /* freed after each question */
    struct flux_arena scratch;
    uint64_t steps; /* left */
    uint64_t vain;  /* left of them before anything is raised */
    uint64_t deadline_ns;
    int64_t makespan;
    uint8_t *chosen;
    uint32_t *nodes;
    uint32_t count;
    const struct flux_plan *plan;
    struct flux_bound_value *value;
    struct flux_ring_list rings;
};

static void spend(struct climbing *climbing, uint64_t steps)
{
    climbing->steps -= steps < climbing->steps ? steps : climbing->steps;
    climbing->vain -= steps < climbing->vain ? steps : climbing->vain;
}

static int is_over(const struct climbing *climbing)
{
    return climbing->value->bound >= climbing->makespan || climbing->vain == 0 || climbing->steps == 0 ||
           climbing->control->stopped;
}

/* `above` falls to what is no longer in reach. */
static int ask(struct climbing *climbing, int64_t target, int64_t *above)
{
    uint64_t turn = climbing->steps / TURN_SHARE + 1;
    struct flux_prove_limits limits = {.steps = turn < climbing->vain ? turn : climbing->vain,
                                       .deadline_ns = climbing->deadline_ns};
    struct flux_plan part = {.makespan = target};
    struct flux_prove_answer found = {0};
    int rc = flux_few_ask(climbing->problem, climbing->nodes, climbing->count, climbing->plan, climbing->control,
                          &limits, &climbing->round, &part, &found);
    int64_t shorter = found.improved && !rc ? part.makespan : target - 1;
    spend(climbing, found.steps);
    flux_arena_free(&climbing->round);
    if (!rc && found.proven) {
        climbing->vain = UINT64_MAX;
        return flux_few_claim(climbing->nodes, climbing->count, target, climbing->arena, climbing->control,
                              climbing->value);
    }
    *above = shorter;
    return rc;
}

/* By halves between the bound and what these sends cannot reach; at the end for the makespan itself, where that is
 * near. */
static int climb(struct climbing *climbing, const struct flux_ring *ring, uint32_t collectives)
{
    int64_t above = climbing->makespan, part = (climbing->makespan - climbing->value->bound) / PARTS;
    uint64_t items = climbing->problem->nodes + climbing->problem->arcs;
    climbing->count =
        flux_ring_choose(climbing->problem, ring, collectives, FLUX_PIECE_SENDS_MAX, climbing->chosen, climbing->nodes);
    uint64_t overhead = items * ((uint64_t)climbing->count + 1) / ITEMS_PER_STEP;
    int rc = FLUX_OK;
    while (!rc && climbing->count && above > climbing->value->bound && !is_over(climbing)) {
        int64_t apart = above - climbing->value->bound;
        if (apart <= part && above < climbing->makespan)
            return FLUX_OK;
        if (overhead >= climbing->steps || overhead >= climbing->vain)
            return FLUX_OK;
        spend(climbing, overhead);
        rc = ask(climbing, apart <= part ? above : climbing->value->bound + (apart + 1) / 2, &above);
    }
    return rc;
}

/* More collectives each time: what fewer show is found soon. */
static int climb_all(struct climbing *climbing)
{
    int rc = FLUX_OK;
    uint32_t most = 0;
    for (uint32_t i = 0; i < climbing->rings.count; i++)
        most = climbing->rings.ring[i].collectives > most ? climbing->rings.ring[i].collectives : most;
    for (uint32_t collectives = 1; collectives <= most && !rc && !is_over(climbing);
         collectives += collectives < 4 ? 1 : collectives / 2)
        for (uint32_t i = 0; i < climbing->rings.count && !rc; i++)
            if (collectives <= climbing->rings.ring[i].collectives)
                rc = climb(climbing, &climbing->rings.ring[i], collectives);
    return rc;
}

int flux_rings_improve(const struct flux_problem *problem, struct flux_control *control, uint64_t steps,
                       struct flux_arena *arena, const struct flux_plan *plan, struct flux_bound_value *value)
{
    struct climbing climbing = {.problem = problem,
                                .control = control,
                                .arena = arena,
                                .makespan = plan->makespan,
                                .plan = plan,
                                .value = value};
    uint64_t looked = 0;
    climbing.steps = flux_control_share_steps(control, SHARE, FLUX_PROVE_STEPS_PER_WORK, steps);
    climbing.vain = climbing.steps / VAIN_SHARE;
    climbing.deadline_ns = flux_control_share_deadline(control, SHARE);
    if (problem->sends == 0 || problem->staged || is_over(&climbing))
        return FLUX_OK;
    flux_arena_init(&climbing.scratch, arena->memory);
    flux_arena_init(&climbing.round, arena->memory);
    climbing.chosen = flux_arena_zero(&climbing.scratch, problem->nodes, 1);
    climbing.nodes = flux_arena_alloc(&climbing.scratch, problem->nodes, sizeof *climbing.nodes);
    int rc = climbing.chosen && climbing.nodes ? FLUX_OK : FLUX_E_MEMORY;
    if (!rc)
        rc = flux_rings_find(problem, &climbing.scratch, &climbing.rings, &looked);
    spend(&climbing, looked / ITEMS_PER_STEP);
    if (!rc)
        rc = climb_all(&climbing);
    flux_arena_free(&climbing.round);
    flux_arena_free(&climbing.scratch);
    return rc;
}
