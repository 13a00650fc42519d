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

/* The last run of a replay. send,src,dst,bytes,ready_ps,start_ps,end_ps,delay_ps: one row per send; its delay is from
 * ready to end, and what did not happen is empty. time_ps,gpu,bytes: NIC memory, see flux_replay_memory(). And a trace
 * for Perfetto: a lane for what each GPU computes and sends (in a cycle each part by itself), NIC memory, and circuits in
 * use or sends under way as counters. Errors besides: ARGUMENT where it did not run yet. Since 0.1. */
FLUX_API int flux_write_replay(const char *path, const struct flux_graph *graph, const struct flux_replay *replay,
                               struct flux_error *error);
FLUX_API int flux_write_replay_memory(const char *path, struct flux_replay *replay, struct flux_error *error);
FLUX_API int flux_write_replay_perfetto(const char *path, const struct flux_graph *graph,
                                        const struct flux_fabric *fabric, struct flux_replay *replay,
                                        struct flux_error *error);

/* One row of a comparison: a scheduler at one delay. Frozen. */
struct flux_compared {
    const struct flux_comparison *comparison;
    int64_t delay; /* ps */
    int64_t bound; /* a better one than the comparison's own; 0: none is known */
};

/* scheduler,delay_ps,iteration_ps,nic_memory_bytes,reconfigurations,bound_ps and, behind these six, whose names and
 * order never change: best_ps,nic_memory_of_all_bytes,nic_waiting_bytes,nic_waiting_mean_bytes,repeats,constructions,
 * note. One row per comparison; figures of a scheduler that does not apply are empty, and the note says why. Since 0.1.
 */
FLUX_API int flux_write_comparisons(const char *path, const struct flux_compared *rows, uint64_t count,
                                    struct flux_error *error);

/* Chakra execution traces, PREFIX.0.et, PREFIX.1.et, ..., one for each GPU, as ASTRA-sim reads them: sends and
 * receives, no collectives. With a schedule (or NULL) each send also waits for the one before it at its source's port,
 * and nodes are numbered in planned order. Times become whole microseconds; `rounded` (may be NULL) is by how many ps
 * in sum. What is lost: docs/chakra.md. A failure may leave files of some ranks. MISMATCH also where a send has no
 * bytes, or a vertex waits for one of other GPUs. Errors besides: CYCLE, TOO_BIG. Since 0.1. */
FLUX_API int flux_write_chakra(const char *prefix, const struct flux_graph *graph, const struct flux_schedule *schedule,
                               int64_t *rounded, struct flux_error *error);

/* GOAL text, as LogGOPSim, ATLAHS and our own reader take it: an operation for each vertex of a rank, and a receive for
 * each send that it gets. Times become whole nanoseconds; `rounded` (may be NULL) is by how many ps in sum. A vertex
 * that waits for one of other GPUs hears of it by a send of 0 bytes; releases and lags are calculations. What is lost:
 * docs/formats.md. MISMATCH also where a send has no bytes. Errors besides: CYCLE, TOO_BIG. Since 0.1. */
FLUX_API int flux_write_goal(const char *path, const struct flux_graph *graph, int64_t *rounded,
                             struct flux_error *error);

/* NetworkX's node-link JSON of a DiGraph: nodes are the numbers of the vertices, with the attributes kind ("send" or
 * "compute"), src, dst, bytes or gpu, and duration and release in ps, and label; edges have lag. Of repeated edges the
 * longest is written. Nothing else is lost. Since 0.1. */
FLUX_API int flux_write_networkx(const char *path, const struct flux_graph *graph, struct flux_error *error);

#define FLUX_DOT_VERTICES_MAX 2000u
#define FLUX_DOT_EDGES_MAX 10000u

/* A picture of what waits for what, in DOT for Graphviz. Errors besides: TOO_BIG beyond these limits. Since 0.1. */
FLUX_API int flux_write_dot(const char *path, const struct flux_graph *graph, struct flux_error *error);

/* Chrome trace event JSON, for Perfetto: a lane per switch port and per GPU; transfers, changes of circuits, compute,
 * arrows for what was waited for, NIC memory and circuits in use as counters. docs/pictures.md. Since 0.1. */
FLUX_API int flux_write_perfetto(const char *path, const struct flux_graph *graph, const struct flux_fabric *fabric,
                                 const struct flux_schedule *schedule, struct flux_error *error);

#define FLUX_SVG_WIDTH_MIN 480
#define FLUX_SVG_WIDTH_MAX 20000
#define FLUX_SVG_GPUS 64 /* shown where the caller does not say */

/* The program of FLUX_FORMULATION_TIGHT or FLUX_FORMULATION_PAPER, in the format FLUX_FORMAT_LP or FLUX_FORMAT_MPS: see
 * flux_formulation_write(), whose errors it has too. `summary` may be NULL. Since 0.1. */
FLUX_API int flux_write_model(const char *path, const struct flux_graph *graph, const struct flux_fabric *fabric,
                              uint32_t formulation, uint32_t format, struct flux_formulation_summary *summary,
                              struct flux_error *error);

/* What part of the schedule a picture shows. All zero means the defaults. Grows at the end: start from
 * FLUX_SVG_OPTIONS_INIT. */
struct flux_svg_options {
    uint64_t size;
    int64_t from;       /* ps */
    int64_t to;         /* beyond `from`; 0: the makespan */
    uint32_t width;     /* pixels, FLUX_SVG_WIDTH_MIN .. FLUX_SVG_WIDTH_MAX; 0: 1600 */
    uint32_t gpu_first; /* rows begin with this GPU */
    uint32_t gpu_count; /* rows; 0: FLUX_SVG_GPUS, or as many as there are */
    uint32_t reserved;  /* 0 */
};

#define FLUX_SVG_OPTIONS_INIT { sizeof(struct flux_svg_options), 0, 0, 0, 0, 0, 0 }

/* A timeline for people: per GPU and port circuits, changes, transfers and compute, with the critical path marked.
 * `options` may be NULL. docs/pictures.md tells how to read it. Errors besides: ABI. Since 0.1. */
FLUX_API int flux_write_svg(const char *path, const struct flux_graph *graph, const struct flux_fabric *fabric,
                            const struct flux_schedule *schedule, const struct flux_svg_options *options,
                            struct flux_error *error);

FLUX_END_DECLS
#endif
