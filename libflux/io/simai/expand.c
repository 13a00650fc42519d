/* SPDX-License-Identifier: Apache-2.0 */
#include "io/fail.h"
#include "io/simai/simai.h"
#include "io/workload/collective.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define UNIT_DEFAULT 1000 /* ps: AICB writes ns */

static const char *const part_names[FLUX_IO_SIMAI_PARTS] = {".fwd", ".ig", ".wg"};

enum { TENSOR, EXPERT, REPLICA, STAGE };

/* One GPU's program while it is made. */
struct chain {
    struct flux_io_simai *simai;
    struct flux_io_workload *workload;
    uint32_t rank;
    uint32_t has_last; /* 1: `last` is a node */
    uint64_t last;     /* that the next one waits for */
    uint64_t next;     /* id */
    uint32_t group[FLUX_IO_SIMAI_GROUPS];
    uint64_t *updates; /* what the update of each layer waits for */
};

/* ---- degrees ---- */

static int fail(const struct flux_io_simai *simai, const char *text)
{
    return flux_io_fail_path(simai->error, FLUX_E_FORMAT, simai->source->path, "%s", text);
}

static int check_degrees(struct flux_io_simai *simai)
{
    uint32_t asked = simai->options->ranks;
    char text[200];
    if (!simai->gpus && !asked)
        return fail(simai, "does not say all_gpus; say how many ranks there are");
    if (simai->gpus && asked && simai->gpus != asked) {
        snprintf(text, sizeof text, "has all_gpus: %" PRIu64 " and %" PRIu32 " ranks are asked for", simai->gpus,
                 asked);
        return fail(simai, text);
    }
    if (!simai->gpus)
        simai->gpus = asked;
    if (!simai->tensor)
        simai->tensor = 1;
    if (!simai->expert)
        simai->expert = 1;
    if (!simai->stages)
        simai->stages = 1;
    /* Each is at most 2^20. */
    if (simai->gpus % (simai->tensor * simai->stages)) {
        snprintf(text, sizeof text, "has %" PRIu64 " GPUs, which TP %" PRIu64 " times PP %" PRIu64 " does not divide",
                 simai->gpus, simai->tensor, simai->stages);
        return fail(simai, text);
    }
    simai->data = (uint32_t)(simai->gpus / simai->tensor / simai->stages);
    if (simai->data % simai->expert) {
        snprintf(text, sizeof text, "has %" PRIu32 " data-parallel GPUs, which EP %" PRIu64 " does not divide",
                 simai->data, simai->expert);
        return fail(simai, text);
    }
    return FLUX_OK;
}

/* Which groups carry anything: two replicas that no group joins never meet. */
static void find_kept(struct flux_io_simai *simai)
{
    unsigned used = 0;
    for (uint64_t i = 0; i < simai->layer_count; i++)
        for (uint32_t part = 0; part < FLUX_IO_SIMAI_PARTS; part++)
            if (simai->layers[i].work[part].bytes)
                used |= 1u << simai->layers[i].work[part].group;
    if (!simai->options->fold)
        used = ~0u;
    int data = (used & 1u << FLUX_IO_SIMAI_DP) != 0;
    simai->kept[TENSOR] = used & 1u << FLUX_IO_SIMAI_TP ? (uint32_t)simai->tensor : 1;
    simai->kept[EXPERT] = data || (used & 1u << FLUX_IO_SIMAI_EP) ? (uint32_t)simai->expert : 1;
    simai->kept[REPLICA] = data || (used & 1u << FLUX_IO_SIMAI_DP_EP) ? simai->data / (uint32_t)simai->expert : 1;
    simai->kept[STAGE] = simai->options->fold ? 1 : (uint32_t)simai->stages;
}

static uint64_t kept_gpus(const struct flux_io_simai *simai)
{
    uint64_t gpus = 1;
    for (int i = 0; i < 4; i++)
        gpus *= simai->kept[i];
    return gpus;
}

/* Members of a group of what is kept. */
static uint32_t group_members(const struct flux_io_simai *simai, uint32_t group)
{
    const uint32_t *kept = simai->kept;
    return group == FLUX_IO_SIMAI_TP   ? kept[TENSOR]
           : group == FLUX_IO_SIMAI_EP ? kept[EXPERT]
           : group == FLUX_IO_SIMAI_DP ? kept[EXPERT] * kept[REPLICA]
                                       : kept[REPLICA];
}

/* ---- size ---- */

