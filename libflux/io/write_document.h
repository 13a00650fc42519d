/* SPDX-License-Identifier: Apache-2.0
 *
 * io/write_document.h - what the writers of a document's parts share. write_document.c writes the whole and the
 * workload; each other part has a file.
 */
#ifndef FLUX_IO_WRITE_DOCUMENT_H
#define FLUX_IO_WRITE_DOCUMENT_H

#include "io/emit.h"
#include "io/names.h"

struct flux_io_written {
    struct flux_io_memory memory;
    struct flux_io_emit emit;
    struct flux_io_names names; /* of the graph's vertices */
    const struct flux_graph *graph;
    const struct flux_fabric *fabric;
    const struct flux_schedule *schedule;
};

/* Key and value of a part; it must be there. 0 or MEMORY. */
int flux_io_write_fabric(struct flux_io_written *document);
void flux_io_write_schedule(struct flux_io_written *document);

#endif
