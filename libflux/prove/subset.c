/* SPDX-License-Identifier: Apache-2.0 */
#include "prove/subset.h"

#include "bound/search.h"
#include "prove/encode.h"
#include "prove/few.h"
#include "prove/gaps.h"
#include "prove/prove.h"
#include "prove/skeleton.h"

#include <libflux/error.h>
#include <stdlib.h>
#include <string.h>

#define SHARE 4u      /* of what is left of the caller's limits: one in this many */
#define ENDS_SHARE 3u /* of the steps, one in this many is for the first and the last sends */
#define ENDS_TURN 3u  /* and of what is left of those, one in this many for each set */
#define PARTS 64      /* what is left of the gap is not worth more */
#define STEPS_LEAST (UINT64_C(1) << 20)
#define ITEMS_PER_STEP 8u /* nodes and arcs looked at cost less than steps of a search */
#define JOIN_LEAST 8u     /* at least so many join in a round, where there are as many, */
#define JOIN_SHARE 8u     /* or one for so many that are there */
#define GLANCE_SENDS_MAX 80u
#define WHOLE_MOST 16384u /* sends: a skeleton of more is too large anyway */
#define FIRST_SHARE 4u    /* of all steps, for the makespan itself: a skeleton says much about what lies between */

#define PROVEN 1
#define STUCK 2

struct growing {
    const struct flux_problem *problem; /* with lifted heads and tails, where there are some */
    struct flux_problem lifted;
    struct flux_control *control;
    struct flux_arena *arena; /* for what stays */
    struct flux_arena round;  /* freed after each */
    struct flux_arena scratch;
    int64_t target; /* is there a schedule of less? */
    uint64_t steps; /* left */
    uint64_t turn;  /* of these, for this target */
    uint64_t deadline_ns;
    int quick;
    int few;         /* begins with few sends: 0 where a skeleton of all may do */
    uint8_t *inside; /* by node */
    uint32_t *nodes; /* inside, ascending */
    uint32_t count;
    uint32_t most;            /* more are not searched */
    struct flux_plan relaxed; /* by node of the whole: what the last piece did */
    struct flux_plan *plan;
    struct flux_bound_value *value;
    struct flux_subset_answer *answer;
};

static void spend(struct growing *growing, uint64_t steps)
{
    growing->turn -= steps < growing->turn ? steps : growing->turn;
    growing->steps -= steps < growing->steps ? steps : growing->steps;
    growing->answer->steps += steps;
}

/* What it costs to make a piece and to fill the gaps, in steps. */
static uint64_t overhead(const struct growing *growing)
{
    uint64_t items = growing->problem->nodes + growing->problem->arcs;
    return items * ((uint64_t)growing->count + 16) / ITEMS_PER_STEP;
}

static int is_over(const struct growing *growing)
{
    return growing->value->bound >= growing->plan->makespan || growing->steps == 0 || growing->control->stopped;
}

static void gather(struct growing *growing)
{
    growing->count = 0;
    for (uint32_t v = 0; v < growing->problem->nodes; v++)
        if (growing->inside[v])
            growing->nodes[growing->count++] = v;
}

/* The sends of a lifted window. */
static void seed_window(struct growing *growing)
{
    const struct flux_problem *problem = growing->problem;
    const struct flux_bound_value *value = growing->value;
    if (!value->lifted || value->nodes || value->gpu == FLUX_NONE)
        return;
    for (uint64_t i = problem->touch_first[value->gpu]; i < problem->touch_first[value->gpu + 1]; i++)
        if (flux_bound_counts(problem, value, problem->touch[i]))
            growing->inside[problem->touch[i]] = 1;
}

