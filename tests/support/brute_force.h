/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/support/brute_force.h - the shortest makespan of a small problem by looking at everything. It reads graph and
 * fabric through the public interface only and is written from the rules, not from the engines that it judges.
 */
#ifndef TESTS_BRUTE_FORCE_H
#define TESTS_BRUTE_FORCE_H

#include <libflux/flux.h>

#define BRUTE_FORCE_SENDS_MAX 8u
#define BRUTE_FORCE_VERTICES_MAX 64u
#define BRUTE_FORCE_SWITCHES_MAX 8u

#define BRUTE_FORCE_TOO_LARGE 1 /* more sends, vertices or switches than above, or more steps than allowed */

/* Every order of events (starts of sends, and begins of changes on switches that block or dwell) and every switch for
 * every send, each event at the earliest time that the earlier ones leave: once the order of all events is fixed, all
 * rules are differences of two times bounded from below, so the earliest times are best. Branches that cannot beat the
 * best are cut. `slots` (one per send, may be NULL) is a best schedule.
 * 0, BRUTE_FORCE_TOO_LARGE, or FLUX_E_INFEASIBLE where some send has no switch. No cycles, please. */
int brute_force(const struct flux_graph *graph, const struct flux_fabric *fabric, uint64_t steps_max, int64_t *optimum,
                struct flux_slot *slots);

/* The longest path through sends, each as short as any switch makes it, and compute: no bound should be below. */
int brute_force_longest_path(const struct flux_graph *graph, const struct flux_fabric *fabric, int64_t *length);

/* Is there a schedule within `limit`? By every switch and every whole start time for every send, and every whole
 * begin for every change. 1 or 0, negative for an error. For three sends and times of a few picoseconds: it is there to
 * judge brute_force(). */
int brute_force_by_time(const struct flux_graph *graph, const struct flux_fabric *fabric, int64_t limit);

#endif
