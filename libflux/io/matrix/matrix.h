/* SPDX-License-Identifier: Apache-2.0
 *
 * io/matrix/matrix.h - inside of the matrix reader: lines, words, decimals, and the entries that are kept.
 */
#ifndef FLUX_IO_MATRIX_MATRIX_H
#define FLUX_IO_MATRIX_MATRIX_H

#include "io/memory.h"
#include "io/source.h"

#include <libflux/io/matrix.h>

#define FLUX_IO_MATRIX_VALUE_MAX (INT64_C(1) << 62)

/* A sequence of matrices of one size. */
struct flux_matrices {
    struct flux_io_memory memory;
    uint32_t ports;    /* 0 before the first */
    uint32_t is_time;  /* the unit is one of time */
    uint64_t unit;     /* bytes or ps of a 1 */
    uint32_t explicit; /* the caller named the unit: the file's is not heard */
    uint32_t reserved;
    struct flux_matrix_entry *entries; /* of all */
    uint64_t entry_count;
    uint64_t entry_capacity;
    uint64_t *begin; /* of matrix m in `entries`; one more at the end */
    uint64_t count;
    uint64_t begin_capacity;
};

/* A source line by line. */
struct flux_io_lines {
    struct flux_io_source *source;
    struct flux_matrices *matrices;
    struct flux_error *error;
    char *text; /* the line, without its end, closed by a zero byte */
    uint64_t length;
    uint64_t capacity;
    uint64_t line; /* its number, from 1 */
    size_t at;     /* in `bytes` */
    size_t filled;
    int after_return;
    char bytes[65536];
};

/* A part of the line. */
struct flux_io_word {
    char *text; /* closed by a zero byte */
    uint64_t length;
    uint64_t column; /* from 1 */
};

/* The next line; `*more` is 0 where there is none. LF, CR and CRLF end lines; a byte order mark is left out.
 * Errors: IO, FORMAT (a zero byte), TOO_BIG (a line beyond 1 MiB), MEMORY. */
int flux_io_lines_next(struct flux_io_lines *lines, int *more);
/* Nothing but spaces? A comment (# or %)? A line "---"? */
int flux_io_line_is_blank(const char *text);
int flux_io_line_is_comment(const char *text);
int flux_io_line_is_rule(const char *text);
/* FORMAT, or another code, at a column of the current line. */
int flux_io_lines_fail(const struct flux_io_lines *lines, int code, uint64_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* A comment "unit: us" names the unit, if nothing else has. Errors: FORMAT for an unknown one, and where entries have
 * been read already. */
int flux_io_lines_comment(struct flux_io_lines *lines);

/* Separator of a line: ';' or ',' where it has one outside of quotes, else ' ' for spaces and tabs. */
char flux_io_separator(const char *text);
/* Cuts the word off `*rest` (NULL at the end afterwards), trims it, and takes quotes away. 0 where no word is left. The
 * text is changed. `*column` is that of *rest. */
int flux_io_next_word(char **rest, uint64_t *column, char separator, struct flux_io_word *word);

/* Does the word look like a number, be it a bad one: -5, 1e9, nan, inf? */
int flux_io_is_number(const char *text);
/* The word as a value of the matrices' unit. OVERFLOW or FORMAT with its place for what is no value. */
int flux_io_value(const struct flux_io_lines *lines, const struct flux_io_word *word, int64_t *value);

/* A matrix of so many ports begins at the current line: the same number as before. Errors: FORMAT, TOO_BIG, MEMORY. */
int flux_io_matrix_begin(struct flux_io_lines *lines, uint64_t ports);
/* Keeps a value above 0. FORMAT on the diagonal. */
int flux_io_matrix_add(struct flux_io_lines *lines, uint64_t src, uint64_t dst, int64_t value, uint64_t column);
/* It ends: sorted, something in it, nothing twice. `line` is where it began. */
int flux_io_matrix_end(struct flux_io_lines *lines, uint64_t line);

/* The two formats. The reader of Market stands on the banner. */
int flux_io_table_read(struct flux_io_lines *lines, int more);
int flux_io_market_read(struct flux_io_lines *lines);
int flux_io_is_market(const char *text);

/* Everything in `source` into `matrices`, whose memory is set. `unit` may be NULL. What is there on failure is freed by
 * the caller with flux_io_matrices_empty(). */
int flux_io_matrices_fill(struct flux_matrices *matrices, struct flux_io_source *source, const char *unit,
                          struct flux_error *error);
void flux_io_matrices_empty(struct flux_matrices *matrices);

#endif
