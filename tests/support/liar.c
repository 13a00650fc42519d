/* SPDX-License-Identifier: Apache-2.0 */
#include "liar.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int opens(const struct flux_env *env, void **instance, struct flux_error *error)
{
    (void)env;
    (void)error;
    *instance = NULL;
    return 0;
}

static void closes(void *instance)
{
    (void)instance;
}

#define SOLVE(name)                                                                                                    \
    static int name(void *instance, const struct flux_milp *milp, const struct flux_milp_run *run,                     \
                    struct flux_milp_result *result, struct flux_error *error)
#define UNUSED (void)instance, (void)milp, (void)run, (void)result, (void)error

static void fill(const struct flux_milp *milp, struct flux_milp_result *result, double value)
{
    for (uint32_t j = 0; j < milp->columns; j++)
        result->values[j] = value;
}

/* The start where there is one, else zeros; with its true cost. */
static void honest_point(const struct flux_milp *milp, struct flux_milp_result *result)
{
    result->objective = 0;
    for (uint32_t j = 0; j < milp->columns; j++) {
        result->values[j] = milp->start ? milp->start[j] : 0;
        result->objective += milp->cost[j] * result->values[j];
    }
    result->bound = -INFINITY;
    result->status = FLUX_MILP_FEASIBLE;
}

SOLVE(tells_garbage)
{
    UNUSED;
    for (uint32_t j = 0; j < milp->columns; j++)
        result->values[j] = j % 2 ? 1e300 : -1e-300 * j - 3e18;
    result->status = FLUX_MILP_OPTIMAL;
    result->objective = result->bound = 42;
    return 0;
}

SOLVE(tells_nan)
{
    UNUSED;
    fill(milp, result, NAN);
    result->status = FLUX_MILP_OPTIMAL;
    result->objective = result->bound = NAN;
    return 0;
}

SOLVE(tells_infinities)
{
    UNUSED;
    fill(milp, result, INFINITY);
    result->status = FLUX_MILP_FEASIBLE;
    result->objective = INFINITY;
    return 0;
}

SOLVE(tells_infeasible_point)
{
    UNUSED;
    honest_point(milp, result);
    result->objective = 0;
    for (uint32_t j = 0; j < milp->columns; j++) {
        result->values[j] = 1 - result->values[j]; /* every binary the other way, and times at random */
        result->objective += milp->cost[j] * result->values[j];
    }
    result->status = FLUX_MILP_OPTIMAL;
    result->bound = result->objective;
    return 0;
}

SOLVE(tells_halves)
{
    UNUSED;
    honest_point(milp, result);
    result->objective = 0;
    for (uint32_t j = 0; j < milp->columns; j++) {
        if (milp->column_kind[j] == FLUX_COLUMN_BINARY)
            result->values[j] = 0.5;
        result->objective += milp->cost[j] * result->values[j];
    }
    result->status = FLUX_MILP_OPTIMAL;
    result->bound = result->objective;
    return 0;
}

SOLVE(tells_wrong_objective)
{
    UNUSED;
    honest_point(milp, result);
    result->objective = result->objective / 2 - 1000;
    return 0;
}

SOLVE(tells_unknown_status)
{
    UNUSED;
    honest_point(milp, result);
    result->status = 77;
    return 0;
}

SOLVE(says_infeasible)
{
    UNUSED;
    result->status = FLUX_MILP_INFEASIBLE;
    return 0;
}

SOLVE(says_unbounded)
{
    UNUSED;
    result->status = FLUX_MILP_UNBOUNDED;
    return 0;
}

SOLVE(tells_bound_above_point)
{
    UNUSED;
    honest_point(milp, result);
    result->bound = 2 * fabs(result->objective) + 1000;
    return 0;
}

SOLVE(tells_bound_above_start)
{
    UNUSED;
    honest_point(milp, result);
    result->status = FLUX_MILP_UNKNOWN;
    result->bound = 2 * fabs(result->objective) + 1000;
    return 0;
}

SOLVE(tells_bound_nan)
{
    UNUSED;
    honest_point(milp, result);
    result->bound = NAN;
    return 0;
}

SOLVE(tells_bound_infinite)
{
    UNUSED;
    result->status = FLUX_MILP_UNKNOWN;
    result->bound = INFINITY;
    return 0;
}

/* Points the library at values of its own. */
SOLVE(swaps_values)
{
    static double mine[1];
    UNUSED;
    fill(milp, result, NAN);
    mine[0] = NAN;
    result->values = mine;
    result->status = FLUX_MILP_OPTIMAL;
    result->objective = result->bound = 0;
    return 0;
}

/* Busy until it is told to stop, or for five seconds where nobody does. */
static void dawdle(const struct flux_milp_run *run, int64_t extra_ms)
{
    struct timespec nap = {0, 1000000};
    for (int64_t ms = 0; ms < 5000 && !run->stop(run->user); ms++)
        nanosleep(&nap, NULL);
    for (int64_t ms = 0; ms < extra_ms; ms++)
        nanosleep(&nap, NULL);
}

SOLVE(comes_back_at_the_deadline)
{
    UNUSED;
    dawdle(run, 0);
    return 0;
}

SOLVE(comes_back_late)
{
    UNUSED;
    dawdle(run, 200);
    return 0;
}

