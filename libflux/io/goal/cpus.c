/* SPDX-License-Identifier: Apache-2.0 */
#include "io/goal/cpus.h"

#include "io/goal/goal.h"

#include <string.h>

#define LOOKED_AT 16 /* of those that a vertex holds, so that much held is not much looked through */

struct flux_io_goal_cpu {
    uint32_t gpu;
    uint32_t cpu;
    uint32_t next; /* that the same vertex holds; FLUX_NONE */
};

int flux_io_goal_cpus_init(struct flux_io_goal_cpus *cpus, const struct flux_io_memory *memory, uint32_t gpus,
                           uint32_t vertices, uint64_t edges)
{
    memset(cpus, 0, sizeof *cpus);
    cpus->memory = memory;
    cpus->gpus = gpus;
    cpus->vertices = vertices;
    cpus->edges = edges;
    cpus->used = flux_io_alloc_zero(memory, gpus, sizeof *cpus->used);
    cpus->held = flux_io_alloc(memory, UINT64_C(2) * vertices, sizeof *cpus->held);
    cpus->of_vertex = flux_io_alloc_zero(memory, vertices, sizeof *cpus->of_vertex);
    cpus->of_edge = flux_io_alloc_zero(memory, edges, sizeof *cpus->of_edge);
    for (uint64_t i = 0; cpus->held && i < UINT64_C(2) * vertices; i++)
        cpus->held[i] = FLUX_NONE;
    return cpus->used && cpus->held && cpus->of_vertex && cpus->of_edge ? FLUX_OK : FLUX_E_MEMORY;
}

void flux_io_goal_cpus_free(struct flux_io_goal_cpus *cpus)
{
    const struct flux_io_memory *memory = cpus->memory;
    if (!memory)
        return;
    flux_io_release(memory, cpus->all, cpus->capacity, sizeof *cpus->all);
    flux_io_release(memory, cpus->used, cpus->gpus, sizeof *cpus->used);
    flux_io_release(memory, cpus->held, UINT64_C(2) * cpus->vertices, sizeof *cpus->held);
    flux_io_release(memory, cpus->of_vertex, cpus->vertices, sizeof *cpus->of_vertex);
    flux_io_release(memory, cpus->of_edge, cpus->edges, sizeof *cpus->of_edge);
}

void flux_io_goal_cpus_reserve(struct flux_io_goal_cpus *cpus, uint32_t gpu)
{
    cpus->used[gpu] = 1;
}

int flux_io_goal_cpus_take(struct flux_io_goal_cpus *cpus, uint32_t holder, uint32_t gpu, uint32_t *cpu)
{
    uint32_t *held = &cpus->held[UINT64_C(2) * holder];
    int left = LOOKED_AT;
    for (uint32_t at = held[0]; at != FLUX_NONE && left; at = cpus->all[at].next, left--)
        if (cpus->all[at].gpu == gpu) {
            *cpu = cpus->all[at].cpu;
            return FLUX_OK;
        }
    if (cpus->used[gpu] >= FLUX_IO_GOAL_CPUS)
        return FLUX_E_TOO_BIG;
    if (flux_io_grow(cpus->memory, &cpus->all, &cpus->capacity, cpus->count + 1, sizeof *cpus->all))
        return FLUX_E_MEMORY;
    *cpu = cpus->used[gpu]++;
    cpus->all[cpus->count] = (struct flux_io_goal_cpu){gpu, *cpu, held[0]};
    held[0] = (uint32_t)cpus->count++;
    if (held[1] == FLUX_NONE)
        held[1] = held[0];
    return FLUX_OK;
}

void flux_io_goal_cpus_pass(struct flux_io_goal_cpus *cpus, uint32_t from, uint32_t to)
{
    uint32_t *given = &cpus->held[UINT64_C(2) * from], *held = &cpus->held[UINT64_C(2) * to];
    if (given[0] == FLUX_NONE)
        return;
    cpus->all[given[1]].next = held[0];
    if (held[1] == FLUX_NONE)
        held[1] = given[1];
    held[0] = given[0];
    given[0] = given[1] = FLUX_NONE;
}
