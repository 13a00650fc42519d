/* SPDX-License-Identifier: Apache-2.0 */
#include "io/text.h"

#include "io/fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void flux_io_text_init(struct flux_io_text *text, struct flux_io_source *source, struct flux_error *error)
{
    memset(text, 0, offsetof(struct flux_io_text, buffer));
    text->source = source;
    text->error = error;
    text->line = text->column = 1;
    if (flux_io_text_peek(text) == 0xef && text->filled >= 3 && memcmp(text->buffer, "\xef\xbb\xbf", 3) == 0)
        text->at = 3;
}

int flux_io_text_fill(struct flux_io_text *text)
{
    for (;;) {
        if (text->at == text->filled) {
            size_t got = 0;
            if (!text->failed)
                text->failed = flux_io_source_read(text->source, text->buffer, sizeof text->buffer, &got, text->error);
            text->at = text->filled = 0;
            if (text->failed || got == 0)
                return FLUX_IO_TEXT_END;
            text->filled = (uint32_t)got;
        }
        if (text->buffer[text->at] != '\r')
            return text->buffer[text->at];
        text->at++;
        text->column++;
    }
}

int flux_io_text_fail(struct flux_io_text *text, uint64_t line, uint64_t column, const char *format, ...)
{
    struct flux_error what;
    va_list arguments;
    if (text->failed)
        return text->failed;
    va_start(arguments, format);
    vsnprintf(what.text, sizeof what.text, format, arguments);
    va_end(arguments);
    return flux_io_fail_line(text->error, FLUX_E_FORMAT, text->source->path, line, column, "%s", what.text);
}

const char *flux_io_text_whole(const char *word, uint64_t *number)
{
    uint64_t value = 0;
    if (!*word)
        return "is empty";
    for (const char *at = word; *at; at++) {
        if (*at < '0' || *at > '9')
            return "is no whole number";
        if (__builtin_mul_overflow(value, 10u, &value) || __builtin_add_overflow(value, (uint64_t)(*at - '0'), &value))
            return "does not fit in 64 bits";
    }
    *number = value;
    return NULL;
}
