/* SPDX-License-Identifier: Apache-2.0 */
#include "schedule/ports.h"

#include "base/fail.h"

#include <inttypes.h>

int flux_ports_open(struct flux_audit *audit, struct flux_ports *ports)
{
    uint64_t gpus = flux_fabric_gpus(audit->fabric);
    uint64_t count = audit->rule == FLUX_RULE_SIMPLEX ? 2 * gpus : gpus;
    ports->transmit = flux_arena_alloc(&audit->arena, count, sizeof *ports->transmit);
    if (!ports->transmit)
        return flux_fail_memory(audit->error);
    ports->receive = ports->transmit + (count - gpus);
    for (uint64_t i = 0; i < count; i++)
        ports->transmit[i] = FLUX_NONE;
    return FLUX_OK;
}

void flux_ports_clear(const struct flux_audit *audit, const struct flux_ports *ports, uint32_t first)
{
    for (uint32_t i = first; i < audit->tenures; i++) {
        ports->transmit[audit->tenure[i].src] = FLUX_NONE;
        ports->receive[audit->tenure[i].dst] = FLUX_NONE;
    }
}

int flux_ports_same_circuit(const struct flux_audit *audit, const struct flux_tenure *tenure, uint32_t src,
                            uint32_t dst)
{
    if (tenure->src == src && tenure->dst == dst)
        return 1;
    return audit->rule == FLUX_RULE_DUPLEX && tenure->src == dst && tenure->dst == src;
}

uint32_t flux_ports_take(struct flux_audit *audit, const struct flux_ports *ports, uint32_t k, uint32_t src,
                         uint32_t dst)
{
    audit->tenure[audit->tenures] = (struct flux_tenure){
        .switch_index = k, .src = src, .dst = dst, .first = FLUX_NONE, .last = {FLUX_NONE, FLUX_NONE}};
    ports->transmit[src] = ports->receive[dst] = audit->tenures;
    return audit->tenures++;
}

/* Under DUPLEX the two directions of one pair are one light path, and may both be named; nothing else may share. */
static int share_initial(const struct flux_audit *audit, struct flux_tenure *tenure, const struct flux_circuit_name *up)
{
    if (audit->rule != FLUX_RULE_DUPLEX || tenure->src != up->dst || tenure->dst != up->src || tenure->both)
        return 0;
    tenure->both = 1;
    return 1;
}

int flux_ports_start(struct flux_audit *audit, const struct flux_ports *ports, uint32_t k, uint64_t *next)
{
    const struct flux_circuit_name *initial = flux_fabric_initial(audit->fabric, NULL);
    for (; *next < audit->initial_count && audit->initials[*next].key == k; ++*next) {
        const struct flux_circuit_name *up = &initial[audit->initials[*next].item];
        uint32_t there = ports->transmit[up->src];
        if (there == FLUX_NONE)
            there = ports->receive[up->dst];
        if (there == FLUX_NONE) {
            flux_ports_take(audit, ports, k, up->src, up->dst);
            continue;
        }
        struct flux_tenure *other = &audit->tenure[there];
        if (!share_initial(audit, other, up))
            return flux_fail(audit->error, FLUX_E_MISMATCH,
                             "the initial circuits %" PRIu32 " to %" PRIu32 " and %" PRIu32 " to %" PRIu32
                             " of switch %" PRIu32 " share a port: leave one out",
                             other->src, other->dst, up->src, up->dst, k);
    }
    return FLUX_OK;
}

/* Initial circuits by switch, in the order given, and room for all tenures there can be. */
static int sort_initials(struct flux_audit *audit)
{
    uint64_t count;
    const struct flux_circuit_name *initial = flux_fabric_initial(audit->fabric, &count);
    if (count + audit->sends >= FLUX_NONE)
        return flux_fail(audit->error, FLUX_E_MEMORY, "more than 2^32 - 2 sends and initial circuits");
    struct flux_keyed *spare = flux_arena_alloc(&audit->arena, count, sizeof *spare);
    audit->initials = flux_arena_alloc(&audit->arena, count, sizeof *audit->initials);
    audit->tenure = flux_arena_alloc(&audit->arena, count + audit->sends, sizeof *audit->tenure);
    if (!spare || !audit->initials || !audit->tenure)
        return flux_fail_memory(audit->error);
    for (uint64_t i = 0; i < count; i++)
        audit->initials[i] = (struct flux_keyed){initial[i].switch_index, (uint32_t)i, 0};
    audit->initial_count = count;
    flux_radix_sort(audit->initials, spare, count);
    return FLUX_OK;
}

int flux_audit_initials(struct flux_audit *audit)
{
    struct flux_ports ports;
    uint64_t next = 0;
    int rc = sort_initials(audit);
    if (rc || audit->initial_count == 0)
        return rc;
    rc = flux_ports_open(audit, &ports);
    for (uint32_t k = 0; !rc && k < audit->switches; k++) {
        audit->tenures = 0;
        rc = flux_ports_start(audit, &ports, k, &next);
        flux_ports_clear(audit, &ports, 0);
    }
    audit->tenures = 0;
    return rc;
}
