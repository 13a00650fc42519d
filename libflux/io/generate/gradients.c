/* SPDX-License-Identifier: Apache-2.0
 *
 * Gradients over data ranks, in buckets that travel while backward goes on, and the optimizer after the last of them.
 *
 *   no ZeRO  all-reduce after the last micro-batch
 *   1        reduce-scatter after the last micro-batch; weights are gathered after the optimizer
 *   2        the same after every micro-batch
 *   3        a reduce-scatter of each layer after every micro-batch; weights are gathered before each layer, in both
 *            passes, while the layer before is at work (Rajbhandari et al., 2020, arXiv:1910.02054; Zhao et al., 2023,
 *            arXiv:2304.11277)
 *
 * Bytes of two: what experts hold goes over the GPUs with the same experts, everything else over data and context
 * ranks.
 */
#include "io/fail.h"
#include "io/generate/cost.h"
#include "io/generate/rank.h"

static int keep(struct flux_io_generator *to, uint64_t **list, uint64_t *count, uint64_t *capacity, uint64_t number)
{
    if (to->failed)
        return to->failed;
    if (flux_io_grow(to->plan->memory, list, capacity, *count + 1, sizeof **list)) {
        to->failed = flux_io_fail_memory(to->error);
        return to->failed;
    }
    (*list)[(*count)++] = number;
    return FLUX_OK;
}

/* GPUs that share out a bucket. */
static uint64_t sharers(const struct flux_io_plan *plan, int experts)
{
    return experts ? plan->stage_gpus / plan->ep : (uint64_t)plan->cp * plan->dp;
}

static void reduce_bucket(struct flux_io_generator *to, uint64_t *weights, int experts)
{
    const struct flux_io_plan *plan = to->plan;
    uint32_t group = experts ? to->groups.expert_data : to->groups.data;
    if (!*weights)
        return;
    uint64_t id =
        flux_io_generate_collective(to, plan->zero ? FLUX_IO_REDUCE_SCATTER : FLUX_IO_ALL_REDUCE, group,
                                    *weights * plan->gradient_bytes, experts ? "expert.gradients" : "gradients");
    if (id != UINT64_MAX)
        keep(to, &to->reduced, &to->reduced_count, &to->reduced_capacity, id);
    if (plan->zero && plan->zero < 3 && to->micro_batch == plan->micro_batches - 1 && group != FLUX_NONE)
        keep(to, &to->shards, &to->shard_count, &to->shard_capacity, *weights << 1 | (uint64_t)experts);
    *weights = 0;
}

static int is_time(const struct flux_io_generator *to)
{
    return to->plan->zero >= 2 || to->micro_batch == to->plan->micro_batches - 1;
}

void flux_io_generate_gradients(struct flux_io_generator *to, uint32_t layer)
{
    const struct flux_io_plan *plan = to->plan;
    if (!is_time(to))
        return;
    to->dense += flux_io_weights_layer(plan, layer) + (plan->ep == 1 ? flux_io_weights_experts(plan, layer) : 0);
    to->sparse += plan->ep > 1 ? flux_io_weights_experts(plan, layer) : 0;
    if (plan->zero == 3 || flux_io_times(to->dense, plan->gradient_bytes) >= plan->bucket)
        reduce_bucket(to, &to->dense, 0);
    if (plan->zero == 3 || flux_io_times(to->sparse, plan->gradient_bytes) >= plan->bucket)
        reduce_bucket(to, &to->sparse, 1);
}

void flux_io_generate_reduce(struct flux_io_generator *to)
{
    reduce_bucket(to, &to->dense, 0);
    reduce_bucket(to, &to->sparse, 1);
}

/* A table's gradient is a bucket of its own; a replicated one is summed over tensor ranks, too. */
void flux_io_generate_table_gradients(struct flux_io_generator *to, const char *what)
{
    const struct flux_io_plan *plan = to->plan;
    uint64_t weights = flux_io_weights_table(plan);
    if (!is_time(to))
        return;
    flux_io_generate_reduce(to);
    to->dense = weights;
    reduce_bucket(to, &to->dense, 0);
    if (plan->model->embedding != FLUX_IO_EMBEDDING_REPLICATED || to->groups.tensor == FLUX_NONE)
        return;
    uint64_t before = to->front;
    if (to->groups.data != FLUX_NONE && to->reduced_count && !to->failed)
        to->front = to->reduced[to->reduced_count - 1];
    uint64_t id =
        flux_io_generate_collective(to, FLUX_IO_ALL_REDUCE, to->groups.tensor, weights * plan->gradient_bytes, what);
    to->front = before;
    keep(to, &to->reduced, &to->reduced_count, &to->reduced_capacity, id);
}

