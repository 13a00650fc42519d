/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* realpath() */

#include "io/output.h"

#include "io/fail.h"
#include "io/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ATTEMPTS 1000 /* names tried for the new file, where others of the same process are in use */

static const char *shown(const struct flux_io_output *out)
{
    return strcmp(out->path, "-") == 0 ? "standard output" : out->path;
}

/* A file must not become descriptor 0, 1 or 2 of a process that runs with these closed. */
static int above_standard(int descriptor)
{
    if (descriptor < 0 || descriptor > 2)
        return descriptor;
    int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    int number = errno;
    close(descriptor);
    errno = number;
    return moved;
}

static int open_in_place(struct flux_io_output *out, struct flux_error *error)
{
    out->descriptor = above_standard(open(out->path, O_WRONLY | O_CLOEXEC | O_NOCTTY));
    if (out->descriptor < 0)
        return flux_io_fail_errno(error, out->path, "open for writing", errno, NULL);
    return FLUX_OK;
}

/* Opens DIRECTORY/.flux-PID-N.tmp for the first N that is free. */
static int open_temporary(struct flux_io_output *out, struct flux_error *error)
{
    const char *slash = strrchr(out->target, '/');
    size_t directory = slash ? (size_t)(slash - out->target) + 1 : 0;
    size_t room = directory + 64;
    out->temporary = malloc(room);
    if (!out->temporary)
        return flux_io_fail_memory(error);
    memcpy(out->temporary, out->target, directory);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        snprintf(out->temporary + directory, room - directory, ".flux-%ld-%d.tmp", (long)getpid(), attempt);
        int descriptor = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0) {
            out->descriptor = above_standard(descriptor);
            if (out->descriptor >= 0)
                return FLUX_OK;
            int number = errno;
            unlink(out->temporary);
            return flux_io_fail_errno(error, out->path, "open for writing", number, NULL);
        }
        if (errno != EEXIST)
            break;
    }
    return flux_io_fail_errno(error, out->path, "create a file in its directory", errno,
                              "name a directory that exists and may be written");
}

int flux_io_output_open(struct flux_io_output *out, const char *path, struct flux_error *error)
{
    struct stat status;
    out->path = path;
    out->target = out->temporary = NULL;
    out->descriptor = -1;
    out->failed = 0;
    out->written = 0;
    out->used = 0;
    if (!path || !*path)
        return flux_io_fail(error, FLUX_E_ARGUMENT, "no output path; \"-\" is standard output");
    if (strcmp(path, "-") == 0) {
        out->descriptor = STDOUT_FILENO;
        return FLUX_OK;
    }
    int there = stat(path, &status) == 0;
    if (there && S_ISDIR(status.st_mode))
        return flux_io_fail_path(error, FLUX_E_IO, path, "is a directory; name a file in it");
    if (there && !S_ISREG(status.st_mode))
        return open_in_place(out, error);
    if (path[strlen(path) - 1] == '/')
        return flux_io_fail_path(error, FLUX_E_IO, path, "no such directory; create it and name a file in it");
    out->target = there ? realpath(path, NULL) : strdup(path); /* a link stays, the file behind it is replaced */
    if (!out->target && errno != ENOMEM) /* a descriptor's name, say, whose file has none any more */
        return flux_io_fail_errno(error, path, "find the file", errno, NULL);
    if (!out->target)
        return flux_io_fail_memory(error);
    int rc = open_temporary(out, error);
    if (rc) {
        free(out->temporary);
        free(out->target);
        return rc;
    }
    if (there) /* the new file may be read by whom the old one was; that this fails is no reason not to write */
        (void)!fchmod(out->descriptor, status.st_mode & 07777);
    return FLUX_OK;
}

static void flush(struct flux_io_output *out)
{
    size_t done = 0;
    while (!out->failed && done < out->used) {
        ssize_t count = write(out->descriptor, out->buffer + done, out->used - done);
        if (count >= 0)
            done += (size_t)count;
        else if (errno != EINTR)
            out->failed = errno;
    }
    out->used = 0;
}

int flux_io_output_close(struct flux_io_output *out, struct flux_error *error)
{
    flush(out);
    if (out->descriptor != STDOUT_FILENO) {
        int closed = close(out->descriptor);
        out->descriptor = -1;
        if (closed && !out->failed && errno != EINTR)
            out->failed = errno;
    }
    int number = out->failed;
    const char *doing = "write";
    if (!number && out->temporary && rename(out->temporary, out->target)) {
        number = errno;
        doing = "move the written file to its place";
    }
    if (number && out->temporary)
        unlink(out->temporary);
    free(out->temporary);
    free(out->target);
    out->temporary = out->target = NULL;
    if (number)
        return flux_io_fail_errno(error, shown(out), doing, number, number == ENOSPC ? "free some space" : NULL);
    return FLUX_OK;
}

