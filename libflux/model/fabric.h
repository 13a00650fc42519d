/* SPDX-License-Identifier: Apache-2.0
 *
 * model/fabric.h - inside of the user's fabric.
 */
#ifndef FLUX_MODEL_FABRIC_H
#define FLUX_MODEL_FABRIC_H

#include "base/memory.h"

#include <libflux/fabric.h>

struct flux_switch {
    int64_t delay;
    int64_t dwell;
    uint32_t blocking;
    uint32_t padding;
};

struct flux_fabric {
    struct flux_memory memory;
    uint32_t gpus;
    uint32_t switches;
    uint32_t rule;
    uint64_t rate;         /* of every port while `rates` is NULL */
    uint64_t *rates;       /* by GPU and switch (gpu * switches + k) */
    uint8_t *dead;         /* by GPU and switch; NULL: none */
    struct flux_switch *by_switch;
    struct flux_circuit_name *forbidden; /* sorted by switch, src, dst */
    uint64_t forbidden_count;
    uint64_t forbidden_capacity;
    struct flux_circuit_name *initial;
    uint64_t initial_count;
    uint64_t initial_capacity;
    int64_t propagation;               /* of every pair without an exception */
    struct flux_propagation *pairs;    /* exact pairs, sorted by src, dst */
    uint64_t pair_count;
    uint64_t pair_capacity;
    struct flux_propagation *wildcards; /* one-sided ones, in order of the calls */
    uint64_t wildcard_count;
    uint64_t wildcard_capacity;
};

#endif
