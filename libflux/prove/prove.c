/* SPDX-License-Identifier: Apache-2.0 */
#include "prove/prove.h"

#include "prove/encode.h"

#include <libflux/error.h>
#include <string.h>

#define RESTART_UNIT 128u    /* conflicts, times Luby's numbers */
#define LEARNED_LEAST 4000u /* clauses before some are forgotten */
#define LEARNED_MORE 500u   /* more every time */
#define POLL_STEPS 8192u

#define SATISFIED 1
#define IMPOSSIBLE 2
#define STOPPED 3

struct proving {
    const struct flux_problem *problem;
    struct flux_control *control;
    struct flux_encoding encoding;
    struct flux_arena arena;
    uint64_t deadline_ns;
    uint64_t steps_max;
    uint64_t polled; /* steps told to the control */
    uint64_t conflicts;
    uint64_t restarts;
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
    if (steps - proving->polled < POLL_STEPS)
        return 0;
    uint32_t stopped = flux_control_poll(proving->control, (steps - proving->polled) / FLUX_PROVE_STEPS_PER_WORK);
    proving->polled = steps;
    if (stopped || steps >= proving->steps_max)
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

static void learn(struct flux_encoding *encoding)
{
    struct flux_clauses *clauses = &encoding->clauses;
    back(encoding, flux_clauses_conflict_level(clauses));
    uint32_t level = flux_clauses_learn(clauses);
    if (clauses->hopeless)
        return;
    back(encoding, level);
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

/* Errors: MEMORY. */
static int search(struct proving *proving)
{
    struct flux_encoding *encoding = &proving->encoding;
    struct flux_clauses *clauses = &encoding->clauses;
    uint64_t left = 0;
    while (!clauses->hopeless) {
        int rc = propagate(encoding);
        if (rc < 0)
            return rc;
        if (rc) {
            proving->conflicts++;
            left -= left > 0;
            learn(encoding);
            continue;
        }
        if (must_stop(proving))
            return STOPPED;
        if (left == 0 || clauses->full) {
            left = RESTART_UNIT * luby(++proving->restarts);
            if (clauses->level) {
                back(encoding, 0);
                continue;
            }
        }
        if (clauses->level == 0)
            tidy(proving);
        if (!flux_clauses_decide(clauses))
            return SATISFIED;
        flux_paths_open(&encoding->paths);
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

/* Asks for less than the plan, and goes on with everything that was learned. */
static void ask_below(struct proving *proving, int64_t makespan)
{
    struct flux_encoding *encoding = &proving->encoding;
    back(encoding, 0);
    encoding->paths.limit = makespan - 1;
    encoding->clauses.hopeless |= proving->problem->floor > makespan - 1;
    memset(encoding->paths.moved, 1, encoding->paths.nodes);
    for (uint32_t v = 0; v < encoding->paths.nodes; v++)
        if (encoding->paths.side[0].length[v] + encoding->paths.side[1].length[v] > makespan - 1)
            encoding->clauses.hopeless = 1;
}

static int descend(struct proving *proving, int64_t bound, struct flux_plan *plan, struct flux_prove_answer *answer)
{
    while (plan->makespan > bound) {
        int rc = search(proving);
        if (rc == SATISFIED) {
            rc = take(proving, plan, answer);
            ask_below(proving, plan->makespan);
        } else if (rc == IMPOSSIBLE) {
            answer->bound = plan->makespan;
            return FLUX_OK;
        }
        if (rc)
            return rc == STOPPED ? FLUX_OK : rc;
    }
    return FLUX_OK;
}

int flux_prove(const struct flux_problem *problem, struct flux_control *control, uint64_t steps, uint64_t deadline_ns,
               int64_t bound, struct flux_plan *plan, struct flux_prove_answer *answer)
{
    struct proving proving = {.problem = problem,
                              .control = control,
                              .deadline_ns = deadline_ns,
                              .steps_max = steps,
                              .learned_max = LEARNED_LEAST};
    memset(answer, 0, sizeof *answer);
    if (plan->makespan <= bound || control->stopped)
        return FLUX_OK;
    flux_arena_init(&proving.arena, control->memory);
    int rc = flux_encode(problem, plan, plan->makespan - 1, &proving.arena, &proving.encoding);
    if (!rc) {
        rc = descend(&proving, bound, plan, answer);
        answer->proven = answer->bound >= plan->makespan || plan->makespan <= bound;
        answer->conflicts = proving.conflicts;
        answer->steps = proving.encoding.paths.steps;
    }
    flux_arena_free(&proving.arena);
    return rc == 1 ? FLUX_OK : rc;
}
