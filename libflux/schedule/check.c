/* SPDX-License-Identifier: Apache-2.0
 *
 * schedule/check.c - flux_check(): is this a schedule?
 */
#include "base/fail.h"
#include "schedule/allocator.h"
#include "schedule/audit.h"

int flux_check(const struct flux_graph *graph, const struct flux_fabric *fabric, const struct flux_slot *slots,
               uint64_t count, int64_t *makespan, struct flux_error *error)
{
    struct flux_audit audit;
    if (makespan)
        *makespan = 0;
    if (!graph || !fabric || (!slots && count))
        return flux_fail(error, FLUX_E_ARGUMENT, "graph, fabric or slots are NULL");
    int rc = flux_audit_run(&audit, graph, fabric, slots, count, flux_allocator_of(graph), error);
    if (!rc && makespan)
        *makespan = audit.makespan;
    flux_audit_end(&audit);
    return rc;
}
