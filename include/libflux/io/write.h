/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/io/write.h - graphs, fabrics and schedules to files. Stable.
 *
 * `path` "-" is standard output. Any other file appears whole or not at all: it is written beside its place and moved
 * there at the end. Errors everywhere: ARGUMENT, IO, MEMORY, MISMATCH (the parts do not belong together).
 */
#ifndef LIBFLUX_IO_WRITE_H
#define LIBFLUX_IO_WRITE_H

#include <libflux/flux.h>

FLUX_BEGIN_DECLS

/* One native document of the parts that are not NULL, as YAML, or as JSON where `path` ends in ".json". Since 0.1. */
FLUX_API int flux_write_document(const char *path, const struct flux_graph *graph, const struct flux_fabric *fabric,
                                 const struct flux_schedule *schedule, struct flux_error *error);

/* send,src,dst,switch,start_ps,end_ps: one row per send. Since 0.1. */
FLUX_API int flux_write_csv(const char *path, const struct flux_graph *graph, const struct flux_schedule *schedule,
                            struct flux_error *error);

/* Chrome trace event JSON, for Perfetto: a lane per switch port and per GPU; transfers, changes of circuits, compute,
 * and NIC memory as a counter. Since 0.1. */
FLUX_API int flux_write_perfetto(const char *path, const struct flux_graph *graph, const struct flux_fabric *fabric,
                                 const struct flux_schedule *schedule, struct flux_error *error);

/* What part of the schedule a picture shows. Start from FLUX_SVG_OPTIONS_INIT. */
struct flux_svg_options {
    uint64_t size;
    int64_t from;   /* ps */
    int64_t to;     /* 0: the makespan */
    uint32_t width; /* pixels; 0: 1600 */
    uint32_t reserved;
};

#define FLUX_SVG_OPTIONS_INIT { sizeof(struct flux_svg_options), 0, 0, 0, 0 }

/* A timeline for people: per GPU and port circuits, changes, transfers and compute, with the critical path marked.
 * Since 0.1. */
FLUX_API int flux_write_svg(const char *path, const struct flux_graph *graph, const struct flux_fabric *fabric,
                            const struct flux_schedule *schedule, const struct flux_svg_options *options,
                            struct flux_error *error);

FLUX_END_DECLS
#endif
