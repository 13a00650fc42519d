/* SPDX-License-Identifier: Apache-2.0
 *
 * search/staged.h - construction where some switch stops as a whole while it changes, or has a dwell.
 */
#ifndef FLUX_SEARCH_STAGED_H
#define FLUX_SEARCH_STAGED_H

#include "search/run.h"

/* Every send in turn after everything on its ports, at the earliest time at which the changes committed so far let it
 * run, and a change that it needs can begin between the last user of its ports and its start: one that is committed, or
 * a new one. On the switch where it ends first; then without a new change; then where it changes fewest circuits. With
 * `fixed` every send stays on the switch that `plan` gives it. It never fails: a change after everything else, then
 * the send, is always possible. Fills switches and starts of `plan`. Errors: MEMORY. */
int flux_run_staged(struct flux_run *run, const uint32_t *order, int fixed, struct flux_plan *plan);

#endif
