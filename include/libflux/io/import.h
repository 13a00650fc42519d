/* SPDX-License-Identifier: Apache-2.0
 *
 * libflux/io/import.h - any workload file to a graph: formats are recognised by content. Stable.
 */
#ifndef LIBFLUX_IO_IMPORT_H
#define LIBFLUX_IO_IMPORT_H

#include <libflux/flux.h>

FLUX_BEGIN_DECLS

#define FLUX_DEPS_AUTO 0      /* data dependencies, and control dependencies where they are sane */
#define FLUX_DEPS_DATA 1
#define FLUX_DEPS_DATA_CTRL 2 /* both; anything wrong with them is an error */

#define FLUX_MISSING_ERROR 0 /* a dependency on a node that is not there */
#define FLUX_MISSING_WARN 1

#define FLUX_ENDPOINTS_RANK 0 /* a rank */
#define FLUX_ENDPOINTS_NIC 1  /* a rank's network interface: interface i of rank r, of n each, is GPU r * n + i */

/* Collective algorithms (docs/collectives.md). DEFAULT: ring for all-reduce, all-gather and reduce-scatter, direct for
 * all-to-all, binomial tree for broadcast and reduce. Not every one does every collective. */
#define FLUX_ALGORITHM_DEFAULT 0
#define FLUX_ALGORITHM_RING 1
#define FLUX_ALGORITHM_DIRECT 2
#define FLUX_ALGORITHM_HALVING_DOUBLING 3
#define FLUX_ALGORITHM_BIDIRECTIONAL_RING 4
#define FLUX_ALGORITHM_RECURSIVE_DOUBLING 5
#define FLUX_ALGORITHM_BINOMIAL_TREE 6
#define FLUX_ALGORITHM_DOUBLE_BINARY_TREE 7
#define FLUX_ALGORITHM_HIERARCHICAL 8 /* within a node, then across */

/* How to read. All zero means the defaults. Grows at the end: start from FLUX_IMPORT_OPTIONS_INIT. */
struct flux_import_options {
    uint64_t size;
    uint32_t deps;
    uint32_t missing_parent;
    uint32_t strict;         /* 1: what would be a warning is an error */
    uint32_t ranks;          /* of a trace set; 0: as many as there are. One file and more ranks: it is replicated */
    uint64_t scale_num;      /* message sizes times scale_num / scale_den; 0: 1 */
    uint64_t scale_den;
    const char *groups_path; /* communicator groups (JSON); NULL: comm_group.json or PREFIX.json beside the trace */
    double peak_flops;       /* operations per second; 0: 312e12 */
    double memory_rate;      /* bytes per second; 0: 2.039e12 */
    uint32_t overlap_compute; /* 1: computes of one GPU may overlap; 0: they run one after another */
    uint32_t chunks;          /* a collective is cut in so many pipelined pieces; 0: 1 */
    uint32_t all_reduce;      /* FLUX_ALGORITHM_* */
    uint32_t all_gather;
    uint32_t reduce_scatter;
    uint32_t all_to_all;
    uint64_t vertices_max;    /* refuse, before expanding, what would be larger; 0: 100,000,000 */
    /* What a document without a workload of its own is about: a fabric gets the GPUs of this graph, and the sends of a
     * schedule are found in it by id. NULL: such a schedule is an error. It must live until flux_import() returns. */
    const struct flux_graph *graph;
    const char *collectives_path; /* rules that choose algorithms by collective, size and members (YAML); NULL: none */
    uint32_t broadcast;           /* FLUX_ALGORITHM_*; DEFAULT: one whose root is not known only joins its members */
    uint32_t node;                /* GPUs of a node, for HIERARCHICAL; 0: not known */
    uint32_t endpoints;   /* FLUX_ENDPOINTS_*: what a GPU is, in formats whose ranks have several network interfaces */
    uint32_t fold;        /* 1: of replicas that do the same and do not meet, one is kept; the bounds and schedules of
                           * one are those of all. 0: all are expanded */
    int64_t compute_unit; /* ps that a compute of 1 takes where a format has no unit of its own; 0: 1 ns */
    /* Algorithms that replace the built-in ones for the collective, the number of members and the sizes that they are
     * made for: MSCCL files, each as its path or as COLLECTIVE=PATH with all-reduce and the like. */
    const char **algorithms;
    uint32_t algorithm_count;
    uint32_t reserved;         /* 0 */
    uint64_t collective_bytes; /* the whole buffer of a collective that a format gives without a size; 0: 1 MiB */
    const char *unit;     /* of a matrix: see struct flux_matrix_options */
    int64_t step_compute; /* ps between two matrices of a sequence, on every GPU */
};

#define FLUX_IMPORT_OPTIONS_INIT \
    { sizeof(struct flux_import_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

struct flux_import;

/* Reads `path`: a file, the prefix of a trace set (PREFIX.0.et, PREFIX.1.et, ...), or "-" for standard input. Files
 * may be gzip. `env` and `options` may be NULL. Free with flux_import_free().
 * Errors: ARGUMENT, ABI, IO, FORMAT, CYCLE, OVERFLOW, TOO_BIG, MEMORY. Since 0.1. */
FLUX_API int flux_import(const struct flux_env *env, const char *path, const struct flux_import_options *options,
                         struct flux_import **import, struct flux_error *error);
FLUX_API void flux_import_free(struct flux_import *import); /* NULL is fine */

/* What was found; each NULL where the input has none. They live as long as the import. */
FLUX_API const char *flux_import_format(const struct flux_import *import); /* "native", "chakra", "matrix" */
FLUX_API const struct flux_graph *flux_import_graph(const struct flux_import *import);
FLUX_API const struct flux_fabric *flux_import_fabric(const struct flux_import *import);
FLUX_API const struct flux_slot *flux_import_slots(const struct flux_import *import, uint64_t *count);
/* The certificate of the schedule in the input, with the bound that the schedule claims; NULL where it has none.
 * Nothing of it was checked: flux_certificate_check() does. Since 0.1. */
FLUX_API const struct flux_certificate *flux_import_certificate(const struct flux_import *import);

/* A format that is read. Frozen; the texts are constants. */
struct flux_format {
    const char *name;       /* what flux_import_format() says */
    const char *about;      /* what it is */
    const char *recognised; /* by what a file is taken for it */
    const char *options;    /* the options of flux-ocs that matter to it */
};

/* The formats from 0 on, in the order in which they are tried; NULL behind the last. Since 0.1. */
FLUX_API const struct flux_format *flux_import_formats(uint32_t index);

/* The graph becomes the caller's; the import has none after that. */
FLUX_API struct flux_graph *flux_import_take_graph(struct flux_import *import);

/* What a person should know: what was assumed, mended or left out, one sentence each. */
FLUX_API uint64_t flux_import_warnings(const struct flux_import *import);
FLUX_API const char *flux_import_warning(const struct flux_import *import, uint64_t index);
FLUX_API uint64_t flux_import_notes(const struct flux_import *import);
FLUX_API const char *flux_import_note(const struct flux_import *import, uint64_t index);

/* Counts of the input. Frozen by name: an unknown name reads 0. Names: "ranks", "nodes", "collectives", "messages"
 * (sends that the input spells out), "bytes" (of all sends), "makespan" and "bound" (ps, what a schedule in the input
 * says of itself), "control_kept" and "control_dropped" (control dependencies of a trace that hold, and that were left
 * out). */
FLUX_API uint64_t flux_import_count(const struct flux_import *import, const char *name);

FLUX_END_DECLS
#endif
