/* SPDX-License-Identifier: Apache-2.0 */
#include "schedule/schedule.h"

#include "base/abi.h"
#include "base/fail.h"
#include "schedule/audit.h"
#include "schedule/program.h"

#include <libflux/units.h>
#include <string.h>

#define STATISTICS_LEAST FLUX_ABI_LEAST(struct flux_statistics, slack)

void flux_schedule_free(struct flux_schedule *schedule)
{
    if (!schedule)
        return;
    struct flux_memory memory = schedule->memory;
    flux_certificate_free(schedule->certificate);
    flux_release(&memory, schedule->slots, schedule->slot_count, sizeof *schedule->slots);
    flux_release(&memory, schedule->circuits, schedule->circuit_count, sizeof *schedule->circuits);
    flux_release(&memory, schedule->times, schedule->time_count, sizeof *schedule->times);
    flux_release(&memory, schedule, 1, sizeof *schedule);
}

/* Everything but certificate and statistics. */
static int fill(struct flux_schedule *schedule, struct flux_audit *audit)
{
    const struct flux_memory *memory = &schedule->memory;
    uint64_t filled = 0;
    schedule->makespan = audit->makespan;
    schedule->slot_count = audit->sends;
    schedule->circuit_count = flux_program_rows(audit);
    schedule->time_count = audit->precedence.vertices;
    schedule->slots = flux_alloc(memory, schedule->slot_count, sizeof *schedule->slots);
    schedule->circuits = flux_alloc(memory, schedule->circuit_count, sizeof *schedule->circuits);
    schedule->times = flux_alloc(memory, schedule->time_count, sizeof *schedule->times);
    if (!schedule->slots || !schedule->circuits || !schedule->times)
        return flux_fail_memory(audit->error);
    for (uint32_t v = 0; v < schedule->time_count; v++)
        if (audit->switch_of[v] != FLUX_NONE)
            schedule->slots[filled++] =
                (struct flux_slot){v, audit->switch_of[v], audit->times[v].start, audit->times[v].end};
    memcpy(schedule->times, audit->times, (size_t)schedule->time_count * sizeof *schedule->times);
    int rc = flux_audit_begins(audit);
    if (!rc && flux_program_write(audit, schedule->circuits, NULL, &schedule->reconfigurations))
        rc = flux_fail_memory(audit->error);
    return rc;
}

int flux_schedule_certify(struct flux_schedule *schedule, struct flux_certificate *certificate,
                          struct flux_error *error)
{
    char above[FLUX_UNITS_TEXT], makespan[FLUX_UNITS_TEXT];
    int64_t bound = flux_certificate_bound(certificate);
    if (bound > schedule->makespan)
        return flux_fail(error, FLUX_E_MISMATCH,
                         "the lower bound %s is above the makespan %s of a schedule that breaks no rule: one of them "
                         "is wrong, please report it",
                         flux_time_format(bound, above, sizeof above),
                         flux_time_format(schedule->makespan, makespan, sizeof makespan));
    schedule->bound = bound;
    schedule->certificate = certificate;
    return FLUX_OK;
}

int flux_schedule_make(const struct flux_graph *graph, const struct flux_fabric *fabric, const struct flux_slot *slots,
                       uint64_t count, struct flux_certificate *certificate, const struct flux_memory *memory,
                       struct flux_schedule **schedule, struct flux_error *error)
{
    struct flux_audit audit;
    *schedule = NULL;
    struct flux_schedule *fresh = flux_alloc_zero(memory, 1, sizeof *fresh);
    if (!fresh)
        return flux_fail_memory(error);
    fresh->memory = *memory;
    fresh->statistics.size = sizeof fresh->statistics;
    int rc = flux_audit_run(&audit, graph, fabric, slots, count, memory, error);
    if (!rc)
        rc = fill(fresh, &audit);
    flux_audit_end(&audit);
    if (!rc && certificate)
        rc = flux_schedule_certify(fresh, certificate, error);
    if (rc) {
        flux_schedule_free(fresh);
        return rc;
    }
    *schedule = fresh;
    return FLUX_OK;
}

int flux_schedule_status(const struct flux_schedule *schedule)
{
    if (!schedule)
        return 0;
    return schedule->makespan == schedule->bound ? FLUX_OPTIMAL : FLUX_FEASIBLE;
}

int64_t flux_schedule_makespan(const struct flux_schedule *schedule)
{
    return schedule ? schedule->makespan : 0;
}

int64_t flux_schedule_bound(const struct flux_schedule *schedule)
{
    return schedule ? schedule->bound : 0;
}

const struct flux_certificate *flux_schedule_certificate(const struct flux_schedule *schedule)
{
    return schedule ? schedule->certificate : NULL;
}

uint64_t flux_schedule_reconfigurations(const struct flux_schedule *schedule)
{
    return schedule ? schedule->reconfigurations : 0;
}

const struct flux_slot *flux_schedule_slots(const struct flux_schedule *schedule, uint64_t *count)
{
    if (count)
        *count = schedule ? schedule->slot_count : 0;
    return schedule ? schedule->slots : NULL;
}

const struct flux_circuit *flux_schedule_circuits(const struct flux_schedule *schedule, uint64_t *count)
{
    if (count)
        *count = schedule ? schedule->circuit_count : 0;
    return schedule ? schedule->circuits : NULL;
}

const struct flux_time *flux_schedule_times(const struct flux_schedule *schedule, uint64_t *count)
{
    if (count)
        *count = schedule ? schedule->time_count : 0;
    return schedule ? schedule->times : NULL;
}

int flux_schedule_statistics(const struct flux_schedule *schedule, struct flux_statistics *statistics)
{
    if (!schedule || !statistics)
        return FLUX_E_ARGUMENT;
    return flux_abi_export(statistics, &schedule->statistics, sizeof schedule->statistics, STATISTICS_LEAST, "statistics",
                           NULL);
}
