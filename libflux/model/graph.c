/* SPDX-License-Identifier: Apache-2.0 */
#include "model/graph.h"

#include "base/fail.h"

#include <inttypes.h>
#include <string.h>

#define VERTICES_MAX ((uint64_t)UINT32_MAX - 1)

static int is_time(int64_t time)
{
    return time >= 0 && time <= FLUX_TIME_MAX;
}

int flux_graph_new(const struct flux_env *env, uint32_t gpus, struct flux_graph **graph)
{
    struct flux_memory memory;
    if (!graph)
        return FLUX_E_ARGUMENT;
    *graph = NULL;
    if (gpus < 1 || gpus > FLUX_GPUS_MAX)
        return FLUX_E_ARGUMENT;
    int rc = flux_memory_init(&memory, env);
    if (rc)
        return rc;
    struct flux_graph *fresh = flux_alloc_zero(&memory, 1, sizeof *fresh);
    if (!fresh)
        return FLUX_E_MEMORY;
    fresh->memory = memory;
    fresh->gpus = gpus;
    *graph = fresh;
    return FLUX_OK;
}

static void free_label(struct flux_graph *graph, struct flux_vertex *vertex)
{
    if (vertex->label)
        flux_release(&graph->memory, vertex->label, strlen(vertex->label) + 1, 1);
    vertex->label = NULL;
}

void flux_graph_free(struct flux_graph *graph)
{
    if (!graph)
        return;
    struct flux_memory memory = graph->memory;
    for (uint64_t v = 0; v < graph->vertex_count; v++)
        free_label(graph, &graph->vertices[v]);
    flux_release(&memory, graph->vertices, graph->vertex_capacity, sizeof *graph->vertices);
    flux_release(&memory, graph->edges, graph->edge_capacity, sizeof *graph->edges);
    flux_release(&memory, graph, 1, sizeof *graph);
}

/* Room for `more` vertices. */
static int make_room(struct flux_graph *graph, uint64_t more)
{
    if (more > VERTICES_MAX - graph->vertex_count)
        return FLUX_E_TOO_BIG;
    return flux_grow(&graph->memory, &graph->vertices, &graph->vertex_capacity, graph->vertex_count + more,
                     sizeof *graph->vertices);
}

static int make_edge_room(struct flux_graph *graph, uint64_t more)
{
    if (more > UINT64_MAX / 2 - graph->edge_count)
        return FLUX_E_TOO_BIG;
    return flux_grow(&graph->memory, &graph->edges, &graph->edge_capacity, graph->edge_count + more,
                     sizeof *graph->edges);
}

int flux_graph_reserve(struct flux_graph *graph, uint64_t vertices, uint64_t edges)
{
    if (!graph)
        return FLUX_E_ARGUMENT;
    int rc = make_room(graph, vertices);
    return rc ? rc : make_edge_room(graph, edges);
}

/* Why a row is wrong; NULL where it is fine. */
static const char *send_fault(const struct flux_graph *graph, const void *given)
{
    const struct flux_send *send = given;
    if (send->src >= graph->gpus || send->dst >= graph->gpus)
        return "names a GPU that is not there";
    if (send->src == send->dst)
        return "leads from a GPU to itself";
    if (send->bytes == 0 && send->duration == 0)
        return "has neither bytes nor a duration";
    if (!is_time(send->duration) || !is_time(send->release))
        return "has a time outside 0 .. 2^62 ps";
    return NULL;
}

static const char *compute_fault(const struct flux_graph *graph, const void *given)
{
    const struct flux_compute *compute = given;
    if (compute->gpu >= graph->gpus)
        return "names a GPU that is not there";
    if (!is_time(compute->duration) || !is_time(compute->release))
        return "has a time outside 0 .. 2^62 ps";
    if (compute->reserved)
        return "sets a reserved member";
    return NULL;
}

static const char *edge_fault(const struct flux_graph *graph, const struct flux_edge *edge)
{
    if (edge->from >= graph->vertex_count || edge->to >= graph->vertex_count)
        return "names a vertex that is not there";
    if (edge->from == edge->to)
        return "leads from a vertex to itself";
    if (!is_time(edge->lag))
        return "has a lag outside 0 .. 2^62 ps";
    return NULL;
}

