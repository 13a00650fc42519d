/* SPDX-License-Identifier: Apache-2.0
 *
 * base/wide.h - sums and products that may not fit 64 bits.
 */
#ifndef FLUX_BASE_WIDE_H
#define FLUX_BASE_WIDE_H

#include <libflux/graph.h>
#include <stdint.h>

__extension__ typedef __int128 flux_wide;
__extension__ typedef unsigned __int128 flux_uwide;

/* Ceiling of a / b for a >= 0, b > 0. */
static inline flux_wide flux_ceil_div(flux_wide a, flux_wide b)
{
    return (a + b - 1) / b;
}

/* ceil(bytes * 8 * 10^12 / rate) ps, at least 1; -1 where it is beyond FLUX_TIME_MAX. */
static inline int64_t flux_transfer_time(uint64_t bytes, uint64_t rate)
{
    flux_uwide time = ((flux_uwide)bytes * 8u * 1000000000000u + rate - 1) / rate;
    if (time > (flux_uwide)FLUX_TIME_MAX)
        return -1;
    return time ? (int64_t)time : 1;
}

#endif
