/* SPDX-License-Identifier: Apache-2.0 */
#include "io/generate/plan.h"

#include "io/fail.h"

#include <inttypes.h>
#include <string.h>

#define SEQUENCE_DEFAULT 2048u
#define BUCKET_DEFAULT UINT64_C(25000000)
#define SKEW_MOST 16.0

static uint32_t or_one(uint32_t number)
{
    return number ? number : 1;
}

static void take_options(struct flux_io_plan *plan, const struct flux_generate_options *options)
{
    plan->tp = or_one(options->tensor);
    plan->cp = or_one(options->context);
    plan->dp = or_one(options->data);
    plan->pp = or_one(options->pipeline);
    plan->ep = or_one(options->expert);
    plan->interleave = or_one(options->interleave);
    plan->layers = options->layers ? options->layers : plan->model->layers;
    plan->seq = options->sequence ? options->sequence : SEQUENCE_DEFAULT;
    plan->micro_batches = or_one(options->micro_batches);
    plan->batch = or_one(options->batch);
    plan->sp = options->sequence_parallel;
    plan->zero = options->zero;
    plan->recompute = options->recompute;
    plan->precision = options->precision;
    plan->routing = options->routing;
    plan->repeat = or_one(options->repeat);
    plan->gradient_bytes = options->gradient_bytes ? options->gradient_bytes : 2;
    plan->seed = options->seed;
    plan->bucket = options->bucket ? options->bucket : BUCKET_DEFAULT;
    plan->skew = options->skew == 0 ? 1 : options->skew;
    for (uint32_t o = 0; o < FLUX_IO_OPERATIONS; o++)
        for (uint32_t p = 0; p < FLUX_IO_PHASES; p++)
            plan->measured[o][p] = -1;
}

static int check_values(const struct flux_generate_options *options, const struct flux_io_plan *plan,
                        struct flux_error *error)
{
    static const char *const precisions[] = {"bf16", "fp8", "tf32"};
    if (options->sequence_parallel > 1 || options->zero > 3 || options->recompute > FLUX_RECOMPUTE_FULL ||
        options->precision > FLUX_PRECISION_TF32 || options->routing > FLUX_ROUTING_ZIPF || options->reserved ||
        (options->gradient_bytes && options->gradient_bytes != 2 && options->gradient_bytes != 4) ||
        !(plan->skew > 0 && plan->skew <= SKEW_MOST))
        return flux_io_fail(error, FLUX_E_ARGUMENT, "an option of the generator is none of its values");
    if (!plan->gpu->peak[plan->precision])
        return flux_io_fail(error, FLUX_E_ARGUMENT, "%s has no peak in %s; the table of GPUs lists those it has",
                            plan->gpu->name, precisions[plan->precision]);
    return FLUX_OK;
}

static int check_gpus(struct flux_io_plan *plan, struct flux_error *error)
{
    uint64_t gpus = plan->tp;
    const uint32_t more[] = {plan->cp, plan->dp, plan->pp};
    for (int i = 0; i < 3; i++) {
        gpus = gpus > FLUX_GPUS_MAX ? gpus : gpus * more[i];
        if (i == 1)
            plan->stage_gpus = gpus > FLUX_GPUS_MAX ? 0 : (uint32_t)gpus;
    }
    if (gpus > FLUX_GPUS_MAX)
        return flux_io_fail(error, FLUX_E_ARGUMENT,
                            "tensor %" PRIu32 " x context %" PRIu32 " x data %" PRIu32 " x pipeline %" PRIu32
                            " is more than %" PRIu32 " GPUs",
                            plan->tp, plan->cp, plan->dp, plan->pp, FLUX_GPUS_MAX);
    plan->gpus = (uint32_t)gpus;
    return FLUX_OK;
}

static int check_tensor(const struct flux_io_plan *plan, struct flux_error *error)
{
    const struct flux_io_model *model = plan->model;
    uint32_t tp = plan->tp;
    if (model->heads % tp)
        return flux_io_fail(error, FLUX_E_ARGUMENT,
                            "%s has %" PRIu32 " attention heads, which tensor parallelism of %" PRIu32
                            " does not divide",
                            model->name, model->heads, tp);
    if (model->kv_heads % tp && tp % model->kv_heads)
        return flux_io_fail(error, FLUX_E_ARGUMENT,
                            "%s has %" PRIu32 " key-value heads, and tensor parallelism of %" PRIu32
                            " neither divides them nor is a multiple of them",
                            model->name, model->kv_heads, tp);
    if (model->ffn % tp || (model->experts && plan->ep == 1 && (model->expert_ffn % tp || model->shared_ffn % tp)))
        return flux_io_fail(error, FLUX_E_ARGUMENT,
                            "%s has feed-forward layers %" PRIu32 " wide (experts %" PRIu32
                            "), which tensor parallelism of %" PRIu32 " does not divide",
                            model->name, model->ffn, model->expert_ffn, tp);
    if (model->embedding == FLUX_IO_EMBEDDING_REPLICATED && tp > 1 && !plan->sp)
        return flux_io_fail(error, FLUX_E_ARGUMENT,
                            "%s has its embedding on every tensor rank, which needs sequence parallelism", model->name);
    return FLUX_OK;
}

