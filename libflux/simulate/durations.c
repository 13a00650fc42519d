/* SPDX-License-Identifier: Apache-2.0
 *
 * simulate/durations.c - how long compute takes in a run: planned time by factor by jitter, in integers.
 */
#include "base/random.h"
#include "base/wide.h"
#include "simulate/replay.h"

/* Parts per million that the compute `v` takes of its time, -jitter .. jitter around FLUX_PPM. Seed and vertex go
 * through the generator one after the other, so that neighbours of either have nothing in common. */
static uint32_t draw(uint64_t seed, uint32_t v, uint32_t jitter)
{
    struct flux_random random = {seed};
    random.state = flux_random_next(&random) ^ v;
    return FLUX_PPM - jitter + flux_random_below(&random, 2 * jitter + 1);
}

int flux_replay_durations(struct flux_replay *replay, const struct flux_replay_options *options,
                          struct flux_error *error)
{
    const struct flux_audit *audit = &replay->audit;
    const flux_wide whole = (flux_wide)FLUX_PPM * FLUX_PPM;
    for (uint32_t v = 0; v < replay->plan.vertices; v++) {
        int64_t planned = audit->times[v].end - audit->times[v].start;
        replay->room.duration[v] = planned;
        if (audit->switch_of[v] != FLUX_NONE)
            continue;
        uint32_t jitter = options->jitter_ppm ? draw(options->seed, v, options->jitter_ppm) : FLUX_PPM;
        uint32_t factor = options->factors_ppm ? options->factors_ppm[audit->precedence.at[v]] : FLUX_PPM;
        flux_wide duration = ((flux_wide)planned * jitter * factor + whole / 2) / whole;
        if (duration > FLUX_TIME_MAX)
            return flux_replay_fail_overflow(v, error);
        replay->room.duration[v] = (int64_t)duration;
    }
    return FLUX_OK;
}