void flux_io_output_abandon(struct flux_io_output *out)
{
    if (out->descriptor != STDOUT_FILENO && out->descriptor >= 0)
        close(out->descriptor);
    out->descriptor = -1;
    if (out->temporary)
        unlink(out->temporary);
    free(out->temporary);
    free(out->target);
    out->temporary = out->target = NULL;
}

void flux_io_put_bytes(struct flux_io_output *out, const char *bytes, size_t length)
{
    out->written += length;
    while (length > 0 && !out->failed) {
        size_t part = sizeof out->buffer - out->used;
        if (part > length)
            part = length;
        memcpy(out->buffer + out->used, bytes, part);
        out->used += part;
        bytes += part;
        length -= part;
        if (out->used == sizeof out->buffer)
            flush(out);
    }
}

void flux_io_put(struct flux_io_output *out, const char *text)
{
    flux_io_put_bytes(out, text, strlen(text));
}

void flux_io_put_char(struct flux_io_output *out, char character)
{
    flux_io_put_bytes(out, &character, 1);
}

void flux_io_put_u64(struct flux_io_output *out, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    flux_io_put_bytes(out, digits + at, sizeof digits - at);
}

void flux_io_put_i64(struct flux_io_output *out, int64_t number)
{
    if (number < 0)
        flux_io_put_char(out, '-');
    flux_io_put_u64(out, number < 0 ? -(uint64_t)number : (uint64_t)number);
}

void flux_io_put_fixed(struct flux_io_output *out, int64_t number, unsigned decimals)
{
    char digits[18];
    uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
    if (decimals > sizeof digits)
        decimals = sizeof digits;
    for (unsigned i = decimals; i > 0; i--, rest /= 10)
        digits[i - 1] = (char)('0' + rest % 10);
    if (number < 0)
        flux_io_put_char(out, '-');
    flux_io_put_u64(out, rest);
    if (decimals) {
        flux_io_put_char(out, '.');
        flux_io_put_bytes(out, digits, decimals);
    }
}

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* Characters that JSON allows but that readers of YAML or JavaScript take for line ends, or refuse, are escaped too. */
static int needs_escape(uint32_t point)
{
    return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x2028 || point == 0x2029 || point == 0xfeff ||
           point == 0xfffe || point == 0xffff;
}

void flux_io_put_json(struct flux_io_output *out, const char *text)
{
    static const char hex[] = "0123456789abcdef";
    const unsigned char *at = (const unsigned char *)text;
    size_t left = strlen(text);
    flux_io_put_char(out, '"');
    while (left > 0) {
        size_t length = flux_io_utf8_length(at, left);
        uint32_t point = length ? flux_io_utf8_point(at, length) : 0xfffd;
        if (length == 0) {
            flux_io_put(out, REPLACEMENT);
            length = 1;
        } else if (point == '"' || point == '\\') {
            flux_io_put_char(out, '\\');
            flux_io_put_char(out, (char)point);
        } else if (needs_escape(point)) {
            char escape[6] = {'\\',           'u', hex[point >> 12 & 15], hex[point >> 8 & 15], hex[point >> 4 & 15],
                              hex[point & 15]};
            flux_io_put_bytes(out, escape, sizeof escape);
        } else {
            flux_io_put_bytes(out, (const char *)at, length);
        }
        at += length;
        left -= length;
    }
    flux_io_put_char(out, '"');
}

void flux_io_put_csv(struct flux_io_output *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        flux_io_put(out, text);
        return;
    }
    flux_io_put_char(out, '"');
    for (; *text; text++) {
        if (*text == '"')
            flux_io_put_char(out, '"');
        flux_io_put_char(out, *text);
    }
    flux_io_put_char(out, '"');
}

void flux_io_put_xml(struct flux_io_output *out, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t left = strlen(text);
    while (left > 0) {
        size_t length = flux_io_utf8_length(at, left);
        int noncharacter = length == 3 && at[0] == 0xef && at[1] == 0xbf && at[2] >= 0xbe;
        if (length == 0 || noncharacter || (*at < 0x20 && *at != '\t' && *at != '\n' && *at != '\r')) {
            flux_io_put(out, REPLACEMENT);
            length = length ? length : 1;
        } else if (*at == '&') {
            flux_io_put(out, "&amp;");
        } else if (*at == '<') {
            flux_io_put(out, "&lt;");
        } else if (*at == '>') {
            flux_io_put(out, "&gt;");
        } else if (*at == '"') {
            flux_io_put(out, "&quot;");
        } else {
            flux_io_put_bytes(out, (const char *)at, length);
        }
        at += length;
        left -= length;
    }
}

void flux_io_put_format(struct flux_io_output *out, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length > 0)
        flux_io_put_bytes(out, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}
