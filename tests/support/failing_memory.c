/* SPDX-License-Identifier: Apache-2.0 */
#include "failing_memory.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* In front of each block, as large as the strictest alignment. */
union header {
    uint64_t size;
    max_align_t align;
};

static int fails(struct failing_memory *memory)
{
    long long call = atomic_fetch_add(&memory->calls, 1) + 1;
    return memory->fail_at && (call == memory->fail_at || (memory->sticky && call > memory->fail_at));
}

static void *take(void *user, uint64_t size)
{
    struct failing_memory *memory = user;
    if (fails(memory))
        return NULL;
    union header *header = malloc(sizeof *header + (size_t)size);
    if (!header)
        return NULL;
    header->size = size;
    memset(header + 1, 0xa5, (size_t)size); /* whoever reads before writing shall notice */
    atomic_fetch_add(&memory->live, 1);
    return header + 1;
}

static void give(void *user, void *block, uint64_t size)
{
    struct failing_memory *memory = user;
    if (!block)
        return;
    union header *header = (union header *)block - 1;
    if (header->size != size)
        atomic_fetch_add(&memory->wrong, 1);
    atomic_fetch_sub(&memory->live, 1);
    free(header);
}

/* Always moves. */
static void *resize(void *user, void *block, uint64_t old_size, uint64_t new_size)
{
    struct failing_memory *memory = user;
    void *fresh = take(user, new_size);
    if (!fresh)
        return NULL;
    if (block) {
        union header *header = (union header *)block - 1;
        if (header->size != old_size)
            atomic_fetch_add(&memory->wrong, 1);
        memcpy(fresh, block, (size_t)(header->size < new_size ? header->size : new_size));
        atomic_fetch_sub(&memory->live, 1);
        free(header);
    }
    return fresh;
}

void failing_memory_init(struct failing_memory *memory)
{
    const struct flux_env env = FLUX_ENV_INIT;
    memset(memory, 0, sizeof *memory);
    memory->env = env;
    memory->env.alloc = take;
    memory->env.resize = resize;
    memory->env.release = give;
    memory->env.user = memory;
    atomic_init(&memory->live, 0);
    atomic_init(&memory->calls, 0);
    atomic_init(&memory->wrong, 0);
}

void failing_memory_arm(struct failing_memory *memory, long long fail_at, int sticky)
{
    atomic_store(&memory->calls, 0);
    memory->fail_at = fail_at;
    memory->sticky = sticky;
}
