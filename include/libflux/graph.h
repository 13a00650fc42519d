/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/graph.h - the workload: sends, compute, and what waits for what. Stable.
 *
 * A graph is a DAG. A vertex is a send (a transfer between two GPUs over one circuit, never split) or compute (time on
 * a GPU, no circuit; of length 0 it joins what comes before). An edge (u, v) with a lag says that v starts no earlier
 * than the end of u plus the lag.
 *
 * Times are picoseconds in int64_t, 0 .. FLUX_TIME_MAX. Vertices and GPUs are numbered from 0 in order of creation.
 * Thread rule: reading from several threads is fine; changing needs the graph alone.
 */
#ifndef LIBFLUX_GRAPH_H
#define LIBFLUX_GRAPH_H

#include <libflux/env.h>
#include <libflux/error.h>

FLUX_BEGIN_DECLS

#define FLUX_PS INT64_C(1)
#define FLUX_NS INT64_C(1000)
#define FLUX_US INT64_C(1000000)
#define FLUX_MS INT64_C(1000000000)
#define FLUX_S INT64_C(1000000000000)

/* No time in a graph, a fabric or a schedule is larger: 2^62 ps, about 53 days. */
#define FLUX_TIME_MAX (INT64_C(1) << 62)
#define FLUX_GPUS_MAX (UINT32_C(1) << 20)
#define FLUX_LABEL_MAX 4095 /* bytes of a label */

struct flux_graph;

/* A graph over `gpus` GPUs (1 .. FLUX_GPUS_MAX). `env` may be NULL; it is copied. Free with flux_graph_free().
 * Errors: ARGUMENT, ABI, MEMORY. Since 0.1. */
FLUX_API int flux_graph_new(const struct flux_env *env, uint32_t gpus, struct flux_graph **graph);
FLUX_API void flux_graph_free(struct flux_graph *graph); /* NULL is fine */

/* Adds a transfer of `bytes` (at least 1) from GPU `src` to another GPU `dst`. How long it takes follows from the
 * fabric, unless flux_graph_set_duration() says. `vertex` (its number) may be NULL.
 * Errors: ARGUMENT, MEMORY, TOO_BIG (2^32 - 2 vertices). Since 0.1. */
FLUX_API int flux_graph_add_send(struct flux_graph *graph, uint32_t src, uint32_t dst, uint64_t bytes,
                                 uint32_t *vertex);

/* Adds `duration` of compute on `gpu`. Two computes of one GPU overlap unless an edge orders them.
 * Errors: ARGUMENT, MEMORY, TOO_BIG. Since 0.1. */
FLUX_API int flux_graph_add_compute(struct flux_graph *graph, uint32_t gpu, int64_t duration, uint32_t *vertex);

/* `to` starts no earlier than the end of `from` plus `lag`. Of repeated edges the longest lag counts. Both vertices
 * must exist and differ. A longer cycle is found by flux_graph_check() and flux_schedule(), not here.
 * Errors: ARGUMENT, MEMORY. Since 0.1. */
FLUX_API int flux_graph_add_edge(struct flux_graph *graph, uint32_t from, uint32_t to, int64_t lag);

/* A send's own duration, whatever the fabric's rate (0: from the fabric again), or a compute's new one.
 * Errors: ARGUMENT. Since 0.1. */
FLUX_API int flux_graph_set_duration(struct flux_graph *graph, uint32_t vertex, int64_t duration);

/* `vertex` starts no earlier than `time`. Errors: ARGUMENT. Since 0.1. */
FLUX_API int flux_graph_set_release(struct flux_graph *graph, uint32_t vertex, int64_t time);

/* A name for people and files: UTF-8, at most FLUX_LABEL_MAX bytes; copied. NULL or "" takes it away.
 * Errors: ARGUMENT, MEMORY. Since 0.1. */
FLUX_API int flux_graph_set_label(struct flux_graph *graph, uint32_t vertex, const char *label);

/* The same in bulk, all or nothing. The rows are frozen: they never change. */
struct flux_send {
    uint32_t src;
    uint32_t dst;
    uint64_t bytes;   /* may be 0 where duration is not */
    int64_t duration; /* 0: from the fabric */
    int64_t release;
};

struct flux_compute {
    uint32_t gpu;
    uint32_t reserved; /* 0 */
    int64_t duration;
    int64_t release;
};

struct flux_edge {
    uint32_t from;
    uint32_t to;
    int64_t lag;
};

/* `stride` is the distance in bytes from one row to the next, a multiple of 8: sizeof the row, or more for rows inside
 * records of the caller's. `first` (may be NULL) is the number of the first new vertex; the others follow.
 * Errors: ARGUMENT (the text names the first bad row), MEMORY, TOO_BIG; the graph is then unchanged. Since 0.1. */
FLUX_API int flux_graph_add_sends(struct flux_graph *graph, const struct flux_send *sends, uint64_t count,
                                  uint64_t stride, uint32_t *first, struct flux_error *error);
FLUX_API int flux_graph_add_computes(struct flux_graph *graph, const struct flux_compute *computes, uint64_t count,
                                     uint64_t stride, uint32_t *first, struct flux_error *error);
FLUX_API int flux_graph_add_edges(struct flux_graph *graph, const struct flux_edge *edges, uint64_t count,
                                  uint64_t stride, struct flux_error *error);

/* Room for that many more vertices and edges, so that adding them does not move memory. Errors: MEMORY, TOO_BIG. */
FLUX_API int flux_graph_reserve(struct flux_graph *graph, uint64_t vertices, uint64_t edges);

/* Everything that went in can be read back. Pointers live until the graph changes. Since 0.1. */
FLUX_API uint32_t flux_graph_gpus(const struct flux_graph *graph);
FLUX_API uint32_t flux_graph_vertices(const struct flux_graph *graph);
FLUX_API uint32_t flux_graph_sends(const struct flux_graph *graph); /* how many vertices are sends */
FLUX_API const struct flux_edge *flux_graph_edges(const struct flux_graph *graph, uint64_t *count);
FLUX_API int flux_graph_is_send(const struct flux_graph *graph, uint32_t vertex); /* 1, or 0 also out of range */
FLUX_API int flux_graph_get_send(const struct flux_graph *graph, uint32_t vertex, struct flux_send *send);
FLUX_API int flux_graph_get_compute(const struct flux_graph *graph, uint32_t vertex, struct flux_compute *compute);
FLUX_API const char *flux_graph_label(const struct flux_graph *graph, uint32_t vertex); /* "" where there is none */

/* FLUX_E_CYCLE with one cycle named in `error`, or 0. Linear in vertices and edges. Errors: CYCLE, MEMORY. */
FLUX_API int flux_graph_check(const struct flux_graph *graph, struct flux_error *error);

FLUX_END_DECLS
#endif
