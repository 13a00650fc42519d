/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/error.h - what can go wrong and how the caller is told. Stable.
 *
 * Functions that can fail return 0 or one of the negative codes below. A call that fails leaves its object as it was
 * and its outputs at NULL or 0. Codes keep their number for ever; treat one you do not know by its range.
 */
#ifndef LIBFLUX_ERROR_H
#define LIBFLUX_ERROR_H

#include <libflux/export.h>
#include <stdint.h>

FLUX_BEGIN_DECLS

#define FLUX_OK 0

/* -1 .. -99: the call is wrong. */
#define FLUX_E_ARGUMENT (-1) /* NULL where an object is needed, a value out of its range */
#define FLUX_E_ABI (-2)      /* a struct's size names a version this library does not know */

/* -100 .. -199: the problem is wrong. */
#define FLUX_E_CYCLE (-100)      /* the edges close a cycle; the text names one */
#define FLUX_E_INFEASIBLE (-101) /* no switch can carry some send; `vertex` is that send */
#define FLUX_E_OVERFLOW (-102)   /* times add up beyond 2^62 ps */
#define FLUX_E_FORMAT (-103)     /* a file is not what it claims; `line` and `column`, or `offset`, tell where */
#define FLUX_E_MISMATCH (-104)   /* graph, fabric and schedule do not belong together, or a schedule breaks a rule */
#define FLUX_E_TOO_BIG (-105)    /* larger than a stated limit; the text has the numbers */

/* -200 .. -299: this run. The object stays good, and trying again may succeed. */
#define FLUX_E_MEMORY (-200)
#define FLUX_E_CANCELLED (-201) /* before there was any result to return */
#define FLUX_E_BACKEND (-202)   /* the solver that the caller insisted on failed or was not believed */
#define FLUX_E_IO (-203)

/* Stands for "none" wherever a vertex, GPU or switch is named. */
#define FLUX_NONE UINT32_MAX

/* Where a sentence helps, functions take an optional pointer to one of these: caller's memory, nothing allocated.
 * Frozen. It is written only when the call fails. */
struct flux_error {
    int32_t code;
    uint32_t vertex; /* FLUX_NONE where no vertex is to blame */
    uint32_t line;   /* 1-based; 0 where there is none */
    uint32_t column;
    uint64_t offset; /* byte in the input */
    char text[488];  /* one line of UTF-8: what, where, what to do; always terminated */
};

/* A static string for every int, such as "infeasible". Never NULL. Since 0.1. */
FLUX_API const char *flux_error_name(int code);

FLUX_END_DECLS
#endif
