/* SPDX-License-Identifier: Apache-2.0
 *
 * search/construct.h - schedules from scratch, by priority rules.
 */
#ifndef FLUX_SEARCH_CONSTRUCT_H
#define FLUX_SEARCH_CONSTRUCT_H

#include "base/control.h"
#include "search/plan.h"

/* One construction by `rule` (FLUX_SEARCH_LATEST_START .. FLUX_SEARCH_BACKWARD) into `plan`. No node of it can start
 * earlier with the order on the ports and the switches kept. On staged fabrics the rule's plan without stages gives the
 * order in which sends are then placed with them (search/staged.h), each as early as the changes committed so far let
 * it; nearly always, but not in every case, that is left-shifted too. It always runs to its end. `seed` breaks ties
 * where it is not 0. Errors: MEMORY. */
int flux_construct(const struct flux_problem *problem, uint32_t rule, uint64_t seed, struct flux_plan *plan);

/* The same under a control, which may cut it short where there is a plan already, of makespan `beat`: FLUX_RUN_STOPPED
 * (search/run.h). Without stages it gives up as soon as it cannot be shorter than that: FLUX_RUN_LATE.
 * In both cases the plan means nothing. `beat` is 0 for the first plan, which is always finished. */
int flux_construct_watched(const struct flux_problem *problem, uint32_t rule, uint64_t seed,
                           struct flux_control *control, int64_t beat, struct flux_plan *plan);

/* Serial generation with insertion in the order of `priority` (by node, smaller first; an arc's tail always goes
 * before its head, whatever their priorities), for engines that bring their own order. Errors: MEMORY. */
int flux_construct_by_priority(const struct flux_problem *problem, const int64_t *priority, struct flux_plan *plan);

/* The portfolio: rules in order of how often they win, until the bound is met or control stops it. The first one always
 * finishes. `won` is the rule of the best. Errors: MEMORY. */
int flux_construct_best(const struct flux_problem *problem, struct flux_control *control, struct flux_plan *plan,
                        uint32_t *won, uint64_t *constructions);

#endif
