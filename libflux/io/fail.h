/* SPDX-License-Identifier: Apache-2.0
 *
 * io/fail.h - how readers and writers say what went wrong: they fill the caller's flux_error and return the code.
 *
 * The text is one line of valid UTF-8 whatever a file's names hold: control characters and broken bytes become "?".
 */
#ifndef FLUX_IO_FAIL_H
#define FLUX_IO_FAIL_H

#include <libflux/error.h>
#include <stddef.h>

/* `error` may be NULL everywhere. Each returns `code`. Text longer than its room ends in "...". */
int flux_io_fail(struct flux_error *error, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* "PATH: what". */
int flux_io_fail_path(struct flux_error *error, int code, const char *path, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* "PATH:LINE:COLUMN: what", both from 1, and in the error's members. */
int flux_io_fail_line(struct flux_error *error, int code, const char *path, uint64_t line, uint64_t column,
                      const char *format, ...) __attribute__((format(printf, 6, 7)));

/* "PATH: byte OFFSET: what", and in the error's member. */
int flux_io_fail_offset(struct flux_error *error, int code, const char *path, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* What the system says of an errno, into `room`; returns it. */
char *flux_io_errno_text(int number, char *room, size_t size);

/* FLUX_E_IO, of ENOMEM FLUX_E_MEMORY: "PATH: cannot DOING: <strerror>; ADVICE". `advice` may be NULL. */
int flux_io_fail_errno(struct flux_error *error, const char *path, const char *doing, int number, const char *advice);

int flux_io_fail_memory(struct flux_error *error);

/* Puts "PATH: " before the text of an error that came from the core; returns its code. */
int flux_io_fail_from(struct flux_error *error, int code, const char *path);

/* A name out of a file for use in a text: at most `size` - 1 bytes, shortened with "...". Returns `room`. */
#define FLUX_IO_QUOTE 64
char *flux_io_quote(const char *text, char *room, size_t size);

#endif
