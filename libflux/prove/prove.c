/* SPDX-License-Identifier: Apache-2.0 */
#include "prove/prove.h"

#include "prove/stretch.h"
#include "prove/stretches.h"

#include <libflux/error.h>
#include <string.h>

#define RESTART_UNIT 128u   /* conflicts, times Luby's numbers */
#define LEARNED_LEAST 4000u /* clauses before some are forgotten */
#define LEARNED_MORE 500u   /* more every time */
#define POLL_STEPS 8192u

#define SATISFIED 2
#define IMPOSSIBLE 3
#define STOPPED 4
#define PAUSED 5
#define REFUTED 6 /* the assumed deadline cannot be met */

#define TURN_FIRST 512u /* conflicts of the first turn; each one after it is longer by 1/TURN_MORE */
#define TURN_MORE 4u
#define SHARE_MOST 64u /* of the gap, the least part by which the bound is to rise */

struct proving {
    const struct flux_problem *problem;
    struct flux_control *control;
    struct flux_encoding encoding;
    struct flux_arena arena;
    uint64_t deadline_ns;
    uint64_t steps_max;
    uint64_t polled; /* steps told to the control */
    uint64_t conflicts;
    uint64_t turn;
    uint64_t pause; /* at so many of them */
    uint64_t restarts;
    int64_t limit; /* below the best plan */
    int64_t bound;
    int64_t deadline[FLUX_DEADLINES_MAX]; /* the variable 1 + i says that it is met */
    uint32_t deadlines;
    struct flux_stretches stretches;
    uint64_t looked; /* steps when it last looked around */
    uint32_t learned_max;
};

/* 1, 1, 2, 1, 1, 2, 4, ... (Luby, Sinclair, Zuckerman, IPL 47, 1993), from 1 on. */
static uint64_t luby(uint64_t i)
{
    for (;;) {
        uint64_t size = 1;
        while (size - 1 < i)
            size *= 2;
        if (size - 1 == i)
            return size / 2;
        i -= size / 2 - 1;
    }
}

static int must_stop(struct proving *proving)
{
    uint64_t steps = proving->encoding.paths.steps;
    if (steps + proving->stretches.steps >= proving->steps_max)
        return 1;
    if (steps - proving->polled < POLL_STEPS)
        return 0;
    uint32_t stopped = flux_control_poll(proving->control, (steps - proving->polled) / FLUX_PROVE_STEPS_PER_WORK);
    proving->polled = steps;
    if (stopped)
        return 1;
    if (proving->deadline_ns == UINT64_MAX)
        return 0;
    const struct flux_env *env = &proving->control->memory->env;
    return env->now_ns(env->user) >= proving->deadline_ns;
}

/* Everything that follows. 0, or 1 with a conflict. Errors: MEMORY. */
static int propagate(struct flux_encoding *encoding)
{
    struct flux_clauses *clauses = &encoding->clauses;
    for (;;) {
        uint32_t before = clauses->trail_count;
        if (flux_clauses_propagate(clauses))
            return 1;
        encoding->paths.steps += 4 * (uint64_t)(clauses->trail_count - before) + 1;
        int rc = flux_paths_follow(&encoding->paths);
        if (rc)
            return rc;
        flux_paths_forbid(&encoding->paths);
        if (clauses->looked_at < clauses->trail_count)
            continue;
        return flux_loads_check(&encoding->loads);
    }
}

static void back(struct flux_encoding *encoding, uint32_t level)
{
    flux_clauses_back(&encoding->clauses, level);
    flux_paths_back(&encoding->paths, level);
}

/* What is asked for. Everything may be forbidden anew. 0, or 1 with a conflict. */
static int set_limit(struct flux_encoding *encoding, int64_t limit, uint32_t literal)
{
    encoding->paths.limit = limit;
    encoding->paths.limit_literal = literal;
    memset(encoding->paths.moved, 1, encoding->paths.nodes);
    memset(encoding->paths.touched, 1, encoding->paths.nodes);
    return flux_paths_too_long(&encoding->paths);
}

/* Back to what holds always. */
static void back_to_root(struct proving *proving)
{
    back(&proving->encoding, 0);
    if (proving->encoding.paths.limit_literal != FLUX_LITERAL_TRUE)
        (void)set_limit(&proving->encoding, proving->limit, FLUX_LITERAL_TRUE);
}

