/* SPDX-License-Identifier: Apache-2.0 */
#include "io/generate/table_read.h"

#include "io/fail.h"

#include <libflux/units.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char *const model_keys[] = {"name",    "source", "mlp",        "embedding",  "latent",      "layers",
                                         "hidden",  "heads",  "kv_heads",   "head",       "ffn",         "vocabulary",
                                         "experts", "top_k",  "expert_ffn", "shared_ffn", "dense_layers"};
enum {
    NAME,
    SOURCE,
    MLP,
    EMBEDDING,
    LATENT,
    LAYERS,
    HIDDEN,
    HEADS,
    KV_HEADS,
    HEAD,
    FFN,
    VOCABULARY,
    EXPERTS,
    TOP_K,
    EXPERT_FFN,
    SHARED_FFN,
    DENSE_LAYERS,
    MODEL_KEYS
};

/* Where the whole numbers go, from LAYERS on. */
static const size_t model_members[] = {
    offsetof(struct flux_io_model, layers),     offsetof(struct flux_io_model, hidden),
    offsetof(struct flux_io_model, heads),      offsetof(struct flux_io_model, kv_heads),
    offsetof(struct flux_io_model, head),       offsetof(struct flux_io_model, ffn),
    offsetof(struct flux_io_model, vocabulary), offsetof(struct flux_io_model, experts),
    offsetof(struct flux_io_model, top_k),      offsetof(struct flux_io_model, expert_ffn),
    offsetof(struct flux_io_model, shared_ffn), offsetof(struct flux_io_model, dense_layers),
};

static const char *const latent_keys[] = {"query", "key_value", "head", "rotary", "value"};
enum { LATENT_KEYS = 5 };
static const char *const mlps[] = {"plain", "gated"};
static const char *const embeddings[] = {"own", "tied", "replicated"};

static int read_name(struct flux_io_yaml *yaml, char *name)
{
    const char *text;
    uint64_t length;
    int rc = flux_io_yaml_text(yaml, "name", &text, &length);
    if (rc)
        return rc;
    if (!length || length >= FLUX_IO_NAME)
        return flux_io_yaml_fail(yaml, "a name has 1 to %u bytes", FLUX_IO_NAME - 1);
    memcpy(name, text, length + 1);
    return FLUX_OK;
}

static int read_latent(struct flux_io_yaml *yaml, struct flux_io_latent *latent)
{
    struct flux_io_keys keys = {"latent", latent_keys, LATENT_KEYS, {{0, 0}}};
    uint32_t *const members[] = {&latent->query, &latent->key_value, &latent->head, &latent->rotary, &latent->value};
    struct flux_io_place place = flux_io_yaml_place(yaml);
    uint32_t key;
    int rc = flux_io_yaml_map(yaml, "latent {query, key_value, head, rotary, value}");
    while (!rc && !(rc = flux_io_yaml_key(yaml, &keys, &key)) && key != FLUX_NONE)
        rc = flux_io_yaml_whole(yaml, latent_keys[key], key == 0 ? 0 : 1, FLUX_IO_MODEL_MOST, members[key]);
    if (!rc && (!latent->key_value || !latent->head || !latent->rotary || !latent->value))
        return flux_io_yaml_fail_at(yaml, FLUX_E_FORMAT, place, "latent needs key_value, head, rotary and value");
    return rc;
}

static int read_member(struct flux_io_yaml *yaml, uint32_t key, struct flux_io_model *model)
{
    const char *text;
    uint64_t length;
    switch (key) {
    case NAME:
        return read_name(yaml, model->name);
    case SOURCE:
        return flux_io_yaml_text(yaml, "source", &text, &length);
    case MLP:
        return flux_io_yaml_word(yaml, "mlp", mlps, 2, &model->gated);
    case EMBEDDING:
        return flux_io_yaml_word(yaml, "embedding", embeddings, 3, &model->embedding);
    case LATENT:
        return read_latent(yaml, &model->latent);
    default:
        return flux_io_yaml_whole(yaml, model_keys[key], key >= SHARED_FFN ? 0 : 1, FLUX_IO_MODEL_MOST,
                                  (uint32_t *)(void *)((char *)model + model_members[key - LAYERS]));
    }
}

