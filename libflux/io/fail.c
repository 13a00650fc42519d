/* SPDX-License-Identifier: Apache-2.0 */
#include "io/fail.h"

#include "io/utf8.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PATH_SHOWN 160 /* bytes of a path that a text shows: its end, where the file's name is */

/* Makes `text` one line of UTF-8 in place. */
static void clean(char *text)
{
    unsigned char *at = (unsigned char *)text;
    size_t left = strlen(text);
    while (left > 0) {
        size_t length = flux_io_utf8_length(at, left);
        if (length == 0 || (length == 1 && (*at < 0x20 || *at == 0x7f))) {
            *at = '?';
            length = 1;
        }
        at += length;
        left -= length;
    }
}

/* Appends to error->text at `used`; cut text ends in "..." and never within a character. */
static size_t append(struct flux_error *error, size_t used, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));
static size_t append(struct flux_error *error, size_t used, const char *format, va_list arguments)
{
    size_t room = sizeof error->text - used;
    int length = vsnprintf(error->text + used, room, format, arguments);
    if (length < 0)
        error->text[used] = '\0';
    else if ((size_t)length < room)
        return used + (size_t)length;
    size_t end = sizeof error->text - 4;
    while (end > 0 && ((unsigned char)error->text[end] & 0xc0) == 0x80)
        end--;
    memcpy(error->text + end, "...", 4);
    return end + 3;
}

static size_t append_text(struct flux_error *error, size_t used, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static size_t append_text(struct flux_error *error, size_t used, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    used = append(error, used, format, arguments);
    va_end(arguments);
    return used;
}

static void begin(struct flux_error *error, int code)
{
    memset(error, 0, sizeof *error);
    error->code = code;
    error->vertex = FLUX_NONE;
}

static size_t append_path(struct flux_error *error, const char *path)
{
    size_t length = strlen(path);
    if (strcmp(path, "-") == 0)
        return append_text(error, 0, "standard input");
    if (length <= PATH_SHOWN)
        return append_text(error, 0, "%s", path);
    return append_text(error, 0, "...%s", path + length - PATH_SHOWN);
}

int flux_io_fail(struct flux_error *error, int code, const char *format, ...)
{
    if (!error)
        return code;
    va_list arguments;
    va_start(arguments, format);
    begin(error, code);
    append(error, 0, format, arguments);
    va_end(arguments);
    clean(error->text);
    return code;
}

int flux_io_fail_path(struct flux_error *error, int code, const char *path, const char *format, ...)
{
    if (!error)
        return code;
    va_list arguments;
    va_start(arguments, format);
    begin(error, code);
    append(error, append_text(error, append_path(error, path), ": "), format, arguments);
    va_end(arguments);
    clean(error->text);
    return code;
}

int flux_io_fail_line(struct flux_error *error, int code, const char *path, uint64_t line, uint64_t column,
                      const char *format, ...)
{
    if (!error)
        return code;
    va_list arguments;
    va_start(arguments, format);
    begin(error, code);
    error->line = line < UINT32_MAX ? (uint32_t)line : UINT32_MAX;
    error->column = column < UINT32_MAX ? (uint32_t)column : UINT32_MAX;
    size_t used = append_text(error, append_path(error, path), ":%llu:%llu: ", (unsigned long long)line,
                              (unsigned long long)column);
    append(error, used, format, arguments);
    va_end(arguments);
    clean(error->text);
    return code;
}

int flux_io_fail_offset(struct flux_error *error, int code, const char *path, uint64_t offset, const char *format, ...)
{
    if (!error)
        return code;
    va_list arguments;
    va_start(arguments, format);
    begin(error, code);
    error->offset = offset;
    size_t used = append_text(error, append_path(error, path), ": byte %llu: ", (unsigned long long)offset);
    append(error, used, format, arguments);
    va_end(arguments);
    clean(error->text);
    return code;
}

char *flux_io_errno_text(int number, char *room, size_t size)
{
    if (strerror_r(number, room, size))
        snprintf(room, size, "error %d", number);
    return room;
}

int flux_io_fail_errno(struct flux_error *error, const char *path, const char *doing, int number, const char *advice)
{
    char reason[128];
    flux_io_errno_text(number, reason, sizeof reason);
    return flux_io_fail_path(error, number == ENOMEM ? FLUX_E_MEMORY : FLUX_E_IO, path, "cannot %s: %s%s%s", doing, reason, advice ? "; " : "",
                             advice ? advice : "");
}

int flux_io_fail_memory(struct flux_error *error)
{
    return flux_io_fail(error, FLUX_E_MEMORY, "out of memory");
}

int flux_io_fail_from(struct flux_error *error, int code, const char *path)
{
    if (!error || code == FLUX_E_MEMORY)
        return code;
    struct flux_error core = *error;
    size_t used = append_path(error, path);
    append_text(error, used, ": %s", core.text);
    clean(error->text);
    return code;
}

char *flux_io_quote(const char *text, char *room, size_t size)
{
    size_t length = strlen(text);
    if (length < size) {
        memcpy(room, text, length + 1);
        return room;
    }
    size_t end = size - 4;
    while (end > 0 && ((unsigned char)text[end] & 0xc0) == 0x80)
        end--;
    memcpy(room, text, end);
    memcpy(room + end, "...", 4);
    return room;
}
