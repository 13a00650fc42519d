/* SPDX-License-Identifier: Apache-2.0
 *
 * io/memory.h - memory of readers and writers through the caller's flux_env, and its size-first structs.
 */
#ifndef FLUX_IO_MEMORY_H
#define FLUX_IO_MEMORY_H

#include <libflux/env.h>
#include <libflux/error.h>
#include <stddef.h>
#include <stdint.h>

/* A flux_env with every function in place. */
struct flux_io_memory {
    struct flux_env env;
};

/* `env` may be NULL. FLUX_E_ABI for a size that is not ours, FLUX_E_ARGUMENT for half an allocator. */
int flux_io_memory_init(struct flux_io_memory *memory, const struct flux_env *env);

/* `count` items of `size` bytes. NULL when there is none or the product overflows; never NULL for count 0. */
void *flux_io_alloc(const struct flux_io_memory *memory, uint64_t count, uint64_t size);
void *flux_io_alloc_zero(const struct flux_io_memory *memory, uint64_t count, uint64_t size);
void flux_io_release(const struct flux_io_memory *memory, void *block, uint64_t count, uint64_t size);

/* Grows the block at `*block_pointer` (a pointer to any type, passed by address) until it holds `need` items, at least
 * by half, and keeps its contents. 0 or FLUX_E_MEMORY, and then nothing changed. */
int flux_io_grow(const struct flux_io_memory *memory, void *block_pointer, uint64_t *capacity, uint64_t need,
                 uint64_t size);

/* Shrinks to `count` items where that gives memory back; never fails. */
void flux_io_shrink(const struct flux_io_memory *memory, void *block_pointer, uint64_t *capacity, uint64_t count,
                    uint64_t size);

/* A copy of `length` bytes and an end. NULL when there is no memory. Release with length + 1. */
char *flux_io_copy(const struct flux_io_memory *memory, const char *text, uint64_t length);

/* The size that a struct had in the release in which `last` was its last member. Never sizeof: that grows. */
#define FLUX_IO_LEAST(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))

/* Copies a caller's struct, whose first member is its uint64_t size, into ours of `size` bytes that hold the defaults.
 * `least` is the size in the first release. Shorter than ours: the rest stays at the default. Longer: what we do not
 * know must be zero. 0 or FLUX_E_ABI. */
int flux_io_abi(void *ours, uint64_t size, const void *theirs, uint64_t least, const char *name,
                struct flux_error *error);

#endif