static void learn(struct proving *proving)
{
    struct flux_encoding *encoding = &proving->encoding;
    struct flux_clauses *clauses = &encoding->clauses;
    uint32_t of = flux_clauses_conflict_level(clauses);
    back(encoding, of);
    uint32_t level = flux_clauses_learn(clauses);
    if (clauses->hopeless)
        return;
    if (level)
        back(encoding, level);
    else
        back_to_root(proving);
    flux_clauses_assert_lesson(clauses);
}

/* At level 0, after propagation without conflict. */
static void tidy(struct proving *proving)
{
    struct flux_clauses *clauses = &proving->encoding.clauses;
    flux_paths_root(&proving->encoding.paths);
    if (clauses->learned > proving->learned_max || clauses->full) {
        flux_clauses_reduce(clauses);
        proving->learned_max += LEARNED_MORE;
    }
}

/* Opens level 1 with a deadline, and with it all later ones. 0, 1 with a conflict, or REFUTED. */
static int assume(struct proving *proving, uint32_t which)
{
    struct flux_encoding *encoding = &proving->encoding;
    struct flux_clauses *clauses = &encoding->clauses;
    uint32_t literal = 2 * (1 + which), not = flux_literal_not(literal);
    if (clauses->value[literal] < 0)
        return REFUTED;
    if (clauses->value[literal] > 0)
        return 0;
    flux_clauses_assume(clauses, literal);
    flux_paths_open(&encoding->paths);
    for (uint32_t i = 0; i < proving->deadlines; i++)
        if (proving->deadline[i] > proving->deadline[which] && clauses->value[2 * (1 + i)] == 0)
            (void)flux_clauses_imply(clauses, 2 * (1 + i), &not, 1);
    return set_limit(encoding, proving->deadline[which], literal);
}

/* A level more, of the assumption or a decision. 0, 1 with a conflict, SATISFIED or REFUTED. */
static int descend(struct proving *proving, uint32_t which)
{
    struct flux_encoding *encoding = &proving->encoding;
    if (encoding->clauses.level == 0) {
        tidy(proving);
        if (which != FLUX_NONE)
            return assume(proving, which);
    } else if (encoding->clauses.level == encoding->clauses.base) {
        flux_paths_root(&encoding->paths);
    }
    if (!flux_clauses_decide(&encoding->clauses))
        return SATISFIED;
    flux_paths_open(&encoding->paths);
    return 0;
}

/* For a plan within the limit, or within an assumed deadline. Errors: MEMORY. */
static int search(struct proving *proving, uint32_t which)
{
    struct flux_encoding *encoding = &proving->encoding;
    struct flux_clauses *clauses = &encoding->clauses;
    uint64_t left = 0;
    while (!clauses->hopeless) {
        int rc = propagate(encoding);
        if (!rc) {
            if (must_stop(proving))
                return STOPPED;
            if (left == 0 || clauses->full) {
                left = RESTART_UNIT * luby(++proving->restarts);
                if (left > proving->turn)
                    left = proving->turn;
                if (clauses->level)
                    back_to_root(proving);
                if (proving->conflicts >= proving->pause)
                    return PAUSED;
                continue;
            }
            rc = descend(proving, which);
        }
        if (rc == SATISFIED || rc == REFUTED || rc < 0)
            return rc;
        if (rc) {
            proving->conflicts++;
            left -= left > 0;
            learn(proving);
        }
    }
    return IMPOSSIBLE;
}

/* The starts are the heads. */
static void read_plan(const struct flux_encoding *encoding, struct flux_plan *plan)
{
    const struct flux_problem *problem = encoding->problem;
    for (uint32_t v = 0; v < problem->nodes; v++) {
        plan->start[v] = encoding->paths.side[FLUX_PATH_HEAD].length[v];
        plan->switch_of[v] = FLUX_NONE;
        for (uint32_t k = 0; k < problem->switches && flux_problem_is_send(problem, v); k++)
            if (encoding->clauses.value[encoding->literal_on[(uint64_t)v * problem->switches + k]] > 0)
                plan->switch_of[v] = k;
    }
    flux_plan_measure(plan, problem);
}

static int take(struct proving *proving, struct flux_plan *plan, struct flux_prove_answer *answer)
{
    struct flux_plan next;
    int rc = flux_plan_alloc(&next, proving->problem, &proving->arena);
    if (rc)
        return rc;
    read_plan(&proving->encoding, &next);
    flux_plan_copy(plan, &next, proving->problem);
    proving->control->makespan = plan->makespan;
    answer->improved = 1;
    return FLUX_OK;
}

