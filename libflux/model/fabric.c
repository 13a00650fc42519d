/* SPDX-License-Identifier: Apache-2.0 */
#include "model/fabric.h"

#include "base/wide.h"

#include <string.h>

int flux_fabric_new(const struct flux_env *env, uint32_t gpus, uint32_t switches, struct flux_fabric **fabric)
{
    struct flux_memory memory;
    if (!fabric)
        return FLUX_E_ARGUMENT;
    *fabric = NULL;
    if (gpus < 1 || gpus > FLUX_GPUS_MAX || switches < 1 || switches > FLUX_SWITCHES_MAX)
        return FLUX_E_ARGUMENT;
    int rc = flux_memory_init(&memory, env);
    if (rc)
        return rc;
    struct flux_fabric *fresh = flux_alloc_zero(&memory, 1, sizeof *fresh);
    struct flux_switch *by_switch = flux_alloc_zero(&memory, switches, sizeof *by_switch);
    if (!fresh || !by_switch) {
        flux_release(&memory, fresh, 1, sizeof *fresh);
        flux_release(&memory, by_switch, switches, sizeof *by_switch);
        return FLUX_E_MEMORY;
    }
    fresh->memory = memory;
    fresh->gpus = gpus;
    fresh->switches = switches;
    fresh->rate = FLUX_RATE_DEFAULT;
    fresh->by_switch = by_switch;
    *fabric = fresh;
    return FLUX_OK;
}

static uint64_t ports(const struct flux_fabric *fabric)
{
    return (uint64_t)fabric->gpus * fabric->switches;
}

void flux_fabric_free(struct flux_fabric *fabric)
{
    if (!fabric)
        return;
    struct flux_memory memory = fabric->memory;
    flux_release(&memory, fabric->rates, ports(fabric), sizeof *fabric->rates);
    flux_release(&memory, fabric->dead, ports(fabric), sizeof *fabric->dead);
    flux_release(&memory, fabric->by_switch, fabric->switches, sizeof *fabric->by_switch);
    flux_release(&memory, fabric->forbidden, fabric->forbidden_capacity, sizeof *fabric->forbidden);
    flux_release(&memory, fabric->initial, fabric->initial_capacity, sizeof *fabric->initial);
    flux_release(&memory, fabric->pairs, fabric->pair_capacity, sizeof *fabric->pairs);
    flux_release(&memory, fabric->wildcards, fabric->wildcard_capacity, sizeof *fabric->wildcards);
    flux_release(&memory, fabric, 1, sizeof *fabric);
}

static int has_gpu(const struct flux_fabric *fabric, uint32_t gpu)
{
    return fabric && gpu < fabric->gpus;
}

static int has_switch(const struct flux_fabric *fabric, uint32_t k)
{
    return fabric && k < fabric->switches;
}

static int is_time(int64_t time)
{
    return time >= 0 && time <= FLUX_TIME_MAX;
}

/* The switches that an argument means: *begin .. *end - 1. */
static int switch_range(const struct flux_fabric *fabric, uint32_t k, uint32_t *begin, uint32_t *end)
{
    if (!fabric || (k != FLUX_ALL_SWITCHES && k >= fabric->switches))
        return FLUX_E_ARGUMENT;
    *begin = k == FLUX_ALL_SWITCHES ? 0 : k;
    *end = k == FLUX_ALL_SWITCHES ? fabric->switches : k + 1;
    return FLUX_OK;
}

int flux_fabric_set_rule(struct flux_fabric *fabric, uint32_t rule)
{
    if (!fabric || rule > FLUX_RULE_SIMPLEX)
        return FLUX_E_ARGUMENT;
    fabric->rule = rule;
    return FLUX_OK;
}

