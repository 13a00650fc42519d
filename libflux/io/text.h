/* SPDX-License-Identifier: Apache-2.0
 *
 * io/text.h - a source as characters with line and column, for formats of lines and words.
 *
 * Reading is by a buffer of fixed size. A byte order mark at the beginning and the CR of a CRLF are left out.
 */
#ifndef FLUX_IO_TEXT_H
#define FLUX_IO_TEXT_H

#include "io/source.h"

#define FLUX_IO_TEXT_END (-1)

struct flux_io_text {
    struct flux_io_source *source;
    struct flux_error *error;
    uint64_t line; /* of the next character, from 1 */
    uint64_t column;
    int32_t failed; /* the code of what went wrong while reading; `error` is filled */
    uint32_t at;
    uint32_t filled;
    uint32_t reserved;
    unsigned char buffer[65536];
};

void flux_io_text_init(struct flux_io_text *text, struct flux_io_source *source, struct flux_error *error);

/* More bytes into the empty buffer; the next character, or FLUX_IO_TEXT_END at the end and where reading failed. */
int flux_io_text_fill(struct flux_io_text *text);

/* The next character without taking it. */
static inline int flux_io_text_peek(struct flux_io_text *text)
{
    return text->at < text->filled && text->buffer[text->at] != '\r' ? text->buffer[text->at] : flux_io_text_fill(text);
}

/* Takes what flux_io_text_peek() has shown, unless that is the end. */
static inline void flux_io_text_take(struct flux_io_text *text)
{
    text->column++;
    if (text->buffer[text->at++] == '\n') {
        text->line++;
        text->column = 1;
    }
}

/* FORMAT at a place; `code` where it is another one. A reading error that came first stays. */
int flux_io_text_fail(struct flux_io_text *text, uint64_t line, uint64_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A whole number without sign: 0, or FORMAT / OVERFLOW as a reason in words. */
const char *flux_io_text_whole(const char *word, uint64_t *number);

#endif
