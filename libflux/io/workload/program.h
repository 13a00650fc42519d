/* SPDX-License-Identifier: Apache-2.0
 *
 * io/workload/program.h - an algorithm for one collective of a fixed number of members, as a file spells it out.
 *
 * It takes the place of the built-in algorithms wherever the collective, the number of members and the size are its
 * own.
 */
#ifndef FLUX_IO_WORKLOAD_PROGRAM_H
#define FLUX_IO_WORKLOAD_PROGRAM_H

#include "io/workload/collective.h"

#include <libflux/error.h>

/* Which chunks of the whole buffer a step carries. */
struct flux_io_carried {
    uint32_t first;
    uint32_t count; /* 0: a point in time */
};

struct flux_io_program {
    uint64_t bytes_min; /* of the whole buffer */
    uint64_t bytes_max;
    uint32_t kind;
    uint32_t members;
    uint32_t chunks; /* of the whole buffer */
    uint32_t reserved;
    struct flux_io_step *steps; /* each after those that it waits for; their bytes are not set */
    struct flux_io_carried *carried;
    uint64_t step_capacity;
    uint64_t carried_capacity;
    struct flux_io_after *after;
    uint64_t after_capacity;
    struct flux_io_expansion_size size;
    uint64_t chunks_sent;
};

struct flux_io_programs {
    struct flux_io_program *program;
    uint64_t count;
    uint64_t capacity;
};

/* Adds the algorithm of an MSCCL file. `name` is its path, or KIND=PATH with a KIND such as all-reduce that the file
 * must agree with. `most` is the largest number of steps. Errors: FORMAT, CYCLE, IO, TOO_BIG, MEMORY. */
int flux_io_programs_read(struct flux_io_programs *programs, const struct flux_io_memory *memory, const char *name,
                          uint64_t most, struct flux_error *error);
void flux_io_programs_free(struct flux_io_programs *programs, const struct flux_io_memory *memory);

/* The first program for a collective to which one member brings `bytes`, or NULL. */
const struct flux_io_program *flux_io_programs_find(const struct flux_io_programs *programs, uint32_t kind,
                                                    uint64_t bytes, uint32_t members);

/* Bytes over all sends, at most. -1: beyond 64 bits. */
int flux_io_program_bytes(const struct flux_io_program *program, uint64_t bytes, uint64_t *sum);

/* As flux_io_collective_expand(). */
int flux_io_program_expand(const struct flux_io_program *program, struct flux_io_expansion *expansion, uint64_t bytes);

#endif
