/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIBFLUX_IO_WRITE_H
#define LIBFLUX_IO_WRITE_H
#include <libflux/flux.h>
FLUX_BEGIN_DECLS
FLUX_API int flux_write_document(const char *path, const struct flux_graph *graph, const struct flux_fabric *fabric,
                                 const struct flux_schedule *schedule, struct flux_error *error);
FLUX_API int flux_write_csv(const char *path, const struct flux_graph *graph, const struct flux_schedule *schedule,
                            struct flux_error *error);
FLUX_API int flux_write_replay(const char *path, const struct flux_graph *graph, const struct flux_replay *replay,
                               struct flux_error *error);
FLUX_API int flux_write_replay_memory(const char *path, struct flux_replay *replay, struct flux_error *error);
FLUX_API int flux_write_replay_perfetto(const char *path, const struct flux_graph *graph,
                                        const struct flux_fabric *fabric, struct flux_replay *replay,
                                        struct flux_error *error);
struct flux_compared {
    const struct flux_comparison *comparison;
    int64_t delay;
    int64_t bound;
};
FLUX_API int flux_write_comparisons(const char *path, const struct flux_compared *rows, uint64_t count,
                                    struct flux_error *error);
FLUX_API int flux_write_chakra(const char *prefix, const struct flux_graph *graph, const struct flux_schedule *schedule,
                               int64_t *rounded, struct flux_error *error);
FLUX_API int flux_write_goal(const char *path, const struct flux_graph *graph, int64_t *rounded,
                             struct flux_error *error);
FLUX_API int flux_write_networkx(const char *path, const struct flux_graph *graph, struct flux_error *error);
#define FLUX_DOT_VERTICES_MAX 2000u
#define FLUX_DOT_EDGES_MAX 10000u
FLUX_API int flux_write_dot(const char *path, const struct flux_graph *graph, struct flux_error *error);
FLUX_API int flux_write_perfetto(const char *path, const struct flux_graph *graph, const struct flux_fabric *fabric,
                                 const struct flux_schedule *schedule, struct flux_error *error);
#define FLUX_SVG_WIDTH_MIN 480
#define FLUX_SVG_WIDTH_MAX 20000
#define FLUX_SVG_GPUS 64
FLUX_API int flux_write_model(const char *path, const struct flux_graph *graph, const struct flux_fabric *fabric,
                              uint32_t formulation, uint32_t format, struct flux_formulation_summary *summary,
                              struct flux_error *error);
struct flux_svg_options {
    uint64_t size;
    int64_t from;
    int64_t to;
    uint32_t width;
    uint32_t gpu_first;
    uint32_t gpu_count;
    uint32_t reserved;
};
#define FLUX_SVG_OPTIONS_INIT { sizeof(struct flux_svg_options), 0, 0, 0, 0, 0, 0 }
FLUX_API int flux_write_svg(const char *path, const struct flux_graph *graph, const struct flux_fabric *fabric,
                            const struct flux_schedule *schedule, const struct flux_svg_options *options,
                            struct flux_error *error);
FLUX_END_DECLS
#endif
