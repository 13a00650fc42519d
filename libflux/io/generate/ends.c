/* SPDX-License-Identifier: Apache-2.0
 *
 * What comes once: the embedding in front of the layers, and the head and the loss behind them.
 */
#include "io/generate/cost.h"
#include "io/generate/rank.h"

#define LOSS_BYTES 12u /* a token's maximum, sum and own logit, four bytes each, over the parts of the vocabulary */

static int is_replicated(const struct flux_io_generator *to)
{
    return to->plan->model->embedding == FLUX_IO_EMBEDDING_REPLICATED;
}

static uint64_t table_rows(const struct flux_io_generator *to)
{
    return is_replicated(to) ? to->plan->split : to->plan->tokens;
}

void flux_io_generate_embedding(struct flux_io_generator *to)
{
    flux_io_generate_place(to, FLUX_NONE);
    flux_io_generate_table_weights(to);
    flux_io_generate_operation(to, FLUX_IO_OP_EMBEDDING, FLUX_IO_FORWARD, table_rows(to), "embedding");
    if (!is_replicated(to))
        flux_io_generate_leave(to, "embedding.reduce");
    flux_io_generate_flush(to);
}

void flux_io_generate_embedding_back(struct flux_io_generator *to)
{
    flux_io_generate_place(to, FLUX_NONE);
    if (!is_replicated(to))
        flux_io_generate_enter(to, "embedding.back.gather");
    flux_io_generate_operation(to, FLUX_IO_OP_EMBEDDING, FLUX_IO_TO_WEIGHT, table_rows(to), "embedding.back");
    flux_io_generate_flush(to);
}

void flux_io_generate_head(struct flux_io_generator *to)
{
    const struct flux_io_plan *plan = to->plan;
    flux_io_generate_place(to, FLUX_NONE);
    flux_io_generate_table_weights(to);
    flux_io_generate_operation(to, FLUX_IO_OP_NORM, FLUX_IO_FORWARD, plan->split, "head.norm");
    if (!is_replicated(to))
        flux_io_generate_enter(to, "head.gather");
    flux_io_generate_operation(to, FLUX_IO_OP_HEAD, FLUX_IO_FORWARD, table_rows(to), "head");
    flux_io_generate_operation(to, FLUX_IO_OP_LOSS, FLUX_IO_FORWARD, table_rows(to), "head");
    if (!is_replicated(to))
        flux_io_generate_wait_collective(to, FLUX_IO_ALL_REDUCE, to->groups.tensor, plan->tokens * LOSS_BYTES, "loss");
    flux_io_generate_flush(to);
}

void flux_io_generate_head_back(struct flux_io_generator *to)
{
    const struct flux_io_plan *plan = to->plan;
    uint64_t input = UINT64_MAX, reduced = UINT64_MAX;
    flux_io_generate_place(to, FLUX_NONE);
    flux_io_generate_table_weights(to);
    flux_io_generate_operation(to, FLUX_IO_OP_LOSS, FLUX_IO_TO_INPUT, table_rows(to), "head.back");
    if (!is_replicated(to) && plan->sp)
        input = flux_io_generate_collective(to, FLUX_IO_ALL_GATHER, to->groups.tensor,
                                            flux_io_activation_bytes(plan) / plan->tp, "head.back.input");
    flux_io_generate_operation(to, FLUX_IO_OP_HEAD, FLUX_IO_TO_INPUT, table_rows(to), "head.back");
    if (!is_replicated(to))
        reduced = flux_io_generate_leave_later(to, "head.back.reduce");
    flux_io_generate_also(to, input);
    flux_io_generate_operation(to, FLUX_IO_OP_HEAD, FLUX_IO_TO_WEIGHT, table_rows(to), "head.weights");
    flux_io_generate_also(to, reduced);
    flux_io_generate_operation(to, FLUX_IO_OP_NORM, FLUX_IO_TO_INPUT, plan->split, "head.norm.back");
    flux_io_generate_flush(to);
}
