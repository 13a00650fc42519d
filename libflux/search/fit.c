/* SPDX-License-Identifier: Apache-2.0 */
#include "search/timeline.h"

/* What a send asks of one lane. */
struct wish {
    int64_t duration;
    int64_t delay;
    int64_t limit;
    uint32_t circuit;
};

/* The first span that ends after `time`. */
static struct flux_gap seek(const struct flux_timeline *line, int64_t time)
{
    if (!line->blocks || line->end <= time)
        return (struct flux_gap){line->blocks, 0};
    /* Most sends come near the end of what is placed: look there before halving. */
    uint32_t high = line->blocks - 1;
    uint32_t low = high;
    for (uint32_t step = 1; low > 0 && line->entry[low - 1].end > time; step *= 2) {
        high = low - 1;
        low = low > step ? low - step : 0;
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (line->entry[middle].end > time)
            high = middle;
        else
            low = middle + 1;
    }
    const struct flux_span_block *block = line->entry[high].block;
    uint32_t first = 0;
    for (uint32_t count = block->count; count > 1;) {
        uint32_t half = count / 2;
        first += block->span[first + half - 1].end <= time ? half : 0;
        count -= half;
    }
    return (struct flux_gap){high, first};
}

static int64_t free_after(const struct flux_span *span, const struct wish *wish, int64_t time)
{
    int64_t free = span->end + (span->circuit == wish->circuit ? 0 : wish->delay);
    return free > time ? free : time;
}

/* From a gap on, the first of a block's gaps with room for the wish: 1, with its place in `gap`. */
static int find_gap(const struct flux_timeline *line, const struct wish *wish, int64_t *time, struct flux_gap *gap)
{
    const struct flux_span_block *block = line->entry[gap->block].block;
    for (uint32_t i = gap->index; i < block->count; i++) {
        if (block->holds[i] < wish->duration)
            continue;
        const struct flux_span *after = &block->span[i];
        const struct flux_span *before = i ? after - 1 : flux_span_before(line, (struct flux_gap){gap->block, 0});
        int64_t start = before ? free_after(before, wish, *time) : *time;
        if (after->begin - (after->circuit == wish->circuit ? 0 : wish->delay) - wish->duration >= start) {
            *time = start;
            gap->index = i;
            return 1;
        }
    }
    return 0;
}

/* The earliest time from `time` on at which the lane is free for the wish. `gap` is where to look from, and then where
 * it lies. */
static int64_t free_on(struct flux_timeline *line, const struct wish *wish, int64_t time, struct flux_gap *gap)
{
    while (gap->block < line->blocks && time <= wish->limit) {
        struct flux_block_entry *entry = &line->entry[gap->block];
        if (entry->widest >= wish->duration && entry->end > time) {
            if (find_gap(line, wish, &time, gap))
                return time;
            flux_timeline_measure(line, gap->block); /* it may have promised more than it holds */
        }
        time = free_after(&entry->block->span[entry->block->count - 1], wish, time);
        *gap = (struct flux_gap){gap->block + 1, 0};
    }
    return time;
}

/* The same on an opposite lane, where its own circuit does not disturb the wish. */
static int64_t free_opposite(const struct flux_timeline *line, const struct wish *wish, int64_t time,
                             struct flux_gap *gap)
{
    while (gap->block < line->blocks && time <= wish->limit) {
        const struct flux_span_block *block = line->entry[gap->block].block;
        for (; gap->index < block->count; gap->index++) {
            const struct flux_span *span = &block->span[gap->index];
            if (span->circuit == wish->circuit)
                continue;
            if (span->begin - wish->delay - wish->duration >= time)
                return time;
            time = free_after(span, wish, time);
        }
        *gap = (struct flux_gap){gap->block + 1, 0};
    }
    return time;
}

int64_t flux_timelines_fit(struct flux_timelines *timelines, uint32_t node, uint32_t k, int64_t ready, int64_t limit,
                           struct flux_fit *fit)
{
    const struct flux_lanes *lanes = timelines->lanes;
    const struct flux_problem *problem = lanes->problem;
    struct wish wish = {flux_problem_duration(problem, node, k), problem->delay[k], limit, problem->circuit[node]};
    struct flux_timeline *line[4];
    uint32_t count = lanes->watch ? 4 : 2;
    fit->source = flux_lane_on(lanes, flux_lane_source(lanes, node), k);
    fit->target = flux_lane_on(lanes, flux_lane_target(lanes, node), k);
    line[0] = &timelines->line[fit->source];
    line[1] = &timelines->line[fit->target];
    if (lanes->watch) {
        line[2] = &timelines->line[flux_lane_opposite(fit->source)];
        line[3] = &timelines->line[flux_lane_opposite(fit->target)];
    }
    for (uint32_t i = 0; i < count; i++)
        fit->gap[i] = seek(line[i], ready - wish.delay);
    /* Until all lanes agree. Every lane only ever moves on. */
    int64_t time = ready;
    for (uint32_t agreed = 0, i = 0; agreed < count && time <= limit; i = i + 1 < count ? i + 1 : 0) {
        int64_t free =
            i < 2 ? free_on(line[i], &wish, time, &fit->gap[i]) : free_opposite(line[i], &wish, time, &fit->gap[i]);
        agreed = free == time ? agreed + 1 : 1;
        time = free;
    }
    fit->start = time;
    return time;
}

uint32_t flux_timelines_disturbance(const struct flux_timelines *timelines, uint32_t node, const struct flux_fit *fit)
{
    const uint64_t lane[2] = {fit->source, fit->target};
    uint32_t circuit = timelines->lanes->problem->circuit[node];
    int changes = 0;
    uint32_t up = 0;
    for (uint32_t i = 0; i < 2; i++) {
        const struct flux_timeline *line = &timelines->line[lane[i]];
        const struct flux_span *before = flux_span_before(line, fit->gap[i]);
        const struct flux_span *after = flux_span_after(line, fit->gap[i]);
        if (timelines->lanes->watch) {
            line = &timelines->line[flux_lane_opposite(lane[i])];
            const struct flux_span *span = flux_span_before(line, fit->gap[i + 2]);
            before = span && (!before || span->end > before->end) ? span : before;
            span = flux_span_after(line, fit->gap[i + 2]);
            after = span && (!after || span->begin < after->begin) ? span : after;
        }
        changes += (before && before->circuit != circuit) + (after && after->circuit != circuit);
        changes -= before && after && before->circuit != after->circuit;
        up += before && before->circuit == circuit;
    }
    return 2 * (uint32_t)changes + (up < 2);
}
