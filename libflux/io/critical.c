/* SPDX-License-Identifier: Apache-2.0
 *
 * The critical path of a schedule, traced backwards through constraints that hold with equality.
 */
#include "io/timeline.h"

#include <stdlib.h>

/* The best constraint found so far for one vertex: the latest, and the first found among equals. */
struct constraint {
    int64_t bound; /* the vertex starts no earlier */
    uint32_t from; /* because of this vertex */
    uint32_t why;  /* FLUX_STEP_* */
};

static void consider(struct constraint *best, int64_t bound, uint32_t from, uint32_t why)
{
    if (best->from == FLUX_NONE || bound > best->bound)
        *best = (struct constraint){.bound = bound, .from = from, .why = why};
}

/* Sends by switch and end, for a switch that must be idle to change. */
struct ending {
    int64_t end;
    uint32_t switch_index;
    uint32_t vertex;
};

struct endings {
    struct ending *rows; /* NULL where no switch needs them */
    uint64_t count;
};

static int compare_endings(const void *left, const void *right)
{
    const struct ending *a = left;
    const struct ending *b = right;
    if (a->switch_index != b->switch_index)
        return a->switch_index < b->switch_index ? -1 : 1;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    return (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

static int blocks(const struct flux_io_timeline *line, uint32_t switch_index)
{
    return flux_fabric_blocking(line->fabric, switch_index) == FLUX_BLOCKING_SWITCH &&
           flux_fabric_delay(line->fabric, switch_index) > 0;
}

static int sort_endings(const struct flux_io_timeline *line, struct endings *endings)
{
    int wanted = 0;
    endings->rows = NULL;
    endings->count = 0;
    for (uint32_t k = 0; k < line->switches; k++)
        wanted |= blocks(line, k);
    if (!wanted)
        return FLUX_OK;
    endings->rows = flux_io_alloc(&line->memory, line->send_count, sizeof *endings->rows);
    if (!endings->rows)
        return FLUX_E_MEMORY;
    for (uint32_t v = 0; v < line->vertex_count; v++)
        if (line->vertices[v].peer != FLUX_NONE)
            endings->rows[endings->count++] = (struct ending){
                .end = line->vertices[v].end, .switch_index = line->vertices[v].switch_index, .vertex = v};
    qsort(endings->rows, endings->count, sizeof *endings->rows, compare_endings);
    return FLUX_OK;
}

/* The last send of a switch that ends no later than `time`, or NULL. */
static const struct ending *last_ending(const struct endings *endings, uint32_t switch_index, int64_t time)
{
    struct ending limit = {.end = time, .switch_index = switch_index, .vertex = FLUX_NONE};
    uint64_t low = 0;
    uint64_t high = endings->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (compare_endings(&endings->rows[middle], &limit) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && endings->rows[low - 1].switch_index == switch_index ? &endings->rows[low - 1] : NULL;
}

/* Index of the last transfer of a port's side that starts before `time`, or UINT64_MAX. */
static uint64_t last_before(const struct flux_io_timeline *line, const struct flux_io_timeline_port *port, int64_t time)
{
    uint64_t low = port->first;
    uint64_t high = port->first + port->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (line->uses[middle].start < time)
            low = middle + 1;
        else
            high = middle;
    }
    while (low > port->first && line->uses[low - 1].kind == FLUX_TIMELINE_CHANGE)
        low--;
    return low > port->first ? low - 1 : UINT64_MAX;
}

/* 1 where two sends need the same state of the switch. */
static int same_circuit(const struct flux_io_timeline *line, const struct flux_io_timeline_vertex *a,
                        const struct flux_io_timeline_vertex *b)
{
    if (a->gpu == b->gpu && a->peer == b->peer)
        return 1;
    return line->rule == FLUX_RULE_DUPLEX && a->gpu == b->peer && a->peer == b->gpu;
}

/* Who had the port before the send `v`: on its own side, and under DUPLEX on the other side, where the opposite
 * direction of the same pair does not compete. */
static void consider_port(const struct flux_io_timeline *line, uint32_t v, uint32_t gpu, uint32_t side,
                          struct constraint *best)
{
    const struct flux_io_timeline_vertex *row = &line->vertices[v];
    uint32_t peer = gpu == row->gpu ? row->peer : row->gpu;
    for (uint32_t s = 0; s < line->sides; s++) {
        if (s != side && line->rule != FLUX_RULE_DUPLEX)
            continue;
        uint64_t place = flux_io_timeline_find_port(line, row->switch_index, gpu, s);
        if (place == UINT64_MAX)
            continue;
        const struct flux_io_timeline_port *port = &line->ports[place];
        uint64_t at = last_before(line, port, row->start);
        if (at != UINT64_MAX && s != side && line->uses[at].peer == peer)
            at = last_before(line, port, line->uses[line->uses[at].run].start);
        if (at == UINT64_MAX)
            continue;
        const struct flux_io_timeline_vertex *before = &line->vertices[line->uses[at].index];
        int same = same_circuit(line, before, row);
        consider(best, before->end + (same ? 0 : flux_fabric_delay(line->fabric, row->switch_index)),
                 line->uses[at].index, same ? FLUX_STEP_PORT : FLUX_STEP_CHANGE);
    }
}

/* 1 where the send starts when an initial circuit of its ports has gone. */
static int waits_for_initial(const struct flux_io_timeline *line, const struct flux_io_timeline_vertex *row)
{
    uint64_t count = 0;
    const struct flux_circuit_name *initial = flux_fabric_initial(line->fabric, &count);
    if (row->start != flux_fabric_delay(line->fabric, row->switch_index))
        return 0;
    for (uint64_t i = 0; i < count; i++)
        if (initial[i].switch_index == row->switch_index &&
            (initial[i].src == row->gpu || initial[i].dst == row->gpu || initial[i].src == row->peer ||
             initial[i].dst == row->peer))
            return 1;
    return 0;
}

/* What a send waited for at its ports and its switch. */
static void consider_switch(const struct flux_io_timeline *line, const struct endings *endings, uint32_t v,
                            struct constraint *best)
{
    const struct flux_io_timeline_vertex *row = &line->vertices[v];
    consider_port(line, v, row->gpu, FLUX_TIMELINE_OUT, best);
    consider_port(line, v, row->peer, line->sides == 2 ? FLUX_TIMELINE_IN : 0, best);
    if (best->bound == row->start || !endings->rows || !blocks(line, row->switch_index))
        return;
    int64_t delay = flux_fabric_delay(line->fabric, row->switch_index);
    const struct ending *idle = last_ending(endings, row->switch_index, row->start - delay);
    if (idle)
        consider(best, idle->end + delay, idle->vertex, FLUX_STEP_SWITCH);
}

/* What `v` waited for; from FLUX_NONE where the path begins. */
static struct constraint find_constraint(const struct flux_io_timeline *line, const struct endings *endings, uint32_t v)
{
    const struct flux_io_timeline_vertex *row = &line->vertices[v];
    struct constraint best = {.from = FLUX_NONE, .why = FLUX_STEP_FIRST};
    if (row->start == 0)
        return best;
    if (row->cause != FLUX_NONE)
        consider(&best, row->ready, row->cause, FLUX_STEP_EDGE);
    else if (row->ready == row->start)
        return (struct constraint){.from = FLUX_NONE, .why = FLUX_STEP_RELEASE};
    if (row->peer != FLUX_NONE && best.bound < row->start) {
        consider_switch(line, endings, v, &best);
        if (best.bound < row->start && waits_for_initial(line, row))
            return (struct constraint){.from = FLUX_NONE, .why = FLUX_STEP_INITIAL};
    }
    if (best.from != FLUX_NONE && best.bound < row->start)
        best.why = FLUX_STEP_SLACK;
    return best;
}

static uint32_t last_vertex(const struct flux_io_timeline *line)
{
    uint32_t last = FLUX_NONE;
    for (uint32_t v = 0; v < line->vertex_count; v++)
        if (last == FLUX_NONE || line->vertices[v].end > line->vertices[last].end)
            last = v;
    return last;
}

int flux_io_timeline_trace(struct flux_io_timeline *line)
{
    struct endings endings;
    line->path = flux_io_alloc(&line->memory, line->vertex_count, sizeof *line->path);
    line->on_path = flux_io_alloc_zero(&line->memory, line->vertex_count, sizeof *line->on_path);
    if (!line->path || !line->on_path || sort_endings(line, &endings))
        return FLUX_E_MEMORY;
    uint32_t v = last_vertex(line);
    while (v != FLUX_NONE && !line->on_path[v]) {
        struct constraint found = find_constraint(line, &endings, v);
        line->path[line->path_count++] = (struct flux_io_timeline_step){.vertex = v, .why = found.why};
        line->on_path[v] = 1;
        v = found.from;
    }
    for (uint64_t i = 0; i < line->path_count / 2; i++) {
        struct flux_io_timeline_step early = line->path[line->path_count - 1 - i];
        line->path[line->path_count - 1 - i] = line->path[i];
        line->path[i] = early;
    }
    flux_io_release(&line->memory, endings.rows, line->send_count, sizeof *endings.rows);
    return FLUX_OK;
}
