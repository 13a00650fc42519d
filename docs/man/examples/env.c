/* SPDX-License-Identifier: Apache-2.0 */
#include <libflux/flux.h>
#include <stdlib.h>

/* Counts the bytes that live. */
static void *take(void *user, uint64_t size)
{
    *(uint64_t *)user += size;
    return malloc(size);
}

static void *change(void *user, void *block, uint64_t old_size,
                    uint64_t new_size)
{
    *(uint64_t *)user += new_size - old_size;
    return realloc(block, new_size);
}

static void give(void *user, void *block, uint64_t size)
{
    *(uint64_t *)user -= size;
    free(block);
}

int main(void)
{
    struct flux_env env = FLUX_ENV_INIT;
    struct flux_graph *graph;
    uint64_t bytes = 0;

    env.alloc = take;
    env.resize = change;
    env.release = give;
    env.user = &bytes;
    if (flux_graph_new(&env, 4, &graph))
        return 1;
    flux_graph_free(graph);
    return bytes != 0;
}
