/* SPDX-License-Identifier: Apache-2.0
 *
 * The workload of a native document: {gpus, vertices, edges}.
 */
#include "io/document.h"
#include "io/fail.h"

#include <string.h>

#define A_VERTEX "a vertex {id: ..., send: [src, dst], size: 64MiB} or {id: ..., compute: gpu, time: 10us}"
#define AN_EDGE "an edge [from, to] or [from, to, lag]"

static const char *const workload_keys[] = {"gpus", "vertices", "edges"};
enum { WORKLOAD_GPUS, WORKLOAD_VERTICES, WORKLOAD_EDGES, WORKLOAD_KEYS };

static const char *const vertex_keys[] = {"id", "send", "compute", "size", "time", "release"};
enum { VERTEX_ID, VERTEX_SEND, VERTEX_COMPUTE, VERTEX_SIZE, VERTEX_TIME, VERTEX_RELEASE, VERTEX_KEYS };

static int read_ends(struct flux_io_document *document, struct flux_io_vertex_row *row)
{
    static const char what[] = "a send's two GPUs [src, dst]";
    struct flux_io_yaml *yaml = document->yaml;
    int rc;
    row->place = flux_io_yaml_place(yaml);
    if ((rc = flux_io_document_row_begin(document, what)) ||
        (rc = flux_io_yaml_whole(yaml, "src", 0, FLUX_GPUS_MAX - 1, &row->src)) ||
        (rc = flux_io_document_row_next(document, what)) ||
        (rc = flux_io_yaml_whole(yaml, "dst", 0, FLUX_GPUS_MAX - 1, &row->dst)))
        return rc;
    if (row->src == row->dst)
        return flux_io_yaml_fail(yaml, "GPU %u sends to itself; a send needs two GPUs", (unsigned)row->src);
    return flux_io_document_row_end(document, what);
}

static int read_member(struct flux_io_document *document, uint32_t key, struct flux_io_vertex_row *row)
{
    struct flux_io_yaml *yaml = document->yaml;
    switch (key) {
    case VERTEX_ID:
        return flux_io_document_id(document, "id", &row->id);
    case VERTEX_SEND:
        return read_ends(document, row);
    case VERTEX_COMPUTE:
        row->place = flux_io_yaml_place(yaml);
        return flux_io_yaml_whole(yaml, "compute (its GPU)", 0, FLUX_GPUS_MAX - 1, &row->dst);
    case VERTEX_SIZE:
        return flux_io_yaml_bytes(yaml, "size", &row->bytes);
    case VERTEX_TIME:
        return flux_io_yaml_time(yaml, "time", &row->duration);
    default:
        return flux_io_yaml_time(yaml, "release", &row->release);
    }
}

/* Do the members go together? The reader stands on the end of the row. */
static int check_members(struct flux_io_document *document, const struct flux_io_keys *keys,
                         const struct flux_io_vertex_row *row)
{
    const struct flux_io_place *seen = keys->seen;
    struct flux_io_yaml *yaml = document->yaml;
    if (!seen[VERTEX_ID].line)
        return flux_io_yaml_fail_at(yaml, FLUX_E_FORMAT, row->begin, "the id is missing; here must be " A_VERTEX);
    if (!seen[VERTEX_SEND].line == !seen[VERTEX_COMPUTE].line)
        return flux_io_yaml_fail_at(yaml, FLUX_E_FORMAT, row->begin, "a vertex has one of send and compute: " A_VERTEX);
    if (seen[VERTEX_COMPUTE].line) {
        if (seen[VERTEX_SIZE].line)
            return flux_io_yaml_fail_at(yaml, FLUX_E_FORMAT, seen[VERTEX_SIZE], "compute has a time, not a size");
        if (!seen[VERTEX_TIME].line)
            return flux_io_yaml_fail_at(yaml, FLUX_E_FORMAT, row->begin,
                                        "the time of this compute is missing; for a join write 'time: 0ps'");
        return FLUX_OK;
    }
    if (!seen[VERTEX_SIZE].line && !seen[VERTEX_TIME].line)
        return flux_io_yaml_fail_at(yaml, FLUX_E_FORMAT, row->begin,
                                    "this send has neither size nor time; write one, such as 'size: 64MiB'");
    if (seen[VERTEX_TIME].line && row->duration == 0)
        return flux_io_yaml_fail_at(yaml, FLUX_E_FORMAT, seen[VERTEX_TIME], "a send's time must be at least 1ps");
    return FLUX_OK;
}