/* The sends of one longest path, and those that gave the bound so far. */
static void seed_few(struct growing *growing)
{
    const struct flux_problem *problem = growing->problem;
    int64_t longest = -1, time = -1;
    memset(growing->inside, 0, problem->nodes);
    for (uint32_t v = 0; v < problem->nodes; v++) {
        int64_t length = problem->head[v] + problem->duration[v] + problem->tail[v];
        longest = flux_problem_is_send(problem, v) && length > longest ? length : longest;
    }
    for (uint32_t v = 0; v < problem->nodes; v++)
        if (flux_problem_is_send(problem, v) && problem->head[v] >= time &&
            problem->head[v] + problem->duration[v] + problem->tail[v] == longest) {
            growing->inside[v] = 1;
            time = problem->head[v] + problem->duration[v];
        }
    const struct flux_bound_value *value = growing->value;
    for (uint64_t i = 0; i < value->count && value->count <= FLUX_PIECE_SENDS_MAX / 2; i++)
        growing->inside[value->nodes[i]] = 1;
    seed_window(growing);
    gather(growing);
}

/* What the search begins with. Errors: MEMORY. */
static int seed(struct growing *growing)
{
    int rc = FLUX_OK;
    if (!growing->few) {
        rc = flux_skeleton_mark(growing->problem, &growing->round, growing->inside);
        flux_arena_free(&growing->round);
        gather(growing);
        growing->few = growing->count > FLUX_PIECE_SENDS_MAX;
    }
    if (growing->few && !rc)
        seed_few(growing);
    return rc;
}

static int raise_bound(struct growing *growing, int64_t bound)
{
    return flux_few_claim(growing->nodes, growing->count, bound, growing->arena, growing->control, growing->value);
}

/* Searches the piece for a schedule of less than the target; `shorter` is its makespan. */
static int solve(struct growing *growing, struct flux_prove_answer *found, int64_t *shorter)
{
    struct flux_prove_limits limits = {.steps = growing->turn, .deadline_ns = growing->deadline_ns};
    struct flux_plan part = {.makespan = growing->target};
    *found = (struct flux_prove_answer){0};
    int rc = flux_few_ask(growing->problem, growing->nodes, growing->count, &growing->relaxed, growing->control,
                          &limits, &growing->round, &part, found);
    spend(growing, found->steps);
    *shorter = part.makespan;
    for (uint32_t i = 0; i < growing->count && found->improved; i++) {
        growing->relaxed.start[growing->nodes[i]] = part.start[i];
        growing->relaxed.switch_of[growing->nodes[i]] = part.switch_of[i];
    }
    return rc;
}

/* The sends that found no room join, those that had to start first first. */
static void join(struct growing *growing, const struct flux_gaps *gaps)
{
    uint32_t most = growing->count / JOIN_SHARE;
    most = most < JOIN_LEAST ? JOIN_LEAST : most;
    for (uint32_t i = 0; i < most && i < gaps->count; i++)
        growing->inside[gaps->node[i]] = 1;
    gather(growing);
}

/* All sends found room: a schedule of the whole. 1 where nothing can come of it. */
static int take(struct growing *growing, const struct flux_plan *whole)
{
    if (growing->problem->staged || whole->makespan >= growing->plan->makespan)
        return STUCK;
    flux_plan_copy(growing->plan, whole, growing->problem);
    growing->control->makespan = whole->makespan;
    growing->answer->improved = 1;
    growing->target = growing->target < whole->makespan ? growing->target : whole->makespan;
    return FLUX_OK;
}

/* One round: PROVEN, STUCK, or 0 where there are more sends now, or a better plan. Errors: MEMORY. */
static int grow(struct growing *growing)
{
    struct flux_prove_answer found;
    struct flux_gaps gaps;
    int64_t shorter;
    int rc = FLUX_OK;
    if (growing->count > growing->most || overhead(growing) > growing->turn) {
        growing->turn = 0;
        return STUCK;
    }
    spend(growing, overhead(growing));
    rc = solve(growing, &found, &shorter);
    if (!rc && found.proven)
        return raise_bound(growing, growing->target) ? FLUX_E_MEMORY : PROVEN;
    if (!rc && !found.improved) {
        growing->few |= found.steps == 0; /* too many pairs for the search */
        return STUCK;
    }
    if (!rc)
        rc = flux_gaps_fill(growing->problem, growing->inside, &growing->relaxed, growing->target - 1, &growing->round,
                            &gaps);
    if (rc)
        return rc;
    if (gaps.count == 0)
        return take(growing, &gaps.plan);
    join(growing, &gaps);
    return FLUX_OK;
}

