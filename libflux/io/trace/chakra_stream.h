/* SPDX-License-Identifier: Apache-2.0
 *
 * io/trace/chakra_stream.h - one rank's trace file as a row of frames.
 *
 * A file is frame after frame: a varint length and that many bytes of a protocol buffers message. There is no magic
 * number, no count and no end mark. Reading is by a small buffer, so memory does not grow with the file and no length
 * in the file is ever believed for an allocation. Offsets count the bytes of the uncompressed file.
 */
#ifndef FLUX_IO_TRACE_CHAKRA_STREAM_H
#define FLUX_IO_TRACE_CHAKRA_STREAM_H

#include "io/source.h"

#include <pb_decode.h>

struct flux_io_chakra_stream {
    const char *path; /* the caller's, for messages */
    struct flux_io_source *source;
    uint64_t offset; /* of the next byte */
    uint64_t frame;  /* where the last frame begins */
    int32_t failed;  /* 0, or the code with which reading ended; `why` says more */
    uint32_t at;     /* next byte in `buffer` */
    uint32_t filled;
    struct flux_error why;
    struct flux_io_source own; /* where the caller had none open */
    unsigned char buffer[16384];
};

/* Reads `source`, which is then the caller's to close, or where it is NULL opens `path`. One file at a time: a set of
 * thousands of ranks needs one descriptor. Errors: IO, FORMAT, MEMORY. On error there is nothing to close. */
int flux_io_chakra_stream_open(struct flux_io_chakra_stream *stream, const struct flux_io_memory *memory,
                               const char *path, struct flux_io_source *source, struct flux_error *error);
void flux_io_chakra_stream_close(struct flux_io_chakra_stream *stream);

/* More bytes into the empty buffer: their number, or 0 at the end of the file and where reading has `failed`. */
uint32_t flux_io_chakra_stream_fill(struct flux_io_chakra_stream *stream);

/* 1 and the bytes of the next frame as a stream of nanopb, with the frame's offset; 0 at the end of the file; or an
 * error: FORMAT (cut off, a length of more than five bytes or longer than the rest of the file), IO. */
int flux_io_chakra_stream_frame(struct flux_io_chakra_stream *stream, pb_istream_t *frame, uint64_t *offset,
                                struct flux_error *error);

/* The error for a stream that `failed` while a frame was read. */
int flux_io_chakra_stream_fail(const struct flux_io_chakra_stream *stream, struct flux_error *error);

#endif
