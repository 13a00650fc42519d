/* SPDX-License-Identifier: Apache-2.0 */
#include "io/generate/cost.h"

#include "io/workload/roofline.h"

#define E FLUX_IO_ELEMENT

/* Heads of one GPU, and the widths of their keys and values. */
struct heads {
    uint64_t query;
    uint64_t key_value;
    uint64_t key_width;
    uint64_t value_width;
};

static struct heads heads_of(const struct flux_io_plan *plan)
{
    const struct flux_io_model *model = plan->model;
    struct heads heads = {model->heads / plan->tp, flux_io_share(model->kv_heads, plan->tp), model->head, model->head};
    if (model->latent.key_value) {
        heads.key_value = heads.query;
        heads.key_width = (uint64_t)model->latent.head + model->latent.rotary;
        heads.value_width = model->latent.value;
    }
    return heads;
}

/* Adds a product of rows x inner by inner x columns. */
static void add_product(struct flux_io_cost *cost, uint64_t rows, uint64_t inner, uint64_t columns)
{
    uint64_t volume = flux_io_times(flux_io_times(rows, inner), columns);
    uint64_t moved = flux_io_plus(flux_io_plus(flux_io_times(rows, inner), flux_io_times(inner, columns)),
                                  flux_io_times(rows, columns));
    cost->volume = flux_io_plus(cost->volume, volume);
    cost->flops = flux_io_plus(cost->flops, flux_io_times(2, volume));
    cost->bytes = flux_io_plus(cost->bytes, flux_io_times(E, moved));
}

static void add_elements(struct flux_io_cost *cost, uint64_t elements, uint64_t flops, uint64_t moved)
{
    cost->flops = flux_io_plus(cost->flops, flux_io_times(elements, flops));
    cost->bytes = flux_io_plus(cost->bytes, flux_io_times(elements, moved * E));
}

static void add_qkv(const struct flux_io_plan *plan, uint64_t rows, struct flux_io_cost *cost)
{
    const struct flux_io_model *model = plan->model;
    const struct flux_io_latent *latent = &model->latent;
    struct heads heads = heads_of(plan);
    uint64_t h = model->hidden;
    if (!latent->key_value) {
        add_product(cost, rows, h, (heads.query + 2 * heads.key_value) * model->head);
        return;
    }
    if (latent->query)
        add_product(cost, rows, h, latent->query);
    add_product(cost, rows, latent->query ? latent->query : h, heads.query * heads.key_width);
    add_product(cost, rows, h, (uint64_t)latent->key_value + latent->rotary);
    add_product(cost, rows, latent->key_value, heads.query * ((uint64_t)latent->head + latent->value));
}

/* Fused attention over half of all pairs (each token looks back). Backward makes five products where forward makes two,
 * as the scores are computed again (Dao, 2023, arXiv:2307.08691, section 3.1). */
static void add_core(const struct flux_io_plan *plan, uint32_t phase, struct flux_io_cost *cost)
{
    struct heads heads = heads_of(plan);
    uint64_t pairs = flux_io_times(plan->tokens, plan->seq);
    uint64_t widths = heads.query * (heads.key_width + heads.value_width);
    uint64_t flops = flux_io_times(pairs, widths); /* 2 * pairs / 2 */
    uint64_t local = flux_io_times(plan->tokens, widths);
    uint64_t gathered =
        flux_io_times(flux_io_times(plan->batch, plan->seq), heads.key_value * (heads.key_width + heads.value_width));
    uint64_t bytes = flux_io_times(E, flux_io_plus(local, gathered));
    if (phase == FLUX_IO_TO_WEIGHT)
        return;
    cost->flops = phase == FLUX_IO_FORWARD ? flops : flux_io_plus(flux_io_times(2, flops), flops / 2);
    cost->bytes = phase == FLUX_IO_FORWARD ? bytes : flux_io_times(2, bytes);
}

static void add_experts(const struct flux_io_plan *plan, uint64_t rows, struct flux_io_cost *cost)
{
    const struct flux_io_model *model = plan->model;
    uint64_t local = plan->ep > 1 ? model->experts / plan->ep : model->experts;
    uint64_t width = plan->ep > 1 ? model->expert_ffn : model->expert_ffn / plan->tp;
    uint64_t matrices = model->gated ? 3 : 2;
    uint64_t weights = flux_io_times(flux_io_times(local, model->hidden), matrices * width);
    uint64_t volume = flux_io_times(flux_io_times(rows, model->hidden), matrices * width);
    uint64_t moved = flux_io_times(rows, 2 * (uint64_t)model->hidden + (matrices + 1) * width);
    cost->volume = volume;
    cost->flops = flux_io_times(2, volume);
    cost->bytes = flux_io_times(E, flux_io_plus(weights, moved));
    cost->parts = local;
}

