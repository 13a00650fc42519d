/* SPDX-License-Identifier: Apache-2.0
 *
 * search/polish.h - second objectives: of plans of one makespan a better one.
 */
#ifndef FLUX_SEARCH_POLISH_H
#define FLUX_SEARCH_POLISH_H

#include "base/control.h"
#include "search/measures.h"

/* Measures of a plan; the slack is -1 on fabrics with stages. Errors: MEMORY. */
int flux_polish_measure(const struct flux_problem *problem, const struct flux_plan *plan,
                        struct flux_measures *measures);

/* Makes `plan` better by the selected objectives (FLUX_OBJECTIVE_*), the first of them first, and never longer nor
 * worse: sends change switches and places on their ports, and for memory some start later than they could. Ends by
 * itself where there are no limits. On fabrics with stages the plan stays as it is. Errors: MEMORY. */
int flux_polish(const struct flux_problem *problem, struct flux_control *control, uint32_t objectives,
                struct flux_plan *plan, struct flux_measures *before, struct flux_measures *after);

/* Starts later what fills the fullest GPU, within what the others leave to it, as long as the largest peak falls, or
 * fewer GPUs reach it. `plan` is that of `users`, which are settled. Errors: MEMORY. search/delay.c */
int flux_polish_delay(const struct flux_users *users, struct flux_gauge *gauge, struct flux_control *control,
                      struct flux_plan *plan, struct flux_arena *arena);

#endif
