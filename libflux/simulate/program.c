/* SPDX-License-Identifier: Apache-2.0
 *
 * simulate/program.c - the program object: made, read, freed.
 */
#include "simulate/program.h"

#include "base/fail.h"
#include "schedule/allocator.h"
#include "schedule/program.h"

static int make_rows(struct flux_program *program)
{
    const struct flux_audit *audit = &program->replay->audit;
    uint64_t changes;
    program->row_count = (uint32_t)flux_program_rows(audit);
    program->rows = flux_arena_alloc(&program->arena, program->row_count, sizeof *program->rows);
    program->row_of = flux_arena_alloc(&program->arena, audit->tenures, sizeof *program->row_of);
    program->tenure_of = flux_arena_alloc(&program->arena, program->row_count, sizeof *program->tenure_of);
    if (!program->rows || !program->row_of || !program->tenure_of ||
        flux_program_write(audit, program->rows, program->tenure_of, &changes))
        return FLUX_E_MEMORY;
    for (uint32_t t = 0; t < audit->tenures; t++)
        program->row_of[t] = FLUX_NONE;
    for (uint32_t r = 0; r < program->row_count; r++)
        program->row_of[program->tenure_of[r]] = r;
    return FLUX_OK;
}

static int make(struct flux_program *program, const struct flux_graph *graph, const struct flux_fabric *fabric,
                const struct flux_schedule *schedule, struct flux_error *error)
{
    uint64_t count;
    const struct flux_slot *slots = flux_schedule_slots(schedule, &count);
    int rc = flux_replay_new(graph, fabric, slots, count, &program->replay, error);
    if (rc)
        return rc;
    if (UINT64_C(5) * program->replay->plan.sends >= FLUX_NONE) /* events, at most */
        return flux_fail(error, FLUX_E_TOO_BIG, "more events than 2^32 - 2");
    program->replay->audit.fabric = fabric; /* the rows need the delays */
    rc = make_rows(program);
    program->replay->audit.fabric = NULL;
    if (rc || flux_program_make_clock(program) || flux_program_make_order(program))
        return flux_fail_memory(error);
    flux_program_restart(program);
    return FLUX_OK;
}

int flux_program_new(const struct flux_graph *graph, const struct flux_fabric *fabric,
                     const struct flux_schedule *schedule, struct flux_program **program, struct flux_error *error)
{
    if (program)
        *program = NULL;
    if (!graph || !fabric || !schedule || !program)
        return flux_fail(error, FLUX_E_ARGUMENT, "graph, fabric, schedule or the place for the program are NULL");
    struct flux_program *fresh = flux_alloc_zero(flux_allocator_of(graph), 1, sizeof *fresh);
    if (!fresh)
        return flux_fail_memory(error);
    fresh->memory = *flux_allocator_of(graph);
    flux_arena_init(&fresh->arena, &fresh->memory);
    int rc = make(fresh, graph, fabric, schedule, error);
    if (rc) {
        flux_program_free(fresh);
        return rc;
    }
    *program = fresh;
    return FLUX_OK;
}

void flux_program_free(struct flux_program *program)
{
    if (!program)
        return;
    struct flux_memory memory = program->memory;
    flux_replay_free(program->replay);
    flux_arena_free(&program->arena);
    flux_release(&memory, program, 1, sizeof *program);
}

const struct flux_circuit *flux_program_circuits(const struct flux_program *program, uint64_t *count)
{
    if (count)
        *count = program ? program->row_count : 0;
    return program ? program->rows : NULL;
}

uint32_t flux_program_circuit_of(const struct flux_program *program, uint32_t send)
{
    if (!program || send >= program->replay->plan.vertices || program->replay->plan.tenure_of[send] == FLUX_NONE)
        return FLUX_NONE;
    return program->row_of[program->replay->plan.tenure_of[send]];
}