/* What is left out and follows from the rest, and what does not go together. */
static int settle_model(struct flux_io_yaml *yaml, struct flux_io_place place, struct flux_io_model *model)
{
    if (!*model->name || !model->layers || !model->hidden || !model->heads || !model->ffn || !model->vocabulary)
        return flux_io_yaml_fail_at(yaml, FLUX_E_FORMAT, place,
                                    "a model needs name, layers, hidden, heads, ffn and vocabulary");
    if (!model->kv_heads)
        model->kv_heads = model->heads;
    if (!model->head && !model->latent.head && model->hidden % model->heads)
        return flux_io_yaml_fail_at(yaml, FLUX_E_FORMAT, place,
                                    "%s: heads does not divide hidden, so head (its width) is needed", model->name);
    if (!model->head)
        model->head = model->hidden / model->heads;
    if (model->heads % model->kv_heads)
        return flux_io_yaml_fail_at(yaml, FLUX_E_FORMAT, place, "%s: kv_heads does not divide heads", model->name);
    if (model->experts && (!model->top_k || !model->expert_ffn || model->top_k > model->experts))
        return flux_io_yaml_fail_at(yaml, FLUX_E_FORMAT, place,
                                    "%s: a model with experts needs expert_ffn, and top_k of them at most",
                                    model->name);
    if (!model->experts && (model->top_k || model->expert_ffn || model->shared_ffn || model->dense_layers))
        return flux_io_yaml_fail_at(yaml, FLUX_E_FORMAT, place,
                                    "%s: top_k, expert_ffn, shared_ffn and dense_layers are for models with experts",
                                    model->name);
    if (model->layers > FLUX_IO_LAYERS_MOST || model->experts > FLUX_IO_EXPERTS_MOST ||
        (uint64_t)model->heads * model->head > FLUX_IO_MODEL_MOST)
        return flux_io_yaml_fail_at(yaml, FLUX_E_FORMAT, place,
                                    "%s: no more than %u layers, %u experts, and heads that are %u wide together",
                                    model->name, FLUX_IO_LAYERS_MOST, FLUX_IO_EXPERTS_MOST, FLUX_IO_MODEL_MOST);
    if (model->dense_layers > model->layers)
        return flux_io_yaml_fail_at(yaml, FLUX_E_FORMAT, place, "%s: more dense_layers than layers", model->name);
    return FLUX_OK;
}

int flux_io_table_read_model(struct flux_io_yaml *yaml, struct flux_io_model *model)
{
    struct flux_io_keys keys = {"model", model_keys, MODEL_KEYS, {{0, 0}}};
    struct flux_io_place place = flux_io_yaml_place(yaml);
    uint32_t key;
    int rc = flux_io_yaml_map(yaml, "a model {name: ..., layers: ..., hidden: ...}");
    memset(model, 0, sizeof *model);
    model->gated = 1;
    while (!rc && !(rc = flux_io_yaml_key(yaml, &keys, &key)) && key != FLUX_NONE)
        rc = read_member(yaml, key, model);
    return rc ? rc : settle_model(yaml, place, model);
}

/* ---- GPUs ---- */

static const char *const gpu_keys[] = {"name", "source", "peak", "memory", "efficiency"};
enum { GPU_NAME, GPU_SOURCE, GPU_PEAK, GPU_MEMORY, GPU_EFFICIENCY, GPU_KEYS };
static const char *const precisions[] = {"bf16", "fp8", "tf32"};
static const char *const level_keys[] = {"rate", "tile", "reach"};
enum { LEVEL_RATE, LEVEL_TILE, LEVEL_REACH, LEVEL_KEYS };
static const char *const reach_keys[] = {"above", "percent"};
enum { REACH_ABOVE, REACH_PERCENT, REACH_KEYS };

/* "312TFLOPS", with the ending that is said: as bytes of a unit, "312TB". */
static int read_quantity(struct flux_io_yaml *yaml, const char *what, const char *ending, const char *example,
                         uint64_t *number)
{
    char room[40];
    const char *text;
    uint64_t length;
    size_t tail = strlen(ending);
    int rc = flux_io_yaml_text(yaml, what, &text, &length);
    if (rc)
        return rc;
    if (length > tail && length - tail + 2 <= sizeof room && strcmp(text + length - tail, ending) == 0) {
        memcpy(room, text, length - tail);
        memcpy(room + length - tail, "B", 2);
        if (flux_bytes_parse(room, number, NULL) == FLUX_OK)
            return FLUX_OK;
    }
    return flux_io_yaml_fail(yaml, "%s is written like %s", what, example);
}

static int read_peak(struct flux_io_yaml *yaml, struct flux_io_gpu *gpu)
{
    struct flux_io_keys keys = {"peak", precisions, FLUX_IO_PRECISIONS, {{0, 0}}};
    uint32_t key;
    int rc = flux_io_yaml_map(yaml, "peaks {bf16: 312TFLOPS}");
    while (!rc && !(rc = flux_io_yaml_key(yaml, &keys, &key)) && key != FLUX_NONE) {
        rc = read_quantity(yaml, "peak", "FLOPS", "312TFLOPS", &gpu->peak[key]);
        if (!rc && !gpu->peak[key])
            rc = flux_io_yaml_fail(yaml, "a peak is above 0; leave out a precision that the GPU has not got");
    }
    return rc;
}

