/* SPDX-License-Identifier: Apache-2.0 */
#include "io/trace/chakra_json.h"

#include "io/fail.h"
#include "io/text.h"
#include "io/trace/chakra_json_words.h"
#include "io/trace/chakra_plain.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define OBJECT_MAX (UINT64_C(64) << 20) /* bytes of one message */

/* JSON that is not ours, by a key near its beginning. */
static const struct {
    const char *key;
    const char *advice;
} strangers[] = {
    {"\"workload_graph\"",
     "is JSON for Chakra's feeder, whose fields have no schema; take the .et trace that it was made from"},
    {"\"traceEvents\"",
     "is a Kineto trace, which has no dependencies; link it with chakra_trace_link and convert it with "
     "chakra_converter first"},
    {"\"nodes\"",
     "is a PyTorch execution trace of the host, or STAGE's own JSON; convert it with chakra_converter first"},
};

struct object {
    struct flux_io_chakra_reader *reader;
    struct flux_error *error;
    uint64_t line; /* where it begins */
    uint64_t column;
    json_t *root;
};

int flux_io_chakra_json_begins(const struct flux_io_source *source)
{
    uint32_t at = 0;
    while (at < source->head_size && (source->head[at] == ' ' || source->head[at] == '\t' || source->head[at] == '\n' ||
                                      source->head[at] == '\r'))
        at++;
    if (at == source->head_size || source->head[at] != '{')
        return 0;
    for (at++; at < source->head_size; at++)
        if (source->head[at] != ' ' && source->head[at] != '\t' && source->head[at] != '\n' && source->head[at] != '\r')
            return source->head[at] == '"' || source->head[at] == '}';
    return 1;
}

/* ---- objects ---- */

static int fail_at(const struct object *object, uint64_t line, uint64_t column, const char *what)
{
    return flux_io_fail_line(object->error, FLUX_E_FORMAT, object->reader->stream.path, object->line + line - 1,
                             line == 1 ? object->column + column - 1 : column, "%s", what);
}

static int fail(const struct object *object, const char *what)
{
    return fail_at(object, 1, 1, what);
}

/* The next byte, or -1 at the end and where reading failed. */
static int next_byte(struct flux_io_chakra_stream *stream)
{
    if (stream->at == stream->filled && !flux_io_chakra_stream_fill(stream))
        return -1;
    stream->offset++;
    return stream->buffer[stream->at++];
}

/* Whether the text is inside a string, and how many braces are open. */
struct nesting {
    uint64_t depth;
    int in_string;
    int escaped;
};

/* Bytes of the buffer up to the brace that closes the object, or all of them. */
static uint32_t scan(struct flux_io_chakra_reader *reader, struct nesting *nesting)
{
    const struct flux_io_chakra_stream *stream = &reader->stream;
    uint32_t at = stream->at;
    while (at < stream->filled && nesting->depth) {
        unsigned char c = stream->buffer[at++];
        reader->column++;
        if (c == '\n') {
            reader->line++;
            reader->column = 1;
        }
        if (nesting->in_string) {
            nesting->in_string = nesting->escaped || c != '"';
            nesting->escaped = !nesting->escaped && c == '\\';
        } else if (c == '"') {
            nesting->in_string = 1;
        } else {
            nesting->depth += (uint64_t)(c == '{') - (uint64_t)(c == '}');
        }
    }
    return at - stream->at;
}

/* The bytes of an object whose brace is taken, up to the brace that closes it. 1, or an error. */
static int take_object(struct object *object, uint64_t *size)
{
    struct flux_io_chakra_reader *reader = object->reader;
    struct flux_io_chakra_stream *stream = &reader->stream;
    struct nesting nesting = {1, 0, 0};
    if (flux_io_grow(reader->memory, &reader->object, &reader->object_capacity, 1, 1))
        return flux_io_fail_memory(object->error);
    reader->object[0] = '{';
    for (*size = 1; nesting.depth;) {
        if (stream->at == stream->filled && !flux_io_chakra_stream_fill(stream))
            return stream->failed ? flux_io_chakra_stream_fail(stream, object->error)
                                  : fail(object, "the file ends inside this object");
        uint32_t part = scan(reader, &nesting);
        if (*size + part > OBJECT_MAX)
            return flux_io_fail_line(object->error, FLUX_E_TOO_BIG, stream->path, object->line, object->column,
                                     "an object of more than %" PRIu64 " MiB", OBJECT_MAX >> 20);
        if (flux_io_grow(reader->memory, &reader->object, &reader->object_capacity, *size + part, 1))
            return flux_io_fail_memory(object->error);
        memcpy(reader->object + *size, stream->buffer + stream->at, part);
        *size += part;
        stream->at += part;
        stream->offset += part;
    }
    return 1;
}

