/* SPDX-License-Identifier: Apache-2.0 */
#include <libflux/demand.h>
#include <stdio.h>

int main(void)
{
    static const int64_t demand[9] = {0, 500, 0, 0, 0, 700, 300, 0, 0};
    struct flux_demand_plan *plan;
    struct flux_error error;
    uint64_t count;

    if (flux_demand_schedule(NULL, 3, demand, 2, 10, FLUX_DEMAND_BEST, &plan,
                             &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    const struct flux_demand_state *state =
        flux_demand_plan_states(plan, &count);
    for (uint64_t i = 0; i < count; i++)
        printf("switch %u from %lld for %lld ps\n", state[i].switch_index,
               (long long)state[i].start, (long long)state[i].time);
    flux_demand_plan_free(plan);
    return 0;
}