/* Weights that this GPU updates. */
static uint64_t own_weights(const struct flux_io_generator *to)
{
    const struct flux_io_plan *plan = to->plan;
    uint64_t dense = 0, experts = 0;
    for (uint32_t part = 0; part < plan->interleave; part++)
        for (uint32_t l = 0; l < plan->chunk_layers; l++) {
            uint32_t layer = (part * plan->pp + to->stage) * plan->chunk_layers + l;
            dense += flux_io_weights_layer(plan, layer);
            experts += flux_io_weights_experts(plan, layer);
        }
    int tied = plan->model->embedding == FLUX_IO_EMBEDDING_TIED;
    if (to->stage == 0)
        dense += flux_io_weights_table(plan);
    if (to->stage == plan->pp - 1 && !(tied && plan->pp == 1))
        dense += flux_io_weights_table(plan);
    if (!plan->zero)
        return dense + experts;
    return flux_io_share(dense, sharers(plan, 0)) + flux_io_share(experts, sharers(plan, plan->ep > 1));
}

void flux_io_generate_optimizer(struct flux_io_generator *to)
{
    const struct flux_io_plan *plan = to->plan;
    struct flux_io_cost cost;
    int tied = plan->model->embedding == FLUX_IO_EMBEDDING_TIED && plan->pp > 1;
    flux_io_generate_place(to, FLUX_NONE);
    flux_io_generate_flush(to);
    if (to->reduced_count)
        flux_io_generate_also(to, flux_io_generate_all(to, to->reduced, to->reduced_count, "reduced"));
    to->reduced_count = 0;
    if (tied)
        flux_io_generate_wait_collective(to, FLUX_IO_ALL_REDUCE, to->groups.ends,
                                         flux_io_weights_table(plan) * plan->gradient_bytes, "table.gradients");
    flux_io_cost_optimizer(own_weights(to), &cost);
    int64_t measured = plan->measured[FLUX_IO_OP_OPTIMIZER][FLUX_IO_FORWARD];
    flux_io_generate_compute(to, "optimizer",
                             measured >= 0 ? (uint64_t)measured : flux_io_cost_time(plan->gpu, plan->precision, &cost));
    flux_io_generate_flush(to);
    uint64_t *gathered = to->reduced;
    uint64_t count = 0;
    for (uint64_t i = 0; i < to->shard_count; i++) {
        int experts = to->shards[i] & 1;
        uint64_t id = flux_io_generate_collective(
            to, FLUX_IO_ALL_GATHER, experts ? to->groups.expert_data : to->groups.data,
            flux_io_share(to->shards[i] >> 1, sharers(plan, experts)) * FLUX_IO_ELEMENT, "weights");
        if (id != UINT64_MAX && count < to->reduced_capacity)
            gathered[count++] = id;
    }
    to->shard_count = 0;
    if (count)
        to->front = flux_io_generate_all(to, gathered, count, "updated");
    flux_io_generate_join(to, "updated");
}

uint64_t flux_io_generate_weights(struct flux_io_generator *to, uint32_t layer)
{
    const struct flux_io_plan *plan = to->plan;
    uint64_t dense = flux_io_weights_layer(plan, layer) + (plan->ep == 1 ? flux_io_weights_experts(plan, layer) : 0);
    uint64_t experts = plan->ep > 1 ? flux_io_weights_experts(plan, layer) : 0;
    uint64_t ids[2];
    uint64_t count = 0;
    if (plan->zero < 3)
        return UINT64_MAX;
    flux_io_generate_place(to, layer);
    ids[count] = flux_io_generate_collective(to, FLUX_IO_ALL_GATHER, to->groups.data,
                                             flux_io_share(dense, sharers(plan, 0)) * FLUX_IO_ELEMENT, "weights");
    count += ids[count] != UINT64_MAX;
    if (experts) {
        ids[count] =
            flux_io_generate_collective(to, FLUX_IO_ALL_GATHER, to->groups.expert_data,
                                        flux_io_share(experts, sharers(plan, 1)) * FLUX_IO_ELEMENT, "expert.weights");
        count += ids[count] != UINT64_MAX;
    }
    return count == 1 ? ids[0] : flux_io_generate_all(to, ids, count, "weights");
}

void flux_io_generate_table_weights(struct flux_io_generator *to)
{
    const struct flux_io_plan *plan = to->plan;
    if (plan->zero == 3)
        flux_io_generate_wait_collective(to, FLUX_IO_ALL_GATHER, to->groups.data,
                                         flux_io_share(flux_io_weights_table(plan), sharers(plan, 0)) * FLUX_IO_ELEMENT,
                                         "table.weights");
}
