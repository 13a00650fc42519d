/* SPDX-License-Identifier: Apache-2.0
 *
 * The last run of a replay as a trace: what each GPU computed and sent, in parts where sends were cut, and counters.
 */
#include "io/fail.h"
#include "io/perfetto.h"

#include <libflux/io/write.h>

#include <stdio.h>
#include <stdlib.h>

struct slice {
    int64_t start;
    int64_t end;
    int64_t next; /* start of the next one on its lane; FLUX_TIME_MAX */
    uint64_t bytes;
    uint32_t vertex;
    uint32_t gpu;
    uint32_t sent; /* 0: compute */
    uint32_t peer;
    uint32_t switch_index; /* FLUX_NONE where it is not told */
    uint32_t lane;         /* then its thread */
};

struct drawing {
    struct flux_perfetto writer;
    const struct flux_graph *graph;
    struct flux_replay *replay;
    struct slice *slice;
    uint64_t room;
    uint64_t slices;
    uint64_t changes; /* room */
};

static int compare_slices(const void *left, const void *right)
{
    const struct slice *a = left, *b = right;
    if (a->gpu != b->gpu)
        return a->gpu < b->gpu ? -1 : 1;
    if (a->sent != b->sent)
        return a->sent < b->sent ? -1 : 1;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->vertex != b->vertex)
        return a->vertex < b->vertex ? -1 : 1;
    return a->peer != b->peer ? (a->peer < b->peer ? -1 : 1) : 0;
}

static void add_slice(struct drawing *drawing, struct slice slice)
{
    if (slice.end > slice.start)
        drawing->slice[drawing->slices++] = slice;
}

static void add_slices(struct drawing *drawing, uint64_t parts)
{
    const struct flux_time *times = flux_replay_times(drawing->replay, NULL);
    const struct flux_replay_part *part = flux_replay_parts(drawing->replay, NULL);
    struct flux_send send;
    struct flux_compute compute;
    for (uint32_t v = 0; v < flux_graph_vertices(drawing->graph); v++) {
        struct slice slice = {
            .start = times[v].start, .end = times[v].end, .vertex = v, .peer = FLUX_NONE, .switch_index = FLUX_NONE};
        if (flux_graph_get_compute(drawing->graph, v, &compute) == FLUX_OK) {
            slice.gpu = compute.gpu;
        } else if (parts == 0) {
            flux_graph_get_send(drawing->graph, v, &send);
            slice.gpu = send.src;
            slice.peer = send.dst;
            slice.bytes = send.bytes;
            slice.sent = 1;
        } else {
            continue;
        }
        add_slice(drawing, slice);
    }
    for (uint64_t i = 0; i < parts; i++)
        add_slice(drawing, (struct slice){.start = part[i].start,
                                          .end = part[i].end,
                                          .bytes = part[i].bytes,
                                          .vertex = part[i].send,
                                          .gpu = part[i].src,
                                          .sent = 1,
                                          .peer = part[i].dst,
                                          .switch_index = part[i].switch_index});
    qsort(drawing->slice, drawing->slices, sizeof *drawing->slice, compare_slices);
}

static void write_slice(struct drawing *drawing, const struct slice *slice)
{
    struct flux_perfetto *writer = &drawing->writer;
    const char *label = flux_graph_label(drawing->graph, slice->vertex);
    flux_perfetto_slice(writer, flux_perfetto_gpu(writer, slice->gpu), slice->lane, slice->start, slice->end,
                        slice->next, slice->sent ? "send" : "compute");
    if (*label)
        flux_io_put_json(writer->out, label);
    else
        flux_io_put_format(writer->out, "\"%s %u\"", slice->sent ? "send" : "compute", slice->vertex);
    flux_perfetto_number(writer, ",\"args\":{\"vertex\":", slice->vertex);
    if (slice->sent) {
        flux_perfetto_number(writer, ",\"to\":", slice->peer);
        flux_perfetto_number(writer, ",\"bytes\":", slice->bytes);
    }
    if (slice->switch_index != FLUX_NONE)
        flux_perfetto_number(writer, ",\"switch\":", slice->switch_index);
    flux_perfetto_number(writer, ",\"start_ps\":", (uint64_t)slice->start);
    flux_perfetto_number(writer, ",\"end_ps\":", (uint64_t)slice->end);
    flux_io_put(writer->out, "}}");
}

/* The slices of one GPU and kind, on as many threads as overlap. `last` is by lane, and has room for all slices. */
static int write_lanes(struct drawing *drawing, struct slice *slice, uint64_t count)
{
    struct flux_perfetto *writer = &drawing->writer;
    char name[32];
    flux_io_lanes_clear(&writer->lanes);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t lanes = flux_io_lanes_count(&writer->lanes);
        int rc = flux_io_lanes_take(&writer->lanes, slice[i].start, slice[i].end, &slice[i].lane);
        if (rc)
            return rc;
        slice[i].next = FLUX_TIME_MAX;
        if (slice[i].lane < lanes)
            slice[writer->last[slice[i].lane]].next = slice[i].start;
        writer->last[slice[i].lane] = (uint32_t)i;
    }
    for (uint32_t lane = 0; lane < flux_io_lanes_count(&writer->lanes); lane++) {
        snprintf(name, sizeof name, lane ? "%s %u" : "%s", slice->sent ? "sends" : "compute", lane + 1);
        writer->last[lane] = flux_perfetto_name_thread(writer, flux_perfetto_gpu(writer, slice->gpu), name);
    }
    for (uint64_t i = 0; i < count; i++) {
        slice[i].lane = writer->last[slice[i].lane];
        write_slice(drawing, &slice[i]);
    }
    return FLUX_OK;
}

