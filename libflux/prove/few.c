/* SPDX-License-Identifier: Apache-2.0 */
#include "prove/few.h"

#include "prove/piece.h"

#include <libflux/error.h>
#include <string.h>

int flux_few_ask(const struct flux_problem *whole, const uint32_t *nodes, uint32_t count, const struct flux_plan *guide,
                 struct flux_control *control, const struct flux_prove_limits *limits, struct flux_arena *round,
                 struct flux_plan *part, struct flux_prove_answer *found)
{
    struct flux_problem piece;
    int64_t target = part->makespan;
    int rc = flux_piece_make(whole, nodes, count, round, &piece);
    if (!rc)
        rc = flux_plan_alloc(part, &piece, round);
    if (rc)
        return rc;
    part->makespan = target;
    for (uint32_t i = 0; i < count; i++) {
        part->start[i] = guide->start[nodes[i]];
        part->switch_of[i] = guide->switch_of[nodes[i]];
    }
    return flux_prove_piece(&piece, control, limits, part, found);
}

int flux_few_claim(const uint32_t *nodes, uint32_t count, int64_t bound, struct flux_arena *arena,
                   struct flux_control *control, struct flux_bound_value *value)
{
    uint32_t *kept = flux_arena_alloc(arena, count, sizeof *kept);
    if (!kept)
        return FLUX_E_MEMORY;
    memcpy(kept, nodes, count * sizeof *kept);
    *value = (struct flux_bound_value){
        .bound = bound, .kind = FLUX_CERTIFICATE_SUBSET, .gpu = FLUX_NONE, .nodes = kept, .count = count};
    control->bound = bound;
    return FLUX_OK;
}
