/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/registry.h"

#include "base/fail.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#define NAME_LONGEST 32
#define SIZE_LEAST (offsetof(struct flux_backend, close) + sizeof(void (*)(void *)))
#define SIZE_SANE 4096u

static const struct flux_backend *const builtin[] = {
#ifdef FLUX_WITH_GLPK
    &flux_backend_glpk,
#endif
#ifdef FLUX_WITH_CBC
    &flux_backend_cbc,
#endif
    &flux_backend_none,
};

const struct flux_backend *flux_backend_builtin(uint32_t index)
{
    return index < sizeof builtin / sizeof *builtin ? builtin[index] : NULL;
}

const struct flux_backend *flux_backend_find(const char *name)
{
    for (size_t i = 0; name && i < sizeof builtin / sizeof *builtin; i++)
        if (!strcmp(builtin[i]->name, name))
            return builtin[i];
    return NULL;
}

static int is_name(const char *name)
{
    size_t length = 0;
    if (!name || name[0] < 'a' || name[0] > 'z')
        return 0;
    for (; name[length]; length++) {
        char c = name[length];
        if (length == NAME_LONGEST || !((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'))
            return 0;
    }
    return 1;
}

int flux_backend_check(const struct flux_backend *backend, struct flux_error *error)
{
    if (!backend)
        return flux_fail(error, FLUX_E_ARGUMENT, "no backend");
    if (backend->abi != FLUX_BACKEND_ABI)
        return flux_fail(error, FLUX_E_ABI,
                         "the backend is built for backend ABI %" PRIu32 ", this libflux has %d: rebuild it",
                         backend->abi, FLUX_BACKEND_ABI);
    if (backend->size < SIZE_LEAST || backend->size > SIZE_SANE)
        return flux_fail(error, FLUX_E_ABI, "struct flux_backend has size %" PRIu64 ": set it to its sizeof",
                         backend->size);
    if (!is_name(backend->name))
        return flux_fail(error, FLUX_E_ARGUMENT,
                         "a backend's name is a small letter, then up to 31 of a-z, 0-9 and _");
    if (!backend->open || !backend->solve || !backend->close)
        return flux_fail(error, FLUX_E_ARGUMENT, "backend %s has no %s function", backend->name,
                         !backend->open ? "open" : !backend->solve ? "solve" : "close");
    return FLUX_OK;
}
