/* SPDX-License-Identifier: Apache-2.0 */
#include "search/timeline.h"

#include <libflux/error.h>
#include <string.h>

#define ROOM_FIRST 4 /* of a lane's first block; doubles up to ROOM_FULL, one class of spare blocks each */
#define ROOM_FULL (ROOM_FIRST << (FLUX_BLOCK_CLASSES - 1))
#define ENTRIES_FIRST 2

static uint32_t class_of(uint32_t room)
{
    uint32_t class = 0;
    while ((uint32_t)ROOM_FIRST << class < room)
        class ++;
    return class;
}

static struct flux_span_block *take_block(struct flux_timelines *timelines, uint32_t room)
{
    struct flux_span_block **spare = &timelines->spare[class_of(room)];
    struct flux_span_block *block = *spare;
    if (block) {
        *spare = block->next;
    } else {
        block = flux_arena_alloc(timelines->arena, 1, sizeof *block + room * sizeof *block->span);
        if (!block)
            return NULL;
        block->room = room;
    }
    block->next = NULL;
    block->count = 0;
    return block;
}

static void give_back(struct flux_timelines *timelines, struct flux_span_block *block)
{
    struct flux_span_block **spare = &timelines->spare[class_of(block->room)];
    block->next = *spare;
    *spare = block;
}

/* Room for one more entry, in front of entry `at`. */
static int open_entry(struct flux_timelines *timelines, struct flux_timeline *line, uint32_t at)
{
    if (line->blocks == line->room) {
        uint32_t room = line->room ? 2 * line->room : ENTRIES_FIRST;
        struct flux_block_entry *entry = flux_arena_alloc(timelines->arena, room, sizeof *entry);
        if (!entry)
            return FLUX_E_MEMORY;
        if (line->blocks)
            memcpy(entry, line->entry, line->blocks * sizeof *entry);
        line->entry = entry;
        line->room = room;
    }
    memmove(&line->entry[at + 1], &line->entry[at], (line->blocks - at) * sizeof *line->entry);
    line->blocks++;
    return FLUX_OK;
}

/* The longest send that a gap can hold whatever its circuit: beside two different circuits it needs the delay once. */
static int64_t gap_holds(const struct flux_span *before, int64_t begin, uint32_t circuit, int64_t delay)
{
    if (!before)
        return begin;
    int64_t width = begin - before->end;
    return before->circuit == circuit ? width : width - delay;
}

static const struct flux_span *span_before(const struct flux_timeline *line, struct flux_gap gap)
{
    if (gap.index)
        return &line->entry[gap.block].block->span[gap.index - 1];
    if (!gap.block)
        return NULL;
    const struct flux_span_block *block = line->entry[gap.block - 1].block;
    return &block->span[block->count - 1];
}

void flux_timeline_measure(struct flux_timeline *line, uint32_t at, int64_t delay)
{
    const struct flux_span_block *block = line->entry[at].block;
    const struct flux_span *before = span_before(line, (struct flux_gap){at, 0});
    int64_t widest = 0;
    for (uint32_t i = 0; i < block->count; before = &block->span[i++]) {
        int64_t holds = gap_holds(before, block->span[i].begin, block->span[i].circuit, delay);
        widest = holds > widest ? holds : widest;
    }
    line->entry[at].widest = widest;
    line->entry[at].end = block->span[block->count - 1].end;
}

/* Makes room in the full block in which `place` lies, and moves `place` along. */
static int split_block(struct flux_timelines *timelines, struct flux_timeline *line, int64_t delay,
                       struct flux_gap *place)
{
    struct flux_span_block *full = line->entry[place->block].block;
    uint32_t grown = full->room < ROOM_FULL ? 2 * full->room : ROOM_FULL;
    struct flux_span_block *fresh = take_block(timelines, grown);
    if (!fresh)
        return FLUX_E_MEMORY;
    if (full->room < ROOM_FULL) {
        memcpy(fresh->span, full->span, full->count * sizeof *full->span);
        fresh->count = full->count;
        line->entry[place->block].block = fresh;
        give_back(timelines, full);
        return FLUX_OK;
    }
    int rc = open_entry(timelines, line, place->block + 1);
    if (rc) {
        give_back(timelines, fresh);
        return rc;
    }
    /* Appending leaves full blocks behind; inserting, two halves. */
    uint32_t keep = place->index == full->count && place->block + 2 == line->blocks ? full->count : full->count / 2;
    fresh->count = full->count - keep;
    memcpy(fresh->span, &full->span[keep], fresh->count * sizeof *full->span);
    full->count = keep;
    line->entry[place->block + 1].block = fresh;
    flux_timeline_measure(line, place->block, delay);
    if (fresh->count)
        flux_timeline_measure(line, place->block + 1, delay);
    else
        line->entry[place->block + 1].widest = 0;
    if (place->index > keep || !fresh->count)
        *place = (struct flux_gap){place->block + 1, place->index - keep};
    return FLUX_OK;
}