static int define(struct flux_io_document *document, const struct flux_io_vertex_row *row, struct flux_io_place id)
{
    char quote[FLUX_IO_QUOTE];
    uint32_t *vertex = &document->vertex_of[row->id];
    if (*vertex != FLUX_NONE) {
        const char *text = flux_io_strings_text(&document->ids, row->id, NULL);
        return flux_io_yaml_fail_at(
            document->yaml, FLUX_E_FORMAT, id, "the id '%s' again, after line %u; ids are unique",
            flux_io_quote(text, quote, sizeof quote), (unsigned)document->vertices[*vertex].begin.line);
    }
    *vertex = (uint32_t)document->vertex_count;
    document->vertices[document->vertex_count++] = *row;
    return FLUX_OK;
}

static int read_vertex(struct flux_io_document *document)
{
    struct flux_io_keys keys = {"a vertex", vertex_keys, VERTEX_KEYS, {{0, 0}}};
    struct flux_io_yaml *yaml = document->yaml;
    struct flux_io_vertex_row row;
    uint32_t key;
    int rc = flux_io_yaml_map(yaml, A_VERTEX);
    if (rc)
        return rc;
    memset(&row, 0, sizeof row);
    row.src = FLUX_NONE;
    row.begin = flux_io_yaml_place(yaml);
    if (document->vertex_count >= document->vertices_max)
        return flux_io_yaml_fail_at(yaml, FLUX_E_TOO_BIG, row.begin,
                                    "more than %llu vertices; raise the limit if that is meant",
                                    (unsigned long long)document->vertices_max);
    while (!(rc = flux_io_yaml_key(yaml, &keys, &key)) && key != FLUX_NONE)
        if ((rc = read_member(document, key, &row)))
            return rc;
    if (rc || (rc = check_members(document, &keys, &row)))
        return rc;
    if (flux_io_grow(document->memory, &document->vertices, &document->vertex_capacity, document->vertex_count + 1,
                     sizeof *document->vertices))
        return flux_io_fail_memory(yaml->error);
    return define(document, &row, keys.seen[VERTEX_ID]);
}

static int read_edge(struct flux_io_document *document)
{
    struct flux_io_yaml *yaml = document->yaml;
    struct flux_io_edge_row row;
    char quote[FLUX_IO_QUOTE];
    int more, rc;
    memset(&row, 0, sizeof row);
    row.place = flux_io_yaml_place(yaml);
    if ((rc = flux_io_document_row_begin(document, AN_EDGE)) ||
        (rc = flux_io_document_id(document, "the id of an edge's begin", &row.from)) ||
        (rc = flux_io_document_row_next(document, AN_EDGE)) ||
        (rc = flux_io_document_id(document, "the id of an edge's end", &row.to)))
        return rc;
    if (row.from == row.to)
        return flux_io_yaml_fail(
            yaml, "'%s' waits for itself; an edge needs two vertices",
            flux_io_quote(flux_io_strings_text(&document->ids, row.to, NULL), quote, sizeof quote));
    if ((rc = flux_io_yaml_item(yaml, &more)))
        return rc;
    if (more && ((rc = flux_io_yaml_time(yaml, "lag", &row.lag)) || (rc = flux_io_document_row_end(document, AN_EDGE))))
        return rc;
    if (flux_io_grow(document->memory, &document->edges, &document->edge_capacity, document->edge_count + 1,
                     sizeof *document->edges))
        return flux_io_fail_memory(yaml->error);
    document->edges[document->edge_count++] = row;
    return FLUX_OK;
}

static int read_list(struct flux_io_document *document, const char *what, int (*read)(struct flux_io_document *))
{
    int more;
    int rc = flux_io_yaml_list(document->yaml, what);
    if (rc)
        return rc;
    while (!(rc = flux_io_yaml_item(document->yaml, &more)) && more)
        if ((rc = read(document)))
            return rc;
    return rc;
}

int flux_io_document_workload(struct flux_io_document *document)
{
    struct flux_io_keys keys = {"workload", workload_keys, WORKLOAD_KEYS, {{0, 0}}};
    struct flux_io_yaml *yaml = document->yaml;
    uint32_t key;
    int rc = flux_io_yaml_map(yaml, "workload");
    if (rc)
        return rc;
    document->workload = flux_io_yaml_place(yaml);
    while (!(rc = flux_io_yaml_key(yaml, &keys, &key)) && key != FLUX_NONE) {
        if (key == WORKLOAD_GPUS)
            rc = flux_io_yaml_whole(yaml, "gpus", 1, FLUX_GPUS_MAX, &document->gpus);
        else if (key == WORKLOAD_VERTICES)
            rc = read_list(document, "a list of vertices", read_vertex);
        else
            rc = read_list(document, "a list of edges", read_edge);
        if (rc)
            return rc;
    }
    if (!rc && !document->gpus)
        return flux_io_yaml_fail_at(yaml, FLUX_E_FORMAT, document->workload,
                                    "workload has no key gpus; write how many there are, such as 'gpus: 8'");
    return rc;
}

