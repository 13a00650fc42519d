/* SPDX-License-Identifier: Apache-2.0 */
#include "schedule/audit.h"

#include "base/fail.h"

#include <inttypes.h>
#include <string.h>

static int read_problem(struct flux_audit *audit)
{
    uint32_t graph_gpus = flux_graph_gpus(audit->graph), fabric_gpus = flux_fabric_gpus(audit->fabric);
    if (graph_gpus != fabric_gpus)
        return flux_fail(audit->error, FLUX_E_MISMATCH,
                         "the graph has %" PRIu32 " GPUs and the fabric %" PRIu32 ": make both with the same number",
                         graph_gpus, fabric_gpus);
    audit->rule = flux_fabric_rule(audit->fabric);
    audit->switches = flux_fabric_switches(audit->fabric);
    audit->sends = flux_graph_sends(audit->graph);
    return flux_precedence_read(audit->graph, &audit->arena, &audit->precedence, audit->error);
}

int flux_audit_run(struct flux_audit *audit, const struct flux_graph *graph, const struct flux_fabric *fabric,
                   const struct flux_slot *slots, uint64_t count, const struct flux_memory *memory,
                   struct flux_error *error)
{
    memset(audit, 0, sizeof *audit);
    audit->graph = graph;
    audit->fabric = fabric;
    audit->error = error;
    flux_arena_init(&audit->arena, memory);
    int rc = read_problem(audit);
    if (!rc)
        rc = flux_audit_initials(audit);
    if (!rc)
        rc = flux_audit_slots(audit, slots, count);
    if (!rc)
        rc = flux_audit_edges(audit);
    if (!rc)
        rc = flux_audit_ports(audit);
    if (!rc)
        rc = flux_audit_changes(audit);
    return rc;
}

void flux_audit_end(struct flux_audit *audit)
{
    flux_arena_free(&audit->arena);
}

int64_t flux_audit_tenure_end(const struct flux_audit *audit, const struct flux_tenure *tenure)
{
    int64_t end = 0;
    for (int way = 0; way < 2; way++)
        if (tenure->last[way] != FLUX_NONE && audit->times[tenure->last[way]].end > end)
            end = audit->times[tenure->last[way]].end;
    return end;
}