/* Vertices of all GPUs, at least; UINT64_MAX beyond 64 bits. */
static uint64_t count_vertices(const struct flux_io_simai *simai)
{
    uint64_t gpus = kept_gpus(simai);
    uint64_t sum = 0;
    int over = 0;
    for (uint64_t i = 0; i < simai->layer_count && !over; i++) {
        const struct flux_io_simai_layer *layer = &simai->layers[i];
        uint64_t here = layer->update ? gpus : 0;
        for (uint32_t part = 0; part < FLUX_IO_SIMAI_PARTS; part++) {
            const struct flux_io_simai_work *work = &layer->work[part];
            uint32_t members = group_members(simai, work->group);
            here += work->compute ? gpus : 0;
            if (work->bytes && members > 1) {
                struct flux_io_expansion_size size;
                flux_io_collective_size(
                    work->kind,
                    flux_io_collective_algorithm(work->kind, simai->expand.algorithm[work->kind], members, 0), members,
                    0, &size);
                uint64_t steps;
                over |= __builtin_mul_overflow(size.steps, simai->expand.chunks, &steps) ||
                        __builtin_mul_overflow(steps, gpus / members, &steps) ||
                        __builtin_add_overflow(here, steps + gpus, &here);
            }
        }
        over |= __builtin_add_overflow(sum, here, &sum);
    }
    return over ? UINT64_MAX : sum;
}

static int check_size(struct flux_io_simai *simai)
{
    uint64_t gpus = kept_gpus(simai);
    uint64_t vertices = count_vertices(simai);
    if (gpus > FLUX_GPUS_MAX)
        return flux_io_fail_path(simai->error, FLUX_E_TOO_BIG, simai->source->path,
                                 "has %" PRIu64 " GPUs; %" PRIu32 " are possible", gpus, FLUX_GPUS_MAX);
    if (vertices <= simai->expand.vertices_max)
        return FLUX_OK;
    return flux_io_fail_path(
        simai->error, FLUX_E_TOO_BIG, simai->source->path,
        "would expand to %s%" PRIu64 " vertices on %" PRIu64 " GPUs and the limit is %" PRIu64 "; %s",
        vertices == UINT64_MAX ? "more than " : "", vertices, gpus, simai->expand.vertices_max,
        simai->options->fold ? "raise the limit" : "fold equal replicas into one (--fold), or raise the limit");
}

/* ---- programs ---- */

static int add(struct chain *chain, struct flux_io_node *node, const struct flux_io_simai_layer *layer,
               const char *suffix)
{
    struct flux_io_workload *workload = chain->workload;
    uint64_t length;
    char name[FLUX_IO_NODE_TEXT];
    const char *text = flux_io_strings_text(&chain->simai->names, layer->name, &length);
    int size = snprintf(name, sizeof name, "%.*s%s", (int)(length < 80 ? length : 80), text, suffix);
    if (flux_io_strings_add(&workload->names, name, (uint64_t)size, &node->name, NULL))
        return flux_io_fail_memory(chain->simai->error);
    node->id = chain->next++;
    node->place = FLUX_IO_LINE(layer->line, 1u);
    return flux_io_rank_add(workload, chain->rank, node, chain->simai->error);
}

/* The last node waits for `id`. */
static int wait_for(struct chain *chain, uint64_t id)
{
    return flux_io_rank_wait(chain->workload, chain->rank, id, 0, chain->simai->error);
}

static int add_compute(struct chain *chain, const struct flux_io_simai_layer *layer, uint64_t units, const char *suffix)
{
    uint64_t unit = chain->simai->options->compute_unit ? (uint64_t)chain->simai->options->compute_unit : UNIT_DEFAULT;
    struct flux_io_node node = {0, 0, 0, FLUX_NONE, 0, 0, 1, FLUX_IO_COMPUTE, 0};
    if (__builtin_mul_overflow(units, unit, &node.amount))
        node.amount = UINT64_MAX;
    return add(chain, &node, layer, suffix);
}

