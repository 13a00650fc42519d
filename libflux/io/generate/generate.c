/* SPDX-License-Identifier: Apache-2.0 */
#include "io/fail.h"
#include "io/generate/cost.h"
#include "io/generate/rank.h"
#include "io/import.h"
#include "io/workload/graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define OPTIONS_LEAST FLUX_IO_LEAST(struct flux_generate_options, routing_path)
#define NODES_PER_LAYER 12u /* of both passes, at least */

/* The group of a rank whose members are first, first + stride, .. */
static int ask_group(struct flux_io_generator *to, const char *what, uint32_t first, uint32_t count, uint32_t stride,
                     uint32_t *group)
{
    struct flux_io_groups *groups = &to->workload->groups;
    char name[24];
    *group = FLUX_NONE;
    if (count < 2)
        return FLUX_OK;
    int length = snprintf(name, sizeof name, "%s%" PRIu32, what, first);
    int rc = flux_io_groups_ask(groups, name, (uint64_t)length, to->rank, 0, group);
    if (!rc && to->rank == first)
        rc = flux_io_groups_define(groups, name, (uint64_t)length, first, count, stride);
    return rc;
}

static int ask_groups(struct flux_io_generator *to)
{
    const struct flux_io_plan *plan = to->plan;
    struct flux_io_rank_groups *groups = &to->groups;
    uint32_t rank = to->rank, tp = plan->tp;
    uint32_t stage_first = to->stage * plan->stage_gpus, inside = rank - stage_first;
    uint32_t t = inside % tp, c = inside / tp % plan->cp;
    uint32_t far = plan->stage_gpus * (plan->pp - 1);
    int at_end = to->stage == 0 || to->stage == plan->pp - 1;
    int rc = ask_group(to, "tp", rank - t, tp, 1, &groups->tensor);
    if (!rc)
        rc = ask_group(to, "cp", rank - c * tp, plan->cp, tp, &groups->context);
    if (!rc)
        rc = ask_group(to, "dp", stage_first + t, plan->cp * plan->dp, tp, &groups->data);
    to->expert_first = rank - inside % plan->ep;
    if (!rc)
        rc = ask_group(to, "ep", to->expert_first, plan->ep, 1, &groups->expert);
    if (!rc)
        rc = ask_group(to, "edp", stage_first + inside % plan->ep, plan->ep > 1 ? plan->stage_gpus / plan->ep : 1,
                       plan->ep, &groups->expert_data);
    groups->ends = FLUX_NONE;
    if (!rc && plan->pp > 1 && at_end && plan->model->embedding == FLUX_IO_EMBEDDING_TIED)
        rc = ask_group(to, "ends", inside, 2, far, &groups->ends);
    return rc ? flux_io_fail_memory(to->error) : FLUX_OK;
}

static int write_rank(struct flux_io_generator *to, uint32_t rank)
{
    to->rank = rank;
    to->stage = rank / to->plan->stage_gpus;
    to->next_id = to->pending = to->dense = to->sparse = 0;
    to->also_count = to->tag = 0;
    to->reduced_count = to->shard_count = 0;
    int rc = ask_groups(to);
    if (rc)
        return rc;
    flux_io_generate_program(to);
    if (to->failed)
        return to->failed;
    return flux_io_rank_seal(to->workload, rank, FLUX_DEPS_DATA, FLUX_MISSING_ERROR, to->error);
}

static void free_generator(struct flux_io_generator *to)
{
    const struct flux_io_plan *plan = to->plan;
    const struct flux_io_memory *memory = plan->memory;
    for (uint64_t i = 0; i < to->draw_count; i++)
        if (to->draws[i].counts)
            flux_io_release(memory, to->draws[i].counts, (uint64_t)plan->ep * plan->ep, sizeof *to->draws->counts);
    flux_io_release(memory, to->draws, to->draw_count, sizeof *to->draws);
    flux_io_release(memory, to->messages, 2 * (uint64_t)plan->ep, sizeof *to->messages);
    flux_io_release(memory, to->reduced, to->reduced_capacity, sizeof *to->reduced);
    flux_io_release(memory, to->shards, to->shard_capacity, sizeof *to->shards);
}