/* A new span between others: at the end of the block before the gap where that has room. */
static int add_span(struct flux_timelines *timelines, struct flux_timeline *line, struct flux_gap gap, int64_t delay,
                    struct flux_span span)
{
    int64_t holds = gap_holds(span_before(line, gap), span.begin, span.circuit, delay);
    if (!line->blocks) {
        struct flux_span_block *block = take_block(timelines, ROOM_FIRST);
        if (!block || open_entry(timelines, line, 0))
            return FLUX_E_MEMORY;
        line->entry[0] = (struct flux_block_entry){0, 0, block};
    }
    if (!gap.index && gap.block &&
        (gap.block == line->blocks || line->entry[gap.block - 1].block->count < ROOM_FULL)) {
        gap.block--;
        gap.index = line->entry[gap.block].block->count;
    }
    struct flux_span_block *block = line->entry[gap.block].block;
    if (block->count == block->room) {
        int rc = split_block(timelines, line, delay, &gap);
        if (rc)
            return rc;
        block = line->entry[gap.block].block;
    }
    memmove(&block->span[gap.index + 1], &block->span[gap.index], (block->count - gap.index) * sizeof span);
    block->span[gap.index] = span;
    block->count++;
    struct flux_block_entry *entry = &line->entry[gap.block];
    entry->end = block->span[block->count - 1].end;
    entry->widest = holds > entry->widest ? holds : entry->widest;
    line->end = line->entry[line->blocks - 1].end;
    return FLUX_OK;
}

static void remove_span(struct flux_timelines *timelines, struct flux_timeline *line, struct flux_gap at)
{
    struct flux_span_block *block = line->entry[at.block].block;
    block->count--;
    memmove(&block->span[at.index], &block->span[at.index + 1], (block->count - at.index) * sizeof *block->span);
    if (!block->count) {
        give_back(timelines, block);
        line->blocks--;
        memmove(&line->entry[at.block], &line->entry[at.block + 1],
                (line->blocks - at.block) * sizeof *line->entry);
    } else {
        line->entry[at.block].end = block->span[block->count - 1].end;
    }
}

static void extend_end(struct flux_timeline *line, struct flux_gap gap, int64_t end)
{
    uint32_t at = gap.index ? gap.block : gap.block - 1;
    struct flux_span_block *block = line->entry[at].block;
    uint32_t index = gap.index ? gap.index - 1 : block->count - 1;
    block->span[index].end = end;
    line->entry[at].end = block->span[block->count - 1].end;
    line->end = line->entry[line->blocks - 1].end;
}

static int place_on(struct flux_timelines *timelines, uint64_t lane, struct flux_gap gap, int64_t delay,
                    struct flux_span span)
{
    struct flux_timeline *line = &timelines->line[lane];
    const struct flux_span *before = span_before(line, gap);
    struct flux_span *after = gap.block < line->blocks ? &line->entry[gap.block].block->span[gap.index] : NULL;
    int joins_before = before && before->circuit == span.circuit && before->end == span.begin;
    int joins_after = after && after->circuit == span.circuit && after->begin == span.end;
    if (joins_before) {
        int64_t end = span.end;
        if (joins_after) {
            end = after->end;
            remove_span(timelines, line, gap);
        }
        extend_end(line, gap, end);
        return FLUX_OK;
    }
    if (joins_after) {
        after->begin = span.begin;
        return FLUX_OK;
    }
    return add_span(timelines, line, gap, delay, span);
}

int flux_timelines_place(struct flux_timelines *timelines, uint32_t node, uint32_t k, const struct flux_fit *fit)
{
    const struct flux_problem *problem = timelines->lanes->problem;
    struct flux_span span = {fit->start, fit->start + flux_problem_duration(problem, node, k), problem->circuit[node],
                             0};
    int rc = place_on(timelines, fit->source, fit->gap[0], problem->delay[k], span);
    return rc ? rc : place_on(timelines, fit->target, fit->gap[1], problem->delay[k], span);
}

int flux_timelines_init(struct flux_timelines *timelines, const struct flux_lanes *lanes, struct flux_arena *arena)
{
    *timelines = (struct flux_timelines){.lanes = lanes, .arena = arena};
    timelines->line = flux_arena_zero(arena, lanes->count, sizeof *timelines->line);
    return timelines->line ? flux_timelines_reset(timelines, 1) : FLUX_E_MEMORY;
}

int flux_timelines_reset(struct flux_timelines *timelines, int with_initial)
{
    const struct flux_lanes *lanes = timelines->lanes;
    int rc = FLUX_OK;
    for (uint64_t i = 0; i < lanes->count; i++) {
        struct flux_timeline *line = &timelines->line[i];
        for (uint32_t b = 0; b < line->blocks; b++)
            give_back(timelines, line->entry[b].block);
        line->blocks = 0;
        line->end = 0;
    }
    for (uint64_t i = 0; with_initial && !rc && i < lanes->initials; i++)
        rc = add_span(timelines, &timelines->line[lanes->initial[i].lane], (struct flux_gap){0, 0}, 0,
                      (struct flux_span){0, 0, lanes->initial[i].circuit, 0});
    return rc;
}
