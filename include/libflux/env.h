/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/env.h - where memory, time and log lines come from. Stable.
 *
 * Every object takes an optional environment when it is made and keeps a copy. Without one: malloc(), the monotonic
 * clock, and no log. The functions are called only on threads that are inside a call to libflux made with that
 * environment, and never while the library holds a lock.
 */
#ifndef LIBFLUX_ENV_H
#define LIBFLUX_ENV_H

#include <libflux/export.h>
#include <stdint.h>

FLUX_BEGIN_DECLS

#define FLUX_LOG_ERROR 1
#define FLUX_LOG_WARNING 2
#define FLUX_LOG_INFO 3
#define FLUX_LOG_DEBUG 4

/* Start from FLUX_ENV_INIT; members left at zero mean the default. Give all three memory functions or none. They
 * return memory aligned for any type; alloc() and resize() return NULL when there is none, and resize() then leaves
 * the old block as it was. Grows at the end. */
struct flux_env {
    uint64_t size;
    void *(*alloc)(void *user, uint64_t size);
    void *(*resize)(void *user, void *block, uint64_t old_size, uint64_t new_size);
    void (*release)(void *user, void *block, uint64_t size);
    void (*log)(void *user, int32_t level, const char *text); /* one line without its end */
    uint64_t (*now_ns)(void *user);                           /* monotonic */
    void *user;
};

#define FLUX_ENV_INIT { sizeof(struct flux_env), 0, 0, 0, 0, 0, 0 }

FLUX_END_DECLS
#endif