static void put_send(struct flux_graph *graph, const void *given)
{
    const struct flux_send *send = given;
    struct flux_vertex vertex = {send->src, send->dst, send->bytes, send->duration, send->release, NULL};
    graph->vertices[graph->vertex_count++] = vertex;
    graph->sends++;
}

static void put_compute(struct flux_graph *graph, const void *given)
{
    const struct flux_compute *compute = given;
    struct flux_vertex vertex = {FLUX_NONE, compute->gpu, 0, compute->duration, compute->release, NULL};
    graph->vertices[graph->vertex_count++] = vertex;
}

/* Row `index` of an array whose rows are `stride` bytes apart. */
static const void *row(const void *rows, uint64_t index, uint64_t stride)
{
    return (const char *)rows + index * stride;
}

static int check_rows(const struct flux_graph *graph, const void *rows, uint64_t count, uint64_t stride,
                      uint64_t row_size, struct flux_error *error)
{
    if (!graph || (!rows && count))
        return flux_fail(error, FLUX_E_ARGUMENT, "graph or rows are NULL");
    if (stride < row_size || stride % 8)
        return flux_fail(error, FLUX_E_ARGUMENT,
                         "stride %" PRIu64 ": give the distance between rows in bytes, at least %" PRIu64
                         " and a multiple of 8",
                         stride, row_size);
    return FLUX_OK;
}

static int fail_row(struct flux_error *error, uint64_t index, const char *fault)
{
    return flux_fail(error, FLUX_E_ARGUMENT, "row %" PRIu64 " %s", index, fault);
}

static int fail_room(struct flux_error *error, int rc)
{
    if (rc == FLUX_E_TOO_BIG)
        return flux_fail(error, rc, "a graph holds at most %" PRIu64 " vertices", VERTICES_MAX);
    return flux_fail_memory(error);
}

/* What sends and computes differ in when they are added. */
struct vertex_kind {
    uint64_t row_size;
    const char *(*fault)(const struct flux_graph *graph, const void *row);
    void (*put)(struct flux_graph *graph, const void *row);
};

static int add_vertices(struct flux_graph *graph, const struct vertex_kind *kind, const void *rows, uint64_t count,
                        uint64_t stride, uint32_t *first, struct flux_error *error)
{
    if (first)
        *first = 0;
    int rc = check_rows(graph, rows, count, stride, kind->row_size, error);
    if (rc)
        return rc;
    for (uint64_t i = 0; i < count; i++) {
        const char *fault = kind->fault(graph, row(rows, i, stride));
        if (fault)
            return fail_row(error, i, fault);
    }
    rc = make_room(graph, count);
    if (rc)
        return fail_room(error, rc);
    if (first)
        *first = (uint32_t)graph->vertex_count;
    for (uint64_t i = 0; i < count; i++)
        kind->put(graph, row(rows, i, stride));
    return FLUX_OK;
}

int flux_graph_add_sends(struct flux_graph *graph, const struct flux_send *sends, uint64_t count, uint64_t stride,
                         uint32_t *first, struct flux_error *error)
{
    static const struct vertex_kind kind = {sizeof *sends, send_fault, put_send};
    return add_vertices(graph, &kind, sends, count, stride, first, error);
}

int flux_graph_add_computes(struct flux_graph *graph, const struct flux_compute *computes, uint64_t count,
                            uint64_t stride, uint32_t *first, struct flux_error *error)
{
    static const struct vertex_kind kind = {sizeof *computes, compute_fault, put_compute};
    return add_vertices(graph, &kind, computes, count, stride, first, error);
}

int flux_graph_add_edges(struct flux_graph *graph, const struct flux_edge *edges, uint64_t count, uint64_t stride,
                         struct flux_error *error)
{
    int rc = check_rows(graph, edges, count, stride, sizeof *edges, error);
    if (rc)
        return rc;
    for (uint64_t i = 0; i < count; i++) {
        const char *fault = edge_fault(graph, row(edges, i, stride));
        if (fault)
            return fail_row(error, i, fault);
    }
    rc = make_edge_room(graph, count);
    if (rc)
        return fail_room(error, rc);
    for (uint64_t i = 0; i < count; i++) {
        const struct flux_edge *edge = row(edges, i, stride);
        graph->edges[graph->edge_count++] = *edge;
    }
    return FLUX_OK;
}

