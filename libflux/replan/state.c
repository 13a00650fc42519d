/* SPDX-License-Identifier: Apache-2.0
 *
 * replan/state.c - flux_schedule_state(): what a plan has done by some time, had everything gone as planned.
 */
#include "replan/holders.h"
#include "schedule/schedule.h"

#include <libflux/replan.h>

static void keep(struct flux_circuit_state *circuits, uint64_t *count, const struct flux_circuit_state *row)
{
    circuits[(*count)++] = *row;
}

/* Rows are in the order of time at every port: the last that began has it. */
static int begun(const struct flux_circuit *row, int64_t now)
{
    return row->changed ? row->begin < now : now > 0;
}

static void read_circuits(const struct flux_schedule *schedule, const struct flux_fabric *fabric, int64_t now,
                          struct flux_holders *holders, struct flux_circuit_state *circuits, uint64_t *count)
{
    uint64_t initials;
    const struct flux_circuit_name *initial = flux_fabric_initial(fabric, &initials);
    for (uint64_t i = 0; i < initials; i++)
        flux_holders_set(holders, initial[i].switch_index, initial[i].src, initial[i].dst);
    for (uint64_t i = 0; i < schedule->circuit_count; i++) {
        const struct flux_circuit *row = &schedule->circuits[i];
        if (begun(row, now))
            flux_holders_set(holders, row->switch_index, row->src, row->dst);
    }
    /* A circuit that comes back has several rows: the last one counts, and takes the places away. */
    for (uint64_t i = schedule->circuit_count; i-- > 0;) {
        const struct flux_circuit *row = &schedule->circuits[i];
        if (!begun(row, now) || !flux_holders_up(holders, row->switch_index, row->src, row->dst))
            continue;
        keep(circuits, count,
             &(struct flux_circuit_state){row->switch_index, row->src, row->dst, row->changed, row->begin, row->up});
        holders->at[flux_holders_source(holders, row->switch_index, row->src)].src = FLUX_NONE;
        holders->at[flux_holders_target(holders, row->switch_index, row->dst)].src = FLUX_NONE;
    }
    for (uint64_t i = 0; i < initials; i++)
        if (flux_holders_up(holders, initial[i].switch_index, initial[i].src, initial[i].dst))
            keep(circuits, count,
                 &(struct flux_circuit_state){initial[i].switch_index, initial[i].src, initial[i].dst, 0, 0, 0});
}

/* Are the rows of the program within this fabric? */
static int belongs(const struct flux_schedule *schedule, const struct flux_fabric *fabric)
{
    for (uint64_t i = 0; i < schedule->circuit_count; i++) {
        const struct flux_circuit *row = &schedule->circuits[i];
        if (row->switch_index >= flux_fabric_switches(fabric) || row->src >= flux_fabric_gpus(fabric) ||
            row->dst >= flux_fabric_gpus(fabric))
            return 0;
    }
    return 1;
}

int flux_schedule_state(const struct flux_schedule *schedule, const struct flux_fabric *fabric, int64_t now,
                        struct flux_time *times, struct flux_circuit_state *circuits, uint64_t *circuit_count)
{
    struct flux_holders holders;
    struct flux_arena arena;
    if (circuit_count)
        *circuit_count = 0;
    if (!schedule || !fabric || !times || !circuits || !circuit_count || now < 0 || now > FLUX_TIME_MAX ||
        !belongs(schedule, fabric))
        return FLUX_E_ARGUMENT;
    flux_arena_init(&arena, &schedule->memory);
    int rc = flux_holders_init(&holders, fabric, &arena);
    if (!rc) {
        read_circuits(schedule, fabric, now, &holders, circuits, circuit_count);
        for (uint64_t v = 0; v < schedule->time_count; v++)
            times[v] = schedule->times[v].start < now ? schedule->times[v] : (struct flux_time){-1, -1};
    }
    flux_arena_free(&arena);
    return rc;
}
