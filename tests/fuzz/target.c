/* SPDX-License-Identifier: Apache-2.0 */
#include "target.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct fuzz_target fuzz_targets[] = {
    {"native", fuzz_native},
    {"chakra", fuzz_chakra},
    {"chakra-json", fuzz_chakra_json},
    {"goal", fuzz_goal},
    {"goal-binary", fuzz_goal_binary},
    {"simai", fuzz_simai},
    {"aicb", fuzz_aicb},
    {"msccl", fuzz_msccl},
    {"matrix", fuzz_matrix},
    {"market", fuzz_market},
    {"matrices", fuzz_matrices},
    {"rules", fuzz_rules},
    {"algorithm", fuzz_algorithm},
    {"models", fuzz_models},
    {"times", fuzz_times},
    {"groups", fuzz_groups},
    {"gzip", fuzz_gzip},
    {"interface", fuzz_interface},
    {NULL, NULL},
};

const struct fuzz_target *fuzz_target_find(const char *name)
{
    for (const struct fuzz_target *target = fuzz_targets; target->name; target++)
        if (strcmp(target->name, name) == 0)
            return target;
    return NULL;
}

void fuzz_wrong(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("wrong: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    abort();
}

void fuzz_judge_error(int rc, const struct flux_error *error, const char *path)
{
    if (rc != FLUX_E_FORMAT && rc != FLUX_E_CYCLE && rc != FLUX_E_OVERFLOW && rc != FLUX_E_TOO_BIG)
        fuzz_wrong("a file brings about %s: %s", flux_error_name(rc), error->text);
    if (error->code != rc)
        fuzz_wrong("%d is returned and %d said", rc, (int)error->code);
    if (path && !strstr(error->text, path))
        fuzz_wrong("no place in: %s", error->text);
    for (const char *at = error->text; *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            fuzz_wrong("a control character in: %s", error->text);
}

/* ---- memory ---- */

/* As large as the strictest alignment. */
union front {
    uint64_t size;
    max_align_t align;
};

static void *take(void *user, uint64_t size)
{
    struct fuzz_memory *memory = user;
    if (size > memory->budget || memory->live + size > memory->budget)
        return NULL;
    union front *front = malloc(sizeof *front + (size_t)size);
    if (!front)
        return NULL;
    front->size = size;
    memory->live += size;
    if (memory->live > memory->most)
        memory->most = memory->live;
    return front + 1;
}

static void give(void *user, void *block, uint64_t size)
{
    struct fuzz_memory *memory = user;
    if (!block)
        return;
    union front *front = (union front *)block - 1;
    if (front->size != size)
        fuzz_wrong("a block of %llu bytes is given back as one of %llu", (unsigned long long)front->size,
                   (unsigned long long)size);
    memory->live -= size;
    free(front);
}

static void *resize(void *user, void *block, uint64_t old_size, uint64_t new_size)
{
    void *fresh = take(user, new_size);
    if (fresh && block) {
        memcpy(fresh, block, (size_t)(old_size < new_size ? old_size : new_size));
        give(user, block, old_size);
    }
    return fresh;
}

void fuzz_memory_begin(struct fuzz_memory *memory, uint64_t budget)
{
    const struct flux_env env = FLUX_ENV_INIT;
    memset(memory, 0, sizeof *memory);
    memory->env = env;
    memory->env.alloc = take;
    memory->env.resize = resize;
    memory->env.release = give;
    memory->env.user = memory;
    memory->budget = budget;
}

void fuzz_memory_end(const struct fuzz_memory *memory)
{
    if (memory->live)
        fuzz_wrong("%llu bytes are not given back", (unsigned long long)memory->live);
}

/* ---- a file ---- */

/* It has no name: nothing is left behind whatever ends the program. */
const char *fuzz_file(const unsigned char *bytes, size_t size)
{
    static int descriptor = -1;
    static char path[64];
    if (descriptor < 0) {
        char name[] = "/dev/shm/flux-fuzz-XXXXXX", other[] = "/tmp/flux-fuzz-XXXXXX";
        descriptor = mkstemp(name);
        if (descriptor >= 0)
            unlink(name);
        else if ((descriptor = mkstemp(other)) >= 0)
            unlink(other);
        else
            fuzz_wrong("no place for a file");
        snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    }
    if (ftruncate(descriptor, 0) || pwrite(descriptor, bytes, size, 0) != (ssize_t)size)
        fuzz_wrong("a file cannot be written");
    return path;
}
