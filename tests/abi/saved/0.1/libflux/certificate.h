/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIBFLUX_CERTIFICATE_H
#define LIBFLUX_CERTIFICATE_H
#include <libflux/fabric.h>
#include <libflux/graph.h>
FLUX_BEGIN_DECLS
#define FLUX_CERTIFICATE_NONE 0
#define FLUX_CERTIFICATE_CRITICAL_PATH 1
#define FLUX_CERTIFICATE_PORT_LOAD 2
#define FLUX_CERTIFICATE_PORT_EDGES 3
#define FLUX_CERTIFICATE_LIFTED_PATH 4
#define FLUX_CERTIFICATE_LIFTED_LOAD 5
#define FLUX_CERTIFICATE_LIFTED_EDGES 6
#define FLUX_CERTIFICATE_PORT_SEQUENCE 7
#define FLUX_CERTIFICATE_PORT_SHARE 8
#define FLUX_CERTIFICATE_LIFTED_SHARE 9
#define FLUX_CERTIFICATE_SEARCH 99
#define FLUX_CERTIFICATE_SOLVER 100
#define FLUX_SIDE_BOTH 0
#define FLUX_SIDE_TRANSMIT 1
#define FLUX_SIDE_RECEIVE 2
#define FLUX_LIFT_HEAD 0
#define FLUX_LIFT_TAIL 1
struct flux_certificate;
struct flux_lift {
    uint32_t vertex;
    uint32_t gpu;
    uint32_t side;
    uint32_t end;
    int64_t edge;
    int64_t lag;
};
FLUX_API uint32_t flux_certificate_kind(const struct flux_certificate *certificate);
FLUX_API const char *flux_certificate_kind_name(uint32_t kind);
FLUX_API int64_t flux_certificate_bound(const struct flux_certificate *certificate);
FLUX_API uint32_t flux_certificate_gpu(const struct flux_certificate *certificate);
FLUX_API uint32_t flux_certificate_side(const struct flux_certificate *certificate);
FLUX_API int64_t flux_certificate_head(const struct flux_certificate *certificate);
FLUX_API int64_t flux_certificate_tail(const struct flux_certificate *certificate);
FLUX_API const uint32_t *flux_certificate_vertices(const struct flux_certificate *certificate, uint64_t *count);
FLUX_API const struct flux_lift *flux_certificate_lifts(const struct flux_certificate *certificate, uint64_t *count);
FLUX_API int flux_bound(const struct flux_graph *graph, const struct flux_fabric *fabric,
                        struct flux_certificate **certificate, struct flux_error *error);
FLUX_API void flux_certificate_free(struct flux_certificate *certificate);
struct flux_certificate_parts {
    uint64_t size;
    uint32_t kind;
    uint32_t gpu;
    uint32_t side;
    uint32_t reserved;
    int64_t bound;
    int64_t head;
    int64_t tail;
    const uint32_t *vertices;
    uint64_t vertex_count;
    const struct flux_lift *lifts;
    uint64_t lift_count;
};
#define FLUX_CERTIFICATE_PARTS_INIT { sizeof(struct flux_certificate_parts), 0, FLUX_NONE, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
FLUX_API int flux_certificate_new(const struct flux_env *env, const struct flux_certificate_parts *parts,
                                  struct flux_certificate **certificate, struct flux_error *error);
FLUX_API int flux_certificate_check(const struct flux_graph *graph, const struct flux_fabric *fabric,
                                    const struct flux_certificate *certificate, int64_t *bound,
                                    struct flux_error *error);
FLUX_END_DECLS
#endif
