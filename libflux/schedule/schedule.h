/* SPDX-License-Identifier: Apache-2.0
 *
 * schedule/schedule.h - inside of the schedule object, and how it is made. Knows the user's graph and fabric only.
 */
#ifndef FLUX_SCHEDULE_SCHEDULE_H
#define FLUX_SCHEDULE_SCHEDULE_H

#include "base/memory.h"

#include <libflux/schedule.h>

struct flux_schedule {
    struct flux_memory memory;
    int64_t makespan;
    int64_t bound;
    struct flux_certificate *certificate; /* owned */
    struct flux_statistics statistics;
    struct flux_slot *slots; /* by number of the send */
    uint64_t slot_count;
    struct flux_circuit *circuits;
    uint64_t circuit_count;
    uint64_t reconfigurations;
    struct flux_time *times; /* by vertex */
    uint64_t time_count;
};

/* Checks `slots` (sorted by send or not) and makes the object: circuit program, times, makespan. `certificate`
 * may be NULL (bound 0); it is taken over on success only. Errors: as flux_check(). */
int flux_schedule_make(const struct flux_graph *graph, const struct flux_fabric *fabric, const struct flux_slot *slots,
                       uint64_t count, struct flux_certificate *certificate, const struct flux_memory *memory,
                       struct flux_schedule **schedule, struct flux_error *error);

/* Gives a schedule that was made without a certificate its bound. Takes `certificate` over on success only. MISMATCH
 * where the bound is above the makespan: then one of the two is wrong, and no answer is better than a false one. */
int flux_schedule_certify(struct flux_schedule *schedule, struct flux_certificate *certificate,
                          struct flux_error *error);

#endif
