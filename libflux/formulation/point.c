/* SPDX-License-Identifier: Apache-2.0
 *
 * formulation/point.c - a plan as values of the columns.
 */
#include "formulation/formulation.h"

/* Does u go before v where they share a switch? Any order of starts will do, as long as it is one for all pairs. */
static int goes_before(const struct flux_plan *plan, uint32_t u, uint32_t v)
{
    return plan->start[u] != plan->start[v] ? plan->start[u] < plan->start[v] : u < v;
}

void flux_formulation_point(const struct flux_formulation *formulation, const struct flux_plan *plan, double *values)
{
    for (uint32_t j = 0; j < formulation->milp.columns; j++) {
        const struct flux_meaning *meaning = &formulation->column_meaning[j];
        values[j] = 0;
        if (meaning->kind == FLUX_MEANS_START)
            values[j] = flux_formulation_value(formulation, plan->start[meaning->a]);
        else if (meaning->kind == FLUX_MEANS_MAKESPAN)
            values[j] = flux_formulation_value(formulation, plan->makespan);
        else if (meaning->kind == FLUX_MEANS_SWITCH)
            values[j] = plan->switch_of[meaning->a] == meaning->k;
        else if (meaning->kind == FLUX_MEANS_ORDER)
            values[j] = goes_before(plan, meaning->a, meaning->b);
    }
}
