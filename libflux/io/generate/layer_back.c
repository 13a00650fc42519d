/* SPDX-License-Identifier: Apache-2.0
 *
 * The backward pass of a layer. Gradients of inputs come first, so that what is sent of them hides behind the gradients
 * of weights. With sequence parallelism the inputs, of which every rank kept its part, are gathered again meanwhile
 * (Korthikanti et al., 2022, arXiv:2205.05198, section 4.2.2).
 */
#include "io/generate/cost.h"
#include "io/generate/rank.h"

/* Gathers the gradient that came, and after it the input of the block; returns when the latter is there. */
static uint64_t gather(struct flux_io_generator *to, const char *gradient, const char *input)
{
    const struct flux_io_plan *plan = to->plan;
    if (!plan->sp)
        return UINT64_MAX;
    flux_io_generate_flush(to);
    uint64_t before = to->front;
    flux_io_generate_enter(to, gradient);
    uint64_t after = to->front;
    to->front = before;
    uint64_t arrived = flux_io_generate_collective(to, FLUX_IO_ALL_GATHER, to->groups.tensor,
                                                   flux_io_activation_bytes(plan) / plan->tp, input);
    to->front = after;
    return arrived;
}

static void each(struct flux_io_generator *to, const uint32_t *operations, uint32_t phase, const char *what)
{
    const struct flux_io_plan *plan = to->plan;
    for (int i = 0; i < 3; i++)
        flux_io_generate_operation(
            to, operations[i], phase,
            operations[i] == FLUX_IO_OP_EXPERTS ? plan->tokens * plan->model->top_k : plan->tokens, what);
}

static void feed_forward_back(struct flux_io_generator *to, uint32_t layer)
{
    static const uint32_t dense[] = {FLUX_IO_OP_DOWN, FLUX_IO_OP_ACTIVATION, FLUX_IO_OP_UP};
    static const uint32_t sparse[] = {FLUX_IO_OP_SHARED, FLUX_IO_OP_EXPERTS, FLUX_IO_OP_ROUTER};
    const struct flux_io_plan *plan = to->plan;
    const uint32_t *operations = flux_io_plan_has_experts(plan, layer) ? sparse : dense;
    uint64_t input = gather(to, "mlp.back.gather", "mlp.back.input");
    each(to, operations, FLUX_IO_TO_INPUT, "mlp.back");
    uint64_t reduced = flux_io_generate_leave_later(to, "mlp.back.reduce");
    flux_io_generate_also(to, input);
    each(to, operations, FLUX_IO_TO_WEIGHT, "mlp.weights");
    flux_io_generate_also(to, reduced);
}

static void experts_back(struct flux_io_generator *to, uint32_t layer)
{
    const struct flux_io_plan *plan = to->plan;
    uint64_t rows = flux_io_generate_expert_rows(to, layer);
    uint64_t arrived = flux_io_generate_exchange(to, layer, 0, "combine.back");
    flux_io_generate_operation(to, FLUX_IO_OP_SHARED, FLUX_IO_TO_INPUT, plan->split, "shared.back");
    flux_io_generate_operation(to, FLUX_IO_OP_SHARED, FLUX_IO_TO_WEIGHT, plan->split, "shared.back");
    flux_io_generate_also(to, arrived);
    flux_io_generate_operation(to, FLUX_IO_OP_EXPERTS, FLUX_IO_TO_INPUT, rows, "experts.back");
    uint64_t back = flux_io_generate_exchange(to, layer, 1, "dispatch.back");
    flux_io_generate_operation(to, FLUX_IO_OP_EXPERTS, FLUX_IO_TO_WEIGHT, rows, "experts.weights");
    flux_io_generate_also(to, back);
    flux_io_generate_operation(to, FLUX_IO_OP_ROUTER, FLUX_IO_TO_INPUT, plan->split, "router.back");
    flux_io_generate_operation(to, FLUX_IO_OP_ROUTER, FLUX_IO_TO_WEIGHT, plan->split, "router.back");
}

static void attention_back(struct flux_io_generator *to)
{
    const struct flux_io_plan *plan = to->plan;
    uint64_t input = gather(to, "attention.back.gather", "attention.back.input");
    flux_io_generate_operation(to, FLUX_IO_OP_PROJECTION, FLUX_IO_TO_INPUT, plan->tokens, "attention.back");
    flux_io_generate_wait_collective(to, FLUX_IO_ALL_GATHER, to->groups.context, flux_io_key_value_bytes(plan),
                                     "attention.back.context");
    flux_io_generate_operation(to, FLUX_IO_OP_CORE, FLUX_IO_TO_INPUT, plan->tokens, "attention.back");
    flux_io_generate_wait_collective(to, FLUX_IO_REDUCE_SCATTER, to->groups.context,
                                     flux_io_key_value_bytes(plan) * plan->cp, "attention.back.context");
    flux_io_generate_operation(to, FLUX_IO_OP_QKV, FLUX_IO_TO_INPUT, plan->tokens, "attention.back");
    uint64_t reduced = flux_io_generate_leave_later(to, "attention.back.reduce");
    flux_io_generate_also(to, input);
    flux_io_generate_operation(to, FLUX_IO_OP_PROJECTION, FLUX_IO_TO_WEIGHT, plan->tokens, "attention.weights");
    flux_io_generate_operation(to, FLUX_IO_OP_QKV, FLUX_IO_TO_WEIGHT, plan->tokens, "attention.weights");
    flux_io_generate_also(to, reduced);
}

void flux_io_generate_backward(struct flux_io_generator *to, uint32_t layer)
{
    const struct flux_io_plan *plan = to->plan;
    if (plan->recompute == FLUX_RECOMPUTE_FULL)
        flux_io_generate_forward(to, layer);
    flux_io_generate_place(to, layer);
    if (plan->ep > 1 && flux_io_plan_has_experts(plan, layer))
        experts_back(to, layer);
    else
        feed_forward_back(to, layer);
    flux_io_generate_operation(to, FLUX_IO_OP_NORM, FLUX_IO_TO_INPUT, plan->split, "norm.back");
    attention_back(to);
    flux_io_generate_operation(to, FLUX_IO_OP_NORM, FLUX_IO_TO_INPUT, plan->split, "norm.back");
    flux_io_generate_flush(to);
}