static int check_pipeline(const struct flux_io_plan *plan, struct flux_error *error)
{
    if (plan->layers > FLUX_IO_LAYERS_MOST)
        return flux_io_fail(error, FLUX_E_ARGUMENT, "no more than %u layers, not %" PRIu32, FLUX_IO_LAYERS_MOST,
                            plan->layers);
    if (plan->layers % plan->pp)
        return flux_io_fail(error, FLUX_E_ARGUMENT,
                            "%" PRIu32 " layers do not go evenly on %" PRIu32 " pipeline stages", plan->layers,
                            plan->pp);
    if (plan->interleave == 1)
        return FLUX_OK;
    if (plan->pp == 1)
        return flux_io_fail(error, FLUX_E_ARGUMENT, "interleaving needs a pipeline of more than one stage");
    if (plan->layers / plan->pp % plan->interleave)
        return flux_io_fail(error, FLUX_E_ARGUMENT,
                            "the %" PRIu32 " layers of a stage do not make %" PRIu32 " equal parts to interleave",
                            plan->layers / plan->pp, plan->interleave);
    if (plan->micro_batches % plan->pp)
        return flux_io_fail(error, FLUX_E_ARGUMENT,
                            "an interleaved pipeline needs micro-batches in multiples of its %" PRIu32
                            " stages, not %" PRIu32,
                            plan->pp, plan->micro_batches);
    return FLUX_OK;
}

static int check_experts(const struct flux_io_plan *plan, struct flux_error *error)
{
    const struct flux_io_model *model = plan->model;
    if (plan->ep == 1)
        return FLUX_OK;
    if (!model->experts)
        return flux_io_fail(error, FLUX_E_ARGUMENT, "%s has no experts to spread over %" PRIu32 " GPUs", model->name,
                            plan->ep);
    if (model->experts % plan->ep)
        return flux_io_fail(error, FLUX_E_ARGUMENT,
                            "%s has %" PRIu32 " experts, which %" PRIu32 " GPUs cannot share evenly", model->name,
                            model->experts, plan->ep);
    if (plan->stage_gpus % plan->ep)
        return flux_io_fail(error, FLUX_E_ARGUMENT,
                            "expert parallelism of %" PRIu32 " does not divide the %" PRIu32
                            " GPUs of a stage (tensor x context x data)",
                            plan->ep, plan->stage_gpus);
    if (plan->tp > 1 && !plan->sp)
        return flux_io_fail(error, FLUX_E_ARGUMENT,
                            "expert and tensor parallelism together need sequence parallelism, so that every GPU has "
                            "tokens of its own");
    return FLUX_OK;
}

static int check_tokens(struct flux_io_plan *plan, struct flux_error *error)
{
    if (plan->seq % plan->cp)
        return flux_io_fail(error, FLUX_E_ARGUMENT,
                            "a sequence of %" PRIu32 " tokens does not split over %" PRIu32 " context ranks", plan->seq,
                            plan->cp);
    plan->tokens = (uint64_t)plan->batch * (plan->seq / plan->cp);
    if (plan->sp && plan->tokens % plan->tp)
        return flux_io_fail(error, FLUX_E_ARGUMENT,
                            "sequence parallelism: %" PRIu64 " tokens do not split over %" PRIu32 " tensor ranks",
                            plan->tokens, plan->tp);
    plan->split = plan->sp ? plan->tokens / plan->tp : plan->tokens;
    if (plan->tokens > UINT64_C(1) << 36)
        return flux_io_fail(error, FLUX_E_OVERFLOW, "a micro-batch of %" PRIu64 " tokens is more than 2^36",
                            plan->tokens);
    return FLUX_OK;
}

static int check_zero(const struct flux_io_plan *plan, struct flux_error *error)
{
    if (plan->zero && plan->dp * plan->cp == 1)
        return flux_io_fail(error, FLUX_E_ARGUMENT,
                            "ZeRO shares out over data ranks, and there is one; give more of them");
    return FLUX_OK;
}

static int read_matrices(struct flux_io_plan *plan, const char *path, struct flux_error *error)
{
    if (plan->ep == 1)
        return flux_io_fail(error, FLUX_E_ARGUMENT,
                            "a matrix of routing is for experts that are spread; give expert parallelism");
    int rc = flux_matrices_read(&plan->memory->env, path, NULL, &plan->matrices, error);
    if (rc)
        return rc;
    if (flux_matrices_are_times(plan->matrices))
        return flux_io_fail_path(error, FLUX_E_ARGUMENT, path, "holds times; routing is in bytes");
    if (flux_matrices_ports(plan->matrices) != plan->ep)
        return flux_io_fail_path(error, FLUX_E_ARGUMENT, path,
                                 "is a matrix of %" PRIu32 " GPUs, and experts are spread over %" PRIu32,
                                 flux_matrices_ports(plan->matrices), plan->ep);
    return FLUX_OK;
}

int flux_io_plan_make(struct flux_io_plan *plan, const struct flux_io_memory *memory,
                      const struct flux_generate_options *options, struct flux_error *error)
{
    memset(plan, 0, sizeof *plan);
    plan->memory = memory;
    int rc = flux_io_table_load(&plan->table, memory, options->models_path, error);
    if (!rc)
        rc = flux_io_table_model(&plan->table, options->model, &plan->model, error);
    if (!rc)
        rc = flux_io_table_gpu(&plan->table, options->gpu ? options->gpu : "a100", &plan->gpu, error);
    if (rc)
        return rc;
    take_options(plan, options);
    if ((rc = check_values(options, plan, error)) || (rc = check_gpus(plan, error)) ||
        (rc = check_tokens(plan, error)) || (rc = check_tensor(plan, error)) || (rc = check_pipeline(plan, error)) ||
        (rc = check_experts(plan, error)) || (rc = check_zero(plan, error)))
        return rc;
    plan->chunk_layers = plan->layers / plan->pp / plan->interleave;
    if (options->routing_path && (rc = read_matrices(plan, options->routing_path, error)))
        return rc;
    return options->times_path ? flux_io_times_read(plan, options->times_path, error) : FLUX_OK;
}

void flux_io_plan_free(struct flux_io_plan *plan)
{
    flux_io_table_free(&plan->table);
    flux_matrices_free(plan->matrices);
}
