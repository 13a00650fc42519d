/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/io/names.h - the id that each vertex of a graph has in documents and CSV files. Stable.
 *
 * A vertex with a label of its own has that as its id, vertex n without one has "vN"; docs/formats.md says what
 * happens where labels repeat. Ids are never empty and all different.
 */
#ifndef LIBFLUX_IO_NAMES_H
#define LIBFLUX_IO_NAMES_H

#include <libflux/flux.h>

FLUX_BEGIN_DECLS

struct flux_names;

/* The ids of `graph` as it is now; the graph may change or go afterwards. `env` may be NULL. Free with
 * flux_names_free(). Errors: ARGUMENT, ABI, MEMORY. Since 0.1. */
FLUX_API int flux_names_new(const struct flux_env *env, const struct flux_graph *graph, struct flux_names **names);
FLUX_API void flux_names_free(struct flux_names *names); /* NULL is fine */

/* The id of a vertex; "" out of range. It lives as long as the names. Since 0.1. */
FLUX_API const char *flux_names_of(const struct flux_names *names, uint32_t vertex);

/* The vertex of that id, or FLUX_NONE. One thread at a time. Since 0.1. */
FLUX_API uint32_t flux_names_find(struct flux_names *names, const char *id);

FLUX_END_DECLS
#endif