static int reach(struct growing *growing)
{
    int rc = FLUX_OK, first = !growing->few && growing->target == growing->plan->makespan;
    growing->turn = growing->quick ? growing->steps : growing->steps / (first ? FIRST_SHARE : 2);
    while (!rc && growing->turn && !is_over(growing)) {
        growing->answer->rounds++;
        rc = grow(growing);
        flux_arena_free(&growing->round);
    }
    return rc ? rc : STUCK;
}

/* First the makespan itself; where that cannot be proven, what lies between. */
static int bisect(struct growing *growing)
{
    int64_t above = growing->plan->makespan, part = (above - growing->value->bound) / PARTS;
    growing->target = above;
    while (growing->steps > STEPS_LEAST && above - growing->value->bound > part && !is_over(growing)) {
        int rc = seed(growing), few = growing->few;
        if (!rc)
            rc = reach(growing);
        if (rc < 0)
            return rc;
        if (rc != PROVEN && growing->few != few)
            continue;
        above = rc == PROVEN ? above : growing->target - 1;
        growing->target = growing->value->bound + (above - growing->value->bound + 1) / 2;
        if (growing->quick)
            break;
    }
    return FLUX_OK;
}

/* ---- the first and the last sends ---- */

struct timed {
    int64_t time;
    uint32_t node;
    uint32_t padding;
};

