/* SPDX-License-Identifier: Apache-2.0 */
#include "io/trace/chakra_wire.h"

#include "io/fail.h"
#include "io/trace/chakra_attribute.h"
#include "io/trace/chakra_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define OLD_SCHEMA                                                                                                     \
    "this looks like Chakra schema 0.0.1, 0.0.2 or 0.0.3, which number their fields differently; regenerate the "      \
    "trace "                                                                                                           \
    "with schema 0.0.4 or later"

/* What went wrong in one frame. The oldest schemas are recognised by fields that may come late in a node, and their
 * fields 4 and 5 are something else: so the first fault waits until the whole frame has been looked at. */
struct frame_fault {
    const char *text; /* NULL: none */
    uint32_t field;
    uint32_t wire;
    int old;
    int memory;
};

static void fault(struct frame_fault *faults, uint32_t field, pb_wire_type_t wire, const char *text)
{
    if (faults->text)
        return;
    faults->text = text;
    faults->field = field;
    faults->wire = (uint32_t)wire;
}

static int fail_frame(const struct flux_io_chakra_reader *reader, uint64_t offset, const struct frame_fault *faults,
                      struct flux_error *error)
{
    if (reader->stream.failed)
        return flux_io_chakra_stream_fail(&reader->stream, error);
    if (faults->memory)
        return flux_io_fail_memory(error);
    if (faults->old)
        return flux_io_fail_offset(error, FLUX_E_FORMAT, reader->stream.path, offset, OLD_SCHEMA);
    if (faults->text)
        return flux_io_fail_offset(error, FLUX_E_FORMAT, reader->stream.path, offset,
                                   "%s (field %" PRIu32 ", wire type %" PRIu32 ")", faults->text, faults->field,
                                   faults->wire);
    return FLUX_OK;
}

/* Deps come packed in one or more pieces, or one by one, or mixed. */
static bool read_deps(struct flux_io_chakra_reader *reader, pb_istream_t *stream, pb_wire_type_t wire, uint64_t **list,
                      uint64_t *capacity, uint64_t *count, struct frame_fault *faults)
{
    pb_istream_t packed = *stream;
    if (wire == PB_WT_STRING && !pb_make_string_substream(stream, &packed))
        return false;
    while (wire == PB_WT_VARINT || packed.bytes_left) {
        uint64_t id;
        if (!pb_decode_varint(wire == PB_WT_VARINT ? stream : &packed, &id)) {
            fault(faults, 0, wire, "a list of dependencies is damaged");
            break;
        }
        if (flux_io_grow(reader->memory, list, capacity, *count + 1, sizeof **list)) {
            faults->memory = 1;
            return false;
        }
        (*list)[(*count)++] = id;
        if (wire == PB_WT_VARINT)
            return true;
    }
    return wire == PB_WT_STRING && pb_close_string_substream(stream, &packed);
}

/* IOInfo: its values, whole. They are read piece by piece, so only what the file really holds takes memory. */
static bool read_inputs(struct flux_io_chakra_reader *reader, pb_istream_t *stream, struct frame_fault *faults)
{
    pb_istream_t info;
    pb_istream_t text;
    pb_wire_type_t wire;
    uint32_t field;
    bool end = false;
    if (!pb_make_string_substream(stream, &info))
        return false;
    while (pb_decode_tag(&info, &wire, &field, &end)) {
        if (field != 1 || wire != PB_WT_STRING) {
            if (!pb_skip_field(&info, wire))
                return false;
            continue;
        }
        if (!pb_make_string_substream(&info, &text))
            return false;
        uint64_t used = 0;
        while (text.bytes_left) {
            size_t part = text.bytes_left < 4096 ? text.bytes_left : 4096;
            if (flux_io_grow(reader->memory, &reader->inputs, &reader->inputs_capacity, used + part + 1, 1)) {
                faults->memory = 1;
                return false;
            }
            if (!pb_read(&text, (pb_byte_t *)reader->inputs + used, part))
                return false;
            used += part;
            reader->inputs[used] = '\0';
        }
        reader->node.inputs = used ? reader->inputs : "";
        reader->node.inputs_length = used;
        if (!pb_close_string_substream(&info, &text))
            return false;
    }
    return end && pb_close_string_substream(stream, &info);
}

