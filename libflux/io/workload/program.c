/* SPDX-License-Identifier: Apache-2.0 */
#include "io/workload/program.h"

#include "io/workload/workload.h"

#include <string.h>

__extension__ typedef unsigned __int128 wide;

void flux_io_programs_free(struct flux_io_programs *programs, const struct flux_io_memory *memory)
{
    for (uint64_t i = 0; i < programs->count; i++) {
        struct flux_io_program *program = &programs->program[i];
        flux_io_release(memory, program->steps, program->step_capacity, sizeof *program->steps);
        flux_io_release(memory, program->carried, program->carried_capacity, sizeof *program->carried);
        flux_io_release(memory, program->after, program->after_capacity, sizeof *program->after);
    }
    flux_io_release(memory, programs->program, programs->capacity, sizeof *programs->program);
    *programs = (struct flux_io_programs){NULL, 0, 0};
}

/* The whole buffer: what an all-gather results in, what a member of another collective brings. */
static wide whole(uint32_t kind, uint64_t bytes, uint32_t members)
{
    return kind == FLUX_IO_ALL_GATHER ? (wide)bytes * members : bytes;
}

const struct flux_io_program *flux_io_programs_find(const struct flux_io_programs *programs, uint32_t kind,
                                                    uint64_t bytes, uint32_t members)
{
    wide buffer = whole(kind, bytes, members);
    for (uint64_t i = 0; i < programs->count; i++) {
        const struct flux_io_program *program = &programs->program[i];
        if (program->kind == kind && program->members == members && buffer >= program->bytes_min &&
            buffer <= program->bytes_max)
            return program;
    }
    return NULL;
}

int flux_io_program_bytes(const struct flux_io_program *program, uint64_t bytes, uint64_t *sum)
{
    wide chunk = whole(program->kind, bytes, program->members) / program->chunks + 1;
    if (chunk > UINT64_MAX)
        return -1;
    return __builtin_mul_overflow((uint64_t)chunk, program->chunks_sent, sum) ? -1 : 0;
}

/* Bytes of the chunks before `chunk`: no byte is lost where chunks do not divide the buffer. */
static uint64_t before(const struct flux_io_program *program, wide buffer, uint64_t chunk)
{
    uint64_t rest = chunk % program->chunks;
    return (uint64_t)(chunk / program->chunks * buffer + buffer * rest / program->chunks);
}

int flux_io_program_expand(const struct flux_io_program *program, struct flux_io_expansion *expansion, uint64_t bytes)
{
    wide buffer = whole(program->kind, bytes, program->members);
    if (flux_io_grow(expansion->memory, &expansion->steps, &expansion->step_capacity, program->size.steps,
                     sizeof *expansion->steps) ||
        flux_io_grow(expansion->memory, &expansion->after, &expansion->after_capacity, program->size.after,
                     sizeof *expansion->after))
        return FLUX_E_MEMORY;
    if (program->size.steps)
        memcpy(expansion->steps, program->steps, (size_t)program->size.steps * sizeof *program->steps);
    if (program->size.after) /* an all-to-all may have none */
        memcpy(expansion->after, program->after, (size_t)program->size.after * sizeof *program->after);
    expansion->step_count = program->size.steps;
    expansion->after_count = program->size.after;
    for (uint64_t i = 0; i < program->size.steps; i++) {
        const struct flux_io_carried *carried = &program->carried[i];
        expansion->steps[i].bytes = before(program, buffer, (uint64_t)carried->first + carried->count) -
                                    before(program, buffer, carried->first);
    }
    return FLUX_OK;
}
