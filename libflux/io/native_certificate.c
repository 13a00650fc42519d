/* SPDX-License-Identifier: Apache-2.0
 *
 * The certificate of a native document's schedule: read with the ids it names, then built for whoever wants to check
 * it. Here it is checked for its form alone.
 */
#include "io/document.h"
#include "io/fail.h"

#include <libflux/certificate.h>
#include <string.h>

static const char *const certificate_keys[] = {"kind", "gpu", "side", "head", "tail", "sends", "vertices", "lifts"};
enum {
    CERTIFICATE_KIND,
    CERTIFICATE_GPU,
    CERTIFICATE_SIDE,
    CERTIFICATE_HEAD,
    CERTIFICATE_TAIL,
    CERTIFICATE_SENDS,
    CERTIFICATE_VERTICES,
    CERTIFICATE_LIFTS,
    CERTIFICATE_KEYS
};

static const char *const lift_keys[] = {"vertex", "end", "gpu", "side", "edge", "lag"};
enum { LIFT_VERTEX, LIFT_END, LIFT_GPU, LIFT_SIDE, LIFT_EDGE, LIFT_LAG, LIFT_KEYS };

static const char *const ends[] = {"head", "tail"}; /* by FLUX_LIFT_HEAD, FLUX_LIFT_TAIL */
static const char *const sides[] = {"both", "transmit", "receive"};

/* ---- reading ---- */

/* The id of a send, or of any vertex, that must be in the workload. */
static int read_mention(struct flux_io_document *document, uint32_t send, uint32_t lift, const char *what)
{
    struct flux_io_mention mention = {0, send, lift, flux_io_yaml_place(document->yaml)};
    int rc = flux_io_document_id(document, what, &mention.id);
    if (rc)
        return rc;
    if (flux_io_grow(document->memory, &document->mentions, &document->mention_capacity, document->mention_count + 1,
                     sizeof mention))
        return flux_io_fail_memory(document->yaml->error);
    document->mentions[document->mention_count++] = mention;
    return FLUX_OK;
}

static int read_mentions(struct flux_io_document *document, uint32_t send)
{
    struct flux_io_yaml *yaml = document->yaml;
    int more;
    int rc = flux_io_yaml_list(yaml, send ? "a list of ids of sends" : "a list of ids of vertices");
    if (rc)
        return rc;
    while (!(rc = flux_io_yaml_item(yaml, &more)) && more)
        if ((rc = read_mention(document, send, FLUX_NONE, "id")))
            return rc;
    return rc;
}

static int read_lift_member(struct flux_io_document *document, uint32_t key)
{
    struct flux_io_yaml *yaml = document->yaml;
    struct flux_lift *lift = &document->lifts[document->lift_count - 1];
    switch (key) {
    case LIFT_VERTEX:
        return read_mention(document, 0, (uint32_t)(document->lift_count - 1), "vertex");
    case LIFT_END:
        return flux_io_yaml_word(yaml, "end", ends, 2, &lift->end);
    case LIFT_GPU:
        return flux_io_yaml_whole(yaml, "gpu", 0, FLUX_GPUS_MAX - 1, &lift->gpu);
    case LIFT_SIDE:
        return flux_io_yaml_word(yaml, "side", sides, 3, &lift->side);
    default:
        return flux_io_yaml_time(yaml, lift_keys[key], key == LIFT_EDGE ? &lift->edge : &lift->lag);
    }
}

static int add_lift(struct flux_io_document *document)
{
    if (flux_io_grow(document->memory, &document->lifts, &document->lift_capacity, document->lift_count + 1,
                     sizeof *document->lifts))
        return flux_io_fail_memory(document->yaml->error);
    document->lifts[document->lift_count++] =
        (struct flux_lift){FLUX_NONE, FLUX_NONE, FLUX_SIDE_BOTH, FLUX_LIFT_HEAD, 0, 0};
    return FLUX_OK;
}

static int read_lifts(struct flux_io_document *document)
{
    struct flux_io_yaml *yaml = document->yaml;
    int more;
    int rc = flux_io_yaml_list(yaml, "a list of lifts");
    while (!rc && !(rc = flux_io_yaml_item(yaml, &more)) && more) {
        struct flux_io_keys keys = {"a lift", lift_keys, LIFT_KEYS, {{0, 0}}};
        uint32_t key;
        rc = flux_io_yaml_map(yaml, "a lift {vertex: ..., end: head, gpu: 0, edge: 0ps, lag: 0ps}");
        if (!rc)
            rc = add_lift(document);
        while (!rc && !(rc = flux_io_yaml_key(yaml, &keys, &key)) && key != FLUX_NONE)
            rc = read_lift_member(document, key);
    }
    return rc;
}

/* Any word: newer versions may know more kinds. */
static int read_kind(struct flux_io_document *document)
{
    const char *text;
    uint64_t length;
    int rc = flux_io_yaml_text(document->yaml, "kind", &text, &length);
    document->certificate.kind = FLUX_NONE;
    for (uint32_t kind = 0; !rc && kind <= FLUX_CERTIFICATE_SUBSET; kind++)
        if (strlen(flux_certificate_kind_name(kind)) == length &&
            !memcmp(flux_certificate_kind_name(kind), text, length))
            document->certificate.kind = kind;
    return rc;
}