int flux_fabric_set_rate(struct flux_fabric *fabric, uint32_t gpu, uint32_t switch_index, uint64_t rate)
{
    uint32_t begin, end;
    if (switch_range(fabric, switch_index, &begin, &end) || rate < 1 || (gpu != FLUX_ALL_GPUS && gpu >= fabric->gpus))
        return FLUX_E_ARGUMENT;
    if (gpu == FLUX_ALL_GPUS && switch_index == FLUX_ALL_SWITCHES) {
        flux_release(&fabric->memory, fabric->rates, ports(fabric), sizeof *fabric->rates);
        fabric->rates = NULL;
        fabric->rate = rate;
        return FLUX_OK;
    }
    if (!fabric->rates) {
        fabric->rates = flux_alloc(&fabric->memory, ports(fabric), sizeof *fabric->rates);
        if (!fabric->rates)
            return FLUX_E_MEMORY;
        for (uint64_t i = 0; i < ports(fabric); i++)
            fabric->rates[i] = fabric->rate;
    }
    uint32_t gpu_begin = gpu == FLUX_ALL_GPUS ? 0 : gpu;
    uint32_t gpu_end = gpu == FLUX_ALL_GPUS ? fabric->gpus : gpu + 1;
    for (uint32_t g = gpu_begin; g < gpu_end; g++)
        for (uint32_t k = begin; k < end; k++)
            fabric->rates[(uint64_t)g * fabric->switches + k] = rate;
    return FLUX_OK;
}

int flux_fabric_set_delay(struct flux_fabric *fabric, uint32_t switch_index, int64_t delay)
{
    uint32_t begin, end;
    if (switch_range(fabric, switch_index, &begin, &end) || !is_time(delay))
        return FLUX_E_ARGUMENT;
    for (uint32_t k = begin; k < end; k++)
        fabric->by_switch[k].delay = delay;
    return FLUX_OK;
}

int flux_fabric_set_blocking(struct flux_fabric *fabric, uint32_t switch_index, uint32_t blocking)
{
    uint32_t begin, end;
    if (switch_range(fabric, switch_index, &begin, &end) || blocking > FLUX_BLOCKING_SWITCH)
        return FLUX_E_ARGUMENT;
    for (uint32_t k = begin; k < end; k++)
        fabric->by_switch[k].blocking = blocking;
    return FLUX_OK;
}

int flux_fabric_set_dwell(struct flux_fabric *fabric, uint32_t switch_index, int64_t dwell)
{
    uint32_t begin, end;
    if (switch_range(fabric, switch_index, &begin, &end) || !is_time(dwell))
        return FLUX_E_ARGUMENT;
    for (uint32_t k = begin; k < end; k++)
        fabric->by_switch[k].dwell = dwell;
    return FLUX_OK;
}

int flux_fabric_set_dead(struct flux_fabric *fabric, uint32_t gpu, uint32_t switch_index, uint32_t dead)
{
    uint32_t begin, end;
    if (switch_range(fabric, switch_index, &begin, &end) || !has_gpu(fabric, gpu) || dead > 1)
        return FLUX_E_ARGUMENT;
    if (!fabric->dead) {
        fabric->dead = flux_alloc_zero(&fabric->memory, ports(fabric), sizeof *fabric->dead);
        if (!fabric->dead)
            return FLUX_E_MEMORY;
    }
    for (uint32_t k = begin; k < end; k++)
        fabric->dead[(uint64_t)gpu * fabric->switches + k] = (uint8_t)dead;
    return FLUX_OK;
}

static int compare_circuits(const struct flux_circuit_name *a, const struct flux_circuit_name *b)
{
    if (a->switch_index != b->switch_index)
        return a->switch_index < b->switch_index ? -1 : 1;
    if (a->src != b->src)
        return a->src < b->src ? -1 : 1;
    if (a->dst != b->dst)
        return a->dst < b->dst ? -1 : 1;
    return 0;
}