static int check_gpu(struct flux_io_document *document, uint32_t gpu, struct flux_io_place place)
{
    if (gpu < document->gpus)
        return FLUX_OK;
    return flux_io_yaml_fail_at(document->yaml, FLUX_E_FORMAT, place, "there is no GPU %u; workload has GPUs 0 to %u",
                                (unsigned)gpu, (unsigned)document->gpus - 1);
}

/* A vertex that is called after its number has no label: it gets the same id when it is written. */
static int is_own_number(const char *text, uint64_t vertex)
{
    char digits[20];
    size_t at = sizeof digits;
    uint64_t rest = vertex;
    if (text[0] != 'v')
        return 0;
    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    return strlen(text + 1) == sizeof digits - at && memcmp(text + 1, digits + at, sizeof digits - at) == 0;
}

static int add_vertex(struct flux_io_document *document, struct flux_graph *graph, uint64_t v, struct flux_error *error)
{
    const struct flux_io_vertex_row *row = &document->vertices[v];
    const char *id = flux_io_strings_text(&document->ids, row->id, NULL);
    uint32_t number;
    int rc;
    if (row->src != FLUX_NONE) {
        struct flux_send send = {row->src, row->dst, row->bytes, row->duration, row->release};
        if ((rc = check_gpu(document, row->src, row->place)) || (rc = check_gpu(document, row->dst, row->place)))
            return rc;
        rc = flux_graph_add_sends(graph, &send, 1, sizeof send, &number, error);
    } else {
        struct flux_compute compute = {row->dst, 0, row->duration, row->release};
        if ((rc = check_gpu(document, row->dst, row->place)))
            return rc;
        rc = flux_graph_add_computes(graph, &compute, 1, sizeof compute, &number, error);
    }
    if (rc)
        return flux_io_fail_from(error, rc, document->yaml->path);
    if (!is_own_number(id, v) && flux_graph_set_label(graph, number, id))
        return flux_io_fail_memory(error);
    return FLUX_OK;
}

static int add_edges(struct flux_io_document *document, struct flux_graph *graph, struct flux_error *error)
{
    for (uint64_t i = 0; i < document->edge_count; i++) {
        const struct flux_io_edge_row *row = &document->edges[i];
        struct flux_edge edge = {0, 0, row->lag};
        int rc;
        if ((rc = flux_io_document_vertex(document, row->from, row->place, &edge.from)) ||
            (rc = flux_io_document_vertex(document, row->to, row->place, &edge.to)))
            return rc;
        if ((rc = flux_graph_add_edges(graph, &edge, 1, sizeof edge, error)))
            return flux_io_fail_from(error, rc, document->yaml->path);
    }
    return FLUX_OK;
}

static void count(const struct flux_io_document *document, struct flux_import *import)
{
    uint64_t *bytes = &import->counts[FLUX_IO_COUNT_BYTES];
    for (uint64_t v = 0; v < document->vertex_count; v++)
        if (__builtin_add_overflow(*bytes, document->vertices[v].bytes, bytes))
            *bytes = UINT64_MAX;
    import->counts[FLUX_IO_COUNT_RANKS] = document->gpus;
    import->counts[FLUX_IO_COUNT_NODES] = document->vertex_count;
    import->counts[FLUX_IO_COUNT_MESSAGES] = flux_graph_sends(import->graph);
}

int flux_io_document_build_graph(struct flux_io_document *document, struct flux_import *import)
{
    struct flux_error *error = document->yaml->error;
    int rc = flux_graph_new(&document->memory->env, document->gpus, &import->graph);
    if (rc)
        return flux_io_fail_memory(error);
    if (flux_graph_reserve(import->graph, document->vertex_count, document->edge_count))
        return flux_io_fail_memory(error);
    for (uint64_t v = 0; v < document->vertex_count; v++)
        if ((rc = add_vertex(document, import->graph, v, error)))
            return rc;
    if ((rc = add_edges(document, import->graph, error)))
        return rc;
    if ((rc = flux_graph_check(import->graph, error)))
        return flux_io_fail_from(error, rc, document->yaml->path);
    count(document, import);
    return FLUX_OK;
}
