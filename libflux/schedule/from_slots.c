/* SPDX-License-Identifier: Apache-2.0
 *
 * schedule/from_slots.c - anyone's slots as a schedule object.
 */
#include "base/fail.h"
#include "schedule/allocator.h"
#include "schedule/schedule.h"

static uint64_t now_ns(const struct flux_memory *memory)
{
    return memory->env.now_ns(memory->env.user);
}

int flux_schedule_from_slots(const struct flux_graph *graph, const struct flux_fabric *fabric,
                             const struct flux_slot *slots, uint64_t count, struct flux_schedule **schedule,
                             struct flux_error *error)
{
    struct flux_certificate *certificate = NULL;
    struct flux_schedule *fresh = NULL;
    if (!schedule)
        return flux_fail(error, FLUX_E_ARGUMENT, "no place for the schedule");
    *schedule = NULL;
    if (!graph || !fabric || (!slots && count))
        return flux_fail(error, FLUX_E_ARGUMENT, "graph, fabric or slots are NULL");
    const struct flux_memory *memory = flux_allocator_of(graph);
    uint64_t begin = now_ns(memory);
    int rc = flux_schedule_make(graph, fabric, slots, count, NULL, memory, &fresh, error);
    uint64_t checked = now_ns(memory);
    if (!rc)
        rc = flux_bound(graph, fabric, &certificate, error);
    if (!rc)
        rc = flux_schedule_certify(fresh, certificate, error);
    if (rc) {
        flux_certificate_free(certificate);
        flux_schedule_free(fresh);
        return rc;
    }
    fresh->statistics.check_ns = checked - begin;
    fresh->statistics.bound_ns = now_ns(memory) - checked;
    fresh->statistics.rule = FLUX_SEARCH_NONE;
    *schedule = fresh;
    return FLUX_OK;
}