/* Deadlines that are met for certain, or cannot be. At level 0. */
static void settle(struct proving *proving)
{
    struct flux_clauses *clauses = &proving->encoding.clauses;
    for (uint32_t i = 0; i < proving->deadlines; i++) {
        uint32_t literal = 2 * (1 + i);
        if (clauses->value[literal] == 0 && proving->deadline[i] >= proving->limit)
            flux_clauses_enqueue(clauses, literal, FLUX_NO_REASON);
        else if (clauses->value[literal] == 0 && proving->deadline[i] < proving->bound)
            flux_clauses_enqueue(clauses, flux_literal_not(literal), FLUX_NO_REASON);
    }
}

/* Asks for less than the plan, and goes on with everything that was learned. */
static void ask_below(struct proving *proving, int64_t makespan)
{
    back(&proving->encoding, 0);
    proving->limit = makespan - 1;
    if (set_limit(&proving->encoding, makespan - 1, FLUX_LITERAL_TRUE) || proving->problem->floor > makespan - 1)
        proving->encoding.clauses.hopeless = 1;
    settle(proving);
}

/* A deadline between bound and limit, higher by one part in `share` of what is between them. FLUX_NONE: none. */
static uint32_t deadline_at(struct proving *proving, uint32_t share)
{
    int64_t deadline = proving->bound + (proving->limit - proving->bound) / share;
    if (proving->deadlines == FLUX_DEADLINES_MAX || deadline >= proving->limit)
        return FLUX_NONE;
    for (uint32_t i = 0; i < proving->deadlines; i++)
        if (proving->deadline[i] == deadline)
            return i;
    proving->deadline[proving->deadlines] = deadline;
    return proving->deadlines++;
}

/* A better plan by parts, in as many steps as the other turns took. Errors: MEMORY. */
static int look_around(struct proving *proving, struct flux_plan *plan, struct flux_prove_answer *answer)
{
    int64_t before = plan->makespan;
    uint64_t steps = proving->encoding.paths.steps;
    int rc = flux_stretches_improve(proving->problem, proving->control, steps - proving->looked, proving->deadline_ns,
                                    proving->bound, plan, &proving->stretches);
    proving->looked = steps;
    if (rc || plan->makespan >= before)
        return rc;
    answer->improved = 1;
    ask_below(proving, plan->makespan);
    return FLUX_OK;
}

/* One turn each: below the plan, above the bound, and around the plan. Errors: MEMORY. */
static int close_in(struct proving *proving, struct flux_plan *plan, struct flux_prove_answer *answer)
{
    uint32_t share = 2, upwards = 0;
    proving->pause = proving->turn;
    while (proving->limit >= proving->bound) {
        uint32_t which = upwards ? deadline_at(proving, share) : FLUX_NONE;
        int rc = search(proving, which);
        if (rc == SATISFIED) {
            rc = take(proving, plan, answer);
            ask_below(proving, plan->makespan);
        } else if (rc == IMPOSSIBLE) {
            proving->bound = plan->makespan;
            rc = 0;
        } else if (rc == REFUTED) {
            proving->bound = proving->deadline[which] + 1;
            proving->control->bound = proving->bound;
            settle(proving);
            rc = 0;
        } else if (rc == PAUSED) {
            if (which != FLUX_NONE)
                share = share < SHARE_MOST ? 2 * share : share;
            upwards = !upwards;
            if (!upwards && (rc = look_around(proving, plan, answer)))
                return rc;
            proving->turn += proving->turn / TURN_MORE;
            proving->pause = proving->conflicts + proving->turn;
            rc = 0;
        }
        if (rc)
            return rc == STOPPED ? FLUX_OK : rc;
    }
    return FLUX_OK;
}

