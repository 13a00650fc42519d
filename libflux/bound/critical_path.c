/* SPDX-License-Identifier: Apache-2.0
 *
 * bound/critical_path.c - the longest path through the graph.
 */
#include "bound/search.h"

int flux_bound_critical_path(struct flux_bound_search *search)
{
    const struct flux_problem *problem = search->problem;
    int64_t longest = problem->floor;
    for (uint32_t node = 0; node < problem->nodes; node++) {
        int64_t path = problem->head[node] + problem->duration[node] + problem->tail[node];
        longest = path > longest ? path : longest;
    }
    search->best.kind = FLUX_CERTIFICATE_CRITICAL_PATH;
    search->best.bound = longest;
    return FLUX_OK;
}