static int read_level(struct flux_io_yaml *yaml, struct flux_io_level *level)
{
    struct flux_io_keys keys = {"level of memory", level_keys, LEVEL_KEYS, {{0, 0}}};
    uint32_t key;
    int rc = flux_io_yaml_map(yaml, "a level of memory {rate: 2.039TB/s}");
    *level = (struct flux_io_level){0, 0, 100};
    while (!rc && !(rc = flux_io_yaml_key(yaml, &keys, &key)) && key != FLUX_NONE)
        rc = key == LEVEL_RATE   ? read_quantity(yaml, "rate", "B/s", "2.039TB/s", &level->rate)
             : key == LEVEL_TILE ? flux_io_yaml_whole(yaml, "tile", 1, 1u << 16, &level->tile)
                                 : flux_io_yaml_whole(yaml, "reach", 1, 100, &level->reach);
    if (!rc && !level->rate)
        return flux_io_yaml_fail(yaml, "a level of memory has a rate above 0");
    return rc;
}

static int read_reach(struct flux_io_yaml *yaml, struct flux_io_gpu *gpu)
{
    struct flux_io_keys keys = {"efficiency", reach_keys, REACH_KEYS, {{0, 0}}};
    struct flux_io_reach *reach = &gpu->reach[gpu->reach_count];
    uint32_t key;
    int rc = flux_io_yaml_map(yaml, "an efficiency {above: 1GFLOP, percent: 60}");
    *reach = (struct flux_io_reach){0, 0, 0};
    while (!rc && !(rc = flux_io_yaml_key(yaml, &keys, &key)) && key != FLUX_NONE)
        rc = key == REACH_ABOVE ? read_quantity(yaml, "above", "FLOP", "1GFLOP", &reach->above)
                                : flux_io_yaml_whole(yaml, "percent", 1, 100, &reach->percent);
    if (!rc && (!reach->percent || (gpu->reach_count && reach->above <= reach[-1].above)))
        return flux_io_yaml_fail(yaml, "each efficiency has a percent, and is above the one before");
    gpu->reach_count++;
    return rc;
}

static int read_list(struct flux_io_yaml *yaml, uint32_t key, struct flux_io_gpu *gpu)
{
    int more = 0;
    int rc = flux_io_yaml_list(yaml, key == GPU_MEMORY ? "a list of levels of memory" : "a list of efficiencies");
    while (!rc && !(rc = flux_io_yaml_item(yaml, &more)) && more) {
        if (key == GPU_MEMORY ? gpu->level_count == FLUX_IO_LEVELS_MAX : gpu->reach_count == FLUX_IO_STEPS_MAX)
            return flux_io_yaml_fail(yaml, "no more than %u levels and %u efficiencies", FLUX_IO_LEVELS_MAX,
                                     FLUX_IO_STEPS_MAX);
        rc = key == GPU_MEMORY ? read_level(yaml, &gpu->level[gpu->level_count++]) : read_reach(yaml, gpu);
    }
    return rc;
}

int flux_io_table_read_gpu(struct flux_io_yaml *yaml, struct flux_io_gpu *gpu)
{
    struct flux_io_keys keys = {"GPU", gpu_keys, GPU_KEYS, {{0, 0}}};
    struct flux_io_place place = flux_io_yaml_place(yaml);
    const char *text;
    uint64_t length;
    uint32_t key;
    int rc = flux_io_yaml_map(yaml, "a GPU {name: ..., peak: {bf16: 312TFLOPS}, memory: [{rate: 2.039TB/s}]}");
    memset(gpu, 0, sizeof *gpu);
    while (!rc && !(rc = flux_io_yaml_key(yaml, &keys, &key)) && key != FLUX_NONE)
        rc = key == GPU_NAME     ? read_name(yaml, gpu->name)
             : key == GPU_SOURCE ? flux_io_yaml_text(yaml, "source", &text, &length)
             : key == GPU_PEAK   ? read_peak(yaml, gpu)
                                 : read_list(yaml, key, gpu);
    if (!rc && (!*gpu->name || !gpu->level_count || !(gpu->peak[0] || gpu->peak[1] || gpu->peak[2])))
        return flux_io_yaml_fail_at(yaml, FLUX_E_FORMAT, place, "a GPU needs name, a peak and a level of memory");
    return rc;
}
