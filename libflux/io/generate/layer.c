/* SPDX-License-Identifier: Apache-2.0
 *
 * The forward pass of a layer: attention, then feed-forward or experts.
 */
#include "io/generate/cost.h"
#include "io/generate/rank.h"

#include <string.h>

void flux_io_generate_operation(struct flux_io_generator *to, uint32_t operation, uint32_t phase, uint64_t rows,
                                const char *what)
{
    flux_io_generate_compute(to, what, flux_io_operation_time(to->plan, operation, phase, rows, NULL));
}

uint64_t flux_io_activation_bytes(const struct flux_io_plan *plan)
{
    return plan->tokens * plan->model->hidden * FLUX_IO_ELEMENT;
}

void flux_io_generate_enter(struct flux_io_generator *to, const char *what)
{
    if (to->plan->sp)
        flux_io_generate_wait_collective(to, FLUX_IO_ALL_GATHER, to->groups.tensor,
                                         flux_io_activation_bytes(to->plan) / to->plan->tp, what);
}

uint64_t flux_io_generate_leave_later(struct flux_io_generator *to, const char *what)
{
    return flux_io_generate_collective(to, to->plan->sp ? FLUX_IO_REDUCE_SCATTER : FLUX_IO_ALL_REDUCE,
                                       to->groups.tensor, flux_io_activation_bytes(to->plan), what);
}

void flux_io_generate_leave(struct flux_io_generator *to, const char *what)
{
    uint64_t id = flux_io_generate_leave_later(to, what);
    if (id != UINT64_MAX)
        to->front = id;
}

static void attention(struct flux_io_generator *to)
{
    const struct flux_io_plan *plan = to->plan;
    flux_io_generate_operation(to, FLUX_IO_OP_NORM, FLUX_IO_FORWARD, plan->split, "norm");
    flux_io_generate_enter(to, "attention.gather");
    flux_io_generate_operation(to, FLUX_IO_OP_QKV, FLUX_IO_FORWARD, plan->tokens, "attention");
    flux_io_generate_wait_collective(to, FLUX_IO_ALL_GATHER, to->groups.context, flux_io_key_value_bytes(plan),
                                     "attention.context");
    flux_io_generate_operation(to, FLUX_IO_OP_CORE, FLUX_IO_FORWARD, plan->tokens, "attention");
    flux_io_generate_operation(to, FLUX_IO_OP_PROJECTION, FLUX_IO_FORWARD, plan->tokens, "attention");
    flux_io_generate_leave(to, "attention.reduce");
}

static void feed_forward(struct flux_io_generator *to, uint32_t layer)
{
    const struct flux_io_plan *plan = to->plan;
    int experts = flux_io_plan_has_experts(plan, layer);
    flux_io_generate_enter(to, "mlp.gather");
    if (experts) {
        flux_io_generate_operation(to, FLUX_IO_OP_ROUTER, FLUX_IO_FORWARD, plan->tokens, "mlp");
        flux_io_generate_operation(to, FLUX_IO_OP_EXPERTS, FLUX_IO_FORWARD, plan->tokens * plan->model->top_k, "mlp");
        flux_io_generate_operation(to, FLUX_IO_OP_SHARED, FLUX_IO_FORWARD, plan->tokens, "mlp");
    } else {
        flux_io_generate_operation(to, FLUX_IO_OP_UP, FLUX_IO_FORWARD, plan->tokens, "mlp");
        flux_io_generate_operation(to, FLUX_IO_OP_ACTIVATION, FLUX_IO_FORWARD, plan->tokens, "mlp");
        flux_io_generate_operation(to, FLUX_IO_OP_DOWN, FLUX_IO_FORWARD, plan->tokens, "mlp");
    }
    flux_io_generate_leave(to, "mlp.reduce");
}

/* Tokens go to their experts and come back; shared experts work while they travel. */
static void spread_experts(struct flux_io_generator *to, uint32_t layer)
{
    const struct flux_io_plan *plan = to->plan;
    flux_io_generate_operation(to, FLUX_IO_OP_ROUTER, FLUX_IO_FORWARD, plan->split, "router");
    uint64_t arrived = flux_io_generate_exchange(to, layer, 0, "dispatch");
    flux_io_generate_operation(to, FLUX_IO_OP_SHARED, FLUX_IO_FORWARD, plan->split, "shared");
    flux_io_generate_also(to, arrived);
    flux_io_generate_operation(to, FLUX_IO_OP_EXPERTS, FLUX_IO_FORWARD, flux_io_generate_expert_rows(to, layer),
                               "experts");
    uint64_t back = flux_io_generate_exchange(to, layer, 1, "combine");
    if (back != UINT64_MAX)
        to->front = back;
}

void flux_io_generate_forward(struct flux_io_generator *to, uint32_t layer)
{
    const struct flux_io_plan *plan = to->plan;
    flux_io_generate_place(to, layer);
    attention(to);
    flux_io_generate_operation(to, FLUX_IO_OP_NORM, FLUX_IO_FORWARD, plan->split, "norm");
    if (plan->ep > 1 && flux_io_plan_has_experts(plan, layer))
        spread_experts(to, layer);
    else
        feed_forward(to, layer);
    flux_io_generate_flush(to);
}