/* A compute and a collective behind the last node. Where nobody waits for the collective, `last` stays the compute. */
static int add_work(struct chain *chain, const struct flux_io_simai_layer *layer, uint32_t part, int blocks)
{
    const struct flux_io_simai *simai = chain->simai;
    const struct flux_io_simai_work *work = &layer->work[part];
    struct flux_io_node node = {
        0, 0, work->bytes, FLUX_NONE, work->kind, chain->group[work->group], 0, FLUX_IO_COLLECTIVE, 0};
    int rc = FLUX_OK;
    if (work->compute) {
        rc = add_compute(chain, layer, work->compute, part_names[part]);
        if (!rc && chain->has_last)
            rc = wait_for(chain, chain->last);
        chain->last = chain->next - 1;
        chain->has_last = 1;
    }
    uint32_t members = group_members(simai, work->group);
    if (rc || !work->bytes || members < 2)
        return rc;
    if (work->kind == FLUX_IO_ALL_GATHER) /* the whole result is told, and a member brings its part */
        node.amount = work->bytes / members + (work->bytes % members != 0);
    rc = add(chain, &node, layer, part_names[part]);
    if (!rc && chain->has_last)
        rc = wait_for(chain, chain->last);
    if (blocks) {
        chain->last = node.id;
        chain->has_last = 1;
    }
    return rc;
}

static int add_forward(struct chain *chain, uint64_t layer)
{
    return add_work(chain, &chain->simai->layers[layer], FLUX_IO_SIMAI_FORWARD, 1);
}

/* Backwards through the layers. One that recomputes runs the forward passes from the last checkpoint up to it first. */
static int add_backward(struct chain *chain, uint64_t layer)
{
    const struct flux_io_simai_layer *at = &chain->simai->layers[layer];
    uint64_t from = layer;
    int rc = FLUX_OK;
    while (at->recomputes && from > 0 && !chain->simai->layers[from].is_checkpoint)
        from--;
    for (; !rc && from < layer; from++)
        rc = add_forward(chain, from);
    if (!rc)
        rc = add_work(chain, at, FLUX_IO_SIMAI_INPUT, 1);
    if (!rc)
        rc = add_work(chain, at, FLUX_IO_SIMAI_WEIGHT, 0);
    chain->updates[layer] = chain->next ? chain->next - 1 : UINT64_MAX;
    return rc;
}

/* Updates come when the backward pass is over; each waits for its layer's last node. */
static int add_updates(struct chain *chain)
{
    int rc = FLUX_OK;
    uint64_t end = chain->last;
    for (uint64_t layer = chain->simai->layer_count; !rc && layer-- > 0;) {
        const struct flux_io_simai_layer *at = &chain->simai->layers[layer];
        if (!at->update)
            continue;
        rc = add_compute(chain, at, at->update, ".upd");
        if (!rc && chain->has_last)
            rc = wait_for(chain, end);
        if (!rc && chain->updates[layer] != UINT64_MAX)
            rc = wait_for(chain, chain->updates[layer]);
    }
    return rc;
}

/* The number of a group by its kind and its first GPU, with its members defined where it is new. */
static int find_group(struct chain *chain, uint32_t group, const char *kind, uint32_t first, uint32_t stride)
{
    struct flux_io_groups *groups = &chain->workload->groups;
    uint32_t members = group_members(chain->simai, group);
    char name[24];
    chain->group[group] = FLUX_IO_WORLD;
    if (members < 2)
        return FLUX_OK;
    int length = snprintf(name, sizeof name, "%s%" PRIu32, kind, first);
    int rc = flux_io_groups_ask(groups, name, (uint64_t)length, chain->rank, 0, &chain->group[group]);
    if (!rc && chain->rank == first)
        rc = flux_io_groups_define(groups, name, (uint64_t)length, first, members, stride);
    return rc ? flux_io_fail_memory(chain->simai->error) : FLUX_OK;
}

static int find_groups(struct chain *chain)
{
    const uint32_t *kept = chain->simai->kept;
    uint32_t rank = chain->rank;
    uint32_t t = kept[TENSOR];
    uint32_t stage = t * kept[EXPERT] * kept[REPLICA];
    uint32_t experts = t * kept[EXPERT];
    int rc = find_group(chain, FLUX_IO_SIMAI_TP, "tp", rank - rank % t, 1);
    if (!rc)
        rc = find_group(chain, FLUX_IO_SIMAI_DP, "dp", rank - rank % stage + rank % t, t);
    if (!rc)
        rc = find_group(chain, FLUX_IO_SIMAI_EP, "ep", rank - rank % experts + rank % t, t);
    return rc ? rc : find_group(chain, FLUX_IO_SIMAI_DP_EP, "dpep", rank - rank % stage + rank % experts, experts);
}

