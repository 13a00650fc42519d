/* SPDX-License-Identifier: Apache-2.0
 *
 * bound/critical_path.c - the longest path through the graph.
 */
#include "bound/search.h"

#include <string.h>

int flux_bound_critical_path(struct flux_bound_search *search)
{
    const struct flux_problem *problem = search->problem;
    int64_t longest = problem->floor;
    for (uint32_t node = 0; node < problem->nodes; node++) {
        int64_t path = problem->head[node] + problem->duration[node] + problem->tail[node];
        longest = path > longest ? path : longest;
    }
    if (longest > search->best.bound) {
        search->best = (struct flux_bound_value){
            .bound = longest, .kind = FLUX_CERTIFICATE_CRITICAL_PATH, .gpu = FLUX_NONE, .side = FLUX_SIDE_BOTH};
        memset(search->best.switches, 0xff, sizeof search->best.switches);
    }
    return FLUX_OK;
}
