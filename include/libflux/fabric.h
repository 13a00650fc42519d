/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/fabric.h - the switches: how fast, how slow to change, and what shares a port. Stable.
 *
 * Every GPU has one port on each switch. A switch is an n x n crossbar whose state is a set of circuits. Two sends on
 * one switch relate by the circuit rule:
 *
 *   rule      compete when                                        separation when they compete
 *   PAPER     they share any endpoint                             0 for the same ordered pair, else the delay
 *   DUPLEX    they share any endpoint and are not the two         0 for the same unordered pair, else the delay
 *             directions of one pair (those never compete)
 *   SIMPLEX   they share the source, or share the destination     0 for the same ordered pair, else the delay
 *
 * Competing sends never overlap, and the later one starts at least the separation after the end of the earlier. The
 * first circuit of a port costs nothing, unless an initial circuit is there.
 *
 * A new fabric: rule PAPER, 800 Gbps on every port, delay 0, blocking PORT, dwell 0, no propagation delay, no dead
 * port, no forbidden and no initial circuit. Thread rule: as for a graph.
 */
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

#define FLUX_BLOCKING_PORT 0   /* a change darkens the ports that change */
#define FLUX_BLOCKING_SWITCH 1 /* a change darkens the whole switch */

struct flux_fabric;

/* `gpus` is 1 .. FLUX_GPUS_MAX, `switches` 1 .. FLUX_SWITCHES_MAX. `env` may be NULL; it is copied.
 * Errors: ARGUMENT, ABI, MEMORY. Since 0.1. */
FLUX_API int flux_fabric_new(const struct flux_env *env, uint32_t gpus, uint32_t switches,
                             struct flux_fabric **fabric);
FLUX_API void flux_fabric_free(struct flux_fabric *fabric); /* NULL is fine */

/* One of FLUX_RULE_*. Errors: ARGUMENT. */
FLUX_API int flux_fabric_set_rule(struct flux_fabric *fabric, uint32_t rule);

/* Bits per second of a port, at least 1. A send runs at the smaller of its two ports' rates. FLUX_ALL_GPUS and
 * FLUX_ALL_SWITCHES set many at once. Errors: ARGUMENT, MEMORY. */
FLUX_API int flux_fabric_set_rate(struct flux_fabric *fabric, uint32_t gpu, uint32_t switch_index, uint64_t rate);

/* Time to change a circuit. `switch_index` may be FLUX_ALL_SWITCHES here and below. Errors: ARGUMENT. */
FLUX_API int flux_fabric_set_delay(struct flux_fabric *fabric, uint32_t switch_index, int64_t delay);

/* One of FLUX_BLOCKING_*. With SWITCH and a delay above 0, no send is under way on that switch while any of its
 * circuits changes; circuits may change together. Errors: ARGUMENT. */
FLUX_API int flux_fabric_set_blocking(struct flux_fabric *fabric, uint32_t switch_index, uint32_t blocking);

/* Two changes of one switch begin at the same time or at least `dwell` apart. Errors: ARGUMENT. */
FLUX_API int flux_fabric_set_dwell(struct flux_fabric *fabric, uint32_t switch_index, int64_t dwell);

/* A dead port carries no circuit. `dead` is 0 or 1. Errors: ARGUMENT, MEMORY. */
FLUX_API int flux_fabric_set_dead(struct flux_fabric *fabric, uint32_t gpu, uint32_t switch_index, uint32_t dead);

/* A circuit that `switch_index` cannot set up; under DUPLEX in both directions. `forbidden` is 0 or 1.
 * Errors: ARGUMENT, MEMORY. */
FLUX_API int flux_fabric_set_forbidden(struct flux_fabric *fabric, uint32_t switch_index, uint32_t src, uint32_t dst,
                                       uint32_t forbidden);

/* A circuit that is up at time 0: a first send of another circuit on its ports waits for the delay. Two initial
 * circuits of one switch must not compete (found by flux_schedule()). Errors: ARGUMENT, MEMORY. */
FLUX_API int flux_fabric_add_initial(struct flux_fabric *fabric, uint32_t switch_index, uint32_t src, uint32_t dst);

/* How long light travels from `src` to `dst`: whatever waits for a send at another GPU than its source starts at least
 * this long after the send's end; the ports are free at the end. Either may be FLUX_ALL_GPUS; the last call for a pair
 * wins. Errors: ARGUMENT, MEMORY. */
FLUX_API int flux_fabric_set_propagation(struct flux_fabric *fabric, uint32_t src, uint32_t dst, int64_t time);

/* Everything can be read back. Frozen rows; pointers live until the fabric changes. An index out of range reads 0. */
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

/* What the propagation of a pair follows from, in an order in which flux_fabric_set_propagation() makes the same fabric
 * again: first the time of all pairs (always there), then rules for one GPU and all others, then single pairs. Of the
 * rules that cover a pair the last one counts. Frozen row. Errors: ARGUMENT. Since 0.1. */
struct flux_propagation {
    uint32_t src; /* FLUX_ALL_GPUS: any */
    uint32_t dst;
    int64_t time;
};

FLUX_API uint64_t flux_fabric_propagation_rules(const struct flux_fabric *fabric);
FLUX_API int flux_fabric_propagation_rule(const struct flux_fabric *fabric, uint64_t index,
                                          struct flux_propagation *rule);

/* How long a send of `bytes` takes from `src` to `dst` on a switch: ceil(bytes * 8 * 10^12 / rate), at least 1 ps.
 * Errors: ARGUMENT, OVERFLOW (beyond FLUX_TIME_MAX). Since 0.1. */
FLUX_API int flux_fabric_duration(const struct flux_fabric *fabric, uint32_t switch_index, uint32_t src, uint32_t dst,
                                  uint64_t bytes, int64_t *duration);

FLUX_END_DECLS
#endif
