/* SPDX-License-Identifier: Apache-2.0
 *
 * A message is encoded twice: once to count its bytes, which stand in front of it, and once into the file.
 */
#include "io/trace/chakra_put.h"

#include "io/trace/chakra_wire.h"

#include <pb_encode.h>
#include <string.h>

/* Fields of the schema. */
enum { METADATA_VERSION = 1 };
enum { NODE_ID = 1, NODE_NAME = 2, NODE_TYPE = 3, NODE_DATA_DEPS = 5, NODE_DURATION = 7, NODE_ATTRIBUTE = 10 };
enum { ATTRIBUTE_NAME = 1, ATTRIBUTE_INT32 = 7, ATTRIBUTE_INT64 = 9, ATTRIBUTE_BOOL = 27 };

typedef bool encoder(pb_ostream_t *stream, const void *message);

static bool write_bytes(pb_ostream_t *stream, const pb_byte_t *bytes, size_t count)
{
    flux_io_put_bytes(stream->state, (const char *)bytes, count);
    return true;
}

static size_t size_of(encoder *encode, const void *message)
{
    pb_ostream_t counting = PB_OSTREAM_SIZING;
    encode(&counting, message);
    return counting.bytes_written;
}

/* A message with its length before it, as a field (0: as a frame of the file). */
static bool put_message(pb_ostream_t *stream, uint32_t field, encoder *encode, const void *message)
{
    return (!field || pb_encode_tag(stream, PB_WT_STRING, field)) &&
           pb_encode_varint(stream, size_of(encode, message)) && encode(stream, message);
}

static bool put_text(pb_ostream_t *stream, uint32_t field, const char *text)
{
    return pb_encode_tag(stream, PB_WT_STRING, field) &&
           pb_encode_string(stream, (const pb_byte_t *)text, strlen(text));
}

/* As writers of proto3 do, a zero is left out. */
static bool put_number(pb_ostream_t *stream, uint32_t field, uint64_t number)
{
    return number == 0 || (pb_encode_tag(stream, PB_WT_VARINT, field) && pb_encode_varint(stream, number));
}

struct attribute {
    const char *name;
    uint32_t field;
    uint64_t value;
};

/* A value of a oneof is written also where it is zero. */
static bool encode_attribute(pb_ostream_t *stream, const void *message)
{
    const struct attribute *attribute = message;
    return put_text(stream, ATTRIBUTE_NAME, attribute->name) && pb_encode_tag(stream, PB_WT_VARINT, attribute->field) &&
           pb_encode_varint(stream, attribute->value);
}

static bool encode_deps(pb_ostream_t *stream, const void *message)
{
    const struct flux_io_chakra_written *node = message;
    for (uint64_t i = 0; i < node->dep_count; i++)
        if (!pb_encode_varint(stream, node->deps[i]))
            return false;
    return true;
}

static bool encode_node(pb_ostream_t *stream, const void *message)
{
    const struct flux_io_chakra_written *node = message;
    const struct attribute attributes[] = {{"is_cpu_op", ATTRIBUTE_BOOL, 0},
                                           {"comm_size", ATTRIBUTE_INT64, node->bytes},
                                           {"comm_src", ATTRIBUTE_INT32, node->src},
                                           {"comm_dst", ATTRIBUTE_INT32, node->dst},
                                           {"comm_tag", ATTRIBUTE_INT32, node->tag}};
    const struct attribute nothing = {"num_ops", ATTRIBUTE_INT64, 0}; /* says that no time is meant */
    size_t count = node->type == FLUX_IO_CHAKRA_COMP ? 1 : sizeof attributes / sizeof attributes[0];
    bool good = put_number(stream, NODE_ID, node->id) && put_text(stream, NODE_NAME, node->name) &&
                put_number(stream, NODE_TYPE, node->type) &&
                (node->dep_count == 0 || put_message(stream, NODE_DATA_DEPS, encode_deps, node)) &&
                put_number(stream, NODE_DURATION, node->duration_us);
    for (size_t i = 0; good && i < count; i++)
        good = put_message(stream, NODE_ATTRIBUTE, encode_attribute, &attributes[i]);
    if (good && node->type == FLUX_IO_CHAKRA_COMP && node->duration_us == 0)
        good = put_message(stream, NODE_ATTRIBUTE, encode_attribute, &nothing);
    return good;
}

static bool encode_metadata(pb_ostream_t *stream, const void *message)
{
    return put_text(stream, METADATA_VERSION, message);
}

/* What the file refuses is kept by the output itself. */
static void put_frame(struct flux_io_output *out, encoder *encode, const void *message)
{
    pb_ostream_t stream = PB_OSTREAM_SIZING;
    stream.callback = write_bytes;
    stream.state = out;
    stream.max_size = SIZE_MAX;
    put_message(&stream, 0, encode, message);
}

void flux_io_chakra_put_metadata(struct flux_io_output *out)
{
    put_frame(out, encode_metadata, "0.0.4");
}

void flux_io_chakra_put_node(struct flux_io_output *out, const struct flux_io_chakra_written *node)
{
    put_frame(out, encode_node, node);
}
