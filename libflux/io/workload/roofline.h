/* SPDX-License-Identifier: Apache-2.0
 *
 * io/workload/roofline.h - how long an operation takes that says only how much it does.
 *
 * The longer of the time to compute and the time to move its tensors (Williams, Waterman, Patterson, 2009), as whole
 * picoseconds. Integers only: the same on every machine.
 */
#ifndef FLUX_IO_WORKLOAD_ROOFLINE_H
#define FLUX_IO_WORKLOAD_ROOFLINE_H

#include <stdint.h>

struct flux_io_roofline {
    uint64_t flops; /* operations per second, at least 1 */
    uint64_t bytes; /* per second, at least 1 */
};

#define FLUX_IO_FLOPS_DEFAULT UINT64_C(312000000000000) /* an A100: bf16 tensor cores, and its memory */
#define FLUX_IO_BYTES_DEFAULT UINT64_C(2039000000000)

/* floor(amount * 10^12 / rate) picoseconds; UINT64_MAX where that is more than 64 bits hold. */
static inline uint64_t flux_io_time_at(uint64_t amount, uint64_t rate)
{
    __extension__ unsigned __int128 ps = (__extension__(unsigned __int128) amount) * 1000000000000u / rate;
    return ps > UINT64_MAX ? UINT64_MAX : (uint64_t)ps;
}

static inline uint64_t flux_io_roofline_time(const struct flux_io_roofline *roofline, uint64_t operations,
                                             uint64_t bytes)
{
    uint64_t compute = flux_io_time_at(operations, roofline->flops);
    uint64_t move = flux_io_time_at(bytes, roofline->bytes);
    return compute > move ? compute : move;
}

#endif
