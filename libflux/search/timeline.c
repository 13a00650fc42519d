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
        block =
            flux_arena_alloc(timelines->arena, 1, sizeof *block + room * (sizeof *block->span + sizeof *block->holds));
        if (!block)
            return NULL;
        block->room = room;
        block->holds = (int64_t *)&block->span[room];
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

static void measure_gap(struct flux_timeline *line, struct flux_gap gap, int64_t delay)
{
    const struct flux_span *before = flux_span_before(line, gap);
    const struct flux_span *after = flux_span_after(line, gap);
    if (!after)
        return;
    int64_t holds = after->begin;
    if (before)
        holds -= before->end + (before->circuit == after->circuit ? 0 : delay);
    struct flux_block_entry *entry = &line->entry[gap.block];
    entry->block->holds[gap.index] = holds;
    entry->widest = holds > entry->widest ? holds : entry->widest;
}

void flux_timeline_measure(struct flux_timeline *line, uint32_t at)
{
    const struct flux_span_block *block = line->entry[at].block;
    int64_t widest = 0;
    for (uint32_t i = 0; i < block->count; i++)
        widest = block->holds[i] > widest ? block->holds[i] : widest;
    line->entry[at].widest = widest;
}

static void move_spans(struct flux_span_block *to, uint32_t at, const struct flux_span_block *from, uint32_t first,
                       uint32_t count)
{
    memmove(&to->span[at], &from->span[first], count * sizeof *to->span);
    memmove(&to->holds[at], &from->holds[first], count * sizeof *to->holds);
}

static int grow_block(struct flux_timelines *timelines, struct flux_block_entry *entry)
{
    struct flux_span_block *full = entry->block;
    struct flux_span_block *fresh = take_block(timelines, 2 * full->room);
    if (!fresh)
        return FLUX_E_MEMORY;
    move_spans(fresh, 0, full, 0, full->count);
    fresh->count = full->count;
    entry->block = fresh;
    give_back(timelines, full);
    return FLUX_OK;
}

/* Makes room in the full block in which `place` lies, and moves `place` along. */
static int split_block(struct flux_timelines *timelines, struct flux_timeline *line, struct flux_gap *place)
{
    struct flux_span_block *full = line->entry[place->block].block;
    if (full->room < ROOM_FULL)
        return grow_block(timelines, &line->entry[place->block]);
    struct flux_span_block *fresh = take_block(timelines, ROOM_FULL);
    if (!fresh)
        return FLUX_E_MEMORY;
    int rc = open_entry(timelines, line, place->block + 1);
    if (rc) {
        give_back(timelines, fresh);
        return rc;
    }
    /* Appending leaves full blocks behind; inserting, two halves. */
    uint32_t keep = place->index == full->count && place->block + 2 == line->blocks ? full->count : full->count / 2;
    fresh->count = full->count - keep;
    move_spans(fresh, 0, full, keep, fresh->count);
    full->count = keep;
    struct flux_block_entry *entry = &line->entry[place->block];
    entry[1] = (struct flux_block_entry){entry->end, 0, fresh};
    entry->end = full->span[keep - 1].end;
    flux_timeline_measure(line, place->block);
    flux_timeline_measure(line, place->block + 1);
    if (place->index > keep || !fresh->count)
        *place = (struct flux_gap){place->block + 1, place->index - keep};
    return FLUX_OK;
}

/* A new span in the gap; `gap` becomes its own place. */
static int add_span(struct flux_timelines *timelines, struct flux_timeline *line, struct flux_gap *gap,
                    struct flux_span span)
{
    if (!line->blocks) {
        struct flux_span_block *block = take_block(timelines, ROOM_FIRST);
        if (!block || open_entry(timelines, line, 0))
            return FLUX_E_MEMORY;
        line->entry[0] = (struct flux_block_entry){0, 0, block};
    }
    if (!gap->index && gap->block &&
        (gap->block == line->blocks || line->entry[gap->block - 1].block->count < ROOM_FULL)) {
        gap->block--;
        gap->index = line->entry[gap->block].block->count;
    }
    struct flux_span_block *block = line->entry[gap->block].block;
    if (block->count == block->room) {
        int rc = split_block(timelines, line, gap);
        if (rc)
            return rc;
        block = line->entry[gap->block].block;
    }
    move_spans(block, gap->index + 1, block, gap->index, block->count - gap->index);
    block->span[gap->index] = span;
    block->count++;
    return FLUX_OK;
}

static void remove_span(struct flux_timelines *timelines, struct flux_timeline *line, struct flux_gap at)
{
    struct flux_span_block *block = line->entry[at.block].block;
    block->count--;
    move_spans(block, at.index, block, at.index + 1, block->count - at.index);
    if (block->count)
        return;
    give_back(timelines, block);
    line->blocks--;
    memmove(&line->entry[at.block], &line->entry[at.block + 1], (line->blocks - at.block) * sizeof *line->entry);
}

/* After a change at a span: its own gap, the one behind it, and the ends. */
static void settle(struct flux_timeline *line, struct flux_gap at, int64_t delay)
{
    const struct flux_span_block *block = line->entry[at.block].block;
    line->entry[at.block].end = block->span[block->count - 1].end;
    line->end = line->entry[line->blocks - 1].end;
    measure_gap(line, at, delay);
    struct flux_gap behind = {at.block, at.index + 1};
    if (behind.index == block->count)
        behind = (struct flux_gap){at.block + 1, 0};
    measure_gap(line, behind, delay);
}

static int place_on(struct flux_timelines *timelines, uint64_t lane, struct flux_gap gap, int64_t delay,
                    struct flux_span span)
{
    struct flux_timeline *line = &timelines->line[lane];
    const struct flux_span *before = flux_span_before(line, gap);
    struct flux_span *after = flux_span_after(line, gap);
    int joins_after = after && after->circuit == span.circuit && after->begin == span.end;
    if (before && before->circuit == span.circuit && before->end == span.begin) {
        if (joins_after) {
            span.end = after->end;
            remove_span(timelines, line, gap);
        }
        gap.block -= !gap.index;
        gap.index = gap.index ? gap.index - 1 : line->entry[gap.block].block->count - 1;
        line->entry[gap.block].block->span[gap.index].end = span.end;
    } else if (joins_after) {
        after->begin = span.begin;
    } else {
        int rc = add_span(timelines, line, &gap, span);
        if (rc)
            return rc;
    }
    settle(line, gap, delay);
    return FLUX_OK;
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
        rc = place_on(timelines, lanes->initial[i].lane, (struct flux_gap){0, 0}, 0,
                      (struct flux_span){0, 0, lanes->initial[i].circuit, 0});
    return rc;
}