SOLVE(tells_bad_points)
{
    UNUSED;
    if (run->incumbent) {
        run->incumbent(run->user, NULL, 0);
        fill(milp, result, NAN);
        run->incumbent(run->user, result->values, NAN);
        fill(milp, result, -7);
        run->incumbent(run->user, result->values, -1e30);
        fill(milp, result, 1e300);
        run->incumbent(run->user, result->values, 0);
    }
    return 0;
}

SOLVE(fails_without_words)
{
    UNUSED;
    return FLUX_E_BACKEND;
}

SOLVE(fails_with_too_many_words)
{
    UNUSED;
    memset(error, '\n', sizeof *error); /* not terminated, control characters, a wrong code */
    return 12345;
}

static int does_not_open(const struct flux_env *env, void **instance, struct flux_error *error)
{
    (void)env;
    (void)error;
    *instance = (void *)(uintptr_t)1; /* must not be closed */
    return FLUX_E_BACKEND;
}

static void closes_what_was_not_open(void *instance)
{
    (void)instance;
    abort();
}

#define PROVER (FLUX_BACKEND_OPTIMAL | FLUX_BACKEND_BOUND | FLUX_BACKEND_SOLVES)
#define LIAR(lie, identifier, function, noticed)                                                                       \
    {                                                                                                                  \
        lie,                                                                                                           \
            &(const struct flux_backend){                                                                              \
                FLUX_BACKEND_ABI, 0,     sizeof(struct flux_backend), identifier, PROVER, NULL, NULL, opens, NULL,     \
                function,         closes},                                                                             \
            noticed                                                                                                    \
    }

const struct liar liars[] = {
    LIAR("values without sense", "liar_garbage", tells_garbage, LIAR_CAUGHT),
    LIAR("values that are no numbers", "liar_nan", tells_nan, LIAR_CAUGHT),
    LIAR("infinite values", "liar_infinities", tells_infinities, LIAR_CAUGHT),
    LIAR("an infeasible point called optimal", "liar_infeasible_point", tells_infeasible_point, LIAR_CAUGHT),
    LIAR("binaries of one half", "liar_halves", tells_halves, LIAR_CAUGHT),
    LIAR("an objective that is not the point's", "liar_objective", tells_wrong_objective, LIAR_CAUGHT),
    LIAR("a status that does not exist", "liar_status", tells_unknown_status, LIAR_CAUGHT),
    LIAR("infeasible, and it is not", "liar_infeasible", says_infeasible, LIAR_AGAINST_START),
    LIAR("unbounded, and it is not", "liar_unbounded", says_unbounded, LIAR_CAUGHT),
    LIAR("a bound above its own point", "liar_bound_above_point", tells_bound_above_point, LIAR_CAUGHT),
    LIAR("a bound above the optimum", "liar_bound_above_optimum", tells_bound_above_start, LIAR_AGAINST_START),
    LIAR("a bound that is no number", "liar_bound_nan", tells_bound_nan, LIAR_CAUGHT),
    LIAR("an infinite bound", "liar_bound_infinite", tells_bound_infinite, LIAR_CAUGHT),
    LIAR("values of its own", "liar_swaps", swaps_values, LIAR_CAUGHT),
    LIAR("nothing before the deadline", "liar_slow", comes_back_at_the_deadline, LIAR_SAYS_NOTHING),
    LIAR("nothing until after the deadline", "liar_late", comes_back_late, LIAR_SAYS_NOTHING),
    LIAR("bad points on the way", "liar_points", tells_bad_points, LIAR_SAYS_NOTHING),
    LIAR("an error without words", "liar_mute", fails_without_words, LIAR_FAILS),
    LIAR("an error of no number and without end", "liar_noisy", fails_with_too_many_words, LIAR_FAILS),
    {"it does not open",
     &(const struct flux_backend){FLUX_BACKEND_ABI, 0, sizeof(struct flux_backend), "liar_closed", PROVER, NULL, NULL,
                                  does_not_open, NULL, says_infeasible, closes_what_was_not_open},
     LIAR_FAILS},
    {"another ABI",
     &(const struct flux_backend){FLUX_BACKEND_ABI + 1, 0, sizeof(struct flux_backend), "liar_abi", PROVER, NULL, NULL,
                                  opens, NULL, says_infeasible, closes},
     LIAR_REFUSED},
    {"a size of nothing",
     &(const struct flux_backend){FLUX_BACKEND_ABI, 0, 0, "liar_size", PROVER, NULL, NULL, opens, NULL, says_infeasible,
                                  closes},
     LIAR_REFUSED},
    {"a name that is none",
     &(const struct flux_backend){FLUX_BACKEND_ABI, 0, sizeof(struct flux_backend), "Liar.name", PROVER, NULL, NULL,
                                  opens, NULL, says_infeasible, closes},
     LIAR_REFUSED},
    {"no solve()",
     &(const struct flux_backend){FLUX_BACKEND_ABI, 0, sizeof(struct flux_backend), "liar_empty", PROVER, NULL, NULL,
                                  opens, NULL, NULL, closes},
     LIAR_REFUSED},
};
const uint32_t liar_count = sizeof liars / sizeof *liars;

const struct flux_backend *liar_find(const char *name)
{
    for (uint32_t i = 0; i < liar_count; i++)
        if (!strcmp(liars[i].backend->name, name))
            return liars[i].backend;
    abort();
}