static int compare_timed(const void *left, const void *right)
{
    const struct timed *a = left, *b = right;
    if (a->time != b->time)
        return a->time > b->time ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

/* How long the sends inside take by themselves: between the bound and the makespan, by halves. */
static int measure(struct growing *growing)
{
    int64_t above = growing->plan->makespan, part = (above - growing->value->bound) / PARTS;
    int rc = FLUX_OK;
    growing->target = above;
    while (!rc && growing->turn > overhead(growing) && above > growing->value->bound && !is_over(growing)) {
        struct flux_prove_answer found;
        int64_t shorter;
        spend(growing, overhead(growing));
        rc = solve(growing, &found, &shorter);
        flux_arena_free(&growing->round);
        if (!rc && found.proven)
            rc = raise_bound(growing, growing->target);
        else
            above = found.improved ? shorter : growing->target - 1;
        int64_t open = above - growing->value->bound;
        growing->target = open > part ? growing->value->bound + (open + 1) / 2 : above;
    }
    return rc;
}

/* Sends with the latest lifted heads, or the largest lifted tails, more and more of them. */
static int measure_ends(struct growing *growing)
{
    static const uint32_t counts[] = {4, 8, 16, 32, 48, 64, 96, 128};
    const struct flux_problem *problem = growing->problem;
    uint64_t kept = growing->steps - growing->steps / ENDS_SHARE;
    struct timed *timed = flux_arena_alloc(&growing->scratch, problem->sends, sizeof *timed);
    int rc = timed ? FLUX_OK : FLUX_E_MEMORY;
    for (uint32_t i = 0; i < 2 * (sizeof counts / sizeof *counts) && !rc; i++) {
        const int64_t *time = i % 2 ? problem->tail : problem->head;
        uint32_t count = 0;
        if (counts[i / 2] >= problem->sends || growing->steps <= kept || is_over(growing))
            break;
        for (uint32_t v = 0; v < problem->nodes; v++)
            if (flux_problem_is_send(problem, v))
                timed[count++] = (struct timed){time[v], v, 0};
        qsort(timed, count, sizeof *timed, compare_timed);
        memset(growing->inside, 0, problem->nodes);
        for (uint32_t n = 0; n < counts[i / 2]; n++)
            growing->inside[timed[n].node] = 1;
        gather(growing);
        growing->turn = (growing->steps - kept) / ENDS_TURN;
        rc = measure(growing);
    }
    return rc;
}

static uint64_t time_now(const struct growing *growing)
{
    const struct flux_env *env = &growing->control->memory->env;
    return env->now_ns(env->user);
}

/* As long as there is time, with twice as many steps each time; beginning with others where the last time gave nothing.
 * Without a limit on time, once. */
static int repeat(struct growing *growing)
{
    for (uint64_t steps = growing->steps; steps;) {
        int64_t before = growing->value->bound;
        int rc = growing->lifted.head && !growing->quick ? measure_ends(growing) : FLUX_OK;
        if (!rc)
            rc = bisect(growing);
        if (rc || growing->quick || growing->deadline_ns == UINT64_MAX || growing->control->stopped ||
            growing->value->bound >= growing->plan->makespan || time_now(growing) >= growing->deadline_ns)
            return rc;
        steps = flux_control_share_steps(growing->control, SHARE, FLUX_PROVE_STEPS_PER_WORK, 2 * steps);
        growing->steps = steps;
        growing->few = growing->value->bound > before ? growing->few : !growing->few;
    }
    return FLUX_OK;
}

/* The lifts that the new bound needs. */
static int list_lifts(const struct growing *growing, const struct flux_problem *problem,
                      const struct flux_lifted *lifted)
{
    struct flux_bound_value *value = growing->value;
    if (!lifted || value->kind != FLUX_CERTIFICATE_SUBSET || value->lifted)
        return FLUX_OK;
    return flux_bound_lifts_of(problem, growing->control, lifted, value->nodes, value->count, growing->arena,
                               &value->lifted);
}

int flux_subset_improve(const struct flux_problem *problem, const struct flux_lifted *lifted,
                        struct flux_control *control, uint64_t steps, struct flux_arena *arena, struct flux_plan *plan,
                        struct flux_bound_value *value, struct flux_subset_answer *answer)
{
    struct growing growing = {
        .problem = problem, .control = control, .arena = arena, .plan = plan, .value = value, .answer = answer};
    int64_t before = value->bound;
    if (lifted) {
        growing.lifted = *problem;
        growing.lifted.head = lifted->head;
        growing.lifted.tail = lifted->tail;
        growing.problem = &growing.lifted;
    }
    memset(answer, 0, sizeof *answer);
    growing.quick = steps < FLUX_SUBSET_PROVE;
    growing.most = steps < FLUX_SUBSET_QUICK ? GLANCE_SENDS_MAX : FLUX_PIECE_SENDS_MAX;
    growing.few = growing.quick || problem->sends > WHOLE_MOST;
    if (lifted && !growing.quick)
        steps += steps / (ENDS_SHARE - 1);
    growing.steps = flux_control_share_steps(control, SHARE, FLUX_PROVE_STEPS_PER_WORK, steps);
    growing.deadline_ns = flux_control_share_deadline(control, SHARE);
    if (problem->sends == 0 || is_over(&growing))
        return FLUX_OK;
    flux_arena_init(&growing.scratch, arena->memory);
    flux_arena_init(&growing.round, arena->memory);
    growing.inside = flux_arena_zero(&growing.scratch, problem->nodes, 1);
    growing.nodes = flux_arena_alloc(&growing.scratch, problem->sends, sizeof *growing.nodes);
    int rc = flux_plan_alloc(&growing.relaxed, problem, &growing.scratch);
    if (!growing.inside || !growing.nodes)
        rc = FLUX_E_MEMORY;
    if (!rc) {
        flux_plan_copy(&growing.relaxed, plan, problem);
        rc = repeat(&growing);
    }
    if (!rc && value->bound > before)
        rc = list_lifts(&growing, problem, lifted);
    flux_arena_free(&growing.round);
    flux_arena_free(&growing.scratch);
    return rc;
}
