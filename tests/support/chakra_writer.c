/* SPDX-License-Identifier: Apache-2.0 */
#include "chakra_writer.h"

#include "files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static void put(struct chakra_bytes *to, const void *bytes, size_t size)
{
    if (to->size + size > to->capacity) {
        to->capacity = 2 * to->capacity + size + 64;
        to->at = realloc(to->at, to->capacity);
        if (!to->at)
            abort();
    }
    if (size)
        memcpy(to->at + to->size, bytes, size);
    to->size += size;
}

static void put_varint(struct chakra_bytes *to, uint64_t number)
{
    unsigned char bytes[10];
    size_t size = 0;
    do {
        bytes[size] = (unsigned char)(number & 0x7f);
        number >>= 7;
        bytes[size++] |= number ? 0x80 : 0;
    } while (number);
    put(to, bytes, size);
}

static void put_tag(struct chakra_bytes *to, unsigned field, unsigned wire)
{
    put_varint(to, field << 3 | wire);
}

static void put_text(struct chakra_bytes *to, unsigned field, const void *text, size_t size)
{
    put_tag(to, field, 2);
    put_varint(to, size);
    put(to, text, size);
}

/* A message inside another. */
static void put_message(struct chakra_bytes *to, unsigned field, struct chakra_bytes *message)
{
    put_text(to, field, message->at, message->size);
    free(message->at);
}

void chakra_begin(struct chakra_writer *writer, const char *version, const char *schema)
{
    struct chakra_bytes metadata = {NULL, 0, 0};
    struct chakra_bytes attribute = {NULL, 0, 0};
    memset(writer, 0, sizeof *writer);
    if (version)
        put_text(&metadata, 1, version, strlen(version));
    if (schema) {
        put_text(&attribute, 1, "schema", 6);
        put_text(&attribute, 29, schema, strlen(schema));
        put_message(&metadata, 2, &attribute);
    }
    put_varint(&writer->file, metadata.size);
    put(&writer->file, metadata.at, metadata.size);
    free(metadata.at);
}

void chakra_end(struct chakra_writer *writer)
{
    if (!writer->open)
        return;
    put_varint(&writer->file, writer->node.size);
    put(&writer->file, writer->node.at, writer->node.size);
    writer->node.size = 0;
    writer->open = 0;
}

void chakra_node(struct chakra_writer *writer, uint64_t id, const char *name, uint64_t type)
{
    chakra_end(writer);
    writer->open = 1;
    if (id) { /* as every writer of proto3 does */
        put_tag(&writer->node, 1, 0);
        put_varint(&writer->node, id);
    }
    put_text(&writer->node, 2, name, strlen(name));
    put_tag(&writer->node, 3, 0);
    put_varint(&writer->node, type);
}

void chakra_duration(struct chakra_writer *writer, uint64_t us)
{
    put_tag(&writer->node, 7, 0);
    put_varint(&writer->node, us);
}

static void put_dep(struct chakra_writer *writer, unsigned field, uint64_t id)
{
    struct chakra_bytes packed = {NULL, 0, 0};
    put_varint(&packed, id);
    put_message(&writer->node, field, &packed);
}

void chakra_data(struct chakra_writer *writer, uint64_t id)
{
    put_dep(writer, 5, id);
}

void chakra_ctrl(struct chakra_writer *writer, uint64_t id)
{
    put_dep(writer, 4, id);
}

static void put_fixed(struct chakra_bytes *to, unsigned field, uint64_t bits, size_t size)
{
    put_tag(to, field, size == 4 ? 5 : 1);
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)(bits >> (8 * i));
        put(to, &byte, 1);
    }
}

