/* SPDX-License-Identifier: Apache-2.0
 *
 * base/memory.h - the one way to get memory: a resolved environment, and an arena that is freed at once.
 */
#ifndef FLUX_BASE_MEMORY_H
#define FLUX_BASE_MEMORY_H

#include <libflux/env.h>
#include <stddef.h>
#include <stdint.h>

/* A flux_env with every function in place. */
struct flux_memory {
    struct flux_env env;
};

/* NULL and zero members take the defaults. FLUX_E_ABI for a size that is not ours, FLUX_E_ARGUMENT for half an
 * allocator. */
int flux_memory_init(struct flux_memory *memory, const struct flux_env *env);

/* `count` items of `size` bytes. NULL when there is none or the product overflows; never NULL for count 0. */
void *flux_alloc(const struct flux_memory *memory, uint64_t count, uint64_t size);
void *flux_alloc_zero(const struct flux_memory *memory, uint64_t count, uint64_t size);
void *flux_resize(const struct flux_memory *memory, void *block, uint64_t old_count, uint64_t new_count,
                  uint64_t size);
void flux_release(const struct flux_memory *memory, void *block, uint64_t count, uint64_t size);

/* Doubles `*capacity` until it holds `need` items and moves `*block`. 0 or FLUX_E_MEMORY, and then nothing changed. */
int flux_grow(const struct flux_memory *memory, void *block_pointer, uint64_t *capacity, uint64_t need, uint64_t size);

/* Blocks that live and die together. Zero it with flux_arena_init(). */
struct flux_arena {
    const struct flux_memory *memory;
    struct flux_arena_chunk *chunks;
};

void flux_arena_init(struct flux_arena *arena, const struct flux_memory *memory);
void *flux_arena_alloc(struct flux_arena *arena, uint64_t count, uint64_t size);
void *flux_arena_zero(struct flux_arena *arena, uint64_t count, uint64_t size);
void flux_arena_free(struct flux_arena *arena); /* all of it; the arena can be used again */

#endif