/* The text of the next object. 1, 0 at the end of the file, or an error. */
static int next_text(struct object *object, uint64_t *size)
{
    struct flux_io_chakra_reader *reader = object->reader;
    int c;
    do {
        object->line = reader->line;
        object->column = reader->column;
        reader->node.offset = reader->stream.offset;
        c = next_byte(&reader->stream);
        reader->column++;
        if (c == '\n') {
            reader->line++;
            reader->column = 1;
        }
    } while (c == ' ' || c == '\t' || c == '\r' || c == '\n');
    if (c < 0)
        return reader->stream.failed ? flux_io_chakra_stream_fail(&reader->stream, object->error) : 0;
    if (c != '{')
        return fail(object, "an object belongs here");
    return take_object(object, size);
}

/* What the text says. 1, or an error. object->root is to be released. */
static int parse(struct object *object, uint64_t size)
{
    json_error_t wrong;
    object->root = json_loadb(object->reader->object, (size_t)size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &wrong);
    if (object->root)
        return 1;
    if (json_error_code(&wrong) == json_error_out_of_memory)
        return flux_io_fail_memory(object->error);
    return fail_at(object, wrong.line > 0 ? (uint64_t)wrong.line : 1, wrong.column > 0 ? (uint64_t)wrong.column : 1,
                   wrong.text);
}

/* ---- values ---- */

static int fail_value(const struct object *object, const char *name, const char *what)
{
    char text[200];
    char quote[FLUX_IO_QUOTE];
    snprintf(text, sizeof text, "the %s of this object %s", flux_io_quote(name, quote, sizeof quote), what);
    return fail(object, text);
}

/* A whole number, as one or as a string. */
static int read_number(const struct object *object, const char *name, const json_t *value, uint32_t *negative,
                       uint64_t *magnitude)
{
    if (json_is_boolean(value)) {
        *negative = 0;
        *magnitude = json_is_true(value);
        return FLUX_OK;
    }
    if (json_is_integer(value)) {
        json_int_t number = json_integer_value(value);
        *negative = number < 0;
        *magnitude = number < 0 ? (uint64_t)0 - (uint64_t)number : (uint64_t)number;
        return FLUX_OK;
    }
    const char *text = json_string_value(value);
    if (!text)
        return fail_value(object, name, "is no whole number");
    *negative = *text == '-';
    const char *wrong = flux_io_text_whole(text + *negative, magnitude);
    return wrong ? fail_value(object, name, wrong) : FLUX_OK;
}

static int read_whole(const struct object *object, const char *name, const json_t *value, uint64_t *number)
{
    uint32_t negative;
    int rc = read_number(object, name, value, &negative, number);
    return !rc && negative && *number ? fail_value(object, name, "is negative") : rc;
}

/* Copies at most `size` - 1 bytes; zero bytes become "?". */
static void copy_text(const json_t *value, char *room, size_t size, uint64_t *length)
{
    const char *text = json_string_value(value);
    *length = text ? json_string_length(value) : 0;
    size_t keep = *length < size ? (size_t)*length : size - 1;
    for (size_t i = 0; i < keep; i++)
        room[i] = text[i] ? text[i] : '?';
    room[keep] = '\0';
}

/* "int64Val": one value; "boolList": {"values": [..]}. */
static int read_attribute_value(const struct object *object, const char *name, const char *kind, const json_t *value,
                                uint32_t which)
{
    struct flux_io_chakra_node *node = &object->reader->node;
    struct flux_io_chakra_value *to = &node->value[which];
    size_t length = strlen(kind);
    if (length > 4 && strcmp(kind + length - 4, "List") == 0) {
        const json_t *values = json_object_get(value, "values");
        int all = strcmp(kind, "boolList") == 0 && json_is_array(values);
        for (size_t i = 0; all && i < json_array_size(values); i++)
            all = json_is_true(json_array_get(values, i));
        to->kind = all ? FLUX_IO_CHAKRA_ALL_TRUE : FLUX_IO_CHAKRA_OTHER;
        return FLUX_OK;
    }
    if (strcmp(kind, "stringVal") == 0 || strcmp(kind, "bytesVal") == 0) {
        to->kind = FLUX_IO_CHAKRA_TEXT;
        to->magnitude = json_string_value(value) ? json_string_length(value) : 0;
        if (which == FLUX_IO_CHAKRA_PG_NAME)
            copy_text(value, node->group, sizeof node->group, &to->magnitude);
        return FLUX_OK;
    }
    if (strcmp(kind, "doubleVal") == 0 || strcmp(kind, "floatVal") == 0) {
        to->kind = FLUX_IO_CHAKRA_OTHER;
        return FLUX_OK;
    }
    to->kind = FLUX_IO_CHAKRA_INTEGER;
    return read_number(object, name, value, &to->negative, &to->magnitude);
}