static int add_rank(struct chain *chain)
{
    uint64_t layers = chain->simai->layer_count;
    int rc = find_groups(chain);
    for (uint64_t i = 0; !rc && i < layers; i++)
        rc = add_forward(chain, i);
    for (uint64_t i = layers; !rc && i-- > 0;)
        rc = add_backward(chain, i);
    if (!rc)
        rc = add_updates(chain);
    return rc ? rc
              : flux_io_rank_seal(chain->workload, chain->rank, FLUX_DEPS_DATA, FLUX_MISSING_ERROR,
                                  chain->simai->error);
}

/* ---- what is told ---- */

static int add_remarks(const struct flux_io_simai *simai)
{
    const char *path = simai->source->path;
    uint64_t alone = 0;
    int rc = FLUX_OK;
    for (uint64_t i = 0; i < simai->layer_count; i++)
        for (uint32_t part = 0; part < FLUX_IO_SIMAI_PARTS; part++)
            alone += simai->layers[i].work[part].bytes && group_members(simai, simai->layers[i].work[part].group) < 2;
    if (simai->stages > 1)
        rc = flux_io_warn(simai->import, path, simai->error,
                          "the rows do not hold what the %" PRIu64
                          " pipeline stages send each other; every stage runs all rows by itself",
                          simai->stages);
    if (!rc && simai->broadcasts)
        rc = flux_io_note(simai->import, simai->error, "%" PRIu64 " broadcasts are left out, as SimAI does",
                          simai->broadcasts);
    if (!rc && alone)
        rc = flux_io_note(simai->import, simai->error,
                          "%" PRIu64 " collectives of the rows are over groups of one GPU and send nothing", alone);
    if (!rc && kept_gpus(simai) != simai->gpus)
        rc = flux_io_note(simai->import, simai->error,
                          "%" PRIu64 " GPUs stand for %" PRIu64 ": the others are replicas that do the same",
                          kept_gpus(simai), simai->gpus);
    return rc;
}

static int add_ranks(struct flux_io_simai *simai, struct flux_io_workload *workload)
{
    const struct flux_io_memory *memory = &simai->import->memory;
    uint64_t *updates = flux_io_alloc(memory, simai->layer_count, sizeof *updates);
    int rc = updates ? FLUX_OK : flux_io_fail_memory(simai->error);
    for (uint32_t r = 0; !rc && r < workload->rank_count; r++) {
        struct chain chain = {simai, workload, r, 0, 0, 0, {0}, updates};
        rc = add_rank(&chain);
        simai->import->counts[FLUX_IO_COUNT_NODES] += workload->ranks[r]->node_count;
    }
    flux_io_release(memory, updates, simai->layer_count, sizeof *updates);
    return rc;
}

int flux_io_simai_expand(struct flux_io_simai *simai)
{
    const struct flux_io_memory *memory = &simai->import->memory;
    struct flux_io_workload workload;
    memset(&workload, 0, sizeof workload);
    workload.memory = memory;
    if (simai->options->fold > 1 || simai->options->compute_unit < 0)
        return flux_io_fail(simai->error, FLUX_E_ARGUMENT, "fold is 0 or 1, and compute_unit is not negative");
    int rc = check_degrees(simai);
    if (rc)
        return rc;
    find_kept(simai);
    rc = check_size(simai);
    if (!rc)
        rc = add_remarks(simai);
    if (!rc)
        rc = flux_io_workload_init(&workload, memory, simai->import, simai->source->path, (uint32_t)kept_gpus(simai),
                                   simai->error);
    workload.lines = 1;
    if (!rc)
        rc = add_ranks(simai, &workload);
    if (!rc)
        rc = flux_io_workload_match(&workload, simai->error);
    simai->import->counts[FLUX_IO_COUNT_RANKS] = workload.rank_count;
    if (!rc)
        rc = flux_io_workload_graph(&workload, &simai->expand, simai->error);
    flux_io_workload_free(&workload);
    return rc;
}

int flux_io_simai_read(struct flux_import *import, struct flux_io_source *source,
                       const struct flux_import_options *options, struct flux_error *error)
{
    struct flux_io_simai simai;
    memset(&simai, 0, sizeof simai);
    simai.import = import;
    simai.source = source;
    simai.options = options;
    simai.error = error;
    flux_io_strings_init(&simai.names, &import->memory);
    int rc = flux_io_expand_options_init(&simai.expand, options, error);
    if (!rc)
        rc = flux_io_simai_parse(&simai);
    if (!rc)
        rc = flux_io_simai_expand(&simai);
    flux_io_strings_free(&simai.names);
    flux_io_release(&import->memory, simai.layers, simai.layer_capacity, sizeof *simai.layers);
    return rc;
}