static int read_certificate_member(struct flux_io_document *document, uint32_t key)
{
    struct flux_io_yaml *yaml = document->yaml;
    struct flux_certificate_parts *parts = &document->certificate;
    switch (key) {
    case CERTIFICATE_KIND:
        return read_kind(document);
    case CERTIFICATE_GPU:
        document->certificate_gpu_place = flux_io_yaml_place(yaml);
        return flux_io_yaml_whole(yaml, "gpu", 0, FLUX_GPUS_MAX - 1, &parts->gpu);
    case CERTIFICATE_SIDE:
        return flux_io_yaml_word(yaml, "side", sides, 3, &parts->side);
    case CERTIFICATE_HEAD:
        return flux_io_yaml_time(yaml, "head", &parts->head);
    case CERTIFICATE_TAIL:
        return flux_io_yaml_time(yaml, "tail", &parts->tail);
    case CERTIFICATE_LIFTS:
        return read_lifts(document);
    default:
        return read_mentions(document, key == CERTIFICATE_SENDS);
    }
}

int flux_io_document_certificate(struct flux_io_document *document)
{
    struct flux_io_keys keys = {"certificate", certificate_keys, CERTIFICATE_KEYS, {{0, 0}}};
    struct flux_io_yaml *yaml = document->yaml;
    uint32_t key;
    int rc = flux_io_yaml_map(yaml, "certificate");
    if (rc)
        return rc;
    struct flux_io_place begin = flux_io_yaml_place(yaml);
    document->certificate_given = 1;
    while (!(rc = flux_io_yaml_key(yaml, &keys, &key)) && key != FLUX_NONE)
        if ((rc = read_certificate_member(document, key)))
            return rc;
    if (!rc && !keys.seen[CERTIFICATE_KIND].line)
        return flux_io_yaml_fail_at(yaml, FLUX_E_FORMAT, begin,
                                    "certificate has no key kind, such as 'kind: port-load'");
    return rc;
}

/* ---- building ---- */

int flux_io_document_send(const struct flux_io_document *document, const struct flux_graph *graph, uint32_t id,
                          struct flux_io_place place, uint32_t *vertex)
{
    char quote[FLUX_IO_QUOTE];
    int rc = flux_io_document_vertex(document, id, place, vertex);
    if (rc || flux_graph_is_send(graph, *vertex))
        return rc;
    return flux_io_yaml_fail_at(document->yaml, FLUX_E_FORMAT, place, "'%s' is compute; here must be a send",
                                flux_io_quote(flux_io_strings_text(&document->ids, id, NULL), quote, sizeof quote));
}

/* Vertices in place of ids: the certificate's into `vertices`, those of lifts into the lifts. */
static int find_vertices(struct flux_io_document *document, const struct flux_graph *graph, uint32_t *vertices,
                         uint64_t *count)
{
    int rc = FLUX_OK;
    for (uint64_t i = 0; !rc && i < document->mention_count; i++) {
        const struct flux_io_mention *mention = &document->mentions[i];
        uint32_t *vertex = mention->lift == FLUX_NONE ? &vertices[(*count)++] : &document->lifts[mention->lift].vertex;
        rc = mention->send ? flux_io_document_send(document, graph, mention->id, mention->place, vertex)
                           : flux_io_document_vertex(document, mention->id, mention->place, vertex);
    }
    return rc;
}

static int check_gpu(const struct flux_io_document *document, const struct flux_graph *graph)
{
    uint32_t gpu = document->certificate.gpu;
    if (gpu == FLUX_NONE || gpu < flux_graph_gpus(graph))
        return FLUX_OK;
    return flux_io_yaml_fail_at(document->yaml, FLUX_E_FORMAT, document->certificate_gpu_place,
                                "there is no GPU %u; the workload has GPUs 0 to %u", (unsigned)gpu,
                                (unsigned)flux_graph_gpus(graph) - 1);
}

int flux_io_document_build_certificate(struct flux_io_document *document, struct flux_import *import,
                                       const struct flux_graph *graph)
{
    struct flux_certificate_parts *parts = &document->certificate;
    if (!document->certificate_given)
        return FLUX_OK;
    uint32_t *vertices = flux_io_alloc(document->memory, document->mention_count, sizeof *vertices);
    if (!vertices)
        return flux_io_fail_memory(document->yaml->error);
    int rc = find_vertices(document, graph, vertices, &parts->vertex_count);
    if (!rc)
        rc = check_gpu(document, graph);
    if (!rc) {
        parts->size = sizeof *parts;
        parts->bound = document->bound < 0 ? 0 : document->bound;
        parts->vertices = vertices;
        parts->lifts = document->lifts;
        parts->lift_count = document->lift_count;
        rc = flux_certificate_new(&document->memory->env, parts, &import->certificate, document->yaml->error);
    }
    flux_io_release(document->memory, vertices, document->mention_count, sizeof *vertices);
    return rc;
}
