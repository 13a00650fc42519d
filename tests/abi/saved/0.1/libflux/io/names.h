/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIBFLUX_IO_NAMES_H
#define LIBFLUX_IO_NAMES_H
#include <libflux/flux.h>
FLUX_BEGIN_DECLS
struct flux_names;
FLUX_API int flux_names_new(const struct flux_env *env, const struct flux_graph *graph, struct flux_names **names);
FLUX_API void flux_names_free(struct flux_names *names);
FLUX_API const char *flux_names_of(const struct flux_names *names, uint32_t vertex);
FLUX_API uint32_t flux_names_find(struct flux_names *names, const char *id);
FLUX_END_DECLS
#endif
