/* SPDX-License-Identifier: Apache-2.0
 *
 * simulate/memory.c - the bytes that wait at each GPU, over the time of a run.
 */
#include "base/fail.h"
#include "base/wide.h"
#include "simulate/replay.h"

#include <string.h>

/* What happens to bytes: a send ends, a part leaves, a part is stored, a send is ready. */
enum { END, LEAVE, STORE, READY };

static uint64_t clamp(flux_uwide sum)
{
    return sum > UINT64_MAX ? UINT64_MAX : (uint64_t)sum;
}

int flux_replay_add_part(struct flux_replay *replay, struct flux_replay_result *result,
                         const struct flux_replay_part *part, struct flux_error *error)
{
    if (flux_grow(&replay->memory, &result->part, &result->part_capacity, result->part_count + 1, sizeof *result->part))
        return flux_fail_memory(error);
    result->part[result->part_count++] = *part;
    return FLUX_OK;
}

/* Room for two rows for each part and one for each vertex; what other runs need was made with the replay. */
static int make_rows(struct flux_replay *replay, const struct flux_replay_result *result, struct flux_keyed **rows,
                     struct flux_keyed **spare, struct flux_error *error)
{
    uint64_t need = 2 * result->part_count + replay->plan.vertices;
    *rows = replay->room.rows;
    *spare = replay->room.spare;
    if (need <= UINT64_C(2) * replay->plan.vertices)
        return FLUX_OK;
    if (need >= FLUX_NONE)
        return flux_fail(error, FLUX_E_TOO_BIG, "the sends of the cycle were cut into more than 2^31 parts");
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
    const struct flux_replay_part *part = result->part;
    uint64_t count = 0;
    for (uint32_t v = 0; v < plan->vertices && !replay->cycle; v++)
        if (plan->bytes[v] && result->times[v].start >= 0)
            rows[count++] = (struct flux_keyed){(uint64_t)result->times[v].end, v, END};
    for (uint32_t i = 0; i < result->part_count; i++)
        if (part[i].bytes)
            rows[count++] = (struct flux_keyed){(uint64_t)part[i].end, i, LEAVE};
    for (uint32_t i = 0; i < result->part_count; i++)
        if (part[i].bytes && part[i].dst != replay->audit.precedence.to[part[i].send])
            rows[count++] = (struct flux_keyed){(uint64_t)part[i].end, i, STORE};
    for (uint32_t v = 0; v < plan->vertices; v++)
        if (plan->bytes[v] && result->ready[v] >= 0)
            rows[count++] = (struct flux_keyed){(uint64_t)result->ready[v], v, READY};
    return count;
}

static int sorted_rows(struct flux_replay *replay, const struct flux_replay_result *result, struct flux_keyed **rows,
                       uint64_t *count, struct flux_error *error)
{
    struct flux_keyed *spare;
    int rc = make_rows(replay, result, rows, &spare, error);
    if (rc)
        return rc;
    *count = fill_rows(replay, result, *rows);
    flux_radix_sort(*rows, spare, *count);
    memset(replay->room.held, 0, replay->plan.gpus * sizeof *replay->room.held);
    return FLUX_OK;
}

/* Where, and how many bytes. Sums of one GPU saturate, and stay. */
static uint32_t apply(const struct flux_replay *replay, const struct flux_replay_result *result,
                      const struct flux_keyed *row, uint64_t *bytes)
{
    uint32_t part = row->padding == LEAVE || row->padding == STORE;
    uint32_t gpu = row->padding == LEAVE   ? result->part[row->item].src
                   : row->padding == STORE ? result->part[row->item].dst
                                           : replay->audit.precedence.at[row->item];
    uint64_t *held = &replay->room.held[gpu];
    *bytes = part ? result->part[row->item].bytes : replay->plan.bytes[row->item];
    if (row->padding == END || row->padding == LEAVE)
        *held -= *held == UINT64_MAX ? 0 : *bytes;
    else if (__builtin_add_overflow(*held, *bytes, held))
        *held = UINT64_MAX;
    return gpu;
}

/* The sum of all GPUs is wide enough for 2^64 sends. */
int flux_replay_measure_memory(struct flux_replay *replay, struct flux_replay_result *result, struct flux_error *error)
{
    struct flux_keyed *rows;
    uint64_t count, bytes;
    flux_uwide total = 0, peak = 0;
    int rc = sorted_rows(replay, result, &rows, &count, error);
    if (rc)
        return rc;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t gpu = apply(replay, result, &rows[i], &bytes);
        if (rows[i].padding == END || rows[i].padding == LEAVE) {
            total -= bytes;
            continue;
        }
        total += bytes;
        peak = total > peak ? total : peak;
        if (replay->room.held[gpu] > result->gpus[gpu].memory)
            result->gpus[gpu].memory = replay->room.held[gpu];
    }
    result->summary.memory = clamp(peak);
    for (uint32_t g = 0; g < replay->plan.gpus; g++)
        if (result->gpus[g].memory > result->summary.memory_of_gpu)
            result->summary.memory_of_gpu = result->gpus[g].memory;
    return FLUX_OK;
}

int flux_replay_memory(struct flux_replay *replay, const struct flux_replay_held **rows, uint64_t *count,
                       struct flux_error *error)
{
    struct flux_keyed *keyed;
    uint64_t changes, bytes;
    if (!replay || !rows || !count || !replay->ran)
        return flux_fail(error, FLUX_E_ARGUMENT, "replay, rows or count are NULL, or it did not run yet");
    const struct flux_replay_result *result = &replay->result[replay->current];
    *rows = NULL;
    *count = 0;
    int rc = sorted_rows(replay, result, &keyed, &changes, error);
    if (rc)
        return rc;
    if (flux_grow(&replay->memory, &replay->held, &replay->held_capacity, changes, sizeof *replay->held))
        return flux_fail_memory(error);
    replay->held_count = 0;
    for (uint64_t i = 0; i < changes; i++) {
        uint32_t gpu = apply(replay, result, &keyed[i], &bytes);
        struct flux_replay_held *last = replay->held_count ? &replay->held[replay->held_count - 1] : NULL;
        if (!last || last->gpu != gpu || last->time != (int64_t)keyed[i].key)
            last = &replay->held[replay->held_count++];
        *last = (struct flux_replay_held){(int64_t)keyed[i].key, replay->room.held[gpu], gpu, 0};
    }
    *rows = replay->held;
    *count = replay->held_count;
    return FLUX_OK;
}
