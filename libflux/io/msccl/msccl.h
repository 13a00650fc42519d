/* SPDX-License-Identifier: Apache-2.0
 *
 * io/msccl/msccl.h - an algorithm for a collective as MSCCL writes it: per GPU thread blocks, per thread block steps.
 *
 * A step comes after the one before it in its thread block, and after one of another thread block where it names one.
 * It may receive, send, or receive and then send on. The k-th send from a GPU to another over a channel meets the k-th
 * receive there.
 */
#ifndef FLUX_IO_MSCCL_MSCCL_H
#define FLUX_IO_MSCCL_MSCCL_H

#include "io/source.h"
#include "io/strings.h"

#include <libflux/error.h>

#define FLUX_IO_MSCCL_RECEIVES 1u
#define FLUX_IO_MSCCL_SENDS 2u

struct flux_io_msccl_step {
    uint64_t line;
    uint32_t column;
    uint32_t block;
    uint32_t offset;    /* first chunk of what is sent, or of where what is received goes */
    uint32_t count;     /* chunks */
    uint32_t dep_block; /* id of a thread block of the same GPU, FLUX_NONE: none; after parsing, the step's index */
    uint32_t dep_step;
    uint8_t flags; /* SENDS, RECEIVES */
    uint8_t type;  /* index of its name */
    uint8_t reserved[2];
};

struct flux_io_msccl_block {
    uint32_t gpu;
    uint32_t send_to; /* FLUX_NONE: nobody */
    uint32_t receive_from;
    uint32_t channel;
    uint32_t first; /* step */
    uint32_t count;
};

struct flux_io_msccl {
    const struct flux_io_memory *memory;
    const char *path;
    char name[64];
    uint32_t kind; /* FLUX_IO_ALL_REDUCE .., or FLUX_NONE for a collective of no such kind */
    uint32_t gpus;
    uint32_t chunks;    /* of the whole buffer */
    uint32_t gpu_count; /* seen so far */
    uint64_t bytes_min;
    uint64_t bytes_max;                 /* 0: no limit */
    struct flux_io_msccl_block *blocks; /* GPU by GPU */
    uint64_t block_count;
    uint64_t block_capacity;
    struct flux_io_msccl_step *steps; /* block by block */
    uint64_t step_count;
    uint64_t step_capacity;
};

/* Reads a file; `most` is the largest number of steps. Dependencies are resolved to indices of steps; that sends meet
 * receives, and that nothing waits for itself, is not looked at. Free it either way.
 * Errors: FORMAT with line and column, IO, TOO_BIG, MEMORY. */
int flux_io_msccl_read(struct flux_io_msccl *msccl, const struct flux_io_memory *memory, struct flux_io_source *source,
                       uint64_t most, struct flux_error *error);
void flux_io_msccl_free(struct flux_io_msccl *msccl);

/* "rrcs" */
const char *flux_io_msccl_type(uint32_t type);

#endif