int flux_prove(const struct flux_problem *problem, struct flux_control *control, const struct flux_prove_limits *limits,
               int64_t bound, struct flux_plan *plan, struct flux_prove_answer *answer)
{
    struct proving proving = {.problem = problem,
                              .control = control,
                              .deadline_ns = limits->deadline_ns,
                              .steps_max = limits->steps,
                              .turn = limits->turn ? limits->turn : TURN_FIRST,
                              .limit = plan->makespan - 1,
                              .bound = bound,
                              .stretches = {.random = {control->options->seed}},
                              .learned_max = LEARNED_LEAST};
    memset(answer, 0, sizeof *answer);
    if (plan->makespan <= bound || control->stopped || problem->sends > FLUX_PROVE_SENDS_MAX)
        return FLUX_OK;
    flux_arena_init(&proving.arena, control->memory);
    int rc = flux_encode(problem, NULL, plan, plan->makespan - 1, &proving.arena, &proving.encoding);
    if (!rc) {
        rc = close_in(&proving, plan, answer);
        answer->bound = !rc && proving.bound > bound ? proving.bound : 0;
        answer->proven = !rc && proving.bound >= plan->makespan;
        answer->conflicts = proving.conflicts;
        answer->steps = proving.encoding.paths.steps + proving.stretches.steps;
    }
    flux_arena_free(&proving.arena);
    return rc == 1 ? FLUX_OK : rc;
}

/* What the decisions make of the makespan. */
static int64_t longest(const struct flux_paths *paths, int64_t most)
{
    for (uint32_t v = 0; v < paths->nodes; v++) {
        int64_t length = paths->side[FLUX_PATH_HEAD].length[v] + paths->side[FLUX_PATH_TAIL].length[v];
        most = length > most ? length : most;
    }
    return most;
}

/* Tries something else first than what the plan does. */
static void shake(struct flux_clauses *clauses, uint64_t seed)
{
    struct flux_random random = {seed};
    for (uint32_t v = 0; v < clauses->variables; v++)
        clauses->phase[v] = (int8_t)(flux_random_below(&random, 4) ? clauses->phase[v] : !clauses->phase[v]);
}

int flux_prove_stretch(const struct flux_stretch *stretch, struct flux_control *control, uint64_t conflicts,
                       uint64_t seed, struct flux_plan *plan, struct flux_prove_answer *answer)
{
    const struct flux_problem *piece = &stretch->piece;
    struct proving proving = {.problem = piece,
                              .control = control,
                              .deadline_ns = UINT64_MAX,
                              .steps_max = UINT64_MAX,
                              .turn = UINT64_MAX,
                              .pause = conflicts,
                              .limit = seed ? plan->makespan : plan->makespan - 1,
                              .learned_max = LEARNED_LEAST};
    memset(answer, 0, sizeof *answer);
    flux_arena_init(&proving.arena, control->memory);
    int rc = flux_encode(piece, &stretch->frame, plan, proving.limit, &proving.arena, &proving.encoding);
    if (!rc && seed)
        shake(&proving.encoding.clauses, seed);
    while (rc == 0) {
        rc = search(&proving, FLUX_NONE);
        if (rc != SATISFIED)
            break;
        answer->improved = 1;
        read_plan(&proving.encoding, plan);
        plan->makespan = longest(&proving.encoding.paths, piece->floor);
        ask_below(&proving, plan->makespan);
        rc = 0;
    }
    answer->proven = rc == IMPOSSIBLE;
    answer->conflicts = proving.conflicts;
    answer->steps = proving.encoding.paths.steps;
    (void)flux_control_poll(control, (answer->steps - proving.polled) / FLUX_PROVE_STEPS_PER_WORK);
    flux_arena_free(&proving.arena);
    return rc < 0 ? rc : FLUX_OK;
}

int flux_prove_piece(const struct flux_problem *piece, struct flux_control *control,
                     const struct flux_prove_limits *limits, struct flux_plan *plan, struct flux_prove_answer *answer)
{
    struct proving proving = {.problem = piece,
                              .control = control,
                              .deadline_ns = limits->deadline_ns,
                              .steps_max = limits->steps,
                              .turn = UINT64_MAX,
                              .pause = UINT64_MAX,
                              .limit = plan->makespan - 1,
                              .learned_max = LEARNED_LEAST};
    memset(answer, 0, sizeof *answer);
    if (control->stopped)
        return FLUX_OK;
    flux_arena_init(&proving.arena, control->memory);
    int rc = flux_encode(piece, NULL, plan, plan->makespan - 1, &proving.arena, &proving.encoding);
    if (rc == 0) {
        rc = search(&proving, FLUX_NONE);
        answer->improved = rc == SATISFIED;
        answer->proven = rc == IMPOSSIBLE;
        answer->bound = rc == IMPOSSIBLE ? plan->makespan : 0;
        answer->conflicts = proving.conflicts;
        answer->steps = proving.encoding.paths.steps;
        if (answer->improved)
            read_plan(&proving.encoding, plan);
    }
    flux_arena_free(&proving.arena);
    return rc < 0 ? rc : FLUX_OK;
}
