/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIBFLUX_DEMAND_H
#define LIBFLUX_DEMAND_H
#include <libflux/env.h>
#include <libflux/error.h>
FLUX_BEGIN_DECLS
#define FLUX_DEMAND_PORTS_MAX 4096
#define FLUX_DEMAND_BVN 1
#define FLUX_DEMAND_BOTTLENECK 2
#define FLUX_DEMAND_SOLSTICE 3
#define FLUX_DEMAND_ECLIPSE 4
#define FLUX_DEMAND_SPECTRA 5
#define FLUX_DEMAND_FIRST_FIT 6
#define FLUX_DEMAND_BEST 7
#define FLUX_DEMAND_SUNFLOW 8
struct flux_demand_state {
    uint32_t switch_index;
    uint32_t matching;
    int64_t start;
    int64_t time;
};
struct flux_demand_circuit {
    uint32_t switch_index;
    uint32_t src;
    uint32_t dst;
    uint32_t reserved;
    int64_t start;
    int64_t time;
};
struct flux_demand_plan;
FLUX_API int flux_demand_schedule(const struct flux_env *env, uint32_t ports, const int64_t *demand, uint32_t switches,
                                  int64_t delay, uint32_t algorithm, struct flux_demand_plan **plan,
                                  struct flux_error *error);
FLUX_API void flux_demand_plan_free(struct flux_demand_plan *plan);
FLUX_API int64_t flux_demand_plan_makespan(const struct flux_demand_plan *plan);
FLUX_API int64_t flux_demand_plan_bound(const struct flux_demand_plan *plan);
FLUX_API uint32_t flux_demand_plan_algorithm(const struct flux_demand_plan *plan);
FLUX_API uint32_t
flux_demand_plan_requested(const struct flux_demand_plan *plan);
FLUX_API uint64_t flux_demand_plan_matchings(const struct flux_demand_plan *plan);
FLUX_API const uint32_t *flux_demand_plan_matching(const struct flux_demand_plan *plan, uint64_t index);
FLUX_API const struct flux_demand_state *flux_demand_plan_states(const struct flux_demand_plan *plan, uint64_t *count);
FLUX_API const struct flux_demand_circuit *flux_demand_plan_circuits(const struct flux_demand_plan *plan,
                                                                     uint64_t *count);
FLUX_API uint64_t flux_demand_plan_configurations(const struct flux_demand_plan *plan);
#define FLUX_DEMAND_STANDARD 1
#define FLUX_DEMAND_MOE_MULTINOMIAL 2
#define FLUX_DEMAND_MOE_LOGNORMAL 3
#define FLUX_DEMAND_MOE_PAIRS 4
struct flux_demand_generator {
    uint64_t size;
    uint32_t kind;
    uint32_t ports;
    uint64_t seed;
    int64_t line;
    uint32_t heavy;
    uint32_t light;
    uint32_t heavy_ppm;
    uint32_t noise_ppm;
    uint32_t tokens;
    uint32_t top_k;
    uint32_t sigma_ppm;
    uint32_t reserved;
};
#define FLUX_DEMAND_GENERATOR_INIT { sizeof(struct flux_demand_generator), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
FLUX_API int flux_demand_generate(const struct flux_env *env, const struct flux_demand_generator *options,
                                  int64_t *demand, struct flux_error *error);
FLUX_API const char *flux_demand_name(uint32_t algorithm);
FLUX_API uint32_t flux_demand_find(const char *name);
FLUX_END_DECLS
#endif
