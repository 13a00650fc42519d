/* SPDX-License-Identifier: Apache-2.0 */
#include "search/construct.h"

#include "search/run.h"

#include <libflux/error.h>

/* In the order in which they win most often on what is not settled by those before. */
static const uint32_t portfolio[] = {
    FLUX_SEARCH_LATEST_START,   FLUX_SEARCH_NON_DELAY, FLUX_SEARCH_BACKWARD,
    FLUX_SEARCH_EARLIEST_START, FLUX_SEARCH_APPEND,    FLUX_SEARCH_ROUNDS,
};

int flux_construct_best(const struct flux_problem *problem, struct flux_control *control, struct flux_plan *plan,
                        uint32_t *won, uint64_t *constructions)
{
    struct flux_arena arena;
    struct flux_plan next;
    flux_arena_init(&arena, problem->arena.memory);
    int rc = flux_plan_alloc(&next, problem, &arena);
    for (uint32_t i = 0; !rc && i < sizeof portfolio / sizeof *portfolio; i++) {
        rc = flux_construct_watched(problem, portfolio[i], control->options->seed, control, i ? plan->makespan : 0,
                                    &next);
        int late = rc == FLUX_RUN_LATE;
        if (rc && !late)
            break;
        rc = FLUX_OK;
        ++*constructions;
        if (!late && (i == 0 || next.makespan < plan->makespan)) {
            flux_plan_copy(plan, &next, problem);
            *won = portfolio[i];
            if (control->makespan < 0 || next.makespan < control->makespan)
                control->makespan = next.makespan;
            flux_control_tell(control, FLUX_PHASE_CONSTRUCT);
        }
        if (flux_control_good_enough(control) || control->stopped)
            break;
    }
    flux_arena_free(&arena);
    return rc == FLUX_RUN_STOPPED ? FLUX_OK : rc; /* after the first, which is never stopped */
}
