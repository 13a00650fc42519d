/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIBFLUX_UNITS_H
#define LIBFLUX_UNITS_H
#include <libflux/error.h>
#include <libflux/export.h>
#include <stdint.h>
FLUX_BEGIN_DECLS
FLUX_API int flux_time_parse(const char *text, int64_t *time, struct flux_error *error);
FLUX_API int flux_bytes_parse(const char *text, uint64_t *bytes, struct flux_error *error);
FLUX_API int flux_rate_parse(const char *text, uint64_t *rate, struct flux_error *error);
#define FLUX_UNITS_TEXT 40
FLUX_API char *flux_time_format(int64_t time, char *text, uint64_t size);
FLUX_API char *flux_bytes_format(uint64_t bytes, char *text, uint64_t size);
FLUX_API char *flux_rate_format(uint64_t rate, char *text, uint64_t size);
FLUX_END_DECLS
#endif
