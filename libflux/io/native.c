/* SPDX-License-Identifier: Apache-2.0
 *
 * The native document: docs/formats.md is its description, io/document.h the way it is read.
 */
#include "io/document.h"
#include "io/fail.h"
#include "io/names.h"

#include <string.h>

#define FORMAT_VERSION 1
#define VERTICES_MAX_DEFAULT UINT64_C(100000000)

static const char *const top_keys[] = {"flux", "workload", "fabric", "schedule"};
enum { TOP_FLUX, TOP_WORKLOAD, TOP_FABRIC, TOP_SCHEDULE, TOP_KEYS };

/* ---- recognition ---- */

/* Skips space, line ends, comments, directives, the document's start and an opening brace. */
static size_t skip_to_key(const unsigned char *head, size_t size)
{
    size_t at = size >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (at < size) {
        if (head[at] == ' ' || head[at] == '\t' || head[at] == '\n' || head[at] == '\r' || head[at] == '{') {
            at++;
        } else if (head[at] == '#' || head[at] == '%' || (size - at >= 3 && memcmp(head + at, "---", 3) == 0)) {
            while (at < size && head[at] != '\n')
                at++;
        } else {
            break;
        }
    }
    return at;
}

/* Is one of the top-level keys at `at`, as a key? */
static int is_top_key(const unsigned char *head, size_t size, size_t at)
{
    unsigned char quote = at < size && (head[at] == '"' || head[at] == '\'') ? head[at] : 0;
    at += quote != 0;
    for (int i = 0; i < TOP_KEYS; i++) {
        size_t end = at + strlen(top_keys[i]);
        if (end >= size || memcmp(head + at, top_keys[i], end - at) != 0 || (quote && head[end] != quote))
            continue;
        end += quote != 0;
        while (end < size && head[end] == ' ')
            end++;
        if (end < size && head[end] == ':')
            return 1;
    }
    return 0;
}

/* The first key decides, or a line that begins with "flux:": a wrong key in front of it then gets its own error. */
int flux_io_native_recognise(const struct flux_io_source *source)
{
    const unsigned char *head = source->head;
    size_t size = source->head_size;
    if (is_top_key(head, size, skip_to_key(head, size)))
        return 1;
    for (size_t at = 0; at + 5 <= size; at++)
        if ((at == 0 || head[at - 1] == '\n') && memcmp(head + at, "flux:", 5) == 0)
            return 1;
    return 0;
}

/* ---- what the parts share ---- */

int flux_io_document_id(struct flux_io_document *document, const char *what, uint32_t *id)
{
    const char *text;
    uint64_t length;
    int fresh;
    int rc = flux_io_yaml_text(document->yaml, what, &text, &length);
    if (rc)
        return rc;
    if (length > FLUX_LABEL_MAX)
        return flux_io_yaml_fail(document->yaml, "%s is longer than %d bytes", what, FLUX_LABEL_MAX);
    rc = flux_io_strings_add(&document->ids, text, length, id, &fresh);
    if (rc == FLUX_E_TOO_BIG)
        return flux_io_yaml_fail_at(document->yaml, rc, flux_io_yaml_place(document->yaml), "more than 2^32 - 2 ids");
    if (!rc && fresh)
        rc = flux_io_grow(document->memory, &document->vertex_of, &document->vertex_of_capacity, document->ids.count,
                          sizeof *document->vertex_of);
    if (rc)
        return flux_io_fail_memory(document->yaml->error);
    if (fresh)
        document->vertex_of[*id] = FLUX_NONE;
    return FLUX_OK;
}

int flux_io_document_vertex(const struct flux_io_document *document, uint32_t id, struct flux_io_place place,
                            uint32_t *vertex)
{
    char quote[FLUX_IO_QUOTE];
    *vertex = document->vertex_of[id];
    if (*vertex != FLUX_NONE)
        return FLUX_OK;
    const char *text = flux_io_strings_text(&document->ids, id, NULL);
    return flux_io_yaml_fail_at(document->yaml, FLUX_E_FORMAT, place, "no vertex has the id '%s'; add it or correct it",
                                flux_io_quote(text, quote, sizeof quote));
}

int flux_io_document_row_begin(struct flux_io_document *document, const char *what)
{
    int rc = flux_io_yaml_list(document->yaml, what);
    return rc ? rc : flux_io_document_row_next(document, what);
}

int flux_io_document_row_next(struct flux_io_document *document, const char *what)
{
    int more;
    int rc = flux_io_yaml_item(document->yaml, &more);
    if (!rc && !more)
        return flux_io_yaml_fail(document->yaml, "this list is too short; here must be %s", what);
    return rc;
}

int flux_io_document_row_end(struct flux_io_document *document, const char *what)
{
    int more;
    int rc = flux_io_yaml_item(document->yaml, &more);
    if (!rc && more)
        return flux_io_yaml_fail(document->yaml, "this list is too long; here must be %s", what);
    return rc;
}

/* ---- the top level ---- */

