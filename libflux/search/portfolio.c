/* SPDX-License-Identifier: Apache-2.0 */
#include "search/construct.h"

#include "search/run.h"

#include <libflux/error.h>

/* In the order in which they win most often on what is not settled by those before. */
static const uint32_t portfolio[] = {
    FLUX_SEARCH_LATEST_START, FLUX_SEARCH_NON_DELAY, FLUX_SEARCH_BACKWARD, FLUX_SEARCH_EARLIEST_START,
    FLUX_SEARCH_APPEND,
};

static void keep(struct flux_plan *best, const struct flux_plan *next, const struct flux_problem *problem,
                 uint32_t rule, uint32_t *won)
{
    flux_plan_copy(best, next, problem);
    *won = rule;
}

int flux_construct_best(const struct flux_problem *problem, struct flux_control *control, struct flux_plan *plan,
                        uint32_t *won, uint64_t *constructions)
{
    struct flux_arena arena;
    struct flux_plan next;
    uint64_t seed = control->options->seed;
    flux_arena_init(&arena, problem->arena.memory);
    int rc = flux_plan_alloc(&next, problem, &arena);
    int found = 0;
    int stop = 0;
    for (uint32_t i = 0; !rc && !stop && i < sizeof portfolio / sizeof *portfolio; i++) {
        rc = flux_construct_watched(problem, portfolio[i], seed, control, !found, &next);
        if (rc == FLUX_E_OVERFLOW) { /* another rule may stay within the limit */
            rc = FLUX_OK;
            continue;
        }
        if (rc == FLUX_RUN_STOPPED) {
            rc = FLUX_OK;
            break;
        }
        if (rc)
            break;
        ++*constructions;
        if (!found || next.makespan < plan->makespan) {
            found = 1;
            keep(plan, &next, problem, portfolio[i], won);
            if (control->makespan < 0 || next.makespan < control->makespan)
                control->makespan = next.makespan;
            stop = flux_control_tell(control, FLUX_PHASE_CONSTRUCT) != 0;
        }
        stop |= flux_control_good_enough(control) || control->stopped;
    }
    flux_arena_free(&arena);
    return rc ? rc : found ? FLUX_OK : FLUX_E_OVERFLOW;
}
