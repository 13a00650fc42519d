/* SPDX-License-Identifier: Apache-2.0 */
#include "io/timeline.h"

#include "io/fail.h"

#include <stdlib.h>
#include <string.h>

static int compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_i64(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_place(const struct flux_io_timeline_use *a, const struct flux_io_timeline_use *b)
{
    if (a->switch_index != b->switch_index)
        return compare_u64(a->switch_index, b->switch_index);
    if (a->gpu != b->gpu)
        return compare_u64(a->gpu, b->gpu);
    return compare_u64(a->side, b->side);
}

static int compare_uses(const void *left, const void *right)
{
    const struct flux_io_timeline_use *a = left;
    const struct flux_io_timeline_use *b = right;
    int order = compare_place(a, b);
    if (order)
        return order;
    if (a->start != b->start)
        return compare_i64(a->start, b->start);
    if (a->end != b->end)
        return compare_i64(a->end, b->end);
    if (a->kind != b->kind)
        return compare_u64(a->kind, b->kind);
    return compare_u64(a->index, b->index);
}

/* A vertex and where it stands among those of its kind: by GPU, start, number. */
struct placed {
    int64_t start;
    uint32_t gpu;
    uint32_t vertex;
};

static int compare_placed(const void *left, const void *right)
{
    const struct placed *a = left;
    const struct placed *b = right;
    if (a->gpu != b->gpu)
        return compare_u64(a->gpu, b->gpu);
    if (a->start != b->start)
        return compare_i64(a->start, b->start);
    return compare_u64(a->vertex, b->vertex);
}

static int read_counts(struct flux_io_timeline *line, struct flux_error *error)
{
    uint64_t slots = 0;
    uint64_t times = 0;
    flux_schedule_slots(line->schedule, &slots);
    flux_schedule_times(line->schedule, &times);
    line->circuits = flux_schedule_circuits(line->schedule, &line->circuit_count);
    line->makespan = flux_schedule_makespan(line->schedule);
    line->gpus = flux_graph_gpus(line->graph);
    line->switches = flux_fabric_switches(line->fabric);
    line->rule = flux_fabric_rule(line->fabric);
    line->sides = line->rule == FLUX_RULE_PAPER ? 1 : 2;
    line->vertex_count = flux_graph_vertices(line->graph);
    line->send_count = flux_graph_sends(line->graph);
    if (line->gpus != flux_fabric_gpus(line->fabric))
        return flux_io_fail(error, FLUX_E_MISMATCH, "the graph has %u GPUs, the fabric %u", line->gpus,
                            flux_fabric_gpus(line->fabric));
    if (slots != line->send_count || times != line->vertex_count)
        return flux_io_fail(
            error, FLUX_E_MISMATCH,
            "the graph has %u vertices with %u sends, the schedule %llu with %llu: it is another graph's",
            line->vertex_count, line->send_count, (unsigned long long)times, (unsigned long long)slots);
    return FLUX_OK;
}

static int read_vertices(struct flux_io_timeline *line, struct flux_error *error)
{
    const struct flux_time *times = flux_schedule_times(line->schedule, NULL);
    for (uint32_t v = 0; v < line->vertex_count; v++) {
        struct flux_io_timeline_vertex *row = &line->vertices[v];
        struct flux_send send;
        struct flux_compute compute;
        *row = (struct flux_io_timeline_vertex){.start = times[v].start,
                                                .end = times[v].end,
                                                .peer = FLUX_NONE,
                                                .switch_index = FLUX_NONE,
                                                .cause = FLUX_NONE};
        if (flux_graph_is_send(line->graph, v)) {
            flux_graph_get_send(line->graph, v, &send);
            row->gpu = send.src;
            row->peer = send.dst;
            row->bytes = send.bytes;
            row->ready = send.release;
        } else {
            flux_graph_get_compute(line->graph, v, &compute);
            row->gpu = compute.gpu;
            row->ready = compute.release;
        }
        if (row->ready > row->start || row->end < row->start || row->end > line->makespan)
            return flux_io_fail(error, FLUX_E_MISMATCH,
                                "vertex %u does not run when the schedule says: it is another graph's", v);
    }
    return FLUX_OK;
}

static int read_slots(struct flux_io_timeline *line, struct flux_error *error)
{
    uint64_t count = 0;
    const struct flux_slot *slots = flux_schedule_slots(line->schedule, &count);
    for (uint64_t i = 0; i < count; i++) {
        const struct flux_slot *slot = &slots[i];
        struct flux_io_timeline_vertex *row = slot->send < line->vertex_count ? &line->vertices[slot->send] : NULL;
        if (!row || row->peer == FLUX_NONE || row->start != slot->start || row->end != slot->end)
            return flux_io_fail(error, FLUX_E_MISMATCH, "vertex %u is no send of the graph that the schedule is of",
                                slot->send);
        if (slot->switch_index >= line->switches)
            return flux_io_fail(error, FLUX_E_MISMATCH, "send %u is on switch %u, the fabric has %u", slot->send,
                                slot->switch_index, line->switches);
        row->switch_index = slot->switch_index;
    }
    return FLUX_OK;
}

/* Of two predecessors that end a wait together, one at the vertex's own GPU is the better one to show: the critical
 * path then stays in one place. Otherwise the first stays. */
static int closer(const struct flux_io_timeline *line, uint32_t from, const struct flux_io_timeline_vertex *to)
{
    return to->cause == FLUX_NONE || (line->vertices[from].gpu == to->gpu && line->vertices[to->cause].gpu != to->gpu);
}

/* When each vertex was ready, and by what. The schedule obeys every edge, or it is not this graph's. */
static int read_edges(struct flux_io_timeline *line, struct flux_error *error)
{
    uint64_t count = 0;
    const struct flux_edge *edges = flux_graph_edges(line->graph, &count);
    for (uint64_t i = 0; i < count; i++) {
        const struct flux_io_timeline_vertex *from = &line->vertices[edges[i].from];
        struct flux_io_timeline_vertex *to = &line->vertices[edges[i].to];
        /* Each is at most 2^62, so that the sum of three fits 64 bits without a sign. */
        uint64_t ready = (uint64_t)from->end + (uint64_t)edges[i].lag;
        if (from->peer != FLUX_NONE && to->gpu != from->gpu)
            ready += (uint64_t)flux_fabric_propagation(line->fabric, from->gpu, from->peer);
        if (ready > (uint64_t)to->start)
            return flux_io_fail(error, FLUX_E_MISMATCH,
                                "vertex %u starts before vertex %u lets it: the schedule is another graph's",
                                edges[i].to, edges[i].from);
        if ((int64_t)ready > to->ready || ((int64_t)ready == to->ready && closer(line, edges[i].from, to))) {
            to->ready = (int64_t)ready;
            to->cause = edges[i].from;
        }
    }
    return FLUX_OK;
}

static void add_use(struct flux_io_timeline *line, const struct flux_io_timeline_use *use)
{
    line->uses[line->use_count++] = *use;
}

/* A transfer occupies the source's and the destination's port; a change those of the circuit that comes. */
static void add_uses(struct flux_io_timeline *line)
{
    for (uint32_t v = 0; v < line->vertex_count; v++) {
        const struct flux_io_timeline_vertex *row = &line->vertices[v];
        if (row->peer == FLUX_NONE)
            continue;
        struct flux_io_timeline_use use = {.start = row->start,
                                           .end = row->end,
                                           .switch_index = row->switch_index,
                                           .index = v,
                                           .kind = FLUX_TIMELINE_TRANSFER};
        for (uint8_t in = 0; in < 2; in++) {
            use.gpu = in ? row->peer : row->gpu;
            use.peer = in ? row->gpu : row->peer;
            use.sent = !in;
            use.side = line->sides == 2 ? in : 0;
            add_use(line, &use);
        }
    }
    for (uint64_t i = 0; i < line->circuit_count; i++) {
        const struct flux_circuit *circuit = &line->circuits[i];
        if (circuit->up <= circuit->begin)
            continue;
        struct flux_io_timeline_use use = {.start = circuit->begin,
                                           .end = circuit->up,
                                           .switch_index = circuit->switch_index,
                                           .index = (uint32_t)i,
                                           .kind = FLUX_TIMELINE_CHANGE};
        for (uint8_t in = 0; in < 2; in++) {
            use.gpu = in ? circuit->dst : circuit->src;
            use.peer = in ? circuit->src : circuit->dst;
            use.sent = !in;
            use.side = line->sides == 2 ? in : 0;
            add_use(line, &use);
            if (line->rule == FLUX_RULE_DUPLEX) { /* one light path for both directions: both sides go dark */
                use.side = !in;
                add_use(line, &use);
            }
        }
    }
}

static void find_ports(struct flux_io_timeline *line)
{
    for (uint64_t i = 0; i < line->use_count; i++) {
        struct flux_io_timeline_use *use = &line->uses[i];
        struct flux_io_timeline_port *port = line->port_count ? &line->ports[line->port_count - 1] : NULL;
        if (i == 0 || compare_place(use, use - 1)) {
            port = &line->ports[line->port_count++];
            *port = (struct flux_io_timeline_port){
                .switch_index = use->switch_index, .gpu = use->gpu, .side = use->side, .first = i};
        }
        port->count++;
        use->run = i;
        for (uint64_t before = i; use->kind == FLUX_TIMELINE_TRANSFER && before > port->first; before--) {
            const struct flux_io_timeline_use *other = &line->uses[before - 1];
            if (other->kind == FLUX_TIMELINE_CHANGE)
                continue;
            if (other->peer == use->peer && other->sent == use->sent)
                use->run = other->run;
            break;
        }
    }
}

static int make_uses(struct flux_io_timeline *line)
{
    uint64_t room = 2 * (uint64_t)line->send_count + 4 * line->circuit_count;
    line->uses = flux_io_alloc(&line->memory, room, sizeof *line->uses);
    line->ports = flux_io_alloc(&line->memory, room, sizeof *line->ports);
    if (!line->uses || !line->ports)
        return FLUX_E_MEMORY;
    add_uses(line);
    qsort(line->uses, line->use_count, sizeof *line->uses, compare_uses);
    find_ports(line);
    return FLUX_OK;
}

/* The vertices of one kind that take time, in the order of compare_placed(). */
static int place_vertices(const struct flux_io_timeline *line, int sends, uint32_t *list, uint64_t *count)
{
    struct placed *placed = flux_io_alloc(&line->memory, line->vertex_count, sizeof *placed);
    if (!placed)
        return FLUX_E_MEMORY;
    for (uint32_t v = 0; v < line->vertex_count; v++) {
        const struct flux_io_timeline_vertex *row = &line->vertices[v];
        if ((row->peer != FLUX_NONE) == sends && row->end > row->start)
            placed[(*count)++] = (struct placed){.start = row->start, .gpu = row->gpu, .vertex = v};
    }
    qsort(placed, *count, sizeof *placed, compare_placed);
    for (uint64_t i = 0; i < *count; i++)
        list[i] = placed[i].vertex;
    flux_io_release(&line->memory, placed, line->vertex_count, sizeof *placed);
    return FLUX_OK;
}

static int make_lists(struct flux_io_timeline *line)
{
    line->sends = flux_io_alloc(&line->memory, line->send_count, sizeof *line->sends);
    line->computes = flux_io_alloc(&line->memory, line->vertex_count - line->send_count, sizeof *line->computes);
    if (!line->sends || !line->computes || place_vertices(line, 1, line->sends, &line->sends_placed))
        return FLUX_E_MEMORY;
    return place_vertices(line, 0, line->computes, &line->compute_count);
}

int flux_io_timeline_make(struct flux_io_timeline *line, const struct flux_graph *graph,
                          const struct flux_fabric *fabric, const struct flux_schedule *schedule,
                          struct flux_error *error)
{
    memset(line, 0, sizeof *line);
    if (!graph || !fabric || !schedule)
        return flux_io_fail(error, FLUX_E_ARGUMENT, "a picture needs a graph, a fabric and a schedule; the %s is NULL",
                            !graph    ? "graph"
                            : !fabric ? "fabric"
                                      : "schedule");
    line->graph = graph;
    line->fabric = fabric;
    line->schedule = schedule;
    int rc = flux_io_memory_init(&line->memory, NULL);
    if (!rc)
        rc = read_counts(line, error);
    if (rc)
        return rc;
    line->vertices = flux_io_alloc(&line->memory, line->vertex_count, sizeof *line->vertices);
    if (!line->vertices)
        return flux_io_fail_memory(error);
    rc = read_vertices(line, error);
    if (!rc)
        rc = read_slots(line, error);
    if (!rc)
        rc = read_edges(line, error);
    if (rc) {
        flux_io_timeline_free(line);
        return rc;
    }
    if (make_uses(line) || make_lists(line) || flux_io_timeline_trace(line)) {
        flux_io_timeline_free(line);
        return flux_io_fail_memory(error);
    }
    return FLUX_OK;
}

void flux_io_timeline_free(struct flux_io_timeline *line)
{
    uint64_t uses = 2 * (uint64_t)line->send_count + 4 * line->circuit_count;
    flux_io_release(&line->memory, line->vertices, line->vertex_count, sizeof *line->vertices);
    flux_io_release(&line->memory, line->uses, uses, sizeof *line->uses);
    flux_io_release(&line->memory, line->ports, uses, sizeof *line->ports);
    flux_io_release(&line->memory, line->sends, line->send_count, sizeof *line->sends);
    flux_io_release(&line->memory, line->computes, line->vertex_count - line->send_count, sizeof *line->computes);
    flux_io_release(&line->memory, line->path, line->vertex_count, sizeof *line->path);
    flux_io_release(&line->memory, line->on_path, line->vertex_count, sizeof *line->on_path);
    memset(line, 0, sizeof *line);
}

uint64_t flux_io_timeline_find_port(const struct flux_io_timeline *line, uint32_t switch_index, uint32_t gpu,
                                    uint32_t side)
{
    struct flux_io_timeline_use wanted = {.switch_index = switch_index, .gpu = gpu, .side = (uint8_t)side};
    uint64_t low = 0;
    uint64_t high = line->port_count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        const struct flux_io_timeline_port *port = &line->ports[middle];
        struct flux_io_timeline_use here = {
            .switch_index = port->switch_index, .gpu = port->gpu, .side = (uint8_t)port->side};
        int order = compare_place(&here, &wanted);
        if (order == 0)
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return UINT64_MAX;
}
