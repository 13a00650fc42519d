/* SPDX-License-Identifier: Apache-2.0 */
#include "model/initials.h"

#include "base/fail.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* One end of an initial circuit; sorted by switch and GPU. */
struct end {
    uint32_t switch_index;
    uint32_t gpu;
    uint32_t initial;
};

static int compare_ends(const void *left, const void *right)
{
    const struct end *a = left, *b = right;
    if (a->switch_index != b->switch_index)
        return a->switch_index < b->switch_index ? -1 : 1;
    if (a->gpu != b->gpu)
        return a->gpu < b->gpu ? -1 : 1;
    return a->initial < b->initial ? -1 : a->initial > b->initial;
}

static uint64_t find_ends(const struct end *ends, uint64_t count, uint32_t k, uint32_t gpu)
{
    uint64_t low = 0, high = count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (ends[middle].switch_index < k || (ends[middle].switch_index == k && ends[middle].gpu < gpu))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* How long (src, dst) waits on switch k because of initial circuits at `gpu`: 0 or the delay. */
static int64_t wait_at(const struct flux_problem *problem, const struct end *ends, uint64_t count, uint32_t k,
                       uint32_t gpu, uint32_t src, uint32_t dst)
{
    int64_t wait = 0;
    for (uint64_t i = find_ends(ends, count, k, gpu);
         i < count && ends[i].switch_index == k && ends[i].gpu == gpu; i++) {
        const struct flux_circuit_name *up = &problem->initial[ends[i].initial];
        int64_t separation = flux_separation(problem->rule, src, dst, up->src, up->dst, problem->delay[k]);
        wait = separation > wait ? separation : wait;
    }
    return wait;
}

static int check_state(const struct flux_problem *problem, const struct end *ends, uint64_t count,
                       struct flux_error *error)
{
    for (uint64_t i = 0; i < count; i++)
        for (uint64_t j = i + 1;
             j < count && ends[j].switch_index == ends[i].switch_index && ends[j].gpu == ends[i].gpu; j++) {
            const struct flux_circuit_name *a = &problem->initial[ends[i].initial];
            const struct flux_circuit_name *b = &problem->initial[ends[j].initial];
            if (ends[i].initial != ends[j].initial &&
                flux_separation(problem->rule, a->src, a->dst, b->src, b->dst, 1) >= 0)
                return flux_fail(error, FLUX_E_MISMATCH,
                                 "the initial circuits (%" PRIu32 ", %" PRIu32 ") and (%" PRIu32 ", %" PRIu32
                                 ") of switch %" PRIu32 " cannot be up together: they share a port; leave one out",
                                 a->src, a->dst, b->src, b->dst, a->switch_index);
        }
    return FLUX_OK;
}

static void raise_releases(struct flux_problem *problem, const struct end *ends, uint64_t count)
{
    for (uint32_t node = 0; node < problem->nodes; node++) {
        uint32_t src = problem->src[node], dst = problem->dst[node];
        int64_t least = INT64_MAX;
        if (src == FLUX_NONE)
            continue;
        for (uint32_t k = 0; k < problem->switches && least > 0; k++) {
            if (flux_problem_duration(problem, node, k) < 0)
                continue;
            int64_t wait = wait_at(problem, ends, count, k, src, src, dst);
            int64_t other = wait_at(problem, ends, count, k, dst, src, dst);
            wait = other > wait ? other : wait;
            least = wait < least ? wait : least;
        }
        if (problem->release[node] < least)
            problem->release[node] = least;
    }
}

int flux_initials_apply(const struct flux_fabric *fabric, struct flux_problem *problem, struct flux_arena *scratch,
                        struct flux_error *error)
{
    uint64_t initials = fabric->initial_count, count = 2 * initials;
    if (initials == 0)
        return FLUX_OK;
    if (initials >= FLUX_NONE)
        return flux_fail(error, FLUX_E_TOO_BIG, "more than 2^32 - 2 initial circuits");
    struct end *ends = flux_arena_alloc(scratch, count, sizeof *ends);
    problem->initial = flux_arena_alloc(&problem->arena, initials, sizeof *problem->initial);
    if (!ends || !problem->initial)
        return flux_fail_memory(error);
    memcpy(problem->initial, fabric->initial, (size_t)initials * sizeof *problem->initial);
    problem->initials = (uint32_t)initials;
    for (uint32_t i = 0; i < initials; i++) {
        const struct flux_circuit_name *up = &problem->initial[i];
        ends[2 * i] = (struct end){up->switch_index, up->src, i};
        ends[2 * i + 1] = (struct end){up->switch_index, up->dst, i};
    }
    qsort(ends, (size_t)count, sizeof *ends, compare_ends);
    int rc = check_state(problem, ends, count, error);
    if (!rc)
        raise_releases(problem, ends, count);
    return rc;
}
