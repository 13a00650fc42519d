/* SPDX-License-Identifier: Apache-2.0 */
#include "io/belong.h"

#include "io/fail.h"

int flux_io_check_schedule(const struct flux_graph *graph, const struct flux_fabric *fabric,
                           const struct flux_schedule *schedule, struct flux_error *error)
{
    uint64_t slot_count, time_count;
    const struct flux_slot *slots = flux_schedule_slots(schedule, &slot_count);
    flux_schedule_times(schedule, &time_count);
    if (slot_count != flux_graph_sends(graph) || time_count != flux_graph_vertices(graph))
        return flux_io_fail(error, FLUX_E_MISMATCH,
                            "the schedule is of %llu sends and %llu vertices, the graph has %u and %u: give the graph "
                            "that it was made for",
                            (unsigned long long)slot_count, (unsigned long long)time_count,
                            (unsigned)flux_graph_sends(graph), (unsigned)flux_graph_vertices(graph));
    for (uint64_t i = 0; i < slot_count; i++) {
        if (!flux_graph_is_send(graph, slots[i].send))
            return flux_io_fail(error, FLUX_E_MISMATCH,
                                "the schedule places vertex %u, which is no send of the graph: give the graph that it "
                                "was made for",
                                (unsigned)slots[i].send);
        if (fabric && slots[i].switch_index >= flux_fabric_switches(fabric))
            return flux_io_fail(error, FLUX_E_MISMATCH,
                                "the schedule uses switch %u, the fabric has %u: give the fabric that it was made for",
                                (unsigned)slots[i].switch_index, (unsigned)flux_fabric_switches(fabric));
    }
    return FLUX_OK;
}
