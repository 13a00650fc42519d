/* SPDX-License-Identifier: Apache-2.0 */
#include "io/gunzip.h"

#include "io/fail.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

struct flux_io_gunzip {
    z_stream stream;
    uint64_t raw_count; /* bytes of the file seen so far */
    uint64_t count;     /* bytes of the contents delivered so far */
    uint32_t between;   /* 1: one compressed part has ended; another may follow */
    uint32_t at_end;
    unsigned char raw[FLUX_IO_GUNZIP_RAW];
};

int flux_io_gunzip_new(const struct flux_io_memory *memory, const unsigned char *raw, uint32_t size,
                       struct flux_io_gunzip **gunzip)
{
    struct flux_io_gunzip *fresh = flux_io_alloc_zero(memory, 1, sizeof *fresh);
    if (!fresh)
        return FLUX_E_MEMORY;
    memcpy(fresh->raw, raw, size);
    fresh->raw_count = size;
    fresh->stream.next_in = fresh->raw;
    fresh->stream.avail_in = size;
    if (inflateInit2(&fresh->stream, 15 + 16) != Z_OK) {
        flux_io_release(memory, fresh, 1, sizeof *fresh);
        return FLUX_E_MEMORY;
    }
    *gunzip = fresh;
    return FLUX_OK;
}

void flux_io_gunzip_free(const struct flux_io_memory *memory, struct flux_io_gunzip *gunzip)
{
    if (!gunzip)
        return;
    inflateEnd(&gunzip->stream);
    flux_io_release(memory, gunzip, 1, sizeof *gunzip);
}

/* More of the file into the empty buffer. */
static int fill(struct flux_io_gunzip *gunzip, int descriptor, const char *path, struct flux_error *error)
{
    for (;;) {
        ssize_t got = read(descriptor, gunzip->raw, sizeof gunzip->raw);
        if (got >= 0) {
            gunzip->stream.next_in = gunzip->raw;
            gunzip->stream.avail_in = (unsigned)got;
            gunzip->raw_count += (uint64_t)got;
            return FLUX_OK;
        }
        if (errno != EINTR)
            return flux_io_fail_errno(error, path, "read", errno, NULL);
    }
}

static int check_growth(const struct flux_io_gunzip *gunzip, const char *path, struct flux_error *error)
{
    uint64_t seen = gunzip->raw_count - gunzip->stream.avail_in;
    if (gunzip->count > FLUX_IO_GUNZIP_MAX)
        return flux_io_fail_path(error, FLUX_E_TOO_BIG, path,
                                 "holds more than %" PRIu64 " bytes compressed; read it uncompressed", gunzip->count);
    if (gunzip->count > FLUX_IO_GUNZIP_FREE && gunzip->count / FLUX_IO_GUNZIP_RATIO > seen)
        return flux_io_fail_path(error, FLUX_E_TOO_BIG, path,
                                 "its first %" PRIu64 " bytes hold %" PRIu64
                                 " bytes compressed, more than any workload does; read it uncompressed",
                                 seen, gunzip->count);
    return FLUX_OK;
}

/* One part has ended: nothing may follow, or zeros, or another one. */
static int next_part(struct flux_io_gunzip *gunzip)
{
    while (gunzip->stream.avail_in && *gunzip->stream.next_in == 0) {
        gunzip->stream.next_in++;
        gunzip->stream.avail_in--;
    }
    if (!gunzip->stream.avail_in)
        return Z_OK;
    gunzip->between = 0;
    return inflateReset(&gunzip->stream);
}

static int fail_stream(const struct flux_io_gunzip *gunzip, int number, const char *path, struct flux_error *error)
{
    if (number == Z_MEM_ERROR)
        return flux_io_fail_memory(error);
    return flux_io_fail_offset(error, FLUX_E_FORMAT, path, gunzip->count, "the compressed file is damaged: %s",
                               gunzip->stream.msg ? gunzip->stream.msg : "it is no gzip");
}

int flux_io_gunzip_read(struct flux_io_gunzip *gunzip, int descriptor, const char *path, void *bytes, size_t size,
                        size_t *count, struct flux_error *error)
{
    z_stream *stream = &gunzip->stream;
    unsigned room = size < (1u << 30) ? (unsigned)size : 1u << 30;
    *count = 0;
    stream->next_out = bytes;
    stream->avail_out = room;
    while (stream->avail_out == room && !gunzip->at_end) {
        int number;
        if (!stream->avail_in) {
            int rc = fill(gunzip, descriptor, path, error);
            if (rc)
                return rc;
            if (!stream->avail_in && !gunzip->between)
                return flux_io_fail_offset(error, FLUX_E_FORMAT, path, gunzip->count, "the compressed file is cut off");
            gunzip->at_end = !stream->avail_in;
            continue;
        }
        number = gunzip->between ? next_part(gunzip) : inflate(stream, Z_NO_FLUSH);
        if (number == Z_STREAM_END)
            gunzip->between = 1;
        else if (number != Z_OK && number != Z_BUF_ERROR)
            return fail_stream(gunzip, number, path, error);
    }
    *count = room - stream->avail_out;
    gunzip->count += *count;
    return check_growth(gunzip, path, error);
}
