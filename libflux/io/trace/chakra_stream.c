/* SPDX-License-Identifier: Apache-2.0 */
#include "io/trace/chakra_stream.h"

#include "io/fail.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define LENGTH_BYTES_MAX 5 /* of a frame's length; Chakra's own feeder reads no more */

int flux_io_chakra_stream_open(struct flux_io_chakra_stream *stream, const struct flux_io_memory *memory,
                               const char *path, struct flux_io_source *source, struct flux_error *error)
{
    stream->path = path;
    stream->source = source ? source : &stream->own;
    stream->offset = 0;
    stream->failed = 0;
    stream->at = stream->filled = 0;
    stream->own.descriptor = -1;
    stream->own.gunzip = NULL;
    if (source)
        return FLUX_OK;
    int rc = flux_io_source_open(&stream->own, memory, path, error);
    if (!rc && stream->own.descriptor < 0)
        rc = flux_io_fail_errno(error, path, "read", ENOENT, NULL);
    return rc;
}

void flux_io_chakra_stream_close(struct flux_io_chakra_stream *stream)
{
    if (stream->source == &stream->own)
        flux_io_source_close(&stream->own);
    stream->source = NULL;
}

uint32_t flux_io_chakra_stream_fill(struct flux_io_chakra_stream *stream)
{
    size_t got = 0;
    stream->failed = flux_io_source_read(stream->source, stream->buffer, sizeof stream->buffer, &got, &stream->why);
    stream->at = 0;
    stream->filled = stream->failed ? 0 : (uint32_t)got;
    return stream->filled;
}

static bool pull(pb_istream_t *frame, pb_byte_t *bytes, size_t count)
{
    struct flux_io_chakra_stream *stream = frame->state;
    while (count) {
        if (stream->at == stream->filled && !flux_io_chakra_stream_fill(stream)) {
            if (!stream->failed)
                stream->failed = flux_io_fail_offset(&stream->why, FLUX_E_FORMAT, stream->path, stream->frame,
                                                     "the file ends inside this frame");
            return false;
        }
        size_t part = stream->filled - stream->at;
        if (part > count)
            part = count;
        if (bytes) {
            memcpy(bytes, stream->buffer + stream->at, part);
            bytes += part;
        }
        stream->at += (uint32_t)part;
        stream->offset += part;
        count -= part;
    }
    return true;
}

int flux_io_chakra_stream_fail(const struct flux_io_chakra_stream *stream, struct flux_error *error)
{
    if (error)
        *error = stream->why;
    return stream->failed;
}

int flux_io_chakra_stream_frame(struct flux_io_chakra_stream *stream, pb_istream_t *frame, uint64_t *offset,
                                struct flux_error *error)
{
    uint64_t length = 0;
    unsigned char byte = 0x80;
    *offset = stream->frame = stream->offset;
    for (unsigned i = 0; byte & 0x80; i++) {
        if (stream->at == stream->filled && !flux_io_chakra_stream_fill(stream)) {
            if (stream->failed)
                return flux_io_chakra_stream_fail(stream, error);
            if (i == 0)
                return 0;
            return flux_io_fail_offset(error, FLUX_E_FORMAT, stream->path, *offset,
                                       "the file ends inside the length of a frame");
        }
        if (i == LENGTH_BYTES_MAX)
            return flux_io_fail_offset(error, FLUX_E_FORMAT, stream->path, *offset,
                                       "the length of a frame takes more than %d bytes; is this a Chakra trace?",
                                       LENGTH_BYTES_MAX);
        byte = stream->buffer[stream->at++];
        stream->offset++;
        length |= (uint64_t)(byte & 0x7f) << (7 * i);
    }
    if (stream->source->size != UINT64_MAX && length > stream->source->size - stream->offset)
        return flux_io_fail_offset(error, FLUX_E_FORMAT, stream->path, *offset,
                                   "a frame claims %" PRIu64 " bytes and %" PRIu64
                                   " are left; the file is cut off, or no Chakra trace",
                                   length, stream->source->size - stream->offset);
    memset(frame, 0, sizeof *frame);
    frame->callback = pull;
    frame->state = stream;
    frame->bytes_left = (size_t)length;
    return 1;
}