static int write_ranks(struct flux_io_generator *to)
{
    const struct flux_io_plan *plan = to->plan;
    uint64_t draws = flux_io_plan_is_drawn(plan) ? (uint64_t)plan->repeat * plan->micro_batches * plan->layers : 0;
    int rc = FLUX_OK;
    to->draws = flux_io_alloc_zero(plan->memory, draws, sizeof *to->draws);
    to->draw_count = to->draws ? draws : 0;
    to->messages = flux_io_alloc(plan->memory, 2 * (uint64_t)plan->ep, sizeof *to->messages);
    if (!to->draws || !to->messages)
        rc = flux_io_fail_memory(to->error);
    for (uint32_t rank = 0; !rc && rank < plan->gpus; rank++)
        rc = write_rank(to, rank);
    return rc;
}

/* Known too large before anything is written. */
static int check_size(const struct flux_io_plan *plan, uint64_t most, struct flux_error *error)
{
    uint64_t nodes = flux_io_times(flux_io_times((uint64_t)plan->gpus * plan->repeat, plan->micro_batches),
                                   (uint64_t)(plan->layers / plan->pp) * NODES_PER_LAYER / 4);
    if (nodes <= most)
        return FLUX_OK;
    return flux_io_fail(error, FLUX_E_TOO_BIG,
                        "%" PRIu32 " GPUs, %" PRIu32 " layers, %" PRIu32 " micro-batches and %" PRIu32
                        " iterations make more than %" PRIu64 " vertices, which is the limit",
                        plan->gpus, plan->layers, plan->micro_batches, plan->repeat, most);
}

static int add_notes(struct flux_import *import, const struct flux_io_plan *plan, struct flux_error *error)
{
    int rc = FLUX_OK;
    if (plan->pp > 1 && plan->micro_batches < plan->pp)
        rc = flux_io_note(import, error,
                          "%" PRIu32 " micro-batches do not fill a pipeline of %" PRIu32
                          " stages; give more of them for one that works all the time",
                          plan->micro_batches, plan->pp);
    if (!rc && plan->layers != plan->model->layers)
        rc = flux_io_note(import, error, "%" PRIu32 " of the %" PRIu32 " layers of %s", plan->layers,
                          plan->model->layers, plan->model->name);
    if (!rc && plan->gpus == 1)
        rc = flux_io_note(import, error, "one GPU sends nothing");
    return rc;
}

static int make_graph(struct flux_import *import, const struct flux_io_plan *plan,
                      const struct flux_io_expand_options *expand, struct flux_error *error)
{
    struct flux_io_workload workload;
    struct flux_io_generator to;
    memset(&to, 0, sizeof to);
    to.plan = plan;
    to.workload = &workload;
    to.error = error;
    int rc = flux_io_workload_init(&workload, &import->memory, import, plan->model->name, plan->gpus, error);
    if (!rc)
        rc = write_ranks(&to);
    free_generator(&to);
    if (!rc)
        rc = flux_io_workload_match(&workload, error);
    for (uint32_t r = 0; !rc && r < plan->gpus; r++)
        import->counts[FLUX_IO_COUNT_NODES] += workload.ranks[r]->node_count;
    import->counts[FLUX_IO_COUNT_RANKS] = plan->gpus;
    if (!rc)
        rc = flux_io_workload_graph(&workload, expand, error);
    flux_io_workload_free(&workload);
    return rc;
}

static int generate(struct flux_import *import, const struct flux_generate_options *options, struct flux_error *error)
{
    struct flux_import_options given = FLUX_IMPORT_OPTIONS_INIT;
    struct flux_io_expand_options expand;
    struct flux_io_plan plan;
    int rc = FLUX_OK;
    if (options->import)
        rc = flux_import_options_take(&given, options->import, error);
    if (!rc)
        rc = flux_io_expand_options_init(&expand, &given, error);
    if (!rc)
        rc = flux_import_algorithms_read(import, &given, error);
    if (rc)
        return rc;
    rc = flux_io_plan_make(&plan, &import->memory, options, error);
    if (!rc)
        rc = check_size(&plan, expand.vertices_max, error);
    if (!rc)
        rc = make_graph(import, &plan, &expand, error);
    if (!rc)
        rc = add_notes(import, &plan, error);
    flux_io_plan_free(&plan);
    return rc;
}

