/* SPDX-License-Identifier: Apache-2.0
 *
 * base/fail.h - how a function says what went wrong: it fills the caller's flux_error and returns the code.
 */
#ifndef FLUX_BASE_FAIL_H
#define FLUX_BASE_FAIL_H

#include <libflux/error.h>

/* `error` may be NULL. Text longer than its room ends in "...". Each returns `code`. */
int flux_fail(struct flux_error *error, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
int flux_fail_vertex(struct flux_error *error, int code, uint32_t vertex, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
int flux_fail_line(struct flux_error *error, int code, uint32_t line, uint32_t column, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
int flux_fail_offset(struct flux_error *error, int code, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* "out of memory", the same everywhere. */
int flux_fail_memory(struct flux_error *error);

#endif
