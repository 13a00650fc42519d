/* SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"

#include "base/abi.h"
#include "base/env.h"

#include <libflux/error.h>
#include <string.h>

#define ENV_LEAST FLUX_ABI_LEAST(struct flux_env, user)

int flux_memory_init(struct flux_memory *memory, const struct flux_env *env)
{
    struct flux_env given = FLUX_ENV_INIT;
    int rc = FLUX_OK;
    if (env) {
        rc = flux_abi_import(&given, sizeof given, env, ENV_LEAST, "env", NULL);
        if (rc)
            return rc;
    }
    rc = flux_env_complete(&given);
    if (rc)
        return rc;
    memory->env = given;
    return FLUX_OK;
}

void *flux_alloc(const struct flux_memory *memory, uint64_t count, uint64_t size)
{
    uint64_t bytes = flux_block_size(count, size);
    return bytes ? memory->env.alloc(memory->env.user, bytes) : NULL;
}

void *flux_alloc_zero(const struct flux_memory *memory, uint64_t count, uint64_t size)
{
    void *block = flux_alloc(memory, count, size);
    if (block)
        memset(block, 0, (size_t)flux_block_size(count, size));
    return block;
}

void *flux_resize(const struct flux_memory *memory, void *block, uint64_t old_count, uint64_t new_count, uint64_t size)
{
    uint64_t bytes = flux_block_size(new_count, size);
    if (!block)
        return flux_alloc(memory, new_count, size);
    return bytes ? memory->env.resize(memory->env.user, block, flux_block_size(old_count, size), bytes) : NULL;
}

void flux_release(const struct flux_memory *memory, void *block, uint64_t count, uint64_t size)
{
    if (block)
        memory->env.release(memory->env.user, block, flux_block_size(count, size));
}

int flux_grow(const struct flux_memory *memory, void *block_pointer, uint64_t *capacity, uint64_t need, uint64_t size)
{
    void *block;
    uint64_t room = *capacity ? *capacity : 16;
    if (need <= *capacity)
        return FLUX_OK;
    while (room < need) {
        if (room > UINT64_MAX / 2)
            return FLUX_E_MEMORY;
        room *= 2;
    }
    memcpy(&block, block_pointer, sizeof block);
    block = flux_resize(memory, block, *capacity, room, size);
    if (!block)
        return FLUX_E_MEMORY;
    memcpy(block_pointer, &block, sizeof block);
    *capacity = room;
    return FLUX_OK;
}

struct flux_arena_chunk {
    struct flux_arena_chunk *next;
    uint64_t size; /* of the whole block */
    uint64_t used;
    uint64_t padding;
};

#define ARENA_ALIGN 16u
#define ARENA_CHUNK (UINT64_C(64) << 10)

void flux_arena_init(struct flux_arena *arena, const struct flux_memory *memory)
{
    arena->memory = memory;
    arena->chunks = NULL;
}

void *flux_arena_alloc(struct flux_arena *arena, uint64_t count, uint64_t size)
{
    struct flux_arena_chunk *chunk = arena->chunks;
    uint64_t bytes = flux_block_size(count, size);
    if (!bytes)
        return NULL;
    bytes = (bytes + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    if (!chunk || chunk->size - chunk->used < bytes) {
        uint64_t header = sizeof *chunk;
        uint64_t room = bytes > ARENA_CHUNK / 4 ? bytes + header : ARENA_CHUNK;
        struct flux_arena_chunk *fresh = flux_alloc(arena->memory, room, 1);
        if (!fresh)
            return NULL;
        fresh->size = room;
        fresh->used = header;
        if (chunk && room != ARENA_CHUNK) { /* keep the half-used chunk on top */
            fresh->next = chunk->next;
            chunk->next = fresh;
        } else {
            fresh->next = chunk;
            arena->chunks = fresh;
        }
        chunk = fresh;
    }
    void *block = (char *)chunk + chunk->used;
    chunk->used += bytes;
    return block;
}

void *flux_arena_zero(struct flux_arena *arena, uint64_t count, uint64_t size)
{
    void *block = flux_arena_alloc(arena, count, size);
    if (block)
        memset(block, 0, (size_t)(count * size));
    return block;
}

void flux_arena_free(struct flux_arena *arena)
{
    while (arena->chunks) {
        struct flux_arena_chunk *chunk = arena->chunks;
        arena->chunks = chunk->next;
        flux_release(arena->memory, chunk, chunk->size, 1);
    }
}
