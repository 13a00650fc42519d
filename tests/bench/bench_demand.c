/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_demand KIND PORTS SWITCHES DELAY_PPM SEEDS: one JSON line per algorithm, means over the seeds 1 .. SEEDS of
 * makespan over bound, states and milliseconds of processor time. The delay is in parts per million of a line.
 */
#include <libflux/demand.h>
#include <libflux/graph.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

int main(int argc, char **argv)
{
    struct flux_demand_generator options = FLUX_DEMAND_GENERATOR_INIT;
    double ratio[64] = {0}, worst[64] = {0}, states[64] = {0}, spent[64] = {0};
    if (argc != 6)
        return 2;
    options.kind = (uint32_t)atoi(argv[1]);
    options.ports = (uint32_t)atoi(argv[2]);
    options.line = FLUX_MS;
    uint32_t switches = (uint32_t)atoi(argv[3]), seeds = (uint32_t)atoi(argv[5]);
    int64_t delay = atoll(argv[4]) * (FLUX_MS / 1000000);
    int64_t *demand = calloc((size_t)options.ports * options.ports, sizeof *demand);
    if (!demand)
        return 1;
    for (options.seed = 1; options.seed <= seeds; options.seed++) {
        if (flux_demand_generate(NULL, &options, demand, NULL))
            return 1;
        for (uint32_t a = 1; *flux_demand_name(a); a++) {
            struct flux_demand_plan *plan;
            struct flux_error error;
            double begin = now();
            if (flux_demand_schedule(NULL, options.ports, demand, switches, delay, a, &plan, &error)) {
                fprintf(stderr, "%s: %s\n", flux_demand_name(a), error.text);
                return 1;
            }
            spent[a] += now() - begin;
            uint64_t count;
            flux_demand_plan_states(plan, &count);
            double r = (double)flux_demand_plan_makespan(plan) / (double)flux_demand_plan_bound(plan);
            ratio[a] += r;
            worst[a] = r > worst[a] ? r : worst[a];
            states[a] += (double)count;
            flux_demand_plan_free(plan);
        }
    }
    for (uint32_t a = 1; *flux_demand_name(a); a++)
        printf("{\"algorithm\": \"%s\", \"ratio\": %.4f, \"worst\": %.4f, \"states\": %.1f, \"ms\": %.3f}\n",
               flux_demand_name(a), ratio[a] / seeds, worst[a], states[a] / seeds, spent[a] / seeds);
    free(demand);
    return 0;
}
