/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/certificate.h - why no schedule can be faster: a lower bound with what is needed to recompute it. Stable.
 *
 * docs/certificates.md defines each kind, so that a stranger's program gets the same number from graph and fabric
 * alone. New kinds may come; treat one you do not know as a bare number.
 */
#ifndef LIBFLUX_CERTIFICATE_H
#define LIBFLUX_CERTIFICATE_H

#include <libflux/fabric.h>
#include <libflux/graph.h>

FLUX_BEGIN_DECLS

#define FLUX_CERTIFICATE_NONE 0
#define FLUX_CERTIFICATE_CRITICAL_PATH 1 /* vertices: a longest path */
#define FLUX_CERTIFICATE_PORT_LOAD 2     /* gpu, side, head, tail, vertices: the sends of a window at one GPU */
#define FLUX_CERTIFICATE_PORT_EDGES 3    /* the same; the first starts and last ends in the window count */
#define FLUX_CERTIFICATE_LIFTED_PATH 4   /* as 1 to 3, with heads and tails raised by the lifts */
#define FLUX_CERTIFICATE_LIFTED_LOAD 5
#define FLUX_CERTIFICATE_LIFTED_EDGES 6
#define FLUX_CERTIFICATE_PORT_SEQUENCE 7 /* gpu, side, vertices: these sends alone, on this GPU's ports, end no sooner */
#define FLUX_CERTIFICATE_PORT_SHARE 8    /* gpu, side, head, tail, vertices: sends that some port has its share of */
#define FLUX_CERTIFICATE_LIFTED_SHARE 9  /* the same, with the lifts */
#define FLUX_CERTIFICATE_SEARCH 99       /* our own search looked at everything; confirmed only by another such search */
#define FLUX_CERTIFICATE_SOLVER 100      /* a floating-point solver's word; nobody can recompute it */
#define FLUX_CERTIFICATE_SUBSET 101      /* vertices: these sends alone end no sooner; confirmed only by another search */

#define FLUX_SIDE_BOTH 0 /* rules PAPER and DUPLEX: one port for both directions */
#define FLUX_SIDE_TRANSMIT 1
#define FLUX_SIDE_RECEIVE 2

#define FLUX_LIFT_HEAD 0
#define FLUX_LIFT_TAIL 1

struct flux_certificate;

/* One step of a lifted certificate: the sends at a GPU's side that come before `vertex` share its ports, and so raise
 * the head of `vertex`; or those that come after it raise its tail. docs/certificates.md has the number. */
struct flux_lift {
    uint32_t vertex;
    uint32_t gpu;
    uint32_t side; /* FLUX_SIDE_* */
    uint32_t end;  /* FLUX_LIFT_* */
    int64_t edge;  /* ps: the sends have at least this head, or tail */
    int64_t lag;   /* ps: and at least this time between them and `vertex` */
};

FLUX_API uint32_t flux_certificate_kind(const struct flux_certificate *certificate);
/* "critical-path", "port-load", ...; a static string. */
FLUX_API const char *flux_certificate_kind_name(uint32_t kind);
FLUX_API int64_t flux_certificate_bound(const struct flux_certificate *certificate);
FLUX_API uint32_t flux_certificate_gpu(const struct flux_certificate *certificate); /* FLUX_NONE where none */
FLUX_API uint32_t flux_certificate_side(const struct flux_certificate *certificate);
FLUX_API int64_t flux_certificate_head(const struct flux_certificate *certificate);
FLUX_API int64_t flux_certificate_tail(const struct flux_certificate *certificate);
/* Vertices of the graph, in the order of the path or by number. They live as long as the certificate. */
FLUX_API const uint32_t *flux_certificate_vertices(const struct flux_certificate *certificate, uint64_t *count);
/* The lifts of a lifted certificate, heads first; each comes after those that it builds on. NULL where there are none.
 * They live as long as the certificate. Since 0.1. */
FLUX_API const struct flux_lift *flux_certificate_lifts(const struct flux_certificate *certificate, uint64_t *count);

/* The best lower bound found for `graph` on `fabric`, without scheduling: a quick one. flux_schedule()
 * tries dearer ones where its schedule does not meet this. Free with flux_certificate_free().
 * Errors: as flux_schedule(). Since 0.1. */
FLUX_API int flux_bound(const struct flux_graph *graph, const struct flux_fabric *fabric,
                        struct flux_certificate **certificate, struct flux_error *error);
FLUX_API void flux_certificate_free(struct flux_certificate *certificate); /* NULL is fine */

/* A certificate that somebody else wrote down, such as the one in a document. The arrays are copied. Grows at the end:
 * start from FLUX_CERTIFICATE_PARTS_INIT. */
struct flux_certificate_parts {
    uint64_t size;
    uint32_t kind; /* FLUX_CERTIFICATE_*, or one that nobody knows yet */
    uint32_t gpu;  /* FLUX_NONE: none */
    uint32_t side; /* FLUX_SIDE_* */
    uint32_t reserved; /* 0 */
    int64_t bound; /* ps, as head and tail */
    int64_t head;
    int64_t tail;
    const uint32_t *vertices; /* of the graph; may be NULL where there are none */
    uint64_t vertex_count;
    const struct flux_lift *lifts;
    uint64_t lift_count;
};

#define FLUX_CERTIFICATE_PARTS_INIT \
    { sizeof(struct flux_certificate_parts), 0, FLUX_NONE, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Nothing is believed of it: flux_certificate_check() says whether it holds. `env` may be NULL. Free with
 * flux_certificate_free(). Errors: ARGUMENT, ABI, MEMORY. Since 0.1. */
FLUX_API int flux_certificate_new(const struct flux_env *env, const struct flux_certificate_parts *parts,
                                  struct flux_certificate **certificate, struct flux_error *error);

/* Recomputes a certificate's number from graph and fabric alone, with code that shares nothing with the search for it.
 * 0 and the number in `bound` (may be NULL) where it is at least what the certificate says; MISMATCH where it is not,
 * or where the kind cannot be recomputed. Errors: ARGUMENT, CYCLE, MEMORY, MISMATCH, OVERFLOW. Since 0.1. */
FLUX_API int flux_certificate_check(const struct flux_graph *graph, const struct flux_fabric *fabric,
                                    const struct flux_certificate *certificate, int64_t *bound,
                                    struct flux_error *error);

FLUX_END_DECLS
#endif
