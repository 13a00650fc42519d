/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIBFLUX_FABRIC_H
#define LIBFLUX_FABRIC_H
#include <libflux/env.h>
#include <libflux/error.h>
FLUX_BEGIN_DECLS
#define FLUX_ALL_SWITCHES UINT32_MAX
#define FLUX_ALL_GPUS UINT32_MAX
#define FLUX_SWITCHES_MAX 1024
#define FLUX_RATE_DEFAULT UINT64_C(800000000000)
#define FLUX_RULE_PAPER 0
#define FLUX_RULE_DUPLEX 1
#define FLUX_RULE_SIMPLEX 2
#define FLUX_BLOCKING_PORT 0
#define FLUX_BLOCKING_SWITCH 1
struct flux_fabric;
FLUX_API int flux_fabric_new(const struct flux_env *env, uint32_t gpus, uint32_t switches,
                             struct flux_fabric **fabric);
FLUX_API void flux_fabric_free(struct flux_fabric *fabric);
FLUX_API int flux_fabric_set_rule(struct flux_fabric *fabric, uint32_t rule);
FLUX_API int flux_fabric_set_rate(struct flux_fabric *fabric, uint32_t gpu, uint32_t switch_index, uint64_t rate);
FLUX_API int flux_fabric_set_delay(struct flux_fabric *fabric, uint32_t switch_index, int64_t delay);
FLUX_API int flux_fabric_set_blocking(struct flux_fabric *fabric, uint32_t switch_index, uint32_t blocking);
FLUX_API int flux_fabric_set_dwell(struct flux_fabric *fabric, uint32_t switch_index, int64_t dwell);
FLUX_API int flux_fabric_set_dead(struct flux_fabric *fabric, uint32_t gpu, uint32_t switch_index, uint32_t dead);
FLUX_API int flux_fabric_set_forbidden(struct flux_fabric *fabric, uint32_t switch_index, uint32_t src, uint32_t dst,
                                       uint32_t forbidden);
FLUX_API int flux_fabric_add_initial(struct flux_fabric *fabric, uint32_t switch_index, uint32_t src, uint32_t dst);
FLUX_API int flux_fabric_set_propagation(struct flux_fabric *fabric, uint32_t src, uint32_t dst, int64_t time);
struct flux_circuit_name {
    uint32_t switch_index;
    uint32_t src;
    uint32_t dst;
};
FLUX_API uint32_t flux_fabric_gpus(const struct flux_fabric *fabric);
FLUX_API uint32_t flux_fabric_switches(const struct flux_fabric *fabric);
FLUX_API uint32_t flux_fabric_rule(const struct flux_fabric *fabric);
FLUX_API uint64_t flux_fabric_rate(const struct flux_fabric *fabric, uint32_t gpu, uint32_t switch_index);
FLUX_API int64_t flux_fabric_delay(const struct flux_fabric *fabric, uint32_t switch_index);
FLUX_API uint32_t flux_fabric_blocking(const struct flux_fabric *fabric, uint32_t switch_index);
FLUX_API int64_t flux_fabric_dwell(const struct flux_fabric *fabric, uint32_t switch_index);
FLUX_API uint32_t flux_fabric_dead(const struct flux_fabric *fabric, uint32_t gpu, uint32_t switch_index);
FLUX_API uint32_t flux_fabric_is_forbidden(const struct flux_fabric *fabric, uint32_t switch_index, uint32_t src,
                                           uint32_t dst);
FLUX_API const struct flux_circuit_name *flux_fabric_forbidden(const struct flux_fabric *fabric, uint64_t *count);
FLUX_API const struct flux_circuit_name *flux_fabric_initial(const struct flux_fabric *fabric, uint64_t *count);
FLUX_API int64_t flux_fabric_propagation(const struct flux_fabric *fabric, uint32_t src, uint32_t dst);
struct flux_propagation {
    uint32_t src;
    uint32_t dst;
    int64_t time;
};
FLUX_API uint64_t flux_fabric_propagation_rules(const struct flux_fabric *fabric);
FLUX_API int flux_fabric_propagation_rule(const struct flux_fabric *fabric, uint64_t index,
                                          struct flux_propagation *rule);
FLUX_API int flux_fabric_duration(const struct flux_fabric *fabric, uint32_t switch_index, uint32_t src, uint32_t dst,
                                  uint64_t bytes, int64_t *duration);
FLUX_END_DECLS
#endif
