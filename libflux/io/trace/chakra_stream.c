/* SPDX-License-Identifier: Apache-2.0 */
#include "io/trace/chakra_stream.h"

#include "io/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define LENGTH_BYTES_MAX 5 /* of a frame's length; Chakra's own feeder reads no more */

int flux_io_chakra_stream_open(struct flux_io_chakra_stream *stream, const char *path, struct flux_error *error)
{
    struct stat status;
    stream->path = path;
    stream->file = NULL;
    stream->offset = 0;
    stream->failed = 0;
    stream->at = stream->filled = 0;
    stream->why[0] = '\0';
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (descriptor < 0)
        return flux_io_fail_errno(error, path, "read", errno, NULL);
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        close(descriptor);
        return flux_io_fail_path(error, FLUX_E_IO, path, "is not a regular file");
    }
    gzFile file = gzdopen(descriptor, "rb");
    if (!file) {
        close(descriptor);
        return flux_io_fail_memory(error);
    }
    stream->file = file;
    stream->size = gzdirect(file) ? (uint64_t)status.st_size : UINT64_MAX;
    return FLUX_OK;
}

void flux_io_chakra_stream_close(struct flux_io_chakra_stream *stream)
{
    if (stream->file)
        gzclose_r(stream->file);
    stream->file = NULL;
}

/* More bytes into the empty buffer. 0 at the end of the file or on a failure, which is then noted. */
static uint32_t fill(struct flux_io_chakra_stream *stream)
{
    int number = Z_OK;
    int got = gzread(stream->file, stream->buffer, sizeof stream->buffer);
    stream->at = 0;
    stream->filled = got > 0 ? (uint32_t)got : 0;
    if (got > 0)
        return stream->filled;
    const char *why = gzerror(stream->file, &number);
    if (number == Z_OK || number == Z_STREAM_END)
        return 0;
    if (number == Z_ERRNO) {
        char reason[64];
        stream->failed = FLUX_E_IO;
        snprintf(stream->why, sizeof stream->why, "cannot read: %s", flux_io_errno_text(errno, reason, sizeof reason));
    } else if (number == Z_MEM_ERROR) {
        stream->failed = FLUX_E_MEMORY;
    } else if (number == Z_BUF_ERROR) {
        stream->failed = FLUX_E_FORMAT;
        snprintf(stream->why, sizeof stream->why, "the compressed file is cut off");
    } else {
        const char *tail = strrchr(why, ':'); /* zlib puts the path before it */
        stream->failed = FLUX_E_FORMAT;
        snprintf(stream->why, sizeof stream->why, "the compressed file is damaged:%.60s", tail ? tail + 1 : why);
    }
    return 0;
}

static bool pull(pb_istream_t *frame, pb_byte_t *bytes, size_t count)
{
    struct flux_io_chakra_stream *stream = frame->state;
    while (count) {
        if (stream->at == stream->filled && !fill(stream)) {
            if (!stream->failed) {
                stream->failed = FLUX_E_FORMAT;
                snprintf(stream->why, sizeof stream->why, "the file ends inside this frame");
            }
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

int flux_io_chakra_stream_fail(const struct flux_io_chakra_stream *stream, uint64_t frame, struct flux_error *error)
{
    if (stream->failed == FLUX_E_MEMORY)
        return flux_io_fail_memory(error);
    return flux_io_fail_offset(error, stream->failed, stream->path, frame, "%s", stream->why);
}

int flux_io_chakra_stream_frame(struct flux_io_chakra_stream *stream, pb_istream_t *frame, uint64_t *offset,
                                struct flux_error *error)
{
    uint64_t length = 0;
    unsigned char byte = 0x80;
    *offset = stream->offset;
    for (unsigned i = 0; byte & 0x80; i++) {
        if (stream->at == stream->filled && !fill(stream)) {
            if (stream->failed)
                return flux_io_chakra_stream_fail(stream, *offset, error);
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
    if (stream->size != UINT64_MAX && length > stream->size - stream->offset)
        return flux_io_fail_offset(error, FLUX_E_FORMAT, stream->path, *offset,
                                   "a frame claims %" PRIu64 " bytes and %" PRIu64
                                   " are left; the file is cut off, or no Chakra trace",
                                   length, stream->size - stream->offset);
    memset(frame, 0, sizeof *frame);
    frame->callback = pull;
    frame->state = stream;
    frame->bytes_left = (size_t)length;
    return 1;
}
