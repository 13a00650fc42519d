/* SPDX-License-Identifier: Apache-2.0
 *
 * What lies over the slices of a trace: counters and arrows.
 */
#include "io/perfetto.h"

#include <stdlib.h>

#define ARROWS_MAX 20000 /* besides those of the critical path */

/* Sums of sizes, which are 64 bits each. */
__extension__ typedef unsigned __int128 wide;

static int compare_changes(const void *left, const void *right)
{
    const struct flux_perfetto_change *a = left;
    const struct flux_perfetto_change *b = right;
    if (a->of != b->of)
        return a->of < b->of ? -1 : 1;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return 0; /* those of one instant are added up */
}

static void put_sample(struct flux_perfetto *writer, uint32_t process, const char *name, const char *unit, int64_t time,
                       wide value)
{
    char digits[48];
    char *at = digits + sizeof digits - 1;
    int large = value > INT64_MAX; /* readers take such a number only where it looks like a real one */
    *at = '\0';
    do {
        *--at = (char)('0' + (int)(value % 10));
        value /= 10;
    } while (value);
    flux_perfetto_event(writer, 'C', process, 0);
    flux_perfetto_time(writer, ",\"ts\":", time);
    flux_io_put_format(writer->out, ",\"name\":\"%s\",\"args\":{\"%s\":%s%s}}", name, unit, at, large ? ".0" : "");
}

void flux_perfetto_sample(struct flux_perfetto *writer, uint32_t process, const char *name, const char *unit,
                          int64_t time, uint64_t value)
{
    put_sample(writer, process, name, unit, time, value);
}

void flux_perfetto_counter(struct flux_perfetto *writer, uint64_t count, uint32_t first_process, const char *name,
                           const char *unit)
{
    wide value = 0;
    qsort(writer->changes, count, sizeof *writer->changes, compare_changes);
    for (uint64_t i = 0; i < count;) {
        const struct flux_perfetto_change *at = &writer->changes[i];
        if (i == 0 || at->of != at[-1].of) {
            value = 0;
            if (at->time > 0)
                put_sample(writer, first_process + at->of, name, unit, 0, 0);
        }
        wide before = value;
        wide up = 0;
        wide down = 0;
        int64_t time = at->time;
        for (uint32_t of = at->of; i < count && writer->changes[i].of == of && writer->changes[i].time == time; i++)
            if (writer->changes[i].down)
                down += writer->changes[i].amount;
            else
                up += writer->changes[i].amount;
        value = value + up - down;
        if (value != before || time == 0)
            put_sample(writer, first_process + writer->changes[i - 1].of, name, unit, time, value);
    }
}

void flux_perfetto_memory(struct flux_perfetto *writer)
{
    const struct flux_io_timeline *line = writer->line;
    uint64_t count = 0;
    for (uint32_t v = 0; v < line->vertex_count; v++) {
        const struct flux_io_timeline_vertex *row = &line->vertices[v];
        if (row->peer == FLUX_NONE || row->bytes == 0)
            continue;
        writer->changes[count++] =
            (struct flux_perfetto_change){.time = row->ready, .amount = row->bytes, .of = row->gpu};
        writer->changes[count++] =
            (struct flux_perfetto_change){.time = row->end, .amount = row->bytes, .of = row->gpu, .down = 1};
    }
    flux_perfetto_counter(writer, count, flux_perfetto_gpu(writer, 0), "NIC memory", "bytes");
}

void flux_perfetto_circuits(struct flux_perfetto *writer)
{
    const struct flux_io_timeline *line = writer->line;
    uint64_t count = 0;
    for (uint32_t v = 0; v < line->vertex_count; v++) {
        const struct flux_io_timeline_vertex *row = &line->vertices[v];
        if (row->peer == FLUX_NONE)
            continue;
        writer->changes[count++] =
            (struct flux_perfetto_change){.time = row->start, .amount = 1, .of = row->switch_index};
        writer->changes[count++] =
            (struct flux_perfetto_change){.time = row->end, .amount = 1, .of = row->switch_index, .down = 1};
    }
    flux_perfetto_counter(writer, count, flux_perfetto_switch(0), "circuits in use", "circuits");
}

/* An arrow from the end of one slice to the begin of another. It leaves shortly before the end, so that the slice is
 * still there when a reader that rounds looks for it. */
static void write_arrow(struct flux_perfetto *writer, uint32_t from, uint32_t to, const char *name)
{
    const struct flux_io_timeline_vertex *source = &writer->line->vertices[from];
    const struct flux_io_timeline_vertex *target = &writer->line->vertices[to];
    int64_t leaves = source->end - 4 * FLUX_NS > source->start ? source->end - 4 * FLUX_NS : source->start;
    uint32_t id = ++writer->arrows;
    flux_perfetto_event(writer, 's', flux_perfetto_gpu(writer, source->gpu), writer->thread[from]);
    flux_perfetto_number(writer, ",\"id\":", id);
    flux_perfetto_time(writer, ",\"ts\":", leaves);
    flux_io_put_format(writer->out, ",\"cat\":\"dependency\",\"name\":\"%s\"}", name);
    flux_perfetto_event(writer, 'f', flux_perfetto_gpu(writer, target->gpu), writer->thread[to]);
    flux_perfetto_number(writer, ",\"bp\":\"e\",\"id\":", id);
    flux_perfetto_time(writer, ",\"ts\":", target->start);
    flux_io_put_format(writer->out, ",\"cat\":\"dependency\",\"name\":\"%s\"}", name);
}

/* Joins take no time and have no slice: what they waited for stands in for them. */
static void link_joins(struct flux_perfetto *writer)
{
    const struct flux_io_timeline_vertex *vertices = writer->line->vertices;
    for (uint32_t v = 0; v < writer->line->vertex_count; v++)
        if (!writer->thread[v])
            writer->follows[v] = vertices[v].ready == vertices[v].start ? vertices[v].cause : FLUX_NONE;
}

/* The vertex with a slice that `v` comes from, or FLUX_NONE. Shortens the way for the next who asks. */
static uint32_t origin(struct flux_perfetto *writer, uint32_t v)
{
    uint32_t root = v;
    while (root != FLUX_NONE && !writer->thread[root])
        root = writer->follows[root];
    while (v != root && v != FLUX_NONE) {
        uint32_t next = writer->follows[v];
        writer->follows[v] = root;
        v = next;
    }
    return root;
}

void flux_perfetto_arrows(struct flux_perfetto *writer)
{
    const struct flux_io_timeline *line = writer->line;
    uint32_t before = FLUX_NONE;
    link_joins(writer);
    for (uint64_t i = 0; i < line->path_count; i++) {
        uint32_t v = line->path[i].vertex;
        if (!writer->thread[v])
            continue;
        if (before != FLUX_NONE)
            write_arrow(writer, before, v, "critical path");
        before = v;
    }
    uint64_t limit = (uint64_t)writer->arrows + ARROWS_MAX;
    for (uint32_t v = 0; v < line->vertex_count; v++) {
        const struct flux_io_timeline_vertex *row = &line->vertices[v];
        if (!writer->thread[v] || line->on_path[v] || row->ready < row->start || row->cause == FLUX_NONE)
            continue;
        if (writer->arrows >= limit) {
            writer->arrows_left_out++;
            continue;
        }
        uint32_t from = origin(writer, row->cause);
        if (from != FLUX_NONE)
            write_arrow(writer, from, v, "waited for");
    }
}
