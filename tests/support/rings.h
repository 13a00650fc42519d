/* SPDX-License-Identifier: Apache-2.0
 *
 * support/rings.h - ring all-reduces with compute between, of any size: the workload of the benchmarks.
 */
#ifndef SUPPORT_RINGS_H
#define SUPPORT_RINGS_H

#include <libflux/graph.h>

#define RINGS_MOST 64u /* GPUs of one ring */

/* Adds about `sends` sends (whole all-reduces) to an empty graph: groups of `ring` neighbouring GPUs all-reduce 16 MiB
 * after 200 us or more of compute, layer after layer; after every third layer the same ranks of `ring` groups all-reduce
 * 100 MiB beside what goes on. Bulk calls, as an embedder would. Returns the number of sends, 0 where something
 * failed. `ring` divides the number of GPUs. */
uint64_t rings_generate(struct flux_graph *graph, uint32_t ring, uint64_t sends);

#endif
