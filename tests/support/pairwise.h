/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/support/pairwise.h - a second opinion on schedules: every pair of sends against the rules as they are written,
 * O(n^2) and slower, through the public interface only. It shares no code with the library's checker.
 */
#ifndef TESTS_PAIRWISE_H
#define TESTS_PAIRWISE_H

#include <libflux/flux.h>

#define PAIRWISE_TEXT 200

/* How long send `vertex` takes on switch k, -1 where k cannot carry it. */
int64_t pairwise_duration(const struct flux_graph *graph, const struct flux_fabric *fabric, uint32_t vertex,
                          uint32_t k);

/* What a user of circuit (c, d) keeps from the end of an earlier user of (a, b) on a switch with that delay; -1 where
 * the two do not compete. */
int64_t pairwise_separation(uint32_t rule, uint32_t a, uint32_t b, uint32_t c, uint32_t d, int64_t delay);

/* What edge (u, v) adds to u's end: its lag, and the light's travel where v waits elsewhere than at u's source. */
int64_t pairwise_lag(const struct flux_graph *graph, const struct flux_fabric *fabric, const struct flux_edge *edge);

/* Start and end of every vertex, compute as early as it can; `times` has room for all. 1, or 0 where slots are not one
 * per send or the edges close a cycle. */
int pairwise_times(const struct flux_graph *graph, const struct flux_fabric *fabric, const struct flux_slot *slots,
                   uint64_t count, struct flux_time *times);

/* 1 where the slots (one per send, in any order) are a schedule, with its makespan; 0 with a reason in `why`. At most
 * 4,096 sends. */
int pairwise_check(const struct flux_graph *graph, const struct flux_fabric *fabric, const struct flux_slot *slots,
                   uint64_t count, int64_t *makespan, char why[PAIRWISE_TEXT]);

/* Can changes with these windows begin on a switch, by trying every choice of whole picoseconds? `low` and `high` are
 * the first and last begin of each; during [begin, begin + delay) none of the sends `busy` may run unless `delay` is
 * 0; begins are equal or `dwell` apart. Exponential: for a handful. */
int pairwise_begins_by_trial(const int64_t *low, const int64_t *high, uint32_t changes, const struct flux_time *busy,
                             uint32_t sends, int64_t delay, int64_t dwell);

/* The same by reachable points, for any number of changes. */
int pairwise_begins(const int64_t *low, const int64_t *high, uint32_t changes, const struct flux_time *busy,
                    uint32_t sends, int64_t delay, int64_t dwell);

/* 1 where the rows of flux_schedule_circuits() are a program for these slots: every send has its circuit up while it
 * runs, every change has its time and none breaks the rules of its switch, and `reconfigurations` counts them. */
int pairwise_program(const struct flux_graph *graph, const struct flux_fabric *fabric, const struct flux_slot *slots,
                     uint64_t count, const struct flux_circuit *circuits, uint64_t circuit_count,
                     uint64_t reconfigurations, char why[PAIRWISE_TEXT]);

#endif
