/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIBFLUX_ENV_H
#define LIBFLUX_ENV_H
#include <libflux/export.h>
#include <stdint.h>
FLUX_BEGIN_DECLS
#define FLUX_LOG_ERROR 1
#define FLUX_LOG_WARNING 2
#define FLUX_LOG_INFO 3
#define FLUX_LOG_DEBUG 4
struct flux_env {
    uint64_t size;
    void *(*alloc)(void *user, uint64_t size);
    void *(*resize)(void *user, void *block, uint64_t old_size, uint64_t new_size);
    void (*release)(void *user, void *block, uint64_t size);
    void (*log)(void *user, int32_t level, const char *text);
    uint64_t (*now_ns)(void *user);
    void *user;
};
#define FLUX_ENV_INIT { sizeof(struct flux_env), 0, 0, 0, 0, 0, 0 }
FLUX_END_DECLS
#endif