static int read_attribute(const struct object *object, json_t *attribute)
{
    const char *name = json_string_value(json_object_get(attribute, "name"));
    const char *key;
    json_t *value;
    char room[FLUX_IO_CHAKRA_WORD];
    if (!json_is_object(attribute))
        return fail(object, "an attr of this object is no object");
    uint32_t which = name ? flux_io_chakra_attribute_of(name) : FLUX_IO_CHAKRA_ATTRIBUTES;
    json_object_foreach(attribute, key, value)
    {
        const char *kind = flux_io_chakra_camel_case(key, room);
        if (strcmp(kind, "name") == 0 || strcmp(kind, "docString") == 0)
            continue;
        if (!flux_io_chakra_is_value(kind))
            return fail_value(object, key, "is no kind of value that an attribute has");
        if (which == FLUX_IO_CHAKRA_ATTRIBUTES)
            continue;
        int rc = read_attribute_value(object, name, kind, value, which);
        if (rc)
            return rc;
    }
    return FLUX_OK;
}

static int read_attributes(const struct object *object, const json_t *list)
{
    int rc = json_is_array(list) ? FLUX_OK : fail(object, "the attr of this object is no list");
    for (size_t i = 0; !rc && i < json_array_size(list); i++)
        rc = read_attribute(object, json_array_get(list, i));
    return rc;
}

static int read_deps(const struct object *object, const char *name, const json_t *list, uint64_t **ids,
                     uint64_t *capacity, uint64_t *count)
{
    if (!json_is_array(list))
        return fail_value(object, name, "is no list");
    if (flux_io_grow(object->reader->memory, ids, capacity, json_array_size(list), sizeof **ids))
        return flux_io_fail_memory(object->error);
    for (*count = 0; *count < json_array_size(list); ++*count) {
        int rc = read_whole(object, name, json_array_get(list, (size_t)*count), &(*ids)[*count]);
        if (rc)
            return rc;
    }
    return FLUX_OK;
}

static int read_type(const struct object *object, const json_t *value, uint32_t *type)
{
    const char *name = json_string_value(value);
    uint64_t number;
    if (name) {
        *type = flux_io_chakra_type_of(name);
        return *type == UINT32_MAX ? fail_value(object, "type", "is none that a node has") : FLUX_OK;
    }
    int rc = read_whole(object, "type", value, &number);
    *type = number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
    return rc;
}

static int read_inputs(const struct object *object, const json_t *inputs)
{
    struct flux_io_chakra_reader *reader = object->reader;
    const json_t *values = json_object_get(inputs, "values");
    size_t length = json_string_length(values);
    if (reader->node.type != FLUX_IO_CHAKRA_METADATA || !json_is_string(values))
        return FLUX_OK;
    if (flux_io_grow(reader->memory, &reader->inputs, &reader->inputs_capacity, length + 1, 1))
        return flux_io_fail_memory(object->error);
    memcpy(reader->inputs, json_string_value(values), length + 1);
    reader->node.inputs = reader->inputs;
    reader->node.inputs_length = length;
    return FLUX_OK;
}

