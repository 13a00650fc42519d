/* SPDX-License-Identifier: Apache-2.0
 *
 * io/generate/rank.h - the program of one GPU as it is written: compute, collectives and messages in their order.
 *
 * Computes follow each other. `front` is what the next node that uses the data waits for: the last compute, a
 * collective or an arrival. Computes that follow each other without anything between become one node.
 */
#ifndef FLUX_IO_GENERATE_RANK_H
#define FLUX_IO_GENERATE_RANK_H

#include "io/generate/plan.h"
#include "io/generate/routing.h"
#include "io/workload/workload.h"

#define FLUX_IO_ALSO 16u

/* Groups of a GPU; FLUX_NONE: of one. */
struct flux_io_rank_groups {
    uint32_t tensor;
    uint32_t context;
    uint32_t data; /* context and data ranks together */
    uint32_t expert;
    uint32_t expert_data; /* GPUs with the same experts */
    uint32_t ends;        /* first and last stage, where one table serves both */
};

struct flux_io_draws {
    uint64_t *counts; /* ep * ep */
    struct flux_io_route route;
    uint32_t known;
};

struct flux_io_generator {
    const struct flux_io_plan *plan;
    struct flux_io_workload *workload;
    struct flux_error *error;
    int failed;

    uint32_t rank;
    uint32_t stage;
    struct flux_io_rank_groups groups;
    uint32_t expert_first; /* GPU of its expert group */

    uint64_t next_id;
    uint64_t compute; /* last compute node, UINT64_MAX: none */
    uint64_t front;
    uint64_t also[FLUX_IO_ALSO]; /* besides `front` */
    uint32_t also_count;
    uint32_t tag;
    uint64_t pending; /* ps of computes that are not a node yet */
    char pending_name[64];
    char place[48]; /* "i0.m1.L3", what names begin with */

    uint32_t iteration;
    uint32_t micro_batch;

    /* Weights whose gradients wait to be reduced, and what has been. */
    uint64_t dense;
    uint64_t sparse;
    uint64_t *reduced;
    uint64_t reduced_count;
    uint64_t reduced_capacity;
    uint64_t *shards; /* weights of each bucket, and whether experts share it out: to be gathered after the optimizer */
    uint64_t shard_count;
    uint64_t shard_capacity;

    struct flux_io_draws *draws; /* by iteration, micro-batch and layer, of the expert group at hand */
    uint64_t draw_count;
    uint64_t *messages; /* room for 2 * ep ids */
};

/* After the first failure everything does nothing. */
void flux_io_generate_compute(struct flux_io_generator *to, const char *what, uint64_t time);
/* The computes so far become a node. */
void flux_io_generate_flush(struct flux_io_generator *to);
/* The id of a collective over `group` after the front and all of `also`; UINT64_MAX for a group of one. */
uint64_t flux_io_generate_collective(struct flux_io_generator *to, uint32_t kind, uint32_t group, uint64_t bytes,
                                     const char *what);
/* The same, and the front is at its end. */
void flux_io_generate_wait_collective(struct flux_io_generator *to, uint32_t kind, uint32_t group, uint64_t bytes,
                                      const char *what);
/* The next node waits for this one, too. */
void flux_io_generate_also(struct flux_io_generator *to, uint64_t id);
uint64_t flux_io_generate_send(struct flux_io_generator *to, uint32_t peer, uint32_t tag, uint64_t bytes,
                               const char *what);
uint64_t flux_io_generate_receive(struct flux_io_generator *to, uint32_t peer, uint32_t tag, uint64_t bytes,
                                  const char *what);
/* A point in time after the front and all of `also`; the front is there. */
void flux_io_generate_join(struct flux_io_generator *to, const char *what);
/* A point in time after all of these. */
uint64_t flux_io_generate_all(struct flux_io_generator *to, const uint64_t *ids, uint64_t count, const char *what);
/* "i0.m1.L3": layer FLUX_NONE leaves it out. */
void flux_io_generate_place(struct flux_io_generator *to, uint32_t layer);

/* layer.c, layer_back.c */
void flux_io_generate_forward(struct flux_io_generator *to, uint32_t layer);
void flux_io_generate_backward(struct flux_io_generator *to, uint32_t layer);
/* The tokens of the experts: to them, and from them. */
uint64_t flux_io_generate_exchange(struct flux_io_generator *to, uint32_t layer, int from, const char *what);
uint64_t flux_io_generate_expert_rows(struct flux_io_generator *to, uint32_t layer);
void flux_io_generate_operation(struct flux_io_generator *to, uint32_t operation, uint32_t phase, uint64_t rows,
                                const char *what);
uint64_t flux_io_activation_bytes(const struct flux_io_plan *plan);
/* Before a block of tensor-parallel products, and after it. */
void flux_io_generate_enter(struct flux_io_generator *to, const char *what);
void flux_io_generate_leave(struct flux_io_generator *to, const char *what);
uint64_t flux_io_generate_leave_later(struct flux_io_generator *to, const char *what);

/* ends.c: embedding, head, loss */
void flux_io_generate_embedding(struct flux_io_generator *to);
void flux_io_generate_embedding_back(struct flux_io_generator *to);
void flux_io_generate_head(struct flux_io_generator *to);
void flux_io_generate_head_back(struct flux_io_generator *to);

/* gradients.c */
void flux_io_generate_gradients(struct flux_io_generator *to, uint32_t layer);
void flux_io_generate_table_gradients(struct flux_io_generator *to, const char *what);
void flux_io_generate_reduce(struct flux_io_generator *to);
void flux_io_generate_optimizer(struct flux_io_generator *to);
/* ZeRO 3: the weights of a layer; UINT64_MAX: they are there. */
uint64_t flux_io_generate_weights(struct flux_io_generator *to, uint32_t layer);

void flux_io_generate_table_weights(struct flux_io_generator *to);

/* pipeline.c: all iterations of one GPU. */
void flux_io_generate_program(struct flux_io_generator *to);

#endif
