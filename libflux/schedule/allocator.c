/* SPDX-License-Identifier: Apache-2.0 */
#include "schedule/allocator.h"

#include "model/graph.h"

const struct flux_memory *flux_allocator_of(const struct flux_graph *graph)
{
    return &graph->memory;
}
