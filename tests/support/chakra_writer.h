/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/support/chakra_writer.h - Chakra traces for tests, byte by byte. Shares no code with the library.
 *
 *     struct chakra_writer trace;
 *     chakra_begin(&trace, "0.0.4", NULL);
 *     chakra_node(&trace, 7, "gradients", CHAKRA_COLL);
 *     chakra_data(&trace, 6);
 *     chakra_integer(&trace, "comm_type", CHAKRA_INT64, 0);
 *     chakra_save(&trace, path);       ... and it is empty again
 */
#ifndef TESTS_CHAKRA_WRITER_H
#define TESTS_CHAKRA_WRITER_H

#include <stddef.h>
#include <stdint.h>

#define CHAKRA_METADATA 1
#define CHAKRA_MEM_LOAD 2
#define CHAKRA_COMP 4
#define CHAKRA_SEND 5
#define CHAKRA_RECV 6
#define CHAKRA_COLL 7

/* Fields of an attribute that hold one integer. */
#define CHAKRA_INT32 7
#define CHAKRA_INT64 9
#define CHAKRA_UINT32 11
#define CHAKRA_UINT64 13
#define CHAKRA_SINT32 15
#define CHAKRA_SINT64 17
#define CHAKRA_FIXED32 19
#define CHAKRA_FIXED64 21
#define CHAKRA_SFIXED32 23
#define CHAKRA_SFIXED64 25
#define CHAKRA_BOOL 27

struct chakra_bytes {
    unsigned char *at;
    size_t size;
    size_t capacity;
};

struct chakra_writer {
    struct chakra_bytes file;
    struct chakra_bytes node; /* the one that is open */
    int open;
};

/* Metadata with a version and a schema, either may be NULL. */
void chakra_begin(struct chakra_writer *writer, const char *version, const char *schema);

/* A new node; the one before it is complete. */
void chakra_node(struct chakra_writer *writer, uint64_t id, const char *name, uint64_t type);
/* Of the open node. */
void chakra_duration(struct chakra_writer *writer, uint64_t us);
void chakra_data(struct chakra_writer *writer, uint64_t id);
void chakra_ctrl(struct chakra_writer *writer, uint64_t id);
void chakra_integer(struct chakra_writer *writer, const char *name, int field, int64_t value);
void chakra_string(struct chakra_writer *writer, const char *name, const char *value);
void chakra_bools(struct chakra_writer *writer, const char *name, const char *bits); /* such as "101" */
void chakra_inputs(struct chakra_writer *writer, const char *values);
/* Bytes as they are, into the open node. */
void chakra_raw(struct chakra_writer *writer, const void *bytes, size_t size);

/* The nodes of the common cases. Sizes and ranks as int64 attributes. */
void chakra_compute(struct chakra_writer *writer, uint64_t id, uint64_t us);
void chakra_collective(struct chakra_writer *writer, uint64_t id, int64_t type, int64_t size, const char *group);
void chakra_message(struct chakra_writer *writer, uint64_t id, uint64_t type, int64_t peer, int64_t size, int64_t tag);

/* Completes the trace; chakra_save() writes and empties it. Both end the program where they cannot. */
void chakra_end(struct chakra_writer *writer);
void chakra_save(struct chakra_writer *writer, const char *path);
void chakra_save_gzip(struct chakra_writer *writer, const char *path);
void chakra_free(struct chakra_writer *writer);

#endif
