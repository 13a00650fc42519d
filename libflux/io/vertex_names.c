/* SPDX-License-Identifier: Apache-2.0
 *
 * The public view of io/names.h.
 */
#include <libflux/io/names.h>

#include "io/names.h"

#include <string.h>

struct flux_names {
    struct flux_io_memory memory;
    struct flux_io_names table;
};

int flux_names_new(const struct flux_env *env, const struct flux_graph *graph, struct flux_names **names)
{
    struct flux_io_memory memory;
    int rc;

    if (!names)
        return FLUX_E_ARGUMENT;
    *names = NULL;
    if (!graph)
        return FLUX_E_ARGUMENT;
    rc = flux_io_memory_init(&memory, env);
    if (rc)
        return rc;
    struct flux_names *fresh = flux_io_alloc_zero(&memory, 1, sizeof *fresh);
    if (!fresh)
        return FLUX_E_MEMORY;
    fresh->memory = memory;
    rc = flux_io_names_build(&fresh->table, &fresh->memory, graph);
    if (rc) {
        flux_names_free(fresh);
        return rc;
    }
    *names = fresh;
    return FLUX_OK;
}

void flux_names_free(struct flux_names *names)
{
    if (!names)
        return;
    struct flux_io_memory memory = names->memory;
    flux_io_names_free(&names->table);
    flux_io_release(&memory, names, 1, sizeof *names);
}

const char *flux_names_of(const struct flux_names *names, uint32_t vertex)
{
    return names && vertex < names->table.ids.count ? flux_io_names_of(&names->table, vertex) : "";
}

uint32_t flux_names_find(struct flux_names *names, const char *id)
{
    return names && id ? flux_io_strings_find(&names->table.ids, id, strlen(id)) : FLUX_NONE;
}