static int write_gpus(struct drawing *drawing)
{
    struct flux_perfetto *writer = &drawing->writer;
    for (uint32_t g = 0; g < writer->line->gpus; g++)
        flux_perfetto_name_process(writer, flux_perfetto_gpu(writer, g), "GPU", g);
    for (uint64_t i = 0, end; i < drawing->slices; i = end) {
        const struct slice *first = &drawing->slice[i];
        for (end = i;
             end < drawing->slices && drawing->slice[end].gpu == first->gpu && drawing->slice[end].sent == first->sent;)
            end++;
        int rc = write_lanes(drawing, &drawing->slice[i], end - i);
        if (rc)
            return rc;
    }
    return FLUX_OK;
}

/* Circuits that carry something, by switch, where that is told; else sends under way. */
static void write_use(struct drawing *drawing, uint64_t parts)
{
    struct flux_perfetto *writer = &drawing->writer;
    uint64_t count = 0;
    for (uint64_t i = 0; i < drawing->slices; i++) {
        const struct slice *slice = &drawing->slice[i];
        struct flux_perfetto_change change = {.time = slice->start, .amount = 1};
        if (!slice->sent)
            continue;
        change.of = parts ? slice->switch_index : 0;
        writer->changes[count++] = change;
        change.time = slice->end;
        change.down = 1;
        writer->changes[count++] = change;
    }
    for (uint32_t k = 0; k < (parts ? writer->line->switches : 1); k++)
        flux_perfetto_name_process(writer, flux_perfetto_switch(k), parts ? "switch" : "network", k);
    flux_perfetto_counter(writer, count, flux_perfetto_switch(0), parts ? "circuits in use" : "sends under way",
                          parts ? "circuits" : "sends");
}

static int write_memory(struct drawing *drawing, struct flux_error *error)
{
    struct flux_perfetto *writer = &drawing->writer;
    const struct flux_replay_held *rows;
    uint64_t count;
    int rc = flux_replay_memory(drawing->replay, &rows, &count, error);
    for (uint64_t i = 0; !rc && i < count; i++)
        flux_perfetto_sample(writer, flux_perfetto_gpu(writer, rows[i].gpu), "NIC memory", "bytes", rows[i].time,
                             rows[i].bytes);
    return rc;
}

static int write_all(struct drawing *drawing, uint64_t parts, struct flux_error *error)
{
    struct flux_perfetto *writer = &drawing->writer;
    struct flux_replay_summary summary = FLUX_REPLAY_SUMMARY_INIT;
    flux_io_put(writer->out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    int rc = write_gpus(drawing);
    if (rc)
        return flux_io_fail_memory(error);
    rc = write_memory(drawing, error);
    if (!rc)
        write_use(drawing, parts);
    if (!rc)
        rc = flux_replay_summary(drawing->replay, &summary);
    flux_io_put(writer->out, "\n],\"otherData\":{\"written by\":");
    flux_io_put_format(writer->out, "\"libflux %s\",\"iteration_ps\":\"%lld\",\"reconfigurations\":\"%llu\"}}\n",
                       flux_version_text(), (long long)summary.iteration, (unsigned long long)summary.reconfigurations);
    return rc;
}

static int write_file(struct drawing *drawing, const char *path, uint64_t parts, struct flux_error *error)
{
    struct flux_io_output out;
    int rc = flux_io_output_open(&out, path, error);
    if (rc)
        return rc;
    drawing->writer.out = &out;
    add_slices(drawing, parts);
    rc = write_all(drawing, parts, error);
    if (rc)
        flux_io_output_abandon(&out);
    else
        rc = flux_io_output_close(&out, error);
    return rc;
}

int flux_write_replay_perfetto(const char *path, const struct flux_graph *graph, const struct flux_fabric *fabric,
                               struct flux_replay *replay, struct flux_error *error)
{
    uint64_t vertices = 0, parts = 0;
    if (!graph || !fabric || !flux_replay_times(replay, &vertices))
        return flux_io_fail(error, FLUX_E_ARGUMENT,
                            "flux_write_replay_perfetto: graph or fabric are NULL, or the replay did not run");
    if (vertices != flux_graph_vertices(graph) || flux_graph_gpus(graph) != flux_fabric_gpus(fabric))
        return flux_io_fail(error, FLUX_E_MISMATCH, "graph, fabric and replay do not belong together");
    (void)flux_replay_parts(replay, &parts);
    struct flux_io_memory memory;
    flux_io_memory_init(&memory, NULL);
    struct flux_io_timeline line = {
        .memory = memory, .gpus = flux_graph_gpus(graph), .switches = flux_fabric_switches(fabric)};
    struct drawing drawing = {.writer = {.line = &line, .next_thread = 1 + line.switches + line.gpus},
                              .graph = graph,
                              .replay = replay,
                              .room = vertices + parts};
    flux_io_lanes_init(&drawing.writer.lanes, &memory);
    drawing.slice = flux_io_alloc(&memory, drawing.room, sizeof *drawing.slice);
    drawing.writer.last = flux_io_alloc(&memory, drawing.room, sizeof *drawing.writer.last);
    drawing.writer.changes = flux_io_alloc(&memory, 2 * drawing.room, sizeof *drawing.writer.changes);
    int rc = drawing.slice && drawing.writer.last && drawing.writer.changes ? write_file(&drawing, path, parts, error)
                                                                            : flux_io_fail_memory(error);
    flux_io_release(&memory, drawing.slice, drawing.room, sizeof *drawing.slice);
    flux_io_release(&memory, drawing.writer.last, drawing.room, sizeof *drawing.writer.last);
    flux_io_release(&memory, drawing.writer.changes, 2 * drawing.room, sizeof *drawing.writer.changes);
    flux_io_lanes_free(&drawing.writer.lanes);
    return rc;
}
