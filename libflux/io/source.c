/* SPDX-License-Identifier: Apache-2.0 */
#include "io/source.h"

#include "io/fail.h"
#include "io/gunzip.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int flux_io_source_read(struct flux_io_source *source, void *bytes, size_t size, size_t *count,
                        struct flux_error *error)
{
    *count = 0;
    if (source->head_given < source->head_size) {
        size_t part = source->head_size - source->head_given;
        if (part > size)
            part = size;
        memcpy(bytes, source->head + source->head_given, part);
        source->head_given += (uint32_t)part;
        *count = part;
        return FLUX_OK;
    }
    if (source->text) {
        *count = source->text_size < size ? (size_t)source->text_size : size;
        memcpy(bytes, source->text, *count);
        source->text += *count;
        source->text_size -= *count;
        return FLUX_OK;
    }
    if (source->gunzip)
        return flux_io_gunzip_read(source->gunzip, source->descriptor, source->path, bytes, size, count, error);
    for (;;) {
        ssize_t got = read(source->descriptor, bytes, size);
        if (got >= 0) {
            *count = (size_t)got;
            return FLUX_OK;
        }
        if (errno != EINTR)
            return flux_io_fail_errno(error, source->path, "read", errno, NULL);
    }
}

/* Fills the head up to `most` bytes; fewer only at the end of the file. */
static int read_head(struct flux_io_source *source, uint32_t most, struct flux_error *error)
{
    uint32_t have = source->head_size;
    source->head_given = source->head_size = 0;
    while (have < most) {
        size_t count;
        int rc = flux_io_source_read(source, source->head + have, most - have, &count, error);
        if (rc)
            return rc;
        if (count == 0)
            break;
        have += (uint32_t)count;
    }
    source->head_size = have;
    return FLUX_OK;
}

/* The first two bytes tell whether the rest is compressed. */
static int begin(struct flux_io_source *source, struct flux_error *error)
{
    int rc = read_head(source, 2, error);
    if (rc || source->head_size < 2)
        return rc;
    if (source->head[0] == 0x1f && source->head[1] == 0x8b) {
        if (flux_io_gunzip_new(source->memory, source->head, source->head_size, &source->gunzip))
            return flux_io_fail_memory(error);
        source->size = UINT64_MAX;
        source->head_size = 0;
    }
    return read_head(source, FLUX_IO_HEAD, error);
}

int flux_io_source_open(struct flux_io_source *source, const struct flux_io_memory *memory, const char *path,
                        struct flux_error *error)
{
    struct stat status;
    source->memory = memory;
    source->path = path;
    source->gunzip = NULL;
    source->text = NULL;
    source->text_size = 0;
    source->size = UINT64_MAX;
    source->descriptor = -1;
    source->head_size = source->head_given = 0;
    if (!path || !*path)
        return flux_io_fail(error, FLUX_E_ARGUMENT, "no input path; \"-\" is standard input");
    if (strcmp(path, "-") == 0) {
        source->descriptor = STDIN_FILENO;
    } else {
        source->descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
        if (source->descriptor < 0 && (errno == ENOENT || errno == ENOTDIR))
            return FLUX_OK;
        if (source->descriptor < 0)
            return flux_io_fail_errno(error, path, "read", errno, errno == EACCES ? "its mode forbids it" : NULL);
        int known = fstat(source->descriptor, &status) == 0;
        if (known && S_ISREG(status.st_mode))
            source->size = (uint64_t)status.st_size;
        if (known && S_ISDIR(status.st_mode)) {
            flux_io_source_close(source);
            return flux_io_fail_path(error, FLUX_E_IO, path,
                                     "is a directory; name a file, or the prefix of a trace set such as %s/NAME for "
                                     "NAME.0.et, NAME.1.et, ...",
                                     path);
        }
    }
    int rc = begin(source, error);
    if (rc)
        flux_io_source_close(source);
    return rc;
}

void flux_io_source_of(struct flux_io_source *source, const struct flux_io_memory *memory, const char *path,
                       const unsigned char *text, uint64_t size)
{
    memset(source, 0, sizeof *source);
    source->memory = memory;
    source->path = path;
    source->text = text;
    source->text_size = source->size = size;
    source->descriptor = -1;
}

void flux_io_source_close(struct flux_io_source *source)
{
    if (source->descriptor > STDERR_FILENO || (source->descriptor >= 0 && strcmp(source->path, "-") != 0))
        close(source->descriptor);
    source->descriptor = -1;
    flux_io_gunzip_free(source->memory, source->gunzip);
    source->gunzip = NULL;
}

int flux_io_source_read_all(struct flux_io_source *source, uint64_t most, unsigned char **bytes, uint64_t *size,
                            uint64_t *capacity, struct flux_error *error)
{
    *bytes = NULL;
    *size = *capacity = 0;
    for (;;) {
        size_t count;
        if (flux_io_grow(source->memory, bytes, capacity, *size + 65536, 1))
            return flux_io_fail_memory(error);
        int rc = flux_io_source_read(source, *bytes + *size, (size_t)(*capacity - *size), &count, error);
        if (rc || count == 0)
            return rc;
        *size += count;
        if (*size > most)
            return flux_io_fail_path(error, FLUX_E_TOO_BIG, source->path, "is larger than %" PRIu64 " MiB", most >> 20);
    }
}

int flux_io_source_missing(const struct flux_io_source *source, struct flux_error *error)
{
    return flux_io_fail_path(error, FLUX_E_IO, source->path,
                             "no such file, and no trace set %s.0.et, %s.1.et, ... either; check the path",
                             source->path, source->path);
}

int flux_io_source_begins(const struct flux_io_source *source, const char *text)
{
    uint32_t at = 0;
    size_t length = strlen(text);
    while (at < source->head_size && strchr(" \t\r\n", source->head[at]) && source->head[at])
        at++;
    return source->head_size - at >= length && memcmp(source->head + at, text, length) == 0;
}
