/* SPDX-License-Identifier: Apache-2.0
 *
 * search/beam.h - many schedules built side by side, send after send in order of start; the best ones go on.
 */
#ifndef FLUX_SEARCH_BEAM_H
#define FLUX_SEARCH_BEAM_H

#include "search/run.h"

/* What comes first when partial schedules are compared. */
#define FLUX_BEAM_BY_END 0  /* the least end that is still possible; then the least time lost on the ports */
#define FLUX_BEAM_BY_LOST 1 /* the other way round */
#define FLUX_BEAM_BY_BOTH 2 /* their sum */

/* For problems all of whose sends share GPU 0, without stages, durations by switch and initial circuits. `tail` (by
 * node) is a lower bound on the time from a node's end to the end of everything. `width` schedules go on after each
 * send. 0; FLUX_RUN_STOPPED, and then there is no plan. Errors: MEMORY. */
int flux_run_beam(struct flux_run *run, const int64_t *tail, uint32_t width, int by, struct flux_plan *plan);

#endif
