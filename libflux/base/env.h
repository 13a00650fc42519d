/* SPDX-License-Identifier: Apache-2.0
 *
 * base/env.h - a caller's environment with every function in place, and sizes of blocks. A header alone, so that both
 * libraries do the same.
 */
#ifndef FLUX_BASE_ENV_H
#define FLUX_BASE_ENV_H

#include <libflux/env.h>
#include <libflux/error.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static inline void *flux_env_alloc(void *user, uint64_t size)
{
    (void)user;
    return malloc((size_t)size);
}

static inline void *flux_env_resize(void *user, void *block, uint64_t old_size, uint64_t new_size)
{
    (void)user;
    (void)old_size;
    return realloc(block, (size_t)new_size);
}

static inline void flux_env_release(void *user, void *block, uint64_t size)
{
    (void)user;
    (void)size;
    free(block);
}

static inline void flux_env_log(void *user, int32_t level, const char *text)
{
    (void)user;
    (void)level;
    (void)text;
}

static inline uint64_t flux_env_now(void *user)
{
    struct timespec now;
    (void)user;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* What is NULL becomes the C library's own. FLUX_E_ARGUMENT for half an allocator. */
static inline int flux_env_complete(struct flux_env *env)
{
    int functions = (env->alloc != NULL) + (env->resize != NULL) + (env->release != NULL);
    if (functions != 0 && functions != 3)
        return FLUX_E_ARGUMENT;
    if (functions == 0) {
        env->alloc = flux_env_alloc;
        env->resize = flux_env_resize;
        env->release = flux_env_release;
    }
    if (!env->log)
        env->log = flux_env_log;
    if (!env->now_ns)
        env->now_ns = flux_env_now;
    return FLUX_OK;
}

/* Bytes of a block, at least 1; 0 where the product overflows. */
static inline uint64_t flux_block_size(uint64_t count, uint64_t size)
{
    uint64_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX)
        return 0;
    return bytes ? bytes : 1;
}

#endif