static void add_shared(const struct flux_io_plan *plan, uint64_t rows, struct flux_io_cost *cost)
{
    uint64_t width = plan->ep > 1 ? plan->model->shared_ffn : plan->model->shared_ffn / plan->tp;
    if (!width)
        return;
    add_product(cost, rows, plan->model->hidden, (plan->model->gated ? 2 : 1) * width);
    add_product(cost, rows, width, plan->model->hidden);
}

static uint64_t vocabulary_part(const struct flux_io_plan *plan)
{
    return plan->model->embedding == FLUX_IO_EMBEDDING_REPLICATED ? plan->model->vocabulary
                                                                  : flux_io_share(plan->model->vocabulary, plan->tp);
}

void flux_io_cost_of(const struct flux_io_plan *plan, uint32_t operation, uint32_t phase, uint64_t rows,
                     struct flux_io_cost *cost)
{
    const struct flux_io_model *model = plan->model;
    uint64_t h = model->hidden, ffn = model->ffn / plan->tp, gated = model->gated;
    struct heads heads = heads_of(plan);
    *cost = (struct flux_io_cost){0, 0, 0, 1};
    switch (operation) {
    case FLUX_IO_OP_NORM: /* and the sum with what went past the block */
        if (phase != FLUX_IO_TO_WEIGHT)
            add_elements(cost, flux_io_times(rows, h), 6, phase == FLUX_IO_FORWARD ? 3 : 4);
        return;
    case FLUX_IO_OP_QKV:
        add_qkv(plan, rows, cost);
        return;
    case FLUX_IO_OP_CORE:
        add_core(plan, phase, cost);
        return;
    case FLUX_IO_OP_PROJECTION:
        add_product(cost, rows, heads.query * heads.value_width, h);
        return;
    case FLUX_IO_OP_UP:
        add_product(cost, rows, h, (1 + gated) * ffn);
        return;
    case FLUX_IO_OP_ACTIVATION:
        if (phase != FLUX_IO_TO_WEIGHT)
            add_elements(cost, flux_io_times(rows, ffn), phase == FLUX_IO_FORWARD ? 5 : 10,
                         phase == FLUX_IO_FORWARD ? 2 + gated : 3 + 2 * gated);
        return;
    case FLUX_IO_OP_DOWN:
        add_product(cost, rows, ffn, h);
        return;
    case FLUX_IO_OP_ROUTER:
        add_product(cost, rows, h, model->experts);
        return;
    case FLUX_IO_OP_EXPERTS:
        add_experts(plan, rows, cost);
        return;
    case FLUX_IO_OP_SHARED:
        add_shared(plan, rows, cost);
        return;
    case FLUX_IO_OP_EMBEDDING: /* a look-up; backward adds up rows */
        if (phase != FLUX_IO_TO_INPUT)
            add_elements(cost, flux_io_times(rows, h), phase == FLUX_IO_FORWARD ? 0 : 1,
                         phase == FLUX_IO_FORWARD ? 2 : 3);
        return;
    case FLUX_IO_OP_HEAD:
        add_product(cost, rows, h, vocabulary_part(plan));
        return;
    case FLUX_IO_OP_LOSS:
        if (phase != FLUX_IO_TO_WEIGHT)
            add_elements(cost, flux_io_times(rows, vocabulary_part(plan)), 5, 2);
        return;
    default:
        return;
    }
}

/* Reads gradient (2), reads and writes weight, mean and variance in 4 bytes (24), writes the weight in 2. */
void flux_io_cost_optimizer(uint64_t weights, struct flux_io_cost *cost)
{
    *cost = (struct flux_io_cost){flux_io_times(weights, 12), flux_io_times(weights, 28), 0, 1};
}

