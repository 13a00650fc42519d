/* SPDX-License-Identifier: Apache-2.0 */
#include "search/lanes.h"

#include <libflux/error.h>

/* Number of the circuit a -> b, from the sends that touch a; FLUX_NONE where no send uses it. */
static uint32_t circuit_of(const struct flux_problem *problem, uint32_t a, uint32_t b)
{
    for (uint64_t i = problem->touch_first[a]; i < problem->touch_first[a + 1]; i++) {
        uint32_t v = problem->touch[i];
        int same = problem->src[v] == a && problem->dst[v] == b;
        int reversed = problem->src[v] == b && problem->dst[v] == a;
        if (same || (reversed && problem->rule == FLUX_RULE_DUPLEX))
            return problem->circuit[v];
    }
    return FLUX_NONE;
}

static void add_initial(struct flux_lanes *lanes, const struct flux_circuit_name *name)
{
    uint32_t circuit = circuit_of(lanes->problem, name->src, name->dst);
    uint64_t stride = (uint64_t)lanes->problem->switches * lanes->sides;
    uint32_t source = lanes->row[name->src];
    uint32_t target = lanes->row[name->dst];
    if (source != FLUX_NONE)
        lanes->initial[lanes->initials++] =
            (struct flux_lane_initial){flux_lane_on(lanes, source * stride, name->switch_index), circuit, 0};
    if (target != FLUX_NONE)
        lanes->initial[lanes->initials++] = (struct flux_lane_initial){
            flux_lane_on(lanes, target * stride + lanes->sides - 1, name->switch_index), circuit, 0};
}

int flux_lanes_init(struct flux_lanes *lanes, const struct flux_problem *problem, struct flux_arena *arena)
{
    lanes->problem = problem;
    lanes->sides = problem->rule == FLUX_RULE_PAPER ? 1 : 2;
    lanes->watch = problem->rule == FLUX_RULE_DUPLEX;
    lanes->row = flux_arena_alloc(arena, problem->gpus, sizeof *lanes->row);
    lanes->initial = flux_arena_alloc(arena, 2 * (uint64_t)problem->initials, sizeof *lanes->initial);
    lanes->initials = 0;
    if (!lanes->row || !lanes->initial)
        return FLUX_E_MEMORY;
    uint32_t rows = 0;
    for (uint32_t g = 0; g < problem->gpus; g++)
        lanes->row[g] = problem->touch_first[g + 1] > problem->touch_first[g] ? rows++ : FLUX_NONE;
    lanes->count = (uint64_t)rows * problem->switches * lanes->sides;
    for (uint32_t i = 0; i < problem->initials; i++)
        add_initial(lanes, &problem->initial[i]);
    return FLUX_OK;
}
