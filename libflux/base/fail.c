/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int fill(struct flux_error *error, int code, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));
static int fill(struct flux_error *error, int code, const char *format, va_list arguments)
{
    if (!error)
        return code;
    memset(error, 0, sizeof *error);
    error->code = code;
    error->vertex = FLUX_NONE;
    int length = vsnprintf(error->text, sizeof error->text, format, arguments);
    if (length >= (int)sizeof error->text) {
        size_t end = sizeof error->text - 4;
        while (end > 0 && ((unsigned char)error->text[end] & 0xc0) == 0x80)
            end--; /* never cut a character in two */
        memcpy(error->text + end, "...", 4);
    }
    return code;
}

int flux_fail(struct flux_error *error, int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fill(error, code, format, arguments);
    va_end(arguments);
    return code;
}

int flux_fail_vertex(struct flux_error *error, int code, uint32_t vertex, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fill(error, code, format, arguments);
    va_end(arguments);
    if (error)
        error->vertex = vertex;
    return code;
}

int flux_fail_line(struct flux_error *error, int code, uint32_t line, uint32_t column, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fill(error, code, format, arguments);
    va_end(arguments);
    if (error) {
        error->line = line;
        error->column = column;
    }
    return code;
}

int flux_fail_offset(struct flux_error *error, int code, uint64_t offset, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fill(error, code, format, arguments);
    va_end(arguments);
    if (error)
        error->offset = offset;
    return code;
}

int flux_fail_memory(struct flux_error *error)
{
    return flux_fail(error, FLUX_E_MEMORY, "out of memory");
}

const char *flux_error_name(int code)
{
    switch (code) {
    case FLUX_OK:
        return "ok";
    case FLUX_E_ARGUMENT:
        return "wrong argument";
    case FLUX_E_ABI:
        return "struct of another version";
    case FLUX_E_CYCLE:
        return "cycle";
    case FLUX_E_INFEASIBLE:
        return "infeasible";
    case FLUX_E_OVERFLOW:
        return "overflow";
    case FLUX_E_FORMAT:
        return "wrong format";
    case FLUX_E_MISMATCH:
        return "mismatch";
    case FLUX_E_TOO_BIG:
        return "too big";
    case FLUX_E_MEMORY:
        return "out of memory";
    case FLUX_E_CANCELLED:
        return "cancelled";
    case FLUX_E_BACKEND:
        return "backend failed";
    case FLUX_E_IO:
        return "input or output failed";
    default:
        return "unknown error";
    }
}
