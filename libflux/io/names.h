/* SPDX-License-Identifier: Apache-2.0
 *
 * io/names.h - the id that each vertex of a graph has in files: all different, valid UTF-8, never empty.
 *
 * A vertex with a label has its label; vertex n without one has "vN". Where a label is not UTF-8, its broken bytes
 * become U+FFFD. Where an id would be that of an earlier vertex or the label of another one, "_vN" (after a label) and
 * then underscores are put behind it.
 */
#ifndef FLUX_IO_NAMES_H
#define FLUX_IO_NAMES_H

#include "io/strings.h"

#include <libflux/graph.h>

struct flux_io_names {
    struct flux_io_strings ids; /* index = vertex */
};

/* Errors: MEMORY. Free it either way. `memory` must outlive the names. */
int flux_io_names_build(struct flux_io_names *names, const struct flux_io_memory *memory,
                        const struct flux_graph *graph);
void flux_io_names_free(struct flux_io_names *names);
const char *flux_io_names_of(const struct flux_io_names *names, uint32_t vertex);

#endif
