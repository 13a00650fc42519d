/* SPDX-License-Identifier: Apache-2.0 */
#include "schedule/program.h"

uint64_t flux_program_rows(const struct flux_audit *audit)
{
    uint64_t rows = 0;
    for (uint32_t i = 0; i < audit->tenures; i++)
        rows += audit->tenure[i].sends > 0;
    return rows;
}

static int64_t up_time(const struct flux_audit *audit, const struct flux_tenure *tenure)
{
    return tenure->changed ? tenure->begin + flux_fabric_delay(audit->fabric, tenure->switch_index) : 0;
}

static struct flux_circuit circuit_of(const struct flux_audit *audit, const struct flux_tenure *tenure)
{
    return (struct flux_circuit){
        .switch_index = tenure->switch_index,
        .src = tenure->src,
        .dst = tenure->dst,
        .sends = tenure->sends,
        .changed = tenure->changed,
        .begin = tenure->changed ? tenure->begin : 0,
        .up = up_time(audit, tenure),
        .down = flux_audit_tenure_end(audit, tenure),
    };
}

int flux_program_write(const struct flux_audit *audit, struct flux_circuit *rows, uint32_t *tenures, uint64_t *changes)
{
    struct flux_arena scratch;
    uint64_t written = 0;
    flux_arena_init(&scratch, audit->arena.memory);
    struct flux_keyed *keyed = flux_arena_alloc(&scratch, audit->tenures, sizeof *keyed);
    struct flux_keyed *spare = flux_arena_alloc(&scratch, audit->tenures, sizeof *spare);
    *changes = 0;
    for (uint32_t k = 0; keyed && spare && k < audit->switches; k++) {
        uint64_t count = 0;
        for (uint32_t i = audit->tenure_first[k]; i < audit->tenure_first[k + 1]; i++)
            if (audit->tenure[i].sends)
                keyed[count++] = (struct flux_keyed){audit->tenure[i].src, i, 0};
        flux_radix_sort(keyed, spare, count);
        for (uint64_t i = 0; i < count; i++)
            keyed[i].key = (uint64_t)up_time(audit, &audit->tenure[keyed[i].item]);
        flux_radix_sort(keyed, spare, count);
        for (uint64_t i = 0; i < count; i++) {
            const struct flux_tenure *tenure = &audit->tenure[keyed[i].item];
            if (tenures)
                tenures[written] = keyed[i].item;
            rows[written++] = circuit_of(audit, tenure);
            *changes += tenure->changed;
        }
    }
    flux_arena_free(&scratch);
    return keyed && spare ? FLUX_OK : FLUX_E_MEMORY;
}
