/* SPDX-License-Identifier: Apache-2.0
 *
 * io/simai/simai.h - the workloads of SimAI and AICB: one row per layer that all GPUs run, and how they are grouped.
 *
 * GPU = tp + t * (ep + e * (dp + d * stage)), with t of tensor, e of expert parallelism and d replicas of the experts:
 *
 *   TP     same ep, dp, stage: t neighbours
 *   EP     same tp, dp, stage: e of them, t apart
 *   DP     same tp, stage: e * d of them, t apart
 *   DP_EP  same tp, ep, stage: d of them, t * e apart
 */
#ifndef FLUX_IO_SIMAI_SIMAI_H
#define FLUX_IO_SIMAI_SIMAI_H

#include "io/text.h"
#include "io/workload/graph.h"

enum flux_io_simai_group {
    FLUX_IO_SIMAI_TP,
    FLUX_IO_SIMAI_DP,
    FLUX_IO_SIMAI_EP,
    FLUX_IO_SIMAI_DP_EP,
    FLUX_IO_SIMAI_GROUPS
};

enum flux_io_simai_part { FLUX_IO_SIMAI_FORWARD, FLUX_IO_SIMAI_INPUT, FLUX_IO_SIMAI_WEIGHT, FLUX_IO_SIMAI_PARTS };

/* A compute and the collective behind it. */
struct flux_io_simai_work {
    uint64_t compute; /* units */
    uint64_t bytes;   /* of the collective, over all its members; 0: there is none */
    uint32_t kind;    /* FLUX_IO_ALL_REDUCE .. */
    uint32_t group;   /* flux_io_simai_group */
};

struct flux_io_simai_layer {
    struct flux_io_simai_work work[FLUX_IO_SIMAI_PARTS];
    uint64_t update; /* units */
    uint64_t line;
    uint32_t name; /* in `names` */
    uint8_t is_checkpoint;
    uint8_t recomputes; /* from the last checkpoint on, before its backward pass */
    uint8_t reserved[2];
};

struct flux_io_simai {
    struct flux_import *import;
    struct flux_io_source *source;
    const struct flux_import_options *options;
    struct flux_error *error;
    struct flux_io_expand_options expand;
    struct flux_io_strings names;
    struct flux_io_simai_layer *layers;
    uint64_t layer_count;
    uint64_t layer_capacity;
    uint64_t gpus; /* as the file or the caller says; 0: neither does */
    uint64_t tensor;
    uint64_t expert;
    uint64_t stages;
    uint64_t broadcasts; /* that are left out */
    uint32_t data;       /* e * d */
    uint32_t micro;      /* policy MICRO */
    /* The GPUs that are kept, which is all of them unless replicas are folded. */
    uint32_t kept[4]; /* tensor, expert, replicas of experts, stages */
};

/* Fills layers and degrees. Errors: FORMAT, MEMORY. */
int flux_io_simai_parse(struct flux_io_simai *simai);
/* Degrees, folding and size checked: the graph. */
int flux_io_simai_expand(struct flux_io_simai *simai);

#endif