uint64_t flux_io_cost_time(const struct flux_io_gpu *gpu, uint32_t precision, const struct flux_io_cost *cost)
{
    uint64_t percent = 100;
    uint64_t longest;
    if (!cost->flops && !cost->bytes)
        return 0;
    if (cost->flops == UINT64_MAX || cost->bytes == UINT64_MAX || cost->volume == UINT64_MAX)
        return UINT64_MAX;
    for (uint32_t i = 0; i < gpu->reach_count; i++)
        if (cost->flops / cost->parts >= gpu->reach[i].above)
            percent = gpu->reach[i].percent;
    longest = flux_io_time_at(cost->flops, flux_io_share(gpu->peak[precision], 100) * percent);
    for (uint32_t i = 0; i < gpu->level_count; i++) {
        const struct flux_io_level *level = &gpu->level[i];
        uint64_t bytes = level->tile ? flux_io_times(2 * E, cost->volume / level->tile) : cost->bytes;
        uint64_t time = flux_io_time_at(bytes, flux_io_share(level->rate, 100) * level->reach);
        longest = time > longest ? time : longest;
    }
    return longest;
}

uint64_t flux_io_operation_time(const struct flux_io_plan *plan, uint32_t operation, uint32_t phase, uint64_t rows,
                                struct flux_io_cost *cost)
{
    struct flux_io_cost here;
    flux_io_cost_of(plan, operation, phase, rows, &here);
    if (cost)
        *cost = here;
    if (plan->measured[operation][phase] >= 0)
        return (uint64_t)plan->measured[operation][phase];
    return flux_io_cost_time(plan->gpu, plan->precision, &here);
}

static uint64_t attention_weights(const struct flux_io_plan *plan)
{
    const struct flux_io_model *model = plan->model;
    const struct flux_io_latent *latent = &model->latent;
    struct heads heads = heads_of(plan);
    uint64_t h = model->hidden;
    uint64_t out = heads.query * heads.value_width * h;
    if (!latent->key_value)
        return h * (heads.query + 2 * heads.key_value) * model->head + out;
    uint64_t query = latent->query ? h * latent->query : 0;
    query += (latent->query ? latent->query : h) * heads.query * heads.key_width;
    return query + h * ((uint64_t)latent->key_value + latent->rotary) +
           latent->key_value * heads.query * ((uint64_t)latent->head + latent->value) + out;
}

uint64_t flux_io_weights_layer(const struct flux_io_plan *plan, uint32_t layer)
{
    const struct flux_io_model *model = plan->model;
    uint64_t h = model->hidden, matrices = model->gated ? 3 : 2;
    uint64_t weights = attention_weights(plan);
    if (!flux_io_plan_has_experts(plan, layer))
        return weights + matrices * h * (model->ffn / plan->tp);
    return weights + h * model->experts +
           matrices * h * (plan->ep > 1 ? model->shared_ffn : model->shared_ffn / plan->tp);
}

uint64_t flux_io_weights_experts(const struct flux_io_plan *plan, uint32_t layer)
{
    const struct flux_io_model *model = plan->model;
    uint64_t matrices = model->gated ? 3 : 2;
    if (!flux_io_plan_has_experts(plan, layer))
        return 0;
    if (plan->ep == 1)
        return matrices * model->hidden * (model->expert_ffn / plan->tp) * model->experts;
    return matrices * model->hidden * model->expert_ffn * (model->experts / plan->ep);
}

uint64_t flux_io_weights_table(const struct flux_io_plan *plan)
{
    return vocabulary_part(plan) * plan->model->hidden;
}

uint64_t flux_io_key_value_bytes(const struct flux_io_plan *plan)
{
    const struct flux_io_latent *latent = &plan->model->latent;
    struct heads heads = heads_of(plan);
    uint64_t width = latent->key_value ? (uint64_t)latent->key_value + latent->rotary
                                       : heads.key_value * (heads.key_width + heads.value_width);
    return plan->tokens * width * E;
}

uint64_t flux_io_model_parameters(const struct flux_io_model *model)
{
    struct flux_io_plan plan = {.model = model, .tp = 1, .cp = 1, .dp = 1, .pp = 1, .ep = 1};
    uint64_t sum = (model->embedding == FLUX_IO_EMBEDDING_TIED ? 1 : 2) * flux_io_weights_table(&plan);
    for (uint32_t layer = 0; layer < model->layers; layer++)
        sum += flux_io_weights_layer(&plan, layer) + flux_io_weights_experts(&plan, layer);
    return sum;
}
