/* SPDX-License-Identifier: Apache-2.0 */
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
#define FLUX_TIME_MAX (INT64_C(1) << 62)
#define FLUX_GPUS_MAX (UINT32_C(1) << 20)
#define FLUX_LABEL_MAX 4095
struct flux_graph;
FLUX_API int flux_graph_new(const struct flux_env *env, uint32_t gpus, struct flux_graph **graph);
FLUX_API void flux_graph_free(struct flux_graph *graph);
FLUX_API int flux_graph_add_send(struct flux_graph *graph, uint32_t src, uint32_t dst, uint64_t bytes,
                                 uint32_t *vertex);
FLUX_API int flux_graph_add_compute(struct flux_graph *graph, uint32_t gpu, int64_t duration, uint32_t *vertex);
FLUX_API int flux_graph_add_edge(struct flux_graph *graph, uint32_t from, uint32_t to, int64_t lag);
FLUX_API int flux_graph_set_duration(struct flux_graph *graph, uint32_t vertex, int64_t duration);
FLUX_API int flux_graph_set_release(struct flux_graph *graph, uint32_t vertex, int64_t time);
FLUX_API int flux_graph_set_label(struct flux_graph *graph, uint32_t vertex, const char *label);
struct flux_send {
    uint32_t src;
    uint32_t dst;
    uint64_t bytes;
    int64_t duration;
    int64_t release;
};
struct flux_compute {
    uint32_t gpu;
    uint32_t reserved;
    int64_t duration;
    int64_t release;
};
struct flux_edge {
    uint32_t from;
    uint32_t to;
    int64_t lag;
};
FLUX_API int flux_graph_add_sends(struct flux_graph *graph, const struct flux_send *sends, uint64_t count,
                                  uint64_t stride, uint32_t *first, struct flux_error *error);
FLUX_API int flux_graph_add_computes(struct flux_graph *graph, const struct flux_compute *computes, uint64_t count,
                                     uint64_t stride, uint32_t *first, struct flux_error *error);
FLUX_API int flux_graph_add_edges(struct flux_graph *graph, const struct flux_edge *edges, uint64_t count,
                                  uint64_t stride, struct flux_error *error);
FLUX_API int flux_graph_reserve(struct flux_graph *graph, uint64_t vertices, uint64_t edges);
FLUX_API uint32_t flux_graph_gpus(const struct flux_graph *graph);
FLUX_API uint32_t flux_graph_vertices(const struct flux_graph *graph);
FLUX_API uint32_t flux_graph_sends(const struct flux_graph *graph);
FLUX_API const struct flux_edge *flux_graph_edges(const struct flux_graph *graph, uint64_t *count);
FLUX_API int flux_graph_is_send(const struct flux_graph *graph, uint32_t vertex);
FLUX_API int flux_graph_get_send(const struct flux_graph *graph, uint32_t vertex, struct flux_send *send);
FLUX_API int flux_graph_get_compute(const struct flux_graph *graph, uint32_t vertex, struct flux_compute *compute);
FLUX_API const char *flux_graph_label(const struct flux_graph *graph, uint32_t vertex);
FLUX_API int flux_graph_check(const struct flux_graph *graph, struct flux_error *error);
FLUX_END_DECLS
#endif
