/* SPDX-License-Identifier: Apache-2.0
 *
 * schedule/allocator.h - the one thing that this room takes from inside the graph: where its memory comes from.
 */
#ifndef FLUX_SCHEDULE_ALLOCATOR_H
#define FLUX_SCHEDULE_ALLOCATOR_H

#include "base/memory.h"

#include <libflux/graph.h>

/* What is computed about a graph is kept in memory of the graph's environment. Lives as long as the graph. */
const struct flux_memory *flux_allocator_of(const struct flux_graph *graph);

#endif