static int take_options(struct flux_generate_options *ours, const struct flux_generate_options *theirs,
                        struct flux_error *error)
{
    static const struct flux_generate_options defaults = FLUX_GENERATE_OPTIONS_INIT;
    *ours = defaults;
    if (!theirs)
        return flux_io_fail(error, FLUX_E_ARGUMENT, "flux_generate: options are NULL, and name no model");
    return flux_io_abi(ours, sizeof *ours, theirs, OPTIONS_LEAST, "flux_generate_options", error);
}

int flux_generate(const struct flux_env *env, const struct flux_generate_options *options, struct flux_import **import,
                  struct flux_error *error)
{
    struct flux_generate_options given;
    struct flux_io_memory memory;
    if (!import)
        return flux_io_fail(error, FLUX_E_ARGUMENT, "flux_generate: import is NULL");
    *import = NULL;
    int rc = flux_io_memory_init(&memory, env);
    if (rc)
        return flux_io_fail(error, rc, "flux_generate: env is not made from FLUX_ENV_INIT, or has half an allocator");
    if ((rc = take_options(&given, options, error)))
        return rc;
    struct flux_import *fresh = flux_io_alloc_zero(&memory, 1, sizeof *fresh);
    if (!fresh)
        return flux_io_fail_memory(error);
    fresh->memory = memory;
    fresh->format = "generated";
    rc = generate(fresh, &given, error);
    if (rc) {
        flux_import_free(fresh);
        return rc;
    }
    *import = fresh;
    return FLUX_OK;
}

/* How many layers have the operation; 1 for what comes once, 0 for what does not come. */
static uint32_t layers_with(const struct flux_io_plan *plan, uint32_t operation)
{
    uint32_t experts = 0;
    for (uint32_t l = 0; l < plan->layers; l++)
        experts += (uint32_t)flux_io_plan_has_experts(plan, l);
    if (operation >= FLUX_IO_OP_EMBEDDING)
        return 1;
    if (operation == FLUX_IO_OP_SHARED && !plan->model->shared_ffn)
        return 0;
    if (operation >= FLUX_IO_OP_ROUTER)
        return experts;
    return operation >= FLUX_IO_OP_UP ? plan->layers - experts : plan->layers;
}

static uint64_t rows_of(const struct flux_io_plan *plan, uint32_t operation)
{
    int replicated = plan->model->embedding == FLUX_IO_EMBEDDING_REPLICATED && operation >= FLUX_IO_OP_EMBEDDING;
    int spread = plan->ep > 1 && (operation == FLUX_IO_OP_ROUTER || operation == FLUX_IO_OP_SHARED);
    if (operation == FLUX_IO_OP_EXPERTS)
        return (plan->ep > 1 ? plan->split : plan->tokens) * plan->model->top_k;
    return operation == FLUX_IO_OP_NORM || replicated || spread ? plan->split : plan->tokens;
}

int flux_generate_operation(const struct flux_generate_options *options, uint32_t index,
                            struct flux_operation *operation, struct flux_error *error)
{
    struct flux_generate_options given;
    struct flux_io_memory memory;
    struct flux_io_plan plan;
    uint32_t row = 0;
    if (!operation)
        return flux_io_fail(error, FLUX_E_ARGUMENT, "flux_generate_operation: operation is NULL");
    int rc = flux_io_memory_init(&memory, NULL);
    if (rc || (rc = take_options(&given, options, error)))
        return rc;
    rc = flux_io_plan_make(&plan, &memory, &given, error);
    for (uint32_t o = 0; !rc && o < FLUX_IO_OP_OPTIMIZER; o++)
        for (uint32_t p = 0; layers_with(&plan, o) && p < FLUX_IO_PHASES; p++) {
            struct flux_io_cost cost;
            uint64_t time = flux_io_operation_time(&plan, o, p, rows_of(&plan, o), &cost);
            if ((!cost.flops && !cost.bytes) || row++ != index)
                continue;
            *operation = (struct flux_operation){flux_io_operation_name(o),
                                                 p,
                                                 layers_with(&plan, o),
                                                 cost.flops,
                                                 cost.bytes,
                                                 (int64_t)(time > INT64_MAX ? INT64_MAX : time)};
            flux_io_plan_free(&plan);
            return FLUX_OK;
        }
    flux_io_plan_free(&plan);
    if (!rc && error)
        *error = (struct flux_error){0};
    return rc ? rc : FLUX_E_ARGUMENT;
}