int flux_graph_add_send(struct flux_graph *graph, uint32_t src, uint32_t dst, uint64_t bytes, uint32_t *vertex)
{
    struct flux_send send = {src, dst, bytes, 0, 0};
    return flux_graph_add_sends(graph, &send, 1, sizeof send, vertex, NULL);
}

int flux_graph_add_compute(struct flux_graph *graph, uint32_t gpu, int64_t duration, uint32_t *vertex)
{
    struct flux_compute compute = {gpu, 0, duration, 0};
    return flux_graph_add_computes(graph, &compute, 1, sizeof compute, vertex, NULL);
}

int flux_graph_add_edge(struct flux_graph *graph, uint32_t from, uint32_t to, int64_t lag)
{
    struct flux_edge edge = {from, to, lag};
    return flux_graph_add_edges(graph, &edge, 1, sizeof edge, NULL);
}

int flux_graph_set_duration(struct flux_graph *graph, uint32_t vertex, int64_t duration)
{
    if (!graph || vertex >= graph->vertex_count || !is_time(duration))
        return FLUX_E_ARGUMENT;
    struct flux_vertex *v = &graph->vertices[vertex];
    if (v->src != FLUX_NONE && duration == 0 && v->bytes == 0)
        return FLUX_E_ARGUMENT;
    v->duration = duration;
    return FLUX_OK;
}

int flux_graph_set_release(struct flux_graph *graph, uint32_t vertex, int64_t time)
{
    if (!graph || vertex >= graph->vertex_count || !is_time(time))
        return FLUX_E_ARGUMENT;
    graph->vertices[vertex].release = time;
    return FLUX_OK;
}

int flux_graph_set_label(struct flux_graph *graph, uint32_t vertex, const char *label)
{
    if (!graph || vertex >= graph->vertex_count)
        return FLUX_E_ARGUMENT;
    size_t length = label ? strlen(label) : 0;
    char *copy = NULL;
    if (length > FLUX_LABEL_MAX)
        return FLUX_E_ARGUMENT;
    if (length) {
        copy = flux_alloc(&graph->memory, length + 1, 1);
        if (!copy)
            return FLUX_E_MEMORY;
        memcpy(copy, label, length + 1);
    }
    free_label(graph, &graph->vertices[vertex]);
    graph->vertices[vertex].label = copy;
    return FLUX_OK;
}

uint32_t flux_graph_gpus(const struct flux_graph *graph)
{
    return graph ? graph->gpus : 0;
}

uint32_t flux_graph_vertices(const struct flux_graph *graph)
{
    return graph ? (uint32_t)graph->vertex_count : 0;
}

uint32_t flux_graph_sends(const struct flux_graph *graph)
{
    return graph ? graph->sends : 0;
}

const struct flux_edge *flux_graph_edges(const struct flux_graph *graph, uint64_t *count)
{
    if (count)
        *count = graph ? graph->edge_count : 0;
    return graph ? graph->edges : NULL;
}

int flux_graph_is_send(const struct flux_graph *graph, uint32_t vertex)
{
    return graph && vertex < graph->vertex_count && graph->vertices[vertex].src != FLUX_NONE;
}

int flux_graph_get_send(const struct flux_graph *graph, uint32_t vertex, struct flux_send *send)
{
    if (!send || !flux_graph_is_send(graph, vertex))
        return FLUX_E_ARGUMENT;
    const struct flux_vertex *v = &graph->vertices[vertex];
    *send = (struct flux_send){v->src, v->dst, v->bytes, v->duration, v->release};
    return FLUX_OK;
}

int flux_graph_get_compute(const struct flux_graph *graph, uint32_t vertex, struct flux_compute *compute)
{
    if (!graph || !compute || vertex >= graph->vertex_count || flux_graph_is_send(graph, vertex))
        return FLUX_E_ARGUMENT;
    const struct flux_vertex *v = &graph->vertices[vertex];
    *compute = (struct flux_compute){v->dst, 0, v->duration, v->release};
    return FLUX_OK;
}

const char *flux_graph_label(const struct flux_graph *graph, uint32_t vertex)
{
    if (!graph || vertex >= graph->vertex_count || !graph->vertices[vertex].label)
        return "";
    return graph->vertices[vertex].label;
}
