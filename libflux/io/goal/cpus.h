/* SPDX-License-Identifier: Apache-2.0
 *
 * io/goal/cpus.h - on which cpu of its rank a calculation runs, so that none waits for one that does not come before it.
 *
 * Who has run on a cpu last holds it, and passes it on to a vertex that waits for it; that may run there too, or pass it
 * on. Only what waits for the holder can get it, so everything on one cpu is in one chain of dependencies. Few cpus are
 * wanted, the fewest are not looked for.
 */
#ifndef FLUX_IO_GOAL_CPUS_H
#define FLUX_IO_GOAL_CPUS_H

#include "io/memory.h"

struct flux_io_goal_cpu; /* one that is held */

struct flux_io_goal_cpus {
    const struct flux_io_memory *memory;
    uint32_t gpus;
    uint32_t vertices;
    uint64_t edges;
    struct flux_io_goal_cpu *all;
    uint64_t count;
    uint64_t capacity;
    uint32_t *used;      /* by GPU: how many there are */
    uint32_t *held;      /* by vertex, two each: the first and the last that it holds */
    uint32_t *of_vertex; /* the answers, set by the caller through flux_io_goal_cpus_take() */
    uint32_t *of_edge;
};

/* Errors: MEMORY. Free it either way. */
int flux_io_goal_cpus_init(struct flux_io_goal_cpus *cpus, const struct flux_io_memory *memory, uint32_t gpus,
                           uint32_t vertices, uint64_t edges);
void flux_io_goal_cpus_free(struct flux_io_goal_cpus *cpus);
/* Cpu 0 of `gpu` is not for these. Before any is taken. */
void flux_io_goal_cpus_reserve(struct flux_io_goal_cpus *cpus, uint32_t gpu);
/* One of `gpu` that `holder` holds, or a new one. Errors: MEMORY, TOO_BIG. */
int flux_io_goal_cpus_take(struct flux_io_goal_cpus *cpus, uint32_t holder, uint32_t gpu, uint32_t *cpu);
void flux_io_goal_cpus_pass(struct flux_io_goal_cpus *cpus, uint32_t from, uint32_t to);

#endif
