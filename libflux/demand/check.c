/* SPDX-License-Identifier: Apache-2.0
 *
 * demand/check.c - is a plan one? Looks at nothing but the plan and the demand, and shares nothing with those who made
 * it.
 */
#include "demand/demand.h"

#include <string.h>

static int are_matchings(const struct flux_demand_matrix *matrix, const struct flux_demand_terms *terms, uint64_t *seen)
{
    uint64_t n = matrix->ports;
    for (uint64_t t = 0; t < terms->count; t++)
        for (uint64_t i = 0; i < n; i++) {
            uint32_t j = terms->out[t * n + i];
            if (j == FLUX_NONE)
                continue;
            if (j >= n || seen[j] == t + 1)
                return 0;
            seen[j] = t + 1;
        }
    return 1;
}

static int is_served(const struct flux_demand_matrix *matrix, const int64_t *served)
{
    uint64_t n = matrix->ports;
    for (uint64_t i = 0; i < n * n; i++)
        if (served[i] < matrix->demand[i])
            return 0;
    return 1;
}

int flux_demand_check_states(const struct flux_demand_matrix *matrix, const struct flux_demand_terms *terms,
                             const struct flux_demand_state *states, uint64_t count, uint32_t switches,
                             int64_t makespan)
{
    uint64_t n = matrix->ports;
    int64_t *served = flux_arena_zero(matrix->arena, n * n, sizeof *served), end = 0;
    uint64_t *seen = flux_arena_zero(matrix->arena, n, sizeof *seen);
    if (!served || !seen)
        return FLUX_E_MEMORY;
    if (!are_matchings(matrix, terms, seen))
        return FLUX_E_MISMATCH;
    for (uint64_t s = 0; s < count; s++) {
        const struct flux_demand_state *state = &states[s];
        end = s && states[s - 1].switch_index == state->switch_index ? end : 0;
        if (state->switch_index >= switches || state->matching >= terms->count || state->start < end ||
            (s && states[s - 1].switch_index > state->switch_index))
            return FLUX_E_MISMATCH;
        end = state->start + matrix->delay + state->time;
        if (end > makespan)
            return FLUX_E_MISMATCH;
        for (uint64_t i = 0; i < n; i++) {
            uint32_t j = terms->out[state->matching * n + i];
            if (j != FLUX_NONE)
                served[i * n + j] += state->time;
        }
    }
    return is_served(matrix, served) ? FLUX_OK : FLUX_E_MISMATCH;
}

int flux_demand_check_circuits(const struct flux_demand_matrix *matrix, const struct flux_demand_circuit *circuits,
                               uint64_t count, uint32_t switches, int64_t makespan)
{
    uint64_t n = matrix->ports;
    int64_t *served = flux_arena_zero(matrix->arena, n * n, sizeof *served);
    int64_t *free_at = flux_arena_zero(matrix->arena, 2 * n, sizeof *free_at); /* of the switch at hand */
    if (!served || !free_at)
        return FLUX_E_MEMORY;
    for (uint64_t c = 0; c < count; c++) {
        const struct flux_demand_circuit *circuit = &circuits[c];
        if (c && circuits[c - 1].switch_index != circuit->switch_index)
            memset(free_at, 0, 2 * n * sizeof *free_at);
        if (circuit->switch_index >= switches || circuit->src >= n || circuit->dst >= n ||
            circuit->start < free_at[circuit->src] || circuit->start < free_at[n + circuit->dst] ||
            (c && circuits[c - 1].switch_index > circuit->switch_index))
            return FLUX_E_MISMATCH;
        int64_t end = circuit->start + matrix->delay + circuit->time;
        if (end > makespan)
            return FLUX_E_MISMATCH;
        free_at[circuit->src] = free_at[n + circuit->dst] = end;
        served[circuit->src * n + circuit->dst] += circuit->time;
    }
    return is_served(matrix, served) ? FLUX_OK : FLUX_E_MISMATCH;
}
