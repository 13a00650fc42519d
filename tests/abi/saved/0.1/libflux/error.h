/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIBFLUX_ERROR_H
#define LIBFLUX_ERROR_H
#include <libflux/export.h>
#include <stdint.h>
FLUX_BEGIN_DECLS
#define FLUX_OK 0
#define FLUX_E_ARGUMENT (-1)
#define FLUX_E_ABI (-2)
#define FLUX_E_CYCLE (-100)
#define FLUX_E_INFEASIBLE (-101)
#define FLUX_E_OVERFLOW (-102)
#define FLUX_E_FORMAT (-103)
#define FLUX_E_MISMATCH (-104)
#define FLUX_E_TOO_BIG (-105)
#define FLUX_E_MEMORY (-200)
#define FLUX_E_CANCELLED (-201)
#define FLUX_E_BACKEND (-202)
#define FLUX_E_IO (-203)
#define FLUX_NONE UINT32_MAX
struct flux_error {
    int32_t code;
    uint32_t vertex;
    uint32_t line;
    uint32_t column;
    uint64_t offset;
    char text[488];
};
FLUX_API const char *flux_error_name(int code);
FLUX_END_DECLS
#endif
