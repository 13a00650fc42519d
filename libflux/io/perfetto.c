/* SPDX-License-Identifier: Apache-2.0 */
#include "io/perfetto.h"

#include "io/fail.h"

#include <libflux/io/write.h>

#include <stdio.h>

/* "compute", "compute 2", ... */
static uint32_t name_lane(struct flux_perfetto *writer, uint32_t process, const char *kind, uint32_t lane)
{
    char name[32];
    if (lane == 0)
        return flux_perfetto_name_thread(writer, process, kind);
    snprintf(name, sizeof name, "%s %u", kind, lane + 1);
    return flux_perfetto_name_thread(writer, process, name);
}

/* The vertex's label, or "send 12". */
static void put_vertex_name(struct flux_perfetto *writer, uint32_t vertex)
{
    const char *label = flux_graph_label(writer->line->graph, vertex);
    const char *kind = writer->line->vertices[vertex].peer == FLUX_NONE ? "compute" : "send";
    if (*label)
        flux_io_put_json(writer->out, label);
    else
        flux_io_put_format(writer->out, "\"%s %u\"", kind, vertex);
}

static void put_circuit_name(struct flux_perfetto *writer, uint32_t src, uint32_t dst)
{
    flux_io_put_format(writer->out, "\"%u \xe2\x86\x92 %u\"", src, dst);
}

static void write_transfer(struct flux_perfetto *writer, const struct flux_io_timeline_use *use, uint32_t thread,
                           int64_t next)
{
    const struct flux_io_timeline_vertex *row = &writer->line->vertices[use->index];
    flux_perfetto_slice(writer, flux_perfetto_switch(use->switch_index), thread, use->start, use->end, next,
                        "transfer");
    put_circuit_name(writer, row->gpu, row->peer);
    flux_perfetto_number(writer, ",\"args\":{\"send\":", use->index);
    if (*flux_graph_label(writer->line->graph, use->index)) {
        flux_io_put(writer->out, ",\"label\":");
        put_vertex_name(writer, use->index);
    }
    flux_io_put(writer->out, "}}");
}

static void write_change(struct flux_perfetto *writer, const struct flux_io_timeline_use *use, uint32_t thread,
                         int64_t next)
{
    const struct flux_circuit *circuit = &writer->line->circuits[use->index];
    flux_perfetto_slice(writer, flux_perfetto_switch(use->switch_index), thread, use->start, use->end, next,
                        "reconfiguration");
    flux_io_put(writer->out, "\"reconfigure\",\"args\":{\"to\":");
    put_circuit_name(writer, circuit->src, circuit->dst);
    flux_io_put(writer->out, "}}");
}

static void write_ports(struct flux_perfetto *writer)
{
    const struct flux_io_timeline *line = writer->line;
    for (uint64_t p = 0; p < line->port_count; p++) {
        const struct flux_io_timeline_port *port = &line->ports[p];
        uint32_t process = flux_perfetto_switch(port->switch_index);
        char name[32];
        if (p == 0 || port->switch_index != port[-1].switch_index)
            flux_perfetto_name_process(writer, process, "switch", port->switch_index);
        const char *side = line->sides == 1 ? "" : port->side == FLUX_TIMELINE_OUT ? " out" : " in";
        snprintf(name, sizeof name, "GPU %u%s", port->gpu, side);
        uint32_t thread = flux_perfetto_name_thread(writer, process, name);
        for (uint64_t i = port->first; i < port->first + port->count; i++) {
            const struct flux_io_timeline_use *use = &line->uses[i];
            int64_t next = i + 1 < port->first + port->count ? use[1].start : FLUX_TIME_MAX;
            if (use->kind == FLUX_TIMELINE_TRANSFER)
                write_transfer(writer, use, thread, next);
            else
                write_change(writer, use, thread, next);
        }
    }
}

static void write_vertex(struct flux_perfetto *writer, uint32_t v)
{
    const struct flux_io_timeline_vertex *row = &writer->line->vertices[v];
    uint32_t follows = writer->follows[v];
    int64_t next = follows == FLUX_NONE ? FLUX_TIME_MAX : writer->line->vertices[follows].start;
    flux_perfetto_slice(writer, flux_perfetto_gpu(writer, row->gpu), writer->thread[v], row->start, row->end, next,
                        row->peer == FLUX_NONE ? "compute" : "send");
    put_vertex_name(writer, v);
    flux_perfetto_number(writer, ",\"args\":{\"vertex\":", v);
    if (row->peer != FLUX_NONE) {
        flux_perfetto_number(writer, ",\"to\":", row->peer);
        flux_perfetto_number(writer, ",\"switch\":", row->switch_index);
        flux_perfetto_number(writer, ",\"bytes\":", row->bytes);
    }
    flux_perfetto_number(writer, ",\"waited_ps\":", (uint64_t)(row->start - row->ready));
    flux_perfetto_number(writer, ",\"start_ps\":", (uint64_t)row->start);
    flux_perfetto_number(writer, ",\"end_ps\":", (uint64_t)row->end);
    flux_io_put(writer->out, writer->line->on_path[v] ? ",\"critical\":true}}" : "}}");
}

