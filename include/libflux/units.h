/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/units.h - times, sizes and rates as people write them. Stable.
 *
 * A number with a unit is a decimal without exponent and one of ps ns us ms s; B kB MB GB TB KiB MiB GiB TiB; bps kbps
 * Mbps Gbps Tbps. No locale takes part.
 */
#ifndef LIBFLUX_UNITS_H
#define LIBFLUX_UNITS_H

#include <libflux/error.h>
#include <libflux/export.h>
#include <stdint.h>

FLUX_BEGIN_DECLS

/* All of `text` is one number with a unit. A time finer than 1 ps, a size finer than 1 B or a rate finer than 1 bps is
 * refused, so is a missing unit, a sign, and what does not fit. Errors: ARGUMENT, with the reason in `error`.
 * Since 0.1. */
FLUX_API int flux_time_parse(const char *text, int64_t *time, struct flux_error *error); /* 0 .. FLUX_TIME_MAX */
FLUX_API int flux_bytes_parse(const char *text, uint64_t *bytes, struct flux_error *error);
FLUX_API int flux_rate_parse(const char *text, uint64_t *rate, struct flux_error *error);

#define FLUX_UNITS_TEXT 40 /* bytes that always suffice, with the end */

/* The shortest text in the largest unit in which the number is exact with at most 12 decimals, so that it reads back
 * to the same number: "671.08864us", "64MiB", "800Gbps". Writes at most `size` bytes, always ends the text, and
 * returns `text`. Since 0.1. */
FLUX_API char *flux_time_format(int64_t time, char *text, uint64_t size);
FLUX_API char *flux_bytes_format(uint64_t bytes, char *text, uint64_t size);
FLUX_API char *flux_rate_format(uint64_t rate, char *text, uint64_t size);

FLUX_END_DECLS
#endif