static int read_version(struct flux_io_yaml *yaml)
{
    uint32_t version;
    int rc = flux_io_yaml_whole(yaml, "flux, the version of the format,", 1, UINT32_MAX, &version);
    if (!rc && version != FORMAT_VERSION)
        return flux_io_yaml_fail(yaml, "the format has version %u, this libflux reads version %d; use a newer libflux",
                                 (unsigned)version, FORMAT_VERSION);
    return rc;
}

static int read_part(struct flux_io_document *document, uint32_t key)
{
    switch (key) {
    case TOP_FLUX:
        return read_version(document->yaml);
    case TOP_WORKLOAD:
        return flux_io_document_workload(document);
    case TOP_FABRIC:
        return flux_io_document_fabric(document);
    default:
        return flux_io_document_schedule(document);
    }
}

static int read_parts(struct flux_io_document *document)
{
    struct flux_io_keys keys = {"the document", top_keys, TOP_KEYS, {{0, 0}}};
    struct flux_io_yaml *yaml = document->yaml;
    uint32_t key;
    int rc = flux_io_yaml_map(yaml, "the document");
    if (rc)
        return rc;
    struct flux_io_place begin = flux_io_yaml_place(yaml);
    while (!(rc = flux_io_yaml_key(yaml, &keys, &key)) && key != FLUX_NONE)
        if ((rc = read_part(document, key)))
            return rc;
    if (rc || (rc = flux_io_yaml_finish(yaml)))
        return rc;
    if (!keys.seen[TOP_FLUX].line)
        return flux_io_yaml_fail_at(yaml, FLUX_E_FORMAT, begin,
                                    "the version of the format is missing; write 'flux: %d' at the top",
                                    FORMAT_VERSION);
    if (!document->workload.line && !document->fabric.place.line && !document->schedule.line)
        return flux_io_yaml_fail_at(yaml, FLUX_E_FORMAT, begin, "the document has no workload, fabric or schedule");
    return FLUX_OK;
}

/* A document without a workload is about a graph of the caller's: its vertices by the ids they have in files. */
static int adopt_names(struct flux_io_document *document, const struct flux_graph *graph)
{
    struct flux_io_names names;
    int rc = flux_io_names_build(&names, document->memory, graph);
    for (uint32_t v = 0; !rc && v < flux_graph_vertices(graph); v++) {
        uint64_t length;
        const char *text = flux_io_strings_text(&names.ids, v, &length);
        uint32_t id = flux_io_strings_find(&document->ids, text, length);
        if (id != FLUX_NONE)
            document->vertex_of[id] = v;
    }
    flux_io_names_free(&names);
    return rc ? flux_io_fail_memory(document->yaml->error) : FLUX_OK;
}

static int build(struct flux_io_document *document, struct flux_import *import,
                 const struct flux_import_options *options)
{
    const struct flux_graph *graph = options->graph;
    int rc;
    if (document->workload.line) {
        if ((rc = flux_io_document_build_graph(document, import)))
            return rc;
        graph = import->graph;
    } else if (document->schedule.line && graph && (rc = adopt_names(document, graph))) {
        return rc;
    }
    if (document->fabric.place.line && (rc = flux_io_document_build_fabric(document, import, graph)))
        return rc;
    return document->schedule.line ? flux_io_document_build_slots(document, import, graph) : FLUX_OK;
}

static void free_document(struct flux_io_document *document)
{
    const struct flux_io_memory *memory = document->memory;
    flux_io_strings_free(&document->ids);
    flux_io_release(memory, document->vertex_of, document->vertex_of_capacity, sizeof *document->vertex_of);
    flux_io_release(memory, document->vertices, document->vertex_capacity, sizeof *document->vertices);
    flux_io_release(memory, document->edges, document->edge_capacity, sizeof *document->edges);
    flux_io_release(memory, document->slots, document->slot_capacity, sizeof *document->slots);
    flux_io_release(memory, document->mentions, document->mention_capacity, sizeof *document->mentions);
    flux_io_release(memory, document->lifts, document->lift_capacity, sizeof *document->lifts);
    flux_io_document_fabric_free(document);
    flux_io_release(memory, document->yaml, 1, sizeof *document->yaml);
    flux_io_release(memory, document, 1, sizeof *document);
}

int flux_io_native_read(struct flux_import *import, struct flux_io_source *source,
                        const struct flux_import_options *options, struct flux_error *error)
{
    const struct flux_io_memory *memory = &import->memory;
    struct flux_io_document *document = flux_io_alloc_zero(memory, 1, sizeof *document);
    if (!document)
        return flux_io_fail_memory(error);
    document->memory = memory;
    document->vertices_max = options->vertices_max ? options->vertices_max : VERTICES_MAX_DEFAULT;
    document->makespan = document->bound = -1;
    document->certificate.gpu = FLUX_NONE;
    flux_io_strings_init(&document->ids, memory);
    document->yaml = flux_io_alloc_zero(memory, 1, sizeof *document->yaml);
    if (!document->yaml) {
        free_document(document);
        return flux_io_fail_memory(error);
    }
    int rc = flux_io_yaml_open(document->yaml, source, error);
    if (!rc)
        rc = read_parts(document);
    if (!rc)
        rc = build(document, import, options);
    flux_io_yaml_close(document->yaml);
    free_document(document);
    return rc;
}