static bool read_attribute(pb_istream_t *stream, struct flux_io_chakra_value *value, char *text, int *old,
                           struct frame_fault *faults)
{
    pb_istream_t attribute;
    if (!pb_make_string_substream(stream, &attribute))
        return false;
    const char *wrong = flux_io_chakra_attribute_read(&attribute, value, text, old);
    if (wrong)
        fault(faults, 10, PB_WT_STRING, wrong);
    return pb_close_string_substream(stream, &attribute);
}

/* The wire types that a field of Node may have, as bits; 0: not a field of this schema. */
static const unsigned char node_wires[11] = {
    [1] = 1u << PB_WT_VARINT,
    [2] = 1u << PB_WT_STRING,
    [3] = 1u << PB_WT_VARINT,
    [4] = 1u << PB_WT_VARINT | 1u << PB_WT_STRING,
    [5] = 1u << PB_WT_VARINT | 1u << PB_WT_STRING,
    [6] = 1u << PB_WT_VARINT,
    [7] = 1u << PB_WT_VARINT,
    [8] = 1u << PB_WT_STRING,
    [9] = 1u << PB_WT_STRING,
    [10] = 1u << PB_WT_STRING,
};

static bool read_field(struct flux_io_chakra_reader *reader, pb_istream_t *stream, uint32_t field, pb_wire_type_t wire,
                       struct frame_fault *faults)
{
    struct flux_io_chakra_node *node = &reader->node;
    uint64_t number;
    switch (field) {
    case 1:
        return pb_decode_varint(stream, &node->id);
    case 2:
        if (!flux_io_chakra_text(stream, node->name, sizeof node->name, &number))
            return false;
        node->name_length = (uint32_t)strlen(node->name);
        return true;
    case 3:
        if (!pb_decode_varint(stream, &number))
            return false;
        node->type = number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
        return true;
    case 4:
        return read_deps(reader, stream, wire, &reader->ctrl, &reader->ctrl_capacity, &node->ctrl_deps_count, faults);
    case 5:
        return read_deps(reader, stream, wire, &reader->data, &reader->data_capacity, &node->data_deps_count, faults);
    case 7:
        return pb_decode_varint(stream, &node->duration_us);
    case 8:
        if (node->type == FLUX_IO_CHAKRA_METADATA || node->type == FLUX_IO_CHAKRA_INVALID)
            return read_inputs(reader, stream, faults);
        return pb_skip_field(stream, wire);
    case 10:
        return read_attribute(stream, node->value, node->group, &faults->old, faults);
    default:
        return pb_skip_field(stream, wire);
    }
}

static int read_node(struct flux_io_chakra_reader *reader, pb_istream_t *stream, struct flux_error *error)
{
    struct frame_fault faults = {0};
    pb_wire_type_t wire;
    uint32_t field;
    bool end = false;
    bool good = true;
    while (good && pb_decode_tag(stream, &wire, &field, &end)) {
        if ((field >= 11 && field <= 20) || ((field == 6 || field == 7) && wire == PB_WT_STRING))
            faults.old = 1;
        if (field == 0) {
            good = false;
        } else if (field <= 10 && !(node_wires[field] & 1u << wire)) {
            fault(&faults, field, wire, "a field of a node has the wrong wire type");
            good = pb_skip_field(stream, wire);
        } else {
            good = read_field(reader, stream, field, wire, &faults);
        }
        if (!good)
            fault(&faults, field, wire, "a node is damaged");
    }
    if (!end)
        fault(&faults, 0, PB_WT_VARINT, "a node is damaged");
    return fail_frame(reader, reader->node.offset, &faults, error);
}