void chakra_integer(struct chakra_writer *writer, const char *name, int field, int64_t value)
{
    struct chakra_bytes attribute = {NULL, 0, 0};
    uint64_t bits = (uint64_t)value;
    put_text(&attribute, 1, name, strlen(name));
    if (field == CHAKRA_FIXED32 || field == CHAKRA_SFIXED32) {
        put_fixed(&attribute, (unsigned)field, bits, 4);
    } else if (field == CHAKRA_FIXED64 || field == CHAKRA_SFIXED64) {
        put_fixed(&attribute, (unsigned)field, bits, 8);
    } else {
        if (field == CHAKRA_SINT32 || field == CHAKRA_SINT64)
            bits = bits << 1 ^ (value < 0 ? UINT64_MAX : 0);
        put_tag(&attribute, (unsigned)field, 0);
        put_varint(&attribute, bits);
    }
    put_message(&writer->node, 10, &attribute);
}

void chakra_string(struct chakra_writer *writer, const char *name, const char *value)
{
    struct chakra_bytes attribute = {NULL, 0, 0};
    put_text(&attribute, 1, name, strlen(name));
    put_text(&attribute, 29, value, strlen(value));
    put_message(&writer->node, 10, &attribute);
}

void chakra_bools(struct chakra_writer *writer, const char *name, const char *bits)
{
    struct chakra_bytes attribute = {NULL, 0, 0};
    struct chakra_bytes list = {NULL, 0, 0};
    struct chakra_bytes packed = {NULL, 0, 0};
    for (; *bits; bits++)
        put_varint(&packed, *bits == '1');
    put_message(&list, 1, &packed);
    put_text(&attribute, 1, name, strlen(name));
    put_message(&attribute, 28, &list);
    put_message(&writer->node, 10, &attribute);
}

void chakra_inputs(struct chakra_writer *writer, const char *values)
{
    struct chakra_bytes info = {NULL, 0, 0};
    put_text(&info, 1, values, strlen(values));
    put_message(&writer->node, 8, &info);
}

void chakra_raw(struct chakra_writer *writer, const void *bytes, size_t size)
{
    put(&writer->node, bytes, size);
}

void chakra_compute(struct chakra_writer *writer, uint64_t id, uint64_t us)
{
    chakra_node(writer, id, "compute", CHAKRA_COMP);
    chakra_duration(writer, us);
}

void chakra_collective(struct chakra_writer *writer, uint64_t id, int64_t type, int64_t size, const char *group)
{
    chakra_node(writer, id, "collective", CHAKRA_COLL);
    chakra_integer(writer, "is_cpu_op", CHAKRA_BOOL, 0);
    chakra_integer(writer, "comm_type", CHAKRA_INT64, type);
    chakra_integer(writer, "comm_size", CHAKRA_INT64, size);
    if (group)
        chakra_string(writer, "pg_name", group);
}

void chakra_message(struct chakra_writer *writer, uint64_t id, uint64_t type, int64_t peer, int64_t size, int64_t tag)
{
    chakra_node(writer, id, type == CHAKRA_SEND ? "send" : "recv", type);
    chakra_integer(writer, type == CHAKRA_SEND ? "comm_dst" : "comm_src", CHAKRA_INT32, peer);
    if (size >= 0)
        chakra_integer(writer, "comm_size", CHAKRA_INT64, size);
    chakra_integer(writer, "comm_tag", CHAKRA_INT32, tag);
}

void chakra_free(struct chakra_writer *writer)
{
    free(writer->file.at);
    free(writer->node.at);
    memset(writer, 0, sizeof *writer);
}

void chakra_save(struct chakra_writer *writer, const char *path)
{
    chakra_end(writer);
    files_write(path, writer->file.at, writer->file.size);
    chakra_free(writer);
}

void chakra_save_gzip(struct chakra_writer *writer, const char *path)
{
    chakra_end(writer);
    gzFile file = gzopen(path, "wb");
    if (!file || gzwrite(file, writer->file.at, (unsigned)writer->file.size) != (int)writer->file.size ||
        gzclose(file) != Z_OK)
        abort();
    chakra_free(writer);
}
