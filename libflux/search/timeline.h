/* SPDX-License-Identifier: Apache-2.0
 *
 * search/timeline.h - when every lane is busy, and with which circuit: finds the gaps into which a send fits.
 *
 * The spans of a lane are sorted and kept in blocks; back-to-back spans of one circuit are one. Beside each span stands
 * the longest send that the gap before it holds, whatever its circuit, and each block has a limit on these: a search
 * passes what is packed without looking at the spans.
 */
#ifndef FLUX_SEARCH_TIMELINE_H
#define FLUX_SEARCH_TIMELINE_H

#include "search/lanes.h"

struct flux_span {
    int64_t begin;
    int64_t end;
    uint32_t circuit;
    uint32_t padding;
};

struct flux_span_block {
    struct flux_span_block *next; /* in a free list */
    uint32_t count;
    uint32_t room;
    int64_t *holds; /* by span, after the spans: the longest send in the gap before it; beside two different circuits a
                       send waits at least once, so that the delay is taken off */
    struct flux_span span[];
};

/* One block of a lane. */
struct flux_block_entry {
    int64_t end;    /* of its last span */
    int64_t widest; /* none of its gaps holds a longer send; may be too large */
    struct flux_span_block *block;
};

struct flux_timeline {
    int64_t end; /* of the last span */
    struct flux_block_entry *entry;
    uint32_t blocks;
    uint32_t room;
};

#define FLUX_BLOCK_CLASSES 4

struct flux_timelines {
    const struct flux_lanes *lanes;
    struct flux_arena *arena;
    struct flux_timeline *line; /* by lane */
    struct flux_span_block *spare[FLUX_BLOCK_CLASSES];
};

/* A place between spans: before span `index` of block `block`, which ends a gap. At the end: block = blocks. */
struct flux_gap {
    uint32_t block;
    uint32_t index;
};

/* A place for a send on a switch: its gap on the lane of its source, its target, and the opposites of these. */
struct flux_fit {
    int64_t start;
    uint64_t source;
    uint64_t target;
    struct flux_gap gap[4];
};

/* Memory comes from `arena` as spans are added. Starts as after flux_timelines_reset(). Errors: MEMORY. */
int flux_timelines_init(struct flux_timelines *timelines, const struct flux_lanes *lanes, struct flux_arena *arena);

/* Nothing but the initial circuits (or not even these); keeps the memory for the next use. Errors: MEMORY. */
int flux_timelines_reset(struct flux_timelines *timelines, int with_initial);

/* The earliest start at or after `ready` of `node` on switch k, in a gap of all its lanes. May stop early with any
 * start above `limit`: then there is none up to `limit`. */
int64_t flux_timelines_fit(struct flux_timelines *timelines, uint32_t node, uint32_t k, int64_t ready, int64_t limit,
                           struct flux_fit *fit);

/* How much a fit disturbs the circuits that are up: twice the changes that it adds at the two ports, and one more
 * where its circuit is not up at both. Smaller is better. */
uint32_t flux_timelines_disturbance(const struct flux_timelines *timelines, uint32_t node, const struct flux_fit *fit);

/* The span before a gap; NULL at the beginning. */
static inline const struct flux_span *flux_span_before(const struct flux_timeline *line, struct flux_gap gap)
{
    if (gap.index)
        return &line->entry[gap.block].block->span[gap.index - 1];
    if (!gap.block)
        return NULL;
    const struct flux_span_block *block = line->entry[gap.block - 1].block;
    return &block->span[block->count - 1];
}

/* The span after a gap; NULL at the end. */
static inline struct flux_span *flux_span_after(const struct flux_timeline *line, struct flux_gap gap)
{
    return gap.block < line->blocks ? &line->entry[gap.block].block->span[gap.index] : NULL;
}

/* Makes the limit of a block exact. */
void flux_timeline_measure(struct flux_timeline *line, uint32_t block);

/* Places `node` on switch k, where flux_timelines_fit() last found a place for it and nothing was placed since.
 * Errors: MEMORY. */
int flux_timelines_place(struct flux_timelines *timelines, uint32_t node, uint32_t k, const struct flux_fit *fit);

#endif