/* The vertices list[0 .. count - 1] of one GPU, on as many threads as overlap. */
static int write_lanes(struct flux_perfetto *writer, uint32_t gpu, const char *kind, const uint32_t *list,
                       uint64_t count)
{
    flux_io_lanes_clear(&writer->lanes);
    for (uint64_t i = 0; i < count; i++) {
        const struct flux_io_timeline_vertex *row = &writer->line->vertices[list[i]];
        uint32_t lanes = flux_io_lanes_count(&writer->lanes);
        uint32_t lane;
        int rc = flux_io_lanes_take(&writer->lanes, row->start, row->end, &lane);
        if (rc)
            return rc;
        if (lane < lanes)
            writer->follows[writer->last[lane]] = list[i];
        writer->last[lane] = list[i];
        writer->thread[list[i]] = lane;
        writer->follows[list[i]] = FLUX_NONE;
    }
    for (uint32_t lane = 0; lane < flux_io_lanes_count(&writer->lanes); lane++)
        writer->last[lane] = name_lane(writer, flux_perfetto_gpu(writer, gpu), kind, lane);
    for (uint64_t i = 0; i < count; i++) {
        writer->thread[list[i]] = writer->last[writer->thread[list[i]]];
        write_vertex(writer, list[i]);
    }
    return FLUX_OK;
}

/* How many of list[at ...] belong to `gpu`. */
static uint64_t count_of(const struct flux_perfetto *writer, const uint32_t *list, uint64_t count, uint64_t at,
                         uint32_t gpu)
{
    uint64_t end = at;
    while (end < count && writer->line->vertices[list[end]].gpu == gpu)
        end++;
    return end - at;
}

static int write_gpus(struct flux_perfetto *writer)
{
    const struct flux_io_timeline *line = writer->line;
    uint64_t send = 0;
    uint64_t compute = 0;
    while (send < line->sends_placed || compute < line->compute_count) {
        uint32_t gpu = FLUX_NONE;
        if (send < line->sends_placed)
            gpu = line->vertices[line->sends[send]].gpu;
        if (compute < line->compute_count && line->vertices[line->computes[compute]].gpu < gpu)
            gpu = line->vertices[line->computes[compute]].gpu;
        uint64_t computes = count_of(writer, line->computes, line->compute_count, compute, gpu);
        uint64_t sends = count_of(writer, line->sends, line->sends_placed, send, gpu);
        flux_perfetto_name_process(writer, flux_perfetto_gpu(writer, gpu), "GPU", gpu);
        int rc = write_lanes(writer, gpu, "compute", line->computes + compute, computes);
        if (!rc)
            rc = write_lanes(writer, gpu, "sends", line->sends + send, sends);
        if (rc)
            return rc;
        compute += computes;
        send += sends;
    }
    return FLUX_OK;
}

static void write_end(struct flux_perfetto *writer)
{
    const struct flux_schedule *schedule = writer->line->schedule;
    flux_io_put(writer->out, "\n],\"otherData\":{\"written by\":");
    flux_io_put_format(writer->out, "\"libflux %s\"", flux_version_text());
    flux_io_put_format(writer->out, ",\"makespan_ps\":\"%lld\",\"bound_ps\":\"%lld\",\"reconfigurations\":\"%llu\"",
                       (long long)flux_schedule_makespan(schedule), (long long)flux_schedule_bound(schedule),
                       (unsigned long long)flux_schedule_reconfigurations(schedule));
    if (writer->arrows_left_out)
        flux_io_put_format(writer->out, ",\"arrows left out\":\"%llu\"", (unsigned long long)writer->arrows_left_out);
    flux_io_put(writer->out, "}}\n");
}

static int write_all(struct flux_perfetto *writer)
{
    flux_io_put(writer->out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    write_ports(writer);
    int rc = write_gpus(writer);
    if (rc)
        return rc;
    flux_perfetto_memory(writer);
    flux_perfetto_circuits(writer);
    flux_perfetto_arrows(writer);
    write_end(writer);
    return FLUX_OK;
}

static int write_timeline(const char *path, const struct flux_io_timeline *line, struct flux_error *error)
{
    const struct flux_io_memory *memory = &line->memory;
    struct flux_io_output out;
    struct flux_perfetto writer = {.out = &out, .line = line, .next_thread = 1 + line->switches + line->gpus};
    uint64_t vertices = line->vertex_count;
    uint64_t changes = 2 * (uint64_t)line->send_count;
    int rc = FLUX_E_MEMORY;
    flux_io_lanes_init(&writer.lanes, memory);
    writer.thread = flux_io_alloc_zero(memory, vertices, sizeof *writer.thread);
    writer.follows = flux_io_alloc(memory, vertices, sizeof *writer.follows);
    writer.last = flux_io_alloc(memory, vertices, sizeof *writer.last);
    writer.changes = flux_io_alloc(memory, changes, sizeof *writer.changes);
    if (!writer.thread || !writer.follows || !writer.last || !writer.changes)
        flux_io_fail_memory(error);
    else
        rc = flux_io_output_open(&out, path, error);
    if (!rc) {
        rc = write_all(&writer);
        if (rc) {
            flux_io_output_abandon(&out);
            flux_io_fail_memory(error);
        } else {
            rc = flux_io_output_close(&out, error);
        }
    }
    flux_io_release(memory, writer.thread, vertices, sizeof *writer.thread);
    flux_io_release(memory, writer.follows, vertices, sizeof *writer.follows);
    flux_io_release(memory, writer.last, vertices, sizeof *writer.last);
    flux_io_release(memory, writer.changes, changes, sizeof *writer.changes);
    flux_io_lanes_free(&writer.lanes);
    return rc;
}

int flux_write_perfetto(const char *path, const struct flux_graph *graph, const struct flux_fabric *fabric,
                        const struct flux_schedule *schedule, struct flux_error *error)
{
    struct flux_io_timeline line;
    int rc = flux_io_timeline_make(&line, graph, fabric, schedule, error);
    if (rc)
        return rc;
    rc = write_timeline(path, &line, error);
    flux_io_timeline_free(&line);
    return rc;
}