static int read_metadata(struct flux_io_chakra_reader *reader, pb_istream_t *stream, uint64_t offset,
                         struct flux_error *error)
{
    struct flux_io_chakra_value value[FLUX_IO_CHAKRA_ATTRIBUTES] = {{0, 0, 0}};
    char schema[FLUX_IO_CHAKRA_TEXT_MAX + 1] = "";
    struct frame_fault faults = {0};
    pb_wire_type_t wire;
    uint32_t field;
    uint64_t length;
    int is_node = 0;
    bool end = false;
    bool good = true;
    while (good && pb_decode_tag(stream, &wire, &field, &end)) {
        int is_text = field <= 2 && wire == PB_WT_STRING;
        is_node |= field == 1 && wire == PB_WT_VARINT;
        faults.old |= is_node && field >= 11 && field <= 20;
        if (field == 1 && is_text) {
            good = flux_io_chakra_text(stream, reader->version, sizeof reader->version, &length);
        } else if (field == 2 && is_text && !is_node) {
            good = read_attribute(stream, value, schema, &faults.old, &faults);
        } else {
            if (field <= 2 && !is_text)
                fault(&faults, field, wire, "a field of the metadata has the wrong wire type");
            good = field != 0 && pb_skip_field(stream, wire);
        }
        if (!good)
            fault(&faults, field, wire, "the metadata is damaged");
    }
    if (!end)
        fault(&faults, 0, PB_WT_VARINT, "the metadata is damaged");
    if (is_node)
        faults.text = "the file begins with a node; the first frame must be GlobalMetadata, which schemas 0.0.1 and "
                      "0.0.2 lack";
    snprintf(reader->schema, sizeof reader->schema, "%.63s", schema);
    return fail_frame(reader, offset, &faults, error);
}

int flux_io_chakra_open(struct flux_io_chakra_reader *reader, const struct flux_io_memory *memory, const char *path,
                        struct flux_io_source *source, struct flux_error *error)
{
    pb_istream_t frame;
    uint64_t offset;
    memset(reader, 0, offsetof(struct flux_io_chakra_reader, stream));
    reader->memory = memory;
    int rc = flux_io_chakra_stream_open(&reader->stream, memory, path, source, error);
    if (rc)
        return rc;
    if (flux_io_chakra_json_begins(reader->stream.source)) {
        rc = flux_io_chakra_json_open(reader, error);
        if (rc)
            flux_io_chakra_close(reader);
        return rc;
    }
    rc = flux_io_chakra_stream_frame(&reader->stream, &frame, &offset, error);
    if (rc == 0)
        rc = flux_io_fail_path(error, FLUX_E_FORMAT, path, "is empty; a Chakra trace begins with GlobalMetadata");
    else if (rc == 1)
        rc = read_metadata(reader, &frame, offset, error);
    if (rc)
        flux_io_chakra_close(reader);
    return rc;
}

void flux_io_chakra_close(struct flux_io_chakra_reader *reader)
{
    flux_io_chakra_stream_close(&reader->stream);
    flux_io_release(reader->memory, reader->data, reader->data_capacity, sizeof *reader->data);
    flux_io_release(reader->memory, reader->ctrl, reader->ctrl_capacity, sizeof *reader->ctrl);
    flux_io_release(reader->memory, reader->inputs, reader->inputs_capacity, 1);
    flux_io_release(reader->memory, reader->object, reader->object_capacity, 1);
    reader->data = reader->ctrl = NULL;
    reader->inputs = reader->object = NULL;
    reader->object_capacity = 0;
    reader->data_capacity = reader->ctrl_capacity = reader->inputs_capacity = 0;
}

int flux_io_chakra_next(struct flux_io_chakra_reader *reader, struct flux_error *error)
{
    struct flux_io_chakra_node *node = &reader->node;
    pb_istream_t frame;
    memset(node, 0, offsetof(struct flux_io_chakra_node, name));
    node->name[0] = node->group[0] = '\0';
    int rc = reader->json ? flux_io_chakra_json_next(reader, error)
                          : flux_io_chakra_stream_frame(&reader->stream, &frame, &node->offset, error);
    if (rc <= 0)
        return rc;
    if (!reader->json && (rc = read_node(reader, &frame, error)))
        return rc;
    node->data_deps = reader->data;
    node->ctrl_deps = reader->ctrl;
    return 1;
}
