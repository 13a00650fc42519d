/* SPDX-License-Identifier: Apache-2.0 */
#include "io/source.h"

#include "io/fail.h"

#include <errno.h>
#include <fcntl.h>
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

static int read_head(struct flux_io_source *source, struct flux_error *error)
{
    uint32_t have = 0;
    while (have < FLUX_IO_HEAD) {
        size_t count;
        int rc = flux_io_source_read(source, source->head + have, FLUX_IO_HEAD - have, &count, error);
        if (rc)
            return rc;
        if (count == 0)
            break;
        have += (uint32_t)count;
    }
    source->head_size = have;
    return FLUX_OK;
}

int flux_io_source_open(struct flux_io_source *source, const char *path, struct flux_error *error)
{
    struct stat status;
    source->path = path;
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
        if (fstat(source->descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
            flux_io_source_close(source);
            return flux_io_fail_path(error, FLUX_E_IO, path,
                                     "is a directory; name a file, or the prefix of a trace set such as %s/NAME for "
                                     "NAME.0.et, NAME.1.et, ...",
                                     path);
        }
    }
    int rc = read_head(source, error);
    if (rc)
        flux_io_source_close(source);
    return rc;
}

void flux_io_source_close(struct flux_io_source *source)
{
    if (source->descriptor > STDERR_FILENO || (source->descriptor >= 0 && strcmp(source->path, "-") != 0))
        close(source->descriptor);
    source->descriptor = -1;
}

int flux_io_source_missing(const struct flux_io_source *source, struct flux_error *error)
{
    return flux_io_fail_path(error, FLUX_E_IO, source->path,
                             "no such file, and no trace set %s.0.et, %s.1.et, ... either; check the path",
                             source->path, source->path);
}
