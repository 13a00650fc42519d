/* SPDX-License-Identifier: Apache-2.0
 *
 * io/trace/chakra_wire.h - the messages of a Chakra execution trace, one after another.
 *
 * Schema 0.0.4, which is also 1.0.0: the first frame is GlobalMetadata, every other frame a Node. This layer knows what
 * bytes mean, not what a workload is: it keeps of a node what a later layer may want, whatever kind of integer it was
 * written as, skips the rest, and refuses the older schemas by name. Nothing here depends on other nodes.
 */
#ifndef FLUX_IO_TRACE_CHAKRA_WIRE_H
#define FLUX_IO_TRACE_CHAKRA_WIRE_H

#include "io/memory.h"
#include "io/trace/chakra_stream.h"

/* NodeType. A file may hold other numbers. */
#define FLUX_IO_CHAKRA_INVALID 0u
#define FLUX_IO_CHAKRA_METADATA 1u
#define FLUX_IO_CHAKRA_MEM_LOAD 2u
#define FLUX_IO_CHAKRA_MEM_STORE 3u
#define FLUX_IO_CHAKRA_COMP 4u
#define FLUX_IO_CHAKRA_SEND 5u
#define FLUX_IO_CHAKRA_RECV 6u
#define FLUX_IO_CHAKRA_COLL 7u

/* CollectiveCommType, the number in the attribute comm_type. */
#define FLUX_IO_CHAKRA_ALL_REDUCE 0u
#define FLUX_IO_CHAKRA_REDUCE 1u
#define FLUX_IO_CHAKRA_ALL_GATHER 2u
#define FLUX_IO_CHAKRA_GATHER 3u
#define FLUX_IO_CHAKRA_SCATTER 4u
#define FLUX_IO_CHAKRA_BROADCAST 5u
#define FLUX_IO_CHAKRA_ALL_TO_ALL 6u
#define FLUX_IO_CHAKRA_REDUCE_SCATTER 7u
#define FLUX_IO_CHAKRA_REDUCE_SCATTER_BLOCK 8u
#define FLUX_IO_CHAKRA_BARRIER 9u

/* The attributes that are kept. */
enum flux_io_chakra_attribute {
    FLUX_IO_CHAKRA_IS_CPU_OP,
    FLUX_IO_CHAKRA_COMM_TYPE,
    FLUX_IO_CHAKRA_COMM_SIZE,
    FLUX_IO_CHAKRA_COMM_SRC,
    FLUX_IO_CHAKRA_COMM_DST,
    FLUX_IO_CHAKRA_COMM_TAG,
    FLUX_IO_CHAKRA_COMM_GROUP,
    FLUX_IO_CHAKRA_PG_NAME,
    FLUX_IO_CHAKRA_INVOLVED_DIM,
    FLUX_IO_CHAKRA_NUM_OPS,
    FLUX_IO_CHAKRA_TENSOR_SIZE,
    FLUX_IO_CHAKRA_MSG_CHUNK_CNT,
    FLUX_IO_CHAKRA_SCHEMA, /* of the metadata */
    FLUX_IO_CHAKRA_ATTRIBUTES
};

/* What a value is. NONE also stands for an attribute that has a name and no value, which real files contain. */
#define FLUX_IO_CHAKRA_NONE 0u
#define FLUX_IO_CHAKRA_INTEGER 1u  /* of any of the integer kinds, or bool */
#define FLUX_IO_CHAKRA_TEXT 2u     /* string or bytes */
#define FLUX_IO_CHAKRA_ALL_TRUE 3u /* a list of bools without a false */
#define FLUX_IO_CHAKRA_OTHER 4u

struct flux_io_chakra_value {
    uint32_t kind;
    uint32_t negative;  /* of an integer: 1 where it is below 0 */
    uint64_t magnitude; /* of an integer: its absolute value; of a text: its length in the file */
};

#define FLUX_IO_CHAKRA_TEXT_MAX 255 /* longer texts are cut; value.magnitude tells */

struct flux_io_chakra_node {
    uint64_t id;
    uint64_t offset; /* of its frame in the file */
    uint64_t duration_us;
    uint32_t type;
    uint32_t name_length;
    uint64_t data_deps_count;
    uint64_t ctrl_deps_count;
    uint64_t inputs_length;
    const uint64_t *data_deps; /* as they stand in the file; they live until the next node is read */
    const uint64_t *ctrl_deps;
    const char *inputs; /* IOInfo.values of the inputs, of metadata nodes only; ended by a zero byte */
    struct flux_io_chakra_value value[FLUX_IO_CHAKRA_ATTRIBUTES];
    char name[FLUX_IO_CHAKRA_TEXT_MAX + 1];  /* cut, ended by a zero byte; any bytes but zero */
    char group[FLUX_IO_CHAKRA_TEXT_MAX + 1]; /* text of pg_name */
};

struct flux_io_chakra_reader {
    const struct flux_io_memory *memory;
    uint64_t data_capacity;
    uint64_t ctrl_capacity;
    uint64_t inputs_capacity;
    uint64_t object_capacity;
    uint64_t line; /* of a JSON trace, of the next byte */
    uint64_t column;
    uint64_t json; /* 1: it is one; 2: and all of it is read by way of a tree */
    char *object;
    uint64_t *data;
    uint64_t *ctrl;
    char *inputs;
    struct flux_io_chakra_node node;
    char version[32]; /* of the metadata, cut; "" where there is none */
    char schema[64];
    struct flux_io_chakra_stream stream;
};

/* Opens a trace and reads its metadata. `source` is `path` where the caller has it open already, or NULL. All must
 * outlive the reader, which is large: allocate it. Errors: IO, FORMAT, MEMORY. On error there is nothing to close. */
int flux_io_chakra_open(struct flux_io_chakra_reader *reader, const struct flux_io_memory *memory, const char *path,
                        struct flux_io_source *source, struct flux_error *error);
void flux_io_chakra_close(struct flux_io_chakra_reader *reader);

/* 1 and reader->node; 0 at the end of the file; or an error: FORMAT, IO, MEMORY. */
int flux_io_chakra_next(struct flux_io_chakra_reader *reader, struct flux_error *error);

#endif
