/* SPDX-License-Identifier: Apache-2.0
 *
 * simulate/memory.c - the bytes that wait at each GPU, over the time of a run.
 */
#include "base/fail.h"
#include "base/wide.h"
#include "simulate/replay.h"

#include <string.h>

enum { END, NOTE, READY };

static uint64_t clamp(flux_uwide sum)
{
    return sum > UINT64_MAX ? UINT64_MAX : (uint64_t)sum;
}

int flux_replay_note(struct flux_replay *replay, struct flux_replay_result *result, int64_t time, uint32_t gpu,
                     uint64_t bytes, uint32_t stored, struct flux_error *error)
{
    if (bytes == 0)
        return FLUX_OK;
    if (flux_grow(&replay->memory, &result->note, &result->note_capacity, result->note_count + 1, sizeof *result->note))
        return flux_fail_memory(error);
    result->note[result->note_count++] = (struct flux_replay_note){time, bytes, gpu, stored};
    return FLUX_OK;
}

/* Room for a row for each note and each vertex; what runs of schedules need was made with the replay. */
static int make_rows(struct flux_replay *replay, const struct flux_replay_result *result, struct flux_keyed **rows,
                     struct flux_keyed **spare, struct flux_error *error)
{
    uint64_t need = result->note_count + replay->plan.vertices;
    *rows = replay->room.rows;
    *spare = replay->room.spare;
    if (need <= UINT64_C(2) * replay->plan.vertices)
        return FLUX_OK;
    if (need >= FLUX_NONE)
        return flux_fail(error, FLUX_E_TOO_BIG, "the sends of the cycle were cut into more than 2^32 parts");
    for (int i = 0; i < 2; i++)
        if (flux_grow(&replay->memory, &replay->row[i], &replay->row_capacity[i], need, sizeof *replay->row[i]))
            return flux_fail_memory(error);
    *rows = replay->row[0];
    *spare = replay->row[1];
    return FLUX_OK;
}

/* What leaves stands before what comes, and sorting keeps that where times are equal. */
static uint64_t fill_rows(const struct flux_replay *replay, const struct flux_replay_result *result,
                          struct flux_keyed *rows)
{
    const struct flux_replay_plan *plan = &replay->plan;
    uint64_t count = 0;
    for (uint32_t v = 0; v < plan->vertices && !replay->cycle; v++)
        if (plan->bytes[v] && result->times[v].start >= 0)
            rows[count++] = (struct flux_keyed){(uint64_t)result->times[v].end, v, END};
    for (uint32_t stored = 0; stored < 2; stored++)
        for (uint64_t i = 0; i < result->note_count; i++)
            if (result->note[i].stored == stored)
                rows[count++] = (struct flux_keyed){(uint64_t)result->note[i].time, (uint32_t)i, NOTE};
    for (uint32_t v = 0; v < plan->vertices; v++)
        if (plan->bytes[v] && result->ready[v] >= 0)
            rows[count++] = (struct flux_keyed){(uint64_t)result->ready[v], v, READY};
    return count;
}

/* Sums of one GPU saturate, and stay; that of all is wide enough for 2^64 sends. */
int flux_replay_measure_memory(struct flux_replay *replay, struct flux_replay_result *result, struct flux_error *error)
{
    struct flux_keyed *rows, *spare;
    uint64_t *held = replay->room.held;
    flux_uwide total = 0, peak = 0;
    int rc = make_rows(replay, result, &rows, &spare, error);
    if (rc)
        return rc;
    uint64_t count = fill_rows(replay, result, rows);
    flux_radix_sort(rows, spare, count);
    memset(held, 0, replay->plan.gpus * sizeof *held);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t item = rows[i].item, note = rows[i].padding == NOTE;
        uint64_t bytes = note ? result->note[item].bytes : replay->plan.bytes[item];
        uint32_t gpu = note ? result->note[item].gpu : replay->audit.precedence.at[item];
        if (rows[i].padding == END || (note && !result->note[item].stored)) {
            total -= bytes;
            if (held[gpu] != UINT64_MAX)
                held[gpu] -= bytes;
            continue;
        }
        total += bytes;
        peak = total > peak ? total : peak;
        if (__builtin_add_overflow(held[gpu], bytes, &held[gpu]))
            held[gpu] = UINT64_MAX;
        if (held[gpu] > result->gpus[gpu].memory)
            result->gpus[gpu].memory = held[gpu];
    }
    result->summary.memory = clamp(peak);
    for (uint32_t g = 0; g < replay->plan.gpus; g++)
        if (result->gpus[g].memory > result->summary.memory_of_gpu)
            result->summary.memory_of_gpu = result->gpus[g].memory;
    return FLUX_OK;
}
