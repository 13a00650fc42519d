/* SPDX-License-Identifier: Apache-2.0 */
#include "io/memory.h"

#include "base/env.h"
#include "io/fail.h"

#include <string.h>

#define ENV_LEAST FLUX_IO_LEAST(struct flux_env, user)

int flux_io_memory_init(struct flux_io_memory *memory, const struct flux_env *env)
{
    struct flux_env given = FLUX_ENV_INIT;
    int rc = FLUX_OK;
    if (env) {
        rc = flux_io_abi(&given, sizeof given, env, ENV_LEAST, "flux_env", NULL);
        if (rc)
            return rc;
    }
    rc = flux_env_complete(&given);
    if (rc)
        return rc;
    memory->env = given;
    return FLUX_OK;
}

void *flux_io_alloc(const struct flux_io_memory *memory, uint64_t count, uint64_t size)
{
    uint64_t bytes = flux_block_size(count, size);
    return bytes ? memory->env.alloc(memory->env.user, bytes) : NULL;
}

void *flux_io_alloc_zero(const struct flux_io_memory *memory, uint64_t count, uint64_t size)
{
    void *block = flux_io_alloc(memory, count, size);
    if (block)
        memset(block, 0, (size_t)flux_block_size(count, size));
    return block;
}

void flux_io_release(const struct flux_io_memory *memory, void *block, uint64_t count, uint64_t size)
{
    if (block)
        memory->env.release(memory->env.user, block, flux_block_size(count, size));
}

static void *resize(const struct flux_io_memory *memory, void *block, uint64_t old_count, uint64_t new_count,
                    uint64_t size)
{
    uint64_t bytes = flux_block_size(new_count, size);
    if (!bytes)
        return NULL;
    if (!block)
        return memory->env.alloc(memory->env.user, bytes);
    return memory->env.resize(memory->env.user, block, flux_block_size(old_count, size), bytes);
}

int flux_io_grow(const struct flux_io_memory *memory, void *block_pointer, uint64_t *capacity, uint64_t need,
                 uint64_t size)
{
    void *block;
    if (need <= *capacity)
        return FLUX_OK;
    uint64_t room = *capacity > UINT64_MAX / 2 ? need : *capacity + *capacity / 2;
    if (room < need)
        room = need;
    if (room < 16)
        room = 16;
    memcpy(&block, block_pointer, sizeof block);
    block = resize(memory, block, *capacity, room, size);
    if (!block)
        return FLUX_E_MEMORY;
    memcpy(block_pointer, &block, sizeof block);
    *capacity = room;
    return FLUX_OK;
}

void flux_io_shrink(const struct flux_io_memory *memory, void *block_pointer, uint64_t *capacity, uint64_t count,
                    uint64_t size)
{
    void *block;
    memcpy(&block, block_pointer, sizeof block);
    if (!block || count >= *capacity)
        return;
    block = resize(memory, block, *capacity, count, size);
    if (!block)
        return;
    memcpy(block_pointer, &block, sizeof block);
    *capacity = count;
}

char *flux_io_copy(const struct flux_io_memory *memory, const char *text, uint64_t length)
{
    char *copy = length < UINT64_MAX ? flux_io_alloc(memory, length + 1, 1) : NULL;
    if (!copy)
        return NULL;
    memcpy(copy, text, (size_t)length);
    copy[length] = '\0';
    return copy;
}

int flux_io_abi(void *ours, uint64_t size, const void *theirs, uint64_t least, const char *name,
                struct flux_error *error)
{
    uint64_t given;
    memcpy(&given, theirs, sizeof given);
    if (given < least || given > 65536)
        return flux_io_fail(error, FLUX_E_ABI, "%s: size %llu is not that of any version; start from its _INIT macro",
                            name, (unsigned long long)given);
    const unsigned char *bytes = theirs;
    for (uint64_t i = size; i < given; i++)
        if (bytes[i])
            return flux_io_fail(error, FLUX_E_ABI, "%s: a member that this version of libflux-io does not know is set",
                                name);
    memcpy(ours, theirs, (size_t)(given < size ? given : size));
    memcpy(ours, &size, sizeof size);
    return FLUX_OK;
}
