/* SPDX-License-Identifier: Apache-2.0 */
#include "io/lanes.h"

#include <string.h>

struct flux_io_lane_end {
    int64_t end;
    uint32_t lane;
    uint32_t reserved;
};

void flux_io_lanes_init(struct flux_io_lanes *lanes, const struct flux_io_memory *memory)
{
    memset(lanes, 0, sizeof *lanes);
    lanes->memory = memory;
}

void flux_io_lanes_free(struct flux_io_lanes *lanes)
{
    flux_io_release(lanes->memory, lanes->busy, lanes->busy_capacity, sizeof *lanes->busy);
    flux_io_release(lanes->memory, lanes->idle, lanes->idle_capacity, sizeof *lanes->idle);
    flux_io_lanes_init(lanes, lanes->memory);
}

void flux_io_lanes_clear(struct flux_io_lanes *lanes)
{
    lanes->busy_count = lanes->idle_count = 0;
}

uint32_t flux_io_lanes_count(const struct flux_io_lanes *lanes)
{
    return lanes->busy_count + lanes->idle_count;
}

static int earlier(const struct flux_io_lane_end *a, const struct flux_io_lane_end *b)
{
    return a->end != b->end ? a->end < b->end : a->lane < b->lane;
}

static void push_busy(struct flux_io_lanes *lanes, int64_t end, uint32_t lane)
{
    struct flux_io_lane_end fresh = {.end = end, .lane = lane};
    uint32_t at = lanes->busy_count++;
    while (at > 0 && earlier(&fresh, &lanes->busy[(at - 1) / 2])) {
        lanes->busy[at] = lanes->busy[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    lanes->busy[at] = fresh;
}

static uint32_t pop_busy(struct flux_io_lanes *lanes)
{
    uint32_t lane = lanes->busy[0].lane;
    struct flux_io_lane_end last = lanes->busy[--lanes->busy_count];
    uint32_t at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= lanes->busy_count)
            break;
        if (child + 1 < lanes->busy_count && earlier(&lanes->busy[child + 1], &lanes->busy[child]))
            child++;
        if (!earlier(&lanes->busy[child], &last))
            break;
        lanes->busy[at] = lanes->busy[child];
        at = child;
    }
    lanes->busy[at] = last;
    return lane;
}

static void push_idle(struct flux_io_lanes *lanes, uint32_t lane)
{
    uint32_t at = lanes->idle_count++;
    while (at > 0 && lane < lanes->idle[(at - 1) / 2]) {
        lanes->idle[at] = lanes->idle[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    lanes->idle[at] = lane;
}

static uint32_t pop_idle(struct flux_io_lanes *lanes)
{
    uint32_t lane = lanes->idle[0];
    uint32_t last = lanes->idle[--lanes->idle_count];
    uint32_t at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= lanes->idle_count)
            break;
        if (child + 1 < lanes->idle_count && lanes->idle[child + 1] < lanes->idle[child])
            child++;
        if (lanes->idle[child] >= last)
            break;
        lanes->idle[at] = lanes->idle[child];
        at = child;
    }
    lanes->idle[at] = last;
    return lane;
}

int flux_io_lanes_take(struct flux_io_lanes *lanes, int64_t start, int64_t end, uint32_t *lane)
{
    uint64_t room = (uint64_t)flux_io_lanes_count(lanes) + 1;
    if (flux_io_grow(lanes->memory, &lanes->busy, &lanes->busy_capacity, room, sizeof *lanes->busy) ||
        flux_io_grow(lanes->memory, &lanes->idle, &lanes->idle_capacity, room, sizeof *lanes->idle))
        return FLUX_E_MEMORY;
    while (lanes->busy_count > 0 && lanes->busy[0].end <= start)
        push_idle(lanes, pop_busy(lanes));
    *lane = lanes->idle_count > 0 ? pop_idle(lanes) : lanes->busy_count;
    push_busy(lanes, end, *lane);
    return FLUX_OK;
}