static int read_member(const struct object *object, const char *key, const json_t *value)
{
    struct flux_io_chakra_reader *reader = object->reader;
    struct flux_io_chakra_node *node = &reader->node;
    char room[FLUX_IO_CHAKRA_WORD];
    uint64_t ignored;
    const char *name = flux_io_chakra_camel_case(key, room);
    if (strcmp(name, "id") == 0)
        return read_whole(object, key, value, &node->id);
    if (strcmp(name, "name") == 0) {
        copy_text(value, node->name, sizeof node->name, &ignored);
        node->name_length = ignored > UINT32_MAX ? UINT32_MAX : (uint32_t)ignored;
        return json_is_string(value) ? FLUX_OK : fail_value(object, key, "is no text");
    }
    if (strcmp(name, "ctrlDeps") == 0)
        return read_deps(object, key, value, &reader->ctrl, &reader->ctrl_capacity, &node->ctrl_deps_count);
    if (strcmp(name, "dataDeps") == 0)
        return read_deps(object, key, value, &reader->data, &reader->data_capacity, &node->data_deps_count);
    if (strcmp(name, "startTimeMicros") == 0)
        return read_whole(object, key, value, &ignored);
    if (strcmp(name, "durationMicros") == 0)
        return read_whole(object, key, value, &node->duration_us);
    if (strcmp(name, "attr") == 0)
        return read_attributes(object, value);
    if (strcmp(name, "type") == 0 || strcmp(name, "inputs") == 0 || strcmp(name, "outputs") == 0)
        return FLUX_OK;
    return fail_value(object, key, "is no member of a node of Chakra's schema");
}

static int read_node(const struct object *object)
{
    const char *key;
    json_t *value;
    json_t *type = json_object_get(object->root, "type");
    int rc = type ? read_type(object, type, &object->reader->node.type) : FLUX_OK;
    if (!rc)
        rc = read_inputs(object, json_object_get(object->root, "inputs"));
    if (rc)
        return rc;
    json_object_foreach(object->root, key, value)
    {
        if ((rc = read_member(object, key, value)))
            return rc;
    }
    return FLUX_OK;
}

static int read_metadata(const struct object *object)
{
    struct flux_io_chakra_reader *reader = object->reader;
    const json_t *attributes = json_object_get(object->root, "attr");
    const char *key;
    json_t *value;
    uint64_t ignored;
    json_object_foreach(object->root, key, value)
    {
        if (strcmp(key, "version") != 0 && strcmp(key, "attr") != 0)
            return fail(object, json_object_get(object->root, "type") || json_object_get(object->root, "id")
                                    ? "the file begins with a node; the first object must be the metadata"
                                    : "JSON of no known kind; a Chakra trace begins with an object of version or attr");
    }
    copy_text(json_object_get(object->root, "version"), reader->version, sizeof reader->version, &ignored);
    for (size_t i = 0; i < json_array_size(attributes); i++) {
        const json_t *attribute = json_array_get(attributes, i);
        const char *name = json_string_value(json_object_get(attribute, "name"));
        const json_t *text = json_object_get(attribute, "stringVal");
        if (name && strcmp(name, "schema") == 0)
            copy_text(text ? text : json_object_get(attribute, "string_val"), reader->schema, sizeof reader->schema,
                      &ignored);
    }
    return FLUX_OK;
}

int flux_io_chakra_json_check(const struct flux_io_source *source, struct flux_error *error)
{
    char head[FLUX_IO_HEAD + 1];
    memcpy(head, source->head, source->head_size);
    head[source->head_size] = '\0';
    for (size_t i = 0; i < sizeof strangers / sizeof strangers[0]; i++) {
        const char *at = strstr(head, strangers[i].key);
        if (!at)
            continue;
        at += strlen(strangers[i].key);
        at += strspn(at, " \t\r\n");
        if (*at == ':' && at[1 + strspn(at + 1, " \t\r\n")] == '[')
            return flux_io_fail_path(error, FLUX_E_FORMAT, source->path, "%s", strangers[i].advice);
    }
    return FLUX_OK;
}

int flux_io_chakra_json_open(struct flux_io_chakra_reader *reader, struct flux_error *error)
{
    struct object object = {reader, error, 1, 1, NULL};
    reader->json = 1;
    reader->line = reader->column = 1;
    uint64_t size;
    int rc = flux_io_chakra_json_check(reader->stream.source, error);
    if (!rc)
        rc = next_text(&object, &size);
    if (rc == 1)
        rc = parse(&object, size);
    if (rc == 1)
        rc = read_metadata(&object);
    json_decref(object.root);
    return rc;
}

int flux_io_chakra_json_next(struct flux_io_chakra_reader *reader, struct flux_error *error)
{
    struct object object = {reader, error, 1, 1, NULL};
    uint64_t size;
    int rc = next_text(&object, &size);
    if (rc <= 0)
        return rc;
    if (reader->json == 1 && (rc = flux_io_chakra_plain(reader, reader->object, size)))
        return rc < 0 ? flux_io_fail_memory(error) : rc;
    rc = parse(&object, size);
    if (rc == 1 && !(rc = read_node(&object)))
        rc = 1;
    json_decref(object.root);
    return rc;
}