/* Where `name` is or would be among the forbidden circuits; 1 in *found where it is there. */
static uint64_t find_forbidden(const struct flux_fabric *fabric, const struct flux_circuit_name *name, int *found)
{
    uint64_t low = 0, high = fabric->forbidden_count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (compare_circuits(&fabric->forbidden[middle], name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *found = low < fabric->forbidden_count && compare_circuits(&fabric->forbidden[low], name) == 0;
    return low;
}

int flux_fabric_set_forbidden(struct flux_fabric *fabric, uint32_t switch_index, uint32_t src, uint32_t dst,
                              uint32_t forbidden)
{
    if (!has_switch(fabric, switch_index) || !has_gpu(fabric, src) || !has_gpu(fabric, dst) || src == dst ||
        forbidden > 1)
        return FLUX_E_ARGUMENT;
    struct flux_circuit_name name = {switch_index, src, dst};
    int found;
    uint64_t at = find_forbidden(fabric, &name, &found);
    if (found == (int)forbidden)
        return FLUX_OK;
    uint64_t behind = fabric->forbidden_count - at;
    if (found) {
        memmove(&fabric->forbidden[at], &fabric->forbidden[at + 1], (size_t)(behind - 1) * sizeof name);
        fabric->forbidden_count--;
        return FLUX_OK;
    }
    if (flux_grow(&fabric->memory, &fabric->forbidden, &fabric->forbidden_capacity, fabric->forbidden_count + 1,
                  sizeof name))
        return FLUX_E_MEMORY;
    memmove(&fabric->forbidden[at + 1], &fabric->forbidden[at], (size_t)behind * sizeof name);
    fabric->forbidden[at] = name;
    fabric->forbidden_count++;
    return FLUX_OK;
}

int flux_fabric_add_initial(struct flux_fabric *fabric, uint32_t switch_index, uint32_t src, uint32_t dst)
{
    if (!has_switch(fabric, switch_index) || !has_gpu(fabric, src) || !has_gpu(fabric, dst) || src == dst)
        return FLUX_E_ARGUMENT;
    if (flux_grow(&fabric->memory, &fabric->initial, &fabric->initial_capacity, fabric->initial_count + 1,
                  sizeof *fabric->initial))
        return FLUX_E_MEMORY;
    fabric->initial[fabric->initial_count++] = (struct flux_circuit_name){switch_index, src, dst};
    return FLUX_OK;
}

static uint64_t find_pair(const struct flux_fabric *fabric, uint32_t src, uint32_t dst, int *found)
{
    uint64_t low = 0, high = fabric->pair_count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        const struct flux_propagation *pair = &fabric->pairs[middle];
        if (pair->src < src || (pair->src == src && pair->dst < dst))
            low = middle + 1;
        else
            high = middle;
    }
    *found = low < fabric->pair_count && fabric->pairs[low].src == src && fabric->pairs[low].dst == dst;
    return low;
}

/* A one-sided rule overrides the exact pairs that it covers. */
static int set_wildcard(struct flux_fabric *fabric, const struct flux_propagation *rule)
{
    if (flux_grow(&fabric->memory, &fabric->wildcards, &fabric->wildcard_capacity, fabric->wildcard_count + 1,
                  sizeof *rule))
        return FLUX_E_MEMORY;
    uint64_t kept = 0;
    for (uint64_t i = 0; i < fabric->pair_count; i++)
        if (rule->src == FLUX_ALL_GPUS ? fabric->pairs[i].dst != rule->dst : fabric->pairs[i].src != rule->src)
            fabric->pairs[kept++] = fabric->pairs[i];
    fabric->pair_count = kept;
    fabric->wildcards[fabric->wildcard_count++] = *rule;
    return FLUX_OK;
}

int flux_fabric_set_propagation(struct flux_fabric *fabric, uint32_t src, uint32_t dst, int64_t time)
{
    if (!fabric || (src != FLUX_ALL_GPUS && src >= fabric->gpus) || (dst != FLUX_ALL_GPUS && dst >= fabric->gpus) ||
        !is_time(time) || (src == dst && src != FLUX_ALL_GPUS))
        return FLUX_E_ARGUMENT;
    struct flux_propagation rule = {src, dst, time};
    if (src == FLUX_ALL_GPUS && dst == FLUX_ALL_GPUS) {
        fabric->propagation = time;
        fabric->pair_count = fabric->wildcard_count = 0;
        return FLUX_OK;
    }
    if (src == FLUX_ALL_GPUS || dst == FLUX_ALL_GPUS)
        return set_wildcard(fabric, &rule);
    int found;
    uint64_t at = find_pair(fabric, src, dst, &found);
    if (!found) {
        if (flux_grow(&fabric->memory, &fabric->pairs, &fabric->pair_capacity, fabric->pair_count + 1, sizeof rule))
            return FLUX_E_MEMORY;
        memmove(&fabric->pairs[at + 1], &fabric->pairs[at], (size_t)(fabric->pair_count - at) * sizeof rule);
        fabric->pair_count++;
    }
    fabric->pairs[at] = rule;
    return FLUX_OK;
}

uint32_t flux_fabric_gpus(const struct flux_fabric *fabric)
{
    return fabric ? fabric->gpus : 0;
}

uint32_t flux_fabric_switches(const struct flux_fabric *fabric)
{
    return fabric ? fabric->switches : 0;
}

uint32_t flux_fabric_rule(const struct flux_fabric *fabric)
{
    return fabric ? fabric->rule : 0;
}

uint64_t flux_fabric_rate(const struct flux_fabric *fabric, uint32_t gpu, uint32_t switch_index)
{
    if (!has_gpu(fabric, gpu) || !has_switch(fabric, switch_index))
        return 0;
    return fabric->rates ? fabric->rates[(uint64_t)gpu * fabric->switches + switch_index] : fabric->rate;
}

int64_t flux_fabric_delay(const struct flux_fabric *fabric, uint32_t switch_index)
{
    return has_switch(fabric, switch_index) ? fabric->by_switch[switch_index].delay : 0;
}

uint32_t flux_fabric_blocking(const struct flux_fabric *fabric, uint32_t switch_index)
{
    return has_switch(fabric, switch_index) ? fabric->by_switch[switch_index].blocking : 0;
}

int64_t flux_fabric_dwell(const struct flux_fabric *fabric, uint32_t switch_index)
{
    return has_switch(fabric, switch_index) ? fabric->by_switch[switch_index].dwell : 0;
}

uint32_t flux_fabric_dead(const struct flux_fabric *fabric, uint32_t gpu, uint32_t switch_index)
{
    if (!has_gpu(fabric, gpu) || !has_switch(fabric, switch_index) || !fabric->dead)
        return 0;
    return fabric->dead[(uint64_t)gpu * fabric->switches + switch_index];
}

uint32_t flux_fabric_is_forbidden(const struct flux_fabric *fabric, uint32_t switch_index, uint32_t src, uint32_t dst)
{
    if (!fabric || fabric->forbidden_count == 0)
        return 0;
    struct flux_circuit_name name = {switch_index, src, dst};
    int found;
    find_forbidden(fabric, &name, &found);
    if (!found && fabric->rule == FLUX_RULE_DUPLEX) {
        name.src = dst;
        name.dst = src;
        find_forbidden(fabric, &name, &found);
    }
    return (uint32_t)found;
}

const struct flux_circuit_name *flux_fabric_forbidden(const struct flux_fabric *fabric, uint64_t *count)
{
    if (count)
        *count = fabric ? fabric->forbidden_count : 0;
    return fabric ? fabric->forbidden : NULL;
}

const struct flux_circuit_name *flux_fabric_initial(const struct flux_fabric *fabric, uint64_t *count)
{
    if (count)
        *count = fabric ? fabric->initial_count : 0;
    return fabric ? fabric->initial : NULL;
}

int64_t flux_fabric_propagation(const struct flux_fabric *fabric, uint32_t src, uint32_t dst)
{
    int found;
    if (!has_gpu(fabric, src) || !has_gpu(fabric, dst) || src == dst)
        return 0;
    uint64_t at = find_pair(fabric, src, dst, &found);
    if (found)
        return fabric->pairs[at].time;
    for (uint64_t i = fabric->wildcard_count; i-- > 0;)
        if (fabric->wildcards[i].src == src || fabric->wildcards[i].dst == dst)
            return fabric->wildcards[i].time;
    return fabric->propagation;
}

uint64_t flux_fabric_propagation_rules(const struct flux_fabric *fabric)
{
    return fabric ? 1 + fabric->wildcard_count + fabric->pair_count : 0;
}

int flux_fabric_propagation_rule(const struct flux_fabric *fabric, uint64_t index, struct flux_propagation *rule)
{
    if (!fabric || !rule || index >= flux_fabric_propagation_rules(fabric))
        return FLUX_E_ARGUMENT;
    if (index == 0)
        *rule = (struct flux_propagation){FLUX_ALL_GPUS, FLUX_ALL_GPUS, fabric->propagation};
    else if (index <= fabric->wildcard_count)
        *rule = fabric->wildcards[index - 1];
    else
        *rule = fabric->pairs[index - 1 - fabric->wildcard_count];
    return FLUX_OK;
}

int flux_fabric_duration(const struct flux_fabric *fabric, uint32_t switch_index, uint32_t src, uint32_t dst,
                         uint64_t bytes, int64_t *duration)
{
    if (!has_switch(fabric, switch_index) || !has_gpu(fabric, src) || !has_gpu(fabric, dst) || !duration || bytes == 0)
        return FLUX_E_ARGUMENT;
    uint64_t out = flux_fabric_rate(fabric, src, switch_index);
    uint64_t in = flux_fabric_rate(fabric, dst, switch_index);
    int64_t time = flux_transfer_time(bytes, out < in ? out : in);
    *duration = time < 0 ? 0 : time;
    return time < 0 ? FLUX_E_OVERFLOW : FLUX_OK;
}
